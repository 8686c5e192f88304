"""Ways to lay one model over the GPUs of one or several servers, and what each of them costs.

`inference_layouts` and `training_layouts` are what the ranking weighs; `valid_layouts` lists everything that
engines take, experts spread over replicas and pipelines over servers included. A tensor group is a power of
two that divides the query heads and either divides the KV heads or copies them evenly; it never spans
servers. Source: the start-up checks of vLLM ("total number of attention heads must be divisible by tensor
parallel size"; KV heads are shared out, past one a rank copied).
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from typing import Literal

from recommender.sizing.specs import AIModelSpec, Layout, Link, SizingError

Path = Literal["nvswitch", "nvlink", "fabric", "bridge", "pcie", "network"]
Cost = Literal[
    "tensor_over_pcie",  # buys capacity, may cost latency
    "pipeline_no_faster",  # buys capacity and throughput, no shorter way for a token
    "pipeline_over_network",
    "experts_over_pcie",
    "experts_over_network",
    "kv_heads_copied",  # more ranks than KV heads: the cache is not divided any further
    "latent_copied",  # every rank keeps the whole latent cache
    "gradients_over_pcie",  # training copies exchange gradients at every step
    "gradients_over_network",
    "idle",  # GPUs without work; as spares they are of use
]

# The longest stage of a pipeline sets its pace: at most this much work above an even split.
UNEVEN_STAGES = 1.1


@dataclass(frozen=True, slots=True)
class Option:
    """One valid layout with what carries it and what it costs."""

    layout: Layout
    servers_per_replica: int
    path: Path | None  # slowest link inside a replica; None: a single GPU
    costs: tuple[Cost, ...]


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


@lru_cache(maxsize=1024)
def valid_layouts(
    model: AIModelSpec, *, gpus_per_server: int, servers: int, link: Link, link_max_gpus: int
) -> tuple[Option, ...]:
    """Return every layout that engines take, the smallest groups first, each with its link and its costs.

    Beside those of `inference_layouts`: experts spread over the replicas of one server or of all of them, and
    pipelines over several servers, with whole servers as stages.

    Args:
        model: The model's shape.
        gpus_per_server: GPUs fitted in each server [count].
        servers: Equal servers [count].
        link: What joins the GPUs of a server.
        link_max_gpus: GPUs that it joins at full rate [count].

    Raises:
        SizingError: a count below one.
    """
    found = []
    for layout in inference_layouts(
        model, gpus_per_server=gpus_per_server, servers=servers, link_max_gpus=link_max_gpus
    ):
        found.append(_option(model, layout, 1, link, link_max_gpus))
        for experts in _expert_degrees(model, layout, servers):
            spread = replace(layout, expert_parallel=experts)
            found.append(_option(model, spread, 1, link, link_max_gpus, servers=servers))
    for layout, span in _over_servers(model, gpus_per_server, servers, link_max_gpus):
        found.append(_option(model, layout, span, link, link_max_gpus))
    return tuple(found)


def training_option(
    model: AIModelSpec, layout: Layout, *, servers: int, link: Link, link_max_gpus: int
) -> Option:
    """Return what carries a layout of training, and what it costs: copies talk to each other at every step.

    The path is the slowest link that a step waits for, within a copy and between copies; the arguments are
    those of `valid_layouts`.

    Raises:
        SizingError: a number of servers below one.
    """
    if servers < 1:
        raise SizingError(f"{servers=} train nothing")
    option = _option(model, layout, 1, link, link_max_gpus, servers=servers)
    serving = ("kv_heads_copied", "latent_copied", "pipeline_no_faster")
    costs = [cost for cost in option.costs if cost not in serving]
    if layout.replicas == 1:
        return replace(option, costs=tuple(costs))
    here = layout.gpus_per_replica * (layout.replicas // servers)
    if servers > 1:
        costs.append("gradients_over_network")
        return replace(option, path="network", costs=tuple(costs))
    fast: Path | None = None if link == "none" or link == "pcie" else link
    if fast is None or here > link_max_gpus:
        costs.append("gradients_over_pcie")
        return replace(option, path="pcie", costs=tuple(costs))
    return replace(option, path=fast, costs=tuple(costs))


def _expert_degrees(model: AIModelSpec, layout: Layout, servers: int) -> tuple[int, ...]:
    """Return over how many GPUs of a stage the experts may lie: a server's replicas, or those of all."""
    if not model.is_moe:
        return ()
    here = layout.tensor_parallel * (layout.replicas // servers)
    degrees = {layout.tensor_parallel, here, here * servers} - {1}
    return tuple(sorted(degree for degree in degrees if model.experts % degree == 0))


def _over_servers(
    model: AIModelSpec, gpus_per_server: int, servers: int, link_max_gpus: int
) -> list[tuple[Layout, int]]:
    """Return the layouts of replicas that take several whole servers each, and how many they take."""
    found = []
    for span in range(2, servers + 1):
        for tensor in tensor_degrees(model, gpus_per_server):
            stages, left = divmod(gpus_per_server, tensor)
            pipeline = stages * span
            if left or not _splits(model, pipeline):
                continue
            replicas, idle = divmod(servers, span)
            layout = Layout(tensor, pipeline, replicas, idle * gpus_per_server, tensor > link_max_gpus)
            found.append((layout, span))
    return found


def _option(
    model: AIModelSpec, layout: Layout, span: int, link: Link, link_max_gpus: int, servers: int = 1
) -> Option:
    tensor, experts = layout.tensor_parallel, layout.expert_parallel
    in_server = layout.gpus_per_replica // span
    costs: list[Cost] = []
    fast: Path | None = None if link == "none" or link == "pcie" else link
    if tensor > 1 and (not fast or layout.crosses_link):
        costs.append("tensor_over_pcie")
    if layout.pipeline_parallel > 1:
        costs.append("pipeline_no_faster")
    if span > 1:
        costs.append("pipeline_over_network")
    together = tensor * (layout.replicas // servers)  # ranks of one stage in one server
    if experts > together:
        costs.append("experts_over_network")
    elif experts > 1 and (not fast or experts > link_max_gpus):
        costs.append("experts_over_pcie")
    growing = [group for group in model.cache_groups if group.kind in ("full", "window", "chunked")]
    if any(group.tensor_sharded and 0 < group.kv_heads < tensor for group in growing):
        costs.append("kv_heads_copied")
    if tensor > 1 and any(group.kind == "latent" for group in model.cache_groups):
        costs.append("latent_copied")
    if layout.idle_gpus:
        costs.append("idle")
    path: Path | None = None
    if span > 1:
        path = "network"
    elif in_server > 1:
        path = fast if fast and in_server <= link_max_gpus else "pcie"
    return Option(layout, span, path, tuple(costs))


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
