"""All that was changed, by whom and why, in one list that nobody edits."""

from django.apps import apps
from django.contrib import admin
from django.contrib.auth import get_permission_codename
from django.contrib.contenttypes.models import ContentType
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _, ngettext

from catalog.history import reading
from catalog.models import Change, Revision

NAMED = 3  # rows that a line of the list names


@admin.register(Revision)
class RevisionAdmin(admin.ModelAdmin):
    """Shown as far as its reader may see the tables that were changed."""

    list_display = ["made_at", "made_by", "means", "what", "why"]
    list_filter = ["means", "made_at", "made_by"]
    search_fields = ["made_by", "why", "changes__name"]
    date_hierarchy = "made_at"
    fields = ["made_at", "made_by", "means", "why", "lines"]
    readonly_fields = fields

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False

    def get_queryset(self, request):
        seen = Change.objects.filter(content_type__in=self.visible_tables(request))
        return super().get_queryset(request).filter(pk__in=seen.values("revision"))

    def visible_tables(self, request):
        """Return the tables that this user may see."""
        may_see = [
            model
            for model in apps.get_models()
            for right in [f"{model._meta.app_label}.{get_permission_codename('view', model._meta)}"]
            if request.user.has_perm(right)
        ]
        return ContentType.objects.get_for_models(*may_see).values()

    def get_object(self, request, object_id, from_field=None):
        revision = super().get_object(request, object_id, from_field)
        if revision is not None:
            revision.visible = revision.changes.filter(content_type__in=self.visible_tables(request))
        return revision

    def get_changelist_instance(self, request):
        changelist = super().get_changelist_instance(request)
        rows = {revision.pk: revision for revision in changelist.result_list}
        for revision in rows.values():
            revision.names = []
        changes = Change.objects.filter(revision__in=rows, content_type__in=self.visible_tables(request))
        for number, name in changes.values_list("revision", "name"):
            rows[number].names.append(name)
        changelist.result_list = list(rows.values())
        return changelist

    @admin.display(description=_("what"))
    def what(self, revision):
        more = len(revision.names) - NAMED
        named = ", ".join(revision.names[:NAMED])
        if more <= 0:
            return named
        return ngettext("%(names)s and %(count)d more", "%(names)s and %(count)d more", more) % {
            "names": named,
            "count": more,
        }

    @admin.display(description=_("what"))
    def lines(self, revision):
        entries = reading.entries_of(revision.visible)
        return render_to_string("admin/history/_lines.html", {"lines": entries[0].lines if entries else []})
