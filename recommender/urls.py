"""Addresses of the questionnaire and its results; their words are translated under the context "path"."""

app_name = "recommender"
urlpatterns = []
