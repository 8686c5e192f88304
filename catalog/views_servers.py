"""The list of servers, as a page and as files."""

from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from aiservers.addresses import canonical_redirect
from aiservers.htmx import redirect_to, template_for
from aiservers.pages import page_of
from catalog import compare, structured, versions
from catalog.filtering import answers, files, orders, table
from catalog.filtering.facets import NUMBER_KEYS, SIGNED_KEYS
from catalog.filters import MARKS, ServerFilter, plain_query
from catalog.models import Server

PER_PAGE = 12
# Columns of the table that it can be ordered by.
SORTABLE = ("name", "height", "memory_each", "gpu_memory", "memory_per_u", "power_per_u")


@require_safe
def server_list(request):
    if redirect := canonical_redirect(request, NUMBER_KEYS, SIGNED_KEYS):
        return redirect
    if request.GET.get("to") == "compare":
        return redirect_to(request, _comparison(request.GET.getlist(MARKS)))
    filterset = ServerFilter(request.GET, Server.objects.for_cards())
    if request.GET.get("to") == "questionnaire":
        return redirect_to(request, _recommend(filterset)["url"])
    marked = compare.chosen(request.GET.getlist(MARKS), Server.objects.published())
    filterset.data.setlist(MARKS, marked.slugs)
    sort = orders.known(request.GET.get("sort"))
    page, strange = page_of(request, filterset.ordered(sort), PER_PAGE)
    rows = table.rows(filterset, page.object_list)
    servers = [row.card.server for row in rows]
    context = {
        "filterset": filterset,
        "page": page,
        "notices": [*filterset.notices, *strange, *marked.notices],
        "rows": rows,
        "marks": _marks(filterset, marked, servers),
        "no_filters": plain_query(filterset.data, only=("sort", MARKS)),
        "sort": sort,
        "sorts": orders.SORTS,
        "columns": _columns(filterset, sort),
        "recommend": _recommend(filterset),
        "files": _files(filterset),
        "structured": [structured.servers(gettext("Servers"), servers, page.start_index())] if rows else [],
    }
    return render(request, template_for(request, "catalog/server_list.html", partial="results"), context)


@require_safe
def server_file(request, file_format):
    filterset = ServerFilter(request.GET, Server.objects.for_cards())
    found = filterset.ordered(orders.known(request.GET.get("sort")))
    rows = table.rows(filterset, found[: files.MAX_ROWS])
    _name, content_type, make = files.FORMATS[file_format]
    about = {
        "catalog_version": versions.current(),
        "total": len(found),
        "filters": plain_query(filterset.data, compare="").removeprefix("?"),
        "notices": filterset.notices,
    }
    response = HttpResponse(make(rows, about), content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="servers.{file_format}"'
    return response


def _columns(filterset, sort):
    """Return {column: (link to its order, or the other way round, and the current direction)}.

    The direction is a value of `aria-sort`, empty where the list is not ordered by the column.
    """
    columns = {}
    for key in SORTABLE:
        largest_first = orders.KEYS[key][1]
        direction = ""
        if sort.removeprefix("-") == key:
            direction = "descending" if largest_first != sort.startswith("-") else "ascending"
        wanted = f"-{key}" if sort == key else key
        query = plain_query(filterset.data, sort="" if wanted == orders.DEFAULT else wanted)
        columns[key] = {"query": query, "direction": direction}
    return columns


def _comparison(slugs):
    """Return the address of the comparison of some servers."""
    query = QueryDict(mutable=True)
    query.setlist("server", [slug for slug in slugs if slug])
    return f"{reverse('catalog:compare')}?{query.urlencode()}"


def _marks(filterset, marked, shown):
    """Return the servers marked for a comparison, each with the query without it, and where they stand."""
    rows = []
    for server in marked.servers:
        rest = filterset.data.copy()
        rest.setlist(MARKS, [slug for slug in marked.slugs if slug != server.slug])
        rows.append({"server": server, "query": plain_query(rest)})
    here = {server.slug for server in shown}
    return {
        "rows": rows,
        "slugs": marked.slugs,
        "elsewhere": [slug for slug in marked.slugs if slug not in here],
        "is_full": len(rows) == compare.MOST,
        "most": compare.MOST,
    }


def _recommend(filterset):
    """Return the questionnaire begun with the filters as answers, which those are, and which have none."""
    query, taken, left = answers.of(filterset)
    address = reverse("recommender:questionnaire")
    return {
        "url": f"{address}?{query.urlencode()}" if query else address,
        "taken": _listed(taken),
        "left": _listed(left),
    }


def _listed(active):
    return "; ".join(f"{row['label']}: {row['value']}" for row in active)


def _files(filterset):
    """Return [(name of the format, address of the file)] of the list as it is filtered and ordered."""
    query = plain_query(filterset.data, compare="").removeprefix("?")
    return [
        (name, f"{reverse('catalog:server_file', args=[file_format])}{query and '?'}{query}")
        for file_format, (name, _content_type, _make) in files.FORMATS.items()
    ]
