"""Numbers as people type them and as addresses carry them."""

from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from aiservers.numbers import (
    Interval,
    NumberError,
    as_typed,
    canonical,
    is_ambiguous,
    parse_canonical,
    parse_number,
    parse_range,
)

LANGUAGES = ["es", "ru", "en"]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("es", "1.500,5", "1500.5"),
        ("ru", "1 500,5", "1500.5"),
        ("ru", "1\N{NO-BREAK SPACE}500,5", "1500.5"),
        ("ru", "1\N{NARROW NO-BREAK SPACE}500,5", "1500.5"),
        ("en", "1,500.5", "1500.5"),
        ("es", "1,5", "1.5"),
        ("ru", "1,5", "1.5"),
        ("en", "1,5", "1.5"),
        ("es", "1.5", "1.5"),
        ("ru", "1.5", "1.5"),
        ("en", "1.5", "1.5"),
        ("es", "1.500", "1500"),
        ("en", "1.500", "1.5"),
        ("ru", "1.500", "1.5"),
        ("es", "1,500", "1.5"),
        ("en", "1,500", "1500"),
        ("ru", "1,500", "1.5"),
        ("es", "1.500.000", "1500000"),
        ("ru", "1 500 000", "1500000"),
        ("en", "1,500,000.25", "1500000.25"),
        ("es", "0.500", "0.5"),
        ("es", "1500,5", "1500.5"),
        ("es", " 8 ", "8"),
        ("es", "007", "7"),
        ("en", ".5", "0.5"),
        ("es", "0", "0"),
    ],
)
def test_reads_what_the_reader_means(language, text, expected):
    assert parse_number(text, language) == Decimal(expected)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        ("\N{NO-BREAK SPACE}", "empty"),
        ("-1", "negative"),
        ("\N{MINUS SIGN}5", "negative"),
        ("NaN", "not_finite"),
        ("nan", "not_finite"),
        ("inf", "not_finite"),
        ("Infinity", "not_finite"),
        ("1e309", "malformed"),
        ("1e3", "malformed"),
        ("eight", "malformed"),
        ("1 5", "malformed"),
        ("1.50.000", "malformed"),
        ("1,5,5", "malformed"),
        ("12.500,5.5", "malformed"),
        ("1..5", "malformed"),
        ("5\N{SUPERSCRIPT TWO}", "malformed"),
        ("\N{ARABIC-INDIC DIGIT FIVE}", "malformed"),
        ("0x10", "malformed"),
        ("1_000", "malformed"),
        ("9" * 19, "too_large"),
        ("9" * 400, "too_large"),
    ],
)
def test_refuses_what_is_no_quantity(language, text, code):
    with pytest.raises(NumberError) as refused:
        parse_number(text, language)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("text", "ambiguous"),
    [("1.500", True), ("1,500", True), ("12,500", True), ("8..1.500", True)]
    + [
        (text, False)
        for text in ("1500", "1,5", "0.500", "1.500.000", "1 500", "1.500,5", "", "x", "1234.500")
    ],
)
def test_tells_what_readers_of_two_languages_would_read_differently(text, ambiguous):
    assert is_ambiguous(text) is ambiguous


@pytest.mark.parametrize(
    ("language", "text", "low", "high"),
    [
        ("es", "8000..32000", "8000", "32000"),
        ("es", "8.000 – 32.000", "8000", "32000"),
        ("ru", "8 000-32 000", "8000", "32000"),
        ("en", "8,000—32,000", "8000", "32000"),
        ("en", "1.5…2.5", "1.5", "2.5"),
        ("ru", "0,5", "0.5", "0.5"),
        ("es", "4..4", "4", "4"),
    ],
)
def test_reads_ranges(language, text, low, high):
    assert parse_range(text, language) == Interval(Decimal(low), Decimal(high))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("9..8", "reversed"),
        ("1..2..3", "malformed"),
        ("5..", "malformed"),
        ("..5", "malformed"),
        ("-5..3", "negative"),
    ],
)
def test_refuses_what_is_no_range(text, code):
    with pytest.raises(NumberError) as refused:
        parse_range(text, "en")
    assert refused.value.code == code


@pytest.mark.parametrize("text", ["1,5", "1 500", "1e3", "+5", "8000-32000", "", "nan", "-1", "0x1F"])
def test_addresses_carry_plain_decimals_only(text):
    with pytest.raises(NumberError):
        parse_canonical(text)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Decimal("1500.50"), "1500.5"),
        (Decimal("1E+3"), "1000"),
        (Decimal("0.000001"), "0.000001"),
        (8, "8"),
        (Interval(Decimal(8000), Decimal(32000)), "8000..32000"),
        (Interval(Decimal(4), Decimal("4.0")), "4"),
    ],
)
def test_writes_the_canonical_form(value, expected):
    assert canonical(value) == expected


@pytest.mark.parametrize(
    ("language", "expected"), [("es", "1,5–2500"), ("ru", "1,5–2500"), ("en", "1.5–2500")]
)
def test_a_field_shows_a_canonical_value_in_the_readers_way(language, expected):
    assert as_typed("1.5..2500", language) == expected
    assert as_typed("what?", language) == "what?"


quantities = st.decimals(min_value=0, max_value=10**12, allow_nan=False, allow_infinity=False, places=3)


@given(quantities, quantities, st.sampled_from(LANGUAGES))
def test_what_a_field_shows_is_read_back_as_the_same(one, other, language):
    text = canonical(Interval(min(one, other), max(one, other)))
    assert canonical(parse_range(as_typed(text, language), language)) == text


@given(st.text(max_size=40) | st.text("0123456789.,- –\xa0", max_size=20), st.sampled_from(LANGUAGES))
def test_any_text_is_read_or_refused(text, language):
    try:
        interval = parse_range(text, language)
    except NumberError:
        with pytest.raises(NumberError):  # what no reader means is not a number in an address either
            parse_canonical(text)
    else:
        assert 0 <= interval.low <= interval.high < Decimal("1e18")
        assert parse_canonical(canonical(interval)) == interval
