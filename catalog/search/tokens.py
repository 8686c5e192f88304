"""Texts as tokens: what makes two spellings the same word or the same model number. No database, no clock.

A text is folded and cut into chunks (what stands between spaces and signs), a chunk into atoms (letters or
one number): "SR650 V3" is sr|650 v|3. A run of neighbouring atoms, written together, is how a model number is
found in any spelling: "sr650v3" is a run of "SR650 V3", "SR 650 V3" and "SR650-V3" alike.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import snowballstemmer

MAX_TOKEN = 40  # characters
LONGEST_RUN = 5  # atoms
PROSE_RUN = 3
LETTERS_OF_A_WORD = 3  # fewer, inside of a chunk with digits, are part of the number
ALGORITHMS = {"es": "spanish", "ru": "russian", "en": "english"}
# Names and what stands in no language are stemmed like English.
NAMES_LANGUAGE = "en"

# Small words of all three languages, folded: a page does not have to have them.
_SMALL_WORDS = """
    a al con cual de del el en es la las lo los o para por que se sin su un una y
    а в во для до за и из или к как на не но о об от по под при с со у что
    an and by for how in is it of on or the to vs what which with
"""
STOP_WORDS = frozenset(_SMALL_WORDS.split())

_COMBINING = re.compile("[\u0300-\u036f]")
_ATOM = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
# "8x H100", "8 × H100", "8x22B": a count, not a letter. MI300X keeps its X.
_TIMES = re.compile(r"(?<![^\W_])(?<![\d.,])(\d{1,2})\s?[x×х](?=\s|\d|$|[^\W\d_]{1,3}\d)")
_TIMES_INSIDE = re.compile(r"(?<=[^\W\d_])(\d{1,2})[x×х](?=\d)")
# The letter that stands for a zero beside a digit.
_ZERO = re.compile(r"(?<=\d)[oо]+|(?<![^\W_])[oо]+(?=\d)")

# Cyrillic letters by their looks (СР is CP, О is O) and by their sound (СР is SR).
LOOKS = str.maketrans("авекмнорстухіјѕ", "abekmhopctyxijs")
SOUNDS = str.maketrans(
    dict(zip("абвгдезийклмнопрстуфхыэіјѕ", "abvgdeziiklmnoprstufxyeijs", strict=True))
    | {"ж": "zh", "ц": "c", "ч": "ch", "ш": "sh", "щ": "sch", "ъ": "", "ь": "", "ю": "u", "я": "ya"}
)
_KEYS = dict(zip("йцукенгшщзхъфывапролджэячсмитьбю", "qwertyuiop[]asdfghjkl;'zxcvbnm,.", strict=True))
LAYOUT = str.maketrans(_KEYS | {latin: cyrillic for cyrillic, latin in _KEYS.items()})


@dataclass(frozen=True)
class Atom:
    """Letters or one number of a folded text; `chunk` counts what is written without a gap."""

    text: str
    chunk: int

    @property
    def is_number(self):
        return self.text[0].isdigit()


@dataclass(frozen=True)
class Run:
    """Neighbouring atoms `start` to `end`, both included, and how they are written together."""

    start: int
    end: int
    key: str

    @property
    def is_word(self):
        """Whether it is one atom of letters."""
        return self.start == self.end and not self.key[0].isdigit()

    @property
    def has_digits(self):
        return any(character.isdigit() for character in self.key)


def fold(text):
    """Return the text without what tells no two words apart: case, width, accents, ё for е.

    ñ and й stay: año is not ano, and й is a letter of its own.
    """
    plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    plain = plain.replace("и\u0306", "й").replace("n\u0303", "ñ")
    return unicodedata.normalize("NFC", _COMBINING.sub("", plain))


def loosely(token):
    """Return how a token is typed on a keyboard without ñ."""
    return token.replace("ñ", "n")


def atoms(text):
    """Return the atoms of a text, in its order."""
    folded = _TIMES_INSIDE.sub(r"\1 ", _TIMES.sub(r"\1 ", fold(text)))
    folded = _ZERO.sub(lambda found: "0" * len(found[0]), folded)
    result, chunk, end = [], -1, None
    for found in _ATOM.finditer(folded):
        chunk += found.start() != end
        end = found.end()
        result.append(Atom(found[0].replace(",", "."), chunk))
    return result


def runs(parts, longest=LONGEST_RUN):
    """Yield the runs that can stand for something: words, numbers, model numbers and words written together.

    A run is made of whole chunks, or lies inside of one, where letters begin a new part (v3 of sr650v3) or a
    number ends one (sr650 of it); digits without their letters are no run of a longer chunk.
    """
    for start in range(len(parts)):
        begins = _begins_chunk(parts, start)
        if not begins and parts[start].is_number:
            continue
        for end in range(start, min(start + longest, len(parts))):
            same = parts[end].chunk == parts[start].chunk
            ends = end + 1 == len(parts) or parts[end + 1].chunk != parts[end].chunk
            if not same and not begins:
                break
            if not ends and not (
                same and (parts[end].is_number or len(parts[end].text) >= LETTERS_OF_A_WORD)
            ):
                continue
            if start == end and not _stands_alone(parts, start):
                continue
            inside = parts[start : end + 1]
            key = inside[0].text if start == end else "".join(part.text.replace(".", "") for part in inside)
            yield Run(start, end, key[:MAX_TOKEN])


def _begins_chunk(parts, place):
    return place == 0 or parts[place - 1].chunk != parts[place].chunk


def _stands_alone(parts, place):
    """Whether one atom is all of its chunk, or a word inside of one."""
    chunk = parts[place].chunk
    whole = _begins_chunk(parts, place) and (place + 1 == len(parts) or parts[place + 1].chunk != chunk)
    return whole or (not parts[place].is_number and len(parts[place].text) >= LETTERS_OF_A_WORD)


@lru_cache(maxsize=30_000)
def stems(word, language):
    """Return the stems of a word: as it is written, and as who types no accents writes it. All folded."""
    stemmer = snowballstemmer.stemmer(ALGORITHMS.get(language, ALGORITHMS[NAMES_LANGUAGE]))
    return frozenset(fold(stemmer.stemWord(form)) for form in (word, fold(word)))


def written(text):
    """Return {folded word: the word as it stands in the text}: stems need accents, suggestions the case."""
    plain = unicodedata.normalize("NFKC", text)
    return {fold(found[0]): found[0] for found in _ATOM.finditer(plain)}


def latin_forms(key):
    """Return what a key with Cyrillic letters may stand for in Latin ones, by looks and by sound."""
    forms = {key.translate(LOOKS), key.translate(SOUNDS)}
    return {_ZERO.sub(lambda found: "0" * len(found[0]), form) for form in forms if form.isascii()} - {key}


@lru_cache(maxsize=4096)
def index_tokens(text, language, *, is_name=False, anchored=False):
    """Return {token: (kind, word)} of a text of the catalog.

    The kind is "exact", "part" (digits of a name's number) or "loose" (ñ typed as n); `word` is how a
    suggestion spells the token, "" where it is not suggested. What a name holds is found across its gaps at
    length; `anchored` keeps the runs that begin with the text. Not to be changed: the same texts come again.
    """
    parts = atoms(text)
    accents = written(text)
    found = {}

    def add(token, kind, word=""):
        token = token[:MAX_TOKEN]
        known = found.get(token)
        if (
            known is None
            or (known[0] == "loose" and kind != "loose")
            or (word and not known[1] and kind == known[0])
        ):
            found[token] = (kind, word)

    for run in runs(parts, LONGEST_RUN if is_name else PROSE_RUN):
        if anchored and run.start:
            continue
        if run.is_word:
            if run.key in STOP_WORDS or (len(run.key) == 1 and not is_name):
                continue
            word = accents.get(run.key, run.key)
            add(run.key, "exact", word if is_name else word.casefold())
            for stem in stems(word.casefold().replace("ё", "е"), language):
                add(stem, "exact")
        elif run.has_digits:
            add(run.key, "exact", _spelled(parts[run.start : run.end + 1]))
        elif is_name and run.end == run.start + 1:
            add(run.key, "exact")  # two words that readers write as one
    if is_name and not anchored:
        for part in parts:
            if part.is_number and len(part.text) > 1:
                add(part.text, "part")
    for token in [token for token in found if "ñ" in token]:
        add(loosely(token), "loose")
    return found


def _spelled(parts):
    """Return a model number as makers write it, large letters, a space between its chunks; "" for others."""
    if parts[0].is_number or any(len(part.text) > LETTERS_OF_A_WORD for part in parts if not part.is_number):
        return ""
    if len(parts) > 4:
        return ""
    text, chunk = "", parts[0].chunk
    for part in parts:
        text += (" " if part.chunk != chunk else "") + part.text.upper()
        chunk = part.chunk
    return text[:MAX_TOKEN]
