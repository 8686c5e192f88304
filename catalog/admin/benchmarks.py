"""The staff's page of measured results."""

from django.contrib import admin
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from catalog.admin.history import HistoryAdmin
from catalog.admin.sheets import SheetsAdmin
from catalog.models import BenchmarkResult


@admin.register(BenchmarkResult)
class BenchmarkResultAdmin(SheetsAdmin, HistoryAdmin):
    list_display = [
        "measurement",
        "figure",
        "value",
        "unit",
        "model_name",
        "gpu",
        "gpu_count",
        "server",
        "suite",
        "round",
        "is_published",
    ]
    list_filter = ["is_published", "work", "figure", "suite", "round", "precision", "server"]
    list_select_related = ["gpu", "server"]
    search_fields = [
        "measurement",
        "model_name",
        "ai_model__name",
        "gpu__name",
        "server__name",
        "system_name",
        "submitter",
        "suite",
        "link",
    ]
    autocomplete_fields = ["gpu", "server", "ai_model"]
    readonly_fields = ["unit", "open_link", "updated_at"]
    save_on_top = True
    fieldsets = [
        (
            None,
            {
                "fields": [
                    ("measurement", "work"),
                    ("figure", "value", "unit"),
                    ("is_published", "updated_at"),
                ]
            },
        ),
        (
            _("Where it was published"),
            {
                "fields": [
                    ("suite", "round", "scenario", "benchmark"),
                    ("link", "open_link"),
                    ("group", "note"),
                ]
            },
        ),
        (
            _("What was measured"),
            {
                "fields": [
                    ("gpu", "gpu_count", "servers"),
                    ("server", "submitter", "system_name"),
                    ("ai_model", "model_name"),
                    ("precision", "engine", "method"),
                    ("input_tokens", "output_tokens", "sequence_tokens"),
                    ("concurrency", "sample_work"),
                ]
            },
        ),
    ]

    def get_readonly_fields(self, request, obj=None):
        """Publishing is a right of its own, and what a load finds a run by does not change."""
        fields = list(super().get_readonly_fields(request, obj))
        if not request.user.has_perm("catalog.publish_benchmarkresult"):
            fields.append("is_published")
        if obj is not None:
            fields += ["measurement", "figure"]
        return fields

    @admin.display(description=_("unit"))
    def unit(self, result):
        return result.unit

    @admin.display(description=_("source"))
    def open_link(self, result):
        return format_html('<a href="{0}" rel="noopener">{0}</a>', result.link) if result.link else "-"
