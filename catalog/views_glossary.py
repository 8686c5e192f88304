"""The glossary: one page, an anchor a term."""

from django.shortcuts import render
from django.views.decorators.http import require_safe

from catalog.glossary import by_subject


@require_safe
def glossary(request):
    return render(request, "catalog/glossary.html", {"subjects": by_subject()})
