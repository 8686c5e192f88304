"""GPUs: what the maker prints, and what the driver reports."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from catalog.admin.evidence import EvidenceInline
from catalog.admin.figures import SourcedAdmin
from catalog.admin.impact import ImpactAdmin
from catalog.admin.parts import CompletenessAdmin, CompletenessFilter, PublishedAdmin, in_each_language
from catalog.admin.sheets import SheetsAdmin
from catalog.models import GPU


@admin.register(GPU)
class GPUAdmin(ImpactAdmin, SheetsAdmin, CompletenessAdmin, SourcedAdmin, PublishedAdmin):
    bulk_fields = ["market_state", "serves_language_models", "architecture"]
    list_display = [
        "name",
        "manufacturer",
        "architecture",
        "market_state",
        "form",
        "memory_gb",
        "memory_gib_usable",
        "tdp_w",
        "complete_percent",
        "is_published",
    ]
    list_filter = [
        "is_published",
        CompletenessFilter,
        "market_state",
        "manufacturer",
        "form",
        "architecture",
        "serves_language_models",
    ]
    list_select_related = ["manufacturer"]
    search_fields = ["name", "slug", "architecture"]
    ordering = ["sort_key"]
    readonly_fields = ["board_memory", "usable_percent", "texts_missing", "updated_at"]
    inlines = [EvidenceInline]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    ("name", "slug"),
                    ("manufacturer", "architecture", "launch_year", "launch_month"),
                    ("market_state", "serves_language_models"),
                    ("is_published", "texts_missing", "updated_at"),
                    in_each_language("lifecycle_note"),
                    in_each_language("note"),
                ]
            },
        ),
        (
            _("Form and power"),
            {
                "fields": [
                    ("form", "slots_wide", "full_height", "length_mm", "devices_per_board"),
                    ("tdp_w", "tdp_min_w", "cooling"),
                ]
            },
        ),
        (
            _("Memory"),
            {
                "fields": [
                    ("memory_gb", "memory_gib_usable", "usable_percent", "board_memory"),
                    ("memory_basis", "memory_type", "ecc", "bandwidth_gbs"),
                ]
            },
        ),
        (
            _("Rates, dense"),
            {
                "fields": [
                    ("fp64_tflops", "fp32_tflops", "tf32_tflops"),
                    ("fp16_tflops", "bf16_tflops", "fp8_tflops", "fp4_tflops"),
                    ("int8_tops", "int4_tops", "tflops_basis"),
                    ("compute_capability", "native_precisions"),
                ]
            },
        ),
        (
            _("Links"),
            {
                "fields": [
                    ("nvlink_gbs_total", "nvlink_generation", "bridge_max_gpus"),
                    ("pcie_gen", "pcie_lanes", "fabric_name", "fabric_gbs_total"),
                ]
            },
        ),
        (_("Sharing and video"), {"fields": [("mig_instances", "nvenc", "nvdec", "video_other")]}),
    ]

    @admin.display(description=_("memory of the board, GB"))
    def board_memory(self, gpu):
        return gpu.memory_gb and gpu.memory_gb * gpu.devices_per_board

    @admin.display(description=_("usable of the printed, %"))
    def usable_percent(self, gpu):
        known = gpu.memory_gb and gpu.memory_gib_usable
        return f"{100 * gpu.memory_gib_usable / gpu.memory_gb:.1f}" if known else None
