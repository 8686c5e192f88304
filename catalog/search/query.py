"""Answers a search: which pages have all of its words, best first, and what may have been meant.

The words of the table are read once per catalog version and language; words and their beginnings are looked
up there, pages by exact tokens only, so that every database gives the same answer.
"""

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field

from django.core.cache import cache
from django.db.models import Max
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
LEAST_BEGINNING = 2  # characters
MAX_CORRECTED = 4  # words of one search
KEPT_SECONDS = 24 * 3600
LONGER_RUN = 10  # what each further atom of one token adds to its weight
EXACT, LOOSE = 0, 1
# Typing errors that are forgiven, by the length of the word; numbers only in long enough ones.
ERRORS_OF_A_WORD = ((4, 1), (6, 2))
ERRORS_OF_A_NUMBER = ((5, 1),)


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of one language and of all, and the order of each kind's rows.

    `tokens` are sorted; `known` is {token: (largest weight, spelling or "")}.
    """

    tokens: list
    known: dict
    order: dict

    def beginning_with(self, start):
        """Return the tokens that begin so, the most telling ones first, at most MAX_BEGINNINGS."""
        found = []
        for place in range(bisect_left(self.tokens, start), len(self.tokens)):
            if not self.tokens[place].startswith(start):
                break
            found.append(self.tokens[place])
        found.sort(key=lambda token: (-self.known[token][0], token))
        return found[:MAX_BEGINNINGS]


@dataclass(frozen=True)
class Group:
    """The pages of one kind that were found: their number, and their ids, best first."""

    kind: registry.Kind
    ids: list


@dataclass(frozen=True)
class Found:
    """What a search came to.

    `complete`: the pages have all of its words, else only the most of them; `unknown` are the words that
    stand in no page; `suggestion` is another text that would find something, "" where there is none.
    """

    groups: list = field(default_factory=list)
    complete: bool = True
    unknown: tuple = ()
    suggestion: str = ""

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
    suggestion = ""
    if suggest and not complete:
        suggestion = _corrected(text, parts, unknown, language, words)
        if suggestion and not search(suggestion, language, suggest=False).total:
            suggestion = ""
    return Found(groups, complete, tuple(_chunk_text(parts, chunk) for chunk in unknown), suggestion)


def has_words(text):
    """Tell whether there is anything to search for."""
    return bool(atoms(text))


def results(group, ids):
    """Return the Result lines of some ids of a group, in their order, in the active language."""
    kind = group.kind
    rows = {row.pk: row for row in (kind.shown or kind.rows)().filter(pk__in=ids)}
    return [kind.result(rows[pk]) for pk in ids if pk in rows]


def vocabulary(language):
    """Return the Vocabulary of a language, kept until a fact changes."""
    key = f"search-words:{versions.current()}:{language}"
    return cache.get_or_set(key, lambda: _read_vocabulary(language), KEPT_SECONDS)


def _read_vocabulary(language):
    rows = (
        SearchToken.objects.filter(language__in=("", language))
        .values_list("token")
        .annotate(largest=Max("weight"), spelling=Max("word"))
    )
    known = {token: (weight, word) for token, weight, word in rows}
    order = {
        kind.name: {pk: place for place, pk in enumerate(kind.rows().values_list("pk", flat=True))}
        for kind in registry.kinds()
    }
    return Vocabulary(sorted(known), known, order)


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

    all_runs = list(runs(parts))
    for run in all_runs:
        ask(run, {run.key} | _exact_forms(run, accents, language), EXACT)
        if run.is_word and not run.key.isascii():
            ask(run, latin_forms(run.key), LOOSE)
    last = len(parts) - 1
    whole = {(run.start, run.end) for run in all_runs}
    for run in all_runs:
        if run.end == last or not covered.issuperset(range(run.start, run.end + 1)):
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


def _exact_forms(run, accents, language):
    """Return what a run may be written as in the table beside its own key."""
    if run.is_word:
        word = accents.get(run.key, run.key).casefold().replace("ё", "е")
        return stems(word, language) | stems(word, NAMES_LANGUAGE)
    return latin_forms(run.key) if not run.key.isascii() else set()


def _ask_beginnings(run, words, ask):
    for start in {run.key} | (latin_forms(run.key) if not run.key.isascii() and run.has_digits else set()):
        if len(start) >= LEAST_BEGINNING:
            ask(run, [token for token in words.beginning_with(start) if token != start], LOOSE)


def _matches(parts, needed, where, language, words):
    """Return the groups of pages that have all words, else the most of them, and whether they have all."""
    if not where:
        return [], False
    best = defaultdict(lambda: [None] * len(parts))
    rows = SearchToken.objects.filter(language__in=("", language), token__in=list(where))
    for kind, pk, token, weight in rows.values_list("kind", "object_id", "token", "weight").iterator(2000):
        places = best[kind, pk]
        for run, how in where[token]:
            worth = (LOOSE if weight < LOOSE_BELOW else how, -weight - LONGER_RUN * (run.end - run.start))
            for place in range(run.start, run.end + 1):
                if places[place] is None or worth < places[place]:
                    places[place] = worth
    length = {place: len(parts[place].text) for place in needed}
    ranked = []
    for (kind, pk), places in best.items():
        order = words.order.get(kind, {}).get(pk)
        if order is None:
            continue
        missing = sum(length[place] for place in needed if places[place] is None)
        loose = sum(worth[0] for worth in places if worth)
        ranked.append((missing, loose, sum(worth[1] for worth in places if worth), order, kind, pk))
    if not ranked:
        return [], False
    least = min(entry[0] for entry in ranked)
    if least == sum(length.values()):
        return [], False
    ranked = sorted(entry for entry in ranked if entry[0] == least)
    grouped = {}
    for *_rank, kind, pk in ranked:
        grouped.setdefault(kind, []).append(pk)
    groups = [Group(registry.kind_named(kind), ids) for kind, ids in grouped.items()]
    return [group for group in groups if group.kind], least == 0


def _chunks(parts, places):
    return sorted({parts[place].chunk for place in places})


def _chunk_text(parts, chunk):
    return "".join(part.text for part in parts if part.chunk == chunk)


def _corrected(text, parts, unknown, language, words):
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
        near = process.extract(form, words.tokens, scorer=OSA.distance, score_cutoff=most, limit=20)
        for token, errors, _place in near:
            weight, spelling = words.known[token]
            if spelling and has_digits == any(character.isdigit() for character in token):
                candidates.append((errors, loosely(token)[0] != loosely(form)[0], -weight, token, spelling))
    return min(candidates)[-1] if candidates else ""
