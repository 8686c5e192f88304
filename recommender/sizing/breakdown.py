"""A memory figure opened up: its lines with their arithmetic, totals over all GPUs, what stays free.

The lines are those that `memory.inference_memory` and `memory.training_memory` sum up, so that a page and the
ranking cannot differ.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

from recommender.sizing import memory_constants as constants
from recommender.sizing.caches import cache_bytes, cache_bytes_per_token, widest_window
from recommender.sizing.formulas import Formula, formula
from recommender.sizing.lines import Group, Line
from recommender.sizing.memory import (
    graphs_beside,
    inference_memory,
    max_requests,
    planned_share,
    serving_lines,
)
from recommender.sizing.specs import (
    GB,
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
from recommender.sizing.training_memory import TrainingSetup, states, training_lines, training_sums

Fit = Literal["fits", "fits_if", "no", "unknown"]
ORDER: dict[Group, int] = {
    "weights": 0,
    "gradients": 1,
    "optimizer": 2,
    "cache": 3,
    "activations": 4,
    "graphs": 5,
    "buffers": 6,
    "outside": 7,
    "index": 8,
}
NEARLY_ALL = 0.95  # above it, what lies beside the budget has been seen to run out


@dataclass(frozen=True, slots=True)
class Item:
    """A line for readers [bytes on one GPU]."""

    code: str
    group: Group
    part: str  # name of a vision tower and the like, else empty
    model: str  # slug of a draft or companion, "prediction", empty for the model itself
    bytes: Range
    shared_out: bool  # tensor ranks divide it; else each keeps the whole
    formula: Formula


@dataclass(frozen=True, slots=True)
class ServingBreakdown:
    """What serving needs on the busiest GPU of a replica, and over all. None: does not apply or not known.

    The items of the groups sum up to the lines of `memory`, and all of them to `memory.total`.
    """

    items: tuple[Item, ...]
    beside: tuple[Item, ...]  # outside the engine's budget: not in any sum
    memory: Memory
    card: Range  # usable memory of one GPU [bytes]
    utilization: float  # part of `card` that `memory.available` is
    free: Range  # available less total; negative: missing [bytes]
    gpus: int
    all_gpus: Range  # total x GPUs at work [bytes]
    bytes_per_token: float | None  # that one more token takes on one GPU, past every window
    window: int | None  # tokens past which layers with a window keep no more; None: there are none
    request: Range | None  # cache of one request on one GPU [bytes]
    max_requests: Range | None  # of one replica
    fits: Fit
    unknown: tuple[str, ...]  # "cache": weights are known, the cache of this architecture is not
    warnings: tuple[str, ...]  # "graphs_beside", "budget_above_95"


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """Files of a training run [bytes, seconds]."""

    full: float  # weights and optimizer states: what a run resumes from
    weights: float  # what is served afterwards; of adapters, these alone
    kept: int
    stored: float  # `kept` full ones and the final weights
    full_write_s: float | None
    weights_write_s: float | None


@dataclass(frozen=True, slots=True)
class TrainingBreakdown:
    """What a training step needs on one GPU, and over all."""

    items: tuple[Item, ...]
    memory: Memory
    card: Range
    free: Range
    gpus: int
    all_gpus: Range
    trained_parameters: float
    state_bytes: tuple[float, float, float]  # weight, gradient, optimizer states of a trained parameter
    host: float  # optimizer states in host memory, all GPUs [bytes]
    checkpoints: Checkpoints
    fits: Fit


def serving_breakdown(
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
) -> ServingBreakdown:
    """Return the memory of serving, line by line; the arguments are those of `memory.inference_memory`.

    A model whose cache is not understood keeps its other lines; `unknown` then says what is missing.

    Raises:
        SizingError: a negative number, or a companion that generates tokens.
    """
    known = model.cache_known
    sized = model if known else replace(model, cache_groups=(), cache_known=True)
    load: dict[str, Any] = {
        "precision": precision,
        "kv_precision": kv_precision,
        "tokens_per_request": tokens_per_request,
        "engine": engine,
        "adapters": adapters,
        "draft": draft,
        "utilization": utilization,
        "build": build,
        "batch_tokens": batch_tokens,
        "recipe": recipe,
        "prefix_tokens": prefix_tokens,
        "companions": companions,
    }
    lines = serving_lines(sized, gpu, layout, requests=requests, **load)
    memory = inference_memory(sized, gpu, layout, requests=requests, **load)
    graphs = graphs_beside(gpu, engine) if model.generates_tokens else None  # runtimes of others record none
    share = planned_share(engine, utilization)
    per_token = request = most = None
    if known and model.cache_groups:
        per_token = cache_bytes_per_token(model, kv_precision, layout.tensor_parallel)
        request = cache_bytes(
            model,
            tokens=tokens_per_request,
            requests=1,
            kv_precision=kv_precision,
            tensor_parallel=layout.tensor_parallel,
            pipeline_parallel=layout.pipeline_parallel,
            batch_tokens=batch_tokens or constants.BATCH_TOKENS[True],
            windows_used=engine != "other",
        )
        most = max_requests(model, gpu, layout, **load)
    warnings = []
    if graphs and graphs.bytes.typical > (1 - share) * gpu.memory_bytes.typical:
        warnings.append("graphs_beside")
    # SGLang plans with the whole card; a fraction that it is told leaves the rest to the activations.
    if ((utilization or 0.0) if engine == "sglang" else share) > NEARLY_ALL:
        warnings.append("budget_above_95")
    fit = _fit(memory)
    return ServingBreakdown(
        items=_items(lines),
        beside=_items((graphs,)) if graphs else (),
        memory=memory,
        card=gpu.memory_bytes,
        utilization=share,
        free=_free(memory),
        gpus=layout.gpus_used,
        all_gpus=memory.total.scaled(layout.gpus_used),
        bytes_per_token=per_token,
        window=widest_window(model) if known else None,
        request=request,
        max_requests=most,
        fits=fit if known or fit == "no" else "unknown",
        unknown=() if known else ("cache",),
        warnings=tuple(warnings),
    )


def training_breakdown(
    model: AIModelSpec,
    gpu: GPUSpec,
    layout: Layout,
    setup: TrainingSetup,
    *,
    checkpoints_kept: int = 2,
    storage_gb_per_s: float | None = None,
) -> TrainingBreakdown:
    """Return the memory of training, line by line, and its checkpoints.

    Args:
        checkpoints_kept: Full checkpoints on disk at once, beside the final weights [count].
        storage_gb_per_s: Rate at which checkpoints are written [10^9 bytes/s].

    Raises:
        SizingError: as `memory.training_memory`; a negative count, a rate that is not positive.
    """
    lines = training_lines(model, gpu.vendor, layout, setup)
    memory = training_sums(lines, gpu)
    kept = states(model, setup.method, setup.optimizer, setup.lora_rank, setup.lora_targets)
    copies = 1 if setup.sharding != "none" else layout.replicas
    return TrainingBreakdown(
        items=_items(lines),
        memory=memory,
        card=gpu.memory_bytes,
        free=_free(memory),
        gpus=layout.gpus_used,
        all_gpus=memory.total.scaled(layout.gpus_used),
        trained_parameters=kept.trained,
        state_bytes=(kept.weight, kept.gradient, kept.optimizer),
        host=kept.optimizer * kept.trained * copies if setup.offload in ("optimizer", "both") else 0.0,
        checkpoints=checkpoints(
            kept.trained,
            weight=kept.weight,
            optimizer=kept.optimizer,
            kept=checkpoints_kept,
            storage_gb_per_s=storage_gb_per_s,
        ),
        fits=_fit(memory),
    )


def checkpoints(
    trained: float, *, weight: float, optimizer: float, kept: int = 2, storage_gb_per_s: float | None = None
) -> Checkpoints:
    """Return the files of a run that trains that many parameters.

    Args:
        trained: Parameters trained: all of the model, or the adapters'.
        weight: Bytes a parameter in training; the final weights take 16 bits.
        optimizer: Bytes a parameter of optimizer states and master weights.
        kept: Full checkpoints on disk at once [count].
        storage_gb_per_s: Rate at which they are written [10^9 bytes/s].

    Raises:
        SizingError: a negative count, a rate that is not positive.
    """
    if kept < 0 or (storage_gb_per_s is not None and storage_gb_per_s <= 0):
        raise SizingError(f"{kept=}, {storage_gb_per_s=} write no checkpoint")
    full, weights = (weight + optimizer) * trained, 2.0 * trained
    rate = None if storage_gb_per_s is None else storage_gb_per_s * GB
    return Checkpoints(
        full=full,
        weights=weights,
        kept=kept,
        stored=kept * full + weights,
        full_write_s=rate and full / rate,
        weights_write_s=rate and weights / rate,
    )


def _items(lines: tuple[Line, ...]) -> tuple[Item, ...]:
    return tuple(
        Item(
            code=line.code,
            group=line.group,
            part=line.part,
            model=line.model,
            bytes=line.bytes,
            shared_out=line.shared_out,
            formula=formula(line),
        )
        for line in sorted(lines, key=lambda line: ORDER[line.group])
    )


def _free(memory: Memory) -> Range:
    total, available = memory.total, memory.available
    return Range(available.low - total.high, available.typical - total.typical, available.high - total.low)


def _fit(memory: Memory) -> Fit:
    """Tell how it fits, by the rule of every estimate: its high end, only its low end, or neither."""
    if memory.total.high <= memory.available.low:
        return "fits"
    return "fits_if" if memory.total.low <= memory.available.high else "no"
