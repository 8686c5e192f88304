"""What is wrong with a text is told with its line, before readers see it."""

import pytest
from django.core.exceptions import ValidationError
from django.utils.translation import override

from catalog.guides import checks, publishing
from catalog.models.guides import MAX_BODY
from tests.factories import GlossaryTermFactory, GuideFactory, ServerFactory


def told(body, **texts):
    with override("en"):
        return [(problem.line, problem.text) for problem in checks.check(body, **texts)]


@pytest.mark.parametrize(
    ("body", "line", "said"),
    [
        ("uno\n\n[x](server:none)", 3, "server:none"),
        ("uno\n\n[x](guide:none)", 3, "guide:none"),
        ("uno\n\n[x](page:none)", 3, "page:none"),
        ("uno\n\n[x](/es/servidores/)", 3, "/es/servidores/"),
        ("uno\ndos\n[x](#none)", 3, "none"),
        ("uno\n\n[[none]]", 3, "none"),
        ("uno\n\n{{ figure none rack_units }}", 3, "none"),
        ("uno\n\n```servers\nstage=training\n```", 3, "caption"),
        ("- uno\n\n  ```server\n  box\n  ```", 3, "lines of its own"),
        ("## A\n\n## A", 3, "anchor"),
        ("## A {#No way}", 1, "No way"),
        ("uno\n\n<b>dos</b>", 3, "<b>"),
        ("uno\n\n![](img/icon.svg)", 3, "says what it shows"),
        ("uno[^1]\n\n[^1]: [x](model:none)", 3, "model:none"),
    ],
)
def test_a_mistake_is_told_with_its_line(db, body, line, said):
    ServerFactory(slug="box")
    found = told(body)
    assert [row for row, text in found if said in text] == [line], found


def test_a_good_text_has_no_mistakes(db):
    ServerFactory(slug="box")
    GlossaryTermFactory(slug="kv-cache", name_es="Caché KV")
    body = (
        "Uno [[kv-cache]] y [dos](server:box), [tres](page:servers?stage=training), [abajo](#memoria) y\n"
        "[fuera](https://example.org/a?b=1).\n\n## Memoria\n\n{{ figure box rack_units }}\n\n"
        "```bash\nls\n```\n"
    )
    assert told(body, summary="Con [[kv-cache]].") == []
    assert [line for line, _text in told("", summary="[[none]]")] == [0]


def test_a_huge_text_is_refused_before_anything_reads_it(db, monkeypatch):
    monkeypatch.setattr("catalog.guides.markdown.parse", lambda text: pytest.fail("it was read"))
    ((line, text),) = told("x" * (MAX_BODY + 1))
    assert line == 0
    assert "100001" in text
    guide = GuideFactory.build(body_es="x" * (MAX_BODY + 1))
    with pytest.raises(ValidationError) as caught:
        guide.clean_fields()
    assert "body_es" in caught.value.message_dict


@pytest.mark.parametrize("missing", ["title_es", "summary_es", "body_es"])
def test_what_is_not_written_is_not_published(db, missing):
    guide = GuideFactory(**{missing: " "})
    with pytest.raises(publishing.NotReady) as caught:
        publishing.publish(guide, "es")
    assert len(caught.value.problems) == 1
    assert not guide.editions.exists()


def test_a_text_with_a_wrong_block_is_not_published(db):
    guide = GuideFactory(body_es="uno\n\n{{ figure none rack_units }}\n")
    with pytest.raises(publishing.NotReady) as caught:
        publishing.publish(guide, "es")
    assert [problem.line for problem in caught.value.problems] == [3]


# Addresses


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Сколько памяти нужно?", "skolko-pamiati-nuzhno"),
        ("Ёлка, щука и объём", "elka-shchuka-i-obem"),
        ("¿Qué año? Él y la ñ", "que-ano-el-y-la-n"),
        ("«…»", "key"),
        ("word " * 40, "word-" * 15 + "word"),
    ],
)
def test_an_empty_address_is_made_from_the_title(db, title, slug):
    guide = GuideFactory.build(key="key", title_ru=title.strip(), slug_ru="")
    guide.clean()
    assert guide.slug_ru == slug


def test_two_titles_that_would_share_an_address_are_told_apart(db):
    GuideFactory(key="first", title_ru="Память", slug_ru="pamiat")
    second = GuideFactory.build(key="second", title_ru="Память!", slug_ru="", slug_es="segunda")
    with override("en"), pytest.raises(ValidationError) as caught:
        second.clean()
    assert list(caught.value.message_dict) == ["slug_ru"]
    assert "first" in caught.value.message_dict["slug_ru"][0]


def test_an_address_that_was_public_once_is_not_given_to_another_guide(db):
    guide = GuideFactory(key="first", slug_es="viejo")
    publishing.publish(guide, "es")
    guide.slug_es = "nuevo"
    guide.save()
    publishing.publish(guide, "es")
    with pytest.raises(ValidationError):
        GuideFactory.build(key="second", slug_es="viejo").clean()
    GuideFactory.build(key="third", slug_es="tercera", slug_ru="viejo").clean()  # free in another language


@pytest.mark.parametrize(("language", "slug"), [("es", "feed"), ("ru", "lenta")])
def test_the_address_of_the_feed_is_no_guides(db, language, slug):
    guide = GuideFactory.build(key="first", **{f"title_{language}": "Uno", f"slug_{language}": slug})
    with pytest.raises(ValidationError) as caught:
        guide.clean()
    assert list(caught.value.message_dict) == [f"slug_{language}"]
