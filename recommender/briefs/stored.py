"""Briefs in the database: made, found by their tokens, renewed, given a new link, withdrawn, purged."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from recommender.answers import Answers
from recommender.briefs import frozen, tokens
from recommender.models import Brief, Contact, Lead

CONSENT_VERSION = "1"  # rises with every change of the consent's meaning


class TooLarge(ValueError):
    """A frozen brief above what one may take; answers have limits, so this is a bug of ours."""


def create(
    given: Answers, *, language: str, server: str = "", title: str = "", note: str = ""
) -> tuple[Brief, str]:
    """Store today's advice for good answers; return the brief and its owner's token, known only now.

    Raises:
        BadAnswers: one of the answers cannot be reckoned with.
        TooLarge: the result takes more than `frozen.MAX_BYTES`.
    """
    content = frozen.freeze(given, language=language, on=timezone.localdate(), server=server)
    size = len(json.dumps(content, ensure_ascii=False).encode())
    if size > frozen.MAX_BYTES:
        raise TooLarge(f"{size} bytes of a brief are more than {frozen.MAX_BYTES}")
    owner_token = tokens.new_owner_token()
    brief = Brief.objects.create(
        reader_digest=tokens.digest(tokens.reader_token(owner_token, 1)),
        owner_digest=tokens.digest(owner_token),
        title=title,
        note=note,
        language=language,
        frozen=content,
        expires_at=_expiry(),
    )
    return brief, owner_token


def _expiry() -> Any:
    return timezone.now() + timedelta(days=settings.BRIEF_DAYS)


def readable(token: str) -> Brief | None:
    """Return the brief that a reader's token opens; None where there is none, also expired or withdrawn."""
    return Brief.objects.readable().filter(reader_digest=tokens.digest(token)).first()


def owned(token: str) -> Brief | None:
    """Return the brief that an owner's token opens, expired and withdrawn ones too."""
    return Brief.objects.filter(owner_digest=tokens.digest(token)).first()


def renew(brief: Brief) -> None:
    """Keep a brief for the whole time again, from today."""
    brief.expires_at = _expiry()
    brief.save(update_fields=["expires_at", "updated_at"])


def replace_link(brief: Brief, owner_token: str) -> None:
    """Give a brief another link; the one before leads nowhere from now on."""
    with transaction.atomic():
        row = Brief.objects.select_for_update().get(pk=brief.pk)
        row.link_number += 1
        row.reader_digest = tokens.digest(tokens.reader_token(owner_token, row.link_number))
        row.save(update_fields=["link_number", "reader_digest", "updated_at"])


def revoke(brief: Brief) -> None:
    """Withdraw a brief: its link leads nowhere. The owner's page stays until the brief is purged."""
    brief.revoked_at = timezone.now()
    brief.save(update_fields=["revoked_at", "updated_at"])


def contacts_of(brief: Brief) -> Any:
    return Contact.objects.filter(lead__brief=brief)


def forget_contacts(brief: Brief) -> int:
    """Delete what a brief's owner told sales about who they are; return how many contacts that were."""
    count, _by_table = contacts_of(brief).delete()
    return count


def send_to_sales(brief: Brief, contact: Mapping[str, str], *, language: str, consent_text: str) -> Lead:
    """Store a lead with its contact, both or neither."""
    with transaction.atomic():
        lead = Lead.objects.create(brief=brief, language=language)
        Contact.objects.create(
            lead=lead, consent_text=consent_text, consent_version=CONSENT_VERSION, **contact
        )
    return lead


def outdated() -> dict[str, Any]:
    """Return what is to be purged: contacts after CONTACT_DAYS, briefs a month after their end."""
    now = timezone.now()
    ended = now - timedelta(days=30)
    return {
        "contacts": Contact.objects.filter(consented_at__lt=now - timedelta(days=settings.CONTACT_DAYS)),
        "briefs": Brief.objects.filter(Q(expires_at__lt=ended) | Q(revoked_at__lt=ended)),
    }
