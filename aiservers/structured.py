"""Structured data: what a page shows, once more for search engines and assistants (schema.org as JSON-LD).

A view puts a list of what is made here, or in a module of its app, into its context as `structured`, and
base.html writes it into pages that search engines may list. Only what the reader sees on the page and the
catalog holds: no offers, ratings or prices, nothing for what is not published. Breadcrumbs make their own.
"""

from django.conf import settings
from django.urls import reverse
from django.utils.translation import get_language

CONTEXT = "https://schema.org"


def absolute(path):
    """Return the public address of a path."""
    return f"{settings.SITE_URL}{path}"


def thing(kind, **properties):
    """Return a thing of schema.org without the properties that are not known."""
    known = {name: value for name, value in properties.items() if value not in (None, "", [])}
    return {"@context": CONTEXT, "@type": kind} | known


def part(kind, **properties):
    """Return a thing that stands inside another one."""
    made = thing(kind, **properties)
    del made["@context"]
    return made


def organization():
    """Return the vendor whose site this is."""
    return part("Organization", name=settings.VENDOR_NAME, url=absolute("/"))


def website():
    """Return the site itself with its search, for its home page."""
    address = f"{absolute(reverse('catalog:search'))}?q={{search_term_string}}"
    search = part("SearchAction", target=part("EntryPoint", urlTemplate=address)) | {
        "query-input": "required name=search_term_string"
    }
    return thing(
        "WebSite",
        name=settings.VENDOR_NAME,
        url=absolute(reverse("catalog:home")),
        inLanguage=get_language(),
        publisher=organization(),
        potentialAction=search,
    )


def breadcrumbs(steps):
    """Return where a page stands; `steps` are (name, path), the last one the page itself without a path."""
    items = [
        part("ListItem", position=position, name=str(name), item=path and absolute(path))
        for position, (name, path) in enumerate(steps, 1)
    ]
    return thing("BreadcrumbList", itemListElement=items)


def item_list(name, rows, first=1):
    """Return a list of pages; `rows` are (name, path) in the order of the page, from the place `first` on."""
    items = [
        part("ListItem", position=position, name=str(text), url=absolute(path))
        for position, (text, path) in enumerate(rows, first)
    ]
    return thing("ItemList", name=str(name), numberOfItems=len(items), itemListElement=items)
