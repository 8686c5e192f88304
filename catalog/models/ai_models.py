"""AI models: the shapes that memory and speed are computed from."""

import logging

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from catalog.models.base import (
    Fact,
    Named,
    above_zero,
    flag,
    in_order,
    keep_slug_once_published,
    month,
    number,
    one_of,
    prose,
    real,
    slug_field,
    words,
)
from catalog.models.evidence import Source
from catalog.querysets import AIModelQuerySet


class Precision(models.TextChoices):
    FP32 = "fp32", "FP32"
    BF16 = "bf16", "BF16"
    FP16 = "fp16", "FP16"
    FP8 = "fp8", "FP8"
    INT8 = "int8", "INT8"
    INT4 = "int4", "INT4"
    FP4 = "fp4", "FP4"


PRECISIONS = " ".join(Precision.values)
BYTES = {"fp32": 4.0, "bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0, "int4": 0.5, "fp4": 0.5}
PLAIN = ("fp32", "bf16", "fp16")
# Sizes over parameters x bytes. Plain checkpoints come to 0.98 to 1.03, so that GB written for GiB (7.4 %
# more) lies outside; narrow types add scales and leave parts in 16 bits, up to twice their own width.
LEAST_SIZE, LARGEST_SIZE = 0.96, 1.05

logger = logging.getLogger(__name__)


def billions(label, help_text=""):
    """Return a column for a number of parameters; null: not published."""
    return models.PositiveBigIntegerField(label, help_text=help_text, null=True, blank=True)


class AIModel(Named):
    """A published model. What a request keeps in memory is in its cache groups, one row a kind of layer."""

    class Kind(models.TextChoices):
        LLM = "llm", _("language model")
        VLM = "vlm", _("vision-language model")
        EMBEDDING = "embedding", _("embedding model")
        RERANKER = "reranker", _("reranker")
        ASR = "asr", _("speech recognition")
        IMAGE_GENERATION = "image_generation", _("image generation")
        VISION = "vision", _("vision model")

    EVIDENCE_RELATIONS = ("cache_groups", "parts", "measured_weights")
    NOT_FIGURES = (*Fact.NOT_FIGURES, "kind", "tier", "developer", "family", "hf_id", "cache_known")

    slug = slug_field()
    developer = words(_("developer"))
    family = words(_("family"), max_length=60)
    kind = models.CharField(_("kind"), max_length=20, choices=Kind.choices)
    tier = number(_("tier"), _("1: main list; 2: older, small or close to another one."))
    hf_id = words(_("Hugging Face name"), max_length=120)
    license = words(_("licence"))
    released_year = number(_("year of release"))
    released_month = number(_("month of release"))

    parameters = models.PositiveBigIntegerField(
        _("parameters"), help_text=_("The whole published checkpoint, vision and prediction parts included.")
    )
    active_parameters = billions(_("active parameters"), _("Of a mixture: at work on one token."))
    num_layers = number(_("layers"))
    hidden_size = number(_("hidden size"))
    num_attention_heads = number(_("attention heads"))
    num_kv_heads = number(_("key/value heads"))
    head_dim = number(_("head dimension"))
    intermediate_size = number(_("intermediate size"))
    vocab_size = number(_("vocabulary"))
    tie_embeddings = flag(_("input and output embeddings shared"))
    max_context = number(_("longest context, tokens"))
    attention_type = words(_("attention"), max_length=20)
    native_precision = models.CharField(_("native precision"), max_length=10, choices=Precision.choices)
    native_dtype_stated = words(_("native type as published"), max_length=60)

    experts = models.PositiveIntegerField(_("experts"), default=0)
    experts_per_token = models.PositiveIntegerField(_("experts per token"), default=0)
    shared_experts = models.PositiveIntegerField(_("shared experts"), default=0)
    moe_intermediate_size = number(_("intermediate size of an expert"))
    first_dense_layers = models.PositiveIntegerField(_("dense layers"), default=0)
    mtp_parameters = models.PositiveBigIntegerField(
        _("parameters of prediction layers"), default=0, help_text=_("Part of the total.")
    )
    cache_known = models.BooleanField(
        _("cache known"),
        default=True,
        help_text=_("No: the cache of this architecture is not computed."),
    )
    gflop_per_image = real(_("GFLOP per image"), _("One forward pass at the model's usual resolution."))
    is_published = models.BooleanField(_("published"), default=False)
    note = prose(_("note"))

    objects = AIModelQuerySet.as_manager()

    class Meta:
        verbose_name = _("AI model")
        verbose_name_plural = _("AI models")
        permissions = [("publish_aimodel", _("Can publish AI models"))]
        ordering = ["sort_key"]
        constraints = [
            one_of("aimodel", "kind", "llm vlm embedding reranker asr image_generation vision"),
            one_of("aimodel", "native_precision", PRECISIONS),
            *above_zero(
                "aimodel",
                "parameters",
                "active_parameters",
                "num_layers",
                "hidden_size",
                "num_attention_heads",
                "head_dim",
                "max_context",
                "gflop_per_image",
            ),
            in_order("aimodel", "active_parameters", "parameters"),
            in_order("aimodel", "mtp_parameters", "parameters"),
            in_order("aimodel", "experts_per_token", "experts"),
            month("aimodel", "released"),
        ]

    def clean(self):
        keep_slug_once_published(self)

    def measured_weight_gib(self):
        """Return {precision: size of the weights [GiB]} from published checkpoints.

        File sizes come first, the largest where recipes differ (it has to fit too), else the mean of what
        engines reported. In 16 bit only files count: a load is parameters x 2 and a little of the engine's.
        """
        files, loads = {}, {}
        for row in self.measured_weights.all():
            if not row.is_possible(self):
                logger.error("%s: %s are not the size of its weights; left out", self.slug, row)
                continue
            if row.precision and (row.of_files or row.precision not in ("bf16", "fp16")):
                (files if row.of_files else loads).setdefault(row.precision, []).append(row.gib)
        means = {precision: sum(sizes) / len(sizes) for precision, sizes in loads.items()}
        return means | {precision: max(sizes) for precision, sizes in files.items()}


class CacheGroup(Fact):
    """What the layers of one kind keep for each request."""

    PART_OF = ("ai_model",)

    class Kind(models.TextChoices):
        FULL = "full", _("keys and values of every token")
        WINDOW = "window", _("keys and values of the last tokens")
        CHUNKED = "chunked", _("keys and values of the current chunk")
        LATENT = "latent", _("one compressed vector a token")
        INDEXER = "indexer", _("index keys beside the compressed vector")
        STATE = "state", _("a state of constant size")

    ai_model = models.ForeignKey(
        AIModel, models.CASCADE, related_name="cache_groups", verbose_name=_("AI model")
    )
    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices)
    layers = models.PositiveIntegerField(_("layers"))
    kv_heads = models.PositiveIntegerField(_("key/value heads"), default=0)
    head_dim = models.PositiveIntegerField(_("head dimension"), default=0)
    latent_dim = models.PositiveIntegerField(_("compressed dimension"), default=0)
    rope_dim = models.PositiveIntegerField(_("rotary dimension"), default=0)
    window = number(_("window, tokens"))
    state_bytes = models.PositiveBigIntegerField(_("state of a layer, bytes"), default=0)
    tokens_per_entry = models.PositiveIntegerField(_("tokens per entry"), default=1)
    tensor_sharded = models.BooleanField(
        _("shared out by tensor parallelism"), default=True, help_text=_("No: every rank keeps the whole.")
    )

    class Meta:
        verbose_name = _("cache group")
        verbose_name_plural = _("cache groups")
        ordering = ["id"]
        constraints = [
            one_of("cachegroup", "kind", "full window chunked latent indexer state"),
            *above_zero("cachegroup", "layers", "window", "tokens_per_entry"),
            models.CheckConstraint(
                condition=~Q(kind__in=["full", "window", "chunked"]) | Q(kv_heads__gt=0, head_dim__gt=0),
                name="cachegroup_keys_have_heads",
                violation_error_message=_("Keys and values need a number of heads and a dimension."),
            ),
            models.CheckConstraint(
                condition=~Q(kind__in=["window", "chunked"]) | Q(window__isnull=False),
                name="cachegroup_window_has_length",
                violation_error_message=_("A window or chunk needs its length in tokens."),
            ),
            models.CheckConstraint(
                condition=~Q(kind__in=["latent", "indexer"]) | Q(latent_dim__gt=0),
                name="cachegroup_latent_has_dimension",
                violation_error_message=_("A compressed vector needs its dimension."),
            ),
            models.CheckConstraint(
                condition=~Q(kind="state") | Q(state_bytes__gt=0),
                name="cachegroup_state_has_size",
                violation_error_message=_("A state of constant size needs that size in bytes."),
            ),
        ]

    def __str__(self):
        return f"{self.layers} × {self.kind}"


class ModelPart(Fact):
    """A part beside the language model, inside the published total: vision tower, speech encoder."""

    PART_OF = ("ai_model",)

    ai_model = models.ForeignKey(AIModel, models.CASCADE, related_name="parts", verbose_name=_("AI model"))
    name = models.CharField(_("name"), max_length=120)
    parameters = models.PositiveBigIntegerField(_("parameters"))
    tensor_sharded = models.BooleanField(_("shared out by tensor parallelism"), default=False)

    class Meta:
        verbose_name = _("part of a model")
        verbose_name_plural = _("parts of models")
        ordering = ["id"]
        constraints = above_zero("modelpart", "parameters")

    def __str__(self):
        return self.name


class MeasuredWeights(Fact):
    """The size of one published checkpoint, or of its weights as an engine loaded them."""

    PART_OF = ("ai_model",)

    ai_model = models.ForeignKey(
        AIModel, models.CASCADE, related_name="measured_weights", verbose_name=_("AI model")
    )
    precision = words(
        _("precision"),
        _("Empty: none of the precisions that can be asked for."),
        max_length=10,
        choices=Precision.choices,
    )
    stated_dtype = words(_("type as published"), max_length=60)
    gib = models.FloatField(_("size, GiB"))
    of_files = models.BooleanField(
        _("size of the files"), default=False, help_text=_("No: as an engine reported it after loading.")
    )
    source = models.ForeignKey(
        Source,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="measured_weights",
        verbose_name=_("source"),
    )

    class Meta:
        verbose_name = _("measured weights")
        verbose_name_plural = _("measured weights")
        ordering = ["id"]
        constraints = [
            one_of("measuredweights", "precision", PRECISIONS),
            *above_zero("measuredweights", "gib"),
        ]

    def __str__(self):
        return f"{self.precision}: {self.gib} GiB"

    def clean(self):
        ai_model = getattr(self, "ai_model", None)
        if ai_model is not None and self.gib and not self.is_possible(ai_model):
            low, high = self.bounds(ai_model)
            raise ValidationError(
                {
                    "gib": _(
                        "The size must be between %(low)s and %(high)s GiB for the parameters of this model "
                        "in that precision. Is it in GiB (2³⁰ bytes), not in GB?"
                    )
                    % {"low": f"{low:.4g}", "high": f"{high:.4g}"}
                }
            )

    def is_possible(self, ai_model):
        """Tell whether that model's parameters can take this size in this precision."""
        if not self.precision or not ai_model.parameters:
            return True
        low, high = self.bounds(ai_model)
        return low <= self.gib <= high

    def bounds(self, ai_model):
        """Return the smallest and the largest size that the parameters can take in this precision [GiB].

        Prediction layers may be left out; embeddings of narrow checkpoints may stay in 16 bits.
        """
        width, parameters = BYTES[self.precision], ai_model.parameters
        least = LEAST_SIZE * width * (parameters - ai_model.mtp_parameters)
        if self.precision in PLAIN:
            return least / 2**30, LARGEST_SIZE * width * parameters / 2**30
        tables = 1 if ai_model.tie_embeddings else 2
        wide = min(parameters, tables * (ai_model.vocab_size or 0) * (ai_model.hidden_size or 0))
        return least / 2**30, (2 * wide + 2 * width * (parameters - wide)) / 2**30
