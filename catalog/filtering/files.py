"""The filtered list as a file: plain numbers with their units in the headers, in the order of the page."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, gettext_lazy as _
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter

from aiservers.spreadsheets import BYTE_ORDER_MARK, harmless

MAX_ROWS = 2000  # servers of one file
WIDTH = 18  # characters


@dataclass(frozen=True)
class Column:
    """A column: its key in JSON, its header with the unit, and its plain value of a Row."""

    key: str
    header: Any
    value: Callable


def _of_best(read):
    return lambda row: read(row.best) if row.best else None


def _rounded(value):
    return None if value is None else round(value, 1)


COLUMNS = (
    Column("slug", _("Slug"), lambda row: row.facts.slug),
    Column("name", _("Server"), lambda row: row.facts.name),
    Column("can_be_ordered", _("Can be ordered"), lambda row: row.facts.can_be_ordered),
    Column("rack_units", _("Height with enclosure, U"), lambda row: row.facts.height),
    Column("depth_mm", _("Depth, mm"), lambda row: row.facts.depth_mm),
    Column("cpu_vendor", _("Processors by"), lambda row: row.facts.cpu_vendor),
    Column("sockets_min", _("Processors, at least"), lambda row: row.card.server.sockets_min),
    Column("sockets_max", _("Processors, at most"), lambda row: row.card.server.sockets_max),
    Column("gpu", _("GPU"), _of_best(lambda best: best.gpu.name)),
    Column("gpu_cards", _("GPU cards, at most"), _of_best(lambda best: best.cards)),
    Column("gpu_link", _("Link between GPUs"), _of_best(lambda best: best.link)),
    Column("memory_gb_per_gpu", _("Memory of one GPU, GB"), _of_best(lambda best: best.gpu.memory_gb)),
    Column("gpu_memory_gb", _("GPU memory, GB"), _of_best(lambda best: best.memory_gb)),
    Column(
        "gpu_memory_gb_per_u",
        _("GPU memory per rack unit, GB/U"),
        _of_best(lambda best: _rounded(best.memory_gb_per_u)),
    ),
    Column(
        "gpu_power_w_per_u",
        _("GPU power per rack unit, W/U"),
        _of_best(lambda best: _rounded(best.power_w_per_u)),
    ),
    Column("bays_2_5", _("2.5-inch bays"), lambda row: row.card.server.bays_2_5),
    Column("bays_3_5", _("3.5-inch bays"), lambda row: row.card.server.bays_3_5),
    Column("bays_nvme", _("NVMe bays"), lambda row: row.card.server.bays_nvme),
    Column("cooling", _("Cooling"), lambda row: " ".join(sorted(row.facts.cooling)) or None),
    Column("temperature_min_c", _("Room from, °C"), lambda row: row.facts.temperature_min_c),
    Column("temperature_max_c", _("Room up to, °C"), lambda row: row.facts.temperature_max_c),
)


def _words(value):
    """Return a cell that people read: yes and no in words."""
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    return value


def _table(rows):
    """Yield the header and a list of cells a row; an unknown figure is None."""
    yield [str(column.header) for column in COLUMNS]
    for row in rows:
        yield [harmless(_words(column.value(row))) for column in COLUMNS]


def as_csv(rows, about):
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    for cells in _table(rows):
        writer.writerow(["" if cell is None else cell for cell in cells])
    return (BYTE_ORDER_MARK + file.getvalue()).encode()


def as_xlsx(rows, about):
    book = Workbook(write_only=True)
    sheet = book.create_sheet(gettext("Servers"))
    for place in range(1, len(COLUMNS) + 1):
        sheet.column_dimensions[get_column_letter(place)].width = WIDTH
    sheet.freeze_panes = "C2"
    for number, cells in enumerate(_table(rows)):
        line = [WriteOnlyCell(sheet, cell) for cell in cells]
        for cell in line if number == 0 else ():
            cell.font = Font(bold=True)
        sheet.append(line)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def as_json(rows, about):
    """Return {**about, "servers": [{key: value}]}; null: not published."""
    servers = [{column.key: column.value(row) for column in COLUMNS} for row in rows]
    return json.dumps(about | {"servers": servers}, ensure_ascii=False, indent=1).encode()


# format: (name, content type, what makes it of rows and of what JSON says about them)
FORMATS = {
    "csv": ("CSV", "text/csv; charset=utf-8", as_csv),
    "xlsx": ("Excel", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", as_xlsx),
    "json": ("JSON", "application/json", as_json),
}
