"""`manage.py benchmark_catalog`: how long the list of servers and its counts take."""

import gc
import logging
from statistics import median
from time import perf_counter, process_time

from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from catalog.filtering import facts
from catalog.filters import ServerFilter
from catalog.models import GPUOption, Server

QUERIES = (
    "",
    "stage=inference&gpu_memory_min=100",
    "rack_units=2&rack_units=4&gpu_count_min=4&cooling=air&orderable=yes&sort=memory_per_u",
    "card_width=double&temperature_max_c=40&depth_max=800&bays_min=8",
    "gpu_vendor=nobody&stage=training&rack_units=1&bays_min=999",
)
TARGETS = {"facets, cold": "aimed at: 12 queries", "page, cold": "aimed at: 200 ms"}
LINE = "{:<16}{:>10}{:>12}{:>12}{:>12}"


class Command(BaseCommand):
    help = "Time the facet counts and the list of servers, cold and warm; scratch_catalog makes a large one."

    def add_arguments(self, parser):
        parser.add_argument("--rounds", type=int, default=10, help="of each query (1 to 1000)")

    def handle(self, *, rounds, **options):
        if not 1 <= rounds <= 1000:
            raise CommandError("--rounds: from 1 to 1000")
        logging.disable(logging.INFO)
        try:
            self._measure(rounds)
        finally:
            logging.disable(logging.NOTSET)

    def _measure(self, rounds):
        published = Server.objects.published().count()
        self.stdout.write(f"{connection.vendor}: {published} servers, {GPUOption.objects.count()} options")
        self.stdout.write(LINE.format("", "queries", "median ms", "slowest ms", "of it ours"))
        self._page(QUERIES[0])  # templates and addresses are read once a process
        for name, work, cold in (
            ("facets, cold", self._facets, True),
            ("facets, warm", self._facets, False),
            ("page, cold", self._page, True),
            ("page, warm", self._page, False),
        ):
            most, times, ours = 0, [], []
            for _round in range(rounds):
                for query in QUERIES:
                    gc.collect()
                    if cold:
                        facts.forget()
                    start, start_ours = perf_counter(), process_time()
                    work(query)
                    times.append(1000 * (perf_counter() - start))
                    ours.append(1000 * (process_time() - start_ours))
            for query in QUERIES:
                if cold:
                    facts.forget()
                with CaptureQueriesContext(connection) as captured:
                    work(query)
                most = max(most, len(captured))
            figures = (median(times), max(times), median(ours))
            self.stdout.write(LINE.format(name, most, *map("{:.1f}".format, figures)))
            if name in TARGETS:
                self.stdout.write(f"  {TARGETS[name]}")

    def _facets(self, query):
        filterset = ServerFilter(QueryDict(query), Server.objects.for_cards())
        for row in filterset.facets:
            for field in row["fields"]:
                str(field)

    def _page(self, query):
        response = Client(SERVER_NAME="localhost").get(
            f"{reverse('catalog:server_list')}?{query}", secure=True
        )
        if response.status_code != 200:
            raise CommandError(f"the list answers {response.status_code}")
