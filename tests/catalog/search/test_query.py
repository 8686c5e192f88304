"""What a search finds: the vectors of every language, on whichever database the suite runs."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from catalog.search import query
from tests.factories import (
    AIModelFactory,
    GPUFactory,
    GPUOptionFactory,
    ServerFactory,
    WorkloadProfileFactory,
)

pytestmark = pytest.mark.django_db
LANGUAGES = ["es", "ru", "en"]


def titles(text, language="en", kind=None):
    """Return the names that a search finds, in its order."""
    with override(language):
        found = query.search(text, language)
        return [
            result.title
            for group in found.groups
            if kind in (None, group.kind.name)
            for result in query.results(group, group.ids)
        ]


def say(row, **texts):
    """Give a server the same summary in the languages named: say(row, es="...", ru="...")."""
    for language in LANGUAGES:
        setattr(row, f"summary_{language}", texts.get(language, ""))
    row.save()
    return row


def written(name, text, **options):
    return say(ServerFactory(name=name, **options), **dict.fromkeys(LANGUAGES, text))


@pytest.fixture
def models():
    for name in (
        "ThinkSystem SR650 V3",
        "ThinkSystem SR650 V4",
        "ThinkSystem SR650a V4",
        "ThinkSystem SR630 V3",
    ):
        ServerFactory(name=name)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "typed",
    [
        "sr650v3",
        "SR650 V3",
        "SR 650 V3",
        "SR650-V3",
        "СР650 V3",
        "ср650в3",
        "SR65О V3",
        "SR65O V3",
        "ThinkSystem sr650v3",
    ],
)
def test_a_model_number_in_any_spelling_finds_that_model_alone(models, typed, language):
    assert titles(typed, language) == ["ThinkSystem SR650 V3"]


@pytest.mark.parametrize("typed", ["sr650v3", "ср650в3", "SR65Ov3"])
def test_a_number_written_in_one_is_not_put_together_from_pieces(typed):
    written("ThinkSystem SR650 V3", "Two processors.")
    written("ThinkSystem SR650a V4", "Takes the place of a V3.")
    assert titles(typed) == ["ThinkSystem SR650 V3"]


def test_the_exact_number_comes_before_longer_ones(models):
    assert titles("sr650") == ["ThinkSystem SR650 V3", "ThinkSystem SR650 V4", "ThinkSystem SR650a V4"]


@pytest.mark.parametrize(
    ("typed", "language", "text"),
    [
        ("СЕРВЕР", "ru", "сервер"),
        ("сервер", "ru", "СЕРВЕРЫ"),
        ("ёлочка", "ru", "елочка"),
        ("елочка", "ru", "Ёлочка"),
        ("орешником", "ru", "орешник"),
        ("CONFIGURACION", "es", "configuración"),
        ("configuración", "es", "Configuracion"),
        ("profundidades", "es", "profundidad"),
        ("drawers", "en", "drawer"),
        ("inferenci", "es", "inferencias"),  # while it is typed
    ],
)
def test_words_are_found_in_any_form(typed, language, text):
    say(ServerFactory(name="Found", for_inference=False), **{language: text})
    say(ServerFactory(name="Other", for_inference=False), **{language: "nada"})
    assert "Found" in titles(typed, language)
    if typed.casefold() not in ("сервер", "server"):
        assert "Other" not in titles(typed, language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("typed", "other"), [("йод", "иод"), ("воин", "война"), ("год", "гид")])
def test_й_is_not_и_and_no_other_letter_is_mixed_up(typed, other, language):
    written("Found", typed)
    written("Other", other)
    assert titles(typed, language) == ["Found"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_word_with_ñ_never_loses_to_one_without(language):
    written("Of the year", "Un año entero.")
    written("Ano", "ano")
    assert titles("año", language) == ["Of the year"]
    assert titles("ano", language) == ["Ano", "Of the year"]
    assert titles("AÑO", language) == ["Of the year"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_case_and_ё_make_no_other_word_in_any_language(language):
    written("Found", "Ёлка и сервер, CONFIGURACIÓN")
    for typed in ("СЕРВЕР", "ёлка", "ЕЛКА", "configuracion"):
        assert "Found" in titles(typed, language), typed


def test_prose_is_found_in_the_languages_that_it_exists_in():
    say(ServerFactory(name="Found"), es="palabra única")
    assert titles("única", "es") == ["Found"]
    assert titles("única", "en") == []
    assert titles("única", "ru") == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("typed", ["8x H100", "8 x h100", "8×H100", "8х Н100", "8xh100"])
def test_a_number_of_cards_finds_the_servers_that_take_them(typed, language):
    gpu = GPUFactory(name="NVIDIA H100 SXM5 80GB", manufacturer__name="NVIDIA")
    GPUOptionFactory(variant__server__name="Eight", gpu=gpu, max_count=8)
    GPUOptionFactory(variant__server__name="Four", gpu=gpu, max_count=4)
    assert titles(typed, language) == ["Eight"]


@pytest.mark.parametrize(
    "typed", ["llama 3.3 70b", "LLAMA-3.3-70B", "llama3.3 70b", "Llama 3,3 70B", "llama-3-3-70b"]
)
def test_a_version_is_not_taken_for_another(typed):
    for name in ("Llama 3 70B", "Llama 3.1 70B", "Llama 3.3 70B", "Llama 3.3 8B"):
        AIModelFactory(name=name)
    # Written with hyphens alone, a 3 and a 70B are what Llama 3 70B has as well.
    expected = ["Llama 3.3 70B", "Llama 3 70B"] if typed == "llama-3-3-70b" else ["Llama 3.3 70B"]
    assert titles(typed) == expected


@pytest.mark.parametrize(
    ("typed", "language"),
    [
        ("server for Llama 3.3 70B", "en"),
        ("servidor para Llama 3.3 70B", "es"),
        ("сервер для Llama 3.3 70B", "ru"),
        ("server Llama 3.3 70B", "ru"),
    ],
)
def test_a_question_about_a_model_finds_its_page(typed, language):
    AIModelFactory(name="Llama 3.3 70B")
    ServerFactory(name="Other")
    assert titles(typed, language) == ["Llama 3.3 70B"]


@pytest.mark.parametrize(
    ("typed", "language"),
    [
        ("1U", "es"),
        ("1U AI server", "en"),
        ("servidor IA 1U", "es"),
        ("1U сервер для ИИ", "ru"),
        ("1 U", "en"),
    ],
)
def test_height_and_kind_of_page_are_words_too(typed, language):
    ServerFactory(name="Flat", rack_units=1)
    ServerFactory(name="Tall", rack_units=2)
    assert titles(typed, language) == ["Flat"]


def test_all_words_have_to_be_there_else_the_most_of_them_and_that_is_said():
    written("Both", "quiet drawer", slug="both")
    written("One", "quiet", slug="one")
    found = query.search("quiet drawer", "en")
    assert (found.complete, found.total, found.unknown) == (True, 1, ())
    found = query.search("quiet mountains", "en")
    assert (found.complete, found.total, found.unknown) == (False, 2, ("mountains",))


@pytest.mark.parametrize(
    ("typed", "language", "meant"),
    [
        ("srevidor", "es", "servidor"),
        ("configuracoin", "es", "configuración"),
        ("охлождение", "ru", "охлаждение"),
        ("drawre quiet", "en", "drawer quiet"),
        ("thinksistem", "en", "ThinkSystem"),
        ("SR560", "en", "SR650"),
        ("ык650", "ru", "SR650"),  # typed with the wrong keyboard layout
        ("вкфцук", "ru", "drawer"),
        ("сервр", "ru", "сервер"),  # and not "server", which is no nearer
    ],
)
def test_what_may_have_been_meant(models, typed, language, meant):
    say(
        ServerFactory(name="Found"),
        es="configuración",
        ru="охлаждение сервер drawer",
        en="quiet server drawer",
    )
    assert query.search(typed, language).suggestion == meant


@pytest.mark.parametrize("typed", ["sr650v3", "b200", "qqqqqqqq", "сервер"])
def test_nothing_is_suggested_where_all_is_known_or_nothing_is_near(models, typed):
    GPUFactory(name="NVIDIA H200")
    assert query.search(typed, "ru").suggestion == ""


def test_the_best_page_comes_first_and_equal_ones_keep_the_order_of_their_list():
    written("Zeta", "quiet")
    written("Alpha", "quiet")
    written("Old", "quiet", lifecycle="withdrawn")
    ServerFactory(name="Quiet One")
    assert titles("quiet") == ["Quiet One", "Alpha", "Zeta", "Old"]


def test_results_are_grouped_by_kind_the_best_kind_first():
    gpu = GPUFactory(name="NVIDIA L40S 48GB")
    GPUOptionFactory(gpu=gpu, variant__server__name="Takes it")
    found = query.search("l40s", "en")
    assert [(group.kind.name, len(group.ids)) for group in found.groups] == [("gpu", 1), ("server", 1)]


@pytest.mark.parametrize(
    ("typed", "language", "kind"),
    [
        ("servidor", "es", "server"),
        ("СЕРВЕР", "ru", "server"),
        ("servers", "en", "server"),
        ("видеокарта", "ru", "gpu"),
    ],
)
def test_what_a_kind_is_called_means_that_kind(typed, language, kind):
    ServerFactory(name="Found")
    GPUFactory(name="Server Edition", note_ru="видеокарта")
    AIModelFactory(name="Other")
    assert query.search(typed, language).groups[0].kind.name == kind


def test_every_kind_is_found():
    ServerFactory(name="Zebra One")
    GPUFactory(name="Zebra Two")
    AIModelFactory(name="Zebra Three")
    WorkloadProfileFactory(name_en="Zebra Four", name_es="Cebra", name_ru="")
    assert titles("zebra") == ["Zebra One", "Zebra Two", "Zebra Three", "Zebra Four"]
    assert titles("cebra", "es", "profile") == ["Cebra"]
    assert titles("zebra", "ru", "profile") == []


@pytest.mark.parametrize(
    "typed",
    [
        "",
        " ",
        "\0",
        "😀",
        "\u202eabc\u202c",
        "ا ل ع",
        "x" * 10_000,
        "a1" * 5_000,
        "'; DROP TABLE--",
        "%_\\",
        "e\u0301" * 99,
    ],
)
def test_anything_may_be_typed(models, typed):
    for language in LANGUAGES:
        query.search(typed, language)


def test_a_search_needs_the_same_queries_for_few_and_for_many():
    def queries():
        with CaptureQueriesContext(connection) as captured:
            titles("quiet drawer gpu", "en")
        return len(captured)

    written("One", "quiet drawer")
    GPUOptionFactory(variant__server__name="Two")
    first = queries()
    for number in range(12):
        written(f"More {number}", "quiet drawer")
        GPUOptionFactory(variant__server__name=f"With {number}")
    assert queries() <= first <= 12  # when guides change is read once
    assert queries() <= 5  # the words are kept
