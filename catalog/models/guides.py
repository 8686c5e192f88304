"""Guides and the site's own texts: what is written, what readers see since when, under which address."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.db import models, transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import translation
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _, pgettext

from catalog import versions
from catalog.guides import slugs
from catalog.models.ai_models import AIModel
from catalog.models.base import SLUG, one_of, prose
from catalog.models.hardware import Server
from catalog.models.workloads import WorkloadProfile
from catalog.querysets import GuideEditionQuerySet

MAX_BODY = 100_000  # characters: some fifteen thousand words
LANGUAGES = [code for code, _name in settings.LANGUAGES]


class Guide(models.Model):
    """One guide, or one of the site's own texts, as its authors work on it, in every language.

    Readers never see these columns: they see a GuideEdition, the text as it was published.
    """

    class Kind(models.TextChoices):
        GUIDE = "guide", _("guide")
        TEXT = "text", _("text of the site")

    class Topic(models.TextChoices):
        CHOOSING = "choosing", _("choosing a server")
        SIZING = "sizing", _("working out what is needed")
        BUYING = "buying", _("before buying")
        OPERATING = "operating", _("running it")

    PROSE = ("title", "summary", "body")  # what an edition shows
    TRANSLATED = (*PROSE, "slug", "search_words")

    key = models.CharField(
        _("key"),
        max_length=80,
        unique=True,
        validators=[SLUG],
        help_text=_("Names the guide in files and in links between guides; readers do not see it."),
    )
    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices, default=Kind.GUIDE)
    topic = models.CharField(
        _("topic"), max_length=20, choices=Topic.choices, default=Topic.CHOOSING, blank=True
    )
    author = models.CharField(_("author"), max_length=120, blank=True, default="")
    last_reviewed = models.DateField(
        _("last reviewed"),
        null=True,
        blank=True,
        help_text=_("When somebody last held it against the facts."),
    )
    title = models.CharField(_("title"), max_length=160, blank=True, default="")
    summary = prose(_("summary"), _("One to three sentences for lists and search engines."))
    body = models.TextField(
        _("text"),
        blank=True,
        default="",
        validators=[
            MaxLengthValidator(
                MAX_BODY, _("The text has %(show_value)s characters; %(limit_value)s are the most.")
            )
        ],
        help_text=_("Markdown with live blocks."),
    )
    slug = models.CharField(
        _("slug"),
        max_length=80,
        blank=True,
        default="",
        validators=[SLUG],
        help_text=_("Empty: made from the title. An address that was public keeps leading here."),
    )
    search_words = prose(_("words for the search"), _("Further words that readers look for."))
    servers = models.ManyToManyField(
        Server, blank=True, related_name="guides", verbose_name=_("related servers")
    )
    ai_models = models.ManyToManyField(
        AIModel, blank=True, related_name="guides", verbose_name=_("related AI models")
    )
    workloads = models.ManyToManyField(
        WorkloadProfile, blank=True, related_name="guides", verbose_name=_("related kinds of work")
    )
    updated_at = models.DateTimeField(_("changed at"), auto_now=True)

    class Meta:
        verbose_name = _("guide")
        verbose_name_plural = _("guides")
        permissions = [("publish_guide", _("Can publish guides"))]
        ordering = ["key"]
        constraints = [
            one_of("guide", "kind", "guide text"),
            models.CheckConstraint(
                condition=Q(topic__in=["", "choosing", "sizing", "buying", "operating"]),
                name="guide_topic_is_listed",
            ),
            *(
                models.UniqueConstraint(
                    fields=[f"slug_{language}"],
                    condition=~Q(**{f"slug_{language}": ""}),
                    name=f"guide_slug_{language}_once",
                    violation_error_message=_("Another guide has this name in its address already."),
                )
                for language in LANGUAGES
            ),
        ]

    def __str__(self):
        return self.key

    def save(self, *args, **kwargs):
        with transaction.atomic():
            super().save(*args, **kwargs)
            versions.bump_content()

    def clean(self):
        """Give each language that has a title an address of its own, or say which guide has it."""
        for language in LANGUAGES:
            self._clean_slug(language)

    @classmethod
    def history_notes(cls):
        """Return {name: field} of the steps that history notes: what readers see of each language."""
        return {
            f"{name}_{code}": field(
                format_lazy("{step} ({language})", step=step, language=_(str(language))), **options
            )
            for code, language in settings.LANGUAGES
            for name, step, field, options in (
                ("public", _("public since"), models.DateTimeField, {}),
                ("scheduled", _("appears at"), models.DateTimeField, {}),
                ("step", _("step"), models.CharField, {"choices": GuideTranslation.Step.choices}),
            )
        }

    def _clean_slug(self, language):
        column = f"slug_{language}"
        title = getattr(self, f"title_{language}")
        if self.kind == self.Kind.TEXT:
            setattr(self, column, "")
            return
        if title and not getattr(self, column):
            setattr(self, column, slugs.slug_of(title) or self.key)
        slug = getattr(self, column)
        if not slug:
            return
        with translation.override(language):
            taken = pgettext("path", "feed/").strip("/")
        if slug == taken:
            raise ValidationError({column: _("This address is that of the feed: choose another one.")})
        owner = slugs.owner_of(slug, language, type(self), self.pk)
        if owner:
            raise ValidationError(
                {
                    column: format_lazy(
                        _("The address “{slug}” belongs to the guide “{guide}”: choose another one."),
                        slug=slug,
                        guide=owner,
                    )
                }
            )

    def text(self, language):
        """Return {"title", "summary", "body"} as they are written in a language."""
        return {name: getattr(self, f"{name}_{language}") or "" for name in self.PROSE}

    def has_text(self, language):
        """Tell whether anything is written in a language."""
        return any(value.strip() for value in self.text(language).values())


class GuideTranslation(models.Model):
    """Where the work on a guide stands in one language, and what it was translated from."""

    class Step(models.TextChoices):
        DRAFT = "draft", _("draft")
        REVIEW = "review", _("in review")

    guide = models.ForeignKey(Guide, models.CASCADE, related_name="translations", verbose_name=_("guide"))
    language = models.CharField(_("language"), max_length=2, choices=settings.LANGUAGES)
    step = models.CharField(_("step"), max_length=10, choices=Step.choices, default=Step.DRAFT)
    source_language = models.CharField(
        _("translated from"), max_length=2, choices=settings.LANGUAGES, blank=True, default=""
    )
    source_title = models.CharField(max_length=160, blank=True, default="", editable=False)
    source_summary = models.TextField(blank=True, default="", editable=False)
    source_body = models.TextField(blank=True, default="", editable=False)
    source_seen_at = models.DateTimeField(
        _("original last followed at"), null=True, blank=True, editable=False
    )
    updated_at = models.DateTimeField(_("changed at"), auto_now=True)

    class Meta:
        verbose_name = _("language of a guide")
        verbose_name_plural = _("languages of a guide")
        ordering = ["guide", "language"]
        constraints = [
            models.UniqueConstraint(fields=["guide", "language"], name="guidetranslation_once_per_language"),
            models.CheckConstraint(
                condition=~Q(source_language=F("language")),
                name="guidetranslation_of_another_language",
                violation_error_message=_("A text is not translated from its own language."),
            ),
            one_of("guidetranslation", "step", "draft review"),
        ]

    def __str__(self):
        return f"{self.guide} ({self.language})"

    @property
    def source(self):
        """Return the source's {"title", "summary", "body"} as they were when this text last followed them."""
        return {"title": self.source_title, "summary": self.source_summary, "body": self.source_body}


class GuideEdition(models.Model):
    """A text as it was published in one language: readers see it from `publish_at` until `ended_at`.

    Editions of one guide and language follow one another without overlapping; the last has no end.
    """

    guide = models.ForeignKey(Guide, models.CASCADE, related_name="editions", verbose_name=_("guide"))
    language = models.CharField(_("language"), max_length=2, choices=settings.LANGUAGES)
    slug = models.CharField(_("slug"), max_length=80, validators=[SLUG])
    title = models.CharField(_("title"), max_length=160)
    summary = models.TextField(_("summary"), blank=True, default="")
    body = models.TextField(_("text"))
    search_words = models.TextField(_("words for the search"), blank=True, default="")
    publish_at = models.DateTimeField(_("public from"))
    ended_at = models.DateTimeField(_("public until"), null=True, blank=True)
    changed_at = models.DateTimeField(
        _("text changed at"), help_text=_("The same where the same text is published again.")
    )
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("published by"),
    )

    objects = GuideEditionQuerySet.as_manager()

    class Meta:
        verbose_name = _("published text")
        verbose_name_plural = _("published texts")
        ordering = ["-publish_at", "-pk"]
        indexes = [models.Index(fields=["language", "publish_at"], name="guideedition_by_time")]
        constraints = [
            models.UniqueConstraint(
                fields=["guide", "language"],
                condition=Q(ended_at__isnull=True),
                name="guideedition_one_is_last",
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True) | Q(ended_at__gte=F("publish_at")),
                name="guideedition_ends_after_it_begins",
            ),
        ]

    def __str__(self):
        return f"{self.guide} ({self.language})"

    def save(self, *args, **kwargs):
        with transaction.atomic():
            super().save(*args, **kwargs)
            versions.bump_content()

    @property
    def text(self):
        """Return {"title", "summary", "body"} as readers see them."""
        return {name: getattr(self, name) for name in Guide.PROSE}


class GuideBlock(models.Model):
    """What a live block of an edition showed last, kept for a day on which it cannot be made anew."""

    edition = models.ForeignKey(
        GuideEdition, models.CASCADE, related_name="blocks", verbose_name=_("published text")
    )
    key = models.CharField(_("key"), max_length=32, help_text=_("Made from the block's text."))
    html = models.TextField(_("last good form"), blank=True, default="")
    facts = models.CharField(_("digest of the facts shown"), max_length=32, blank=True, default="")
    changed_at = models.DateTimeField(_("facts changed at"), null=True, blank=True)
    made_from = models.CharField(_("made from"), max_length=100, blank=True, default="")
    failed_since = models.DateTimeField(_("fails since"), null=True, blank=True)
    error = models.TextField(_("error"), blank=True, default="")

    class Meta:
        verbose_name = _("live block")
        verbose_name_plural = _("live blocks")
        constraints = [models.UniqueConstraint(fields=["edition", "key"], name="guideblock_once_per_edition")]

    def __str__(self):
        return f"{self.edition}: {self.key}"


class GuideAddress(models.Model):
    """A name in addresses that was public once: it leads to its guide for good."""

    guide = models.ForeignKey(Guide, models.CASCADE, related_name="addresses", verbose_name=_("guide"))
    language = models.CharField(_("language"), max_length=2, choices=settings.LANGUAGES)
    slug = models.CharField(_("slug"), max_length=80, validators=[SLUG])
    created_at = models.DateTimeField(_("since"), db_default=Now(), editable=False)

    class Meta:
        verbose_name = _("address of a guide")
        verbose_name_plural = _("addresses of guides")
        constraints = [
            models.UniqueConstraint(
                fields=["language", "slug"],
                name="guideaddress_once_per_language",
                violation_error_message=_("Another guide has this name in its address already."),
            )
        ]

    def __str__(self):
        return f"{self.language}: {self.slug}"
