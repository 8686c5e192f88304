"""Catalogue rows become specs in base units, read once for each version of the catalog."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalog.models import GPU, Server
from recommender import adapters
from recommender.sizing.specs import GIB

pytestmark = pytest.mark.usefixtures("catalog")


@pytest.fixture(autouse=True)
def unread():
    adapters.forget()
    yield
    adapters.forget()


def node_of(server, gpu):
    machine = next(item for item in adapters.load_specs().machines if item.bare.server == server)
    return next(node for node in machine.nodes if node.gpu.slug == gpu)


def test_the_rows_are_read_in_ten_queries_and_then_kept():
    with CaptureQueriesContext(connection) as first:
        adapters.load_specs()
    with CaptureQueriesContext(connection) as second:
        adapters.load_specs()
    assert len(first) <= 1 + 10  # the version, and the rows
    assert len(second) == 1


def test_a_change_of_a_fact_is_seen_at_once():
    before = adapters.load_specs()
    server = Server.objects.get(slug="thinksystem-sr650-v3")
    server.rack_units = 4
    server.save()
    after = adapters.load_specs()
    assert after.version != before.version
    assert node_of("thinksystem-sr650-v3", "nvidia-l40s").rack_units == 4


def test_units_change_here():
    gpu = node_of("thinksystem-sr680a-v3", "nvidia-h200-sxm-141gb").gpu
    assert gpu.memory_bytes.low == gpu.memory_bytes.high == pytest.approx(140.4 * GIB)
    assert gpu.bandwidth_bytes_per_s == 4.8e12
    assert gpu.dense_flops["bf16"] == pytest.approx(989.5e12)
    assert gpu.compute_capability == (9, 0)


def test_memory_that_no_driver_reported_is_a_range():
    gpu = adapters.gpu_spec(GPU.objects.select_related("manufacturer").get(slug="amd-mi210"))
    assert not gpu.memory_reported
    assert (gpu.memory_bytes.low, gpu.memory_bytes.high) == (
        pytest.approx(0.93 * 64 * GIB),
        pytest.approx(64 * GIB),
    )


def test_a_card_whose_memory_cannot_be_is_left_out(caplog):
    """No constraint lets such a row in; one that came by another way takes no page with it."""
    server = Server.objects.get(slug="thinksystem-sr680a-v3")
    rows = list(server.variants.get().gpu_options.select_related("gpu__manufacturer"))
    spoilt = rows[0].gpu
    spoilt.memory_gib_usable = spoilt.memory_gb * 1e9 / GIB
    server._prefetched_objects_cache = {}
    variant = server.variants.get()
    variant._prefetched_objects_cache = {"gpu_options": rows}
    server._prefetched_objects_cache = {"variants": [variant]}
    found = {node.gpu.slug for node in adapters.machine_of(server).nodes}
    assert found == {row.gpu.slug for row in rows} - {spoilt.slug}
    assert f"GPU left out: {spoilt.slug}" in caplog.text


@pytest.mark.parametrize(
    ("gpu", "rate"),
    [
        ("nvidia-h100-sxm-80gb", 900e9),
        ("nvidia-h200-sxm-141gb", 900e9),
        ("nvidia-b200-sxm-180gb", 1800e9),
    ],
)
def test_the_link_belongs_to_the_board(gpu, rate):
    node = node_of("thinksystem-sr680a-v3", gpu)
    assert (node.link, node.link_bytes_per_s, node.link_max_gpus) == ("nvswitch", rate, 8)


def test_bridges_join_two_or_four():
    assert node_of("thinksystem-sr675-v3", "nvidia-h100-nvl-94gb").link_max_gpus == 2
    assert node_of("thinksystem-sr675-v3", "nvidia-h200-nvl-141gb").link_max_gpus == 4
    assert node_of("thinksystem-sr650-v3", "nvidia-l40s").link_max_gpus == 1


def test_counts_are_powers_of_two_and_the_largest():
    assert node_of("thinksystem-sr650-v3", "nvidia-l40s").counts == (1, 2, 3)
    assert node_of("thinksystem-sr680a-v3", "nvidia-b200-sxm-180gb").counts == (8,)
    unknown = node_of("thinksystem-sr655-v3", "nvidia-a10")
    assert (unknown.counts, unknown.count_known) == ((1,), False)


def test_a_card_with_several_gpus_is_ordered_whole():
    # Up to three A16 in an SR655 V3, four GPUs of 16 GB on each; GB200 is listed by the GPU, four in a tray.
    several = node_of("thinksystem-sr655-v3", "nvidia-a16")
    assert several.counts == (4, 8, 12)
    assert [several.gpu.cards(gpus) for gpus in several.counts] == [1, 2, 3]
    assert several.gpu.memory_label_gb == 16
    tray = node_of("thinksystem-sc777-v4", "nvidia-gb200")
    assert (tray.counts, tray.link_max_gpus, tray.gpu.cards(4)) == ((4,), 4, 4)


def test_a_tray_knows_its_enclosure_and_what_cools_it():
    node = node_of("thinksystem-sd665-n-v3", "nvidia-h100-sxm-80gb")
    assert (node.enclosure_rack_units, node.enclosure_trays) == (6, 6)
    assert node.cooling == {"liquid"}
    assert "air" in node_of("thinksystem-sr675-v3", "nvidia-l40s").cooling


def test_unpublished_servers_and_cards_are_not_read():
    Server.objects.get(slug="thinksystem-sr650-v3").delete()
    assert "thinksystem-sr650-v3" not in {machine.bare.server for machine in adapters.load_specs().machines}


def test_supplies_are_those_of_the_server():
    node = node_of("thinksystem-sr675-v3", "nvidia-l40s")
    assert (node.psu_count, node.psu_sizes_w) == (4, (1800, 2400, 2600))
    assert node.psu_sizes_partial, "a third party's table only"
    largest = node_of("thinksystem-sr680a-v4", "nvidia-b300-sxm")
    assert (largest.psu_count, largest.psu_sizes_w, largest.psu_sizes_partial) == (8, (3200, 3800), False)
    assert largest.cpu_max_tdp_w == 350


def test_supplies_of_an_enclosure_are_nobodys_own():
    tray = node_of("thinksystem-sd665-n-v3", "nvidia-h100-sxm-80gb")
    assert (tray.psu_count, tray.psu_sizes_w) == (None, ())
