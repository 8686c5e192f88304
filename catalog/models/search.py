"""The table that search reads: which token stands in which page, and how much it says about it."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class SearchToken(models.Model):
    """One token of one page. It is made from the facts and never edited; see catalog/search/."""

    language = models.CharField(
        _("language"), max_length=2, blank=True, help_text=_("Empty: found in every language.")
    )
    token = models.CharField(_("token"), max_length=40)
    kind = models.CharField(_("kind"), max_length=20)
    object_id = models.PositiveBigIntegerField(_("row"))
    weight = models.PositiveSmallIntegerField(_("weight"))
    word = models.CharField(
        _("spelling"),
        max_length=40,
        blank=True,
        help_text=_("As a suggestion writes it; empty: never suggested."),
    )

    class Meta:
        verbose_name = _("search token")
        verbose_name_plural = _("search tokens")
        indexes = [
            # All that a search reads, so that it is answered from the index alone.
            models.Index(
                fields=["token", "language", "kind", "object_id", "weight"], name="searchtoken_found_by"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "object_id", "language", "token"], name="searchtoken_once_per_page"
            )
        ]

    def __str__(self):
        return f"{self.token} ({self.language or '*'}): {self.kind} {self.object_id}"
