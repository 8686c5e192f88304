"""Which servers do the work, in which order, and why the others do not: pure, without Django or languages.

Rules come before preferences. A configuration (a server with one GPU, a count, a layout and a number of
servers) is tried at the hard corner of the answers with the unfavourable ends of all estimates: it `fits`.
What only holds at the easy corner with the favourable ends `fits_if`; what does not hold even there is
rejected, with every broken rule. Facts that are not published put a match behind all that need none.

The order comes from criteria on fixed scales, so that one server's score never depends on which others
are there. Scales, weights and deductions below are our judgement unless a source is named; they live in
`_SCALES`, `_WEIGHTS` and `_deductions` alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from math import ceil, floor, log2
from typing import Literal

from recommender.sizing.configurations import Config, Failure, has_fast_link
from recommender.sizing.demand import Case, Corner, Machine, Message, message
from recommender.sizing.findings import over_unknown_network, reasons_of, warnings_of
from recommender.sizing.rules import made_for_edge, power_of, rack_units_of, site_rules, size_rules
from recommender.sizing.serving_sizes import capacity_of, gpus_beside_service, precision_of
from recommender.sizing.sizes import sizes_of
from recommender.sizing.specs import GIB, GPUSpec, NodeSpec, Precision

RULES_VERSION = "1"
MAX_REASONS = 6  # of one rejection
TIE_POINTS = 2.0  # scores nearer than this are not told apart: estimates are no better
SERVER_COSTS_CARDS = 2.2  # what another chassis weighs in cards when configurations are compared
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


@dataclass(frozen=True, slots=True)
class Match:
    config: Config
    state: Literal["fits", "fits_if"]
    firm: bool
    score: float
    criteria: tuple[tuple[str, float | None], ...]
    capacity: int | None  # max_concurrency
    reasons: tuple[Message, ...]
    warnings: tuple[Message, ...]
    pareto: bool = False
    tied: bool = False


@dataclass(frozen=True, slots=True)
class Rejection:
    server: str
    gpu: str | None
    reasons: tuple[Message, ...]
    nearest_fix: Message | None


@dataclass(frozen=True, slots=True)
class Ranking:
    matches: tuple[Match, ...]
    rejected: tuple[Rejection, ...]


def rank(case: Case, machines: Sequence[Machine]) -> Ranking:
    """Return every machine as matches, one for each of its GPUs, or as one rejection."""
    matches: list[Match] = []
    rejected: list[Rejection] = []
    for machine in machines:
        found, failures = _try_machine(case, machine)
        if found:
            matches += [_match(case, config, machine) for config in found]
        else:
            rejected.append(_rejection(machine, failures))
    ordered = list(_marked(sorted(matches, key=lambda match: _order(case, match))))
    if len(ordered) > 1:
        ordered[0] = replace(ordered[0], reasons=_leading_reasons(case, ordered))
    return Ranking(
        tuple(ordered),
        tuple(sorted(rejected, key=lambda item: item.server)),
    )


def _try_machine(case: Case, machine: Machine) -> tuple[list[Config], list[Failure]]:
    """Return the best configuration of each GPU, and all failures where there is none."""
    found: list[Config] = []
    failures: list[Failure] = []
    by_gpu: dict[str, list[NodeSpec]] = {}
    for node in machine.nodes:
        if node.gpu.serves_language_models:
            by_gpu.setdefault(node.gpu.slug, []).append(node)
    for slug in sorted(by_gpu):
        nodes = by_gpu[slug]
        precision: Precision | None = None
        fallback = False
        if case.serves:
            assert case.hard.model is not None
            possible = [node for node in nodes if not site_rules(case, node, case.easy)[0]]
            precision, fallback = precision_of(case, case.hard.model, possible or nodes)
        sure: list[Config] = []
        maybe: list[Config] = []
        for node in nodes:
            configs = _holds(case, node, case.hard, True, precision, fallback)[0]
            sure += configs
            if not configs or case.priority == "footprint":
                configs, failed = _holds(case, node, case.easy, False, precision, fallback)
                maybe += configs
                failures += failed
        if sure or maybe:
            found.append(_best(case, [*sure, *maybe], machine))
    if not found and not failures:
        broken = site_rules(case, machine.bare, case.easy)[0]
        failures = [Failure(None, (message("no_gpu"), *broken), 1.0 + len(broken))]
    return found, failures


def _best(case: Case, configs: Sequence[Config], machine: Machine) -> Config:
    """Return the configuration that stands for a server and GPU.

    How much hardware it takes follows from what was asked alone: fewest servers, then fewest cards. Usual
    times, which nobody has asked for, choose among layouts of that size; so a heavier load or another limit
    never comes with less hardware. Training without a target takes the cards of one server that it can use.
    """
    if case.priority == "footprint":
        return min(configs, key=lambda config: _choice(case, config))
    group = min(_group(config) for config in configs)
    same = [config for config in configs if _group(config) == group]
    fewest = min(_chassis(case, config) for config in same)
    same = [config for config in same if _chassis(case, config) == fewest]
    if case.priority == "performance" or (not case.serves and case.hard.target_s is None):
        haste = 2.0 if case.serves else 1.0
        in_time = [config for config in same if _lateness(case, config, haste) == 0]
        if not in_time or (case.priority == "performance" and not case.serves):
            fastest = min(same, key=lambda config: (_excess(config), _speed(case, config)))
            if case.serves:
                return fastest
            in_time = [config for config in same if config.gpus == fastest.gpus]
        same = in_time
    if not case.serves:
        return min(same, key=lambda config: _choice(case, config))
    least = min(_size(case, config) for config in same)
    same = [config for config in same if _size(case, config) == least]
    return min(
        same,
        key=lambda config: (
            config.layout.crosses_link and config.node.link not in ("pcie", "none"),  # beyond the bridge
            -_score(case, config, _criteria(case, config, machine)),
            _choice(case, config),
        ),
    )


def _size(case: Case, config: Config) -> tuple[float, float]:
    """Return how far a configuration is from what was asked, and what it takes: in cards, or in watts."""
    cost = _cost(case, config)
    if case.priority == "power":
        cost = config.power_w.typical if config.power_w else float("inf")
    return _excess(config), cost


def _chassis(case: Case, config: Config) -> int:
    """Return the servers that count when sizes are compared [count].

    With one in reserve, three smaller servers may carry what two large ones do: up to there the cards decide.
    """
    return max(config.servers, 3) if case.n_plus_1 else config.servers


def _cost(case: Case, config: Config) -> float:
    """Return what a configuration weighs, in cards."""
    # Two cards let experiments run beside a service: one of them alone saves nothing that counts.
    cards = max(config.gpus, 2) if case.serves and case.trains else config.gpus
    if case.n_plus_1:
        # Two servers of seven cards weigh as two of eight: else a load for three of four would take fewer.
        cards = max(cards, config.servers * 2 ** ceil(log2(config.count)))
    return cards + SERVER_COSTS_CARDS * config.servers


def _holds(
    case: Case, node: NodeSpec, corner: Corner, strict: bool, precision: Precision | None, fallback: bool
) -> tuple[list[Config], list[Failure]]:
    """Return the configurations of a node that hold at a corner, or why none does."""
    broken, facts, soft = site_rules(case, node, corner)
    if case.gpu_vendor and node.gpu.vendor != case.gpu_vendor:
        broken.append(message("gpu_vendor", need=case.gpu_vendor, have=node.gpu.vendor))
    if node.option_min_sockets and node.option_min_sockets > node.sockets_max:
        broken.append(message("no_gpu"))
    configs: list[Config] = []
    failures: list[Failure] = []
    for config in sizes_of(case, node, corner, strict, precision, fallback):
        if isinstance(config, Failure):
            least = 2 if case.n_plus_1 else 1
            over, _facts = size_rules(corner, rack_units_of(node, least), power_of(node, config.count, least))
            failures.append(replace(config, reasons=_all_reasons(config.reasons, [*broken, *over])))
            continue
        units = rack_units_of(node, config.servers)
        watts = power_of(node, config.count, config.servers)
        over, more_facts = size_rules(corner, units, watts)
        reasons = [*broken, *over]
        if reasons:
            miss = sum(_miss(item) for item in over) + len(broken)
            failures.append(Failure(node.gpu.slug, _all_reasons((), reasons), miss))
            continue
        if case.priority == "footprint" and units is None:
            more_facts.append("rack_units")
        if case.priority == "power" and watts is None:
            more_facts.append("power")
        known = list(dict.fromkeys([*facts, *more_facts, *config.facts]))
        if node.evidence == "derived":
            known.insert(0, "derived")
        configs.append(replace(config, rack_units=units, power_w=watts, facts=tuple(known), soft=tuple(soft)))
    return configs, failures


def _all_reasons(first: Iterable[Message], more: Iterable[Message]) -> tuple[Message, ...]:
    by_code = {item.code: item for item in (*first, *more)}
    return tuple(by_code[code] for code in by_code)[:MAX_REASONS]


def _miss(item: Message) -> float:
    """Return how far a rule was missed, as a share of what it allows."""
    params = dict(item.params)
    need, have = params.get("need"), params.get("have")
    if not isinstance(need, int | float) or not isinstance(have, int | float) or not have or not need:
        return 1.0
    return abs(float(need) / float(have) - 1.0) if need > have else abs(float(have) / float(need) - 1.0)


def _group(config: Config) -> tuple[int, int, bool]:
    """Return the place before any preference: unknown facts last, then what only holds if."""
    return (
        1 + len(config.facts) if config.facts else 0,
        0 if config.strict and not config.facts else 1,
        not config.orderable,
    )


def _choice(case: Case, config: Config) -> tuple[object, ...]:
    """Return the key by which one configuration of a server and GPU is preferred to another."""
    size: tuple[object, ...] = (*_group(config), *_size(case, config))
    if case.priority == "footprint":
        # The fewest GPUs, even if they only fit if: so a heavier load never comes with fewer of them.
        size = (_group(config)[0], config.gpus, not config.strict, config.servers)
    layout = config.layout
    slow = layout.crosses_link or (layout.tensor_parallel > 1 and not has_fast_link(config))
    late, speed = _lateness(case, config), _speed(case, config)
    laid: tuple[object, ...] = (late, slow, layout.idle_gpus, speed, layout.gpus_per_replica)
    if not case.serves:
        # Sharding the states over data-parallel workers is the usual way wherever it holds.
        laid = (layout.pipeline_parallel > 1, slow, layout.gpus_per_replica, layout.idle_gpus, late, speed)
    return (
        *size,
        *laid,
        layout.pipeline_parallel,
        config.precision,
        config.node.option_ambient_max_c is not None,
        config.node.variant or "",
        config.count,
    )


def _excess(config: Config) -> int:
    """Return by how many tenths the unfavourable ends miss what was given; 0 where all of them hold."""
    if config.strict:
        return 0
    corner, held = config.corner, config.memory
    worst = held.total.high / held.available.low
    if config.served is not None:
        worst = max(
            worst,
            config.served.ttft_s.high / corner.ttft_s if corner.ttft_s else 0.0,
            config.served.tpot_s.high / corner.tpot_s if corner.tpot_s else 0.0,
        )
    trained = config.trained
    if trained is not None:
        worst = max(worst, trained.memory.total.high / trained.memory.available.low)
        if trained.seconds is not None and corner.target_s:
            worst = max(worst, trained.seconds.high / corner.target_s)
    return max(ceil((worst - 1.0) * 10 - 1e-9), 0)


def _lateness(case: Case, config: Config, haste: float = 1.0) -> int:
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


def _speed(case: Case, config: Config) -> float:
    """Return a time that tells the faster of two configurations [s], without noise."""
    if config.served is not None:
        value = config.served.ttft_s.typical + config.corner.output_tokens * config.served.tpot_s.typical
    elif config.trained is not None and config.trained.seconds is not None:
        value = config.trained.seconds.typical
    elif config.work is not None and config.work.typical > 0:
        value = 1.0 / config.work.typical
    else:
        return float("inf")
    return round(value, 9)


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
    },
    "performance": {
        "throughput": 5,
        "latency": 4,
        "concurrency": 1,
        "availability": 0.5,
        "headroom": 1,
        "footprint": 0.5,
        "growth": 0.5,
    },
    "footprint": {
        "throughput": 0.5,
        "latency": 0.5,
        "concurrency": 0.5,
        "availability": 0.5,
        "headroom": 1,
        "footprint": 8,
        "growth": 0.25,
    },
    "power": {
        "throughput": 0.5,
        "latency": 0.5,
        "concurrency": 0.5,
        "availability": 0.5,
        "headroom": 1,
        "footprint": 8,
        "growth": 0.25,
    },
    "growth": {
        "throughput": 1,
        "latency": 1,
        "concurrency": 2,
        "availability": 0.5,
        "headroom": 1,
        "footprint": 1.5,
        "growth": 6,
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


def _points(scale: str, ratio: float) -> float:
    """Return the points of a ratio on a fixed scale [0..100]."""
    places = _SCALES[scale]
    if ratio <= places[0][0]:
        return places[0][1]
    for (left, low), (right, high) in pairwise(places):
        if ratio <= right:
            share = (log2(ratio) - log2(left)) / (log2(right) - log2(left))
            return low + (high - low) * share
    return places[-1][1]


def _memory_ratio(case: Case, config: Config) -> float:
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


def _criteria(case: Case, config: Config, machine: Machine) -> dict[str, float | None]:
    values: dict[str, float | None] = dict.fromkeys(CRITERIA)
    capacity = capacity_of(case, config)
    need = config.corner.requests
    if config.served is not None:
        first = case.typical_ttft_s / config.served.ttft_s.typical
        each = case.typical_tpot_s / config.served.tpot_s.typical
        values["latency"] = _points("time", min(first, each))
        values["throughput"] = _points("time", each)
    if config.trained is not None and config.trained.seconds is not None and not case.serves:
        values["throughput"] = _points("time", case.typical_target_s / config.trained.seconds.typical)
    elif config.trained is not None and config.trained.seconds is not None:
        # Serving all the time comes first, but a job that never ends is no help either.
        hours = _points("time", case.typical_target_s / config.trained.seconds.typical)
        values["throughput"] = hours if values["throughput"] is None else min(values["throughput"], hours)
    if case.serves and case.kind != "tokens" and config.work is not None and config.corner.rate:
        values["throughput"] = _points("capacity", config.work.typical / config.corner.rate)
    if capacity is not None:
        values["concurrency"] = _points("capacity", capacity / need)
    if case.n_plus_1:
        values["availability"] = 100.0
    if case.kind == "tokens":
        values["headroom"] = _points("memory", _memory_ratio(case, config))
    else:  # these models are small
        values["headroom"] = _points("card memory", config.node.gpu.memory_bytes.typical / GIB)
    values["footprint"] = _footprint(case, config)
    most = max(
        (
            node.counts[-1]
            for node in machine.nodes
            if node.gpu.slug == config.node.gpu.slug and node.variant == config.node.variant
        ),
        default=config.count,
    )
    room = most / config.count
    if capacity is not None and not config.facts:
        room *= max(capacity, 1) / need
    elif case.serves and config.work is not None and config.corner.rate:
        room *= config.work.typical / config.corner.rate
    values["growth"] = _points("growth", room)
    return values


def _footprint(case: Case, config: Config) -> float:
    weights = _FOOTPRINT[case.priority]
    parts: list[tuple[float, float]] = [(weights[0], _points("cards", config.gpus))]
    if config.rack_units is not None:
        parts.append((weights[1], _points("units", config.rack_units)))
    if config.power_w is not None:
        parts.append((weights[2], _points("watts", config.power_w.typical)))
    return sum(weight * points for weight, points in parts) / sum(weight for weight, _points_ in parts)


def _deductions(case: Case, config: Config) -> float:
    """Return what is taken off for what no scale shows [% of the score]."""
    node, layout = config.node, config.layout
    points = {"current": 0.0, "previous": 7.0, "legacy": 25.0}[node.gpu.market_state]
    if node.gpu.market_state == "current" and not _newest(node.gpu):
        # The generation before the newest is sold out first; eight-GPU boards are kept longest.
        points += 12.0 if node.gpu.form in MODULES else 2.0
    points += {"maker": 0.0, "benchmark": 0.0, "deployed": 3.0, "preset": 6.0, "derived": 6.0}[node.evidence]
    if not node.count_known:
        points += 8.0
    if node.special_order:
        points += TIE_POINTS + 0.5
    if case.site != "edge" and made_for_edge(node):
        points += 12.0 if node.kind in ("edge", "tower") else 8.0
    if case.cooling is None and node.cooling == frozenset({"liquid"}):
        points += 15.0
    if layout.tensor_parallel > 1 and not has_fast_link(config):
        points += 4.0
    if layout.pipeline_parallel > 1 and case.serves:
        points += 8.0
    if layout.gpus_per_replica > 4 and node.gpu.form not in MODULES and case.serves:
        points += 6.0  # one model over many PCIe cards
    if layout.idle_gpus:
        points += 3.0
    if layout.gpus_per_replica > 1 and case.serves:
        points += 1.0
    extra = config.servers - (2 if case.n_plus_1 else 1)
    if extra > 0:
        points += 5.0 * log2(1 + extra)
    if config.fallback:
        points += 6.0
    if config.trained is not None and not case.serves:
        points += 8.0 * _lateness(case, config)
        joined = node.link_max_gpus if node.link not in ("pcie", "none") else 1
        if case.method in ("pretraining", "full") and config.count > joined:
            points += 10.0
    if case.serves and case.trains and gpus_beside_service(case, config) < 1:
        points += 15.0  # experiments stop the service
    return min(points, 90.0)


def _score(case: Case, config: Config, criteria: dict[str, float | None]) -> float:
    weights = _WEIGHTS[case.priority]
    if not case.serves:
        weights = weights | {"throughput": 3 * weights["throughput"]}
    known = [
        (weights[name], value) for name, value in criteria.items() if value is not None and name in weights
    ]
    total = sum(weight for weight, _value in known)
    score = sum(weight * value for weight, value in known) / total if total else 0.0
    return round(score * (1.0 - _deductions(case, config) / 100.0), 1)


MODULES = ("sxm", "oam")  # sold as boards of four or eight
_MARKET = {"current": 0, "previous": 1, "legacy": 2}


def _newest(gpu: GPUSpec) -> bool:
    """Tell whether a card is of its maker's newest generation: our judgement, as the market states are."""
    return gpu.architecture.lower().startswith(("blackwell", "cdna 4"))


def _order(case: Case, match: Match) -> tuple[object, ...]:
    """Return the sort key: states and unknown facts first, then scores in steps, then what breaks ties.

    The steps are fixed, so that no match's place against another depends on a third.
    """
    config = match.config
    return (
        *_group(config),
        -floor(match.score / TIE_POINTS),
        case.site != "edge" and made_for_edge(config.node),
        config.gpus,
        config.node.special_order,
        _MARKET[config.node.gpu.market_state],
        config.node.gpu.form in MODULES and not _newest(config.node.gpu),
        config.rack_units if config.rack_units is not None else 10**6,
        round(config.power_w.typical) if config.power_w else 10**9,
        -match.score,
        config.node.server,
        config.node.gpu.slug,
    )


def _marked(matches: Sequence[Match]) -> Iterator[Match]:
    """Yield the matches with their ties and the ones that no other beats in everything."""
    previous: Match | None = None
    for match in matches:
        tied = (
            previous is not None
            and _group(previous.config) == _group(match.config)
            and abs(previous.score - match.score) < TIE_POINTS
        )
        pareto = not any(_dominates(other, match) for other in matches)
        yield replace(match, tied=tied, pareto=pareto)
        previous = match


def _leading_reasons(case: Case, matches: Sequence[Match]) -> tuple[Message, ...]:
    """Return the reasons of the first match, one of which says what puts it there."""
    first, second = matches[0], matches[1]
    mine, its = first.config, second.config
    level = list(takewhile(lambda match: match.tied, matches[1:]))
    if _group(mine)[:2] != _group(its)[:2]:
        why = message("first_sure", others=len(matches) - 1)
    elif mine.gpus < its.gpus:
        why = message("first_cards", gpus=mine.gpus, others=its.gpus)
    elif level and all(_smaller(mine.rack_units, match.config.rack_units) for match in level):
        why = message("first_units", units=mine.rack_units, others=its.rack_units)
    elif level:
        why = message("first_level", others=len(level), score=first.score)
    else:
        why = message("first_points", score=first.score, others=second.score)
    later = case.serves and (case.trains or case.n_plus_1)  # two roles, or what is left with a server lost
    kept = first.reasons[-2:] if later else first.reasons[:2]
    return (*kept, why)


def _smaller(mine: int | None, its: int | None) -> bool:
    return mine is not None and its is not None and mine < its


def _dominates(one: Match, other: Match) -> bool:
    """Tell whether `one` is nowhere worse and somewhere better, as far as both are known."""
    if one is other or _group(one.config) > _group(other.config):
        return False
    pairs: list[tuple[float, float]] = [(-one.config.gpus, -other.config.gpus)]
    for mine, its in zip(one.criteria, other.criteria, strict=True):
        if its[1] is not None:
            if mine[1] is None:
                return False
            pairs.append((mine[1], its[1]))
    return all(mine >= its for mine, its in pairs) and any(mine > its for mine, its in pairs)


def _match(case: Case, config: Config, machine: Machine) -> Match:
    criteria = _criteria(case, config, machine)
    state: Literal["fits", "fits_if"] = "fits" if config.strict and not config.facts else "fits_if"
    firm = (
        state == "fits"
        and config.node.evidence in ("maker", "benchmark")
        and config.node.count_known
        and not config.soft
        and not over_unknown_network(case, config)
        and not case.conditional
        and config.node.gpu.memory_reported
    )
    return Match(
        config=config,
        state=state,
        firm=firm,
        score=_score(case, config, criteria),
        criteria=tuple(
            (name, None if value is None else round(value, 1)) for name, value in criteria.items()
        ),
        capacity=capacity_of(case, config),
        reasons=tuple(reasons_of(case, config)),
        warnings=tuple(warnings_of(case, config)),
    )


def _rejection(machine: Machine, failures: Sequence[Failure]) -> Rejection:
    """Return the configuration that came nearest, with all of its reasons."""
    nearest = min(failures, key=lambda item: (not item.runs, len(item.reasons), item.miss, item.gpu or ""))
    fixable = ("rack_units", "power", "depth", "temperature", "latency", "training_time", "cooling")
    broken = [reason for reason in nearest.reasons if reason.code != "interconnect"]
    only = broken[0]
    fix = None
    if len(broken) == 1 and only.code in fixable:
        fix = replace(only, code=f"fix_{only.code}")
    return Rejection(machine.bare.server, nearest.gpu, nearest.reasons, fix)
