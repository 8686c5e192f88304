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

from catalog.models import Server
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
    *("vLLM", "SGLang", "TensorRT-LLM"),
    *("NVLink", "PCIe", "Gen3", "Gen4", "Gen5", "Gen6", "x8", "x16", "TOPS", "mit"),
}
CODE = re.compile(r"[a-z_]+")  # a word of ours, not of the reader
LONGEST_NAME = 120  # characters; what is longer is prose and stands alone


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


@pytest.fixture
def known(catalog):
    """Every text in the database: whole values, and those short enough to be names."""
    values = {settings.VENDOR_NAME, settings.SALES_CONTACT, *NEUTRAL}
    for model in apps.get_app_config("catalog").get_models():
        columns = [
            column.name
            for column in model._meta.concrete_fields
            if isinstance(column, (models.CharField, models.TextField)) and not column.choices
        ]
        for row in model._base_manager.values_list(*columns):
            # A column may hold a list, one item a line.
            lines = [line for value in row if value for line in [str(value), *str(value).splitlines()]]
            values |= {" ".join(line.split()) for line in lines}
    # A server's name is written in two parts, the second of which stays on one line.
    models_of_servers = {name.partition(" ")[2] for name in Server.objects.values_list("name", flat=True)}
    return {value for value in values if not CODE.fullmatch(value)} | models_of_servers


def unmarked(texts, known):
    """Return the texts that hold letters which are neither disguised nor known."""
    page = "\n".join(texts)
    names = [value for value in known if len(value) <= LONGEST_NAME and value in page]
    names.sort(key=len, reverse=True)
    known_words = "|".join([*map(re.escape, names), NUMBER_FORMAT])
    pattern = re.compile(rf"(?<!\w)(?:{known_words})(?!\w)")
    found = []
    for text in texts:
        if text not in known and LETTERS.search(pattern.sub(" ", text)):
            found.append(text)
    return found


@pytest.mark.parametrize("view_name", public_view_names())
def test_no_visible_text_is_left_out_of_translation(client, known, pseudo_language, view_name):
    for page in pages(view_name):
        path = page.path("ru")
        response = client.get(path)
        assert response.status_code == 200, path
        typed = {value for values in response.wsgi_request.GET.lists() for value in [values[0], *values[1]]}
        assert unmarked(Document(response.content.decode()).texts, known | typed) == [], path


def test_a_missing_page_too(client, known, pseudo_language):
    texts = Document(client.get("/ru/net-takoy/").content.decode()).texts
    assert unmarked(texts, known) == []


def test_unmarked_texts_are_found():
    known = {"ThinkSystem SR680a V3"}
    assert unmarked(["Read more"], known) == ["Read more"]
    assert unmarked([disguise("Read about %(name)s") % {"name": "ThinkSystem SR680a V3"}], known) == []
    assert unmarked([disguise("Needs %(count)s") % {"count": "two cards"}], known) == ["Ｎｅｅｄｓ two cards"]
