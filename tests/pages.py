"""Every public page: found in the addresses, with an object for those that show one.

A page that needs an object and has no sample here fails the tests that walk over all pages.
"""

from dataclasses import dataclass, field
from html.parser import HTMLParser

from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils.translation import override

from catalog.models import GPU, Server

LANGUAGES = ["es", "ru", "en"]


@dataclass(frozen=True)
class Page:
    """A view with what it needs; `query` is part of what makes it another type of page."""

    view_name: str
    kwargs: dict = field(default_factory=dict)
    query: str = ""

    def path(self, language):
        with override(language):
            path = reverse(self.view_name, kwargs=self.kwargs)
        return f"{path}?{self.query}" if self.query else path

    def __str__(self):
        return f"{self.view_name}?{self.query}" if self.query else self.view_name


def public_view_names():
    """Return the names of the views under a language, in the order of the addresses."""
    names = []

    def walk(patterns, namespace):
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                walk(pattern.url_patterns, pattern.namespace or namespace)
            elif isinstance(pattern, URLPattern) and namespace in {"catalog", "recommender"}:
                names.append(f"{namespace}:{pattern.name}")

    walk(get_resolver().url_patterns, "")
    return names


CHAT = "workload=chat&model=llama-3-3-70b&concurrency=32&context_tokens=8000"

# What the address needs, and the questions that make a page show much. Called with the catalog loaded.
SAMPLES = {
    "catalog:server": lambda: [
        Page("catalog:server", {"slug": row.slug}) for row in Server.objects.published()
    ],
    "catalog:gpu": lambda: [Page("catalog:gpu", {"slug": row.slug}) for row in GPU.objects.published()],
    "catalog:server_list": lambda: [
        Page("catalog:server_list", query=query) for query in ("", "stage=training")
    ],
    "recommender:results": lambda: [
        Page("recommender:results", query=query)
        for query in (CHAT, f"{CHAT}&rack_units=1&hypothesis=concurrency")
    ],
}


def pages(view_name):
    """Return the pages of a view: its samples, else the view alone."""
    return SAMPLES[view_name]() if view_name in SAMPLES else [Page(view_name)]


class Document(HTMLParser):
    """What a page asks the browser to do, and the texts that a reader sees or hears."""

    VOID = {
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "source",
        "track",
        "wbr",
    }
    UNSEEN = {"script", "style", "template"}
    SPOKEN = {"alt", "title", "aria-label", "aria-description", "placeholder", "aria-roledescription"}

    def __init__(self, html):
        super().__init__()
        self.elements = []  # (tag, attributes)
        self.texts = []  # outside of what is marked as another language
        self.scripts = []  # code written into the page
        self._open = []  # (tag, is hidden from these tests)
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        hidden = self._hidden() or tag in self.UNSEEN or (tag != "html" and "lang" in attributes)
        if not hidden:
            spoken = [value for name, value in attrs if name in self.SPOKEN]
            if tag == "input" and attributes.get("type") in {"submit", "button"}:
                spoken.append(attributes.get("value"))
            if tag == "meta" and attributes.get("name") == "description":
                spoken.append(attributes.get("content"))
            self.texts += filter(None, spoken)
        if tag not in self.VOID:
            self._open.append((tag, hidden))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        while self._open and any(name == tag for name, _ in self._open):
            if self._open.pop()[0] == tag:
                break

    def handle_data(self, data):
        if not self._hidden() and data.strip():
            self.texts.append(" ".join(data.split()))
        elif self._open and self._open[-1][0] in {"script", "style"} and data.strip():
            self.scripts.append(data)

    def _hidden(self):
        return bool(self._open) and self._open[-1][1]
