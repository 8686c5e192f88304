from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from recommender.sizing.latency import (
    burst_output_tokens_per_s,
    computing_precision,
    largest,
    prepare,
)
from recommender.sizing.specs import Layout, SizingError
from tests.sizing.speed_examples import (
    A100,
    B200,
    BGE_M3,
    DEEPSEEK_V3,
    EIGHT,
    GEMMA_27B,
    H20,
    H100,
    H200,
    L4,
    L40S,
    LLAMA_8B,
    LLAMA_70B,
    LLAMA_405B,
    ONE,
    QWEN3_8B,
    QWEN_30B_A3B,
    RATE_UNKNOWN,
)

MODELS = [LLAMA_8B, LLAMA_70B, QWEN_30B_A3B, DEEPSEEK_V3, GEMMA_27B]


def served(model=LLAMA_8B, gpu=H100, layout=ONE, requests=1, **changes):
    load = {
        "link": "nvswitch" if gpu.nvlink_bytes_per_s else "pcie",
        "link_bytes_per_s": gpu.nvlink_bytes_per_s or gpu.pcie_bytes_per_s,
        "precision": "bf16",
        "kv_precision": "bf16",
        "input_tokens": 1000,
        "output_tokens": 300,
    }
    replica = prepare(model, gpu, layout, **(load | changes))
    return None if replica is None else replica.serving(requests)


# --- what others measured -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "gpu", "layout", "precision", "requests", "input_tokens", "output_tokens", "measured"),
    [
        # NVIDIA's TensorRT-LLM performance overview; requests as many as the card's memory held
        (LLAMA_8B, H100, ONE, "fp8", 524, 1000, 1000, 15_220),
        (LLAMA_8B, H100, ONE, "fp8", 481, 2048, 128, 3450),
        (LLAMA_70B, H200, ONE, "fp8", 204, 1000, 1000, 2909),
        (LLAMA_70B, H200, ONE, "fp8", 18, 20_000, 2000, 283),
        (LLAMA_405B, H100, EIGHT, "fp8", 229, 1000, 1000, 2919),
    ],
)
def test_tuned_engine_at_steady_state(
    model, gpu, layout, precision, requests, input_tokens, output_tokens, measured
):
    rate = served(
        model,
        gpu,
        layout,
        precision=precision,
        kv_precision="fp8",
        requests=requests,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        engine="tensorrt_llm",
    ).output_tokens_per_s
    assert rate.low <= measured <= rate.high
    assert rate.typical == pytest.approx(measured, rel=0.25)


def test_tuned_mixture_with_four_bit_weights():
    # Qwen3-30B-A3B at FP4 on one B200, prompts of 20,000 and answers of 2,000 tokens (same overview)
    rate = served(
        QWEN_30B_A3B,
        B200,
        precision="fp4",
        kv_precision="fp8",
        requests=148,
        input_tokens=20_000,
        output_tokens=2000,
        engine="tensorrt_llm",
    ).output_tokens_per_s
    assert rate.low <= 2944 <= rate.high


def test_one_stream_as_installed():
    # A100 with a 7B model at 16 bit, one stream of 1,024 + 1,024 tokens: 85 tokens/s with vLLM
    seven = replace(LLAMA_8B, slug="qwen2-7b", parameters=7_615_616_512, num_layers=28, hidden_size=3584)
    rate = served(seven, A100, input_tokens=1024, output_tokens=1024).output_tokens_per_s
    assert rate.low <= 85 <= rate.high


@pytest.mark.parametrize(
    ("precision", "input_tokens", "measured"),
    [("bf16", 1, 81.73), ("fp8", 1, 150.25), ("int4", 1, 144.11)],
)
def test_one_stream_where_whole_tiles_outlast_the_memory(precision, input_tokens, measured):
    """Qwen3's published SGLang speeds of Qwen3-8B on H20: a third of what its memory would allow."""
    found = served(QWEN3_8B, H20, input_tokens=input_tokens, output_tokens=2048, precision=precision)
    rate = found.output_tokens_per_s
    assert rate.low < measured < rate.high
    assert rate.typical == pytest.approx(measured, rel=0.15)


def test_tiles_count_only_where_arithmetic_is_scarce():
    """64 rows for 7.57e9 parameters take 6.5 ms of H20's printed 148 TFLOPS, 1 ms of an H100's 989."""
    assert served(QWEN3_8B, H20).tpot_s.low > 6.5e-3
    assert served(QWEN3_8B, H100).tpot_s.low < served(QWEN3_8B, H20).tpot_s.low
    # The rest of a tile is free: requests that share one hardly cost more than one alone, each about 0.08 ms.
    few, alone = (
        served(QWEN3_8B, H20, requests=requests, input_tokens=1, output_tokens=1000).tpot_s.typical
        for requests in (16, 1)
    )
    assert few < alone + 16 * 0.1e-3 < 1.15 * alone


def test_plain_pytorch_is_bound_by_launches():
    # litgpt: Llama-2-13B at 16 bit on a 40 GB A100 (1,555 GB/s), 24.8 tokens/s
    thirteen = replace(
        LLAMA_8B, slug="llama-2-13b", parameters=13_015_864_320, num_layers=40, hidden_size=5120
    )
    card = replace(A100, slug="nvidia-a100-sxm-40gb", bandwidth_bytes_per_s=1555e9)
    tpot = served(thirteen, card, input_tokens=64, output_tokens=200, eager=True).tpot_s
    assert tpot.low <= 1 / 24.8 <= tpot.high


def test_burst_counts_the_time_when_few_still_run():
    burst = {
        "link": "none",
        "link_bytes_per_s": None,
        "precision": "bf16",
        "kv_precision": "bf16",
        "input_tokens": 217,
        "output_tokens": 202,
        "prompts": 1000,
        "slots": 256,
    }
    chat = burst_output_tokens_per_s(LLAMA_8B, A100, ONE, even_lengths=False, **burst)
    even = burst_output_tokens_per_s(LLAMA_8B, A100, ONE, even_lengths=True, **burst)
    assert chat.typical < even.typical


# --- physics ------------------------------------------------------------------------------------------------


def test_long_prompt_never_beats_the_printed_rate():
    # 2 x 405.9e9 parameters x 120,000 tokens on eight B200 of 4.5e15 FLOP/s: at least 2.7 s
    ttft = served(LLAMA_405B, B200, EIGHT, precision="fp8", input_tokens=120_000, requests=4).ttft_s
    assert ttft.low >= 2.7


@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt_llm", "other"])
@pytest.mark.parametrize("requests", [1, 16, 256])
def test_a_token_never_comes_faster_than_its_bytes(engine, requests):
    # 15.0 GB of weights that are read, 131,072 cache bytes a token
    weights = (8_030_261_248 - 128_256 * 4096) * 2
    cache = requests * 1000 * 131_072
    tpot = served(requests=requests, engine=engine).tpot_s
    assert tpot.low >= (weights + cache) / 3350e9


@pytest.mark.parametrize("requests", [1, 16, 256, 4096])
def test_a_token_never_comes_faster_than_its_arithmetic(requests):
    tpot = served(requests=requests, engine="tensorrt_llm", input_tokens=1, output_tokens=1).tpot_s
    assert tpot.low >= requests * 2 * 7.5e9 / 989.5e12


def test_four_bit_weights_read_faster_but_multiply_as_slowly():
    alone, packed = served(input_tokens=8000), served(input_tokens=8000, precision="int4")
    assert packed.tpot_s.typical < alone.tpot_s.typical
    assert packed.ttft_s.typical == pytest.approx(alone.ttft_s.typical, rel=0.05)


def test_eight_bit_weights_speed_up_prompts_only_where_the_card_multiplies_them():
    long = {"input_tokens": 8000}
    assert served(precision="fp8", **long).ttft_s.typical < 0.75 * served(**long).ttft_s.typical
    a100 = served(gpu=A100, precision="fp8", **long).ttft_s.typical
    assert a100 == pytest.approx(served(gpu=A100, **long).ttft_s.typical, rel=0.05)


def test_computing_type_of_cards():
    assert computing_precision(H100, "fp8") == "fp8"
    assert computing_precision(A100, "fp8") == "bf16"
    assert computing_precision(B200, "int4") == "bf16"
    assert computing_precision(B200, "fp4") == "fp4"


def test_limits_count_for_what_they_are_printed_for():
    # Makers rate a superchip by the GPU and other boards as a whole, whatever both are made of.
    chip = replace(H100, slug="chip", form="superchip", devices_per_board=2, tdp_w=150)
    board = replace(H100, slug="board", form="pcie", devices_per_board=2, tdp_w=150)
    prompt = {"input_tokens": 20_000, "output_tokens": 1}
    plain = served(gpu=H100, **prompt).ttft_s.typical
    assert served(gpu=chip, **prompt).ttft_s.typical == plain
    assert served(gpu=board, **prompt).ttft_s.typical > 1.2 * plain


def test_a_mixture_reads_more_experts_the_more_requests_run():
    one = served(QWEN_30B_A3B).tpot_s.typical
    many = served(QWEN_30B_A3B, requests=64).tpot_s.typical
    dense = replace(QWEN_30B_A3B, slug="dense", experts=0, active_parameters=None)
    assert one < 0.5 * served(dense).tpot_s.typical
    assert many / one > served(dense, requests=64).tpot_s.typical / served(dense).tpot_s.typical


def test_splitting_over_pcie_is_slower_than_over_a_switch():
    two = Layout(2, 1, 1, 0, False)
    switch = served(LLAMA_70B, H100, two, precision="fp8", input_tokens=4000)
    pcie = served(LLAMA_70B, H100, replace(two, crosses_link=True), precision="fp8", input_tokens=4000)
    assert pcie.ttft_s.typical > 1.2 * switch.ttft_s.typical
    assert pcie.tpot_s.typical > switch.tpot_s.typical


def test_sliding_windows_spare_reading_at_long_contexts():
    full = replace(GEMMA_27B, slug="full", cache_groups=(replace(GEMMA_27B.cache_groups[0], layers=62),))
    load = {"input_tokens": 60_000, "requests": 2}
    assert served(GEMMA_27B, **load).tpot_s.typical < served(full, **load).tpot_s.typical
    assert served(GEMMA_27B, **load).ttft_s.typical < served(full, **load).ttft_s.typical


def test_a_shared_start_is_read_again_only_where_the_cache_gave_it_away():
    plain, shared = served(input_tokens=8000), served(input_tokens=8000, prefix_percent=100)
    # At best nothing is left to read but the weights; at worst half of the start.
    assert shared.ttft_s.low < 0.1 * plain.ttft_s.low
    assert 0.4 * plain.ttft_s.high < shared.ttft_s.high < 0.7 * plain.ttft_s.high
    assert shared.ttft_s.low < shared.ttft_s.typical < shared.ttft_s.high
    assert served(input_tokens=8000, prefix_percent=0) == plain


def proposed(draft, requests=1, model=LLAMA_70B, gpu=H200, **changes):
    load = {"link": "none", "link_bytes_per_s": None, "precision": "fp8", "kv_precision": "bf16"}
    load |= {"input_tokens": 1000, "output_tokens": 300, "draft": draft} | changes
    return prepare(model, gpu, ONE, **load).serving(requests)


def test_a_draft_model_may_double_the_pace_of_a_single_stream_and_may_not():
    plain, drafted = proposed(None), proposed(LLAMA_8B)
    # 2 to 3 times in Leviathan et al., 2023, table 2, with a draft that suits the text
    assert 1.3 < plain.tpot_s.low / drafted.tpot_s.low < 3.4
    assert drafted.tpot_s.high / drafted.tpot_s.low > plain.tpot_s.high / plain.tpot_s.low
    assert drafted.ttft_s.typical > plain.ttft_s.typical  # it reads the prompt too


def test_a_draft_model_is_no_help_where_arithmetic_is_the_limit():
    assert proposed(LLAMA_8B, 512).tpot_s.typical > proposed(None, 512).tpot_s.typical


def test_a_draft_model_as_large_as_the_model_only_costs_time():
    assert proposed(replace(LLAMA_70B, slug="twin")).tpot_s.low > proposed(None).tpot_s.low


def test_a_prediction_layer_of_its_own_gives_up_to_two_tokens_a_step():
    plain, own = proposed(None), proposed(LLAMA_70B)
    assert 1.5 < plain.tpot_s.typical / own.tpot_s.typical < 1.9
    assert own.ttft_s.typical < plain.ttft_s.typical * 1.01  # no second model reads the prompt


def test_all_at_once_waits_longer_than_spread_out():
    assert served(requests=32, batch=True).ttft_s.high > served(requests=32).ttft_s.high


def test_full_contexts_slow_the_unfavourable_end_only():
    usual, full = served(requests=20), served(requests=20, context_tokens=32_768)
    assert full.tpot_s.high > usual.tpot_s.high
    assert full.tpot_s.typical == usual.tpot_s.typical


# --- monotony -----------------------------------------------------------------------------------------------

loads = st.fixed_dictionaries(
    {
        "requests": st.integers(1, 2000),
        "input_tokens": st.integers(1, 100_000),
        "output_tokens": st.integers(1, 8000),
        "context_tokens": st.none() | st.integers(1, 200_000),
        "prefix_percent": st.integers(0, 100),
        "batch": st.booleans(),
    }
)


@given(
    load=loads,
    model=st.sampled_from(MODELS),
    gpu=st.sampled_from([A100, H100, B200, L40S, L4]),
    layout=st.sampled_from([ONE, EIGHT, Layout(2, 4, 1, 0, False), Layout(4, 1, 2, 0, True)]),
    engine=st.sampled_from(["vllm", "tensorrt_llm"]),
    more=st.sampled_from(["requests", "input_tokens"]),
    factor=st.floats(1.01, 20),
)
def test_more_load_is_never_faster(load, model, gpu, layout, engine, more, factor):
    harder = load | {more: int(load[more] * factor) + 1}
    easy = served(model, gpu, layout, engine=engine, **load)
    hard = served(model, gpu, layout, engine=engine, **harder)
    for figure in ("ttft_s", "tpot_s"):
        for end in ("low", "typical", "high"):
            before, after = getattr(getattr(easy, figure), end), getattr(getattr(hard, figure), end)
            assert after >= before * (1 - 1e-9), (figure, end)


# --- the largest load that keeps the targets ----------------------------------------------------------------


def most(ttft_s, tpot_s, limit=500, gpu=H100, **changes):
    load = {
        "link": "none",
        "link_bytes_per_s": None,
        "precision": "bf16",
        "kv_precision": "bf16",
        "input_tokens": 1000,
        "output_tokens": 300,
    } | changes
    replica = prepare(LLAMA_8B, gpu, ONE, **load)
    return replica and largest(limit, lambda requests: replica.keeps(requests, ttft_s, tpot_s, 2))


def test_the_largest_load_is_the_last_that_keeps_the_targets():
    kept = most(2.0, 0.05)
    assert 1 < kept < 500
    assert served(requests=kept).tpot_s.high <= 0.05
    assert served(requests=kept + 1).tpot_s.high > 0.05 or served(requests=kept + 1).ttft_s.high > 2.0


def test_the_largest_load_at_its_edges():
    assert most(None, None) == 500
    assert most(None, 1e-4) == 0
    assert most(2.0, 0.1, gpu=RATE_UNKNOWN) is None


# --- what cannot be sized -----------------------------------------------------------------------------------


def test_unknown_rates_give_no_figure():
    assert served(gpu=RATE_UNKNOWN) is None
    assert served(gpu=replace(H100, slug="no-bandwidth", bandwidth_bytes_per_s=None)) is None
    assert served(replace(LLAMA_8B, slug="not-understood", cache_known=False, cache_groups=())) is None


@pytest.mark.parametrize(
    "changes", [{"requests": 0}, {"output_tokens": 0}, {"input_tokens": -1}, {"prefix_percent": 101}]
)
def test_a_load_that_makes_no_sense(changes):
    with pytest.raises(SizingError):
        served(**changes)


def test_only_language_models_are_served():
    with pytest.raises(SizingError):
        served(BGE_M3)


def test_a_model_known_by_its_size_alone():
    bare = LLAMA_8B.__class__(slug="own-8b", kind="llm", parameters=8_000_000_000)
    known, guessed = served().ttft_s, served(bare).ttft_s
    assert guessed.typical == pytest.approx(known.typical, rel=0.3)
