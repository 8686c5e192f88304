"""What readers say is wrong: one report a figure, kept until somebody has decided on it."""

from functools import reduce
from operator import or_

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _, pgettext_lazy

from catalog.models.base import one_of
from catalog.models.evidence import SUBJECT_ROWS, SUBJECTS, HasSubject, subject_key

MAX_SAID = 1000  # characters


class ErrorReportQuerySet(models.QuerySet):
    def open(self):
        """Reports that ask somebody to do something: not looked at yet, or right and not yet corrected."""
        return self.filter(status__in=ErrorReport.OPEN)

    def with_subject(self):
        """Bring along the rows that the reports speak of."""
        return self.select_related(*SUBJECT_ROWS)


class ErrorReport(HasSubject, models.Model):
    """A reader's word on one figure. It names nobody: who reports is not asked.

    A report outlives the row that it speaks of: then it has no subject, and `about` says what it was.
    """

    class Status(models.TextChoices):
        NEW = "new", pgettext_lazy("error report", "new")
        ACCEPTED = "accepted", _("right, to be corrected")
        DONE = "done", _("corrected")
        REJECTED = "rejected", _("not right")

    OPEN = (Status.NEW, Status.ACCEPTED)

    server = subject_key("Server", models.SET_NULL, "error_reports", _("server"))
    variant = subject_key("Variant", models.SET_NULL, "error_reports", _("variant"))
    gpu = subject_key("GPU", models.SET_NULL, "error_reports", _("GPU"))
    option = subject_key("GPUOption", models.SET_NULL, "error_reports", _("GPU option"))
    ai_model = subject_key("AIModel", models.SET_NULL, "error_reports", _("AI model"))
    about = models.CharField(
        _("about"), max_length=300, help_text=_("Name of the row, as it was when the report came.")
    )
    field = models.CharField(_("field"), max_length=60)
    shown = models.CharField(
        _("shown"),
        max_length=300,
        blank=True,
        default="",
        help_text=_("What the page stated at that time, in the reader's language."),
    )
    said = models.TextField(_("said"), help_text=_("What the reader thinks is right."))
    source_url = models.URLField(_("address of a source"), max_length=500, blank=True, default="")
    language = models.CharField(_("language"), max_length=2, choices=settings.LANGUAGES)
    created_at = models.DateTimeField(_("sent at"), auto_now_add=True)
    status = models.CharField(
        _("status"), max_length=10, choices=Status.choices, default=Status.NEW, db_index=True
    )
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("decided by"),
    )
    decided_at = models.DateTimeField(_("decided at"), null=True, blank=True)
    note = models.TextField(_("internal note"), blank=True, default="")
    updated_at = models.DateTimeField(_("changed at"), auto_now=True)

    objects = ErrorReportQuerySet.as_manager()

    class Meta:
        verbose_name = _("error report")
        verbose_name_plural = _("error reports")
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                # All but one are empty; that one too where its row is gone.
                condition=reduce(
                    or_,
                    [
                        Q(**{f"{name}__isnull": True for name in SUBJECTS if name != subject})
                        for subject in SUBJECTS
                    ],
                ),
                name="errorreport_at_most_one_subject",
                violation_error_message=_("A report is about one row of the catalog."),
            ),
            one_of("errorreport", "status", "new accepted done rejected"),
        ]

    def __str__(self):
        return f"#{self.pk} {self.about}"

    @property
    def is_open(self):
        return self.status in self.OPEN
