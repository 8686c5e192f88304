"""AI models: size, shape, cache groups, measured weights."""

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from catalog import publishing
from catalog.admin.evidence import EvidenceInline
from catalog.admin.figures import SourcedAdmin
from catalog.admin.impact import ImpactAdmin
from catalog.admin.numbers import TypedNumbers
from catalog.admin.parts import CompletenessAdmin, CompletenessFilter, PublishedAdmin, in_each_language
from catalog.admin.sheets import SheetsAdmin
from catalog.models import AIModel, CacheGroup, MeasuredWeights, ModelPart


class CacheGroupFormSet(forms.BaseInlineFormSet):
    """Kinds of layers of a model: a published language model whose cache is known has some."""

    def clean(self):
        super().clean()
        lacking = self.instance.is_published and publishing.lacking_parts(self.instance, "cache_groups")
        if lacking and not any(map(self.stays, self.forms)):
            raise ValidationError(lacking.text)

    def stays(self, form):
        data = getattr(form, "cleaned_data", None) or {}
        return bool(data) and not data.get("DELETE")


class CacheGroupInline(TypedNumbers, admin.TabularInline):
    model = CacheGroup
    formset = CacheGroupFormSet
    extra = 0


class ModelPartInline(TypedNumbers, admin.TabularInline):
    model = ModelPart
    extra = 0


class MeasuredWeightsInline(TypedNumbers, admin.TabularInline):
    model = MeasuredWeights
    autocomplete_fields = ["source"]
    extra = 0


@admin.register(AIModel)
class AIModelAdmin(ImpactAdmin, SheetsAdmin, CompletenessAdmin, SourcedAdmin, PublishedAdmin):
    bulk_fields = ["tier", "license", "developer", "family"]
    list_display = [
        "name",
        "developer",
        "kind",
        "billions",
        "max_context",
        "cache_known",
        "complete_percent",
        "is_published",
    ]
    list_filter = [
        "is_published",
        CompletenessFilter,
        "kind",
        "tier",
        "attention_type",
        "cache_known",
        "developer",
    ]
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
