"""Ways to lay one model over the GPUs of one or several servers.

A tensor group is a power of two that divides the query heads and either divides the KV heads or copies
them evenly; it never spans servers, and neither does a pipeline. Source: the start-up checks of vLLM ("total
number of attention heads must be divisible by tensor parallel size"; KV heads are shared out, past one a rank
copied).
"""

from functools import lru_cache
from math import ceil

from recommender.sizing.specs import AIModelSpec, Layout, SizingError

# The longest stage of a pipeline sets its pace: at most this much work above an even split.
UNEVEN_STAGES = 1.1


@lru_cache(maxsize=8192)
def inference_layouts(
    model: AIModelSpec, *, gpus_per_server: int, servers: int, link_max_gpus: int
) -> tuple[Layout, ...]:
    """Return every sound layout with as many replicas as the servers hold, the smallest groups first.

    A pipeline of three or six stages is offered where the cards come in threes; other odd ones only lengthen
    the way of a token.

    Args:
        model: The transformer's shape; what has no attention heads runs whole on each GPU.
        gpus_per_server: GPUs fitted in each server [count].
        servers: Equal servers [count].
        link_max_gpus: GPUs that the fast link joins; a wider tensor group goes over PCIe [count].

    Raises:
        SizingError: a count below one.
    """
    threes = (3, 6) if gpus_per_server % 3 == 0 else ()
    stages = tuple(sorted((1, 2, 4, 8, *threes)))
    return _layouts(model, stages, gpus_per_server, servers, link_max_gpus)


@lru_cache(maxsize=8192)
def training_layouts(
    model: AIModelSpec, *, gpus_per_server: int, servers: int, link_max_gpus: int
) -> tuple[Layout, ...]:
    """Return every sound layout for training; `replicas` are the data-parallel workers [count].

    The arguments are those of `inference_layouts`. Pipelines are powers of two.
    """
    return _layouts(model, (1, 2, 4, 8), gpus_per_server, servers, link_max_gpus)


def tensor_degrees(model: AIModelSpec, limit: int) -> tuple[int, ...]:
    """Return the tensor-parallel degrees that the model's heads allow, up to `limit` [count]."""
    heads, kv_heads = model.num_attention_heads, model.num_kv_heads
    if heads is None or not model.generates_tokens:
        return (1,)
    if any(group.kind == "latent" for group in model.cache_groups):
        kv_heads = None  # a latent is copied to every rank, whatever the heads
    powers = (2**exponent for exponent in range(limit.bit_length()))
    return tuple(
        degree
        for degree in powers
        if heads % degree == 0 and (not kv_heads or kv_heads % degree == 0 or degree % kv_heads == 0)
    )


def _layouts(
    model: AIModelSpec, stages: tuple[int, ...], gpus_per_server: int, servers: int, link_max_gpus: int
) -> tuple[Layout, ...]:
    if min(gpus_per_server, servers, link_max_gpus) < 1:
        raise SizingError(f"no layout for {gpus_per_server=}, {servers=}, {link_max_gpus=}")
    found = []
    for tensor in tensor_degrees(model, gpus_per_server):
        for pipeline in stages:
            group = tensor * pipeline
            if group > gpus_per_server or not _splits(model, pipeline):
                continue
            per_server, idle = divmod(gpus_per_server, group)
            found.append(
                Layout(
                    tensor_parallel=tensor,
                    pipeline_parallel=pipeline,
                    replicas=per_server * servers,
                    idle_gpus=idle * servers,
                    crosses_link=tensor > link_max_gpus,
                )
            )
    return tuple(sorted(found, key=lambda layout: (layout.gpus_per_replica, layout.pipeline_parallel)))


def _splits(model: AIModelSpec, pipeline: int) -> bool:
    """Tell whether the layers come out nearly even over the stages."""
    if pipeline == 1:
        return True
    layers = model.num_layers
    if not layers or not model.generates_tokens or layers < pipeline:
        return False
    return ceil(layers / pipeline) * pipeline <= UNEVEN_STAGES * layers
