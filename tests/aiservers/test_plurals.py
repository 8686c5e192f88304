"""Counted words as each language has them, by the texts that the pages use."""

import pytest
from django.utils.translation import ngettext, override

# {language: {word: numbers}}; the rules are those of CLDR.
SERVERS = {
    "es": {"servidor": [1], "servidores": [0, 2, 5, 11, 21, 101, 1_000]},
    "en": {"server": [1], "servers": [0, 2, 5, 11, 21, 101, 1_000]},
    "ru": {
        "сервер": [1, 21, 101],
        "сервера": [2, 3, 4, 22, 102],
        "серверов": [0, 5, 11, 12, 14, 25, 111, 112, 1_000],
    },
}
RESULTS = {
    "es": {"resultado": [1], "resultados": [0, 2, 21]},
    "en": {"result": [1], "results": [0, 2, 21]},
    "ru": {"результат": [1, 21], "результата": [2, 22], "результатов": [0, 5, 11, 111]},
}
TEXTS = [
    ("%(shown)s server", "%(shown)s servers", "shown", SERVERS),
    ("%(count)s result", "%(count)s results", "count", RESULTS),
]
CASES = [
    (one, many, name, language, word, number)
    for one, many, name, words in TEXTS
    for language, forms in words.items()
    for word, numbers in forms.items()
    for number in numbers
]


@pytest.mark.parametrize(("one", "many", "name", "language", "word", "number"), CASES)
def test_a_number_has_its_form_of_the_word(one, many, name, language, word, number):
    with override(language):
        assert (ngettext(one, many, number) % {name: number}).endswith(f"{number} {word}")
