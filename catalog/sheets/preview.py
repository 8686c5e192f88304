"""What a dry run found, cut into pieces that a page can show."""

from dataclasses import dataclass

from django.contrib.admin.exceptions import NotRegistered
from django.urls import reverse

from catalog.sheets.comparing import CHANGED, NEW, SAME, WRONG

MOST = 200  # rows of one kind that a page lists


@dataclass
class Part:
    """The first rows of one kind, how many there are, and how many the page leaves out."""

    rows: list
    count: int

    @property
    def left_out(self):
        return self.count - len(self.rows)


@dataclass
class SheetPage:
    """One sheet as the page shows it."""

    name: str
    label: str
    wrong: Part
    changed: Part
    new: Part
    vanished: Part
    same: int
    same_rows: str


def pages_of(outcome, site):
    """Return what the page shows of every sheet."""
    return [page_of(sheet, site) for sheet in outcome.sheets]


def page_of(sheet, site):
    table = sheet.resource.model
    return SheetPage(
        name=sheet.name or sheet.resource._meta.name,
        label=sheet.resource.label,
        wrong=part(sheet.of(WRONG)),
        changed=part(sheet.of(CHANGED)),
        new=part(sheet.of(NEW)),
        vanished=part(sheet.vanished, lambda row: {"label": row[1], "url": address(site, table, row[0])}),
        same=len(sheet.of(SAME)),
        same_rows=sheet.same_rows,
    )


def part(rows, shown=lambda row: row):
    return Part([shown(row) for row in rows[:MOST]], len(rows))


def address(site, table, pk):
    """Return the address of a row's own page; "" where its table has none."""
    try:
        site.get_model_admin(table)
    except NotRegistered:
        return ""
    return reverse(f"admin:catalog_{table._meta.model_name}_change", args=[pk])
