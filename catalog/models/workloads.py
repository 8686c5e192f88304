"""Kinds of work: what each asks of a server, and what is assumed where a reader does not know."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from catalog.models.base import (
    Fact,
    above_zero,
    in_order,
    keep_slug_once_published,
    number,
    one_of,
    prose,
    slug_field,
)
from catalog.models.evidence import Source
from catalog.querysets import WorkloadProfileQuerySet


class WorkloadProfile(Fact):
    """A kind of work that readers choose first; its texts and figures are kept by the staff."""

    class Stage(models.TextChoices):
        TRAINING = "training", _("training")
        FINE_TUNING = "fine_tuning", _("fine-tuning")
        INFERENCE = "inference", _("inference")
        MIXED = "mixed", _("fine-tuning now and then, inference all the time")
        DEVELOPMENT = "development", _("development")

    slug = slug_field()
    stage = models.CharField(_("stage"), max_length=20, choices=Stage.choices)
    name = models.CharField(_("name"), max_length=120, blank=True, default="")
    summary = prose(_("summary"))
    asks = prose(_("what it asks of a server"))
    to_measure = prose(_("what to measure"))
    gpus_min = number(_("GPUs, from"))
    gpus_max = number(_("GPUs, up to"), _("A preference, never a rule."))
    rack_units_min = number(_("height, from, U"))
    rack_units_max = number(_("height, up to, U"), _("A preference, never a rule."))
    order = models.PositiveIntegerField(_("place in the list"), default=0)
    is_published = models.BooleanField(_("published"), default=False)

    objects = WorkloadProfileQuerySet.as_manager()

    class Meta:
        verbose_name = _("workload profile")
        verbose_name_plural = _("workload profiles")
        permissions = [("publish_workloadprofile", _("Can publish workload profiles"))]
        ordering = ["order", "slug"]
        constraints = [
            one_of("workloadprofile", "stage", "training fine_tuning inference mixed development"),
            *above_zero("workloadprofile", "gpus_min", "rack_units_min"),
            in_order("workloadprofile", "gpus_min", "gpus_max"),
            in_order("workloadprofile", "rack_units_min", "rack_units_max"),
        ]

    def __str__(self):
        return self.slug

    def clean(self):
        keep_slug_once_published(self)


class Requirement(Fact):
    """One line of the table that sets training and inference side by side."""

    PART_OF = ("profile",)

    class Aspect(models.TextChoices):
        GPUS = "gpus", _("GPUs at work together")
        LINK = "link", _("link between the GPUs")
        MEMORY = "memory", _("GPU memory")
        DUTY = "duty", _("how it runs")
        FORM = "form", _("form")

    profile = models.ForeignKey(
        WorkloadProfile, models.CASCADE, related_name="requirements", verbose_name=_("workload profile")
    )
    aspect = models.CharField(_("aspect"), max_length=10, choices=Aspect.choices)
    text = prose(_("text"))

    class Meta:
        verbose_name = _("requirement")
        verbose_name_plural = _("requirements")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["profile", "aspect"],
                name="requirement_once_per_profile",
                violation_error_message=_("This aspect is described already."),
            ),
            one_of("requirement", "aspect", "gpus link memory duty form"),
        ]

    def __str__(self):
        return self.aspect


class TypicalAssumption(Fact):
    """The value that stands in for an answer that was not given, and why."""

    PART_OF = ("profile",)

    profile = models.ForeignKey(
        WorkloadProfile, models.CASCADE, related_name="assumptions", verbose_name=_("workload profile")
    )
    key = models.CharField(_("answer"), max_length=40, help_text=_("Name of the answer that it replaces."))
    value = models.CharField(_("value"), max_length=80, help_text=_("A number, a range as 8..32, or a word."))
    why = prose(_("why"))
    source = models.ForeignKey(
        Source, models.PROTECT, null=True, blank=True, related_name="assumptions", verbose_name=_("source")
    )

    class Meta:
        verbose_name = _("typical assumption")
        verbose_name_plural = _("typical assumptions")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["profile", "key"],
                name="typicalassumption_once_per_profile",
                violation_error_message=_("This answer has a typical value already."),
            ),
        ]

    def __str__(self):
        return f"{self.key} = {self.value}"
