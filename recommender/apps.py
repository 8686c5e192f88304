from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RecommenderConfig(AppConfig):
    name = "recommender"
    verbose_name = _("recommender")
