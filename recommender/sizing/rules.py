"""Hard rules of the site: what they compare, and which unpublished facts they would need.

A limit that was not given never rules out. What a rule needs and nobody has published is named as a fact, so
that the match it belongs to stands behind all that need none.
"""

from functools import lru_cache
from math import ceil

from recommender.sizing import power
from recommender.sizing.demand import Bare, Case, Corner, Message, message
from recommender.sizing.power_constants import Work
from recommender.sizing.specs import NodeSpec, Range
from recommender.sizing.supplies import (
    HIGHEST_M,
    Redundancy,
    SupplyCheck,
    check_supplies,
    temperature_at_altitude_c,
)

COMFORTABLE_C = (18.0, 27.0)  # ASHRAE's recommended range for data centres (Thermal Guidelines, TC 9.9)
UNPUBLISHED_C = (10.0, 35.0)  # beyond it a server without a published range is ruled out


def site_rules(
    case: Case, node: NodeSpec | Bare, corner: Corner, strict: bool = False
) -> tuple[list[Message], list[str], list[Message]]:
    """Return the broken rules of the site, the unpublished facts that they needed, and soft warnings."""
    broken: list[Message] = []
    facts: list[str] = []
    soft: list[Message] = []
    if case.cpu_vendor and node.cpu_vendor != case.cpu_vendor:
        broken.append(message("cpu_vendor", need=case.cpu_vendor, have=node.cpu_vendor))
    if case.site == "edge" and not made_for_edge(node):
        broken.append(message("site"))
    if case.cooling == "air":
        if not node.cooling:
            facts.append("cooling")
        elif "air" not in node.cooling:
            broken.append(message("cooling"))
    if corner.depth_mm is not None:
        if node.depth_mm is None:
            facts.append("depth")
        elif node.depth_mm > corner.depth_mm:
            broken.append(message("depth", need=node.depth_mm, have=corner.depth_mm))
    _temperature_rules(node, corner, strict, broken, facts, soft)
    return broken, facts, soft


def _temperature_rules(
    node: NodeSpec | Bare,
    corner: Corner,
    strict: bool,
    broken: list[Message],
    facts: list[str],
    soft: list[Message],
) -> None:
    card_limit = node.option_ambient_max_c if isinstance(node, NodeSpec) else None
    warm, cold = corner.temperature_max_c, corner.temperature_min_c
    # A room given by one end only is at least as warm, or as cold, as that end.
    if warm is None and cold is not None and cold > UNPUBLISHED_C[1]:
        warm = cold
    elif cold is None and warm is not None and warm < UNPUBLISHED_C[0]:
        cold = warm
    highest, lowest = node.temperature_max_c, node.temperature_min_c
    if corner.altitude_m is not None:
        thin = temperature_at_altitude_c(highest or 0.0, corner.altitude_m)
        if thin is None:
            broken.append(message("temperature", figure="altitude", need=corner.altitude_m, have=HIGHEST_M))
            return
        if highest is not None:
            known = node.ashrae_class if isinstance(node, NodeSpec) else ""
            lowered = temperature_at_altitude_c(highest, corner.altitude_m, known)
            assert lowered is not None
            highest = lowered.low if strict else lowered.high
    if warm is not None:
        if card_limit is not None and warm > card_limit:
            broken.append(message("temperature", need=warm, have=card_limit))
        elif highest is None:
            _unpublished_temperature(warm, broken, facts, soft)
        elif warm > highest:
            broken.append(message("temperature", need=warm, have=highest))
        elif node.temperature_conditional and warm > (node.temperature_sure_c or COMFORTABLE_C[1]):
            soft.append(message("temperature_conditional", limit=highest, sure=node.temperature_sure_c))
    if cold is not None:
        if lowest is not None:
            if cold < lowest:
                broken.append(message("temperature", need=cold, have=lowest))
        elif highest is None:
            _unpublished_temperature(cold, broken, facts, soft)
        elif cold < UNPUBLISHED_C[0]:
            broken.append(message("temperature", need=cold, have=None, end="min"))
        elif cold < COMFORTABLE_C[0]:
            facts.append("temperature_min")


def lowest_unpublished(node: NodeSpec, corner: Corner) -> bool:
    """Tell whether a usual room is held against a server of which only the highest temperature is known.

    That costs nothing: such rooms are warmer than any lower end that makers print.
    """
    cold = corner.temperature_min_c
    known = node.temperature_max_c is not None and node.temperature_min_c is None
    return known and cold is not None and COMFORTABLE_C[0] <= cold <= COMFORTABLE_C[1]


def _unpublished_temperature(
    value: float, broken: list[Message], facts: list[str], soft: list[Message]
) -> None:
    if not UNPUBLISHED_C[0] <= value <= UNPUBLISHED_C[1]:
        broken.append(message("temperature", need=value, have=None))
    elif COMFORTABLE_C[0] <= value <= COMFORTABLE_C[1]:
        if not any(item.code == "temperature_unpublished" for item in soft):
            soft.append(message("temperature_unpublished"))
    elif "temperature" not in facts:
        facts.append("temperature")


@lru_cache(maxsize=4096)
def _supplies(node: NodeSpec, count: int, redundancy: Redundancy | None, feed_v: float | None) -> SupplyCheck:
    drawn = power.draw_of(node, count)
    return check_supplies(
        node, None if drawn is None else drawn.delivered, redundancy=redundancy, feed_v=feed_v
    )


def supplies_of(case: Case, node: NodeSpec, count: int) -> SupplyCheck | None:
    """Return what the power supplies of one server do at the feed that was given; None: nothing was said."""
    around = case.around
    if around.feed_v is None and around.psu_redundancy is None:
        return None
    return _supplies(node, count, around.psu_redundancy, around.feed_v)


def supply_rules(case: Case, node: NodeSpec, count: int, strict: bool) -> tuple[list[Message], list[str]]:
    """Return whether the power supplies break a rule, and the unpublished fact that would tell."""
    found = supplies_of(case, node, count)
    if found is None or found.verdict == "fits":
        return [], []
    if found.verdict == "unknown":
        return [], ["supplies"]
    if found.verdict == "fits_if" and not strict:
        return [], []
    have = found.delivered_w[0] if found.delivered_w else None
    return [message("power", figure="supplies", need=found.load_w, have=have, left=found.left)], []


def size_rules(corner: Corner, units: int | None, watts: Range | None) -> tuple[list[Message], list[str]]:
    broken: list[Message] = []
    facts: list[str] = []
    if corner.rack_units is not None:
        if units is None:
            facts.append("rack_units")
        elif units > corner.rack_units:
            broken.append(message("rack_units", need=units, have=corner.rack_units))
    if corner.power_w is not None:
        if watts is None:
            facts.append("power")
        elif watts.high > corner.power_w:
            broken.append(message("power", need=watts.high, have=corner.power_w))
    return broken, facts


def most_servers(corner: Corner, node: NodeSpec, count: int, most: int) -> int:
    """Return how many such servers the space and the power that were given hold at most, up to `most`."""
    work = work_of(corner)

    def holds(servers: int) -> bool:
        watts = power_of(node, count, servers, work)
        return not size_rules(corner, rack_units_of(node, servers), watts)[0]

    return next((servers for servers in range(most, 0, -1) if holds(servers)), 0)


def made_for_edge(node: NodeSpec | Bare) -> bool:
    return node.kind in ("edge", "tower") or "edge" in node.workloads


def rack_units_of(node: NodeSpec | Bare, servers: int) -> int | None:
    """Return the height of so many servers; trays take whole enclosures [U]."""
    if node.kind == "tray":
        if not node.enclosure_rack_units or not node.enclosure_trays:
            return None
        return ceil(servers / node.enclosure_trays) * node.enclosure_rack_units
    return None if node.rack_units is None else node.rack_units * servers


@lru_cache(maxsize=4096)
def _power_of_one(node: NodeSpec, count: int, work: Work) -> Range | None:
    return power.server_power_w(node, count, work)


def power_of(node: NodeSpec, count: int, servers: int, work: Work = "any") -> Range | None:
    one = _power_of_one(node, count, work)
    return None if one is None else one.scaled(servers)


def work_of(corner: Corner) -> Work:
    """Return what the cards do: they train all the time only where nothing is served."""
    return "training" if corner.model is None and corner.trained is not None else "any"
