"""What a training step needs on one GPU: weights, gradients, optimizer states, activations [bytes]."""

from functools import lru_cache

from recommender.sizing import memory_constants as constants
from recommender.sizing.precisions import bytes_per_value
from recommender.sizing.specs import (
    AIModelSpec,
    GPUSpec,
    Layout,
    Memory,
    Method,
    Precision,
    Range,
    Recompute,
    Sharding,
    SizingError,
    Targets,
)
from recommender.sizing.weights import busy_inner, gated, parts

STAGES: dict[Sharding, int] = {"none": 0, "zero1": 1, "zero2": 2, "zero3": 3}


@lru_cache(maxsize=65536)
def training_memory(
    model: AIModelSpec,
    gpu: GPUSpec,
    layout: Layout,
    *,
    method: Method,
    precision: Precision,
    optimizer: str = "adamw",
    lora_rank: int = 16,
    sequence_tokens: int,
    micro_batch: int,
    recompute: Recompute,
    sharding: Sharding,
    lora_targets: Targets = "all",
    compiled: bool | None = None,
    chunked_loss: bool = False,
    accumulates: bool = True,
) -> Memory:
    """Return the memory of one GPU while it trains [bytes].

    Args:
        model: The model trained or adapted.
        gpu: The card.
        layout: `replicas` are the data-parallel workers, over which `sharding` spreads states.
        method: What is trained: everything (`pretraining`, `full`) or adapters (`lora`, `qlora`).
        precision: Type of the frozen base of LoRA, 16 bits at least; QLoRA's base is NF4.
        optimizer: A name in `memory_constants.RECIPES`.
        lora_rank: Rank of the adapters.
        sequence_tokens: Length of one sequence [tokens].
        micro_batch: Sequences a GPU works on at once [count].
        recompute: What the backward pass computes again instead of keeping.
        sharding: `zero1` spreads optimizer states, `zero2` gradients too, `zero3` weights too.
        lora_targets: Matrices that adapters are put on.
        compiled: Compiled or fused code; unknown: pre-training is taken to be, the rest not.
        chunked_loss: The loss is computed in pieces, so that the logits are never whole.
        accumulates: Gradients stay over several micro-batches. Else they grow while activations go.

    Raises:
        SizingError: an unknown recipe, a number below one, a model without a transformer's shape.

    Sources: Rajbhandari et al., 2020, arXiv:1910.02054 (states and their sharding); Korthikanti et al., 2022,
    arXiv:2205.05198 (activations); Hu et al., 2021, arXiv:2106.09685 (LoRA); Dettmers et al., 2023,
    arXiv:2305.14314 (QLoRA).
    """
    if min(sequence_tokens, micro_batch, lora_rank) < 1:
        raise SizingError(f"{sequence_tokens=}, {micro_batch=}, {lora_rank=} train nothing")
    if optimizer not in constants.RECIPES:
        raise SizingError(f"no such recipe: {optimizer!r}")
    everything = method in ("pretraining", "full")
    if everything:
        base, trained = Range.exact(0.0), float(model.parameters)
        weight, gradient, state = constants.RECIPES[optimizer]
    else:
        base, trained = _frozen(model, method, precision), adapter_parameters(model, lora_rank, lora_targets)
        weight, gradient, state = constants.ADAPTER_BYTES
        if constants.RECIPES[optimizer][2] < constants.RECIPES["adamw"][2]:
            state = constants.RECIPES[optimizer][2]
    pieces, workers = layout.gpus_per_replica, layout.replicas

    def spread(stage: int) -> int:
        return pieces * (workers if STAGES[sharding] >= stage else 1)

    gradients = gradient * trained / spread(2)
    states = state * trained / spread(1)
    update = constants.UPDATE_COPY * (4.0 if state >= 8 else 2.0) * trained / spread(1)
    fast = method == "pretraining" if compiled is None else compiled
    activations = _backward(
        model,
        layout,
        method=method,
        tokens=sequence_tokens * micro_batch,
        recompute=recompute,
        lora_targets=lora_targets,
        compiled=fast,
        chunked_loss=chunked_loss,
    )
    holes = Range(
        constants.FRAGMENTATION.low * activations.low,
        constants.FRAGMENTATION.typical * activations.typical,
        constants.FRAGMENTATION.high * activations.high,
    )
    if not accumulates:
        low, typical = (max(0.2 * one, one - gradients) for one in (activations.low, activations.typical))
        activations = Range(low, typical, activations.high)
    overhead = driver_reserve(gpu) + constants.TRAINING_BASE + holes
    if workers * pieces > 1:
        overhead += constants.TRAINING_COMMUNICATION
    if sharding == "zero3" and workers > 1:
        overhead += _gathered(model)
    if method == "qlora":
        overhead += _widened(model)
    return Memory(
        weights=(base + Range.exact(weight * trained)).scaled(1 / spread(3)),
        kv_cache=None,
        activations=activations,
        optimizer=Range(states, states, states + max(0.0, update - activations.high)),
        gradients=Range.exact(gradients),
        overhead=overhead,
        available=gpu.memory_bytes,
    )


def driver_reserve(gpu: GPUSpec) -> Range:
    """Return the part of the reported memory that no program gets [bytes]."""
    return constants.DRIVER.get(gpu.vendor, Range.exact(0.0))


def _frozen(model: AIModelSpec, method: Method, precision: Precision) -> Range:
    """Return the base that adapters leave alone [bytes]."""
    if method == "lora":
        return Range.exact(max(2.0, bytes_per_value(precision)) * model.parameters)
    found = parts(model)
    quantized = found.experts + found.linear + found.attention + found.mtp
    rest = 2.0 * (model.parameters - quantized)
    double = constants.NF4_DOUBLE_VALUE * quantized + rest
    return Range(double, double, constants.NF4_VALUE * quantized + rest)


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


def _backward(
    model: AIModelSpec,
    layout: Layout,
    *,
    method: Method,
    tokens: int,
    recompute: Recompute,
    lora_targets: Targets,
    compiled: bool,
    chunked_loss: bool,
) -> Range:
    """Return what a step keeps for its backward pass on one GPU, the logits included [bytes].

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
    ends = []
    for width, selected, logit, quantized, copies in zip(
        _ends(kept.hidden),
        _ends(constants.SELECTIVE_SHARE),
        _ends(constants.LOGIT_BYTES[style]),
        _ends(constants.QUANTIZED_BASE),
        _ends(constants.ADAPTED_INPUT),
        strict=True,
    ):
        layer = 2.0 * tokens * (width * hidden + inner + copies * adapted) / layout.tensor_parallel
        if recompute == "full":
            # The inputs of all layers, and one layer in full while it is computed again.
            body = 2.0 * tokens * hidden * layers / layout.tensor_parallel + layer
        else:
            body = layers * layer * (selected if recompute == "selective" else 1.0)
            body *= quantized if method == "qlora" else 1.0
        logits = logit * tokens * (model.vocab_size or 0) / layout.tensor_parallel
        ends.append(body + (logits / constants.LOSS_CHUNKS if chunked_loss else logits))
    return Range(*ends)


def _ends(values: Range) -> tuple[float, float, float]:
    return values.low, values.typical, values.high


def _gathered(model: AIModelSpec) -> Range:
    """Return the layers that ZeRO-3 holds whole at once: one, two with prefetching, four at most [bytes]."""
    layer = 2.0 * model.parameters / (model.num_layers or 1)
    return Range(layer, 2 * layer, 4 * layer)


def _widened(model: AIModelSpec) -> Range:
    """Return the 16-bit copy of the largest matrix while QLoRA multiplies with it [bytes]."""
    matrix = 2.0 * (model.hidden_size or 0) * busy_inner(model)
    return Range(matrix, matrix, 2 * matrix)
