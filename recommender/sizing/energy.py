"""Energy, heat and running cost of servers at work, each with its formula."""

from dataclasses import dataclass
from math import log

from recommender.sizing.formulas import Formula, Value
from recommender.sizing.specs import Range, SizingError

HOURS_PER_MONTH = 730.0  # 8,760 h a year over twelve
BTU_PER_H_PER_W = 3.412  # 1 W = 3.412 BTU/h
W_PER_KW = 1000.0
BARROSO = "https://research.google/pubs/power-provisioning-for-a-warehouse-sized-computer/"
UNIT_OF_HEAT = "https://www.nist.gov/pml/special-publication-811"
# Monthly energy that scores 100 and 0: a small edge box (0.1 kW all month) and sixteen eight-GPU servers.
BEST_KWH, WORST_KWH = 73.0, 117_000.0


@dataclass(frozen=True, slots=True)
class Reckoned:
    """A figure with its formula; the unit is the function's own."""

    amount: Range
    formula: Formula


def power_at_load_w(idle: Range, full: Range, share: float) -> Range:
    """Return the draw at a part of the full load [W].

    Between waiting and full load servers draw nearly in proportion to it (Fan, Weber, Barroso, 2007, "Power
    provisioning for a warehouse-sized computer").

    Args:
        idle: Draw while the cards wait [W].
        full: Draw at the peak [W].
        share: Load over the load at the peak, 0 to 1.

    Raises:
        SizingError: a share outside 0 to 1.
    """
    if not 0 <= share <= 1:
        raise SizingError(f"{share=}")
    ends = zip((idle.low, idle.typical, idle.high), (full.low, full.typical, full.high), strict=True)
    return Range(*(least + max(most - least, 0.0) * share for least, most in ends))


def energy_of(
    peak: Range,
    *,
    peak_hours: float,
    normal: Range | None = None,
    hours: float = HOURS_PER_MONTH,
) -> Reckoned:
    """Return the energy of a month [kWh].

    Args:
        peak: Draw at the peak load, all servers [W].
        peak_hours: Hours of the month at the peak [h].
        normal: Draw in all other hours [W]; None: as at the peak.
        hours: Hours of the month that the servers run [h].

    Raises:
        SizingError: hours below zero, or more at the peak than in all.
    """
    if not 0 <= peak_hours <= hours:
        raise SizingError(f"{peak_hours=} of {hours=}")
    other = normal or peak
    rest = hours - peak_hours
    amount = Range(
        *(
            (at_peak * peak_hours + at_rest * rest) / W_PER_KW
            for at_peak, at_rest in zip(
                (peak.low, peak.typical, peak.high), (other.low, other.typical, other.high), strict=True
            )
        )
    )
    if normal is None or not rest:
        steady = (Value("power", peak, "W"), Value("hours", Range.exact(hours), "h"))
        return Reckoned(amount, Formula("power * hours / 1000", steady, ()))
    expression = "(power_at_peak * hours_at_peak + power_normally * hours_normally) / 1000"
    values = (
        Value("power_at_peak", peak, "W"),
        Value("hours_at_peak", Range.exact(peak_hours), "h"),
        Value("power_normally", other, "W"),
        Value("hours_normally", Range.exact(rest), "h"),
    )
    return Reckoned(amount, Formula(expression, values, (BARROSO,)))


def heat_of(power: Range) -> Reckoned:
    """Return the heat that the room must take away [BTU/h]; all power becomes heat.

    Args:
        power: Draw of all servers [W].
    """
    values = (Value("power", power, "W"),)
    return Reckoned(
        power.scaled(BTU_PER_H_PER_W), Formula(f"power * {BTU_PER_H_PER_W}", values, (UNIT_OF_HEAT,))
    )


def running_cost_of(energy: Range, energy_price: float | Range | None) -> Reckoned | None:
    """Return what energy costs, in the currency of the reader's own tariff; None: no tariff was given.

    Args:
        energy: Of a month [kWh].
        energy_price: Per kWh, in a currency that only the reader knows.

    Raises:
        SizingError: a negative price.
    """
    if energy_price is None:
        return None
    price = energy_price if isinstance(energy_price, Range) else Range.exact(float(energy_price))
    if price.low < 0:
        raise SizingError(f"{energy_price=}")
    amount = Range(energy.low * price.low, energy.typical * price.typical, energy.high * price.high)
    values = (Value("energy", energy, "kWh"), Value("energy_price", price, "1/kWh"))
    return Reckoned(amount, Formula("energy * energy_price", values, ()))


def running_cost_score(energy: Range | None, energy_price: float | Range | None) -> float | None:
    """Return the criterion `running_cost`, 0 to 100; None: no tariff was given, or no energy is known.

    One tariff makes every server dearer alike, so that the scale is one of energy: fixed, logarithmic, the
    same whatever other servers are there and whatever the currency.

    Args:
        energy: Of a month [kWh].
        energy_price: Per kWh.
    """
    if energy is None or energy_price is None:
        return None
    used = max(energy.typical, 1e-9)
    return min(max(100 * log(WORST_KWH / used) / log(WORST_KWH / BEST_KWH), 0.0), 100.0)
