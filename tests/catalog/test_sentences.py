"""What sources say, in the reader's words and units."""

import pytest
from django.utils.translation import override

from catalog.sentences import published_on, stated


@pytest.mark.parametrize(
    ("language", "text", "shown"),
    [
        ("ru", "8 single-wide\n3 double-wide", "8 однослотовых, 3 двухслотовые"),
        ("es", "4 × double-wide, 8 × single-wide", "4 de doble ancho, 8 de ancho simple"),
        ("ru", "1800 W, 2400 W", "1800 Вт, 2400 Вт"),
        ("es", "yes", "sí"),
        ("ru", "none", "нет"),
        ("en", "yes", "yes"),
        ("ru", "467.8", "467,8"),
        ("en", "10300", "10,300"),
        ("es", "7D9E, 7D9F", "7D9E, 7D9F"),
        ("ru", "4th Gen EPYC 9004 (Genoa)", "4th Gen EPYC 9004 (Genoa)"),
    ],
)
def test_a_stated_value_is_shown_in_the_readers_language(language, text, shown):
    with override(language):
        assert stated(text).replace("\N{NARROW NO-BREAK SPACE}", " ") == shown


def test_years_and_names_made_of_digits_stay_as_they_are():
    with override("en"):
        assert stated("2022", "launch_year") == "2022"
        assert stated("9.0", "compute_capability") == "9.0"


@pytest.mark.parametrize(
    ("language", "text", "shown"),
    [
        ("es", "2026-08-10", "10 de agosto de 2026"),
        ("ru", "2026-08-10", "10 августа 2026"),
        ("en", "2026-08-10", "10 August 2026"),
        ("ru", "2026-07", "июль 2026"),
        ("en", "2026-07", "July 2026"),
        ("ru", "2026", "2026"),
        ("es", "", ""),
    ],
)
def test_dates_are_written_as_inside_a_sentence(language, text, shown):
    with override(language):
        assert published_on(text) == shown
