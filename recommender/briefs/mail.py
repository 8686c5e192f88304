"""Sales hear of a new lead by e-mail, and answer it; who sent it stays in the admin, deleted in time."""

import logging
import smtplib
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, override

from recommender.briefs import downloads
from recommender.briefs.document import document
from recommender.models import ContactMessage, Lead

log = logging.getLogger(__name__)


def tell_sales(lead: Lead) -> bool:
    """Tell LEADS_EMAIL of a lead; return whether that went out. A failure is logged and loses nothing."""
    if not settings.LEADS_EMAIL or lead.brief is None:
        return False
    with override(settings.LANGUAGE_CODE):
        link = f"{settings.SITE_URL}{reverse('admin:recommender_lead_change', args=[lead.pk])}"
        message = EmailMessage(
            subject=gettext("New lead %(lead)s, in %(language)s")
            % {"lead": lead, "language": lead.get_language_display()},
            body="\n\n".join(
                [
                    document(lead.brief.frozen).lead,
                    gettext("The brief and whom to answer: %(link)s") % {"link": link},
                ]
            ),
            to=settings.LEADS_EMAIL,
        )
    try:
        message.send()
    except (OSError, smtplib.SMTPException):
        log.exception("the e-mail about lead %s did not go out", lead.pk)
        return False
    lead.mailed_at = timezone.now()
    lead.save(update_fields=["mailed_at", "updated_at"])
    return True


def may_answer(lead: Lead) -> bool:
    """Tell whether somebody consented to be answered, and not so long ago that the data should be gone."""
    contact = getattr(lead, "contact", None)
    oldest = timezone.now() - timedelta(days=settings.CONTACT_DAYS)
    return contact is not None and contact.consented_at >= oldest


def draft(lead: Lead, user: Any) -> dict[str, Any]:
    """Return what an answer begins with, in the lead's language."""
    with override(lead.language):
        title = lead.brief.title if lead.brief else ""
        subject = (
            gettext("Your brief “%(title)s”") % {"title": title}
            if title
            else gettext("Your brief for an AI server")
        )
        lines = [
            gettext("Dear %(name)s,") % {"name": lead.contact.name},
            gettext("thank you for your request."),
        ]
        if lead.brief:
            lines.append(document(lead.brief.frozen).lead)
            lines.append(gettext("The brief is attached as PDF."))
        lines.append(
            gettext("Kind regards,\n%(name)s\n%(vendor)s")
            % {"name": user.get_full_name() or user.get_username(), "vendor": settings.VENDOR_NAME}
        )
    return {"subject": subject, "body": "\n\n".join(lines), "with_brief": lead.brief is not None}


def answer(lead: Lead, user: Any, *, subject: str, body: str, with_brief: bool = False) -> bool:
    """Send an e-mail to a lead's contact and note it; return whether it went out. A failure notes nothing."""
    message = EmailMessage(
        subject=subject,
        body=body,
        to=[lead.contact.email],
        reply_to=[user.email] if user.email else None,
    )
    if with_brief and lead.brief:
        with override(lead.language):
            name = downloads.file_name(lead.brief, lead.language, "pdf")
            message.attach(name, downloads.made("pdf", lead.brief), "application/pdf")
    try:
        message.send()
    except (OSError, smtplib.SMTPException):
        log.exception("the answer to lead %s did not go out", lead.pk)
        return False
    ContactMessage.objects.create(
        contact=lead.contact,
        sent_by=user.get_username(),
        subject=subject,
        body=body,
        with_brief=with_brief,
    )
    lead.answered_at = timezone.now()
    if lead.status == Lead.Status.NEW:
        lead.status = Lead.Status.OPEN
    lead.save(update_fields=["answered_at", "status", "updated_at"])
    return True
