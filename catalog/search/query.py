"""Answers a search: which pages have all of its words, best first, and what may have been meant.

The words of the table are read once per catalog version and language; words and their beginnings are looked
up there, pages by exact tokens only, so that every database gives the same answer.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from uuid import uuid4

from django.conf import settings
from django.core.cache import cache
from django.db.models import Count, Max
from rapidfuzz import process
from rapidfuzz.distance import OSA

from catalog import versions
from catalog.models import SearchToken
from catalog.search import registry
from catalog.search.registry import LOOSE_BELOW
from catalog.search.tokens import (
    LAYOUT,
    NAMES_LANGUAGE,
    STOP_WORDS,
    Run,
    atoms,
    fold,
    latin_forms,
    loosely,
    runs,
    stems,
    written,
)

MAX_LENGTH = 100  # characters of a search
MAX_BEGINNINGS = 60  # words that a beginning may stand for, the most telling ones
MAX_ROWS = 6000  # of the table, that these words together stand in
OFTEN = 100  # pages; a last word that stands in as many is no beginning of another one
FEW = 400  # pages that have the rarest word: only these are asked for the other words
LEAST_BEGINNING = 2  # characters
MAX_CORRECTED = 4  # words of one search
KEPT_SECONDS = 24 * 3600
LONGER_RUN = 10  # what each further atom of one token adds to its weight
EXACT, LOOSE = 0, 1
LOOSELY = 1_000_000  # what a loose match costs: more than all weights of a page together
# Typing errors that are forgiven, by the length of the word; numbers only in long enough ones.
ERRORS_OF_A_WORD = ((4, 1), (6, 2))
ERRORS_OF_A_NUMBER = ((5, 1),)


_kept = {}  # {language: (name, Vocabulary)}


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of one language and of all, and the order of each kind's rows.

    `tokens` are sorted; `known` is {token: (largest weight, spelling or "", rows that it stands in)};
    `spelled` are the tokens that may be suggested.
    """

    tokens: list
    known: dict
    spelled: list
    order: dict

    def beginning_with(self, start):
        """Return the longer tokens that begin so, the most telling first, within both limits above."""
        found = []
        for place in range(bisect_left(self.tokens, start), len(self.tokens)):
            if not self.tokens[place].startswith(start):
                break
            if self.tokens[place] != start:
                found.append(self.tokens[place])
        found.sort(key=lambda token: (-self.known[token][0], token))
        kept, rows = [], 0
        for token in found[:MAX_BEGINNINGS]:
            rows += self.known[token][2]
            if kept and rows > MAX_ROWS:
                break
            kept.append(token)
        return kept

    def rows(self, tokens):
        return sum(self.known[token][2] for token in tokens if token in self.known)


@dataclass(frozen=True)
class Group:
    """The pages of one kind that were found: their number, and their ids, best first."""

    kind: registry.Kind
    ids: list


@dataclass(frozen=True)
class Found:
    """What a search came to.

    `complete`: the pages have all of its words, else only the most of them; `unknown` are the words that
    stand in no page; `suggestion` is another text that finds something, "" where there is none, and `meant`
    what it finds.
    """

    groups: list = field(default_factory=list)
    complete: bool = True
    unknown: tuple = ()
    suggestion: str = ""
    meant: "Found | None" = None

    @property
    def total(self):
        return sum(len(group.ids) for group in self.groups)


def search(text, language, *, suggest=True):
    """Return what a text of at most MAX_LENGTH characters finds, in a fixed number of queries."""
    parts = atoms(text[:MAX_LENGTH])
    if not parts:
        return Found()
    words = vocabulary(language)
    needed = _needed(parts)
    where, known_parts = _look_up(text, parts, language, words)
    groups, complete = _matches(parts, needed, where, language, words)
    unknown = _chunks(parts, needed - known_parts)
    suggestion, meant = "", None
    if suggest and not complete:
        suggestion = _corrected(text, parts, unknown, words)
        meant = search(suggestion, language, suggest=False) if suggestion else None
        if not (meant and meant.total):
            suggestion, meant = "", None
    named = tuple(_chunk_text(parts, chunk) for chunk in unknown)
    return Found(groups, complete, named, suggestion, meant)


def has_words(text):
    """Tell whether there is anything to search for."""
    return bool(atoms(text))


def results(group, ids):
    """Return the Result lines of some ids of a group, in their order, in the active language."""
    kind = group.kind
    rows = {row.pk: row for row in (kind.shown or kind.rows)().filter(pk__in=ids)}
    return [kind.result(rows[pk]) for pk in ids if pk in rows]


def vocabulary(language):
    """Return the Vocabulary of a language, kept until a fact or a guide changes, for all processes.

    The cache names the one that holds; what this process keeps is good as long as the name is the same.
    """
    key = f"search-words:{versions.current()}:{versions.content()}:{language}"
    name = cache.get_or_set(key, lambda: uuid4().hex, KEPT_SECONDS)
    kept = _kept.get(language)
    if kept is None or kept[0] != name:
        kept = (
            name,
            cache.get_or_set(f"search-words:{name}", lambda: _read_vocabulary(language), KEPT_SECONDS),
        )
        _kept[language] = kept
    return kept[1]


def make_ready():
    """Read the words of every language, so that the first search after a change does not have to."""
    for language, _name in settings.LANGUAGES:
        vocabulary(language)


def _read_vocabulary(language):
    rows = (
        SearchToken.objects.filter(language__in=("", language))
        .values_list("token")
        .annotate(largest=Max("weight"), spelling=Max("word"), rows=Count("pk"))
    )
    known = {token: (weight, word, count) for token, weight, word, count in rows}
    order = {
        kind.name: {
            pk: place for place, pk in enumerate((kind.visible or kind.rows)().values_list("pk", flat=True))
        }
        for kind in registry.kinds()
    }
    tokens = sorted(known)
    return Vocabulary(tokens, known, [token for token in tokens if known[token][1]], order)


def _needed(parts):
    """Return the places that a page has to have: all but small words, unless there is nothing else."""
    places = {place for place, part in enumerate(parts) if part.text not in STOP_WORDS}
    return places or set(range(len(parts)))


def _look_up(text, parts, language, words):
    """Return {token: [(run, how it matches)]} to ask the table for, and the places that they cover."""
    where, covered = defaultdict(list), set()
    accents = written(text)

    def ask(run, tokens, how):
        for token in tokens:
            if token in words.known:
                where[token].append((run, how))
                covered.update(range(run.start, run.end + 1))

    all_runs = _without_pieces(list(runs(parts)), parts, words)
    for run in all_runs:
        ask(run, {run.key} | _exact_forms(run, accents, language), EXACT)
        if run.is_word and not run.key.isascii():
            ask(run, latin_forms(run.key), LOOSE)
    last = len(parts) - 1
    whole = {(run.start, run.end) for run in all_runs}
    for run in all_runs:
        exact = [run.key, *_exact_forms(run, accents, language)]
        grows = run.end == last and words.rows(exact) < OFTEN
        if grows or not covered.issuperset(range(run.start, run.end + 1)):
            _ask_beginnings(run, words, ask)
    # The last chunk as it grows: "sr650v" of sr650v3, which no run ends with.
    for start in sorted({run.start for run in all_runs} | {last}):
        if (start, last) not in whole and last - start < 6:
            key = "".join(part.text for part in parts[start:])
            if parts[start].chunk == parts[last].chunk and (
                start == 0 or parts[start - 1].chunk != parts[start].chunk
            ):
                _ask_beginnings(Run(start, last, key), words, ask)
    return where, covered


def _without_pieces(all_runs, parts, words):
    """Return the runs but for those inside of a chunk that is known as a whole.

    Who types sr650v3 means that number, not a page with an SR650a and, elsewhere, a V3.
    """
    size = Counter(part.chunk for part in parts)

    def chunk_of(run):
        return parts[run.start].chunk if parts[run.start].chunk == parts[run.end].chunk else None

    def is_whole(run):
        return run.end - run.start + 1 == size.get(chunk_of(run))

    known = {
        chunk_of(run)
        for run in all_runs
        if is_whole(run) and ({run.key} | latin_forms(run.key)) & words.known.keys()
    }
    return [run for run in all_runs if chunk_of(run) not in known or is_whole(run)]


def _exact_forms(run, accents, language):
    """Return what a run may be written as in the table beside its own key."""
    if run.is_word:
        word = accents.get(run.key, run.key).casefold().replace("ё", "е")
        return stems(word, language) | stems(word, NAMES_LANGUAGE)
    return latin_forms(run.key) if not run.key.isascii() else set()


def _ask_beginnings(run, words, ask):
    for start in {run.key} | (latin_forms(run.key) if not run.key.isascii() and run.has_digits else set()):
        if len(start) >= LEAST_BEGINNING:
            ask(run, words.beginning_with(start), LOOSE)


def _matches(parts, needed, where, language, words):
    """Return the groups of pages that have all words, else the most of them, and whether they have all."""
    if not where:
        return [], False
    groups = None
    rarest = _rarest(needed, where, words)
    if rarest and len(rarest) < len(where) and words.rows(rarest) <= FEW < words.rows(where):
        # Whoever has all words has the rarest one: the other words matter on these pages only.
        pages = {pk for _kind, pk, _token, _weight in _rows(language, rarest)}
        groups, missing = _ranked(parts, needed, where, words, _rows(language, list(where), pages))
    if groups is None or missing:
        groups, missing = _ranked(parts, needed, where, words, _rows(language, list(where)))
    return groups, missing == 0


def _rarest(needed, where, words):
    """Return the tokens of the needed place that the fewest rows cover, none where a place has no token."""
    covering = defaultdict(list)
    for token, asked in where.items():
        for place in {place for run, _how in asked for place in range(run.start, run.end + 1)}:
            covering[place].append(token)
    if not needed <= covering.keys():
        return []
    return min((covering[place] for place in needed), key=words.rows)


def _rows(language, tokens, pages=None):
    """Return [(kind, id, token, weight)] of tokens, of some ids alone where they are given."""
    rows = SearchToken.objects.filter(language__in=("", language), token__in=tokens)
    if pages is not None:
        rows = rows.filter(object_id__in=pages)
    return list(rows.values_list("kind", "object_id", "token", "weight"))


def _ranked(parts, needed, where, words, rows):
    """Return the groups of pages that have most of what is needed, and how many characters they lack."""
    # A smaller worth is better: first how it matches, then the weight.
    asked = {
        token: [
            (range(run.start, run.end + 1), how * LOOSELY - LONGER_RUN * (run.end - run.start))
            for run, how in found
        ]
        for token, found in where.items()
    }
    best = {kind.name: {} for kind in registry.kinds()}
    for kind, pk, token, weight in rows:
        pages = best.get(kind)
        if pages is None:
            continue
        covered = pages.get(pk)
        if covered is None:
            covered = pages[pk] = {}
        for places, base in asked[token]:
            worth = base - weight
            if weight < LOOSE_BELOW and base < LOOSELY // 2:
                worth += LOOSELY
            for place in places:
                if place not in covered or worth < covered[place]:
                    covered[place] = worth
    length = {place: len(parts[place].text) for place in needed}
    least = whole = sum(length.values())
    ranked = []
    for position, (kind, pages) in enumerate(best.items()):
        order = words.order.get(kind, {})
        for pk, covered in pages.items():
            missing = whole - sum([length.get(place, 0) for place in covered])
            if missing <= least < whole or missing < whole == least:
                if pk not in order:
                    continue
                least = missing
                ranked.append((missing, sum(covered.values()), position, order[pk], kind, pk))
    grouped = {}
    for *_rank, kind, pk in sorted([entry for entry in ranked if entry[0] == least]):
        grouped.setdefault(kind, []).append(pk)
    return [Group(registry.kind_named(kind), ids) for kind, ids in grouped.items()], least


def _chunks(parts, places):
    return sorted({parts[place].chunk for place in places})


def _chunk_text(parts, chunk):
    return "".join(part.text for part in parts if part.chunk == chunk)


def _corrected(text, parts, unknown, words):
    """Return the text with its unknown words put right, "" where one of them looks like nothing we know."""
    if not unknown or len(unknown) > MAX_CORRECTED:
        return ""
    spelled = {}
    for chunk in unknown:
        word = _chunk_text(parts, chunk)
        spelled[chunk] = _meant(word, words)
    if not any(spelled.values()):
        return ""
    shown = written(text)
    result = []
    for chunk in dict.fromkeys(part.chunk for part in parts):
        word = _chunk_text(parts, chunk)
        result.append(spelled.get(chunk) or shown.get(word, word))
    corrected = " ".join(result)
    return corrected if fold(corrected) != fold(text) else ""


def _meant(word, words):
    """Return the spelling of the known word that is nearest to an unknown one, "" where none is near."""
    other_layout = fold(word.translate(LAYOUT))
    if len(word) > LEAST_BEGINNING and other_layout in words.known:
        return words.known[other_layout][1] or other_layout
    has_digits = any(character.isdigit() for character in word)
    limits = ERRORS_OF_A_NUMBER if has_digits else ERRORS_OF_A_WORD
    most = max((errors for length, errors in limits if len(word) >= length), default=0)
    if not most:
        return ""
    candidates = []
    for form in {word} | (latin_forms(word) if not word.isascii() else set()):
        near = process.extract(form, words.spelled, scorer=OSA.distance, score_cutoff=most, limit=20)
        for token, errors, _place in near:
            weight, spelling, _rows = words.known[token]
            if has_digits == any(character.isdigit() for character in token):
                begins_otherwise = loosely(token)[0] != loosely(form)[0]
                candidates.append((errors, form != word, begins_otherwise, -weight, token, spelling))
    return min(candidates)[-1] if candidates else ""
