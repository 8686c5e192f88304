"""Kinds of work: texts, requirements, typical values."""

from django.contrib import admin
from modeltranslation.admin import TranslationStackedInline

from catalog.admin.parts import SMALL_TEXTS, PublishedAdmin, in_each_language
from catalog.admin.sheets import SheetsAdmin
from catalog.models import Requirement, TypicalAssumption, WorkloadProfile


class RequirementInline(TranslationStackedInline):
    model = Requirement
    formfield_overrides = SMALL_TEXTS
    fieldsets = [(None, {"fields": ["aspect", in_each_language("text")]})]
    extra = 0


class TypicalAssumptionInline(TranslationStackedInline):
    model = TypicalAssumption
    formfield_overrides = SMALL_TEXTS
    fieldsets = [(None, {"fields": [("key", "value", "source"), in_each_language("why")]})]
    autocomplete_fields = ["source"]
    extra = 0


@admin.register(WorkloadProfile)
class WorkloadProfileAdmin(SheetsAdmin, PublishedAdmin):
    FIGURES = ["slug", "stage", "order", "gpus_min", "gpus_max", "rack_units_min", "rack_units_max"]

    list_display = ["slug", "name", "stage", "gpus_min", "gpus_max", "order", "is_published"]
    list_filter = ["is_published", "stage"]
    search_fields = ["slug", "name_es", "name_ru", "name_en"]
    readonly_fields = ["texts_missing", "updated_at"]
    inlines = [RequirementInline, TypicalAssumptionInline]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    ("slug", "stage", "order"),
                    ("is_published", "texts_missing", "updated_at"),
                    in_each_language("name"),
                    in_each_language("summary"),
                    in_each_language("asks"),
                    in_each_language("to_measure"),
                    ("gpus_min", "gpus_max", "rack_units_min", "rack_units_max"),
                ]
            },
        )
    ]

    def get_readonly_fields(self, request, obj=None):
        """Whoever may not publish writes the texts only."""
        fields = super().get_readonly_fields(request, obj)
        return fields if self.may_publish(request) else [*dict.fromkeys([*fields, *self.FIGURES])]
