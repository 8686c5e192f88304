"""What every table of facts shares: null means unknown, and each change raises the catalog version."""

import re
import string
import unicodedata

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import DEFAULT_DB_ALIAS, models, transaction
from django.db.models import F, Q
from django.utils.text import capfirst, format_lazy
from django.utils.translation import gettext_lazy as _

from catalog import versions
from catalog.querysets import FactQuerySet

SLUG = RegexValidator(
    r"^[a-z0-9]+(?:[-_.][a-z0-9]+)*\Z",
    _("Use lower-case ASCII letters and digits, joined by hyphens, underscores or dots."),
)
# Letters that the usual Latin spelling of a Russian name needs; names that mix scripts sort as they are read.
CYRILLIC = dict(zip("абвгдезийклмнопрстуфхыэ", "abvgdeziiklmnoprstufhye", strict=True)) | {
    "ё": "e",
    "ж": "zh",
    "ц": "ts",
    "ч": "ch",
    "ш": "sh",
    "щ": "shch",
    "ъ": "",
    "ь": "",
    "ю": "iu",
    "я": "ia",
}


def sort_key(name):
    """Return a key of [a-z0-9] that orders names the same way on every database.

    Whole numbers are padded, so that SR650 stands before SR1000; a fraction follows its whole number as it is
    (3 before 3.1); whatever else parts two words becomes the lowest character.
    """
    latin = "".join(CYRILLIC.get(letter, letter) for letter in name.lower())
    plain = unicodedata.normalize("NFKD", latin).encode("ascii", "ignore").decode()
    pieces = re.findall(r"\d+(?:\.\d+)?|[a-z]+|[^a-z\d]+", plain.strip(string.punctuation + " "))
    return "".join(_key_of(piece) for piece in pieces)


def _key_of(piece):
    if piece[0].isdigit():
        whole, _dot, fraction = piece.partition(".")
        return whole.zfill(6) + fraction
    return piece if piece[0].isalpha() else "0"


def number(label, help_text="", **options):
    """Return a column for a whole figure; null: not published."""
    return models.PositiveIntegerField(label, help_text=help_text, null=True, blank=True, **options)


def signed(label, help_text="", **options):
    """Return a column for a whole figure that may be below zero; null: not published."""
    return models.IntegerField(label, help_text=help_text, null=True, blank=True, **options)


def real(label, help_text="", **options):
    """Return a column for a figure with a fraction; null: not published."""
    return models.FloatField(label, help_text=help_text, null=True, blank=True, **options)


def words(label, help_text="", max_length=100, **options):
    """Return a column for a fact in words; null: not published."""
    return models.CharField(
        label, max_length=max_length, help_text=help_text, null=True, blank=True, **options
    )


def flag(label, help_text="", **options):
    """Return a column for yes, no or (null) not published."""
    return models.BooleanField(label, help_text=help_text, null=True, blank=True, **options)


def prose(label, help_text=""):
    """Return a column for translated text; empty: not written."""
    return models.TextField(label, help_text=help_text, blank=True, default="")


def slug_field(**options):
    return models.CharField(
        _("slug"),
        max_length=80,
        validators=[SLUG],
        help_text=_("Part of addresses and saved answers; does not change after publishing."),
        **({"unique": True} | options),
    )


class FigureRule(models.CheckConstraint):
    """A check that refuses beside its figure's input, and calls figures what staff call them."""

    def deconstruct(self):
        _path, args, kwargs = super().deconstruct()
        return "django.db.models.CheckConstraint", args, kwargs  # to the database it is as any other

    def validate(self, model, instance, exclude=None, using=DEFAULT_DB_ALIAS):
        try:
            super().validate(model, instance, exclude, using)
        except ValidationError as error:
            named = {
                name: str(model._meta.get_field(name).verbose_name)
                for name in self.condition.referenced_base_fields
            }
            parts = re.split(r"(\w+)", str(error.message))
            first = next(part for part in parts if part in named)
            text = "".join(named.get(part, part) for part in parts)
            raise ValidationError({first: capfirst(text)}) from None


def above_zero(table, *fields):
    """Return one check a field: its figure, where it is known, is above zero."""
    return [
        FigureRule(
            condition=Q(**{f"{field}__gt": 0}),
            name=f"{table}_{field}_above_zero",
            violation_error_message=format_lazy(
                _("{field} must be above zero; leave it empty when it is not published."), field=field
            ),
        )
        for field in fields
    ]


def in_order(table, low, high):
    """Return the check that of two figures, where both are known, the first is not the larger one."""
    return FigureRule(
        condition=Q(**{f"{low}__lte": F(high)}),
        name=f"{table}_{low}_up_to_{high}",
        violation_error_message=format_lazy(_("{low} must not be above {high}."), low=low, high=high),
    )


def one_of(table, field, listed):
    """Return the check that a word is one of `listed` (or not known)."""
    return FigureRule(
        condition=Q(**{f"{field}__in": listed.split()}),
        name=f"{table}_{field}_is_listed",
        violation_error_message=format_lazy(_("{field} must be one of the listed words."), field=field),
    )


def month(table, prefix):
    """Return the check that a month is 1 to 12 and stands beside its year."""
    return models.CheckConstraint(
        condition=Q(**{f"{prefix}_month__isnull": True})
        | Q(**{f"{prefix}_month__gte": 1, f"{prefix}_month__lte": 12, f"{prefix}_year__isnull": False}),
        name=f"{table}_{prefix}_month_of_a_year",
        violation_error_message=_("A month is between 1 and 12 and needs its year."),
    )


class Fact(models.Model):
    """A row whose change makes every advice computed before older: saving it raises the catalog version."""

    PART_OF = ()  # foreign keys to the row whose history, copies and restored states include this one
    EVIDENCE_RELATIONS = ()  # related rows that one evidence row stands for together
    NOT_FIGURES = ("id", "slug", "name", "sort_key", "is_published", "updated_at")

    updated_at = models.DateTimeField(_("changed at"), auto_now=True)

    objects = FactQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args, **kwargs):
        with transaction.atomic():
            super().save(*args, **kwargs)
            versions.bump()

    @classmethod
    def evidence_fields(cls):
        """Return the names that an evidence row may carry for this table."""
        columns = [
            field.name
            for field in cls._meta.concrete_fields
            if field.name not in cls.NOT_FIGURES and not hasattr(field, "translated_field")
        ]
        return [*columns, *cls.EVIDENCE_RELATIONS]

    def figures(self):
        """Return {name: value} of every figure that is known here: what a source has to stand for."""
        figures = {}
        for name in self.evidence_fields():
            if name in self.EVIDENCE_RELATIONS:
                rows = list(getattr(self, name).all())
                if rows:
                    figures[name] = ", ".join(str(row) for row in rows)
                continue
            field = self._meta.get_field(name)
            value = getattr(self, name)
            is_prose = isinstance(field, models.TextField)
            # What nobody has said, a default still holds: it is no figure.
            if (
                not is_prose
                and value not in (None, "")
                and (not field.has_default() or value != field.default)
            ):
                figures[name] = value
        return figures


class Named(Fact):
    """A fact that readers list by name, in the same order on every database."""

    name = models.CharField(_("name"), max_length=120)
    sort_key = models.CharField(max_length=400, editable=False, db_index=True)

    class Meta:
        abstract = True

    def __str__(self):
        return self.name

    def save(self, *args, **kwargs):
        self.sort_key = sort_key(self.name)
        super().save(*args, **kwargs)

    def clean_fields(self, exclude=None):
        self.sort_key = sort_key(self.name)
        super().clean_fields(exclude)


def keep_slug_once_published(instance):
    """Refuse a new slug for a row that readers may have linked to."""
    before = type(instance).objects.filter(pk=instance.pk).values("slug", "is_published").first()
    if before and before["is_published"] and before["slug"] != instance.slug:
        raise ValidationError({"slug": _("A published slug does not change: links would break.")})
