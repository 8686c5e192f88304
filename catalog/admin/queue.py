"""What waits for staff: figures to check again, readers' reports, and sources that disagree."""

from urllib.parse import urlencode

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from catalog import checking, figures
from catalog.models import ErrorReport, Evidence
from catalog.models.evidence import SUBJECTS

A_PAGE = 25
TABS = {
    "checks": gettext_lazy("To check again"),
    "reports": gettext_lazy("Readers' reports"),
    "conflicts": gettext_lazy("Sources disagree"),
}
DECISIONS = {
    "accept": ErrorReport.Status.ACCEPTED,
    "correct": ErrorReport.Status.DONE,
    "reject": ErrorReport.Status.REJECTED,
}


def waiting(undecided=None):
    """Return {tab: how much waits there}; `undecided` are the figures to decide on, if at hand."""
    return {
        "checks": checking.due().count(),
        "reports": ErrorReport.objects.open().count(),
        "conflicts": len(checking.undecided() if undecided is None else undecided),
    }


class QueueViews(admin.ModelAdmin):
    """The queue and its actions; mixed into the pages of evidence, before HistoryAdmin."""

    def get_urls(self):
        pages = [
            ("queue/", require_safe(self.queue_view), "queue"),
            ("queue/checked/", require_POST(self.checked_view), "checked"),
            ("queue/report/<int:pk>/", require_POST(self.report_view), "report"),
            ("conflict/<str:kind>/<int:pk>/<str:field>/", self.conflict_view, "conflict"),
        ]
        wrap = self.admin_site.admin_view
        own = [path(route, wrap(view), name=f"catalog_evidence_{name}") for route, view, name in pages]
        return [*own, *super().get_urls()]

    # --- the queue ---------------------------------------------------------------------------------

    def queue_view(self, request):
        tab = request.GET.get("tab") if request.GET.get("tab") in TABS else "checks"
        kind = request.GET.get("kind") if request.GET.get("kind") in SUBJECTS else ""
        may = {
            "check": request.user.has_perm("catalog.change_evidence"),
            "see_reports": request.user.has_perm("catalog.view_errorreport"),
            "report": request.user.has_perm("catalog.change_errorreport"),
            "decide": request.user.has_perm("catalog.decide_evidence"),
        }
        if not self.has_view_permission(request) or (tab == "reports" and not may["see_reports"]):
            raise PermissionDenied
        undecided = checking.undecided()
        page = Paginator(self.waiting_rows(tab, kind, undecided), A_PAGE).get_page(request.GET.get("page"))
        counts = waiting(undecided)
        return self.staff_page(
            request,
            "queue",
            _("What waits for a check"),
            tab=tab,
            kind=kind,
            tabs=[
                (name, label, counts[name])
                for name, label in TABS.items()
                if name != "reports" or may["see_reports"]
            ],
            kinds=[
                (name, model._meta.verbose_name_plural) for name, model in Evidence.subject_models().items()
            ],
            page=page,
            lines=self.lines(tab, list(page)),
            may=may,
        )

    def waiting_rows(self, tab, kind, undecided):
        """Return what a tab lists, in its order, where wanted of one kind of row only."""
        if tab == "conflicts":
            return [found for found in undecided if kind in ("", found.kind)]
        rows = checking.due() if tab == "checks" else ErrorReport.objects.open().with_subject()
        rows = rows.filter(**{f"{kind}__isnull": False}) if kind else rows
        return rows if tab == "checks" else rows.order_by("created_at", "pk")

    def lines(self, tab, rows):
        """Return the lines of a page: figures or reports, with the address on which to change them."""
        if tab == "checks":
            rows = checking.figures_of(rows)
        if tab == "reports":
            return [
                {
                    "report": row,
                    "label": figures.label(type(row.subject), row.field) if row.subject else row.field,
                    "now": figures.text(row.subject, row.field) if row.subject else "—",
                    "edit_url": row.subject and edit_url(row.subject),
                }
                for row in rows
            ]
        return [{"figure": row, "edit_url": edit_url(row.row)} for row in rows]

    def back_to(self, request, tab):
        """Return to the page of the queue from which something was done."""
        query = request.POST.get("query", "")
        return redirect(f"{reverse('admin:catalog_evidence_queue')}?{query or f'tab={tab}'}")

    # --- its actions -------------------------------------------------------------------------------

    def checked_view(self, request):
        """Note that somebody looked a figure up in one of its sources today, and it still says so."""
        number = request.POST.get("evidence", "")
        row = get_object_or_404(Evidence, pk=number if number.isdecimal() else 0)
        if not self.has_change_permission(request, row):
            raise PermissionDenied
        with self.recording(request) as record:
            record.why = record.why or _("Looked at the source again: still right.")
            row.checked_on, row.checked_by = timezone.localdate(), request.user.get_username()
            row.save()
        figure = f"{row.subject}, {row.field_label}"
        messages.success(request, _("Checked today: %(figure)s.") % {"figure": figure})
        return self.back_to(request, "checks")

    def report_view(self, request, pk):
        """Decide on a reader's report, with a note."""
        if not request.user.has_perm("catalog.change_errorreport"):
            raise PermissionDenied
        report = get_object_or_404(ErrorReport, pk=pk)
        decision = DECISIONS.get(request.POST.get("decision"))
        note = request.POST.get("note", "").strip()
        if decision is None:
            raise Http404
        if decision == ErrorReport.Status.REJECTED and not note:
            messages.error(request, _("Say in the note why the report is not right."))
            return self.back_to(request, "reports")
        report.status, report.note = decision, note or report.note
        report.decided_by, report.decided_at = request.user, timezone.now()
        report.save()
        messages.success(
            request, _("%(report)s: %(status)s.") % {"report": report, "status": report.get_status_display()}
        )
        return self.back_to(request, "reports")

    # --- sources that disagree ---------------------------------------------------------------------

    def conflict_view(self, request, kind, pk, field):
        """Show all that sources state of one figure beside each other, and take a decision."""
        figure = checking.figure(kind, pk, field) if kind in SUBJECTS else None
        if figure is None:
            raise Http404
        if not self.has_view_permission(request):
            raise PermissionDenied
        stated, reason, error = None, "", ""
        if request.method == "POST":
            self.refuse_decision(request, figure)
            stated, reason = request.POST.get("stated"), request.POST.get("reason", "").strip()
            error = self.decided(request, figure, stated, reason)
            if not error:
                return redirect(reverse("admin:catalog_evidence_queue") + "?tab=conflicts")
        return self.staff_page(
            request,
            "conflict",
            _("What the sources state: %(figure)s") % {"figure": figure.label},
            figure=figure,
            edit_url=edit_url(figure.row),
            add_url=f"{reverse('admin:catalog_evidence_add')}?{urlencode({kind: pk, 'field': field})}",
            may_choose=request.user.has_perm("catalog.decide_evidence")
            and (figure.is_disputed or figure.asks_for_decision),
            stated=stated,
            reason=reason,
            error=error,
        )

    def refuse_decision(self, request, figure):
        row = figure.row._meta
        needed = ["catalog.decide_evidence", "catalog.change_evidence", f"catalog.change_{row.model_name}"]
        if not request.user.has_perms(needed):
            raise PermissionDenied

    def decided(self, request, figure, stated, reason):
        """Carry a decision out; return what stands against it, if anything."""
        if stated not in figure.statements and not (stated == "" and figure.can_be_unknown):
            return _("Choose what the catalog shows.")
        if not reason:
            return _("Say why: the next one to ask will read it.")
        try:
            with self.recording(request) as record:
                record.why = reason
                is_set = checking.decide(figure, stated, reason)
        except ValidationError as error:
            figure.row.refresh_from_db()
            return " ".join(error.messages)
        messages.success(request, _("Decided: %(figure)s.") % {"figure": f"{figure.name}, {figure.label}"})
        if not is_set:
            text = _("The column itself holds no such words: see that it says the same as what you chose.")
            messages.warning(request, text)
        return ""

    def staff_page(self, request, template, title, **context):
        context |= self.admin_site.each_context(request) | {"opts": self.opts, "title": title}
        request.current_app = self.admin_site.name
        return TemplateResponse(request, f"admin/evidence/{template}.html", context)


def edit_url(row):
    return reverse(f"admin:catalog_{row._meta.model_name}_change", args=[row.pk])
