"""One row that counts the changes of the catalog, and those of its guides and texts."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class CatalogVersion(models.Model):
    number = models.PositiveIntegerField(_("number"), default=0)
    content = models.PositiveIntegerField(
        _("content revision"),
        default=0,
        help_text=_("Changes of guides and texts, which make no advice older."),
    )
    changed_at = models.DateTimeField(_("facts changed on"), null=True, editable=False)

    class Meta:
        verbose_name = _("catalog version")
        verbose_name_plural = _("catalog version")
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="catalogversion_single_row")]

    def __str__(self):
        return str(self.number)
