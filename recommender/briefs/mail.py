"""Sales hear of a new lead by e-mail; who sent it stays in the admin, where it is deleted in time."""

import logging
import smtplib

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, override

from recommender.briefs.document import document
from recommender.models import Lead

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
