"""What others measured: one row for each figure of a published measurement, with its configuration."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from catalog.models.base import Fact, above_zero, number, one_of, real, words
from catalog.querysets import BenchmarkResultQuerySet

LONGEST_NAME = 200
# Of figures that are no rates.
UNITS = {
    "p90_latency_ms": "ms",
    "time_to_train_min": "min",
    "weights_gib_per_gpu": "GiB",
    "peak_gpu_gib": "GiB",
    "kv_cache_tokens": "tokens",
    "mean_system_power_w": "W",
}


class BenchmarkResult(Fact):
    """One measured figure; rates are those of all GPUs together unless the figure says “per GPU”.

    `measurement` names the run, the same for all figures of it; `group` the log or table that it stands in.
    """

    class Work(models.TextChoices):
        INFERENCE = "inference", _("inference")
        TRAINING = "training", _("training")

    class Figure(models.TextChoices):
        """What was measured, with its unit; the words are those of the fixtures."""

        OUTPUT_TOKENS = "output_tokens_per_s", _("output tokens per second")
        TOTAL_TOKENS = "total_tokens_per_s", _("prompt and output tokens per second")
        DECODE_TOKENS = "decode_tokens_per_s", _("output tokens per second of one stream")
        PREFILL_TOKENS = "prefill_tokens_per_s", _("prompt tokens per second")
        SAMPLES = "samples_per_s", _("samples per second")
        LATENCY = "p90_latency_ms", _("time of one sample, 90th percentile")
        TRAINED_TOKENS = "tokens_per_s_per_gpu", _("trained tokens per second and GPU")
        ALL_TRAINED_TOKENS = "tokens_per_s", _("trained tokens per second")
        TRAINING_TIME = "time_to_train_min", _("time until the benchmark’s quality is reached")
        WEIGHTS = "weights_gib_per_gpu", _("weights in memory per GPU")
        CACHE_TOKENS = "kv_cache_tokens", _("tokens that the cache holds")
        PEAK_MEMORY = "peak_gpu_gib", _("memory per GPU at the peak")
        POWER = "mean_system_power_w", _("power of the whole server, mean")

    NOT_FIGURES = (*Fact.NOT_FIGURES, "measurement", "group", "note")

    measurement = models.CharField(
        _("measurement"),
        max_length=80,
        help_text=_("Names the run; all figures of one run have the same. Does not change."),
    )
    figure = models.CharField(
        _("figure"),
        max_length=24,
        choices=Figure.choices,
        help_text=_("What was measured. Its unit follows from it: 1/s, ms, min, GiB, tokens or W."),
    )
    value = models.FloatField(
        _("value"), help_text=_("As published, in the figure’s unit; over all GPUs unless it says per GPU.")
    )
    work = models.CharField(_("work"), max_length=12, choices=Work.choices)

    suite = models.CharField(
        _("published by"),
        max_length=80,
        db_index=True,
        help_text=_("The benchmark’s name, or owner/name of the repository that holds the table or log."),
    )
    round = models.CharField(
        _("round"),
        max_length=40,
        blank=True,
        default="",
        help_text=_("Of the benchmark, such as v5.1; of an engine, its version."),
    )
    scenario = models.CharField(
        _("scenario"),
        max_length=20,
        blank=True,
        default="",
        help_text=_("As the benchmark calls it: Offline, Server, Interactive, SingleStream."),
    )
    benchmark = models.CharField(
        _("benchmark"), max_length=LONGEST_NAME, blank=True, default="", help_text=_("Test and data set.")
    )
    link = models.URLField(
        _("address"), max_length=500, help_text=_("Where the figure can be read. A result needs one.")
    )

    gpu = models.ForeignKey(
        "catalog.GPU", models.CASCADE, related_name="benchmark_results", verbose_name=_("GPU")
    )
    gpu_count = models.PositiveIntegerField(_("GPUs"), help_text=_("All of them, over all servers."))
    servers = models.PositiveIntegerField(_("servers"), default=1)
    server = models.ForeignKey(
        "catalog.Server",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="benchmark_results",
        verbose_name=_("server"),
        help_text=_("Only where the measurement names this very server; empty: another machine."),
    )
    submitter = models.CharField(_("submitted by"), max_length=80, blank=True, default="")
    system_name = models.CharField(_("system as published"), max_length=LONGEST_NAME, blank=True, default="")
    ai_model = models.ForeignKey(
        "catalog.AIModel",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="benchmark_results",
        verbose_name=_("AI model"),
        help_text=_("Empty: not in the catalog."),
    )
    model_name = models.CharField(_("model as published"), max_length=80)
    precision = words(_("precision"), _("Of the weights; in training of the arithmetic."), max_length=12)
    engine = words(_("engine or framework"), max_length=80)
    method = words(_("training method"), max_length=60)
    input_tokens = number(_("prompt, tokens"), _("Mean. Empty: not stated."))
    output_tokens = number(_("answer, tokens"), _("Mean. Empty: not stated."))
    sequence_tokens = number(_("sequence, tokens"), _("Longest, of training or of an encoder."))
    sample_work = real(
        _("work in one sample"),
        _("Of an image: steps of denoising; of speech: seconds. Empty: one sample is one piece."),
    )
    concurrency = number(_("requests at once"), _("Empty: as many as the engine takes."))

    group = models.CharField(
        _("log or table"),
        max_length=LONGEST_NAME,
        help_text=_("Measurements of one log or table, left out together when accuracy is judged."),
    )
    note = models.TextField(_("internal note"), blank=True, default="")
    is_published = models.BooleanField(_("published"), default=False)

    objects = BenchmarkResultQuerySet.as_manager()

    class Meta:
        verbose_name = _("benchmark result")
        verbose_name_plural = _("benchmark results")
        permissions = [("publish_benchmarkresult", _("Can publish benchmark results"))]
        ordering = ["measurement", "figure"]
        constraints = [
            models.UniqueConstraint(
                fields=["measurement", "figure"],
                name="benchmarkresult_figure_once_per_measurement",
                violation_error_message=_("This measurement has this figure already."),
            ),
            one_of("benchmarkresult", "work", "inference training"),
            *above_zero("benchmarkresult", "value", "gpu_count", "servers", "concurrency", "sample_work"),
        ]

    def __str__(self):
        return f"{self.model_name}, {self.gpu_count} × {self.gpu}: {self.get_figure_display()}"

    @property
    def unit(self):
        """Return the unit of the value, as staff read it."""
        return UNITS.get(self.figure, "1/s") if self.figure else ""

    @property
    def model_label(self):
        """Return the model's name in the catalog, else as it was published."""
        return self.ai_model.name if self.ai_model else self.model_name
