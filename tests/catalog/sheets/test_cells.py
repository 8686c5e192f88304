"""Cells as Excel and people leave them, and what a column makes of them."""

import datetime

import pytest

from catalog.models import GPU, Evidence, GPUOption, Server
from catalog.sheets.cells import CellError, Habits, Unreadable
from catalog.sheets.resources import RESOURCES

SHARPEST = 0.1 + 0.2  # 0.30000000000000004


def widget(model, name):
    return RESOURCES[model]().fields[name].widget


def read(model, name, cell, language="es", read_ambiguous=False):
    return widget(model, name).clean(cell, habits=Habits(language, read_ambiguous))


@pytest.mark.parametrize(
    ("language", "cell", "value"),
    [
        ("es", "1,5", 1.5),
        ("ru", "1,5", 1.5),
        ("en", "1,5", 1.5),
        ("es", "1.5", 1.5),
        ("es", "1,50", 1.5),
        ("es", "1.500,5", 1500.5),
        ("ru", "1\N{NO-BREAK SPACE}500,5", 1500.5),
        ("en", "1,500.5", 1500.5),
        ("es", 1.0, 1.0),
        ("es", 44.99, 44.99),
        ("es", "", None),
        ("es", "   ", None),
        ("es", None, None),
    ],
)
def test_a_number_with_a_fraction(language, cell, value):
    assert read(GPU, "bandwidth_gbs", cell, language) == value


@pytest.mark.parametrize(("cell", "value"), [(1.0, 1), ("1.0", 1), ("2,00", 2), (7, 7), ("1 500", 1500)])
def test_a_whole_number_is_one_however_it_is_written(cell, value):
    found = read(Server, "rack_units", cell)
    assert (found, type(found)) == (value, int)


@pytest.mark.parametrize("language", ["es", "ru", "en"])
@pytest.mark.parametrize("cell", ["1.500", "1,500", "-1.500"])
def test_what_could_be_thousands_is_asked_about(language, cell):
    with pytest.raises(CellError, match="1500"):
        read(Server, "temperature_min_c", cell, language)


@pytest.mark.parametrize(("language", "value"), [("es", 1500), ("ru", 1.5), ("en", 1.5)])
def test_the_editor_may_say_that_the_language_decides(language, value):
    assert read(GPU, "bandwidth_gbs", "1.500", language, read_ambiguous=True) == value


@pytest.mark.parametrize("cell", ["1.5", 1.5])
def test_a_fraction_of_a_rack_unit_is_refused(cell):
    with pytest.raises(CellError):
        read(Server, "rack_units", cell)


def test_below_zero_is_read_where_a_column_can_hold_it():
    assert read(Server, "temperature_min_c", "-5") == -5
    assert read(Server, "temperature_min_c", "\N{MINUS SIGN}5") == -5
    assert read(Server, "temperature_min_c", "'-5") == -5


@pytest.mark.parametrize(
    "cell",
    [
        "many",
        "1e5",
        "NaN",
        "∞",
        "1..2",
        True,
        float("inf"),
        float("nan"),
        datetime.datetime(2026, 5, 1),
        datetime.time(3, 30),
        datetime.timedelta(hours=30),
        Unreadable("formula", "=A1*2"),
        Unreadable("error", "#REF!"),
    ],
)
def test_what_is_no_number_is_refused(cell):
    with pytest.raises(CellError):
        read(GPU, "bandwidth_gbs", cell)


@pytest.mark.parametrize("yes", [True, 1, 1.0, "1", "sí", "SI", "да", "Yes", "TRUE", "verdadero", "Истина"])
def test_yes_in_every_language_and_excels_own(yes):
    assert read(Server, "short_depth", yes) is True


@pytest.mark.parametrize("no", [False, 0, "0", "no", "НЕТ", "false", "falso", "ложь"])
def test_no_in_every_language_and_excels_own(no):
    assert read(Server, "short_depth", no) is False


def test_what_is_neither_yes_nor_no_is_refused():
    with pytest.raises(CellError, match="sí"):
        read(Server, "short_depth", "quizás")


@pytest.mark.parametrize(
    ("language", "cell"),
    [
        ("en", datetime.datetime(2026, 8, 31)),
        ("en", datetime.date(2026, 8, 31)),
        ("en", "2026-08-31"),
        ("es", "31/08/2026"),
        ("ru", "31.08.2026"),
    ],
)
def test_a_day(language, cell):
    assert read(Evidence, "checked_on", cell, language) == datetime.date(2026, 8, 31)


@pytest.mark.parametrize("cell", ["08/07/2026", "2026", 46000, datetime.datetime(2026, 8, 31, 12)])
def test_a_day_that_could_be_another_is_refused(cell):
    with pytest.raises(CellError, match="2026-08-31"):
        read(Evidence, "checked_on", cell, "en")


@pytest.mark.parametrize(("cell", "text"), [(3, "3"), (3.0, "3"), (8.9, "8.9"), (" V3 ", "V3")])
def test_numbers_that_excel_makes_of_a_text(cell, text):
    assert read(Server, "generation", cell) == text


@pytest.mark.parametrize("cell", [datetime.datetime(2026, 3, 1), datetime.timedelta(hours=30)])
def test_a_date_that_excel_made_of_a_text_is_refused(cell):
    with pytest.raises(CellError):
        read(Server, "generation", cell)


def test_a_listed_word_or_its_label():
    assert read(GPUOption, "basis", "maker") == "maker"
    assert read(GPUOption, "basis", str(GPUOption.Basis.DERIVED.label).upper()) == "derived"
    with pytest.raises(CellError, match="maker"):
        read(GPUOption, "basis", "hearsay")


@pytest.mark.parametrize(
    "text",
    ["=SUM(A1)", "+34 600", "-5 °C", "@home", "'=1", "''=1", "'quoted", "plain", "it's", "- one\n- two"],
)
def test_a_formula_leaves_as_text_and_comes_back_as_it_was(text):
    column = widget(Server, "summary_es")
    written = column.render(text)
    assert not written.startswith(("=", "+", "-", "@"))
    assert column.clean(written, habits=Habits("es")) == text


@pytest.mark.parametrize("language", ["es", "ru", "en"])
@pytest.mark.parametrize("value", [0.0, 1.5, 1.234, 44.99, -5.125, 733.0, 1e15, SHARPEST, 1 / 3])
def test_a_number_in_a_csv_means_the_same_in_every_language(language, value):
    column = widget(GPU, "bandwidth_gbs")
    written = column.render(value, habits=Habits(language))
    for other in ("es", "ru", "en"):
        assert column.clean(written, habits=Habits(other)) == value
