"""How a figure is known: measured in this very server, on the same card elsewhere, or computed."""

import pytest
from django.urls import reverse
from django.utils.translation import override

from catalog.models import BenchmarkResult
from recommender import adapters
from tests.factories import BenchmarkResultFactory
from tests.recommender.advice import CHAT, advice, match_of

pytestmark = pytest.mark.usefixtures("catalog")

IMAGES = {
    "workload": "image_generation",
    "model": "sdxl-base-1.0",
    "precision": "fp8",
    "images_per_minute": 300,
}
TRAINING = {
    "stage": "fine_tuning",
    "model": "llama-2-70b",
    "training_model": "llama-2-70b",
    "method": "lora",
    "precision": "fp8",
    "dataset_tokens": 100_000_000,
    "sequence_tokens": 8192,
}
TOKENS = CHAT | {
    "model": "llama-3.3-70b",
    "precision": "fp8",
    "concurrency": 64,
    "input_tokens": 1000,
    "output_tokens": 1000,
}


@pytest.fixture(autouse=True)
def read_anew():
    adapters.forget()
    yield
    adapters.forget()


def evidence_of(answers, server, gpu):
    match = match_of(advice(**answers), server, gpu)
    return match, match["evidence"]


def test_measured_in_this_server_with_this_number_of_cards():
    # MLPerf Inference v4.1: SR685a V3 with eight H200, SDXL
    match, evidence = evidence_of(IMAGES, "thinksystem-sr685a-v3", "nvidia-h200-sxm-141gb")
    assert match["gpus_per_server"] == 8
    assert evidence["throughput"] == "measured_here"
    # ... and nobody measured it on the same cards in the SR675 V3
    _match, evidence = evidence_of(IMAGES, "thinksystem-sr675-v3", "nvidia-h200-sxm-141gb")
    assert evidence["throughput"] == "measured_elsewhere"


def test_another_number_of_the_same_card_in_the_same_server_is_elsewhere():
    # MLPerf Inference v4.1: SE360 V2 with two L4, ResNet-50 in INT8
    asked = {"workload": "vision", "model": "resnet-50", "precision": "int8", "frames_per_second": 15}
    for streams, cards, expected in ((20, 1, "measured_elsewhere"), (300, 2, "measured_here")):
        match, evidence = evidence_of(asked | {"streams": streams}, "thinkedge-se360-v2", "nvidia-l4")
        assert (match["gpus_per_server"], evidence["throughput"]) == (cards, expected)


def test_a_card_that_nobody_measured_is_computed():
    _match, evidence = evidence_of(IMAGES, "thinksystem-sr675-v3", "nvidia-l40s")
    assert evidence["throughput"] == "computed"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "measured_here"),
        ({"gpu_count": 4}, "computed"),
        ({"precision": "bf16"}, "computed"),
        ({"input_tokens": 100}, "computed"),
        ({"output_tokens": None}, "computed"),
        ({"concurrency": 1024}, "computed"),
        ({"work": "training"}, "computed"),
        ({"server": None}, "measured_elsewhere"),
        ({"is_published": False}, "computed"),
    ],
)
def test_a_language_models_rate_is_held_against_the_same_model_card_count_and_load(change, expected):
    server, gpu = "thinksystem-sr680a-v3", "nvidia-h200-sxm-141gb"
    before, evidence = evidence_of(TOKENS, server, gpu)
    assert evidence["output_tokens_per_s"] == "computed"
    row = BenchmarkResult.objects.filter(server__slug=server, gpu__slug=gpu).first()
    llama = BenchmarkResult.objects.filter(ai_model__slug=TOKENS["model"]).first().ai_model
    given = {
        "figure": "output_tokens_per_s",
        "value": sum(before["output_tokens_per_s"][:2]) / 2,  # inside of what is shown, and not its middle
        "gpu": row.gpu,
        "gpu_count": before["gpus_per_server"],
        "server": row.server,
        "ai_model": llama,
        "precision": "fp8",
        "input_tokens": 1100,
        "output_tokens": 900,
        "concurrency": 64,
        "scenario": "",
    }
    BenchmarkResultFactory(**(given | change))
    match, evidence = evidence_of(TOKENS, server, gpu)
    assert evidence["output_tokens_per_s"] == evidence["throughput"] == expected
    assert match["output_tokens_per_s"] == before["output_tokens_per_s"]


@pytest.mark.parametrize(("factor", "expected"), [(0.99, "computed"), (1.0, "measured_here")])
def test_a_measurement_outside_of_the_range_stands_beside_an_estimate(client, factor, expected):
    server, gpu = "thinksystem-sr680a-v3", "nvidia-h200-sxm-141gb"
    before, _evidence = evidence_of(TOKENS, server, gpu)
    row = BenchmarkResult.objects.filter(server__slug=server, gpu__slug=gpu).first()
    BenchmarkResultFactory(
        figure="output_tokens_per_s",
        value=before["output_tokens_per_s"][0] * factor + 0.1,
        gpu=row.gpu,
        gpu_count=before["gpus_per_server"],
        server=row.server,
        ai_model=BenchmarkResult.objects.filter(ai_model__slug=TOKENS["model"]).first().ai_model,
        precision="fp8",
        input_tokens=1000,
        output_tokens=1000,
        concurrency=64,
        scenario="",
    )
    match, evidence = evidence_of(TOKENS, server, gpu)
    assert evidence["output_tokens_per_s"] == evidence["throughput"] == expected
    assert match["output_tokens_per_s"] == before["output_tokens_per_s"]
    with override("en"):
        path = reverse("recommender:results")
    html = client.get(path, TOKENS | {"show": "all"}).content.decode()
    said = "estimate; measured here: " if expected == "computed" else ">measured here: "
    assert said in html


def test_training_is_held_against_the_same_method_and_machine():
    # MLPerf Training v4.1: Llama 2 70B LoRA on one SR780a V3 with eight H200
    match, evidence = evidence_of(TRAINING, "thinksystem-sr780a-v3", "nvidia-h200-sxm-141gb")
    assert (match["gpus_per_server"], match["servers"]) == (8, 1)
    stored = BenchmarkResult.objects.filter(
        server__slug="thinksystem-sr780a-v3",
        gpu__slug="nvidia-h200-sxm-141gb",
        figure="tokens_per_s_per_gpu",
        gpu_count=8,
    )
    assert evidence["training_hours"] == ("measured_here" if stored else "computed")
    _match, evidence = evidence_of(
        TRAINING | {"method": "full"}, "thinksystem-sr780a-v3", "nvidia-h200-sxm-141gb"
    )
    assert evidence["training_hours"] == "computed"


def test_power_is_that_of_this_server_only():
    _match, evidence = evidence_of(TOKENS, "thinksystem-sr680a-v3", "nvidia-b200-sxm-180gb")
    assert evidence["power_w"] == "measured_here"
    _match, evidence = evidence_of(TOKENS, "thinksystem-sr680a-v3", "nvidia-h200-sxm-141gb")
    assert evidence["power_w"] == "computed"


@pytest.mark.parametrize(
    ("language", "word"), [("en", "measured elsewhere"), ("es", "medido"), ("ru", "измерен")]
)
def test_a_match_shows_the_measurement_with_its_link(client, language, word):
    with override(language):
        path = reverse("recommender:results")
    html = client.get(path, IMAGES | {"images_per_minute": 60}).content.decode()
    row = BenchmarkResult.objects.filter(
        gpu__slug="nvidia-h100-nvl-94gb", ai_model__slug="sdxl-base-1.0", scenario="Offline"
    ).get()
    assert word in html
    assert f'href="{row.link}"' in html


def test_a_match_whose_speed_is_not_known_stands_behind_all_that_rest_on_known_figures():
    for answers in (IMAGES, {"workload": "vision", "model": "yolo11", "streams": 20}):
        matches = advice(**answers)["matches"]
        first = next(place for place, match in enumerate(matches) if match["throughput"] is None)
        assert matches[first]["evidence"]["throughput"] == "unknown"
        assert not any(match["state"] == "fits" or match["firm"] for match in matches[first:])


def test_power_memory_and_places_say_that_they_are_estimates(client):
    with override("en"):
        path = reverse("recommender:results")
    response = client.get(f"{path}?stage=inference&workload=chat&model=llama-3.1-8b&concurrency=10")
    html, match = response.content.decode(), response.context["matches"][0]
    assert {match["origins"][name] for name in ("power_w", "memory_gib_per_gpu", "max_concurrency")} == {
        "estimate"
    }
    first = html[html.index('<article class="match"') :].partition("</article>")[0]
    assert first.count(">estimate<") >= 6  # three times, power, memory and places
