"""Sizes of a server for work that makes no text: each card works on its own."""

from collections.abc import Iterator
from functools import lru_cache
from math import ceil, floor

from recommender.sizing import memory, throughput
from recommender.sizing.configurations import MAX_SERVERS, Config, Failure
from recommender.sizing.demand import Case, Corner, message
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
    need = corner.rate
    assert need is not None
    spare = 1 if case.n_plus_1 else 0
    held = _rate_memory(case, corner, node.gpu, precision, 1)
    fits = held.total.high <= held.available.low if strict else held.total.low <= held.available.high
    if not fits:
        lack, have = held.total.low, held.available.high
        reason = message("memory", need=lack, have=have, gpus=1, precision=precision)
        yield Failure(node.gpu.slug, (reason,), max(lack / have - 1.0, 0.0))
        return
    rate = _rate_of(case, corner, node.gpu, precision)
    streams = _most_streams(case, corner, node.gpu, precision, strict)
    for count in node.counts:
        needed = 1
        if rate is not None:
            needed = max(ceil(need / (count * (rate.low if strict else rate.high))), 1)
        if streams is not None:
            needed = max(needed, ceil(need / (count * streams)))
        servers = needed + spare
        if servers > MAX_SERVERS:
            reason = message("throughput", need=servers, have=MAX_SERVERS)
            yield Failure(node.gpu.slug, (reason,), needed / MAX_SERVERS, count)
            continue
        yield Config(
            node=node,
            corner=corner,
            strict=strict,
            count=count,
            servers=servers,
            precision=precision,
            layout=Layout(1, 1, count * servers, 0, False),
            memory=_rate_memory(case, corner, node.gpu, precision, streams_of(case, corner, count * needed)),
            work=None if rate is None else rate.scaled(count * needed),
            facts=("speed",) if rate is None else (),
        )


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
