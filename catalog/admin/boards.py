"""Boards: how much of what a comparison needs is known, and how the texts stand in each language."""

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.urls import NoReverseMatch, path, reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from catalog import completeness, text_states
from catalog.models import GPU, AIModel, Server

WORST = 15
A_PAGE = 50


class BoardViews(admin.ModelAdmin):
    """Both boards; mixed into the pages of evidence beside the queue."""

    def get_urls(self):
        wrap = self.admin_site.admin_view
        return [
            path(
                "completeness/",
                wrap(require_safe(self.completeness_view)),
                name="catalog_evidence_completeness",
            ),
            path(
                "translations/",
                wrap(require_safe(self.translations_view)),
                name="catalog_evidence_translations",
            ),
            *super().get_urls(),
        ]

    def completeness_view(self, request):
        """Show what is missing most, field by field and language by language, and the rows that lack most."""
        tables = [model for model in (Server, GPU, AIModel) if may_see(request.user, model)]
        if not tables:
            raise PermissionDenied
        texts = dict(text_states.counts(text_states.texts()))
        return self.staff_page(
            request,
            "completeness",
            _("What a comparison needs, and what is known"),
            tables=[
                {
                    "name": model._meta.verbose_name_plural,
                    "totals": [
                        {"need": need, "known": known, "needed": needed, "lacking": needed - known}
                        for need, known, needed in completeness.totals(model)
                    ],
                    "worst": [
                        {"row": row, "missing": missing, "url": change_url(row)}
                        for row, missing in completeness.worst(model, WORST)
                    ],
                    "languages": languages(texts.get(model, [])),
                }
                for model in tables
            ],
        )

    def translations_view(self, request):
        """Show texts that are missing or older than their source, by table and language."""
        tables = [model for model in text_states.TABLES if may_see(request.user, model)]
        if not tables:
            raise PermissionDenied
        found = [text for text in text_states.texts() if text.model in tables]
        wanted = {name: request.GET.get(name, "") for name in ("table", "language", "state")}
        listed = [
            text
            for text in found
            if (text.state == wanted["state"] if wanted["state"] else text.state != text_states.State.FRESH)
            and wanted["language"] in ("", text.language)
            and wanted["table"] in ("", text.model._meta.model_name)
        ]
        page = Paginator(listed, A_PAGE).get_page(request.GET.get("page"))
        names = language_names()
        return self.staff_page(
            request,
            "translations",
            _("Texts by language"),
            tables=[
                {
                    "name": model._meta.verbose_name_plural,
                    "table": model._meta.model_name,
                    "languages": languages(cells),
                }
                for model, cells in text_states.counts(found)
            ],
            names=list(names.values()),
            page=page,
            lines=[
                {
                    "text": text,
                    "language": names[text.language],
                    "source": names[text.source],
                    "url": change_url(text.row),
                }
                for text in text_states.with_rows(list(page))
            ],
            wanted=wanted,
            query="&".join(f"{name}={value}" for name, value in wanted.items()),
        )


def may_see(user, model):
    return any(user.has_perm(f"catalog.{what}_{owner(model)}") for what in ("view", "change"))


def owner(model):
    """Return the name of the table on whose page a text is edited."""
    part_of = {"requirement": "workloadprofile", "typicalassumption": "workloadprofile"}
    return part_of.get(model._meta.model_name, model._meta.model_name)


def change_url(row):
    """Return the address on which a row is edited, that of its whole where it has none of its own."""
    try:
        return reverse(f"admin:catalog_{row._meta.model_name}_change", args=[row.pk])
    except NoReverseMatch:
        return change_url(getattr(row, row.PART_OF[0]))


def language_names():
    return {code: _(str(name)) for code, name in settings.LANGUAGES}


def languages(cells):
    """Return the counts of a table as its board shows them, a cell each language."""
    names = language_names()
    return [
        {
            "code": code,
            "name": names[code],
            "missing": count["missing"],
            "stale": count["stale"],
            "fresh": count["fresh"],
        }
        for code, count in cells
    ]
