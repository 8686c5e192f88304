"""Figures of the catalog as texts: what a column is called, and what it holds, in the reader's language."""

from django.core.exceptions import FieldDoesNotExist

from catalog import sentences
from catalog.templatetags.units import not_published, yes_no


def label(model, name):
    """Return what a column, or the related rows that stand for one figure together, is called."""
    try:
        found = model._meta.get_field(name)
    except FieldDoesNotExist:
        return name
    return found.related_model._meta.verbose_name_plural if found.one_to_many else found.verbose_name


def text(row, name):
    """Return what a row of the catalog holds under a name, as its page may print it."""
    if name in row.EVIDENCE_RELATIONS:
        value = ", ".join(str(part) for part in getattr(row, name).all())
    elif hasattr(row, f"get_{name}_display"):
        value = getattr(row, f"get_{name}_display")()
    else:
        value = getattr(row, name)
    if isinstance(value, bool):
        return yes_no(value)
    return not_published() if value in (None, "") else sentences.stated(str(value), name)


def names(row, unknown=()):
    """Return the names of the figures that are known of a row, in the order of its columns.

    Args:
        unknown: names that are listed too, where nothing is known of them.
    """
    known = row.figures()
    return [name for name in row.evidence_fields() if name in known or name in unknown]
