"""Counted answers: the noun takes the form that its number asks for in each language."""

from decimal import Decimal

import pytest
from django.utils.translation import override

from aiservers.numbers import Interval
from recommender.answers import KEYS, with_unit


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
