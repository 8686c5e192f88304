"""Addresses: pages under their language; admin, health and files for crawlers without one."""

from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.contrib.sitemaps.views import sitemap
from django.urls import include, path
from django.views.i18n import set_language

from aiservers import views
from aiservers.sitemaps import PageSitemap
from catalog.sitemaps import SITEMAPS

sitemaps = SITEMAPS | {"advice": PageSitemap(["recommender:questionnaire", "recommender:calculator"])}

urlpatterns = [
    path("", views.choose_language, name="choose_language"),
    path("admin/language/", set_language, name="admin_language"),
    path("admin/", admin.site.urls),
    path("health/live", views.live, name="live"),
    path("health/ready", views.ready, name="ready"),
    path("robots.txt", views.robots, name="robots"),
    path("sitemap.xml", sitemap, {"sitemaps": sitemaps}, name="sitemap"),
    *i18n_patterns(
        path("", include("catalog.urls")),
        path("", include("recommender.urls")),
        prefix_default_language=True,
    ),
]
