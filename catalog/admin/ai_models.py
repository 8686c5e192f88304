"""AI models: size, shape, cache groups, measured weights."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from catalog.admin.evidence import EvidenceInline
from catalog.admin.impact import ImpactAdmin
from catalog.admin.parts import PublishedAdmin, in_each_language
from catalog.admin.sheets import SheetsAdmin
from catalog.models import AIModel, CacheGroup, MeasuredWeights, ModelPart


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
class AIModelAdmin(ImpactAdmin, SheetsAdmin, PublishedAdmin):
    bulk_fields = ["tier", "license", "developer", "family"]
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
