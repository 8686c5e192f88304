"""Advice: answers in, ranked servers with their reasons out. Pages, commands and the API call this alone."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from hashlib import sha256
from typing import Any

from django.core.cache import cache
from django.utils.translation import get_language, ngettext

from aiservers.numbers import NumberError
from catalog import results
from catalog.models import GPU, Server, TypicalAssumption, Variant as VariantRow, WorkloadProfile
from catalog.templatetags import units
from recommender import (
    adapters,
    capacity,
    cases,
    change_texts,
    changes,
    evidence,
    measure_texts,
    orders,
    plan_texts,
    presentation,
    prices,
    ranking,
    reasons,
    sensitivity,
)
from recommender.answers import KEYS, Answers, Notice, parse, parse_interval, with_unit
from recommender.cases import BadAnswers
from recommender.changes import Change
from recommender.plan_inputs import terms_of
from recommender.plans import Plans, compare
from recommender.ranking import RULES_VERSION, Match, Ranking, Rejection
from recommender.sizing import precisions
from recommender.sizing.configurations import Config
from recommender.sizing.demand import UNITS, Case
from recommender.sizing.specs import GIB, MeasuredResult, Range, SizingError
from recommender.sizing.surroundings import FACTS

DEFAULT_TOP = 5
CACHE_SECONDS = 24 * 3600
# Facts that a page shows on the other side: what is no advantage, and what was asked for.
DRAWBACKS = frozenset({"service_pauses"})
FIRST = frozenset({"first_sure", "first_cards", "first_units", "first_level", "first_points"})
WISHES = frozenset({"spare"}) | FACTS
REFERENCE_TOKENS = capacity.REFERENCE_TOKENS  # of the requests that `held_by_server` counts
GIB_DIGITS = 4  # adapters spread over many cards take less than a MiB


@dataclass(frozen=True)
class Result:
    """Advice without a language."""

    catalog_version: str
    rules_version: str
    case: Case
    conditional: bool
    notices: tuple[Notice, ...]
    assumptions: tuple[cases.Assumption, ...]
    to_measure: tuple[str, ...]
    ranking: Ranking
    plans: Plans
    names: Mapping[str, str]
    answers: Answers = field(default_factory=Answers)  # what the advice was asked with
    measured: tuple[MeasuredResult, ...] = ()  # what others measured, to hold the figures against


def recommend(answers: Answers) -> Result:
    """Return the advice for these answers.

    Raises:
        BadAnswers: one of them cannot be reckoned with.
    """
    specs = adapters.load_specs()
    if answers.problems:
        raise BadAnswers(
            cases.catalog_problems(answers, specs.models, specs.presets, specs.vendors, specs.servers)
        )
    key = _cache_key(answers, specs.version)
    result = cache.get(key)
    if result is None:
        result = _recommend(answers, specs)
        cache.set(key, result, CACHE_SECONDS)
    return replace(result, notices=_notices(answers, result.notices), measured=specs.measured)


def typical(answers: Answers) -> dict[str, str]:
    """Return what would stand in for each question that is left open, as texts; nothing is ranked.

    Raises:
        BadAnswers: one of them cannot be reckoned with.
    """
    specs = adapters.load_specs()
    return {
        item.key: _value_text(item, specs.names, {})
        for item in _resolve(answers, specs).assumptions
        if item.origin in ("profile", "default")
    }


def _resolve(answers: Answers, specs: adapters.Specs) -> cases.Resolved:
    resolved = cases.resolve(answers, specs.models, specs.presets, specs.vendors, specs.names, specs.servers)
    if not isinstance(resolved, cases.Resolved):
        raise BadAnswers(resolved)
    return resolved


def _recommend(answers: Answers, specs: adapters.Specs) -> Result:
    resolved = _resolve(answers, specs)
    ranked = ranking.rank(resolved.case, specs.machines)
    return Result(
        catalog_version=specs.version,
        rules_version=RULES_VERSION,
        case=resolved.case,
        conditional=resolved.case.conditional,
        notices=resolved.notices,
        assumptions=resolved.assumptions,
        to_measure=resolved.to_measure,
        ranking=ranked,
        plans=compare(resolved.case, terms_of(answers, resolved), specs.machines, ranked, specs.models),
        names=specs.names,
        answers=Answers(answers.values),
    )


def fixes(result: Result) -> Mapping[str, tuple[tuple[Change, ...], ...]]:
    """Return the smallest sets of changed answers that let each ruled-out server in, by its slug."""
    if not result.ranking.rejected:
        return {}
    return _kept_with(result, "changes", lambda specs: changes.fixes(result.answers, specs, result.ranking))


def nearest_fixes(result: Result) -> Mapping[str, tuple[Change, ...]]:
    """Return the one changed answer that lets a ruled-out server in, for those of which one is enough.

    For pages that cannot wait for `fixes`; every change was tried.
    """
    if not any(item.nearest_fix for item in result.ranking.rejected):
        return {}
    return _kept_with(
        result, "nearest", lambda specs: changes.nearest_of_all(result.answers, specs, result.ranking)
    )


def recovered(result: Result) -> tuple[tuple[str, int], ...]:
    """Return for each answer how many servers come back when it alone is dropped; none: no answer does it."""

    def found(specs: adapters.Specs) -> tuple[tuple[str, int], ...]:
        out = {item.server for item in result.ranking.rejected}
        machines = [machine for machine in specs.machines if machine.bare.server in out]
        relaxations = changes.Relaxations(result.answers, changes.resolver(specs))
        return changes.recovered(relaxations, machines)

    return _kept_with(result, "recovered", found)


def holds(result: Result) -> tuple[sensitivity.Hold, ...]:
    """Return how far each guess and each typical value may move before another server comes first."""
    return _kept_with(
        result,
        "sensitivity",
        lambda specs: sensitivity.sensitivity(
            result.answers, result.assumptions, result.to_measure, result.ranking, specs
        ),
    )


def turning(result: Result) -> tuple[str, ...]:
    """Return the answers beyond a value of which another server comes first, where that is known already.

    `holds` takes seconds: what has not been worked out for its own page is not worked out for this.
    """
    known = cache.get(_kept_key(result, "sensitivity")) or ()
    return tuple(hold.key for hold in known if hold.flips)


def _kept_key(result: Result, what: str) -> str:
    return f"{_cache_key(result.answers, result.catalog_version)}:{what}"


def _kept_with(result: Result, what: str, make: Callable[[adapters.Specs], Any]) -> Any:
    """Return what belongs to a result, made once for its answers and versions."""
    key = _kept_key(result, what)
    found = cache.get(key)
    if found is None:
        found = make(adapters.load_specs())
        cache.set(key, found, CACHE_SECONDS)
    return found


def _cache_key(answers: Answers, version: str) -> str:
    values = json.dumps(sorted(answers.values.items()), separators=(",", ":"))
    return f"advice:{RULES_VERSION}:{version}:{sha256(values.encode()).hexdigest()}"


def _notices(answers: Answers, kept: tuple[Notice, ...]) -> tuple[Notice, ...]:
    """Return the notices of these answers: unknown keys are no part of what is cached."""
    return tuple(dict.fromkeys([*answers.notices, *kept]))


# JSON


def as_json(result: Result, top: int = DEFAULT_TOP, *, with_sensitivity: bool = False) -> dict[str, Any]:
    """Return the result as the contract names it, its texts in the active language.

    Args:
        with_sensitivity: say how far guesses may move as well, which takes up to some seconds.
    """
    matches = result.ranking.matches
    shown = matches[:top]
    shown_servers = {match.config.node.server for match in shown}
    hidden = dict.fromkeys(match.config.node.server for match in matches[top:])
    found = fixes(result)
    return {
        "catalog_version": result.catalog_version,
        "rules_version": result.rules_version,
        "language": get_language(),
        "conditional": result.conditional,
        "notices": [notice.text for notice in result.notices],
        "assumptions": assumptions_json(result.assumptions),
        "matches": [_match_json(result, match, rank) for rank, match in enumerate(shown, 1)],
        "not_shown": [slug for slug in hidden if slug not in shown_servers],
        "rejected": [_rejection_json(result, item, found) for item in result.ranking.rejected],
        "plans": plan_texts.as_json(result),
        "sensitivity": [_hold_json(item) for item in holds(result)] if with_sensitivity else [],
        "to_measure": [{"key": key, "text": reasons.to_measure(key)} for key in result.to_measure],
    }


def _hold_json(hold: sensitivity.Hold) -> dict[str, Any]:
    ends = [
        None if end is None else int(end) if end == end.to_integral_value() else float(end)
        for end in (hold.low, hold.high)
    ]
    found = {"key": hold.key, "holds": ends, "flips_to": (hold.nearest or ("",))[0] or None}
    return found | {"flips_with": [answer for answer, _place in hold.others]} if hold.is_choice else found


def assumptions_json(assumptions: Sequence[cases.Assumption]) -> list[dict[str, Any]]:
    """Return what stands in for answers as the contract names it, its reasons in the active language."""
    return [_assumption_json(item, why) for item, why in _with_why(assumptions)]


def _assumption_json(item: cases.Assumption, why: str) -> dict[str, Any]:
    key = KEYS[item.key]
    value: Any = item.value
    if key.kind == "number" and ".." not in item.value:
        value = float(item.value)
        value = int(value) if value.is_integer() else value
    return {"key": item.key, "value": value, "unit": key.unit, "origin": item.origin, "why": why}


def _with_why(assumptions: Sequence[cases.Assumption]) -> list[tuple[cases.Assumption, str]]:
    """Return each assumption with its reason in the active language."""
    wanted = [item for item in assumptions if item.origin == "profile"]
    texts: dict[tuple[str, str], str] = {}
    if wanted:
        rows = TypicalAssumption.objects.filter(profile__slug__in={item.source for item in wanted})
        texts = {(row.profile.slug, row.key): row.why or "" for row in rows.select_related("profile")}
    return [(item, _why(item, texts)) for item in assumptions]


def _why(item: cases.Assumption, texts: Mapping[tuple[str, str], str]) -> str:
    if item.origin == "profile":
        return texts.get((item.source, item.key), "")
    if item.origin == "default":
        return str(reasons.WHY_DEFAULT.get(item.source, ""))
    return ""


def _triple(value: Range | None, factor: float = 1.0, digits: int = 1) -> list[float] | None:
    if value is None:
        return None
    return [round(end * factor, digits) for end in (value.low, value.typical, value.high)]


def _gib(value: float) -> float:
    return round(value / GIB, GIB_DIGITS)


def _cache_known(result: Result, config: Config) -> bool:
    """Tell whether what the requests keep can be worked out: without it a service has no total."""
    model = config.corner.model
    return not result.case.serves or model is None or model.cache_known


def _memory_json(result: Result, config: Config) -> dict[str, float | None]:
    held = config.memory
    lines = {
        "weights": held.weights,
        "kv_cache": held.kv_cache,
        "activations": held.activations,
        "optimizer": held.optimizer,
        "gradients": held.gradients,
        "overhead": held.overhead,
    }
    values: dict[str, float | None] = {
        name: None if line is None else _gib(line.typical) for name, line in lines.items()
    }
    total = _gib(held.total.typical)
    found = {name: value for name, value in values.items() if value is not None}
    largest = max(found, key=found.__getitem__)
    # Rounded one by one the lines miss their sum by a digit: the largest takes it.
    values[largest] = round(
        total - sum(value for name, value in found.items() if name != largest), GIB_DIGITS
    )
    values |= {"total": total, "available": _gib(held.available.low)}
    if not _cache_known(result, config):
        values["kv_cache"] = values["total"] = None
    return values


def _throughput(result: Result, config: Config) -> dict[str, Any] | None:
    if config.work is None:
        return None
    unit = UNITS[result.case.kind] if result.case.serves else "tokens/s"
    return {"unit": unit, "range": _triple(config.work)}


def _evidence(result: Result, match: Match) -> dict[str, str]:
    """Return how each figure that applies is known."""
    config, known = match.config, evidence.of_match(result.case, match, result.measured)
    held = config.memory if _cache_known(result, config) else None
    figures: dict[str, Any] = {"memory_gib_per_gpu": held, "power_w": config.power_w}
    if result.case.serves and result.case.kind == "tokens":
        figures |= dict.fromkeys(("ttft_ms", "tpot_ms", "output_tokens_per_s"), config.served)
        figures["max_concurrency"] = config.served
    figures["throughput"] = config.work
    if result.case.trains:
        figures["training_hours"] = config.trained.seconds if config.trained else None
    return {
        name: "unknown" if value is None else known[name].state if name in known else "computed"
        for name, value in figures.items()
    }


def _match_json(result: Result, match: Match, rank: int) -> dict[str, Any]:
    config = match.config
    served, trained = config.served, config.trained
    return {
        "rank": rank,
        "server": config.node.server,
        "variant": config.node.variant,
        "gpu": config.node.gpu.slug,
        "gpus_per_server": config.count,
        "servers": config.servers,
        "state": match.state,
        "precision": config.precision,
        "tensor_parallel": config.layout.tensor_parallel,
        "pipeline_parallel": config.layout.pipeline_parallel,
        "replicas": config.layout.replicas,
        "idle_gpus": config.layout.idle_gpus,
        "score": match.score,
        "criteria": dict(match.criteria),
        "memory_gib_per_gpu": _memory_json(result, config),
        "ttft_ms": _triple(served.ttft_s, 1000) if served else None,
        "tpot_ms": _triple(served.tpot_s, 1000, 2) if served else None,
        "output_tokens_per_s": _triple(config.work) if served else None,
        "throughput": _throughput(result, config),
        "training_hours": _triple(trained.seconds, 1 / 3600, 4) if trained else None,
        "max_concurrency": match.capacity,
        "power_w": _triple(config.power_w, digits=0),
        "rack_units": config.rack_units,
        "evidence": _evidence(result, match),
        "firm": match.firm,
        "pareto": match.pareto,
        "tied": match.tied,
        "reasons": [reasons.reason(item, result.names) for item in match.reasons],
        "warnings": [reasons.warning(item, result.names) for item in match.warnings],
    }


def _rejection_json(
    result: Result, item: Rejection, found: Mapping[str, tuple[tuple[Change, ...], ...]]
) -> dict[str, Any]:
    sets = found.get(item.server)
    return {
        "server": item.server,
        "gpu": item.gpu,
        "reasons": [
            {"code": reason.code, "text": reasons.rejection(reason, result.names)} for reason in item.reasons
        ],
        "nearest_fix": change_texts.changes(sets[0]) if sets else None,
    }


# Pages


def page(result: Result, top: int | None = DEFAULT_TOP, *, view: str = orders.VIEWS[0]) -> dict[str, Any]:
    """Return what the result page prints: rows of the catalog with texts in the active language.

    Args:
        top: matches that are shown; None: all.
        view: their order, one of `orders.VIEWS`, or by price where every match has one.
    """
    costs = prices.of_matches(result.ranking.matches)
    matches = orders.ordered(result.ranking.matches, view, _amounts(costs))
    if view == orders.PRICE and not costs:
        view = orders.VIEWS[0]
    if view != orders.VIEWS[0]:  # what puts a match first overall says nothing here
        matches = tuple(
            replace(match, reasons=tuple(item for item in match.reasons if item.code not in FIRST))
            for match in matches
        )
    shown = matches[:top]
    rest = matches[top:] if top is not None else ()
    slugs = {match.config.node.server for match in matches} | {
        item.server for item in result.ranking.rejected
    }
    gpus = {row.slug: row for row in GPU.objects.select_related("manufacturer")}
    variants = {
        (row.server.slug, row.slug): row
        for row in VariantRow.objects.filter(server__slug__in=slugs).select_related(
            "server__manufacturer", "server__enclosure"
        )
    }
    servers = {row.server.slug: row.server for row in variants.values()}
    if bare := slugs - servers.keys():  # staff have given them no variant yet
        rows = Server.objects.filter(slug__in=bare).select_related("manufacturer", "enclosure")
        servers |= {row.slug: row for row in rows}
    shown_servers = {match.config.node.server for match in shown}
    hidden = dict.fromkeys(match.config.node.server for match in rest)
    near = nearest_fixes(result)
    return {
        "conditional": result.conditional,
        "catalog_version": result.catalog_version,
        "rules_version": result.rules_version,
        "notices": [*_growth(result), *(_with_labels(notice).text for notice in result.notices)],
        "assumptions": _assumption_rows(result),
        "to_measure": [
            {"key": key, "label": str(KEYS[key].label), "text": reasons.to_measure(key)}
            for key in result.to_measure
        ],
        "view": view,
        "has_prices": bool(costs),
        "matches": [
            _match_row(result, match, rank, servers, gpus, variants) | {"cost": costs.get(match.config.name)}
            for rank, match in enumerate(shown, 1)
        ],
        "not_shown": [servers[slug] for slug in hidden if slug not in shown_servers],
        "rejected": [
            {
                "server": servers[item.server],
                "gpu": gpus.get(item.gpu) if item.gpu else None,
                "reasons": [
                    {
                        "code": reason.code,
                        "label": str(reasons.CODE_LABELS[reason.code]),
                        "text": reasons.rejection(reason, result.names),
                    }
                    for reason in item.reasons
                ],
                "nearest_fix": change_texts.changes(near[item.server]) if item.server in near else None,
            }
            for item in result.ranking.rejected
        ],
        "plans": plan_texts.page(result),
    }


def _amounts(costs: Mapping[tuple[str, str], prices.Cost]) -> dict[tuple[str, str], Decimal]:
    return {name: cost.amount for name, cost in costs.items()}


def _growth(result: Result) -> list[str]:
    """Return what the growth that was given makes of the simultaneous requests, as no or one sentence."""
    items = {item.key: item for item in result.assumptions}
    grows = all(
        key in items and items[key].origin in ("given", "hypothesis")
        for key in ("growth_percent", "horizon_years")
    )
    if not grows or "concurrency" not in items or result.case.kind != "tokens":
        return []
    return [reasons.grown(_value_text(items["concurrency"], {}, {}), result.case.hard.requests)]


def _with_labels(notice: Notice) -> Notice:
    """Return a notice that names questions by their words instead of their keys."""
    params = tuple(
        (name, str(KEYS[value].label) if name in ("key", "used", "needed") and value in KEYS else value)
        for name, value in notice.params
    )
    return replace(notice, params=params)


def _assumption_rows(result: Result) -> list[dict[str, Any]]:
    workloads = {}
    if any(item.key == "workload" for item in result.assumptions):
        workloads = {row.slug: row.name or row.slug for row in WorkloadProfile.objects.published()}
    return [
        {
            "key": item.key,
            "label": str(KEYS[item.key].label),
            "code": item.value,
            "value": _value_text(item, result.names, workloads),
            "unit": str(KEYS[item.key].unit_label),
            "origin": item.origin,
            "origin_label": str(reasons.ORIGIN_LABELS[item.origin]),
            "is_computed": item.source in reasons.COMPUTED,
            "why": why,
        }
        for item, why in _with_why(result.assumptions)
    ]


def _value_text(item: cases.Assumption, names: Mapping[str, str], workloads: Mapping[str, str]) -> str:
    """Return the value as the reader's language writes it, with its unit."""
    key = KEYS[item.key]
    if key.kind == "number":
        try:
            interval = parse_interval(item.value)
        except NumberError:
            return item.value
        decimals = units.places(interval.high) if item.source in reasons.COMPUTED else 4
        low, high = (units.format_number(end, decimals) for end in interval)
        return with_unit(key, interval, low if low == high else f"{low}–{high}")
    labels = {value: str(label) for value, label in key.choices}
    parts = item.value.split(", ")
    return ", ".join(labels.get(part) or workloads.get(part) or names.get(part, part) for part in parts)


def _match_row(
    result: Result,
    match: Match,
    rank: int,
    servers: Mapping[str, Server],
    gpus: Mapping[str, GPU],
    variants: Mapping[tuple[str, str], VariantRow],
) -> dict[str, Any]:
    config = match.config
    node, layout = config.node, config.layout
    values = _match_json(result, match, rank)
    lines = values["memory_gib_per_gpu"]
    return values | {
        "server": servers[node.server],
        "variant": variants.get((node.server, node.variant or "")),
        "gpu": gpus[node.gpu.slug],
        "gpus": config.gpus,
        "training_gpus": config.trained.layout.gpus_used if config.trained else 0,
        "state_label": str(reasons.STATE_LABELS[match.state]),
        "criteria": [
            {"name": name, "label": str(reasons.CRITERIA_LABELS[name]), "value": value}
            for name, value in match.criteria
        ],
        "layout": reasons.layout(
            layout.tensor_parallel,
            layout.pipeline_parallel,
            layout.replicas,
            config.trained.sharding if config.trained else "none",
            plain=result.case.serves,
        ),
        "need_gib": _gib(config.memory.total.typical),
        "cache_known": _cache_known(result, config),
        "have_gib": lines["available"],
        "memory": [
            {"name": name, "label": str(label), "gib": lines[name]}
            for name, label in reasons.MEMORY_LABELS.items()
            if lines[name] is not None
        ],
        "figures": _figures(result, match, values),
        "reasons": [
            reasons.reason(item, result.names) for item in match.reasons if item.code not in DRAWBACKS
        ]
        + [reasons.warning(item, result.names) for item in match.warnings if item.code in WISHES],
        "warnings": [reasons.reason(item, result.names) for item in match.reasons if item.code in DRAWBACKS]
        + [reasons.warning(item, result.names) for item in match.warnings if item.code not in WISHES],
    }


def _figures(result: Result, match: Match, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the figures that apply, each low, typical and high with its unit."""
    case, config = result.case, match.config
    known = evidence.of_match(case, match, result.measured)
    rows: list[tuple[str, list[float] | None, str]] = []
    if case.serves and case.kind == "tokens":
        rows += [
            ("ttft", values["ttft_ms"], "ms"),
            ("tpot", values["tpot_ms"], "ms"),
            ("output_tokens", values["output_tokens_per_s"], "tokens/s"),
        ]
    else:
        unit = UNITS[case.kind] if case.serves else "tokens/s"
        rows.append(("throughput", _triple(config.work), unit))
    if case.trains:
        rows.append(("training_hours", values["training_hours"], "h"))
    rows.append(("power", values["power_w"], "W"))
    return [
        {
            "name": name,
            "label": str(reasons.FIGURE_LABELS[name]),
            "low": triple[0] if triple else None,
            "typical": triple[1] if triple else None,
            "high": triple[2] if triple else None,
            "unit": unit,
            "unit_label": reasons.unit(unit),
            "origin_label": str(reasons.EVIDENCE_LABELS[_state(name, triple, known)]),
            "checks": _checks(name, known, config) if triple else [],
            "unconfirmed_label": _unconfirmed(name, triple, known),
        }
        for name, triple, unit in rows
    ]


# Figures of a card by the name of what was measured.
MEASURED_FIGURES = {"output_tokens": "output_tokens_per_s", "power": "power_w"}


def _state(name: str, triple: list[float] | None, known: Mapping[str, evidence.Known]) -> str:
    found = known.get(MEASURED_FIGURES.get(name, name))
    return "unknown" if triple is None else found.state if found else "computed"


def _unconfirmed(name: str, triple: list[float] | None, known: Mapping[str, evidence.Known]) -> str:
    """Return where a figure was measured whose range does not hold the measurement; "" for all others."""
    found = known.get(MEASURED_FIGURES.get(name, name))
    if triple is None or found is None or found.place is None or found.state == found.place:
        return ""
    return str(reasons.EVIDENCE_LABELS[found.place])


def _checks(name: str, known: Mapping[str, evidence.Known], config: Config) -> list[dict[str, str]]:
    """Return the measurements beside a figure: what was published, on how many GPUs, and where."""
    found = known.get(MEASURED_FIGURES.get(name, name))
    model = config.corner.trained if name == "training_hours" else config.corner.model
    return [
        {
            "text": ngettext(
                "%(value)s on %(gpus)s GPU",
                "%(value)s on %(gpus)s GPUs",
                one.count,
            )
            % {
                "value": results.measured_value(one.value, one.unit, model and model.kind),
                "gpus": units.format_number(one.count),
            },
            "published": " ".join(part for part in (one.suite, one.round, one.scenario) if part),
            "link": one.link,
        }
        for one in (found.results if found else ())
    ]


def scenario(given: Mapping[str, str | list[str]], top: int = DEFAULT_TOP) -> dict[str, Any]:
    """Return what a page of the catalog says of a load that nobody has answered questions about.

    Args:
        given: answers by key, such as {"stage": "inference", "workload": "chat"}.
        top: servers that are shown, each with its best match.

    Returns the rows of `page`, its matches one a server and ready to be printed, with `measuring` (what to
    measure) and `servers` (how many servers fit in all).
    """
    result = recommend(parse(given))
    best: dict[str, Match] = {}
    for match in result.ranking.matches:
        best.setdefault(match.config.node.server, match)
    shown = replace(result, ranking=replace(result.ranking, matches=tuple(best.values())))
    rows = page(shown, top)
    return rows | {
        "matches": [presentation.match(match, rows) for match in rows["matches"]],
        "measuring": measure_texts.page(result),
        "servers": len(best),
    }


def answer_texts(values: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return {key: (question, value)} of plain answers as the reader's language writes them."""
    names = adapters.load_specs().names
    workloads = dict(choices("workload")) if "workload" in values else {}
    return {
        key: (
            str(KEYS[key].label),
            _value_text(cases.Assumption(key, value, "profile", ""), names, workloads),
        )
        for key, value in values.items()
        if key in KEYS
    }


def models() -> list[tuple[str, str, str, str]]:
    """Return the AI models that can be sized: slug, name, who made it, kind."""
    specs = adapters.load_specs()
    return [
        (slug, specs.names[slug], specs.developers[slug], model.kind) for slug, model in specs.models.items()
    ]


def choices(key: str) -> list[tuple[str, str]]:
    """Return what may be answered to a question about things of the catalog: (slug, name) pairs."""
    specs = adapters.load_specs()
    if key in ("model", "training_model", "draft_model"):
        text_only = key != "model"
        return [
            (slug, specs.names[slug])
            for slug, model in specs.models.items()
            if model.generates_tokens or not text_only
        ]
    if key == "workload":
        rows = WorkloadProfile.objects.published().order_by("order", "slug")
        return [(row.slug, row.name or row.slug) for row in rows]
    return [(slug, specs.names.get(slug, slug)) for slug in sorted(specs.vendors.get(key, ()))]


# Memory


def held_by_server(server: Server) -> tuple[capacity.HoldingOption, ...]:
    """Return what the largest options of a row of `Server.objects.for_page()` hold; empty: it has none."""
    return capacity.held_by_server(server)


def held_by_gpu(gpu: GPU, most: int) -> tuple[capacity.OnGPU, ...]:
    """Return how many of a GPU, read with its maker, each reference model needs, of at most `most`."""
    return capacity.held_by_gpu(gpu, most)


def model_memory(slug: str) -> capacity.ModelMemory:
    """Return what a published model takes and the smallest servers that hold it."""
    return capacity.model_memory(slug)


def native_weights() -> dict[str, Range]:
    """Return the weights of every published model in its own type [bytes], by slug."""
    return capacity.native_weights()


# Precisions


def precisions_of(gpu: GPU) -> tuple[precisions.Supported, ...]:
    """Return what a GPU, read with its maker, does with each number format, per engine; no query.

    Empty where nothing can be said: its maker does not publish what it computes in.
    """
    if not gpu.native_precisions:
        return ()
    try:
        return precisions.table(adapters.gpu_spec(gpu))
    except SizingError:
        return ()
