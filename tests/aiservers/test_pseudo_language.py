"""Every visible text is marked for translation or comes from the database.

All marked texts are written in an alphabet of their own. What is left in ordinary letters must be a value of
the database: a whole one, or a name inside a sentence.
"""

import re

import pytest
from django.apps import apps
from django.conf import settings
from django.db import models
from django.utils import translation

from catalog.guides import markdown
from catalog.models import GPU, AIModel, GlossaryTerm, GuideEdition, SearchToken, Server
from recommender import accuracy, accuracy_texts, power_page
from tests.pages import Document, pages, public_view_names

# Places for values, tags and entities inside a text stay as they are.
FIXED = re.compile(r"(%\(\w+\)[a-z]|%%|%[sd]|\{\w*\}|<[^>]+>|&#?\w+;)")
FULLWIDTH = {ord(letter): ord(letter) + 0xFEE0 for letter in map(chr, range(0x21, 0x7F)) if letter.isalpha()}
LETTERS = re.compile(r"[^\W\d_\uff00-\uffef]+")
# The same in every language: number formats, methods, programs and a sign with a letter in it.
NUMBER_FORMAT = r"(?:FP|BF|TF|INT)\d+"
NEUTRAL = {
    "°C",
    *("LoRA", "QLoRA", "AdamW", "Adafactor", "SGD", "ZeRO-1", "ZeRO-2", "ZeRO-3", "FSDP"),
    *("vLLM", "SGLang", "TensorRT-LLM", "Kubernetes", "Slurm"),
    *("CSV", "Excel", "JSON", "XLSX"),
    "8x H100",  # as a reader may type it
    *("NVLink", "PCIe", "Gen3", "Gen4", "Gen5", "Gen6", "x8", "x16", "TOPS", "MHA"),
}
CODE = re.compile(r"[a-z_]+")  # a word of ours, not of the reader
MARK = re.compile(r"\[\[(?:[^|\]]*\|)?([^\]]*)\]\]")  # a term of the glossary, linked where a text marks it
GPU_NAME = re.compile(r"\b([A-Z]+ ?\d+[A-Z]*(?: [A-Z]{2,}| Ada)*)\b")  # linked where a note names one
AROUND = re.compile(r"[\d.,:;()]+")  # a figure inside a sentence, and what may stand beside it
LONGEST_NAME = 120  # characters; what is longer is prose and stands alone


pytestmark = pytest.mark.one_database


def disguise(text):
    parts = FIXED.split(str(text))
    return "".join(part if FIXED.fullmatch(part) else part.translate(FULLWIDTH) for part in parts)


@pytest.fixture
def pseudo_language(monkeypatch):
    """Translate every marked text into an alphabet that nothing else uses."""

    translations = translation._trans
    really = translations.pgettext

    def in_context(context, text):
        return really(context, text) if context == "path" else disguise(text)

    monkeypatch.setattr(translations, "gettext", disguise, raising=False)
    monkeypatch.setattr(
        translations,
        "ngettext",
        lambda one, many, count: disguise(one if count == 1 else many),
        raising=False,
    )
    monkeypatch.setattr(translations, "pgettext", in_context, raising=False)
    monkeypatch.setattr(
        translations,
        "npgettext",
        lambda context, one, many, count: in_context(context, one if count == 1 else many),
        raising=False,
    )


@pytest.fixture(scope="session")
def known(loaded_catalog, django_db_blocker):
    """Every text in the database, read once: whole values, and those short enough to be names."""
    with django_db_blocker.unblock(), translation.override("en"):
        return texts_of_catalog() | texts_of_guides() | named_by_cases() | notes_of_cases()


def texts_of_catalog():
    values = {settings.VENDOR_NAME, settings.SALES_CONTACT}
    for model in set(apps.get_app_config("catalog").get_models()) - {SearchToken}:  # words of words
        columns = [
            column.name
            for column in model._meta.concrete_fields
            if isinstance(column, (models.CharField, models.TextField)) and not column.choices
        ]
        for row in model._base_manager.values_list(*columns):
            # A column may hold a list, one item a line.
            lines = [line for value in row if value for line in [str(value), *str(value).splitlines()]]
            pieces = [piece for line in lines for piece in [line, *MARK.split(line), *GPU_NAME.split(line)]]
            values |= {" ".join(piece.split()) for piece in pieces}
    also = [
        getattr(term, f"also_{code}") or ""
        for term in GlossaryTerm.objects.all()
        for code, _name in settings.LANGUAGES
    ]
    other_words = {word.strip() for words in also for word in words.splitlines()} - {""}
    # A name is written in two parts, the second of which stays on one line.
    tables = (Server, AIModel, GPU)
    names = [name for table in tables for name in table.objects.values_list("name", flat=True)]
    parts_of_names = {part for name in names for part in name.partition(" ")[::2]}
    values = {value for value in values if not CODE.fullmatch(value)}
    licences = set(AIModel.objects.exclude(license=None).values_list("license", flat=True))
    titles = {title for title, _link in power_page.SOURCES}
    return values | NEUTRAL | licences | other_words | parts_of_names | titles


def texts_of_guides():
    """Return what stands between the marks of the texts that are written in Markdown."""
    found = set()
    for text in GuideEdition.objects.values_list("body", flat=True):
        for token in markdown.parse(text).tokens:
            parts = [" " if part.type == "softbreak" else part for part in token.children or ()]
            runs = [part if part == " " else part.content if part.type == "text" else "\0" for part in parts]
            found |= {" ".join(run.split()) for run in "".join(runs).split("\0")}
        found |= set(re.findall(r"^caption=(.+)$", text, re.MULTILINE))
    return {part.strip() for words in found for part in [" ".join(words.split()), *AROUND.split(words)]} - {
        ""
    }


def named_by_cases():
    """Return what measured cases say in their own words: cards, models, engines, scenarios, refusals."""
    stored = accuracy.stored(accuracy.stored_file(settings.BASE_DIR / "fixtures"))
    cases = [case for figure in stored.data["figures"] for case in figure["cases"]]
    cases += [case for verdict in stored.data["verdicts"] for case in verdict["wrong"]]
    words = {case[key] for case in cases for key in ("model", "with", "scenario") if case.get(key)}
    refused = {reason.partition(": ")[2].strip("'") for reason, _count in stored.data["refused"]}
    words |= set(accuracy_texts.ENGINES.values())
    return words | {accuracy_texts.readable(case["gpu"]).partition(",")[0] for case in cases} | refused - {""}


def notes_of_cases():
    """Return the notes on measured cases, which are kept in every language beside the cases."""
    kept = accuracy.notes(accuracy.notes_file(settings.BASE_DIR / "fixtures"))
    return {" ".join(text.split()) for languages in kept.values() for text in languages.values()}


def unmarked(texts, known):
    """Return the texts that hold letters which are neither disguised nor known."""
    page = "\n".join(texts)
    names = [value for value in known if len(value) <= LONGEST_NAME and value in page]
    names.sort(key=len, reverse=True)
    known_words = "|".join([*map(re.escape, names), NUMBER_FORMAT])
    pattern = re.compile(rf"(?<!\w)(?:{known_words})(?!\w)")
    found = []
    for text in texts:
        if all(not part.strip() or part.strip() in known for part in AROUND.split(text)):
            continue
        is_cut = text.endswith("…") and any(value.startswith(text.removesuffix("…")) for value in known)
        if text not in known and not is_cut and LETTERS.search(pattern.sub(" ", text)):
            found.append(text)
    return found


@pytest.mark.parametrize("view_name", public_view_names())
def test_no_visible_text_is_left_out_of_translation(client, catalog, known, pseudo_language, view_name):
    for page in pages(view_name):
        path = page.path("ru")
        response = client.get(path)
        assert response.status_code == 200, path
        typed = {value for values in response.wsgi_request.GET.lists() for value in [values[0], *values[1]]}
        typed |= {word for value in typed for word in value.split()}
        assert unmarked(Document(response.content.decode()).texts, known | typed) == [], path


def test_a_missing_page_too(client, catalog, known, pseudo_language):
    texts = Document(client.get("/ru/net-takoy/").content.decode()).texts
    assert unmarked(texts, known) == []


def test_unmarked_texts_are_found():
    known = {"ThinkSystem SR680a V3"}
    assert unmarked(["Read more"], known) == ["Read more"]
    assert unmarked([disguise("Read about %(name)s") % {"name": "ThinkSystem SR680a V3"}], known) == []
    assert unmarked([disguise("Needs %(count)s") % {"count": "two cards"}], known) == ["Ｎｅｅｄｓ two cards"]
