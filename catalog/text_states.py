"""Which texts are missing in a language, and which are older than what they were translated from.

The source of a text is the one in the site's own language or, where that is not written, the first that is. A
translation is stale when the change log says that its source was changed after it.
"""

from collections import Counter
from dataclasses import dataclass

from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.utils.translation import gettext_lazy as _

from catalog.models import (
    GPU,
    AIModel,
    Change,
    Enclosure,
    GlossaryTerm,
    GPUOption,
    Requirement,
    Server,
    Source,
    TypicalAssumption,
    Variant,
    WorkloadProfile,
)
from catalog.publishing import text_names

# Guides have a board of their own.
TABLES = [
    Server,
    Variant,
    GPUOption,
    Enclosure,
    GPU,
    AIModel,
    WorkloadProfile,
    Requirement,
    TypicalAssumption,
    GlossaryTerm,
    Source,
]
LANGUAGES = [code for code, _name in settings.LANGUAGES]


class State(models.TextChoices):
    MISSING = "missing", _("missing")
    STALE = "stale", _("its original has changed since")
    FRESH = "fresh", _("fresh")


@dataclass
class Text:
    """One text of one row in one language."""

    model: type
    pk: int
    name: str
    language: str
    source: str  # the language that it is translated from
    state: State
    revision: object = None  # the change of the source that made it stale
    row: object = None

    @property
    def label(self):
        return self.model._meta.get_field(self.name).verbose_name


def texts():
    """Return every text that is written in at least one language, once a language."""
    touched = last_changes()
    return [text for model in TABLES for text in texts_of(model, touched)]


def texts_of(model, touched):
    names = text_names(model)
    columns = [f"{name}_{code}" for name in names for code in LANGUAGES]
    for row in model._base_manager.order_by("pk").values("pk", *columns):
        for name in names:
            written = [code for code in LANGUAGES if row[f"{name}_{code}"]]
            if not written:
                continue
            source = settings.LANGUAGE_CODE if settings.LANGUAGE_CODE in written else written[0]
            changed = touched.get((model, row["pk"], f"{name}_{source}"))
            for code in LANGUAGES:
                own = touched.get((model, row["pk"], f"{name}_{code}"))
                text = Text(model, row["pk"], name, code, source, State.FRESH)
                if code not in written:
                    text.state = State.MISSING
                elif changed and (own is None or own["revision"] < changed["revision"]):
                    text.state, text.revision = State.STALE, changed
                yield text


def last_changes():
    """Return {(table, row, column): number, time and author of its newest change} of all texts."""
    kinds = {kind.pk: model for model, kind in ContentType.objects.get_for_models(*TABLES).items()}
    columns = {f"{name}_{code}" for model in TABLES for name in text_names(model) for code in LANGUAGES}
    changes = (
        Change.objects.filter(content_type__in=kinds, values__has_any_keys=sorted(columns))
        .order_by("id")
        .values("content_type", "object_id", "values", "revision", "revision__made_at", "revision__made_by")
    )
    touched = {}
    for change in changes:
        for column in columns & change["values"].keys():
            touched[kinds[change["content_type"]], change["object_id"], column] = change
    return touched


def counts(found):
    """Return [(table, [(language, {state: how many})])] of texts."""
    by_cell = Counter((text.model, text.language, text.state) for text in found)
    return [
        (model, [(code, {state: by_cell[model, code, state] for state in State}) for code in LANGUAGES])
        for model in TABLES
        if any(by_cell[model, code, state] for code in LANGUAGES for state in State)
    ]


def with_rows(found):
    """Bring along the rows of these texts, one query a table."""
    for model in {text.model for text in found}:
        rows = model._base_manager.in_bulk([text.pk for text in found if text.model is model])
        for text in found:
            if text.model is model:
                text.row = rows[text.pk]
    return found
