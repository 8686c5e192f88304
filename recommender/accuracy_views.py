"""How far to trust the figures: an overview, and a page for each figure with every case."""

from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_safe

from catalog.guides import texts
from catalog.models import GPU, AIModel
from recommender import accuracy, accuracy_page

CASES_PER_PAGE = 50


@require_safe
def overview(request):
    """All figures with their errors, what was not predicted, and how the same is guessed by simpler means."""
    context = accuracy_page.overview(_stored(), _names()) | {"text": texts.shown("how-we-compute")}
    return render(request, "recommender/accuracy.html", context)


@require_safe
def figure(request, family, figure):
    """One figure: every case beside what was measured, drawn and in a table, the worst first."""
    stored = _stored()
    found = accuracy_page.figure_named(stored, family, figure) if stored else None
    if found is None:
        raise Http404
    names, notes = _names(), accuracy.notes(accuracy.notes_file(settings.BASE_DIR / "fixtures"))
    page = Paginator(found["cases"], CASES_PER_PAGE).get_page(request.GET.get("page"))
    context = accuracy_page.figure(found, names) | {
        "page": page,
        "cases": [accuracy_page.case(found, one, names, notes) for one in page],
    }
    return render(request, "recommender/accuracy_figure.html", context)


def _stored():
    return accuracy.stored(accuracy.stored_file(settings.BASE_DIR / "fixtures"))


def _names():
    """Return what the cases' models and cards are called, as far as they have pages."""
    return {
        "ai_model": dict(AIModel.objects.published().values_list("slug", "name")),
        "gpu": dict(GPU.objects.published().values_list("slug", "name")),
    }
