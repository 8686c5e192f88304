"""Find what a reader of one language would miss."""

import re

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from modeltranslation.translator import translator
from modeltranslation.utils import build_localized_fieldname

from aiservers import messages
from catalog.models import Guide

PLACEHOLDER = re.compile(r"%\((\w+)\)|\{(\w*)\}")


class Command(BaseCommand):
    help = "Lists interface texts and published catalog texts that lack Spanish, Russian or English."

    def handle(self, *args, **options):
        models = translator.get_registered_models(abstract=False)
        if {model._meta.db_table for model in models} - set(connection.introspection.table_names()):
            raise CommandError("The database is behind the code: run `manage.py migrate` first.")
        problems = [*interface_problems(), *catalog_problems()]
        for problem in problems:
            self.stdout.write(problem)
        if problems:
            raise CommandError(f"{len(problems)} texts are missing or wrong.")
        self.stdout.write("Nothing is missing.")


def interface_problems():
    """Yield a line for every text in the message files that is missing, unsure or has other placeholders."""
    for language, _ in settings.LANGUAGES:
        path = messages.po_path(language)
        if not path.exists():
            yield f"{language}: there is no message file"
            continue
        for entry in messages.load(language):
            if entry.obsolete:
                continue
            where = f"{language}: {entry.msgid!r}"
            texts = list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]
            if not all(text.strip() for text in texts):
                yield f"{where} is not translated"
            elif entry.fuzzy:
                yield f"{where} is marked as unsure"
            elif not has_same_placeholders(entry, texts, language):
                yield f"{where} has other placeholders than its translation"


def has_same_placeholders(entry, texts, language):
    """Tell whether each translation has the places of its original.

    The first plural form may say the number in words, except in Russian, where it also counts 21 and 101.
    """
    expected = placeholders(entry.msgid) | placeholders(entry.msgid_plural)
    first, *others = map(placeholders, texts)
    if entry.msgid_plural and language != "ru":
        return first <= expected and all(other == expected for other in others)
    return all(found == expected for found in (first, *others))


def placeholders(text):
    """Return the names of the places in a text."""
    return {match.group() for match in PLACEHOLDER.finditer(text)}


def catalog_problems():
    """Yield a line for every published text that exists in one language only, or must exist and does not."""
    for model in translator.get_registered_models(abstract=False):
        if model is Guide:
            continue  # each of its languages is published when it is ready
        objects = model._default_manager.all()
        if any(field.name == "is_published" for field in model._meta.get_fields()):
            objects = objects.filter(is_published=True)
        for name in translator.get_options_for_model(model).get_field_names():
            columns = {code: build_localized_fieldname(name, code) for code, _ in settings.LANGUAGES}
            optional = model._meta.get_field(columns[settings.LANGUAGE_CODE]).blank
            for row in objects.order_by("pk"):
                texts = {code: (getattr(row, column) or "").strip() for code, column in columns.items()}
                if optional and not any(texts.values()):
                    continue
                for code in (code for code, text in texts.items() if not text):
                    yield f"{code}: {model._meta.label} {row} has no {name}"
