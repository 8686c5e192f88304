"""Criteria that the reader made a rule: where on its fixed scale each has to stand at least.

`throughput` and `latency` become time limits before any size is chosen (the usual times where none was
given), `availability` a server in reserve; `concurrency` is a rule in any case. The others are held here. Too
much of something never breaks a rule: only the side on which a scale rises counts.
"""

from recommender.sizing.configurations import Config
from recommender.sizing.demand import Case, Message, message
from recommender.sizing.scores import footprint_points, memory_ratio, room_to_grow, running_cost_points
from recommender.sizing.specs import Range

# Our judgement: a fifth of the memory stays free, twice the load still fits, half of the points are reached.
LEAST_MEMORY_RATIO = 1.2
LEAST_GROWTH = 2.0
LEAST_POINTS = 50.0


def broken_musts(case: Case, config: Config) -> tuple[list[Message], list[str]]:
    """Return the musts that a configuration does not keep, and the unpublished facts that they would need."""
    broken: list[Message] = []
    facts: list[str] = []
    held, watts = config.memory, config.power_w
    if "headroom" in case.must:
        ratio = held.available.low / max(held.total.typical, 1.0)
        if case.kind == "tokens":
            ratio = memory_ratio(case, config)
        if not config.strict:
            ratio *= held.available.high / held.available.low
            ratio *= held.total.typical / max(held.total.low, 1.0)
        if ratio < LEAST_MEMORY_RATIO:
            broken.append(message("memory", figure="headroom", need=LEAST_MEMORY_RATIO - 1, have=ratio - 1))
    if "growth" in case.must:
        room = room_to_grow(case, config, favourable=not config.strict)
        if room is None:
            facts.append("speed")
        elif room < LEAST_GROWTH:
            broken.append(message("throughput", figure="growth", need=LEAST_GROWTH, have=room))
    if "footprint" in case.must:
        if config.rack_units is None:
            facts.append("rack_units")
        have = footprint_points(case, config)
        if have < LEAST_POINTS:
            broken.append(message("rack_units", figure="footprint", need=LEAST_POINTS, have=have))
    if "running_cost" in case.must and case.around.energy_price is not None:
        if watts is None:
            facts.append("power")
        else:
            cost = running_cost_points(case, Range.exact(watts.high if config.strict else watts.low))
            if cost is not None and cost < LEAST_POINTS:
                broken.append(message("power", figure="running_cost", need=LEAST_POINTS, have=cost))
    return broken, facts
