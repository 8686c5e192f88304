"""How people become simultaneous requests, as formulas with their numbers: shown, not worked out again.

The figures are those that the case was made from (`recommender.cases`).
"""

from django.utils.translation import gettext

from catalog.templatetags import units
from recommender import reasons
from recommender.answers import KEYS, parse_interval, with_unit
from recommender.questions import WHOLE_LOAD


def steps(form):
    """Return the steps from people to requests that run at once; none where nothing has to be worked out.

    Each step has a label, the expression, its result and how many of its figures nobody gave.
    """
    if form.resolved is None:
        return []
    items = {item.key: item for item in form.resolved.assumptions}
    rate, running = items.get("requests_per_second"), items.get("concurrency")
    found = []
    if rate is not None and rate.source == "from_users":
        found.append(_rate(items, rate))
    if running is not None and running.source == "from_rate":
        found.append(_running(items, rate, running))
    return found


def _rate(items, rate):
    parts = {name: _text(items[name]) for name in WHOLE_LOAD}
    return {
        "label": gettext("Requests per second at the peak"),
        "expression": gettext("%(users)s × %(active)s active × %(each)s × %(peak)s for the peak ÷ 60")
        % {
            "users": parts["users"],
            "active": parts["active_percent"],
            "each": parts["requests_per_user_minute"],
            "peak": _number(items["peak_factor"]),
        },
        "result": _text(rate),
        "assumed": _assumed(items, WHOLE_LOAD),
    }


def _running(items, rate, running):
    names = ("ttft_ms", "output_tokens", "tpot_ms")
    parts = {name: _text(items[name]) for name in names}
    return {
        "label": gettext("Requests running at the same time"),
        "expression": gettext("%(rate)s × (%(first)s to the first word + %(tokens)s × %(each)s)")
        % {
            "rate": _text(rate),
            "first": parts["ttft_ms"],
            "tokens": parts["output_tokens"],
            "each": parts["tpot_ms"],
        },
        "result": _text(running),
        "assumed": _assumed(items, names),
    }


def _assumed(items, names):
    """Return how many figures of a formula the reader did not give."""
    return sum(items[name].origin not in ("given", "hypothesis") for name in names)


def _number(item):
    """Return a figure as the reader's language writes it; a computed one to three digits."""
    interval = parse_interval(item.value)
    if item.source in reasons.COMPUTED:
        interval = [units.estimated(end) for end in interval]
    low, high = (units.format_number(end, 6) for end in interval)
    return low if low == high else f"{low}–{high}"


def _text(item):
    """Return a figure with its unit."""
    return with_unit(KEYS[item.key], parse_interval(item.value), _number(item))
