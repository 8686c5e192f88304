"""Less typing: one value for many rows, a copy to begin with, totals that follow the keyboard."""

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import helpers
from django.contrib.admin.options import IS_POPUP_VAR, ActionLocation
from django.contrib.admin.utils import quote
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.shortcuts import redirect
from django.urls import path
from django.utils.translation import gettext as _, gettext_lazy, ngettext, pgettext

from catalog.admin.history import HistoryAdmin
from catalog.copying import duplicate
from catalog.models import GPU, Revision
from catalog.models.base import slug_field


class BulkAdmin(HistoryAdmin):
    """A list with an action that sets some columns of the chosen rows, each through its own checks."""

    bulk_fields = ()

    def get_actions(self, request, action_location=ActionLocation.CHANGE_LIST):
        actions = super().get_actions(request, action_location=action_location)
        is_list = action_location is ActionLocation.CHANGE_LIST and IS_POPUP_VAR not in request.GET
        if is_list and self.has_change_permission(request) and self.bulk_columns(request):
            actions["bulk_edit"] = self.get_action("bulk_edit", action_location)
        return actions

    def bulk_columns(self, request):
        """Return the columns that this user may set on many rows."""
        readonly = self.get_readonly_fields(request)
        return [name for name in self.bulk_fields if name not in readonly]

    @admin.action(description=gettext_lazy("Change fields of the chosen %(verbose_name_plural)s"))
    def bulk_edit(self, request, queryset):
        if not self.has_change_permission(request):
            raise PermissionDenied
        form = self.bulk_form(request)
        rows = queryset.order_by()
        if "apply" in request.POST and form.is_valid() and self.set_on_all(request, rows, form):
            said = ngettext("%(count)d row was changed.", "%(count)d rows were changed.", len(rows))
            messages.success(request, said % {"count": len(rows)})
            return None
        return self.history_page(
            request,
            "bulk_edit",
            title=_("Change fields of the chosen %(name)s") % {"name": self.opts.verbose_name_plural},
            rows=list(rows),
            lines=[(form[f"set_{name}"], form[name]) for name in self.bulk_columns(request)],
            form=form,
            checkbox=helpers.ACTION_CHECKBOX_NAME,
            object=None,
            why=request.POST.get("why", ""),
        )

    def bulk_form(self, request):
        fields = {}
        for name in self.bulk_columns(request):
            field = self.formfield_for_dbfield(self.opts.get_field(name), request)
            field.required = False
            fields[name] = field
            fields[f"set_{name}"] = forms.BooleanField(required=False, label=field.label)
        form = type("BulkForm", (forms.Form,), fields)
        return form(request.POST if "apply" in request.POST else None)

    def set_on_all(self, request, rows, form):
        """Save the ticked values on all rows or on none, and return whether that was done."""
        data = form.cleaned_data
        ticked = [name for name in self.bulk_columns(request) if data[f"set_{name}"]]
        if not ticked:
            form.add_error(None, _("Tick the fields that are to change."))
            return False
        locked = self.lock(rows.values_list("pk", flat=True))
        with self.recording(request) as record, transaction.atomic():
            record.means = Revision.Means.BULK
            for row in locked:
                for name in ticked:
                    setattr(row, name, data[name])
                try:
                    row.full_clean()
                    row.save()
                except ValidationError as error:
                    form.add_error(None, f"{row}: {' '.join(error.messages)}")
            if form.errors:
                transaction.set_rollback(True)
                return False
        return True


class DuplicateAdmin(HistoryAdmin):
    """A row that can be copied with its parts, under another name."""

    def get_urls(self):
        name = f"{self.opts.app_label}_{self.opts.model_name}_duplicate"
        view = self.admin_site.admin_view(self.duplicate_view)
        return [path("<path:object_id>/duplicate/", view, name=name), *super().get_urls()]

    def render_change_form(self, request, context, add=False, change=False, form_url="", obj=None):
        if change and self.has_add_permission(request):
            context["duplicate_url"] = self.history_address("duplicate", quote(obj.pk))
        return super().render_change_form(request, context, add, change, form_url, obj)

    def duplicate_view(self, request, object_id):
        row = self.visible(request, object_id)
        if row is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = DuplicateForm(
            request.POST or None,
            initial={"name": _("%(name)s (copy)") % {"name": row.name}, "slug": f"{row.slug}-copy"},
        )
        if request.method == "POST" and form.is_valid():
            try:
                with self.recording(request) as record:
                    record.means = Revision.Means.COPY
                    copy = duplicate(row, name=form.cleaned_data["name"], slug=form.cleaned_data["slug"])
            except ValidationError as error:
                form.add_error(None, error.messages)
            else:
                messages.success(request, _("Copied. Sources were copied as weak: check each, then publish."))
                return redirect(self.history_address("change", quote(copy.pk)))
        return self.history_page(
            request,
            "duplicate",
            title=_("Duplicate: %s") % row,
            object=row,
            form=form,
            why=request.POST.get("why", ""),
        )


class DuplicateForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=120)
    slug = slug_field().formfield(label=gettext_lazy("Slug"))


class CardTotalsAdmin(admin.ModelAdmin):
    """Pages of GPU options, whose memory and power of all cards follow what is typed."""

    class Media:
        js = ["js/card-totals.js"]

    def render_change_form(self, request, context, add=False, change=False, form_url="", obj=None):
        context["figures"] = {
            gpu.pk: {
                "devices": gpu.devices_per_card,
                "memory": gpu.memory_gb,
                "usable": gpu.memory_gib_usable,
                "watts": gpu.tdp_w,
            }
            for gpu in GPU.objects.all()
        } | {"units": {"gb": pgettext("unit", "GB"), "gib": pgettext("unit", "GiB")}}
        return super().render_change_form(request, context, add, change, form_url, obj)
