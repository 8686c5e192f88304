"""`manage.py measure_accuracy`: the figures of the accuracy page, measured again with the code as it is."""

from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from recommender import accuracy, evaluation
from recommender.evaluation.catalog import CatalogShelf


class Command(BaseCommand):
    help = "Run the measured cases of the fixtures through the sizing code and keep how far it is off."
    requires_system_checks = ()

    def add_arguments(self, parser):
        parser.add_argument(
            "--check",
            action="store_true",
            help="write nothing; fail where the file is not what the code gives",
        )
        parser.add_argument("--folder", type=Path, default=settings.BASE_DIR / "fixtures")

    def handle(self, *args, check, folder, **options):
        path = accuracy.stored_file(folder)
        try:
            data = accuracy.measured(accuracy.case_files(folder), CatalogShelf())
        except evaluation.UnreadableFile as error:
            raise CommandError(str(error)) from error
        if not data["cases"]:
            raise CommandError(f"{folder}: no measured cases")
        text = accuracy.text_of(data)
        kept = path.read_text(encoding="utf-8") if path.exists() else ""
        if check and kept != text:
            raise CommandError(f"{path.name} is not what the code gives: run measure_accuracy")
        if not check:
            path.write_text(text, encoding="utf-8")
        self.stdout.write(f"{path.name}: {data['cases']} cases, {len(data['figures'])} figures")
