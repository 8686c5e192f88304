"""Every public page: found in the addresses, with an object for those that show one.

A page that needs an object and has no sample here fails the tests that walk over all pages.
"""

from dataclasses import dataclass, field

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


# What the address needs, and the questions that make a page show much. Called with the catalog loaded.
SAMPLES = {
    "catalog:server_detail": lambda: [
        Page("catalog:server_detail", {"slug": server.slug}) for server in Server.objects.published()
    ],
    "catalog:gpu_detail": lambda: [
        Page("catalog:gpu_detail", {"slug": gpu.slug}) for gpu in GPU.objects.published()
    ],
}


def pages(view_name):
    """Return the pages of a view: its samples, else the view alone."""
    return SAMPLES[view_name]() if view_name in SAMPLES else [Page(view_name)]
