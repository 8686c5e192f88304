"""Django's own texts that our translations replace are still those that it asks for."""

from pathlib import Path

import polib
import pytest
from django.contrib import admin

from aiservers.admin_texts import SENTENCES

KNOWN = {
    entry.msgid
    for entry in polib.pofile(
        str(Path(admin.__file__).parent / "locale" / "en" / "LC_MESSAGES" / "django.po")
    )
}


@pytest.mark.parametrize("text", [text for text in SENTENCES if isinstance(text, str)])
def test_django_asks_for_the_sentence(text):
    assert text in KNOWN
