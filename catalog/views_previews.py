"""What is written of a guide or of a text of the site, as its public page will show it."""

from django.core.signing import BadSignature, SignatureExpired
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import resolve, reverse
from django.utils.translation import get_language, override
from django.views.decorators.http import require_safe

from aiservers.context_processors import OWN_NAMES
from catalog import views_guides
from catalog.guides import article, previews, texts
from catalog.models import Guide

# Pages that show a text of the site.
PAGES = {"home": "catalog:home", "legal": "catalog:legal", "how-we-compute": "recommender:accuracy"}


@require_safe
def guide(request, token):
    """The page as it would be published now; a link that has run out says so."""
    try:
        pk, language = previews.read(token)
    except SignatureExpired:
        return render(request, "catalog/guide_preview_expired.html", status=410)
    except BadSignature as error:
        raise Http404 from error
    row = get_object_or_404(Guide, pk=pk)
    if language != get_language():
        with override(language):
            return redirect("previews:guide", token)
    by_language = article.guides_by_language()
    made = article.of_draft(row, language, article.slugs_in(language, by_language))
    if row.kind == Guide.Kind.TEXT:
        return _page_with_text(request, row, made)
    request.language_paths = views_guides.language_paths(row, by_language)
    context = views_guides.page(made.edition, by_language, made)
    return render(request, "catalog/guide_preview.html", context)


def _page_with_text(request, row, made):
    """Return the page of the site that shows a text, with what is written of it now."""
    if row.key not in PAGES:
        raise Http404
    paths = {}
    for code in OWN_NAMES:
        with override(code):
            paths[code] = reverse(PAGES[row.key]), True
    request.language_paths = paths
    with texts.shown_as(row.key, made):
        return resolve(paths[get_language()][0]).func(request)
