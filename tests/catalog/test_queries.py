"""How many queries a page needs: few, and as many with twenty rows as with one."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.factories import (
    AIModelFactory,
    EvidenceFactory,
    GlossaryTermFactory,
    GPUOptionFactory,
    ServerFactory,
    SlotAlternativeFactory,
    SourceFactory,
    VariantFactory,
    WorkloadProfileFactory,
)

pytestmark = pytest.mark.django_db
MOST = 15
MOST_WITH_ADVICE = 25

LISTS = [
    "catalog:home",
    "catalog:server_list",
    "catalog:training",
    "catalog:inference",
    "catalog:gpu_list",
    "catalog:edge",
    "catalog:workload_list",
    "catalog:glossary",
]


def fill(number):
    variant = VariantFactory(
        server__name=f"Server {number}",
        server__rack_units=number % 8 + 1,
        server__for_training=True,
        server__for_fine_tuning=True,
        server__for_edge=True,
    )
    SlotAlternativeFactory(variant=variant)
    option = GPUOptionFactory(variant=variant)
    for subject in ({"server": variant.server}, {"gpu": option.gpu}, {"option": option}):
        EvidenceFactory(field="x", **subject)
    profile = WorkloadProfileFactory(stage="training" if number % 2 else "inference")
    profile.requirements.create(aspect="gpus", text_es="x", text_ru="x", text_en="x")
    GlossaryTermFactory(slug=f"term-{number}", definition_es=f"[[term-{max(number - 1, 0)}]]")
    return variant.server


def queries(client, path):
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


@pytest.mark.parametrize("view_name", LISTS)
def test_a_list_needs_the_same_queries_for_one_row_and_for_twenty(client, view_name):
    path = reverse(view_name)
    fill(0)
    one = queries(client, path)
    for number in range(1, 20):
        fill(number)
    assert queries(client, path) == one <= MOST


@pytest.mark.parametrize("height", [1, 6])
def test_a_filtered_list_too_and_an_empty_one(client, height):
    filters = f"stage=training&gpu_memory_min=10&gpu_memory_max=999&rack_units={height}&cooling=air&kind=rack"
    path = f"{reverse('catalog:server_list')}?{filters}"
    ServerFactory(rack_units=6, for_training=False)
    fill(0)
    one = queries(client, path)
    for number in range(1, 20):
        fill(8 * number)
    assert queries(client, path) == one <= MOST


def test_a_server_page_needs_the_same_queries_for_one_option_and_for_twenty(client):
    server = fill(0)
    path = reverse("catalog:server", args=[server.slug])
    one = queries(client, path)
    for number in range(20):
        variant = VariantFactory(server=server, slug=f"v{number}", is_default=False)
        EvidenceFactory(option=GPUOptionFactory(variant=variant), field="max_count")
        EvidenceFactory(server=server, field="rack_units")
        ServerFactory(successor=server)
    assert queries(client, path) == one <= MOST


def test_a_gpu_page_needs_the_same_queries_for_one_server_and_for_twenty(client):
    option = GPUOptionFactory()
    path = reverse("catalog:gpu", args=[option.gpu.slug])
    one = queries(client, path)
    for _ in range(20):
        GPUOptionFactory(gpu=option.gpu)
        EvidenceFactory(gpu=option.gpu, field="memory_gb")
    assert queries(client, path) == one <= MOST


@pytest.mark.parametrize("view_name", ["catalog:mixed", "catalog:workload"])
def test_a_page_with_advice_needs_the_same_queries_for_one_server_and_for_twenty(client, view_name):
    """The advice reads the catalog anew after every change: its own queries are among these."""
    profile = WorkloadProfileFactory(slug="work")
    path = reverse(view_name, args=["work"] if view_name == "catalog:workload" else [])
    AIModelFactory(slug="model")
    profile.assumptions.create(key="model", value="model", why_es="x", source=SourceFactory())
    fill(0)
    one = queries(client, path)
    for number in range(1, 20):
        fill(number)
        profile.assumptions.create(key=f"key_{number}", value="1", why_es="x", source=SourceFactory())
    assert queries(client, path) == one <= MOST_WITH_ADVICE
