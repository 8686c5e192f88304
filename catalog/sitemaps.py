"""Sections of the sitemap: the pages that search engines should know."""

from django.urls import reverse

from aiservers.sitemaps import LanguageSitemap, PageSitemap
from catalog.models import GPU, AIModel, Server, WorkloadProfile


class FactSitemap(LanguageSitemap):
    """The published rows of a model, each with a page of its own."""

    def __init__(self, model, view_name, order="sort_key"):
        self.model = model
        self.view_name = view_name
        self.order = order

    def items(self):
        return self.model.objects.published().order_by(self.order)

    def location(self, item):
        return reverse(self.view_name, kwargs={"slug": item.slug})

    def lastmod(self, item):
        return item.updated_at


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
    "api",
    "legal",
]
SITEMAPS = {
    "pages": PageSitemap([f"catalog:{name}" for name in PAGES]),
    "servers": FactSitemap(Server, "catalog:server"),
    "gpus": FactSitemap(GPU, "catalog:gpu"),
    "ai_models": FactSitemap(AIModel, "catalog:ai_model"),
    "workloads": FactSitemap(WorkloadProfile, "catalog:workload", order="slug"),
}
