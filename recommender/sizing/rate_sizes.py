"""Sizes of a server for work that makes no text: each card works on its own."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from math import ceil, floor

from recommender.sizing import memory, throughput
from recommender.sizing.configurations import MAX_SERVERS, Config, Failure
from recommender.sizing.demand import Case, Corner, message
from recommender.sizing.rules import most_servers
from recommender.sizing.serving_sizes import streams_of, tokens_of, understood
from recommender.sizing.specs import GPUSpec, Layout, Memory, NodeSpec, Precision, Range


def _rate_of(case: Case, corner: Corner, gpu: GPUSpec, precision: Precision) -> Range | None:
    """Return what one card does of work that makes no text, in the unit of `UNITS`."""
    model = corner.model
    assert model is not None
    if case.kind == "vision":
        return throughput.vision_frames_per_s(model, gpu, precision)
    if case.kind == "speech":
        return throughput.audio_seconds_per_s(model, gpu, precision)
    if case.kind == "images":
        return throughput.images_per_minute(model, gpu, precision)
    return throughput.embedding_tokens_per_s(model, gpu, precision, input_tokens=corner.input_tokens)


def rate_sizes(
    case: Case, node: NodeSpec, corner: Corner, strict: bool, precision: Precision
) -> Iterator[Config | Failure]:
    """Yield the sizes for video, speech, images and embeddings: each card works on its own."""
    spare = 1 if case.n_plus_1 else 0
    held = _rate_memory(case, corner, node.gpu, precision, 1)
    fits = held.total.high <= held.available.low if strict else held.total.low <= held.available.high
    if not fits:
        lack, have = held.total.low, held.available.high
        reason = message("memory", need=lack, have=have, gpus=1, precision=precision)
        yield Failure(node.gpu.slug, (reason,), max(lack / have - 1.0, 0.0))
        return
    rate = _rate_of(case, corner, node.gpu, precision)
    for count in node.counts:
        needed = _needed(case, corner, node.gpu, precision, count, strict)
        if needed + spare > MAX_SERVERS:
            reason = message("throughput", need=needed + spare, have=MAX_SERVERS)
            yield Failure(node.gpu.slug, (reason,), needed / MAX_SERVERS, count)
            continue
        sizes = [(needed, False)]
        if not strict and case.priority != "footprint":
            sizes += [(more, True) for more in _instead_of_certain(case, node, precision, count, needed)]
        for working, piled in sizes:
            config = Config(
                node=node,
                corner=corner,
                strict=strict,
                piled=piled,
                count=count,
                servers=0,
                precision=precision,
                layout=Layout(1, 1, 1, 0, False),
                memory=held,
                facts=("speed",) if rate is None else (),
            )
            yield on_servers(case, config, working + spare)


def on_servers(case: Case, config: Config, servers: int) -> Config:
    """Return the same work on so many servers."""
    corner, gpu, precision = config.corner, config.node.gpu, config.precision
    cards = config.count * (servers - (1 if case.n_plus_1 else 0))
    rate = _rate_of(case, corner, gpu, precision)
    return replace(
        config,
        servers=servers,
        layout=Layout(1, 1, config.count * servers, 0, False),
        memory=_rate_memory(case, corner, gpu, precision, streams_of(case, corner, cards)),
        work=None if rate is None else rate.scaled(cards),
    )


def _needed(case: Case, corner: Corner, gpu: GPUSpec, precision: Precision, count: int, strict: bool) -> int:
    """Return the servers at work that keep up with the work [count]."""
    need = corner.rate
    assert need is not None
    needed = 1
    rate = _rate_of(case, corner, gpu, precision)
    streams = _most_streams(case, corner, gpu, precision, strict)
    if rate is not None:
        needed = max(ceil(need / (count * (rate.low if strict else rate.high))), 1)
    if streams is not None:
        needed = max(needed, ceil(need / (count * streams)))
    return needed


def _instead_of_certain(
    case: Case, node: NodeSpec, precision: Precision, count: int, least: int
) -> Iterator[int]:
    """Yield the servers at work that stand in for more than are allowed, or than space and power hold.

    They are as many as these allow, so that a heavier load never takes fewer when certainty gives way.
    """
    if case.hard.model != case.easy.model:
        return
    spare = 1 if case.n_plus_1 else 0
    certain = _needed(case, case.hard, node.gpu, precision, count, True) + spare
    held = most_servers(case.easy, node, count, min(certain, MAX_SERVERS))
    if held < certain:
        yield max(least, held - spare)


def _most_streams(case: Case, corner: Corner, gpu: GPUSpec, precision: Precision, strict: bool) -> int | None:
    """Return the streams of speech whose caches one card holds; None: they are not bounded by memory."""
    assert corner.model is not None
    if case.kind != "speech":
        return None
    held = memory.max_requests(
        understood(corner.model),
        gpu,
        Layout(1, 1, 1, 0, False),
        precision=precision,
        kv_precision=case.kv_precision,
        tokens_per_request=tokens_of(case, corner),
        engine=case.engine,
    )
    return max(floor(held.low if strict else held.high), 1)


@lru_cache(maxsize=4096)
def _rate_memory(case: Case, corner: Corner, gpu: GPUSpec, precision: Precision, requests: int) -> Memory:
    assert corner.model is not None
    return memory.inference_memory(
        understood(corner.model),
        gpu,
        Layout(1, 1, 1, 0, False),
        precision=precision,
        kv_precision=case.kv_precision,
        tokens_per_request=tokens_of(case, corner),
        requests=requests,
        engine=case.engine,
    )
