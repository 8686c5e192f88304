"""One sheet against its table: which rows are new, changed, the same, wrong, double or gone."""

from dataclasses import dataclass, field
from itertools import pairwise

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from catalog.sheets.cells import CellError
from catalog.sheets.errors import SheetError
from catalog.sheets.finding import Rows, name_of
from catalog.sheets.keys import NotFoundError
from catalog.sheets.reading import NOTE, cell_name

NEW, CHANGED, SAME, WRONG = "new", "changed", "same", "wrong"


@dataclass
class Change:
    """One cell that says something else than the catalog; both values as people read them."""

    cell: str
    column: object
    old: str
    new: str
    doubt: str = ""  # that no source states a figure which readers would see


@dataclass
class Fault:
    """What is wrong, and in which cell."""

    cell: str
    column: str
    text: str


@dataclass
class Line:
    """What one row of a sheet does."""

    number: int
    state: str = SAME
    label: str = ""
    pk: int | None = None
    changes: list[Change] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


@dataclass
class SheetOutcome:
    """What one sheet does to its table."""

    resource: object
    name: str
    lines: list[Line] = field(default_factory=list)
    vanished: list[tuple[int, str]] = field(default_factory=list)  # number and name of rows not in the sheet

    def of(self, state):
        return [line for line in self.lines if line.state == state]

    @property
    def same_rows(self):
        """Return the numbers of the rows that change nothing, as ranges: 2–17, 19."""
        numbers = [line.number for line in self.of(SAME)]
        starts = [0, *(i + 1 for i, (a, b) in enumerate(pairwise(numbers)) if b > a + 1), len(numbers)]
        parts = [numbers[a:b] for a, b in pairwise(starts) if a < b]
        return ", ".join(str(p[0]) if len(p) == 1 else f"{p[0]}–{p[-1]}" for p in parts)


class Comparison:
    """Brings one sheet into its table, row by row; whoever runs it decides whether that stays."""

    def __init__(self, resource, sheet, habits, rights, lock=False):
        self.resource, self.sheet, self.habits, self.rights = resource, sheet, habits, rights
        self.model, self.keys = resource.model, resource.keys
        self.outcome = SheetOutcome(resource, sheet.name)
        self.columns = self.head()  # (place, column)
        self.places = {column.column_name: place for place, column in self.columns}
        self.rows = Rows(resource, lock=lock)
        self.seen = {}  # which row of the catalog or which new key -> row of the sheet

    def head(self):
        """Return (place, column) of the columns that the sheet has.

        Raises:
            SheetError: one has no name, an unknown one or a double one, or what tells rows apart is missing.
        """
        known = {column.column_name: column for column in self.resource.columns}
        found = {}
        for place, cell in enumerate(self.sheet.head):
            name = str(cell or "").strip()
            where = {"cell": cell_name(place, 1), "name": name, "sheet": self.title}
            if name.startswith(NOTE) or (not name and not self.is_used(place)):
                continue
            if name.lower() not in known:
                raise SheetError(
                    _(
                        "%(sheet)s, %(cell)s: there is no column “%(name)s”. To keep notes of your own, "
                        "begin the column's name with #."
                    )
                    % where
                )
            if name.lower() in found:
                raise SheetError(_("%(sheet)s, %(cell)s: the column “%(name)s” is there twice.") % where)
            found[name.lower()] = place
        needed = ["id"] if "id" in found else self.resource.get_import_id_fields()
        if missing := [name for name in needed if name not in found]:
            raise SheetError(
                _("%(sheet)s: the columns that tell rows apart are missing: %(names)s.")
                % {"sheet": self.title, "names": ", ".join(missing)}
            )
        return [(place, known[name]) for name, place in found.items()]

    @property
    def title(self):
        return self.sheet.name or self.resource.label

    def is_used(self, place):
        return any(
            len(cells) > place and cells[place] not in (None, "") for _number, cells in self.sheet.rows
        )

    def run(self):
        """Bring all rows in; what breaks a rule is tried once more when the others are in."""
        again = []
        for number, cells in self.sheet.rows:
            line = Line(number)
            self.outcome.lines.append(line)
            if not self.row(line, cells):
                again.append((line, cells))
        for line, cells in again:
            line.state, line.changes, line.faults = SAME, [], []
            self.row(line, cells, last=True)
        return self.outcome

    def row(self, line, cells, last=False):
        """Bring one row in; False: it may succeed after the rows behind it."""
        values, faults, open_names = self.values(line, cells)
        if open_names and not last:
            return False
        row = None
        try:
            row = self.find(line, values)
        except CellError as error:
            # Without its key a row cannot be found; that its key is wrong has been said.
            faults = faults or [Fault(cell_name(0, line.number), "", str(error))]
        if row is not None:
            line.pk, line.label = row.pk, name_of(self.resource, row)
        if faults:
            self.keys.miss(self.model, values.get("slug"))
            return self.wrong(line, faults)
        is_new = row is None
        if is_new:
            row = self.model()
        changed = self.differences(line, cells, row, values, is_new)
        line.label = line.label or name_of(self.resource, row)
        if line.faults:
            if not is_new:
                self.rows.read_again(row)
            return self.wrong(line, line.faults)
        if not changed and not is_new:
            return True
        is_done = self.save(line, row, changed, is_new, last)
        if is_new and line.state == NEW and values.get("id"):
            self.keys.came_as(row, values["id"])
        return is_done

    def values(self, line, cells):
        """Return {column: value} of a row, its faults, and whether a name may be made further down."""
        values, faults, open_names = {}, [], False
        for place, column in self.columns:
            cell = cells[place] if place < len(cells) else None
            try:
                values[column.column_name] = column.widget.clean(cell, habits=self.habits)
            except NotFoundError as error:
                open_names = open_names or error.model is self.model
                faults.append(self.fault(line, column.column_name, str(error)))
            except CellError as error:
                faults.append(self.fault(line, column.column_name, str(error)))
        for place in range(len(self.sheet.head), len(cells)):
            if cells[place] not in (None, ""):
                faults.append(
                    Fault(cell_name(place, line.number), "", _("This cell stands under no column's name."))
                )
        return values, faults, open_names

    def find(self, line, values):
        """Return the row of the table that a row of the sheet means, None for a new one."""
        row = self.rows.find(values)
        identity = row.pk if row is not None else self.rows.identity_of(values)
        first = self.seen.setdefault(identity, line.number)
        if first != line.number:
            raise CellError(_("This row is there twice: see row %(number)s.") % {"number": first})
        return row

    def differences(self, line, cells, row, values, is_new):
        """Set what differs on the row and return the columns that did."""
        changed = []
        for place, column in self.columns:
            name, model_field = column.column_name, column.model_field
            if name == "id":
                continue
            old, new = column.value(row), values[name]
            if is_new and new is None and (not model_field.null or model_field.has_default()):
                continue  # what the table takes where nobody says anything
            try:
                if column.widget.same(old, new, cells[place] if place < len(cells) else None):
                    continue
            except CellError as error:
                line.faults.append(self.fault(line, name, str(error)))
                continue
            if new is None and column.is_required:
                line.faults.append(self.fault(line, name, _("This cell must not be empty.")))
                continue
            setattr(row, column.attribute, column.stored(new))
            changed.append(column)
            language = self.habits.language
            line.changes.append(
                Change(
                    cell_name(place, line.number),
                    column,
                    "" if is_new else column.widget.shown(old, language),
                    column.widget.shown(new, language),
                )
            )
        return changed

    def save(self, line, row, changed, is_new, last):
        """Save a row that its table's rules and the editor's rights allow."""
        line.faults = [
            self.fault(line, name, text) for name, text in self.rights.refused(row, changed, is_new)
        ]
        if line.faults:
            return self.wrong(line, line.faults)
        line.faults = self.broken(line, row, changed)
        if line.faults:
            self.wrong(line, line.faults)
            if is_new:
                self.keys.miss(self.model, getattr(row, "slug", None))
            else:
                self.rows.read_again(row)
            self.seen = {key: number for key, number in self.seen.items() if number != line.number}
            return last
        line.pk, line.state = row.pk, NEW if is_new else CHANGED
        self.seen[row.pk] = line.number
        self.rows.saved(row)
        if is_new:
            self.keys.add(row)
        return True

    def broken(self, line, row, changed):
        """Save a row, or return which rules it breaks.

        The database holds the rules of its table in no time; only where it refuses are they asked one by one.
        """
        found = [column.column_name for column in self.resource.references if column.value(row) is not None]
        try:
            row.clean_fields(exclude=[*self.resource.originals, *found])
            row.clean()
            try:
                with transaction.atomic():
                    row.save()
            except IntegrityError:
                row.validate_unique()
                row.validate_constraints()
                raise
        except ValidationError as error:
            return [
                self.fault(line, self.meant(name, text, changed), text)
                for name, texts in error.message_dict.items()
                for text in texts
            ]
        except IntegrityError:
            return [self.fault(line, "", _("The database refuses this row."))]
        return []

    def meant(self, name, text, changed):
        """Return the column that a message speaks of; a rule over several names them in its text only."""
        if name != NON_FIELD_ERRORS:
            return name
        named = [column.column_name for column in changed if column.column_name in text]
        return max(named, key=len, default=name)

    def wrong(self, line, faults):
        line.state = WRONG
        line.faults = sorted(faults, key=lambda fault: self.places.get(fault.column, -1))
        return True

    def fault(self, line, name, text):
        if name in self.places:
            return Fault(cell_name(self.places[name], line.number), name, text)
        return Fault(cell_name(0, line.number), "" if name == NON_FIELD_ERRORS else name, text)

    def vanished(self, queryset):
        """Name the rows of the catalog that the sheet does not have, as pages call them."""
        there = {line.pk for line in self.outcome.lines if line.pk}
        gone = [pk for pk in queryset.values_list("pk", flat=True) if pk not in there]
        self.outcome.vanished = [
            (pk, name_of(self.resource, self.rows.by_number[pk], in_words=True)) for pk in gone
        ]
