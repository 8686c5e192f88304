"""Sections of the sitemap: the pages that search engines should know."""

from datetime import datetime, time

from django.conf import settings
from django.db.models import Max
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language

from aiservers.sitemaps import LanguageSitemap, PageSitemap
from catalog.guides import article
from catalog.models import GPU, AIModel, BenchmarkResult, GlossaryTerm, Server, WorkloadProfile


class FactSitemap(LanguageSitemap):
    """The published rows of a model, each with a page of its own."""

    def __init__(self, model, view_name, order="sort_key"):
        self.model = model
        self.view_name = view_name
        self.order = order

    def items(self):
        rows = self.model.objects.published().order_by(self.order)
        if hasattr(self.model, "evidence"):  # a source looked up again is a change of the page
            rows = rows.annotate(checked_on=Max("evidence__checked_on"))
        return rows

    def location(self, item):
        return reverse(self.view_name, kwargs={"slug": item.slug})

    def lastmod(self, item):
        return last_change(item.updated_at, getattr(item, "checked_on", None))


def last_change(updated_at, checked_on):
    """Return the later of a row's own change and the day its sources were last checked."""
    if checked_on is None:
        return updated_at
    checked_at = timezone.make_aware(datetime.combine(checked_on, time.min))
    return checked_at if updated_at is None else max(updated_at, checked_at)


def newest_of(*models):
    """Return what tells when the rows of a page last changed."""

    def newest():
        changes = (model.objects.published().aggregate(at=Max("updated_at"))["at"] for model in models)
        return max((change for change in changes if change), default=None)

    return newest


def newest_guide():
    """Return when a guide that can be read in some language last changed."""
    editions = [edition for own in article.guides_by_language().values() for edition in own.values()]
    return max((GuideSitemap.changed(edition) for edition in editions), default=None)


class GuideSitemap(LanguageSitemap):
    """Guides, each in the languages that it is published in now."""

    def items(self):
        by_language = article.guides_by_language()
        guides = {}
        for language, editions in by_language.items():
            for pk, edition in editions.items():
                guides.setdefault(pk, {})[language] = edition
        return list(guides.values())

    def get_languages_for_item(self, item):
        return [code for code, _name in settings.LANGUAGES if code in item]

    def location(self, item):
        return reverse("catalog:guide", args=[item[get_language()].slug])

    def lastmod(self, item):
        return max(self.changed(edition) for edition in item.values())

    def _get(self, name, item, default=None):
        if name == "lastmod":
            editions, language = item
            return self.changed(editions[language])
        return super()._get(name, item, default)

    @staticmethod
    def changed(edition):
        return article.updated_at(edition, edition.facts_changed_at)


PAGES = [
    "home",
    "server_list",
    "gpu_list",
    "ai_model_list",
    "result_list",
    "training",
    "inference",
    "edge",
    "mixed",
    "workload_list",
    "glossary",
    "guide_list",
    "api",
    "legal",
]
CHANGED = {
    "catalog:home": newest_of(WorkloadProfile, Server),
    "catalog:server_list": newest_of(Server),
    "catalog:gpu_list": newest_of(GPU),
    "catalog:ai_model_list": newest_of(AIModel),
    "catalog:result_list": newest_of(BenchmarkResult),
    "catalog:training": newest_of(WorkloadProfile, Server),
    "catalog:inference": newest_of(WorkloadProfile, Server),
    "catalog:edge": newest_of(Server),
    "catalog:mixed": newest_of(Server),
    "catalog:workload_list": newest_of(WorkloadProfile),
    "catalog:glossary": newest_of(GlossaryTerm),
    "catalog:guide_list": newest_guide,
}
SITEMAPS = {
    "pages": PageSitemap([f"catalog:{name}" for name in PAGES], CHANGED),
    "servers": FactSitemap(Server, "catalog:server"),
    "guides": GuideSitemap(),
    "gpus": FactSitemap(GPU, "catalog:gpu"),
    "ai_models": FactSitemap(AIModel, "catalog:ai_model"),
    "workloads": FactSitemap(WorkloadProfile, "catalog:workload", order="slug"),
}
