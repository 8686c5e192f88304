"""Addresses of the catalog's pages; their words are translated under the context "path"."""

from django.urls import include, path, register_converter
from django.urls.converters import SlugConverter
from django.utils.translation import pgettext_lazy

from catalog import (
    views,
    views_api,
    views_compare,
    views_datasheet,
    views_glossary,
    views_guides,
    views_models,
    views_results,
    views_search,
    views_servers,
    views_social,
    views_work,
)


class DottedSlugConverter(SlugConverter):
    """A slug that may hold a version number, as those of AI models do."""

    regex = "[-a-zA-Z0-9_.]+"


class FileFormatConverter:
    """The ending of a list's file."""

    regex = "csv|xlsx|json"

    def to_python(self, value):
        return value

    def to_url(self, value):
        return value


register_converter(DottedSlugConverter, "dotted_slug")
register_converter(FileFormatConverter, "file_format")

app_name = "catalog"

servers = [
    path("", views_servers.server_list, name="server_list"),
    path(
        pgettext_lazy("path", "list.<file_format:file_format>"), views_servers.server_file, name="server_file"
    ),
    path("<slug:slug>/", views.server, name="server"),
    path(
        pgettext_lazy("path", "<slug:slug>/datasheet.pdf"),
        views_datasheet.server_datasheet,
        name="server_datasheet",
    ),
]
gpus = [
    path("", views.gpu_list, name="gpu_list"),
    path("<slug:slug>/", views.gpu, name="gpu"),
]

ai_models = [
    path("", views_models.ai_model_list, name="ai_model_list"),
    path("<dotted_slug:slug>/", views_models.ai_model, name="ai_model"),
]

workloads = [
    path("", views_work.workload_list, name="workload_list"),
    path("<dotted_slug:slug>/", views_work.workload, name="workload"),
]

social = [
    path("<slug:name>.png", views_social.social_image, name="social_image"),
    path("<slug:name>/<dotted_slug:slug>.png", views_social.social_image, name="social_image"),
]

guides = [
    path("", views_guides.guide_list, name="guide_list"),
    path(pgettext_lazy("path", "feed/"), views_guides.guide_feed, name="guide_feed"),
    path("<dotted_slug:slug>/", views_guides.guide, name="guide"),
]

urlpatterns = [
    path("", views.home, name="home"),
    path(pgettext_lazy("path", "servers/"), include(servers)),
    path(pgettext_lazy("path", "gpus/"), include(gpus)),
    path(pgettext_lazy("path", "models/"), include(ai_models)),
    path(pgettext_lazy("path", "measurements/"), views_results.result_list, name="result_list"),
    path(pgettext_lazy("path", "training/"), views_work.training, name="training"),
    path(pgettext_lazy("path", "inference/"), views_work.inference, name="inference"),
    path(pgettext_lazy("path", "edge/"), views_work.edge, name="edge"),
    path(pgettext_lazy("path", "mixed/"), views_work.mixed, name="mixed"),
    path(pgettext_lazy("path", "work/"), include(workloads)),
    path(pgettext_lazy("path", "glossary/"), views_glossary.glossary, name="glossary"),
    path(pgettext_lazy("path", "guides/"), include(guides)),
    path(pgettext_lazy("path", "search/"), views_search.search, name="search"),
    path(pgettext_lazy("path", "compare/"), views_compare.compare_servers, name="compare"),
    path(pgettext_lazy("path", "legal/"), views.legal, name="legal"),
    path(pgettext_lazy("path", "api/"), views_api.api, name="api"),
    path(pgettext_lazy("path", "picture/"), include(social)),
]
