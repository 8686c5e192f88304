"""Django's own texts that our translations replace are still those that it asks for."""

import json
import re
from pathlib import Path

import polib
import pytest
from django import conf
from django.contrib import admin, auth
from django.urls import reverse

from aiservers.admin_texts import FORMS, SENTENCES
from aiservers.messages import po_path

KNOWN = {
    entry.msgid
    for package in (admin, auth, conf)
    for entry in polib.pofile(str(Path(package.__file__).parent / "locale/en/LC_MESSAGES/django.po"))
}


@pytest.mark.parametrize("text", [text for text in (*SENTENCES, *FORMS) if isinstance(text, str)])
def test_django_asks_for_the_sentence(text):
    assert text in KNOWN


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("es", "Escribe las horas en la zona horaria %(timezone)s"),
        ("ru", "Указывайте время в\u00a0часовом поясе"),
    ],
)
def test_scripts_of_the_admin_speak_the_language(admin_client, language, said):
    admin_client.cookies["django_language"] = language
    script = admin_client.get(reverse("admin:jsi18n")).content.decode()
    assert json.dumps(said).strip('"') in script


@pytest.mark.parametrize("language", ["es", "ru"])
def test_django_s_scripts_ask_for_the_texts(language):
    scripts = Path(admin.__file__).parent / "static" / "admin" / "js"
    code = "".join(path.read_text() for path in sorted(scripts.rglob("*.js")))
    code = re.sub(r'"\s*\+\s*"', "", code)
    texts = polib.pofile(str(po_path(language).with_name("djangojs.po")))
    assert [entry.msgid for entry in texts if entry.msgid not in code] == []
