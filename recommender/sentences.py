"""How a code with figures becomes a sentence: which form each figure takes in the active language."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext, ngettext

from catalog.templatetags import units
from recommender.sizing.demand import Message, Value
from recommender.sizing.specs import GIB

Formatter = Callable[[Value], str]

MANY_HOURS = 100


def _gib(value: Value) -> str:
    return units.gibibytes(None if value is None else float(value) / GIB)


def _ms(value: Value) -> str:
    return units.milliseconds(None if value is None else float(value) * 1000)


def _hours(value: Value) -> str:
    """Return a time, in days as well where hours say little."""
    if value is None:
        return units.not_published()
    amount = float(value) / 3600
    text = units.hours(amount)
    days = round(amount / 24)
    if amount < MANY_HOURS:
        return text
    return ngettext("%(hours)s (%(days)s day)", "%(hours)s (%(days)s days)", days) % {
        "hours": text,
        "days": units.number(days),
    }


def _count(value: Value) -> str:
    return units.number(value, 0)


def _rate(value: Value) -> str:
    return units.number(value, units.places(float(value or 0)))


def _number(value: Value) -> str:
    return units.number(value)


def _precision(value: Value) -> str:
    return str(value).upper()


def _plain(value: Value) -> str:
    return "" if value is None else str(value)


def _gigabytes(value: Value) -> str:
    """Return bytes of disks and host memory, in GB or TB to three digits."""
    amount = units.estimated(float(value or 0) / 1e9)
    if amount >= 1000:
        return gettext("%(amount)s TB") % {"amount": units.number(amount / 1000)}
    return gettext("%(amount)s GB") % {"amount": units.number(amount)}


def _amount(value: Value) -> str:
    amount = units.estimated(float(value or 0))
    return units.number(amount, units.places(amount))


def _percent(value: Value) -> str:
    return gettext("%(amount)s %%") % {"amount": units.number(float(value or 0), 0)}


def _share(value: Value) -> str:
    return _percent(100 * float(value or 0))


def _seconds(value: Value) -> str:
    """Return a time in seconds, in minutes from two minutes on."""
    amount = float(value or 0)
    if amount < 120:
        return gettext("%(amount)s s") % {"amount": units.number(units.estimated(amount))}
    return gettext("%(amount)s min") % {"amount": units.number(units.estimated(amount / 60))}


def _metres(value: Value) -> str:
    return gettext("%(amount)s m") % {"amount": units.number(value)}


def _kilowatt_hours(value: Value) -> str:
    return gettext("%(amount)s kWh") % {"amount": units.number(units.estimated(float(value or 0)))}


FORMATS: dict[str, Formatter] = {
    "gib": _gib,
    "ms": _ms,
    "hours": _hours,
    "count": _count,
    "rate": _rate,
    "watts": units.power,
    "units": units.rack_units,
    "celsius": units.celsius,
    "mm": units.millimetres,
    "number": _number,
    "precision": _precision,
    "name": _plain,
    "gb": _gigabytes,
    "amount": _amount,
    "percent": _percent,
    "share": _share,
    "minutes": _seconds,
    "metres": _metres,
    "kwh": _kilowatt_hours,
}

# code: (sentence, how each of its figures is written)
Sentence = tuple[Any, dict[str, str]]

# The figure whose number the words of a sentence agree with.
COUNTED = {
    "first_sure": "others",
    "first_cards": "gpus",
    "first_level": "others",
    "memory_serving": "requests",
    "memory_training": "gpus",
    "memory_to_train": "gpus",
    "training_hours_over": "servers",
    "training_hours_over_free": "servers",
    "two_roles": "gpus",
    "service_pauses": "gpus",
    "first_token": "requests",
    "capacity": "capacity",
    "capacity_one_lost": "capacity",
    "rate_speech": "high",
    "size": "gpus",
    "size_units": "gpus",
    "size_watts": "gpus",
    "size_gpus": "gpus",
    "idle": "gpus",
    "training_cards": "gpus",
    "pipeline": "stages",
    "pipeline_training": "stages",
    "network_unknown": "servers",
    "condition_sockets": "sockets",
    "spare": "servers",
    "piled": "servers",
    "loss_slower": "servers",
    "index_here": "copies",
    "index_apart": "copies",
    "checkpoint_files": "kept",
    "storage_bays": "bays",
    "supplies": "left",
    "supplies_if": "left",
}
# Figures that were asked for stay as they were given; all others of these units are estimates.
CAPACITY = "capacity"
GIVEN = frozenset({"target", "usual", "need"})
ESTIMATED = frozenset({"ms", "hours", "rate"})


def written(code: str, sentence: Sentence, item: Message, names: Mapping[str, str]) -> str:
    text, formats = sentence
    params = dict(item.params)
    values: dict[str, Any] = {}
    for name, kind in formats.items():
        value = params.get(name)
        if name == CAPACITY and value is not None:
            needed = params.get("requests")
            value = units.no_more_than(float(value), None if needed is None else float(needed))
        if kind in ESTIMATED and name not in GIVEN and value is not None:
            per_unit = 3600 if kind == "hours" else 1  # rounded as it is shown
            value = units.estimated(float(value) / per_unit) * per_unit
        values[name] = names.get(str(value), str(value)) if kind == "name" else FORMATS[kind](value)
    if code in COUNTED:
        values["count"] = int(float(params.get(COUNTED[code]) or 0))
        return str(text % values)
    return str(text) % values if values else str(text)
