"""Numbers and ranges of answers: their canonical form, and how the active language writes them."""

from decimal import Decimal

from aiservers.numbers import Interval, NumberError, parse_canonical
from catalog.templatetags.units import format_number


def parse_interval(text: str) -> Interval:
    """Return the Interval of a canonical number or range whose ends may be negative.

    Raises:
        NumberError: it is neither.
    """
    low, separator, high = text.strip().partition("..")
    ends = [signed_number(low), signed_number(high)] if separator else [signed_number(low)] * 2
    if ends[0] > ends[1]:
        raise NumberError("reversed")
    return Interval(*ends)


def signed_number(text: str) -> Decimal:
    """Return a canonical number that may be below zero."""
    text = text.strip()
    minus = text.startswith("-")
    if ".." in text:
        raise NumberError("malformed")
    value = parse_canonical(text[1:] if minus else text).low
    return -value if minus else value


def number_text(value: int | float | Decimal) -> str:
    """Return a number as the active language writes it."""
    return format_number(value, 6)


def as_written(text: str) -> str:
    """Return a canonical number or range as the active language writes it; other texts stay as they are."""
    try:
        interval = parse_interval(text)
    except NumberError:
        return text
    low, high = number_text(interval.low), number_text(interval.high)
    return low if low == high else f"{low}–{high}"
