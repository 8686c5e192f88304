"""What the staff's pages share: texts beside each other, and publishing as a right of its own."""

from django import forms
from django.conf import settings
from django.contrib import admin
from django.db import models
from django.utils.translation import gettext_lazy as _
from modeltranslation.admin import TranslationAdmin

from catalog.admin.comfort import BulkAdmin

LANGUAGES = [code for code, _name in settings.LANGUAGES]
SMALL_TEXTS = {models.TextField: {"widget": forms.Textarea(attrs={"rows": 3, "cols": 32})}}


def in_each_language(name):
    """Return the row of a fieldset that shows one text in all languages beside each other."""
    return tuple(f"{name}_{code}" for code in LANGUAGES)


class SeveralLines:
    """Inputs of facts that have a line each: a single-line input would run them together."""

    several_lines = ()

    def formfield_for_dbfield(self, db_field, request, **kwargs):
        if db_field.name in self.several_lines:
            kwargs["widget"] = forms.Textarea(attrs={"rows": 2, "cols": 32})
        return super().formfield_for_dbfield(db_field, request, **kwargs)


class PublishedAdmin(BulkAdmin, TranslationAdmin):
    """Rows that readers see: publishing is a right of its own, and a published slug stays."""

    formfield_overrides = SMALL_TEXTS
    save_on_top = True

    def may_publish(self, request):
        return request.user.has_perm(f"catalog.publish_{self.opts.model_name}")

    def get_object(self, request, object_id, from_field=None):
        row = super().get_object(request, object_id, from_field)
        if row is not None:
            row.was_published = row.is_published
        return row

    def get_readonly_fields(self, request, obj=None):
        fields = list(super().get_readonly_fields(request, obj))
        if not self.may_publish(request):
            fields.append("is_published")
        # A bound form has already told the row what was typed: what counts is what readers see.
        if obj is not None and getattr(obj, "was_published", obj.is_published):
            fields.append("slug")
        return fields

    @admin.display(description=_("texts missing"))
    def texts_missing(self, row):
        """Count texts that are written in one language and missing in another."""
        return sum(
            1
            for field in type(row)._meta.concrete_fields
            if hasattr(field, "translated_field")
            and not getattr(row, field.name)
            and any(getattr(row, f"{field.translated_field.name}_{code}") for code in LANGUAGES)
        )
