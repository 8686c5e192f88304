"""A whole file against the catalog: the dry run is the import itself, taken back."""

import hashlib
import json
from contextlib import nullcontext
from dataclasses import dataclass, field

from django.db import transaction
from django.utils.translation import gettext as _, ngettext

from catalog import history, publishing, versions
from catalog.models import Source
from catalog.search import index
from catalog.sheets import doubts
from catalog.sheets.comparing import CHANGED, NEW, SAME, WRONG, Comparison, Fault
from catalog.sheets.errors import SheetError
from catalog.sheets.keys import Keys
from catalog.sheets.reading import cell_name
from catalog.sheets.resources import COMPANIONS, RESOURCES
from catalog.sheets.scope import Everything


@dataclass
class Outcome:
    """What a file does to the catalog, sheet by sheet; `done` once it has done it."""

    sheets: list = field(default_factory=list)
    done: bool = False

    def count(self, state):
        return sum(len(sheet.of(state)) for sheet in self.sheets)

    def lines_of(self, table):
        return [line for sheet in self.sheets if sheet.resource.model is table for line in sheet.lines]

    def touched(self):
        """Return {table: numbers} of the rows that are new or have changed."""
        return {
            sheet.resource.model: [line.pk for line in sheet.lines if line.state in (NEW, CHANGED)]
            for sheet in self.sheets
        }

    @property
    def is_wrong(self):
        return self.count(WRONG) > 0

    @property
    def changes_nothing(self):
        return not (self.count(NEW) or self.count(CHANGED) or self.is_wrong)

    @property
    def digest(self):
        """Name what was shown: the same until the file or the rows of the catalog that it meets change."""
        shown = [
            [
                sheet.name,
                [
                    [
                        line.number,
                        line.state,
                        line.label,
                        [[c.cell, c.column.column_name, c.old, c.new, c.doubt] for c in line.changes],
                    ]
                    for line in sheet.lines
                ],
                sheet.vanished,
            ]
            for sheet in self.sheets
        ]
        return hashlib.sha256(json.dumps(shown, ensure_ascii=False).encode()).hexdigest()


def import_book(book, rights, habits, *, model=None, scope=None, confirmed="", recording=nullcontext):
    """Bring a file into the catalog if its outcome is the `confirmed` one, else only tell what it would do.

    `model` is the table whose page the file came to, None for the whole catalog; `scope` says which rows of a
    table the file is compared with.

    Raises:
        SheetError: a sheet or a column is unknown, or the editor may not see a table.
    """
    scope = scope or Everything()
    with transaction.atomic():
        with versions.held_back(), recording() if confirmed else nullcontext():
            outcome = compare(book, rights, habits, model, scope, lock=bool(confirmed))
            outcome.done = bool(confirmed) and confirmed == outcome.digest and not outcome.is_wrong
            if not outcome.done:
                transaction.set_rollback(True)
        if outcome.done and not outcome.changes_nothing:
            index.follow(outcome.touched())
            versions.bump()
    return outcome


def compare(book, rights, habits, model, scope, lock=False):
    """Bring every sheet in, in the order in which the tables name each other, and return the Outcome."""
    sheets = by_table(book, model, rights)
    keys, outcome = Keys(), Outcome()
    for table, resource_class in RESOURCES.items():
        if table not in sheets:
            continue
        comparison = Comparison(resource_class(keys=keys), sheets[table], habits, rights, lock)
        outcome.sheets.append(comparison.run())
        queryset = scope.rows(table, outcome)
        if queryset is not None:
            comparison.vanished(queryset)
    for sheet in outcome.sheets:
        hold_back_unfit(sheet)
    doubts.note(outcome)
    return outcome


def by_table(book, model, rights):
    """Return {table: sheet} of a file.

    Raises:
        SheetError: a sheet belongs to no table, or to one that does not travel with this list.
    """
    if model is None and book.kind == "csv":
        raise SheetError(_("A CSV file holds one table: import it from the list of that table."))
    names = {resource._meta.name: table for table, resource in RESOURCES.items()}
    if model is not None:
        allowed = {model, Source, *COMPANIONS.get(model, {})}
        names = {name: table for name, table in names.items() if table in allowed}
    if len(book.sheets) == 1 and model is not None and book.sheets[0].name.lower() not in names:
        sheets = {model: book.sheets[0]}  # whatever a spreadsheet calls its only sheet
    else:
        unknown = [sheet.name for sheet in book.sheets if sheet.name.lower() not in names]
        if unknown:
            raise SheetError(
                _(
                    "There is no table “%(name)s” here. Sheets are named: %(names)s. A sheet of your own "
                    "notes begins with #."
                )
                % {"name": unknown[0], "names": ", ".join(names)}
            )
        sheets = {names[sheet.name.lower()]: sheet for sheet in book.sheets}
    for table, sheet in sheets.items():
        if not rights.may_see(table):
            raise SheetError(
                _("You may not see the table “%(name)s”.") % {"name": table._meta.verbose_name_plural}
            )
        if not sheet.head:
            raise SheetError(
                _("The sheet “%(name)s” is empty: its first row names the columns.")
                % {"name": sheet.name or table._meta.verbose_name_plural}
            )
    return sheets


def hold_back_unfit(sheet):
    """Refuse what would publish a row that lacks something, or take from a published one what it needs."""
    table = sheet.resource.model
    if all(field.name != "is_published" for field in table._meta.fields):
        return
    touched = {line.pk: line for line in sheet.lines if line.state in (NEW, CHANGED)}
    for row in table._base_manager.filter(is_published=True, pk__in=touched):
        line = touched[row.pk]
        changed = {change.column.column_name for change in line.changes}
        if line.state == NEW:
            changed.add("is_published")
        for problem in publishing.new_problems(row, changed):
            line.state = WRONG
            cells = {change.column.column_name: change.cell for change in line.changes}
            name = problem.field if problem.field in cells else ""
            line.faults.append(Fault(cells.get(name) or cell_name(0, line.number), name, problem.text))


def recorded(user, why):
    """Return the context in which everything that is saved becomes one entry of history."""
    return history.recording(user=user, why=why, means="import")


def summary(outcome):
    """Return what an import did, in one sentence."""
    new = ngettext("%(count)s new row", "%(count)s new rows", outcome.count(NEW)) % {
        "count": outcome.count(NEW)
    }
    changed = ngettext("%(count)s changed row", "%(count)s changed rows", outcome.count(CHANGED)) % {
        "count": outcome.count(CHANGED)
    }
    same = ngettext("%(count)s unchanged row", "%(count)s unchanged rows", outcome.count(SAME)) % {
        "count": outcome.count(SAME)
    }
    return _("Import: %(new)s, %(changed)s, %(same)s.") % {"new": new, "changed": changed, "same": same}
