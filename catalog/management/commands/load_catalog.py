from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from catalog import loading, versions


class Command(BaseCommand):
    help = "Load the facts of fixtures/: what is missing goes in, what exists is left as it is."

    def add_arguments(self, parser):
        parser.add_argument(
            "--overwrite", action="store_true", help="put the files' state over what exists, edits included"
        )

    def handle(self, *, overwrite, verbosity, **options):
        try:
            report = loading.load(overwrite=overwrite)
        except (loading.FixtureError, OSError) as error:
            raise CommandError(str(error)) from error
        if verbosity == 0:
            return
        width = max((len(slug) for slug, *_counts in report.figures), default=0)
        self.stdout.write(_("Figures per server: known, with a source, not sourced"))
        for slug, known, sourced in report.figures:
            self.stdout.write(f"  {slug:<{width}}  {known:4} {sourced:4} {known - sourced:4}")
        for table, count in report.added.items():
            self.stdout.write(_("Added to %(table)s: %(count)d") % {"table": table, "count": count})
        for table, count in report.replaced.items():
            self.stdout.write(_("Overwritten in %(table)s: %(count)d") % {"table": table, "count": count})
        for reason, count in report.left_out.most_common():
            self.stdout.write(
                _("Measured cases left out: %(count)d (%(reason)s)") % {"count": count, "reason": _(reason)}
            )
        if not report.changed:
            self.stdout.write(_("Nothing was missing."))
        self.stdout.write(_("Catalog version: %(version)s") % {"version": versions.current()})
