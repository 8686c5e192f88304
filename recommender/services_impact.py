"""What a change would do to advice, before anybody saves it: tried in a transaction that is taken back."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from catalog import versions
from recommender import adapters, impacts
from recommender.answers import KEYS, Answers, parse
from recommender.labels import STATE_LABELS
from recommender.models import Brief, RegressionCase

SECONDS = 10.0  # that somebody waits at most
BRIEFS = 50  # newest open ones that are looked at


@dataclass(frozen=True)
class Line:
    """One match that would be other than before."""

    before: str
    after: str


@dataclass(frozen=True)
class Row:
    """One question that a change moves."""

    name: str
    brief: int | None  # None: a named case
    first: Line
    first_changed: bool
    moved: tuple[Line, ...]  # other matches
    expected: str  # the server that ought to come first and does not; "": none is named, or it does


@dataclass(frozen=True)
class Impact:
    """What a change would do: questions that it moves, and how many were looked at in which time."""

    rows: tuple[Row, ...]
    looked: int
    total: int
    seconds: float

    @property
    def is_whole(self) -> bool:
        return self.looked == self.total


@dataclass(frozen=True)
class Question:
    name: str
    brief: int | None
    answers: Answers
    expected: str = ""


def impact(change: Callable[[], bool], *, seconds: float = SECONDS) -> Impact | None:
    """Try a change, take it back, and return what it would do to named cases and open briefs.

    Nothing of it stays: rows, history and the catalog's version are rolled back. What is reckoned with the
    changed rows is kept by no cache, since the next change gets the same version.

    Args:
        change: saves rows and tells whether it did.
        seconds: after which the questions that are left are not looked at.

    Returns None where the change was not made, as with a form that is not valid.
    """
    started = monotonic()
    before = adapters.load_specs()
    with versions.read_once(), transaction.atomic():
        after = adapters.read() if change() else None
        transaction.set_rollback(True)
    if after is None:
        return None
    questions = list(_questions())
    parts = impacts.parts_of(before.machines, after.machines)
    names = {**before.names, **after.names}
    rows: list[Row] = []
    looked, longest = 0, 0.0
    for question in questions:
        begun = monotonic()
        if begun - started + longest > seconds:
            break
        found = impacts.difference(question.answers, before, after, parts)
        if found is not None:
            rows.append(_row(question, found, names))
        looked += 1
        longest = max(longest, monotonic() - begun)
    rows.sort(key=lambda row: not row.first_changed)
    return Impact(tuple(rows), looked, len(questions), round(monotonic() - started, 1))


def _questions() -> Iterator[Question]:
    """Yield the named cases, then the newest briefs whose links still lead somewhere."""
    for case in RegressionCase.objects.filter(is_active=True):
        yield Question(str(case), None, parse(case.answers), case.expected_server)
    briefs = Brief.objects.readable().values_list("pk", "title", "frozen__answers")
    for pk, title, answers in briefs[:BRIEFS]:
        yield Question(title, pk, parse(answers))


def _row(question: Question, found: impacts.Difference, names: Mapping[str, str]) -> Row:
    after = _refused(found.refused) if found.refused else _said(found.after, names, first=True)
    first = found.after[0] if found.after else ""
    missed = question.expected and question.expected != first
    return Row(
        question.name,
        question.brief,
        Line(_said(found.before, names, first=True), after),
        found.first_changed or bool(found.refused),
        tuple(Line(_said(before, names), _said(after, names)) for before, after in found.moved),
        names.get(question.expected, question.expected) if missed else "",
    )


def _refused(keys: tuple[str, ...]) -> str:
    labels = ", ".join(str(KEYS[key].label) if key in KEYS else key for key in keys)
    return gettext("cannot be worked out: %(answers)s") % {"answers": labels}


def _said(advice: impacts.Advice | None, names: Mapping[str, str], *, first: bool = False) -> str:
    if advice is None:
        return gettext("nothing fits") if first else gettext("no match")
    server, gpu, count, servers, state = advice
    values: dict[str, Any] = {
        "server": names.get(server, server),
        "gpu": names.get(gpu, gpu),
        "count": count,
        "servers": servers,
        "state": str(STATE_LABELS[state]),
    }
    if servers == 1:
        return gettext("%(server)s, %(count)s × %(gpu)s: %(state)s") % values
    return gettext("%(servers)s × %(server)s, %(count)s × %(gpu)s in each: %(state)s") % values
