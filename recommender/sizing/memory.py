"""What a load needs on the busiest GPU, line by line, for serving and for training [bytes].

Serving fills an engine's budget (usable memory x utilization); training takes the whole card. Every line is
low-typical-high; the factors and their sources are in `memory_constants`.
"""

from functools import lru_cache
from math import floor

from recommender.sizing import memory_constants as constants
from recommender.sizing.caches import cache_bytes, cache_bytes_per_token
from recommender.sizing.specs import (
    AIModelSpec,
    Build,
    Engine,
    GPUSpec,
    KVPrecision,
    Layout,
    Memory,
    Precision,
    Range,
    SizingError,
)
from recommender.sizing.training_memory import adapter_parameters, driver_reserve, training_memory
from recommender.sizing.weights import busy_inner, weight_bytes, weights_per_gpu

__all__ = [
    "adapter_parameters",
    "cache_bytes",
    "cache_bytes_per_token",
    "driver_reserve",
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
    build: Build = "current",
    batch_tokens: int | None = None,
    recipe: str | None = None,
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
        build: Releases of the engine: `current`, those of `2025`, or `2024` and before.
        batch_tokens: Tokens of the largest batch where it is set: the whole prompt for engines that do not
            cut it up [tokens].
        recipe: How the weights were quantized, one of `weights.NAMED`, where it is known.

    Raises:
        SizingError: a model whose cache is not understood, or a negative number.
    """
    if adapters < 0:
        raise SizingError(f"{adapters=}")
    own_draft = draft is not None and draft.slug == model.slug
    weights = weights_per_gpu(model, precision, layout, gpu, with_mtp=own_draft, recipe=recipe)
    caches = [model] if model.cache_groups or not model.cache_known else []
    if draft is not None and not own_draft:
        weights += weights_per_gpu(draft, "bf16", layout, gpu)
        caches.append(draft)
    if adapters:
        weights += _served_adapters(model, layout, adapters)
    cache: Range | None = None
    for one in caches:
        part = cache_bytes(
            one,
            tokens=tokens_per_request,
            requests=requests,
            kv_precision=kv_precision,
            tensor_parallel=layout.tensor_parallel,
            pipeline_parallel=layout.pipeline_parallel,
            batch_tokens=batch_tokens or constants.BATCH_TOKENS[True],
            windows_used=engine != "other",
        )
        cache = part if cache is None else cache + part
    if cache is not None and own_draft and model.mtp_parameters:
        cache = cache.scaled(1 + 1 / (model.num_layers or 1))  # the prediction layer's own
    if cache is not None and engine == "other" and build == "2024":
        cache = _times(cache, constants.CONCATENATED_CACHE)
    share = constants.UTILIZATION[engine] if utilization is None or engine == "sglang" else utilization
    if utilization is not None and engine == "sglang":  # its fraction leaves the rest to activations
        activations = Range.exact((1 - utilization) * gpu.memory_bytes.typical)
    else:
        activations = _activations(model, gpu, layout, engine, build, share, tokens_per_request, batch_tokens)
    return Memory(
        weights=weights,
        kv_cache=cache,
        activations=activations,
        optimizer=None,
        gradients=None,
        overhead=_reserve(gpu, layout, engine, share),
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
    build: Build = "current",
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
            build=build,
        )

    one, two = memory(1), memory(2)
    if two.total.low == one.total.low:
        return Range.exact(MOST_REQUESTS if one.total.high <= one.available.low else 0)
    return Range(
        _count(one.available.low, one.total.high, two.total.high),
        _count(one.available.typical, one.total.typical, two.total.typical),
        _count(one.available.high, one.total.low, two.total.low),
    )


def _count(available: float, one: float, two: float) -> int:
    """Return the most requests that fit when each one after the first adds as much as the second."""
    if one > available:
        return 0
    return 1 + floor((available - one) / (two - one) + 1e-9)


def _large(gpu: GPUSpec) -> bool:
    """Tell whether vLLM gives the card its large batch."""
    return gpu.memory_bytes.low >= constants.LARGE_CARD and "a100" not in gpu.slug


def _activations(
    model: AIModelSpec,
    gpu: GPUSpec,
    layout: Layout,
    engine: Engine,
    build: Build,
    share: float,
    tokens_per_request: int,
    batch_tokens: int | None,
) -> Range:
    """Return the activations of the largest batch that the engine runs [bytes]."""
    if model.kind == "image_generation":
        return constants.IMAGE_ACTIVATIONS
    if model.kind == "vision":
        return constants.VISION_ACTIVATIONS
    if engine == "sglang":
        return _sglang_reserve(gpu)
    if engine == "other":
        # Peaks of plain PyTorch show no trace of the prompt; other runtimes work on all of it.
        plain = constants.PLAIN_PEAK
        prompt = batch_tokens or min(tokens_per_request, constants.BATCH_TOKENS[True])
        worked = _forward(model, layout, prompt)
        return Range(
            plain.low,
            max(plain.typical, worked.typical if batch_tokens else 0.0),
            max(plain.high, worked.high),
        )
    small = _batch(model, layout, build, batch_tokens, large=False)
    if not _large(gpu):
        return small
    room = share * (gpu.memory_bytes.low - constants.LARGE_CARD)
    return _eased(_batch(model, layout, build, batch_tokens, large=True), small, room)


def _forward(model: AIModelSpec, layout: Layout, tokens: int) -> Range:
    """Return what a forward pass over that many tokens holds at once [bytes]."""
    inner = constants.FORWARD_INNER * busy_inner(model) / layout.tensor_parallel
    hidden, widths = model.hidden_size or 0, constants.FORWARD_WIDTHS
    return Range(
        2.0 * tokens * (widths.low * hidden + inner),
        2.0 * tokens * (widths.typical * hidden + inner),
        2.0 * tokens * (widths.high * hidden + inner),
    )


def _batch(
    model: AIModelSpec, layout: Layout, build: Build, batch_tokens: int | None, *, large: bool
) -> Range:
    """Return the peak of vLLM's largest batch, forward pass or sampling [bytes]."""
    worked = _forward(model, layout, batch_tokens or constants.BATCH_TOKENS[large])
    if not model.generates_tokens:
        return worked
    if build == "current":
        sampling = constants.CURRENT_PEAK[large]
    else:
        rows = constants.BATCH_SEQUENCES[large and build == "2025"] * (model.vocab_size or 0)
        sampling = constants.LOGIT_COPIES.scaled(4.0 * rows)
    return Range(
        max(worked.low, sampling.low),
        max(worked.typical, sampling.typical),
        max(worked.high, sampling.high),
    )


def _sglang_reserve(gpu: GPUSpec) -> Range:
    """Return what SGLang holds back for a prefill chunk of the size that it picks for the card [bytes]."""
    reserve, above = 0.0, 0.0
    for limit, chunk, sequences in constants.SGLANG_BATCHES:
        held = constants.SGLANG_RESERVE_PER_TOKEN * chunk + constants.SGLANG_RESERVE_PER_SEQUENCE * sequences
        reserve = min(held, reserve + gpu.memory_bytes.low - above) if above else held
        if gpu.memory_bytes.low < limit:
            break
        above = limit
    return Range(0.6 * reserve, reserve, reserve)


def _eased(large: Range, small: Range, room: float) -> Range:
    """Return the larger card's reserve, but no more than the memory that it has above the smaller one's.

    Engines step up their batch at a size of card; whoever runs short there sets it back, so that a larger
    card never holds less.
    """
    return Range(
        min(large.low, small.low + room),
        min(large.typical, small.typical + room),
        min(large.high, small.high + room),
    )


def _reserve(gpu: GPUSpec, layout: Layout, engine: Engine, share: float) -> Range:
    """Return what driver, kernels and communication hold inside the budget [bytes]."""
    base = constants.PLAIN_BASE if engine == "other" else constants.ENGINE_BASE
    reserve = base + driver_reserve(gpu).scaled(min(share, 1.0))
    ranks = layout.gpus_per_replica
    return reserve + constants.COMMUNICATION_PER_RANK.scaled(ranks) if ranks > 1 else reserve


def _times(one: Range, other: Range) -> Range:
    return Range(one.low * other.low, one.typical * other.typical, one.high * other.high)


def _served_adapters(model: AIModelSpec, layout: Layout, adapters: int) -> Range:
    rank = constants.SERVED_ADAPTER_RANK
    one = Range(*(2.0 * adapter_parameters(model, r) for r in (rank.low, rank.typical, rank.high)))
    return one.scaled(adapters / (layout.tensor_parallel * layout.pipeline_parallel))
