"""`manage.py benchmark_sheets`: the whole catalog out to a workbook and back, which must change nothing."""

import gc
import logging
import resource
import tracemalloc
from time import perf_counter

from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalog import versions
from catalog.models import Server
from catalog.sheets import importing, reading, scope, writing
from catalog.sheets.cells import Habits
from catalog.sheets.comparing import CHANGED, NEW, SAME, WRONG
from catalog.sheets.resources import RESOURCES
from catalog.sheets.rights import AllRights

LINE = "{:<18}{:>10}{:>10}{:>12}"


class Command(BaseCommand):
    help = "Export the whole catalog and import it again: that changes nothing, and takes this long."

    def add_arguments(self, parser):
        parser.add_argument("--csv", action="store_true", help="also each table as CSV, in three languages")

    def handle(self, *, csv, **options):
        logging.disable(logging.INFO)
        try:
            self.measure(csv)
        finally:
            logging.disable(logging.NOTSET)

    def measure(self, csv):
        before = self.state()
        self.stdout.write(f"{connection.vendor}: {Server.objects.count()} servers")
        self.stdout.write(LINE.format("", "seconds", "queries", "peak MiB"))
        content = self.timed("export", lambda: writing.workbook(scope.whole_catalog(lambda table: True)))
        book = self.timed("read", lambda: reading.read(content))
        shown = self.timed("dry run", lambda: self.run_import(book))
        done = self.timed("import", lambda: self.run_import(book, shown.digest))
        rows = sum(len(sheet.lines) for sheet in done.sheets)
        self.stdout.write(f"{rows} rows in {len(done.sheets)} sheets, {len(content) / 2**20:.1f} MiB")
        self.require_no_change("workbook", done)
        if csv:
            for language in ("es", "ru", "en"):
                self.timed(f"CSV, {language}", lambda language=language: self.tables(language))
        if self.state() != before:
            raise CommandError("The catalog is not what it was.")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        self.stdout.write(f"Nothing has changed. The process took {peak:.0f} MiB at most.")

    def timed(self, name, work):
        """Do something twice: once by the clock, once to count queries and memory, which slows it down."""
        gc.collect()
        start = perf_counter()
        result = work()
        seconds = perf_counter() - start
        tracemalloc.start()
        with CaptureQueriesContext(connection) as captured:
            work()
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        self.stdout.write(LINE.format(name, f"{seconds:.2f}", len(captured), f"{peak:.0f}"))
        return result

    def run_import(self, book, confirmed="", language="es", model=None):
        habits = Habits(language)
        return importing.import_book(book, AllRights(), habits, model=model, confirmed=confirmed)

    def tables(self, language):
        for model in RESOURCES:
            rows = model._base_manager.order_by("pk")
            if rows.exists():
                book = reading.read(writing.separated(rows, language))
                self.require_no_change(model.__name__, self.run_import(book, language=language, model=model))

    def require_no_change(self, name, outcome):
        if not outcome.changes_nothing or any(sheet.vanished for sheet in outcome.sheets):
            found = ", ".join(f"{outcome.count(state)} {state}" for state in (NEW, CHANGED, SAME, WRONG))
            raise CommandError(f"{name}: the import would change something: {found}")

    def state(self):
        """Return the version and all that the rows hold, to compare with afterwards."""
        return versions.current(), [list(self.rows(model)) for model in RESOURCES]

    def rows(self, model):
        return model._base_manager.order_by("pk").values_list(
            *(field.attname for field in model._meta.concrete_fields)
        )
