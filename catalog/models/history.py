"""Who changed what, when and why: one revision an act, one change for each row that it touched."""

from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils.translation import gettext_lazy as _, pgettext_lazy

LONGEST_PATH = 255


class Written(models.Model):
    """A row that is written once: nobody edits history."""

    class Meta:
        abstract = True

    def save(self, *args, **kwargs):
        if not self._state.adding:
            raise TypeError("History is written once.")
        super().save(*args, **kwargs)


class Revision(Written):
    """One act: a saved form, an import, a command. Its changes were made in one transaction."""

    class Means(models.TextChoices):
        FORM = "form", pgettext_lazy("means of a change", "form")
        LIST = "list", pgettext_lazy("means of a change", "list")
        BULK = "bulk", _("bulk edit")
        COPY = "copy", pgettext_lazy("means of a change", "copy")
        IMPORT = "import", pgettext_lazy("means of a change", "import")
        RESTORE = "restore", pgettext_lazy("means of a change", "restore")
        COMMAND = "command", _("command")

    made_at = models.DateTimeField(_("when"), auto_now_add=True, db_index=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("user"),
    )
    made_by = models.CharField(
        _("who"),
        max_length=150,
        help_text=_("The user's name at that time, or the command's; it stays when the account goes."),
    )
    means = models.CharField(pgettext_lazy("means of a change", "how"), max_length=10, choices=Means.choices)
    why = models.TextField(_("why"), blank=True, default="")

    class Meta:
        verbose_name = _("change of the catalog")
        verbose_name_plural = _("changes of the catalog")
        default_permissions = ["view"]
        ordering = ["-id"]

    def __str__(self):
        return f"{self.made_at:%Y-%m-%d %H:%M} {self.made_by}"


class Change(Written):
    """What happened to one row: {column: [before, after]}, as JSON holds the values.

    `path` names the row behind the rows that it is a part of ("catalog.server:5/catalog.variant:9/"), so that
    the history of a whole is one range of paths and outlives the rows.
    """

    class Action(models.TextChoices):
        ADDED = "added", _("added")
        CHANGED = "changed", _("changed")
        DELETED = "deleted", _("deleted")

    revision = models.ForeignKey(
        Revision, models.CASCADE, related_name="changes", verbose_name=_("change of the catalog")
    )
    content_type = models.ForeignKey(ContentType, models.CASCADE, related_name="+", verbose_name=_("table"))
    object_id = models.PositiveBigIntegerField(_("row"))
    path = models.CharField(max_length=LONGEST_PATH, db_index=True)
    name = models.CharField(_("name"), max_length=200, help_text=_("What the row was called then."))
    action = models.CharField(_("action"), max_length=10, choices=Action.choices)
    values = models.JSONField(_("values"), encoder=DjangoJSONEncoder)

    class Meta:
        verbose_name = _("change of a row")
        verbose_name_plural = _("changes of rows")
        default_permissions = ["view"]
        ordering = ["id"]
        indexes = [models.Index(fields=["content_type", "object_id"], name="change_of_row")]

    def __str__(self):
        return f"{self.name}: {self.action}"
