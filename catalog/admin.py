"""The staff's pages: every fact can be edited, texts beside each other, sources beside figures."""

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from modeltranslation.admin import TranslationAdmin, TranslationStackedInline

from catalog import admin_benchmarks, admin_glossary  # noqa: F401 - they register pages of their own
from catalog.admin_parts import SMALL_TEXTS, PublishedAdmin, in_each_language
from catalog.models import (
    GPU,
    AIModel,
    CacheGroup,
    CatalogVersion,
    CoolingOption,
    Enclosure,
    Evidence,
    GPUOption,
    Manufacturer,
    MeasuredWeights,
    ModelPart,
    PowerSupply,
    Requirement,
    Server,
    SlotAlternative,
    Source,
    TypicalAssumption,
    Variant,
    WorkloadProfile,
)


def evidence_choices(model):
    """Return (name, label) of everything in a table that a source can speak of."""
    choices = [("", "---------")]
    for name in model.evidence_fields():
        field = model._meta.get_field(name)
        related = field.related_model if name in model.EVIDENCE_RELATIONS else None
        label = related._meta.verbose_name_plural if related else field.verbose_name
        choices.append((name, label))
    return choices


class EvidenceFormSet(forms.BaseInlineFormSet):
    """Sources of one row: what readers see published has at least one."""

    def clean(self):
        super().clean()
        if getattr(self.instance, "is_published", False) and not any(map(self.stays, self.forms)):
            raise ValidationError(_("What is published needs at least one source: add evidence first."))

    def stays(self, form):
        data = getattr(form, "cleaned_data", None) or {}
        return bool(data.get("source")) and not data.get("DELETE")


class EvidenceInline(admin.TabularInline):
    model = Evidence
    formset = EvidenceFormSet
    fields = ["field", "source", "state", "stated", "kept", "weak", "checked_on", "checked_by", "note"]
    autocomplete_fields = ["source"]
    formfield_overrides = SMALL_TEXTS
    extra = 0

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("source")

    def formfield_for_dbfield(self, db_field, request, **kwargs):
        if db_field.name == "field":
            return forms.ChoiceField(choices=evidence_choices(self.parent_model), label=db_field.verbose_name)
        return super().formfield_for_dbfield(db_field, request, **kwargs)


class PowerSupplyInline(admin.TabularInline):
    model = PowerSupply
    extra = 0


class CoolingOptionInline(admin.TabularInline):
    model = CoolingOption
    extra = 0


class VariantInline(admin.TabularInline):
    """Variants of a server; slots, GPUs and sources of one are on its own page."""

    model = Variant
    fields = ["slug", "name", "lifecycle", "is_default", "rack_units", "bays_2_5", "bays_3_5", "bays_nvme"]
    show_change_link = True
    extra = 0


@admin.register(Server)
class ServerAdmin(PublishedAdmin):
    list_display = [
        "name",
        "kind",
        "rack_units",
        "cpu_manufacturer",
        "lifecycle",
        "gpu_memory_gb",
        "gpu_memory_gib",
        "is_published",
    ]
    list_filter = ["is_published", "kind", "lifecycle", "generation", "cpu_manufacturer", "rack_units"]
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


class SlotAlternativeInline(admin.TabularInline):
    model = SlotAlternative
    extra = 0


class GPUOptionInline(admin.TabularInline):
    """Options of a variant; notes and sources of one are on its own page."""

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
    show_change_link = True
    extra = 0

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("gpu")

    @admin.display(description=_("memory of all cards"))
    def memory(self, option):
        return memory_of(option)


def memory_of(option):
    """Return the memory of an option's cards as staff read it: label and usable."""
    if option.gpu_id is None:
        return "-"
    devices = (option.max_count or option.min_count) * option.gpu.devices_per_card
    label = f"{devices} × {option.gpu.memory_gb} GB"
    usable = option.gpu.memory_gib_usable
    return label if usable is None else f"{label}, {devices * usable:.0f} GiB"


@admin.register(Variant)
class VariantAdmin(TranslationAdmin):
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
class GPUOptionAdmin(TranslationAdmin):
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


@admin.register(GPU)
class GPUAdmin(PublishedAdmin):
    list_display = [
        "name",
        "manufacturer",
        "architecture",
        "market_state",
        "form",
        "memory_gb",
        "memory_gib_usable",
        "tdp_w",
        "is_published",
    ]
    list_filter = [
        "is_published",
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


class CacheGroupInline(admin.TabularInline):
    model = CacheGroup
    extra = 0


class ModelPartInline(admin.TabularInline):
    model = ModelPart
    extra = 0


class MeasuredWeightsInline(admin.TabularInline):
    model = MeasuredWeights
    autocomplete_fields = ["source"]
    extra = 0


@admin.register(AIModel)
class AIModelAdmin(PublishedAdmin):
    list_display = ["name", "developer", "kind", "billions", "max_context", "cache_known", "is_published"]
    list_filter = ["is_published", "kind", "tier", "attention_type", "cache_known", "developer"]
    search_fields = ["name", "slug", "hf_id", "family"]
    ordering = ["sort_key"]
    readonly_fields = ["billions", "active_billions", "texts_missing", "updated_at"]
    inlines = [CacheGroupInline, ModelPartInline, MeasuredWeightsInline, EvidenceInline]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    ("name", "slug"),
                    ("developer", "family", "kind", "tier"),
                    ("hf_id", "license", "released_year", "released_month"),
                    ("is_published", "texts_missing", "updated_at"),
                    in_each_language("note"),
                ]
            },
        ),
        (
            _("Size"),
            {
                "fields": [
                    ("parameters", "billions", "active_parameters", "active_billions"),
                    ("native_precision", "native_dtype_stated", "gflop_per_image"),
                ]
            },
        ),
        (
            _("Shape"),
            {
                "fields": [
                    ("num_layers", "hidden_size", "intermediate_size", "vocab_size", "tie_embeddings"),
                    ("num_attention_heads", "num_kv_heads", "head_dim"),
                    ("attention_type", "max_context", "cache_known"),
                    ("experts", "experts_per_token", "shared_experts", "moe_intermediate_size"),
                    ("first_dense_layers", "mtp_parameters"),
                ]
            },
        ),
    ]

    @admin.display(description=_("billions"), ordering="parameters")
    def billions(self, ai_model):
        return ai_model.parameters and round(ai_model.parameters / 1e9, 2)

    @admin.display(description=_("billions"))
    def active_billions(self, ai_model):
        return ai_model.active_parameters and round(ai_model.active_parameters / 1e9, 2)


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
class WorkloadProfileAdmin(PublishedAdmin):
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


@admin.register(Source)
class SourceAdmin(TranslationAdmin):
    list_display = ["title", "publisher", "published_on", "kind", "is_linkable"]
    list_filter = ["kind", "publisher"]
    search_fields = ["title", "slug", "url", "publisher"]
    readonly_fields = ["updated_at"]

    @admin.display(description=_("can be linked"), boolean=True)
    def is_linkable(self, source):
        return source.is_linkable


@admin.register(Evidence)
class EvidenceAdmin(admin.ModelAdmin):
    list_display = ["subject", "field", "stated", "source", "state", "kept", "weak", "checked_on"]
    list_filter = ["kept", "weak", "state", "checked_on", "server"]
    list_select_related = ["server", "variant", "gpu", "option__gpu", "option__variant", "ai_model", "source"]
    search_fields = ["field", "stated", "source__title", "server__name", "gpu__name", "ai_model__name"]
    autocomplete_fields = ["server", "variant", "gpu", "option", "ai_model", "source"]
    formfield_overrides = SMALL_TEXTS

    @admin.display(description=_("about"))
    def subject(self, evidence):
        return str(evidence.subject)


@admin.register(Manufacturer)
class ManufacturerAdmin(admin.ModelAdmin):
    list_display = ["name", "slug", "makes_servers", "makes_processors", "makes_gpus"]
    search_fields = ["name", "slug"]


@admin.register(Enclosure)
class EnclosureAdmin(TranslationAdmin):
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
