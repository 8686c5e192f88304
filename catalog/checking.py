"""What asks staff to look at a figure again: sources against each other or the catalog, and old checks."""

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
from django.utils.translation import gettext as _

from catalog import figures, publishing, stating
from catalog.models import Evidence
from catalog.models.evidence import SUBJECT_ROWS, SUBJECTS

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
        return is_known(self.row, self.field)

    @property
    def kept(self):
        return [row for row in self.evidence if row.kept]

    @property
    def looked_at(self):
        """What a check looks at: the sources that are kept; where none is, those set aside."""
        return self.kept or self.evidence

    @property
    def newest(self):
        """The day of the newest check; None: nobody looked."""
        return max((row.checked_on for row in self.looked_at if row.checked_on), default=None)

    @property
    def statements(self):
        """Return {what is stated: who states it}, what is kept first."""
        said = defaultdict(list)
        for row in sorted(self.evidence, key=lambda row: not row.kept):
            if row.stated:
                said[row.stated].append(row)
        return dict(said)

    @property
    def others(self):
        """Return {what is stated: who states it} of all that is set aside."""
        return {said: rows for said, rows in self.statements.items() if not rows[0].kept}

    @property
    def is_disputed(self):
        return len(self.statements) > 1

    @property
    def is_open(self):
        """Whether sources disagree and nobody has said why one, or none, is followed and others are not."""
        told = [row for row in self.evidence if row.stated]
        kept = {row.stated for row in told if row.kept}
        set_aside = [row for row in told if not row.kept and row.stated not in kept]
        is_settled = len(kept) == 1 or (not kept and not self.value_known)
        return self.is_disputed and not (is_settled and all(row.reason for row in set_aside))

    @property
    def can_be_unknown(self):
        """Whether the catalog may show that nobody knows it: one column that may stay empty."""
        if not stating.is_column(type(self.row), self.field):
            return False
        column = type(self.row)._meta.get_field(self.field)
        return column.null or (column.blank and column.empty_strings_allowed)

    @property
    def stands(self):
        """Whether a source that is kept states what the catalog holds; True where that cannot be compared."""
        return states(self.row, self.field, [row.stated for row in self.kept])

    @property
    def asks_for_decision(self):
        """Whether somebody has to choose: the sources disagree, with each other or with what is shown."""
        return self.is_open or not self.stands

    @property
    def doubt(self):
        """Return a sentence where no source that is kept states what the catalog shows, else ""."""
        return "" if self.stands else not_stated(row.stated for row in self.kept)


def is_known(row, name):
    """Tell whether a row holds something under a name that somebody has said."""
    if name in row.EVIDENCE_RELATIONS:
        return True
    column = type(row)._meta.get_field(name)
    value = getattr(row, name)
    # What nobody has said, a default still holds.
    return value not in (None, "") and not (column.has_default() and value == column.default)


def states(row, name, kept):
    """Tell whether one of the kept statements is what a row holds; True where that cannot be compared."""
    if not stating.is_column(type(row), name):
        return True
    if not is_known(row, name) and not any(kept):
        return True
    return any(stating.agrees(row, name, stated) for stated in kept)


def not_stated(kept):
    """Return the sentence on a figure that none of the kept sources states, with what they state instead."""
    stated = "; ".join(dict.fromkeys(filter(None, kept)))
    if not stated:
        return _("No source that is kept states this value.")
    return _("The sources that are kept state something else: %(stated)s.") % {"stated": stated}


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
        .annotate(
            kept_rows=Count("pk", filter=Q(kept=True)),
            newest_kept=Max("checked_on", filter=Q(kept=True)),
            newest_of_all=Max("checked_on"),
            rank=Min(rank),
        )
        .annotate(newest=Case(When(kept_rows=0, then=F("newest_of_all")), default=F("newest_kept")))
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


def undecided():
    """Return the figures that ask for a decision, by the name of their row."""
    found = [each for each in figures_with(disputed() | contradicted()) if each.asks_for_decision]
    return sorted(found, key=lambda figure: (not figure.is_open, str(figure.row), figure.field))


def disputed():
    """Return the keys of all figures whose sources state different things."""
    several = (
        Evidence.objects.order_by()
        .exclude(stated="")
        .values(*SUBJECTS, "field")
        .annotate(count=Count("stated", distinct=True))
        .filter(count__gt=1)
    )
    return {(key["field"], *(key[name] for name in SUBJECTS)) for key in several}


def contradicted():
    """Return the keys of all figures that have sources, none of which is kept and states what is shown."""
    found = set()
    for place, (kind, model) in enumerate(Evidence.subject_models().items()):
        kept = defaultdict(list)
        evidence = Evidence.objects.order_by().filter(**{f"{kind}__isnull": False})
        for pk, name, stated, is_kept in evidence.values_list(kind, "field", "stated", "kept"):
            kept[pk, name] += [stated] if is_kept else []
        rows = model._base_manager.in_bulk()
        for (pk, name), said in kept.items():
            if pk in rows and not states(rows[pk], name, said):
                found.add((name, *(pk if other == place else None for other in range(len(SUBJECTS)))))
    return found


def figures_with(keys):
    """Return the figures of a set of keys (a field and the numbers of all subjects)."""
    rows = Evidence.objects.filter(field__in={key[0] for key in keys}).values_list("pk", "field", *SUBJECTS)
    found = grouped(Evidence.objects.filter(pk__in=[pk for pk, *key in rows if tuple(key) in keys]))
    return list(found.values())


def figure(kind, pk, name):
    """Return one figure; None where no source speaks of it."""
    found = grouped(Evidence.objects.filter(**{kind: pk}, field=name))
    return next(iter(found.values()), None)


def decide(figure, stated, reason):
    """Follow what is stated and set all else aside, with the reason; return whether the column says so.

    Args:
        stated: "" follows none of the sources: the figure becomes unknown.

    Raises:
        ValidationError: the row's own rules, or what its page needs, do not allow that value.
    """
    try:
        value = stating.read(type(figure.row), figure.field, stated) if stated else unknown(figure)
    except ValidationError:
        is_set = False
    else:
        is_set = True
        if getattr(figure.row, figure.field) != value:
            show(figure, value)
    for row in figure.evidence:
        if not row.stated:
            continue
        follows = row.stated == stated
        row.kept, row.reason = follows, "" if follows else reason
        row.save()
    return is_set


def unknown(figure):
    """Return what the column of a figure holds that nobody knows."""
    return None if type(figure.row)._meta.get_field(figure.field).null else ""


def show(figure, value):
    """Save another value of a figure."""
    row = figure.row
    setattr(row, figure.field, value)
    row.full_clean()
    if getattr(row, "is_published", False) and (lacks := publishing.new_problems(row, [figure.field])):
        raise ValidationError([str(problem) for problem in lacks])
    row.save()
