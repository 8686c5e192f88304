"""What was recorded, as staff read it: entries with their lines, and the difference between two of them."""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, datetime
from difflib import SequenceMatcher

from django.conf import settings
from django.db.models import Max
from django.utils import formats, timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.translation import gettext as _, gettext_lazy

from catalog.history.states import columns, path
from catalog.models.history import Change, Revision

NOTHING = "—"
LONG = 60  # characters from which two texts are compared by words
KEPT_WORDS = 8  # beside a change, where the rest of a text stays the same
BOOLEANS = {True: gettext_lazy("yes"), False: gettext_lazy("no")}


@dataclass(frozen=True)
class Cell:
    """One column of one row: what it was and what it became."""

    column: str
    label: str
    before: str
    after: str
    words: tuple = ()  # of long texts: (same, gone or new; text)


@dataclass
class Line:
    """What happened to one row."""

    kind: str
    name: str
    action: str
    cells: list = field(default_factory=list)
    change: Change | None = None

    @property
    def action_label(self):
        return Change.Action(self.action).label


@dataclass
class Entry:
    """One revision as far as it concerns one row and its parts."""

    revision: object
    lines: list


def entries(row, revisions=None):
    """Return the entries about a row and its parts, newest first."""
    changes = Change.objects.filter(path__startswith=path(row))
    if revisions is not None:
        changes = changes.filter(revision__in=revisions)
    return entries_of(changes)


def entries_of(changes):
    """Return changes as entries, newest first, each with its lines in the order of the rows' paths."""
    by_revision = defaultdict(list)
    changes = list(changes.select_related("revision", "content_type").order_by("-revision_id", "path", "id"))
    names = Names(changes)
    for change in changes:
        by_revision[change.revision].append(line_of(change, names))
    return [Entry(revision, lines) for revision, lines in by_revision.items()]


def revisions_of(row):
    """Return the revisions that touched a row or a part of it, newest first."""
    touching = Change.objects.filter(path__startswith=path(row)).values("revision")
    return Revision.objects.filter(pk__in=touching)


def last(row):
    """Return the number of the newest change of a row or a part of it; 0: nothing is recorded."""
    return Change.objects.filter(path__startswith=path(row)).aggregate(last=Max("pk"))["last"] or 0


def line_of(change, names=None):
    """Return what a change says, in the active language."""
    model = change.content_type.model_class()
    return line(model, change.name, change.action, change.values, names or Names([change]), change)


def line(model, name, action, values, names, change=None):
    known = columns(model) if model else {}
    if hasattr(model, "history_notes"):
        known = known | model.history_notes()
    cells = [
        cell(known.get(column), column, before, after, names)
        for column, (before, after) in values.items()
        # Of a row that came or went, what it did not say is no news.
        if action == Change.Action.CHANGED or not (_blank(before) and _blank(after))
    ]
    kind = str(model._meta.verbose_name) if model else NOTHING
    return Line(kind, shown_name(model, name), action, cells, change)


def shown_name(model, name):
    """Return what a row was called, as staff read it."""
    return model.shown_name(name) if hasattr(model, "shown_name") else name


def _blank(value):
    return value in (None, "", [])


def cell(column, name, before, after, names):
    """Return one column's change, worded; a column that is no more keeps its own name."""
    words = ()
    if all(isinstance(text, str) and len(text) > LONG for text in (before, after)):
        words = tuple(by_words(before, after))
    return Cell(name, label(column, name), names.shown(column, before), names.shown(column, after), words)


def label(column, name=""):
    """Return what a column is called, with its language where it has one."""
    if column is None:
        return name
    if hasattr(column, "translated_field"):
        language = dict(settings.LANGUAGES)[column.language]
        return _("%(text)s (%(language)s)") % {
            "text": column.translated_field.verbose_name,
            "language": _(str(language)),
        }
    return str(column.verbose_name)


def by_words(before, after):
    """Yield (op, text) of two texts compared by words: "same", "gone" or "new"; long sameness is cut."""
    old, new = re.findall(r"\S+\s*", before), re.findall(r"\S+\s*", after)
    for op, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if op == "equal":
            yield "same", _shortened(old[i1:i2])
            continue
        if i2 > i1:
            yield "gone", "".join(old[i1:i2])
        if j2 > j1:
            yield "new", "".join(new[j1:j2])


def _shortened(words):
    if len(words) <= 2 * KEPT_WORDS:
        return "".join(words)
    return "".join([*words[:KEPT_WORDS], "… ", *words[-KEPT_WORDS:]])


def compose(changes):
    """Return changes one after the other as one each row: {(table, row): (first and last values, change)}.

    `changes` come oldest first. What ends as it began is left out.
    """
    whole = {}
    for change in changes:
        key = (change.content_type, change.object_id)
        values, _last = whole.get(key, ({}, None))
        for column, (before, after) in change.values.items():
            values[column] = [values[column][0] if column in values else before, after]
        whole[key] = (values, change)
    for key, (values, change) in list(whole.items()):
        kept = {column: pair for column, pair in values.items() if pair[0] != pair[1]}
        whole[key] = (kept, change)
    return {key: found for key, found in whole.items() if found[0]}


def between(row, older, newer):
    """Return the lines of all that changed in a row and its parts after one revision, up to another.

    `older` and `newer` are numbers of revisions; `older` 0 is before the first recorded change.
    """
    changes = list(
        Change.objects.filter(path__startswith=path(row), revision__gt=older, revision__lte=newer)
        .select_related("content_type")
        .order_by("id")
    )
    first = {}
    for change in changes:
        first.setdefault((change.content_type, change.object_id), change.action)
    names, lines = Names(changes), []
    for key, (values, change) in compose(changes).items():
        action = Change.Action.CHANGED
        was_there, is_there = first[key] != Change.Action.ADDED, change.action != Change.Action.DELETED
        if was_there != is_there:
            action = Change.Action.ADDED if is_there else Change.Action.DELETED
        elif not was_there:
            continue
        lines.append((change.path, line(key[0].model_class(), change.name, action, values, names, change)))
    return [found for _path, found in sorted(lines, key=lambda pair: pair[0])]


class Names:
    """Values as staff read them; rows that values point to are looked up once, of known changes together."""

    def __init__(self, changes=()):
        self._rows = {}
        for model, numbers in _pointed_to(changes).items():
            rows = model._base_manager.in_bulk(numbers)
            self._rows |= {(model, pk): str(row) for pk, row in rows.items()}

    def shown(self, column, value):
        if _blank(value):
            return NOTHING
        if isinstance(value, bool):
            return str(BOOLEANS[value])
        if isinstance(value, list):
            return ", ".join(self.row(column.related_model, pk) if column else str(pk) for pk in value)
        if column is not None and column.related_model:
            return self.row(column.related_model, value)
        if column is not None and column.name in getattr(_table(column), "HOLDS_NAMES", ()):
            return column.model.label_of(value)
        if column is not None and column.choices:
            return str(dict(column.flatchoices).get(value, value))
        if column is not None and isinstance(value, str):
            value = _moment(column.get_internal_type(), value)
        return formats.localize(value, use_l10n=True) if not isinstance(value, str) else value

    def row(self, model, pk):
        """Return what a row is called now or, if it is gone, was called last."""
        if (model, pk) not in self._rows:
            found = model._base_manager.filter(pk=pk).first()
            self._rows[model, pk] = str(found) if found else self._name_of_gone(model, pk)
        return self._rows[model, pk]

    def _name_of_gone(self, model, pk):
        gone = Change.objects.filter(
            content_type__app_label=model._meta.app_label,
            content_type__model=model._meta.model_name,
            object_id=pk,
        ).last()
        number = _("no. %(number)s (gone)") % {"number": pk}
        return f"{gone.name}, {number}" if gone else number


def _pointed_to(changes):
    """Return {table: numbers of its rows} of all rows that the values of some changes name."""
    found = defaultdict(set)
    for change in changes:
        model = change.content_type.model_class()
        known = columns(model) if model else {}
        for name, pair in change.values.items():
            table = name in known and known[name].related_model
            for value in pair if table else ():
                found[table].update(value if isinstance(value, list) else [] if _blank(value) else [value])
    return found


def _table(column):
    return getattr(column, "model", None)  # what is noted beside columns has none


def _moment(kind, text) -> str | date | datetime:
    """Return a text that stands for a day or a moment as that."""
    parse = {"DateField": parse_date, "DateTimeField": parse_datetime}.get(kind)
    try:
        moment = (parse and parse(text)) or text
    except ValueError:
        return text
    return (
        timezone.localtime(moment) if isinstance(moment, datetime) and timezone.is_aware(moment) else moment
    )
