"""The catalog's pages: what is asked is read here, what is shown comes from filters and selectors."""

from django.core.paginator import Paginator
from django.db.models import Case, Value, When
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from aiservers.addresses import canonical_redirect
from aiservers.htmx import template_for
from catalog import results, selectors
from catalog.filters import NOT_FILTERS, ORDERABLE_FIRST, ORDERS, SORTS, ServerFilter
from catalog.models import GPU, Server
from catalog.templatetags.units import format_number
from catalog.views_models import holds_table
from catalog.views_precisions import precision_table
from recommender import services

PER_PAGE = 12
NUMBER_KEYS = ("gpu_memory_min", "gpu_memory_max")


@require_safe
def home(request):
    context = {"profiles": selectors.profiles(), "heights": selectors.one_a_height()}
    return render(request, "catalog/home.html", context)


@require_safe
def server_list(request):
    if redirect := canonical_redirect(request, NUMBER_KEYS):
        return redirect
    filterset = ServerFilter(request.GET, Server.objects.for_cards())
    sort = request.GET.get("sort", "")
    sort = sort if sort in ORDERS else "name"
    servers = filterset.qs.order_by(
        Case(When(ORDERABLE_FIRST, then=Value(0)), default=Value(1)), *ORDERS[sort], "sort_key"
    )
    page = Paginator(servers, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "filterset": filterset,
        "page": page,
        "cards": [selectors.server_card(server) for server in page],
        "total": format_number(page.paginator.count),
        "sort": sort,
        "sorts": SORTS,
        "noindex": len([key for key in request.GET if key not in NOT_FILTERS]) > 1,
    }
    return render(request, template_for(request, "catalog/server_list.html", partial="results"), context)


@require_safe
def server(request, slug):
    row = get_object_or_404(Server.objects.for_page(), slug=slug)
    context = {"holds": holds_table(services.held_by_server(row)), "measured": results.section(server=row)}
    return render(request, "catalog/server.html", selectors.server_page(row) | context)


@require_safe
def gpu_list(request):
    return render(request, "catalog/gpu_list.html", {"makers": selectors.gpu_list()})


@require_safe
def gpu(request, slug):
    row = get_object_or_404(GPU.objects.for_page(), slug=slug)
    context = {"engines": precision_table(services.precisions_of(row)), "measured": results.section(gpu=row)}
    return render(request, "catalog/gpu.html", selectors.gpu_page(row) | context)


@require_safe
def legal(request):
    return render(request, "catalog/legal.html")
