"""The recommender's part of the API: advice for posted answers, and the memory of one model on some GPUs."""

from django.http import JsonResponse
from django.utils import translation
from django.utils.translation import get_language
from ninja import Query, Router, Schema
from pydantic import Field

from aiservers import bodies
from aiservers.paging import unknown_notices
from aiservers.throttling import ADVISE, COMPUTE
from catalog import versions
from recommender import answers, calculator, calculator_form, calculator_page, services
from recommender.api_answers import answers_schema, parameters
from recommender.api_schemas import Advice, Memory
from recommender.calculator import HARDWARE_KEYS
from recommender.cases import BadAnswers
from recommender.sizing.specs import GIB

MAX_TOP = 100  # matches; more than any catalog has servers and GPUs is of no use
LINES = ("weights", "kv_cache", "activations", "optimizer", "gradients", "overhead")

router = Router(tags=["advice"])


class Top(Schema):
    top: int = Field(
        services.DEFAULT_TOP, ge=0, le=MAX_TOP, description="Matches to show; `not_shown` names the rest."
    )


with translation.override("en"):  # descriptions have one language
    ANSWERS, PARAMETERS = answers_schema(), parameters()


@router.post(
    "/recommendations",
    response=Advice,
    operation_id="recommend",
    summary="Servers for answers",
    throttle=[ADVISE],
    openapi_extra={
        "requestBody": {
            "required": False,
            "description": "The answers, every one of them optional; none: advice for nothing known.",
            "content": {"application/json": {"schema": ANSWERS}},
        }
    },
)
def recommend(request, query: Query[Top]):
    """The same answers and the same result as `manage.py recommend --format json`.

    Nothing is stored. The same answers and versions give the same bytes. How far guesses may move
    (`sensitivity`) is worked out once for each set of answers and takes up to some seconds then.
    """
    result = services.recommend(answers.parse(bodies.posted_json(request)))
    # As it is: going through the schema would add what the command leaves out.
    found = services.as_json(result, query.top, with_sensitivity=True)
    return JsonResponse(found, json_dumps_params=bodies.WRITTEN)


@router.get(
    "/memory",
    response=Memory,
    operation_id="memory",
    summary="GPU memory of a model",
    throttle=[COMPUTE],
    openapi_extra={"parameters": PARAMETERS},
)
def memory(request):
    """The figures of the memory calculator, under the parameters of its address.

    Without `gpu`: what the model takes, and the cards that hold it. A range counts at its harder end.
    """
    query = request.GET
    given = answers.parse(calculator_form.answered(query))
    values, bad = calculator.hardware_of(dict(query.lists()))
    if bad or given.problems:
        raise BadAnswers([*given.problems, *bad])
    calculation = calculator.calculate(given, calculator.hardware(values))
    known = {*answers.KEYS, *HARDWARE_KEYS}
    notices = [notice.text for notice in (*given.notices, *calculation.resolved.notices)]
    notices += calculator_page.unused(calculation) + unknown_notices(request, known)
    return _memory(calculation) | {"notices": list(dict.fromkeys(notices))}


def _memory(calculation):
    fit, machine, case = calculation.chosen, calculation.hardware, calculation.case
    model = calculation.model
    is_listed = model.slug in calculation.names
    complete = model.cache_known or not case.serves  # else the sum lacks a line that nobody has described
    whole = calculator.whole_model(calculation)
    return {
        "catalog_version": versions.current(),
        "rules_version": services.RULES_VERSION,
        "language": get_language(),
        "model": model.slug if is_listed else None,
        "parameters": round(model.parameters),
        "work": "inference" if case.serves else "training",
        "precision": calculation.precision,
        "assumptions": services.assumptions_json(calculation.resolved.assumptions),
        "whole_model_gib": {name: _gib(whole.get(name)) for name in ("weights", "kv_cache")},
        "gpu": machine.gpu.slug if machine.gpu else None,
        "gpus_per_server": machine.gpus if machine.gpu else None,
        "servers": machine.servers if machine.gpu else None,
        "state": calculator_page.verdict(calculation, fit) if fit else None,
        "text": calculator_page.headline(calculation, fit) if fit else None,
        "chosen": _chosen(fit, complete) if fit else None,
        "layouts": [_layout(one, complete) for one in calculation.fits],
        "cards": [
            {
                "gpu": card.gpu.slug,
                "gpus_per_server": card.count,
                "precision": card.fit.precision,
                "total_gib_per_gpu": _gib(card.fit.memory.total) if complete else None,
                "available_gib_per_gpu": _gib(card.fit.memory.available),
            }
            for card in calculation.cards
        ],
        "taken_by": list(calculation.servers),
    }


def _layout(fit, complete):
    held, layout, most = fit.memory, fit.layout, fit.most
    return {
        "tensor_parallel": layout.tensor_parallel,
        "pipeline_parallel": layout.pipeline_parallel,
        "expert_parallel": layout.expert_parallel,
        "replicas": layout.replicas,
        "idle_gpus": layout.idle_gpus,
        "state": fit.state,
        "precision": fit.precision,
        "total_gib_per_gpu": _gib(held.total) if complete else None,
        "available_gib_per_gpu": _gib(held.available),
        "requests_per_replica": fit.requests or None,
        "most_requests_per_replica": most and [int(end) for end in (most.low, most.typical, most.high)],
    }


def _chosen(fit, complete):
    lines = {name: _gib(getattr(fit.memory, name)) for name in LINES}
    if not complete:
        lines["kv_cache"] = None
    return _layout(fit, complete) | {"lines_gib_per_gpu": lines}


def _gib(value):
    return None if value is None else [round(end / GIB, 4) for end in (value.low, value.typical, value.high)]
