"""What is kept of a person whose e-mail address is known: found, and deleted with every trace of it."""

from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction

from catalog import history
from recommender.models import Brief, Contact, Lead

CONTACT = ["name", "company", "email", "phone", "message", "consent_text", "consent_version", "consented_at"]


def data_of(email: str) -> dict[str, Any]:
    """Return all that is kept of a person, ready for JSON."""
    contacts = Contact.objects.filter(email__iexact=email).select_related("lead__brief")
    return {"email": email, "leads": [_lead(contact) for contact in contacts.prefetch_related("messages")]}


def _lead(contact: Contact) -> dict[str, Any]:
    lead, brief = contact.lead, contact.lead.brief
    return {
        "lead": lead.pk,
        "sent_at": lead.created_at,
        "language": lead.language,
        "status": lead.status,
        "follow_up_on": lead.follow_up_on,
        "notes": lead.notes,
        "contact": {name: getattr(contact, name) for name in CONTACT},
        "emails": [
            {"sent_at": message.sent_at, "subject": message.subject, "text": message.body}
            for message in contact.messages.all()
        ],
        "brief": brief
        and {
            "title": brief.title,
            "note": brief.note,
            "made_at": brief.created_at,
            "answers": brief.frozen.get("answers", {}),
        },
        "history": [
            {
                "made_at": entry.revision.made_at,
                "why": entry.revision.why,
                "lines": [
                    {"column": cell.label, "before": cell.before, "after": cell.after}
                    for line in entry.lines
                    for cell in line.cells
                ],
            }
            for entry in history.entries(lead)
        ],
    }


def labelled(contact: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return what is kept of a contact beside its names as pages say them."""
    return [(str(Contact._meta.get_field(name).verbose_name), value) for name, value in contact.items()]


@transaction.atomic
def forget(email: str) -> int:
    """Delete a person's leads with contact, e-mails, briefs, history and log; return how many leads it was.

    A brief that somebody else sent to sales as well stays with them.
    """
    leads = list(Lead.objects.filter(contact__email__iexact=email).select_related("contact", "brief"))
    for lead in leads:
        history.forget(lead)
        _forget_log(lead)
        _forget_log(lead.contact)
        lead.delete()
    briefs = {lead.brief_id for lead in leads if lead.brief_id}
    for brief in Brief.objects.filter(pk__in=briefs, leads=None):
        _forget_log(brief)
        brief.delete()
    return len(leads)


def _forget_log(row: Any) -> None:
    """Delete what the admin's own log says of a row: it repeats names."""
    kind = ContentType.objects.get_for_model(row)
    LogEntry.objects.filter(content_type=kind, object_id=str(row.pk)).delete()
