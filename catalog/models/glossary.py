"""The glossary: one term a concept, in the words that readers meet on the pages."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from catalog.glossary import MARK
from catalog.models.base import Fact, keep_slug_once_published, one_of, prose, slug_field


class GlossaryTerm(Fact):
    """A word of the field, what it means, and by which other words readers look for it."""

    class Subject(models.TextChoices):
        WORK = "work", _("kinds of work")
        MODEL = "model", _("models and numbers")
        SERVING = "serving", _("serving")
        TRAINING = "training", _("training and fine-tuning")
        GPU = "gpu", _("GPUs and the links between them")
        SERVER = "server", _("servers and their place")

    slug = slug_field()
    subject = models.CharField(_("subject"), max_length=10, choices=Subject.choices)
    name = models.CharField(_("name"), max_length=120, blank=True, default="")
    definition = prose(
        _("definition"), _("One to three sentences; [[slug]] or [[slug|words]] links another term.")
    )
    also = prose(_("also called"), _("Other words and spellings that readers look for, one a line."))
    is_published = models.BooleanField(_("published"), default=False)

    class Meta:
        verbose_name = _("glossary term")
        verbose_name_plural = _("glossary terms")
        permissions = [("publish_glossaryterm", _("Can publish glossary terms"))]
        ordering = ["slug"]
        constraints = [one_of("glossaryterm", "subject", "work model serving training gpu server")]

    def __str__(self):
        return self.slug

    def clean(self):
        keep_slug_once_published(self)

    @property
    def other_names(self):
        """Return the other words and spellings in the active language."""
        return [line.strip() for line in (self.also or "").splitlines() if line.strip()]

    @property
    def mentions(self):
        """Return the slugs of the terms that the definition marks, in their order, each once."""
        return list(dict.fromkeys(found["slug"] for found in MARK.finditer(self.definition or "")))
