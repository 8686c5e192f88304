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
from functools import lru_cache
from itertools import pairwise
from math import ceil, floor, log2
from typing import Literal

from recommender.sizing import latency, layouts, memory, power, precisions, throughput, training
from recommender.sizing.specs import (
    AIModelSpec,
    Engine,
    GPUSpec,
    KVPrecision,
    Layout,
    Memory,
    Method,
    NodeSpec,
    Precision,
    Range,
    Recompute,
    Sharding,
)

RULES_VERSION = "1"

MAX_SERVERS = 64
MAX_REASONS = 6  # of one rejection
TIE_POINTS = 2.0  # scores nearer than this are not told apart: estimates are no better
COMFORTABLE_C = (18.0, 27.0)  # ASHRAE's recommended range for data centres (Thermal Guidelines, TC 9.9)
UNPUBLISHED_C = (10.0, 35.0)  # beyond it a server without a published range is ruled out
SERVER_COSTS_CARDS = 1.5  # what another chassis weighs in cards when configurations are compared
USUAL_POWER_W = 8_000.0  # what a usual cabinet offers where the reader gave no limit
TRAINING_SERVERS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)

Value = str | int | float | None
Priority = Literal["balanced", "performance", "footprint", "power", "growth"]
Kind = Literal["tokens", "vision", "speech", "images", "embeddings"]
UNITS = {
    "tokens": "tokens/s",
    "vision": "frames/s",
    "speech": "audio_s/s",
    "images": "images/min",
    "embeddings": "tokens/s",
}
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
class Message:
    """A sentence to be, as a code and its figures in the core's units."""

    code: str
    params: tuple[tuple[str, Value], ...] = ()

    def __getitem__(self, name: str) -> Value:
        return dict(self.params)[name]


def message(code: str, **params: Value) -> Message:
    return Message(code, tuple(sorted(params.items())))


@dataclass(frozen=True, slots=True)
class Corner:
    """The answers at one end of their ranges, resolved: hard takes the harder end of each, easy the other."""

    model: AIModelSpec | None = None  # served
    draft: AIModelSpec | None = None
    adapters: int = 0
    requests: int = 1  # running at once
    arrivals_per_s: float | None = None  # given as a rate: it has to be sustained as well
    input_tokens: int = 0
    output_tokens: int = 1
    tokens_per_request: int = 0
    prefix_percent: float = 0.0
    ttft_s: float | None = None  # targets that were given
    tpot_s: float | None = None
    rate: float | None = None  # frames/s, audio s/s, images/min, tokens/s of work without an answer text
    trained: AIModelSpec | None = None
    tokens: float = 0.0  # of one training cycle
    target_s: float | None = None
    sequence_tokens: int = 4096
    global_batch: int = 1
    micro_batch: int = 1
    lora_rank: int = 16
    network_bytes_per_s: float | None = None
    rack_units: float | None = None
    depth_mm: float | None = None
    power_w: float | None = None
    temperature_min_c: float | None = None
    temperature_max_c: float | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """What is asked, without a language: the resolved answers."""

    kind: Kind
    serves: bool
    trains: bool
    hard: Corner
    easy: Corner
    typical_ttft_s: float  # the target, or what is usual
    typical_tpot_s: float
    typical_target_s: float
    together: bool = False  # training runs beside the service, at the same time, in one server
    precision: Precision | None = None  # None: the model's own
    training_precision: Precision | None = None
    kv_precision: KVPrecision = "bf16"
    engine: Engine = "vllm"
    method: Method = "lora"
    optimizer: str = "adamw"
    recompute: Recompute | None = None
    sharding: Sharding | None = None
    n_plus_1: bool = False
    priority: Priority = "balanced"
    site: str | None = None
    cooling: str | None = None
    cpu_vendor: str | None = None
    gpu_vendor: str | None = None
    conditional: bool = True


@dataclass(frozen=True, slots=True)
class Bare:
    """What the rules of the site read of a server, with or without a GPU in it."""

    server: str
    cpu_vendor: str
    kind: str
    rack_units: int | None
    enclosure_rack_units: int | None
    enclosure_trays: int | None
    depth_mm: float | None
    cooling: frozenset[str]
    temperature_min_c: float | None
    temperature_max_c: float | None
    workloads: frozenset[str]


@dataclass(frozen=True, slots=True)
class Machine:
    """A published server with everything that can be ordered in it."""

    bare: Bare
    nodes: tuple[NodeSpec, ...]


@dataclass(frozen=True, slots=True)
class Trained:
    """How the training job lies on the machine."""

    layout: Layout
    memory: Memory
    seconds: Range | None
    precision: Precision
    recompute: Recompute
    sharding: Sharding


@dataclass(frozen=True, slots=True)
class Config:
    """One configuration that holds at a corner, with its figures."""

    node: NodeSpec
    corner: Corner
    strict: bool
    count: int  # cards per server
    servers: int
    precision: Precision
    layout: Layout  # replicas and idle GPUs over all servers
    memory: Memory
    served: latency.Serving | None = None
    requests: int = 0  # per replica
    limit: int = 0  # requests per replica that hold at this corner
    work: Range | None = None  # frames/s ... over all servers; output tokens/s of text work
    trained: Trained | None = None
    power_w: Range | None = None
    rack_units: int | None = None
    facts: tuple[str, ...] = ()  # unpublished facts that were needed
    soft: tuple[Message, ...] = ()  # warnings that cost the word "firm"
    fallback: bool = False  # 8-bit instead of the model's own type

    @property
    def gpus(self) -> int:
        return self.count * self.servers

    @property
    def working_servers(self) -> int:
        return self.servers

    @property
    def orderable(self) -> bool:
        return self.node.server_orderable and self.node.option_orderable


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one configuration does not do, and how near it came (0: at the border)."""

    gpu: str | None
    reasons: tuple[Message, ...]
    miss: float
    count: int = 1  # cards per server that were tried

    @property
    def runs(self) -> bool:
        """Whether the work runs on it at all, though not as it should."""
        return not any(reason.code in ("memory", "precision", "no_gpu") for reason in self.reasons)


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
    ordered = sorted(matches, key=lambda match: _order(case, match))
    return Ranking(
        tuple(_marked(ordered)),
        tuple(sorted(rejected, key=lambda item: item.server)),
    )


# What holds


def _try_machine(case: Case, machine: Machine) -> tuple[list[Config], list[Failure]]:
    """Return the best configuration of each GPU, and all failures where there is none."""
    found: dict[str, Config] = {}
    failures: list[Failure] = []
    by_gpu: dict[str, list[NodeSpec]] = {}
    for node in machine.nodes:
        if node.gpu.serves_language_models:
            by_gpu.setdefault(node.gpu.slug, []).append(node)
    for slug, nodes in by_gpu.items():
        precision: Precision | None = None
        fallback = False
        if case.serves:
            assert case.hard.model is not None
            possible = [node for node in nodes if not _site_rules(case, node, case.easy)[0]]
            precision, fallback = _precision(case, case.hard.model, possible or nodes)
        for node in nodes:
            configs, _failed = _holds(case, node, case.hard, True, precision, fallback)
            if not configs or case.priority == "footprint":
                more, failed = _holds(case, node, case.easy, False, precision, fallback)
                configs += more
                failures += failed
            for config in configs:
                best = found.get(slug)
                if best is None or _choice(case, config) < _choice(case, best):
                    found[slug] = config
    if not found and not failures:
        broken = _site_rules(case, machine.bare, case.easy)[0]
        failures = [Failure(None, (message("no_gpu"), *broken), 1.0 + len(broken))]
    return [found[slug] for slug in sorted(found)], failures


def _holds(
    case: Case, node: NodeSpec, corner: Corner, strict: bool, precision: Precision | None, fallback: bool
) -> tuple[list[Config], list[Failure]]:
    """Return the configurations of a node that hold at a corner, or why none does."""
    broken, facts, soft = _site_rules(case, node, corner)
    if case.gpu_vendor and node.gpu.vendor != case.gpu_vendor:
        broken.append(message("gpu_vendor", need=case.gpu_vendor, have=node.gpu.vendor))
    if node.option_min_sockets and node.option_min_sockets > node.sockets_max:
        broken.append(message("no_gpu"))
    configs: list[Config] = []
    failures: list[Failure] = []
    for config in _sized(case, node, corner, strict, precision, fallback):
        if isinstance(config, Failure):
            least = 2 if case.n_plus_1 else 1
            over, _facts = _size_rules(corner, _rack_units(node, least), _power(node, config.count, least))
            failures.append(replace(config, reasons=_all_reasons(config.reasons, [*broken, *over])))
            continue
        units = _rack_units(node, config.servers)
        watts = _power(node, config.count, config.servers)
        over, more_facts = _size_rules(corner, units, watts)
        reasons = [*broken, *over]
        if reasons:
            miss = sum(_miss(item) for item in over) + len(broken)
            failures.append(Failure(node.gpu.slug, _all_reasons((), reasons), miss))
            continue
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


def _site_rules(
    case: Case, node: NodeSpec | Bare, corner: Corner
) -> tuple[list[Message], list[str], list[Message]]:
    """Return the broken rules of the site, the unpublished facts that they needed, and soft warnings."""
    broken: list[Message] = []
    facts: list[str] = []
    soft: list[Message] = []
    if case.cpu_vendor and node.cpu_vendor != case.cpu_vendor:
        broken.append(message("cpu_vendor", need=case.cpu_vendor, have=node.cpu_vendor))
    if case.site == "edge" and not _made_for_edge(node):
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
    _temperature_rules(node, corner, broken, facts, soft)
    return broken, facts, soft


def _temperature_rules(
    node: NodeSpec | Bare, corner: Corner, broken: list[Message], facts: list[str], soft: list[Message]
) -> None:
    card_limit = node.option_ambient_max_c if isinstance(node, NodeSpec) else None
    warm, cold = corner.temperature_max_c, corner.temperature_min_c
    # A room given by one end only is at least as warm, or as cold, as that end.
    if warm is None and cold is not None and cold > UNPUBLISHED_C[1]:
        warm = cold
    elif cold is None and warm is not None and warm < UNPUBLISHED_C[0]:
        cold = warm
    if warm is not None:
        if card_limit is not None and warm > card_limit:
            broken.append(message("temperature", need=warm, have=card_limit))
        elif node.temperature_max_c is not None:
            if warm > node.temperature_max_c:
                broken.append(message("temperature", need=warm, have=node.temperature_max_c))
        else:
            _unpublished_temperature(warm, broken, facts, soft)
    if cold is not None:
        if node.temperature_min_c is not None:
            if cold < node.temperature_min_c:
                broken.append(message("temperature", need=cold, have=node.temperature_min_c))
        else:
            _unpublished_temperature(cold, broken, facts, soft)


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


def _size_rules(corner: Corner, units: int | None, watts: Range | None) -> tuple[list[Message], list[str]]:
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


def _made_for_edge(node: NodeSpec | Bare) -> bool:
    return node.kind in ("edge", "tower") or "edge" in node.workloads


def _rack_units(node: NodeSpec | Bare, servers: int) -> int | None:
    """Return the height of so many servers; trays take whole enclosures [U]."""
    if node.kind == "tray":
        if not node.enclosure_rack_units or not node.enclosure_trays:
            return None
        return ceil(servers / node.enclosure_trays) * node.enclosure_rack_units
    return None if node.rack_units is None else node.rack_units * servers


@lru_cache(maxsize=4096)
def _power_of_one(node: NodeSpec, count: int) -> Range | None:
    return power.server_power_w(node, count)


def _power(node: NodeSpec, count: int, servers: int) -> Range | None:
    one = _power_of_one(node, count)
    return None if one is None else one.scaled(servers)


# Sizes


def _sized(
    case: Case, node: NodeSpec, corner: Corner, strict: bool, precision: Precision | None, fallback: bool
) -> Iterator[Config | Failure]:
    """Yield every size of a node that does the work, and why the others do not."""
    if not case.serves:
        yield from _training_sizes(case, node, corner, strict)
        return
    if precision is None:
        assert corner.model is not None
        wanted = case.precision or corner.model.native_precision
        yield Failure(node.gpu.slug, (message("precision", need=wanted),), 5.0, node.counts[0])
        return
    sizes = _text_sizes if case.kind == "tokens" else _rate_sizes
    for config in sizes(case, node, corner, strict, precision):
        if isinstance(config, Failure):
            yield config
            continue
        config = replace(config, fallback=fallback)
        yield _with_training(case, config, strict) if case.trains else config


def _precision(case: Case, model: AIModelSpec, nodes: Sequence[NodeSpec]) -> tuple[Precision | None, bool]:
    """Return the type of the weights on one server's card, and whether it stands in for the model's own.

    None: the card takes neither. Whether the own type is held does not depend on the load, so that a
    heavier load never changes the type.
    """
    gpu = nodes[0].gpu
    if case.precision is not None:
        support = precisions.support(gpu, case.precision, case.engine)
        return (None if support in ("no", "storage_only") else case.precision), False
    native = model.native_precision
    own: Precision | None = None
    support = precisions.support(gpu, native, case.engine)
    if support in ("native", "weight_only"):
        own = native
    elif support == "storage_only" and _takes(gpu, "bf16", case.engine):
        own = "bf16"
    elif native in ("bf16", "fp32") and case.kind != "tokens" and _takes(gpu, "fp16", case.engine):
        own = "fp16"
    if own is not None and any(_holds_weights(case, model, node, own) for node in nodes):
        return own, False
    eight: tuple[Precision, ...] = ("fp8", "int8")
    if native in ("fp32", "bf16", "fp16"):
        for name in eight:
            if _takes(gpu, name, case.engine):
                return name, True
    return own, False


@lru_cache(maxsize=8192)
def _weights_fit(
    case: Case, model: AIModelSpec, gpu: GPUSpec, counts: tuple[int, ...], precision: Precision
) -> bool:
    for count in counts:
        for layout in layouts.inference_layouts(model, gpus_per_server=count, servers=1, link_max_gpus=count):
            held = memory.inference_memory(
                _understood(model),
                gpu,
                replace(layout, replicas=1, idle_gpus=0),
                precision=precision,
                kv_precision=case.kv_precision,
                tokens_per_request=1,
                requests=0,
                engine=case.engine,
            )
            if held.total.high <= held.available.low:
                return True
    return False


def _holds_weights(case: Case, model: AIModelSpec, node: NodeSpec, precision: Precision) -> bool:
    """Tell whether the weights of that type lie on the cards of a server, whatever the load."""
    return _weights_fit(case, model, node.gpu, node.counts, precision)


def _takes(gpu: GPUSpec, precision: Precision, engine: Engine) -> bool:
    return precisions.support(gpu, precision, engine) == "native"


def _text_sizes(
    case: Case, node: NodeSpec, corner: Corner, strict: bool, precision: Precision
) -> Iterator[Config | Failure]:
    model = corner.model
    assert model is not None
    for count in node.counts:
        for layout in layouts.inference_layouts(
            model, gpus_per_server=count, servers=1, link_max_gpus=node.link_max_gpus
        ):
            for config in _text_size(case, node, corner, strict, precision, count, layout):
                yield config if isinstance(config, Config) else replace(config, count=count)


@lru_cache(maxsize=512)
def _understood(model: AIModelSpec) -> AIModelSpec:
    """Return the model without the cache that nobody has described, so that its weights can be sized."""
    return model if model.cache_known else replace(model, cache_groups=(), cache_known=True)


@dataclass(frozen=True, slots=True)
class _Replica:
    """What one replica carries, whatever the server around it."""

    most: int  # requests that hold at the corner, memory and given targets together
    by_memory: int
    usual: int  # requests that keep the usual targets at the typical end
    timed: bool  # false: no speed can be worked out
    arrivals_per_s: float | None  # sustained when full; None: not asked or not known


@lru_cache(maxsize=8192)
def _replica(
    case: Case,
    corner: Corner,
    gpu: GPUSpec,
    link: str,
    link_bytes_per_s: float | None,
    layout: Layout,
    precision: Precision,
    strict: bool,
) -> _Replica:
    model = corner.model
    assert model is not None
    held = memory.max_requests(
        _understood(model),
        gpu,
        layout,
        precision=precision,
        kv_precision=case.kv_precision,
        tokens_per_request=corner.tokens_per_request,
        engine=case.engine,
        adapters=corner.adapters,
        draft=corner.draft,
    )
    by_memory = floor(held.low if strict else held.high)
    if by_memory < 1:
        return _Replica(0, 0, 0, True, None)

    def served(requests: int) -> latency.Serving | None:
        if not model.cache_known:
            return None
        return _serving(case, corner, gpu, link, link_bytes_per_s, layout, precision, requests)

    alone = served(1)
    if alone is None:
        return _Replica(by_memory, by_memory, by_memory, False, None)
    most = by_memory
    if corner.ttft_s is not None or corner.tpot_s is not None:
        most = _largest(
            by_memory, lambda count: _within(served(count), corner.ttft_s, corner.tpot_s, 2 if strict else 0)
        )
    usual = _largest(
        max(most, 0), lambda count: _within(served(count), case.typical_ttft_s, case.typical_tpot_s, 1)
    )
    arrivals = None
    if corner.arrivals_per_s is not None and most:
        full = served(most)
        assert full is not None
        place = 2 if strict else 0
        turn = _end(full.ttft_s, place) + corner.output_tokens * _end(full.tpot_s, place)
        arrivals = most / turn
    return _Replica(most, by_memory, usual, True, arrivals)


@lru_cache(maxsize=16_384)
def _serving(
    case: Case,
    corner: Corner,
    gpu: GPUSpec,
    link: str,
    link_bytes_per_s: float | None,
    layout: Layout,
    precision: Precision,
    requests: int,
) -> latency.Serving | None:
    model = corner.model
    assert model is not None
    return latency.serving(
        model,
        gpu,
        layout,
        link=link,  # type: ignore[arg-type]
        link_bytes_per_s=link_bytes_per_s,
        precision=precision,
        kv_precision=case.kv_precision,
        input_tokens=corner.input_tokens,
        output_tokens=corner.output_tokens,
        requests=requests,
        prefix_percent=corner.prefix_percent,
        engine=case.engine,
        context_tokens=corner.tokens_per_request,
    )


def _end(value: Range, place: int) -> float:
    return (value.low, value.typical, value.high)[place]


def _within(served: latency.Serving | None, ttft_s: float | None, tpot_s: float | None, place: int) -> bool:
    if served is None:
        return True
    return (ttft_s is None or _end(served.ttft_s, place) <= ttft_s) and (
        tpot_s is None or _end(served.tpot_s, place) <= tpot_s
    )


def _largest(limit: int, holds) -> int:  # type: ignore[no-untyped-def]
    """Return the largest number up to `limit` for which `holds` is true; times grow with requests."""
    if limit < 1 or not holds(1):
        return 0
    if holds(limit):
        return limit
    kept, broken = 1, limit
    while broken - kept > 1:
        middle = (kept + broken) // 2
        if holds(middle):
            kept = middle
        else:
            broken = middle
    return kept


def _text_size(
    case: Case,
    node: NodeSpec,
    corner: Corner,
    strict: bool,
    precision: Precision,
    count: int,
    layout: Layout,
) -> Iterator[Config | Failure]:
    """Yield the sizes of one layout: the fewest servers, and as many as keep the usual targets."""
    single = Layout(layout.tensor_parallel, layout.pipeline_parallel, 1, 0, layout.crosses_link)
    replica = _replica(case, corner, node.gpu, node.link, node.link_bytes_per_s, single, precision, strict)
    if replica.most < 1:
        yield _text_failure(case, node, corner, single, precision, replica)
        return
    spare = 1 if case.n_plus_1 else 0
    per_server = layout.replicas
    needed = ceil(corner.requests / (per_server * replica.most))
    if replica.arrivals_per_s and corner.arrivals_per_s:
        needed = max(needed, ceil(corner.arrivals_per_s / (per_server * replica.arrivals_per_s)))
    if needed + spare > MAX_SERVERS:
        yield Failure(
            node.gpu.slug,
            (message("throughput", need=needed + spare, have=MAX_SERVERS),),
            needed / MAX_SERVERS,
        )
        return
    sizes = {needed}
    if replica.usual and not case.together:
        usual = ceil(corner.requests / (per_server * replica.usual))
        if needed < usual <= 2 * needed + 2 and usual + spare <= MAX_SERVERS:
            sizes.add(usual)
    for working in sorted(sizes):
        servers = working + spare
        requests = ceil(corner.requests / (per_server * working))
        served = None
        if replica.timed:
            served = _serving(
                case, corner, node.gpu, node.link, node.link_bytes_per_s, single, precision, requests
            )
        assert corner.model is not None
        held = memory.inference_memory(
            _understood(corner.model),
            node.gpu,
            single,
            precision=precision,
            kv_precision=case.kv_precision,
            tokens_per_request=corner.tokens_per_request,
            requests=requests,
            engine=case.engine,
            adapters=corner.adapters,
            draft=corner.draft,
        )
        yield Config(
            node=node,
            corner=corner,
            strict=strict,
            count=count,
            servers=servers,
            precision=precision,
            layout=replace(layout, replicas=per_server * servers, idle_gpus=layout.idle_gpus * servers),
            memory=held,
            served=served,
            requests=requests,
            limit=replica.most,
            work=served.output_tokens_per_s.scaled(per_server * working) if served else None,
            facts=() if replica.timed else ("speed",) if corner.model.cache_known else ("cache",),
        )


def _text_failure(
    case: Case, node: NodeSpec, corner: Corner, layout: Layout, precision: Precision, replica: _Replica
) -> Failure:
    """Return why one replica does not even carry one request."""
    assert corner.model is not None
    if replica.by_memory < 1:
        held = memory.inference_memory(
            _understood(corner.model),
            node.gpu,
            layout,
            precision=precision,
            kv_precision=case.kv_precision,
            tokens_per_request=corner.tokens_per_request,
            requests=1,
            engine=case.engine,
            adapters=corner.adapters,
            draft=corner.draft,
        )
        need, have = held.total.low, held.available.high
        reason = message(
            "memory",
            need=need,
            have=have,
            gpus=layout.gpus_per_replica,
            precision=precision,
        )
        return Failure(node.gpu.slug, (reason,), max(need / have - 1.0, 0.0))
    served = _serving(case, corner, node.gpu, node.link, node.link_bytes_per_s, layout, precision, 1)
    assert served is not None
    worst, miss = None, -1.0
    for name, value, target in (
        ("ttft", served.ttft_s.low, corner.ttft_s),
        ("tpot", served.tpot_s.low, corner.tpot_s),
    ):
        if target is not None and value / target - 1.0 > miss:
            miss = value / target - 1.0
            worst = message("latency", figure=name, need=target, have=value)
    assert worst is not None
    return Failure(node.gpu.slug, (worst,), max(miss, 0.0))


def _rate_of(case: Case, corner: Corner, gpu: GPUSpec, precision: Precision) -> Range | None:
    """Return what one card does of work that makes no text, in the unit of `UNITS`."""
    model = corner.model
    assert model is not None
    if case.kind == "vision":
        return throughput.vision_frames_per_s(model, gpu, precision)
    if case.kind == "speech":
        return throughput.audio_seconds_per_s(model, gpu, precision)
    if case.kind == "images":
        return throughput.images_per_minute(model, gpu, precision)
    return throughput.embedding_tokens_per_s(model, gpu, precision, input_tokens=corner.input_tokens)


def _rate_sizes(
    case: Case, node: NodeSpec, corner: Corner, strict: bool, precision: Precision
) -> Iterator[Config | Failure]:
    """Yield the sizes for video, speech, images and embeddings: each card works on its own."""
    need = corner.rate
    assert need is not None
    spare = 1 if case.n_plus_1 else 0
    held = _rate_memory(case, corner, node.gpu, precision)
    fits = held.total.high <= held.available.low if strict else held.total.low <= held.available.high
    if not fits:
        lack, have = held.total.low, held.available.high
        reason = message("memory", need=lack, have=have, gpus=1, precision=precision)
        yield Failure(node.gpu.slug, (reason,), max(lack / have - 1.0, 0.0))
        return
    rate = _rate_of(case, corner, node.gpu, precision)
    for count in node.counts:
        needed = 1
        if rate is not None:
            needed = max(ceil(need / (count * (rate.low if strict else rate.high))), 1)
        servers = needed + spare
        if servers > MAX_SERVERS:
            reason = message("throughput", need=servers, have=MAX_SERVERS)
            yield Failure(node.gpu.slug, (reason,), needed / MAX_SERVERS, count)
            continue
        yield Config(
            node=node,
            corner=corner,
            strict=strict,
            count=count,
            servers=servers,
            precision=precision,
            layout=Layout(1, 1, count * servers, 0, False),
            memory=held,
            work=None if rate is None else rate.scaled(count * needed),
            facts=("speed",) if rate is None else (),
        )


@lru_cache(maxsize=4096)
def _rate_memory(case: Case, corner: Corner, gpu: GPUSpec, precision: Precision) -> Memory:
    assert corner.model is not None
    return memory.inference_memory(
        _understood(corner.model),
        gpu,
        Layout(1, 1, 1, 0, False),
        precision=precision,
        kv_precision=case.kv_precision,
        tokens_per_request=corner.input_tokens or 1,
        requests=1,
        engine=case.engine,
    )


def _training_precision(case: Case, gpu: GPUSpec) -> Precision | None:
    """Return the type that trains; None: the card does not compute in it."""
    if case.method == "qlora":
        return "int4"
    wanted = case.training_precision or "bf16"
    if wanted in ("int4", "fp4"):
        return wanted if precisions.support(gpu, wanted) in ("native", "weight_only") else None
    return wanted if precisions.support(gpu, wanted) == "native" else None


@lru_cache(maxsize=8192)
def _trained(
    case: Case,
    corner: Corner,
    gpu: GPUSpec,
    link: str,
    link_bytes_per_s: float | None,
    layout: Layout,
    servers: int,
    strict: bool,
) -> Trained | float:
    """Return how the training lies on that layout, or by which factor its memory is missed."""
    model = corner.trained
    precision = _training_precision(case, gpu)
    assert model is not None
    assert precision is not None
    recomputes: tuple[Recompute, ...] = (case.recompute,) if case.recompute else ("selective", "full")
    shardings: tuple[Sharding, ...] = (
        (case.sharding,)
        if case.sharding
        else (("none",) if layout.replicas == 1 else ("none", "zero2", "zero3"))
    )
    nearest = float("inf")
    for recompute in recomputes:
        for sharding in shardings:
            held = memory.training_memory(
                model,
                gpu,
                layout,
                method=case.method,
                precision="bf16" if precision == "int4" else precision,
                optimizer=case.optimizer,
                lora_rank=corner.lora_rank,
                sequence_tokens=corner.sequence_tokens,
                micro_batch=corner.micro_batch,
                recompute=recompute,
                sharding=sharding,
            )
            need, have = (
                (held.total.high, held.available.low) if strict else (held.total.low, held.available.high)
            )
            if need > have:
                nearest = min(nearest, need / have)
                continue
            seconds = training.training_seconds(
                model,
                gpu,
                layout,
                link=link,  # type: ignore[arg-type]
                link_bytes_per_s=link_bytes_per_s,
                method=case.method,
                precision="bf16" if precision == "int4" else precision,
                sequence_tokens=corner.sequence_tokens,
                global_batch=corner.global_batch,
                micro_batch=corner.micro_batch,
                recompute=recompute,
                tokens=corner.tokens,
                servers=servers,
                network_bytes_per_s=corner.network_bytes_per_s,
            )
            return Trained(layout, held, seconds, precision, recompute, sharding)
    return nearest


def _trainings(
    case: Case, node: NodeSpec, corner: Corner, strict: bool, count: int, servers: int
) -> Iterator[Trained | Failure]:
    """Yield every way to train on so many cards, and why the others do not do."""
    assert corner.trained is not None
    if _training_precision(case, node.gpu) is None:
        yield Failure(node.gpu.slug, (message("precision", need=case.training_precision or "bf16"),), 5.0)
        return
    for layout in layouts.training_layouts(
        corner.trained, gpus_per_server=count, servers=servers, link_max_gpus=node.link_max_gpus
    ):
        found = _trained(case, corner, node.gpu, node.link, node.link_bytes_per_s, layout, servers, strict)
        if isinstance(found, float):
            have = node.gpu.memory_bytes.high
            reason = message(
                "memory", need=found * have, have=have, gpus=count * servers, precision="training"
            )
            yield Failure(node.gpu.slug, (reason,), found - 1.0)
            continue
        target = corner.target_s
        if target is not None and found.seconds is not None:
            seconds = found.seconds.high if strict else found.seconds.low
            if seconds > target:
                yield Failure(
                    node.gpu.slug,
                    (message("training_time", need=target, have=found.seconds.low),),
                    seconds / target - 1.0,
                )
                continue
        yield found


def _training_sizes(case: Case, node: NodeSpec, corner: Corner, strict: bool) -> Iterator[Config | Failure]:
    """Yield, for each number of cards, the fewest servers that train it in time."""
    for count in node.counts:
        failures: list[Failure] = []
        for servers in TRAINING_SERVERS if _joins_servers(node) else TRAINING_SERVERS[:1]:
            found = []
            for item in _trainings(case, node, corner, strict, count, servers):
                if isinstance(item, Failure):
                    failures.append(replace(item, count=count))
                else:
                    found.append(item)
            if found:
                for trained in found:
                    yield _training_config(node, corner, strict, count, servers, trained)
                break
            if failures and failures[0].reasons[0].code == "precision":
                break
        else:
            for failure in failures:
                alone = failure.runs or failure.reasons[0].code == "memory"
                if alone and not _joins_servers(node):
                    yield replace(failure, reasons=(*failure.reasons, message("interconnect")))
                else:
                    yield failure
            continue
        if not found:
            yield from failures


def _joins_servers(node: NodeSpec) -> bool:
    """Tell whether one training may spread over several such servers.

    That asks for boards with a fast link of their own: a pile of servers with PCIe cards is no answer.
    """
    return node.link in ("nvswitch", "nvlink", "fabric")


def _training_config(
    node: NodeSpec, corner: Corner, strict: bool, count: int, servers: int, trained: Trained
) -> Config:
    work = None
    if trained.seconds is not None and trained.seconds.low > 0:
        work = Range(
            corner.tokens / trained.seconds.high,
            corner.tokens / trained.seconds.typical,
            corner.tokens / trained.seconds.low,
        )
    return Config(
        node=node,
        corner=corner,
        strict=strict,
        count=count,
        servers=servers,
        precision=trained.precision,
        layout=trained.layout,
        memory=trained.memory,
        work=work,
        trained=trained,
        facts=() if trained.seconds is not None else ("speed",),
    )


def _with_training(case: Case, config: Config, strict: bool) -> Config | Failure:
    """Return the configuration with the training job on it as well, or why that does not hold."""
    node, corner = config.node, config.corner
    servers, count = config.servers, config.count
    serving_gpus = config.layout.gpus_used
    if case.together:
        # Both at the same time in one server: the service keeps the cards that it needs, training gets
        # the others.
        per_replica = config.layout.gpus_per_replica
        replicas = ceil(corner.requests / config.limit) if config.limit else count
        if case.kind != "tokens":
            share = (corner.rate or 0.0) / max(config.work.low if config.work else 1.0, 1e-9)
            replicas = max(ceil(share * config.layout.replicas), 1)
        serving_gpus = replicas * per_replica
        left = count - serving_gpus
        if servers > (2 if case.n_plus_1 else 1) or left < 1:
            reason = message("throughput", figure="cards", need=serving_gpus + 1, have=count)
            return Failure(node.gpu.slug, (reason,), 1.0)
        tries = [(left, 1)]
    else:
        tries = [(count, 1)]
        if servers > 1 and _joins_servers(node):
            tries.append((count, servers))
    failures: list[Failure] = []
    for gpus, machines in tries:
        found: list[Trained] = []
        for item in _trainings(case, node, corner, strict, gpus, machines):
            if isinstance(item, Failure):
                failures.append(item)
            else:
                found.append(item)
        if found:
            best = min(found, key=lambda item: item.seconds.typical if item.seconds else 0.0)
            facts = config.facts
            if best.seconds is None and "speed" not in facts:
                facts = (*facts, "speed")
            layout = config.layout
            requests = config.requests
            memory_lines = config.memory
            if case.together and case.kind == "tokens":
                replicas = serving_gpus // layout.gpus_per_replica * servers
                layout = replace(
                    layout, replicas=replicas, idle_gpus=count * servers - serving_gpus * servers
                )
                config = _narrowed(case, config, layout)
                layout, requests, memory_lines = config.layout, config.requests, config.memory
            return replace(
                config,
                trained=best,
                facts=facts,
                layout=layout,
                requests=requests,
                memory=memory_lines,
            )
    return min(failures, key=lambda item: item.miss)


def _narrowed(case: Case, config: Config, layout: Layout) -> Config:
    """Return the configuration with its requests on fewer replicas."""
    corner, node = config.corner, config.node
    assert corner.model is not None
    working = layout.replicas // config.servers * (config.servers - (1 if case.n_plus_1 else 0))
    requests = ceil(corner.requests / max(working, 1))
    single = replace(layout, replicas=1, idle_gpus=0)
    served = None
    if config.served is not None:
        served = _serving(
            case, corner, node.gpu, node.link, node.link_bytes_per_s, single, config.precision, requests
        )
    held = memory.inference_memory(
        _understood(corner.model),
        node.gpu,
        single,
        precision=config.precision,
        kv_precision=case.kv_precision,
        tokens_per_request=corner.tokens_per_request,
        requests=requests,
        engine=case.engine,
        adapters=corner.adapters,
        draft=corner.draft,
    )
    return replace(
        config,
        layout=layout,
        requests=requests,
        served=served,
        memory=held,
        work=served.output_tokens_per_s.scaled(working) if served else None,
    )


# Which configuration stands for a server and GPU


def _group(config: Config) -> tuple[int, int, bool]:
    """Return the place before any preference: unknown facts last, then what only holds if."""
    return (
        1 + len(config.facts) if config.facts else 0,
        0 if config.strict and not config.facts else 1,
        not config.orderable,
    )


def _choice(case: Case, config: Config) -> tuple[object, ...]:
    """Return the key by which one configuration of a server and GPU is preferred to another."""
    # Two cards let experiments run beside a service: one of them alone saves nothing that counts.
    cards = max(config.gpus, 2) if case.serves and case.trains else config.gpus
    cost = cards + SERVER_COSTS_CARDS * config.servers
    speed = _speed(case, config)
    late = _lateness(case, config)
    tail = (
        config.layout.crosses_link or (config.layout.tensor_parallel > 1 and not _fast_link(config)),
        config.layout.idle_gpus,
        config.layout.gpus_per_replica,
        config.layout.pipeline_parallel,
        config.precision,
        config.node.option_ambient_max_c is not None,
        config.node.variant or "",
        config.count,
    )
    facts = _group(config)[0]
    if case.priority == "footprint":
        # The fewest GPUs, even if they only fit if: so a heavier load never comes with fewer of them.
        return (facts, config.gpus, not config.strict, config.servers, late, speed, *tail)
    group = (*_group(config), _excess(config))
    if case.priority == "performance":
        return (*group, config.servers, late, speed, cost, *tail)
    if case.priority == "power":
        watts = config.power_w.typical if config.power_w else float("inf")
        return (*group, late, watts, cost, speed, *tail)
    return (*group, late, cost, *tail[:2], speed, *tail[2:])


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


def _lateness(case: Case, config: Config) -> int:
    """Return by how many doublings the usual times are missed; 0: kept."""
    worst = 1.0
    if config.served is not None:
        worst = max(
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


def _fast_link(config: Config) -> bool:
    return config.node.link not in ("pcie", "none") and not config.layout.crosses_link


# Order

# Each scale maps a ratio to points, straight between the given places (of the ratio's logarithm).
_SCALES: dict[str, tuple[tuple[float, float], ...]] = {
    # target / time: just kept is good enough, twice as fast is better, more is hardly noticed
    "time": ((0.25, 0), (0.5, 25), (1.0, 70), (2.0, 92), (4.0, 100)),
    # what can be carried / what is asked: some room is right, far too much is a machine too large
    "capacity": ((1.0, 70), (1.3, 95), (2.0, 100), (8.0, 95), (64.0, 70), (512.0, 40)),
    # GPU memory there / GPU memory needed
    "memory": ((1.0, 0), (1.2, 95), (1.6, 100), (2.5, 75), (4.0, 50), (8.0, 25), (24.0, 0)),
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


def _capacity(case: Case, config: Config) -> int | None:
    """Return the requests of the stated length that run at once within the targets, at the low end."""
    if not case.serves or case.kind != "tokens" or {"cache", "speed"} & set(config.facts):
        return None
    limit = config.limit
    if not config.strict:
        single = replace(config.layout, replicas=1, idle_gpus=0)
        node = config.node
        limit = _replica(
            case, config.corner, node.gpu, node.link, node.link_bytes_per_s, single, config.precision, True
        ).most
    per_server = config.layout.replicas // config.servers
    return limit * per_server * (config.servers - (1 if case.n_plus_1 else 0))


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


def _gpus_beside_service(case: Case, config: Config) -> int:
    """Return how many GPUs the service can do without, so that experiments do not stop it."""
    layout = config.layout
    if case.kind == "tokens":
        copies = ceil(config.corner.requests / max(config.limit, 1))
        if case.n_plus_1:
            copies = ceil(copies * config.servers / max(config.servers - 1, 1))
        return config.gpus - copies * layout.gpus_per_replica
    if config.work is None or not config.corner.rate:
        return config.gpus - 1
    return config.gpus - ceil(config.gpus * config.corner.rate / max(config.work.low, 1e-9))


def _criteria(case: Case, config: Config, machine: Machine) -> dict[str, float | None]:
    values: dict[str, float | None] = dict.fromkeys(CRITERIA)
    capacity = _capacity(case, config)
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
    if case.kind == "tokens":  # other models are small: their cards are filled with work, not with memory
        values["headroom"] = _points("memory", _memory_ratio(case, config))
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
        points += 12.0 if node.gpu.form in ("sxm", "oam") else 2.0
    points += {"maker": 0.0, "benchmark": 0.0, "deployed": 3.0, "preset": 6.0, "derived": 6.0}[node.evidence]
    if not node.count_known:
        points += 8.0
    if node.special_order:
        points += TIE_POINTS + 0.5
    if case.site != "edge" and _made_for_edge(node):
        points += 12.0 if node.kind in ("edge", "tower") else 8.0
    if case.cooling is None and node.cooling == frozenset({"liquid"}):
        points += 10.0
    if layout.tensor_parallel > 1 and not _fast_link(config):
        points += 4.0
    if layout.pipeline_parallel > 1 and case.serves:
        points += 8.0
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
    if case.serves and case.trains and _gpus_beside_service(case, config) < 1:
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
        case.site != "edge" and _made_for_edge(config.node),
        config.gpus,
        config.node.special_order,
        _MARKET[config.node.gpu.market_state],
        not _newest(config.node.gpu),
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


# Explanations


def _match(case: Case, config: Config, machine: Machine) -> Match:
    criteria = _criteria(case, config, machine)
    state: Literal["fits", "fits_if"] = "fits" if config.strict and not config.facts else "fits_if"
    firm = (
        state == "fits"
        and config.node.evidence in ("maker", "benchmark")
        and config.node.count_known
        and not config.soft
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
        capacity=_capacity(case, config),
        reasons=tuple(_reasons(case, config)),
        warnings=tuple(_warnings(case, config)),
    )


def _reasons(case: Case, config: Config) -> Iterator[Message]:
    """Yield at most three facts with their figures, each an answer to something that was asked."""
    held, corner = config.memory, config.corner
    need, have = held.total.typical, held.available.low
    if not case.serves:
        yield message("memory_training", need=need, have=have, gpus=config.gpus)
    elif case.kind == "tokens":
        yield message(
            "memory_serving",
            need=need,
            have=have,
            requests=corner.requests,
            tokens=corner.tokens_per_request,
        )
    else:
        yield message("memory_rate", need=need, have=have)
    if config.trained is not None and config.trained.seconds is not None:
        seconds = config.trained.seconds
        yield message("training_hours", low=seconds.low, high=seconds.high, target=corner.target_s)
    if case.serves and case.trains:
        spare = _gpus_beside_service(case, config)
        if spare > 0:
            yield message("two_roles", gpus=config.gpus, needed=config.gpus - spare)
        else:
            yield message("service_pauses", gpus=config.gpus)
        return
    if config.served is not None:
        yield message(
            "first_token",
            ttft=config.served.ttft_s.typical,
            tpot=config.served.tpot_s.typical,
            requests=corner.requests,
        )
        capacity = _capacity(case, config)
        if capacity is not None and capacity >= corner.requests:
            if case.n_plus_1:
                yield message("capacity_one_lost", capacity=capacity, requests=corner.requests)
            else:
                yield message("capacity", capacity=capacity, requests=corner.requests)
            return
    elif config.work is not None and case.serves and corner.rate:
        yield message(f"rate_{case.kind}", low=config.work.low, high=config.work.high, need=corner.rate)
    watts = config.power_w.typical if config.power_w else None
    yield message("size", gpus=config.gpus, servers=config.servers, units=config.rack_units, watts=watts)


def _warnings(case: Case, config: Config) -> Iterator[Message]:
    """Yield what a buyer has to know before relying on the match."""
    node, corner = config.node, config.corner
    yield from _state_warnings(case, config)
    for fact in config.facts:
        if fact != "derived":
            yield message(f"unknown_{fact}")
    yield from config.soft
    if node.evidence == "derived":
        yield message("derived")
    elif node.evidence in ("deployed", "preset"):
        yield message(node.evidence)
    if not node.count_known:
        yield message("count_unpublished")
    if not node.server_orderable:
        yield message("server_not_orderable", successor=node.successor)
    elif not node.option_orderable:
        yield message("option_not_orderable")
    if node.special_order:
        yield message("special_order")
    if not node.gpu.memory_reported:
        yield message("memory_derived", low=node.gpu.memory_bytes.low, high=node.gpu.memory_bytes.high)
    yield from _layout_warnings(case, config)
    yield from _precision_warnings(case, config)
    yield from _condition_warnings(case, config)
    if case.serves:
        yield from _usual_warnings(case, config)
    if config.trained is not None:
        seconds = config.trained.seconds
        if corner.target_s is None and seconds is not None and seconds.typical > case.typical_target_s:
            yield message("usual_hours", value=seconds.typical, usual=case.typical_target_s)
        if config.trained.recompute == "full" and case.recompute is None:
            yield message("recompute_full")
    if case.trains and not case.serves and config.servers > 1 and corner.network_bytes_per_s is None:
        yield message("network_unknown", servers=config.servers)
    if case.n_plus_1:
        yield message("spare", servers=config.servers)


def _state_warnings(case: Case, config: Config) -> Iterator[Message]:
    """Yield what a match that only fits if depends on."""
    if config.strict:
        return
    corner, held = config.corner, config.memory
    said = False
    if held.total.high > held.available.low:
        said = True
        yield message("range_memory", high=held.total.high, have=held.available.low)
    if config.served is not None:
        for name, value, target in (
            ("range_ttft", config.served.ttft_s.high, corner.ttft_s),
            ("range_tpot", config.served.tpot_s.high, corner.tpot_s),
        ):
            if target is not None and value > target:
                said = True
                yield message(name, high=value, target=target)
    rated = config.work is not None and case.serves and case.kind != "tokens"
    if rated and config.work is not None and corner.rate and config.work.low < corner.rate:
        said = True
        yield message("range_rate", low=config.work.low, need=corner.rate)
    trained = config.trained
    if trained is not None:
        if trained.memory.total.high > trained.memory.available.low and case.serves:
            said = True
            yield message("range_memory", high=trained.memory.total.high, have=trained.memory.available.low)
        high = trained.seconds.high if trained.seconds is not None else 0.0
        if corner.target_s is not None and high > corner.target_s:
            said = True
            yield message("range_hours", high=high, target=corner.target_s)
    if not said:
        yield message("range_answers" if case.hard != case.easy else "range_estimates")


def _layout_warnings(case: Case, config: Config) -> Iterator[Message]:
    node, layout = config.node, config.layout
    if layout.tensor_parallel > 1 and not _fast_link(config):
        joined = node.link_max_gpus if node.link not in ("pcie", "none") else 1
        yield message("tensor_over_pcie", gpus=layout.tensor_parallel, joined=joined)
    elif layout.gpus_per_replica > 1 and node.link in ("pcie", "none"):
        yield message("split_over_pcie", gpus=layout.gpus_per_replica)
    if layout.pipeline_parallel > 1:
        code = "pipeline" if case.serves else "pipeline_training"
        yield message(code, stages=layout.pipeline_parallel)
    if layout.idle_gpus:
        if case.together and case.trains and case.serves:
            yield message("training_cards", gpus=layout.idle_gpus)
        else:
            yield message("idle", gpus=layout.idle_gpus)
    if config.count == 3 and case.together:
        pass  # the cards without a part in the service train
    elif config.count == 3 and not case.serves:
        yield message("three_workers")
    elif config.count == 3:
        yield message(
            "three_cards", tensor=layout.tensor_parallel, replicas=layout.replicas // config.servers
        )
    if node.gpu.devices_per_board > 1 and node.gpu.form != "superchip":
        yield message("several_devices", devices=node.gpu.devices_per_board)


def _precision_warnings(case: Case, config: Config) -> Iterator[Message]:
    if config.fallback:
        yield message("auto_8bit", precision=config.precision)
    if not case.serves:
        return
    model = config.corner.model
    assert model is not None
    support = precisions.support(config.node.gpu, config.precision, case.engine)
    if support == "weight_only" and config.precision in ("fp8", "fp4", "int8"):
        yield message("weight_only", precision=config.precision)
    if case.precision in ("int4", "fp4") and model.native_precision != case.precision:
        yield message("check_quality", precision=case.precision)


def _condition_warnings(case: Case, config: Config) -> Iterator[Message]:
    """Yield the conditions of the card in that server, and what the site has to bring."""
    node = config.node
    if node.option_ambient_max_c is not None:
        yield message("condition_ambient", limit=node.option_ambient_max_c)
    if node.card_power_cap_w is not None:
        yield message("condition_cap", watts=node.card_power_cap_w)
    if node.option_min_psu_w is not None:
        yield message("condition_psu", watts=node.option_min_psu_w)
    if node.option_min_sockets is not None and node.option_min_sockets > 1:
        yield message("condition_sockets", sockets=node.option_min_sockets)
    if node.kind == "tray" and node.enclosure_rack_units:
        yield message("enclosure", units=node.enclosure_rack_units, trays=node.enclosure_trays)
    if node.cooling == frozenset({"liquid"}):
        yield message("water")
    if case.site != "edge" and node.kind == "edge":
        yield message("edge_machine")
    if config.corner.power_w is None and config.power_w and config.power_w.high > USUAL_POWER_W:
        yield message("usual_power", watts=config.power_w.high, usual=USUAL_POWER_W)


def _usual_warnings(case: Case, config: Config) -> Iterator[Message]:
    """Yield usual times that are missed although no target was given."""
    if config.served is None:
        return
    for name, value, usual, target in (
        ("usual_ttft", config.served.ttft_s.typical, case.typical_ttft_s, config.corner.ttft_s),
        ("usual_tpot", config.served.tpot_s.typical, case.typical_tpot_s, config.corner.tpot_s),
    ):
        if target is None and value > usual:
            yield message(name, value=value, usual=usual)


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
