"""Regression cases: situations whose advice is looked at before a fact is changed."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _
from modeltranslation.admin import TranslationAdmin

from catalog.admin.history import HistoryAdmin
from catalog.admin.parts import in_each_language
from recommender.models import RegressionCase


@admin.register(RegressionCase)
class RegressionCaseAdmin(HistoryAdmin, TranslationAdmin):
    list_display = ["__str__", "slug", "expected", "is_active", "position"]
    list_filter = ["is_active"]
    search_fields = ["slug", "name_es", "name_ru", "name_en"]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    ("slug", "is_active", "position"),
                    in_each_language("name"),
                    "answers",
                    "expected_server",
                    "note",
                ]
            },
        ),
        (
            _("Where it is used"),
            {
                "description": _(
                    "The button “What would this change do?” beside those that save servers, variants, GPU "
                    "options, GPUs and AI models asks these cases, then the newest briefs, before and after "
                    "the change. A case that names no expected server is compared with itself alone: what "
                    "comes first now, and what would come first."
                ),
                "fields": [],
            },
        ),
    ]

    @admin.display(description=_("expected first server"), ordering="expected_server")
    def expected(self, case):
        return case.expected_server or _("none: before and after are compared")
