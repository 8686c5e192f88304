"""What a match carries of a language model's service, and how long requests wait, with the arithmetic."""

from math import sqrt

from django.utils.translation import gettext, gettext_lazy as _, pgettext, pgettext_lazy

from recommender.accuracy_texts import percent
from recommender.answers import parse_interval
from recommender.case_defaults import DEFAULTS
from recommender.power_page import PERCENT, plain, reckoned_figure, with_ends
from recommender.sizing import speed_constants
from recommender.sizing.energy import Reckoned
from recommender.sizing.formulas import Formula, Value
from recommender.sizing.service_loads import PeoplePattern, served_load, turn_of
from recommender.sizing.specs import Range

NAMES = {
    "first": pgettext_lazy("formula", "time to the first token in ms"),
    "each": pgettext_lazy("formula", "time of each token in ms"),
    "tokens": pgettext_lazy("formula", "tokens of an answer"),
    "slots": pgettext_lazy("formula", "places"),
    "turn": pgettext_lazy("formula", "seconds of a whole answer"),
    "rate": pgettext_lazy("formula", "requests a second"),
    "requests": pgettext_lazy("formula", "requests at the peak"),
    "active": pgettext_lazy("formula", "active share of the people"),
    "each_minute": pgettext_lazy("formula", "requests of one a minute"),
    "peak": pgettext_lazy("formula", "factor of the peak"),
}
# How people ask, in the answers: the unfavourable end counts.
PATTERN = ("active_percent", "requests_per_user_minute", "peak_factor")
QUEUE = "https://doi.org/10.1007/BF02532776"  # Sakasegawa, 1977


def load_details(match, result, page):
    """Return what a match carries, each figure with its range and formula; None: it serves no text.

    Args:
        match: A match of `page`.
        result: What `page` was made from, `services.Result`.
        page: `services.page`.
    """
    config = next(
        found.config
        for found in result.ranking.matches
        if found.config.name == (match["server"].slug, match["gpu"].slug)
    )
    pattern, assumed = _pattern(page)
    load = served_load(result.case, config, pattern)
    if load is None:
        return None
    tokens = float(config.corner.output_tokens)
    slots = load.normal.slots // load.normal.servers
    turn = turn_of(load.full, tokens)
    figures = [
        _answer(_("A whole answer, alone in its copy of the model"), load.unloaded, tokens),
        _answer(_("A whole answer at the load you stated"), load.loaded, tokens),
        _answer(_("A whole answer with all places taken"), load.full, tokens),
        _figure(
            _("Requests per second that each server finishes"),
            load.requests_per_s_per_server,
            "slots / turn",
            {"slots": float(slots), "turn": turn},
            pgettext("unit", "requests/s"),
        ),
        _figure(
            _("Output of each server"),
            load.tokens_per_s_per_server,
            "rate * tokens",
            {"rate": load.requests_per_s_per_server, "tokens": tokens},
            pgettext("unit", "tokens/s"),
        ),
    ]
    if load.people_per_server is not None:
        values = {
            "rate": load.requests_per_s_per_server,
            "active": pattern.active_percent / 100,
            "each_minute": pattern.requests_per_minute,
            "peak": pattern.peak_factor,
        }
        people = _figure(
            _("People that each server is enough for with all places taken"),
            load.people_per_server,
            "rate * 60 / (active * each_minute * peak)",
            values,
            "",
        )
        figures.append(people | {"assumed": assumed})
    figures += _queue(_("At the peak"), load.normal, load, turn)
    if load.one_lost is not None:
        figures += _queue(_("With one server lost"), load.one_lost, load, turn)
    return {
        "figures": figures,
        "stops": load.one_lost is None,
        "random": load.random_arrivals,
        "assumptions": _assumptions(config.corner),
        "source": QUEUE,
    }


def _assumptions(corner):
    """Return what the times take for granted of a draft model and of a shared start, as sentences."""
    texts = []
    if corner.draft is not None:
        texts.append(
            gettext(
                "The draft model proposes %(tokens)s tokens at a time; we assume that %(low)s to %(high)s of "
                "them are taken."
            )
            % {
                "tokens": speed_constants.DRAFT_TOKENS,
                "low": percent(speed_constants.DRAFT_ACCEPTANCE.low),
                "high": percent(speed_constants.DRAFT_ACCEPTANCE.high),
            }
        )
    if corner.prefix_percent:
        texts.append(
            gettext(
                "We assume that the cache still holds %(low)s to %(high)s of the shared start of a prompt."
            )
            % {
                "low": percent(speed_constants.PREFIX_HIT.low),
                "high": percent(speed_constants.PREFIX_HIT.high),
            }
        )
    return texts


def _pattern(page):
    """Return how people ask, and how much of it nobody said."""
    said = {item["key"]: item for item in page["assumptions"] if item["key"] in PATTERN}
    texts = [said[key]["code"] if key in said else DEFAULTS[key] for key in PATTERN]
    known = sum(key in said and said[key]["origin"] in ("given", "hypothesis") for key in PATTERN)
    return PeoplePattern(*(float(parse_interval(text).high) for text in texts)), len(PATTERN) - known


def _answer(label, served, tokens):
    first, each = served.ttft_s.scaled(1000), served.tpot_s.scaled(1000)
    values = {"first": first, "tokens": tokens, "each": each}
    expression = "(first + tokens * each) / 1000"
    return _figure(label, turn_of(served, tokens), expression, values, pgettext("unit", "s"))


def _figure(label, amount, expression, values, unit):
    named = tuple(
        Value(name, value if isinstance(value, Range) else Range.exact(value), "")
        for name, value in values.items()
    )
    return reckoned_figure(label, Reckoned(amount, Formula(expression, named, ())), unit, NAMES)


def _queue(when, carried, load, turn):
    """Return how busy the places are and how long requests wait for one, at the unfavourable end."""
    busy, slots, slow = carried.utilization, float(carried.slots), Range.exact(turn.high)
    share = Range.exact(100 * busy)
    if load.random_arrivals:
        values = {"rate": load.arrivals_per_s, "turn": slow, "slots": slots}
        used = _figure(_("places taken"), share, "rate * turn / slots", values, PERCENT)
    else:
        values = {"requests": load.requests, "slots": slots}
        used = _figure(_("places taken"), share, "requests / slots", values, PERCENT)
    waits = [used]
    if carried.wait is None:
        text = gettext("without end: more requests come than are finished")
        waits.append({"label": _("wait for a place"), "text": {"typical": text, "ends": ""}, "formula": ""})
    else:
        arithmetic = _wait_formula(carried, load, turn.high)
        for name, seconds in (
            (_("wait for a place, on average"), carried.wait.mean_s),
            (_("wait for a place of all but one in twenty"), carried.wait.p95_s),
        ):
            text = with_ends(Range.exact(seconds), pgettext("unit", "s"))
            waits.append({"label": name, "text": text, "formula": arithmetic})
            arithmetic = ""
    return [
        figure | {"label": gettext("%(when)s: %(what)s") % {"when": when, "what": figure["label"]}}
        for figure in waits
    ]


def _wait_formula(carried, load, slow):
    """Return the arithmetic of the mean wait, in words and in numbers."""
    busy, slots = carried.utilization, carried.slots
    names = {name: str(NAMES[name]) for name in ("slots", "turn", "requests")}
    if load.random_arrivals:
        share = gettext("share of places taken")
        words = (
            f"{share} ^ (√(2 × ({names['slots']} + 1)) − 1)"
            f" × {names['turn']} ÷ ({names['slots']} × (1 − {share}))"
        )
        power = plain(sqrt(2 * (slots + 1)) - 1)
        numbers = f"{plain(busy)} ^ {power} × {plain(slow)} ÷ ({plain(slots)} × (1 − {plain(busy)}))"
        return f"{words}\n= {numbers}"
    if load.requests <= slots:
        return f"{names['requests']} ≤ {names['slots']}\n{plain(load.requests)} ≤ {plain(slots)}"
    words = f"({names['requests']} − {names['slots']}) ÷ {names['slots']} × {names['turn']}"
    numbers = f"({plain(load.requests)} − {plain(slots)}) ÷ {plain(slots)} × {plain(slow)}"
    return gettext("The last of them:") + f" {words}\n= {numbers}"
