"""The form by which readers say that a figure is wrong."""

from django import forms
from django.utils.translation import gettext_lazy as _

from aiservers.forms import WithTrap
from catalog.models import ErrorReport
from catalog.models.reports import MAX_SAID


class ErrorReportForm(WithTrap, forms.ModelForm):
    """What is right, and where it is written; who says so is not asked."""

    required_css_class = "required"
    said = forms.CharField(
        label=_("What is right?"),
        max_length=MAX_SAID,
        help_text=_("The right figure, or what is wrong with this one, in any language of the site."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    source_url = forms.URLField(
        label=_("Link to a source, if you have one"),
        max_length=500,
        required=False,
        assume_scheme="https",
        help_text=_("For example the page of a product guide."),
        widget=forms.URLInput(attrs={"autocomplete": "off"}),
    )

    class Meta:
        model = ErrorReport
        fields = ["said", "source_url"]
