from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils.translation import ngettext

from catalog import versions
from catalog.models import SearchToken
from catalog.search import index


class Command(BaseCommand):
    help = "Bring what the search reads in line with the facts. load_catalog does the same at its end."

    def handle(self, *, verbosity, **options):
        with transaction.atomic():
            changed = index.rebuild()
            if changed:
                versions.bump()
        if verbosity:
            total = SearchToken.objects.count()
            self.stdout.write(
                ngettext(
                    "%(total)d token, %(changed)d changed", "%(total)d tokens, %(changed)d changed", total
                )
                % {"total": total, "changed": changed}
            )
