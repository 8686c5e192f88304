"""`manage.py purge_audit`: delete entries of the audit log after AUDIT_DAYS."""

from datetime import timedelta

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from aiservers.staff.models import AuditEntry


class Command(BaseCommand):
    help = "Delete entries of the audit log that are older than AUDIT_DAYS. Meant to run daily."

    def add_arguments(self, parser):
        parser.add_argument("--dry-run", action="store_true", help="count only, delete nothing")

    def handle(self, *args, **options):
        oldest = timezone.now() - timedelta(days=settings.AUDIT_DAYS)
        rows = AuditEntry.objects.filter(made_at__lt=oldest)
        count = rows.count()
        if not options["dry_run"]:
            rows.delete()
        self.stdout.write(f"{count}{' would be deleted' if options['dry_run'] else ' deleted'}")
