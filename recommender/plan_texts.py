"""The comparison of one server with several as JSON and as rows of a page, in the active language."""

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext

from catalog.templatetags import units
from recommender import plan_lines as lines, plan_sentences as said, reasons
from recommender.plans import Component, Plan
from recommender.plans.comparison import Capacity
from recommender.plans.contention import RESOURCES
from recommender.plans.growth import Growth
from recommender.ranking import Match
from recommender.sizing.demand import UNITS
from recommender.sizing.specs import GIB, Range

if TYPE_CHECKING:
    from recommender.services import Result

DUE_ON_RESULTS = 3  # conditions that a result page names before it links to the comparison


# JSON


def as_json(result: "Result") -> dict[str, Any]:
    """Return the ways of running both jobs as the contract names them; empty where there is one job."""
    return {way: _plan_json(result, plan) for way, plan in result.plans.ways.items()}


def _triple(value: Range | None, digits: int = 0) -> list[float] | None:
    return None if value is None else [round(end, digits) for end in (value.low, value.typical, value.high)]


def _part_json(match: Match | None, times: int = 1) -> dict[str, Any] | None:
    if match is None:
        return None
    config = match.config
    units_of = config.rack_units
    return {
        "server": config.node.server,
        "gpu": config.node.gpu.slug,
        "gpus_per_server": config.count,
        "servers": config.servers * times,
        "state": match.state,
        "rack_units": None if units_of is None else units_of * times,
        "power_w": _triple(config.power_w and config.power_w.scaled(float(times))),
    }


def _plan_json(result: "Result", plan: Plan) -> dict[str, Any]:
    values: dict[str, Any] = {
        "serving": _part_json(plan.serving),
        "training": _part_json(plan.training, plan.sets),
        "text": str(said.WAY_TEXTS[plan.way] if plan.works else said.NO_SERVER),
        "advised": result.plans.verdict is not None and result.plans.verdict.way == plan.way,
        "against": lines.against(result, plan),
    }
    if not plan.works or plan.capacity is None or plan.loss is None or plan.growth is None:
        return values
    capacity, loss = plan.capacity, plan.loss
    found = lines.verdict(result) if values["advised"] else None
    return values | {
        "servers": plan.servers,
        "gpus": plan.gpus,
        "rack_units": plan.rack_units,
        "power_w": _triple(plan.power_w),
        "capacity": {
            "requests_at_once": capacity.requests,
            "requests_needed": capacity.requests_needed,
            "throughput": None if capacity.rate is None else {
                "unit": UNITS[result.case.kind], "range": _triple(capacity.rate, 1)
            },
            "training_hours": _triple(capacity.hours, 4),
            "experiments_per_month": capacity.experiments and list(capacity.experiments),
            "experiments_needed": capacity.experiments_needed,
            "hours_per_month": round(capacity.hours_available, 1),
        },
        "contention": [
            {
                "resource": item.resource,
                "mode": item.mode,
                "shares": [
                    {"job": share.job, "unit": share.unit, "need": _triple(share.need, 4),
                     "have": None if share.have is None else round(share.have, 4)}
                    for share in item.shares
                ],
            }
            for item in plan.contention
        ],
        "during_experiment": lines.experiment_text(plan),
        "during_maintenance": lines.maintenance_text(result.plans, plan),
        "loss": {
            "servers": loss.servers, "all": loss.all, "one_lost": loss.one_lost, "stands_in": loss.stands_in
        },
        "growth": _growth_json(plan.growth),
        "verdict": found and {
            "holds": result.plans.verdict is not None and result.plans.verdict.holds,
            "reasons": found["reasons"],
            "flips": [
                {name: flip[name] for name in ("key", "side", "value", "way")} for flip in found["flips"]
            ],
        },
    }  # fmt: skip


def _growth_json(growth: Growth) -> dict[str, Any]:
    return {
        "steps": [
            {
                "percent": round(step.percent, 1),
                "months": step.months,
                "load": round(step.load, 2),
                "servers": step.servers,
                "gpus_per_server": step.count,
                "rack_units": step.rack_units,
                "power_w": _triple(step.power_w),
            }
            for step in growth.steps
        ],
        "full_at": growth.full_at,
        "full_in_months": growth.full_in_months,
        "server_full_at": growth.server_full_at,
        "server_full_in_months": growth.server_full_in_months,
        "each_server": growth.each_server,
    }


# Pages


def page(result: "Result") -> dict[str, Any] | None:
    """Return what a result page prints of the comparison: the verdict, the ways in short, how a job grows."""
    plans = result.plans
    if not plans.ways and plans.scale is None:
        return None
    found = lines.verdict(result)
    return {
        "verdict": found,
        "flips": found["flips"][:DUE_ON_RESULTS] if found else [],
        "ways": [_way(result, plan) for plan in plans.ways.values()],
        "scale": _scale(result),
    }


def comparison(result: "Result") -> dict[str, Any] | None:
    """Return the whole comparison: a table with a cell for each way, and what it rests on.

    None: nothing fits, so that there is nothing to compare.
    """
    found = page(result)
    if found is None:
        return None
    return found | {
        "flips": found["verdict"]["flips"] if found["verdict"] else [],
        "rows": _rows(result) if result.plans.ways else [],
        "assumptions": lines.assumptions(result),
        "components": [_component(result, item) for item in result.plans.components],
        "is_split": result.plans.terms.separate_index,
    }


def _way(result: "Result", plan: Plan) -> dict[str, Any]:
    verdict = result.plans.verdict
    capacity = plan.capacity
    return {
        "name": plan.way,
        "label": str(said.WAY_LABELS[plan.way]),
        "text": str(said.WAY_TEXTS[plan.way] if plan.works else said.NO_SERVER),
        "works": plan.works,
        "advised": verdict is not None and verdict.way == plan.way,
        "bought": [{"label": label, "text": text} for label, text in lines.bought(result, plan)],
        "against": lines.against(result, plan),
        "requests": capacity and _carried(capacity),
        "experiments": None if capacity is None else capacity.experiments,
        "rack_units": plan.rack_units,
        "power": plan.power_w,
        "experiment": lines.experiment_text(plan) if plan.works else "",
    }


def _scale(result: "Result") -> dict[str, Any] | None:
    scale = result.plans.scale
    if scale is None:
        return None
    config = scale.match.config
    serves = result.case.serves
    growth = lines.growth_rows(result, scale.growth)
    if not serves:
        growth["due"] += lines.cycles_texts(result, scale)
    return {
        "title": gettext("When the load grows") if serves else gettext("When the data grows"),
        "bought": reasons.configuration(
            result.names[config.node.server], result.names[config.node.gpu.slug], config.count, config.servers
        ),
        "growth": growth,
        "is_training": not serves,
        "loss": lines.loss_texts(result, scale.loss, trains=not serves),
    }


def _rows(result: "Result") -> list[dict[str, Any]]:
    """Return the table of the comparison: a row a subject, a cell a way."""
    plans = list(result.plans.ways.values())
    makers = {
        "bought": _bought_cell, "requests": _requests_cell, "rate": _rate_cell, "hours": _hours_cell,
        "experiments": _experiments_cell,
    }  # fmt: skip
    kind = result.case.kind
    rows = [
        _row(name, result, plans, maker)
        for name, maker in makers.items()
        if name != "requests" or kind == "tokens"
    ]
    for resource in RESOURCES:
        cells = [
            next(
                ({"contention": lines.contention_row(result, item)} for item in plan.contention
                 if item.resource == resource),
                {"text": ""},
            )
            for plan in plans
        ]  # fmt: skip
        rows.append(
            {"name": resource, "label": str(said.RESOURCES[resource]), "cells": _labelled(plans, cells)}
        )
    for name, maker in {
        "experiment": lambda result, plan: {"text": lines.experiment_text(plan)},
        "maintenance": lambda result, plan: {"text": lines.maintenance_text(result.plans, plan)},
        "loss": lambda result, plan: {"texts": lines.loss_texts(result, plan.loss, trains=True)},
        "growth": lambda result, plan: {
            "growth": lines.growth_rows(result, plan.growth, larger=plan.way == "shared")
        },
        "units": lambda result, plan: {"text": units.rack_units(plan.rack_units)},
        "power": lambda result, plan: {"range": plan.power_w, "unit": "power"},
    }.items():
        rows.append(_row(name, result, plans, maker))
    return rows


def _row(name: str, result: "Result", plans: list[Plan], maker: Any) -> dict[str, Any]:
    cells = [maker(result, plan) if plan.works or name == "bought" else {"text": ""} for plan in plans]
    return {"name": name, "label": str(said.ROWS[name]), "cells": _labelled(plans, cells)}


def _labelled(plans: list[Plan], cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"label": str(said.WAY_LABELS[plan.way])} | cell for plan, cell in zip(plans, cells, strict=True)]


def _bought_cell(result: "Result", plan: Plan) -> dict[str, Any]:
    return {"bought": [{"label": label, "text": text} for label, text in lines.bought(result, plan)]}


def _carried(capacity: Capacity) -> float | None:
    """Return how many requests a way carries, to three digits."""
    if capacity.requests is None:
        return None
    return units.no_more_than(capacity.requests, capacity.requests_needed)


def _requests_cell(result: "Result", plan: Plan) -> dict[str, Any]:
    assert plan.capacity is not None
    carried, needed = plan.capacity.requests, plan.capacity.requests_needed
    if carried is None or needed is None:
        return {"text": str(said.NOT_KNOWN)}
    return {
        "text": gettext("%(have)s; needed: %(need)s")
        % {"have": units.number(_carried(plan.capacity)), "need": units.number(needed)}
    }


def _rate_cell(result: "Result", plan: Plan) -> dict[str, Any]:
    assert plan.capacity is not None
    return {"range": plan.capacity.rate, "unit_label": reasons.unit(UNITS[result.case.kind])}


def _hours_cell(result: "Result", plan: Plan) -> dict[str, Any]:
    assert plan.capacity is not None
    return {"range": plan.capacity.hours, "unit": "hours"}


def _experiments_cell(result: "Result", plan: Plan) -> dict[str, Any]:
    assert plan.capacity is not None
    found = plan.capacity.experiments
    if found is None:
        return {"text": str(said.NOT_KNOWN)}
    low, _typical, high = found
    return {
        "text": gettext("%(low)s to %(high)s; needed: %(need)s")
        % {
            "low": units.number(low),
            "high": units.number(high),
            "need": units.number(plan.capacity.experiments_needed),
        }
    }


def _component(result: "Result", item: Component) -> dict[str, Any]:
    size = item.gpu_bytes or item.host_bytes
    ends = (
        None if size is None else [units.estimated(end / GIB) for end in (size.low, size.typical, size.high)]
    )
    return {
        "code": item.code,
        "label": str(said.COMPONENTS[item.code]),
        "model": result.names.get(item.model, item.model) if item.model else "",
        "assumed": item.assumed and item.model is not None,
        "gib": ends,
        "where": "" if size is None else "gpu" if item.gpu_bytes is not None else "host",
        "place": str(said.PLACES[item.place]),
        "copies": item.copies,
        "unknown": size is None,
    }
