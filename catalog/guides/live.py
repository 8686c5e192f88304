"""The live blocks of a published text: made anew when a fact has changed, as they were where that fails.

What a block shows is kept beside the edition with the catalog version that it was made from. While the
version is the same, a page reads what is kept; otherwise whoever comes first makes all blocks of the page
anew.
"""

import hashlib
import logging
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, transaction
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import mark_safe
from django.utils.translation import gettext

from aiservers.caching import release
from catalog import versions
from catalog.guides import reading
from catalog.guides.blocks import Shown
from catalog.models import GuideBlock

KEPT = ["html", "facts", "changed_at", "made_from", "failed_since", "error"]
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Blocks:
    """The HTML of an edition's blocks by their keys, and when a fact that they show last changed."""

    html: dict
    changed_at: datetime | None


def source():
    """Return what names the facts and the code that blocks are made from."""
    return f"{versions.current()}-{hashlib.sha256(release().encode()).hexdigest()[:20]}"


def shown(edition, document):
    """Return the Blocks of a published text, in the active language.

    Never raises for what is wrong with a block: staff find it in the log and beside the edition.
    """
    made_from = source()
    calls = {call.key: call for call in document.calls}
    kept = {block.key: block for block in edition.blocks.all()} if calls else {}
    old = [call for key, call in calls.items() if key not in kept or kept[key].made_from != made_from]
    if old:
        made = reading.show_all(old)
        rows = [kept.get(call.key) or GuideBlock(edition=edition, key=call.key) for call in old]
        fresh = [_updated(row, call, made[call.key], made_from) for row, call in zip(rows, old, strict=True)]
        kept |= {block.key: block for block in fresh}
        _keep(fresh)
    changes = [kept[key].changed_at for key in calls if kept[key].changed_at]
    html = {key: mark_safe(kept[key].html) or missing(call) for key, call in calls.items()}
    return Blocks(html, max(changes, default=None))


def _updated(block, call, made, made_from):
    """Write what a block shows now into its row; a failure leaves what it showed last."""
    block.made_from = made_from
    if not isinstance(made, Shown):
        message = str(made) or type(made).__name__
        if block.failed_since is None or block.error != message:
            logger.error(
                "A live block of the guide %s fails, line %s (%s): %s",
                block.edition,
                call.line,
                call.kind,
                message,
                exc_info=made if not isinstance(made, ValueError) else None,
            )
        block.failed_since = block.failed_since or timezone.now()
        block.error = message
        return block
    if block.facts and block.facts != made.digest:
        # A row that went leaves no later date behind: then the change is noticed now.
        newer = made.changed_at and (block.changed_at is None or made.changed_at > block.changed_at)
        since = block.changed_at or block.edition.publish_at
        block.changed_at = made.changed_at if newer and made.changed_at > since else timezone.now()
    block.html, block.facts = str(made.html), made.digest
    block.failed_since, block.error = None, ""
    return block


def _keep(blocks):
    """Keep rows for the readers to come; who cannot write shows the page all the same."""
    try:
        with transaction.atomic():
            GuideBlock.objects.bulk_create(
                blocks, update_conflicts=True, unique_fields=["edition", "key"], update_fields=KEPT
            )
    except DatabaseError:
        logger.exception("What the live blocks of a guide show could not be kept.")


def missing(call):
    """Return what stands for a block that could never be shown."""
    if call.inline:
        return "…"
    return format_html('<p class="note">{}</p>', gettext("This table cannot be shown at the moment."))
