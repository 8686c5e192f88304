"""Interface texts: found without GNU gettext, kept in order, complete."""

import polib
import pytest
from django.core.management import CommandError, call_command
from django.utils.translation import gettext, ngettext, override

from aiservers import messages

PYTHON = """
from django.utils.translation import gettext_lazy as _, npgettext, pgettext_lazy
TITLE = _("Two " "parts")
WORD = pgettext_lazy("path", "servers")
def count(n):
    return npgettext("rack", "%(n)s unit", "%(n)s units", n) % {"n": n}
"""
TEMPLATE = """
{% load i18n %}
    {% translate "Indented" %} it's {{ "an _('apostrophe')" }}
  {% blocktranslate count total=n trimmed %}
     {{ total }} server
  {% plural %}
     {{ total }} servers
  {% endblocktranslate %}
{% translate "path word" context "path" %}
"""


@pytest.fixture
def project(tmp_path, settings):
    """A small project with texts in code and in a template, and its commands."""
    (tmp_path / "catalog").mkdir()
    (tmp_path / "templates").mkdir()
    (tmp_path / "catalog" / "views.py").write_text(PYTHON, encoding="utf-8")
    (tmp_path / "templates" / "page.html").write_text(TEMPLATE, encoding="utf-8")
    settings.BASE_DIR = tmp_path
    settings.LOCALE_PATHS = [tmp_path / "locale"]
    return tmp_path


def read(language):
    return polib.pofile(str(messages.po_path(language)))


def test_finds_texts_of_code_and_templates(project):
    found = {(context, text, entry.msgid_plural) for (context, text), entry in messages.extracted().items()}
    assert found == {
        (None, "Two parts", ""),
        ("path", "servers", ""),
        ("rack", "%(n)s unit", "%(n)s units"),
        (None, "Indented", ""),
        (None, "%(total)s server", "%(total)s servers"),
        ("path", "path word", ""),
    }


def test_updating_keeps_translations_guesses_nothing_and_is_repeatable(project):
    call_command("messages", verbosity=0)
    russian = read("ru")
    russian.find("Two parts").msgstr = "Две части"
    russian.save()
    (project / "catalog" / "views.py").write_text(PYTHON.replace("servers", "server list"), encoding="utf-8")
    call_command("messages", verbosity=0)
    first = messages.po_path("ru").read_bytes()
    call_command("messages", verbosity=0)
    assert messages.po_path("ru").read_bytes() == first
    assert read("ru").find("Two parts").msgstr == "Две части"
    assert read("ru").find("server list", msgctxt="path").msgstr == ""
    assert not [entry for entry in read("ru") if entry.fuzzy]
    assert read("en").find("server list", msgctxt="path").msgstr == "server list"
    assert len(read("ru").find("%(total)s server").msgstr_plural) == 3


def test_an_english_wording_of_its_own_stays(project):
    call_command("messages", verbosity=0)
    english = read("en")
    english.find("Two parts").msgstr = "A pair"
    english.find("%(total)s server").msgstr_plural = {0: "one server", 1: "%(total)s machines"}
    english.save()
    call_command("messages", check=True, verbosity=0)
    call_command("messages", verbosity=0)
    assert read("en").find("Two parts").msgstr == "A pair"
    assert read("en").find("%(total)s server").msgstr_plural == {0: "one server", 1: "%(total)s machines"}


def test_a_text_that_comes_back_finds_its_translation_again(project):
    call_command("messages", verbosity=0)
    russian = read("ru")
    russian.find("Two parts").msgstr = "Две части"
    russian.save()
    for code in ("", PYTHON):
        (project / "catalog" / "views.py").write_text(code, encoding="utf-8")
        call_command("messages", verbosity=0)
    assert read("ru").find("Two parts").msgstr == "Две части"


def test_check_fails_on_a_new_text_and_passes_on_a_moved_one(project):
    call_command("messages", verbosity=0)
    (project / "catalog" / "views.py").rename(project / "catalog" / "forms.py")
    call_command("messages", check=True, verbosity=0)
    (project / "catalog" / "views.py").write_text("_('New')", encoding="utf-8")
    with pytest.raises(CommandError, match="es, ru, en"):
        call_command("messages", check=True, verbosity=0)


def test_the_projects_own_message_files_are_up_to_date():
    call_command("messages", check=True, verbosity=0)


@pytest.mark.parametrize(
    ("language", "numbers", "form"),
    [
        ("ru", [1, 21, 101], 0),
        ("ru", [2, 22], 1),
        ("ru", [0, 5, 11, 25, 111, 112], 2),
        ("es", [1], 0),
        ("es", [0, 2, 5, 21, 1_000_000], 1),
        ("en", [1], 0),
        ("en", [0, 2, 21], 1),
    ],
)
def test_plural_forms_count_as_each_language_does(project, settings, language, numbers, form):
    call_command("messages", verbosity=0)
    file = read(language)
    file.find("%(total)s server").msgstr_plural = {0: "first", 1: "second", 2: "third"}
    file.find("Two parts").msgstr = "ours"
    file.save()
    call_command("messages", compile=True, verbosity=0)
    forget_translations()
    with override(language):
        words = {ngettext("%(total)s server", "%(total)s servers", number) for number in numbers}
        assert words == {["first", "second", "third"][form]}
        assert gettext("Two parts") == "ours"
        assert gettext("Yes") == {"es": "Sí", "ru": "Да", "en": "Yes"}[language]  # Django's own still work
    forget_translations()


def forget_translations():
    """Make Django read the compiled files again."""
    from django.utils.translation import trans_real

    trans_real._translations.clear()
    trans_real._default = None
