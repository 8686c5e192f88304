"""Readers say that a figure is wrong: a form of its own for each figure, and thanks for it."""

from django.db import models
from django.http import Http404, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods, require_safe

from aiservers import throttling
from catalog import figures
from catalog.models import GPU, AIModel, ErrorReport, GPUOption, Server, Variant
from catalog.report_forms import ErrorReportForm

LIMIT = 12  # reports an hour from one address
# What a row's page depends on: whether its server is published.
SERVERS = {"variant": "server", "option": "variant__server"}
RELATED = {"variant": ["server"], "option": ["variant__server", "gpu"]}
PAGES = {Server: "server", GPU: "gpu", AIModel: "ai_model"}


@require_http_methods(["GET", "HEAD", "POST"])
def report(request, kind, pk, field):
    """Say what is wrong with one figure."""
    row = subject(kind, pk)
    if field not in row.evidence_fields() or isinstance(row._meta.get_field(field), models.TextField):
        raise Http404("no such figure")
    shown = figures.with_unit(row, field)
    form = ErrorReportForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        if wait := throttling.seconds_to_wait(request.META["REMOTE_ADDR"], "report", LIMIT, throttling.HOUR):
            return throttling.too_many(request, wait)
        if form.is_valid():
            found = form.save(commit=False)
            setattr(found, kind, row)
            found.field, found.shown, found.language = field, shown[:300], get_language()
            found.about = name_of(row)[:300]
            found.save()
            return HttpResponseRedirect(reverse("reports:sent", args=[kind, pk]))
    context = {
        "report_form": form,
        "about": name_of(row),
        "label": capfirst(figures.label(type(row), field)),
        "shown": shown,
        "page_url": page_of(row),
    }
    return render(request, "catalog/report.html", context)


@require_safe
def sent(request, kind, pk):
    """Thank a reader, and lead back to the page."""
    row = subject(kind, pk)
    return render(request, "catalog/report_sent.html", {"about": name_of(row), "page_url": page_of(row)})


def subject(kind, pk):
    """Return a row of the catalog that readers see."""
    model = ErrorReport.subject_models().get(kind)
    if model is None:
        raise Http404("no such kind of row")
    owner = SERVERS.get(kind)
    published = f"{owner}__is_published" if owner else "is_published"
    rows = model.objects.select_related(*RELATED[kind]) if kind in RELATED else model.objects
    return get_object_or_404(rows, pk=pk, **{published: True})


def name_of(row):
    """Return which row it is: a server, a base model of it, a GPU in it; a GPU or an AI model."""
    # A variant that is the only one has its server's name: said once.
    return ", ".join(dict.fromkeys(part.name for part in _path_to(row)))


def page_of(row):
    """Return the address of the page that shows a row."""
    shown = _path_to(row)[0]
    return reverse(f"catalog:{PAGES[type(shown)]}", args=[shown.slug])


def _path_to(row):
    """Return the row with what it belongs to, the page's own first."""
    if isinstance(row, GPUOption):
        return [row.variant.server, row.variant, row.gpu]
    return [row.server, row] if isinstance(row, Variant) else [row]
