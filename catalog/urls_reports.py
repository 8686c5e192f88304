"""Addresses of error reports; their words are translated under the context "path". None of them is public."""

from django.urls import path
from django.utils.translation import pgettext_lazy

from catalog import views_reports

app_name = "reports"

urlpatterns = [
    path("<slug:kind>/<int:pk>/<slug:field>/", views_reports.report, name="report"),
    path(pgettext_lazy("path", "sent/<slug:kind>/<int:pk>/"), views_reports.sent, name="sent"),
]
