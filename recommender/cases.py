"""Answers resolved into a case for the ranking: given values first, then typical ones, then our defaults.

Every value that stands in for an answer is an Assumption with its origin; pages, briefs and commands print
them all. Texts are made elsewhere: here an assumption only says where its reason is to be found.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rapidfuzz import fuzz, process
from rapidfuzz.utils import default_process

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
from recommender.case_defaults import (
    DEFAULTS as DEFAULTS,
    KIND_OF_LOAD,
    KIND_OF_MODEL as KIND_OF_MODEL,
    KIND_OF_WORKLOAD as KIND_OF_WORKLOAD,
    STAGE_DEFAULTS as STAGE_DEFAULTS,
    TRAINING_KEYS,
)
from recommender.case_loads import serving_load, site_load, training_load, training_types
from recommender.case_models import length_problems, served_model, size_notices, trained_model
from recommender.case_reader import Assumption as Assumption, Preset as Preset, Reader
from recommender.case_surroundings import musts, surroundings, widened
from recommender.sizing.demand import Case, Corner
from recommender.sizing.specs import AIModelSpec

LIKE_ENOUGH = 70  # of 100: below that another model is no misspelling


class BadAnswers(ValueError):
    """Answers that cannot be reckoned with; `problems` says which and why."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{problem.key}: {problem.code}" for problem in self.problems))


@dataclass
class Resolved:
    """A case with everything that has to be said about how it came about."""

    case: Case
    assumptions: tuple[Assumption, ...]
    notices: tuple[Notice, ...]
    to_measure: tuple[str, ...]
    stages: frozenset[str]
    problems: tuple[Problem, ...] = ()


def resolve(
    answers: Answers,
    models: Mapping[str, AIModelSpec],
    presets: Mapping[str, Preset],
    vendors: Mapping[str, frozenset[str]],
    names: Mapping[str, str],
    servers: Collection[str] | None = None,
) -> Resolved | tuple[Problem, ...]:
    """Return the case that the answers make, or the problems that only the catalog can tell.

    Args:
        models: published models by slug.
        presets: published workload profiles by slug.
        vendors: makers of processors and of GPUs, under the keys of the answers.
        names: names of models, for messages.
        servers: slugs of the published servers; None: not asked, since no answer names one.
    """
    problems = list(catalog_problems(answers, models, presets, vendors, servers))
    if problems:
        return tuple(problems)
    chosen = tuple(presets[slug] for slug in answers.several("workload"))
    stages = _stages(answers, chosen)
    serves = bool(stages & {"inference", "mixed", "development"})
    trains = bool(stages & {"training", "fine_tuning", "mixed"})
    notices: list[Notice] = []
    kind = _kind(answers, models, chosen, notices)
    stands_in = False
    if trains and not serves:
        if kind not in (TOKENS, EMBEDDINGS) and not answers.one("model"):
            notices.append(Notice("training_tokens_only"))
            stands_in = not answers.one("training_model") and not answers.one("parameters_b")
        kind = TOKENS
    fitting = tuple(
        preset for preset in chosen if not serves or KIND_OF_WORKLOAD.get(preset.slug, TOKENS) == kind
    )
    if not chosen:
        # Nothing was chosen: a stage alone has no typical values but our own.
        fitting = ()
    reader = Reader(answers, fitting, _defaults(stages, kind))
    _note_stage(reader, stages, chosen)
    model, easy_model = served_model(reader, models, kind, stages) if serves else (None, None)
    trained, easy_trained = (None, None)
    if trains:
        trained, easy_trained = trained_model(reader, models, stages, serves, model, easy_model)
        if stands_in:
            notices.append(Notice("training_stands_in", (("model", names.get(trained.slug, trained.slug)),)))
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
    envelope = None
    if trains and not serves and trained is not None:
        envelope = widened(answers, models, trained, kind, _longest(reader, "sequence_tokens"))
        if envelope is not None:
            easy_trained, trained = envelope
    elif serves and model is not None:
        longest = _longest(reader, "context_tokens", "input_tokens", "output_tokens")
        envelope = widened(answers, models, model, kind, longest)
        if envelope is not None:
            easy_model, model = envelope
    if envelope is not None:
        reader.text("model_may_change")
        named = [
            (key, names.get(item.slug, item.slug))
            for key, item in zip(("smallest", "largest"), envelope, strict=True)
        ]
        notices.append(Notice("envelope", tuple(named)))
    if serves:
        hard["model"], easy["model"] = model, easy_model
        problems += length_problems(reader, model if envelope is None else easy_model, kind, names, notices)
        if problems:
            return tuple(problems)
        serving_load(reader, kind, model, hard, easy, models, notices)
    if trains:
        hard["trained"], easy["trained"] = trained, easy_trained
        training_load(reader, trained, stages, serves, hard, easy)
        if not serves and answers.one("availability"):
            notices.append(Notice("training_availability"))
    if trains and not serves:
        training_types(reader, notices)
    site_load(reader, hard, easy)
    notices += size_notices(answers, hard.get("model") or hard.get("trained"), serves)
    notices += _unused(answers, kind, stages, serves)
    ttft, tpot = reader.find("ttft_ms"), reader.find("tpot_ms")
    hours = reader.find("target_hours")
    must = musts(reader, serves, notices)
    _time_rules(reader, must, kind, serves, trains, hard, easy)
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
        n_plus_1=serves and (reader.text("availability") == "n_plus_1" or "availability" in must),
        priority=reader.text("priority") or "balanced",
        site=reader.text("site"),
        cooling=reader.text("cooling"),
        cpu_vendor=reader.text("cpu_vendor"),
        gpu_vendor=reader.text("gpu_vendor"),
        conditional=conditional,
        must=must,
        around=surroundings(
            reader, notices, None if envelope is None else (envelope[0].slug, envelope[1].slug)
        ),
    )
    order = {key: place for place, key in enumerate(KEYS)}
    return Resolved(
        case=case,
        assumptions=tuple(sorted(reader.assumptions.values(), key=lambda item: order[item.key])),
        notices=tuple(dict.fromkeys(notices)),
        to_measure=tuple(sorted(missing, key=lambda key: order[key])),
        stages=frozenset(stages),
    )


def _longest(reader: Reader, *keys: str) -> float:
    """Return the most tokens that a stand-in has to take, of those that were given or are typical."""
    found = [reader.ends(key) for key in keys if reader.given(key)]
    return max((end for ends in found if ends for end in ends), default=0.0)


def _time_rules(
    reader: Reader,
    must: tuple[str, ...],
    kind: str,
    serves: bool,
    trains: bool,
    hard: dict[str, Any],
    easy: dict[str, Any],
) -> None:
    """Make limits of the usual times where response or throughput is a must and no limit was given."""
    limits: list[tuple[str, str, float]] = []
    if serves and kind == TOKENS:
        limits += [("tpot_ms", "tpot_s", 1000.0)] if {"latency", "throughput"} & set(must) else []
        limits += [("ttft_ms", "ttft_s", 1000.0)] if "latency" in must else []
    if trains and "throughput" in must:
        limits.append(("target_hours", "target_s", 1 / 3600))
    for key, name, per_second in limits:
        ends = reader.ends(key)
        if ends is None or reader.given(key):
            continue
        hard[name], easy[name] = ends[0] / per_second, ends[1] / per_second


def catalog_problems(
    answers: Answers,
    models: Mapping[str, AIModelSpec],
    presets: Mapping[str, Preset],
    vendors: Mapping[str, frozenset[str]],
    servers: Collection[str] | None = None,
) -> Iterable[Problem]:
    """Yield the answers that name what the catalog does not have, after those that are bad in themselves."""
    yield from answers.problems
    server = answers.one("server")
    if servers is not None and server and server not in servers:
        yield Problem("server", "not_in_catalog", (("value", server),))
    for key in ("model", "training_model", "draft_model"):
        slug = answers.one(key)
        if slug and slug not in models:
            yield _unknown_model(key, slug, models)
    for slug in answers.several("workload"):
        if slug not in presets:
            params = (("value", slug), ("choices", ", ".join(presets)))
            yield Problem("workload", "not_in_catalog_choices", params)
    for key, known in vendors.items():
        slug = answers.one(key)
        if slug and slug not in known:
            params = (("value", slug), ("choices", ", ".join(sorted(known))))
            yield Problem(key, "not_in_catalog_choices", params)


def _unknown_model(key: str, slug: str, models: Mapping[str, AIModelSpec]) -> Problem:
    """Return that a model is not there, with the one whose slug is written most like it, if any is."""
    value = ("value", slug)
    found = process.extractOne(
        slug, list(models), scorer=fuzz.ratio, processor=default_process, score_cutoff=LIKE_ENOUGH
    )
    if found is None:
        return Problem(key, "not_in_catalog", (value,))
    return Problem(key, "not_in_catalog_nearest", (value, ("nearest", found[0])))


def _stages(answers: Answers, chosen: tuple[Preset, ...]) -> set[str]:
    """Return the stages given, or those that the kind of work or the other answers imply."""
    stages = set(answers.several("stage"))
    if not stages:
        stages = {preset.stage for preset in chosen}
    if not stages:
        learns = any(answers.one(key) for key in TRAINING_KEYS)
        learns = learns or (answers.one("training_model") is not None and answers.one("model") is None)
        stages = {"fine_tuning"} if learns else {"inference"}
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


def _note_stage(reader: Reader, stages: set[str], chosen: tuple[Preset, ...]) -> None:
    if reader.given("stage"):
        reader.text("stage")
    else:
        origin = "profile" if chosen else "default"
        source = chosen[0].slug if chosen else "stage"
        reader.note("stage", ", ".join(sorted(stages)), origin, source)
    if chosen:
        reader.text("workload")


def _serving_precision(reader: Reader) -> Any:
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
