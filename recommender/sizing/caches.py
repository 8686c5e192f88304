"""Bytes that a request leaves on a GPU between two tokens: keys and values, latents, constant states."""

from functools import lru_cache
from math import ceil

from recommender.sizing import memory_constants as constants
from recommender.sizing.precisions import bytes_per_value
from recommender.sizing.specs import AIModelSpec, CacheGroup, KVPrecision, Range, SizingError


def cache_bytes_per_token(model: AIModelSpec, kv_precision: KVPrecision, tensor_parallel: int = 1) -> float:
    """Return what each further token adds on one GPU [bytes]; windows and constant states add nothing.

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
    return sum(
        group.layers * _entry_bytes(model, group, kv_precision, tensor_parallel) / group.tokens_per_entry
        for group in model.cache_groups
        if group.window is None and group.kind != "state"
    )


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
) -> Range:
    """Return the cache of `requests` requests of `tokens` tokens each on the busiest GPU [bytes].

    Windowed and chunked layers keep at most their window. The typical value is the rule to the byte; the
    high end adds the last page of each request, which is partly empty, and one prefill chunk that has not yet
    left the windowed layers.

    Args:
        model: The shape.
        tokens: Prompt and answer of one request, all of them kept [tokens].
        requests: Requests that run at once [count].
        kv_precision: Type of the stored keys and values; constant states keep their own.
        tensor_parallel: GPUs that share each layer [count].
        pipeline_parallel: Stages; the one with the most layers counts [count].
        batch_tokens: Largest part of a prompt that the engine reads at once [tokens].
        windows_used: The engine is known to drop what has left a window; else the high end keeps it all.

    Raises:
        SizingError: a model whose cache is not understood, or a negative or impossible number.
    """
    _check(model, tensor_parallel)
    if tokens < 0 or requests < 0 or pipeline_parallel < 1:
        raise SizingError(f"{tokens=}, {requests=}, {pipeline_parallel=} make no cache")
    exact = rounded = chunk = 0.0
    for group in model.cache_groups:
        layers = ceil(group.layers / pipeline_parallel)
        if group.kind == "state":
            share = tensor_parallel if group.tensor_sharded else 1
            state = layers * group.state_bytes / share
            exact += state
            rounded += state
            continue
        entry = layers * _entry_bytes(model, group, kv_precision, tensor_parallel)
        kept = tokens if group.window is None else min(tokens, group.window)
        exact += entry * ceil(kept / group.tokens_per_entry)
        most = kept if windows_used else tokens
        paged = ceil(most / constants.BLOCK_TOKENS) * constants.BLOCK_TOKENS
        rounded += entry * ceil(paged / group.tokens_per_entry)
        if group.window is not None and windows_used:
            waiting = max(0, min(tokens, group.window + batch_tokens) - kept)
            chunk += entry * ceil(waiting / group.tokens_per_entry)
    if requests == 0:
        chunk = 0.0
    return Range(exact * requests, exact * requests, rounded * requests + chunk)


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
    heads = max(1, ceil(group.kv_heads / tensor_parallel)) if group.tensor_sharded else group.kv_heads
    return 2.0 * heads * group.head_dim * value


def _has_indexer(model: AIModelSpec) -> bool:
    return any(group.kind == "indexer" for group in model.cache_groups)
