"""Guides as files: the shipped ones are ready, and a load brings what is missing and touches nothing else."""

import re
import shutil

import pytest
from django.core.management import CommandError, call_command

from catalog.guides import checks, files, markdown, publishing, states
from catalog.guides.states import State
from catalog.loading import Report
from catalog.models import Guide, GuideEdition
from tests.conftest import ROOT
from tests.factories import ServerFactory

LEAST_WORDS = 900
OUR_SERVER = re.compile(r"\bS[RDECT]\d{3}", re.IGNORECASE)
SHIPPED = sorted((ROOT / "fixtures").glob("guides/*.md"))
TEXTS = sorted((ROOT / "fixtures").glob("texts/*.md"))
SPANISH = """---
title: "Memoria: cuánta"
summary: Un resumen.
slug: memoria
published: 2026-11-02 09:30
topic: sizing
author: Ana Ruiz
reviewed: 2026-11-20
servers: [box]
---
## Uno

Texto.
"""
RUSSIAN = '---\ntitle: "Память"\nsummary: "О памяти."\npublished: 2026-11-03\n---\nТекст.\n'


@pytest.fixture
def folder(tmp_path, db):
    ServerFactory(slug="box")
    (tmp_path / "guides").mkdir()
    write(tmp_path, "memory.es.md", SPANISH)
    return tmp_path


def write(folder, name, text):
    (folder / "guides" / name).write_text(text, encoding="utf-8")


def load(folder, **options):
    report = Report()
    files.load(folder, report, **options)
    return report


def test_a_missing_guide_comes_in_published(folder):
    write(folder, "memory.ru.md", RUSSIAN)
    assert load(folder).added == {"guide": 1}
    guide = Guide.objects.get()
    assert (guide.key, guide.topic, guide.author, str(guide.last_reviewed)) == (
        "memory",
        "sizing",
        "Ana Ruiz",
        "2026-11-20",
    )
    assert [server.slug for server in guide.servers.all()] == ["box"]
    assert guide.slug_ru == "pamiat"
    published = {row.language: row for row in guide.editions.all()}
    assert published["es"].publish_at.isoformat() == "2026-11-02T08:30:00+00:00"  # 9:30 in Madrid
    assert published["ru"].publish_at.isoformat() == "2026-11-02T23:00:00+00:00"
    found = states.of(guide)
    assert (found["es"].state, found["ru"].state, found["ru"].source_language) == (
        State.PUBLISHED,
        State.PUBLISHED,
        "es",
    )


def test_a_second_load_touches_nothing(folder):
    load(folder)
    guide = Guide.objects.get()
    guide.title_es = "Otro"
    guide.save()
    publishing.withdraw(guide, "es")
    write(folder, "memory.es.md", SPANISH.replace("Texto", "Nuevo"))
    assert not load(folder).changed
    guide.refresh_from_db()
    assert guide.title_es == "Otro"
    assert not GuideEdition.objects.live().exists()


def test_a_language_that_is_missing_is_added_later(folder):
    load(folder)
    write(folder, "memory.ru.md", RUSSIAN)
    assert load(folder).added == {"guide": 1}
    assert {row.language for row in GuideEdition.objects.live()} == {"es", "ru"}


def test_the_files_state_comes_back_only_when_told(folder):
    load(folder)
    guide = Guide.objects.get()
    guide.title_es = "Otro"
    guide.save()
    publishing.write(guide, "es")
    assert load(folder, overwrite=True).replaced == {"guide": 1}
    assert GuideEdition.objects.live().get().title == "Memoria: cuánta"
    assert GuideEdition.objects.count() == 3
    load(folder, overwrite=True)
    assert GuideEdition.objects.count() == 3  # the same text is not published again


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("memory.de.md", SPANISH, "memory.de.md"),
        ("memory.md", SPANISH, "<key>"),
        ("memory.es.md", "sin campos\n", "---"),
        ("memory.es.md", SPANISH.replace("topic:", "tpoic:"), "tpoic"),
        ("memory.ru.md", RUSSIAN.replace("published:", "topic:"), "topic"),
        ("memory.es.md", SPANISH.replace("[box]", "[none]"), "none"),
        ("memory.es.md", SPANISH.replace("2026-11-02 09:30", "soon"), "published"),
        ("memory.es.md", SPANISH.replace("sizing", "dreaming"), "dreaming"),
        ("memory.es.md", SPANISH.replace("slug: memoria", "slug: La memoria"), "slug_es"),
        ("memory.es.md", SPANISH.replace('"Memoria: cuánta"', "a: b: c"), "memory.es.md"),
    ],
)
def test_a_file_that_is_not_written_well_is_refused(folder, name, text, said):
    write(folder, name, text)
    with pytest.raises(files.FileError) as caught:
        load(folder)
    assert said in str(caught.value)


def test_the_command_names_file_line_and_words(folder, capsys):
    write(folder, "memory.es.md", SPANISH + "\n{{ figure box height }}\n")
    with pytest.raises(CommandError):
        call_command("check_guides", str(folder / "guides" / "memory.es.md"))
    out = capsys.readouterr().out
    assert "memory.es.md:15: " in out
    shutil.rmtree(folder / "guides")
    with pytest.raises(CommandError):
        call_command("check_guides", str(folder / "guides" / "memory.es.md"))


# What ships


@pytest.mark.parametrize("path", [*SHIPPED, *TEXTS], ids=lambda path: path.name)
def test_what_ships_has_no_mistakes(catalog, path):
    file = files.read(path)
    kind = Guide.Kind.TEXT if path in TEXTS else Guide.Kind.GUIDE
    problems = checks.check_guide(files.draft(file, kind), file.language)
    assert [problem for problem in problems if problem.is_error] == []


def cells(document):
    """Return what is typed into the tables of a text."""
    inside, found = 0, []
    for token in document.tokens:
        inside += (token.type == "table_open") - (token.type == "table_close")
        if inside and token.type == "inline":
            found.append(token.content)
    return found


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_a_shipped_guide_is_long_enough_and_live(path):
    document = markdown.parse(files.read(path).body)
    assert document.words >= LEAST_WORDS
    assert document.calls
    assert not [text for text in cells(document) if OUR_SERVER.search(text)], "specs come from the catalog"


def test_every_shipped_guide_is_there_in_every_language():
    keys = {path.name.split(".")[0] for path in SHIPPED}
    assert {path.name for path in SHIPPED} == {
        f"{key}.{code}.md" for key in keys for code in ("es", "ru", "en")
    }
