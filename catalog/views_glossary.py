"""The glossary: one page, an anchor a term."""

from django.shortcuts import render
from django.views.decorators.http import require_safe

from catalog import structured
from catalog.glossary import by_subject


@require_safe
def glossary(request):
    subjects = by_subject()
    context = {"subjects": subjects, "structured": [structured.glossary(subjects)] if subjects else []}
    return render(request, "catalog/glossary.html", context)
