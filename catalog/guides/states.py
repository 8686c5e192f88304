"""Where each language of a guide stands: computed from what is written, published and followed."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _, pgettext_lazy

LANGUAGES = [code for code, _name in settings.LANGUAGES]


class State(models.TextChoices):
    MISSING = "missing", pgettext_lazy("guide", "missing")
    DRAFT = "draft", _("draft")
    REVIEW = "review", _("in review")
    PUBLISHED = "published", _("published")
    STALE = "stale", _("behind its original")


@dataclass(frozen=True)
class LanguageState:
    """One language of a guide.

    `state` is what readers have: published or stale where they see a text or will at its time, else how far
    the work is. `edition` is what they see now, `scheduled` what they will see from its time on;
    `has_changes`: the text as it is written now is not what was published last, `is_in_review`: that waits
    for an editor.
    """

    language: str
    state: State
    edition: Any = None
    scheduled: Any = None
    has_changes: bool = False
    is_in_review: bool = False
    source_language: str = ""
    is_behind: bool = False
    failing: tuple = ()  # blocks that show their last good form


def of(guide):
    """Return {language: LanguageState} of a guide, best one of `with_all`."""
    translations = {row.language: row for row in guide.translations.all()}
    editions = [row for row in guide.editions.all() if row.ended_at is None or row.ended_at > timezone.now()]
    return {language: _of_language(guide, language, translations, editions) for language in LANGUAGES}


def with_all(guides):
    """Return a queryset of guides with what `of` reads."""
    return guides.prefetch_related("translations", "editions__blocks")


def _of_language(guide, language, translations, editions):
    own = [row for row in editions if row.language == language]
    now = timezone.now()
    edition = next((row for row in own if row.publish_at <= now), None)
    scheduled = next((row for row in own if row.publish_at > now), None)
    translation = translations.get(language)
    in_review = bool(translation and translation.step == "review")
    behind = is_behind(guide, translation, editions)
    newest = scheduled or edition
    if newest:
        state = State.STALE if behind else State.PUBLISHED
    elif not guide.has_text(language):
        state = State.MISSING
    else:
        state = State.REVIEW if in_review else State.DRAFT
    return LanguageState(
        language=language,
        state=state,
        edition=edition,
        scheduled=scheduled,
        has_changes=bool(newest) and newest.text != guide.text(language),
        is_in_review=in_review,
        source_language=translation.source_language if translation else "",
        is_behind=behind,
        failing=tuple(block for block in edition.blocks.all() if block.failed_since) if edition else (),
    )


def source_text(guide, language, editions=None):
    """Return the text that translations follow: what was published last, else what is written."""
    rows = guide.editions.all() if editions is None else editions
    published = [row for row in rows if row.language == language and row.ended_at is None]
    return published[0].text if published else guide.text(language)


def is_behind(guide, translation, editions=None):
    """Tell whether the source of a translation says something else than when the translation followed it."""
    if translation is None or not translation.source_language or translation.source_seen_at is None:
        return False
    return source_text(guide, translation.source_language, editions) != translation.source
