"""The page of servers side by side: what is asked for stands in its address, answers included."""

from django.http import QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from catalog import compare
from catalog.filters import MARKS
from catalog.models import Server
from catalog.templatetags.rack import card_count
from recommender import services_comparison


@require_safe
def compare_servers(request):
    """Two to four servers: for the load of the address, if it has one, and by their specification."""
    chosen = compare.chosen(request.GET.getlist("server"), Server.objects.for_page())
    context = {"chosen": chosen, "others": compare.others(chosen.servers)}
    load = services_comparison.comparison(request.GET, chosen.slugs if chosen.is_comparison else [])
    notices = chosen.notices + load["notices"]
    if len(chosen.servers) == 1:
        notices.append(gettext("One server has nothing to be compared with: add another."))
    context |= {"load": load, "hidden": _pairs(load["query"])}
    if chosen.is_comparison:
        table, more = _table(request.GET, chosen, load)
        context |= table
        notices += more
    context["notices"] = notices
    context["fields"] = range(max(1, compare.LEAST - len(chosen.servers)))
    context["list_url"] = _list_with_marks(chosen.slugs)
    context["has_room"] = len(chosen.servers) < compare.MOST
    return render(request, "catalog/compare.html", context)


def _table(query, chosen, load):
    """Return what the table prints, and notes on what the address asks of it."""
    spec = compare.specification(chosen.servers)
    groups = load["groups"] + spec.groups
    known = compare.orders(groups)
    sort, notices = query.get("sort", ""), []
    if sort and sort.removeprefix("-") not in known:
        notices.append(gettext("The servers cannot be put in the order that the address asks for."))
        sort = ""
    only = query.get("differences") == "1"
    if query.get("differences", "1") not in ("1", ""):
        notices.append(gettext("“differences” in the address can only be 1. It was left out."))
    places = compare.order(groups, len(chosen.servers), sort)
    shown = compare.arranged(groups, places, differences_only=only)
    link = _linker(chosen.slugs, load["query"], sort, only)
    columns = []
    for place in places:
        server, card = chosen.servers[place], spec.cards[place]
        rest = [slug for slug in chosen.slugs if slug != server.slug]
        columns.append(
            {
                "server": server,
                "drawing": card.drawing,
                "caption": card_count(card.drawing["cards"], card.drawing["count"])
                if card.drawing["cards"]
                else "",
                "match": load["racks"].get(server.slug),
                "without": link(slugs=rest),
            }
        )
    table = {
        "columns": columns,
        "groups": [
            {"title": group.title, "rows": [_row(row, known, sort, link) for row in group.rows]}
            for group in shown
        ],
        "width": len(columns) + 1,
        "only": only,
        "switch": link(only=not only),
        "chosen_order": link(sort="") if sort else "",
        "sort": sort,
        "sources": spec.sources,
        "disagreements": spec.disagreements,
    }
    return table, notices


def _row(row, known, sort, link):
    """Return a row with the link that orders the servers by it, the largest first or the other way round."""
    direction = ""
    if sort.removeprefix("-") == row.key:
        direction = "descending" if sort.startswith("-") else "ascending"
    wanted = row.key if direction == "descending" else f"-{row.key}" if direction else row.key
    return {"row": row, "direction": direction, "url": link(sort=wanted) if row.key in known else ""}


def _linker(slugs, answers, sort, only):
    """Return a function that makes addresses of this comparison with something changed."""
    path = reverse("catalog:compare")
    now = {"slugs": slugs, "sort": sort, "only": only}

    def link(**changes):
        wanted = now | changes
        query = QueryDict(mutable=True)
        query.setlist("server", wanted["slugs"])
        for name, texts in answers.lists():
            query.setlist(name, texts)
        if wanted["sort"]:
            query["sort"] = wanted["sort"]
        if wanted["only"]:
            query["differences"] = "1"
        return f"{path}?{query.urlencode()}"

    return link


def _list_with_marks(slugs):
    """Return the address of the list of servers in which these are marked."""
    query = QueryDict(mutable=True)
    query.setlist(MARKS, slugs)
    address = reverse("catalog:server_list")
    return f"{address}?{query.urlencode()}" if slugs else address


def _pairs(query):
    return [(name, text) for name, texts in query.lists() for text in texts]
