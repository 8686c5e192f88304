"""Hours of a training cycle, from FLOP counts and the utilization that such training reaches."""

from typing import Literal

from recommender.sizing import speed_constants as c
from recommender.sizing.latency import model_work
from recommender.sizing.specs import (
    AIModelSpec,
    GPUSpec,
    Layout,
    Link,
    Method,
    Precision,
    Range,
    SizingError,
)

Recompute = Literal["none", "selective", "full"]

_BITS = {"fp32": 32, "bf16": 16, "fp16": 16, "fp8": 8, "int8": 8, "fp4": 4, "int4": 4}
_GENERATIONS = (("ampere", "ampere"), ("hopper", "hopper"), ("ada", "hopper"), ("blackwell", "blackwell"))


def flops_per_token(model: AIModelSpec, method: Method, sequence_tokens: float) -> float:
    """Return the FLOP of one trained token, recomputation not counted.

    Two per parameter forward, four backward (Kaplan et al., 2020, arXiv:2001.08361); adapters leave out
    the gradients of the frozen weights, so four in all. Attention looks at half the sequence on average.
    """
    work = model_work(model, "bf16")
    per_parameter = 6.0 if method in ("pretraining", "full") else 4.0
    attention = 0.0
    for flops, bound in work.attention:
        seen = sequence_tokens / 2 if bound is None else min(bound, sequence_tokens / 2)
        attention += 3 * flops * seen  # forward once, backward twice
    return per_parameter * work.active_parameters + attention


def training_seconds(
    model: AIModelSpec,
    gpu: GPUSpec,
    layout: Layout,
    *,
    link: Link,
    link_bytes_per_s: float | None,
    method: Method,
    precision: Precision,
    sequence_tokens: float,
    global_batch: float,
    micro_batch: float,
    recompute: Recompute,
    tokens: float,
    servers: int = 1,
    network_bytes_per_s: float | None = None,
) -> Range | None:
    """Return the time of `tokens` tokens [s]; None: the card's rate is not published.

    Args:
        layout: over all servers; its replicas share the batch.
        link_bytes_per_s: between the GPUs of a server, per GPU and both directions.
        network_bytes_per_s: between servers, per server and both directions; None: not known.

    Raises:
        SizingError: amounts that make no training.
    """
    if tokens < 0 or sequence_tokens <= 0 or micro_batch <= 0 or global_batch <= 0 or servers < 1:
        raise SizingError(f"{tokens=}, {sequence_tokens=}, {micro_batch=}, {global_batch=}, {servers=}")
    computing = _computing(gpu, method, precision)
    rate = gpu.dense_flops.get(computing) if computing else None
    if computing is None or not rate:
        return None
    utilization = _utilization(model, gpu, computing)
    work = flops_per_token(model, method, sequence_tokens)
    recomputed = c.RECOMPUTE[recompute]
    slowdown = c.QLORA_SLOWDOWN if method == "qlora" else Range.exact(1.0)
    gpus = layout.gpus_used
    # The batch may be too small for all data-parallel workers.
    busy = min(1.0, global_batch / (layout.replicas * micro_batch)) if layout.replicas > 1 else 1.0
    per_token = work / (gpus * busy * rate)
    traffic = _traffic_s_per_token(
        model, layout, link, link_bytes_per_s or gpu.pcie_bytes_per_s, method, sequence_tokens, micro_batch
    )
    network = _network_s_per_token(
        model, method, servers, network_bytes_per_s, sequence_tokens * global_batch
    )
    ends = []
    for end in (0, 1, 2):
        computed = per_token * _at(recomputed, end) * _at(slowdown, end) / _at(utilization, 2 - end)
        if servers > 1:
            computed /= _at(c.SERVERS_SCALING, 2 - end)
        # What computing cannot hide behind itself, and what it could hide but does not.
        moved = _at(traffic, end) + _at(network, end)
        exposed = _at(c.EXPOSED_TRAFFIC, end)
        ends.append(tokens * (max(computed, moved) + exposed * min(computed, moved)))
    return Range(*ends)


def _computing(gpu: GPUSpec, method: Method, precision: Precision) -> str | None:
    """Return the type that trains: adapters on quantized weights and 8-bit integers compute in 16 bit."""
    sixteen = "bf16" if "bf16" in gpu.dense_flops else "fp16" if "fp16" in gpu.dense_flops else None
    if method == "qlora" or precision in ("int8", "int4"):
        return sixteen
    if precision == "fp32":
        return "tf32" if "tf32" in gpu.dense_flops else "fp32"
    if precision in ("fp8", "fp4"):
        return precision if precision in gpu.native_precisions else sixteen
    return precision if precision in gpu.dense_flops else sixteen


def _utilization(model: AIModelSpec, gpu: GPUSpec, computing: str) -> Range:
    architecture = gpu.architecture.lower()
    generation = next((kind for word, kind in _GENERATIONS if word in architecture), "other")
    bits = min(_BITS.get(computing, 16), 16)
    found = c.TRAINING_UTILIZATION.get((generation, bits)) or c.TRAINING_UTILIZATION["other", bits]
    share = found.mixture if model.is_moe else found.dense
    if gpu.tdp_w is not None and gpu.tdp_w / gpu.devices_per_board <= c.LOW_POWER_W:
        share = Range(*(_at(share, end) * _at(c.LOW_POWER_COMPUTE, end) for end in (0, 1, 2)))
    return share


def _traffic_s_per_token(
    model: AIModelSpec,
    layout: Layout,
    link: Link,
    link_bytes_per_s: float | None,
    method: Method,
    sequence_tokens: float,
    micro_batch: float,
) -> Range:
    """Return the time that exchange inside a server takes for each trained token of the whole machine [s]."""
    gpus = layout.gpus_used
    if gpus <= 1 or not link_bytes_per_s:
        return Range.exact(0.0)
    share = c.PCIE_EFFICIENCY if link in ("pcie", "none") or layout.crosses_link else c.LINK_EFFICIENCY
    work = model_work(model, "bf16")
    micro_tokens = sequence_tokens * micro_batch
    per_micro_step = 0.0
    if layout.replicas > 1 and method in ("pretraining", "full"):
        # Sharded states: weights gathered twice, gradients scattered once (Rajbhandari et al., 2020).
        per_micro_step += 3 * 2.0 * model.parameters / layout.gpus_per_replica
    if layout.tensor_parallel > 1:
        ring = 2 * (layout.tensor_parallel - 1) / layout.tensor_parallel
        per_micro_step += 4 * work.layers * micro_tokens * work.hidden * 2 * ring
    tokens_meanwhile = micro_tokens * layout.replicas
    one_way = link_bytes_per_s / 2
    return Range(*(per_micro_step / (one_way * _at(share, 2 - end)) / tokens_meanwhile for end in (0, 1, 2)))


def _network_s_per_token(
    model: AIModelSpec,
    method: Method,
    servers: int,
    network_bytes_per_s: float | None,
    batch_tokens: float,
) -> Range:
    """Return the time that gradients take between servers for each trained token [s]."""
    if servers <= 1 or not network_bytes_per_s or method not in ("pretraining", "full"):
        return Range.exact(0.0)
    # Weights gathered twice and gradients scattered once per step, each server taking in what others hold.
    moved = 3 * 2.0 * model.parameters * (servers - 1) / servers
    one_way = network_bytes_per_s / 2
    return Range(*(moved / (one_way * _at(c.LINK_EFFICIENCY, 2 - end)) / batch_tokens for end in (0, 1, 2)))


def _at(value: Range, end: int) -> float:
    return (value.low, value.typical, value.high)[end]
