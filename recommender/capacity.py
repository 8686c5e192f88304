"""What a server can hold, and what a model takes: for pages of the catalog, from the calculator's figures."""

from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from typing import Any, Literal

from django.core.cache import cache

from catalog import versions
from catalog.models import GPU, AIModel, Server
from recommender import adapters, answers, calculator, cases
from recommender.ranking import RULES_VERSION
from recommender.sizing import caches, precisions, weights
from recommender.sizing.demand import Case
from recommender.sizing.specs import AIModelSpec, GPUSpec, Layout, NodeSpec, Precision, Range, Support

CACHE_SECONDS = 24 * 3600
# One model of each usual size, the newest of its class that everybody knows.
REFERENCE_MODELS = (
    "llama-3.1-8b",
    "qwen3-32b",
    "llama-3.3-70b",
    "gpt-oss-120b",
    "llama-3.1-405b",
    "deepseek-v3",
)
REFERENCE_TOKENS = 8192
# Types to try where a model does not fit in its own, in the order in which a GPU is asked for them.
NARROWER: tuple[tuple[Precision, ...], ...] = (("fp8", "int8"), ("fp4", "int4"))
BITS: dict[Precision, int] = {"fp32": 32, "bf16": 16, "fp16": 16, "fp8": 8, "int8": 8, "int4": 4, "fp4": 4}
MOST_OPTIONS = 3  # of one server
MOST_SERVERS = 6  # that hold one model
ANSWERED = (8192, 32_768, 131_072)  # lengths of a request for which the smallest server is named
COUNTS = (1, 2, 3, 4, 6, 8)  # GPUs of one server that a model is split over
CONTEXTS = (2048, 8192, 32_768, 131_072, 1_048_576)
PRECISIONS: tuple[Precision, ...] = ("bf16", "fp16", "fp8", "int8", "int4", "fp4")


@dataclass(frozen=True, slots=True)
class Held:
    """One model on one option of a server."""

    model: str
    name: str
    state: str
    precision: str
    requests: tuple[int, int, int] | None  # at once: at least, typically, at best; None: no cache, or no fit
    need: Range  # on each GPU [bytes]
    have: Range
    layout: Layout


@dataclass(frozen=True, slots=True)
class HoldingOption:
    """The most GPUs of one kind in a server, with the reference models on them."""

    gpu: str
    gpu_name: str
    count: int  # GPUs
    cards: int  # on which they come
    derived: bool
    held: tuple[Held, ...]


@dataclass(frozen=True, slots=True)
class Holder:
    """A server that holds a model with the fewest of its GPUs."""

    server: str
    server_name: str
    gpu: str
    gpu_name: str
    count: int  # GPUs
    cards: int  # on which they come
    precision: str
    orderable: bool
    derived: bool
    requests: tuple[int, int, int] | None
    need: Range
    have: Range


@dataclass(frozen=True, slots=True)
class Smallest:
    """The smallest server for one way of keeping the weights, by the length of a request."""

    types: tuple[Precision, ...]  # of the weights: the first that a GPU takes; empty: the model's own
    holders: tuple[tuple[int, Holder | None], ...]  # tokens, and None where no single server holds it


@dataclass(frozen=True, slots=True)
class OnGPU:
    """How many GPUs of one kind hold a model with one request of the reference length."""

    model: str
    name: str
    native: Precision
    counts: tuple[tuple[str, int | None], ...]  # type of the weights; None: more than a server takes


@dataclass(frozen=True, slots=True)
class Generation:
    """How the GPUs of one generation take each precision."""

    vendor: str
    architecture: str
    gpus: tuple[str, ...]
    support: dict[Precision, Support]


@dataclass(frozen=True, slots=True)
class ModelMemory:
    """What one model takes, whatever it runs on."""

    weights: tuple[tuple[Precision, Range, bool], ...]  # whole checkpoint [bytes], whether measured
    contexts: tuple[tuple[int, Range, Range], ...]  # tokens, cache of one request in bf16 and in fp8 [bytes]
    bytes_per_token: tuple[float, float] | None  # past every window, in bf16 and in fp8
    window: int | None  # tokens past which layers with a window keep no more
    generations: tuple[Generation, ...]
    holders: tuple[Holder, ...]
    narrower: tuple[Holder, ...]  # servers that hold it in fewer bits only
    smallest: tuple[Smallest, ...]  # empty: not a text model, or its cache is not understood
    tokens: int  # of the request that the holders hold
    cache_known: bool


def held_by_server(server: Server) -> tuple[HoldingOption, ...]:
    """Return what the largest options of a server hold; empty: none is published.

    `server` is a row of `Server.objects.for_page()`: nothing but the reference models is read here, so that
    the page of a server stays quick in a new process too.
    """
    return _kept("server", server.slug, lambda: _held_by_server(server))


def held_by_gpu(gpu: GPU, most: int) -> tuple[OnGPU, ...]:
    """Return how many of a GPU each reference model needs, of at most `most`; empty: it runs no such model.

    Each model in its own type first, then in the types with fewer bits that the GPU takes.
    """
    if not gpu.serves_language_models or most < 1:
        return ()
    return _kept("gpu", f"{gpu.slug}:{most}", lambda: _held_by_gpu(adapters.gpu_spec(gpu), most))


def model_memory(slug: str) -> ModelMemory:
    """Return what a published model takes and the smallest servers that hold it."""
    return _kept("model", slug, lambda: _model_memory(adapters.load_specs(), slug))


def native_weights() -> dict[str, Range]:
    """Return the weights of every published model in its own type [bytes], by slug."""

    def make() -> dict[str, Range]:
        models = adapters.load_specs().models.values()
        return {model.slug: weights.weight_bytes(model, model.native_precision) for model in models}

    return _kept("weights", "all", make)


def _kept(kind: str, slug: str, make: Callable[[], Any]) -> Any:
    """Return what was made for this catalog and these rules before, or make it."""
    key = f"capacity:{RULES_VERSION}:{versions.current()}:{kind}:{slug}"
    found = cache.get(key)
    if found is None:
        found = make()
        cache.set(key, found, CACHE_SECONDS)
    return found


def _one_request(model: AIModelSpec, tokens: int = REFERENCE_TOKENS) -> Case:
    """Return the question for one request of this length, or of the longest that the model takes."""
    asked = {"stage": "inference", "model": model.slug}
    if model.generates_tokens:
        tokens = min(tokens, model.max_context or tokens)
        asked |= {"concurrency": "1", "context_tokens": str(tokens)}
    resolved = cases.resolve(answers.parse(asked), {model.slug: model}, {}, {}, {})
    if not isinstance(resolved, cases.Resolved):
        raise cases.BadAnswers(resolved)
    return resolved.case


def _held_by_server(server: Server) -> tuple[HoldingOption, ...]:
    nodes = adapters.machine_of(server).nodes
    if not nodes:
        return ()
    names = {
        option.gpu.slug: option.gpu.name for row in server.variants.all() for option in row.gpu_options.all()
    }
    rows = {row.slug: row for row in AIModel.objects.for_sizing().filter(slug__in=REFERENCE_MODELS)}
    models = [
        (rows[slug].name, adapters.ai_model_spec(rows[slug])) for slug in REFERENCE_MODELS if slug in rows
    ]
    best: dict[str, NodeSpec] = {}
    for node in nodes:
        kept = best.get(node.gpu.slug)
        if node.gpu.serves_language_models and (kept is None or max(node.counts) > max(kept.counts)):
            best[node.gpu.slug] = node

    def rank(node: NodeSpec) -> tuple[Any, ...]:
        memory = max(node.counts) * node.gpu.memory_bytes.low
        return (not node.option_orderable, node.evidence == "derived", -memory, node.gpu.slug)

    found = []
    for node in sorted(best.values(), key=rank)[:MOST_OPTIONS]:
        machine = calculator.Hardware(node.gpu, max(node.counts), link_max_gpus=node.link_max_gpus)
        held = tuple(_held(name, model, machine) for name, model in models)
        found.append(
            HoldingOption(
                node.gpu.slug,
                names[node.gpu.slug],
                machine.gpus,
                node.gpu.cards(machine.gpus),
                node.evidence == "derived",
                held,
            )
        )
    return tuple(found)


def _held_by_gpu(gpu: GPUSpec, most: int) -> tuple[OnGPU, ...]:
    rows = {row.slug: row for row in AIModel.objects.for_sizing().filter(slug__in=REFERENCE_MODELS)}
    counts = [count for count in COUNTS if count <= most]
    found = []
    for row in (rows[slug] for slug in REFERENCE_MODELS if slug in rows):
        model = adapters.ai_model_spec(row)
        case = _one_request(model)
        ways = [_fewest(case, gpu, counts)]  # in its own type, or in the one that this GPU takes for it
        for kinds in NARROWER:
            taken = _taken(gpu, kinds)
            if taken and BITS[taken] < BITS[model.native_precision]:
                ways.append(_fewest(replace(case, precision=taken), gpu, counts))
        found.append(OnGPU(row.slug, row.name, model.native_precision, tuple(dict.fromkeys(ways))))
    return tuple(found)


def _fewest(case: Case, gpu: GPUSpec, counts: list[int]) -> tuple[str, int | None]:
    """Return the type of the weights and the smallest of these numbers of GPUs that holds the case."""
    best = None
    for count in counts:
        machine = calculator.Hardware(gpu, count)
        best = calculator.best_of(tuple(calculator.fits_of(case, machine)), machine)
        if best is not None and best.state == "fits":
            return best.precision, count
    return best.precision if best else case.precision, None


def _held(name: str, model: AIModelSpec, machine: calculator.Hardware) -> Held:
    """Return the layout that runs the most requests, or the one that misses by least.

    A model in 16 bits that does not fit is tried in 8, as the advice does.
    """
    case = _one_request(model)
    best = _most(case, machine)
    if best.state == "no" and model.native_precision in ("fp32", "bf16", "fp16"):
        assert machine.gpu is not None
        eight: tuple[Precision, ...] = ("fp8", "int8")
        taken = [kind for kind in eight if precisions.support(machine.gpu, kind) == "native"]
        if taken:
            best = _most(replace(case, precision=taken[0]), machine)
    return Held(
        model.slug,
        name,
        best.state,
        best.precision,
        None if best.state == "no" else _requests(best),
        best.memory.total,
        best.memory.available,
        best.layout,
    )


def _most(case: Case, machine: calculator.Hardware) -> calculator.Fit:
    """Return the layout that runs the most requests, or the one that misses by least."""
    fits = tuple(calculator.fits_of(case, machine))
    best = max(
        (fit for fit in fits if fit.state != "no"),
        key=lambda fit: (fit.state == "fits", (_requests(fit) or (0,))[0]),
        default=calculator.best_of(fits, machine),
    )
    assert best is not None
    return best


def _requests(fit: calculator.Fit) -> tuple[int, int, int] | None:
    """Return how many requests run at once on all GPUs: at least, typically, at best."""
    if fit.most is None:
        return None
    copies = fit.layout.replicas
    return int(fit.most.low) * copies, int(fit.most.typical) * copies, int(fit.most.high) * copies


def _model_memory(specs: adapters.Specs, slug: str) -> ModelMemory:
    model = specs.models[slug]
    sizes = [
        (precision, weights.weight_bytes(model, precision), precision in model.measured_weights)
        for precision in _types_of(model)
    ]
    contexts, per_token = [], None
    if model.cache_known and model.cache_groups and model.generates_tokens:
        for tokens in _lengths(model):
            pair = [
                caches.cache_bytes(model, tokens=tokens, requests=1, kv_precision=kind)
                for kind in ("bf16", "fp8")
            ]
            contexts.append((tokens, pair[0], pair[1]))
        per_token = (
            caches.cache_bytes_per_token(model, "bf16"),
            caches.cache_bytes_per_token(model, "fp8"),
        )
    holders = _holders(specs, model, _own_type)
    narrower: dict[str, Holder] = {}
    for types in NARROWER:
        if not narrower and model.generates_tokens and BITS[model.native_precision] > BITS[types[0]]:
            narrower = _holders(specs, model, lambda gpu, types=types: _taken(gpu, types), without=holders)
    return ModelMemory(
        weights=tuple(sizes),
        contexts=tuple(contexts),
        bytes_per_token=per_token,
        window=caches.widest_window(model) if per_token else None,
        generations=_generations(specs),
        holders=tuple(holders.values())[:MOST_SERVERS],
        narrower=tuple(narrower.values())[:MOST_SERVERS],
        smallest=_smallest(specs, model),
        tokens=_one_request(model).hard.tokens_per_request,
        cache_known=model.cache_known,
    )


def _smallest(specs: adapters.Specs, model: AIModelSpec) -> tuple[Smallest, ...]:
    """Return the smallest server by type of the weights and length of the request, the own type first."""
    if not model.generates_tokens or not model.cache_known:
        return ()
    longest = model.max_context or ANSWERED[-1]
    lengths = [tokens for tokens in ANSWERED if tokens <= longest] or [longest]
    ways: list[tuple[Precision, ...]] = [()]
    ways += [types for types in NARROWER if BITS[model.native_precision] > BITS[types[0]]]

    def first(types: tuple[Precision, ...], tokens: int) -> Holder | None:
        type_of = (lambda gpu: _taken(gpu, types)) if types else _own_type
        return next(iter(_holders(specs, model, type_of, tokens=tokens).values()), None)

    return tuple(
        Smallest(types, tuple((tokens, first(types, tokens)) for tokens in lengths)) for types in ways
    )


def _types_of(model: AIModelSpec) -> tuple[Precision, ...]:
    """Return the types that the weights are kept in, widest first; the model's own always among them."""
    if not model.generates_tokens:
        return (model.native_precision,)
    types: list[Precision] = ["bf16", "fp8", "int8", "int4", "fp4"]
    if model.native_precision not in types:
        types[0] = model.native_precision
    return tuple(types)


def _lengths(model: AIModelSpec) -> tuple[int, ...]:
    longest = model.max_context or CONTEXTS[-1]
    return tuple(sorted({length for length in CONTEXTS if length < longest} | {longest}))


def _generations(specs: adapters.Specs) -> tuple[Generation, ...]:
    rows: dict[tuple[Any, ...], list[GPUSpec]] = {}
    for nodes in calculator.nodes_by_gpu(specs).values():
        gpu = nodes[0].gpu
        if gpu.serves_language_models:
            support = tuple(precisions.support(gpu, precision) for precision in PRECISIONS)
            rows.setdefault((gpu.vendor, gpu.architecture, support), []).append(gpu)

    def rank(key: tuple[Any, ...]) -> tuple[Any, ...]:
        newest = max(gpu.compute_capability or (0, 0) for gpu in rows[key])
        return (
            (-sum(len(found) for other, found in rows.items() if other[0] == key[0]), key[0]),
            (
                -newest[0],
                -newest[1],
            ),
            key[1],
        )

    return tuple(
        Generation(
            specs.names.get(key[0], key[0]),
            key[1],
            tuple(sorted(specs.names[gpu.slug] for gpu in rows[key])),
            dict(zip(PRECISIONS, key[2], strict=True)),
        )
        for key in sorted(rows, key=rank)
    )


def _own_type(_gpu: GPUSpec) -> Literal["own"]:
    """Return what leaves the type of the weights to the model and the card."""
    return "own"


def _taken(gpu: GPUSpec, types: tuple[Precision, ...]) -> Precision | None:
    """Return the first of these types that a GPU computes in or keeps weights in; None: it takes none."""
    able = [kind for kind in types if precisions.support(gpu, kind) == "native"]
    able += [kind for kind in types if precisions.support(gpu, kind) == "weight_only"]
    return able[0] if able else None


def _holders(
    specs: adapters.Specs,
    model: AIModelSpec,
    type_of: Callable[[GPUSpec], Precision | Literal["own"] | None],
    without: Container[str] = (),
    tokens: int = REFERENCE_TOKENS,
) -> dict[str, Holder]:
    """Return the servers that hold the model and one request of `tokens`, by slug.

    Least GPU memory first, what can be ordered ahead of what cannot, published options ahead of derived ones.
    `type_of` gives the type of the weights on a GPU: "own" leaves it to the model, None rules the GPU out.
    """
    one = _one_request(model, tokens)
    tried: dict[tuple[str, int], calculator.Fit | None] = {}

    def fit_of(gpu: GPUSpec, count: int) -> calculator.Fit | None:
        if (gpu.slug, count) not in tried:
            precision, best = type_of(gpu), None
            if precision is not None:
                case = one if precision == "own" else replace(one, precision=precision)
                machine = calculator.Hardware(gpu, count)
                best = calculator.best_of(tuple(calculator.fits_of(case, machine)), machine)
            holds = best is not None and (best.state == "fits" or calculator.holds_weights(best))
            tried[gpu.slug, count] = best if holds else None
        return tried[gpu.slug, count]

    found: dict[str, tuple[tuple[Any, ...], Holder]] = {}
    for machine in specs.machines:
        for node in machine.nodes:
            if node.server in without:
                continue
            if one.kind == "tokens" and not node.gpu.serves_language_models:
                continue
            for count in node.counts:
                fit = fit_of(node.gpu, count)
                if fit is None:
                    continue
                holder = _holder(specs, node, count, fit)
                units = node.rack_units or node.enclosure_rack_units or 99
                rank = (
                    not holder.orderable,
                    holder.derived,
                    node.gpu.market_state != "current",
                    count * node.gpu.memory_bytes.low,
                    units,
                    node.server,
                )
                if node.server not in found or rank < found[node.server][0]:
                    found[node.server] = (rank, holder)
                break
    ordered = sorted(found.values(), key=lambda item: item[0])
    return {holder.server: holder for _rank, holder in ordered}


def _holder(specs: adapters.Specs, node: NodeSpec, count: int, fit: calculator.Fit) -> Holder:
    return Holder(
        server=node.server,
        server_name=specs.names[node.server],
        gpu=node.gpu.slug,
        gpu_name=specs.names[node.gpu.slug],
        count=count,
        cards=node.gpu.cards(count),
        precision=fit.precision,
        orderable=node.server_orderable and node.option_orderable,
        derived=node.evidence == "derived",
        requests=_requests(fit),
        need=fit.memory.total,
        have=fit.memory.available,
    )
