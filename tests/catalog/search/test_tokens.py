"""Texts as tokens: which spellings are the same, and which are not."""

import pytest
from hypothesis import given, strategies as st

from catalog.search.tokens import MAX_TOKEN, atoms, fold, index_tokens, latin_forms, runs, stems


def keys(text):
    return {run.key for run in runs(atoms(text))}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("СЕРВЕР", "сервер"),
        ("Ёлка", "елка"),
        ("ёлка", "е\u0308лка"),  # one letter or a letter and its dots
        ("CONFIGURACIÓN", "configuracion"),
        ("Ñu", "n\u0303u"),
        ("й", "и\u0306"),
        ("ﬁne", "fine"),
        ("ＧＰＵ", "gpu"),
        ("Straße", "STRASSE"),
    ],
)
def test_case_accents_and_width_make_no_other_word(one, other):
    assert fold(one) == fold(other)


@pytest.mark.parametrize(("one", "other"), [("год", "гид"), ("йод", "иод"), ("мой", "мои"), ("año", "ano")])
def test_letters_of_their_own_stay(one, other):
    assert fold(one) != fold(other)


@pytest.mark.parametrize(
    "spelling",
    ["sr650v3", "SR650 V3", "SR 650 V3", "SR650-V3", "sr-650-v3", "SR650_V3", "SR65O V3", "SR65О V3"],
)
def test_a_model_number_in_any_spelling_is_one_run(spelling):
    assert "sr650v3" in keys(spelling)
    assert "sr650v3" in index_tokens("ThinkSystem SR650 V3", "en", is_name=True)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("ср650", "sr650"), ("н100", "h100"), ("а100", "a100"), ("л40с", "l40s"), ("1у", "1u")],
)
def test_cyrillic_look_and_sound_alikes(typed, meant):
    assert meant in latin_forms(fold(typed))


@pytest.mark.parametrize(
    "typed", ["8x H100", "8 x H100", "8×H100", "8 × h100", "8х H100", "8xH100", "8 h100"]
)
def test_a_number_of_cards(typed):
    assert "8h100" in keys(typed)


def test_an_x_that_is_part_of_a_name_stays():
    assert "mi300x" in keys("MI300X")
    assert "mi300x" not in keys("MI300")


@pytest.mark.parametrize(
    "typed", ["llama 3.3 70b", "Llama-3.3-70B", "llama3.3 70b", "llama 3,3 70b", "llama-3-3-70b"]
)
def test_a_version_with_a_fraction(typed):
    assert "llama3370b" in keys(typed)


def test_digits_cut_from_their_letters_are_no_run():
    assert "100" not in keys("b100")
    assert keys("100") == {"100"}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("es", ["servidor", "servidores"]),
        ("es", ["refrigeración", "refrigeraciones"]),
        ("ru", ["сервер", "серверы", "серверов", "сервере"]),
        ("ru", ["обучение", "обучения", "обучению"]),
        ("en", ["server", "servers"]),
        ("en", ["training", "train", "trained"]),
    ],
)
def test_forms_of_a_word_share_a_stem(language, words):
    assert frozenset.intersection(*(stems(word, language) for word in words))


def test_who_types_no_accents_finds_the_word():
    tokens = index_tokens("Refrigeración líquida", "es")
    assert {"refrigeracion", "liquida"} <= set(tokens)
    assert tokens["refrigeracion"] == ("exact", "refrigeración")


def test_an_n_finds_what_has_an_ñ_only_loosely():
    assert index_tokens("un año", "es")["ano"][0] == "loose"
    assert index_tokens("un ano, un año", "es")["ano"][0] == "exact"
    assert "año" not in index_tokens("un ano", "es")


def test_small_words_are_no_tokens():
    assert not {"para", "y", "el"} & set(index_tokens("para el servidor y más", "es"))


@given(st.text(max_size=300), st.sampled_from(["es", "ru", "en"]), st.booleans())
def test_any_text_has_tokens_that_the_table_holds(text, language, is_name):
    for token, (sort, word) in index_tokens(text, language, is_name=is_name).items():
        assert 0 < len(token) <= MAX_TOKEN
        assert len(word) <= MAX_TOKEN
        assert "\0" not in token + word
        assert sort in {"exact", "part", "loose"}


@given(st.text(max_size=100))
def test_folding_twice_is_folding_once(text):
    assert fold(fold(text)) == fold(text)
