"""Answers resolved into a case for the ranking: given values first, then typical ones, then our defaults.

Every value that stands in for an answer is an Assumption with its origin; pages, briefs and commands print
them all. Texts are made elsewhere: here an assumption only says where its reason is to be found.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from math import ceil, log2
from typing import Any

from aiservers.numbers import Interval, canonical
from recommender.answers import (
    EMBEDDINGS,
    IMAGES,
    KEYS,
    SPEECH,
    TOKENS,
    VISION,
    Answers,
    Notice,
    Problem,
    parse_interval,
)
from recommender.sizing.caches import shared_tokens
from recommender.sizing.demand import Case, Corner
from recommender.sizing.specs import AIModelSpec, CacheGroup

# Stand in where neither the reader nor a profile of the catalog says anything: our judgement, from the
# ranges that sizing questionnaires name. Each is shown as a default.
DEFAULTS: dict[str, str] = {
    "precision": "auto",
    "kv_precision": "auto",
    "engine": "vllm",
    "input_tokens": "2000",
    "output_tokens": "500",
    "prefix_percent": "0",
    "concurrency": "10",
    "active_percent": "20",
    "requests_per_user_minute": "0.5",
    "peak_factor": "2",
    "ttft_ms": "2000",
    "tpot_ms": "100",
    "queue_seconds": "2",
    "availability": "single",
    "streams": "16",
    "frames_per_second": "15",
    "audio_streams": "10",
    "images_per_minute": "10",
    "optimizer": "adamw",
    "lora_rank": "16",
    "micro_batch": "1",
    "sequence_tokens": "4096",
    "priority": "balanced",
}
# Where the stage changes what is usual.
STAGE_DEFAULTS: dict[str, dict[str, str]] = {
    "development": {"concurrency": "2"},
    "training": {
        "method": "pretraining",
        "epochs": "1",
        "target_hours": "720",
        "global_batch": "1024",
    },
    "fine_tuning": {
        "method": "lora",
        "dataset_tokens": "10000000",
        "epochs": "3",
        "target_hours": "24",
        "global_batch": "16",
    },
    "mixed": {
        "method": "lora",
        "dataset_tokens": "10000000",
        "epochs": "3",
        "target_hours": "24",
        "global_batch": "16",
    },
}
MODEL_DEFAULTS = {
    TOKENS: "qwen3-32b",
    EMBEDDINGS: "bge-m3",
    SPEECH: "whisper-large-v3",
    IMAGES: "sdxl-base-1.0",
    VISION: "yolo11",
}
TRAINING_MODEL_DEFAULT = "llama-3.1-8b"
DEVELOPMENT_MODEL_DEFAULT = "llama-3.1-8b"
WELL_KNOWN = ("llama-3.1-8b", "qwen3.5-27b", "llama-3.3-70b")  # stand in before others, where they can
UNNAMED_MODEL_B = 8  # where the catalog has no model of that kind
TOKENS_PER_PARAMETER = 20  # of training from scratch (Hoffmann et al., 2022, arXiv:2203.15556)
BYTES_PER_TOKEN = 4  # of English text, about; other languages need fewer

KIND_OF_MODEL = {
    "llm": TOKENS,
    "vlm": TOKENS,
    "embedding": EMBEDDINGS,
    "reranker": EMBEDDINGS,
    "asr": SPEECH,
    "image_generation": IMAGES,
    "vision": VISION,
}
KIND_OF_WORKLOAD = {
    "vision": VISION,
    "speech": SPEECH,
    "image_generation": IMAGES,
    "embeddings": EMBEDDINGS,
}
KIND_OF_LOAD = {
    "streams": VISION,
    "frames_per_second": VISION,
    "audio_streams": SPEECH,
    "images_per_minute": IMAGES,
}
MODEL_OF_KIND = {EMBEDDINGS: "embedding", SPEECH: "asr", IMAGES: "image_generation", VISION: "vision"}
TRAINING_KEYS = ("method", "dataset_tokens", "dataset_gb", "epochs", "target_hours", "global_batch")

# The harder end of a range: the larger one, except here.
LOW_IS_HARDER = frozenset(
    {
        "prefix_percent",
        "ttft_ms",
        "tpot_ms",
        "target_hours",
        "queue_seconds",
        "rack_units",
        "max_depth_mm",
        "power_kw",
        "temperature_min_c",
        "global_batch",
        "network_gbe",
    }
)


class BadAnswers(ValueError):
    """Answers that cannot be reckoned with; `problems` says which and why."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{problem.key}: {problem.code}" for problem in self.problems))


@dataclass(frozen=True, slots=True)
class Assumption:
    """What was reckoned with: a canonical value, where it comes from, and where its reason is found."""

    key: str
    value: str
    origin: str  # given, hypothesis, profile, default
    source: str = ""  # slug of the profile, or the code of a default's reason


@dataclass(frozen=True, slots=True)
class Preset:
    """The typical values of one kind of work."""

    slug: str
    stage: str
    values: dict[str, str]


@dataclass
class Resolved:
    """A case with everything that has to be said about how it came about."""

    case: Case
    assumptions: tuple[Assumption, ...]
    notices: tuple[Notice, ...]
    to_measure: tuple[str, ...]
    stages: frozenset[str]
    problems: tuple[Problem, ...] = ()


@dataclass
class _Reader:
    """Reads answers in order of precedence and keeps what was used."""

    answers: Answers
    presets: tuple[Preset, ...]
    defaults: Mapping[str, str]
    assumptions: dict[str, Assumption] = field(default_factory=dict)

    def given(self, key: str) -> bool:
        return key in self.answers.values

    def find(self, key: str) -> Assumption | None:
        """Return what stands for the answer, without noting it as used."""
        if self.given(key):
            values = self.answers.several(key)
            origin = "hypothesis" if key in self.answers.hypotheses else "given"
            return Assumption(key, ", ".join(values), origin)
        for preset in self.presets:
            if key in preset.values:
                return Assumption(key, preset.values[key], "profile", preset.slug)
        if key in self.defaults:
            return Assumption(key, self.defaults[key], "default", key)
        return None

    def text(self, key: str) -> str | None:
        found = self.find(key)
        if found is not None:
            self.assumptions.setdefault(key, found)
        return None if found is None else found.value

    def interval(self, key: str) -> Interval | None:
        text = self.text(key)
        return None if text is None else parse_interval(text)

    def ends(self, key: str) -> tuple[float, float] | None:
        """Return the harder and the easier end, as floats."""
        interval = self.interval(key)
        if interval is None:
            return None
        low, high = float(interval.low), float(interval.high)
        return (low, high) if key in LOW_IS_HARDER else (high, low)

    def note(self, key: str, value: str, origin: str, source: str) -> None:
        self.assumptions[key] = Assumption(key, value, origin, source)


def resolve(
    answers: Answers,
    models: Mapping[str, AIModelSpec],
    presets: Mapping[str, Preset],
    vendors: Mapping[str, frozenset[str]],
    names: Mapping[str, str],
) -> Resolved | tuple[Problem, ...]:
    """Return the case that the answers make, or the problems that only the catalog can tell.

    Args:
        models: published models by slug.
        presets: published workload profiles by slug.
        vendors: makers of processors and of GPUs, under the keys of the answers.
        names: names of models, for messages.
    """
    problems = list(catalog_problems(answers, models, presets, vendors))
    if problems:
        return tuple(problems)
    chosen = tuple(presets[slug] for slug in answers.several("workload"))
    stages = _stages(answers, chosen)
    serves = bool(stages & {"inference", "mixed", "development"})
    trains = bool(stages & {"training", "fine_tuning", "mixed"})
    notices: list[Notice] = []
    kind = _kind(answers, models, chosen, notices)
    if trains and not serves:
        if kind not in (TOKENS, EMBEDDINGS) and not answers.one("model"):
            notices.append(Notice("training_tokens_only"))
        kind = TOKENS
    fitting = tuple(
        preset for preset in chosen if not serves or KIND_OF_WORKLOAD.get(preset.slug, TOKENS) == kind
    )
    if not chosen:
        # Nothing was chosen: a stage alone has no typical values but our own.
        fitting = ()
    reader = _Reader(answers, fitting, _defaults(stages, kind))
    _note_stage(reader, stages, chosen)
    model, easy_model = _model(reader, models, kind, stages) if serves else (None, None)
    trained, easy_trained = (None, None)
    if trains:
        trained, easy_trained = _trained_model(reader, models, stages, serves, model, easy_model)
        shape = (trained.num_layers, trained.hidden_size, trained.num_attention_heads)
        if KIND_OF_MODEL[trained.kind] not in (TOKENS, EMBEDDINGS) or None in shape:
            key = "training_model" if answers.one("training_model") else "model"
            name = names.get(trained.slug, trained.slug)
            if not serves or answers.one("training_model"):
                return (Problem(key, "model_not_trainable", (("model", name),)),)
            trains = False
            notices.append(Notice("training_not_sized", (("model", name),)))
    hard: dict[str, Any] = {}
    easy: dict[str, Any] = {}
    if serves:
        hard["model"], easy["model"] = model, easy_model
        problems += _length_problems(reader, model, kind, names, notices)
        if problems:
            return tuple(problems)
        _serving_load(reader, kind, model, hard, easy, models, notices)
    if trains:
        hard["trained"], easy["trained"] = trained, easy_trained
        _training_load(reader, trained, stages, serves, hard, easy)
        if not serves and answers.one("availability"):
            notices.append(Notice("training_availability"))
    if trains and not serves:
        _training_types(reader, notices)
    _site_load(reader, hard, easy)
    notices += _unused(answers, kind, stages, serves)
    ttft, tpot = reader.find("ttft_ms"), reader.find("tpot_ms")
    hours = reader.find("target_hours")
    conditional, missing = _missing(answers, kind, serves, trains)
    if kind == TOKENS and serves:
        reader.text("ttft_ms")
        reader.text("tpot_ms")
    if trains:
        reader.text("target_hours")
    case = Case(
        kind=kind,
        serves=serves,
        trains=trains,
        hard=Corner(**hard),
        easy=Corner(**easy),
        typical_ttft_s=float(parse_interval(ttft.value).low) / 1000 if ttft else 2.0,
        typical_tpot_s=float(parse_interval(tpot.value).low) / 1000 if tpot else 0.1,
        typical_target_s=float(parse_interval(hours.value).low) * 3600 if hours else 86_400.0,
        together=serves and trains and answers.one("one_node") == "yes",
        precision=_serving_precision(reader) if serves else None,
        training_precision=_training_precision(answers, serves) if trains else None,
        kv_precision="fp8" if serves and kind == TOKENS and reader.text("kv_precision") == "fp8" else "bf16",
        engine=(reader.text("engine") or "vllm") if serves and kind == TOKENS else "vllm",
        method=(reader.text("method") or "lora") if trains else "lora",
        optimizer=(reader.text("optimizer") or "adamw") if trains else "adamw",
        recompute=reader.text("recompute") if trains else None,
        sharding=reader.text("sharding") if trains else None,
        n_plus_1=serves and reader.text("availability") == "n_plus_1",
        priority=reader.text("priority") or "balanced",
        site=reader.text("site"),
        cooling=reader.text("cooling"),
        cpu_vendor=reader.text("cpu_vendor"),
        gpu_vendor=reader.text("gpu_vendor"),
        conditional=conditional,
    )
    order = {key: place for place, key in enumerate(KEYS)}
    return Resolved(
        case=case,
        assumptions=tuple(sorted(reader.assumptions.values(), key=lambda item: order[item.key])),
        notices=tuple(dict.fromkeys(notices)),
        to_measure=tuple(sorted(missing, key=lambda key: order[key])),
        stages=frozenset(stages),
    )


def catalog_problems(
    answers: Answers,
    models: Mapping[str, AIModelSpec],
    presets: Mapping[str, Preset],
    vendors: Mapping[str, frozenset[str]],
) -> Iterable[Problem]:
    """Yield the answers that name what the catalog does not have, after those that are bad in themselves."""
    yield from answers.problems
    for key in ("model", "training_model", "draft_model"):
        slug = answers.one(key)
        if slug and slug not in models:
            yield Problem(key, "not_in_catalog", (("value", slug),))
    for slug in answers.several("workload"):
        if slug not in presets:
            params = (("value", slug), ("choices", ", ".join(presets)))
            yield Problem("workload", "not_in_catalog_choices", params)
    for key, known in vendors.items():
        slug = answers.one(key)
        if slug and slug not in known:
            params = (("value", slug), ("choices", ", ".join(sorted(known))))
            yield Problem(key, "not_in_catalog_choices", params)


def _stages(answers: Answers, chosen: tuple[Preset, ...]) -> set[str]:
    """Return the stages given, or those that the kind of work or the other answers imply."""
    stages = set(answers.several("stage"))
    if not stages:
        stages = {preset.stage for preset in chosen}
    if not stages:
        stages = {"fine_tuning"} if any(answers.one(key) for key in TRAINING_KEYS) else {"inference"}
        if answers.one("method") == "pretraining":
            stages = {"training"}
    return stages


def _kind(
    answers: Answers, models: Mapping[str, AIModelSpec], chosen: tuple[Preset, ...], notices: list[Notice]
) -> str:
    """Return the kind of work: the model decides, then the workload, then the load that was given."""
    slug = answers.one("model")
    kinds = [KIND_OF_WORKLOAD.get(preset.slug, TOKENS) for preset in chosen]
    if slug:
        kind = KIND_OF_MODEL[models[slug].kind]
    elif kinds:
        kind = kinds[0]
    else:
        loads = [kind for key, kind in KIND_OF_LOAD.items() if answers.one(key)]
        kind = loads[0] if loads and not answers.one("parameters_b") else TOKENS
    for preset, other in zip(chosen, kinds, strict=True):
        if other != kind:
            notices.append(Notice("several_kinds", (("key", preset.slug), ("used", slug or chosen[0].slug))))
    return kind


def _defaults(stages: set[str], kind: str) -> dict[str, str]:
    defaults = dict(DEFAULTS)
    for stage in ("development", "training", "fine_tuning", "mixed"):
        if stage in stages:
            defaults |= STAGE_DEFAULTS[stage]
    if "development" in stages and stages & {"inference", "mixed"}:
        defaults["concurrency"] = DEFAULTS["concurrency"]
    if kind == EMBEDDINGS:
        defaults |= {"input_tokens": "512", "requests_per_second": "10"}
    return defaults


def _note_stage(reader: _Reader, stages: set[str], chosen: tuple[Preset, ...]) -> None:
    if reader.given("stage"):
        reader.text("stage")
    else:
        origin = "profile" if chosen else "default"
        source = chosen[0].slug if chosen else "stage"
        reader.note("stage", ", ".join(sorted(stages)), origin, source)
    if chosen:
        reader.text("workload")


def _model(
    reader: _Reader, models: Mapping[str, AIModelSpec], kind: str, stages: set[str]
) -> tuple[AIModelSpec, AIModelSpec]:
    """Return the model at both corners: two sizes where the reader gave a range of parameters."""
    if not reader.given("model") and reader.given("parameters_b"):
        return _unlisted(reader, kind)
    found = reader.find("model")
    usual = MODEL_DEFAULTS[kind]
    if kind == TOKENS and stages == {"development"}:
        usual = DEVELOPMENT_MODEL_DEFAULT
    if kind == TOKENS and "mixed" in stages:
        usual = TRAINING_MODEL_DEFAULT
    if found is not None and found.value in models:
        if found.origin != "profile":
            reader.text("model")
            return models[found.value], models[found.value]
        if KIND_OF_MODEL[models[found.value].kind] == kind:
            usual = found.value
    model = _stand_in(reader, models, usual, kind)
    if found is not None and found.value == model.slug:
        reader.text("model")
    else:
        reader.note("model", model.slug, "default", "model")
    return model, model


def _stand_in(reader: _Reader, models: Mapping[str, AIModelSpec], usual: str, kind: str) -> AIModelSpec:
    """Return the usual model where none was named, or the nearest in size that takes the lengths given."""
    longest = Decimal(0)
    if kind in (TOKENS, EMBEDDINGS):
        keys = ("input_tokens", "output_tokens") if kind == TOKENS else ("input_tokens",)
        given = [reader.answers.interval(key) for key in keys]
        longest = sum((interval.high for interval in given if interval), Decimal(0))
        context = reader.answers.interval("context_tokens")
        longest = max(longest, context.high if context and kind == TOKENS else Decimal(0))
    fitting = [
        model
        for model in models.values()
        if KIND_OF_MODEL[model.kind] == kind and (longest == 0 or (model.max_context or 0) >= longest)
    ]
    if usual in models and (models[usual] in fitting or not fitting):
        return models[usual]
    size = models[usual].parameters if usual in models else UNNAMED_MODEL_B * 10**9
    if not fitting:
        return usual_shape(float(UNNAMED_MODEL_B), None, kind)
    return min(
        fitting,
        key=lambda model: (model.slug not in WELL_KNOWN, abs(log2(model.parameters / size)), model.slug),
    )


def _trained_model(
    reader: _Reader,
    models: Mapping[str, AIModelSpec],
    stages: set[str],
    serves: bool,
    model: AIModelSpec | None,
    easy_model: AIModelSpec | None,
) -> tuple[AIModelSpec, AIModelSpec]:
    slug = reader.answers.one("training_model")
    if slug:
        reader.text("training_model")
        return models[slug], models[slug]
    if serves:
        assert model is not None
        assert easy_model is not None
        return model, easy_model
    if reader.given("model"):
        reader.text("model")
        slug = reader.answers.one("model")
        assert slug is not None
        return models[slug], models[slug]
    if reader.given("parameters_b"):
        return _unlisted(reader, TOKENS)
    found = reader.find("model")
    if found is not None and found.value in models and models[found.value].generates_tokens:
        reader.text("model")
        return models[found.value], models[found.value]
    usual = _stand_in(reader, models, TRAINING_MODEL_DEFAULT, TOKENS)
    reader.note("model", usual.slug, "default", "model")
    return usual, usual


def _unlisted(reader: _Reader, kind: str) -> tuple[AIModelSpec, AIModelSpec]:
    """Return specs of a usual shape for a model that is known by its size only."""
    total = reader.ends("parameters_b")
    assert total is not None
    active = reader.ends("active_parameters_b") if reader.given("active_parameters_b") else None
    ends = [usual_shape(total[place], active[place] if active else None, kind) for place in (0, 1)]
    return ends[0], ends[1]


def usual_shape(parameters_b: float, active_b: float | None, kind: str = TOKENS) -> AIModelSpec:
    """Return a model of that size [10^9 parameters] with the shape that published ones of its size have.

    Published dense models are about 128 wide for each layer, so parameters = 12 x layers x (128 x layers)^2;
    8 key/value heads of 128 values are the rule since 2023. The name carries the size, and nothing more is
    known: advice from it stays conditional.
    """
    parameters = round(parameters_b * 1e9)
    active = None if active_b is None or active_b >= parameters_b else round(active_b * 1e9)
    shape = active or parameters
    layers = max(round((shape / 196_608) ** (1 / 3)), 4)
    if active:
        layers = max(layers, round((parameters / 196_608) ** (1 / 3) * 0.7))
    heads = 2 ** max(round(layers).bit_length() - 1, 2)
    kv_heads = min(heads, 8)
    usual: dict[str, Any] = {
        "parameters": parameters,
        "num_layers": layers,
        "hidden_size": 128 * layers,
        "num_attention_heads": heads,
        "num_kv_heads": kv_heads,
        "head_dim": 128,
        "intermediate_size": round(128 * layers * 3.5),
        "native_precision": "bf16",
    }
    if kind != TOKENS:
        return AIModelSpec(slug=f"unlisted-{kind}-{parameters_b:g}b", kind=MODEL_OF_KIND[kind], **usual)
    if active:
        usual |= {"active_parameters": active, "experts": 64, "experts_per_token": 8}
    return AIModelSpec(
        slug=f"unlisted-{parameters_b:g}b" + (f"-a{active_b:g}b" if active else ""),
        kind="llm",
        vocab_size=128_000,
        cache_groups=(CacheGroup("full", layers, kv_heads=kv_heads, head_dim=128),),
        **usual,
    )


def _length_problems(
    reader: _Reader,
    model: AIModelSpec,
    kind: str,
    names: Mapping[str, str],
    notices: list[Notice],
) -> list[Problem]:
    """Return answers longer than the model can take; typical lengths are shortened to it instead."""
    if kind not in (TOKENS, EMBEDDINGS) or model.max_context is None:
        return []
    most, name = model.max_context, names.get(model.slug, model.slug)
    context = reader.answers.interval("context_tokens")
    if context and context.high > most and kind == TOKENS:
        params = (("maximum", most), ("model", name), ("value", context.high))
        return [Problem("context_tokens", "context_too_long", params)]
    prompt, answer = reader.find("input_tokens"), reader.find("output_tokens")
    assert prompt is not None
    assert answer is not None
    longest = parse_interval(prompt.value).high
    if kind == TOKENS:
        longest += parse_interval(answer.value).high
    room = min(Decimal(most), context.low) if context else Decimal(most)
    if longest <= room:
        return []
    lengths = (prompt, answer) if kind == TOKENS else (prompt,)
    given = [item for item in lengths if item.origin in ("given", "hypothesis")]
    asked = sum((parse_interval(item.value).high for item in given), Decimal(0))
    if asked > most:
        params = (("maximum", most), ("model", name), ("value", asked))
        return [Problem(given[0].key, "request_too_long", params)]
    _shorten(reader, prompt, answer, int(room), kind)
    return []


def _shorten(reader: _Reader, prompt: Assumption, answer: Assumption, room: int, kind: str) -> None:
    """Note typical lengths that fit into the longest context; given ones stay as they are."""
    fixed = {
        item.key: int(parse_interval(item.value).high)
        for item in (prompt, answer)
        if item.origin in ("given", "hypothesis")
    }
    if "output_tokens" not in fixed and kind == TOKENS:
        left = room - fixed.get("input_tokens", 0)
        usual = int(parse_interval(answer.value).high)
        share = left if "input_tokens" in fixed else room // 4
        output = max(min(usual, share), 1)
        if output != usual:
            reader.note("output_tokens", str(output), "default", "shortened")
        fixed["output_tokens"] = output
    if "input_tokens" not in fixed:
        left = max(room - fixed.get("output_tokens", 0), 1)
        usual = int(parse_interval(prompt.value).high)
        if left < usual:
            reader.note("input_tokens", str(left), "default", "shortened")


def _serving_load(
    reader: _Reader,
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
        prompt = _noted(reader, "input_tokens", place)
        corner["input_tokens"] = round(prompt)
        if kind == TOKENS:
            corner["output_tokens"] = round(_noted(reader, "output_tokens", place))
            corner["prefix_percent"] = _noted(reader, "prefix_percent", place)
            corner["adapters"] = round((reader.ends("adapters") or (0.0, 0.0))[place])
            context = reader.ends("context_tokens") if reader.given("context_tokens") else None
            both = corner["input_tokens"] + corner["output_tokens"]
            corner["tokens_per_request"] = round(context[place]) if context else both
            # The harder end shares the given part of the shorter prompt.
            corner["prefix_tokens"] = shared_tokens(
                corner["prefix_percent"],
                input_tokens=round(_noted(reader, "input_tokens", 1 - place)),
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
        ttft, tpot = reader.ends("ttft_ms"), reader.ends("tpot_ms")
        for place, corner in enumerate((hard, easy)):
            if reader.given("ttft_ms"):
                corner["ttft_s"] = ttft[place] / 1000
            if reader.given("tpot_ms"):
                corner["tpot_s"] = tpot[place] / 1000
    _requests(reader, kind, growth, hard, easy, notices)


def _noted(reader: _Reader, key: str, place: int) -> float:
    """Return an end of an answer, a shortened stand-in before the usual one."""
    if key in reader.assumptions:
        interval = parse_interval(reader.assumptions[key].value)
        ends = (float(interval.high), float(interval.low))
        return ends[::-1][place] if key in LOW_IS_HARDER else ends[place]
    ends = reader.ends(key)
    assert ends is not None
    return ends[place]


def _growth(reader: _Reader) -> tuple[float, float]:
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
    reader: _Reader, kind: str, growth: tuple[float, float], hard: dict[str, Any], easy: dict[str, Any]
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
    reader: _Reader,
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
    shown = []
    for place, corner in enumerate((hard, easy)):
        # Times in the system: the longer they are, the more requests are in it at once.
        each = max(tpot) if place == 0 else min(tpot)
        first = max(ttft) if place == 0 else min(ttft)
        seconds = (first + corner["output_tokens"] * each) / 1000
        if per_second is not None:
            requests = per_second[place] * growth[place] * seconds
            corner["arrivals_per_s"] = per_second[place] * growth[place]
            corner["arrivals_given"] = source != "users"
        else:
            ends = reader.ends("concurrency")
            assert ends is not None
            requests = ends[place] * growth[place]
        shown.append(_up(requests))
        corner["requests"] = _up(_running(reader, requests, seconds, growth, place))
    if per_second is not None:
        value = canonical(Interval(Decimal(shown[1]), Decimal(max(shown))))
        reader.note("concurrency", value, "default", "from_rate")
    if reader.given("queue_ok"):
        reader.text("queue_ok")


def _up(requests: float) -> int:
    """Return the whole number of requests, at least one; rounding errors do not make one more."""
    return max(int(Decimal(repr(round(requests, 6))).to_integral_value(ROUND_CEILING)), 1)


def _running(
    reader: _Reader, requests: float, seconds: float, growth: tuple[float, float], place: int
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


def _note_rate(reader: _Reader, per_second: list[float]) -> None:
    low, high = sorted(Decimal(repr(round(value, 4))) for value in per_second)
    reader.note("requests_per_second", canonical(Interval(low, high)), "default", "from_users")


def _embedding_rate(
    reader: _Reader,
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


def _training_load(
    reader: _Reader,
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


def _training_types(reader: _Reader, notices: list[Notice]) -> None:
    """Note the type of the trained weights where it was given, or where the method decides it."""
    given = reader.answers.one("precision")
    if reader.text("method") != "qlora" or given == "int4":
        if given:
            reader.text("precision")
        return
    reader.note("precision", "int4", "default", "qlora")
    if given and given not in ("auto", "int4"):
        notices.append(Notice("qlora_precision", (("precision", given.upper()),)))


def _dataset(reader: _Reader, trained: AIModelSpec, method: str | None) -> tuple[float, float]:
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


def _site_load(reader: _Reader, hard: dict[str, Any], easy: dict[str, Any]) -> None:
    """Fill in the limits of the site that were given; nothing stands in for a limit."""
    factors = {
        "rack_units": ("rack_units", 1.0),
        "max_depth_mm": ("depth_mm", 1.0),
        "power_kw": ("power_w", 1000.0),
        "temperature_min_c": ("temperature_min_c", 1.0),
        "temperature_max_c": ("temperature_max_c", 1.0),
    }
    for key, (name, factor) in factors.items():
        if reader.given(key):
            ends = reader.ends(key)
            assert ends is not None
            hard[name], easy[name] = ends[0] * factor, ends[1] * factor


def _serving_precision(reader: _Reader) -> Any:
    precision = reader.text("precision")
    return None if precision in (None, "auto") else precision


def _training_precision(answers: Answers, serves: bool) -> Any:
    """Return the type that the reader gave for training; a service's own type says nothing about it."""
    precision = answers.one("precision")
    return None if serves or precision in (None, "auto") else precision


def _missing(answers: Answers, kind: str, serves: bool, trains: bool) -> tuple[bool, set[str]]:
    """Return whether the advice is conditional, and the answers to find out.

    The load counts as known by `concurrency` or `requests_per_second`, and is asked for as the former.
    """
    guesses = answers.hypotheses
    needed: set[str] = set()
    helpful: set[str] = set()

    def unsure(*keys: str) -> bool:
        used = next((key for key in keys if key in answers.values), None)
        return used is None or used in guesses

    if serves:
        for key in ("model", "availability"):
            if unsure(key):
                needed.add(key)
        if kind == TOKENS:
            if unsure("concurrency", "requests_per_second"):
                needed.add("concurrency")
            needed |= {key for key in ("context_tokens", "ttft_ms", "tpot_ms") if unsure(key)}
            helpful |= {key for key in ("input_tokens", "output_tokens") if unsure(key)}
        elif kind == EMBEDDINGS:
            if unsure("concurrency", "requests_per_second"):
                needed.add("concurrency")
            helpful |= {key for key in ("input_tokens",) if unsure(key)}
        else:
            loads = {
                VISION: ("streams", "frames_per_second"),
                SPEECH: ("audio_streams",),
                IMAGES: ("images_per_minute",),
            }[kind]
            needed |= {key for key in loads if unsure(key)}
    if trains:
        if "training_model" in answers.values:
            if unsure("training_model"):
                needed.add("training_model")
        elif unsure("model"):
            needed.add("model")
        needed |= {key for key in ("method", "target_hours") if unsure(key)}
        if unsure("dataset_tokens", "dataset_gb"):
            needed.add("dataset_tokens")
        helpful |= {key for key in ("epochs", "sequence_tokens") if unsure(key)}
    matters = {key for key in guesses if key in answers.values and KEYS[key].used and kind in KEYS[key].kinds}
    matters = {
        "concurrency" if key in ("requests_per_second", "users", "active_percent") else key for key in matters
    }
    return bool(needed), needed | helpful | (matters - {"hypothesis"})


def _unused(answers: Answers, kind: str, stages: set[str], serves: bool) -> list[Notice]:
    """Return a notice for each answer that does not matter for this work."""
    notices = []
    for key in answers.values:
        question = KEYS[key]
        if not question.used or key in ("hypothesis", "stage", "workload"):
            continue
        if key == "availability" and not serves:
            continue
        if kind not in question.kinds or not question.stages & stages:
            notices.append(Notice("not_for_this_work", (("key", key),)))
    return notices
