"""Which row of a table a row of a sheet means, without a query a row."""

from collections import defaultdict

from django.utils.translation import gettext as _
from import_export.instance_loaders import BaseInstanceLoader

from catalog.sheets.cells import CellError


class Rows(BaseInstanceLoader):
    """All rows of a table, found by their number or by what tells them apart."""

    def __init__(self, resource, dataset=None, *, lock=False):
        super().__init__(resource, dataset)
        self.key = resource.get_import_id_fields()
        self.fixed = getattr(resource._meta, "fixed", ())
        rows = resource.model._base_manager.all()
        # What was compared must still hold when it is saved.
        rows = rows.select_for_update() if lock else rows
        self.by_number = {row.pk: row for row in rows}
        self.was_empty = not self.by_number
        self.by_key = defaultdict(list)
        for row in self.by_number.values():
            self.by_key[self.key_of_row(row)].append(row)

    def key_of_row(self, row):
        return tuple(self.resource.fields[name].value(row) for name in self.key)

    def identity_of(self, values):
        """Return what tells a new row of a sheet from the others."""
        number = values.get("id")
        return self.key_of(values) if number is None else ("id", number)

    def key_of(self, values):
        """Return the key of a row of a sheet, which takes the table's own values where cells are empty."""
        missing = [name for name in self.key if name not in values]
        if missing:
            raise CellError(
                _("A row without a number needs the columns %(names)s.") % {"names": ", ".join(missing)}
            )
        return tuple(self.or_default(name, values[name]) for name in self.key)

    def or_default(self, name, value):
        model_field = self.resource.fields[name].model_field
        if value is None and not model_field.null and model_field.has_default():
            return (
                model_field.get_default() or None
                if model_field.empty_strings_allowed
                else model_field.get_default()
            )
        return value

    def find(self, values):
        """Return the row that the values of a sheet's row mean; None: a new one.

        In a table that was empty, numbers are another database's: they only tell the rows of a file apart.

        Raises:
            CellError: its number is nobody's or another row's, or several rows have its key.
        """
        number = values.get("id")
        if number is not None:
            return None if self.was_empty else self.numbered(number, values)
        found = self.by_key.get(self.key_of(values), ())
        if len(found) > 1:
            raise CellError(
                _("Several rows of the catalog say the same: write the number of the one that is meant.")
            )
        return found[0] if found else None

    def numbered(self, number, values):
        row = self.by_number.get(number)
        if row is None:
            raise CellError(_("No row has the number %(number)s; a new row has none.") % {"number": number})
        other = [
            name
            for name in self.fixed
            if name in values and values[name] != self.resource.fields[name].value(row)
        ]
        if other:
            raise CellError(
                _("The row with the number %(number)s has another %(column)s; a new row has no number.")
                % {"number": number, "column": other[0]}
            )
        return row

    def saved(self, row):
        """Remember a row that is new or has changed."""
        if row.pk not in self.by_number:
            self.by_number[row.pk] = row
            self.by_key[self.key_of_row(row)].append(row)

    def read_again(self, row):
        """Put a row back to what the table holds."""
        fresh = type(row)._base_manager.get(pk=row.pk)
        row.__dict__.update(
            {field.attname: fresh.__dict__[field.attname] for field in row._meta.concrete_fields}
        )


def name_of(resource, row, *, in_words=False):
    """Return how people tell a row from others, without a query.

    Args:
        in_words: its name or title stands for its slug.
    """
    names = getattr(resource._meta, "fixed", ()) or resource.get_import_id_fields()
    columns = [resource.fields[name] for name in names]
    shown = {column.column_name: column.widget.shown(column.value(row), "en") for column in columns}
    if in_words and "slug" in shown:
        shown["slug"] = getattr(row, "name", "") or getattr(row, "title", "") or shown["slug"]
    number = [f"#{row.pk}"] if resource.is_numbered and row.pk else []
    return " · ".join([*(word for word in shown.values() if word), *number])
