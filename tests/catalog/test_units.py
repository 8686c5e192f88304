"""Quantities as each language writes them."""

import pytest
from django.utils.translation import override

from catalog.templatetags import units

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
