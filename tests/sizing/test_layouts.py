"""Layouts that heads, cards and links allow."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from recommender.sizing.layouts import (
    inference_layouts,
    tensor_degrees,
    training_layouts,
    training_option,
    valid_layouts,
)
from recommender.sizing.lines import total
from recommender.sizing.memory import cache_bytes
from recommender.sizing.specs import Layout, SizingError
from recommender.sizing.weights import weight_lines
from tests.sizing.memory_examples import (
    BGE_M3,
    DEEPSEEK_V3,
    H200,
    LLAMA_3B,
    LLAMA_70B,
    QWEN25_7B,
    QWEN25_14B,
    dense,
    split,
)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (LLAMA_70B, (1, 2, 4, 8, 16)),  # 64 heads, 8 KV heads: copied past eight
        (QWEN25_14B, (1, 2, 4, 8)),  # 40 heads: sixteen does not divide them
        (QWEN25_7B, (1, 2, 4)),  # 28 heads
        (LLAMA_3B, (1, 2, 4, 8)),  # 24 heads, 8 KV heads
        (dense("phi-4", 14_659_507_200, 40, 5120, 40, 10, 128, 17_920, 100_352), (1, 2)),  # 10 KV heads
        (dense("falcon-7b", 6_921_720_704, 32, 4544, 71, 1, 64, 18_176, 65_024), (1,)),  # 71 heads
        (DEEPSEEK_V3, (1, 2, 4, 8, 16)),  # a latent is copied, whatever the heads
        (BGE_M3, (1,)),  # an encoder runs whole on each card
    ],
)
def test_tensor_degrees_divide_the_heads(model, expected):
    assert tensor_degrees(model, 16) == expected


def test_three_cards_are_a_pair_and_a_spare_three_replicas_or_a_pipeline():
    found = inference_layouts(LLAMA_70B, gpus_per_server=3, servers=1, link_max_gpus=2)
    shapes = {(x.tensor_parallel, x.pipeline_parallel, x.replicas, x.idle_gpus) for x in found}
    assert shapes == {(1, 1, 3, 0), (2, 1, 1, 1), (1, 2, 1, 1), (1, 3, 1, 0)}


def test_a_split_wider_than_the_bridge_is_said():
    found = inference_layouts(LLAMA_70B, gpus_per_server=4, servers=1, link_max_gpus=2)
    crossing = {x.tensor_parallel for x in found if x.crosses_link}
    assert crossing == {4}


def test_more_servers_are_more_replicas_never_wider_groups():
    found = inference_layouts(LLAMA_70B, gpus_per_server=8, servers=3, link_max_gpus=8)
    assert all(x.gpus_per_replica <= 8 for x in found)
    assert {x.replicas for x in found if x.tensor_parallel == 8} == {3}


def test_a_pipeline_that_leaves_a_stage_half_empty_is_not_offered():
    five_layers = dense("small", 100_000_000, 5, 1024, 16, 8, 64, 4096, 32_000)
    found = inference_layouts(five_layers, gpus_per_server=4, servers=1, link_max_gpus=4)
    assert {x.pipeline_parallel for x in found} == {1}


def test_training_spreads_replicas_over_all_servers():
    found = training_layouts(LLAMA_70B, gpus_per_server=8, servers=4, link_max_gpus=8)
    whole = next(x for x in found if x.gpus_per_replica == 1)
    assert (whole.replicas, whole.idle_gpus) == (32, 0)


@given(
    heads=st.integers(1, 128),
    kv_heads=st.integers(1, 64),
    layers=st.integers(1, 128),
    gpus=st.sampled_from([1, 2, 3, 4, 6, 8]),
    servers=st.integers(1, 64),
)
def test_every_layout_accounts_for_each_card(heads, kv_heads, layers, gpus, servers):
    model = dense("any", 1_000_000_000, layers, 1024, heads, kv_heads, 64, 4096, 32_000)
    for lay in (inference_layouts, training_layouts):
        found = lay(model, gpus_per_server=gpus, servers=servers, link_max_gpus=gpus)
        assert found
        for layout in found:
            assert layout.gpus_used + layout.idle_gpus == gpus * servers
            assert heads % layout.tensor_parallel == 0
            assert layout.tensor_parallel in (1, 2, 4, 8)


def options(model, gpus, servers=1, link="nvswitch", joined=8):
    found = valid_layouts(model, gpus_per_server=gpus, servers=servers, link=link, link_max_gpus=joined)
    return {
        (
            x.layout.tensor_parallel,
            x.layout.pipeline_parallel,
            x.layout.expert_parallel,
            x.layout.replicas,
        ): x
        for x in found
    }


def test_three_double_wide_cards_say_what_each_way_costs():
    found = options(LLAMA_70B, 3, link="pcie", joined=1)
    assert {shape: (x.layout.idle_gpus, x.path, x.costs) for shape, x in found.items()} == {
        (1, 1, 1, 3): (0, None, ()),
        (2, 1, 1, 1): (1, "pcie", ("tensor_over_pcie", "idle")),
        (1, 2, 1, 1): (1, "pcie", ("pipeline_no_faster", "idle")),
        (1, 3, 1, 1): (0, "pcie", ("pipeline_no_faster",)),
    }


def test_a_bridge_carries_pairs_and_pcie_the_rest():
    found = options(LLAMA_70B, 4, link="bridge", joined=2)
    assert (found[2, 1, 1, 2].path, found[2, 1, 1, 2].costs) == ("bridge", ())
    assert (found[4, 1, 1, 1].path, found[4, 1, 1, 1].costs) == ("pcie", ("tensor_over_pcie",))
    assert options(LLAMA_70B, 8)[8, 1, 1, 1].path == "nvswitch"


def test_copied_caches_are_a_cost():
    qwen = dense("qwen", 7_000_000_000, 28, 4096, 32, 4, 128, 11_008, 152_064)  # four KV heads
    assert options(qwen, 8)[8, 1, 1, 1].costs == ("kv_heads_copied",)
    assert options(qwen, 8)[4, 1, 1, 2].costs == ()
    assert options(DEEPSEEK_V3, 8)[8, 1, 1, 1].costs == ("latent_copied",)


def test_experts_lie_on_one_server_or_on_all():
    found = options(DEEPSEEK_V3, 8, servers=2)
    assert found[1, 1, 8, 16].costs == ()  # attention on each GPU, 256 experts over eight
    assert found[1, 1, 16, 16].costs == ("experts_over_network",)
    assert found[8, 1, 8, 2].costs == ("latent_copied",)
    assert {shape[2] for shape in options(LLAMA_70B, 8, servers=2)} == {1}  # nothing to spread
    assert options(DEEPSEEK_V3, 8, link="pcie", joined=1)[1, 1, 8, 8].costs == ("experts_over_pcie",)


def test_experts_over_replicas_take_their_share_and_attention_its_whole():
    def weights(layout):
        return total(weight_lines(DEEPSEEK_V3, "fp8", layout, H200))

    alone = weights(split()).typical
    spread = weights(replace(split(replicas=8), expert_parallel=8)).typical
    # 58 layers of 256 experts of three matrices 7168 x 2048 in 8 bits, seven eighths of them elsewhere
    experts = 58 * 256 * 3 * 7168 * 2048
    assert alone - spread == pytest.approx(7 / 8 * experts, rel=0.01)
    assert weights(replace(split(8), expert_parallel=8)) == weights(split(8))


def test_a_model_wider_than_a_server_lies_on_several():
    found = options(DEEPSEEK_V3, 8, servers=2)
    wide = found[8, 2, 1, 1]
    assert (wide.servers_per_replica, wide.path) == (2, "network")
    assert "pipeline_over_network" in wide.costs
    half = cache_bytes(
        DEEPSEEK_V3, tokens=1000, requests=1, kv_precision="bf16", tensor_parallel=8, pipeline_parallel=2
    )
    assert half.typical == 1000 * 31 * 1152  # 31 of 61 layers


@given(
    model=st.sampled_from([LLAMA_70B, DEEPSEEK_V3, QWEN25_7B, BGE_M3]),
    gpus=st.sampled_from([1, 2, 3, 4, 6, 8]),
    servers=st.integers(1, 6),
    link=st.sampled_from(["nvswitch", "bridge", "pcie"]),
    joined=st.sampled_from([1, 2, 4, 8]),
)
def test_every_option_accounts_for_each_card(model, gpus, servers, link, joined):
    found = valid_layouts(model, gpus_per_server=gpus, servers=servers, link=link, link_max_gpus=joined)
    layouts = [x.layout for x in found]
    assert len(set(layouts)) == len(layouts)
    assert set(inference_layouts(model, gpus_per_server=gpus, servers=servers, link_max_gpus=joined)) <= set(
        layouts
    )
    for option in found:
        layout = option.layout
        assert layout.gpus_used + layout.idle_gpus == gpus * servers
        assert layout.tensor_parallel <= gpus
        assert layout.gpus_per_replica <= gpus * option.servers_per_replica
        assert layout.tensor_parallel * layout.replicas % layout.expert_parallel == 0
        assert ("idle" in option.costs) == (layout.idle_gpus > 0)
        assert (option.path is None) == (layout.gpus_per_replica == 1)


def test_no_cards_no_layout():
    with pytest.raises(SizingError):
        inference_layouts(LLAMA_70B, gpus_per_server=0, servers=1, link_max_gpus=1)


@pytest.mark.parametrize(
    ("servers", "link", "joined", "path"),
    [
        (1, "bridge", 4, "bridge"),
        (1, "bridge", 2, "pcie"),  # four copies, bridges that join two: the others talk over PCIe
        (1, "pcie", 1, "pcie"),
        (2, "nvswitch", 8, "network"),
    ],
)
def test_a_step_of_training_waits_for_the_slowest_link_between_copies(servers, link, joined, path):
    layout = Layout(1, 1, 4 * servers, 0, crosses_link=False)
    option = training_option(LLAMA_70B, layout, servers=servers, link=link, link_max_gpus=joined)
    assert option.path == path
