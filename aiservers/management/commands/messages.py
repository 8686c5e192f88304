"""Bring the message files up to date with the code, check that they are, or compile them."""

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from aiservers import messages


class Command(BaseCommand):
    help = "Extracts interface texts into locale/ and compiles them, or only checks, or only compiles."
    requires_system_checks = []  # compiling comes before the addresses work: their words are translated

    def add_arguments(self, parser):
        mode = parser.add_mutually_exclusive_group()
        mode.add_argument(
            "--check", action="store_true", help="Fail if extracting would add or change a text."
        )
        mode.add_argument("--compile", action="store_true", help="Only write the files that Django reads.")

    def handle(self, *args, check, **options):
        if options["compile"]:
            messages.compile_messages()
            return
        found = messages.extracted()
        stale = []
        for language, _ in settings.LANGUAGES:
            file, changed = messages.merge(language, found)
            if changed:
                stale.append(language)
            if not check:
                path = messages.po_path(language)
                path.parent.mkdir(parents=True, exist_ok=True)
                file.save(str(path))
        if check and stale:
            raise CommandError(f"Message files are not up to date: {', '.join(stale)}. Run `make messages`.")
        if not check:
            messages.compile_messages()
        self.stdout.write(f"{len(found)} texts in {len(settings.LANGUAGES)} languages")
