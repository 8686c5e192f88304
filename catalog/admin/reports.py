"""What readers say is wrong, with the figure that they mean."""

from django.contrib import admin
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from catalog import figures
from catalog.admin.parts import SMALL_TEXTS
from catalog.models import ErrorReport


@admin.register(ErrorReport)
class ErrorReportAdmin(admin.ModelAdmin):
    """What the reader said stays as it was said; staff decide on it and say why."""

    list_display = ["figure", "shown", "said", "status", "language", "created_at", "decided_by"]
    list_filter = ["status", "language", "created_at"]
    search_fields = ["about", "field", "said", "note"]
    date_hierarchy = "created_at"
    fields = [
        "figure",
        "shown",
        "now",
        "said",
        "source_url",
        "language",
        "created_at",
        "edit",
        "status",
        "note",
        "decided_by",
        "decided_at",
    ]
    readonly_fields = [name for name in fields if name not in ("status", "note")]
    formfield_overrides = SMALL_TEXTS
    save_on_top = True

    def get_queryset(self, request):
        return super().get_queryset(request).with_subject().select_related("decided_by")

    def has_add_permission(self, request):
        return False

    def save_model(self, request, obj, form, change):
        if "status" in form.changed_data:
            obj.decided_by, obj.decided_at = request.user, timezone.now()
        super().save_model(request, obj, form, change)

    @admin.display(description=_("figure"), ordering="about")
    def figure(self, report):
        model = type(report.subject) if report.subject else None
        name = figures.label(model, report.field) if model else report.field
        return f"{report.about}: {name}"

    @admin.display(description=_("the catalog holds now"))
    def now(self, report):
        return figures.with_unit(report.subject, report.field) if report.subject else "—"

    @admin.display(description=_("the row and its sources"))
    def edit(self, report):
        """Link to the page on which the figure is corrected."""
        row = report.subject
        if row is None:
            return _("deleted since")
        address = reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])
        return format_html('<a href="{}">{}</a>', address, row)
