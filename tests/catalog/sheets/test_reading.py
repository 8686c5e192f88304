"""Files of every kind: what can be read is, and what cannot gets a sentence."""

import zipfile
from io import BytesIO

import pytest
from openpyxl import Workbook

from catalog.sheets import csv_files, reading
from catalog.sheets.errors import SheetError
from tests.catalog.sheets.files import csv, saved, workbook

LINES = (["slug", "name_es"], ["uno", "Configuración ñu"], ["dos", "Сервер для обучения"])
OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def cells(content, **options):
    (sheet,) = reading.read(content, **options).sheets
    return [sheet.head, *(row for _number, row in sheet.rows)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("separator", [";", ",", "\t"])
def test_alphabets_that_hold_everything(encoding, separator):
    assert cells(csv(*LINES, encoding=encoding, separator=separator)) == [list(line) for line in LINES]


@pytest.mark.parametrize(("encoding", "line"), [("cp1251", LINES[2]), ("cp1252", LINES[1])])
def test_windows_alphabets_are_told_apart(encoding, line):
    content = csv(LINES[0], line, encoding=encoding)
    book = reading.read(content)
    assert book.encoding == csv_files.ENCODINGS[encoding]
    assert cells(content)[1] == line


def test_the_editor_may_name_the_alphabet():
    content = csv(LINES[0], ["dos", "ГПУ"], encoding="cp1251")
    assert cells(content, encoding="cp1251")[1] == ["dos", "ГПУ"]
    with pytest.raises(SheetError, match="UTF-8"):
        reading.read(content, encoding="utf-8")


def test_excels_line_that_names_the_separator_is_no_row():
    assert cells(b"sep=,\r\nslug,name\r\na,b;c") == [["slug", "name"], ["a", "b;c"]]


def test_quotation_marks_and_line_breaks_within_a_cell():
    assert cells(b'slug;name\r\na;"one; ""two""\r\nthree"')[1] == ["a", 'one; "two"\r\nthree']


def test_rows_keep_the_numbers_that_a_spreadsheet_shows():
    (sheet,) = reading.read(b"slug;name\r\n\r\na;b\r\n;\r\nc;d").sheets
    assert [number for number, _row in sheet.rows] == [3, 5]


def test_sheets_of_own_notes_are_left_out():
    content = workbook(**{"servers": [["slug"], ["a"]], "# to do": [["anything"]]})
    assert [sheet.name for sheet in reading.read(content).sheets] == ["servers"]


def test_a_cell_far_out_does_not_fill_the_memory():
    book = Workbook()
    book.active.append(["slug"])
    book.active.cell(5, 16_000).value = "x"
    with pytest.raises(SheetError, match="5"):
        reading.read(saved(book))


def packed(**parts):
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name.replace("__", "/").replace("_xml", ".xml"), content)
    return file.getvalue()


def encrypted_zip():
    content = bytearray(packed(xl__workbook_xml="x"))
    content[content.index(b"PK\x01\x02") + 8] |= 1  # the flag of an encrypted part
    return bytes(content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"  \r\n ",
        OLD_EXCEL + bytes(600),
        OLD_EXCEL + bytes(600) + "EncryptedPackage".encode("utf-16-le"),
        b"PK\x03\x04 not really",
        packed(word__document_xml="<w/>"),
        packed(xl__workbook_xml="<broken"),
        packed(xl__workbook_xml="<!DOCTYPE a [<!ENTITY b 'b'>]><workbook>&b;</workbook>"),
        encrypted_zip(),
        workbook(servers=[["slug"], ["a"]])[:-400],
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"%PDF-1.7\0\0",
        b'slug;name\r\na;"never closed',
        b"slug;name\r\na;" + b"x" * 200_000,
    ],
    ids=[
        "empty",
        "blank",
        "old Excel",
        "protected",
        "no archive",
        "document",
        "broken",
        "entities",
        "encrypted part",
        "cut off",
        "picture",
        "PDF",
        "quote never closed",
        "endless cell",
    ],
)
def test_what_cannot_be_read_gets_a_sentence(content):
    with pytest.raises(SheetError) as error:
        reading.read(content)
    assert len(str(error.value)) > 10


def test_a_protected_workbook_is_told_apart_from_an_old_one():
    with pytest.raises(SheetError, match=r"contraseña|password"):
        reading.read(OLD_EXCEL + bytes(600) + "EncryptedPackage".encode("utf-16-le"))
    with pytest.raises(SheetError, match="xls"):
        reading.read(OLD_EXCEL + bytes(600))


def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch):
    monkeypatch.setattr(reading, "load_workbook", lambda *args, **options: pytest.fail("it was unpacked"))
    monkeypatch.setattr(reading, "MAX_UNPACKED", 1_000_000)
    bomb = packed(xl__workbook_xml="<x/>", xl__worksheets__sheet1_xml=bytes(1_000_000))
    assert len(bomb) < 2000
    with pytest.raises(SheetError):
        reading.read(bomb)


def test_too_many_rows_are_refused(monkeypatch):
    monkeypatch.setattr(reading, "MAX_ROWS", 10)
    content = b"slug\r\n" + b"a\r\n" * 11
    with pytest.raises(SheetError, match="10"):
        reading.read(content)
    with pytest.raises(SheetError, match="10"):
        reading.read(workbook(a=[["slug"], *[["a"]] * 6], b=[["slug"], *[["a"]] * 5]))


def test_a_hundred_thousand_rows_are_refused():
    with pytest.raises(SheetError):
        reading.read(b"slug\r\n" + b"a\r\n" * 100_000)


def test_too_many_bytes_are_refused():
    with pytest.raises(SheetError, match="20"):
        reading.read(b"a" * (reading.MAX_BYTES + 1))
