"""Power supplies against a load: what they deliver at a feed, and how many may fail."""

from dataclasses import dataclass
from typing import Literal

from recommender.sizing.specs import NodeSpec, Range, SizingError

Redundancy = Literal["none", "n_plus_1", "n_plus_n"]
Verdict = Literal["fits", "fits_if", "no", "unknown"]

USUAL_VOLTS = 230.0  # where the reader names no feed
LOW_LINE_V = (100.0, 127.0)  # AC of the Americas and Japan
HIGH_LINE_V = (200.0, 240.0)  # AC of everywhere, between phases there
# Lenovo's units by printed output [W]: what they deliver at low line, least and most. Titanium units of 750
# and 1100 W run on 230 V only, Platinum ones on both, and a list of sizes does not tell which (product guides
# of the AMD V3 servers); 1300 W give about 1000 W at 115 V (SR650 V4); 1800 W and more need 200 V; 140 W are
# external units of the SE100 for both. Of 800 W, V4, "some" run on 115 V.
LOW_LINE_W: dict[int, tuple[float, float]] = {
    140: (140.0, 140.0),
    500: (500.0, 500.0),
    750: (0.0, 750.0),
    800: (0.0, 800.0),
    1100: (0.0, 1100.0),
    1300: (1000.0, 1000.0),
}
HIGH_LINE_FROM_W = 1800
# The 3800 W units of the SR680 V4 need more than 249 V AC, or 260 V DC and more.
ABOVE_HIGH_LINE_W = 3800
ABOVE_HIGH_LINE_V = 249.0
# Cards go above their limit for moments (Patel et al., 2023, arXiv:2308.12908): no plan takes a supply to its
# last twentieth, our own judgement. The maker denies N+N to an SR680a V4 that would.
PLANNED_SHARE = 0.95


@dataclass(frozen=True, slots=True)
class SupplyCheck:
    """Whether the supplies of a server carry its load.

    Attributes:
        size_w: printed output of the smallest size that carries it, else of the one that gives most; None: no
            size is known, or none delivers anything at this feed.
        left: supplies that work when as many have failed as the redundancy covers.
        delivered_w: what those deliver, least and most [W].
        load_w: what the server takes from them at the high end [W].
        fact: what would have to be known: psu_count, psu_sizes, psu_class, feed or power; "": nothing.
    """

    verdict: Verdict
    size_w: int | None
    left: int | None
    delivered_w: tuple[float, float] | None
    load_w: float | None
    fact: str = ""


def supplies_left(count: int, redundancy: Redundancy) -> int:
    """Return how many of `count` supplies must carry the whole load.

    N+1: one may fail. N+N: one of two feeds may fail, and with it half of them.

    Raises:
        SizingError: a count below one.
    """
    if count < 1:
        raise SizingError(f"{count=} feeds nothing")
    return {"none": count, "n_plus_1": count - 1, "n_plus_n": count // 2}[redundancy]


def output_w(size_w: int, feed_v: float) -> tuple[float, float] | None:
    """Return what one supply delivers at a feed, least and most [W]; None: nobody says.

    Args:
        size_w: Its printed output [W].
        feed_v: Voltage of the feed, AC; from 260 V also DC [V].
    """
    if LOW_LINE_V[0] <= feed_v <= LOW_LINE_V[1]:
        return LOW_LINE_W.get(size_w, (0.0, 0.0) if size_w >= HIGH_LINE_FROM_W else (0.0, float(size_w)))
    if size_w >= ABOVE_HIGH_LINE_W:
        if feed_v > ABOVE_HIGH_LINE_V:
            return float(size_w), float(size_w)
        return (0.0, 0.0) if HIGH_LINE_V[0] <= feed_v else None
    if HIGH_LINE_V[0] <= feed_v <= HIGH_LINE_V[1]:
        return float(size_w), float(size_w)
    return None  # DC and unusual feeds: units of their own exist for some servers


def check_supplies(
    node: NodeSpec,
    delivered: Range | None,
    *,
    redundancy: Redundancy | None,
    feed_v: float | None,
) -> SupplyCheck:
    """Return whether the supplies of a server carry the load that is asked of them.

    "fits" and "no" hold for everything that is not published; "fits_if" needs the right units to be ordered.

    Args:
        delivered: What the server takes from its supplies, their own losses left out (`Draw.delivered`) [W];
            None: not known.
        redundancy: None: none.
        feed_v: Voltage of the feed; None: 230 V.
    """
    if delivered is None:
        return SupplyCheck("unknown", None, None, None, None, "power")
    load, planned = delivered.high, delivered.high / PLANNED_SHARE
    if node.psu_count is None:
        return SupplyCheck("unknown", None, None, None, load, "psu_count")
    left = supplies_left(node.psu_count, redundancy or "none")
    if left < 1:
        return SupplyCheck("no", None, left, None, load)
    smallest = node.option_min_psu_w or 0
    sizes = [size for size in node.psu_sizes_w if size >= smallest]
    if not sizes:
        return SupplyCheck("unknown", None, left, None, load, "psu_sizes")
    found = {size: output_w(size, feed_v or USUAL_VOLTS) for size in sizes}
    known = {size: (one[0] * left, one[1] * left) for size, one in found.items() if one is not None}
    if not known:
        return SupplyCheck("unknown", None, left, None, load, "feed")
    sure = next((size for size in sizes if known.get(size, (0.0,))[0] >= planned), None)
    if sure is not None:
        return SupplyCheck("fits", sure, left, known[sure], load)
    perhaps = next((size for size in sizes if known.get(size, (0.0, 0.0))[1] >= planned), None)
    if perhaps is not None:
        return SupplyCheck("fits_if", perhaps, left, known[perhaps], load, "psu_class")
    most = max(known, key=lambda size: known[size][1])
    if known[most][1] >= delivered.low and known[most][1] > 0:
        # Only the favourable end of the load holds, or the whole of it without a margin.
        return SupplyCheck("fits_if", most, left, known[most], load)
    if node.psu_sizes_partial or len(known) < len(sizes):
        return SupplyCheck("unknown", most, left, known[most], load, "psu_sizes")
    return SupplyCheck("no", most if known[most][1] else None, left, known[most], load)


# Lenovo's manuals, after ASHRAE TC 9.9: above 900 m the highest room temperature falls by 1 °C every so many
# metres; all classes end at 3,050 m.
SEA_LEVEL_M = 900.0
HIGHEST_M = 3050.0
METRES_PER_DEGREE = {"A1": 300.0, "A2": 300.0, "A3": 175.0, "A4": 125.0}


def temperature_at_altitude_c(limit_c: float, altitude_m: float, ashrae_class: str = "") -> Range | None:
    """Return the highest room temperature at an altitude [°C]; None: higher than the classes reach.

    Args:
        limit_c: Highest room temperature that is published for low places [°C].
        altitude_m: Of the site [m].
        ashrae_class: As published, "A2 ..."; without one any class between A2 and A4 may hold.
    """
    if altitude_m > HIGHEST_M:
        return None
    above = max(altitude_m - SEA_LEVEL_M, 0.0)
    metres = METRES_PER_DEGREE.get(ashrae_class[:2].upper())
    if metres is not None and len(ashrae_class.strip()) == len("A2"):
        return Range.exact(limit_c - above / metres)
    return Range(
        limit_c - above / METRES_PER_DEGREE["A4"],
        limit_c - above / METRES_PER_DEGREE["A3"],
        limit_c - above / METRES_PER_DEGREE["A2"],
    )
