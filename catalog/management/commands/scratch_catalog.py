"""`manage.py scratch_catalog`: fill a scratch database with a made-up catalog, to measure with."""

from django.core.management.base import BaseCommand, CommandError

from catalog import scratch
from catalog.models import GPUOption, Server

MOST = 20_000


class Command(BaseCommand):
    help = "Fill an empty scratch database with made-up servers and GPU options; refuses a real catalog."

    def add_arguments(self, parser):
        parser.add_argument("--servers", type=int, default=500)
        parser.add_argument("--options", type=int, default=4000, help="GPU options, over all servers")
        parser.add_argument("--seed", type=int, default=1)

    def handle(self, *, servers, seed, **options):
        count = options["options"]
        if not (1 <= servers <= MOST and 0 <= count <= MOST):
            raise CommandError(f"--servers: from 1 to {MOST}; --options: from 0 to {MOST}")
        if Server.objects.exists():
            kind = "was filled already" if scratch.is_scratch() else "holds a real catalog"
            raise CommandError(f"This database {kind}: name an empty one in DATABASE_URL.")
        scratch.fill(servers, count, seed)
        self.stdout.write(f"{Server.objects.count()} servers, {GPUOption.objects.count()} options")
