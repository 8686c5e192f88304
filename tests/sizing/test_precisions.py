"""What a card generation does with a number format: data sheets, tables of vLLM and TensorRT-LLM."""

import pytest

from recommender.sizing.precisions import bytes_per_value, support, table
from recommender.sizing.specs import SizingError
from tests.sizing.memory_examples import (
    A10,
    A100,
    B200,
    GAUDI_3,
    H100,
    L40S,
    MI210,
    MI300X,
    MI355X,
    RTX_PRO_6000,
    T4,
)


@pytest.mark.parametrize(
    ("gpu", "precision", "expected"),
    [
        (A100, "fp8", "weight_only"),  # compute capability 8.0: below the 8.9 that FP8 arithmetic needs
        (A10, "fp8", "weight_only"),
        (L40S, "fp8", "native"),
        (H100, "fp8", "native"),
        (B200, "fp8", "native"),
        (MI300X, "fp8", "native"),
        (MI210, "fp8", "storage_only"),
        (GAUDI_3, "fp8", "native"),
        (T4, "fp8", "weight_only"),  # Marlin kernels from 7.5
        (H100, "fp4", "weight_only"),
        (L40S, "fp4", "weight_only"),
        (B200, "fp4", "native"),
        (RTX_PRO_6000, "fp4", "native"),
        (MI355X, "fp4", "native"),
        (MI300X, "fp4", "weight_only"),
        (T4, "fp4", "no"),
        (GAUDI_3, "fp4", "storage_only"),
        (T4, "bf16", "no"),  # Turing multiplies in FP16 only
        (T4, "fp16", "native"),
        (T4, "int8", "native"),
        (A100, "bf16", "native"),
        (A100, "int8", "native"),
        (H100, "int8", "native"),
        (B200, "int8", "no"),  # "not supported on compute capability >= 10.0", vLLM's page on INT8
        (RTX_PRO_6000, "int8", "no"),
        (A100, "int4", "weight_only"),
        (T4, "int4", "weight_only"),
        (H100, "int4", "weight_only"),
        (MI300X, "int4", "weight_only"),
        (GAUDI_3, "int4", "weight_only"),
        (H100, "fp32", "native"),
    ],
)
def test_support_with_vllm(gpu, precision, expected):
    assert support(gpu, precision) == expected


@pytest.mark.parametrize(
    ("gpu", "precision", "expected"),
    [
        (H100, "fp8", "native"),
        (A100, "fp8", "no"),  # the support matrix lists FP8 from Ada
        (A100, "int4", "weight_only"),
        (T4, "int4", "no"),  # Ampere and later
        (B200, "fp4", "native"),
        (H100, "fp4", "weight_only"),  # the MXFP4 experts of gpt-oss, arithmetic in bf16
        (L40S, "fp4", "no"),
        (A100, "fp4", "no"),
        (MI300X, "bf16", "no"),  # NVIDIA only
    ],
)
def test_support_with_tensorrt_llm(gpu, precision, expected):
    assert support(gpu, precision, "tensorrt_llm") == expected


def test_a_card_has_its_table_with_a_source_in_each_row():
    rows = {(row.precision, row.engine): row for row in table(H100)}
    assert len(rows) == 7 * 3
    for (precision, engine), row in rows.items():
        assert row.support == support(H100, precision, engine)
        assert row.source == "data_sheet" or row.source.startswith("https://")
    assert "gpt_oss" in rows["fp4", "tensorrt_llm"].source
    assert rows["fp8", "vllm"].source == "data_sheet"
    assert "docs.vllm.ai" in rows["int4", "vllm"].source


def test_what_the_card_can_and_the_engine_cannot_carries_the_engines_source():
    rows = {(row.precision, row.engine): row for row in table(B200)}
    for engine in ("vllm", "sglang"):
        row = rows["int8", engine]
        assert (row.support, row.source.endswith("/int8/")) == ("no", True)


def test_bytes_of_a_value():
    words = ("fp32", "bf16", "fp16", "fp8", "int8", "int4", "fp4")
    assert [bytes_per_value(word) for word in words] == [4, 2, 2, 1, 1, 0.5, 0.5]


def test_unknown_precision_is_a_bug_of_the_caller():
    with pytest.raises(SizingError):
        support(H100, "fp6")
