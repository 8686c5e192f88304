"""The cache rule of each published model against what engines printed for it: 35 lines of logs.

The architectures are those of the catalog's own file, so that a wrong row there fails here too.
"""

from functools import cache
from pathlib import Path

import pytest
import yaml

from recommender.sizing.caches import cache_lines
from recommender.sizing.specs import GIB, AIModelSpec, CacheGroup

MIB = 2**20
MODELS = Path(__file__).resolve().parents[2] / "fixtures" / "ai_models.yaml"
GROWING = {"cache_full", "cache_latent", "cache_latent_packed", "cache_indexer", "cache_indexer_packed"}
Q8_0 = 34 / 32 / 2  # llama.cpp keeps 32 values in 34 bytes: against two bytes a value


@cache
def rows():
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return {row["slug"]: row for row in yaml.load(MODELS.read_text(encoding="utf-8"), loader)}


def model(slug):
    row = rows()[slug]
    groups = tuple(CacheGroup(**group) for group in row["cache_groups"])
    return AIModelSpec(slug=slug, kind=row["kind"], parameters=row["parameters"], cache_groups=groups)


def kept(slug, codes, *, kv_precision="bf16", tensor=1):
    """Return what one request of one token keeps on one card, in the lines of these codes."""
    found = cache_lines(model(slug), tokens=1, requests=1, kv_precision=kv_precision, tensor_parallel=tensor)
    return sum(line.bytes.typical for line in found if line.code in codes)


@pytest.mark.parametrize(
    ("slug", "tensor", "pool", "tokens"),
    [  # memory that the engine printed over the tokens or cells it printed for it
        ("llama-2-7b", 1, 4 * GIB, 512 * 16),  # vLLM
        ("phi-3-mini", 1, 1536 * MIB, 4096),  # llama.cpp
        ("llama-3.1-8b", 1, 3.78 * GIB, 30_960),  # vLLM
        ("llama-3.1-8b", 1, 26.54 * GIB, 217_376),  # vLLM
        ("llama-3-70b", 1, 1280 * MIB, 4096),  # llama.cpp
        ("qwen2.5-7b", 1, 4 * GIB, 4681 * 16),  # vLLM
        ("qwen3-8b", 1, 39.06 * GIB, 284_416),  # vLLM
        ("qwen3-0.6b", 1, 54.98 * GIB, 514_688),  # vLLM
        ("phi-4-mini", 1, 26.60 * GIB, 13_618 * 16),  # vLLM
        ("qwen3-235b-a22b", 4, 16.46 * GIB, 367_404),  # SGLang, on each of four cards
        ("kimi-k2-thinking", 8, 46.80 * GIB, 715_072),  # vLLM, on each of eight
        ("kimi-k2.6", 8, 160.63 * GIB, 2_454_421),  # SGLang, on each of eight
        ("deepseek-r1", 1, 1098 * MIB, 16_384),  # ik_llama.cpp
        ("deepseek-r1", 1, 2196 * MIB, 32_768),  # ik_llama.cpp
        ("deepseek-v2", 1, 2160 * MIB, 32_768),  # llama.cpp
        ("glm-4.5-air", 1, 23_552 * MIB, 131_072),  # llama.cpp
        ("gpt-oss-20b", 1, 3072 * MIB, 131_072),  # llama.cpp, full layers
        ("gpt-oss-120b", 1, 9216 * MIB, 2 * 131_072),  # llama.cpp, full layers
        ("gemma-4-e4b", 1, 512 * MIB, 32_768),  # llama.cpp, full layers
        ("qwen3.8-27b", 1, 512 * MIB, 8192),  # llama.cpp
        ("qwen3.6-27b", 1, 8192 * MIB, 131_072),  # llama.cpp
        ("qwen3.8-27b", 1, 20.16 * GIB, 330_323),  # SGLang
        ("qwen3.5-9b", 1, 4224 * MIB, 135_168),  # llama.cpp
    ],
)
def test_what_a_token_keeps(slug, tensor, pool, tokens):
    assert kept(slug, GROWING, tensor=tensor) == pytest.approx(pool / tokens, rel=0.005)


def test_a_pool_that_was_offered_holds_a_little_less_than_its_share():
    # vLLM, four cards: the 8.11 GiB are what was left for the cache, not what 178,880 tokens take of it
    assert kept("qwen3-235b-a22b", GROWING, tensor=4) == pytest.approx(8.11 * GIB / 178_880, rel=0.012)


@pytest.mark.parametrize(
    ("slug", "codes", "pool", "tokens"),
    [  # SGLang
        ("deepseek-v3", GROWING, 17.16 * GIB, 524_288),
        ("deepseek-v3.2", GROWING, 43.67 * GIB, 975_424),
        ("deepseek-v3.2", {"cache_latent_packed"}, 54.52 * GIB, 1_462_784),
        ("deepseek-v3.2", GROWING, 65.49 * GIB, 1_462_784),  # the same run, its indexer included
    ],
)
def test_what_a_token_keeps_in_fp8(slug, codes, pool, tokens):
    assert kept(slug, codes, kv_precision="fp8", tensor=8) == pytest.approx(pool / tokens, rel=0.005)


@pytest.mark.parametrize(
    ("slug", "code", "width", "pool", "cells"),
    [  # llama.cpp keeps a window and a batch beside it
        ("gpt-oss-120b", "cache_window", 1, 90 * MIB, 2 * 1280),
        ("gemma-4-12b", "cache_full", Q8_0, 68 * MIB, 8192),
        ("gemma-4-12b", "cache_window", Q8_0, 765 * MIB, 4608),
    ],
)
def test_what_a_cell_of_one_kind_of_layer_keeps(slug, code, width, pool, cells):
    assert kept(slug, {code}) * width == pytest.approx(pool / cells, rel=0.005)


@pytest.mark.parametrize(
    ("slug", "logged"),
    [
        ("qwen3.8-27b", 149.62 * MIB),  # llama.cpp, convolution in fp32
        ("qwen3.8-27b", (17.58 + 0.34) * GIB / 125),  # SGLang, 125 slots
        ("qwen3.5-9b", 50.25 * MIB),  # llama.cpp
        ("qwen3.5-35b-a3b", 62.81 * MIB),  # llama.cpp
    ],
)
def test_what_a_request_keeps_whatever_its_length(slug, logged):
    assert kept(slug, {"cache_state"}) == pytest.approx(logged, rel=0.03)
