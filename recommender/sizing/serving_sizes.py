"""Sizes of a server that carry a service: text by replicas and requests, other work by rates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, floor

from recommender.sizing import latency, layouts, memory, precisions
from recommender.sizing.configurations import MAX_SERVERS, Config, Failure, Trained, facts_with
from recommender.sizing.demand import Case, Corner, message
from recommender.sizing.rules import most_servers
from recommender.sizing.specs import (
    AIModelSpec,
    Engine,
    GPUSpec,
    KVPrecision,
    Layout,
    Link,
    Memory,
    NodeSpec,
    Precision,
    Range,
)

# A replica that must run fewer requests than these to be sure of its times, though it holds more, is not
# multiplied over more servers than those.
FEW_REQUESTS, FEW_SERVERS = 4, 3


@dataclass(frozen=True, slots=True, eq=False)
class _Service:
    """A service of text alone. Equal ones are the same object (`_same`), so that none is ever compared."""

    case: Case
    corner: Corner


def precision_of(case: Case, model: AIModelSpec, nodes: Sequence[NodeSpec]) -> tuple[Precision | None, bool]:
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
    model: AIModelSpec,
    gpu: GPUSpec,
    counts: tuple[int, ...],
    precision: Precision,
    kv_precision: KVPrecision,
    engine: Engine,
) -> bool:
    for count in counts:
        for layout in layouts.inference_layouts(model, gpus_per_server=count, servers=1, link_max_gpus=count):
            held = memory.inference_memory(
                understood(model),
                gpu,
                replace(layout, replicas=1, idle_gpus=0),
                precision=precision,
                kv_precision=kv_precision,
                tokens_per_request=1,
                requests=0,
                engine=engine,
            )
            if held.total.high <= held.available.low:
                return True
    return False


def _holds_weights(case: Case, model: AIModelSpec, node: NodeSpec, precision: Precision) -> bool:
    """Tell whether the weights of that type lie on the cards of a server, whatever the load."""
    return _weights_fit(model, node.gpu, node.counts, precision, case.kv_precision, case.engine)


def _takes(gpu: GPUSpec, precision: Precision, engine: Engine) -> bool:
    return precisions.support(gpu, precision, engine) == "native"


@dataclass(frozen=True, slots=True)
class TextSize:
    """Servers that carry a service of text in one layout, before their figures are worked out."""

    node: NodeSpec
    count: int
    layout: Layout
    replica: "_Replica"
    working: int  # servers without the one in reserve
    servers: int
    piled: bool

    def on(self, servers: int) -> "TextSize":
        """Return the same on so many servers, of which as many as before are in reserve."""
        return replace(self, servers=servers, working=servers - (self.servers - self.working))


def bare_sizes(
    case: Case, node: NodeSpec, corner: Corner, strict: bool, precision: Precision, count: int
) -> Iterator[TextSize | Failure]:
    """Yield every size of a node with so many cards that carries a service of text, and why others do not."""
    cards = node.gpu, node.link, node.link_bytes_per_s, node.link_max_gpus
    for layout, replica in _replicas(_service(case, corner), *cards, precision, strict, count):
        yield from _text_size(case, node, corner, strict, precision, count, layout, replica)


@lru_cache(maxsize=8192)
def _replicas(
    service: _Service,
    gpu: GPUSpec,
    link: Link,
    link_bytes_per_s: float | None,
    link_max_gpus: int,
    precision: Precision,
    strict: bool,
    count: int,
) -> tuple[tuple[Layout, "_Replica"], ...]:
    """Return every layout over so many cards with what one replica of it carries."""
    model = service.corner.model
    assert model is not None
    found = layouts.inference_layouts(model, gpus_per_server=count, servers=1, link_max_gpus=link_max_gpus)
    return tuple(
        (
            layout,
            _replica(service, gpu, link, link_bytes_per_s, layout.one_replica, precision, strict),
        )
        for layout in found
    )


def _text_size(
    case: Case,
    node: NodeSpec,
    corner: Corner,
    strict: bool,
    precision: Precision,
    count: int,
    layout: Layout,
    replica: "_Replica",
) -> Iterator[TextSize | Failure]:
    """Yield the fewest servers of one layout that carry the load within the targets given."""
    if replica.most < 1:
        if strict:
            return  # why is asked at the easy corner
        yield _text_failure(case, node, corner, layout.one_replica, precision, replica, count)
        return
    spare = 1 if case.n_plus_1 else 0
    per_server = layout.replicas
    needed = _needed(corner, replica, per_server)
    if needed + spare > MAX_SERVERS:
        yield Failure(
            node.gpu.slug,
            (message("throughput", need=needed + spare, have=MAX_SERVERS),),
            needed / MAX_SERVERS,
            count,
        )
        return
    if strict and _is_pile(replica, needed):
        return  # certainty from a pile of servers that hardly work: what may hold with fewer is the advice
    sizes = [(needed, False)]
    if not strict and case.priority != "footprint":
        sizes += [
            (servers, True) for servers in _instead_of_certain(case, node, precision, count, layout, needed)
        ]
    for working, piled in sizes:
        yield TextSize(node, count, layout, replica, working, working + spare, piled)


def _needed(corner: Corner, replica: "_Replica", per_server: int) -> int:
    """Return the servers at work that carry the load [count]."""
    needed = ceil(corner.requests / (per_server * replica.most))
    if replica.arrivals_per_s and corner.arrivals_per_s:
        needed = max(needed, ceil(corner.arrivals_per_s / (per_server * replica.arrivals_per_s)))
    return needed


def _is_pile(replica: "_Replica", needed: int) -> bool:
    """Tell whether certainty would take many servers whose replicas could hold more than they may run."""
    return replica.most < min(replica.by_memory, FEW_REQUESTS) and needed > FEW_SERVERS


def _instead_of_certain(
    case: Case, node: NodeSpec, precision: Precision, count: int, layout: Layout, least: int
) -> Iterator[int]:
    """Yield the servers at work that stand in for what cannot be certain, if anything has to.

    Of a pile with n servers for certainty, and m where each replica runs a few requests as its memory allows,
    they are min(n, max(few, m)). n and m only grow with the load, and below a pile n <= max(few, m). Where
    certainty asks for more than the space and the power that were given, they are what these hold. So a
    heavier load never takes fewer servers when certainty gives way. They are at least those of the favourable
    end.
    """
    hard, per_server = case.hard, layout.replicas
    if hard.model != case.easy.model:
        return
    single = layout.one_replica
    sure = _replica(_service(case, hard), node.gpu, node.link, node.link_bytes_per_s, single, precision, True)
    if sure.most < 1:
        return
    spare = 1 if case.n_plus_1 else 0
    certain = _needed(hard, sure, per_server)
    wanted = min(certain, MAX_SERVERS - spare)
    if _is_pile(sure, certain):
        modest = ceil(hard.requests / (per_server * min(sure.by_memory, FEW_REQUESTS)))
        wanted = min(wanted, max(FEW_SERVERS, modest))
    held = most_servers(case.easy, node, count, wanted + spare) - spare
    if wanted < certain or held < wanted:
        yield max(least, min(wanted, held))


def config_of(
    case: Case,
    corner: Corner,
    strict: bool,
    precision: Precision,
    size: TextSize,
    fallback: bool = False,
    trained: Trained | None = None,
) -> Config:
    """Return the configuration of a size, with its figures and with what is trained on it by turns."""
    node, layout, servers = size.node, size.layout, size.servers
    single = layout.one_replica
    requests = ceil(corner.requests / (layout.replicas * size.working))
    assert corner.model is not None
    held, served = _carried(
        _service(case, corner), node.gpu, node.link, node.link_bytes_per_s, single, precision, requests
    )
    facts: tuple[str, ...] = ()
    if not size.replica.timed:
        facts = ("speed",) if corner.model.cache_known else ("cache",)
    return Config(
        node=node,
        corner=corner,
        strict=strict,
        piled=size.piled,
        fallback=fallback,
        count=size.count,
        servers=servers,
        precision=precision,
        layout=Layout(
            layout.tensor_parallel,
            layout.pipeline_parallel,
            layout.replicas * servers,
            layout.idle_gpus * servers,
            layout.crosses_link,
        ),
        memory=held,
        served=served,
        requests=requests,
        limit=size.replica.most,
        work=served.output_tokens_per_s.scaled(layout.replicas * size.working) if served else None,
        trained=trained,
        facts=facts if trained is None else facts_with(facts, trained),
    )


@lru_cache(maxsize=512)
def understood(model: AIModelSpec) -> AIModelSpec:
    """Return the model without the cache that nobody has described, so that its weights can be sized."""
    return model if model.cache_known else replace(model, cache_groups=(), cache_known=True)


@dataclass(frozen=True, slots=True)
class _Replica:
    """What one replica carries, whatever the server around it."""

    most: int  # requests that hold at the corner, memory and given targets together
    by_memory: int
    timed: bool  # false: no speed can be worked out
    arrivals_per_s: float | None  # sustained when full; None: not asked or not known


@lru_cache(maxsize=512)
def _service(case: Case, corner: Corner) -> _Service:
    """Return what a service of text alone reads of a case and a corner: training beside it changes none of
    its sizes, so that they are not worked out again when only that is moved.
    """
    alone = Corner(
        model=corner.model,
        draft=corner.draft,
        adapters=corner.adapters,
        arrivals_per_s=corner.arrivals_per_s,
        arrivals_given=corner.arrivals_given,
        input_tokens=corner.input_tokens,
        output_tokens=corner.output_tokens,
        tokens_per_request=corner.tokens_per_request,
        prefix_percent=corner.prefix_percent,
        prefix_tokens=corner.prefix_tokens,
        ttft_s=corner.ttft_s,
        tpot_s=corner.tpot_s,
    )
    service = Case(
        kind="tokens",
        serves=True,
        trains=False,
        hard=alone,
        easy=alone,
        typical_ttft_s=0.0,
        typical_tpot_s=0.0,
        typical_target_s=0.0,
        kv_precision=case.kv_precision,
        engine=case.engine,
    )
    return _same(service, alone)


@lru_cache(maxsize=512)
def _same(service: Case, alone: Corner) -> _Service:
    """Return the first of all services that are equal."""
    return _Service(service, alone)


@lru_cache(maxsize=8192)
def _carried(
    service: _Service,
    gpu: GPUSpec,
    link: Link,
    link_bytes_per_s: float | None,
    layout: Layout,
    precision: Precision,
    requests: int,
) -> tuple[Memory, latency.Serving | None]:
    """Return what one replica holds and how fast it is with so many requests; None: that is not known."""
    case, corner = service.case, service.corner
    model = corner.model
    assert model is not None
    served = None
    if model.cache_known:
        served = _serving(case, corner, gpu, link, link_bytes_per_s, layout, precision, requests)
    held = memory.inference_memory(
        understood(model),
        gpu,
        layout,
        precision=precision,
        kv_precision=case.kv_precision,
        tokens_per_request=corner.tokens_per_request,
        requests=requests,
        engine=case.engine,
        adapters=corner.adapters,
        draft=corner.draft,
        prefix_tokens=corner.prefix_tokens,
    )
    return held, served


@lru_cache(maxsize=8192)
def _replica(
    service: _Service,
    gpu: GPUSpec,
    link: Link,
    link_bytes_per_s: float | None,
    layout: Layout,
    precision: Precision,
    strict: bool,
) -> _Replica:
    case, corner = service.case, service.corner
    model = corner.model
    assert model is not None
    held = memory.max_requests(
        understood(model),
        gpu,
        layout,
        precision=precision,
        kv_precision=case.kv_precision,
        tokens_per_request=corner.tokens_per_request,
        engine=case.engine,
        adapters=corner.adapters,
        draft=corner.draft,
        prefix_tokens=corner.prefix_tokens,
    )
    by_memory = floor(held.low if strict else held.high)
    if by_memory < 1:
        return _Replica(0, 0, True, None)

    prepared = None
    if model.cache_known:
        prepared = _prepared(case, corner, gpu, link, link_bytes_per_s, layout, precision)
    if prepared is None:
        return _Replica(by_memory, by_memory, False, None)
    most = by_memory
    if corner.ttft_s is not None or corner.tpot_s is not None:
        # Usual requests are over sooner than the longest ones and come more often: first tokens keep their
        # target at that pace too, so that a longer context never lets more requests in.
        usual = min(corner.tokens_per_request, corner.input_tokens + corner.output_tokens)
        quick = None
        if corner.ttft_s is not None and usual < corner.tokens_per_request:
            quick = _prepared(case, corner, gpu, link, link_bytes_per_s, layout, precision, usual)
        place = 2 if strict else 0

        def holds(count: int) -> bool:
            return prepared.keeps(count, corner.ttft_s, corner.tpot_s, place) and (
                quick is None or quick.keeps(count, corner.ttft_s, None, place)
            )

        most = latency.largest(by_memory, holds)
    arrivals = None
    if corner.arrivals_per_s is not None and most:
        full = prepared.serving(most)
        place = 0 if not strict else 2 if corner.arrivals_given else 1
        turn = _end(full.ttft_s, place) + corner.output_tokens * _end(full.tpot_s, place)
        arrivals = most / turn
    return _Replica(most, by_memory, True, arrivals)


def _prepared(
    case: Case,
    corner: Corner,
    gpu: GPUSpec,
    link: Link,
    link_bytes_per_s: float | None,
    layout: Layout,
    precision: Precision,
    context_tokens: int | None = None,
) -> latency.Prepared | None:
    """Return one replica under the corner's load, at its longest context where no other is given."""
    model = corner.model
    assert model is not None
    return latency.prepare(
        model,
        gpu,
        layout,
        link=link,
        link_bytes_per_s=link_bytes_per_s,
        precision=precision,
        kv_precision=case.kv_precision,
        input_tokens=corner.input_tokens,
        output_tokens=corner.output_tokens,
        prefix_percent=corner.prefix_percent,
        engine=case.engine,
        context_tokens=corner.tokens_per_request if context_tokens is None else context_tokens,
        draft=corner.draft,
    )


def prepared_replica(case: Case, config: Config) -> latency.Prepared | None:
    """Return one replica of a configuration under its load; None: its speed cannot be worked out."""
    if config.corner.model is None or not config.corner.model.cache_known:
        return None
    node, layout = config.node, config.layout
    single = layout.one_replica
    return _prepared(
        case, config.corner, node.gpu, node.link, node.link_bytes_per_s, single, config.precision
    )


def _serving(
    case: Case,
    corner: Corner,
    gpu: GPUSpec,
    link: Link,
    link_bytes_per_s: float | None,
    layout: Layout,
    precision: Precision,
    requests: int,
) -> latency.Serving | None:
    prepared = _prepared(case, corner, gpu, link, link_bytes_per_s, layout, precision)
    return None if prepared is None else prepared.serving(requests)


def _end(value: Range, place: int) -> float:
    return (value.low, value.typical, value.high)[place]


def _text_failure(
    case: Case,
    node: NodeSpec,
    corner: Corner,
    layout: Layout,
    precision: Precision,
    replica: _Replica,
    count: int,
) -> Failure:
    """Return why one replica does not even carry one request."""
    assert corner.model is not None
    if replica.by_memory < 1:
        held = memory.inference_memory(
            understood(corner.model),
            node.gpu,
            layout,
            precision=precision,
            kv_precision=case.kv_precision,
            tokens_per_request=corner.tokens_per_request,
            requests=1,
            engine=case.engine,
            adapters=corner.adapters,
            draft=corner.draft,
            prefix_tokens=corner.prefix_tokens,
        )
        need, have = held.total.low, held.available.high
        reason = message(
            "memory",
            need=need,
            have=have,
            gpus=layout.gpus_per_replica,
            precision=precision,
        )
        return Failure(node.gpu.slug, (reason,), max(need / have - 1.0, 0.0), count)
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
    return Failure(node.gpu.slug, (worst,), max(miss, 0.0), count)


def streams_of(case: Case, corner: Corner, gpus: int) -> int:
    """Return the streams of speech on each of so many cards: all are heard at once, each keeps its caches.

    Other work without an answer text keeps nothing between two pieces: 1.
    """
    return max(ceil((corner.rate or 0.0) / gpus), 1) if case.kind == "speech" else 1


def tokens_of(case: Case, corner: Corner) -> int:
    """Return the tokens that a piece of such work keeps; of speech, a full window of text."""
    assert corner.model is not None
    return (corner.model.max_context if case.kind == "speech" else corner.input_tokens) or 1


def narrowed(case: Case, config: Config, layout: Layout) -> Config:
    """Return the configuration with its requests on fewer replicas."""
    corner, node = config.corner, config.node
    assert corner.model is not None
    working = layout.replicas // config.servers * (config.servers - (1 if case.n_plus_1 else 0))
    requests = ceil(corner.requests / max(working, 1))
    single = layout.one_replica
    held, served = _carried(
        _service(case, corner),
        node.gpu,
        node.link,
        node.link_bytes_per_s,
        single,
        config.precision,
        requests,
    )
    return replace(
        config,
        layout=layout,
        requests=requests,
        served=served,
        memory=held,
        work=served.output_tokens_per_s.scaled(working) if served else None,
    )


def capacity_of(case: Case, config: Config) -> int | None:
    """Return the requests of the stated length that run at once within the targets, at the low end."""
    if not case.serves or case.kind != "tokens" or {"cache", "speed"} & set(config.facts):
        return None
    limit = config.limit
    if not config.strict:
        single = replace(config.layout, replicas=1, idle_gpus=0)
        node = config.node
        service = _service(case, config.corner)
        limit = _replica(
            service, node.gpu, node.link, node.link_bytes_per_s, single, config.precision, True
        ).most
    per_server = config.layout.replicas // config.servers
    return limit * per_server * (config.servers - (1 if case.n_plus_1 else 0))


def gpus_beside_service(case: Case, config: Config) -> int:
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
