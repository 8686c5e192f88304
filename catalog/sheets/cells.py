"""One cell of a sheet and one value of a table: what is written for a value, and what is read back from it.

A widget here stands for one column. `render` and `clean` are each other's opposite for every value that the
column can hold, so that a file that nobody touched says what the catalog says.
"""

import datetime
import re
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite

from django.utils.translation import gettext as _
from import_export.widgets import Widget
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from aiservers.numbers import NumberError, canonical, is_ambiguous, parse_number
from aiservers.spreadsheets import FORMULA_STARTS, harmless

YES_NO = {"es": ("sí", "no"), "ru": ("да", "нет"), "en": ("yes", "no")}
YES = {"1", "yes", "true", "sí", "si", "verdadero", "да", "истина"}
NO = {"0", "no", "false", "falso", "нет", "ложь"}
MINUS = "-\N{MINUS SIGN}\N{HYPHEN}\N{NON-BREAKING HYPHEN}"
ESCAPED = re.compile(rf"'+[{re.escape(''.join(FORMULA_STARTS))}]")
EXACT = 2**53  # Excel keeps whole numbers up to here
DIGITS = 15  # that Excel keeps of any number
TIMES = (datetime.date, datetime.time, datetime.timedelta)  # what Excel makes of 1.5 and 3:30
DAYS = {"es": ("%d/%m/%Y", "%d.%m.%Y"), "ru": ("%d.%m.%Y", "%d/%m/%Y"), "en": ()}


class CellError(ValueError):
    """What a cell holds is nothing that its column can hold; says so to the editor."""


@dataclass(frozen=True)
class Habits:
    """How numbers and dates are written in a file: by which language, and whether 1.500 is read by it."""

    language: str
    read_ambiguous: bool = False


@dataclass(frozen=True)
class Unreadable:
    """A cell that holds no value of its own: a formula, or an error that Excel shows."""

    kind: str
    text: str


def escaped(text):
    """Return a text that no spreadsheet runs, so marked that `plain` finds the text again."""
    return f"'{text}" if ESCAPED.match(text) else harmless(text)


def plain(text):
    """Return the text that `escaped` made harmless; any other one as it is."""
    return text[1:] if ESCAPED.match(text) else text


def tidy(text):
    """Return a text as every kind of file carries it: without invisible characters and edges of spaces."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return ILLEGAL_CHARACTERS_RE.sub("", text).strip()


class ColumnWidget(Widget):
    """What the columns share. `clean` returns None for an empty cell: nothing is known."""

    is_words = False  # short text that Excel must not take for a number

    def __init__(self, field):
        super().__init__(coerce_to_string=False)
        self.field = field

    def clean(self, value, row=None, *, habits=None, **kwargs):
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        if isinstance(value, Unreadable):
            if value.kind == "formula":
                raise CellError(_("The cell holds a formula: paste its value instead."))
            raise CellError(_("The cell holds the error %(error)s.") % {"error": value.text})
        return self.read(value, habits)

    def read(self, value, habits):
        raise NotImplementedError

    def render(self, value, obj=None, *, habits=None, **kwargs):
        """Return what a file holds for a value; with `habits` as text, else in Excel's own types."""
        return value

    def normal(self, value):
        """Return a value of the table as `clean` would return it."""
        return value

    def same(self, old, new, cell):
        """Tell whether a cell says what the table says."""
        return old == new

    def shown(self, value, language):
        """Return a value as people read it in the list of changes."""
        return "" if value is None else str(value)


class NumberColumn(ColumnWidget):
    def read(self, value, habits):
        if isinstance(value, bool):
            raise CellError(_("“%(value)s” is no number.") % {"value": value})
        if isinstance(value, TIMES):
            raise CellError(
                _("Excel has made a date of this number: give the cell a number format and type it again.")
            )
        if isinstance(value, int | float) and not isfinite(value):
            raise CellError(_("“%(value)s” is no number.") % {"value": value})
        if isinstance(value, int | float):
            number = Decimal(repr(value))
        else:
            number = self.typed(plain(value.strip()), habits)
        return self.of_column(number)

    def typed(self, text, habits):
        sign = -1 if text[0] in MINUS else 1
        text = text[1:].strip() if sign < 0 else text
        if is_ambiguous(text) and not habits.read_ambiguous:
            raise CellError(
                _("“%(text)s” could be %(whole)s or %(fraction)s: write one of these.")
                % {
                    "text": text,
                    "whole": re.sub(r"[.,]", "", text),
                    "fraction": as_text(Decimal(text.replace(",", ".")), habits.language),
                }
            )
        try:
            return sign * parse_number(text, habits.language)
        except NumberError as error:
            raise CellError(_("“%(value)s” is no number.") % {"value": text}) from error

    def of_column(self, number):
        raise NotImplementedError

    def shown(self, value, language):
        return "" if value is None else as_text(value, language)


class WholeColumn(NumberColumn):
    def of_column(self, number):
        if number != number.to_integral_value():
            raise CellError(_("A whole number is needed here."))
        return int(number)

    def render(self, value, obj=None, *, habits=None, **kwargs):
        too_long = value is not None and abs(value) > EXACT
        return str(value) if value is not None and (habits or too_long) else value


class RealColumn(NumberColumn):
    def of_column(self, number):
        return float(number)

    def normal(self, value):
        return None if value is None else float(value)

    def same(self, old, new, cell):
        if old != new and old is not None and isinstance(cell, int | float):
            return f"{old:.{DIGITS}g}" == f"{new:.{DIGITS}g}"
        return old == new

    def render(self, value, obj=None, *, habits=None, **kwargs):
        if value is None or habits is None:
            return value
        text = as_text(value, habits.language)
        # Three digits behind the sign could be thousands to somebody; four cannot.
        return f"{text}0" if is_ambiguous(text.lstrip("-")) else text


def as_text(value, language):
    """Return a number as plain digits with the decimal sign of a language, and no digit lost."""
    text = canonical(Decimal(repr(value)) if isinstance(value, float) else value)
    return text if language == "en" else text.replace(".", ",")


class YesNoColumn(ColumnWidget):
    def read(self, value, habits):
        if isinstance(value, bool):
            return value
        word = as_words(value).casefold()
        if word in YES or word in NO:
            return word in YES
        yes, no = YES_NO[habits.language]
        raise CellError(_("Write %(yes)s or %(no)s.") % {"yes": yes, "no": no})

    def render(self, value, obj=None, *, habits=None, **kwargs):
        return value if value is None or habits is None else self.shown(value, habits.language)

    def shown(self, value, language):
        return "" if value is None else YES_NO[language][0 if value else 1]


def as_words(value):
    """Return a cell as text: Excel keeps 2026 and 3.0 as numbers where a text was meant."""
    if isinstance(value, TIMES):
        raise CellError(
            _("Excel has made a date of this text: give the cell the format “Text” and type it again.")
        )
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return tidy(plain(str(value)))


class WordsColumn(ColumnWidget):
    """Short text."""

    is_words = True

    def read(self, value, habits):
        if isinstance(value, bool):
            value = self.shown_flag(value, habits)
        return as_words(value) or None

    def shown_flag(self, value, habits):
        return YES_NO[habits.language][0 if value else 1]

    def render(self, value, obj=None, *, habits=None, **kwargs):
        return escaped(value) if value else None

    def normal(self, value):
        return tidy(value) or None if value else None

    def same(self, old, new, cell):
        if old == new:
            return True
        if old is None or new is None:
            return False
        if isinstance(cell, int | float):  # Excel has turned 9.0 into 9
            try:
                return Decimal(old) == Decimal(repr(cell))
            except ArithmeticError:
                return False
        if letters_lost(old, new):
            raise CellError(
                _("Letters of this text were lost (“%(text)s”): save the file as XLSX or as CSV UTF-8.")
                % {"text": new[:40]}
            )
        return False


def letters_lost(old, new):
    """Tell whether `new` is `old` with question marks for letters: what a file of another alphabet leaves."""
    if "?" not in new or len(old) != len(new) or old.isascii():
        return False
    return all(a == b or (b == "?" and not a.isascii()) for a, b in zip(old, new, strict=True))


class ProseColumn(WordsColumn):
    """Text of any length."""

    is_words = False


class ListedColumn(WordsColumn):
    """One of the words that the column lists: the word itself, or its label in the editor's language."""

    def read(self, value, habits):
        word = as_words(value)
        values = {str(choice): choice for choice, _label in self.field.flatchoices}
        if word in values:
            return values[word]
        labels = {str(label).casefold(): choice for choice, label in self.field.flatchoices}
        if word.casefold() in labels:
            return labels[word.casefold()]
        raise CellError(
            _("“%(word)s” is not one of the words listed for it: %(words)s.")
            % {"word": word, "words": ", ".join(values)}
        )


class DayColumn(ColumnWidget):
    def read(self, value, habits):
        if isinstance(value, datetime.datetime):
            if value.time() == datetime.time():
                return value.date()
        elif isinstance(value, datetime.date):
            return value
        elif isinstance(value, str):
            for pattern in ("%Y-%m-%d", *DAYS[habits.language]):
                try:
                    return datetime.datetime.strptime(value.strip(), pattern).date()
                except ValueError:
                    continue
        raise CellError(_("Write the day as year-month-day: 2026-08-31."))

    def render(self, value, obj=None, *, habits=None, **kwargs):
        return value if value is None or habits is None else value.isoformat()


class RowColumn(ColumnWidget):
    """The name of a row of another table; its value is that row's number."""

    is_words = True

    def __init__(self, field):
        super().__init__(field)
        self.keys = None  # set by the resource that the column belongs to

    def read(self, value, habits):
        return self.keys.find(self.field.remote_field.model, as_words(value))

    def render(self, value, obj=None, *, habits=None, **kwargs):
        return None if value is None else self.keys.text(self.field.remote_field.model, value)

    def shown(self, value, language):
        return "" if value is None else self.render(value)
