"""`manage.py purge_briefs`: delete contact data after their time, and briefs a month after their end."""

from django.core.management.base import BaseCommand

from recommender.briefs import stored


class Command(BaseCommand):
    help = (
        "Delete contact data after CONTACT_DAYS, and briefs that expired or were withdrawn a month ago. "
        "Leads stay, without contact. Meant to run daily."
    )

    def add_arguments(self, parser):
        parser.add_argument("--dry-run", action="store_true", help="count only, delete nothing")

    def handle(self, *args, **options):
        for name, rows in stored.outdated().items():
            count = rows.count()
            if not options["dry_run"]:
                rows.delete()
            self.stdout.write(f"{name}: {count}{' would be deleted' if options['dry_run'] else ' deleted'}")
