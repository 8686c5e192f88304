"""Addresses of the questionnaire and its results; their words are translated under the context "path"."""

from django.urls import path
from django.utils.translation import pgettext_lazy

from recommender import calculator_views, questionnaire_views, views

app_name = "recommender"
urlpatterns = [
    path(pgettext_lazy("path", "questions/"), questionnaire_views.questionnaire, name="questionnaire"),
    path(pgettext_lazy("path", "questions/details/"), questionnaire_views.questions, name="questions"),
    path(pgettext_lazy("path", "results/"), views.results, name="results"),
    path(pgettext_lazy("path", "memory/"), calculator_views.calculator_view, name="calculator"),
]
