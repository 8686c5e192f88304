"""The table of a GPU's page: how many of it a model needs."""

import re
from html import unescape

import pytest
from django.urls import reverse
from django.utils.translation import override

from catalog.models import GPU
from recommender import services
from recommender.sizing.specs import GIB
from tests.factories import GPUFactory

pytestmark = pytest.mark.usefixtures("catalog")
# Weights in BF16 [bytes] and cache of a token [bytes] in BF16, from the models' own cards.
LLAMA_70B = (70.55e9 * 2, 327_680)
LLAMA_8B = (8.03e9 * 2, 131_072)
USABLE = {"nvidia-l40s": 44.99, "nvidia-h200-nvl-141gb": 140.40, "nvidia-l4": 22.49}  # GiB, as drivers say


def page(client, slug, language="en"):
    with override(language):
        return client.get(reverse("catalog:gpu", args=[slug]))


def ways(client, slug):
    """Return {model: {precision: GPUs}}."""
    return {
        row["slug"]: {way["precision"]: way["count"] for way in row["ways"]}
        for row in page(client, slug).context["on_gpu"]
    }


@pytest.mark.parametrize("slug", USABLE)
@pytest.mark.parametrize(("model", "figures"), [("llama-3.3-70b", LLAMA_70B), ("llama-3.1-8b", LLAMA_8B)])
def test_that_many_gpus_hold_it_and_far_fewer_do_not(client, slug, model, figures):
    weights, a_token = figures
    for precision, count in ways(client, slug)[model].items():
        need = weights * {"BF16": 1, "FP8": 0.5, "FP4": 0.25}[precision] + 8192 * a_token
        if count is None:
            # Not even six of the largest number of cards that a server takes leave room beside the engine.
            assert need > USABLE[slug] * GIB * 6 * 0.9
            continue
        assert count * USABLE[slug] * GIB >= need
        # No more than twice of what weights and cache alone would take, and one more.
        assert count <= 2 * need / (USABLE[slug] * GIB) + 1


def test_fewer_bits_never_need_more_gpus(client):
    for slug in USABLE:
        for counts in ways(client, slug).values():
            known = [float("inf") if count is None else count for count in counts.values()]
            assert known == sorted(known, reverse=True), slug


def test_the_types_are_those_that_the_gpu_takes():
    turing = GPU.objects.select_related("manufacturer").get(slug="nvidia-t4")  # neither BF16 nor FP8
    held = {row.model: dict(row.counts) for row in services.held_by_gpu(turing, 8)}
    assert set(held["llama-3.1-8b"]) == {"int8", "int4"}


@pytest.mark.parametrize("language", ["es", "ru", "en"])
def test_each_number_opens_its_calculation_on_this_gpu(client, language):
    response = page(client, "nvidia-l40s", language)
    html = unescape(response.content.decode())
    with override(language):
        calculator = reverse("recommender:calculator")
    for row in response.context["on_gpu"]:
        for way in row["ways"]:
            link = f'href="{calculator}?{way["query"]}&gpu=nvidia-l40s"'
            assert (link in html) == (way["count"] is not None)


def test_a_gpu_without_servers_or_without_language_models_has_no_such_table(client):
    lonely = GPUFactory()
    small = services.held_by_gpu(GPUFactory(serves_language_models=False), 8)
    assert page(client, lonely.slug).context["on_gpu"] == []
    assert small == ()
    assert not re.search(r'id="holds"', page(client, lonely.slug).content.decode())
