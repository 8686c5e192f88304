from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from recommender.sizing.layouts import training_layouts
from recommender.sizing.specs import AIModelSpec, CacheGroup, Layout, SizingError
from recommender.sizing.training import flops_per_token, least_gpu_seconds, training_seconds
from tests.sizing.speed_examples import (
    A100,
    B200,
    H100,
    H200,
    L40S,
    LLAMA_8B,
    LLAMA_70B,
    ONE,
    QWEN_30B_A3B,
    RATE_UNKNOWN,
)

HOUR = 3600


def workers(count):
    return Layout(1, 1, count, 0, False)


def trained(model=LLAMA_8B, gpu=H100, layout=None, **changes):
    recipe = {
        "link": "nvswitch",
        "link_bytes_per_s": gpu.nvlink_bytes_per_s,
        "method": "pretraining",
        "precision": "bf16",
        "sequence_tokens": 4096,
        "global_batch": 512,
        "micro_batch": 2,
        "recompute": "selective",
        "tokens": 1e9,
    }
    return training_seconds(model, gpu, layout or workers(8), **(recipe | changes))


def per_gpu(time, tokens, gpus):
    """Tokens per second and GPU: low, typical, high."""
    return tokens / time.high / gpus, tokens / time.typical / gpus, tokens / time.low / gpus


def test_eight_h100_train_8b_on_200_billion_tokens():
    # 9.6e21 FLOP; at 30 to 55 % of the printed rate 615 to 1,127 hours
    time = trained(tokens=200e9).scaled(1 / HOUR)
    assert 600 <= time.typical <= 1200
    assert time.low >= 200e9 * 6 * 7.5e9 / (8 * 989.5e12) / HOUR


def test_four_h100_train_8b_on_50_billion_tokens():
    time = trained(layout=workers(4), tokens=50e9).scaled(1 / HOUR)
    assert 307 <= time.typical <= 564


@pytest.mark.parametrize(
    (
        "parameters",
        "layers",
        "hidden",
        "gpu",
        "gpus",
        "sequence",
        "micro_batch",
        "batch",
        "recompute",
        "measured",
    ),
    [
        # MosaicML llm-foundry, training benchmark tables
        (6_658_859_008, 32, 4096, H100, 8, 2048, 6, 48, "none", 10_643),
        (6_684_024_832, 32, 4096, H100, 8, 8192, 8, 128, "full", 6935),
        (64_862_437_376, 80, 8192, H100, 128, 2048, 8, 1024, "full", 1058),
        (12_853_954_560, 40, 5120, A100, 8, 2048, 2, 48, "none", 2262),
        (64_862_437_376, 80, 8192, A100, 64, 2048, 8, 2048, "full", 410),
    ],
)
def test_sharded_pretraining(
    parameters, layers, hidden, gpu, gpus, sequence, micro_batch, batch, recompute, measured
):
    heads = hidden // 128
    model = AIModelSpec(
        slug=f"mpt-{parameters}",
        kind="llm",
        parameters=parameters,
        num_layers=layers,
        hidden_size=hidden,
        num_attention_heads=heads,
        num_kv_heads=heads,
        head_dim=128,
        vocab_size=50_368,
        tie_embeddings=True,
        cache_groups=(CacheGroup("full", layers, kv_heads=heads, head_dim=128),),
    )
    time = trained(
        model,
        gpu,
        workers(gpus),
        sequence_tokens=sequence,
        micro_batch=micro_batch,
        global_batch=batch,
        recompute=recompute,
        servers=max(gpus // 8, 1),
    )
    low, typical, high = per_gpu(time, 1e9, gpus)
    assert low <= measured <= high
    assert typical == pytest.approx(measured, rel=0.25)


def test_adapters_of_a_70b_model_on_eight_h200():
    # MLPerf Training: Llama-2-70B LoRA, FP8, two GPUs a sequence of 8,192: 2,535-2,648 tokens/s/GPU
    time = trained(
        LLAMA_70B,
        H200,
        Layout(2, 1, 4, 0, False),
        method="lora",
        precision="fp8",
        sequence_tokens=8192,
        global_batch=8,
        micro_batch=1,
        recompute="none",
        stack="tuned",
    )
    low, _, high = per_gpu(time, 1e9, 8)
    assert low <= 2600 <= high


def test_flops_of_a_token():
    matrix, attention = flops_per_token(LLAMA_8B, "pretraining", 4096)
    assert matrix == pytest.approx(6 * 7.5e9, rel=0.01)  # without the input embedding
    assert attention == pytest.approx(6 * 32 * 4096 * 4096)  # 12 L H S, half of it causal
    assert flops_per_token(LLAMA_8B, "lora", 4096)[0] == pytest.approx(matrix * 4 / 6)


def test_a_mixture_works_with_its_active_parameters():
    matrix, _ = flops_per_token(QWEN_30B_A3B, "full", 4096)
    assert matrix == pytest.approx(6 * 3.3e9, rel=0.1)


def test_pcie_costs_time_where_states_are_shared_out():
    joined = trained(gpu=A100, layout=workers(4), micro_batch=1)
    cards = trained(gpu=A100, layout=workers(4), micro_batch=1, link="pcie", link_bytes_per_s=64e9)
    assert cards.typical > joined.typical
    assert cards.high > joined.high


def test_a_small_batch_leaves_workers_without_work():
    assert (
        trained(global_batch=4, micro_batch=1).typical
        > 1.5 * trained(global_batch=512, micro_batch=1).typical
    )


def test_quantized_adapters_are_not_faster():
    lora = trained(method="lora", layout=ONE, micro_batch=1)
    qlora = trained(method="qlora", precision="int4", layout=ONE, micro_batch=1)
    assert qlora.typical > lora.typical


def test_four_bit_training_only_where_the_card_multiplies_it():
    assert trained(precision="fp4").typical == trained(precision="bf16").typical
    assert trained(gpu=B200, precision="fp4").typical < trained(gpu=B200, precision="bf16").typical


def test_unknown_rate_gives_no_figure():
    assert trained(gpu=RATE_UNKNOWN, link_bytes_per_s=None) is None


@pytest.mark.parametrize(
    "changes", [{"tokens": -1}, {"sequence_tokens": 0}, {"micro_batch": 0}, {"servers": 0}]
)
def test_amounts_that_make_no_training(changes):
    with pytest.raises(SizingError):
        trained(**changes)


@given(
    tokens=st.floats(1e6, 1e13),
    factor=st.floats(1.0, 10),
    gpu=st.sampled_from([A100, H100, B200, L40S]),
    method=st.sampled_from(["pretraining", "full", "lora", "qlora"]),
    count=st.sampled_from([1, 2, 4, 8]),
    sequence=st.integers(128, 131_072),
)
def test_training_is_bounded_and_grows_with_its_tokens(tokens, factor, gpu, method, count, sequence):
    recipe = {"method": method, "sequence_tokens": sequence, "link_bytes_per_s": gpu.nvlink_bytes_per_s}
    less = trained(gpu=gpu, layout=workers(count), tokens=tokens, **recipe)
    more = trained(gpu=gpu, layout=workers(count), tokens=tokens * factor, **recipe)
    assert more.typical >= less.typical
    matrix, attention = flops_per_token(LLAMA_8B, method, sequence)
    assert less.low >= tokens * (matrix + attention) / (count * gpu.dense_flops["bf16"])


def test_more_servers_are_faster_but_not_for_nothing():
    one = trained()
    two = trained(layout=workers(16), servers=2)
    assert one.typical / 2 < two.typical < one.typical


def test_stated_network_counts():
    fast = trained(layout=workers(16), servers=2, network_bytes_per_s=800e9)
    slow = trained(layout=workers(16), servers=2, network_bytes_per_s=2.5e9, global_batch=32)
    assert slow.typical > fast.typical


def test_sixteen_bit_type_of_older_cards():
    turing = replace(
        A100,
        slug="nvidia-t4",
        architecture="Turing",
        dense_flops={"fp16": 65e12},
        native_precisions=frozenset({"fp16"}),
    )
    assert trained(gpu=turing, layout=ONE, method="lora").typical > 0


def test_limits_count_for_what_they_are_printed_for():
    chip = replace(H100, slug="chip", form="superchip", devices_per_board=2, tdp_w=150)
    board = replace(H100, slug="board", form="pcie", devices_per_board=2, tdp_w=150)
    assert trained(gpu=chip).typical == trained().typical
    assert trained(gpu=board).typical > 1.2 * trained().typical


@pytest.mark.parametrize("method", ["pretraining", "full", "lora", "qlora"])
@pytest.mark.parametrize("model", [LLAMA_8B, QWEN_30B_A3B])
@pytest.mark.parametrize("gpu", [H100, B200, L40S])
def test_no_layout_takes_less_than_computing_alone(model, gpu, method):
    recipe = {"method": method, "precision": "bf16", "sequence_tokens": 4096, "tokens": 1e9}
    nearest = []
    for recompute in ("none", "selective", "full"):
        least = least_gpu_seconds(model, gpu, recompute=recompute, **recipe)
        for servers in (1, 3, 8):
            for layout in training_layouts(model, gpus_per_server=8, servers=servers, link_max_gpus=8):
                found = trained(model, gpu, layout, servers=servers, recompute=recompute, **recipe)
                ends = zip(
                    (found.low, found.typical, found.high),
                    (least.low, least.typical, least.high),
                    strict=True,
                )
                nearest += [end * 8 * servers / bound for end, bound in ends]
    assert 1 <= min(nearest) < 1.6  # and it is no idle bound
