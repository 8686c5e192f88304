"""How sources spell precisions, engines, releases and training software, as explicit tables.

A spelling that is not here is refused with its text: a guess would be a figure nobody asked for.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from recommender.evaluation.cases import Refused
from recommender.sizing.specs import (
    Build,
    Engine,
    KVPrecision,
    Method,
    Precision,
    Recompute,
    Sharding,
    Targets,
)
from recommender.sizing.training import Stack


@dataclass(frozen=True, slots=True)
class Weights:
    """A type of weights, and the recipe of `weights.NAMED` where the spelling names one."""

    precision: Precision
    recipe: str | None = None


WEIGHTS = {
    "fp32": Weights("fp32"),
    "fp32-true": Weights("fp32"),
    "bf16": Weights("bf16"),
    "bf16-true": Weights("bf16"),
    "fp16": Weights("fp16"),
    "fp16-true": Weights("fp16"),
    "fp8": Weights("fp8"),
    "fp8-block": Weights("fp8"),
    "fp8-modelopt": Weights("fp8"),
    "fp8-w8a8": Weights("fp8"),
    "fp8-w8a8-dynamic": Weights("fp8"),
    "fp8-w8a8-static": Weights("fp8"),
    "int8": Weights("int8"),
    "int8-w8a8": Weights("int8", "int8-channel"),
    "gptq-int8": Weights("int8", "int8-groups"),
    "int4": Weights("int4"),
    "int4-w4a16": Weights("int4"),
    "int4-qat": Weights("int4"),
    "awq-int4": Weights("int4", "int4-groups"),
    "gptq-int4": Weights("int4", "int4-groups"),
    "nf4": Weights("int4", "nf4"),
    "bnb-nf4": Weights("int4", "nf4"),
    "bnb-nf4-dq": Weights("int4", "nf4-double"),
    "fp4": Weights("fp4"),
    "mxfp4": Weights("fp4"),
    "nvfp4": Weights("fp4", "nvfp4"),
    # The engine loads 16 bits first and quantizes afterwards: the load is what has to fit.
    "bf16 load (torchao int8 requested)": Weights("bf16"),
}

# Keys and values; engines keep them in the model's 16-bit type unless told otherwise.
KV: dict[str, KVPrecision] = {
    "bf16": "bf16",
    "fp16": "bf16",
    "auto": "bf16",
    "engine default": "bf16",
    "fp8": "fp8",
    "fp8_e4m3": "fp8",
    "fp8_e5m2": "fp8",
    "int8": "fp8",  # the same size
}


@dataclass(frozen=True, slots=True)
class Runtime:
    """An engine as the core knows it, and how its kernels are launched.

    Attributes:
        serves: Plans a memory budget and runs many requests; else plain PyTorch that takes what it needs.
        unit: What the tool calls a GB of memory [bytes].
        grows_in_place: First version whose cache is not copied for each token; None: all of them.
    """

    engine: Engine
    serves: bool
    unit: float = 2**30
    grows_in_place: tuple[int, ...] | None = None


SERVING = {
    "vllm": Runtime("vllm", serves=True),
    "sglang": Runtime("sglang", serves=True),
    "tensorrt-llm": Runtime("tensorrt_llm", serves=True),
}
EAGER = {
    # These print memory in 10^9 bytes. Transformers 4.36 brought caches that grow in place (December 2023).
    "HF Transformers": Runtime("other", serves=False, unit=1e9, grows_in_place=(4, 36)),
    "litgpt": Runtime("other", serves=False, unit=1e9),
    "AutoAWQ": Runtime("other", serves=False, unit=1e9),
}
RUNTIMES = SERVING | EAGER
# Engines of benchmark submissions that are another one underneath, or made for one card only.
SUBMISSIONS = RUNTIMES | {
    "tensorrt": Runtime("tensorrt_llm", serves=True),
    "TheStageAI": Runtime("tensorrt_llm", serves=True),
    "Mango LLMBoost AI Enterprise Platform": Runtime("vllm", serves=True),
}

# "HF Transformers 4.51.3", "HF Transformers (eager)", "litgpt (PyTorch eager)".
_ENGINE = re.compile(r"(?P<name>.*?)(?: v?(?P<version>\d+(?:\.\d+)+))?(?: \((?:PyTorch )?eager\))?")
_RELEASE = re.compile(r"v?0\.(?P<minor>\d+)(?:\D.*)?")
_YEAR = re.compile(r"(?:early-|mid-|late-)?(?P<year>20[2-9]\d)\b.*")
# vLLM v0.8 made its second engine the default (January 2025); v0.14 is the first of 2026.
FIRST_OF_2025, FIRST_CURRENT = 8, 14
FIRST_WITH_PLAIN_WINDOWS = 21

FRAMEWORKS: dict[str, tuple[Stack, float]] = {
    # How much the software is tuned, and what it calls a GB.
    "llm-foundry (Composer FSDP)": ("sharded", 1e9),
    "torchtitan": ("sharded", 2**30),
    "torchtune": ("sharded", 2**30),
    "ms-swift": ("sharded", 2**30),
    "litgpt": ("eager", 1e9),
    "HF Trainer + PEFT": ("eager", 1e9),
    "Megatron-Bridge": ("tuned", 1e9),
    "NeMo": ("tuned", 1e9),
    "MLPerf Training": ("tuned", 1e9),
}
# Compiles each of its layers, and the loss not (apply_compile in torchtitan/models/llama3, releases of 2024).
BLOCKS_COMPILED = "torchtitan"
TRAINS_EMBEDDINGS = "lora + trainable embedding and output layer"
METHODS: dict[str, Method] = {
    "pre-training (full)": "pretraining",
    "full fine-tune": "full",
    "lora": "lora",
    TRAINS_EMBEDDINGS: "lora",
    "qlora": "qlora",
}

TARGETS: dict[str, Targets] = {
    "query,value": "query_value",
    "q,v": "query_value",
    "query,key,value,projection": "attention",
    "query,key,value,projection,mlp": "all",
    "query,key,value,projection,mlp,head": "all",
    "q,v,output + mlp": "all",
    "all linear": "all",
    "all linear of attention and MLP": "all",
}
RECOMPUTE: dict[str, Recompute] = {
    "none": "none",
    "selective": "selective",
    "selective (per op)": "selective",
    "full": "full",
}
SHARDING: dict[str, Sharding] = {
    "none": "none",
    "DDP": "none",
    "DeepSpeed ZeRO-1": "zero1",
    "DeepSpeed ZeRO-2": "zero2",
    "DeepSpeed ZeRO-3": "zero3",
    "FSDP": "zero3",
    "FSDP FULL_SHARD": "zero3",
    "FSDP SHARD_GRAD_OP": "zero2",
}
# "FSDP2 full shard 128"; "FSDP 4 x CP 2": states lie over both, the sequence over the second.
_FULL_SHARD = re.compile(r"FSDP2 full shard \d+")
_WITH_CONTEXT = re.compile(r"FSDP \d+ x CP (?P<context>\d+)")
COMPUTE: dict[str, Precision] = {
    "fp32": "fp32",
    "fp16": "fp16",
    "fp16-true": "fp16",
    "bf16": "bf16",
    "bf16-true": "bf16",
    "bf16-mixed": "bf16",
    "bf16 (params, grads, optimizer states bf16)": "bf16",
    "fp8": "fp8",
    "fp8-cs": "fp8",
    "fp8-mx": "fp8",
    "mxfp8": "fp8",
    "fp8 linear + bf16": "fp8",
    "fp8 (NeMo reference recipe)": "fp8",
    "fp8 or mxfp4 (submitter config not checked)": "fp8",
    "mxfp4": "fp4",
    "nvfp4": "fp4",
    "nvfp4 with fp8 attention": "fp4",
    "nvfp4 or fp8 (submitter config not checked)": "fp4",
}


def look_up[Value](table: Mapping[str, Value], spelling: object, what: str) -> Value:
    """Return what a spelling stands for.

    Raises:
        Refused: it is not in the table.
    """
    if isinstance(spelling, str) and spelling in table:
        return table[spelling]
    raise Refused(
        f"{what} spelling not known: {spelling!r}" if spelling is not None else f"{what} not stated"
    )


def runtime(spelling: str, table: Mapping[str, Runtime] = RUNTIMES) -> tuple[Runtime, tuple[int, ...] | None]:
    """Return the engine of a spelling, and the version that its name carries.

    Raises:
        Refused: an engine that is not known.
    """
    match = _ENGINE.fullmatch(spelling)
    name = match["name"] if match else spelling
    version = match["version"] if match else None
    numbers = tuple(int(part) for part in version.split(".")) if version else None
    return look_up(table, name, "engine"), numbers


def build(runtime: Runtime, version: str | None, numbers: tuple[int, ...] | None) -> Build:
    """Return the age of an engine's release as the core tells them apart.

    A serving engine without a version is taken for one of 2025, plain Transformers for one of before 2024:
    what most cases of either that do not say so are.

    Raises:
        Refused: a version that cannot be read.
    """
    if not runtime.serves:
        first = runtime.grows_in_place
        return "2024" if first and (not numbers or numbers < first) else "current"
    if version is None:
        return "2025"
    if "V0" in version:
        return "2024"
    release, year = _RELEASE.match(version), _YEAR.fullmatch(version)
    if release and runtime.engine == "vllm":
        minor = int(release["minor"])
        return "2024" if minor < FIRST_OF_2025 else "2025" if minor < FIRST_CURRENT else "current"
    if year:
        return "2024" if int(year["year"]) < 2025 else "2025" if int(year["year"]) == 2025 else "current"
    if runtime.engine == "vllm":
        raise Refused(f"engine version not known: {version!r}")
    return "2025"


def plans_whole_chunks(runtime: Runtime, version: str | None) -> bool:
    """Tell whether an engine counts a windowed layer as its window and one batch of a prompt.

    vLLM did before v0.21; a release that is only dated is compared by its age.
    """
    if runtime.engine != "vllm":
        return False
    release = _RELEASE.match(version or "")
    if release:
        return int(release["minor"]) < FIRST_WITH_PLAIN_WINDOWS
    return build(runtime, version, None) != "current"


def sharding(spelling: str) -> tuple[Sharding, int | None]:
    """Return how states are spread, and the context parallelism that the spelling states [count].

    Raises:
        Refused: a spelling that is not known.
    """
    context = _WITH_CONTEXT.fullmatch(spelling)
    if context:
        return "zero3", int(context["context"])
    if _FULL_SHARD.fullmatch(spelling):
        return "zero3", None
    return look_up(SHARDING, spelling, "sharding"), None


def framework(spelling: str) -> tuple[Stack, float]:
    """Return how much a training framework is tuned, and what it calls a GB of memory [bytes].

    Raises:
        Refused: a framework that is not known.
    """
    return look_up(FRAMEWORKS, re.sub(r" v\d+(\.\d+)*$", "", spelling), "framework")
