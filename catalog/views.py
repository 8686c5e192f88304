"""The catalog's pages: what is asked is read here, what is shown comes from filters and selectors."""

from django.shortcuts import get_object_or_404, render
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_safe

from aiservers.structured import website
from catalog import gpu_names, results, selectors, selectors_server, structured
from catalog.guides import article, texts
from catalog.models import GPU, Server
from catalog.views_models import gpu_table, holds_table, most_gpus
from catalog.views_precisions import precision_table
from recommender import services


@require_safe
def home(request):
    context = {
        "profiles": selectors.profiles(),
        "heights": selectors.one_a_height(),
        "guides": article.newest(get_language()),
        "structured": [website()],
        "text": texts.shown("home"),
    }
    return render(request, "catalog/home.html", context)


@require_safe
def server(request, slug):
    row = get_object_or_404(Server.objects.for_page(), slug=slug)
    page = selectors_server.server_page(row)
    context = {
        "holds": holds_table(services.held_by_server(row)),
        "measured": results.section(server=row),
        "structured": [structured.server(row, page["card"])],
    }
    return render(request, "catalog/server.html", page | context)


@require_safe
def gpu_list(request):
    makers = selectors.gpu_list()
    rows = [row for _maker, gpus in makers for row in gpus]
    listed = structured.pages_of(gettext("GPUs and accelerators"), "catalog:gpu", rows)
    return render(request, "catalog/gpu_list.html", {"makers": makers, "structured": [listed]})


@require_safe
def gpu(request, slug):
    row = get_object_or_404(GPU.objects.for_page(), slug=slug)
    page = selectors.gpu_page(row)
    context = {
        "lifecycle_note": gpu_names.linked(row.lifecycle_note, own=row),
        "engines": precision_table(services.precisions_of(row)),
        "measured": results.section(gpu=row),
        "on_gpu": gpu_table(services.held_by_gpu(row, most_gpus(page["options"]))),
        "tokens": services.REFERENCE_TOKENS,
        "structured": [structured.gpu(row)],
    }
    return render(request, "catalog/gpu.html", page | context)


@require_safe
def legal(request):
    return render(request, "catalog/legal.html", {"text": texts.shown("legal")})
