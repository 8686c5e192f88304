"""The load of a service, one training cycle and the limits of the site, at the hard and the easy corner."""

from collections.abc import Mapping
from decimal import ROUND_CEILING, Decimal
from math import ceil
from typing import Any

from aiservers.numbers import Interval, canonical
from recommender.answers import EMBEDDINGS, IMAGES, SPEECH, TOKENS, VISION, Notice
from recommender.case_defaults import BYTES_PER_TOKEN, STAGE_DEFAULTS, TOKENS_PER_PARAMETER
from recommender.case_reader import Reader, noted
from recommender.sizing.caches import shared_tokens
from recommender.sizing.specs import AIModelSpec


def serving_load(
    reader: Reader,
    kind: str,
    model: AIModelSpec,
    hard: dict[str, Any],
    easy: dict[str, Any],
    models: Mapping[str, AIModelSpec],
    notices: list[Notice],
) -> None:
    """Fill both corners with the load of a service."""
    growth = _growth(reader)
    reader.text("availability")
    if kind not in (TOKENS, EMBEDDINGS):
        _rate_load(reader, kind, growth, hard, easy)
        return
    for place, corner in enumerate((hard, easy)):
        prompt = noted(reader, "input_tokens", place)
        corner["input_tokens"] = round(prompt)
        if kind == TOKENS:
            corner["output_tokens"] = round(noted(reader, "output_tokens", place))
            corner["prefix_percent"] = noted(reader, "prefix_percent", place)
            corner["adapters"] = round((reader.ends("adapters") or (0.0, 0.0))[place])
            context = reader.ends("context_tokens") if reader.given("context_tokens") else None
            both = corner["input_tokens"] + corner["output_tokens"]
            corner["tokens_per_request"] = round(context[place]) if context else both
            # The harder end shares the given part of the shorter prompt.
            corner["prefix_tokens"] = shared_tokens(
                corner["prefix_percent"],
                input_tokens=round(noted(reader, "input_tokens", 1 - place)),
                tokens_per_request=corner["tokens_per_request"],
            )
            if context and place == 0 and both > context[0]:
                notices.append(
                    Notice("context_below_request", (("context", int(context[0])), ("request", both)))
                )
    if kind == TOKENS:
        if not reader.given("context_tokens"):
            value = canonical(
                Interval(*map(Decimal, sorted((easy["tokens_per_request"], hard["tokens_per_request"]))))
            )
            reader.note("context_tokens", value, "default", "context_tokens")
        draft = reader.answers.one("draft_model")
        if draft:
            reader.text("draft_model")
            hard["draft"] = easy["draft"] = models[draft]
            served = easy["model"]
            own = draft == served.slug and served.mtp_parameters  # its prediction layers propose
            if not own and models[draft].parameters >= served.parameters:
                notices.append(Notice("draft_not_smaller"))
        ttft, tpot = reader.ends("ttft_ms"), reader.ends("tpot_ms")
        for place, corner in enumerate((hard, easy)):
            if reader.given("ttft_ms"):
                corner["ttft_s"] = ttft[place] / 1000
            if reader.given("tpot_ms"):
                corner["tpot_s"] = tpot[place] / 1000
    _requests(reader, kind, growth, hard, easy, notices)


def _growth(reader: Reader) -> tuple[float, float]:
    """Return by which factor the load grows until the end of the horizon, at both corners."""
    if not (reader.given("growth_percent") and reader.given("horizon_years")):
        for key in ("growth_percent", "horizon_years"):
            if reader.given(key):
                reader.text(key)
        return (1.0, 1.0)
    percent, years = reader.ends("growth_percent"), reader.ends("horizon_years")
    assert percent is not None
    assert years is not None
    return tuple((1 + percent[place] / 100) ** years[place] for place in (0, 1))  # type: ignore[return-value]


def _rate_load(
    reader: Reader, kind: str, growth: tuple[float, float], hard: dict[str, Any], easy: dict[str, Any]
) -> None:
    keys = {
        VISION: ("streams", "frames_per_second"),
        SPEECH: ("audio_streams",),
        IMAGES: ("images_per_minute",),
    }[kind]
    for place, corner in enumerate((hard, easy)):
        rate = growth[place]
        for key in keys:
            ends = reader.ends(key)
            assert ends is not None
            rate *= ends[place]
        corner["rate"] = rate


def _requests(
    reader: Reader,
    kind: str,
    growth: tuple[float, float],
    hard: dict[str, Any],
    easy: dict[str, Any],
    notices: list[Notice],
) -> None:
    """Fill in how many requests run at once, from the most direct answer about the load.

    Simultaneous requests = rate x time in the system (Little's law), the time from the targets.
    """
    keys = ("concurrency", "requests_per_second", "users")
    source = next((key for key in keys if reader.given(key)), None)
    if source is None:
        found = [reader.find(key) for key in keys]
        named = [item for item in found if item is not None and item.origin == "profile"]
        source = named[0].key if named else ("requests_per_second" if kind == EMBEDDINGS else "concurrency")
    for key in keys[keys.index(source) + 1 :]:
        if reader.given(key):
            notices.append(Notice("load_precedence", (("key", key), ("used", source))))
    _contradictions(reader, notices)
    per_second: list[float] | None = None
    if source == "users":
        people, active, each, peak = (
            reader.ends(key) or (1.0, 1.0)
            for key in ("users", "active_percent", "requests_per_user_minute", "peak_factor")
        )
        per_second = [people[i] * active[i] / 100 * each[i] / 60 * peak[i] for i in (0, 1)]
        _note_rate(reader, per_second)
    elif source == "requests_per_second":
        ends = reader.ends("requests_per_second")
        assert ends is not None
        per_second = list(ends)
    if kind == EMBEDDINGS:
        _embedding_rate(reader, per_second, growth, hard, easy)
        return
    ttft, tpot = reader.ends("ttft_ms"), reader.ends("tpot_ms")
    assert ttft is not None
    assert tpot is not None
    today = []  # what the formula that readers see comes to: growth has a sentence of its own
    for place, corner in enumerate((hard, easy)):
        # Times in the system: the longer they are, the more requests are in it at once.
        each = max(tpot) if place == 0 else min(tpot)
        first = max(ttft) if place == 0 else min(ttft)
        seconds = (first + corner["output_tokens"] * each) / 1000
        if per_second is not None:
            requests = per_second[place] * growth[place] * seconds
            today.append(_up(per_second[place] * seconds))
            corner["arrivals_per_s"] = per_second[place] * growth[place]
            corner["arrivals_given"] = source != "users"
        else:
            ends = reader.ends("concurrency")
            assert ends is not None
            requests = ends[place] * growth[place]
        corner["requests"] = _up(_running(reader, requests, seconds, growth, place))
    if per_second is not None:
        value = canonical(Interval(Decimal(today[1]), Decimal(max(today))))
        reader.note("concurrency", value, "default", "from_rate")
    if reader.given("queue_ok"):
        reader.text("queue_ok")


def _contradictions(reader: Reader, notices: list[Notice]) -> None:
    """Say which answers about the load cannot both hold, and which of the two counts."""
    peak, normal = (reader.answers.interval(key) for key in ("concurrency", "normal_concurrency"))
    if peak and normal and normal.low > peak.high:
        notices.append(Notice("normal_above_peak", (("normal", int(normal.low)), ("peak", int(peak.high)))))
    if reader.given("queue_seconds") and reader.answers.one("queue_ok") != "yes":
        notices.append(Notice("wait_without_queue", (("key", "queue_seconds"), ("needed", "queue_ok"))))


def _up(requests: float) -> int:
    """Return the whole number of requests, at least one; rounding errors do not make one more."""
    return max(int(Decimal(repr(round(requests, 6))).to_integral_value(ROUND_CEILING)), 1)


def _running(
    reader: Reader, requests: float, seconds: float, growth: tuple[float, float], place: int
) -> float:
    """Return how many of the simultaneous requests have to run at once, where the others may wait.

    With R running, each for S seconds, the last of C requests starts after (C - R) x S / R: within W
    where R >= C x S / (S + W).
    """
    if reader.answers.one("queue_ok") != "yes":
        return requests
    wait = reader.ends("queue_seconds")
    assert wait is not None
    running = requests * seconds / (seconds + wait[place]) if seconds + wait[place] > 0 else requests
    normal = reader.ends("normal_concurrency") if reader.given("normal_concurrency") else None
    if normal is not None:
        running = max(running, min(normal[place] * growth[place], requests))
    return running


def _note_rate(reader: Reader, per_second: list[float]) -> None:
    low, high = sorted(Decimal(repr(round(value, 4))) for value in per_second)
    reader.note("requests_per_second", canonical(Interval(low, high)), "default", "from_users")


def _embedding_rate(
    reader: Reader,
    per_second: list[float] | None,
    growth: tuple[float, float],
    hard: dict[str, Any],
    easy: dict[str, Any],
) -> None:
    """Fill in tokens per second; requests that run at once are taken as one second's worth."""
    if per_second is None:
        ends = reader.ends("concurrency")
        assert ends is not None
        per_second = list(ends)
    for place, corner in enumerate((hard, easy)):
        corner["rate"] = per_second[place] * growth[place] * corner["input_tokens"]


def training_load(
    reader: Reader,
    trained: AIModelSpec,
    stages: set[str],
    serves: bool,
    hard: dict[str, Any],
    easy: dict[str, Any],
) -> None:
    """Fill both corners with one training cycle."""
    method = reader.text("method")
    tokens = _dataset(reader, trained, method)
    epochs = reader.ends("epochs")
    hours = reader.ends("target_hours")
    sequence = reader.ends("sequence_tokens")
    if not reader.given("sequence_tokens") and trained.max_context and sequence[0] > trained.max_context:
        reader.note("sequence_tokens", str(trained.max_context), "default", "shortened")
        sequence = (float(trained.max_context),) * 2
    batch, micro, rank = (reader.ends(key) for key in ("global_batch", "micro_batch", "lora_rank"))
    if method not in ("lora", "qlora"):
        reader.assumptions.pop("lora_rank", None)
    network = reader.ends("network_gbe") if reader.given("network_gbe") else None
    for place, corner in enumerate((hard, easy)):
        corner["tokens"] = tokens[place] * epochs[place]
        corner["sequence_tokens"] = round(sequence[place])
        corner["global_batch"] = round(batch[place])
        corner["micro_batch"] = round(micro[place])
        corner["lora_rank"] = round(rank[place])
        if reader.given("target_hours"):
            corner["target_s"] = hours[place] * 3600
        if network:
            corner["network_bytes_per_s"] = network[place] * 1e9 / 8 * 2


def training_types(reader: Reader, notices: list[Notice]) -> None:
    """Note the type of the trained weights where it was given, or where the method decides it."""
    given = reader.answers.one("precision")
    if reader.text("method") != "qlora" or given == "int4":
        if given:
            reader.text("precision")
        return
    reader.note("precision", "int4", "default", "qlora")
    if given and given not in ("auto", "int4"):
        notices.append(Notice("qlora_precision", (("precision", given.upper()),)))


def _dataset(reader: Reader, trained: AIModelSpec, method: str | None) -> tuple[float, float]:
    """Return the tokens of one pass at both corners."""
    if not reader.given("dataset_tokens") and reader.given("dataset_gb"):
        size = reader.ends("dataset_gb")
        assert size is not None
        tokens = tuple(ceil(end * 1e9 / BYTES_PER_TOKEN) for end in size)
        low, high = sorted(Decimal(value) for value in tokens)
        reader.note("dataset_tokens", canonical(Interval(low, high)), "default", "from_gb")
        return float(tokens[0]), float(tokens[1])
    found = reader.find("dataset_tokens")
    if method == "pretraining" and (found is None or found.origin == "default"):
        value = trained.parameters * TOKENS_PER_PARAMETER
        reader.note("dataset_tokens", str(value), "default", "from_parameters")
        return float(value), float(value)
    ends = reader.ends("dataset_tokens")
    if ends is None:
        usual = STAGE_DEFAULTS["fine_tuning"]["dataset_tokens"]
        reader.note("dataset_tokens", usual, "default", "dataset_tokens")
        return float(usual), float(usual)
    return ends


def site_load(reader: Reader, hard: dict[str, Any], easy: dict[str, Any]) -> None:
    """Fill in the limits of the site that were given; nothing stands in for a limit."""
    factors = {
        "rack_units": ("rack_units", 1.0),
        "max_depth_mm": ("depth_mm", 1.0),
        "power_kw": ("power_w", 1000.0),
        "temperature_min_c": ("temperature_min_c", 1.0),
        "temperature_max_c": ("temperature_max_c", 1.0),
        "altitude_m": ("altitude_m", 1.0),
    }
    for key, (name, factor) in factors.items():
        if reader.given(key):
            ends = reader.ends(key)
            assert ends is not None
            hard[name], easy[name] = ends[0] * factor, ends[1] * factor
