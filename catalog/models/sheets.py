"""Files between their dry run and their import."""

import uuid
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

KEPT = timedelta(days=1)


class SheetUpload(models.Model):
    """A file that somebody has uploaded and not confirmed yet, and how it is to be read.

    In the database, since the process that imports it may be another one, on another machine.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=_("uploaded by")
    )
    table = models.CharField(_("table"), max_length=40, blank=True, help_text=_("Empty: the whole catalog."))
    filters = models.TextField(_("filters of the list"), blank=True)
    name = models.CharField(_("file"), max_length=200)
    content = models.BinaryField(_("content"))
    language = models.CharField(_("numbers and dates as in"), max_length=2)
    encoding = models.CharField(_("encoding"), max_length=10, blank=True)
    read_ambiguous = models.BooleanField(_("read numbers such as 1.500 by that language"), default=False)
    created_at = models.DateTimeField(_("uploaded at"), default=timezone.now, db_index=True)

    class Meta:
        verbose_name = _("spreadsheet")
        verbose_name_plural = _("spreadsheets: whole catalog")

    def __str__(self):
        return self.name

    @classmethod
    def drop_old(cls):
        """Delete what nobody has confirmed within a day."""
        cls.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
