from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class StaffConfig(AppConfig):
    default = True  # of the two in this file
    name = "aiservers.staff"
    verbose_name = _("staff")

    def ready(self):
        from aiservers.staff import audit, groups, sessions

        audit.connect()
        sessions.connect()
        post_migrate.connect(groups.add_rights, sender=self, dispatch_uid="staff_groups")


class StaffAdminConfig(SimpleAdminConfig):
    """Django's admin, with our site in the place of its own."""

    default_site = "aiservers.staff.site.StaffSite"

    def ready(self):
        super().ready()
        self.module.autodiscover()
