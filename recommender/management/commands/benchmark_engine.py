"""`manage.py benchmark_engine`: how long the whole catalog takes to be ranked, over random answers."""

import gc
from random import Random
from statistics import median, quantiles
from time import process_time

from django.core.management.base import BaseCommand, CommandError

from recommender import adapters, answers, cases, ranking
from recommender.random_answers import random_answers

TARGETS_MS = {"median": 60, "90th percentile": 150}
LINE = "{:<28}{:>6}{:>10}{:>10}{:>10}"


class Command(BaseCommand):
    help = "Rank the whole catalog for random answers and print the time it takes of one processor core."
    requires_system_checks = ()

    def add_arguments(self, parser):
        parser.add_argument("--sets", type=int, default=100, help="random sets of answers (1 to 5000)")
        parser.add_argument("--seed", type=int, default=1)

    def handle(self, *args, **options):
        if not 1 <= options["sets"] <= 5000:
            raise CommandError("--sets: from 1 to 5000")
        specs = adapters.load_specs()
        models = [specs.models[slug] for slug in sorted(specs.models)]
        random = Random(options["seed"])
        times = {}
        for _set in range(options["sets"]):
            given = answers.parse(random_answers(random, models))
            resolved = cases.resolve(given, specs.models, specs.presets, specs.vendors, specs.names)
            if not isinstance(resolved, cases.Resolved):
                continue  # a model shorter than the prompt: said to the reader, nothing is ranked
            gc.collect()
            start = process_time()
            ranking.rank(resolved.case, specs.machines)
            first = process_time() - start
            start = process_time()
            ranking.rank(resolved.case, specs.machines)
            again = process_time() - start
            kind = resolved.case.kind if resolved.case.serves else "training"
            kind = "both jobs" if resolved.case.serves and resolved.case.trains else kind
            times.setdefault(kind, []).append((1000 * first, 1000 * again))
        self.stdout.write(LINE.format("ms of one core", "sets", "median", "90 %", "again"))
        everything = [pair for pairs in times.values() for pair in pairs]
        for kind, pairs in [*sorted(times.items()), ("all", everything)]:
            self.stdout.write(LINE.format(kind, len(pairs), *map("{:.1f}".format, _figures(pairs))))
        middle, late, _again = _figures(everything)
        for (name, target), found in zip(TARGETS_MS.items(), (middle, late), strict=True):
            self.stdout.write(f"{name}: {found / target:.2f} of the {target} ms aimed at")


def _figures(pairs):
    """Return median and 90th percentile of first rankings, and the median when the same is ranked again."""
    first = [one for one, _again in pairs]
    late = quantiles(first, n=10, method="inclusive")[8] if len(first) > 1 else first[0]
    return median(first), late, median(again for _one, again in pairs)
