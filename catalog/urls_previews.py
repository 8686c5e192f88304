"""Address of previews: the key to a text that is not public yet."""

from django.urls import path

from catalog import views_previews

app_name = "previews"

urlpatterns = [path("<str:token>/", views_previews.guide, name="guide")]
