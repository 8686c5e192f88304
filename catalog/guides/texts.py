"""The site's own texts: edited, translated and published as guides are, shown inside other pages."""

from django.utils.translation import get_language

from catalog.guides import article
from catalog.models import Guide, GuideEdition


def shown(key):
    """Return {"title", "summary", "html"} of a text in the active language; None: nobody has published it.

    One query, and those of what it shows of guides and catalog.
    """
    texts = GuideEdition.objects.live().filter(guide__kind=Guide.Kind.TEXT, guide__key=key)
    edition = texts.filter(language=get_language()).select_related("guide").first()
    if edition is None:
        return None
    links = "(guide:" in edition.body
    guides = article.slugs_in(edition.language, article.guides_by_language()) if links else {}
    made = article.of_edition(edition, guides)
    return {"title": edition.title, "summary": edition.summary, "html": made.html}
