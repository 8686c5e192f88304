"""Forms carry what was typed and its language; addresses carry plain decimals."""

import pytest
from django.http import QueryDict
from django.test import RequestFactory
from hypothesis import given, strategies as st

from aiservers.addresses import NUMBER_ERRORS, canonical_query, canonical_redirect
from aiservers.numbers import NumberError, parse_canonical, parse_range

NUMBERS = {"concurrency", "power_kw"}


def redirected(query):
    response = canonical_redirect(RequestFactory().get(f"/es/cuestionario/?{query}"), NUMBERS)
    return response and response["Location"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("lang=es&power_kw=1.500,5", "power_kw=1500.5"),
        ("lang=ru&power_kw=1%C2%A0500,5", "power_kw=1500.5"),
        ("lang=en&power_kw=1,500.5", "power_kw=1500.5"),
        ("lang=es&concurrency=8.000-32.000&stage=inference", "concurrency=8000..32000&stage=inference"),
        ("lang=es&stage=inference&stage=training&model=", "stage=inference&stage=training"),
        ("lang=xx&power_kw=1.500", "power_kw=1500"),  # the page's own language where the form's is none
        ("lang=es&power_kw=many&concurrency=1,5", "power_kw=many&concurrency=1.5"),
        ("lang=es&model=1.500", "model=1.500"),  # not a number
        ("lang=es", ""),
    ],
)
def test_a_form_is_sent_on_to_its_canonical_address(query, expected):
    assert redirected(query) == "/es/cuestionario/" + (f"?{expected}" if expected else "")


def test_a_canonical_address_stays():
    assert redirected("power_kw=1.5&concurrency=8000..32000") is None


@given(st.text(max_size=30), st.sampled_from(["es", "ru", "en"]))
def test_no_value_is_lost_or_becomes_another_number(text, language):
    query = QueryDict(mutable=True)
    query["power_kw"] = text
    query["lang"] = language
    result = canonical_query(query, NUMBERS, language)
    if not text.strip():
        assert "power_kw" not in result
        return
    try:
        expected = parse_range(text, language)
    except NumberError as refused:
        code = refused.code
        assert result["power_kw"] == text
        assert str(NUMBER_ERRORS[code])
    else:
        assert parse_canonical(result["power_kw"]) == expected
