"""Quantities as each language writes them."""

import pytest
from django.utils.translation import override

from catalog.templatetags import ui, units

THIN = "\N{NARROW NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("quantity", "value", "es", "ru", "en"),
    [
        ("gigabytes", 80, "80 GB", "80 ГБ", "80 GB"),
        ("gibibytes", 637.2, "637 GiB", "637 ГиБ", "637 GiB"),
        ("gibibytes", 79.65, "79,7 GiB", "79,7 ГиБ", "79.7 GiB"),
        ("gbs", 900, "900 GB/s", "900 ГБ/с", "900 GB/s"),
        ("gbs", 1800, "1,8 TB/s", "1,8 ТБ/с", "1.8 TB/s"),
        ("gbs", 3350, "3,35 TB/s", "3,35 ТБ/с", "3.35 TB/s"),
        ("watts", 700, "700 W", "700 Вт", "700 W"),
        ("kilowatts", 10200, "10,2 kW", "10,2 кВт", "10.2 kW"),
        ("power", 799.4, "799 W", "799 Вт", "799 W"),
        ("power", 999.6, "1 kW", "1 кВт", "1 kW"),
        ("power", 12345, "12,3 kW", "12,3 кВт", "12.3 kW"),
        ("capacity", 512, "512 GB", "512 ГБ", "512 GB"),
        ("capacity", 6144, "6 TB", "6 ТБ", "6 TB"),
        ("celsius", -5, "−5 °C", "−5 °C", "−5 °C"),
        ("tflops", 989.5, "989,5 TFLOPS", "989,5 TFLOPS", "989.5 TFLOPS"),
        ("milliseconds", 460, "460 ms", "460 мс", "460 ms"),
    ],
)
def test_a_quantity_in_three_languages(quantity, value, es, ru, en):
    for language, expected in (("es", es), ("ru", ru), ("en", en)):
        with override(language):
            assert units.UNITS[quantity](value) == expected.replace(" ", THIN)


@pytest.mark.parametrize(
    ("value", "es", "ru", "en"),
    [
        (1500, "1500", "1500", "1,500"),
        (12000, "12\u202f000", "12\u00a0000", "12,000"),
        (1234567, "1\u202f234\u202f567", "1\u00a0234\u00a0567", "1,234,567"),
        (1500.5, "1500,5", "1500,5", "1,500.5"),
        (0.25, "0,25", "0,25", "0.25"),
    ],
)
def test_thousands_and_decimals(value, es, ru, en):
    for language, expected in (("es", es), ("ru", ru), ("en", en)):
        with override(language):
            assert units.number(value) == expected


def test_rack_units_and_percent():
    for language, height, share in (("es", "2U", "50 %"), ("ru", "2U", "50 %"), ("en", "2U", "50%")):
        with override(language):
            assert units.rack_units(2) == height
            assert units.percent(50).replace(THIN, " ").replace("\N{NO-BREAK SPACE}", " ") == share


@pytest.mark.parametrize("quantity", units.UNITS)
def test_what_is_not_known_is_said_and_never_zero(quantity):
    for language, expected in (("es", "sin publicar"), ("ru", "не опубликовано"), ("en", "not published")):
        with override(language):
            assert units.UNITS[quantity](None).replace("\N{NO-BREAK SPACE}", " ") == expected


def test_zero_is_a_figure():
    with override("en"):
        assert units.number(0) == "0"


@pytest.mark.parametrize(
    ("function", "value", "needed", "expected"),
    [
        (units.no_more_than, 128457, None, 128000),
        (units.no_more_than, 999, None, 999),
        (units.no_more_than, 1283, 1281, 1281),  # enough is not written as too little
        (units.no_more_than, 1283, 1290, 1280),
        (units.no_less_than, 128457, None, 129000),
        (units.no_less_than, 1283, 1287, 1287),
    ],
)
def test_a_limit_is_rounded_to_the_side_on_which_it_holds(function, value, needed, expected):
    assert function(value, needed) == expected


def test_power_and_its_ends_are_in_the_unit_of_the_typical_value():
    with override("en"):
        assert ui.value_range((640, 799.4, 1090), "power")["typical"] == f"799{THIN}W"
        assert ui.value_range((640, 799.4, 1090), "power")["ends"] == "640–1,090"
        assert ui.value_range((640, 1200, 1900), "power")["typical"] == f"1.2{THIN}kW"
        assert ui.value_range((640, 1200, 1900), "power")["ends"] == "0.64–1.9"
