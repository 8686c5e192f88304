"""What a source states of a figure, as text, beside what a column holds."""

import re

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext as _

BOOLEANS = {"yes": True, "no": False}


def as_stated(value):
    """Return a figure as a source would print it; None where nothing is published."""
    if value is None or isinstance(value, bool):
        return None if value is None else ("yes" if value else "no")
    if isinstance(value, float):
        return f"{value:g}" if value < 1e6 else f"{value:.0f}"
    return str(value)[:300]


def is_column(model, name):
    """Tell whether a figure is one value of one column, neither related rows nor prose."""
    if name in model.EVIDENCE_RELATIONS:
        return False
    field = model._meta.get_field(name)
    return not isinstance(field, (models.TextField, models.ForeignKey))


def agrees(row, name, stated):
    """Tell whether a row holds what a source states of one of its columns."""
    value = getattr(row, name)
    if as_stated(value) == stated:
        return True
    try:
        return bool(stated) and read(type(row), name, stated) == value
    except ValidationError:
        return False


def read(model, name, stated):
    """Return the value of a column that a source's words stand for.

    Raises:
        ValidationError: the column cannot hold them.
    """
    if not is_column(model, name):
        raise ValidationError(_("This is kept in several rows: change them in the form."))
    field = model._meta.get_field(name)
    if isinstance(field, models.BooleanField):
        if stated not in BOOLEANS:
            raise ValidationError(_("“%(stated)s” is neither yes nor no."), params={"stated": stated})
        return BOOLEANS[stated]
    if isinstance(field, (models.IntegerField, models.FloatField)) and not re.fullmatch(
        r"-?\d+(\.\d+)?", stated
    ):
        raise ValidationError(_("“%(stated)s” is not a number."), params={"stated": stated})
    return field.clean(stated, None)
