"""The list of measured results."""

from django.shortcuts import render
from django.views.decorators.http import require_safe

from aiservers.htmx import template_for
from aiservers.pages import page_of
from catalog import results

PER_PAGE = 50


@require_safe
def result_list(request):
    """Every published measurement, by GPU, model, server, work and publisher."""
    filters = results.Filters(request.GET)
    page, strange = page_of(request, filters.rows, PER_PAGE)
    context = {
        "filters": filters,
        "notices": [*filters.notices, *strange],
        "page": page,
        "lines": [results.line(row) for row in page],
    }
    return render(request, template_for(request, "catalog/result_list.html", partial="results"), context)
