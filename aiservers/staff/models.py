"""What staff did that leaves no trace in the facts: who signed in, who took data away."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _, pgettext_lazy


class AuditEntry(models.Model):
    """One act, written once. Nobody changes it; `purge_audit` deletes it after AUDIT_DAYS."""

    class Act(models.TextChoices):
        SIGN_IN = "sign_in", _("signed in")
        FAILED = "failed", _("failed to sign in")
        FAILED_CODE = "failed_code", _("typed a wrong code")
        LOCKED = "locked", _("was locked out")
        SIGN_OUT = "sign_out", _("signed out")
        ENDED = "ended", _("session ended")
        FACTOR_SET = "factor_set", _("set up two-factor sign-in")
        FACTOR_REMOVED = "factor_removed", _("removed two-factor sign-in")
        CODES = "codes", _("made backup codes")
        PASSWORD = "password", _("changed a password")
        EXPORT = "export", pgettext_lazy("audit", "exported")
        IMPORT = "import", pgettext_lazy("audit", "imported")
        PERSONAL = "personal", _("took or deleted personal data")

    made_at = models.DateTimeField(_("when"), auto_now_add=True, db_index=True)
    act = models.CharField(_("act"), max_length=20, choices=Act.choices)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("user"),
    )
    who = models.CharField(
        _("who"),
        max_length=150,
        blank=True,
        help_text=_("The name at that time; it stays when the account goes."),
    )
    address = models.GenericIPAddressField(_("address"), null=True)
    what = models.CharField(_("what"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit log")
        default_permissions = ["view"]
        ordering = ["-made_at", "-pk"]

    def __str__(self):
        return f"{self.made_at:%Y-%m-%d %H:%M} {self.who}"

    def save(self, *args, **kwargs):
        if not self._state.adding:
            raise TypeError("The audit log is written once.")
        super().save(*args, **kwargs)

    def delete(self, *args, **kwargs):
        raise TypeError("The audit log is purged as a whole, not entry by entry.")
