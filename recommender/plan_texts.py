"""The comparison of one server with several as JSON and as rows of a page, in the active language."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recommender import reasons
from recommender.plans import Plan
from recommender.ranking import Match
from recommender.sizing.serving_sizes import gpus_beside_service
from recommender.sizing.specs import Range

if TYPE_CHECKING:
    from recommender.services import Result


def as_json(result: "Result") -> dict[str, Any]:
    """Return the ways of running both jobs as the contract names them; empty where there is one job."""
    return {name: _plan_json(name, plan) for name, plan in result.plans.ways.items()}


def page(result: "Result") -> list[dict[str, Any]]:
    """Return the ways of running both jobs as a page prints them."""
    return [_plan_row(result, name, plan) for name, plan in result.plans.ways.items()]


def _triple(value: Range | None, digits: int = 0) -> list[float] | None:
    return None if value is None else [round(end, digits) for end in (value.low, value.typical, value.high)]


def _part_json(match: Match | None) -> dict[str, Any] | None:
    if match is None:
        return None
    config = match.config
    return {
        "server": config.node.server,
        "gpu": config.node.gpu.slug,
        "gpus_per_server": config.count,
        "servers": config.servers,
        "state": match.state,
        "rack_units": config.rack_units,
        "power_w": _triple(config.power_w),
    }


def _plan_json(name: str, plan: Plan) -> dict[str, Any]:
    return {
        "serving": _part_json(plan.serving),
        "training": _part_json(plan.training),
        "text": reasons.plan(name, plan.works),
    }


def _plan_row(result: "Result", name: str, plan: Plan) -> dict[str, Any]:
    names = result.names
    serving, training = _part_text(names, plan.serving), _part_text(names, plan.training)
    same = plan.works and serving == training
    if name == "shared" and plan.serving is not None:
        config = plan.serving.config
        beside = gpus_beside_service(replace(result.case, together=True), config)
        if 0 < beside < config.gpus:
            same = False
            serving, training = (
                reasons.part(serving, config.gpus - beside),
                reasons.part(training, beside),
            )
    return {
        "name": name,
        "label": str(reasons.PLAN_LABELS[name]),
        "text": reasons.plan(name, plan.works),
        "serving": serving,
        "training": training,
        "same": same,
    }


def _part_text(names: Mapping[str, str], match: Match | None) -> str:
    if match is None:
        return reasons.no_server()
    config = match.config
    return reasons.configuration(
        names[config.node.server], names[config.node.gpu.slug], config.count, config.servers
    )
