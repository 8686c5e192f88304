"""The one parser of numbers, for what people type and for what addresses carry.

Addresses, the command line and the API carry the canonical form: a plain decimal (`8`, `1.5`) or a range
(`8000..32000`). People type by the habits of their language; `parse_number` and `parse_range` read that.
Where one separator stands before exactly three digits, the reader's language decides what it means;
`is_ambiguous` tells, so that a page can show the value that was understood.

Standard library only: the core may use it.
"""

import re
from decimal import Decimal
from typing import NamedTuple

MAX_DIGITS = 18  # in front of the decimal sign: more is a slip of the finger, not a quantity
MAX_TEXT = 64  # characters

# The separator of thousands; the other one of "." and "," is the decimal sign. Russian groups by spaces only.
GROUP_SIGNS = {"es": ".", "ru": "", "en": ","}

_MINUS = "-\N{MINUS SIGN}\N{HYPHEN}\N{NON-BREAKING HYPHEN}"
_SPACES = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}\N{FIGURE SPACE}"
_CANONICAL = re.compile(r"[0-9]+(\.[0-9]+)?")
_TYPED = re.compile(r"[0-9]+([.,][0-9]+)*")
_GROUPED = re.compile(r"[0-9]{1,3}( [0-9]{3})+([.,][0-9]+)?")
_ONE_SIGN = re.compile(r"[1-9][0-9]{0,2}[.,][0-9]{3}")
_RANGE_SIGN = re.compile(r"\.{2,3}|\N{HORIZONTAL ELLIPSIS}|\N{EN DASH}|\N{EM DASH}|(?<=[0-9 ])-")
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity|∞)", re.IGNORECASE)


class NumberError(ValueError):
    """A text that is no quantity; `code` says why, in a word that the form layer translates.

    Codes: `empty`, `malformed`, `negative`, `not_finite`, `too_large`, `reversed` (a range's ends).
    """

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class Interval(NamedTuple):
    """A range of a quantity, both ends inclusive; a single value is a range of no width."""

    low: Decimal
    high: Decimal


def parse_number(text, language):
    """Return the number that a reader of `language` means by `text`, as a Decimal of zero or more.

    Both decimal signs are understood everywhere: `1,5` and `1.5` are the same in all three languages.

    Raises:
        NumberError: with its `code`.
    """
    text = _plain(text)
    if text[0] in ".,":
        text = f"0{text}"
    if _GROUPED.fullmatch(text):
        text = text.replace(" ", "")
        return _decimal(text.replace(",", "."))
    if not _TYPED.fullmatch(text):
        raise NumberError("malformed")
    signs = [character for character in text if character in ".,"]
    if not signs:
        return _decimal(text)
    decimal_sign = signs[-1]
    if len(signs) > 1 and signs[0] == decimal_sign:  # 1.500.000: thousands only
        if len(set(signs)) > 1:
            raise NumberError("malformed")
        decimal_sign = ""
    elif len(signs) == 1 and _ONE_SIGN.fullmatch(text) and decimal_sign == GROUP_SIGNS[language]:
        decimal_sign = ""
    whole, _, fraction = text.partition(decimal_sign) if decimal_sign else (text, "", "")
    return _decimal(f"{_ungrouped(whole)}.{fraction}" if fraction else _ungrouped(whole))


def is_ambiguous(text):
    """Tell whether `text` means different numbers to readers of different languages, as `1.500` does."""
    return any(_ONE_SIGN.fullmatch(end.strip()) for end in _RANGE_SIGN.split(text.strip()))


def parse_range(text, language):
    """Return what a reader typed as an Interval: `8000..32000`, `8 000 – 32 000` or one number."""
    return _interval(text, lambda end: parse_number(end, language))


def parse_canonical(text):
    """Return the Interval of a canonical number or range, as addresses, the API and commands carry it."""
    return _interval(text, _parse_plain_decimal, separator=re.compile(r"\.\."))


def canonical(value):
    """Write a Decimal, int or Interval as addresses carry it: no exponent and no trailing zeros."""
    if isinstance(value, Interval):
        low, high = canonical(value.low), canonical(value.high)
        return low if low == high else f"{low}..{high}"
    text = f"{Decimal(value):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def as_typed(text, language):
    """Write a canonical number or range as it stands in a field of that language; other text stays as it is.

    Thousands are not grouped, so that what is shown means the same to every reader.
    """
    try:
        text = canonical(parse_canonical(text))
    except NumberError:
        return text
    decimal_sign = "." if language == "en" else ","
    return "\N{EN DASH}".join(end.replace(".", decimal_sign) for end in text.split(".."))


def _interval(text, parse, separator=_RANGE_SIGN):
    ends = separator.split(text.strip())
    if len(ends) == 1:
        value = parse(text)
        return Interval(value, value)
    if len(ends) > 2 or not all(end.strip() for end in ends):
        raise NumberError("malformed")
    interval = Interval(parse(ends[0]), parse(ends[1]))
    if interval.low > interval.high:
        raise NumberError("reversed")
    return interval


def _parse_plain_decimal(text):
    text = _plain(text)
    if not _CANONICAL.fullmatch(text):
        raise NumberError("malformed")
    return _decimal(text)


def _plain(text):
    """Return `text` stripped, with every kind of space a simple one.

    Raises:
        NumberError: for what can be told apart from a slip of the finger.
    """
    text = text.translate(dict.fromkeys(map(ord, _SPACES), " ")).strip()
    if not text:
        raise NumberError("empty")
    if _NOT_FINITE.fullmatch(text):
        raise NumberError("not_finite")
    if text[0] in _MINUS:
        raise NumberError("negative")
    if len(text) > MAX_TEXT:
        raise NumberError("too_large" if _TYPED.fullmatch(text) else "malformed")
    return text


def _ungrouped(whole):
    """Return `whole` without its separators of thousands, which stand before every third digit."""
    groups = re.split(r"[.,]", whole)
    if len(groups) > 1 and (not 1 <= len(groups[0]) <= 3 or any(len(group) != 3 for group in groups[1:])):
        raise NumberError("malformed")
    return "".join(groups)


def _decimal(text):
    whole = text.partition(".")[0].lstrip("0")
    if len(whole) > MAX_DIGITS:
        raise NumberError("too_large")
    return Decimal(text)
