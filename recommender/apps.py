from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class RecommenderConfig(AppConfig):
    name = "recommender"
    verbose_name = _("recommender")

    def ready(self):
        from catalog.guides import blocks
        from recommender import groups, guide_blocks

        post_migrate.connect(groups.add_rights, sender=self, dispatch_uid="recommender_groups")
        for kind in guide_blocks.KINDS:
            blocks.register(kind)
