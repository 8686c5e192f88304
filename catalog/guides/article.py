"""One guide as its page shows it: the published text, or what is written as it would be published."""

from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Max
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import override

from catalog.guides import live, markdown, reading
from catalog.guides.blocks import Shown
from catalog.models import GuideEdition

MAX_RELATED = 4
MAX_NEWEST = 4


@dataclass(frozen=True)
class Article:
    """What a guide's page prints of its text."""

    edition: GuideEdition
    html: SafeString
    contents: list
    minutes: int
    words: int
    updated_at: datetime
    first_published: datetime | None = None
    failing: tuple = field(default=())  # messages of blocks that cannot be shown, in a preview


def updated_at(edition, facts_changed_at):
    """Return when the text, or a fact that it shows, really changed last."""
    return max(moment for moment in (edition.changed_at, facts_changed_at) if moment)


def of_edition(edition, guides):
    """Return the Article of a published text, in the active language.

    Args:
        guides: {key: slug} of the guides that readers of the language can open.
    """
    document = markdown.parse(edition.body)
    blocks = live.shown(edition, document)
    return _article(edition, document, blocks.html, guides, blocks.changed_at)


def of_draft(guide, language, guides):
    """Return the Article of a guide's text as it is written now; nothing is kept.

    What a block cannot show stands in `failing`, and its place says so to readers as well.
    """
    now = timezone.now()
    edition = GuideEdition(
        guide=guide,
        language=language,
        slug=getattr(guide, f"slug_{language}") or guide.key,
        publish_at=now,
        changed_at=now,
        **guide.text(language),
    )
    document = markdown.parse(edition.body)
    with override(language):
        made = reading.show_all(document.calls)
        html = {
            call.key: made[call.key].html if isinstance(made[call.key], Shown) else live.missing(call)
            for call in document.calls
        }
        failing = tuple(
            (call.line, str(made[call.key]))
            for call in document.calls
            if not isinstance(made[call.key], Shown)
        )
        return _article(edition, document, html, guides, None, failing)


def _article(edition, document, blocks, guides, facts_changed_at, failing=()):
    return Article(
        edition=edition,
        html=markdown.to_html(document, blocks, guides),
        contents=document.contents,
        minutes=document.minutes,
        words=document.words,
        updated_at=updated_at(edition, facts_changed_at),
        first_published=getattr(edition, "first_published", None),
        failing=failing,
    )


def guides_by_language():
    """Return {language: {guide id: edition}} of all guides that can be opened now, without texts; one query.

    Each edition has its guide's key and topic in `guide`.
    """
    found = {}
    rows = GuideEdition.objects.live().guides().select_related("guide").defer("body", "search_words")
    for row in rows.annotate(facts_changed_at=Max("blocks__changed_at")).order_by("-publish_at", "pk"):
        found.setdefault(row.language, {})[row.guide_id] = row
    return found


def newest(language):
    """Return the guides of a language that were published last, at most four; one query."""
    rows = GuideEdition.objects.live().guides().filter(language=language)
    return rows.only("title", "slug").order_by("-publish_at", "pk")[:MAX_NEWEST]


def on_topic(language, topic):
    """Return the guides of a language on one topic, the newest first; one query."""
    rows = GuideEdition.objects.live().guides().filter(language=language, guide__topic=topic)
    return rows.only("title", "slug").order_by("-publish_at", "pk")[:MAX_NEWEST]


def slugs_in(language, by_language):
    """Return {key: slug} of what `guides_by_language` found in one language."""
    return {row.guide.key: row.slug for row in by_language.get(language, {}).values()}


def related(edition, by_language):
    """Return the other guides of a language: those of the same topic first, at most four."""
    rows = by_language.get(edition.language, {}).values()
    others = [row for row in rows if row.guide_id != edition.guide_id]
    return sorted(others, key=lambda row: row.guide.topic != edition.guide.topic)[:MAX_RELATED]
