"""Numbers in the staff’s forms: typed by the habits of the editor’s language, read by the site’s parser."""

from decimal import Decimal

from django import forms
from django.db import models
from django.utils.translation import get_language, gettext_lazy as _

from aiservers.addresses import signed_as_typed
from aiservers.numbers import NumberError, canonical, is_ambiguous, parse_number
from catalog.filtering.fields import QUANTITY_ERRORS


class AsTyped:
    """A number's field as text: an input of type number would drop a comma, and make 12,5 into 125."""

    widget = forms.TextInput

    def to_python(self, value):
        text = value.strip() if isinstance(value, str) else ""
        if not text:
            return super().to_python(value)
        sign = "-" if text[0] in "-\N{MINUS SIGN}" else ""
        try:
            number = parse_number(text.removeprefix(text[0]) if sign else text, get_language())
        except NumberError as error:
            raise forms.ValidationError(QUANTITY_ERRORS[error.code], code=error.code) from error
        return super().to_python(sign + canonical(number))

    def prepare_value(self, value):
        """Write what a row holds as the editor writes it; what was typed stays as it was."""
        if value is None or isinstance(value, str):
            return value
        number = Decimal(str(value))
        return signed_as_typed(f"{'-' if number < 0 else ''}{canonical(abs(number))}", get_language())


class TypedInteger(AsTyped, forms.IntegerField):
    """A whole number: three digits behind a decimal sign were hardly meant to be none."""

    def to_python(self, value):
        number = super().to_python(value)
        if number is not None and isinstance(value, str) and is_ambiguous(value) and number < 1000:
            raise forms.ValidationError(
                _("Write it without separators: this can mean %(one)s or %(other)s."),
                code="ambiguous",
                params={"one": number, "other": 1000 * number},
            )
        return number


class TypedFloat(AsTyped, forms.FloatField):
    pass


class TypedDecimal(AsTyped, forms.DecimalField):
    pass


FIELDS = {
    models.IntegerField: TypedInteger,
    models.FloatField: TypedFloat,
    models.DecimalField: TypedDecimal,
}


class TypedNumbers:
    """Forms and tables below them whose numbers are read as people type them."""

    def formfield_for_dbfield(self, db_field, request, **kwargs):
        field = next((field for column, field in FIELDS.items() if isinstance(db_field, column)), None)
        if field and not db_field.choices:
            is_small = field is TypedInteger and not isinstance(db_field, models.BigIntegerField)
            width = "vIntegerField" if is_small else "vBigIntegerField"
            widget = forms.TextInput(attrs={"inputmode": "decimal", "class": width})
            return db_field.formfield(**{"form_class": field, "widget": widget} | kwargs)
        return super().formfield_for_dbfield(db_field, request, **kwargs)
