"""Sets of changed answers, and what moves the first place, as sentences."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _

from aiservers.numbers import Interval
from catalog.templatetags.units import format_number, no_less_than, no_more_than
from recommender.answers import KEYS, parse_interval
from recommender.answers.wording import with_unit
from recommender.changes import Change
from recommender.sensitivity import Hold, Place

# With the value that is needed; what stands in the middle of "It would fit with ...".
_NUMBERS: dict[str, Promise] = {
    "rack_units": _("%(value)s free"),
    "max_depth_mm": _("%(value)s of depth"),
    "power_kw": _("%(value)s of power"),
    "temperature_max_c": _("a room of at most %(value)s"),
    "temperature_min_c": _("a room of at least %(value)s"),
    "altitude_m": _("a site at %(value)s at most"),
    "ttft_ms": _("%(value)s to the first token"),
    "tpot_ms": _("%(value)s for each further token"),
    "target_hours": _("%(value)s for a training cycle"),
    "context_tokens": _("contexts of %(value)s"),
    "concurrency": _("%(value)s at the same time"),
    "requests_per_second": _("%(value)s of requests"),
    "users": _("%(value)s"),
    "streams": _("%(value)s"),
    "audio_streams": _("%(value)s"),
    "images_per_minute": _("%(value)s of images"),
    "growth_percent": _("a growth of %(value)s"),
}
_CHOICES: dict[str, Promise] = {
    "cooling": _("a water loop in the room"),
    "site": _("a place in a data centre"),
    "cpu_vendor": _("processors of any maker"),
    "gpu_vendor": _("GPUs of any maker"),
    "precision": _("weights of another type"),
    "kv_precision": _("an FP8 cache"),
    "availability": _("no server in reserve"),
    "psu_redundancy": _("no redundancy of power supplies"),
    "feed_voltage": _("another feed"),
    "one_node": _("both jobs apart"),
    "model_may_change": _("the model fixed"),
    "must": _("no criterion as a must"),
    "queue_ok": _("requests that may wait"),
}
_DROPPED: dict[str, Promise] = {key: _("no limit here: %(question)s") for key in _NUMBERS}


def change(item: Change) -> str:
    """Return one change as a part of a sentence."""
    if item.key in _CHOICES:
        return str(_CHOICES[item.key])
    if item.value is None:
        return str(_DROPPED[item.key]) % {"question": KEYS[item.key].label}
    return str(_NUMBERS[item.key]) % {"value": value(item.key, Decimal(item.value))}


def value(key: str, amount: Decimal) -> str:
    """Return a number of an answer with its unit, as pages write it."""
    decimals = 0 if KEYS[key].whole else 2
    return with_unit(KEYS[key], Interval(amount, amount), format_number(amount, decimals))


def changes(items: Sequence[Change]) -> str:
    """Return a set of changes that lets a server in, as a sentence."""
    parts = [change(item) for item in items]
    if len(parts) == 1:
        return gettext("It would fit with %(first)s.") % {"first": parts[0]}
    if len(parts) == 2:
        return gettext("It would fit with %(first)s and %(second)s.") % {
            "first": parts[0],
            "second": parts[1],
        }
    if len(parts) == 3:
        return gettext("It would fit with %(first)s, %(second)s and %(third)s.") % {
            "first": parts[0],
            "second": parts[1],
            "third": parts[2],
        }
    return gettext("It would fit with %(first)s, %(second)s, %(third)s and %(fourth)s.") % {
        "first": parts[0],
        "second": parts[1],
        "third": parts[2],
        "fourth": parts[3],
    }


def flips(hold: Hold, names: Mapping[str, str]) -> list[str]:
    """Return what moves the first place, as sentences: none where it stays."""
    if hold.is_choice:
        return [_other(hold.key, answer, place, names) for answer, place in hold.others]
    found, (low, high) = [], _ends(hold)
    if low is not None:
        found.append(_flip(hold.key, low, hold.below, names, above=False))
    if high is not None:
        found.append(_flip(hold.key, high, hold.above, names, above=True))
    return found


def _ends(hold: Hold) -> tuple[Decimal | None, Decimal | None]:
    """Return where the first place ends to hold, to three digits and inside: an estimate has no more."""
    reckoned_with = parse_interval(hold.value)
    low = None if hold.low is None else no_less_than(hold.low, reckoned_with.low)
    high = None if hold.high is None else no_more_than(hold.high, reckoned_with.high)
    return (
        None if low is None else Decimal(str(low)),
        None if high is None else Decimal(str(high)),
    )


def _flip(key: str, end: Decimal, place: Place, names: Mapping[str, str], *, above: bool) -> str:
    params = {"value": value(key, end)}
    if not place or not place[0]:
        if above:
            return gettext("Above %(value)s nothing fits any more.") % params
        return gettext("Below %(value)s nothing fits any more.") % params
    params |= {"server": names.get(place[0], place[0]), "gpu": names.get(place[1], place[1])}
    if above:
        return gettext("Above %(value)s the first place moves to %(server)s with %(gpu)s.") % params
    return gettext("Below %(value)s the first place moves to %(server)s with %(gpu)s.") % params


def _other(key: str, answer: str, place: tuple[str, str], names: Mapping[str, str]) -> str:
    params = {"answer": _answer(key, answer, names)}
    if not place[0]:
        return gettext("With “%(answer)s” nothing fits any more.") % params
    params |= {"server": names.get(place[0], place[0]), "gpu": names.get(place[1], place[1])}
    return gettext("With “%(answer)s” the first place moves to %(server)s with %(gpu)s.") % params


def _answer(key: str, answer: str, names: Mapping[str, str]) -> str:
    if not answer:
        return gettext("left open")
    return str(dict(KEYS[key].choices).get(answer) or names.get(answer, answer))


def holds(hold: Hold, names: Mapping[str, str]) -> str:
    """Return the interval or the answers with which the first place stays, as pages write it."""
    if hold.is_choice:
        moving = {answer for answer, _place in hold.others}
        kept = [_answer(hold.key, answer, names) for answer in hold.tried if answer not in moving]
        return gettext("every other answer") if not moving else "; ".join(kept) or gettext("no other answer")
    ends = [None if end is None else value(hold.key, end) for end in _ends(hold)]
    if ends[0] is not None and ends[1] is not None:
        return gettext("%(low)s to %(high)s") % {"low": ends[0], "high": ends[1]}
    if ends[1] is not None:
        return gettext("up to %(high)s") % {"high": ends[1]}
    if ends[0] is not None:
        return gettext("from %(low)s on") % {"low": ends[0]}
    return gettext("any value that can be given")


def reckoned(hold: Hold, names: Mapping[str, str]) -> str:
    """Return the value that was reckoned with."""
    if hold.is_choice:
        return _answer(hold.key, hold.value, names)
    interval = parse_interval(hold.value)
    low, high = (value(hold.key, end) for end in interval)
    return low if low == high else gettext("%(low)s to %(high)s") % {"low": low, "high": high}
