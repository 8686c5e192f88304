"""Rows of the catalog as files: XLSX with a sheet a table, or CSV of one table."""

import csv
from io import BytesIO, StringIO

from django.utils.translation import get_language, gettext as _
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.comments import Comment
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter

from aiservers.spreadsheets import BYTE_ORDER_MARK
from catalog.sheets.cells import Habits
from catalog.sheets.errors import SheetError
from catalog.sheets.keys import Keys
from catalog.sheets.resources import RESOURCES

LONGEST_TEXT = 32_767  # of a cell in Excel, which cuts the rest off
TEXT = "@"  # the format in which Excel leaves 9.0 and 2026-08 as they are
CHUNK = 2000


def workbook(tables):
    """Return the bytes of an XLSX workbook of {table: rows}."""
    keys = Keys()
    book = Workbook(write_only=True)
    for table, rows in tables.items():
        resource = RESOURCES[table](keys=keys)
        sheet = book.create_sheet(resource._meta.name)
        sheet.freeze_panes = "B2"
        columns = resource.columns
        for place, column in enumerate(columns, start=1):
            sheet.column_dimensions[get_column_letter(place)].width = min(
                40, max(10, len(column.column_name) + 2)
            )
        sheet.append([head_cell(sheet, column) for column in columns])
        for row in rows.iterator(CHUNK):
            sheet.append([body_cell(sheet, column, row) for column in columns])
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def head_cell(sheet, column):
    """Return the cell that names a column, with what it means beside it."""
    cell = WriteOnlyCell(sheet, column.column_name)
    cell.font = Font(bold=True)
    field = column.model_field
    words = [str(field.verbose_name), str(field.help_text)]
    if field.choices:
        words += [f"{choice}: {label}" for choice, label in field.flatchoices]
    cell.comment = Comment("\n".join(word for word in words if word), "", height=120, width=320)
    return cell


def body_cell(sheet, column, row):
    value = column.widget.render(row.__dict__[column.attribute])
    if not isinstance(value, str):
        return value
    if len(value) > LONGEST_TEXT:
        raise SheetError(
            _("“%(column)s” of “%(row)s” is too long for a cell of a workbook.")
            % {"column": column.column_name, "row": row}
        )
    if not column.widget.is_words:
        return value
    cell = WriteOnlyCell(sheet, value)
    cell.number_format = TEXT
    return cell


def separated(rows, language=None):
    """Return the bytes of a CSV file of one table's rows, numbers and words as a language writes them."""
    language = language or get_language()
    habits = Habits(language)
    resource = RESOURCES[rows.model]()
    file = StringIO()
    writer = csv.writer(file, delimiter="," if language == "en" else ";")
    writer.writerow([column.column_name for column in resource.columns])
    for row in rows.iterator(CHUNK):
        writer.writerow(
            [
                column.widget.render(row.__dict__[column.attribute], habits=habits)
                for column in resource.columns
            ]
        )
    return f"{BYTE_ORDER_MARK}{file.getvalue()}".encode()
