"""History in the staff’s pages: edits are recorded, two editors are told of each other, states come back."""

from contextlib import contextmanager

from django.contrib import admin, messages
from django.contrib.admin.options import csrf_protect_m
from django.contrib.admin.utils import quote, unquote
from django.contrib.admin.views.main import PAGE_VAR
from django.contrib.auth import get_permission_codename
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.db import models, transaction
from django.db.models import Max
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from aiservers.staff.deleting import without_links
from catalog import history, publishing
from catalog.admin import editors
from catalog.admin.examples import add_examples
from catalog.admin.numbers import TypedNumbers
from catalog.history import reading, restoring
from catalog.models.history import Change, Revision

ENTRIES_A_PAGE = 25


class HistoryAdmin(TypedNumbers, admin.ModelAdmin):
    """Rows whose changes are recorded. Comes before other bases, so that it sees what they save."""

    form = editors.HistoryForm
    change_form_template = "admin/history/change_form.html"
    change_list_template = "admin/history/change_list.html"
    delete_confirmation_template = "admin/history/delete_confirmation.html"

    # --- recording ---------------------------------------------------------------------------------

    @contextmanager
    def recording(self, request, means=Revision.Means.FORM):
        """Make one revision of all that the request changes, with the reason that its form gives."""
        with history.recording(request.user, request.POST.get("why", ""), means=means) as record:
            yield record

    def changeform_view(self, request, object_id=None, form_url="", extra_context=None):
        if request.method != "POST":
            return super().changeform_view(request, object_id, form_url, extra_context)
        request.POST = editors.with_plain_lines(request.POST)
        with self.recording(request):
            if object_id is not None:
                self.look_meanwhile(request, object_id)
            return super().changeform_view(request, object_id, form_url, extra_context)

    def delete_view(self, request, object_id, extra_context=None):
        if request.method != "POST":
            return super().delete_view(request, object_id, extra_context)
        with self.recording(request):
            return super().delete_view(request, object_id, extra_context)

    @csrf_protect_m
    def changelist_view(self, request, extra_context=None):
        if request.method == "POST":
            with self.recording(request, Revision.Means.LIST):
                if "_save" in request.POST:
                    self.lock(self._get_edited_object_pks(request, "form"))
                return super().changelist_view(request, self.with_list_context(request, extra_context))
        return super().changelist_view(request, self.with_list_context(request, extra_context))

    def with_list_context(self, request, extra_context):
        newest = Change.objects.aggregate(newest=Max("pk"))["newest"] or 0
        may_recover = self.has_add_permission(request)
        return {"seen": newest, "may_recover": may_recover} | (extra_context or {})

    def save_model(self, request, obj, form, change):
        # A save that changes nothing would only make older what others have open.
        if not change or form.changed_data:
            super().save_model(request, obj, form, change)

    # --- two editors -------------------------------------------------------------------------------

    def lock(self, pks):
        """Let nobody else change these rows until the transaction ends."""
        rows = self.model._base_manager.select_for_update()
        return list(rows.filter(pk__in=[pk for pk in pks if str(pk).isdecimal()]))

    def look_meanwhile(self, request, object_id):
        """Note on the request what others changed since its form was opened, if anything."""
        rows = self.lock([unquote(object_id)])
        seen = request.POST.get("seen", "")
        if not rows or seen == editors.token(rows[0]) or not self.has_change_permission(request, rows[0]):
            return
        shown = [self.model, *(inline.model for inline in self.get_inline_instances(request, rows[0]))]
        meanwhile = editors.Meanwhile(rows[0], seen, shown)
        same_row = seen.partition("-")[2] == editors.token(rows[0]).partition("-")[2]
        if same_row and not meanwhile.rows:
            return  # others changed what this form does not show
        request.meanwhile = meanwhile
        for model, pk in meanwhile.gone:
            self.leave_out(request, model, pk)

    def leave_out(self, request, model, pk):
        """Take a row that was deleted meanwhile out of what was posted."""
        for key, value in list(request.POST.items()):
            prefix, _dash, index = key.removesuffix(f"-{model._meta.pk.name}").rpartition("-")
            if value != str(pk) or not index.isdecimal() or f"{prefix}-INITIAL_FORMS" not in request.POST:
                continue
            if any(
                inline.model is model and formset.get_default_prefix() == prefix
                for formset, inline in super().get_formsets_with_inlines(request)
            ):
                request.POST = editors.without_form(request.POST, prefix, int(index))
                return

    def get_form(self, request, obj=None, change=False, **kwargs):
        form = add_examples(super().get_form(request, obj, change=change, **kwargs))
        meanwhile = getattr(request, "meanwhile", None)
        return editors.with_class(form, editors.Refusing, meanwhile=meanwhile) if meanwhile else form

    def get_formsets_with_inlines(self, request, obj=None):
        meanwhile = getattr(request, "meanwhile", None)
        for formset, inline in super().get_formsets_with_inlines(request, obj):
            add_examples(formset.form)
            formset.form = editors.with_class(formset.form, editors.Untouched)
            if meanwhile:
                formset.form = editors.with_class(formset.form, editors.Merging, meanwhile=meanwhile)
            yield formset, inline

    def get_changelist_form(self, request, **kwargs):
        form = super().get_changelist_form(request, **{"form": editors.ListForm} | kwargs)
        if request.method == "POST":
            form.seen = editors.number_of(request.POST.get("seen"))
        return form

    def get_fieldsets(self, request, obj=None):
        """Leave the form's own fields out: the template shows them beside the buttons."""
        return [
            (title, options | {"fields": [f for f in options["fields"] if f not in editors.OWN_FIELDS]})
            for title, options in super().get_fieldsets(request, obj)
        ]

    def render_change_form(self, request, context, add=False, change=False, form_url="", obj=None):
        if meanwhile := getattr(request, "meanwhile", None):
            context["meanwhile"] = list(meanwhile.table())
        return super().render_change_form(request, context, add, change, form_url, obj)

    # --- deleting ----------------------------------------------------------------------------------

    def get_deleted_objects(self, objs, request):
        """Say as well what stays and loses its link, and which readers' pages go; keep what pages need."""
        gone, counts, perms_needed, protected = without_links(super().get_deleted_objects(objs, request))
        if links := self.links_lost(objs):
            gone = [_("These stay, and lose their link:"), links, *gone]
        if pages := self.pages_lost(objs):
            gone = [_("Readers will no longer find:"), pages, *gone]
        for row, problem in publishing.lost_with(objs):
            messages.error(request, publishing.would_lack(row, problem))
            protected = [*protected, f"{capfirst(row._meta.verbose_name)}: {row}"]
        return gone, counts, perms_needed, protected

    def links_lost(self, objs):
        """Return how many rows of each table point to these rows and stay without them."""
        said = []
        for relation in self.opts.related_objects:
            if relation.on_delete is not models.SET_NULL and not relation.many_to_many:
                continue
            count = relation.related_model._base_manager.filter(
                **{f"{relation.field.name}__in": objs}
            ).count()
            if count:
                table = capfirst(relation.related_model._meta.verbose_name_plural)
                said.append(_("%(table)s: %(count)d") % {"table": table, "count": count})
        return said

    def pages_lost(self, objs):
        """Return the names of published rows among these."""
        return [str(row) for row in objs if getattr(row, "is_published", False)]

    # --- addresses ---------------------------------------------------------------------------------

    def get_urls(self):
        name, wrap = f"{self.opts.app_label}_{self.opts.model_name}", self.admin_site.admin_view
        return [
            path("recover/", wrap(self.recover_list_view), name=f"{name}_recoverlist"),
            path("recover/<int:change_id>/", wrap(self.recover_view), name=f"{name}_recover"),
            path("<path:object_id>/history/compare/", wrap(self.compare_view), name=f"{name}_compare"),
            path("<path:object_id>/history/<int:revision>/", wrap(self.restore_view), name=f"{name}_restore"),
            *super().get_urls(),
        ]

    def history_address(self, view, *arguments):
        name = f"{self.admin_site.name}:{self.opts.app_label}_{self.opts.model_name}_{view}"
        return reverse(name, args=arguments, current_app=self.admin_site.name)

    def history_page(self, request, template, **context):
        context |= self.admin_site.each_context(request) | {"opts": self.opts, "subtitle": None}
        request.current_app = self.admin_site.name
        return TemplateResponse(request, f"admin/history/{template}.html", context)

    def visible(self, request, object_id):
        """Return the row whose history somebody asks for, if they may see it."""
        row = self.get_object(request, unquote(object_id))
        if row is not None and not self.has_view_or_change_permission(request, row):
            raise PermissionDenied
        return row

    # --- reading -----------------------------------------------------------------------------------

    def history_view(self, request, object_id, extra_context=None):
        row = self.visible(request, object_id)
        if row is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
        paginator = self.get_paginator(request, reading.revisions_of(row), ENTRIES_A_PAGE)
        page = paginator.get_page(request.GET.get(PAGE_VAR, 1))
        context = {
            "title": _("Change history: %s") % row,
            "object": row,
            "entries": history.entries(row, [revision.pk for revision in page]),
            "page": page,
            "page_range": paginator.get_elided_page_range(page.number),
            "page_var": PAGE_VAR,
            "may_restore": self.has_change_permission(request, row),
            "is_last_page": not page.has_next(),
        }
        return self.history_page(request, "object_history", **context | (extra_context or {}))

    def compare_view(self, request, object_id):
        row = self.visible(request, object_id)
        if row is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
        asked = [request.GET.get(name, "") for name in ("a", "b")]
        if not all(number.isdecimal() for number in asked):
            messages.warning(request, _("Choose two entries to compare."))
            return redirect(self.history_address("history", quote(row.pk)))
        older, newer = sorted(int(number) for number in asked)
        revisions = Revision.objects.in_bulk([older, newer])
        return self.history_page(
            request,
            "compare",
            title=_("Compare: %s") % row,
            object=row,
            older=revisions.get(older),
            newer=revisions.get(newer),
            lines=history.between(row, older, newer),
        )

    # --- bringing back -----------------------------------------------------------------------------

    def restore_view(self, request, object_id, revision):
        """Show what would change on the way back to a state, and take that way on request."""
        row = self.visible(request, object_id)
        if row is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
        if not self.has_change_permission(request, row):
            raise PermissionDenied
        plan = restoring.plan(row, revision).without(self.model, self.columns_kept(request, row))
        return self.bring_back(
            request,
            plan,
            title=_("Restore: %s") % row,
            object=row,
            revision=Revision.objects.filter(pk=revision).first(),
            back=self.history_address("history", quote(row.pk)),
            seen=editors.token(row),
        )

    def columns_kept(self, request, row):
        """Return the columns that stay as they are when a state comes back."""
        return set(self.get_readonly_fields(request, row))

    def restore_choices(self, request):
        """Return [(language, name)] where texts of one language can be brought back alone."""
        return []

    def recover_list_view(self, request):
        if not self.has_add_permission(request):
            raise PermissionDenied
        return self.history_page(
            request,
            "recover_list",
            title=_("Recover deleted %(name)s") % {"name": self.opts.verbose_name_plural},
            deleted=[(change, reading.shown_name(self.model, change.name)) for change in self.deleted()],
        )

    def deleted(self):
        """Return the last deletion of every row that is not there now, newest first."""
        kind = ContentType.objects.get_for_model(self.model)
        changes = Change.objects.filter(content_type=kind, action=Change.Action.DELETED)
        gone = changes.exclude(object_id__in=self.model._base_manager.values("pk"))
        newest = gone.order_by().values("object_id").annotate(newest=Max("pk")).values("newest")
        return gone.filter(pk__in=newest).select_related("revision").order_by("-pk")

    def recover_view(self, request, change_id):
        if not self.has_add_permission(request):
            raise PermissionDenied
        change = get_object_or_404(self.deleted(), pk=change_id)
        plan = restoring.plan_of_deleted(change)
        self.leave_unpublished(request, plan)
        return self.bring_back(
            request,
            plan,
            title=_("Recover: %s") % reading.shown_name(self.model, change.name),
            object=None,
            revision=change.revision,
            back=self.history_address("recoverlist"),
            seen="",
        )

    def leave_unpublished(self, request, plan):
        """Bring back unpublished what somebody has no right to publish."""
        for step in plan.steps:
            right = f"{step.model._meta.app_label}.publish_{step.model._meta.model_name}"
            if "is_published" in step.values and not request.user.has_perm(right):
                step.values["is_published"][1] = False

    def bring_back(self, request, plan, *, title, object, revision, back, seen):
        lacking = self.rights_lacking(request, plan)
        if request.method == "POST":
            if lacking:
                raise PermissionDenied
            if request.POST.get("seen", "") != seen:
                messages.warning(
                    request, _("This was changed since you opened it: look at the comparison again.")
                )
            elif self.carried_out(request, plan):
                return redirect(self.history_address("changelist") if object is None else back)
        return self.history_page(
            request,
            "restore",
            title=title,
            object=object,
            revision=revision,
            back=back,
            seen=seen,
            plan=plan,
            lines=plan.lines(),
            lacking=lacking,
            choices=self.restore_choices(request) if object else [],
            chosen=request.GET.get("language", ""),
            why=request.POST.get("why", ""),
        )

    def carried_out(self, request, plan):
        """Take the steps of a plan; tell in a message what came of it."""
        try:
            with transaction.atomic():
                restoring.carry_out(plan, user=request.user, why=request.POST.get("why", ""))
        except history.CannotRestore as error:
            messages.error(request, str(error))
            return False
        messages.success(request, _("Restored."))
        for name, lacks in plan.drafts.items():
            said = {"row": name, "problems": lacks}
            messages.warning(request, _("“%(row)s” came back as a draft: %(problems)s") % said)
        return True

    def rights_lacking(self, request, plan):
        """Return the tables of a plan that this user may not change in that way."""
        lacking = set()
        for model, what in plan.rights():
            codename = get_permission_codename(what, model._meta)
            if not request.user.has_perm(f"{model._meta.app_label}.{codename}"):
                lacking.add(str(model._meta.verbose_name_plural))
        return sorted(lacking)
