"""Addresses of briefs; their words are translated under the context "path". None of them is public."""

from django.urls import include, path
from django.utils.translation import pgettext_lazy

from recommender.briefs import views

app_name = "briefs"

owners = [
    path("", views.owner, name="owner"),
    path(pgettext_lazy("path", "sales/"), views.sales, name="sales"),
]
readers = [
    path("", views.brief, name="brief"),
    path(pgettext_lazy("path", "today/"), views.today, name="today"),
    path("brief.<str:kind>", views.download, name="download"),
]
urlpatterns = [
    path(pgettext_lazy("path", "new/"), views.new, name="new"),
    path(pgettext_lazy("path", "own/"), include([path("<str:token>/", include(owners))])),
    path("<str:token>/", include(readers)),
]
