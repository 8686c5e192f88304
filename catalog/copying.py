"""Copies a row with all that is part of it: the beginning of a new one that resembles it."""

from django.db import transaction

from catalog import versions
from catalog.history.states import columns
from catalog.models import Evidence


def duplicate(row, **changes):
    """Return a saved copy of a row and its parts, with other values in some columns; never published.

    Sources speak of the original: their copies are marked weak and unchecked until somebody has looked.
    """
    with transaction.atomic(), versions.held_back():
        copy = _copy(row, **changes)
    versions.bump()
    return copy


def _copy(row, **changes):
    copied = {
        column.attname: getattr(row, column.attname)
        for column in columns(type(row)).values()
        if not column.many_to_many
    }
    copy = type(row)(**copied)
    if "is_published" in copied:
        copy.is_published = False
    if isinstance(row, Evidence):
        copy.weak, copy.checked_on, copy.checked_by = True, None, ""
    for name, value in changes.items():
        setattr(copy, name, value)
    copy.full_clean()
    copy.save()
    for relation in row._meta.related_objects:
        whole = relation.field.name
        if whole in getattr(relation.related_model, "PART_OF", ()):
            for part in relation.related_model._base_manager.filter(**{whole: row}).order_by("pk"):
                _copy(part, **{whole: copy})
    return copy
