"""What a load needs on the busiest GPU, line by line, for serving and for training [bytes].

Serving fills an engine's budget (usable memory x utilization); training takes the whole card. Every line is
low-typical-high; the factors and their sources are in `memory_constants`.
"""

from functools import lru_cache
from math import floor

from recommender.sizing import memory_constants as constants
from recommender.sizing.caches import cache_bytes, cache_bytes_per_token
from recommender.sizing.precisions import bytes_per_value
from recommender.sizing.specs import (
    AIModelSpec,
    Engine,
    GPUSpec,
    KVPrecision,
    Layout,
    Memory,
    Method,
    Precision,
    Range,
    Recompute,
    Sharding,
    SizingError,
)
from recommender.sizing.weights import parts, weight_bytes, weights_per_gpu

__all__ = [
    "adapter_parameters",
    "cache_bytes",
    "cache_bytes_per_token",
    "inference_memory",
    "max_requests",
    "training_memory",
    "weight_bytes",
]

NOTHING = Range.exact(0.0)
MOST_REQUESTS = 100_000


@lru_cache(maxsize=65536)
def inference_memory(
    model: AIModelSpec,
    gpu: GPUSpec,
    layout: Layout,
    *,
    precision: Precision,
    kv_precision: KVPrecision,
    tokens_per_request: int,
    requests: int,
    engine: Engine = "vllm",
    adapters: int = 0,
    draft: AIModelSpec | None = None,
    utilization: float | None = None,
) -> Memory:
    """Return the memory of the busiest GPU of one replica while `requests` requests run at once [bytes].

    Args:
        model: The model served.
        gpu: The card; its usable memory bounds the engine's budget.
        layout: How one replica lies on cards; more replicas change nothing here.
        precision: Type of the weights.
        kv_precision: Type of keys and values.
        tokens_per_request: Prompt and answer, all kept [tokens].
        requests: Requests running at once in this replica [count].
        engine: Runtime, for its budget and its reserve.
        adapters: LoRA adapters kept ready beside the model [count].
        draft: A smaller model that proposes tokens, or the model itself for its own prediction layers.
        utilization: Share of the card the engine may plan with; its default where absent.

    Raises:
        SizingError: a model whose cache is not understood, or a negative number.
    """
    if adapters < 0:
        raise SizingError(f"{adapters=}")
    own_draft = draft is not None and draft.slug == model.slug
    weights = weights_per_gpu(model, precision, layout, gpu, with_mtp=own_draft)
    cache = None
    if model.cache_groups or not model.cache_known:
        cache = cache_bytes(
            model,
            tokens=tokens_per_request,
            requests=requests,
            kv_precision=kv_precision,
            tensor_parallel=layout.tensor_parallel,
            pipeline_parallel=layout.pipeline_parallel,
        )
    if draft is not None and not own_draft:
        weights += weights_per_gpu(draft, "bf16", layout, gpu)
        beside = cache_bytes(
            draft,
            tokens=tokens_per_request,
            requests=requests,
            kv_precision=kv_precision,
            tensor_parallel=layout.tensor_parallel,
            pipeline_parallel=layout.pipeline_parallel,
        )
        cache = beside if cache is None else cache + beside
    if adapters:
        weights += _served_adapters(model, layout, adapters)
    share = constants.UTILIZATION[engine] if utilization is None else utilization
    return Memory(
        weights=weights,
        kv_cache=cache,
        activations=_forward(model, gpu, layout, engine),
        optimizer=None,
        gradients=None,
        overhead=_reserve(gpu, layout, engine),
        available=gpu.memory_bytes.scaled(share),
    )


@lru_cache(maxsize=65536)
def max_requests(
    model: AIModelSpec,
    gpu: GPUSpec,
    layout: Layout,
    *,
    precision: Precision,
    kv_precision: KVPrecision,
    tokens_per_request: int,
    engine: Engine = "vllm",
    adapters: int = 0,
    draft: AIModelSpec | None = None,
    utilization: float | None = None,
) -> Range:
    """Return how many requests of that length run at once in one replica, by memory alone [count].

    The low end holds when everything else takes its high end on a card at its low end. Models without a cache
    are not bounded by memory: a very large number comes back.
    """

    def memory(requests: int) -> Memory:
        return inference_memory(
            model,
            gpu,
            layout,
            precision=precision,
            kv_precision=kv_precision,
            tokens_per_request=tokens_per_request,
            requests=requests,
            engine=engine,
            adapters=adapters,
            draft=draft,
            utilization=utilization,
        )

    empty, one, two = memory(0), memory(1), memory(2)
    if two.total.low == one.total.low:
        return Range.exact(MOST_REQUESTS if one.total.high <= one.available.low else 0)
    return Range(
        _count(one.available.low, empty.total.high, one.total.high, two.total.high),
        _count(one.available.typical, empty.total.typical, one.total.typical, two.total.typical),
        _count(one.available.high, empty.total.low, one.total.low, two.total.low),
    )


def _count(available: float, empty: float, one: float, two: float) -> int:
    """Return the most requests that fit when each one after the first adds as much as the second."""
    if one > available:
        return 0
    return 1 + floor((available - one) / (two - one) + 1e-9)


def _large(gpu: GPUSpec) -> bool:
    """Tell whether vLLM gives the card its large batch."""
    return gpu.memory_bytes.low >= constants.LARGE_CARD and "a100" not in gpu.slug


def _forward(model: AIModelSpec, gpu: GPUSpec, layout: Layout, engine: Engine) -> Range:
    """Return the activations of the largest batch that the engine runs [bytes]."""
    if model.kind == "image_generation":
        return constants.IMAGE_ACTIVATIONS
    if model.kind == "vision":
        return constants.VISION_ACTIVATIONS
    hidden = model.hidden_size or 0
    if engine == "sglang":
        reserve = constants.SGLANG_RESERVE_PER_TOKEN * _sglang_chunk(gpu)
        return Range(0.6 * reserve, reserve, reserve)
    large = _large(gpu)
    inner = model.intermediate_size or 4 * hidden
    if model.is_moe and model.moe_intermediate_size:
        busy = model.experts_per_token + model.shared_experts
        inner = max(model.moe_intermediate_size * busy, inner if model.first_dense_layers else 0)
    widths = constants.FORWARD_WIDTHS
    ends = []
    for width, copies in zip(
        (widths.low, widths.typical, widths.high),
        (constants.LOGIT_COPIES.low, constants.LOGIT_COPIES.typical, constants.LOGIT_COPIES.high),
        strict=True,
    ):
        tokens = constants.BATCH_TOKENS[large] * 2 * (width * hidden + 3 * inner / layout.tensor_parallel)
        logits = 0.0
        if model.generates_tokens and model.vocab_size:
            logits = constants.BATCH_SEQUENCES[large] * model.vocab_size * 4 * copies
        ends.append(max(tokens, logits))
    return Range(*ends)


def _reserve(gpu: GPUSpec, layout: Layout, engine: Engine) -> Range:
    """Return what kernels, graphs and communication hold inside the budget [bytes]."""
    reserve = constants.SGLANG_BASE if engine == "sglang" else constants.ENGINE_BASE
    if layout.gpus_per_replica > 1:
        reserve += constants.COMMUNICATION
    return reserve


def _sglang_chunk(gpu: GPUSpec) -> int:
    return next(chunk for limit, chunk in constants.SGLANG_CHUNKS if gpu.memory_bytes.typical < limit)


def _served_adapters(model: AIModelSpec, layout: Layout, adapters: int) -> Range:
    rank = constants.SERVED_ADAPTER_RANK
    one = Range(*(2.0 * adapter_parameters(model, r) for r in (rank.low, rank.typical, rank.high)))
    return one.scaled(adapters / (layout.tensor_parallel * layout.pipeline_parallel))


def adapter_parameters(model: AIModelSpec, rank: float) -> float:
    """Return the parameters of a LoRA adapter of that rank on every matrix of the layers [parameters].

    Each adapted matrix of m x n adds rank x (m + n) (Hu et al., 2021, arXiv:2106.09685). The routed experts
    of a mixture are left alone, as is usual.

    Raises:
        SizingError: a model without a transformer's shape.
    """
    hidden, layers = model.hidden_size, model.num_layers
    if not hidden or not layers:
        raise SizingError(f"{model.slug}: no adapter without the layers' shape")
    heads = (model.num_attention_heads or 1) * (model.head_dim or hidden // (model.num_attention_heads or 1))
    kv = (model.num_kv_heads or 0) * (model.head_dim or 0)
    sides = 2 * (hidden + heads) + 2 * (hidden + kv)
    inner = model.intermediate_size
    if not model.is_moe and inner:
        sides += 3 * (hidden + inner)
    return float(rank * layers * sides)


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
) -> Memory:
    """Return the memory of one GPU while it trains [bytes].

    Args:
        model: The model trained or adapted.
        gpu: The card.
        layout: `replicas` are the data-parallel workers, over which `sharding` spreads states.
        method: What is trained: everything (`pretraining`, `full`) or adapters (`lora`, `qlora`).
        precision: Type of the frozen base of LoRA; computing type otherwise. QLoRA's base is NF4.
        optimizer: A name in `memory_constants.RECIPES`.
        lora_rank: Rank of the adapters, on every matrix of the layers.
        sequence_tokens: Length of one sequence [tokens].
        micro_batch: Sequences a GPU works on at once [count].
        recompute: What the backward pass computes again instead of keeping.
        sharding: `zero1` spreads optimizer states, `zero2` gradients too, `zero3` weights too.

    Raises:
        SizingError: an unknown recipe, a number below one, a model without a transformer's shape.
    """
    if min(sequence_tokens, micro_batch, lora_rank) < 1:
        raise SizingError(f"{sequence_tokens=}, {micro_batch=}, {lora_rank=} train nothing")
    if optimizer not in constants.RECIPES:
        raise SizingError(f"no such recipe: {optimizer!r}")
    pieces = layout.gpus_per_replica
    workers = layout.replicas
    found = parts(model)
    base = NOTHING
    if method in ("pretraining", "full"):
        trained = float(model.parameters)
        weight, gradient, state = constants.RECIPES[optimizer]
    else:
        trained = adapter_parameters(model, lora_rank)
        weight, gradient, state = constants.ADAPTER_BYTES
        if method == "qlora":
            quantized = found.experts + found.linear + found.attention + found.mtp
            rest = model.parameters - quantized
            base = Range(
                constants.NF4_DOUBLE_VALUE * quantized + 2 * rest,
                constants.NF4_DOUBLE_VALUE * quantized + 2 * rest,
                constants.NF4_VALUE * quantized + 2 * rest,
            )
        else:
            base = Range.exact(max(2.0, bytes_per_value(precision)) * model.parameters)
    weights = (base + Range.exact(weight * trained)).scaled(1 / (pieces * _spread(workers, sharding, 3)))
    gradients = Range.exact(gradient * trained / (pieces * _spread(workers, sharding, 2)))
    low, typical, high = constants.OPTIMIZER_SPREAD
    states = state * trained / (pieces * _spread(workers, sharding, 1))
    activations = _backward(model, layout, sequence_tokens * micro_batch, recompute)
    overhead = constants.TRAINING_BASE + Range(
        constants.FRAGMENTATION.low * activations.low,
        constants.FRAGMENTATION.typical * activations.typical,
        constants.FRAGMENTATION.high * activations.high,
    )
    if sharding == "zero3" and workers > 1:
        overhead += _gathered(model, trained if method in ("pretraining", "full") else 0.0)
    if method == "qlora":
        overhead += _widened(model)
    return Memory(
        weights=weights,
        kv_cache=None,
        activations=activations,
        optimizer=Range(states * low, states * typical, states * high),
        gradients=gradients,
        overhead=overhead,
        available=gpu.memory_bytes,
    )


def _spread(workers: int, sharding: Sharding, stage: int) -> int:
    """Return over how many workers the states of that ZeRO stage lie [count]."""
    reached = {"none": 0, "zero1": 1, "zero2": 2, "zero3": 3}[sharding]
    return workers if reached >= stage else 1


def _backward(model: AIModelSpec, layout: Layout, tokens: int, recompute: Recompute) -> Range:
    """Return what a step keeps for its backward pass on one GPU, the logits included [bytes].

    A pipeline changes nothing: its first stage keeps as many micro-batches as there are stages, each with
    its share of the layers (Narayanan et al., 2021, arXiv:2104.04473).
    """
    hidden, layers = model.hidden_size, model.num_layers
    if not hidden or not layers:
        raise SizingError(f"{model.slug}: no training estimate without the layers' shape")
    tensor = layout.tensor_parallel
    inner = model.intermediate_size or 4 * hidden
    if model.is_moe and model.moe_intermediate_size:
        inner = model.moe_intermediate_size * (model.experts_per_token + model.shared_experts)
    ends = []
    for end in ("low", "typical", "high"):
        kept: float = getattr(constants.KEPT_WIDTHS, end)
        kept_inner: float = getattr(constants.KEPT_MLP_WIDTHS, end)
        layer = 2.0 * tokens * (kept * hidden + kept_inner * inner) / tensor
        if recompute == "full":
            # The inputs of all layers, and one layer in full while it is computed again.
            body = 2.0 * tokens * constants.CHECKPOINT_WIDTHS * hidden * layers + layer
        elif recompute == "selective":
            share: float = getattr(constants.SELECTIVE_SHARE, end)
            body = layer * layers * share
        else:
            body = layer * layers
        logits = tokens * (model.vocab_size or 0) * getattr(constants.LOGIT_BYTES, end) / tensor
        ends.append(body + logits)
    return Range(*ends)


def _gathered(model: AIModelSpec, trained: float) -> Range:
    """Return the layers that ZeRO-3 holds unsharded at once: one, or two with prefetching [bytes]."""
    layer = 2.0 * (trained or model.parameters) / (model.num_layers or 1)
    return Range(layer, 2 * layer, 4 * layer)


def _widened(model: AIModelSpec) -> Range:
    """Return the 16-bit copy of the largest matrix while QLoRA multiplies with it [bytes]."""
    inner = model.intermediate_size or 4 * (model.hidden_size or 0)
    matrix = 2.0 * (model.hidden_size or 0) * inner
    return Range(matrix, matrix, 2 * matrix)
