"""The site's own texts: edited, translated and published as guides are, shown inside other pages."""

from contextlib import contextmanager
from contextvars import ContextVar

from django.utils.translation import get_language

from catalog.guides import article
from catalog.models import Guide, GuideEdition

_previewed = ContextVar("previewed_text", default=("", None))  # its key, and the Article shown of it


def shown(key):
    """Return {"title", "summary", "html"} of a text in the active language; None: nobody has published it.

    One query, and those of what it shows of guides and catalog.
    """
    previewed, made = _previewed.get()
    if key == previewed:
        return _parts(made)
    texts = GuideEdition.objects.live().filter(guide__kind=Guide.Kind.TEXT, guide__key=key)
    edition = texts.filter(language=get_language()).select_related("guide").first()
    if edition is None:
        return None
    links = "(guide:" in edition.body
    guides = article.slugs_in(edition.language, article.guides_by_language()) if links else {}
    return _parts(article.of_edition(edition, guides))


def _parts(made):
    return {"title": made.edition.title, "summary": made.edition.summary, "html": made.html}


@contextmanager
def shown_as(key, made):
    """Show a text as this Article, to whoever reads inside."""
    token = _previewed.set((key, made))
    try:
        yield
    finally:
        _previewed.reset(token)
