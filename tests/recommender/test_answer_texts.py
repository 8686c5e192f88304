"""Counted answers: the noun takes the form that its number asks for in each language."""

from decimal import Decimal

import pytest
from django.utils.translation import override

from aiservers.numbers import Interval
from recommender.answers import KEYS, parse, with_unit, written


@pytest.mark.parametrize(
    ("language", "name", "amount", "shown"),
    [
        ("ru", "concurrency", "1", "1 запрос"),
        ("ru", "concurrency", "2", "2 запроса"),
        ("ru", "concurrency", "5", "5 запросов"),
        ("ru", "concurrency", "11", "11 запросов"),
        ("ru", "concurrency", "21", "21 запрос"),
        ("ru", "concurrency", "111", "111 запросов"),
        ("ru", "horizon_years", "1.5", "1.5 года"),
        ("es", "micro_batch", "1", "1 secuencia"),
        ("es", "horizon_years", "1.5", "1.5 años"),
        ("en", "users", "1", "1 person"),
        ("en", "users", "0", "0 people"),
    ],
)
def test_a_noun_takes_the_form_of_its_number(language, name, amount, shown):
    number = Decimal(amount)
    with override(language):
        text = with_unit(KEYS[name], Interval(number, number), amount)
    assert text == shown.replace(" ", "\N{NO-BREAK SPACE}")


def test_a_range_takes_the_form_of_its_upper_end():
    with override("ru"):
        text = with_unit(KEYS["streams"], Interval(Decimal(8), Decimal(32)), "8–32")
    assert text == "8–32\N{NO-BREAK SPACE}потока"


@pytest.fixture
def english():
    with override("en"):
        yield


def test_what_is_usual_has_its_unit(english):
    assert KEYS["requests_per_second"].typical_text == "0.1–20\N{NARROW NO-BREAK SPACE}per second"
    assert KEYS["horizon_years"].typical_text == "1–5\N{NO-BREAK SPACE}years"
    assert KEYS["rack_units"].typical_text == "2–20U"
    assert KEYS["growth_percent"].typical_text == "50–200% a year"
    assert KEYS["engine"].typical_text == ""


def test_messages_of_pages_name_choices_by_their_labels(english):
    problem = parse({"cooling": "fire"}).problems[0]
    assert "air, liquid, any" in problem.text
    assert "Air only; Air and a water loop" in problem.page_text
    problem = parse({"temperature_max_c": "900"}).problems[0]
    assert problem.page_text.endswith("from −40 to 80\N{NARROW NO-BREAK SPACE}°C.")


def test_a_typed_range_with_its_larger_end_first_says_so():
    assert [problem.code for problem in parse({"users": "10-2"}).problems] == ["reversed"]
    assert [problem.code for problem in parse({"users": "2-10"}).problems] == ["not_a_number"]


def test_many_tokens_are_written_in_millions_where_no_digit_is_lost(english):
    key = KEYS["dataset_tokens"]
    assert written(key, Interval(Decimal(10_000_000), Decimal(10_000_000))) == "10 million tokens".replace(
        " ", "\N{NO-BREAK SPACE}"
    )
    assert written(key, Interval(Decimal(1_500_000), Decimal(2_000_000))).startswith("1.5–2")
    assert written(key, Interval(Decimal(1_234_567), Decimal(1_234_567))).startswith("1,234,567")
