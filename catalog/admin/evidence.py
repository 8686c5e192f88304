"""Sources beside figures: the inline that every fact has, sources, and the list of all evidence."""

from django import forms
from django.contrib import admin
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from modeltranslation.admin import TranslationAdmin

from catalog.admin.boards import BoardViews
from catalog.admin.comfort import BulkAdmin
from catalog.admin.figures import EvidenceFormSet, name_checker
from catalog.admin.parts import SMALL_TEXTS, SeveralLines
from catalog.admin.queue import QueueViews
from catalog.admin.sheets import SheetsAdmin
from catalog.models import Evidence, Source


def evidence_choices(model):
    """Return (name, label) of everything in a table that a source can speak of."""
    choices = [("", "---------")]
    for name in model.evidence_fields():
        field = model._meta.get_field(name)
        related = field.related_model if name in model.EVIDENCE_RELATIONS else None
        label = related._meta.verbose_name_plural if related else field.verbose_name
        choices.append((name, label))
    return choices


def undecided(request, fields):
    """Return read-only fields: a reason is given by those who may decide between sources."""
    return list(fields) if request.user.has_perm("catalog.decide_evidence") else [*fields, "reason"]


class EvidenceForm(forms.ModelForm):
    """A row of evidence below what it speaks of: once it is there, it speaks of that figure."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if self.instance.pk and "field" in self.fields:
            self.fields["field"].choices = [(self.instance.field, self.instance.field_label)]


class EvidenceInline(SeveralLines, admin.StackedInline):
    several_lines = ["stated"]
    model = Evidence
    form = EvidenceForm
    formset = EvidenceFormSet
    template = "admin/evidence/inline.html"
    fieldsets = [
        (
            None,
            {
                "fields": [
                    ("field", "source", "state"),
                    ("stated", "kept", "weak"),
                    ("checked_on", "checked_by"),
                    ("note", "reason"),
                ]
            },
        )
    ]
    autocomplete_fields = ["source"]
    formfield_overrides = SMALL_TEXTS
    extra = 0

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("source")

    def get_readonly_fields(self, request, obj=None):
        return undecided(request, super().get_readonly_fields(request, obj))

    def formfield_for_dbfield(self, db_field, request, **kwargs):
        if db_field.name == "field":
            label = capfirst(db_field.verbose_name)
            return forms.ChoiceField(choices=evidence_choices(self.parent_model), label=label)
        return super().formfield_for_dbfield(db_field, request, **kwargs)


@admin.register(Source)
class SourceAdmin(SheetsAdmin, BulkAdmin, TranslationAdmin):
    bulk_fields = ["publisher", "kind", "published_on"]
    list_display = ["title", "publisher", "published_on", "kind", "is_linkable"]
    list_filter = ["kind", "publisher"]
    search_fields = ["title", "slug", "url", "publisher"]
    readonly_fields = ["updated_at"]

    @admin.display(description=_("can be linked"), boolean=True)
    def is_linkable(self, source):
        return source.is_linkable


@admin.register(Evidence)
class EvidenceAdmin(QueueViews, BoardViews, SeveralLines, SheetsAdmin, BulkAdmin):
    several_lines = ["stated"]
    bulk_fields = ["checked_on", "checked_by", "state", "weak", "source"]
    list_display = ["subject", "figure", "stated", "source", "state", "kept", "weak", "checked_on"]
    list_filter = ["kept", "weak", "state", "checked_on", "server"]
    list_select_related = ["server", "variant", "gpu", "option__gpu", "option__variant", "ai_model", "source"]
    search_fields = ["field", "stated", "source__title", "server__name", "gpu__name", "ai_model__name"]
    autocomplete_fields = ["server", "variant", "gpu", "option", "ai_model", "source"]
    formfield_overrides = SMALL_TEXTS

    def get_readonly_fields(self, request, obj=None):
        return undecided(request, super().get_readonly_fields(request, obj))

    def set_on_all(self, request, rows, form):
        data = form.cleaned_data
        if data.get("set_checked_on") and data["checked_on"] and not data.get("set_checked_by"):
            data |= {"set_checked_by": True, "checked_by": request.user.get_username()}
        return super().set_on_all(request, rows, form)

    def save_model(self, request, obj, form, change):
        name_checker(request, form)
        super().save_model(request, obj, form, change)

    def get_form(self, request, obj=None, change=False, **kwargs):
        form = super().get_form(request, obj, change=change, **kwargs)
        if obj is not None and "field" in form.base_fields:
            form.base_fields["field"].choices = evidence_choices(type(obj.subject))
        return form

    def formfield_for_dbfield(self, db_field, request, **kwargs):
        if db_field.name == "field":
            tables = Evidence.subject_models().values()
            groups = [(capfirst(table._meta.verbose_name), evidence_choices(table)[1:]) for table in tables]
            label = capfirst(db_field.verbose_name)
            return forms.ChoiceField(choices=[("", "---------"), *groups], label=label)
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    @admin.display(description=_("field"), ordering="field")
    def figure(self, evidence):
        return evidence.field_label

    @admin.display(description=_("about"))
    def subject(self, evidence):
        return str(evidence.subject)
