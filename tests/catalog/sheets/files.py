"""Files as people make them: workbooks with changed cells, CSV in any alphabet."""

from io import BytesIO

from openpyxl import Workbook, load_workbook

from catalog.sheets import importing, reading
from catalog.sheets.cells import Habits
from catalog.sheets.rights import AllRights


def saved(book):
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def workbook(**tables):
    """Return the bytes of a workbook of {sheet: lines}."""
    book = Workbook()
    book.remove(book.active)
    for name, lines in tables.items():
        worksheet = book.create_sheet(name)
        for line in lines:
            worksheet.append(line)
    return saved(book)


def edited(content, **sheets):
    """Return a workbook with some cells changed: servers={("rack_units", 2): 3}."""
    book = load_workbook(BytesIO(content))
    for name, changes in sheets.items():
        columns = [cell.value for cell in book[name][1]]
        for (column, number), value in changes.items():
            book[name].cell(number, columns.index(column) + 1).value = value
    return saved(book)


def csv(*lines, encoding="utf-8", separator=";"):
    return "\r\n".join(separator.join(line) for line in lines).encode(encoding)


def dry_run(content, *, language="es", model=None, rights=None, read_ambiguous=False, **options):
    """Return what a file would do, or (`confirmed`) has done."""
    return importing.import_book(
        reading.read(content, options.pop("encoding", "")),
        rights or AllRights(),
        Habits(language, read_ambiguous),
        model=model,
        **options,
    )


def run(content, **options):
    """Import a file whose dry run found nothing wrong."""
    shown = dry_run(content, **options)
    assert not shown.is_wrong, faults(shown)
    outcome = dry_run(content, confirmed=shown.digest, **options)
    assert outcome.done
    return outcome


def changes(outcome):
    """Return [(cell, column, old, new)] of everything that a file changes."""
    return [
        (change.cell, change.column.column_name, change.old, change.new)
        for sheet in outcome.sheets
        for line in sheet.of("changed")
        for change in line.changes
    ]


def faults(outcome):
    """Return [(cell, text)] of everything that is wrong with a file."""
    return [
        (fault.cell, fault.text) for sheet in outcome.sheets for line in sheet.lines for fault in line.faults
    ]


def states(outcome):
    return {sheet.name: [line.state for line in sheet.lines] for sheet in outcome.sheets}
