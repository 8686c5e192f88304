"""What every file for spreadsheets needs: nothing in it is run, and its letters are read as they are."""

from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for a formula or a command
BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"  # tells spreadsheets that this is UTF-8


def harmless[Cell](cell: Cell) -> Cell | str:
    """Return a text that no spreadsheet runs as a formula or refuses; other values stay."""
    if not isinstance(cell, str):
        return cell
    text = ILLEGAL_CHARACTERS_RE.sub("", cell)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text
