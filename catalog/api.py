"""The catalog's part of the API: servers, GPUs, AI models, kinds of work and measured results."""

from collections import Counter
from typing import Annotated

from django.http import QueryDict
from django.shortcuts import get_object_or_404
from ninja import Path, Query, Router

from aiservers import problems
from aiservers.paging import PageQuery, page
from catalog import results, selectors
from catalog.api_queries import AIModelQuery, BenchmarkResultQuery, ServerQuery
from catalog.api_schemas import (
    AIModelDetail,
    AIModelPage,
    BenchmarkResultPage,
    GPUDetail,
    GPUPage,
    ServerDetail,
    ServerPage,
    WorkloadProfileOut,
    WorkloadProfilePage,
)
from catalog.filters import ServerFilter
from catalog.models import GPU, AIModel, Server, WorkloadProfile

router = Router(tags=["catalog"])


def slug(example):
    return Annotated[str, Path(examples=[example])]


@router.get("/servers", response=ServerPage, operation_id="list_servers", summary="Servers")
def servers(request, query: Query[ServerQuery]):
    asked = _without_paging(request.GET)
    filterset = ServerFilter(asked, Server.objects.for_cards())
    if errors := _server_errors(asked, filterset):
        return problems.bad_parameters(errors)
    part = page(request, query, [row for row, _best in filterset.ordered(query.sort)])
    return part | {
        "items": filterset.rows_of(part["items"]),
        "left_out": [note["text"] for note in filterset.left_out],
    }


@router.get("/servers/{slug}", response=ServerDetail, operation_id="get_server", summary="One server")
def server(request, slug: slug("thinksystem-sr650-v3")):
    rows = Server.objects.for_page().prefetch_related(
        "evidence__source", "variants__evidence__source", "variants__gpu_options__evidence__source"
    )
    return get_object_or_404(rows, slug=slug)


@router.get("/gpus", response=GPUPage, operation_id="list_gpus", summary="GPUs")
def gpus(request, query: Query[PageQuery]):
    return page(request, query, GPU.objects.for_cards())


@router.get("/gpus/{slug}", response=GPUDetail, operation_id="get_gpu", summary="One GPU")
def gpu(request, slug: slug("nvidia-l40s")):
    return get_object_or_404(GPU.objects.for_page().prefetch_related("evidence__source"), slug=slug)


@router.get("/models", response=AIModelPage, operation_id="list_models", summary="AI models")
def models(request, query: Query[AIModelQuery]):
    return page(request, query, selectors.models_matching(query.q or "", query.kind or ""))


@router.get("/models/{slug}", response=AIModelDetail, operation_id="get_model", summary="One AI model")
def model(request, slug: slug("llama-3.1-8b")):
    rows = AIModel.objects.published().prefetch_related(
        "cache_groups", "parts", "measured_weights__source", "evidence__source"
    )
    return get_object_or_404(rows, slug=slug)


@router.get(
    "/workloads", response=WorkloadProfilePage, operation_id="list_workloads", summary="Kinds of work"
)
def workloads(request, query: Query[PageQuery]):
    return page(request, query, WorkloadProfile.objects.for_page())


@router.get(
    "/workloads/{slug}", response=WorkloadProfileOut, operation_id="get_workload", summary="One kind of work"
)
def workload(request, slug: slug("chat")):
    return get_object_or_404(WorkloadProfile.objects.for_page(), slug=slug)


@router.get(
    "/benchmarks", response=BenchmarkResultPage, operation_id="list_benchmarks", summary="Measured results"
)
def benchmarks(request, query: Query[BenchmarkResultQuery]):
    filters = results.Filters(request.GET)
    errors = [
        (name, problems.not_in_catalog(request.GET[name]))
        for name in filters.choices
        if request.GET.get(name, "").strip() and name not in filters.values
    ]
    return problems.bad_parameters(errors) if errors else page(request, query, filters.rows)


def _without_paging(query):
    """Return the parameters that are filters of servers; the others are named by `page`."""
    kept = QueryDict(mutable=True)
    for name, values in query.lists():
        if name in ServerFilter.base_filters:
            kept.setlist(name, values)
    return kept


def _server_errors(asked, filterset):
    """Return (key, text) of what the page would leave out or write beside the field."""
    errors = []
    for name, values in asked.lists():
        kept = Counter(filterset.data.getlist(name))
        strange = [value for value in values if value and not kept[value]]
        if strange:
            errors.append((name, problems.not_in_catalog(strange[0])))
    for name, texts in filterset.form.errors.items():
        errors.append((name, " ".join(texts)))
    return errors
