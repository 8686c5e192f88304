"""The staff's pages for leads: who asks, which brief, what was done about it."""

from django.contrib import admin
from django.http import Http404
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from recommender.briefs.document import document
from recommender.models import Brief, Contact, Lead


class ContactInline(admin.StackedInline):
    """What the visitor said stays as it was said; it can be deleted, not changed."""

    model = Contact
    extra = 0
    readonly_fields = [
        "name",
        "company",
        "email",
        "phone",
        "message",
        "consent_text",
        "consent_version",
        "consented_at",
    ]

    def has_add_permission(self, request, obj):
        return False


def read_link(brief):
    """Return a link to a brief as staff read it."""
    address = reverse("admin:recommender_brief_read", args=[brief.pk])
    return format_html('<a href="{}">{}</a>', address, brief)


@admin.register(Lead)
class LeadAdmin(admin.ModelAdmin):
    list_display = [
        "__str__",
        "status",
        "owner",
        "company",
        "first_match",
        "language",
        "created_at",
        "mailed",
    ]
    list_filter = ["status", "owner", "language", "created_at"]
    list_select_related = ["brief", "owner", "contact"]
    search_fields = ["notes", "contact__name", "contact__company", "contact__email"]
    date_hierarchy = "created_at"
    fields = ["status", "owner", "notes", "read", "language", "created_at", "updated_at", "mailed_at"]
    readonly_fields = ["read", "language", "created_at", "updated_at", "mailed_at"]
    inlines = [ContactInline]
    save_on_top = True
    list_per_page = 25  # each row brings its whole brief along

    def has_add_permission(self, request):
        return False

    @admin.display(description=_("brief"))
    def read(self, lead):
        return read_link(lead.brief) if lead.brief else "—"

    @admin.display(description=_("company"))
    def company(self, lead):
        return getattr(lead, "contact", None) or "—"

    @admin.display(description=_("first match"))
    def first_match(self, lead):
        return first_server(lead.brief) if lead.brief else "—"

    @admin.display(description=_("e-mailed"), boolean=True)
    def mailed(self, lead):
        return lead.mailed_at is not None


def first_server(brief):
    """Return the name of a brief's first match."""
    matches = brief.frozen.get("matches") or []
    if not matches:
        return "—"
    slug = matches[0]["server"]
    return brief.frozen.get("names", {}).get(slug, slug)


@admin.register(Brief)
class BriefAdmin(admin.ModelAdmin):
    """Briefs are read here, and deleted where somebody asks for it; their links are nobody's to see."""

    list_display = ["__str__", "first_match", "language", "created_at", "expires_at", "revoked_at"]
    list_filter = ["language", "created_at"]
    fields = ["title", "note", "read", "language", "created_at", "expires_at", "revoked_at"]
    readonly_fields = fields
    list_per_page = 25

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    @admin.display(description=_("first match"))
    def first_match(self, brief):
        return first_server(brief)

    @admin.display(description=_("brief"))
    def read(self, brief):
        return read_link(brief)

    def get_urls(self):
        own = path(
            "<int:pk>/read/", self.admin_site.admin_view(self.read_view), name="recommender_brief_read"
        )
        return [own, *super().get_urls()]

    def read_view(self, request, pk):
        """Show a brief in the staff member's own language."""
        brief = Brief.objects.filter(pk=pk).first()
        if brief is None or not self.has_view_permission(request, brief):
            raise Http404("no such brief")
        return render(
            request,
            "briefs/staff.html",
            {"brief": brief, "document": document(brief.frozen, title=brief.title, note=brief.note)},
        )
