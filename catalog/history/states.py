"""Rows as history holds them: explicit columns, values as JSON, and a path through what they are part of."""

from datetime import date, datetime
from decimal import Decimal
from functools import cache

# Made by the program from other columns, or no statement of anybody.
LEFT_OUT = {"updated_at", "sort_key"}


@cache
def columns(model):
    """Return {name: field} of what somebody can change: columns, and lists of other rows.

    A translated text is its columns, one a language; the original column says nothing.
    """
    left_out = LEFT_OUT | set(getattr(model, "HISTORY_LEAVES_OUT", ()))
    fields = model._meta.concrete_fields
    left_out |= {field.translated_field.name for field in fields if hasattr(field, "translated_field")}
    fields = [field for field in (*fields, *model._meta.many_to_many) if not field.primary_key]
    return {field.name: field for field in fields if field.name not in left_out}


def state(row):
    """Return {column: value} of a row that was read from the database, ready for JSON."""
    return {name: _plain(row, field) for name, field in columns(type(row)).items()}


def _plain(row, field):
    if field.many_to_many:
        return sorted(getattr(row, field.name).values_list("pk", flat=True))
    value = getattr(row, field.attname)
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")  # 1.50 is 1.5
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    if value is None and hasattr(field, "translated_field"):
        return ""  # a text that is missing, however it is kept
    # A browser ends lines in its own way: that is no change.
    return value.replace("\r\n", "\n") if isinstance(value, str) else value


def step(model, pk):
    """Return one step of a path: a row by its table and number."""
    return f"{model._meta.label_lower}:{pk}/"


def path(row, known=None):
    """Return the path of a row: what it is a part of, outermost first, then itself.

    `known` remembers the paths of wholes while many of their parts are looked at.
    """
    known = {} if known is None else known
    for name in getattr(row, "PART_OF", ()):
        field = row._meta.get_field(name)
        whole, pk = field.related_model, getattr(row, field.attname)
        if pk is None:
            continue
        if (whole, pk) not in known:
            is_part = getattr(whole, "PART_OF", ()) and whole._base_manager.filter(pk=pk).first()
            known[whole, pk] = path(is_part, known) if is_part else step(whole, pk)
        return known[whole, pk] + step(type(row), row.pk)
    return step(type(row), row.pk)
