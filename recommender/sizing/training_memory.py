"""What a training step needs on one GPU: weights, gradients, optimizer states, activations [bytes]."""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from recommender.sizing import memory_constants as constants
from recommender.sizing.lines import Group, Line, ends, total, whole, whole_range
from recommender.sizing.precisions import bytes_per_value
from recommender.sizing.specs import (
    AIModelSpec,
    GPUSpec,
    Layout,
    Memory,
    Method,
    Offload,
    Precision,
    Range,
    Recompute,
    Sharding,
    SizingError,
    Targets,
)
from recommender.sizing.weights import busy_inner, gated, parts

STAGES: dict[Sharding, int] = {"none": 0, "zero1": 1, "zero2": 2, "zero3": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSetup:
    """How a model is trained, as far as memory depends on it.

    Attributes:
        method: What is trained: everything (`pretraining`, `full`) or adapters (`lora`, `qlora`).
        precision: Type of the frozen base of LoRA, 16 bits at least; QLoRA's base is NF4.
        optimizer: A name in `memory_constants.RECIPES`.
        lora_rank: Rank of the adapters.
        sequence_tokens: Length of one sequence [tokens].
        micro_batch: Sequences a GPU works on at once, pairs of them in preference tuning [count].
        recompute: What the backward pass computes again instead of keeping.
        sharding: `zero1` spreads optimizer states, `zero2` gradients too, `zero3` weights too.
        lora_targets: Matrices that adapters are put on.
        compiled: Compiled or fused code; unknown: pre-training is taken to be, the rest not.
        compiled_loss: The loss is compiled or fused as well; unknown: as the rest.
        chunked_loss: The loss is computed in pieces, so that the logits are never whole.
        accumulates: Gradients stay over several micro-batches. Else they grow while activations go.
        offload: What lies in host memory: `optimizer` states and master weights, `activations`, or `both`.
        preference: Tuning on pairs of answers (DPO and its kin): each sequence comes twice, and a frozen
            copy of the model judges both; adapters need no copy, the base without them is one.
        frozen: Other models at work in each step without being trained: teachers, reward models.
        used_at_once: Each gradient is used and dropped as soon as it is there ("optimizer in backward").
        trained_embeddings: Input and output embeddings are trained in whole beside the adapters, in 16 bits.
    """

    method: Method
    precision: Precision
    optimizer: str = "adamw"
    lora_rank: int = 16
    sequence_tokens: int
    micro_batch: int
    recompute: Recompute
    sharding: Sharding
    lora_targets: Targets = "all"
    compiled: bool | None = None
    compiled_loss: bool | None = None
    chunked_loss: bool = False
    accumulates: bool = True
    offload: Offload = "none"
    preference: bool = False
    frozen: tuple[AIModelSpec, ...] = ()
    used_at_once: bool = False
    trained_embeddings: bool = False


@lru_cache(maxsize=65536)
def training_memory(model: AIModelSpec, gpu: GPUSpec, layout: Layout, setup: TrainingSetup) -> Memory:
    """Return the memory of one GPU while it trains a model, or adapters for it [bytes].

    Args:
        layout: `replicas` are the data-parallel workers, over which sharding spreads states.

    Raises:
        SizingError: an unknown recipe, a number below one, a model without a transformer's shape.

    Sources: Rajbhandari et al., 2020, arXiv:1910.02054 (states and their sharding); Korthikanti et al., 2022,
    arXiv:2205.05198 (activations); Hu et al., 2021, arXiv:2106.09685 (LoRA); Dettmers et al., 2023,
    arXiv:2305.14314 (QLoRA); Ren et al., 2021, arXiv:2101.06840 (optimizer in host memory); Rafailov et al.,
    2023, arXiv:2305.18290 (preference tuning).
    """
    return training_sums(training_lines(model, gpu.vendor, layout, setup), gpu)


def training_sums(lines: tuple[Line, ...], gpu: GPUSpec) -> Memory:
    """Return the sums of `training_lines` and the card's memory [bytes]."""
    return Memory(
        weights=total(lines, "weights"),
        kv_cache=None,
        activations=total(lines, "activations"),
        optimizer=total(lines, "optimizer"),
        gradients=total(lines, "gradients"),
        overhead=total(lines, "buffers", "outside"),
        available=gpu.memory_bytes,
    )


@dataclass(frozen=True, slots=True)
class States:
    """What is trained and the bytes that a parameter of it takes."""

    trained: float  # parameters
    weight: float
    gradient: float
    optimizer: float


@lru_cache(maxsize=4096)
def states(
    model: AIModelSpec, method: Method, optimizer: str, lora_rank: int, lora_targets: Targets
) -> States:
    """Return what a recipe keeps for each trained parameter.

    Raises:
        SizingError: an unknown recipe, or adapters for a model without a transformer's shape.
    """
    if optimizer not in constants.RECIPES:
        raise SizingError(f"no such recipe: {optimizer!r}")
    weight, gradient, state = constants.RECIPES[optimizer]
    if method in ("pretraining", "full"):
        return States(float(model.parameters), weight, gradient, state)
    lean = state < constants.RECIPES["adamw"][2]
    weight, gradient, usual = constants.ADAPTER_BYTES
    trained = adapter_parameters(model, lora_rank, lora_targets)
    return States(trained, weight, gradient, state if lean else usual)


def training_lines(model: AIModelSpec, vendor: str, layout: Layout, setup: TrainingSetup) -> tuple[Line, ...]:
    """Return what `training_memory` sums up, line by line.

    Args:
        vendor: Who makes the card: nothing else of it counts here.
    """
    sequence_tokens, micro_batch, lora_rank = setup.sequence_tokens, setup.micro_batch, setup.lora_rank
    if min(sequence_tokens, micro_batch, lora_rank) < 1:
        raise SizingError(f"{sequence_tokens=}, {micro_batch=}, {lora_rank=} train nothing")
    method = setup.method
    standing = _standing_lines(
        model,
        vendor,
        layout,
        method,
        setup.precision,
        setup.optimizer,
        lora_rank,
        setup.sharding,
        setup.lora_targets,
        setup.offload,
        setup.preference,
        setup.frozen,
        setup.used_at_once,
        setup.trained_embeddings,
    )
    fused = method == "pretraining" if setup.compiled is None else setup.compiled
    tables = setup.trained_embeddings and method in ("lora", "qlora")
    moving = _moving_lines(
        model,
        layout,
        states(model, method, setup.optimizer, lora_rank, setup.lora_targets),
        method=method,
        tokens=sequence_tokens * micro_batch * (2 if setup.preference else 1),
        recompute=setup.recompute,
        sharding=setup.sharding,
        lora_targets=setup.lora_targets,
        compiled=fused,
        compiled_loss=fused if setup.compiled_loss is None else setup.compiled_loss,
        chunked_loss=setup.chunked_loss,
        accumulates=setup.accumulates and not setup.used_at_once,
        used_at_once=setup.used_at_once,
        judged=setup.preference,
        offload=setup.offload,
        tables=parts(model).embeddings if tables else 0.0,
    )
    return (*standing, *moving)


def _workers(layout: Layout, sharding: Sharding, stage: int) -> int:
    """Return over how many GPUs a state of that ZeRO stage is spread [count]."""
    return layout.gpus_per_replica * (layout.replicas if STAGES[sharding] >= stage else 1)


def _line(code: str, group: Group, size: Range, *values: float | Range, model: str = "") -> Line:
    return Line(code, group, whole_range(size), values, model=model, shared_out=True)


def _per_parameter(
    code: str, group: Group, width: float, parameters: float, gpus: int, model: str = ""
) -> Line:
    """Return a line of so many bytes a parameter, spread over GPUs."""
    size = float(ceil(width * parameters / gpus))
    values = (width, parameters, gpus)
    return Line(code, group, Range.exact(size), values, model=model, shared_out=True)


@lru_cache(maxsize=16384)
def _standing_lines(
    model: AIModelSpec,
    vendor: str,
    layout: Layout,
    method: Method,
    precision: Precision,
    optimizer: str,
    lora_rank: int,
    sharding: Sharding,
    lora_targets: Targets,
    offload: Offload,
    preference: bool,
    frozen: tuple[AIModelSpec, ...],
    used_at_once: bool,
    trained_embeddings: bool,
) -> tuple[Line, ...]:
    """Return the lines that do not depend on how many tokens a step works on."""
    kept = states(model, method, optimizer, lora_rank, lora_targets)
    everything = method in ("pretraining", "full")
    one, two, three = (_workers(layout, sharding, stage) for stage in (1, 2, 3))
    lines = []
    if not everything:
        lines.append(_base(model, method, precision, three))
    lines.append(_per_parameter("trained_weights", "weights", kept.weight, kept.trained, three))
    if preference and everything:
        lines.append(_per_parameter("reference_weights", "weights", 2.0, model.parameters, three))
    for other in frozen:
        lines.append(
            _per_parameter("frozen_weights", "weights", 2.0, other.parameters, three, model=other.slug)
        )
    if used_at_once:
        largest = min(_largest_matrix(model) / layout.gpus_per_replica, kept.trained / two)
        lines.append(_per_parameter("gradient_at_work", "gradients", kept.gradient, largest, 1))
    else:
        lines.append(_per_parameter("gradients", "gradients", kept.gradient, kept.trained, two))
    here = offload in ("none", "activations")
    if here:
        lines.append(_per_parameter("optimizer_states", "optimizer", kept.optimizer, kept.trained, one))
    if trained_embeddings and not everything:
        weight, gradient, state = constants.RECIPES["adamw_bf16"]
        tables = parts(model).embeddings
        lines.append(_per_parameter("trained_weights", "weights", weight, tables, three))
        lines.append(_per_parameter("gradients", "gradients", gradient, tables, two))
        if here:
            lines.append(_per_parameter("optimizer_states", "optimizer", state, tables, one))
    driver, base = _driver_reserve(vendor), constants.TRAINING_BASE
    lines += [
        _line("driver", "outside", driver, driver, 1.0),
        _line("workspaces", "outside", base, base),
    ]
    if layout.gpus_used > 1:
        buffers = constants.TRAINING_COMMUNICATION
        lines.append(_line("training_communication", "buffers", buffers, buffers))
    if sharding == "zero3" and layout.replicas > 1:
        layers = model.num_layers or 1
        size = constants.GATHERED_LAYERS.scaled(2.0 * model.parameters / layers)
        values = (constants.GATHERED_LAYERS, model.parameters, layers)
        lines.append(_line("gathered_layers", "buffers", size, *values))
    if method == "qlora":
        hidden, inner = model.hidden_size or 0, busy_inner(model)
        size = constants.WIDENED_MATRICES.scaled(2.0 * hidden * inner)
        lines.append(_line("widened_matrix", "buffers", size, constants.WIDENED_MATRICES, hidden, inner))
    return tuple(lines)


@lru_cache(maxsize=16384)
def _moving_lines(
    model: AIModelSpec,
    layout: Layout,
    kept: States,
    *,
    method: Method,
    tokens: int,
    recompute: Recompute,
    sharding: Sharding,
    lora_targets: Targets,
    compiled: bool,
    compiled_loss: bool,
    chunked_loss: bool,
    accumulates: bool,
    used_at_once: bool,
    judged: bool,
    offload: Offload,
    tables: float,
) -> tuple[Line, ...]:
    """Return the lines that depend on how many tokens a step works on."""
    gradients = ceil(kept.gradient * kept.trained / _workers(layout, sharding, 2))
    backward = _backward(
        model,
        layout.tensor_parallel,
        method=method,
        tokens=tokens,
        recompute=recompute,
        lora_targets=lora_targets,
        compiled=compiled,
        compiled_loss=compiled_loss,
        chunked_loss=chunked_loss,
        judged=judged,
        freed=0.0 if accumulates or used_at_once else float(gradients),
        moved=offload in ("activations", "both"),
    )
    holes, share = backward.whole, constants.FRAGMENTATION
    size = Range(share.low * holes.low, share.typical * holes.typical, share.high * holes.high)
    fragmentation = _line("fragmentation", "outside", size, share, holes)
    if used_at_once or offload in ("optimizer", "both"):
        return (*backward.lines, fragmentation)
    width = 4.0 if kept.optimizer >= 8 else 2.0
    copied = width * kept.trained + 2.0 * tables
    update = constants.UPDATE_COPY * copied / _workers(layout, sharding, 1)
    left = Range(0.0, 0.0, max(0.0, update - holes.high))
    line = _line("optimizer_update", "optimizer", left, Range(0.0, 0.0, update), holes)
    return (line, *backward.lines, fragmentation)


def driver_reserve(gpu: GPUSpec) -> Range:
    """Return the part of the reported memory that no program gets [bytes]."""
    return _driver_reserve(gpu.vendor)


def _driver_reserve(vendor: str) -> Range:
    return constants.DRIVER.get(vendor, Range.exact(0.0))


def _largest_matrix(model: AIModelSpec) -> float:
    """Return the parameters of the largest matrix: an embedding or one of a feed-forward layer."""
    hidden = model.hidden_size or 0
    return float(hidden * max(model.vocab_size or 0, busy_inner(model)))


def _base(model: AIModelSpec, method: Method, precision: Precision, shards: int) -> Line:
    """Return the base that adapters leave alone."""
    if method == "lora":
        width = max(2.0, bytes_per_value(precision))
        size = Range.exact(width * model.parameters / shards)
        return Line(
            "base_weights", "weights", whole_range(size), (width, model.parameters, shards), shared_out=True
        )
    found = parts(model)
    quantized = found.experts + found.linear + found.attention + found.mtp
    rest = model.parameters - quantized
    double, plain = constants.NF4_DOUBLE_VALUE, constants.NF4_VALUE
    size = Range(
        (double * quantized + 2.0 * rest) / shards,
        (double * quantized + 2.0 * rest) / shards,
        (plain * quantized + 2.0 * rest) / shards,
    )
    values = (Range(double, double, plain), quantized, rest, shards)
    return Line("quantized_base", "weights", whole_range(size), values, shared_out=True)


def adapter_parameters(model: AIModelSpec, rank: float, targets: Targets = "all") -> float:
    """Return the parameters of a LoRA adapter of that rank [parameters].

    Each adapted matrix of m x n adds rank x (m + n) (Hu et al., 2021, arXiv:2106.09685).

    Args:
        model: The transformer's shape; the routed experts of a mixture are left alone, as is usual.
        rank: Rank of the adapters.
        targets: Every matrix of the layers, those of attention, or queries and values only.

    Raises:
        SizingError: a model without a transformer's shape.
    """
    hidden, layers, heads = model.hidden_size, model.num_layers, model.num_attention_heads
    if not hidden or not layers or not heads:
        raise SizingError(f"{model.slug}: no adapter without the layers' shape")
    head_dim = model.head_dim or hidden // heads
    queries = hidden + heads * head_dim
    keys = hidden + (model.num_kv_heads or heads) * head_dim
    sides = queries + keys if targets == "query_value" else 2 * (queries + keys)
    if targets == "all" and not model.is_moe:
        matrices = 3 if gated(model) else 2
        sides += matrices * (hidden + busy_inner(model))
    return float(rank * layers * sides)


@dataclass(frozen=True, slots=True)
class Backward:
    """What a step keeps for its backward pass."""

    lines: tuple[Line, ...]
    whole: Range  # the same before gradients take the place of what is done with [bytes]


@lru_cache(maxsize=4096)
def _backward(
    model: AIModelSpec,
    tensor: int,
    *,
    method: Method,
    tokens: int,
    recompute: Recompute,
    lora_targets: Targets,
    compiled: bool,
    compiled_loss: bool,
    chunked_loss: bool,
    judged: bool,
    freed: float,
    moved: bool,
) -> Backward:
    """Return what a step keeps for its backward pass on one GPU: the layers' share and the logits.

    A pipeline changes nothing: its first stage keeps as many micro-batches as there are stages, each with
    its share of the layers (Narayanan et al., 2021, arXiv:2104.04473).
    """
    hidden, layers = model.hidden_size, model.num_layers
    if not hidden or not layers:
        raise SizingError(f"{model.slug}: no training estimate without the layers' shape")
    style = "compiled" if compiled else "eager"
    kept = constants.KEPT[gated(model), style]
    frozen = method in ("lora", "qlora")
    inner = busy_inner(model) * (kept.inner_frozen if frozen else kept.inner_trained)
    inputs = {"all": 4 * hidden + busy_inner(model), "attention": 2 * hidden, "query_value": hidden}
    adapted = inputs[lora_targets] if frozen else 0
    vocabulary = model.vocab_size or 0
    logit_bytes = constants.LOGIT_BYTES["compiled" if compiled_loss else "eager"]
    if judged:
        logit_bytes = logit_bytes + constants.JUDGED_LOGIT_BYTES
    pieces = constants.LOSS_CHUNKS if chunked_loss else 1
    share = Range.exact(1.0)
    if recompute == "selective":
        share = constants.SELECTIVE_SHARE
    quantized = Range.exact(1.0)
    if method == "qlora" and recompute != "full":
        quantized = constants.QUANTIZED_BASE
    flight = constants.LAYERS_IN_FLIGHT
    body, logits, factors = [], [], []
    for width, selected, logit, widened, copies, flying, fills in zip(
        ends(kept.hidden),
        ends(share),
        ends(logit_bytes),
        ends(quantized),
        ends(constants.ADAPTED_INPUT),
        ends(flight),
        (True, True, False),
        strict=True,
    ):
        layer = 2.0 * tokens * (width * hidden + inner + copies * adapted) / tensor
        if moved:
            # One layer in full, and what is on its way to host memory and back.
            passing = 2.0 * tokens * hidden / tensor if recompute == "full" else layer * selected * widened
            body.append(layer + flying * passing)
        elif recompute == "full":
            # The inputs of all layers, and one layer in full while it is computed again.
            body.append(2.0 * tokens * hidden * layers / tensor + layer)
        else:
            body.append(layers * layer * selected * widened)
        logits.append(logit * tokens * vocabulary / tensor / pieces)
        both = body[-1] + logits[-1]
        factors.append(max(constants.NEVER_FREED, 1.0 - freed / both) if fills else 1.0)
    left = Range(min(factors), factors[1], max(factors))
    values: tuple[float | Range, ...] = (tokens, kept.hidden, hidden, inner)
    values += (constants.ADAPTED_INPUT, adapted, layers, tensor, left)
    code = "activations_recomputed"
    if moved and recompute == "full":
        code, values = "inputs_passing", (*_without_layers(values), flight)
    elif moved:
        code, values = "activations_passing", (*_without_layers(values), share, quantized, flight)
    elif recompute != "full":
        code, values = "activations_kept", (*values, share, quantized)
    made = [
        Line(
            code,
            "activations",
            whole(*(size * factor for size, factor in zip(body, factors, strict=True))),
            values,
            shared_out=True,
        ),
        Line(
            "logits",
            "activations",
            whole(*(size * factor for size, factor in zip(logits, factors, strict=True))),
            (logit_bytes, tokens, vocabulary, tensor, pieces, left),
            shared_out=True,
        ),
    ]
    return Backward(tuple(made), Range(*(a + b for a, b in zip(body, logits, strict=True))))


def _without_layers(values: tuple[float | Range, ...]) -> tuple[float | Range, ...]:
    """Return the numbers of a layer's activations without how many layers there are."""
    return (*values[:6], *values[7:])
