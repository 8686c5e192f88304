"""The staff's pages for leads: who asks, which brief, what was done about it, and what comes next."""

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext, gettext_lazy as _

from catalog.admin.history import HistoryAdmin
from recommender import prices
from recommender.admin.persons import PersonViews
from recommender.briefs import mail
from recommender.briefs.document import document
from recommender.briefs.forms import AnswerForm
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
        "sent",
    ]

    def has_add_permission(self, request, obj):
        return False

    @admin.display(description=_("e-mails sent"))
    def sent(self, contact):
        lines = (
            (
                date_format(timezone.localtime(message.sent_at), "SHORT_DATETIME_FORMAT"),
                message.sent_by,
                message.subject,
                message.body,
            )
            for message in contact.messages.all()
        )
        shown = "<details><summary>{}, {}: {}</summary><pre>{}</pre></details>"
        return format_html_join("", shown, lines) or "—"


class FollowUpFilter(admin.SimpleListFilter):
    title = _("follow-up")
    parameter_name = "follow_up"

    def lookups(self, request, model_admin):
        return [
            ("overdue", _("overdue")),
            ("today", _("today")),
            ("later", _("later")),
            ("none", _("no date, not done")),
        ]

    def queryset(self, request, queryset):
        today, undone = timezone.localdate(), ~Q(status__in=Lead.DONE)
        match self.value():
            case "overdue":
                return queryset.filter(undone, follow_up_on__lt=today)
            case "today":
                return queryset.filter(undone, follow_up_on=today)
            case "later":
                return queryset.filter(undone, follow_up_on__gt=today)
            case "none":
                return queryset.filter(undone, follow_up_on=None)
        return queryset


def read_link(brief):
    """Return a link to a brief as staff read it."""
    address = reverse("admin:recommender_brief_read", args=[brief.pk])
    return format_html('<a href="{}">{}</a>', address, brief)


@admin.register(Lead)
class LeadAdmin(PersonViews, HistoryAdmin):
    list_display = [
        "__str__",
        "status",
        "owner",
        "follow_up",
        "company",
        "first_match",
        "language",
        "created_at",
        "mailed",
    ]
    list_filter = [FollowUpFilter, "status", "owner", "language", "created_at"]
    list_select_related = ["brief", "owner", "contact"]
    search_fields = ["notes", "contact__name", "contact__company", "contact__email"]
    date_hierarchy = "created_at"
    fields = [
        ("status", "owner", "follow_up_on"),
        "notes",
        "read",
        "answer",
        "costs",
        "language",
        ("created_at", "updated_at", "mailed_at", "answered_at"),
    ]
    readonly_fields = [
        "read",
        "answer",
        "costs",
        "language",
        "created_at",
        "updated_at",
        "mailed_at",
        "answered_at",
    ]
    inlines = [ContactInline]
    save_on_top = True
    list_per_page = 25  # each row brings its whole brief along

    def has_add_permission(self, request):
        return False

    def get_fields(self, request, obj=None):
        may_see = {
            "answer": self.has_change_permission(request, obj),
            "costs": request.user.has_perm("recommender.view_price"),
        }
        fields = super().get_fields(request, obj)
        return [name for name in fields if not isinstance(name, str) or may_see.get(name, True)]

    @admin.display(description=_("brief"))
    def read(self, lead):
        return read_link(lead.brief) if lead.brief else "—"

    @admin.display(description=_("follow up on"), ordering="follow_up_on")
    def follow_up(self, lead):
        if lead.follow_up_on is None or lead.is_done or lead.follow_up_on > timezone.localdate():
            return lead.follow_up_on
        return format_html('<strong class="due">{}</strong>', prices.day(lead.follow_up_on))

    @admin.display(description=_("company"))
    def company(self, lead):
        return getattr(lead, "contact", None) or "—"

    @admin.display(description=_("first match"))
    def first_match(self, lead):
        return first_server(lead.brief) if lead.brief else "—"

    @admin.display(description=_("e-mailed"), boolean=True)
    def mailed(self, lead):
        return lead.mailed_at is not None

    @admin.display(description=_("answer"))
    def answer(self, lead):
        if not mail.may_answer(lead):
            return gettext("Nobody to answer: the contact was deleted, or its time is over.")
        return format_html(
            '<a class="button" id="answer-lead" href="{}">{}</a>',
            reverse("admin:recommender_lead_mail", args=[lead.pk]),
            gettext("Write an e-mail (%(language)s)") % {"language": lead.get_language_display()},
        )

    @admin.display(description=_("prices, for staff"))
    def costs(self, lead):
        """List what the matches of the brief cost today, published or not."""
        rows = prices.of_brief(lead.brief.frozen) if lead.brief else []
        return format_html_join("", "<div>{}</div>", ((row,) for row in rows)) or "—"

    def get_urls(self):
        wrap = self.admin_site.admin_view
        return [
            path("<int:pk>/mail/", wrap(self.mail_view), name="recommender_lead_mail"),
            *super().get_urls(),
        ]

    def mail_view(self, request, pk):
        """Write to the contact of a lead in the lead's language, the brief as PDF beside it."""
        lead = get_object_or_404(Lead.objects.select_related("brief", "contact"), pk=pk)
        if not self.has_change_permission(request, lead) or not request.user.has_perm(
            "recommender.view_contact"
        ):
            raise PermissionDenied
        if not mail.may_answer(lead):
            raise Http404("nobody to answer")
        form = AnswerForm(request.POST or None, initial=mail.draft(lead, request.user))
        if lead.brief is None:
            del form.fields["with_brief"]
        if request.method == "POST" and form.is_valid():
            why = gettext("E-mail sent to the contact")
            with self.recording(request) as record:
                record.why = why
                sent = mail.answer(lead, request.user, **form.cleaned_data)
            if sent:
                messages.success(request, gettext("The e-mail is on its way."))
                return redirect("admin:recommender_lead_change", lead.pk)
            form.add_error(None, gettext("The e-mail did not go out; nothing was noted. Try again later."))
        context = self.admin_site.each_context(request) | {
            "opts": self.opts,
            "title": gettext("Answer lead %(lead)s") % {"lead": lead},
            "subtitle": None,
            "lead": lead,
            "form": form,
        }
        return TemplateResponse(request, "admin/recommender/lead/mail.html", context)


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
