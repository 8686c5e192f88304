"""A brief as a file: PDF to hand over, spreadsheets to work with, JSON for programs."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter

from aiservers.spreadsheets import BYTE_ORDER_MARK, harmless
from recommender.briefs import frozen as frozen_briefs, pdf
from recommender.briefs.document import STATUSES, Document, document
from recommender.models import Brief

WIDTHS = (26, 44, 40, 12, 12, 12, 12, 12, 60)  # characters

Cell = str | float | None


@dataclass(frozen=True)
class Kind:
    """One kind of file."""

    label: Promise
    content_type: str
    make: Callable[[Brief], bytes]


def made(kind: str, brief: Brief) -> bytes:
    """Return the file of a kind in the active language."""
    return KINDS[kind].make(brief)


def file_name(brief: Brief, language: str, kind: str) -> str:
    """Return what a brief is called as a file: the site's day of its making, language and kind."""
    return f"brief-{timezone.localtime(brief.created_at):%Y-%m-%d}-{language}.{kind}"


def _document(brief: Brief) -> Document:
    return document(brief.frozen, title=brief.title, note=brief.note)


def rows(content: Document) -> Iterator[tuple[Cell, ...]]:
    """Yield part, item, value, low, typical, high, unit, state and remark of everything in a brief."""
    yield (
        gettext("Part"),
        gettext("Item"),
        gettext("Value"),
        gettext("Low"),
        gettext("Typical"),
        gettext("High"),
        gettext("Unit"),
        gettext("Known how"),
        gettext("Remark"),
    )
    head = gettext("Brief")
    yield _row(head, gettext("Title"), content.title)
    yield _row(head, gettext("Made on"), content.made_on)
    yield _row(head, gettext("Catalog version"), content.catalog_version)
    yield _row(head, gettext("Rules version"), content.rules_version)
    yield _row(head, gettext("Result"), content.lead)
    if content.asked:
        yield _row(head, gettext("Server that it began from"), content.asked)
    if content.note:
        yield _row(head, gettext("Note"), content.note)
    for line in content.work:
        yield _row(head, line.label, line.value, status=line.status_label, remark=line.why)
    for part in (*content.parts, content.site):
        name = f"{part.number}. {part.title}" if part.number else part.title
        for line in part.lines:
            yield _row(
                name,
                line.label,
                line.value,
                line.low,
                None,
                line.high,
                line.unit,
                line.status_label,
                line.why,
            )
        for question in part.questions:
            yield _row(name, question, "", status=str(STATUSES["unknown"]), remark=gettext("open question"))
    for item in content.derived:
        yield _row(
            gettext("Derived quantities"),
            item["label"],
            item["value"],
            item["low"],
            None,
            item["high"],
            item["unit"],
            str(STATUSES["computed"]),
            item["formula"],
        )
    for match in content.matches:
        name = f"{gettext('Match')} {match['rank']}"
        yield _row(name, match["server"], match["headline"], status=match["state_label"])
        for figure in match["figures"]:
            yield _row(
                name,
                figure["label"],
                figure["value"],
                figure["low"],
                figure["typical"],
                figure["high"],
                figure["unit"],
            )
        for text in match["reasons"]:
            yield _row(name, gettext("Reason"), text)
        for text in match["warnings"]:
            yield _row(name, gettext("Warning"), text)
    for item in content.rejected:
        text = " ".join([*item["reasons"], item["fix"]]).strip()
        yield _row(gettext("Ruled out"), item["server"], item["gpu"], remark=text)
    yield from _plan_rows(content)
    for text in content.find_out:
        yield _row(gettext("What to find out before you buy"), text, "")
    name = gettext("What to measure before you buy")
    for item in content.measures:
        yield _row(name, item["label"], " ".join(item["lines"]), status=item["why"], remark=item["how"])
    for item in content.sample:
        yield _row(gettext("The set that every offer is tested with"), item["label"], item["text"])


def _plan_rows(content: Document) -> Iterator[tuple[Cell, ...]]:
    """Yield the comparison: the verdict, each way, then each subject way by way."""
    if not content.plans:
        return
    name = gettext("One server or several")
    for text in content.plans["verdict"]:
        yield _row(name, gettext("Verdict"), text)
    for way in content.plans["ways"]:
        yield _row(name, way["label"], " ".join(way["lines"]))
    for row in content.plans["rows"]:
        for cell in row["cells"]:
            yield _row(name, row["label"], " ".join(cell["lines"]), remark=cell["label"])


def _row(
    part: str,
    item: str,
    value: str,
    low: float | None = None,
    typical: float | None = None,
    high: float | None = None,
    unit: str = "",
    status: str = "",
    remark: str = "",
) -> tuple[Cell, ...]:
    return part, item, value, low, typical, high, unit, status, remark


def as_csv(brief: Brief) -> bytes:
    """Return the brief with a row a fact; numbers are plain decimals in every language."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    for row in rows(_document(brief)):
        writer.writerow(["" if cell is None else harmless(cell) for cell in row])
    return (BYTE_ORDER_MARK + file.getvalue()).encode()


def as_xlsx(brief: Brief) -> bytes:
    """Return the same rows as a workbook."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet(gettext("Brief"))
    for place, width in enumerate(WIDTHS, 1):
        sheet.column_dimensions[get_column_letter(place)].width = width
    sheet.freeze_panes = "A2"
    for number, row in enumerate(rows(_document(brief))):
        sheet.append([_cell(sheet, cell, bold=number == 0) for cell in row])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _cell(sheet: Any, value: Cell, *, bold: bool) -> WriteOnlyCell:
    cell = WriteOnlyCell(sheet, harmless(value))
    cell.alignment = Alignment(wrap_text=isinstance(value, str), vertical="top")
    if bold:
        cell.font = Font(bold=True)
    return cell


def as_json(brief: Brief) -> bytes:
    """Return what the brief keeps, the same in every language."""
    content = frozen_briefs.upgraded(brief.frozen) | {"title": brief.title, "note": brief.note}
    return json.dumps(content, ensure_ascii=False, indent=1).encode()


def as_pdf(brief: Brief) -> bytes:
    """Return the brief laid out for print."""
    return pdf.made(_document(brief))


KINDS = {
    "pdf": Kind(_("PDF"), "application/pdf", as_pdf),
    "xlsx": Kind(_("Excel"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", as_xlsx),
    "csv": Kind(_("CSV"), "text/csv; charset=utf-8", as_csv),
    "json": Kind(_("JSON"), "application/json", as_json),
}
