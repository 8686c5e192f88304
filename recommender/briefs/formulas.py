"""How derived quantities read: their names, and their arithmetic with the numbers and units of this brief."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext_lazy as _, ngettext, pgettext

from aiservers.numbers import Interval
from catalog.templatetags import units
from recommender.answers import KEYS, with_unit

SMALL_PLACES = 4  # of values below a tenth

# code: (name, arithmetic, unit of the value). Signs and numbers are the same in every language.
FORMULAS: dict[str, tuple[Any, str, str]] = {
    "active_people": (_("People active in the peak hour"), "{users} × {active_percent}", "people"),
    "normal_rate": (
        _("Requests per second, on average"),
        "{people} × {requests_per_user_minute} ÷ 60",
        "rate",
    ),
    "peak_rate": (_("Requests per second, at the peak"), "{rate} × {peak_factor}", "rate"),
    "request_time": (
        _("Time that a request takes, at the targets"),
        "{ttft_ms} + {output_tokens} × {tpot_ms}",
        "seconds",
    ),
    "in_flight": (_("Requests in flight (Little’s law)"), "{rate} × {duration}", "requests"),
    "rate_of_concurrency": (
        _("Requests per second, at the peak"),
        "{concurrency} ÷ {duration}",
        "rate",
    ),
    "tokens_in": (_("Tokens read per second"), "{rate} × {input_tokens}", "tokens_per_second"),
    "tokens_out": (_("Tokens written per second"), "{rate} × {output_tokens}", "tokens_per_second"),
    "cached_tokens": (_("Tokens kept in the cache at once"), "{concurrency} × {length}", "tokens"),
    "growth_factor": (
        _("Load at the end of the horizon"),
        "(1 + {growth_percent} ÷ 100%) ^ {horizon_years}",
        "times",
    ),
    "cycle_tokens": (_("Tokens of one training cycle"), "{dataset_tokens} × {epochs}", "tokens"),
    "busy_hours": (
        _("Training hours per month, at the target"),
        "{experiments_per_month} × {target_hours}",
        "hours",
    ),
    "busy_share": (_("Part of the month that training takes"), "{hours} ÷ 730", "percent"),
    "checkpoint_storage": (
        _("Disk space for checkpoints"),
        "{checkpoints_kept} × {checkpoint_gb}",
        "gigabytes",
    ),
    "checkpoint_time": (_("Time to write a checkpoint"), "{checkpoint_gb} ÷ {storage_gbs}", "seconds"),
    "weights_of_a_copy": (_("Weights of one copy of the model"), "{weights_gib} × {gpus}", "gibibytes"),
    "cache_of_all": (_("Cache of all requests"), "{kv_cache_gib} × {gpus}", "gibibytes"),
    "cache_of_a_request": (_("Cache of one request"), "{cache_gib} ÷ {requests}", "gibibytes"),
    "memory_left": (_("Memory left on the busiest GPU"), "{available_gib} − {total_gib}", "gibibytes"),
    "gpus_at_work": (
        _("GPUs: those of a copy × copies + idle"),
        "{gpus_per_copy} × {copies} + {idle}",
        "gpus",
    ),
    "utilization": (_("Share of what the server carries"), "{requests} ÷ {capacity}", "percent"),
    "wait_none": (
        _("Wait at the peak: each of the stated requests has its place"),
        "{requests} ≤ {places}",
        "seconds",
    ),
    "wait_mean": (
        _("Wait for a place at the peak, on average"),
        "{busy} ^ (√(2 × ({places} + 1)) − 1) × {turn} ÷ ({places} × (100% − {busy}))",
        "seconds",
    ),
    "wait_factor": (
        _("The same before a single place, in service times"),
        "{utilization} ÷ (100% − {utilization})",
        "times",
    ),
    "with_a_spare": (_("Servers with one in reserve (N+1)"), "{servers} + 1", "servers"),
    "host_memory": (_("Memory of each server around its GPUs"), "{gpu_gib} × {host_factor}", "gibibytes"),
}


def _counted(amount: str, count: int, noun: str) -> str:
    """Return a number of people, requests, GPUs or servers with its noun."""
    texts = {
        "people": ngettext("%(amount)s person", "%(amount)s people", count),
        "requests": ngettext("%(amount)s request", "%(amount)s requests", count),
        "servers": ngettext("%(amount)s server", "%(amount)s servers", count),
        "gpus": ngettext("%(amount)s GPU", "%(amount)s GPUs", count),
        "tokens": ngettext("%(amount)s token", "%(amount)s tokens", count),
    }
    return texts[noun].replace(" ", "\N{NO-BREAK SPACE}") % {"amount": amount}


def _places(end: float) -> int:
    return units.places(end) if abs(end) >= 0.1 else SMALL_PLACES


def _written(pair: tuple[float, float]) -> str:
    low, high = (units.format_number(end, _places(end)) for end in pair)
    return low if low == high else f"{low}–{high}"


def _count_of(noun: str) -> Callable[[tuple[float, float]], str]:
    def write(pair: tuple[float, float]) -> str:
        high = round(pair[1], _places(pair[1]))  # the noun follows the figure as it is written
        return _counted(_written(pair), round(high) if high == round(high) else 2, noun)

    return write


def _with(name: str) -> Callable[[tuple[float, float]], str]:
    def write(pair: tuple[float, float]) -> str:
        unit = {
            "rate": pgettext("unit", "requests/s"),
            "seconds": pgettext("unit", "s"),
            "tokens_per_second": pgettext("unit", "tokens/s"),
            "hours": pgettext("unit", "h"),
            "gigabytes": pgettext("unit", "GB"),
            "gibibytes": pgettext("unit", "GiB"),
        }[name]
        return f"{_written(pair)}{units.NARROW_SPACE}{unit}"

    return write


def _percent(pair: tuple[float, float]) -> str:
    return pgettext("unit", "%(number)s%%") % {"number": _written(pair)}


WRITERS: dict[str, Callable[[tuple[float, float]], str]] = {
    "times": _written,
    "percent": _percent,
    **{noun: _count_of(noun) for noun in ("people", "requests", "servers", "gpus", "tokens")},
    **{
        name: _with(name)
        for name in ("rate", "seconds", "tokens_per_second", "hours", "gigabytes", "gibibytes")
    },
}
# The terms that are no answers, and how they are written; all others are written as answers are.
TERMS = {
    "people": "people",
    "rate": "rate",
    "duration": "seconds",
    "length": "tokens",
    "hours": "hours",
    "checkpoint_gb": "gigabytes",
    "weights_gib": "gibibytes",
    "kv_cache_gib": "gibibytes",
    "cache_gib": "gibibytes",
    "total_gib": "gibibytes",
    "available_gib": "gibibytes",
    "gpu_gib": "gibibytes",
    "host_factor": "times",
    "gpus": "gpus",
    "gpus_per_copy": "times",
    "copies": "times",
    "idle": "times",
    "requests": "requests",
    "capacity": "requests",
    "places": "times",
    "turn": "seconds",
    "busy": "percent",
    "utilization": "percent",
    "servers": "servers",
    "peak_factor": "times",
    "epochs": "times",
    "growth_percent": "percent",
    "checkpoints_kept": "times",
    "experiments_per_month": "times",
    "concurrency": "requests",
}


def derived_rows(items: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return name, value, unit and arithmetic of each derived quantity that this version knows."""
    rows = []
    for item in items:
        if item["code"] not in FORMULAS or None in item["value"]:
            continue
        name, formula, unit = FORMULAS[item["code"]]
        low, high = item["value"]
        terms = {key: _term(key, (pair[0], pair[1])) for key, pair in item["terms"].items()}
        rows.append(
            {
                "code": item["code"],
                "label": str(name),
                "value": WRITERS[unit]((low, high)),
                "low": low,
                "high": high,
                "unit": unit,
                "formula": formula.replace("100%", _percent((100, 100))).format(**terms),
            }
        )
    return rows


def _term(name: str, pair: tuple[float, float]) -> str:
    if name in TERMS:
        return WRITERS[TERMS[name]](pair)
    interval = Interval(Decimal(repr(pair[0])), Decimal(repr(pair[1])))
    return with_unit(KEYS[name], interval, _written(pair))
