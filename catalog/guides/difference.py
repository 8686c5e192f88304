"""What became of a text: the places that changed, each with its line, told apart by words."""

from dataclasses import dataclass
from difflib import SequenceMatcher

from catalog.history.reading import by_words

LINES_AROUND = 1


@dataclass(frozen=True)
class Place:
    """Lines that changed, with what stands around them: [("same", "gone" or "new"; text)]."""

    line: int  # in the text as it is now
    parts: list


def places(before, after):
    """Return the Places in which two texts differ, in order."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        Place(group[0][3] + 1, [part for step in group for part in _parts(step, old, new)])
        for group in matcher.get_grouped_opcodes(LINES_AROUND)
    ]


def _parts(step, old, new):
    op, i1, i2, j1, j2 = step
    before, after = "".join(old[i1:i2]), "".join(new[j1:j2])
    if op == "replace":
        return list(by_words(before, after))
    if op == "equal":
        return [("same", after)]
    return [("gone", before)] if op == "delete" else [("new", after)]
