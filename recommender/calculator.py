"""GPU memory for one model, one load and some GPUs: answers in, every layout with its lines out.

The figures come from the same functions and the same resolved case as the advice, so that both always agree.
Nothing here has a language; `recommender.calculator_page` makes the texts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from math import ceil
from typing import Any, Literal

from django.utils.translation import gettext_lazy as _

from recommender import adapters, answers, cases
from recommender.answers import Answers, Key, Problem
from recommender.case_models import size_notices
from recommender.sizing import layouts, memory, precisions, serving_sizes, shapes, weights
from recommender.sizing.breakdown import (
    ServingBreakdown,
    TrainingBreakdown,
    serving_breakdown,
    training_breakdown,
)
from recommender.sizing.configurations import MAX_SERVERS
from recommender.sizing.demand import Case, Corner
from recommender.sizing.host import Host, Work, host_of
from recommender.sizing.memory import TrainingSetup
from recommender.sizing.retrieval import Index, IndexType, index_memory, vectors_of
from recommender.sizing.specs import (
    AIModelSpec,
    GPUSpec,
    Layout,
    Link,
    Memory,
    NodeSpec,
    Offload,
    Precision,
    Range,
    Recompute,
    Sharding,
    Support,
)

State = Literal["fits", "fits_if", "no", "unknown"]

MAX_GPUS = 16  # of one server
CONTEXTS = tuple(2**power for power in range(11, 21))
LOADS = (1, 8, 32, 128)
RECIPE = ("utilization", "offload", "preference", "embedder", "reranker")  # what goes with any card
SHAPE = ("num_layers", "hidden_size", "num_kv_heads", "head_dim")
COUNTS = ("gpus", "servers", "tensor_parallel", "pipeline_parallel", "expert_parallel")
CHECKPOINTS_KEPT = 2
DIMENSIONS = 1024  # of a vector, as the embedding models of the catalog make them
NONE = "none"  # said: nothing of that kind runs there; an open answer says nothing
COMPANIONS = {"embedder": "embedding", "reranker": "reranker"}  # their key: their kind of model

HARDWARE_KEYS = {
    key.name: key
    for key in (
        Key(
            "gpu",
            "slug",
            _("Which GPU?"),
            _("Without one, the page lists the cards that hold it."),
            "hardware",
        ),
        Key(
            "gpus",
            "number",
            _("How many GPUs in one server?"),
            _("They share the model, or each carries a copy."),
            "hardware",
            unit="1",
            minimum=Decimal(1),
            maximum=Decimal(MAX_GPUS),
            whole=True,
        ),
        Key(
            "servers",
            "number",
            _("How many servers?"),
            _("Copies of the model run on each; training spreads over all."),
            "hardware",
            unit="1",
            minimum=Decimal(1),
            maximum=Decimal(MAX_SERVERS),
            whole=True,
        ),
        Key(
            "utilization",
            "number",
            _("Which part of each card may the engine use?"),
            _("vLLM takes 90 % unless it is told otherwise; above 95 % it often runs out of memory."),
            "hardware",
            unit="%",
            unit_label="%",
            minimum=Decimal(10),
            maximum=Decimal(100),
            stages=answers.SERVING,
        ),
        # A model that is not in the catalog: what is left open takes a usual shape of its size.
        *(
            Key(
                name,
                "number",
                label,
                _("Decides the cache of a model that is not in the catalog."),
                "hardware",
                unit="1",
                minimum=Decimal(1),
                maximum=Decimal(maximum),
                whole=True,
            )
            for name, label, maximum in (
                ("num_layers", _("How many layers?"), 1000),
                ("hidden_size", _("How wide are they (hidden size)?"), 65_536),
                ("num_kv_heads", _("How many key/value heads?"), 1024),
                ("head_dim", _("How large is a head (dimension)?"), 1024),
            )
        ),
        *(
            Key(
                name,
                "slug",
                label,
                _("It takes memory from the model on the card where it runs."),
                "hardware",
                stages=answers.SERVING,
            )
            for name, label in (
                ("embedder", _("Which embedding model runs on the same card?")),
                ("reranker", _("Which reranker runs on the same card?")),
            )
        ),
        Key(
            "index_type",
            "choice",
            _("Which kind of vector index?"),
            _("A graph is quick and large, compressed vectors are small and less exact."),
            "hardware",
            choices=(
                ("hnsw", _("Graph (HNSW)")),
                ("flat", _("Every vector (flat)")),
                ("ivf_pq", _("Clusters of compressed vectors (IVF-PQ)")),
            ),
            stages=answers.SERVING,
        ),
        Key(
            "offload",
            "choice",
            _("What is kept in host memory instead of on the GPU?"),
            _("Saves GPU memory and costs time at every step."),
            "hardware",
            choices=(
                ("none", _("Nothing")),
                ("optimizer", _("Optimizer states")),
                ("activations", _("Activations")),
                ("both", _("Both")),
            ),
            stages=answers.LEARNING,
        ),
        Key(
            "preference",
            "yes_no",
            _("Is it trained on preferences (DPO)?"),
            _("A reference model lies in memory beside the trained one."),
            "hardware",
            choices=answers.YES_NO,
            stages=answers.LEARNING,
        ),
        # Chosen in the table of layouts.
        *(
            Key(
                name,
                "number",
                label,
                "",
                "hardware",
                unit="1",
                minimum=Decimal(1),
                maximum=Decimal(MAX_GPUS * MAX_SERVERS),
                whole=True,
            )
            for name, label in (
                ("tensor_parallel", _("GPUs that share each layer")),
                ("pipeline_parallel", _("Stages of layers")),
                ("expert_parallel", _("GPUs that share the experts")),
            )
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Hardware:
    """The GPUs that the reader names; no `gpu`: none was chosen."""

    gpu: GPUSpec | None = None
    gpus: int = 1
    servers: int = 1
    utilization: float | None = None  # share of the card; None: the engine's default
    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    expert_parallel: int | None = None
    link: Link = "pcie"
    link_max_gpus: int = 1  # GPUs that the fast link joins
    shape: tuple[tuple[str, int], ...] = ()  # of a model that is not in the catalog
    index_type: IndexType = "hnsw"
    offload: Offload = "none"
    preference: bool = False
    embedder: AIModelSpec | None = None  # whole on the same card, as the reranker
    reranker: AIModelSpec | None = None

    @property
    def companions(self) -> tuple[AIModelSpec, ...]:
        """The models that run whole beside the served one."""
        return tuple(model for model in (self.embedder, self.reranker) if model is not None)


@dataclass(frozen=True, slots=True)
class Fit:
    """How one layout takes the load: the lines of its busiest GPU and whether they fit."""

    layout: Layout
    memory: Memory
    state: State
    precision: Precision
    requests: int = 0  # at once in one replica
    most: Range | None = None  # requests at once in one replica, by memory; None: no cache that grows
    recompute: Recompute | None = None
    sharding: Sharding | None = None
    costs: tuple[str, ...] = ()  # what the layout costs, as `layouts.Cost` names it
    span: int = 1  # servers that one replica takes
    path: layouts.Path | None = None  # slowest link that a token or a step waits for; None: a single GPU

    @property
    def is_plain(self) -> bool:
        """Whether each replica stands in one server and shares nothing with the others."""
        return self.span == 1 and self.layout.expert_parallel == 1


@dataclass(frozen=True, slots=True)
class Card:
    """The fewest GPUs of one kind, in one server, that hold the load."""

    gpu: GPUSpec
    count: int
    fit: Fit


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """An index over documents, in host memory."""

    vectors: Range  # count
    dimensions: int
    typical: Index  # of the typical number of vectors
    total: Range  # all copies, over the range of vectors [bytes]
    documents: int
    copies: int


@dataclass(frozen=True, slots=True)
class Calculation:
    """Everything that a page shows of one question."""

    answers: Answers
    resolved: cases.Resolved
    hardware: Hardware
    names: Mapping[str, str]
    model: AIModelSpec
    precision: Precision
    support: Support | None  # how the chosen GPU takes that precision
    fits: tuple[Fit, ...]  # one a layout; empty: no GPU was chosen
    chosen: Fit | None
    cards: tuple[Card, ...]
    servers: tuple[str, ...]  # slugs of servers that take the chosen GPUs, what can be ordered first
    orderable: bool  # one of these servers is still sold with them

    @property
    def case(self) -> Case:
        return self.resolved.case

    @property
    def corner(self) -> Corner:
        return self.case.hard


def hardware_of(mapping: Mapping[str, Any]) -> tuple[dict[str, str], tuple[Problem, ...]]:
    """Return the canonical texts of the good hardware answers, and what is wrong with the others."""
    good: dict[str, str] = {}
    problems = []
    for name, key in HARDWARE_KEYS.items():
        texts = [text.strip() for text in mapping.get(name, ()) if text.strip()]
        if not texts:
            continue
        value = answers.checked(key, texts[0])
        if not isinstance(value, Problem) and (len(texts) > 1 or ".." in value):
            value = Problem(name, "one_value")
        if not isinstance(value, Problem) and name == "gpu" and value not in gpus():
            value = Problem(name, "not_in_catalog", (("value", texts[0]),))
        allowed = {NONE, *companions_for(name)} if name in COMPANIONS else {value}
        if not isinstance(value, Problem) and value not in allowed:
            value = Problem(name, "not_in_catalog", (("value", texts[0]),))
        if isinstance(value, Problem):
            problems.append(value)
        else:
            good[name] = value
    return good, tuple(problems)


def hardware(values: Mapping[str, str]) -> Hardware:
    """Return the GPUs that these canonical texts name."""
    number = {name: int(values[name]) for name in COUNTS if name in values}
    share = values.get("utilization")
    specs = adapters.load_specs()
    nodes = nodes_by_gpu(specs)[values["gpu"]] if "gpu" in values else []
    wide = [node for node in nodes if max(node.counts) >= number.get("gpus", 1)]
    best = max(wide or nodes, key=lambda node: node.link_max_gpus, default=None)
    return Hardware(
        gpu=nodes[0].gpu if nodes else None,
        shape=tuple((name, int(values[name])) for name in SHAPE if name in values),
        link=best.link if best else "pcie",
        link_max_gpus=best.link_max_gpus if best else 1,
        offload=values.get("offload", "none"),  # type: ignore[arg-type]
        preference=values.get("preference") == "yes",
        utilization=None if share is None else float(share) / 100,
        index_type=values.get("index_type", "hnsw"),  # type: ignore[arg-type]
        embedder=specs.models.get(values.get("embedder", NONE)),
        reranker=specs.models.get(values.get("reranker", NONE)),
        **number,
    )


def gpus() -> dict[str, GPUSpec]:
    """Return every GPU that a published server takes, by slug."""
    return {slug: nodes[0].gpu for slug, nodes in nodes_by_gpu(adapters.load_specs()).items()}


def companions_for(name: str) -> dict[str, AIModelSpec]:
    """Return the models of the catalog that can be the "embedder" or the "reranker", by slug."""
    models = adapters.load_specs().models
    return {slug: model for slug, model in models.items() if model.kind == COMPANIONS[name]}


def calculate(given: Answers, machine: Hardware) -> Calculation:
    """Return the memory of the answers' work on these GPUs; a range of an answer counts at its harder end.

    Raises:
        cases.BadAnswers: an answer that cannot be reckoned with.
    """
    specs = adapters.load_specs()
    resolved = cases.resolve(given, specs.models, specs.presets, specs.vendors, specs.names)
    if not isinstance(resolved, cases.Resolved):
        raise cases.BadAnswers(resolved)
    resolved = _with_shape(resolved, given, dict(machine.shape), specs.models)
    case = resolved.case
    model = case.hard.model if case.serves else case.hard.trained
    assert model is not None
    fits: tuple[Fit, ...] = ()
    support: Support | None = None
    servers = _servers(machine, specs)
    precision = case.precision or model.native_precision
    if machine.gpu is not None:
        precision = weights_type(case, model, machine.gpu)
        support = precisions.support(machine.gpu, precision, case.engine)
        fits = tuple(fits_of(case, machine, everything=True))
    return Calculation(
        answers=given,
        resolved=resolved,
        hardware=machine,
        names=specs.names,
        model=model,
        precision=precision,
        support=support,
        fits=fits,
        chosen=best_of(fits, machine),
        cards=_cards(case, Hardware(**{name: getattr(machine, name) for name in RECIPE}), specs.version),
        servers=tuple(sorted(servers, key=lambda slug: (not servers[slug], slug))),
        orderable=any(servers.values()),
    )


def _with_shape(
    resolved: cases.Resolved, given: Answers, shape: dict[str, int], listed: Mapping[str, AIModelSpec]
) -> cases.Resolved:
    """Return the case with the reader's own dimensions of a model that is known by its size only."""

    def shaped(model: AIModelSpec | None) -> AIModelSpec | None:
        if model is None or not shape or model.slug in listed:
            return model
        return shapes.with_dimensions(model, shape, tuple(listed.values()))

    hard, easy = (
        replace(corner, model=shaped(corner.model), trained=shaped(corner.trained))
        for corner in (resolved.case.hard, resolved.case.easy)
    )
    case = replace(resolved.case, hard=hard, easy=easy)
    kept = [notice for notice in resolved.notices if notice.code != "shape_guessed"]
    kept += size_notices(given, hard.model or hard.trained, case.serves)
    return replace(resolved, case=case, notices=tuple(dict.fromkeys(kept)))


def contradiction(calculation: Calculation) -> Range | None:
    """Return how many parameters the reader's own layers and width make [count]; None: as many as stated."""
    dimensions, model = dict(calculation.hardware.shape), calculation.model
    if model.slug in calculation.names:
        return None
    known = tuple(adapters.load_specs().models.values())
    expected = shapes.parameters_of(dimensions, model, known)
    sizes = [
        chosen.compute_parameters
        for corner in (calculation.case.easy, calculation.case.hard)
        if (chosen := corner.model or corner.trained) is not None
    ]
    if expected is None or not shapes.contradicts(expected, min(sizes), max(sizes)):
        return None
    return expected


def unusual_layers(calculation: Calculation) -> tuple[int, int] | None:
    """Return the layers that published models of about that size have [count]; None: the reader's are usual.

    Where the width is given as well, `contradiction` says more.
    """
    dimensions, model = dict(calculation.hardware.shape), calculation.model
    stated = dimensions.get("num_layers")
    if stated is None or "hidden_size" in dimensions or model.slug in calculation.names:
        return None
    known = tuple(adapters.load_specs().models.values())
    usual = [
        found
        for corner in (calculation.case.easy, calculation.case.hard)
        if (chosen := corner.model or corner.trained) is not None
        and (found := shapes.layers_of(chosen, known)) is not None
    ]
    if not usual:
        return None
    fewest, most = min(low for low, _high in usual), max(high for _low, high in usual)
    return (fewest, most) if shapes.contradicts(Range(fewest, fewest, most), stated) else None


def weights_type(case: Case, model: AIModelSpec, gpu: GPUSpec) -> Precision:
    """Return the type of the weights on that card: the one asked for, else the model's own.

    A card that does not take the own type widens it to 16 bits, or runs an 8-bit one.
    """
    if not case.serves:
        return "int4" if case.method == "qlora" else case.training_precision or "bf16"
    if case.precision is not None:
        return case.precision
    native = model.native_precision
    if precisions.support(gpu, native, case.engine) in ("native", "weight_only"):
        return native
    others: tuple[Precision, ...] = ("bf16", "fp16", "fp8", "int8")
    if case.kind == "tokens" and native != "fp8":
        others = ("bf16", "fp8", "int8")
    for other in others:
        if precisions.support(gpu, other, case.engine) == "native":
            return other
    return native


def understood(model: AIModelSpec) -> AIModelSpec:
    """Return the model without the cache that nobody has described, so that its weights can be sized."""
    return model if model.cache_known else replace(model, cache_groups=(), cache_known=True)


def state_of(held: Memory) -> State:
    """Return whether the lines fit: at their unfavourable end, at the favourable one only, or not at all."""
    if held.total.high <= held.available.low:
        return "fits"
    return "fits_if" if held.total.low <= held.available.high else "no"


def holds_weights(fit: Fit) -> bool:
    """Return whether everything but a cache that nobody has described fits for certain."""
    return fit.state == "unknown" and state_of(fit.memory) == "fits"


def serving_inputs(case: Case, machine: Hardware) -> dict[str, Any]:
    """Return what the memory functions take of a service, beside model, GPU, layout and requests."""
    corner = case.hard
    inputs: dict[str, Any] = {
        "kv_precision": case.kv_precision,
        "tokens_per_request": corner.tokens_per_request,
        "engine": case.engine,
        "adapters": corner.adapters,
        "draft": corner.draft,
        "prefix_tokens": corner.prefix_tokens,
        "utilization": machine.utilization,
        "companions": machine.companions,
    }
    if case.kind != "tokens":
        inputs |= {
            "tokens_per_request": serving_sizes.tokens_of(case, corner),
            "adapters": 0,
            "draft": None,
            "prefix_tokens": 0,
        }
    return inputs


def training_setup(case: Case, machine: Hardware, recompute: Recompute, sharding: Sharding) -> TrainingSetup:
    """Return what the memory functions take of a training, beside model, GPU and layout."""
    precision = case.training_precision or "bf16"
    return TrainingSetup(
        method=case.method,
        precision="bf16" if precision == "int4" else precision,
        optimizer=case.optimizer,
        lora_rank=case.hard.lora_rank,
        sequence_tokens=case.hard.sequence_tokens,
        micro_batch=case.hard.micro_batch,
        recompute=recompute,
        sharding=sharding,
        offload=machine.offload,
        preference=machine.preference,
    )


def training_need(calculation: Calculation, fit: Fit, recompute: Recompute) -> Range:
    """Return what each GPU would need with another way to compute activations again [bytes]."""
    gpu, sharding = calculation.hardware.gpu, fit.sharding
    assert gpu is not None
    assert sharding is not None
    setup = training_setup(calculation.case, calculation.hardware, recompute, sharding)
    return memory.training_memory(calculation.model, gpu, fit.layout, setup).total


def most_requests(case: Case, machine: Hardware, gpu: GPUSpec, layout: Layout, tokens: int) -> Range:
    """Return how many requests of that length run at once in one replica, by memory alone [count]."""
    model = case.hard.model
    assert model is not None
    inputs = serving_inputs(case, machine) | {"tokens_per_request": tokens}
    inputs["prefix_tokens"] = min(inputs["prefix_tokens"], tokens)
    return memory.max_requests(
        model, gpu, _single(layout), precision=weights_type(case, model, gpu), **inputs
    )


def opened(calculation: Calculation) -> ServingBreakdown | TrainingBreakdown:
    """Return the chosen layout line by line, with the formula of each."""
    case, fit, gpu = calculation.case, calculation.chosen, calculation.hardware.gpu
    assert fit is not None
    assert gpu is not None
    if not case.serves:
        assert fit.recompute is not None
        assert fit.sharding is not None
        kept, rate = (calculation.answers.interval(key) for key in ("checkpoints_kept", "storage_gbs"))
        return training_breakdown(
            calculation.model,
            gpu,
            fit.layout,
            training_setup(case, calculation.hardware, fit.recompute, fit.sharding),
            checkpoints_kept=int(kept.high) if kept else CHECKPOINTS_KEPT,
            storage_gb_per_s=float(rate.low) if rate and rate.low else None,
        )
    return serving_breakdown(
        calculation.model,
        gpu,
        _single(fit.layout),
        precision=fit.precision,
        requests=fit.requests,
        **serving_inputs(case, calculation.hardware),
    )


def whole_model(calculation: Calculation) -> dict[str, Range]:
    """Return what the model and its load take before any GPU is chosen: weights, and the cache [bytes]."""
    model, corner = calculation.model, calculation.corner
    if not calculation.case.serves:
        return {}
    sizes = {"weights": weights.weight_bytes(model, calculation.precision)}
    if calculation.case.kind == "tokens" and model.cache_known and model.cache_groups:
        sizes["kv_cache"] = memory.cache_bytes(
            model,
            tokens=corner.tokens_per_request,
            requests=corner.requests,
            kv_precision=calculation.case.kv_precision,
            prefix_tokens=0 if calculation.case.engine == "other" else corner.prefix_tokens,
        )
    return sizes


def vector_index(calculation: Calculation) -> VectorIndex | None:
    """Return the index over the documents that were given; None: there are none."""
    given = calculation.answers
    documents = given.interval("documents")
    if documents is None or not calculation.case.serves:
        return None
    dimensions, copies = given.interval("vector_dimensions"), given.interval("index_replicas")
    vectors = vectors_of(int(documents.high))
    size = [
        index_memory(
            int(number),
            dimensions=int(dimensions.high) if dimensions else DIMENSIONS,
            index_type=calculation.hardware.index_type,
            replicas=int(copies.high) if copies else 1,
        )
        for number in (vectors.low, vectors.typical, vectors.high)
    ]
    return VectorIndex(
        vectors=vectors,
        dimensions=int(dimensions.high) if dimensions else DIMENSIONS,
        typical=size[1],
        total=Range(size[0].total.low, size[1].total.typical, size[2].total.high),
        documents=int(documents.high),
        copies=int(copies.high) if copies else 1,
    )


def host(calculation: Calculation) -> Host | None:
    """Return the memory and the cores of one server around its GPUs; None: no GPU was chosen."""
    gpu = calculation.hardware.gpu
    if gpu is None:
        return None
    work: Work = "inference" if calculation.case.serves else "training"
    states = 0.0
    if calculation.chosen is not None and not calculation.case.serves:
        found = opened(calculation)
        assert isinstance(found, TrainingBreakdown)
        states = found.host / calculation.hardware.servers
    return host_of(gpu, calculation.hardware.gpus, work=work, index=_index_here(calculation), states=states)


def _index_here(calculation: Calculation) -> Range | None:
    """Return what one server holds of the vector index [bytes]; None: there is none, or it lies elsewhere.

    Copies are spread over the servers; the server that has the most of them counts.
    """
    found = vector_index(calculation)
    if found is None or calculation.answers.one("separate_index") == "yes":
        return None
    here = ceil(found.copies / calculation.hardware.servers)
    return found.total.scaled(here / found.copies)


def contexts(calculation: Calculation) -> tuple[int, ...]:
    """Return the lengths of a table of what fits: powers of two up to the longest, and the one asked."""
    longest = calculation.model.max_context
    lengths = {tokens for tokens in CONTEXTS if longest is None or tokens <= longest}
    lengths.add(calculation.corner.tokens_per_request)
    return tuple(sorted(lengths))


def loads(calculation: Calculation) -> tuple[int, ...]:
    """Return the numbers of requests of a table of what fits, the asked one among them."""
    return tuple(sorted({*LOADS, calculation.corner.requests}))


def fits_of(case: Case, machine: Hardware, *, everything: bool = False) -> Iterator[Fit]:
    """Yield how each layout takes the load.

    Without `everything`, those that the advice tries: each replica in one server, sharing nothing.
    """
    gpu = machine.gpu
    assert gpu is not None
    if not case.serves:
        yield from _training_fits(case, machine)
        return
    model = case.hard.model
    assert model is not None
    precision = weights_type(case, model, gpu)
    taken = precisions.support(gpu, precision, case.engine) in ("native", "weight_only")
    counts = model.cache_known and bool(model.cache_groups) and case.kind == "tokens"
    for layout, span, path, costs in _serving_layouts(case, machine, everything):
        # One server stands by where the load has to be carried without it.
        working = layout.replicas
        if case.n_plus_1 and machine.servers > 1:
            working = max(layout.replicas * (machine.servers - 1) // machine.servers, 1)
        if case.kind == "tokens":
            requests = ceil(case.hard.requests / working)
        else:
            requests = serving_sizes.streams_of(case, case.hard, working)
        held = memory.inference_memory(
            understood(model),
            gpu,
            _single(layout),
            precision=precision,
            requests=requests,
            **serving_inputs(case, machine),
        )
        most = None
        if counts:
            most = most_requests(case, machine, gpu, layout, case.hard.tokens_per_request)
        state = state_of(held) if taken else "no"
        if not model.cache_known and state != "no":
            state = "unknown"  # the weights fit; nobody knows whether the cache does
        yield Fit(layout, held, state, precision, requests, most, costs=costs, span=span, path=path)


def _training_fits(case: Case, machine: Hardware) -> Iterator[Fit]:
    """Yield each layout with the first way to save memory that fits, in the order of the advice."""
    gpu, model = machine.gpu, case.hard.trained
    assert gpu is not None
    assert model is not None
    precision = weights_type(case, model, gpu)
    taken = precisions.support(gpu, precision, "vllm") != "no"
    ways: tuple[Recompute, ...] = (case.recompute,) if case.recompute else ("selective", "full")
    for layout in layouts.training_layouts(
        model,
        gpus_per_server=machine.gpus,
        servers=machine.servers,
        link_max_gpus=machine.link_max_gpus,
    ):
        option = layouts.training_option(
            model,
            layout,
            servers=machine.servers,
            link=machine.link,
            link_max_gpus=machine.link_max_gpus,
        )
        shardings: tuple[Sharding, ...] = ("none",) if layout.replicas == 1 else ("none", "zero2", "zero3")
        found = []
        for recompute in ways:
            for sharding in (case.sharding,) if case.sharding else shardings:
                setup = training_setup(case, machine, recompute, sharding)
                held = memory.training_memory(model, gpu, layout, setup)
                state = state_of(held) if taken else "no"
                fit = Fit(layout, held, state, precision, recompute=recompute, sharding=sharding)
                found.append(replace(fit, path=option.path, costs=option.costs))
        order: dict[State, int] = {"fits": 0, "fits_if": 1, "no": 2}
        best = min(order[fit.state] for fit in found)
        if best < order["no"]:
            yield next(fit for fit in found if order[fit.state] == best)
        else:
            yield min(found, key=lambda fit: fit.memory.total.low)


def _serving_layouts(
    case: Case, machine: Hardware, everything: bool
) -> Iterator[tuple[Layout, int, layouts.Path | None, tuple[str, ...]]]:
    """Yield layouts with the servers that one replica takes, their slowest link and what they cost."""
    model = case.hard.model
    assert model is not None
    if case.kind != "tokens":
        yield Layout(1, 1, machine.gpus * machine.servers, 0, False), 1, None, ()
        return
    for option in layouts.valid_layouts(
        model,
        gpus_per_server=machine.gpus,
        servers=machine.servers,
        link=machine.link,
        link_max_gpus=machine.link_max_gpus,
    ):
        layout, span = option.layout, option.servers_per_replica
        shares = layout.expert_parallel > layout.tensor_parallel  # below it nothing changes in memory
        if (everything and (shares or layout.expert_parallel == 1)) or (
            span == 1 and layout.expert_parallel == 1
        ):
            yield layout, span, option.path, option.costs


def _single(layout: Layout) -> Layout:
    return replace(layout, replicas=1, idle_gpus=0)


def best_of(fits: tuple[Fit, ...], machine: Hardware) -> Fit | None:
    """Return the layout asked for, else the smallest group that fits, else the one that misses by least."""
    if machine.tensor_parallel or machine.pipeline_parallel or machine.expert_parallel:
        for fit in fits:
            if is_laid(fit.layout, machine):
                return fit
    ordered = sorted(fits, key=lambda fit: not fit.is_plain)
    for state in ("fits", "fits_if", "unknown"):
        for fit in ordered:
            if fit.state == state:
                return fit
    return min(ordered, key=lambda fit: fit.memory.total.low, default=None)


def is_laid(layout: Layout, machine: Hardware) -> bool:
    """Tell whether a layout is the one that the address asks for; a degree that it leaves out is 1."""
    degrees = (machine.tensor_parallel, machine.pipeline_parallel, machine.expert_parallel)
    wanted = tuple(degree or 1 for degree in degrees)
    return (layout.tensor_parallel, layout.pipeline_parallel, layout.expert_parallel) == wanted


def nodes_by_gpu(specs: adapters.Specs) -> dict[str, list[NodeSpec]]:
    """Return what can be ordered with each GPU, by the GPU's slug."""
    nodes: dict[str, list[NodeSpec]] = {}
    for machine in specs.machines:
        for node in machine.nodes:
            nodes.setdefault(node.gpu.slug, []).append(node)
    return nodes


def orderable_counts(gpu: GPUSpec) -> tuple[int, ...]:
    """Return in which numbers, for one server, a GPU can be ordered."""
    nodes = nodes_by_gpu(adapters.load_specs())[gpu.slug]
    return tuple(sorted({count for node in nodes for count in node.counts}))


def _servers(machine: Hardware, specs: adapters.Specs) -> dict[str, bool]:
    """Return the servers that take the chosen GPUs, and whether they can be ordered with them."""
    if machine.gpu is None:
        return {}
    found: dict[str, bool] = {}
    for node in nodes_by_gpu(specs)[machine.gpu.slug]:
        if machine.gpus in node.counts:
            found[node.server] = found.get(node.server, False) or (
                node.server_orderable and node.option_orderable
            )
    return found


@lru_cache(maxsize=512)
def _cards(case: Case, recipe: Hardware, version: str) -> tuple[Card, ...]:
    """Return every kind of GPU that holds the load in one server, least memory first.

    `version` is the catalog's: another one has other cards.
    """
    specs = adapters.load_specs()
    found = []
    for nodes in nodes_by_gpu(specs).values():
        gpu = nodes[0].gpu
        if not gpu.serves_language_models and (case.kind == "tokens" or case.trains):
            continue
        for count in sorted({count for node in nodes for count in node.counts}):
            tried = replace(recipe, gpu=gpu, gpus=count)
            fit = best_of(tuple(fits_of(case, tried)), tried)
            if fit is not None and (fit.state == "fits" or holds_weights(fit)):
                found.append(Card(gpu, count, fit))
                break
    return tuple(sorted(found, key=lambda card: (card.count * card.gpu.memory_bytes.low, card.gpu.slug)))


def names() -> Mapping[str, str]:
    """Return the names of models, servers, GPUs and makers, by slug."""
    return adapters.load_specs().names
