"""Advice and memory as JSON: the same figures as the command and the pages."""

import io
import json
from urllib.parse import parse_qs

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.urls import reverse
from django.utils.translation import override

from recommender import answers, services
from recommender.api_schemas import Advice, Memory
from tests.pages import LANGUAGES, QUESTIONS

pytestmark = pytest.mark.usefixtures("catalog")

CHAT = {"stage": "inference", "workload": ["chat"], "model": "llama-3.1-8b", "concurrency": 32}
TWO_JOBS = {"stage": "mixed", "workload": "chat", "model": "llama-3.1-8b", "method": "lora"}
NOTHING_FITS = CHAT | {"rack_units": 1, "power_kw": 0.3, "hypothesis": ["concurrency"], "nothing": 1}
SPEECH = {"workload": "speech", "audio_streams": 20}
LINES = ("weights", "kv_cache", "activations", "optimizer", "gradients", "overhead")


def ask(client, given, **query):
    with override(None):
        address = reverse("api:recommend", query=query or None)
    response = client.post(address, json.dumps(given), content_type="application/json")
    assert response.status_code == 200, response.content
    return response


def command(given, tmp_path, language, top=5):
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps(given))
    out = io.StringIO()
    call_command("recommend", answers=str(answers), language=language, format="json", top=top, stdout=out)
    return json.loads(out.getvalue())


@pytest.mark.parametrize(
    "given",
    [
        CHAT,
        pytest.param(NOTHING_FITS, marks=pytest.mark.one_database),
        pytest.param(SPEECH, marks=pytest.mark.one_database),
    ],
    ids=["fits", "out", "speech"],
)
def test_advice_is_that_of_the_command_in_every_language_and_described(client, tmp_path, given):
    for language in LANGUAGES:
        found = ask(client, given, language=language).json()
        assert found["language"] == language
        assert found == command(given, tmp_path, language)
    Advice.model_validate(found)


@pytest.mark.one_database
def test_advice_for_two_jobs_is_that_of_the_command_and_described(client, tmp_path):
    found = ask(client, TWO_JOBS, top=2, language="en").json()
    assert found == command(TWO_JOBS, tmp_path, "en", top=2)
    assert set(found["plans"]) == {"shared", "separate", "scheduled"}
    assert any("capacity" in plan for plan in found["plans"].values())
    assert len(found["matches"]) == 2
    Advice.model_validate(found)


def test_the_same_answers_give_the_same_bytes(client):
    first = ask(client, SPEECH).content
    cache.clear()
    assert ask(client, dict(reversed(SPEECH.items()))).content == first


@pytest.mark.parametrize("query", QUESTIONS[::4])
def test_everything_that_advice_says_is_described(query):
    """No name is missing in the description, and none comes with another type."""
    given = {key: values for key, values in parse_qs(query).items() if key != "altitude_m"}
    Advice.model_validate(services.as_json(services.recommend(answers.parse(given)), 100))


@pytest.mark.parametrize(
    "query",
    [
        {"model": "llama-3.3-70b", "concurrency": "16", "gpu": "nvidia-h200-sxm-141gb", "gpus": "4"},
        {
            "stage": "fine_tuning",
            "model": "llama-3.1-8b",
            "method": "qlora",
            "gpu": "nvidia-l40s",
            "gpus": "2",
        },
        {"model": "llama-3.1-405b", "gpu": "nvidia-l40s"},
        {"model": "llama-3.1-8b", "gpu": "nvidia-h200-sxm-141gb", "gpus": "3"},  # no server takes three
    ],
)
def test_memory_is_that_of_the_calculators_page(client, query):
    found = client.get("/api/v1/memory", query | {"language": "en"}).json()
    Memory.model_validate(found)
    with override("en"):
        result = client.get(reverse("recommender:calculator"), query).context["result"]
    assert (found["state"], found["text"]) == (result["state"], result["headline"])
    lines = {line["name"]: line["gib"] for line in result["memory"]["lines"]}
    for name in LINES:
        given = found["chosen"]["lines_gib_per_gpu"][name]
        assert given == (pytest.approx(lines[name], abs=5e-5) if name in lines else None)
    assert found["chosen"]["total_gib_per_gpu"] == pytest.approx(result["memory"]["total"]["gib"], abs=5e-5)
    assert len(found["layouts"]) == len(result["layouts"]) + len(result["more_layouts"])
    assert [card["gpu"] for card in found["cards"]] == [
        card["slug"] for card in result["cards"]["rows"] + result["cards"]["more"]
    ]
    assert found["taken_by"][: len(result["servers"])] == [row["slug"] for row in result["servers"]]


def test_memory_of_llama_70b_by_hand(client):
    """80 layers, 8 KV heads of 128 in 16 bits: 4 x 8192 tokens of the cache, all heads on one GPU."""
    query = {
        "model": "llama-3.3-70b",
        "concurrency": "4",
        "context_tokens": "8192",
        "gpu": "amd-mi300x",
        "gpus": "1",
    }
    response = client.get("/api/v1/memory", query)
    if response.status_code == 422:
        query["gpu"] = "nvidia-b200-sxm-180gb"
        response = client.get("/api/v1/memory", query)
    found = response.json()
    cache = 4 * 8192 * 2 * 80 * 8 * 128 * 2 / 2**30
    assert found["chosen"]["lines_gib_per_gpu"]["kv_cache"][1] == pytest.approx(cache, abs=1e-4)
    total = found["chosen"]["total_gib_per_gpu"]
    parts = [line for line in found["chosen"]["lines_gib_per_gpu"].values() if line]
    assert total == pytest.approx([sum(part[end] for part in parts) for end in range(3)], abs=5e-4)


def test_a_cache_that_nobody_has_described_is_null_and_so_is_the_sum(client):
    found = client.get("/api/v1/memory", {"model": "deepseek-v4.1-flash", "gpu": "nvidia-l40s"}).json()
    Memory.model_validate(found)
    assert found["chosen"]["lines_gib_per_gpu"]["kv_cache"] is None
    assert found["chosen"]["total_gib_per_gpu"] is None
    assert found["whole_model_gib"]["kv_cache"] is None


def test_without_a_gpu_the_cards_that_hold_it_are_named(client):
    found = client.get("/api/v1/memory", {"model": "llama-3.1-8b", "colour": "red"}).json()
    Memory.model_validate(found)
    assert (found["gpu"], found["state"], found["chosen"], found["layouts"]) == (None, None, None, [])
    assert found["cards"]
    assert any("colour" in notice for notice in found["notices"])
