"""Files that people upload: XLSX and CSV become sheets of cells, or a sentence says why they cannot."""

import logging
import zipfile
from dataclasses import dataclass
from io import BytesIO

from django.utils.translation import gettext as _
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter

from catalog.sheets import csv_files
from catalog.sheets.cells import Unreadable
from catalog.sheets.errors import SheetError

MAX_BYTES = 20 * 2**20  # of a file
MAX_UNPACKED = 300 * 2**20  # of a workbook, bytes
MAX_PARTS = 500  # files in a workbook
MAX_ROWS = 60_000  # of all sheets together
MAX_COLUMNS = 400
MAX_EMPTY_ROWS = 200_000  # formatted and empty, as Excel leaves them behind
ZIP, OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
NOTE = "#"  # sheets and columns of this name are the editor's own notes

logger = logging.getLogger(__name__)


@dataclass
class Sheet:
    """One table of a file: its name ("" in CSV), the cells of its head, and (number, cells) of its rows."""

    name: str
    head: list
    rows: list


@dataclass
class Book:
    """What a file holds, and as which kind of file it was read."""

    sheets: list[Sheet]
    kind: str  # xlsx or csv
    encoding: str = ""


def cell_name(index, number):
    """Return the name that a spreadsheet shows for a cell: C7."""
    return f"{get_column_letter(index + 1)}{number}"


def read(content, encoding=""):
    """Return the Book that a file's bytes hold.

    Raises:
        SheetError: they cannot be read; its text says why.
    """
    if len(content) > MAX_BYTES:
        raise SheetError(too_large())
    if not content.strip():
        raise SheetError(_("The file is empty."))
    if content.startswith(OLD_EXCEL):
        if ENCRYPTED in content:
            raise SheetError(_("The workbook is protected by a password: save it without one."))
        raise SheetError(_("This is a workbook of the old kind (.xls): save it as XLSX."))
    if content.startswith(ZIP):
        return Book(read_workbook(content), "xlsx")
    if b"\0" in content[:4096] and content[:2] not in csv_files.UTF_16:
        raise SheetError(_("This is neither XLSX nor CSV."))
    rows, used = csv_files.read(content, encoding, MAX_ROWS)
    return Book([sheet_of("", iter(rows), MAX_ROWS)], "csv", used)


def too_large():
    return _("The file is larger than %(mb)s MB.") % {"mb": MAX_BYTES // 2**20}


def read_workbook(content):
    """Return the sheets of an XLSX workbook; notes are left out."""
    check_package(content)
    sheets, left = [], MAX_ROWS
    try:
        workbook = load_workbook(BytesIO(content), read_only=True, data_only=False, keep_links=False)
        for worksheet in workbook.worksheets:
            if worksheet.title.startswith(NOTE):
                continue
            worksheet.reset_dimensions()  # what the file says of its size may be wrong
            sheet = sheet_of(worksheet.title, worksheet_rows(worksheet), left)
            left -= len(sheet.rows)
            sheets.append(sheet)
    except SheetError:
        raise
    except Exception as error:  # a broken workbook breaks its reader in many ways, none of them ours
        logger.info("An uploaded workbook cannot be read: %r", error)
        raise SheetError(_("The workbook is damaged: open it and save it again as XLSX.")) from error
    if not sheets:
        raise SheetError(_("The workbook has no sheet to read."))
    return sheets


def check_package(content):
    """Refuse what is no workbook, and what would fill the memory when it is unpacked."""
    try:
        parts = zipfile.ZipFile(BytesIO(content)).infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise SheetError(_("The file is damaged: it cannot be unpacked.")) from error
    if any(part.flag_bits & 1 for part in parts):
        raise SheetError(_("The workbook is protected by a password: save it without one."))
    if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED:
        raise SheetError(_("The workbook is too large when it is unpacked: import it in parts."))
    if "xl/workbook.xml" not in {part.filename for part in parts}:
        raise SheetError(_("This is no XLSX workbook: save it as XLSX or CSV."))


def worksheet_rows(worksheet):
    for cells in worksheet.iter_rows():
        yield [value_of(cell) for cell in cells]


def value_of(cell):
    """Return the value of a cell; a formula or an error stays one."""
    if cell.data_type == "f":
        return Unreadable("formula", str(cell.value))
    return Unreadable("error", str(cell.value)) if cell.data_type == "e" else cell.value


def sheet_of(name, lines, most):
    """Return the Sheet of numbered lines of cells: the first one is its head, empty ones are left out."""
    head, rows, empty = None, [], 0
    for number, cells in enumerate(lines, start=1):
        while cells and (cells[-1] is None or cells[-1] == ""):
            cells.pop()
        if not cells:
            empty += 1
            if empty > MAX_EMPTY_ROWS:
                raise SheetError(_("Sheet “%(sheet)s” has too many empty rows.") % {"sheet": name})
            continue
        if len(cells) > MAX_COLUMNS:
            raise SheetError(
                _("Row %(number)s of sheet “%(sheet)s” has more than %(most)s columns.")
                % {"number": number, "sheet": name, "most": MAX_COLUMNS}
            )
        if head is None:
            head = cells
            continue
        rows.append((number, cells))
        if len(rows) > most:
            raise SheetError(csv_files.too_long(MAX_ROWS))
    return Sheet(name, head or [], rows)
