"""Addresses of the catalog's pages; their words are translated under the context "path"."""

from django.urls import include, path
from django.utils.translation import pgettext_lazy

from catalog import views

app_name = "catalog"

servers = [
    path("", views.server_list, name="server_list"),
    path("<slug:slug>/", views.server, name="server"),
]
gpus = [
    path("", views.gpu_list, name="gpu_list"),
    path("<slug:slug>/", views.gpu, name="gpu"),
]

urlpatterns = [
    path("", views.home, name="home"),
    path(pgettext_lazy("path", "servers/"), include(servers)),
    path(pgettext_lazy("path", "gpus/"), include(gpus)),
    path(pgettext_lazy("path", "training/"), views.training, name="training"),
    path(pgettext_lazy("path", "inference/"), views.inference, name="inference"),
    path(pgettext_lazy("path", "legal/"), views.legal, name="legal"),
]
