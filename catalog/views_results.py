"""The list of measured results."""

from django.core.paginator import Paginator
from django.shortcuts import render
from django.views.decorators.http import require_safe

from aiservers.htmx import template_for
from catalog import results

PER_PAGE = 50


@require_safe
def result_list(request):
    """Every published measurement, by GPU, model, server, work and publisher."""
    filters = results.Filters(request.GET)
    page = Paginator(filters.rows, PER_PAGE).get_page(request.GET.get("page"))
    context = {"filters": filters, "page": page, "lines": [results.line(row) for row in page]}
    return render(request, template_for(request, "catalog/result_list.html", partial="results"), context)
