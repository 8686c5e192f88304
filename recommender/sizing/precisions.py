"""What a GPU generation does with a number format, per engine, and how many bytes a value takes.

What a card itself multiplies is its `native_precisions`, from its maker's data sheet; the rest are the
engines' tables in `SOURCES`: vLLM (compute capability 8.9 and up multiplies in FP8; 7.5 and up keeps FP8 and
INT4 weights and multiplies in 16 bits through Marlin, MXFP4 only from 8.0; AMD: FP8 from CDNA 3, FP4 in
hardware from CDNA 4, 4-bit weights below it through Quark and Triton kernels; Intel Gaudi: FP8 and 4-bit
weights; INT8 up to Hopper only: its page sends compute capability 10.0 and up to FP8), TensorRT-LLM (Hopper
and Ada: FP8, INT8, INT4; Ampere: INT8, INT4; FP4 on Blackwell, and on Hopper the MXFP4 experts of gpt-oss
with 16-bit arithmetic).
"""

from dataclasses import dataclass
from typing import get_args

from recommender.sizing.specs import Engine, GPUSpec, KVPrecision, Precision, SizingError, Support

BYTES = {"fp32": 4.0, "bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0, "int4": 0.5, "fp4": 0.5}

TURING = (7, 5)
AMPERE = (8, 0)
HOPPER = (9, 0)
BLACKWELL = (10, 0)

VLLM = "https://docs.vllm.ai/en/latest/features/quantization/"
VLLM_INT8 = "https://docs.vllm.ai/en/latest/features/quantization/int8/"
GAUDI = "https://docs.vllm.ai/en/v0.11.2/features/quantization/"
TENSORRT_LLM = "https://nvidia.github.io/TensorRT-LLM/reference/support-matrix.html"
TENSORRT_LLM_MXFP4 = "https://github.com/NVIDIA/TensorRT-LLM/blob/main/examples/models/core/gpt_oss/README.md"
DATA_SHEET = "data_sheet"  # the maker's own figures, listed with the card


@dataclass(frozen=True, slots=True)
class Supported:
    """A row of a card's table."""

    precision: Precision
    engine: Engine
    support: Support
    source: str  # an address, or "data_sheet"


def table(
    gpu: GPUSpec, engines: tuple[Engine, ...] = ("vllm", "sglang", "tensorrt_llm")
) -> tuple[Supported, ...]:
    """Return what the card does with each number format, per engine."""
    return tuple(
        Supported(precision, engine, support(gpu, precision, engine), _source(gpu, precision, engine))
        for precision in get_args(Precision)
        for engine in engines
    )


def _source(gpu: GPUSpec, precision: Precision, engine: Engine) -> str:
    """Return where the verdict is stated. SGLang loads the same checkpoints through the same kernels."""
    found = support(gpu, precision, engine)
    if engine == "tensorrt_llm":
        mixed = precision == "fp4" and found == "weight_only"
        return TENSORRT_LLM_MXFP4 if mixed else TENSORRT_LLM
    if found == "native" or precision in ("fp32", "fp16", "bf16"):
        return DATA_SHEET
    if gpu.vendor == "nvidia" and precision == "int8":
        return VLLM_INT8
    return GAUDI if gpu.vendor == "intel" else VLLM


def bytes_per_value(precision: Precision | KVPrecision) -> float:
    """Return the bytes of one value, without the scales that a quantized checkpoint adds."""
    try:
        return BYTES[precision]
    except KeyError:
        raise SizingError(f"no such precision: {precision!r}") from None


def support(gpu: GPUSpec, precision: Precision, engine: Engine = "vllm") -> Support:
    """Return how the card runs a model whose weights are kept in `precision`.

    native        the engine multiplies in that type
    weight_only   weights stay small in memory, arithmetic runs in 16 bits: saves memory, not computing time
    storage_only  the card holds the file, the engine widens the weights when it loads them: saves nothing
    no            neither, or the engine does not run on the card at all
    """
    bytes_per_value(precision)
    native = gpu.native_precisions
    if engine == "tensorrt_llm" and gpu.vendor != "nvidia":
        return "no"
    if precision in ("fp32", "fp16"):
        return "native" if precision == "fp32" or precision in native else "no"
    if precision == "bf16":
        return "native" if precision in native else "no"
    if gpu.vendor == "nvidia":
        return _nvidia(gpu, precision, engine)
    if gpu.vendor == "amd":
        return _amd(gpu, precision)
    if precision in native:
        return "native"
    if precision == "int4" and gpu.vendor == "intel":
        return "weight_only"
    return "storage_only"


def _nvidia(gpu: GPUSpec, precision: Precision, engine: Engine) -> Support:
    capability = gpu.compute_capability or (0, 0)
    if precision == "int4":  # kept for every engine as 4-bit weights with 16-bit arithmetic
        smallest = AMPERE if engine == "tensorrt_llm" else TURING
        return "weight_only" if capability >= smallest else "no"
    if precision == "int8" and engine in ("vllm", "sglang") and capability >= BLACKWELL:
        return "no"  # the card multiplies in INT8, but the engines have no kernels for it
    if precision in gpu.native_precisions:
        return "native"
    if engine == "tensorrt_llm":
        return "weight_only" if precision == "fp4" and capability == HOPPER else "no"
    if capability < TURING:
        return "no"
    if precision == "fp4" and capability < AMPERE:
        return "no"
    return "weight_only"


def _amd(gpu: GPUSpec, precision: Precision) -> Support:
    if precision == "int4":
        return "weight_only"
    if precision == "int8":  # vLLM has no INT8 W8A8 kernel for AMD; 8-bit GPTQ weights run
        return "weight_only"
    if precision in gpu.native_precisions:
        return "native"
    # CDNA 3 multiplies in FP8 and keeps MXFP4 weights; CDNA 2 has neither and widens what it loads.
    return "weight_only" if precision == "fp4" and "fp8" in gpu.native_precisions else "storage_only"
