"""Form fields of the filters: quantities as canonical addresses carry them, and choices with their counts."""

import django_filters
from django import forms
from django.forms.utils import flatatt
from django.utils.html import format_html, format_html_join
from django.utils.translation import get_language, gettext, gettext_lazy as _

from aiservers.addresses import NUMBER_ERRORS, signed_as_typed
from aiservers.numbers import NumberError, canonical, parse_canonical
from catalog.templatetags.units import format_number

# The words of the number parser, for a place where only one number makes sense.
QUANTITY_ERRORS = NUMBER_ERRORS | {"malformed": _("This is not a number. Write it like 1500 or 1.5.")}


class QuantityField(forms.Field):
    """One number, as a canonical address carries it; shown as the reader writes it."""

    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})

    def __init__(self, *, signed=False, **kwargs):
        super().__init__(**kwargs)
        self.signed = signed
        if signed:  # a phone's decimal keypad has no minus
            self.widget.attrs["inputmode"] = "text"

    def to_python(self, value):
        text = (value or "").strip()
        if not text:
            return None
        minus = self.signed and text.startswith("-")
        try:
            interval = parse_canonical(text[1:] if minus else text)
        except NumberError as error:
            raise forms.ValidationError(QUANTITY_ERRORS[error.code], code=error.code) from error
        if interval.low != interval.high:
            raise forms.ValidationError(_("Enter one number here, not a range."), code="range")
        return -interval.low if minus else interval.low

    def prepare_value(self, value):
        return signed_as_typed(str(value), get_language()) if value not in (None, "") else ""


class QuantityFilter(django_filters.Filter):
    field_class = QuantityField


class Counted:
    """A widget whose choices say how many servers each would find; what finds none cannot be chosen."""

    counts = None

    def create_option(self, name, value, label, selected, index, subindex=None, attrs=None):
        option = super().create_option(name, value, label, selected, index, subindex, attrs)
        if self.counts is not None and str(value):
            count = self.counts.get(str(value), 0)
            option["label"] = gettext("%(choice)s (%(count)s)") % {
                "choice": label,
                "count": format_number(count),
            }
            if not count and not selected:
                option["attrs"]["disabled"] = True
        return option


class CountedSelect(Counted, forms.Select):
    pass


class CountedCheckboxes(Counted, forms.CheckboxSelectMultiple):
    """Boxes as Django's template writes them, without a template for each: a page has over a hundred."""

    def render(self, name, value, attrs=None, renderer=None):
        widget = self.get_context(name, value, attrs)["widget"]
        options = [option for _group, options, _index in widget["optgroups"] for option in options]
        boxes = format_html_join(
            "\n",
            '<div><label for="{}"><input type="checkbox" name="{}" value="{}"{}> {}</label></div>',
            (
                (
                    option["attrs"]["id"],
                    option["name"],
                    option["value"],
                    flatatt(option["attrs"]),
                    option["label"],
                )
                for option in options
            ),
        )
        return format_html('<div id="{}">{}</div>', widget["attrs"]["id"], boxes)


def plain(value):
    """Return a cleaned quantity as addresses carry it."""
    return f"-{canonical(-value)}" if value < 0 else canonical(value)
