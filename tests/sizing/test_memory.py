"""Weights, serving memory and what fits, against checkpoints, engine logs and users' reports."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from recommender.sizing.lines import total
from recommender.sizing.memory import (
    driver_reserve,
    inference_memory,
    max_requests,
    weight_bytes,
)
from recommender.sizing.specs import GB, GIB, ExtraModule, Memory, Range, SizingError
from recommender.sizing.weights import parts, weight_lines
from tests.sizing.memory_examples import (
    A100,
    A100_40,
    B200,
    BGE_M3,
    DEEPSEEK_V3,
    DEEPSEEK_V32,
    GEMMA_3_27B,
    GPT_OSS_20B,
    H100,
    H200,
    L4,
    L40S,
    LLAMA_2_70B,
    LLAMA_3B,
    LLAMA_8B,
    LLAMA_70B,
    MI300X,
    MIXTRAL,
    PYTHIA_70M,
    QWEN3_600M,
    QWEN25_7B,
    QWEN35_27B,
    RESNET_50,
    RTX_PRO_6000,
    T4,
    UNKNOWN,
    card,
    split,
)

LINES = ("weights", "kv_cache", "activations", "optimizer", "gradients", "overhead")


def serve(model, gpu=H100, layout=None, **asked):
    known = {
        "precision": "bf16",
        "kv_precision": "bf16",
        "tokens_per_request": 8192,
        "requests": 1,
    }
    return inference_memory(model, gpu, layout or split(), **(known | asked))


def weights_per_gpu(*asked, **more):
    return total(weight_lines(*asked, **more))


def fits(memory: Memory) -> bool:
    return memory.total.high <= memory.available.low


def runs(memory: Memory) -> bool:
    return memory.total.typical <= memory.available.typical


# --- Weights ---


def test_two_bytes_a_parameter_in_sixteen_bits():
    assert weight_bytes(LLAMA_70B, "bf16").typical / GB == pytest.approx(141.1, abs=0.05)
    assert weight_bytes(LLAMA_70B, "bf16").typical / GIB == pytest.approx(131.4, abs=0.05)


def test_all_experts_stay_in_memory():
    assert weight_bytes(MIXTRAL, "bf16").typical / GB == pytest.approx(93.4, abs=0.05)


def test_deepseek_v3_with_its_prediction_layer():
    # 684.49 billion parameters in FP8 are 637.5 GiB; embeddings, head and routers stay in 16 bits
    assert weight_bytes(DEEPSEEK_V3, "fp8").typical / GIB == pytest.approx(637.5, rel=0.005)


def test_the_prediction_layer_is_loaded_only_for_drafting():
    asked = (DEEPSEEK_V3, "fp8", split(8), H200)
    without, with_it = weights_per_gpu(*asked), weights_per_gpu(*asked, with_mtp=True)
    assert (with_it.typical - without.typical) * 8 == pytest.approx(13.46e9, rel=0.005)


@pytest.mark.parametrize(
    ("model", "precision", "gpu", "tensor", "logged_gib"),
    [  # weights a GPU, as engines print them when they have loaded
        (LLAMA_8B, "bf16", H100, 1, 14.99),
        (LLAMA_70B, "bf16", H200, 4, 32.89),
        (LLAMA_70B, "fp8", H200, 4, 16.96),
        (QWEN25_7B, "fp16", card("nvidia-v100-32gb", 32, "fp16", capability=(7, 0)), 1, 14.27),
        (QWEN3_600M, "bf16", H100, 1, 1.12),
        (DEEPSEEK_V3, "fp8", B200, 8, 79.88),  # R1, the same shape
        (GPT_OSS_20B, "fp4", H100, 1, 13.47),
    ],
)
def test_weights_of_a_card_match_engine_logs(model, precision, gpu, tensor, logged_gib):
    found = weights_per_gpu(model, precision, split(tensor), gpu)
    assert found.typical / GIB == pytest.approx(logged_gib, rel=0.01)
    assert found.low / GIB <= logged_gib <= found.high / GIB


def test_a_measured_checkpoint_beats_the_recipe():
    measured = replace(QWEN35_27B, measured_weights={"fp8": 30_866_866_928})
    assert weight_bytes(measured, "fp8").typical == 30_866_866_928
    # the recipe alone comes near: embeddings, head and vision tower in 16 bits
    assert weight_bytes(QWEN35_27B, "fp8").typical == pytest.approx(30_866_866_928, rel=0.01)


@given(
    model=st.sampled_from(
        [LLAMA_2_70B, LLAMA_3B, QWEN3_600M, PYTHIA_70M, GEMMA_3_27B, QWEN35_27B, DEEPSEEK_V3, MIXTRAL]
    ),
    gpu=st.sampled_from([H100, MI300X]),
    tensor=st.sampled_from([1, 2, 8]),
    stages=st.sampled_from([1, 2]),
)
def test_fewer_bits_never_weigh_more(model, gpu, tensor, stages):
    layout = replace(split(tensor), pipeline_parallel=stages)
    for few in ("fp4", "int4"):
        for middle in ("fp8", "int8"):
            for narrow, wide in ((few, middle), (middle, "bf16"), ("bf16", "fp32")):
                for less, more in (
                    (weight_bytes(model, narrow), weight_bytes(model, wide)),
                    (
                        weights_per_gpu(model, narrow, layout, gpu),
                        weights_per_gpu(model, wide, layout, gpu),
                    ),
                ):
                    assert less.low <= more.low
                    assert less.typical <= more.typical
                    assert less.high <= more.high


def test_named_recipes_follow_their_papers():
    linear = LLAMA_2_70B.parameters - 2 * 32_000 * 8192
    rest = 2 * 2 * 32_000 * 8192
    plain = weight_bytes(LLAMA_2_70B, "int4", recipe="nf4").typical
    assert plain == pytest.approx(linear * (0.5 + 4 / 64) + rest)
    double = weight_bytes(LLAMA_2_70B, "int4", recipe="nf4-double").typical
    assert (plain - double) * 8 / linear == pytest.approx(0.373, abs=0.001)  # bits, QLoRA, section 3


def test_tensor_ranks_add_up_to_the_model():
    for tensor in (2, 4, 8):
        one = weights_per_gpu(LLAMA_70B, "bf16", split(tensor), H200).low
        assert one * tensor == pytest.approx(weights_per_gpu(LLAMA_70B, "bf16", split(), H200).low)


def test_towers_are_copied_to_each_rank():
    tower = 423_060_336 * 2
    alone = weights_per_gpu(GEMMA_3_27B, "bf16", split(), H200).typical
    paired = weights_per_gpu(GEMMA_3_27B, "bf16", split(2), H200).typical
    assert paired * 2 - alone == pytest.approx(tower, rel=0.01)


def test_parts_add_up_to_the_parameters():
    for model in (LLAMA_8B, MIXTRAL, DEEPSEEK_V3, GEMMA_3_27B, QWEN35_27B, GPT_OSS_20B, BGE_M3, RESNET_50):
        assert parts(model).total == pytest.approx(model.parameters)


def test_experts_are_found_from_their_shape():
    assert parts(MIXTRAL).experts == pytest.approx(8 * 3 * 4096 * 14_336 * 32, rel=0.01)
    assert parts(DEEPSEEK_V3).experts == pytest.approx(256 * 3 * 7168 * 2048 * 58, rel=0.01)


# --- Serving ---


def test_lines_add_up_to_the_total():
    memory = serve(LLAMA_8B, requests=20)
    for end in ("low", "typical", "high"):
        lines = [getattr(memory, line) for line in LINES]
        assert getattr(memory.total, end) == sum(getattr(line, end) for line in lines if line is not None)


def test_the_budget_is_usable_memory_times_utilization():
    assert serve(LLAMA_8B).available.low == 0.9 * H100.memory_bytes.low
    assert serve(LLAMA_8B, utilization=0.95).available.low == 0.95 * H100.memory_bytes.low
    derived = replace(H100, memory_bytes=Range(74.4 * GIB, 77 * GIB, 80 * GIB), memory_reported=False)
    assert serve(LLAMA_8B, derived).available.low == 0.9 * 74.4 * GIB


@pytest.mark.parametrize(
    ("model", "gpu", "tensor", "asked", "pool_gib"),
    [  # cache pool that vLLM reported
        (LLAMA_70B, B200, 4, {"precision": "bf16", "utilization": 0.92}, 127.02),
        (LLAMA_70B, B200, 4, {"precision": "fp8", "utilization": 0.92}, 142.94),
        (LLAMA_70B, H200, 4, {"precision": "bf16", "utilization": 0.92}, 91.57),
        (DEEPSEEK_V3, B200, 8, {"precision": "fp8", "utilization": 0.92}, 79.81),
        (GPT_OSS_20B, A100, 1, {"precision": "fp4", "utilization": 0.65}, 36.56),
        (GPT_OSS_20B, H100, 1, {"precision": "fp4", "build": "2025"}, 50.28),
        (QWEN3_600M, H100, 1, {"precision": "bf16", "build": "2025"}, 64.45),
        (LLAMA_70B, H100, 4, {"precision": "bf16", "build": "2025"}, 32.06),
    ],
)
def test_what_is_left_for_the_cache_matches_engine_logs(model, gpu, tensor, asked, pool_gib):
    memory = serve(model, gpu, split(tensor), requests=0, **asked)
    pool = memory.available.typical - memory.total.typical
    assert pool / GIB == pytest.approx(pool_gib, rel=0.04)
    lowest = memory.available.low - memory.total.high
    highest = memory.available.high - memory.total.low
    assert lowest / GIB <= pool_gib <= highest / GIB


@pytest.mark.parametrize(
    ("model", "gpu", "tensor", "asked", "fitted"),
    [  # reported by users
        (LLAMA_8B, L4, 1, {"tokens_per_request": 1024}, True),
        (LLAMA_2_70B, card("nvidia-a10", 22.49, "bf16"), 4, {"precision": "int4"}, True),
        (LLAMA_8B, card("nvidia-rtx-3090", 24, "bf16"), 1, {"tokens_per_request": 20_000}, True),
        (LLAMA_2_70B, A100_40, 1, {"precision": "bf16"}, False),
        (DEEPSEEK_V3, H100, 8, {"precision": "fp8"}, False),  # 637 GiB of weights on 637 GiB
        (LLAMA_8B, L4, 1, {"tokens_per_request": 8192, "requests": 20}, False),  # 15 + 20 GiB
        (MIXTRAL, H100, 1, {}, False),  # 87 GiB
        (LLAMA_70B, RTX_PRO_6000, 1, {}, False),  # 131 GiB
    ],
)
def test_verdicts_of_users(model, gpu, tensor, asked, fitted):
    memory = serve(model, gpu, split(tensor), **asked)
    assert runs(memory) is fitted
    assert fits(memory) is fitted


def test_a_long_prompt_read_in_one_piece_needs_its_activations():
    gpu = card("nvidia-rtx-3090", 24, "bf16 fp16", capability=(8, 6))
    old = {"build": "2024", "requests": 0}
    short = serve(LLAMA_8B, gpu, batch_tokens=20_000, **old).activations.typical
    long = serve(LLAMA_8B, gpu, batch_tokens=29_000, **old).activations.typical
    assert (long - short) / GIB == pytest.approx(2.64 - 1.72, rel=0.1)  # vLLM 0.6 on this card


def test_encoders_have_no_cache_line_and_vision_models_no_prompt():
    assert serve(BGE_M3, L4, precision="fp16").kv_cache is None
    assert serve(RESNET_50, T4, precision="fp16").kv_cache is None
    assert fits(serve(BGE_M3, L4, precision="fp16"))


@pytest.mark.parametrize("gpu", [L4, H100, T4])
def test_encoders_are_read_in_batches_of_32768_tokens_on_every_card(gpu):
    """vLLM, POOLING_MODEL_MAX_NUM_BATCHED_TOKENS; twice hidden 1024, three times inner 4096, in 16 bits."""
    activations = serve(BGE_M3, gpu, precision="fp16", tokens_per_request=512).activations
    assert activations.typical == 2 * 32_768 * (2 * 1024 + 3 * 4096)
    # a smaller batch can be set
    assert serve(BGE_M3, gpu, precision="fp16", batch_tokens=2048).activations.typical * 16 == (
        activations.typical
    )


def test_runtimes_that_do_not_cut_prompts_up_may_work_on_all_of_it():
    """Hidden 4096 four times and inner 14,336 three times, in 16 bits, at the high end."""
    for tokens in (20_000, 100_000):
        found = serve(LLAMA_8B, H200, engine="other", tokens_per_request=tokens).activations.high
        assert found == 2 * tokens * (4 * 4096 + 3 * 14_336)


def test_an_architecture_that_is_not_understood_still_has_weights():
    assert weight_bytes(UNKNOWN, "fp8").typical == pytest.approx(763.2e9, rel=0.001)
    with pytest.raises(SizingError):
        serve(UNKNOWN)


def test_adapters_and_drafts_take_their_place():
    alone = serve(LLAMA_70B, H200, split(4))
    adapted = serve(LLAMA_70B, H200, split(4), adapters=8)
    # rank 16 on all seven matrices of 80 layers, two bytes
    sides = 2 * (8192 + 8192) + 2 * (8192 + 1024) + 3 * (8192 + 28_672)
    expected = 8 * 16 * 80 * sides * 2 / 4
    assert adapted.weights.typical - alone.weights.typical == pytest.approx(expected)
    drafted = serve(LLAMA_70B, H200, split(4), draft=LLAMA_3B)
    assert drafted.weights.typical - alone.weights.typical == pytest.approx(2 * 3.213e9 / 4, rel=0.01)
    assert drafted.kv_cache.typical - alone.kv_cache.typical == 8192 * 2 * 28 * 8 * 128 * 2 / 4


def test_memory_outside_the_framework_is_in_the_overhead():
    assert driver_reserve(MI300X).high == 0
    assert serve(LLAMA_8B, H100).overhead.low >= driver_reserve(H100).low * 0.9


# --- Requests ---


def test_requests_fill_what_is_left():
    found = max_requests(
        LLAMA_8B, L40S, split(), precision="bf16", kv_precision="bf16", tokens_per_request=8192
    )
    # one GiB a request in 0.9 x 44.99 GiB less 15 GiB of weights and one to three of reserve
    assert 21 <= found.low <= found.typical <= found.high <= 25


def test_what_does_not_fit_runs_no_request():
    found = max_requests(
        LLAMA_70B, L40S, split(), precision="bf16", kv_precision="bf16", tokens_per_request=8192
    )
    assert found == Range.exact(0)


@given(
    model=st.sampled_from([LLAMA_8B, GEMMA_3_27B, QWEN35_27B, DEEPSEEK_V3, MIXTRAL]),
    gpu=st.sampled_from([H100, H200, B200, MI300X, L40S]),
    tensor=st.sampled_from([1, 2, 4, 8]),
    tokens=st.integers(1, 100_000),
    engine=st.sampled_from(["vllm", "sglang", "tensorrt_llm", "other"]),
)
def test_the_most_requests_fit_and_one_more_does_not(model, gpu, tensor, tokens, engine):
    asked = {"precision": "fp8", "kv_precision": "bf16", "tokens_per_request": tokens, "engine": engine}
    found = max_requests(model, gpu, split(tensor), **asked)
    low = int(found.low)
    if low:
        assert fits(inference_memory(model, gpu, split(tensor), requests=low, **asked))
    assert not fits(inference_memory(model, gpu, split(tensor), requests=low + 1, **asked))


@given(
    model=st.sampled_from([LLAMA_8B, GEMMA_3_27B, QWEN35_27B, DEEPSEEK_V3, MIXTRAL, GPT_OSS_20B]),
    gpu=st.sampled_from([H100, A100, L40S, T4, MI300X]),
    tensor=st.sampled_from([1, 2, 4, 8]),
    stages=st.sampled_from([1, 2, 4]),
    tokens=st.integers(1, 200_000),
    requests=st.integers(0, 400),
    adapters=st.integers(0, 32),
    engine=st.sampled_from(["vllm", "sglang", "tensorrt_llm", "other"]),
    build=st.sampled_from(["current", "2025", "2024"]),
    batch=st.integers(16, 64_000),
    bits=st.sampled_from(
        [("int4", "int8"), ("int4", "fp8"), ("fp4", "fp8"), ("fp8", "bf16"), ("int8", "bf16")]
    ),
)
def test_more_of_anything_never_needs_less(
    model, gpu, tensor, stages, tokens, requests, adapters, engine, build, batch, bits
):
    layout = split(tensor, stages)
    base = {
        "precision": bits[0],
        "kv_precision": "fp8",
        "build": build,
        "batch_tokens": batch,
        "tokens_per_request": tokens,
        "requests": requests,
        "adapters": adapters,
        "engine": engine,
    }
    small = inference_memory(model, gpu, layout, **base).total
    for more in (
        {"precision": bits[1]},
        {"kv_precision": "bf16"},
        {"batch_tokens": batch + 512},
        {"companions": (BGE_M3,)},
        {"tokens_per_request": tokens * 2},
        {"requests": requests + 7},
        {"adapters": adapters + 1},
        {"draft": LLAMA_3B},
    ):
        large = inference_memory(model, gpu, layout, **(base | more)).total
        assert small.low <= large.low
        assert small.typical <= large.typical
        assert small.high <= large.high


STEPS = [34.9, 35.1, 59.9, 60.1, 69.9, 70.1, 72.0, 159.9, 160.1]  # where engines step up their batches


@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt_llm", "other"])
@pytest.mark.parametrize("build", ["current", "2025", "2024"])
@pytest.mark.parametrize("tokens", [10, 3000])
def test_a_card_just_above_a_step_holds_no_less_than_one_just_below(engine, build, tokens):
    asked = {
        "precision": "fp8",
        "kv_precision": "bf16",
        "tokens_per_request": tokens,
        "engine": engine,
        "build": build,
    }
    held = [max_requests(LLAMA_8B, card("any", gib, "bf16 fp8"), split(), **asked) for gib in STEPS]
    for end in ("low", "typical", "high"):
        counts = [getattr(found, end) for found in held]
        assert counts == sorted(counts)


@given(
    model=st.sampled_from([LLAMA_8B, GEMMA_3_27B, DEEPSEEK_V3]),
    gib=st.one_of(st.sampled_from(STEPS), st.floats(8, 300)),
    more=st.one_of(st.sampled_from([0.2, 1.0, 2.0]), st.floats(0, 200)),
    tokens=st.integers(1, 50_000),
    engine=st.sampled_from(["vllm", "sglang", "tensorrt_llm", "other"]),
    build=st.sampled_from(["current", "2025", "2024"]),
)
def test_a_larger_card_never_holds_less(model, gib, more, tokens, engine, build):
    asked = {
        "precision": "fp8",
        "kv_precision": "bf16",
        "tokens_per_request": tokens,
        "engine": engine,
        "build": build,
    }
    small = max_requests(model, card("any", gib, "bf16 fp8"), split(), **asked)
    large = max_requests(model, card("any", gib + more, "bf16 fp8"), split(), **asked)
    assert small.low <= large.low
    assert small.typical <= large.typical
    assert small.high <= large.high


@given(
    model=st.sampled_from([LLAMA_8B, GEMMA_3_27B, QWEN35_27B, DEEPSEEK_V3, MIXTRAL, GPT_OSS_20B]),
    gpu=st.sampled_from([H100, B200, L40S, T4]),
    tensor=st.sampled_from([1, 2, 8]),
    tokens=st.integers(1, 100_000),
    prefix=st.floats(0, 1),
    engine=st.sampled_from(["vllm", "sglang", "other"]),
)
def test_a_shared_prefix_never_needs_more(model, gpu, tensor, tokens, prefix, engine):
    asked = {"tokens_per_request": tokens, "requests": 9, "engine": engine}
    alone = serve(model, gpu, split(tensor), **asked).total
    shared = serve(model, gpu, split(tensor), prefix_tokens=int(prefix * tokens), **asked).total
    assert shared.low <= alone.low
    assert shared.typical <= alone.typical
    assert shared.high <= alone.high


@given(
    model=st.sampled_from([LLAMA_8B, GEMMA_3_27B, QWEN35_27B, DEEPSEEK_V32, MIXTRAL, GPT_OSS_20B]),
    gpu=st.sampled_from([H100, H200, MI300X, L40S]),
    tensor=st.sampled_from([1, 2, 8]),
    precision=st.sampled_from(["bf16", "fp8", "int4"]),
    tokens=st.integers(1, 100_000),
)
def test_names_and_order_change_nothing(model, gpu, tensor, precision, tokens):
    tower = ExtraModule("speech encoder", 1000)
    known = replace(model, extra_modules=(*model.extra_modules, tower))
    turned = replace(
        known,
        slug="other",
        cache_groups=tuple(reversed(known.cache_groups)),
        extra_modules=tuple(replace(part, name="renamed") for part in reversed(known.extra_modules)),
    )
    # "a100" in a card's name is the one that vLLM itself goes by
    other = replace(gpu, slug="other")
    asked = {"requests": 5, "precision": precision, "tokens_per_request": tokens}
    companions = (BGE_M3, RESNET_50)
    assert serve(turned, other, split(tensor), companions=companions[::-1], **asked) == serve(
        known, gpu, split(tensor), companions=companions, **asked
    )


# --- GB and GiB ---


@pytest.mark.parametrize(
    ("label", "bytes_fed"),
    [
        (80, 80),  # GB fed for bytes
        (80, 79.65),  # GiB fed for bytes
        (80, 81_559),  # MiB fed for bytes
        (80, 80 * GB),  # the label's GB taken for 10^9: 7 percent short of what the driver reports
        (192, 192 * GB),
        (24, 24 * GB),
        (80, 8 * 79.65 * GIB),  # all cards of a server fed for one
    ],
)
def test_gb_fed_for_gib_is_an_error(label, bytes_fed):
    with pytest.raises(SizingError):
        replace(H100, memory_bytes=Range.exact(bytes_fed), memory_label_gb=label)


@pytest.mark.parametrize("fed", [80, 79.65, 81_559, 79.65 * 2**20, 8 * GB * 1024])
def test_a_figure_in_another_unit_is_an_error_without_a_label_too(fed):
    with pytest.raises(SizingError):
        replace(H100, memory_bytes=Range.exact(fed), memory_label_gb=None)


@pytest.mark.parametrize(
    ("label", "reported_gib"),
    [
        (80, 79.65),
        (80, 80.0),
        (48, 44.99),
        (48, 47.99),
        (24, 22.49),
        (16, 15.0),
        (180, 179.06),
        (192, 191.98),
    ],
)
def test_what_drivers_report_is_taken(label, reported_gib):
    memory = Range.exact(reported_gib * GIB)
    assert replace(H100, memory_bytes=memory, memory_label_gb=label).memory_bytes == memory


def test_a_range_derived_from_the_label_is_taken():
    derived = Range(0.93 * 64 * GIB, 0.97 * 64 * GIB, 64 * GIB)
    card_64 = replace(H100, memory_bytes=derived, memory_reported=False, memory_label_gb=64)
    assert card_64.memory_bytes.low == 0.93 * 64 * GIB


def test_sglang_holds_back_what_it_documents():
    # 1.5 MiB for each of 8192 tokens, 2 MiB for each of 512 sequences
    assert serve(LLAMA_8B, H100, engine="sglang").activations.typical == (12 + 1) * GIB
    assert serve(LLAMA_8B, H100, engine="sglang").available.low == H100.memory_bytes.low


def test_a_given_static_fraction_leaves_the_rest_to_activations():
    memory = serve(LLAMA_8B, H100, engine="sglang", utilization=0.93)
    assert memory.activations.typical == pytest.approx(0.07 * H100.memory_bytes.typical)


def test_the_prediction_layer_has_a_cache_of_its_own():
    asked = {"precision": "fp8", "tokens_per_request": 10_000}
    alone = serve(DEEPSEEK_V3, H200, split(8), **asked).kv_cache.typical
    drafting = serve(DEEPSEEK_V3, H200, split(8), draft=DEEPSEEK_V3, **asked).kv_cache.typical
    assert drafting - alone == pytest.approx(10_000 * 1152)  # one layer of 576 values in two bytes
