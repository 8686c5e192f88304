"""Which model is served and trained: the one that was named, or what stands in for it."""

from collections.abc import Mapping
from decimal import Decimal
from math import log2

from recommender.answers import EMBEDDINGS, TOKENS, Answers, Notice, Problem, parse_interval
from recommender.case_defaults import (
    DEVELOPMENT_MODEL_DEFAULT,
    KIND_OF_MODEL,
    MODEL_DEFAULTS,
    MODEL_OF_KIND,
    TRAINING_MODEL_DEFAULT,
    UNNAMED_MODEL_B,
    WELL_KNOWN,
)
from recommender.case_reader import Assumption, Reader
from recommender.sizing.caches import cache_bytes_per_token
from recommender.sizing.shapes import usual_shape
from recommender.sizing.specs import AIModelSpec, ModelKind

KIB = 1024


def served_model(
    reader: Reader, models: Mapping[str, AIModelSpec], kind: str, stages: set[str]
) -> tuple[AIModelSpec, AIModelSpec]:
    """Return the model at both corners: two sizes where the reader gave a range of parameters."""
    if not reader.given("model") and reader.given("parameters_b"):
        return _unlisted(reader, kind, models)
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
    model = stand_in(reader, models, usual, kind)
    if found is not None and found.value == model.slug:
        reader.text("model")
    else:
        reader.note("model", model.slug, "default", "model")
    return model, model


def stand_in(reader: Reader, models: Mapping[str, AIModelSpec], usual: str, kind: str) -> AIModelSpec:
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
        return _usual(float(UNNAMED_MODEL_B), None, kind, models)
    return min(
        fitting,
        key=lambda model: (model.slug not in WELL_KNOWN, abs(log2(model.parameters / size)), model.slug),
    )


def trained_model(
    reader: Reader,
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
        return _unlisted(reader, TOKENS, models)
    found = reader.find("model")
    if found is not None and found.value in models and models[found.value].generates_tokens:
        reader.text("model")
        return models[found.value], models[found.value]
    usual = stand_in(reader, models, TRAINING_MODEL_DEFAULT, TOKENS)
    reader.note("model", usual.slug, "default", "model")
    return usual, usual


def _unlisted(
    reader: Reader, kind: str, models: Mapping[str, AIModelSpec]
) -> tuple[AIModelSpec, AIModelSpec]:
    """Return specs of a usual shape for a model that is known by its size only."""
    total = reader.ends("parameters_b")
    assert total is not None
    active = reader.ends("active_parameters_b") if reader.given("active_parameters_b") else None
    ends = [_usual(total[place], active[place] if active else None, kind, models) for place in (0, 1)]
    return ends[0], ends[1]


def _usual(
    parameters_b: float, active_b: float | None, kind: str, models: Mapping[str, AIModelSpec]
) -> AIModelSpec:
    """Return a model of that size [10^9 parameters] with the shape that those of the catalog have."""
    active = None if active_b is None else active_b * 1e9
    does: ModelKind = "llm" if kind == TOKENS else MODEL_OF_KIND[kind]
    return usual_shape(parameters_b * 1e9, active, kind=does, known=tuple(models.values()))


def size_notices(answers: Answers, model: AIModelSpec | None, serves: bool) -> list[Notice]:
    """Return what to know of a model's size: stated in vain, or all that is known."""
    sizes = [key for key in ("parameters_b", "active_parameters_b") if answers.one(key)]
    if answers.one("model"):
        return [Notice("size_beside_model", (("key", key),)) for key in sizes]
    if sizes == ["active_parameters_b"]:
        return [Notice("active_without_total", (("key", "active_parameters_b"),))]
    if not serves or model is None or model.cache_spread is None:
        return []
    spread, each = model.cache_spread, cache_bytes_per_token(model, "bf16") / KIB
    ends = {"low": spread.low, "typical": spread.typical, "high": spread.high}
    kib = {name: round(each * end / spread.typical) for name, end in ends.items()}
    return [Notice("shape_guessed", tuple(kib.items()))]


def length_problems(
    reader: Reader,
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


def _shorten(reader: Reader, prompt: Assumption, answer: Assumption, room: int, kind: str) -> None:
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
