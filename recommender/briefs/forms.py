"""Forms of briefs: making one, sending it to sales; and of sales: answering, asking for a person's data."""

from django import forms
from django.utils.translation import gettext_lazy as _

from aiservers.forms import WithTrap
from recommender.models import MAX_NOTE, MAX_TITLE, Contact, ContactMessage

CONSENT = _(
    "I agree that the vendor keeps these contact data to answer me about this brief. I can delete them at "
    "any time on the brief’s own page."
)


class BriefForm(forms.Form):
    """What a brief may be called, and what the questions have not asked."""

    title = forms.CharField(
        label=_("Title"),
        max_length=MAX_TITLE,
        required=False,
        help_text=_(
            "So that you and your colleagues recognise it. Without one it is called “Brief for an AI server”."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    note = forms.CharField(
        label=_("Note"),
        max_length=MAX_NOTE,
        required=False,
        help_text=_("What the questions did not ask. Everybody who has the link can read it."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )


class ContactForm(WithTrap, forms.ModelForm):
    """Whom sales may answer."""

    required_css_class = "required"
    consent = forms.BooleanField(
        label=CONSENT, error_messages={"required": _("Without your consent nothing is stored or sent.")}
    )

    class Meta:
        model = Contact
        fields = ["name", "company", "email", "phone", "message"]
        widgets = {
            "name": forms.TextInput(attrs={"autocomplete": "name"}),
            "company": forms.TextInput(attrs={"autocomplete": "organization"}),
            "email": forms.EmailInput(attrs={"autocomplete": "email"}),
            "phone": forms.TextInput(attrs={"autocomplete": "tel", "inputmode": "tel"}),
            "message": forms.Textarea(attrs={"rows": 4}),
        }


class AnswerForm(forms.ModelForm):
    """An e-mail to whoever sent a lead."""

    class Meta:
        model = ContactMessage
        fields = ["subject", "body", "with_brief"]
        widgets = {
            "subject": forms.TextInput(attrs={"class": "vTextField"}),
            "body": forms.Textarea(attrs={"class": "vLargeTextField", "rows": 16}),
        }

    def clean_subject(self):
        return " ".join(self.cleaned_data["subject"].split())  # a header is one line


class PersonForm(forms.Form):
    """Whose data somebody asks for."""

    email = forms.EmailField(
        label=_("E-mail address"), widget=forms.EmailInput(attrs={"autocomplete": "off"})
    )
