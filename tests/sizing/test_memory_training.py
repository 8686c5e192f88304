"""Training memory against papers, published tables of peaks and users' reports."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from recommender.sizing.memory import TrainingSetup, adapter_parameters, driver_reserve, training_memory
from recommender.sizing.specs import GB, GIB, SizingError
from tests.sizing.memory_examples import (
    A10,
    A100,
    A100_40,
    BGE_M3,
    H100,
    H200,
    LLAMA_2_7B,
    LLAMA_2_13B,
    LLAMA_3B,
    LLAMA_8B,
    LLAMA_70B,
    MIXTRAL,
    PHI_2,
    QWEN25_14B,
    RESNET_50,
    dense,
    split,
)

SEVEN_B = dense("seven", 7_000_000_000, 32, 4096, 32, 32, 128, 11_008, 32_000)


def train(model, gpu=H100, layout=None, **asked):
    known = {
        "method": "full",
        "precision": "bf16",
        "optimizer": "adamw",
        "lora_rank": 16,
        "sequence_tokens": 2048,
        "micro_batch": 1,
        "recompute": "full",
        "sharding": "none",
    }
    return training_memory(model, gpu, layout or split(), TrainingSetup(**(known | asked)))


def states(memory):
    """Return weights, gradients and optimizer states together [bytes]."""
    return memory.weights.typical + memory.gradients.typical + memory.optimizer.typical


def peak(memory, gpu):
    """Return what an allocator counts: all but the driver's part."""
    return memory.total.typical - driver_reserve(gpu).typical


@pytest.mark.parametrize(
    ("optimizer", "bytes_a_parameter"),
    [
        ("adamw", 16),
        ("adamw_fp32_gradients", 18),
        ("adamw_deepspeed", 20),
        ("adamw_fp32", 16),
        ("adamw_bf16", 8),
        ("adamw_8bit", 10),
        ("adamw_8bit_bf16", 6),
    ],
)
def test_recipes_by_their_bytes(optimizer, bytes_a_parameter):
    assert states(train(LLAMA_70B, optimizer=optimizer)) == 70_553_706_496 * bytes_a_parameter


def test_states_that_users_could_not_explain():
    assert states(train(LLAMA_70B)) / GB == pytest.approx(1128.8, abs=0.1)
    assert states(train(LLAMA_70B, optimizer="adamw_fp32_gradients")) / GB == pytest.approx(1269.9, abs=0.1)
    assert states(train(SEVEN_B)) == 112 * GB


@pytest.mark.parametrize(
    ("sharding", "expected_gb"),
    [
        ("none", 7 * 20),
        ("zero1", 7 * (2 + 6 + 12 / 8)),
        ("zero2", 7 * (2 + 18 / 8)),  # 29.75 GB, as DeepSpeed's own estimator counts
        ("zero3", 7 * 20 / 8),
    ],
)
def test_zero_stages_spread_states_over_workers(sharding, expected_gb):
    memory = train(SEVEN_B, layout=split(replicas=8), optimizer="adamw_deepspeed", sharding=sharding)
    assert states(memory) / GB == pytest.approx(expected_gb)


def test_shards_add_up_to_the_model():
    alone = states(train(LLAMA_70B))
    for layout in (split(replicas=8), split(2, 1, 4), split(4, 2, 2), split(8, 1, 8)):
        cards = layout.gpus_used
        spread = states(train(LLAMA_70B, layout=layout, sharding="zero3"))
        assert spread * cards == pytest.approx(alone)


def test_the_line_of_each_state_is_its_own():
    memory = train(LLAMA_8B, layout=split(replicas=4), sharding="zero1")
    assert memory.weights.typical == 2 * LLAMA_8B.parameters
    assert memory.gradients.typical == 2 * LLAMA_8B.parameters
    assert memory.optimizer.typical == 12 * LLAMA_8B.parameters / 4
    assert memory.kv_cache is None


def test_adapters_by_rank_and_targets():
    # litgpt counts 6,553,600 trained parameters for rank 8 on queries and values of Llama 2 13B
    assert adapter_parameters(LLAMA_2_13B, 8, "query_value") == 6_553_600
    # seven matrices of 32 layers: q and o 8192, k and v 5120, three of 18,432
    sides = 2 * 8192 + 2 * 5120 + 3 * 18_432
    assert adapter_parameters(LLAMA_8B, 16) == 16 * 32 * sides


def test_lora_keeps_the_whole_base_in_sixteen_bits():
    memory = train(LLAMA_70B, method="lora")
    assert memory.weights.typical / GIB == pytest.approx(131.4, rel=0.02)
    assert memory.gradients.typical < 0.01 * memory.weights.typical


def test_qlora_keeps_it_in_four():
    # 70B: 64.1 billion in linear layers at 4.127 bits, embedding and head in 16 (QLoRA, section 3)
    memory = train(LLAMA_70B, method="qlora")
    embeddings = 2 * 128_256 * 8192
    expected = (70_553_706_496 - embeddings) * 4.127 / 8 + 2 * embeddings
    adapters = 4 * adapter_parameters(LLAMA_70B, 16)
    assert memory.weights.typical == pytest.approx(expected + adapters, rel=0.001)


@pytest.mark.parametrize(
    ("model", "gpu", "asked", "published"),
    [
        # torchtune, Llama 3.2 3B, two packed sequences of 4096, everything in bf16 [GiB]
        (
            LLAMA_3B,
            A100,
            {"optimizer": "adamw_bf16", "sequence_tokens": 4096, "micro_batch": 2, "recompute": "none"}
            | {"accumulates": False, "compiled": False},
            60.0 * GIB,
        ),
        (
            LLAMA_3B,
            A100,
            {"optimizer": "adamw_bf16", "sequence_tokens": 4096, "micro_batch": 2, "recompute": "none"}
            | {"accumulates": False, "compiled": True, "chunked_loss": True},
            42.9 * GIB,
        ),
        (
            LLAMA_3B,
            A100,
            {"optimizer": "adamw_bf16", "sequence_tokens": 4096, "micro_batch": 2, "recompute": "full"}
            | {"accumulates": False, "compiled": True, "chunked_loss": True},
            24.9 * GIB,
        ),
        (  # each gradient used as it comes
            LLAMA_3B,
            A100,
            {"optimizer": "adamw_bf16", "sequence_tokens": 4096, "micro_batch": 2, "recompute": "full"}
            | {"used_at_once": True, "compiled": True, "chunked_loss": True},
            23.1 * GIB,
        ),
        (  # and activations in host memory
            LLAMA_3B,
            A100,
            {"optimizer": "adamw_bf16", "sequence_tokens": 4096, "micro_batch": 2, "recompute": "full"}
            | {"used_at_once": True, "compiled": True, "chunked_loss": True, "offload": "activations"},
            21.8 * GIB,
        ),
        (
            LLAMA_3B,
            A100,
            {"method": "lora", "lora_rank": 64, "sequence_tokens": 4096, "micro_batch": 2}
            | {"optimizer": "adamw_8bit_bf16", "accumulates": False}
            | {"compiled": True, "chunked_loss": True, "offload": "activations"},
            8.5 * GIB,
        ),
        # litgpt, rank 8 on queries and values, one sequence of 1304 [GB]
        (
            LLAMA_2_13B,
            A100_40,
            {"method": "lora", "lora_rank": 8, "lora_targets": "query_value"}
            | {"sequence_tokens": 1304, "recompute": "none"},
            38.12 * GB,
        ),
        (
            LLAMA_2_13B,
            A100_40,
            {"method": "qlora", "lora_rank": 8, "lora_targets": "query_value"}
            | {"sequence_tokens": 1304, "recompute": "none"},
            22.55 * GB,
        ),
        # litgpt, rank 32 on queries and values, two sequences of 512 [GB]
        (
            LLAMA_2_7B,
            A10,
            {"method": "lora", "lora_rank": 32, "lora_targets": "query_value"}
            | {"sequence_tokens": 512, "micro_batch": 2, "recompute": "none"},
            19.77 * GB,
        ),
        # litgpt, rank 8 everywhere, four sequences of 512 [GB]
        (
            PHI_2,
            A10,
            {"method": "lora", "lora_rank": 8, "sequence_tokens": 512, "micro_batch": 4}
            | {"recompute": "none"},
            13.98 * GB,
        ),
    ],
)
def test_peaks_of_published_runs(model, gpu, asked, published):
    memory = train(model, gpu, **asked)
    assert peak(memory, gpu) == pytest.approx(published, rel=0.15)
    assert memory.total.low - driver_reserve(gpu).low <= published <= memory.total.high


def test_zero_2_and_3_of_a_published_run():
    # ms-swift: Qwen2.5-14B, sequences of 8192, eight cards: 80 and 58 GiB
    asked = {"layout": split(replicas=8), "optimizer": "adamw_deepspeed", "sequence_tokens": 8192}
    assert train(QWEN25_14B, A100, sharding="zero2", **asked).total.typical / GIB == pytest.approx(
        80, rel=0.1
    )
    assert train(QWEN25_14B, A100, sharding="zero3", **asked).total.typical / GIB == pytest.approx(
        58, rel=0.1
    )


@pytest.mark.parametrize(
    ("model", "gpu", "layout", "asked", "ran"),
    [
        (LLAMA_70B, H100, split(replicas=8), {"sharding": "zero3"}, False),  # 1051 GiB on 637
        (LLAMA_70B, H200, split(replicas=16), {"sharding": "zero3"}, True),
        (LLAMA_70B, H100, split(), {"method": "lora"}, False),  # 131 GiB of base
        (LLAMA_70B, H100, split(), {"method": "qlora"}, True),
        (
            LLAMA_2_13B,
            A100_40,
            split(),
            {"method": "lora", "lora_targets": "query_value", "sequence_tokens": 1304, "micro_batch": 2}
            | {"recompute": "none"},
            False,
        ),
    ],
)
def test_verdicts(model, gpu, layout, asked, ran):
    memory = train(model, gpu, layout, **asked)
    assert (memory.total.typical <= memory.available.typical) is ran


def test_recomputing_keeps_less():
    kept = [train(LLAMA_8B, recompute=how).activations.typical for how in ("full", "selective", "none")]
    assert kept == sorted(kept)
    assert kept[0] < kept[2] / 3


def test_logits_are_a_line_that_grows_with_the_vocabulary():
    small = dense("small", LLAMA_8B.parameters, 32, 4096, 32, 8, 128, 14_336, 32_000)
    difference = train(LLAMA_8B).activations.low - train(small).activations.low
    assert difference >= 2048 * (128_256 - 32_000) * 4  # one fp32 copy is the least


@pytest.mark.parametrize(
    "wrong",
    [{"sequence_tokens": 0}, {"micro_batch": 0}, {"lora_rank": 0}, {"optimizer": "magic"}],
)
def test_impossible_wishes_are_refused(wrong):
    with pytest.raises(SizingError):
        train(LLAMA_8B, **wrong)


def test_a_model_without_layers_is_refused():
    with pytest.raises(SizingError):
        train(RESNET_50)
    assert train(BGE_M3, sequence_tokens=512).total.typical > 16 * BGE_M3.parameters


@given(
    model=st.sampled_from([LLAMA_3B, LLAMA_8B, MIXTRAL]),
    method=st.sampled_from(["pretraining", "full", "lora", "qlora"]),
    tokens=st.integers(1, 100_000),
    batch=st.integers(1, 64),
    rank=st.integers(1, 256),
    recompute=st.sampled_from(["none", "selective", "full"]),
    sharding=st.sampled_from(["none", "zero1", "zero2", "zero3"]),
    workers=st.sampled_from([1, 2, 8, 64]),
)
def test_more_of_anything_never_needs_less(model, method, tokens, batch, rank, recompute, sharding, workers):
    base = {
        "method": method,
        "sequence_tokens": tokens,
        "micro_batch": batch,
        "lora_rank": rank,
        "recompute": recompute,
        "sharding": sharding,
        "layout": split(replicas=workers),
        "lora_targets": "query_value",
        "optimizer": "adamw",
    }
    small = train(model, **base).total
    for more in (
        {"sequence_tokens": tokens * 2},
        {"micro_batch": batch + 1},
        {"lora_rank": rank * 2},
        {"optimizer": "adamw_fp32_gradients"},
        {"preference": True},
        {"frozen": (LLAMA_3B,)},
        {"lora_targets": "all"},
    ):
        large = train(model, **(base | more)).total
        assert small.low <= large.low
        assert small.typical <= large.typical
        assert small.high <= large.high


def test_embeddings_trained_beside_adapters_have_their_states():
    asked = {"method": "lora", "lora_rank": 64}
    alone, beside = train(LLAMA_8B, **asked), train(LLAMA_8B, trained_embeddings=True, **asked)
    # two tables of 128,256 x 4096: a second copy, its gradient and two moments, two bytes each
    assert states(beside) - states(alone) == 8 * 2 * 128_256 * 4096
    full = train(LLAMA_8B, trained_embeddings=True)
    assert full == train(LLAMA_8B)  # they are trained anyway


@given(
    method=st.sampled_from(["pretraining", "full", "lora", "qlora"]),
    tokens=st.integers(1, 50_000),
    recompute=st.sampled_from(["none", "selective", "full"]),
    sharding=st.sampled_from(["none", "zero2", "zero3"]),
    workers=st.sampled_from([1, 2, 64]),
)
def test_what_moves_to_the_host_never_needs_more_on_the_card(method, tokens, recompute, sharding, workers):
    asked = {
        "method": method,
        "sequence_tokens": tokens,
        "recompute": recompute,
        "sharding": sharding,
        "layout": split(replicas=workers),
    }
    here = train(LLAMA_8B, **asked).total
    for offload in ("optimizer", "activations", "both"):
        there = train(LLAMA_8B, offload=offload, **asked).total
        assert there.low <= here.low
        assert there.typical <= here.typical
        assert there.high <= here.high
    at_once = train(LLAMA_8B, used_at_once=True, **asked).total
    assert at_once.typical <= here.typical


@given(
    method=st.sampled_from(["pretraining", "full", "lora", "qlora"]),
    tokens=st.integers(1, 20_000),
    workers=st.sampled_from([1, 8]),
)
def test_names_and_order_change_nothing(method, tokens, workers):
    asked = {"method": method, "sequence_tokens": tokens, "layout": split(replicas=workers)}
    frozen = (LLAMA_3B, LLAMA_70B)
    renamed = replace(LLAMA_8B, slug="other")
    assert train(renamed, frozen=frozen[::-1], **asked) == train(LLAMA_8B, frozen=frozen, **asked)


@given(
    sharding=st.sampled_from(["zero1", "zero2", "zero3"]),
    workers=st.integers(2, 64),
    method=st.sampled_from(["pretraining", "full", "lora"]),
)
def test_sharding_never_keeps_more_states(sharding, workers, method):
    layout = split(replicas=workers)
    whole = states(train(LLAMA_8B, layout=layout, method=method))
    assert states(train(LLAMA_8B, layout=layout, method=method, sharding=sharding)) < whole


@pytest.mark.parametrize(
    ("workers", "asked", "published_gib"),
    [
        # torchtitan, December 2024: Llama 3.1 8B, fully sharded, each layer compiled and the loss not
        (8, {"sequence_tokens": 8192, "micro_batch": 2, "recompute": "selective"}, 77.0),
        (128, {"sequence_tokens": 8192, "micro_batch": 2, "recompute": "selective"}, 62.0),
        (8, {"sequence_tokens": 32_768, "micro_batch": 1, "recompute": "full"}, 83.9),
    ],
)
def test_a_loss_that_is_not_compiled_keeps_its_logits(workers, asked, published_gib):
    run = {"method": "pretraining", "optimizer": "adamw_fp32", "sharding": "zero3", "compiled": True} | asked
    layout = split(1, 1, workers)
    apart, whole, plain = (
        train(LLAMA_8B, H100, layout, **run | how)
        for how in ({"compiled_loss": False}, {}, {"compiled": False, "compiled_loss": False})
    )
    assert peak(apart, H100) / GIB == pytest.approx(published_gib, rel=0.12)
    assert abs(peak(apart, H100) / GIB - published_gib) < abs(peak(whole, H100) / GIB - published_gib)
    assert whole.total.typical < apart.total.typical <= plain.total.typical
