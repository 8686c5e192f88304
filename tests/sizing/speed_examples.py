"""Models and cards of the speed tests, as their makers print them."""

from recommender.sizing.specs import GIB, AIModelSpec, CacheGroup, GPUSpec, Layout, NodeSpec, Range

LLAMA_8B = AIModelSpec(
    slug="llama-3.1-8b",
    kind="llm",
    parameters=8_030_261_248,
    num_layers=32,
    hidden_size=4096,
    num_attention_heads=32,
    num_kv_heads=8,
    head_dim=128,
    intermediate_size=14_336,
    vocab_size=128_256,
    tie_embeddings=False,
    cache_groups=(CacheGroup("full", 32, kv_heads=8, head_dim=128),),
)
LLAMA_70B = AIModelSpec(
    slug="llama-3.3-70b",
    kind="llm",
    parameters=70_553_706_496,
    num_layers=80,
    hidden_size=8192,
    num_attention_heads=64,
    num_kv_heads=8,
    head_dim=128,
    intermediate_size=28_672,
    vocab_size=128_256,
    tie_embeddings=False,
    cache_groups=(CacheGroup("full", 80, kv_heads=8, head_dim=128),),
)
LLAMA_405B = AIModelSpec(
    slug="llama-3.1-405b",
    kind="llm",
    parameters=405_853_388_800,
    num_layers=126,
    hidden_size=16_384,
    num_attention_heads=128,
    num_kv_heads=8,
    head_dim=128,
    intermediate_size=53_248,
    vocab_size=128_256,
    tie_embeddings=False,
    cache_groups=(CacheGroup("full", 126, kv_heads=8, head_dim=128),),
)
QWEN3_8B = AIModelSpec(
    slug="qwen3-8b",
    kind="llm",
    parameters=8_190_735_360,
    num_layers=36,
    hidden_size=4096,
    num_attention_heads=32,
    num_kv_heads=8,
    head_dim=128,
    intermediate_size=12_288,
    vocab_size=151_936,
    tie_embeddings=False,
    cache_groups=(CacheGroup("full", 36, kv_heads=8, head_dim=128),),
)
QWEN_30B_A3B = AIModelSpec(
    slug="qwen3-30b-a3b",
    kind="llm",
    parameters=30_532_122_624,
    active_parameters=3_300_000_000,
    num_layers=48,
    hidden_size=2048,
    num_attention_heads=32,
    num_kv_heads=4,
    head_dim=128,
    intermediate_size=6144,
    vocab_size=151_936,
    tie_embeddings=False,
    experts=128,
    experts_per_token=8,
    moe_intermediate_size=768,
    cache_groups=(CacheGroup("full", 48, kv_heads=4, head_dim=128),),
)
DEEPSEEK_V3 = AIModelSpec(
    slug="deepseek-v3",
    kind="llm",
    parameters=684_489_845_504,
    active_parameters=37_000_000_000,
    num_layers=61,
    hidden_size=7168,
    num_attention_heads=128,
    num_kv_heads=128,
    intermediate_size=18_432,
    vocab_size=129_280,
    tie_embeddings=False,
    native_precision="fp8",
    experts=256,
    experts_per_token=8,
    shared_experts=1,
    moe_intermediate_size=2048,
    first_dense_layers=3,
    mtp_parameters=14_000_000_000,
    cache_groups=(CacheGroup("latent", 61, latent_dim=512, rope_dim=64, tensor_sharded=False),),
)
GEMMA_27B = AIModelSpec(
    slug="gemma-3-27b",
    kind="vlm",
    parameters=27_432_406_640,
    num_layers=62,
    hidden_size=5376,
    num_attention_heads=32,
    num_kv_heads=16,
    head_dim=128,
    intermediate_size=21_504,
    vocab_size=262_208,
    tie_embeddings=True,
    cache_groups=(
        CacheGroup("full", 10, kv_heads=16, head_dim=128),
        CacheGroup("window", 52, kv_heads=16, head_dim=128, window=1024),
    ),
)
BGE_M3 = AIModelSpec(
    slug="bge-m3",
    kind="embedding",
    parameters=567_754_752,
    num_layers=24,
    hidden_size=1024,
    vocab_size=250_002,
    native_precision="fp16",
)
WHISPER = AIModelSpec(
    slug="whisper-large-v3", kind="asr", parameters=1_543_490_560, num_layers=32, hidden_size=1280
)
SDXL = AIModelSpec(slug="sdxl-base-1.0", kind="image_generation", parameters=3_468_837_867)
YOLO = AIModelSpec(slug="yolo11", kind="vision", parameters=20_114_688, gflop_per_image=68.5)

TERA = 1e12


def _nvidia(
    slug: str, architecture: str, form: str, gib: float, gb_per_s: float, tdp_w: float, **more
) -> GPUSpec:
    return GPUSpec(
        slug=slug,
        vendor="nvidia",
        architecture=architecture,
        form=form,
        memory_bytes=Range.exact(gib * GIB),
        memory_reported=True,
        bandwidth_bytes_per_s=gb_per_s * 1e9,
        tdp_w=tdp_w,
        **more,
    )


ADA_TYPES = frozenset({"tf32", "bf16", "fp16", "fp8", "int8"})
BLACKWELL_TYPES = ADA_TYPES | {"fp6", "fp4"}

A100 = _nvidia(
    "nvidia-a100-sxm-80gb",
    "Ampere (GA100)",
    "sxm",
    79.33,
    2039,
    400,
    dense_flops={
        "fp32": 19.5 * TERA,
        "tf32": 156 * TERA,
        "bf16": 312 * TERA,
        "fp16": 312 * TERA,
        "int8": 624 * TERA,
    },
    native_precisions=frozenset({"tf32", "bf16", "fp16", "int8"}),
    compute_capability=(8, 0),
    nvlink_bytes_per_s=600e9,
    pcie_bytes_per_s=64e9,
)
H100 = _nvidia(
    "nvidia-h100-sxm-80gb",
    "Hopper",
    "sxm",
    79.65,
    3350,
    700,
    dense_flops={
        "tf32": 494.5 * TERA,
        "bf16": 989.5 * TERA,
        "fp16": 989.5 * TERA,
        "fp8": 1979 * TERA,
        "int8": 1979 * TERA,
    },
    native_precisions=ADA_TYPES,
    compute_capability=(9, 0),
    nvlink_bytes_per_s=900e9,
    pcie_bytes_per_s=128e9,
)
H200 = _nvidia(
    "nvidia-h200-sxm-141gb",
    "Hopper",
    "sxm",
    140.4,
    4800,
    700,
    dense_flops=H100.dense_flops,
    native_precisions=ADA_TYPES,
    compute_capability=(9, 0),
    nvlink_bytes_per_s=900e9,
    pcie_bytes_per_s=128e9,
)
H20 = _nvidia(
    "nvidia-h20-96gb",
    "Hopper",
    "sxm",
    95.58,
    4000,
    400,
    dense_flops={"bf16": 148 * TERA, "fp16": 148 * TERA, "fp8": 296 * TERA, "int8": 296 * TERA},
    native_precisions=ADA_TYPES,
    compute_capability=(9, 0),
    nvlink_bytes_per_s=900e9,
    pcie_bytes_per_s=126e9,
)
B200 = _nvidia(
    "nvidia-b200-sxm-180gb",
    "Blackwell",
    "sxm",
    179.1,
    7700,
    1000,
    dense_flops={
        "tf32": 1125 * TERA,
        "bf16": 2250 * TERA,
        "fp16": 2250 * TERA,
        "fp8": 4500 * TERA,
        "fp4": 9000 * TERA,
    },
    native_precisions=BLACKWELL_TYPES,
    compute_capability=(10, 0),
    nvlink_bytes_per_s=1800e9,
    pcie_bytes_per_s=128e9,
)
L40S = _nvidia(
    "nvidia-l40s",
    "Ada Lovelace",
    "pcie-double-wide",
    44.99,
    864,
    350,
    dense_flops={
        "tf32": 183 * TERA,
        "bf16": 362.05 * TERA,
        "fp16": 362.05 * TERA,
        "fp8": 733 * TERA,
        "int8": 733 * TERA,
    },
    native_precisions=ADA_TYPES,
    compute_capability=(8, 9),
    pcie_bytes_per_s=64e9,
)
L4 = _nvidia(
    "nvidia-l4",
    "Ada Lovelace",
    "pcie-single-wide",
    22.49,
    300,
    72,
    dense_flops={
        "tf32": 60 * TERA,
        "bf16": 121 * TERA,
        "fp16": 121 * TERA,
        "fp8": 242 * TERA,
        "int8": 242 * TERA,
    },
    native_precisions=ADA_TYPES,
    compute_capability=(8, 9),
    pcie_bytes_per_s=64e9,
)
RATE_UNKNOWN = _nvidia(
    "nvidia-rtx-pro-4500-blackwell-server",
    "Blackwell (GB203)",
    "pcie-single-wide",
    31.0,
    800,
    165,
    dense_flops={},
    native_precisions=BLACKWELL_TYPES,
    compute_capability=(12, 0),
    pcie_bytes_per_s=128e9,
)

ONE = Layout(tensor_parallel=1, pipeline_parallel=1, replicas=1, idle_gpus=0, crosses_link=False)
EIGHT = Layout(tensor_parallel=8, pipeline_parallel=1, replicas=1, idle_gpus=0, crosses_link=False)


def node(gpu: GPUSpec, **changes) -> NodeSpec:
    """A two-processor rack server that takes up to eight of the card."""
    values = {
        "server": "example",
        "variant": None,
        "gpu": gpu,
        "counts": (1, 2, 4, 8),
        "count_known": True,
        "link": "pcie",
        "link_bytes_per_s": None,
        "link_max_gpus": 1,
        "evidence": "maker",
        "cpu_vendor": "intel",
        "sockets_min": 2,
        "sockets_max": 2,
        "option_min_sockets": None,
        "option_min_psu_w": None,
        "option_ambient_max_c": None,
        "card_power_cap_w": None,
        "kind": "rack",
        "rack_units": 2,
        "enclosure_rack_units": None,
        "enclosure_trays": None,
        "depth_mm": None,
        "cooling": frozenset({"air"}),
        "temperature_min_c": None,
        "temperature_max_c": None,
        "workloads": frozenset(),
        "server_orderable": True,
        "option_orderable": True,
        "successor": None,
        "special_order": False,
    }
    return NodeSpec(**(values | changes))
