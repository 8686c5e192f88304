"""Manufacturers, enclosures, and the number that counts changes."""

from django.contrib import admin
from modeltranslation.admin import TranslationAdmin

from catalog.admin.history import HistoryAdmin
from catalog.admin.parts import SMALL_TEXTS, in_each_language
from catalog.admin.sheets import SheetsAdmin
from catalog.models import CatalogVersion, Enclosure, Manufacturer


@admin.register(Manufacturer)
class ManufacturerAdmin(SheetsAdmin, HistoryAdmin):
    list_display = ["name", "slug", "makes_servers", "makes_processors", "makes_gpus"]
    search_fields = ["name", "slug"]


@admin.register(Enclosure)
class EnclosureAdmin(SheetsAdmin, HistoryAdmin, TranslationAdmin):
    list_display = ["name", "manufacturer", "rack_units", "trays"]
    search_fields = ["name", "slug"]
    formfield_overrides = SMALL_TEXTS
    fieldsets = [
        (
            None,
            {
                "fields": [
                    ("name", "slug", "manufacturer"),
                    ("rack_units", "trays"),
                    in_each_language("note"),
                ]
            },
        )
    ]


@admin.register(CatalogVersion)
class CatalogVersionAdmin(admin.ModelAdmin):
    """Shown, never edited: the number counts changes."""

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False
