"""The catalog's part of the API: servers, GPUs, AI models, kinds of work and measured results."""

from collections import Counter
from typing import Annotated, Literal

from django.db.models import Case, Value, When
from django.http import QueryDict
from django.shortcuts import get_object_or_404
from ninja import Path, Query, Router
from pydantic import Field

from aiservers import problems
from aiservers.paging import PageQuery, page
from catalog import results, selectors
from catalog.api_schemas import (
    AIModelDetail,
    AIModelPage,
    BenchmarkResultPage,
    GPUDetail,
    GPUPage,
    ServerDetail,
    ServerPage,
    Stage,
    WorkloadProfileOut,
    WorkloadProfilePage,
)
from catalog.filters import ORDERABLE_FIRST, ORDERS, ServerFilter
from catalog.models import GPU, AIModel, Server, WorkloadProfile

MOST_MEMORY_GB = 1_000_000
LONGEST_TEXT = 100  # characters of a search or a name

router = Router(tags=["catalog"])


def slug(example):
    return Annotated[str, Path(examples=[example])]


Name = Annotated[str | None, Field(max_length=LONGEST_TEXT)]
Gigabytes = Annotated[
    float | None,
    Field(ge=0, le=MOST_MEMORY_GB, allow_inf_nan=False, description="GB, all cards of a server together."),
]


class ServerQuery(PageQuery):
    """The filters of the page of servers, under the same names; a figure nobody published meets no limit."""

    stage: Stage | None = None
    site: Literal["datacenter", "edge"] | None = None
    gpu: Name = Field(None, description="Slug of a GPU, or `unknown`: its list of GPUs is not published.")
    gpu_memory_min: Gigabytes = None
    gpu_memory_max: Gigabytes = None
    card_width: Literal["single", "double", "module"] | None = None
    rack_units: list[Annotated[str, Field(max_length=LONGEST_TEXT)]] | None = Field(
        None,
        description="Heights; a tray counts with its enclosure. `unknown`: not published.",
        max_length=20,
    )
    kind: list[Literal["rack", "tray", "edge", "tower"]] | None = Field(None, max_length=20)
    cooling: Literal["air", "liquid", "unknown"] | None = None
    cpu_vendor: Name = Field(None, description="Slug of the maker of the processors.")
    sort: Literal["name", "gpu_memory", "height", "newest"] = Field(
        "name", description="What cannot be ordered any more comes last in every order."
    )


class AIModelQuery(PageQuery):
    q: Name = Field(None, description="Words of the name, the developer, the family or the slug.")
    kind: Literal["llm", "vlm", "embedding", "reranker", "asr", "image_generation", "vision"] | None = None


class BenchmarkResultQuery(PageQuery):
    gpu: Name = Field(None, description="Slug of a GPU.")
    model: Name = Field(None, description="Slug of an AI model.")
    server: Name = Field(None, description="Slug of a server.")
    work: Literal["inference", "training"] | None = None
    suite: Name = Field(None, description="Who published it.")


@router.get("/servers", response=ServerPage, operation_id="list_servers", summary="Servers")
def servers(request, query: Query[ServerQuery]):
    asked = _without_paging(request.GET)
    filterset = ServerFilter(asked, Server.objects.for_cards())
    if errors := _server_errors(asked, filterset):
        return problems.bad_parameters(errors)
    rows = filterset.qs.order_by(
        Case(When(ORDERABLE_FIRST, then=Value(0)), default=Value(1)), *ORDERS[query.sort], "sort_key"
    )
    return page(request, query, rows) | {
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
    """Return the parameters that are filters of servers or are to be named as unknown."""
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
