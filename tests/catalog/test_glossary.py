"""The glossary: terms in three languages, links where an author marks one, the order of dictionaries."""

import re

import pytest
from django.template import Context, Template
from django.urls import reverse
from django.utils.translation import override

from catalog import glossary, versions
from catalog.models import GlossaryTerm
from tests.factories import GlossaryTermFactory

LANGUAGES = ["es", "ru", "en"]
MAX_SENTENCES = 3


def render(template, text=""):
    return Template("{% load terms %}" + template).render(Context({"text": text}))


@pytest.fixture
def cache_term(db):
    return GlossaryTermFactory(slug="kv-cache", name_es="Caché KV", name_ru="KV-кэш", name_en="KV cache")


# Marks


@pytest.mark.parametrize(("language", "name"), [("es", "caché KV"), ("ru", "KV-кэш"), ("en", "KV cache")])
def test_a_mark_is_a_link_with_the_name_of_its_term(cache_term, language, name):
    with override(language):
        html = render("{{ text|terms }}", text="a [[kv-cache]] b")
        assert html == f'a <a class="term" href="{reverse("catalog:glossary")}#kv-cache">{name}</a> b'
        assert render("{{ text|without_terms }}", text="a [[kv-cache]] b") == f"a {name} b"


def test_a_mark_may_have_words_of_its_own(cache_term):
    with override("en"):
        assert ">the cache</a>" in render("{{ text|terms }}", text="[[kv-cache|the cache]]")
        assert render("{{ text|without_terms }}", text="[[kv-cache|the cache]]") == "the cache"
        assert ">room for it</a>" in render('{% term "kv-cache" "room for it" %}')


@pytest.mark.parametrize("is_published", [False, None])
def test_what_is_not_published_is_no_link_and_no_error(db, is_published):
    if is_published is not None:
        GlossaryTermFactory(slug="kv-cache", is_published=is_published)
    assert render("{{ text|terms }}", text="[[kv-cache|words]] [[kv-cache]]") == "words kv-cache"


def test_texts_around_and_in_marks_are_escaped(cache_term):
    GlossaryTermFactory(slug="odd", name_en="<b>")
    with override("en"):
        html = render("{{ text|terms }}", text="<i> [[kv-cache|<u>]] [[odd]]")
    assert "<i>" not in html
    assert "<u>" not in html
    assert "<b>" not in html
    assert html.count("&lt;") == 3


@pytest.mark.parametrize("text", ["[[", "[[]]", "[[KV]]", "[[kv-cache", "[[a|b|c]]", "[[a|]]", "x]]", ""])
def test_what_is_no_mark_stays_as_it_is(cache_term, text):
    assert render("{{ text|terms }}", text=text) == text


def test_names_are_read_once_for_a_page(cache_term, django_assert_num_queries):
    with django_assert_num_queries(2), versions.read_once():  # the catalog's version, and the names
        render("{{ text|terms }}{{ text|terms }}", text="[[kv-cache]] [[kv-cache]]")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Token", "token"),
        ("KV cache", "KV cache"),
        ("Caché KV", "caché KV"),
        ("Mixture of experts (MoE)", "mixture of experts"),
        ("Infinity Fabric", "Infinity Fabric"),
        ("LoRA", "LoRA"),
        ("NVLink", "NVLink"),
        ("Прямая связь (мост)", "прямая связь"),
        ("N+1", "N+1"),
        ("U", "U"),
    ],
)
def test_a_name_inside_a_sentence(name, expected):
    assert glossary.inside(name) == expected


@pytest.mark.parametrize(
    "words",
    [
        ["año", "azul", "nube", "ñu", "oso"],  # nube before ñu before oso
        ["Елец", "Ёлка", "Жук"],
        ["идти", "йод", "камень"],
        ["BF16", "FP8", "Активации", "Батч"],
        ["ángulo", "apagar"],
    ],
)
def test_words_stand_in_the_order_of_a_dictionary(words):
    assert sorted(reversed(words), key=glossary.alphabetical) == words


# The page


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_term_stands_on_the_page_with_its_anchor_and_its_links_lead_somewhere(
    catalog, client, language
):
    with override(language):
        html = client.get(reverse("catalog:glossary")).content.decode()
        main = html.split("<main", 1)[1].split("</main>", 1)[0]
        anchors = set(re.findall(r'<article id="([^"]+)"', main))
        assert anchors == set(GlossaryTerm.objects.published().values_list("slug", flat=True))
        assert set(re.findall(r'href="#([^"]+)"', main)) == anchors
        assert "[[" not in main


def test_a_term_leads_back_to_those_that_name_it_and_not_twice(db, client):
    GlossaryTermFactory(slug="cache", name_en="Cache", definition_en="See [[token]].")
    GlossaryTermFactory(slug="token", name_en="Token", definition_en="Kept in the [[cache]].")
    GlossaryTermFactory(slug="context", name_en="Context", definition_en="Counted in [[token|tokens]].")
    with override("en"):
        entries = {entry["term"].slug: entry for _subject, rows in glossary.by_subject() for entry in rows}
    assert [row.slug for row in entries["token"]["related"]] == ["context"]
    assert entries["cache"]["related"] == []


def test_a_glossary_without_terms_says_so(db, client):
    with override("en"):
        response = client.get(reverse("catalog:glossary"))
    assert response.status_code == 200
    assert 'class="glossary-index"' not in response.content.decode()


# What ships


def sentences(text):
    return [part for part in re.split(r"(?<=[.!?])\s+(?=[A-ZÁÉÍÓÚÑА-ЯЁ\d\[«“])", text) if part]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_glossary_has_sixty_terms_of_one_to_three_sentences_in_each_language(catalog, language):
    rows = list(GlossaryTerm.objects.published())
    assert len(rows) >= 60
    for row in rows:
        texts = [getattr(row, f"{name}_{language}") for name in ("name", "definition", "also")]
        assert all(texts), (row.slug, language)
        assert 1 <= len(sentences(texts[1])) <= MAX_SENTENCES, (row.slug, language)
        assert texts[1].endswith("."), (row.slug, language)


def test_one_term_a_concept(catalog):
    for language in LANGUAGES:
        names = [getattr(row, f"name_{language}").casefold() for row in GlossaryTerm.objects.all()]
        assert len(names) == len(set(names)), language


def test_marks_name_terms_that_exist_and_the_same_ones_in_each_language(catalog):
    slugs = set(GlossaryTerm.objects.values_list("slug", flat=True))
    for row in GlossaryTerm.objects.all():
        marked = [
            {found["slug"] for found in glossary.MARK.finditer(getattr(row, f"definition_{language}"))}
            for language in LANGUAGES
        ]
        assert marked[0] == marked[1] == marked[2], row.slug
        assert marked[0] <= slugs - {row.slug}, row.slug


LOOKED_UP = """
    ttft tpot kv-cache tensor-parallel pipeline-parallel moe mla gqa hbm nvlink nvswitch pcie sxm oam tdp
    rack-unit ashrae-class inference training fine-tuning lora qlora quantization fp8 checkpoint zero fsdp rag
    embedding reranker batch context concurrency n-plus-1
"""


def test_the_words_that_readers_look_up_are_there(catalog):
    assert set(LOOKED_UP.split()) <= set(GlossaryTerm.objects.published().values_list("slug", flat=True))
