"""Variants of a server with their slots, and GPU options with their conditions."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _
from modeltranslation.admin import TranslationAdmin

from catalog.admin.comfort import BulkAdmin, CardTotalsAdmin
from catalog.admin.evidence import EvidenceInline
from catalog.admin.figures import SourcedAdmin, SourcedPartsInline
from catalog.admin.impact import ImpactAdmin
from catalog.admin.numbers import TypedNumbers
from catalog.admin.parts import SMALL_TEXTS, in_each_language
from catalog.admin.sheets import SheetsAdmin
from catalog.models import GPUOption, SlotAlternative, Variant
from catalog.templatetags.units import gibibytes, gigabytes


class SlotAlternativeInline(TypedNumbers, admin.TabularInline):
    model = SlotAlternative
    extra = 0


class GPUOptionInline(SourcedPartsInline):
    """Options of a variant; notes of one are on its own page."""

    model = GPUOption
    fields = [
        "gpu",
        "min_count",
        "max_count",
        "fixed",
        "link",
        "link_gbs",
        "link_max_gpus",
        "card_power_cap_w",
        "ambient_max_c",
        "min_sockets",
        "min_psu_w",
        "lifecycle",
        "basis",
        "position",
        "memory",
    ]
    readonly_fields = ["memory"]
    autocomplete_fields = ["gpu"]

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("gpu", "variant__server")

    @admin.display(description=_("memory of all cards"))
    def memory(self, option):
        return memory_of(option)


def memory_of(option):
    """Return the memory of an option's cards as staff read it: label and usable."""
    if option.gpu_id is None:
        return "-"
    devices = (option.max_count or option.min_count) * option.gpu.devices_per_card
    label = f"{devices} × {gigabytes(option.gpu.memory_gb)}"
    usable = option.gpu.memory_gib_usable
    return label if usable is None else f"{label}, {gibibytes(round(devices * usable))}"


@admin.register(Variant)
class VariantAdmin(ImpactAdmin, SheetsAdmin, SourcedAdmin, CardTotalsAdmin, BulkAdmin, TranslationAdmin):
    bulk_fields = ["lifecycle", "rack_units"]
    list_display = ["name", "server", "slug", "lifecycle", "is_default"]
    list_filter = ["lifecycle", "server"]
    list_select_related = ["server"]
    search_fields = ["name", "server__name"]
    autocomplete_fields = ["server"]
    formfield_overrides = SMALL_TEXTS
    inlines = [SlotAlternativeInline, GPUOptionInline, EvidenceInline]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    ("server", "slug", "name"),
                    ("lifecycle", "is_default", "rack_units"),
                    ("bays_2_5", "bays_3_5", "bays_nvme"),
                    in_each_language("note"),
                ]
            },
        )
    ]


@admin.register(GPUOption)
class GPUOptionAdmin(ImpactAdmin, SheetsAdmin, SourcedAdmin, CardTotalsAdmin, BulkAdmin, TranslationAdmin):
    bulk_fields = ["lifecycle", "basis", "link", "card_power_cap_w", "ambient_max_c"]
    list_display = ["gpu", "variant", "min_count", "max_count", "fixed", "lifecycle", "basis", "memory"]
    list_filter = ["basis", "lifecycle", "link", "special_order", "gpu"]
    list_select_related = ["gpu", "variant__server"]
    search_fields = ["gpu__name", "variant__server__name"]
    autocomplete_fields = ["gpu", "variant"]
    readonly_fields = ["memory", "power_w"]
    formfield_overrides = SMALL_TEXTS
    inlines = [EvidenceInline]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    ("variant", "gpu", "basis", "lifecycle", "position"),
                    ("min_count", "max_count", "fixed", "memory", "power_w"),
                    ("link", "link_gbs", "link_max_gpus"),
                    in_each_language("note"),
                ]
            },
        ),
        (
            _("Conditions: all of them hold at once"),
            {
                "fields": [
                    ("card_power_cap_w", "ambient_max_c", "min_sockets", "min_psu_w"),
                    ("blocks_bays", "not_in_quiet_modes"),
                    ("special_order", "special_base_model"),
                ]
            },
        ),
    ]

    @admin.display(description=_("memory of all cards"))
    def memory(self, option):
        return memory_of(option)

    @admin.display(description=_("power of all cards, W"))
    def power_w(self, option):
        watts = option.gpu_id and (option.card_power_cap_w or option.gpu.tdp_w)
        return None if not watts else watts * (option.max_count or option.min_count)
