"""Where a match's power goes, and what it means for room and meter, with the arithmetic of each figure."""

from django.utils.translation import gettext_lazy as _, pgettext, pgettext_lazy

from catalog.templatetags.units import (
    W_PER_KW,
    estimated,
    format_number,
    is_in_kilowatts,
    places,
    quantity,
)
from recommender import adapters
from recommender.sizing.energy import energy_of, heat_of, power_at_load_w, running_cost_of
from recommender.sizing.power import draw_of, power_per_rack_unit_w
from recommender.sizing.specs import Range

PARTS = {
    "cards": _("Cards"),
    "processors": _("Processors"),
    "memory": _("Memory modules"),
    "board": _("Drives, network cards, management"),
    "switches": _("Switches between the modules"),
    "fans": _("Fans and pumps"),
    "losses": _("Lost in the power supplies"),
}
NAMES = {
    "power": pgettext_lazy("formula", "power in W"),
    "hours": pgettext_lazy("formula", "hours of the month"),
    "power_at_peak": pgettext_lazy("formula", "power at the peak in W"),
    "hours_at_peak": pgettext_lazy("formula", "hours at the peak"),
    "power_normally": pgettext_lazy("formula", "power at the normal load in W"),
    "hours_normally": pgettext_lazy("formula", "other hours"),
    "energy": pgettext_lazy("formula", "energy in kWh"),
    "energy_price": pgettext_lazy("formula", "your tariff per kWh"),
}
SIGNS = {"*": "×", "/": "÷", "+": "+", "-": "−", "(": "(", ")": ")"}
PERCENT = "%"
# What the draw of the cards rests on; that of the other parts is our own (see `sizing.power_constants`).
SOURCES = [
    (
        "ML.ENERGY v3.0, vLLM Semantic Router",
        "https://vllm-semantic-router.com/docs/fleet-sim/power-model",
    ),
    ("Newkirk et al., 2025, arXiv:2506.14551", "https://arxiv.org/abs/2506.14551"),
    ("Latif et al., 2024, arXiv:2412.08602", "https://arxiv.org/abs/2412.08602"),
    ("Ma et al., 2026, arXiv:2605.11999", "https://arxiv.org/abs/2605.11999"),
]


def power_details(match, price=None, load_share=None):
    """Return the draw of a match's servers part by part, its energy, heat and cost; None: power is not known.

    Args:
        match: {"server", "variant", "gpu"} rows, "gpus_per_server", "servers", "rack_units", and
            "memory_gib_per_gpu" where it trains.
        price: The reader's own tariff per kWh, an `Interval` or number; None: no money is named.
        load_share: The normal load over the load at the peak; None: not known.
    """
    node = _node_of(match)
    draw = node and draw_of(node, match["gpus_per_server"], _work_of(match))
    if draw is None:
        return None
    servers = match["servers"]
    full = draw.total.scaled(servers)
    energy = energy_of(full, peak_hours=0.0)
    figures = [
        _figure(_("Energy of a month at the peak load"), energy, pgettext("unit", "kWh")),
        _figure(_("Heat for the room to take away"), heat_of(full), pgettext("unit", "BTU/h")),
    ]
    spent = energy
    idle = draw_of(node, match["gpus_per_server"], "idle")
    if load_share is not None and idle is not None and load_share < 1:
        normal = power_at_load_w(idle.total.scaled(servers), full, load_share)
        spent = energy_of(normal, peak_hours=0.0)
        figures.insert(1, _figure(_("Energy of a month at your normal load"), spent, pgettext("unit", "kWh")))
    cost = running_cost_of(spent.amount, _tariff(price))
    if cost is not None:
        label = (
            _("Cost of a month at the peak load, in the currency of your tariff")
            if spent is energy
            else _("Cost of a month at your normal load, in the currency of your tariff")
        )
        figures.append(_figure(label, cost, ""))
    return {
        "parts": [{"label": PARTS[part.code], "text": _power(part.watts)} for part in draw.parts],
        "total": _power(draw.total),
        "servers": servers,
        "each_unit": _each_unit(full, match["rack_units"]),
        "figures": figures,
        "sources": [{"text": text, "url": url} for text, url in SOURCES],
    }


def details_of_answers(match, given):
    """Return the same with the tariff and the normal load of the reader's answers.

    Args:
        given: `answers.Answers`.
    """
    peak, normal = given.interval("concurrency"), given.interval("normal_concurrency")
    share = float((normal.low + normal.high) / (peak.low + peak.high)) if peak and normal else None
    return power_details(match, given.interval("energy_price"), share)


def _work_of(match):
    """Return what the cards do: they train all the time where the memory shown is that of training."""
    lines = match.get("memory_gib_per_gpu") or {}
    return "training" if lines.get("gradients") is not None else "any"


def _node_of(match):
    variant = match["variant"].slug if match["variant"] else None
    found = [
        node
        for machine in adapters.load_specs().machines
        for node in machine.nodes
        if node.server == match["server"].slug
        and node.gpu.slug == match["gpu"].slug
        and variant in (None, node.variant)
    ]
    takes = [node for node in found if match["gpus_per_server"] in node.counts]
    return next(iter(takes or found), None)


def _tariff(price):
    """Return a tariff as a range; a plain number is one, too."""
    if price is None or isinstance(price, int | float):
        return price
    low, high = float(price.low), float(price.high)
    return Range(low, (low + high) / 2, high)


def _each_unit(full, rack_units):
    found = power_per_rack_unit_w(full, rack_units)
    return found and _power(found)


def _figure(label, reckoned, unit):
    return reckoned_figure(label, reckoned, unit, NAMES)


def reckoned_figure(label, reckoned, unit, names):
    """Return a figure with its range and its arithmetic in words and numbers, as texts.

    Args:
        reckoned: `energy.Reckoned`.
        unit: What follows its number; "": nothing.
        names: What the values of its formula are called.
    """
    formula = reckoned.formula
    words = {value.name: str(names[value.name]) for value in formula.values}
    numbers = {value.name: plain(value.amount.typical) for value in formula.values}
    result = with_ends(reckoned.amount, unit)
    lines = (_written(formula, words), f"= {_written(formula, numbers)}", f"= {result['typical']}")
    return {"label": label, "text": result, "formula": "\n".join(lines)}


def _written(formula, words):
    text = " ".join(words.get(token) or SIGNS.get(token) or plain(float(token)) for token in formula.tokens)
    return text.replace("( ", "(").replace(" )", ")")


def with_ends(value, unit):
    """Return typical, low and high as texts, to three digits; no ends where the value is exact."""
    low, typical, high = (estimated(end) for end in (value.low, value.typical, value.high))
    ends = f"{format_number(low, places(low))}–{format_number(high, places(high))}"
    return {"typical": _with_unit(typical, unit), "ends": ends if low != high else ""}


def _with_unit(value, unit):
    if unit == PERCENT:
        return pgettext("unit", "%(number)s%%") % {"number": format_number(value, places(value))}
    return quantity(value, unit, places(value)) if unit else format_number(value, places(value))


def plain(value):
    return format_number(value, 0 if abs(value) >= 1000 else 3)


def _power(value):
    """Return power with its ends, all in the unit of the typical value."""
    if is_in_kilowatts(value.typical):
        return with_ends(value.scaled(1 / W_PER_KW), pgettext("unit", "kW"))
    return with_ends(value, pgettext("unit", "W"))
