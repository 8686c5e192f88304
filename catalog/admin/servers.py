"""Servers, with supplies and cooling; their variants have pages of their own."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from catalog.admin.comfort import DuplicateAdmin
from catalog.admin.evidence import EvidenceInline
from catalog.admin.figures import SourcedAdmin, SourcedPartsInline
from catalog.admin.impact import ImpactAdmin
from catalog.admin.numbers import TypedNumbers
from catalog.admin.parts import (
    CompletenessAdmin,
    CompletenessFilter,
    PublishedAdmin,
    SeveralLines,
    in_each_language,
)
from catalog.admin.sheets import SheetsAdmin
from catalog.models import CoolingOption, PowerSupply, Server, Variant


class PowerSupplyInline(TypedNumbers, admin.TabularInline):
    model = PowerSupply
    extra = 0


class CoolingOptionInline(admin.TabularInline):
    model = CoolingOption
    extra = 0


class VariantInline(SourcedPartsInline):
    """Variants of a server; slots and GPUs of one are on its own page."""

    model = Variant
    fields = ["slug", "name", "lifecycle", "is_default", "rack_units", "bays_2_5", "bays_3_5", "bays_nvme"]


@admin.register(Server)
class ServerAdmin(
    ImpactAdmin, SeveralLines, SheetsAdmin, CompletenessAdmin, SourcedAdmin, DuplicateAdmin, PublishedAdmin
):
    several_lines = ["cpu_generations"]
    bulk_fields = ["lifecycle", "successor", "generation", "launch_year", "launch_month", "pcie_gen"]
    list_display = [
        "name",
        "kind",
        "rack_units",
        "cpu_manufacturer",
        "lifecycle",
        "gpu_memory_gb",
        "gpu_memory_gib",
        "complete_percent",
        "is_published",
    ]
    list_filter = [
        "is_published",
        CompletenessFilter,
        "kind",
        "lifecycle",
        "generation",
        "cpu_manufacturer",
        "rack_units",
    ]
    list_select_related = ["cpu_manufacturer"]
    search_fields = ["name", "slug", "machine_types"]
    ordering = ["sort_key"]
    readonly_fields = ["gpu_memory_gb", "gpu_memory_gib", "texts_missing", "updated_at"]
    inlines = [PowerSupplyInline, CoolingOptionInline, VariantInline, EvidenceInline]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    ("name", "slug"),
                    ("manufacturer", "family", "generation", "machine_types"),
                    ("is_published", "texts_missing", "updated_at"),
                    ("lifecycle", "successor", "launch_year", "launch_month"),
                    in_each_language("summary"),
                    in_each_language("availability_note"),
                    ("for_training", "for_fine_tuning", "for_inference", "for_edge", "for_hpc"),
                ]
            },
        ),
        (
            _("Form"),
            {
                "fields": [
                    ("kind", "enclosure", "rack_units", "short_depth"),
                    ("height_mm", "width_mm", "depth_mm", "weight_max_kg"),
                    in_each_language("form_note"),
                ]
            },
        ),
        (
            _("Processors"),
            {
                "fields": [
                    ("cpu_manufacturer", "sockets_min", "sockets_max"),
                    ("cpu_generations", "cpu_max_cores", "cpu_max_tdp_w"),
                    in_each_language("cpu_note"),
                ]
            },
        ),
        (
            _("Memory and storage"),
            {
                "fields": [
                    ("memory_type", "memory_slots", "memory_max_gb", "memory_speed_mts"),
                    in_each_language("memory_note"),
                    ("bays_2_5", "bays_3_5", "bays_nvme"),
                    in_each_language("storage_note"),
                ]
            },
        ),
        (
            _("Slots and network"),
            {
                "fields": [
                    ("pcie_gen", "pcie_slots", "ocp_slots"),
                    in_each_language("pcie_note"),
                    in_each_language("network_note"),
                ]
            },
        ),
        (
            _("GPUs"),
            {
                "fields": [
                    ("module_max_count", "card_max_w", "gpu_memory_gb", "gpu_memory_gib"),
                    in_each_language("gpu_note"),
                ]
            },
        ),
        (
            _("Power, cooling, environment"),
            {
                "fields": [
                    "psu_count",
                    in_each_language("power_note"),
                    in_each_language("cooling_note"),
                    ("temperature_min_c", "temperature_max_c", "ashrae_class"),
                    ("temperature_sure_c", "temperature_conditional"),
                    in_each_language("environment_note"),
                ]
            },
        ),
    ]

    def get_queryset(self, request):
        return super().get_queryset(request).with_gpu_memory()

    @admin.display(description=_("GPU memory, GB"), ordering="gpu_memory_gb")
    def gpu_memory_gb(self, server):
        return getattr(server, "gpu_memory_gb", None)

    @admin.display(description=_("usable, GiB"), ordering="gpu_memory_gib")
    def gpu_memory_gib(self, server):
        memory = getattr(server, "gpu_memory_gib", None)
        return None if memory is None else round(memory, 1)
