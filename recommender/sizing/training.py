"""Hours of a training cycle, from FLOP counts and the utilization that such training reaches."""

from math import prod
from typing import Literal

from recommender.sizing import speed_constants as c
from recommender.sizing.latency import BITS, at
from recommender.sizing.model_work import model_work
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
from recommender.sizing.training_constants import TRAINING, Stack as Software, TrainingConstants

Recompute = Literal["none", "selective", "full"]
Stack = Literal["tuned", "sharded", "eager"]

_GENERATIONS = (("ampere", "ampere"), ("hopper", "hopper"), ("ada", "hopper"), ("blackwell", "blackwell"))


def flops_per_token(model: AIModelSpec, method: Method, sequence_tokens: float) -> tuple[float, float]:
    """Return the FLOP of one trained token in matrix products and in attention, without recomputation.

    Two per parameter forward, four backward (Kaplan et al., 2020, arXiv:2001.08361); adapters leave out
    the gradients of the frozen weights, so four in all. Attention looks at half the sequence on average.
    """
    work = model_work(model, "bf16")
    per_parameter = 6.0 if method in ("pretraining", "full") else 4.0
    attention = 0.0
    for flops, bound in work.attention:
        seen = sequence_tokens / 2 if bound is None else min(bound, sequence_tokens / 2)
        attention += 3 * flops * seen  # forward once, backward twice
    return per_parameter * work.active_parameters, attention


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
    stack: Stack | None = None,
    constants: TrainingConstants = TRAINING,
) -> Range | None:
    """Return the time of `tokens` tokens [s]; None: the card's rate is not published.

    Args:
        layout: over all servers; its replicas share the batch.
        link_bytes_per_s: between the GPUs of a server, per GPU and both directions.
        network_bytes_per_s: between servers, per server and both directions; None: not known.
        stack: software that trains; None: sharded PyTorch, between eager and tuned for adapters.
        constants: how far training stays behind printed rates.

    Raises:
        SizingError: amounts that make no training.
    """
    if tokens < 0 or sequence_tokens <= 0 or micro_batch <= 0 or global_batch <= 0 or servers < 1:
        raise SizingError(f"{tokens=}, {sequence_tokens=}, {micro_batch=}, {global_batch=}, {servers=}")
    software = _software(method, stack, constants)
    alone = _computing_s_per_token(
        model, gpu, method, precision, sequence_tokens, recompute, software, constants
    )
    if alone is None:
        return None
    # A batch that is too small for all data-parallel workers leaves some without work.
    workers = min(float(layout.replicas), max(global_batch / micro_batch, 1.0))
    gpus = workers * layout.gpus_per_replica
    micro_tokens = sequence_tokens * micro_batch
    layers = model_work(model, "bf16").layers
    traffic = _traffic_s_per_token(model, layout, link, link_bytes_per_s, gpu, method, micro_tokens)
    between = _network(gpu, layout, servers, network_bytes_per_s)
    network = _network_s_per_token(model, layout, method, servers, between, sequence_tokens * global_batch)
    ends = []
    for end in (0, 1, 2):
        computed = at(alone, end) / gpus
        computed += layers / layout.pipeline_parallel * at(software.layer_s, end) / (micro_tokens * workers)
        if servers > 1:
            computed /= at(c.SERVERS_SCALING, 2 - end)
        # What computing cannot hide behind itself, and what it could hide but does not.
        moved = at(traffic, end) + at(network, end)
        exposed = at(c.EXPOSED_TRAFFIC, end)
        ends.append(tokens * (max(computed, moved) + exposed * min(computed, moved)))
    return Range(*ends)


def least_gpu_seconds(
    model: AIModelSpec,
    gpu: GPUSpec,
    *,
    method: Method,
    precision: Precision,
    sequence_tokens: float,
    recompute: Recompute,
    tokens: float,
) -> Range | None:
    """Return the time of `tokens` tokens on one GPU by computing alone [s]; None: its rate is not published.

    Shared out among GPUs without loss, no layout over them takes less, end by end: what `training_seconds`
    adds only takes longer.
    """
    software = _software(method, None, TRAINING)
    alone = _computing_s_per_token(
        model, gpu, method, precision, sequence_tokens, recompute, software, TRAINING
    )
    return None if alone is None else alone.scaled(tokens)


def _computing_s_per_token(
    model: AIModelSpec,
    gpu: GPUSpec,
    method: Method,
    precision: Precision,
    sequence_tokens: float,
    recompute: Recompute,
    software: Software,
    constants: TrainingConstants,
) -> Range | None:
    """Return the time that computing takes for each token on one GPU [s], without starting its layers."""
    computing = _computing(gpu, method, precision)
    rate = gpu.dense_flops.get(computing) if computing else None
    if computing is None or not rate:
        return None
    matrix, attention = flops_per_token(model, method, sequence_tokens)
    sixteen = gpu.dense_flops.get("bf16") or gpu.dense_flops.get("fp16") or rate
    utilization = _utilization(model, gpu, computing, software, constants)
    attending = constants.attention[_generation(gpu)]
    recomputed = constants.recompute[recompute]
    slowdown = constants.qlora if method == "qlora" else Range.exact(1.0)
    ends = []
    for end in (0, 1, 2):
        share = at(utilization, 2 - end)
        attention_share = at(attending, 2 - end) * at(software.attention, 2 - end)
        # Attention gains nothing from the room that recomputing makes: it is done again in full.
        attended = attention * (4 / 3 if recompute == "full" else 1.0) / (sixteen * attention_share)
        ends.append(matrix * at(recomputed, end) * at(slowdown, end) / (rate * share) + attended)
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


def _generation(gpu: GPUSpec) -> str:
    architecture = gpu.architecture.lower()
    return next((kind for word, kind in _GENERATIONS if architecture.startswith(word)), "other")


def _software(method: Method, stack: Stack | None, constants: TrainingConstants) -> Software:
    """Return what the software does; adapters without a stated one lie anywhere between eager and tuned."""
    eager, usual, tuned = constants.eager, constants.sharded, constants.tuned
    if stack is not None:
        return {"tuned": tuned, "sharded": usual, "eager": eager}[stack]
    if method in ("pretraining", "full"):
        return usual
    return Software(
        share=_between(eager.share.low, usual.share.typical, tuned.share.typical),
        narrow=_between(eager.narrow.low, usual.narrow.typical, tuned.narrow.typical),
        layer_s=_between(tuned.layer_s.low, usual.layer_s.typical, eager.layer_s.typical),
        attention=_between(1.0, 1.0, tuned.attention.typical),
    )


def _between(low: float, typical: float, high: float) -> Range:
    """Return a range of ends that were fitted apart."""
    return Range(min(low, typical), typical, max(high, typical))


def _utilization(
    model: AIModelSpec, gpu: GPUSpec, computing: str, software: Software, constants: TrainingConstants
) -> Range:
    """Return the share of the printed rate that training on this card reaches."""
    bits = min(BITS[computing], 16) if computing in BITS else 16
    factors = [constants.share[_generation(gpu)], software.narrow if bits < 16 else software.share]
    if bits == 4:
        factors.append(constants.four_bit)
    if model.is_moe:
        factors.append(constants.mixture_four_bit if bits == 4 else constants.mixture)
    if gpu.tdp_w is not None and gpu.tdp_w / gpu.gpus_per_card <= c.LOW_POWER_W:
        factors.append(c.LOW_POWER_COMPUTE)
    return Range(*(prod(at(factor, end) for factor in factors) for end in (0, 1, 2)))


def _traffic_s_per_token(
    model: AIModelSpec,
    layout: Layout,
    link: Link,
    link_bytes_per_s: float | None,
    gpu: GPUSpec,
    method: Method,
    micro_tokens: float,
) -> Range:
    """Return the time that exchange inside a server takes beyond that over a switch, per trained token [s].

    Sharded states gather the weights twice and scatter the gradients once in each pass (Rajbhandari et al.,
    2020, arXiv:1910.02054); engines that keep whole copies do so once a batch only. Experts send each
    token's hidden state out and back, forward and backward.
    """
    if layout.crosses_link or not link_bytes_per_s:
        link, link_bytes_per_s = "pcie", gpu.pcie_bytes_per_s
    if layout.gpus_used <= 1 or not link_bytes_per_s or link_bytes_per_s >= c.SWITCH_BYTES_PER_S:
        return Range.exact(0.0)
    work = model_work(model, "bf16")
    moved = 0.0
    if layout.replicas > 1 and method in ("pretraining", "full"):
        moved += 3 * work.shared_bytes / layout.gpus_per_replica
    token_bytes = 2 * work.hidden * work.layers / layout.pipeline_parallel
    if layout.tensor_parallel > 1:
        moved += 4 * 2 * (layout.tensor_parallel - 1) / layout.tensor_parallel * token_bytes * micro_tokens
    if work.expert_bytes:
        moved += 4 * token_bytes * micro_tokens / layout.tensor_parallel
    share = c.PCIE_EFFICIENCY if link in ("pcie", "none") else c.LINK_EFFICIENCY
    slower = 1 / link_bytes_per_s - 1 / c.SWITCH_BYTES_PER_S
    seconds = 2 * moved * slower / (micro_tokens * layout.replicas)
    return Range(*(seconds / at(share, 2 - end) for end in (0, 1, 2)))


def _network(gpu: GPUSpec, layout: Layout, servers: int, stated: float | None) -> Range:
    """Return the rate between servers, per server and both directions [bytes/s]."""
    if stated:
        return Range.exact(stated)
    kind = "module" if gpu.form in ("sxm", "oam", "superchip") else "card"
    return c.NETWORK_BYTES_PER_S[kind].scaled(layout.gpus_used / servers)


def _network_s_per_token(
    model: AIModelSpec, layout: Layout, method: Method, servers: int, rate: Range, batch_tokens: float
) -> Range:
    """Return the time that gradients take between servers for each trained token [s]."""
    if servers <= 1 or method not in ("pretraining", "full"):
        return Range.exact(0.0)
    work = model_work(model, "bf16")
    # Weights gathered twice and gradients scattered once a step, each server taking in what others hold of
    # its part of the model; half of that in 8 bit, and nothing of experts that each lie on one server.
    servers_per_replica = max(layout.gpus_per_replica * servers / layout.gpus_used, 1.0)
    passes = ((1.5, 0.0), (2.0, 0.5), (3.0, 1.0))  # copies moved, and the share of experts among them
    ends = []
    for end, (copies, of_experts) in enumerate(passes):
        copy = (work.shared_bytes + of_experts * work.expert_bytes) / servers_per_replica
        one_way = at(rate, 2 - end) * at(c.LINK_EFFICIENCY, 2 - end) / 2
        ends.append(copies * copy * (servers - 1) / servers / one_way)
    return Range(*(seconds / batch_tokens for seconds in ends))
