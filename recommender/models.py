"""Briefs that readers keep and hand over, and what they send to sales with them."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _, pgettext_lazy

MAX_TITLE = 120  # characters
MAX_NOTE = 2000


class BriefQuerySet(models.QuerySet):
    def readable(self):
        """Leave out what has expired or was withdrawn: its link leads nowhere."""
        return self.filter(revoked_at=None, expires_at__gt=timezone.now())


class Brief(models.Model):
    """Advice as it was on one day. Its two links are kept as digests only: whoever has a link has the key."""

    reader_digest = models.CharField(max_length=64, unique=True, editable=False)
    owner_digest = models.CharField(max_length=64, unique=True, editable=False)
    link_number = models.PositiveIntegerField(_("link number"), default=1, editable=False)
    title = models.CharField(_("title"), max_length=MAX_TITLE, blank=True, default="")
    note = models.TextField(_("note"), max_length=MAX_NOTE, blank=True, default="")
    language = models.CharField(_("language"), max_length=2, choices=settings.LANGUAGES)
    frozen = models.JSONField(_("answers and result"))
    created_at = models.DateTimeField(_("made at"), auto_now_add=True)
    updated_at = models.DateTimeField(_("changed at"), auto_now=True)
    expires_at = models.DateTimeField(_("expires at"), db_index=True)
    revoked_at = models.DateTimeField(_("withdrawn at"), null=True, blank=True)

    objects = BriefQuerySet.as_manager()

    class Meta:
        verbose_name = _("brief")
        verbose_name_plural = _("briefs")
        ordering = ["-created_at", "-pk"]

    def __str__(self):
        return self.title or f"#{self.pk}"

    @property
    def is_readable(self):
        return self.revoked_at is None and self.expires_at > timezone.now()


class Lead(models.Model):
    """A brief that its owner sent to sales; it outlives the brief and the contact."""

    class Status(models.TextChoices):
        NEW = "new", _("new")
        OPEN = "open", _("in work")
        WON = "won", _("won")
        LOST = "lost", _("lost")
        CLOSED = "closed", _("closed without an offer")

    brief = models.ForeignKey(
        Brief, models.SET_NULL, null=True, blank=True, related_name="leads", verbose_name=_("brief")
    )
    status = models.CharField(_("status"), max_length=10, choices=Status, default=Status.NEW, db_index=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("owner"),
    )
    notes = models.TextField(_("notes"), blank=True, default="")
    language = models.CharField(_("language"), max_length=2, choices=settings.LANGUAGES)
    created_at = models.DateTimeField(_("sent at"), auto_now_add=True)
    updated_at = models.DateTimeField(_("changed at"), auto_now=True)
    mailed_at = models.DateTimeField(
        _("e-mailed at"), null=True, blank=True, help_text=_("Empty: the e-mail to sales did not go out.")
    )

    class Meta:
        verbose_name = _("lead")
        verbose_name_plural = _("leads")
        ordering = ["-created_at", "-pk"]

    def __str__(self):
        return f"#{self.pk}"


class Contact(models.Model):
    """Who wants to be called, with the consent that was given; deleted when the owner asks, or in time."""

    lead = models.OneToOneField(
        Lead, models.CASCADE, related_name="contact", verbose_name=_("lead"), editable=False
    )
    name = models.CharField(pgettext_lazy("person", "name"), max_length=120)
    company = models.CharField(_("company"), max_length=120, blank=True, default="")
    email = models.EmailField(_("e-mail"), max_length=200)
    phone = models.CharField(_("phone"), max_length=40, blank=True, default="")
    message = models.TextField(_("message"), max_length=MAX_NOTE, blank=True, default="")
    consent_text = models.TextField(_("text of the consent"))
    consent_version = models.CharField(_("version of the consent"), max_length=20)
    consented_at = models.DateTimeField(_("consented at"), auto_now_add=True, db_index=True)

    class Meta:
        verbose_name = _("contact")
        verbose_name_plural = _("contacts")
        ordering = ["-consented_at"]

    def __str__(self):
        return f"{self.name}, {self.company}" if self.company else self.name
