from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class CatalogConfig(AppConfig):
    name = "catalog"
    verbose_name = _("catalog")

    def ready(self):
        from catalog import groups, history, social, versions
        from catalog.guides import blocks, figures, tables
        from catalog.search import guides, index, kinds, terms

        versions.connect()
        history.connect()
        history.follow(self.get_model("Guide"))
        social.register()
        for kind in (*kinds.BUILT_IN, terms.TERM, guides.GUIDE):
            index.register(kind)
        for block in (tables.SERVERS, tables.SERVER, tables.MATRIX, figures.FIGURE, figures.NAME):
            blocks.register(block)
        post_migrate.connect(groups.make_groups, sender=self, dispatch_uid="catalog_groups")
