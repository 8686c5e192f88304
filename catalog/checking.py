"""What asks staff to look at a figure again: sources that disagree, and figures whose last check is old."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import timedelta
from functools import reduce
from operator import or_

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Case, Count, F, Max, Min, Q, Value, When, prefetch_related_objects
from django.utils import timezone

from catalog import figures, stating
from catalog.models import Evidence
from catalog.models.evidence import SUBJECTS

SUBJECT_ROWS = ["server", "variant__server", "gpu", "option__gpu", "option__variant__server", "ai_model"]
# What readers meet most comes first.
RANKS = [
    Q(server__is_published=True) | Q(variant__server__is_published=True),
    Q(option__variant__server__is_published=True),
    Q(gpu__is_published=True),
    Q(ai_model__is_published=True),
]


@dataclass
class Figure:
    """One figure of one row, with all that its sources say."""

    kind: str  # which of SUBJECTS
    row: object
    field: str
    evidence: list = field(default_factory=list)

    @property
    def label(self):
        return figures.label(type(self.row), self.field)

    @property
    def name(self):
        """What the row is called, with the server that it is a part of."""
        return f"{self.row.server}: {self.row}" if self.kind == "variant" else str(self.row)

    @property
    def is_prose(self):
        """Whether it is a note of ours, which may have a source and needs none."""
        return self.field not in self.row.EVIDENCE_RELATIONS and isinstance(
            type(self.row)._meta.get_field(self.field), models.TextField
        )

    @property
    def value(self):
        return figures.text(self.row, self.field)

    @property
    def value_known(self):
        if self.field in self.row.EVIDENCE_RELATIONS:
            return True
        column = type(self.row)._meta.get_field(self.field)
        value = getattr(self.row, self.field)
        # What nobody has said, a default still holds.
        return value not in (None, "") and not (column.has_default() and value == column.default)

    @property
    def kept(self):
        return [row for row in self.evidence if row.kept]

    @property
    def newest(self):
        """The day of the newest check of what is shown; None: it was never checked."""
        return max((row.checked_on for row in self.kept if row.checked_on), default=None)

    @property
    def statements(self):
        """Return {what is stated: who states it}, what is kept first."""
        said = defaultdict(list)
        for row in sorted(self.evidence, key=lambda row: not row.kept):
            if row.stated:
                said[row.stated].append(row)
        return dict(said)

    @property
    def is_disputed(self):
        return len(self.statements) > 1

    @property
    def is_open(self):
        """Whether sources disagree and nobody has said why one is followed and the others are not."""
        told = [row for row in self.evidence if row.stated]
        kept = {row.stated for row in told if row.kept}
        set_aside = [row for row in told if not row.kept and row.stated not in kept]
        return self.is_disputed and (len(kept) != 1 or not all(row.reason for row in set_aside))

    @property
    def stands(self):
        """Whether a source that is kept states what the catalog holds; True where that cannot be compared."""
        if not stating.is_column(type(self.row), self.field) or not self.value_known:
            return True
        return any(stating.agrees(self.row, self.field, row.stated) for row in self.kept)


def age_limit():
    """Return the day before which a check is old."""
    return timezone.localdate() - timedelta(days=settings.RECHECK_DAYS)


def is_old(figure):
    return figure.newest is None or figure.newest < age_limit()


def due():
    """Return the keys of all figures whose last check is old or missing, what matters most first."""
    rank = Case(*[When(rule, then=Value(place)) for place, rule in enumerate(RANKS)], default=Value(9))
    return (
        Evidence.objects.order_by()
        .values(*SUBJECTS, "field")
        .annotate(newest=Max("checked_on", filter=Q(kept=True)), rank=Min(rank))
        .filter(Q(newest=None) | Q(newest__lt=age_limit()))
        .order_by("rank", F("newest").asc(nulls_first=True), *SUBJECTS, "field")
    )


def figures_of(keys):
    """Return the figures that keys (a subject's number and a field) name, in their order."""
    keys = [(key["field"], *(key[name] for name in SUBJECTS)) for key in keys]
    if not keys:
        return []
    named = reduce(or_, (Q(**dict(zip(["field", *SUBJECTS], key, strict=True))) for key in keys))
    found = grouped(Evidence.objects.filter(named))
    return [found[key] for key in keys if key in found]


def grouped(evidence):
    """Return {key: Figure} of evidence rows, with the rows that they speak of."""
    found = {}
    subjects = [f"{name}_id" for name in SUBJECTS]
    for row in evidence.select_related("source", *SUBJECT_ROWS):
        kind = next(name for name in SUBJECTS if getattr(row, f"{name}_id"))
        key = (row.field, *(getattr(row, name) for name in subjects))
        found.setdefault(key, Figure(kind, getattr(row, kind), row.field)).evidence.append(row)
    by_relation = defaultdict(list)
    for figure in found.values():
        if figure.field in figure.row.EVIDENCE_RELATIONS:
            by_relation[type(figure.row), figure.field].append(figure.row)
    for (_model, relation), rows in by_relation.items():
        prefetch_related_objects(rows, relation)
    return found


def disputed():
    """Return every figure whose sources state different things, those that nobody has decided on first."""
    several = (
        Evidence.objects.order_by()
        .exclude(stated="")
        .values(*SUBJECTS, "field")
        .annotate(count=Count("stated", distinct=True))
        .filter(count__gt=1)
    )
    keys = {(key["field"], *(key[name] for name in SUBJECTS)) for key in several}
    rows = Evidence.objects.filter(field__in={key[0] for key in keys}).values_list("pk", "field", *SUBJECTS)
    found = grouped(Evidence.objects.filter(pk__in=[pk for pk, *key in rows if tuple(key) in keys]))
    return sorted(
        (found[key] for key in keys), key=lambda figure: (not figure.is_open, str(figure.row), figure.field)
    )


def figure(kind, pk, name):
    """Return one figure; None where no source speaks of it."""
    found = grouped(Evidence.objects.filter(**{kind: pk}, field=name))
    return next(iter(found.values()), None)


def decide(figure, stated, reason):
    """Follow what is stated and set all else aside, with the reason; return whether the column says so.

    Raises:
        ValidationError: the row's own rules do not allow that value.
    """
    try:
        value = stating.read(type(figure.row), figure.field, stated)
    except ValidationError:
        is_set = False
    else:
        is_set = True
        if getattr(figure.row, figure.field) != value:
            setattr(figure.row, figure.field, value)
            figure.row.full_clean()
            figure.row.save()
    for row in figure.evidence:
        if not row.stated:
            continue
        follows = row.stated == stated
        row.kept, row.reason = follows, "" if follows else reason
        row.save()
    return is_set
