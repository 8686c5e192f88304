"""Layouts that heads, cards and links allow."""

import pytest
from hypothesis import given, strategies as st

from recommender.sizing.layouts import inference_layouts, tensor_degrees, training_layouts
from recommender.sizing.specs import SizingError
from tests.sizing.memory_examples import (
    BGE_M3,
    DEEPSEEK_V3,
    LLAMA_3B,
    LLAMA_70B,
    QWEN25_7B,
    QWEN25_14B,
    dense,
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


def test_no_cards_no_layout():
    with pytest.raises(SizingError):
        inference_layouts(LLAMA_70B, gpus_per_server=0, servers=1, link_max_gpus=1)
