"""What moves a language of a guide on: to review, into public at its time, out of it."""

from django.db import transaction
from django.utils import timezone, translation as languages

from catalog import history, versions
from catalog.guides import checks, live, markdown, states
from catalog.models import GuideAddress, GuideBlock, GuideEdition, GuideTranslation


class NotReady(ValueError):
    """A text has mistakes that readers would see: `problems` are those of `checks.check`."""

    def __init__(self, problems):
        super().__init__("; ".join(problem.text for problem in problems))
        self.problems = problems


def publish(guide, language, *, at=None, by=None):
    """Publish a guide's text as it is written now in one language, now or from a later time on.

    A text that was to appear later gives way to this one. Returns the GuideEdition.

    Raises:
        NotReady: the text is missing or has mistakes.
    """
    errors = [problem for problem in checks.check_guide(guide, language) if problem.is_error]
    if errors:
        raise NotReady(errors)
    with transaction.atomic():
        edition = write(guide, language, at=at, by=by)
        with languages.override(language):
            live.shown(edition, markdown.parse(edition.body))
    return edition


def write(guide, language, *, at=None, by=None):
    """Put a guide's text into public without looking at it; `publish` looks first."""
    at = at or timezone.now()
    unschedule(guide, language)
    is_later = at > timezone.now()
    last = guide.editions.filter(language=language, ended_at=None).first()
    if last:
        at = max(at, last.publish_at)
        last.ended_at = at
        last.save()
    text = guide.text(language)
    edition = GuideEdition.objects.create(
        guide=guide,
        language=language,
        slug=getattr(guide, f"slug_{language}") or guide.key,
        search_words=getattr(guide, f"search_words_{language}") or "",
        publish_at=at,
        changed_at=last.changed_at if last and last.text == text else at,
        published_by=by,
        **text,
    )
    _note(guide, language, "scheduled" if is_later else "public", None if is_later else last, edition)
    if last:
        _keep_blocks(last, edition)
    GuideAddress.objects.get_or_create(language=language, slug=edition.slug, defaults={"guide": guide})
    row, _created = GuideTranslation.objects.get_or_create(guide=guide, language=language)
    row.step = GuideTranslation.Step.DRAFT
    row.save()
    return edition


def _note(guide, language, name, before, after):
    """Leave in the guide's history which text readers see, or will see."""
    moments = [edition and edition.publish_at.isoformat() for edition in (before, after)]
    history.note(guide, f"{name}_{language}", *moments)


def _keep_blocks(last, edition):
    """Let blocks that both texts have go on from what they showed, so that their dates stay true."""
    GuideBlock.objects.bulk_create(
        [
            GuideBlock(
                edition=edition,
                key=block.key,
                html=block.html,
                facts=block.facts,
                changed_at=block.changed_at,
                made_from=block.made_from,
                failed_since=block.failed_since,
                error=block.error,
            )
            for block in last.blocks.all()
        ]
    )


def unschedule(guide, language):
    """Take back a text that was to appear later; what readers see stays. Tell whether there was one."""
    with transaction.atomic():
        later = guide.editions.filter(language=language, ended_at=None, publish_at__gt=timezone.now()).first()
        if later is None:
            return False
        ended = guide.editions.filter(language=language, ended_at=later.publish_at)
        before = ended.exclude(pk=later.pk).first()
        _note(guide, language, "scheduled", later, None)
        later.delete()
        if before:
            before.ended_at = None
            before.save()
    return True


def withdraw(guide, language):
    """Take a language out of public at once, with what was to appear later."""
    with transaction.atomic():
        unschedule(guide, language)
        now = timezone.now()
        for edition in guide.editions.filter(language=language, ended_at=None):
            edition.ended_at = now
            edition.save()
            _note(guide, language, "public", edition, None)


def set_step(guide, language, step):
    """Send a language to review, or back to its author."""
    row, _created = GuideTranslation.objects.get_or_create(guide=guide, language=language)
    history.note(guide, f"step_{language}", row.step, step)
    row.step = step
    row.save()
    versions.bump_content()


def follow(guide, language, source_language):
    """Note that a language now says what its source says: until the source changes it is not behind."""
    row, _created = GuideTranslation.objects.get_or_create(guide=guide, language=language)
    source = states.source_text(guide, source_language)
    row.source_language = source_language
    row.source_title, row.source_summary, row.source_body = source["title"], source["summary"], source["body"]
    row.source_seen_at = timezone.now()
    row.save()
    return row
