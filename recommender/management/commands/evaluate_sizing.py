"""`manage.py evaluate_sizing`: the sizing code against measured cases."""

import json
from collections import Counter, defaultdict
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from recommender import evaluation
from recommender.evaluation.catalog import CatalogShelf

HEAD = ("cases", "predicted", "signed", "abs", "p90", "inside", "width")
LAYOUT = "{:<42}{:>6}{:>10}{:>9}{:>9}{:>9}{:>7}{:>7}"


class Command(BaseCommand):
    help = "Run measured cases through the sizing code and print how far its figures are off."
    requires_system_checks = ()

    def add_arguments(self, parser):
        parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="measured cases, YAML")
        parser.add_argument("--format", choices=["table", "json"], default="table")

    def handle(self, *args, **options):
        try:
            cases, shelf = evaluation.read(options["files"]), CatalogShelf()
            report = evaluation.evaluate(cases, shelf)
        except evaluation.UnreadableFile as error:
            raise CommandError(str(error)) from error
        if options["format"] == "json":
            self.stdout.write(json.dumps(report.as_json(), ensure_ascii=False, indent=1))
            return
        for line in table(evaluation.leave_out(report, cases, shelf)):
            self.stdout.write(line)


def table(report):
    """Yield the lines of a table that people read: figures, their situations, verdicts, what was refused."""
    situations, comparisons = report.situations(), report.comparisons()
    for family, figures in report.scores().items():
        yield LAYOUT.format(family, *HEAD)
        for figure, found in figures.items():
            yield _line(f"  {figure}", found)
            groups = situations.get((family, figure), {})
            if len(groups) > 1:
                for name, group in groups.items():
                    yield _line(f"    {name}", group)
            for name, other in comparisons.get((family, figure), {}).items():
                yield _line(f"    = {name}", other, ranges="roofline" not in name)
        yield ""
    yield LAYOUT.format("language models, lengths stated", *HEAD)
    rates = report.language_models()
    by_others = evaluation.parts_compared(rates.get("all", []), evaluation.language_model_parts)
    for name, answers in rates.items():
        yield _line(f"  {name}", evaluation.score(answers, len(answers)))
        for other, found in by_others.get(name, {}).items():
            yield _line(f"    = {other}", found, ranges="roofline" not in other)
    yield ""
    for family, (predicted, known) in report.covered.items():
        yield f"{family}: {predicted} of {known} cases with model and GPU in the catalog predicted"
    for family, verdicts in report.verdict_counts().items():
        for name, (right, everything) in verdicts.items():
            yield f"{family}: {name.replace('_', ' ')}: {right} of {everything} right"
    yield ""
    cases = defaultdict(set)
    for one in report.unanswered:
        cases[one.reason].add(one.case)
    counts = Counter(report.refused())
    yield f"Not predicted: {sum(counts.values())} figures"
    for reason, count in counts.most_common():
        yield f"{count:>6} in {len(cases[reason])} cases: {reason}"


def _line(name, found, ranges=True):
    def percent(value, sign=""):
        return "-" if value is None else f"{100 * value:{sign}.1f}%"

    return LAYOUT.format(
        name,
        found.cases,
        found.predicted,
        percent(found.median_signed, "+"),
        percent(found.median_abs),
        percent(found.p90_abs),
        f"{100 * found.inside:.0f}%" if ranges and found.inside is not None else "-",
        f"{found.width:.2f}" if ranges and found.width is not None else "-",
    )
