"""A result frozen as JSON without a language: what a brief keeps, whatever becomes of catalog and code.

Sentences are kept as codes with their figures and made again when somebody reads; what the catalog says in
words is kept in all three languages. `SCHEMA` rises when the meaning of a part changes: `upgraded` then
brings old briefs up to the newest form. Unknown parts are left alone, missing ones are empty.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from math import isfinite
from typing import Any

from django.conf import settings

from catalog.models import GPU, Server, TypicalAssumption, WorkloadProfile
from recommender import plan_texts, services
from recommender.answers import KEYS, Answers, parse_interval
from recommender.briefs import derived, sayings
from recommender.changes import Change
from recommender.sizing.breakdown import checkpoints
from recommender.sizing.demand import Message
from recommender.sizing.host import MEMORY_FACTOR
from recommender.sizing.service_loads import served_load, turn_of
from recommender.sizing.specs import GB, GIB, Range, SizingError
from recommender.sizing.training_memory import states

SCHEMA = 1
TOP = 5  # matches that a brief lists
MAX_REJECTED = 100
MAX_BYTES = 512 * 1024  # of one frozen brief as JSON
TEXTS = ("reasons", "warnings", "evidence", "criteria")  # of a match: kept as codes, or of the page alone

PLAN_FIGURES = (
    "serving", "training", "advised", "servers", "gpus", "rack_units", "power_w", "capacity", "loss", "growth"
)  # fmt: skip

EMPTY: dict[str, Any] = {
    "schema": SCHEMA,
    "language": settings.LANGUAGE_CODE,
    "made_on": "",
    "catalog_version": "",
    "rules_version": "",
    "answers": {},
    "server": "",
    "kind": "tokens",
    "serves": True,
    "trains": False,
    "stages": [],
    "conditional": True,
    "notices": [],
    "assumptions": [],
    "to_measure": [],
    "matches": [],
    "matching": 0,
    "rejected": [],
    "ruled_out": 0,
    "asked": None,
    "plans": {},
    "said": {},
    "derived": [],
    "names": {},
    "words": {},
    "facts": {"servers": {}, "gpus": {}, "models": {}},
}


def upgraded(frozen: Any) -> dict[str, Any]:
    """Return a frozen brief in the newest form: every part is there, and unknown parts stay.

    A brief of a later schema is read as far as it is understood.
    """
    return EMPTY | (frozen if isinstance(frozen, dict) else {})


def freeze(given: Answers, *, language: str, on: date, server: str = "") -> dict[str, Any]:
    """Return the advice for these answers as a brief keeps it.

    Args:
        given: good answers.
        language: in which it is made; changes nothing but this one entry.
        on: the day.
        server: slug of the server that it began from; "" for none.

    Raises:
        BadAnswers: one of the answers cannot be reckoned with.
    """
    result = services.recommend(given)
    output = services.as_json(result, TOP)
    matches = [
        _match(values, match, result.case.hard.requests)
        for values, match in zip(output["matches"], result.ranking.matches, strict=False)
    ]
    found = services.fixes(result)
    rejected = [
        {
            "server": item.server,
            "gpu": item.gpu,
            "reasons": [_message(reason) for reason in item.reasons],
            "changes": _changes(found.get(item.server, ())),
        }
        for item in result.ranking.rejected
    ]
    assumptions = [
        {"key": item.key, "value": item.value, "origin": item.origin, "source": item.source}
        for item in result.assumptions
    ]
    stages = next((item["value"].split(", ") for item in assumptions if item["key"] == "stage"), [])
    frozen = EMPTY | {
        "language": language,
        "made_on": on.isoformat(),
        "catalog_version": result.catalog_version,
        "rules_version": result.rules_version,
        "answers": {
            key: list(value) if isinstance(value, tuple) else value for key, value in given.values.items()
        },
        "server": server,
        "kind": result.case.kind,
        "serves": result.case.serves,
        "trains": result.case.trains,
        "stages": stages,
        "conditional": result.conditional,
        "notices": [{"code": item.code, "params": _plain(item.params)} for item in result.notices],
        "assumptions": assumptions,
        "to_measure": list(result.to_measure),
        "matches": matches,
        "matching": len({match.config.node.server for match in result.ranking.matches}),
        "rejected": rejected[:MAX_REJECTED],
        "ruled_out": len(rejected),
        "asked": _asked(server, result) if server else None,
        "plans": _plans(result),
        "said": {
            "plans": sayings.in_each_language(lambda: sayings.comparison(result)),
            "measuring": sayings.in_each_language(lambda: sayings.measuring(result)),
        },
        "derived": _derived(result, given, assumptions),
    }
    return _finite(frozen | _words(frozen, result.names))


def _finite(value: Any) -> Any:
    """Return JSON without infinities, which no database keeps: what has no bound is not known."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return value


def _match(values: dict[str, Any], match: Any, needed: int) -> dict[str, Any]:
    config = match.config
    return {name: value for name, value in values.items() if name not in TEXTS} | {
        "reasons": [_message(item) for item in match.reasons],
        "warnings": [_message(item) for item in match.warnings],
        "requests": config.corner.requests,
        "requests_needed": needed,
        "gpus": config.gpus,
        "need_gib": _ends(config.memory.total) if values["memory_gib_per_gpu"]["total"] else None,
        "have_gib": _ends(config.memory.available),
        "sharding": config.trained.sharding if config.trained else "none",
    }


def _ends(value: Range) -> list[float]:
    return [round(end / GIB, 2) for end in (value.low, value.typical, value.high)]


def _changes(sets: Sequence[Sequence[Change]]) -> list[dict[str, str | None]]:
    """Return the smallest set of changed answers that lets a server in; none: no answer keeps it out."""
    return [{"key": item.key, "value": item.value} for item in sets[0]] if sets else []


def _message(item: Message) -> dict[str, Any]:
    return {"code": item.code, "params": _plain(item.params)}


def _plain(params: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {name: float(value) if isinstance(value, Decimal) else value for name, value in params}


def _asked(server: str, result: services.Result) -> dict[str, Any]:
    """Return how the server that the brief began from does the work: its best match, or why it is out."""
    for place, match in enumerate(result.ranking.matches, 1):
        if match.config.node.server == server:
            return {
                "server": server,
                "state": match.state,
                "place": place,
                "gpu": match.config.node.gpu.slug,
                "gpus_per_server": match.config.count,
                "servers": match.config.servers,
                "reasons": [],
            }
    for item in result.ranking.rejected:
        if item.server == server:
            return {
                "server": server,
                "state": "no",
                "place": None,
                "gpu": item.gpu,
                "reasons": [_message(reason) for reason in item.reasons],
            }
    return {"server": server, "state": "unknown", "place": None, "gpu": None, "reasons": []}


def _plans(result: services.Result) -> dict[str, Any]:
    """Return the figures of the ways to run both jobs; what is said of them stands in `said`."""
    return {
        name: {part: plan[part] for part in PLAN_FIGURES if part in plan}
        for name, plan in plan_texts.as_json(result).items()
    }


def _derived(
    result: services.Result, given: Answers, assumptions: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    texts = {name: value for name, value in given.values.items() if isinstance(value, str)}
    texts |= {item["key"]: item["value"] for item in assumptions}
    values = {}
    for name, text in texts.items():
        if KEYS[name].kind == "number":
            interval = parse_interval(text)
            values[name] = (float(interval.low), float(interval.high))
    found = derived.derive(values, _first_figures(result))
    return [
        {
            "code": item.code,
            "terms": {name: list(pair) for name, pair in item.terms},
            "value": list(item.value),
        }
        for item in found
    ]


def _first_figures(result: services.Result) -> dict[str, float | None]:
    """Return the figures of the first match that quantities follow from; what is not known is None."""
    case = result.case
    figures: dict[str, float | None] = {"checkpoint_gb": _checkpoint_gb(case)}
    if not result.ranking.matches:
        return figures
    match = result.ranking.matches[0]
    config, held = match.config, match.config.memory
    serving_text = case.serves and case.kind == "tokens"
    known = not serving_text or config.corner.model is None or config.corner.model.cache_known
    cache = held.kv_cache if serving_text and known else None
    figures |= {
        "gpus_per_replica": config.layout.gpus_per_replica,
        "replicas": config.layout.replicas,
        "idle_gpus": config.layout.idle_gpus,
        "servers": config.servers,
        "spare": 1 if case.n_plus_1 else 0,
        "requests": config.corner.requests if serving_text else None,
        "capacity": match.capacity,
        "weights_gib": held.weights.typical / GIB if serving_text else None,
        "kv_cache_gib": cache.typical / GIB if cache else None,
        "total_gib": held.total.typical / GIB if known else None,
        "available_gib": held.available.low / GIB,
    }
    load = served_load(case, config)
    if load is not None and load.normal.wait is not None:
        figures |= {
            "wait_s": load.normal.wait.mean_s,
            "places": load.normal.slots,
            "turn_s": turn_of(load.full, config.corner.output_tokens).high,
            "busy_percent": 100 * load.normal.utilization,
            "random": int(load.random_arrivals),
        }
    work = "inference" if case.serves else "training"
    memory, factor = config.node.gpu.memory_bytes.scaled(config.count / GIB), MEMORY_FACTOR[work]
    return figures | {
        "gpu_gib_low": memory.low,
        "gpu_gib_high": memory.high,
        "host_factor_low": factor.low,
        "host_factor_high": factor.high,
    }


def _checkpoint_gb(case: Any) -> float | None:
    """Return a full checkpoint of what is trained [GB]; None: nothing is, or its shape is not published."""
    if not case.trains or case.hard.trained is None:
        return None
    try:
        kept = states(case.hard.trained, case.method, case.optimizer, case.hard.lora_rank, "all")
        return checkpoints(kept.trained, weight=kept.weight, optimizer=kept.optimizer).full / GB
    except SizingError:
        return None


def _words(frozen: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return names, facts and words of the catalog that the brief mentions."""
    parts = [part for plan in frozen["plans"].values() for part in plan.values() if isinstance(part, dict)]
    mentioned = [*frozen["matches"], *frozen["rejected"], *parts, frozen["asked"] or {}]
    servers = {item["server"] for item in mentioned if item.get("server")}
    gpus = {item["gpu"] for item in mentioned if item.get("gpu")}
    others = {
        part
        for item in frozen["assumptions"]
        if KEYS[item["key"]].kind == "slug"
        for part in item["value"].split(", ")
    }
    texts = {value for value in _texts(mentioned) if value in names}
    matched = {item["gpu"] for item in frozen["matches"]}
    profiles = {item["source"] for item in frozen["assumptions"] if item["origin"] == "profile"}
    chosen = {
        slug
        for item in frozen["assumptions"]
        if item["key"] == "workload"
        for slug in item["value"].split(", ")
    }
    return {
        "names": {slug: names[slug] for slug in sorted(servers | gpus | others | texts) if slug in names},
        "words": {
            "workloads": {
                row.slug: _in_each_language(row, "name")
                for row in WorkloadProfile.objects.filter(slug__in=profiles | chosen)
            },
            "why": {
                f"{row.profile.slug} {row.key}": _in_each_language(row, "why")
                for row in TypicalAssumption.objects.filter(profile__slug__in=profiles).select_related(
                    "profile"
                )
            },
        },
        "facts": {
            "servers": {
                row["slug"]: {"rack_units": row["rack_units"], "depth_mm": row["depth_mm"]}
                for row in Server.objects.filter(slug__in=servers).values("slug", "rack_units", "depth_mm")
            },
            "gpus": {
                row.pop("slug"): row
                for row in GPU.objects.filter(slug__in=matched).values(
                    "slug", "memory_gb", "memory_gib_usable", "bandwidth_gbs", "tdp_w"
                )
            },
        },
    }


def _in_each_language(row: Any, field: str) -> dict[str, str]:
    return {code: getattr(row, f"{field}_{code}") or "" for code, _name in settings.LANGUAGES}


def _texts(value: Any) -> Iterable[str]:
    """Yield every text in a piece of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
