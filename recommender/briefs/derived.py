"""Quantities that follow from the answers by arithmetic, each with the values it was made of: pure.

A value is a pair (low, high); where an answer is a range, so is what follows from it. What cannot be worked
out because an answer is missing is left out: nothing here guesses.
"""

from collections.abc import Mapping
from dataclasses import dataclass

Pair = tuple[float, float]

MINUTE, HOUR = 60.0, 3600.0  # seconds
HOURS_A_MONTH = 730.0  # 8760 hours over twelve months


@dataclass(frozen=True, slots=True)
class Derived:
    """One quantity: its code names the formula, `terms` what stands in it, all in the unit of their names."""

    code: str
    terms: tuple[tuple[str, Pair], ...]
    value: Pair


def derive(values: Mapping[str, Pair], match: Mapping[str, float | None]) -> tuple[Derived, ...]:
    """Return what follows from the answers and from the first match, in the order of a brief.

    Args:
        values: numeric answers, given or standing in, by their key and in its unit.
        match: figures of the first match: `gpus_per_replica`, `replicas`, `idle_gpus`, `gpus`, `servers`,
            `requests` (running at once), `capacity`, `weights_gib`, `kv_cache_gib`, `total_gib`,
            `available_gib`, `checkpoint_gb`; `wait_s` for one of the `places` at the peak on average,
            `random` 1 where requests come as they like and 0 where there are never more than `requests`,
            `turn_s` of a whole answer, `busy_percent` of the places; of a server `gpu_gib_low`,
            `gpu_gib_high` (memory of its GPUs) and `host_factor_low`, `host_factor_high` (host memory as a
            multiple of it).
    """
    found = dict(_load(values))
    found |= _training(values, match)
    found |= _machine(values, match)
    return tuple(found.values())


def _load(values: Mapping[str, Pair]) -> dict[str, Derived]:
    made: dict[str, Derived] = {}

    def add(code: str, value: Pair, **terms: Pair) -> Pair:
        made[code] = Derived(code, tuple(terms.items()), value)
        return value

    users, active, each, peak = (
        values.get(key) for key in ("users", "active_percent", "requests_per_user_minute", "peak_factor")
    )
    rate = values.get("requests_per_second")
    if users and active:
        people = add(
            "active_people", _scaled(_times(users, active), 0.01), users=users, active_percent=active
        )
        if each:
            normal = add(
                "normal_rate",
                _scaled(_times(people, each), 1 / MINUTE),
                people=people,
                requests_per_user_minute=each,
            )
            if peak:
                worked_out = add("peak_rate", _times(normal, peak), rate=normal, peak_factor=peak)
                rate = rate or worked_out
    first, further, answer = values.get("ttft_ms"), values.get("tpot_ms"), values.get("output_tokens")
    prompt = values.get("input_tokens")
    concurrency = values.get("concurrency")
    duration = None
    if first and further and answer:
        duration = add(
            "request_time",
            _scaled(_plus(first, _times(answer, further)), 0.001),
            ttft_ms=first,
            output_tokens=answer,
            tpot_ms=further,
        )
    if rate and duration:
        add("in_flight", _times(rate, duration), rate=rate, duration=duration)
    elif concurrency and duration:
        # Many requests in little time are the most, few in much time the least.
        rate = (concurrency[0] / duration[1], concurrency[1] / duration[0])
        add("rate_of_concurrency", rate, concurrency=concurrency, duration=duration)
    if rate and prompt:
        add("tokens_in", _times(rate, prompt), rate=rate, input_tokens=prompt)
    if rate and answer:
        add("tokens_out", _times(rate, answer), rate=rate, output_tokens=answer)
    length = values.get("context_tokens") or (_plus(prompt, answer) if prompt and answer else None)
    if concurrency and length:
        add("cached_tokens", _times(concurrency, length), concurrency=concurrency, length=length)
    growth, years = values.get("growth_percent"), values.get("horizon_years")
    if growth and years:
        ends = [(1 + growth[end] / 100) ** years[end] for end in (0, 1)]
        add("growth_factor", (ends[0], ends[1]), growth_percent=growth, horizon_years=years)
    return made


def _training(values: Mapping[str, Pair], match: Mapping[str, float | None]) -> dict[str, Derived]:
    made: dict[str, Derived] = {}

    def add(code: str, value: Pair, **terms: Pair) -> Pair:
        made[code] = Derived(code, tuple(terms.items()), value)
        return value

    tokens, passes = values.get("dataset_tokens"), values.get("epochs")
    if tokens and passes:
        add("cycle_tokens", _times(tokens, passes), dataset_tokens=tokens, epochs=passes)
    runs, hours = values.get("experiments_per_month"), values.get("target_hours")
    if runs and hours:
        busy = add("busy_hours", _times(runs, hours), experiments_per_month=runs, target_hours=hours)
        add("busy_share", _scaled(busy, 100 / HOURS_A_MONTH), hours=busy)
    checkpoint = _exact(match.get("checkpoint_gb"))
    kept, rate = values.get("checkpoints_kept"), values.get("storage_gbs")
    if checkpoint and kept:
        add("checkpoint_storage", _times(checkpoint, kept), checkpoint_gb=checkpoint, checkpoints_kept=kept)
    if checkpoint and rate and rate[0] > 0:
        seconds = (checkpoint[0] / rate[1], checkpoint[1] / rate[0])
        add("checkpoint_time", seconds, checkpoint_gb=checkpoint, storage_gbs=rate)
    return made


def _machine(values: Mapping[str, Pair], match: Mapping[str, float | None]) -> dict[str, Derived]:
    made: dict[str, Derived] = {}

    def add(code: str, value: Pair, **terms: Pair) -> Pair:
        made[code] = Derived(code, tuple(terms.items()), value)
        return value

    split, copies = _exact(match.get("gpus_per_replica")), _exact(match.get("replicas"))
    weights, cache = _exact(match.get("weights_gib")), _exact(match.get("kv_cache_gib"))
    requests, capacity = _exact(match.get("requests")), _exact(match.get("capacity"))
    total, available = _exact(match.get("total_gib")), _exact(match.get("available_gib"))
    if split and weights:
        add("weights_of_a_copy", _times(weights, split), weights_gib=weights, gpus=split)
    if cache and split and copies:
        used = _times(split, copies)
        all_caches = add("cache_of_all", _times(cache, used), kv_cache_gib=cache, gpus=used)
        if requests and requests[0] > 0:
            add(
                "cache_of_a_request",
                _scaled(all_caches, 1 / requests[0]),
                cache_gib=all_caches,
                requests=requests,
            )
    if total and available:
        left = (available[0] - total[0],) * 2
        add("memory_left", left, available_gib=available, total_gib=total)
    if split and copies:
        idle = _exact(match.get("idle_gpus")) or (0.0, 0.0)
        add("gpus_at_work", _plus(_times(split, copies), idle), gpus_per_copy=split, copies=copies, idle=idle)
    if capacity and requests:
        share = add("utilization", _scaled(requests, 100 / capacity[0]), requests=requests, capacity=capacity)
        wait, turn = _exact(match.get("wait_s")), _exact(match.get("turn_s"))
        busy, places = _exact(match.get("busy_percent")), _exact(match.get("places"))
        if wait and places and match.get("random") == 0 and requests[0] <= places[0]:
            add("wait_none", wait, requests=requests, places=places)
        elif wait and turn and busy and places and match.get("random"):
            add("wait_mean", wait, busy=busy, places=places, turn=turn)
        if share[1] < 100 and match.get("random") != 0:
            load = share[1] / 100
            add("wait_factor", (load / (1 - load),) * 2, utilization=share)
    servers = _exact(match.get("servers"))
    if servers and match.get("spare") == 0:
        add("with_a_spare", (servers[0] + 1,) * 2, servers=servers)
    gpu_low, gpu_high = match.get("gpu_gib_low"), match.get("gpu_gib_high")
    least, most = match.get("host_factor_low"), match.get("host_factor_high")
    if gpu_low is not None and gpu_high is not None and least is not None and most is not None:
        around, factor = (gpu_low, gpu_high), (least, most)
        add("host_memory", _times(around, factor), gpu_gib=around, host_factor=factor)
    return made


def _exact(value: float | None) -> Pair | None:
    return None if value is None else (float(value), float(value))


def _times(one: Pair, other: Pair) -> Pair:
    return one[0] * other[0], one[1] * other[1]


def _plus(one: Pair, other: Pair) -> Pair:
    return one[0] + other[0], one[1] + other[1]


def _scaled(value: Pair, factor: float) -> Pair:
    return value[0] * factor, value[1] * factor
