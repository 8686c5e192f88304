"""Opened memory figures: lines, their arithmetic and the sums that the ranking uses are one thing."""

import ast
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from recommender.sizing.breakdown import checkpoints, serving_breakdown, training_breakdown
from recommender.sizing.formulas import FORMULAS
from recommender.sizing.memory import TrainingSetup, inference_memory, max_requests, training_memory
from recommender.sizing.shapes import usual_shape
from recommender.sizing.specs import GB, GIB, Range, SizingError
from tests.sizing.arithmetic import CALLS, worked_out
from tests.sizing.memory_examples import (
    A100,
    B200,
    BGE_M3,
    DEEPSEEK_V3,
    DEEPSEEK_V32,
    GEMMA_3_27B,
    GPT_OSS_20B,
    H100,
    H200,
    L40S,
    LLAMA_3B,
    LLAMA_8B,
    LLAMA_70B,
    MI300X,
    MIXTRAL,
    QWEN35_27B,
    RESNET_50,
    T4,
    UNKNOWN,
    split,
)
from tests.sizing.speed_examples import YOLO


def summed(items, *groups):
    chosen = [item.bytes for item in items if item.group in groups]
    return tuple(sum(getattr(size, end) for size in chosen) for end in ("low", "typical", "high"))


def three(size):
    return size.low, size.typical, size.high


def serve(model, gpu=H100, layout=None, function=serving_breakdown, **asked):
    known = {"precision": "bf16", "kv_precision": "bf16", "tokens_per_request": 8192, "requests": 4}
    return function(model, gpu, layout or split(), **(known | asked))


def train(model, gpu=H100, layout=None, function=training_breakdown, storage=None, **asked):
    known = {
        "method": "full",
        "precision": "bf16",
        "sequence_tokens": 2048,
        "micro_batch": 1,
        "recompute": "full",
        "sharding": "none",
    }
    written = {"storage_gb_per_s": storage} if storage else {}
    return function(model, gpu, layout or split(), TrainingSetup(**(known | asked)), **written)


GUESSED = usual_shape(20e9, known=(LLAMA_3B, LLAMA_8B, LLAMA_70B, GEMMA_3_27B, QWEN35_27B))
SERVED = st.sampled_from(
    [
        LLAMA_8B,
        LLAMA_70B,
        GEMMA_3_27B,
        QWEN35_27B,
        DEEPSEEK_V3,
        DEEPSEEK_V32,
        MIXTRAL,
        GPT_OSS_20B,
        BGE_M3,
        GUESSED,
    ]
)
ENGINES = st.sampled_from(["vllm", "sglang", "tensorrt_llm", "other"])


@given(
    model=SERVED,
    gpu=st.sampled_from([H100, H200, B200, MI300X, L40S, T4]),
    layout=st.builds(split, st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 2, 3]), st.integers(1, 4)),
    precision=st.sampled_from(["bf16", "fp8", "int8", "int4", "fp4"]),
    kv_precision=st.sampled_from(["bf16", "fp8"]),
    tokens=st.integers(1, 200_000),
    requests=st.integers(0, 300),
    engine=ENGINES,
    build=st.sampled_from(["current", "2025", "2024"]),
    adapters=st.integers(0, 9),
    draft=st.sampled_from([None, "self", LLAMA_3B]),
    utilization=st.sampled_from([None, 0.8, 0.95]),
    batch=st.sampled_from([None, 2048, 30_000]),
    companions=st.sampled_from([(), (BGE_M3,), (BGE_M3, RESNET_50)]),
    prefix=st.floats(0, 1),
)
def test_served_lines_add_up_to_the_byte(
    model, gpu, layout, precision, kv_precision, tokens, requests, engine, build, adapters, draft,
    utilization, batch, companions, prefix,
):  # fmt: skip
    asked = {
        "precision": precision,
        "kv_precision": kv_precision,
        "tokens_per_request": tokens,
        "requests": requests,
        "engine": engine,
        "build": build,
        "adapters": adapters,
        "draft": model if draft == "self" else draft,
        "utilization": utilization,
        "batch_tokens": batch,
        "companions": companions,
        "prefix_tokens": int(prefix * tokens),
    }
    found = serve(model, gpu, layout, **asked)
    memory = inference_memory(model, gpu, layout, **asked)
    assert found.memory == memory
    assert summed(found.items, "weights") == three(memory.weights)
    assert summed(found.items, "cache") == (three(memory.kv_cache) if memory.kv_cache else (0, 0, 0))
    assert summed(found.items, "activations", "graphs") == three(memory.activations)
    assert summed(found.items, "buffers", "outside") == three(memory.overhead)
    everything = {item.group for item in found.items}
    assert summed(found.items, *everything) == three(memory.total)
    assert found.free.typical == memory.available.typical - memory.total.typical
    for item in (*found.items, *found.beside):
        # A richer recipe that comes out below the usual one lifts nothing; the usual one is never below.
        assert worked_out(item.formula) == item.bytes.typical, item


@given(
    model=st.sampled_from([LLAMA_3B, LLAMA_8B, MIXTRAL, GEMMA_3_27B]),
    layout=st.builds(split, st.sampled_from([1, 2, 4]), st.sampled_from([1, 2]), st.sampled_from([1, 3, 8])),
    method=st.sampled_from(["pretraining", "full", "lora", "qlora"]),
    optimizer=st.sampled_from(["adamw", "adamw_fp32_gradients", "adamw_deepspeed", "adamw_8bit", "sgd"]),
    rank=st.integers(1, 128),
    targets=st.sampled_from(["all", "attention", "query_value"]),
    tokens=st.integers(1, 60_000),
    batch=st.integers(1, 8),
    recompute=st.sampled_from(["none", "selective", "full"]),
    sharding=st.sampled_from(["none", "zero1", "zero2", "zero3"]),
    chunked=st.booleans(),
    accumulates=st.booleans(),
    offload=st.sampled_from(["none", "optimizer", "activations", "both"]),
    at_once=st.booleans(),
    embeddings=st.booleans(),
    preference=st.booleans(),
    frozen=st.sampled_from([(), (LLAMA_3B,), (LLAMA_3B, LLAMA_8B)]),
)
def test_training_lines_add_up_to_the_byte(
    model, layout, method, optimizer, rank, targets, tokens, batch, recompute, sharding, chunked, accumulates,
    offload, at_once, embeddings, preference, frozen,
):  # fmt: skip
    asked = {
        "method": method,
        "optimizer": optimizer,
        "lora_rank": rank,
        "lora_targets": targets,
        "sequence_tokens": tokens,
        "micro_batch": batch,
        "recompute": recompute,
        "sharding": sharding,
        "chunked_loss": chunked,
        "accumulates": accumulates,
        "offload": offload,
        "used_at_once": at_once,
        "trained_embeddings": embeddings,
        "preference": preference,
        "frozen": frozen,
    }
    found = train(model, A100, layout, **asked)
    memory = train(model, A100, layout, training_memory, **asked)
    assert found.memory == memory
    for group, line in (
        ("weights", memory.weights),
        ("activations", memory.activations),
        ("gradients", memory.gradients),
        ("optimizer", memory.optimizer),
    ):
        assert summed(found.items, group) == three(line)
    assert summed(found.items, "buffers", "outside") == three(memory.overhead)
    assert summed(found.items, *{item.group for item in found.items}) == three(memory.total)
    for item in found.items:
        assert worked_out(item.formula) == item.bytes.typical, item


def test_every_formula_can_be_read():
    for expression, names, sources in FORMULAS.values():
        words = {word.partition(":")[0] for word in names.split()}
        used = {
            node.id for node in ast.walk(ast.parse(expression, mode="eval")) if isinstance(node, ast.Name)
        }
        # How many measurements a figure was read off from stands beside it, not in it.
        assert used - set(CALLS) == words - {"cases"}
        assert sources


def test_a_formula_has_the_numbers_of_its_line():
    found = serve(LLAMA_70B, H200, split(4), requests=20)
    (cache,) = [item for item in found.items if item.code == "cache_full"]
    assert cache.formula.expression == "requests * layers * 2 * kv_heads * head_dim * value_bytes * tokens"
    numbers = {value.name: value.amount.typical for value in cache.formula.values}
    assert numbers == {
        "requests": 20,
        "layers": 80,
        "kv_heads": 2,
        "head_dim": 128,
        "value_bytes": 2,
        "tokens": 8192,
    }
    assert cache.bytes.typical == 20 * 8192 * found.bytes_per_token == 20 * 8192 * 81_920


def test_tokens_times_rate_is_the_cache_and_cards_times_share_the_total():
    for tensor in (1, 2, 4, 8):
        found = serve(LLAMA_70B, B200, split(tensor), requests=7)
        assert found.memory.kv_cache.typical == 7 * 8192 * found.bytes_per_token == 7 * found.request.typical
        assert found.memory.kv_cache.typical * tensor == 7 * 8192 * 327_680
    spread = serve(LLAMA_70B, B200, split(2, 1, 4))
    assert spread.gpus == 8
    assert spread.all_gpus == spread.memory.total.scaled(8)


def test_what_is_shared_out_adds_up_and_the_rest_is_copied():
    alone = {item.code: item for item in serve(GEMMA_3_27B, B200).items}
    four = {item.code: item for item in serve(GEMMA_3_27B, B200, split(4)).items}
    for code, item in alone.items():
        if item.group in ("weights", "cache") and item.shared_out:
            assert 0 <= four[code].bytes.typical * 4 - item.bytes.typical < 4
    tower = four["weights_tower"]
    assert (tower.part, tower.shared_out) == ("SigLIP vision tower and projector", False)
    assert tower.bytes.typical == alone["weights_tower"].bytes.typical
    latent = {item.code: item for item in serve(DEEPSEEK_V3, B200, split(8), precision="fp8").items}
    assert not latent["cache_latent"].shared_out


def test_each_kind_of_layer_has_its_line():
    codes = [item.code for item in serve(GEMMA_3_27B).items if item.group == "cache"]
    assert codes == ["cache_full", "cache_window"]
    codes = [item.code for item in serve(QWEN35_27B).items if item.group == "cache"]
    assert codes == ["cache_full", "cache_state"]
    codes = [item.code for item in serve(DEEPSEEK_V32, kv_precision="fp8").items if item.group == "cache"]
    assert codes == ["cache_latent_packed", "cache_indexer_packed"]


def test_an_architecture_that_is_not_understood_keeps_its_weights_and_says_what_is_missing():
    found = serve(UNKNOWN, H200, split(8), precision="fp8")
    assert found.unknown == ("cache",)
    assert found.fits == "unknown"
    assert (found.bytes_per_token, found.request, found.max_requests) == (None, None, None)
    assert found.memory.kv_cache is None
    assert found.memory.weights.typical * 8 == pytest.approx(763.2e9, rel=0.01)
    assert serve(UNKNOWN, H100, split(8), precision="fp8").fits == "no"  # 763 GB on 684


def test_what_is_forgotten_has_lines_of_its_own():
    found = serve(
        QWEN35_27B, H200, adapters=8, draft=QWEN35_27B, companions=(BGE_M3,), tokens_per_request=4096
    )
    codes = {(item.code, item.model) for item in found.items}
    assert {
        ("weights_adapters", ""),
        ("weights_prediction", ""),
        ("weights_tower", ""),
        ("cache_full", "prediction"),
        ("weights_layers", "bge-m3"),
        ("activations_forward", "bge-m3"),
    } <= codes
    drafted = serve(LLAMA_70B, H200, split(4), draft=LLAMA_3B)
    assert any(item.model == "llama-3.2-3b" and item.group == "cache" for item in drafted.items)


def test_a_shared_prefix_is_kept_once():
    found = serve(LLAMA_8B, H200, requests=50, prefix_tokens=4096)
    assert found.memory.kv_cache.typical == 131_072 * (4096 + 50 * 4096)
    stateful = serve(QWEN35_27B, H200, requests=50, prefix_tokens=4096)
    assert stateful.memory == serve(QWEN35_27B, H200, requests=50).memory
    with pytest.raises(SizingError):
        serve(LLAMA_8B, prefix_tokens=8193)


def test_a_companion_takes_its_weights_and_its_batch():
    alone, beside = serve(LLAMA_8B, L40S), serve(LLAMA_8B, L40S, companions=(BGE_M3,))
    more = beside.memory.total.typical - alone.memory.total.typical
    # 567.8 million parameters in 16 bits, a batch and a process of its own: a reranker of that size was
    # seen at 926 MiB without batch
    assert 2 * 567_754_752 < more < 2 * 567_754_752 + 2 * GIB
    assert beside.max_requests.typical < alone.max_requests.typical
    with pytest.raises(SizingError):
        serve(LLAMA_8B, companions=(LLAMA_3B,))


def test_the_most_requests_are_those_of_the_ranking():
    asked = {"precision": "bf16", "kv_precision": "bf16", "tokens_per_request": 8192}
    assert serve(LLAMA_8B, L40S).max_requests == max_requests(LLAMA_8B, L40S, split(), **asked)


def test_verdicts_keep_the_rule_of_ranges():
    assert serve(LLAMA_8B, H100).fits == "fits"
    assert serve(LLAMA_70B, H100).fits == "no"
    most = serve(LLAMA_8B, H100).max_requests
    assert serve(LLAMA_8B, H100, requests=int(most.high)).fits == "fits_if"


def test_graphs_lie_beside_the_budget_of_vllm_and_inside_that_of_sglang():
    (graphs,) = serve(LLAMA_8B, H100).beside
    assert graphs.code == "graphs_recorded"
    found = serve(LLAMA_8B, H100, engine="sglang")
    assert found.beside == ()
    (graphs,) = [item for item in found.items if item.group == "graphs"]
    assert graphs.bytes.typical == GIB  # 2 MiB for each of 512 sequences
    assert serve(LLAMA_8B, H100, utilization=0.98).warnings == ("budget_above_95",)
    assert found.warnings == serve(LLAMA_8B, H100, engine="sglang", utilization=0.9).warnings == ()
    assert serve(LLAMA_8B, H100, engine="sglang", utilization=0.98).warnings == ("budget_above_95",)
    assert serve(LLAMA_8B, MI300X, utilization=0.98).warnings == ("graphs_beside", "budget_above_95")


def test_a_runtime_of_frames_records_no_graphs():
    found = serve(YOLO, H100, utilization=0.999)
    assert found.beside == ()
    assert "graphs_beside" not in found.warnings
    assert "graphs_beside" in serve(LLAMA_8B, H100, utilization=0.999).warnings


# --- Training ---


def test_checkpoints_of_70b():
    # 70.55 billion parameters: 14 bytes with the optimizer, two without; two and ten GB/s
    slow = train(LLAMA_70B, storage=2).checkpoints
    assert slow.full / GB == pytest.approx(987.7, abs=0.1)
    assert slow.weights / GB == pytest.approx(141.1, abs=0.1)
    assert slow.full_write_s == pytest.approx(494, abs=0.5)
    assert train(LLAMA_70B, storage=10).checkpoints.full_write_s == pytest.approx(99, abs=0.5)
    assert slow.stored == 2 * slow.full + slow.weights
    assert train(LLAMA_70B).checkpoints.full_write_s is None


def test_checkpoints_of_adapters_are_small():
    found = train(LLAMA_70B, method="lora").checkpoints
    assert found.full < 0.02 * 141.1 * GB
    for wrong in ({"kept": -1}, {"storage_gb_per_s": 0}):
        with pytest.raises(SizingError):
            checkpoints(1e9, weight=2, optimizer=12, **wrong)


def test_an_offloaded_optimizer_lies_in_host_memory():
    layout = split(replicas=8)
    here = train(LLAMA_8B, layout=layout, sharding="zero2")
    there = train(LLAMA_8B, layout=layout, sharding="zero2", offload="optimizer")
    assert there.memory.optimizer == Range.exact(0)
    assert there.host == 12 * LLAMA_8B.parameters == here.memory.optimizer.low * 8
    assert here.host == 0


def test_preference_tuning_brings_a_reference_and_pairs():
    plain, paired = train(LLAMA_8B, H200), train(LLAMA_8B, H200, preference=True)
    assert paired.memory.weights.typical - plain.memory.weights.typical == 2 * LLAMA_8B.parameters
    assert paired.memory.activations.typical > 2 * plain.memory.activations.typical
    adapted = train(LLAMA_8B, H200, method="lora", preference=True)
    assert adapted.memory.weights == train(LLAMA_8B, H200, method="lora").memory.weights
    taught = train(LLAMA_8B, H200, method="lora", frozen=(LLAMA_70B,))
    (line,) = [item for item in taught.items if item.code == "frozen_weights"]
    assert (line.model, line.bytes.typical) == ("llama-3.3-70b", 2 * LLAMA_70B.parameters)


def test_a_name_changes_nothing_in_a_breakdown():
    asked = {"adapters": 2, "companions": (BGE_M3,)}
    assert serve(replace(MIXTRAL, slug="other"), H200, **asked) == serve(MIXTRAL, H200, **asked)
