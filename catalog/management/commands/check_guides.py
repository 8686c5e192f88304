from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from catalog.guides import checks, files, markdown
from catalog.models import Guide


class Command(BaseCommand):
    help = (
        "Read guides from files and say what is wrong with them, line by line; without files: all that ship."
    )

    def add_arguments(self, parser):
        parser.add_argument("files", nargs="*", type=Path, help="files named <key>.<language>.md")

    def handle(self, *args, **options):
        folder = settings.BASE_DIR / "fixtures"
        paths = options["files"] or sorted([*folder.glob("guides/*.md"), *folder.glob("texts/*.md")])
        errors = sum(self.mistakes(path) for path in paths)
        if errors:
            raise CommandError(_("Mistakes found: %(count)d") % {"count": errors})

    def mistakes(self, path):
        """Print what is wrong with a file and return how many mistakes it has."""
        try:
            file = files.read(path)
        except (files.FileError, OSError) as error:
            self.stdout.write(str(error))
            return 1
        kind = Guide.Kind.TEXT if path.parent.name == "texts" else Guide.Kind.GUIDE
        together = {other.name.split(".")[0] for other in path.parent.glob("*.md")}
        problems = checks.check_guide(files.draft(file, kind), file.language, together)
        for problem in problems:
            line = problem.line + file.first_line - 1 if problem.line else 1
            level = _("error") if problem.is_error else _("warning")
            self.stdout.write(f"{path.name}:{line}: {level}: {problem.text}")
        words = markdown.parse(file.body).words
        self.stdout.write(_("%(file)s: %(words)d words") % {"file": path.name, "words": words})
        return sum(problem.is_error for problem in problems)
