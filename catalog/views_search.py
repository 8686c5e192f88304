"""The search page: what is asked is read here, what is found comes from `search.query`."""

import unicodedata

from django.core.paginator import Paginator
from django.shortcuts import render
from django.utils.translation import get_language, gettext as _, ngettext
from django.views.decorators.http import require_safe

from aiservers.htmx import template_for
from catalog.search import query, registry
from catalog.templatetags.units import format_number

SHOWN = 5  # pages of each kind, before a reader asks for all of one kind
PER_PAGE = 20
MAX_TYPED = 1000  # characters that the field gets back of a text that is too long anyway
# What a reader can type, as examples; those that find nothing here are not shown.
EXAMPLES = ("SR650 V3", "8x H100", "Llama 3.3 70B", "1U")


@require_safe
def search(request):
    """Pages of every kind that have the words of `q`, grouped; all of one kind with `kind`."""
    typed = readable(request.GET.get("q", ""))
    context = {"typed": typed[:MAX_TYPED], "error": error_of(typed), "counted": ""}
    if typed and not context["error"]:
        context |= found_context(typed, request)
    elif not typed:
        context["examples"] = [text for text in EXAMPLES if query.search(text, get_language()).total]
    return render(request, template_for(request, "catalog/search.html", partial="found"), context)


def readable(text):
    """Return a typed text without what cannot be seen: control and direction characters, doubled spaces."""
    visible = "".join(
        character if unicodedata.category(character)[0] != "C" else " "
        for character in text
        if unicodedata.category(character) != "Cf"
    )
    return " ".join(visible.split())


def error_of(text):
    """Return what is wrong with a text, "" where it can be searched for."""
    if len(text) > query.MAX_LENGTH:
        return ngettext(
            "This has %(length)s characters; the search takes up to %(most)s. Keep the words that matter "
            "most.",
            "This has %(length)s characters; the search takes up to %(most)s. Keep the words that matter "
            "most.",
            len(text),
        ) % {"length": format_number(len(text)), "most": format_number(query.MAX_LENGTH)}
    if text and not query.has_words(text):
        return _("There is no letter or digit in this. Type a name, a model number or a word.")
    return ""


def found_context(text, request):
    """Return what the part of the page below the field shows."""
    found = query.search(text, get_language())
    instead = ""
    if not found.total and found.meant:
        instead, found = found.suggestion, found.meant
    kind = registry.kind_named(request.GET.get("kind", ""))
    groups = [group for group in found.groups if kind is None or group.kind is kind]
    if kind is not None and not groups:  # the words changed, the kind stayed in the address
        kind, groups = None, found.groups
    page = Paginator(groups[0].ids, PER_PAGE).get_page(request.GET.get("page")) if kind else None
    return {
        "found": found,
        "instead": instead,
        "counted": counted(len(groups[0].ids) if kind else found.total),
        "only": kind,
        "page": page,
        "groups": [
            {
                "kind": group.kind,
                "count": format_number(len(group.ids)),
                "results": query.results(group, page.object_list if page else group.ids[:SHOWN]),
                "has_more": not page and len(group.ids) > SHOWN,
            }
            for group in groups
        ],
    }


def counted(total):
    return ngettext("%(count)s result", "%(count)s results", total) % {"count": format_number(total)}
