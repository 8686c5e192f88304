from functools import partial

from django.apps import AppConfig
from django.db import transaction
from django.db.models.signals import post_delete, post_migrate
from django.utils.translation import gettext_lazy as _


class RecommenderConfig(AppConfig):
    name = "recommender"
    verbose_name = _("recommender")

    def ready(self):
        from catalog import history, loading
        from catalog.guides import blocks
        from recommender import groups, guide_blocks

        for name in ("Lead", "Price", "RegressionCase"):
            history.follow(self.get_model(name))
        post_delete.connect(forget_lead, sender=self.get_model("Lead"), dispatch_uid="forget_lead")
        loading.also("regression_cases.yaml", self.get_model("RegressionCase"))
        post_migrate.connect(groups.add_rights, sender=self, dispatch_uid="recommender_groups")
        for kind in guide_blocks.KINDS:
            blocks.register(kind)


def forget_lead(sender, instance, **kwargs):
    """Leave nothing of a deleted lead in the history: its notes may name a person."""
    from catalog import history

    transaction.on_commit(partial(history.forget, sender(pk=instance.pk)))
