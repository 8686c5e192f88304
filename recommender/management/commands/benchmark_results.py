"""`manage.py benchmark_results`: what a result page costs, in server time and bytes, for usual questions."""

import time

from django.core.cache import cache
from django.core.management.base import BaseCommand, CommandError
from django.test import Client
from django.urls import reverse
from django.utils import translation

from recommender import adapters

MAX_MS, MAX_BYTES = 400, 120_000
CHAT = "stage=inference&workload=chat&model=llama-3.3-70b&concurrency=32&context_tokens=8000"
MIXED = "stage=mixed&workload=chat&model=llama-3.3-70b&concurrency=40&context_tokens=8000"
QUESTIONS = {
    "chat": CHAT,
    "chat, all known": f"{CHAT}&ttft_ms=2000&tpot_ms=80&availability=n_plus_1&rack_units=8&power_kw=12",
    "chat, nothing fits": f"{CHAT}&rack_units=1&power_kw=0.3&ttft_ms=200&cooling=air&max_depth_mm=600",
    "retrieval": "stage=inference&workload=rag&users=500&documents=1000000&availability=n_plus_1",
    "mixed": "stage=mixed&model=llama-3.1-8b&concurrency=10&context_tokens=8000&method=lora",
    "mixed, all known": f"{MIXED}&ttft_ms=1000&tpot_ms=60&method=lora&dataset_tokens=50000000&target_hours=12"
    "&experiments_per_month=8&availability=n_plus_1&maintenance_hours=4&growth_percent=50&horizon_years=2"
    "&hypothesis=concurrency",
    "pre-training": "stage=training&workload=llm_pretraining&model=llama-3.1-8b&dataset_tokens=100000000000",
    "video": "stage=inference&workload=vision&streams=16&frames_per_second=15&site=edge",
    "stage only": "stage=inference",
}


class Command(BaseCommand):
    help = "Time result pages: cold without kept advice, warm with it; processor time and wall-clock time."

    def add_arguments(self, parser):
        parser.add_argument("--language", default="en")
        parser.add_argument("--changes", action="store_true", help="the page of what would change the advice")

    def handle(self, *args, **options):
        adapters.load_specs()
        client = Client(headers={"host": "localhost"})
        with translation.override(options["language"]):
            path = reverse("recommender:what_if" if options["changes"] else "recommender:results")
        client.get(f"{path}?stage=development")  # templates and texts are read once
        self.stdout.write(f"{'question':<20} {'cold ms':>8} {'of it CPU':>10} {'warm ms':>8} {'bytes':>8}")
        for name, query in QUESTIONS.items():
            cache.clear()
            cold, busy, response = self._timed(client, f"{path}?{query}")
            warm, _busy, response = self._timed(client, f"{path}?{query}")
            size = len(response.content)
            mark = " !" if not options["changes"] and (busy > MAX_MS or size > MAX_BYTES) else ""
            self.stdout.write(f"{name:<20} {cold:8.0f} {busy:10.0f} {warm:8.0f} {size:8}{mark}")

    def _timed(self, client, address):
        """Return wall-clock and processor time [ms] of one request, and its response."""
        began, used = time.perf_counter(), time.process_time()
        response = client.get(address, secure=True)
        if response.status_code != 200:
            raise CommandError(f"{address}: {response.status_code}")
        return (time.perf_counter() - began) * 1000, (time.process_time() - used) * 1000, response
