"""What a reader of one language would miss is found and named."""

import polib
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from aiservers import messages
from catalog.management.commands.check_translations import catalog_problems, interface_problems
from catalog.models import WorkloadProfile


@pytest.fixture
def write(settings, tmp_path):
    """Write the message file of a language from entries; the other two are complete."""
    settings.LOCALE_PATHS = [tmp_path]

    def write_file(language, *entries):
        path = messages.po_path(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        file = messages.load(language)
        file.extend(polib.POEntry(**entry) for entry in entries)
        file.save(str(path))

    for language in ("es", "ru", "en"):
        write_file(language, {"msgid": "Servers", "msgstr": "translated"})
    return write_file


def test_a_complete_site_has_no_problems(write):
    assert list(interface_problems()) == []


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"msgid": "Cards", "msgstr": " "}, "es: 'Cards' is not translated"),
        ({"msgid": "Cards", "msgstr": "Tarjetas", "flags": ["fuzzy"]}, "es: 'Cards' is marked as unsure"),
        (
            {"msgid": "Needs %(units)s U", "msgstr": "Necesita %(unit)s U"},
            "es: 'Needs %(units)s U' has other placeholders than its translation",
        ),
        (
            {
                "msgid": "%(n)s card",
                "msgid_plural": "%(n)s cards",
                "msgstr_plural": {0: "%(n)s tarjeta", 1: ""},
            },
            "es: '%(n)s card' is not translated",
        ),
    ],
)
def test_a_text_that_is_missing_unsure_or_broken_is_named(write, entry, problem):
    write("es", entry)
    assert list(interface_problems()) == [problem]


def test_only_russian_must_say_the_number_in_every_form(write):
    entry = {"msgid": "%(n)s card", "msgid_plural": "%(n)s cards"}
    write("es", entry | {"msgstr_plural": {0: "una tarjeta", 1: "%(n)s tarjetas"}})
    write("ru", entry | {"msgstr_plural": {0: "одна карта", 1: "%(n)s карты", 2: "%(n)s карт"}})
    assert list(interface_problems()) == ["ru: '%(n)s card' has other placeholders than its translation"]


def test_a_language_without_its_file_is_named(write):
    messages.po_path("ru").unlink()
    assert list(interface_problems()) == ["ru: there is no message file"]


def test_a_published_text_that_one_language_lacks_is_named(catalog):
    profile = WorkloadProfile.objects.published().first()
    before = set(catalog_problems())
    profile.name_ru = ""
    profile.summary_es = profile.summary_ru = profile.summary_en = ""
    profile.save()
    added = set(catalog_problems()) - before
    assert f"ru: catalog.WorkloadProfile {profile} has no name" in added
    profile.is_published = False
    profile.save()
    assert not any(
        f"catalog.WorkloadProfile {profile} has no name" in problem for problem in catalog_problems()
    )


def test_the_command_lists_problems_and_fails(write, catalog, capsys):
    write("es", {"msgid": "Cards", "msgstr": ""})
    with pytest.raises(CommandError):
        call_command("check_translations")
    assert "es: 'Cards' is not translated" in capsys.readouterr().out


@pytest.mark.django_db
def test_a_database_that_is_behind_the_code_is_said_to_be(monkeypatch):
    tables = set(connection.introspection.table_names()) - {WorkloadProfile._meta.db_table}
    monkeypatch.setattr(connection.introspection, "table_names", lambda: sorted(tables))
    with pytest.raises(CommandError, match="migrate"):
        call_command("check_translations")
