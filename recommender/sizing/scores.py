"""What a configuration is worth, on fixed scales: no score depends on which other servers are there.

Scales, weights and deductions are our judgement unless a source is named; they live in `_SCALES`, `_WEIGHTS`
and `_deductions` alone.
"""

from functools import lru_cache
from itertools import pairwise
from math import ceil, log2

from recommender.sizing.configurations import Config, has_fast_link
from recommender.sizing.demand import Case, Machine, Priority
from recommender.sizing.energy import energy_of, running_cost_score
from recommender.sizing.rules import made_for_edge
from recommender.sizing.serving_sizes import capacity_of, gpus_beside_service
from recommender.sizing.specs import GIB, GPUSpec, Range

TIE_POINTS = 2.0  # scores nearer than this are not told apart: estimates are no better
CRITERIA = (
    "throughput",
    "latency",
    "concurrency",
    "availability",
    "running_cost",
    "headroom",
    "footprint",
    "growth",
)
MODULES = ("sxm", "oam")  # sold as boards of four or eight
MARKET_PLACES = {"current": 0, "previous": 1, "legacy": 2}


def is_newest(gpu: GPUSpec) -> bool:
    """Tell whether a card is of its maker's newest generation: our judgement, as the market states are."""
    return gpu.architecture.lower().startswith(("blackwell", "cdna 4"))


# Each scale maps a ratio to points, straight between the given places (of the ratio's logarithm).
_SCALES: dict[str, tuple[tuple[float, float], ...]] = {
    # target / time: just kept is good enough, twice as fast is better, more is hardly noticed
    "time": ((0.25, 0), (0.5, 25), (1.0, 70), (2.0, 92), (4.0, 100)),
    # what can be carried / what is asked: some room is right, far too much is a machine too large
    "capacity": ((1.0, 70), (1.3, 95), (2.0, 100), (8.0, 95), (64.0, 70), (512.0, 40)),
    # GPU memory there / GPU memory needed
    "memory": ((1.0, 0), (1.2, 95), (1.6, 100), (2.5, 75), (4.0, 50), (8.0, 25), (24.0, 0)),
    # GiB on each card, for work that fills cards with computing: what it cannot use is paid for nothing
    "card memory": ((24, 100), (48, 92), (80, 60), (141, 30), (288, 0)),
    "cards": ((1, 100), (2, 84), (4, 62), (8, 42), (16, 20), (64, 0)),
    "units": ((1, 100), (2, 94), (4, 82), (8, 58), (16, 34), (42, 0)),
    "watts": ((300, 100), (1000, 90), (2000, 76), (5000, 54), (10_000, 34), (20_000, 14), (50_000, 0)),
    "growth": ((1.0, 20), (2.0, 65), (4.0, 90), (8.0, 100)),
}
_WEIGHTS: dict[str, dict[str, float]] = {
    "balanced": {
        "throughput": 1,
        "latency": 1.5,
        "concurrency": 1,
        "availability": 0.5,
        "headroom": 2,
        "footprint": 3,
        "growth": 0.5,
        "running_cost": 1,
    },
    "performance": {
        "throughput": 5,
        "latency": 4,
        "concurrency": 1,
        "availability": 0.5,
        "headroom": 1,
        "footprint": 0.5,
        "growth": 0.5,
        "running_cost": 0.25,
    },
    "footprint": {
        "throughput": 0.5,
        "latency": 0.5,
        "concurrency": 0.5,
        "availability": 0.5,
        "headroom": 1,
        "footprint": 8,
        "growth": 0.25,
        "running_cost": 0.5,
    },
    "power": {
        "throughput": 0.5,
        "latency": 0.5,
        "concurrency": 0.5,
        "availability": 0.5,
        "headroom": 1,
        "footprint": 8,
        "growth": 0.25,
        "running_cost": 4,
    },
    "growth": {
        "throughput": 1,
        "latency": 1,
        "concurrency": 2,
        "availability": 0.5,
        "headroom": 1,
        "footprint": 1.5,
        "growth": 6,
        "running_cost": 0.25,
    },
}
# Parts of the footprint: cards, rack units, watts.
_FOOTPRINT = {
    "balanced": (2.0, 1.0, 1.0),
    "performance": (2.0, 1.0, 1.0),
    "footprint": (2.0, 2.0, 0.5),
    "power": (0.5, 0.25, 4.0),
    "growth": (2.0, 1.0, 1.0),
}


_LINES = {
    scale: tuple(
        (right, log2(left), log2(right) - log2(left), low, high - low)
        for (left, low), (right, high) in pairwise(places)
    )
    for scale, places in _SCALES.items()
}


def points(scale: str, ratio: float) -> float:
    """Return the points of a ratio on a fixed scale [0..100]."""
    places = _SCALES[scale]
    if ratio <= places[0][0]:
        return places[0][1]
    for right, start, width, low, rise in _LINES[scale]:
        if ratio <= right:
            return low + rise * ((log2(ratio) - start) / width)
    return places[-1][1]


def memory_ratio(case: Case, config: Config) -> float:
    """Return GPU memory there over GPU memory needed, copies for want of a smaller machine not needed."""
    held = config.memory
    available = held.available.low * config.gpus
    need = held.total.typical * config.layout.gpus_per_replica
    if config.trained is not None and not case.serves:
        return held.available.low / max(held.total.typical, 1.0)
    if case.kind == "tokens":
        cache = held.kv_cache.typical if held.kv_cache else 0.0
        fixed = (held.total.typical - cache) * config.layout.gpus_per_replica
        each = cache * config.layout.gpus_per_replica / max(config.requests, 1)
        need = fixed + each * config.corner.requests
        if case.n_plus_1:
            need *= config.servers / max(config.servers - 1, 1)
    return available / max(need, 1.0)


def criteria_of(case: Case, config: Config, machine: Machine) -> dict[str, float | None]:
    values: dict[str, float | None] = dict.fromkeys(CRITERIA)
    capacity = capacity_of(case, config)
    if config.served is not None:
        first = case.typical_ttft_s / config.served.ttft_s.typical
        each = case.typical_tpot_s / config.served.tpot_s.typical
        values["latency"] = points("time", min(first, each))
        values["throughput"] = points("time", each)
    if config.trained is not None and config.trained.seconds is not None and not case.serves:
        values["throughput"] = points("time", case.typical_target_s / config.trained.seconds.typical)
    elif config.trained is not None and config.trained.seconds is not None:
        # Serving all the time comes first, but a job that never ends is no help either.
        hours = points("time", case.typical_target_s / config.trained.seconds.typical)
        values["throughput"] = hours if values["throughput"] is None else min(values["throughput"], hours)
    if case.serves and case.kind != "tokens" and config.work is not None and config.corner.rate:
        values["throughput"] = points("capacity", config.work.typical / config.corner.rate)
    if capacity is not None:
        values["concurrency"] = points("capacity", capacity / config.corner.requests)
    if case.n_plus_1:
        values["availability"] = 100.0
    if case.kind == "tokens":
        values["headroom"] = points("memory", memory_ratio(case, config))
    else:  # these models are small
        values["headroom"] = points("card memory", config.node.gpu.memory_bytes.typical / GIB)
    values["footprint"] = footprint_points(case, config)
    most = max(
        (
            node.counts[-1]
            for node in machine.nodes
            if node.gpu.slug == config.node.gpu.slug and node.variant == config.node.variant
        ),
        default=config.count,
    )
    values["growth"] = points("growth", _room(case, config, most, capacity))
    if case.around.energy_price is not None and config.power_w is not None:
        values["running_cost"] = running_cost_points(case, config.power_w)
    return values


def running_cost_points(case: Case, power: Range) -> float | None:
    """Return the points of a month at load; None: no tariff was given."""
    price = case.around.energy_price
    energy = energy_of(power, peak_hours=0.0).amount
    return running_cost_score(energy, None if price is None else max(price))


def _room(case: Case, config: Config, most: int, capacity: int | None) -> float:
    """Return how many times the load fits once a server has all the cards that it takes."""
    room = most / config.count
    if capacity is not None and not config.facts:
        room *= max(capacity, 1) / config.corner.requests
    elif case.serves and config.work is not None and config.corner.rate:
        room *= config.work.typical / config.corner.rate
    return room


def room_to_grow(case: Case, config: Config, *, favourable: bool = False) -> float | None:
    """Return how many times the load fits with all cards that the server takes; None: its speed is unknown.

    Args:
        favourable: at the end of the estimates that speaks for it.
    """
    if {"cache", "speed"} & set(config.facts):
        return None
    capacity = capacity_of(case, config)
    if favourable and capacity is not None:
        working = config.servers - (1 if case.n_plus_1 else 0)
        capacity = max(capacity, config.limit * (config.layout.replicas // config.servers) * working)
    return _room(case, config, max(config.node.counts[-1], config.count), capacity)


def footprint_points(case: Case, config: Config) -> float:
    watts = None if config.power_w is None else config.power_w.typical
    return _footprint(case.priority, config.gpus, config.rack_units, watts)


@lru_cache(maxsize=4096)
def _footprint(priority: Priority, gpus: int, units: int | None, watts: float | None) -> float:
    weights = _FOOTPRINT[priority]
    parts: list[tuple[float, float]] = [(weights[0], points("cards", gpus))]
    if units is not None:
        parts.append((weights[1], points("units", units)))
    if watts is not None:
        parts.append((weights[2], points("watts", watts)))
    return sum(weight * value for weight, value in parts) / sum(weight for weight, _value in parts)


def _deductions(case: Case, config: Config) -> float:
    """Return what is taken off for what no scale shows [% of the score]."""
    node, layout = config.node, config.layout
    taken = {"current": 0.0, "previous": 7.0, "legacy": 25.0}[node.gpu.market_state]
    if node.gpu.market_state == "current" and not is_newest(node.gpu):
        # The generation before the newest is sold out first; eight-GPU boards are kept longest.
        taken += 12.0 if node.gpu.form in MODULES else 2.0
    taken += {"maker": 0.0, "benchmark": 0.0, "deployed": 3.0, "preset": 6.0, "derived": 6.0}[node.evidence]
    if not node.count_known:
        taken += 8.0
    if node.special_order:
        taken += TIE_POINTS + 0.5
    if case.site != "edge" and made_for_edge(node):
        taken += 12.0 if node.kind in ("edge", "tower") else 8.0
    if case.cooling is None and node.cooling == frozenset({"liquid"}):
        taken += 15.0
    if layout.tensor_parallel > 1 and not has_fast_link(config):
        taken += 4.0
    if layout.pipeline_parallel > 1 and case.serves:
        taken += 8.0
    if layout.gpus_per_replica > 4 and node.gpu.form not in MODULES and case.serves:
        taken += 6.0  # one model over many PCIe cards
    if layout.idle_gpus:
        taken += 3.0
    if layout.gpus_per_replica > 1 and case.serves:
        taken += 1.0
    extra = config.servers - (2 if case.n_plus_1 else 1)
    if extra > 0:
        taken += 5.0 * log2(1 + extra)
    if config.fallback:
        taken += 6.0
    if config.trained is not None and not case.serves:
        taken += 8.0 * lateness(case, config)
        joined = node.link_max_gpus if node.link not in ("pcie", "none") else 1
        if case.method in ("pretraining", "full") and config.count > joined:
            taken += 10.0
    if case.serves and case.trains and gpus_beside_service(case, config) < 1:
        taken += 15.0  # experiments stop the service
    return min(taken, 90.0)


def score(case: Case, config: Config, criteria: dict[str, float | None]) -> float:
    weights = _WEIGHTS[case.priority]
    if not case.serves:
        weights = weights | {"throughput": 3 * weights["throughput"]}
    known = [
        (weights[name], value) for name, value in criteria.items() if value is not None and name in weights
    ]
    total = sum(weight for weight, _value in known)
    score = sum(weight * value for weight, value in known) / total if total else 0.0
    return round(score * (1.0 - _deductions(case, config) / 100.0), 1)


def lateness(case: Case, config: Config, haste: float = 1.0) -> int:
    """Return by how many doublings the usual times, divided by `haste`, are missed; 0: kept."""
    worst = 1.0
    if config.served is not None:
        worst = haste * max(
            config.served.ttft_s.typical / case.typical_ttft_s,
            config.served.tpot_s.typical / case.typical_tpot_s,
        )
    if config.trained is not None and config.trained.seconds is not None:
        worst = max(worst, config.trained.seconds.typical / case.typical_target_s)
    return ceil(log2(worst) - 1e-9) if worst > 1.0 else 0
