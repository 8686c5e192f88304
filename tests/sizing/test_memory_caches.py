"""Cache rules against what users reported; `test_log_table` holds them against engines' logs."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from recommender.sizing.caches import shared_tokens
from recommender.sizing.memory import cache_bytes, cache_bytes_per_token
from recommender.sizing.specs import GIB, AIModelSpec, CacheGroup, SizingError
from tests.sizing.memory_examples import (
    BGE_M3,
    DEEPSEEK_V3,
    DEEPSEEK_V32,
    GEMMA_3_27B,
    GPT_OSS_20B,
    LLAMA_8B,
    LLAMA_70B,
    QWEN3_600M,
    QWEN25_7B,
    QWEN35_27B,
    UNKNOWN,
)


def shape(*groups):
    return AIModelSpec(slug="logged", kind="llm", parameters=1, cache_groups=groups)


@pytest.mark.parametrize(
    ("model", "tokens", "expected_gib"),
    [
        (GEMMA_3_27B, 131_072, 10.41),  # ten global layers, 52 of 1024 tokens; 62 by the plain formula
        (DEEPSEEK_V3, 163_840, 10.72),
        (QWEN3_600M, 40_960, 4.375),
    ],
)
def test_one_formula_for_all_models_is_not_ours(model, tokens, expected_gib):
    cache = cache_bytes(model, tokens=tokens, requests=1, kv_precision="bf16").typical
    assert cache / GIB == pytest.approx(expected_gib, abs=0.005)


def test_hybrid_at_its_longest_context():
    growing = cache_bytes_per_token(QWEN35_27B, "bf16") * 262_144
    assert growing == 16 * GIB  # sixteen attention layers; the state comes on top
    whole = cache_bytes(QWEN35_27B, tokens=262_144, requests=1, kv_precision="bf16").typical
    assert whole - growing == 153_944_064


@pytest.mark.parametrize(
    ("model", "tensor_parallel", "expected"),
    [
        (LLAMA_70B, 1, 327_680),  # 2 x 80 layers x 8 heads x 128 x 2 bytes
        (LLAMA_70B, 8, 40_960),
        (LLAMA_70B, 16, 40_960),  # one KV head is the least a rank holds
        (QWEN25_7B, 8, 14_336),  # four KV heads over eight ranks are copied, not halved
        (DEEPSEEK_V3, 1, 70_272),
        (DEEPSEEK_V3, 8, 70_272),  # the latent is copied to every rank
    ],
)
def test_bytes_a_token_on_one_card(model, tensor_parallel, expected):
    assert cache_bytes_per_token(model, "bf16", tensor_parallel) == expected


def test_halving_the_bytes_halves_the_cache():
    for model in (LLAMA_8B, DEEPSEEK_V3, GEMMA_3_27B):
        wide = cache_bytes(model, tokens=8192, requests=3, kv_precision="bf16").typical
        assert cache_bytes(model, tokens=8192, requests=3, kv_precision="fp8").typical == wide / 2


def test_sparse_attention_packs_fp8_in_656_and_132_bytes_a_layer():
    assert cache_bytes_per_token(DEEPSEEK_V32, "fp8") == 61 * (656 + 132)


def test_compressed_attention_keeps_one_entry_for_several_tokens():
    compressed = shape(
        CacheGroup("latent", 43, latent_dim=512, window=128, tensor_sharded=False),
        CacheGroup("latent", 21, latent_dim=512, tokens_per_entry=4, tensor_sharded=False),
        CacheGroup("latent", 20, latent_dim=512, tokens_per_entry=128, tensor_sharded=False),
        CacheGroup("indexer", 21, latent_dim=128, tokens_per_entry=4, tensor_sharded=False),
    )
    # (21 / 4 + 20 / 128) x 1024 + 21 / 4 x 256 bytes, and 128 tokens on each of the 43 layers
    assert cache_bytes_per_token(compressed, "bf16") == 6880
    whole = cache_bytes(compressed, tokens=128_000, requests=1, kv_precision="bf16").typical
    assert whole == 6880 * 128_000 + 43 * 128 * 1024


def test_requests_times_tokens_times_rate_is_the_cache_to_the_byte():
    cache = cache_bytes(LLAMA_8B, tokens=8192, requests=20, kv_precision="bf16")
    assert cache.typical == 20 * 8192 * cache_bytes_per_token(LLAMA_8B, "bf16") == 20 * GIB


def test_a_pipeline_keeps_its_own_layers_only():
    quarter = cache_bytes(LLAMA_70B, tokens=1000, requests=1, kv_precision="bf16", pipeline_parallel=4)
    assert quarter.typical == 1000 * 327_680 / 4


def test_the_high_end_knows_pages_and_the_prompt_under_way():
    one = cache_bytes(LLAMA_8B, tokens=8193, requests=2, kv_precision="bf16")
    assert one.high - one.typical == 2 * 15 * 131_072
    windowed = cache_bytes(GEMMA_3_27B, tokens=131_072, requests=1, kv_precision="bf16")
    assert windowed.high - windowed.typical == 52 * 8192 * 8192  # 8192 tokens of prompt beside the window


@pytest.mark.parametrize(
    ("groups", "kv_precision", "tensor", "pool_gib", "requests"),
    [  # vLLM, requests of 10,000 tokens: pool over the number of them that it printed
        # Nemotron 3 Super on two cards
        ((CacheGroup("full", 8, kv_heads=2, head_dim=128), (40, 4_255_744)), "fp8", 2, 64.7, 582.43),
        # Qwen3.5-35B on one
        ((CacheGroup("full", 10, kv_heads=2, head_dim=256), (30, 2_146_304)), "bf16", 1, 89.92, 343.38),
    ],
)
def test_pages_beside_states_match_engine_logs(groups, kv_precision, tensor, pool_gib, requests):
    full, (layers, state) = groups
    hybrid = shape(full, CacheGroup("state", layers, state_bytes=state))
    cache = cache_bytes(hybrid, tokens=10_000, requests=1, kv_precision=kv_precision, tensor_parallel=tensor)
    assert cache.high == pytest.approx(pool_gib * GIB / requests, rel=0.001)


def test_states_may_be_kept_in_sixteen_bits():
    # Qwen3-Next in vLLM: 49.29 GiB for 179.91 requests of 10,000 tokens, its state half of that in fp32
    hybrid = shape(
        CacheGroup("full", 12, kv_heads=2, head_dim=256), CacheGroup("state", 36, state_bytes=2_146_304)
    )
    cache = cache_bytes(hybrid, tokens=10_000, requests=1, kv_precision="bf16")
    assert cache.low <= 49.29 * GIB / 179.91 <= cache.high


def test_encoders_keep_nothing():
    assert cache_bytes(BGE_M3, tokens=8192, requests=64, kv_precision="bf16").high == 0


def test_an_architecture_that_is_not_understood_is_refused():
    with pytest.raises(SizingError, match="weights are known"):
        cache_bytes_per_token(UNKNOWN, "bf16")


@pytest.mark.parametrize("wrong", [{"tokens": -1}, {"requests": -1}, {"tensor_parallel": 0}])
def test_impossible_numbers_are_refused(wrong):
    asked = {"tokens": 1, "requests": 1, "tensor_parallel": 1} | wrong
    with pytest.raises(SizingError):
        cache_bytes(LLAMA_8B, kv_precision="bf16", **asked)


MODELS = st.sampled_from([LLAMA_8B, GEMMA_3_27B, DEEPSEEK_V3, QWEN35_27B, GPT_OSS_20B, DEEPSEEK_V32])


@given(
    model=MODELS,
    tokens=st.integers(0, 300_000),
    more_tokens=st.integers(0, 100_000),
    requests=st.integers(0, 500),
    more_requests=st.integers(0, 100),
    tensor=st.sampled_from([1, 2, 4, 8, 16]),
)
def test_longer_and_more_requests_never_need_less(
    model, tokens, more_tokens, requests, more_requests, tensor
):
    small = cache_bytes(model, tokens=tokens, requests=requests, kv_precision="bf16", tensor_parallel=tensor)
    large = cache_bytes(
        model,
        tokens=tokens + more_tokens,
        requests=requests + more_requests,
        kv_precision="bf16",
        tensor_parallel=tensor,
    )
    narrow = cache_bytes(model, tokens=tokens, requests=requests, kv_precision="fp8", tensor_parallel=tensor)
    for end in ("low", "typical", "high"):
        assert getattr(small, end) <= getattr(large, end)
        assert getattr(narrow, end) <= getattr(small, end)


@given(model=MODELS, tokens=st.integers(0, 100_000), requests=st.integers(0, 50))
def test_names_and_order_of_layers_change_nothing(model, tokens, requests):
    turned = replace(model, slug="other", cache_groups=tuple(reversed(model.cache_groups)))
    asked = {"tokens": tokens, "requests": requests, "kv_precision": "bf16"}
    assert cache_bytes(turned, **asked) == cache_bytes(model, **asked)


@given(tokens=st.integers(0, 100_000), requests=st.integers(0, 50), tensor=st.sampled_from([1, 2, 4, 8]))
def test_shared_out_heads_add_up_to_the_whole(tokens, requests, tensor):
    asked = {"tokens": tokens, "requests": requests, "kv_precision": "bf16"}
    share = cache_bytes(LLAMA_70B, tensor_parallel=tensor, **asked).typical
    assert share * tensor == cache_bytes(LLAMA_70B, **asked).typical


@pytest.mark.parametrize(
    ("percent", "prompt", "kept", "shared"),
    [
        (0, 4000, 8192, 0),
        (50, 4000, 8192, 2000),
        (100, 4000, 8192, 4000),
        (100, 9000, 8192, 8192),
        (33, 10, 20, 3),
    ],
)
def test_requests_share_a_part_of_the_prompt_never_of_the_context(percent, prompt, kept, shared):
    assert shared_tokens(percent, input_tokens=prompt, tokens_per_request=kept) == shared


@pytest.mark.parametrize(("percent", "prompt", "kept"), [(101, 1, 1), (-1, 1, 1), (1, -1, 1), (1, 1, -1)])
def test_a_share_that_makes_no_sense_is_refused(percent, prompt, kept):
    with pytest.raises(SizingError):
        shared_tokens(percent, input_tokens=prompt, tokens_per_request=kept)
