"""`manage.py recommend`: advice for answers in a file or on standard input."""

import json
import sys
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import translation

from recommender import answers, services

BAD_ANSWERS = 2  # exit status
BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


class Command(BaseCommand):
    help = "Recommend servers for answers given as one JSON object of keys and values."
    requires_system_checks = ()

    def add_arguments(self, parser):
        languages = [code for code, _name in settings.LANGUAGES]
        parser.add_argument("--answers", default="-", help="file with the answers as JSON; -: standard input")
        parser.add_argument("--language", choices=languages, default=settings.LANGUAGE_CODE)
        parser.add_argument("--format", choices=["table", "json"], default="table")
        parser.add_argument("--top", type=int, default=services.DEFAULT_TOP, help="matches to show")

    def handle(self, *args, **options):
        with translation.override(options["language"]):
            try:
                result = services.recommend(answers.parse(self._read(options["answers"])))
            except services.BadAnswers as bad:
                for problem in bad.problems:
                    self.stderr.write(f"{problem.key}: {problem.text}")
                sys.exit(BAD_ANSWERS)
            output = services.as_json(
                result, max(options["top"], 0), with_sensitivity=options["format"] == "json"
            )
            if options["format"] == "json":
                self.stdout.write(json.dumps(output, ensure_ascii=False, indent=1))
            else:
                for line in self._table(output):
                    self.stdout.write(line)

    def _read(self, name):
        """Return the answers; what is no JSON object is a bad answer like any other."""
        try:
            if name == "-":
                text = sys.stdin.read().removeprefix(BYTE_ORDER_MARK)
            else:
                text = Path(name).read_text(encoding="utf-8-sig")
            return json.loads(text, parse_constant=str) if text.strip() else {}
        except OSError as error:
            self.stderr.write(f"answers: {name}: {error.strerror}")
            sys.exit(BAD_ANSWERS)
        except (ValueError, RecursionError):
            return None

    def _table(self, output):
        for match in output["matches"]:
            yield " ".join(
                [
                    f"{match['rank']:>3}",
                    f"{match['score']:>5}",
                    f"{match['state']:<8}",
                    f"{match['servers']} x {match['server']:<22}",
                    f"{match['gpus_per_server']} x {match['gpu']:<38}",
                    f"{match['precision']:<5}",
                    f"tp{match['tensor_parallel']} pp{match['pipeline_parallel']} x{match['replicas']}",
                    f"{match['rack_units'] or '-'}U",
                ]
            )
            for text in match["reasons"]:
                yield f"      + {text}"
            for text in match["warnings"]:
                yield f"      ! {text}"
        for item in output["rejected"]:
            yield f"  - {item['server']} {item['gpu'] or ''}"
            for reason in item["reasons"]:
                yield f"      {reason['code']}: {reason['text']}"
        for text in output["notices"]:
            yield f"  * {text}"
        if output["to_measure"]:
            yield "  ? " + ", ".join(item["key"] for item in output["to_measure"])
