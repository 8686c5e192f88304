from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class CatalogConfig(AppConfig):
    name = "catalog"
    verbose_name = _("catalog")

    def ready(self):
        from catalog import groups, history, social, versions
        from catalog.search import index, kinds, terms

        versions.connect()
        history.connect()
        social.register()
        for kind in (*kinds.BUILT_IN, terms.TERM):
            index.register(kind)
        post_migrate.connect(groups.make_groups, sender=self, dispatch_uid="catalog_groups")
