"""Addresses of the questionnaire and its results; their words are translated under the context "path"."""

from django.urls import path, register_converter
from django.utils.translation import pgettext_lazy

from recommender import (
    accuracy_views,
    calculator_views,
    converters,
    plan_views,
    questionnaire_views,
    views,
    what_if_views,
    workings_views,
)

register_converter(converters.StepConverter, "step")

app_name = "recommender"
urlpatterns = [
    path(pgettext_lazy("path", "questions/"), questionnaire_views.questionnaire, name="questionnaire"),
    path(pgettext_lazy("path", "questions/details/"), questionnaire_views.questions, name="questions"),
    path(pgettext_lazy("path", "questions/check/"), questionnaire_views.check, name="check"),
    path(pgettext_lazy("path", "questions/<step:step>/"), questionnaire_views.step, name="step"),
    path(pgettext_lazy("path", "results/"), views.results, name="results"),
    path(pgettext_lazy("path", "results/changes/"), what_if_views.what_if, name="what_if"),
    path(pgettext_lazy("path", "results/workings/"), workings_views.workings, name="workings"),
    path(pgettext_lazy("path", "results/plans/"), plan_views.plans, name="plans"),
    path(pgettext_lazy("path", "results/measuring/"), plan_views.measuring, name="measuring"),
    path(pgettext_lazy("path", "memory/"), calculator_views.calculator_view, name="calculator"),
    path(pgettext_lazy("path", "accuracy/"), accuracy_views.overview, name="accuracy"),
    path(
        pgettext_lazy("path", "accuracy/<slug:family>/<slug:figure>/"),
        accuracy_views.figure,
        name="accuracy_figure",
    ),
]
