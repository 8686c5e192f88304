"""Bytes that a request leaves on a GPU between two tokens: keys and values, latents, constant states."""

from collections.abc import Iterator
from functools import lru_cache
from math import ceil, floor

from recommender.sizing import memory_constants as constants
from recommender.sizing.lines import Line, total, whole
from recommender.sizing.precisions import bytes_per_value
from recommender.sizing.specs import AIModelSpec, CacheGroup, KVPrecision, Range, SizingError


def cache_bytes_per_token(model: AIModelSpec, kv_precision: KVPrecision, tensor_parallel: int = 1) -> float:
    """Return what each further token adds on one GPU [bytes]; windows and constant states add nothing.

    Of a model whose shape is guessed, the typical value.

    Args:
        model: The shape; its cache groups carry the rule of each kind of layer.
        kv_precision: Type of the stored keys and values.
        tensor_parallel: GPUs that share each layer [count].

    Raises:
        SizingError: a model whose cache is not understood, or a degree below one.

    Sources: Pope et al., 2022, arXiv:2211.05102 (heads shared out over ranks); DeepSeek-V2,
    arXiv:2405.04434 (latents); the tests hold each rule against engine logs.
    """
    _check(model, tensor_parallel)
    each = sum(
        group.layers * _entry_bytes(model, group, kv_precision, tensor_parallel) / group.tokens_per_entry
        for group in model.cache_groups
        if group.window is None and group.kind != "state"
    )
    return each * model.cache_spread.typical if model.cache_spread else each


def shared_tokens(prefix_percent: float, *, input_tokens: int, tokens_per_request: int) -> int:
    """Return the start of a request that all requests share [tokens].

    The percentage is of the prompt, never of the whole context: an answer, and what a longer context leaves
    room for, is each request's own.

    Args:
        prefix_percent: Part of the prompt that requests share [%].
        input_tokens: Prompt [tokens].
        tokens_per_request: Prompt and answer, or the whole context, that the cache keeps [tokens].

    Raises:
        SizingError: a percentage outside 0 to 100, or a negative length.
    """
    if not 0 <= prefix_percent <= 100 or min(input_tokens, tokens_per_request) < 0:
        raise SizingError(f"{prefix_percent=}, {input_tokens=}, {tokens_per_request=} share nothing")
    return min(floor(prefix_percent / 100 * input_tokens + 1e-9), tokens_per_request)


def widest_window(model: AIModelSpec) -> int | None:
    """Return the length past which no layer with a window keeps more [tokens]; None: there is none."""
    windows = [group.window for group in model.cache_groups if group.window is not None]
    return max(windows, default=None)


@lru_cache(maxsize=65536)
def cache_bytes(
    model: AIModelSpec,
    *,
    tokens: int,
    requests: int,
    kv_precision: KVPrecision,
    tensor_parallel: int = 1,
    pipeline_parallel: int = 1,
    batch_tokens: int = 8192,
    windows_used: bool = True,
    prefix_tokens: int = 0,
) -> Range:
    """Return the cache of `requests` requests on the busiest GPU: the sum of `cache_lines` [bytes]."""
    return total(
        cache_lines(
            model,
            tokens=tokens,
            requests=requests,
            kv_precision=kv_precision,
            tensor_parallel=tensor_parallel,
            pipeline_parallel=pipeline_parallel,
            batch_tokens=batch_tokens,
            windows_used=windows_used,
            prefix_tokens=prefix_tokens,
        )
    )


@lru_cache(maxsize=16384)
def cache_lines(
    model: AIModelSpec,
    *,
    tokens: int,
    requests: int,
    kv_precision: KVPrecision,
    tensor_parallel: int = 1,
    pipeline_parallel: int = 1,
    batch_tokens: int = 8192,
    windows_used: bool = True,
    prefix_tokens: int = 0,
) -> tuple[Line, ...]:
    """Return the cache of `requests` requests of `tokens` tokens each on the busiest GPU, by cache group.

    Windowed and chunked layers keep at most their window. The typical value is the rule to the byte; the
    high end adds the last page of each request, which is partly empty, and one prefill chunk that has not yet
    left the windowed layers. Where a model has constant states too, vLLM gives both kinds of layer pages of
    one size, so that attention's hold as many tokens as a state has room for; the low end keeps states in the
    model's 16 bits, as vLLM does where the model's configuration does not ask for more.

    Args:
        model: The shape.
        tokens: Prompt and answer of one request, all of them kept [tokens].
        requests: Requests that run at once [count].
        kv_precision: Type of the stored keys and values; constant states keep their own.
        tensor_parallel: GPUs that share each layer [count].
        pipeline_parallel: Stages; the one with the most layers counts [count].
        batch_tokens: Largest part of a prompt that the engine reads at once [tokens].
        windows_used: The engine is known to drop what has left a window; else the high end keeps it all.
        prefix_tokens: Start of the prompt that all requests share and that is kept once [tokens]; engines
            share whole pages of layers without a window, and nothing where a model has constant states.

    Raises:
        SizingError: a model whose cache is not understood, or a negative or impossible number.
    """
    _check(model, tensor_parallel)
    if tokens < 0 or requests < 0 or pipeline_parallel < 1 or not 0 <= prefix_tokens <= tokens:
        raise SizingError(f"{tokens=}, {requests=}, {pipeline_parallel=}, {prefix_tokens=} make no cache")
    stateful = any(group.kind == "state" for group in model.cache_groups)
    pages = prefix_tokens // constants.BLOCK_TOKENS * constants.BLOCK_TOKENS
    page = _state_page(model, kv_precision, tensor_parallel)
    lines: list[Line] = []
    values: tuple[float, ...]
    for group in model.cache_groups:
        layers = ceil(group.layers / pipeline_parallel)
        if group.kind == "state":
            share = tensor_parallel if group.tensor_sharded else 1
            one = ceil(layers * group.state_bytes / share)
            state = Range(
                float(ceil(one * constants.STATE_IN_16_BITS) * requests),
                float(one * requests),
                float(max(one, layers * page) * requests),
            )
            values = (layers, group.state_bytes, share, requests)
            lines.append(Line("cache_state", "cache", state, values, shared_out=group.tensor_sharded))
            continue
        entry = layers * _entry_bytes(model, group, kv_precision, tensor_parallel)
        once = 0
        if group.window is None and not stateful and requests:
            once = pages // group.tokens_per_entry * group.tokens_per_entry
        kept = tokens if group.window is None else min(tokens, group.window)
        most = kept if windows_used else tokens
        block = constants.BLOCK_TOKENS
        if page and group.window is None:
            block = max(block, ceil(page / (entry / layers) * group.tokens_per_entry / block) * block)
        paged = ceil(most / block) * block
        alone = _stored(entry, kept - once, group)
        rounded = max(_stored(entry, paged - once, group), alone)
        chunk = 0
        if group.window is not None and windows_used and requests:
            chunk = _stored(entry, max(0, min(tokens, group.window + batch_tokens) - kept), group)
        if model.cache_spread is not None:
            lines.extend(_guessed(model.cache_spread, entry, kept - once, rounded / entry, once, requests))
            continue
        size = Range(float(alone * requests), float(alone * requests), float(rounded * requests + chunk))
        values = (*_entry_values(model, group, kv_precision, tensor_parallel), layers, kept - once)
        lines.append(
            Line(
                _code(model, group, kv_precision),
                "cache",
                size,
                (*values, group.tokens_per_entry, requests),
                shared_out=group.tensor_sharded and group.kind not in ("latent", "indexer"),
            )
        )
        if once:
            prefix = Range.exact(float(_stored(entry, once, group)))
            values = (entry, once, group.tokens_per_entry)
            lines.append(Line("cache_prefix", "cache", prefix, values, shared_out=lines[-1].shared_out))
    return tuple(lines)


def _guessed(
    spread: Range, entry: float, tokens: int, paged: float, shared: int, requests: int
) -> Iterator[Line]:
    """Yield the cache of a model whose shape is guessed: its rule, and how far models of its size differ."""
    counted = tokens * requests
    size = whole(
        spread.low * (entry * counted),
        spread.typical * (entry * counted),
        spread.high * (entry * paged * requests),
    )
    yield Line("cache_guessed", "cache", size, (spread, entry, tokens, requests), shared_out=True)
    if shared:
        each = spread.scaled(entry)
        size = whole(each.low * shared, each.typical * shared, each.high * shared)
        yield Line("cache_prefix", "cache", size, (each, shared, 1), shared_out=True)


def _state_page(model: AIModelSpec, kv_precision: KVPrecision, tensor_parallel: int) -> int:
    """Return the page that vLLM gives to layers of both kinds; 0 where not both are there [bytes].

    Source: `HybridAttentionMambaModelConfig` in vllm/model_executor/models/config.py: attention's page is the
    smallest number of blocks that a state fits into. Three logs of Qwen3-Next, Qwen3.5 and Nemotron 3 agree
    within 0.1 %.
    """
    states = [
        group.state_bytes / (tensor_parallel if group.tensor_sharded else 1)
        for group in model.cache_groups
        if group.kind == "state"
    ]
    entries = [
        _entry_bytes(model, group, kv_precision, tensor_parallel) / group.tokens_per_entry
        for group in model.cache_groups
        if group.window is None and group.kind in ("full", "latent")
    ]
    if not states or not entries:
        return 0
    block = constants.BLOCK_TOKENS * max(entries)
    return ceil(ceil(max(states) / block) * block)


def _stored(entry: float, tokens: int, group: CacheGroup) -> int:
    """Return what that many tokens leave, in whole bytes."""
    return ceil(entry * ceil(tokens / group.tokens_per_entry))


def _code(model: AIModelSpec, group: CacheGroup, kv_precision: KVPrecision) -> str:
    """Return the code of a group's line: its kind, and whether its entries are packed with scales."""
    packed = kv_precision == "fp8" and group.kind in ("latent", "indexer") and _has_indexer(model)
    return f"cache_{group.kind}_packed" if packed else f"cache_{group.kind}"


def _entry_values(
    model: AIModelSpec, group: CacheGroup, kv_precision: KVPrecision, tensor_parallel: int
) -> tuple[float, ...]:
    """Return the numbers of the rule of `_entry_bytes`."""
    value = bytes_per_value(kv_precision)
    if group.kind == "latent":
        return (group.latent_dim, group.rope_dim, value)
    if group.kind == "indexer":
        return (group.latent_dim, value)
    return (_heads(group, tensor_parallel), group.head_dim, value)


def _heads(group: CacheGroup, tensor_parallel: int) -> int:
    """Return the KV heads that one GPU keeps: past one a rank they are copied."""
    return max(1, ceil(group.kv_heads / tensor_parallel)) if group.tensor_sharded else group.kv_heads


def _check(model: AIModelSpec, tensor_parallel: int) -> None:
    if not model.cache_known:
        raise SizingError(f"{model.slug}: weights are known, the cache of this architecture is not")
    if tensor_parallel < 1:
        raise SizingError(f"{tensor_parallel=} is no degree")


def _entry_bytes(
    model: AIModelSpec, group: CacheGroup, kv_precision: KVPrecision, tensor_parallel: int
) -> float:
    """Return what one layer keeps for one entry on one GPU [bytes]."""
    value = bytes_per_value(kv_precision)
    if group.kind == "latent":
        if kv_precision == "fp8" and _has_indexer(model):
            # Sparse attention stores latents in fp8 with scales, and the rotary part in 16 bits.
            return group.latent_dim + group.latent_dim / constants.PACKED_SCALE_VALUES + 2.0 * group.rope_dim
        return (group.latent_dim + group.rope_dim) * value
    if group.kind == "indexer":
        return group.latent_dim * value + (constants.PACKED_KEY_SCALE if kv_precision == "fp8" else 0)
    return 2.0 * _heads(group, tensor_parallel) * group.head_dim * value


def _has_indexer(model: AIModelSpec) -> bool:
    return any(group.kind == "indexer" for group in model.cache_groups)
