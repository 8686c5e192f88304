"""Amounts with their units, and counted nouns in the form that each language asks for."""

from typing import TYPE_CHECKING

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy as _, ngettext_lazy, pgettext_lazy

from aiservers.numbers import Interval
from catalog.templatetags.units import NARROW_SPACE, format_number
from recommender.answers.intervals import number_text

if TYPE_CHECKING:
    from recommender.answers.keys import Key

PERCENT = "%"
_TOKENS = ngettext_lazy("%(amount)s token", "%(amount)s tokens", "count")
_REQUESTS = ngettext_lazy("%(amount)s request", "%(amount)s requests", "count")
_STREAMS = ngettext_lazy("%(amount)s stream", "%(amount)s streams", "count")
_SEQUENCES = ngettext_lazy("%(amount)s sequence", "%(amount)s sequences", "count")
NOUNS = {
    "input_tokens": _TOKENS,
    "output_tokens": _TOKENS,
    "input_tokens_p95": _TOKENS,
    "context_tokens": _TOKENS,
    "dataset_tokens": _TOKENS,
    "sequence_tokens": _TOKENS,
    "concurrency": _REQUESTS,
    "normal_concurrency": _REQUESTS,
    "streams": _STREAMS,
    "audio_streams": _STREAMS,
    "global_batch": _SEQUENCES,
    "micro_batch": _SEQUENCES,
    "users": ngettext_lazy("%(amount)s person", "%(amount)s people", "count"),
    "horizon_years": ngettext_lazy("%(amount)s year", "%(amount)s years", "count"),
    "needed_months": ngettext_lazy("%(amount)s month", "%(amount)s months", "count"),
    "peak_factor": ngettext_lazy("%(amount)s time", "%(amount)s times", "count"),
}


_RACK_UNITS = pgettext_lazy("unit", "%(count)sU")
_PERCENT_OF = pgettext_lazy("unit", "%(number)s%%")
# Large numbers of tokens, the largest first: written so where no digit is lost.
_MANY_TOKENS = (
    (10**9, _("%(amount)s billion tokens")),
    (10**6, _("%(amount)s million tokens")),
)


def token_scales() -> tuple[tuple[int, Promise], ...]:
    """Return the large numbers that tokens are written in; Spanish has thousands of millions, no billions."""
    return _MANY_TOKENS[1:] if get_language() == "es" else _MANY_TOKENS


def _many_tokens(interval: Interval) -> str:
    """Return a number of tokens in millions or billions, "" where it is small or has more digits."""
    for scale, text in token_scales():
        ends = [end / scale for end in interval]
        if ends[0] >= 1 and all(end * 100 == (end * 100).to_integral_value() for end in ends):
            low, high = (format_number(end, 2) for end in ends)
            amount = low if low == high else f"{low}–{high}"
            return str(text % {"amount": amount}).replace(" ", "\N{NO-BREAK SPACE}")
    return ""


def with_unit(key: "Key", interval: Interval, written: str) -> str:
    """Return a written number or range with its unit, or with its noun in the form that it asks for."""
    noun = NOUNS.get(key.name)
    if key.unit == "tokens" and (many := _many_tokens(interval)):
        return many
    if key.unit == "U":
        return str(_RACK_UNITS % {"count": written})
    if str(key.unit_label).startswith(PERCENT):  # "50% a year": English closes the sign up
        return str(_PERCENT_OF % {"number": written}) + str(key.unit_label).removeprefix(PERCENT)
    if noun is None:
        return f"{written}{NARROW_SPACE}{key.unit_label}" if key.unit_label else written
    high = interval.high
    count = int(high) if high == int(high) else 2  # a fraction takes the form of two in all our languages
    return str(noun % {"amount": written, "count": count}).replace(" ", "\N{NO-BREAK SPACE}")


def written(key: "Key", interval: Interval) -> str:
    """Return a number or a range of a key as the active language writes it, with its unit."""
    low, high = number_text(interval.low), number_text(interval.high)
    return with_unit(key, interval, low if low == high else f"{low}–{high}")
