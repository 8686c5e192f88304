"""The site's own texts: edited, translated and published as guides are, shown inside other pages."""

from django.core.cache import cache
from django.utils.translation import get_language

from catalog.guides import article, live, schedule
from catalog.models import Guide, GuideEdition

KEPT_SECONDS = 24 * 3600


def shown(key):
    """Return {"title", "summary", "html"} of a text in the active language; None: nobody has published it.

    Read once for each state of the catalog and of the texts.
    """
    language = get_language()
    name = f"site-text:{key}:{language}:{live.source()}:{schedule.state()}"
    return cache.get_or_set(name, lambda: _read(key, language), KEPT_SECONDS) or None


def _read(key, language):
    editions = GuideEdition.objects.live().for_page().filter(guide__kind=Guide.Kind.TEXT, guide__key=key)
    edition = editions.filter(language=language).first()
    if edition is None:
        return {}
    made = article.of_edition(edition, article.slugs_in(language, article.guides_by_language()))
    return {"title": edition.title, "summary": edition.summary, "html": made.html}
