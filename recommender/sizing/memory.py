"""What a load needs on the busiest GPU, line by line, for serving and for training [bytes].

Serving fills an engine's budget (usable memory x utilization); training takes the whole card. Every line is
low-typical-high; the factors and their sources are in `memory_constants`.
"""

from dataclasses import replace
from functools import lru_cache
from math import floor

from recommender.sizing import memory_constants as constants
from recommender.sizing.caches import cache_bytes, cache_bytes_per_token, cache_lines
from recommender.sizing.lines import Line, refuse_below, total, whole, whole_range
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
from recommender.sizing.training_memory import (
    TrainingSetup,
    adapter_parameters,
    driver_reserve,
    training_memory,
)
from recommender.sizing.weights import busy_inner, weight_bytes, weight_lines

__all__ = [
    "TrainingSetup",
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
ALONE = Layout(1, 1, 1, 0, False)


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
    prefix_tokens: int = 0,
    companions: tuple[AIModelSpec, ...] = (),
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
        prefix_tokens: Start of the prompt that all requests share [tokens].
        companions: Embedders, rerankers and the like that run whole on the same card.

    Raises:
        SizingError: a model whose cache is not understood, or a negative number.
    """
    refuse_below(0, adapters=adapters)
    standing = _standing_memory(
        model,
        gpu,
        layout,
        precision,
        engine,
        adapters,
        draft,
        utilization,
        build,
        batch_tokens,
        recipe,
        companions,
        _prompt(engine, tokens_per_request, batch_tokens),
    )
    cached = _cached_lines(
        model,
        layout,
        kv_precision,
        tokens_per_request,
        requests,
        engine,
        draft,
        build,
        batch_tokens,
        prefix_tokens,
    )
    if not cached:
        return standing
    kept = total(cached)
    return replace(standing, kv_cache=kept if standing.kv_cache is None else standing.kv_cache + kept)


def planned_share(engine: Engine, utilization: float | None) -> float:
    """Return the share of the card that the engine's budget is; SGLang's has its reserve as a line."""
    return constants.UTILIZATION[engine] if utilization is None or engine == "sglang" else utilization


def serving_lines(
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
    prefix_tokens: int = 0,
    companions: tuple[AIModelSpec, ...] = (),
) -> tuple[Line, ...]:
    """Return what `inference_memory` sums up, line by line; its arguments are the same.

    Raises:
        SizingError: a model whose cache is not understood, or a negative number.
    """
    refuse_below(0, adapters=adapters)
    standing = _standing_lines(
        model,
        gpu,
        layout,
        precision,
        engine,
        adapters,
        draft,
        utilization,
        build,
        batch_tokens,
        recipe,
        companions,
        _prompt(engine, tokens_per_request, batch_tokens),
    )
    cached = _cached_lines(
        model,
        layout,
        kv_precision,
        tokens_per_request,
        requests,
        engine,
        draft,
        build,
        batch_tokens,
        prefix_tokens,
    )
    return (*standing, *cached)


def _prompt(engine: Engine, tokens_per_request: int, batch_tokens: int | None) -> int:
    """Return the prompt that plain runtimes work on in one go; engines cut it up, whatever its length."""
    if engine != "other":
        return 0
    return batch_tokens or tokens_per_request


@lru_cache(maxsize=16384)
def _standing_memory(
    model: AIModelSpec,
    gpu: GPUSpec,
    layout: Layout,
    precision: Precision,
    engine: Engine,
    adapters: int,
    draft: AIModelSpec | None,
    utilization: float | None,
    build: Build,
    batch_tokens: int | None,
    recipe: str | None,
    companions: tuple[AIModelSpec, ...],
    prompt: int,
) -> Memory:
    """Return the sums of the lines that do not depend on the load, and the engine's budget."""
    lines = _standing_lines(
        model,
        gpu,
        layout,
        precision,
        engine,
        adapters,
        draft,
        utilization,
        build,
        batch_tokens,
        recipe,
        companions,
        prompt,
    )
    cached = any(line.group == "cache" for line in lines)  # a companion's
    return Memory(
        weights=total(lines, "weights"),
        kv_cache=total(lines, "cache") if cached else None,
        activations=total(lines, "activations", "graphs"),
        optimizer=None,
        gradients=None,
        overhead=total(lines, "buffers", "outside"),
        available=gpu.memory_bytes.scaled(planned_share(engine, utilization)),
    )


@lru_cache(maxsize=16384)
def _standing_lines(
    model: AIModelSpec,
    gpu: GPUSpec,
    layout: Layout,
    precision: Precision,
    engine: Engine,
    adapters: int,
    draft: AIModelSpec | None,
    utilization: float | None,
    build: Build,
    batch_tokens: int | None,
    recipe: str | None,
    companions: tuple[AIModelSpec, ...],
    prompt: int,
) -> tuple[Line, ...]:
    """Return the lines that do not depend on how many requests run and how long they are."""
    own_draft = draft is not None and draft.slug == model.slug
    lines = [*weight_lines(model, precision, layout, gpu, with_mtp=own_draft, recipe=recipe)]
    if draft is not None and not own_draft:
        lines += _of(draft, weight_lines(draft, "bf16", layout, gpu))
    if adapters:
        lines.append(_served_adapters(model, layout, adapters))
    share = planned_share(engine, utilization)
    if utilization is not None and engine == "sglang":  # its fraction leaves the rest to activations
        rest = (1 - utilization) * gpu.memory_bytes.typical
        values: tuple[float | Range, ...] = (utilization, gpu.memory_bytes.typical)
        lines.append(Line("activations_left", "activations", whole(rest, rest, rest), values))
    else:
        lines += _activations(model, gpu, layout, engine, build, share, batch_tokens, prompt)
    for one in companions:
        lines += _companion(one, gpu)
    return (*lines, *_reserve(gpu, layout, engine, share))


def _cached_lines(
    model: AIModelSpec,
    layout: Layout,
    kv_precision: KVPrecision,
    tokens_per_request: int,
    requests: int,
    engine: Engine,
    draft: AIModelSpec | None,
    build: Build,
    batch_tokens: int | None,
    prefix_tokens: int,
) -> tuple[Line, ...]:
    """Return what the requests keep, in the model and in what proposes tokens to it."""
    caches = [model] if model.cache_groups or not model.cache_known else []
    if draft is not None and draft.slug != model.slug:
        caches.append(draft)
    elif draft is not None and model.mtp_parameters and model.cache_known:
        caches.append(_prediction_layer(model))
    lines: tuple[Line, ...] = ()
    for one in caches:
        found = cache_lines(
            one,
            tokens=tokens_per_request,
            requests=requests,
            kv_precision=kv_precision,
            tensor_parallel=layout.tensor_parallel,
            pipeline_parallel=layout.pipeline_parallel,
            batch_tokens=batch_tokens or constants.BATCH_TOKENS[True],
            windows_used=engine != "other",
            prefix_tokens=0 if engine == "other" else prefix_tokens,
        )
        lines += found if one is model else tuple(_of(one, found))
    if not lines or engine != "other" or build != "2024":
        return lines
    kept, copies = total(lines), constants.CONCATENATED_CACHE
    size = whole(
        kept.low * (copies.low - 1), kept.typical * (copies.typical - 1), kept.high * (copies.high - 1)
    )
    return (*lines, Line("cache_copies", "cache", size, (kept, copies), shared_out=True))


def graphs_beside(gpu: GPUSpec, engine: Engine) -> Line | None:
    """Return the memory of recorded CUDA graphs where it lies beside the engine's budget, else nothing.

    vLLM records them when the cache has taken its part of the budget; SGLang reserves them (a line of its
    own), plain PyTorch has none.
    """
    if engine in ("sglang", "other"):
        return None
    size = constants.GRAPHS.get(gpu.vendor, constants.GRAPHS[""])
    cases = constants.SEEN_IN.get(f"graphs_{gpu.vendor}", constants.SEEN_IN["graphs_"])
    return Line("graphs_recorded", "graphs", whole_range(size), (size, cases))


def _of(model: AIModelSpec, lines: tuple[Line, ...]) -> list[Line]:
    return [replace(line, model=model.slug) for line in lines]


@lru_cache(maxsize=1024)
def _prediction_layer(model: AIModelSpec) -> AIModelSpec:
    """Return the model's prediction layer as a model of its own: one layer of the kind that keeps most."""
    growing = [group for group in model.cache_groups if group.window is None and group.kind != "state"]
    groups = tuple(
        replace(group, layers=1)
        for group in growing
        if group.kind in ("full", "latent") and group.tokens_per_entry == 1
    )
    return replace(model, slug="prediction", cache_groups=groups[:1], mtp_parameters=0)


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
    batch_tokens: int | None = None,
    recipe: str | None = None,
    prefix_tokens: int = 0,
    companions: tuple[AIModelSpec, ...] = (),
) -> Range:
    """Return how many requests of that length run at once in one replica, by memory alone [count].

    The low end holds when everything else takes its high end on a card at its low end. Models without a cache
    are not bounded by memory: a very large number comes back.
    """

    one = inference_memory(
        model,
        gpu,
        layout,
        precision=precision,
        kv_precision=kv_precision,
        tokens_per_request=tokens_per_request,
        requests=1,
        engine=engine,
        adapters=adapters,
        draft=draft,
        utilization=utilization,
        build=build,
        batch_tokens=batch_tokens,
        recipe=recipe,
        prefix_tokens=prefix_tokens,
        companions=companions,
    )
    needed, available = one.total, one.available

    def kept(requests: int) -> Range:
        return total(
            _cached_lines(
                model,
                layout,
                kv_precision,
                tokens_per_request,
                requests,
                engine,
                draft,
                build,
                batch_tokens,
                prefix_tokens,
            )
        )

    first, second = kept(1), kept(2)
    if second.low == first.low:
        return Range.exact(MOST_REQUESTS if needed.high <= available.low else 0)
    return Range(
        _count(available.low, needed.high, second.high - first.high),
        _count(available.typical, needed.typical, second.typical - first.typical),
        _count(available.high, needed.low, second.low - first.low),
    )


def _count(available: float, one: float, more: float) -> int:
    """Return the most requests that fit when each one after the first adds `more`."""
    if one > available:
        return 0
    return 1 + floor((available - one) / more + 1e-9)


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
    batch_tokens: int | None,
    prompt: int,
) -> list[Line]:
    """Return the activations of the largest batch that the engine runs."""
    if model.kind in FIXED:
        return [_fixed(model)]
    if engine == "sglang":
        return _sglang_reserve(gpu)
    tensor = layout.tensor_parallel
    if engine == "other":
        # Peaks of plain PyTorch show no trace of the prompt; other runtimes work on all of it.
        plain = constants.PLAIN_PEAK
        worked = _forward(model, tensor, prompt)
        size = whole(
            plain.low,
            max(plain.typical, worked.typical if batch_tokens else 0.0),
            max(plain.high, worked.high),
        )
        if batch_tokens and worked.typical > plain.typical:
            return [Line("activations_forward", "activations", size, _worked(model, tensor, prompt))]
        values = (plain.typical, constants.SEEN_IN["plain"])
        return [Line("activations_plain", "activations", size, values)]
    large = _large(gpu)
    found = _batch(model, layout, build, batch_tokens, large=large)
    if not large:
        return [found]
    small = _batch(model, layout, build, batch_tokens, large=False)
    room = share * (gpu.memory_bytes.low - constants.LARGE_CARD)
    eased = _eased(found.bytes, small.bytes, room)
    if eased == found.bytes:
        return [found]
    return [Line("activations_eased", "activations", eased, (found.bytes, small.bytes, room))]


ENCODERS = ("embedding", "reranker")
FIXED = {
    "image_generation": constants.IMAGE_ACTIVATIONS,
    "vision": constants.VISION_ACTIVATIONS,
}


def _fixed(model: AIModelSpec) -> Line:
    size = FIXED[model.kind]
    return Line("activations_fixed", "activations", whole_range(size), (size, constants.SEEN_IN[model.kind]))


def _forward(model: AIModelSpec, tensor: int, tokens: int) -> Range:
    """Return what a forward pass over that many tokens holds at once [bytes]."""
    inner = constants.FORWARD_INNER * busy_inner(model) / tensor
    hidden, widths = model.hidden_size or 0, constants.FORWARD_WIDTHS
    return Range(
        2.0 * tokens * (widths.low * hidden + inner),
        2.0 * tokens * (widths.typical * hidden + inner),
        2.0 * tokens * (widths.high * hidden + inner),
    )


def _worked(model: AIModelSpec, tensor: int, tokens: int) -> tuple[float | Range, ...]:
    """Return the numbers of `_forward`."""
    hidden, inner = model.hidden_size or 0, busy_inner(model)
    return tokens, constants.FORWARD_WIDTHS, hidden, constants.FORWARD_INNER, inner, tensor


def _largest_batch(model: AIModelSpec, *, large: bool) -> int:
    """Return how many tokens vLLM reads at once where nobody sets it [tokens]."""
    return constants.ENCODER_BATCH_TOKENS if model.kind in ENCODERS else constants.BATCH_TOKENS[large]


def _batch(
    model: AIModelSpec, layout: Layout, build: Build, batch_tokens: int | None, *, large: bool
) -> Line:
    """Return the peak of vLLM's largest batch, forward pass or sampling."""
    tokens, tensor = batch_tokens or _largest_batch(model, large=large), layout.tensor_parallel
    worked = _forward(model, tensor, tokens)
    sampling, code = NOTHING, ""
    values: tuple[float | Range, ...] = ()
    if model.generates_tokens and build == "current":
        sampling, code = constants.CURRENT_PEAK[large], "activations_current"
        values = (sampling, *_worked(model, tensor, tokens))
    elif model.generates_tokens:
        sequences, vocabulary = constants.BATCH_SEQUENCES[large and build == "2025"], model.vocab_size or 0
        sampling, code = constants.LOGIT_COPIES.scaled(4.0 * sequences * vocabulary), "activations_logits"
        values = (constants.LOGIT_COPIES, sequences, vocabulary)
    size = whole(
        max(worked.low, sampling.low),
        max(worked.typical, sampling.typical),
        max(worked.high, sampling.high),
    )
    if worked.typical >= sampling.typical:
        code, values = "activations_forward", _worked(model, tensor, tokens)
    return Line(code, "activations", size, values)


def _sglang_reserve(gpu: GPUSpec) -> list[Line]:
    """Return what SGLang holds back for a prefill chunk and for graphs of the size that it picks."""
    reserve, above = 0.0, 0.0
    chunk, sequences, held = 0, 0, 0.0
    for limit, chunk, sequences in constants.SGLANG_BATCHES:
        held = constants.SGLANG_RESERVE_PER_TOKEN * chunk + constants.SGLANG_RESERVE_PER_SEQUENCE * sequences
        room = floor(gpu.memory_bytes.low - above)
        reserve = min(held, reserve + room) if above else held
        if gpu.memory_bytes.low < limit:
            break
        above = limit
    graphs = constants.SGLANG_RESERVE_PER_SEQUENCE * sequences
    prefill, least = reserve - graphs, constants.SGLANG_LEAST
    values = (constants.SGLANG_RESERVE_PER_TOKEN, chunk, held - reserve)
    recorded = (constants.SGLANG_RESERVE_PER_SEQUENCE, sequences)
    return [
        Line("activations_chunk", "activations", whole(least * prefill, prefill, prefill), values),
        Line("graphs_reserved", "graphs", whole(least * graphs, graphs, graphs), recorded),
    ]


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


def _reserve(gpu: GPUSpec, layout: Layout, engine: Engine, share: float) -> list[Line]:
    """Return what driver, kernels and communication hold inside the budget."""
    base = constants.PLAIN_BASE if engine == "other" else constants.ENGINE_BASE
    driver, part = driver_reserve(gpu), min(share, 1.0)
    lines = [
        Line("kernels", "outside", whole_range(base), (base, constants.SEEN_IN["kernels"])),
        Line("driver", "outside", whole_range(driver.scaled(part)), (driver, part)),
    ]
    ranks = layout.gpus_per_replica
    if ranks > 1:
        each = constants.COMMUNICATION_PER_RANK
        lines.append(Line("communication", "buffers", whole_range(each.scaled(ranks)), (each, ranks)))
    return lines


@lru_cache(maxsize=1024)
def _companion(model: AIModelSpec, gpu: GPUSpec) -> tuple[Line, ...]:
    """Return an embedder, a reranker or the like as a process of its own on one card.

    Raises:
        SizingError: a model that generates tokens: its cache depends on a load of its own.
    """
    if model.generates_tokens:
        raise SizingError(f"{model.slug}: a model that generates tokens is sized on its own")
    precision = model.native_precision
    lines = [*weight_lines(model, precision, ALONE, gpu)]
    if model.cache_groups:
        longest = model.max_context or 0
        lines += cache_lines(model, tokens=longest, requests=1, kv_precision="bf16")
    if model.kind in FIXED:
        lines.append(_fixed(model))
    else:
        tokens = _largest_batch(model, large=True)
        size = whole_range(_forward(model, 1, tokens))
        lines.append(Line("activations_forward", "activations", size, _worked(model, 1, tokens)))
    context = constants.PROCESS_CONTEXT
    lines.append(Line("process", "outside", whole_range(context), (context, constants.SEEN_IN["process"])))
    return tuple(_of(model, tuple(lines)))


def _served_adapters(model: AIModelSpec, layout: Layout, adapters: int) -> Line:
    """Return the slots of LoRA adapters that are kept ready."""
    rank, each = constants.SERVED_ADAPTER_RANK, adapter_parameters(model, 1)
    gpus = layout.gpus_per_replica
    size = whole_range(rank.scaled(2.0 * each * adapters / gpus))
    return Line("weights_adapters", "weights", size, (adapters, rank, each, gpus), shared_out=True)
