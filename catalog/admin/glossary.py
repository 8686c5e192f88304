"""The staff's page of the glossary."""

from django.contrib import admin

from catalog.admin.parts import PublishedAdmin, in_each_language
from catalog.admin.sheets import SheetsAdmin
from catalog.models import GlossaryTerm


@admin.register(GlossaryTerm)
class GlossaryTermAdmin(SheetsAdmin, PublishedAdmin):
    list_display = ["slug", "name", "subject", "is_published"]
    list_filter = ["is_published", "subject"]
    search_fields = ["slug", "name_es", "name_ru", "name_en", "also_es", "also_ru", "also_en"]
    readonly_fields = ["texts_missing", "updated_at"]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    ("slug", "subject"),
                    ("is_published", "texts_missing", "updated_at"),
                    in_each_language("name"),
                    in_each_language("definition"),
                    in_each_language("also"),
                ]
            },
        )
    ]
