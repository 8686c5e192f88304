"""Guides and the site's own texts: languages beside each other, each published when it is ready."""

from dataclasses import dataclass, field
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import quote
from django.core.exceptions import PermissionDenied
from django.db import models
from django.forms import CheckboxSelectMultiple, Textarea
from django.http import Http404
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _, gettext_lazy
from modeltranslation.admin import TranslationAdmin

from catalog.admin.guide_form import LANGUAGES, PUBLISHING, GuideForm, asked, with_line
from catalog.admin.history import HistoryAdmin
from catalog.admin.parts import in_each_language
from catalog.guides import checks, difference, previews, publishing, states
from catalog.guides.states import LanguageState, State
from catalog.history.states import columns
from catalog.models import Guide

# In which order the board has them: first what readers see and should not.
URGENCY = [State.STALE, State.REVIEW, State.DRAFT, State.MISSING, State.PUBLISHED]

BREAK = mark_safe("<br>")


@dataclass
class Panel:
    """What stands below one language of a guide: where it is, what is wrong, what can be done."""

    language: str
    name: str
    state: LanguageState
    source: Any = None  # bound fields
    publish_at: Any = None
    preview_url: str = ""
    errors: list = field(default_factory=list)
    warnings: list = field(default_factory=list)
    buttons: list = field(default_factory=list)  # (value, words)
    may_schedule: bool = False


@admin.register(Guide)
class GuideAdmin(HistoryAdmin, TranslationAdmin):
    form = GuideForm
    change_form_template = "admin/catalog/guide/change_form.html"
    change_list_template = "admin/catalog/guide/change_list.html"
    save_on_top = True  # the first button of the form, which the Enter key presses, only saves
    list_display = ["title_shown", "kind", "topic", "languages", "updated_at"]
    list_filter = ["kind", "topic"]
    search_fields = ["key", *in_each_language("title"), *in_each_language("body")]
    formfield_overrides = {
        models.TextField: {"widget": Textarea(attrs={"rows": 3})},
        models.ManyToManyField: {"widget": CheckboxSelectMultiple},
    }

    class Media:
        css = {"all": ["css/admin-guides.css"]}

    def may_publish(self, request):
        return request.user.has_perm("catalog.publish_guide")

    # --- list --------------------------------------------------------------------------------------

    def get_queryset(self, request):
        return states.with_all(super().get_queryset(request))

    @admin.display(description=gettext_lazy("title"))
    def title_shown(self, guide):
        return title_of(guide)

    @admin.display(description=gettext_lazy("languages"))
    def languages(self, guide):
        found = states.of(guide).values()
        return format_html_join(BREAK, "{}: {}", ((row.language, row.state.label) for row in found))

    # --- form --------------------------------------------------------------------------------------

    def get_fieldsets(self, request, obj=None):
        """A text of the site has neither address nor topic; a guide's key and kind stay as they began."""
        is_text = obj is not None and obj.kind == Guide.Kind.TEXT
        about = [("key", "kind"), ("topic", "author", "last_reviewed")]
        prose = [in_each_language(name) for name in ("title", "slug", "summary", "search_words", "body")]
        related = [("servers", "ai_models", "workloads")]
        if obj is None:
            about[0] = "key"
        if is_text:
            about[1] = ("author", "last_reviewed")
            prose = [in_each_language(name) for name in Guide.PROSE]
        fieldsets = [
            (None, {"fields": about}),
            (_("Texts"), {"fields": prose, "classes": ["guide-languages"]}),
        ]
        if not is_text:
            classes = ["guide-related", "collapse"]
            fieldsets.append((_("Related"), {"fields": related, "classes": classes}))
        return fieldsets

    def get_readonly_fields(self, request, obj=None):
        fields = super().get_readonly_fields(request, obj)
        return [*fields, "key", "kind"] if obj else fields

    def changeform_view(self, request, object_id=None, form_url="", extra_context=None):
        action, _language = asked(request.POST)
        if action in PUBLISHING and not self.may_publish(request):
            raise PermissionDenied
        return super().changeform_view(request, object_id, form_url, extra_context)

    def render_change_form(self, request, context, add=False, change=False, form_url="", obj=None):
        form = context["adminform"].form
        context["is_nav_sidebar_enabled"] = False  # three texts need the width
        context["languages"] = self.panels(request, form, obj)
        context["time_zone"] = timezone.get_current_timezone_name()
        context["preview_until"] = timezone.now() + previews.LASTS
        return super().render_change_form(request, context, add, change, form_url, obj)

    def panels(self, request, form, guide):
        """Return the Panel of each language, of what the form says."""
        may_change = self.has_change_permission(request, guide) if guide else self.has_add_permission(request)
        found = states.of(guide) if guide else {}
        panels = []
        for language, name in LANGUAGES.items():
            state = found.get(language) or LanguageState(language, State.MISSING)
            panel = Panel(language, name, state)
            if may_change:
                panel.source = form[f"source_{language}"]
                panel.publish_at = form[f"publish_at_{language}"]
                panel.may_schedule = self.may_publish(request)
                panel.buttons = buttons(state, panel.may_schedule)
            if guide and guide.has_text(language):
                panel.preview_url = request.build_absolute_uri(previews.url(guide, language))
                for problem in checks.check_guide(guide, language):
                    listed = panel.errors if problem.is_error else panel.warnings
                    listed.append(with_line(problem, guide.text(language)))
            panels.append(panel)
        return panels

    # --- saving ------------------------------------------------------------------------------------

    def save_related(self, request, form, formsets, change):
        super().save_related(request, form, formsets, change)
        form.follow_sources()
        if form.action:
            self.act(request, form)

    def act(self, request, form):
        """Do to one language what the pressed button says, and tell what came of it."""
        guide, language = form.instance, form.language
        at = form.cleaned_data.get(f"publish_at_{language}")
        try:
            said = ACTS[form.action](guide, language, at, request.user)
        except publishing.NotReady as error:
            for problem in error.problems:
                messages.error(request, with_line(problem, guide.text(language)))
            return
        message = said % {"language": LANGUAGES[language], "when": at and moment(at)}
        messages.success(request, message)
        if form.action != "follow":
            self.log_change(request, guide, message)

    def response_add(self, request, obj, post_url_continue=None):
        return self.after_act(request, obj) or super().response_add(request, obj, post_url_continue)

    def response_change(self, request, obj):
        return self.after_act(request, obj) or super().response_change(request, obj)

    def after_act(self, request, guide):
        """Return to the guide where one of its languages was moved."""
        if asked(request.POST)[0]:
            return redirect(self.history_address("change", quote(guide.pk)))
        return None

    # --- pages of its own --------------------------------------------------------------------------

    def get_urls(self):
        wrap = self.admin_site.admin_view
        return [
            path("board/", wrap(self.board_view), name="catalog_guide_board"),
            path(
                "<path:object_id>/source/<str:language>/", wrap(self.source_view), name="catalog_guide_source"
            ),
            *super().get_urls(),
        ]

    def page(self, request, template, **context):
        context |= self.admin_site.each_context(request)
        context |= {"opts": self.opts, "media": self.media, "subtitle": None}
        request.current_app = self.admin_site.name
        return TemplateResponse(request, f"admin/catalog/guide/{template}.html", context)

    def board_view(self, request):
        """All guides and texts by language and state, what readers should not see first."""
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        rows = [
            {"guide": guide, "title": title_of(guide), "states": list(states.of(guide).values())}
            for guide in self.get_queryset(request)
        ]
        rows.sort(key=lambda row: (urgency(row["states"]), row["title"].casefold()))
        names = [(code, name) for code, name in LANGUAGES.items()]
        return self.page(
            request, "board", title=_("Guides by language"), subtitle=None, rows=rows, names=names
        )

    def source_view(self, request, object_id, language):
        """What changed in the source of a translation since it was made; noting that it was followed."""
        guide = self.visible(request, object_id)
        if guide is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
        row = guide.translations.filter(language=language).exclude(source_language="").first()
        if row is None:
            raise Http404
        may_change = self.has_change_permission(request, guide)
        if request.method == "POST":
            if not may_change:
                raise PermissionDenied
            with self.recording(request):
                said = ACTS["follow"](guide, language, None, request.user)
            messages.success(request, said % {"language": LANGUAGES[language]})
            return redirect(self.history_address("change", quote(guide.pk)))
        now = states.source_text(guide, row.source_language)
        names = {name: self.opts.get_field(name).verbose_name for name in Guide.PROSE}
        changes = [(names[name], difference.places(row.source[name], now[name])) for name in Guide.PROSE]
        return self.page(
            request,
            "source",
            title=_("What changed in the original: %s") % title_of(guide),
            object=guide,
            row=row,
            source_name=LANGUAGES[row.source_language],
            language_name=LANGUAGES[language],
            changes=[(name, places) for name, places in changes if places],
            may_change=may_change,
        )

    # --- history -----------------------------------------------------------------------------------

    def columns_kept(self, request, row):
        """Leave the other languages as they are where one alone is to be brought back."""
        kept = super().columns_kept(request, row)
        if (language := request.GET.get("language")) in LANGUAGES:
            kept |= {name for name in columns(Guide) if not name.endswith(f"_{language}")}
        return kept

    def restore_choices(self, request):
        return [("", _("all languages")), *LANGUAGES.items()]

    def pages_lost(self, objs):
        return [
            title_of(guide)
            for guide in objs
            if any(state.edition or state.scheduled for state in states.of(guide).values())
        ]


def title_of(guide):
    """Return a guide's title in the first language that has one, else its key."""
    titles = (getattr(guide, f"title_{language}") for language in LANGUAGES)
    return next(filter(None, titles), guide.key)


def urgency(found):
    """Return a number by which the board sorts the states of one guide: small comes first."""
    failing = any(state.failing for state in found)
    changed = any(state.has_changes for state in found)
    first = min(URGENCY.index(state.state) for state in found)
    return (not (failing or first == 0), first, not changed)


def moment(at):
    """Return a time as a message says it, in the site's time zone."""
    return date_format(timezone.localtime(at), "DATETIME_FORMAT")


def buttons(state, may_publish):
    """Return [(action, words)] that make sense for a language of that state."""
    found = []
    if may_publish:
        found.append(("publish", _("Save and publish now")))
        if state.is_in_review:
            found.append(("draft", _("Save and give back to the author")))
    if not state.is_in_review:
        found.append(("review", _("Save and send to review")))
    if state.is_behind:
        found.append(("follow", _("Save: it follows its original again")))
    if may_publish and state.scheduled:
        found.append(("unschedule", _("Save and take back what waits")))
    if may_publish and (state.edition or state.scheduled):
        found.append(("withdraw", _("Save and withdraw from readers")))
    return found


def _publish(guide, language, _at, user):
    publishing.publish(guide, language, by=user)
    return _("%(language)s: published. Readers see it now.")


def _schedule(guide, language, at, user):
    publishing.publish(guide, language, at=at, by=user)
    return _("%(language)s: readers will see this text from %(when)s on.")


def _unschedule(guide, language, _at, _user):
    if publishing.unschedule(guide, language):
        return _("%(language)s: what waited for its time is taken back.")
    return _("%(language)s: nothing was waiting for its time.")


def _withdraw(guide, language, _at, _user):
    publishing.withdraw(guide, language)
    return _("%(language)s: withdrawn. Readers no longer see it.")


def _review(guide, language, _at, _user):
    publishing.set_step(guide, language, "review")
    return _("%(language)s: sent to review.")


def _draft(guide, language, _at, _user):
    publishing.set_step(guide, language, "draft")
    return _("%(language)s: given back to its author.")


def _follow(guide, language, _at, _user):
    row = guide.translations.filter(language=language).exclude(source_language="").first()
    if row:
        publishing.follow(guide, language, row.source_language)
    return _("%(language)s: says what its original says now.")


ACTS = {
    "publish": _publish,
    "schedule": _schedule,
    "unschedule": _unschedule,
    "withdraw": _withdraw,
    "review": _review,
    "draft": _draft,
    "follow": _follow,
}
