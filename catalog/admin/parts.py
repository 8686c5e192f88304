"""What the staff's pages share: texts beside each other, and publishing as a right of its own."""

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.options import IS_POPUP_VAR, ActionLocation
from django.db import models
from django.utils.translation import gettext, gettext_lazy as _, ngettext
from modeltranslation.admin import TranslationAdmin

from catalog import completeness, publishing
from catalog.admin import editors
from catalog.admin.comfort import BulkAdmin

LANGUAGES = [code for code, _name in settings.LANGUAGES]
IN_FORMSETS = ("evidence", "cache_groups")  # their formsets hold these against what is being saved
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


class PublishedForm(editors.HistoryForm):
    """A form that publishes nothing that lacks what its page needs, and takes nothing of it away."""

    def _post_clean(self):
        super()._post_clean()
        if not getattr(self.instance, "is_published", False):
            return
        for problem in publishing.new_problems(self.instance, self.changed_data, aside=IN_FORMSETS):
            self.add_error(problem.field if problem.field in self.fields else None, problem.text)


class PublishedAdmin(BulkAdmin, TranslationAdmin):
    """Rows that readers see: publishing is a right of its own, and a published slug stays."""

    form = PublishedForm
    formfield_overrides = SMALL_TEXTS
    save_on_top = True

    def may_publish(self, request):
        return request.user.has_perm(f"catalog.publish_{self.opts.model_name}")

    def get_actions(self, request, action_location=ActionLocation.CHANGE_LIST):
        actions = super().get_actions(request, action_location=action_location)
        is_list = action_location is ActionLocation.CHANGE_LIST and IS_POPUP_VAR not in request.GET
        if is_list and self.may_publish(request):
            actions |= {name: self.get_action(name, action_location) for name in ("publish", "unpublish")}
        return actions

    @admin.action(description=_("Publish the chosen rows"))
    def publish(self, request, queryset):
        rows = [row for row in self.lock(queryset.values_list("pk", flat=True)) if not row.is_published]
        held_back = {row: found for row in rows if (found := publishing.problems(row))}
        self.set_published(request, [row for row in rows if row not in held_back], is_published=True)
        for row, found in held_back.items():
            said = {"name": row, "problems": " ".join(str(problem) for problem in found)}
            messages.error(request, gettext("%(name)s is not published. %(problems)s") % said)

    @admin.action(description=_("Take the chosen rows off the site"))
    def unpublish(self, request, queryset):
        rows = [row for row in self.lock(queryset.values_list("pk", flat=True)) if row.is_published]
        self.set_published(request, rows, is_published=False)

    def set_published(self, request, rows, *, is_published):
        for row in rows:
            row.is_published = is_published
            row.save()
        said = ngettext("%(count)d row was changed.", "%(count)d rows were changed.", len(rows))
        messages.success(request, said % {"count": len(rows)})

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


class CompletenessFilter(admin.SimpleListFilter):
    """Rows by how much of what a comparison needs is known of them."""

    title = _("known of what a comparison needs")
    parameter_name = "complete"
    RANGES = {"100": (100, 101), "75": (75, 100), "50": (50, 75), "0": (0, 50)}

    def lookups(self, request, model_admin):
        return [
            ("100", _("everything")),
            ("75", _("75 to 99 %")),
            ("50", _("50 to 74 %")),
            ("0", _("less than half")),
        ]

    def queryset(self, request, queryset):
        if self.value() not in self.RANGES:
            return queryset
        least, below = self.RANGES[self.value()]
        return queryset.filter(complete_percent__gte=least, complete_percent__lt=below)


class CompletenessAdmin(admin.ModelAdmin):
    """Rows with the share of what a comparison needs in their list."""

    def get_queryset(self, request):
        return completeness.with_completeness(super().get_queryset(request))

    @admin.display(description=_("known, %"), ordering="complete_percent")
    def complete_percent(self, row):
        return row.complete_percent
