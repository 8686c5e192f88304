"""Sizes of a server that train a model in time."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from recommender.sizing import layouts, precisions, training
from recommender.sizing.configurations import Config, Failure, Trained
from recommender.sizing.demand import Case, Corner, message
from recommender.sizing.lines import Line, total
from recommender.sizing.specs import GPUSpec, Layout, NodeSpec, Precision, Range, Recompute, Sharding
from recommender.sizing.training_memory import TrainingSetup, training_lines, training_sums

TRAINING_SERVERS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
QUICKEST: Recompute = "selective"  # of the ways to keep activations that are tried


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """One token of a training alone. Equal ones are the same object (`_same`): none is ever compared."""

    case: Case
    corner: Corner


def training_sizes(
    case: Case, node: NodeSpec, corner: Corner, strict: bool, *, why: bool = True
) -> Iterator[Config | Failure]:
    """Yield, for each number of cards, the fewest servers that train it in time, and why the others do not.

    Args:
        why: false where nobody asks: what is too late whatever the layout is not laid out.
    """
    least = 0.0 if why else corner.tokens * _least_gpu_seconds(_job(case, corner), node.gpu, strict)
    for count in node.counts:
        failures: list[Failure] = []
        for servers in servers_joined(node):
            if corner.target_s is not None and least > corner.target_s * count * servers:
                continue
            found = []
            for item in trainings(case, node, corner, strict, count, servers, tried=count):
                if isinstance(item, Failure):
                    failures.append(item)
                else:
                    found.append(item)
            if found:
                for trained in found:
                    yield _training_config(node, corner, strict, count, servers, trained)
                break
            if failures and failures[0].reasons[0].code == "precision":
                break
        else:
            for failure in failures:
                alone = failure.runs or failure.reasons[0].code == "memory"
                if alone and not joins_servers(node):
                    yield replace(failure, reasons=(*failure.reasons, message("interconnect")))
                else:
                    yield failure
            continue
        if not found:
            yield from failures


@lru_cache(maxsize=4096)
def _least_gpu_seconds(job: _Job, gpu: GPUSpec, strict: bool) -> float:
    """Return the GPU time that one token takes at least, at the end that counts [s]; 0: nothing is known."""
    case, corner = job.case, job.corner
    precision = _training_precision(case, gpu)
    if precision is None:
        return 0.0
    assert corner.trained is not None
    least = training.least_gpu_seconds(
        corner.trained,
        gpu,
        method=case.method,
        precision=_computed_in(precision),
        sequence_tokens=corner.sequence_tokens,
        recompute=case.recompute or QUICKEST,
        tokens=corner.tokens,
    )
    if least is None:
        return 0.0
    return least.high if strict else least.low


def trainings(
    case: Case, node: NodeSpec, corner: Corner, strict: bool, count: int, servers: int, *, tried: int = 1
) -> Iterator[Trained | Failure]:
    """Yield every way to train on so many cards, and why the others do not do.

    `tried` is the number of cards that failures name.
    """
    yield from _ways(*_of(case, node, corner), strict, count, servers, tried)


def quickest(
    case: Case, node: NodeSpec, corner: Corner, strict: bool, count: int, servers: int
) -> Trained | Failure:
    """Return the quickest way to train on so many cards, or what comes nearest to one."""
    return _quickest(*_of(case, node, corner), strict, count, servers)


def _of(case: Case, node: NodeSpec, corner: Corner) -> tuple[Any, ...]:
    """Return what the ways to train depend on: job, target and cards, whatever server holds them."""
    cards = node.gpu, node.link, node.link_bytes_per_s, node.link_max_gpus
    return _job(case, corner), corner.tokens, corner.target_s, *cards


@lru_cache(maxsize=4096)
def _quickest(
    job: _Job,
    tokens: float,
    target_s: float | None,
    gpu: GPUSpec,
    link: str,
    link_bytes_per_s: float | None,
    link_max_gpus: int,
    strict: bool,
    count: int,
    servers: int,
) -> Trained | Failure:
    cards = gpu, link, link_bytes_per_s
    best: tuple[tuple[float, int], Trained] | None = None
    for least, place, layout in _by_hope(job, *cards, link_max_gpus, count, servers):
        if best is not None and best[0] < (least, place):
            return _of_all(best[1], tokens)  # no other layout is as quick even where it holds
        found = _trained(job, *cards, layout, servers, strict)
        if isinstance(found, Trained) and _late(found, tokens, target_s, strict) is None:
            assert found.seconds is not None
            key = found.seconds.typical, place
            if best is None or key < best[0]:
                best = key, found
    if best is not None:
        return _of_all(best[1], tokens)
    ways = _ways(job, tokens, target_s, *cards, link_max_gpus, strict, count, servers, 1)
    for way in ways:
        if isinstance(way, Trained):  # of which no time is known
            return way
    return min((way for way in ways if isinstance(way, Failure)), key=lambda way: way.miss)


def _by_hope(
    job: _Job,
    gpu: GPUSpec,
    link: str,
    link_bytes_per_s: float | None,
    link_max_gpus: int,
    count: int,
    servers: int,
) -> list[tuple[float, int, Layout]]:
    """Return the layouts with the least time that they take, the quickest first; none: no time is known."""
    precision = _training_precision(job.case, gpu)
    assert job.corner.trained is not None
    if precision is None:
        return []
    found = []
    for place, layout in enumerate(
        layouts.training_layouts(
            job.corner.trained, gpus_per_server=count, servers=servers, link_max_gpus=link_max_gpus
        )
    ):
        quickest = next(_ways_to_keep(job.case, layout))[0]
        seconds = _seconds(job, gpu, link, link_bytes_per_s, layout, servers, precision, quickest)
        if seconds is None:
            return []
        found.append((seconds.typical, place, layout))
    return sorted(found, key=lambda item: item[:2])


def _of_all(trained: Trained, tokens: float) -> Trained:
    """Return how a job lies with the time of all its tokens, from that of one."""
    if trained.seconds is None:
        return trained
    return replace(trained, seconds=trained.seconds.scaled(tokens))


def _late(trained: Trained, tokens: float, target_s: float | None, strict: bool) -> float | None:
    """Return the time that misses the target [s]; None: it is kept, or there is none, or no time is known.

    Args:
        trained: with the time of one token.
    """
    if target_s is None or trained.seconds is None:
        return None
    seconds = tokens * (trained.seconds.high if strict else trained.seconds.low)
    return seconds if seconds > target_s else None


@lru_cache(maxsize=4096)
def _ways(
    job: _Job,
    tokens: float,
    target_s: float | None,
    gpu: GPUSpec,
    link: str,
    link_bytes_per_s: float | None,
    link_max_gpus: int,
    strict: bool,
    count: int,
    servers: int,
    tried: int,
) -> tuple[Trained | Failure, ...]:
    """Return the same for one job, whatever the server around the cards."""
    case, corner = job.case, job.corner
    assert corner.trained is not None
    if _training_precision(case, gpu) is None:
        reason = message("precision", need=case.training_precision or "bf16")
        return (Failure(gpu.slug, (reason,), 5.0, tried),)
    ways: list[Trained | Failure] = []
    for layout in layouts.training_layouts(
        corner.trained, gpus_per_server=count, servers=servers, link_max_gpus=link_max_gpus
    ):
        found = _trained(job, gpu, link, link_bytes_per_s, layout, servers, strict)
        if isinstance(found, float):
            have = gpu.memory_bytes.high
            reason = message(
                "memory", need=found * have, have=have, gpus=count * servers, precision="training"
            )
            ways.append(Failure(gpu.slug, (reason,), found - 1.0, tried))
            continue
        late = _late(found, tokens, target_s, strict)
        if late is not None:
            assert target_s is not None
            assert found.seconds is not None
            reason = message("training_time", need=target_s, have=tokens * found.seconds.low)
            ways.append(Failure(gpu.slug, (reason,), late / target_s - 1.0, tried))
            continue
        ways.append(_of_all(found, tokens))
    return tuple(ways)


@lru_cache(maxsize=512)
def _job(case: Case, corner: Corner) -> _Job:
    """Return what one token of the training reads of a case and a corner: how many there are, a target or a
    service beside it change none of its sizes, which are not worked out again when only those are moved.
    """
    alone = Corner(
        trained=corner.trained,
        tokens=1.0,
        sequence_tokens=corner.sequence_tokens,
        global_batch=corner.global_batch,
        micro_batch=corner.micro_batch,
        lora_rank=corner.lora_rank,
        network_bytes_per_s=corner.network_bytes_per_s,
    )
    job = Case(
        kind="tokens",
        serves=False,
        trains=True,
        hard=alone,
        easy=alone,
        typical_ttft_s=0.0,
        typical_tpot_s=0.0,
        typical_target_s=0.0,
        training_precision=case.training_precision,
        method=case.method,
        optimizer=case.optimizer,
        recompute=case.recompute,
        sharding=case.sharding,
    )
    return _same(job, alone)


@lru_cache(maxsize=512)
def _same(job: Case, alone: Corner) -> _Job:
    """Return the first of all jobs that are equal."""
    return _Job(job, alone)


@lru_cache(maxsize=8192)
def _trained(
    job: _Job,
    gpu: GPUSpec,
    link: str,
    link_bytes_per_s: float | None,
    layout: Layout,
    servers: int,
    strict: bool,
) -> Trained | float:
    """Return how the training lies on that layout, with the time of one token, or by which factor its memory
    is missed."""
    case = job.case
    precision = _training_precision(case, gpu)
    assert precision is not None
    shape = Layout(layout.tensor_parallel, layout.pipeline_parallel, layout.replicas, 0, False)
    nearest = float("inf")
    for recompute, sharding in _ways_to_keep(case, layout):
        recipe = _recipe(job, precision, gpu.vendor, shape, recompute, sharding)
        need, have = (
            (recipe.total.high, gpu.memory_bytes.low) if strict else (recipe.total.low, gpu.memory_bytes.high)
        )
        if need > have:
            nearest = min(nearest, need / have)
            continue
        seconds = _seconds(job, gpu, link, link_bytes_per_s, layout, servers, precision, recompute)
        held = training_sums(recipe.lines, gpu)
        return Trained(layout, held, seconds, precision, recompute, sharding, servers)
    return nearest


@lru_cache(maxsize=8192)
def _seconds(
    job: _Job,
    gpu: GPUSpec,
    link: str,
    link_bytes_per_s: float | None,
    layout: Layout,
    servers: int,
    precision: Precision,
    recompute: Recompute,
) -> Range | None:
    case, corner = job.case, job.corner
    assert corner.trained is not None
    return training.training_seconds(
        corner.trained,
        gpu,
        layout,
        link=link,  # type: ignore[arg-type]
        link_bytes_per_s=link_bytes_per_s,
        method=case.method,
        precision=_computed_in(precision),
        sequence_tokens=corner.sequence_tokens,
        global_batch=corner.global_batch,
        micro_batch=corner.micro_batch,
        recompute=recompute,
        tokens=corner.tokens,
        servers=servers,
        network_bytes_per_s=corner.network_bytes_per_s,
    )


def _ways_to_keep(case: Case, layout: Layout) -> Iterator[tuple[Recompute, Sharding]]:
    """Yield what is computed again and what is sharded, the quicker ways first."""
    recomputes: tuple[Recompute, ...] = (case.recompute,) if case.recompute else (QUICKEST, "full")
    shardings: tuple[Sharding, ...] = (
        (case.sharding,)
        if case.sharding
        else (("none",) if layout.replicas == 1 else ("none", "zero2", "zero3"))
    )
    for recompute in recomputes:
        for sharding in shardings:
            yield recompute, sharding


@dataclass(frozen=True, slots=True)
class _Recipe:
    """What one way to keep a training takes of the busiest GPU [bytes]."""

    lines: tuple[Line, ...]
    total: Range


@lru_cache(maxsize=16384)
def _recipe(
    job: _Job,
    precision: Precision,
    vendor: str,
    layout: Layout,
    recompute: Recompute,
    sharding: Sharding,
) -> _Recipe:
    """Return what a job takes, kept in one way, on all cards of one maker."""
    case, corner = job.case, job.corner
    assert corner.trained is not None
    # What is not shared out does not depend on how many workers hold it.
    replicas = layout.replicas if sharding != "none" else min(layout.replicas, 2)
    setup = TrainingSetup(
        method=case.method,
        precision=_computed_in(precision),
        optimizer=case.optimizer,
        lora_rank=corner.lora_rank,
        sequence_tokens=corner.sequence_tokens,
        micro_batch=corner.micro_batch,
        recompute=recompute,
        sharding=sharding,
    )
    lines = training_lines(corner.trained, vendor, replace(layout, replicas=replicas), setup)
    return _Recipe(lines, total(lines))


def _training_precision(case: Case, gpu: GPUSpec) -> Precision | None:
    """Return the type that trains; None: the card does not compute in it."""
    if case.method == "qlora":
        return "int4"
    wanted = case.training_precision or "bf16"
    if wanted in ("int4", "fp4"):
        return wanted if precisions.support(gpu, wanted) in ("native", "weight_only") else None
    return wanted if precisions.support(gpu, wanted) == "native" else None


def _computed_in(precision: Precision) -> Precision:
    """Return the type of the arithmetic: weights kept in four bits are computed with in 16."""
    return "bf16" if precision == "int4" else precision


def fewest_servers(
    case: Case, node: NodeSpec, corner: Corner, strict: bool, count: int, *, why: bool = True
) -> tuple[int, Trained] | Failure:
    """Return the fewest servers that train it in time and the quickest way on them, or what comes nearest.

    That depends on nothing that is served there: a heavier service beside it never lets a training in.

    Args:
        why: false where nobody asks: what is too late whatever the layout is not laid out.
    """
    return _fewest(*_of(case, node, corner), strict, count, servers_joined(node), why)


@lru_cache(maxsize=4096)
def _fewest(
    job: _Job,
    tokens: float,
    target_s: float | None,
    gpu: GPUSpec,
    link: str,
    link_bytes_per_s: float | None,
    link_max_gpus: int,
    strict: bool,
    count: int,
    joined: tuple[int, ...],
    why: bool,
) -> tuple[int, Trained] | Failure:
    work = job, tokens, target_s, gpu, link, link_bytes_per_s, link_max_gpus
    least = 0.0 if why else tokens * _least_gpu_seconds(job, gpu, strict)
    failures: list[Failure] = []
    for servers in joined:
        if target_s is not None and least > target_s * count * servers:
            continue
        trained = _quickest(*work, strict, count, servers)
        if not isinstance(trained, Failure):
            return servers, trained
        failures.append(trained)
        if trained.reasons[0].code == "precision":
            break
    late = message("training_time", need=target_s, have=least / (count * joined[-1]))
    return min(failures, key=lambda item: item.miss, default=Failure(gpu.slug, (late,), 1.0, count))


def holds_beside(case: Case, config: Config, gpus: int) -> bool:
    """Tell whether a training lies on so many of the GPUs of a configuration, however long it takes there."""
    whole = gpus // config.count
    servers = max((number for number in servers_joined(config.node) if number <= whole), default=1)
    count = config.count if whole else gpus
    corner = replace(config.corner, target_s=None)
    return not isinstance(quickest(case, config.node, corner, config.strict, count, servers), Failure)


def servers_joined(node: NodeSpec) -> tuple[int, ...]:
    """Return the numbers of such servers that one training is tried on [count]."""
    return TRAINING_SERVERS if joins_servers(node) else TRAINING_SERVERS[:1]


def joins_servers(node: NodeSpec) -> bool:
    """Tell whether one training may spread over several such servers.

    That asks for boards with a fast link of their own: a pile of servers with PCIe cards is no answer.
    """
    return node.link in ("nvswitch", "nvlink", "fabric")


def _training_config(
    node: NodeSpec, corner: Corner, strict: bool, count: int, servers: int, trained: Trained
) -> Config:
    work = None
    if trained.seconds is not None and trained.seconds.low > 0:
        work = Range(
            corner.tokens / trained.seconds.high,
            corner.tokens / trained.seconds.typical,
            corner.tokens / trained.seconds.low,
        )
    return Config(
        node=node,
        corner=corner,
        strict=strict,
        count=count,
        servers=servers,
        precision=trained.precision,
        layout=trained.layout,
        memory=trained.memory,
        work=work,
        trained=trained,
        facts=() if trained.seconds is not None else ("speed",),
    )
