"""CSV as spreadsheets save it: which encoding, which separator, and the lines."""

import codecs
import csv
import re
from io import StringIO

from django.utils.translation import gettext as _

from catalog.sheets.errors import SheetError

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
ENCODINGS = {"utf-8": "UTF-8", "cp1251": "Windows-1251", "cp1252": "Windows-1252"}
SEPARATORS = ";,\t"
LONGEST_CELL = 100_000  # characters
_HIGH = re.compile(rb"[\x80-\xff]+")
_SEPARATOR_LINE = re.compile(r"sep=([;,\t])\r?\n", re.IGNORECASE)


def read(content, encoding, most):
    """Return the lines of a file, each a list of texts, and the encoding that it was read in.

    Raises:
        SheetError: it is no text, or its quotation marks do not match.
    """
    text, used = decoded(content, encoding)
    if not text.strip("\ufeff \r\n\t"):
        raise SheetError(_("The file is empty."))
    separator, text = separator_of(text)
    csv.field_size_limit(LONGEST_CELL)
    lines = []
    try:
        for cells in csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True):
            lines.append(cells)
            if len(lines) > 2 * most:
                raise SheetError(too_long(most))
    except csv.Error as error:
        raise SheetError(
            _(
                "Line %(number)s of the file cannot be read: its quotation marks do not match, "
                "or a cell is too long."
            )
            % {"number": len(lines) + 1}
        ) from error
    return lines, used


def too_long(most):
    return _("The file has more than %(most)s rows: import it in parts.") % {"most": most}


def decoded(content, encoding=""):
    """Return a file's text and the name of its encoding; "" finds out which one it is."""
    if content[:2] in UTF_16:
        encoding = "utf-16"
    elif content.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    elif not encoding:
        encoding = guessed(content)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise SheetError(
            _(
                "The letters of the file cannot be read as %(encoding)s: choose another encoding, "
                "or save it as CSV UTF-8."
            )
            % {"encoding": ENCODINGS.get(encoding, encoding.upper())}
        ) from error
    if "\0" in text:
        raise SheetError(_("This is neither XLSX nor CSV."))
    return text, ENCODINGS.get(encoding, encoding.upper().removesuffix("-SIG"))


def guessed(content):
    """Return the encoding of a text without a mark.

    UTF-8 can be told for certain. Of the other two, Russian has whole words of letters above 127, Spanish
    single letters between others.
    """
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        runs = [len(run) for run in _HIGH.findall(content)]
        in_words = sum(length for length in runs if length > 2)
        return "cp1251" if in_words * 2 > sum(runs) else "cp1252"
    return "utf-8"


def separator_of(text):
    """Return what parts the cells, by the file's own word or by its first line, and the lines themselves."""
    if named := _SEPARATOR_LINE.match(text):
        return named[1], text[named.end() :]
    head = text.lstrip("\r\n").partition("\n")[0]
    return max(SEPARATORS, key=head.count), text
