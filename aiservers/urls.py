"""Addresses: pages under their language; admin, health and files for crawlers without one."""

from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.contrib.sitemaps.views import sitemap
from django.urls import include, path
from django.utils.translation import pgettext_lazy
from django.views.i18n import set_language

from aiservers import api, views
from aiservers.sitemaps import PageSitemap
from catalog.sitemaps import SITEMAPS
from recommender.briefs.views import link
from recommender.sitemaps import AccuracySitemap

ADVICE = ["recommender:questionnaire", "recommender:calculator", "recommender:accuracy"]
sitemaps = SITEMAPS | {"advice": PageSitemap(ADVICE), "accuracy": AccuracySitemap()}

urlpatterns = [
    path("", views.choose_language, name="choose_language"),
    path("admin/language/", set_language, name="admin_language"),
    path("admin/", admin.site.urls),
    path("health/live", views.live, name="live"),
    path("health/ready", views.ready, name="ready"),
    path("robots.txt", views.robots, name="robots"),
    path("sitemap.xml", sitemap, {"sitemaps": sitemaps}, name="sitemap"),
    path("api/v1/", include((api.urlpatterns, "ninja"), namespace="api")),
    path("b/<str:token>", link, name="brief_link"),
    *i18n_patterns(
        path("", include("catalog.urls")),
        path(pgettext_lazy("path", "report-an-error/"), include("catalog.urls_reports")),
        path(pgettext_lazy("path", "preview/"), include("catalog.urls_previews")),
        path("", include("recommender.urls")),
        path(pgettext_lazy("path", "briefs/"), include("recommender.briefs.urls")),
        prefix_default_language=True,
    ),
]

handler400 = "aiservers.errors.bad_request"
handler404 = "aiservers.errors.page_not_found"
handler500 = "aiservers.errors.server_error"
