"""What forms that everybody may post have in common."""

from django import forms
from django.utils.translation import gettext_lazy as _


class WithTrap(forms.Form):
    """Robots fill in every field: the one that people do not see stays empty."""

    confirmation = forms.CharField(
        label=_("Leave this field empty"),
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "tabindex": "-1"}),
    )

    def clean_confirmation(self):
        if self.cleaned_data["confirmation"]:
            raise forms.ValidationError(_("This field is a trap for robots: empty it and send again."))
        return ""
