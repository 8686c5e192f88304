"""Models and cards of the memory tests, with the figures of their published configurations and reports."""

from dataclasses import replace

from recommender.sizing.specs import (
    GIB,
    AIModelSpec,
    CacheGroup,
    ExtraModule,
    GPUSpec,
    Layout,
    Range,
)


def dense(slug, parameters, layers, hidden, heads, kv_heads, head_dim, inner, vocab, **more):
    """Return a model whose layers are all alike and keep everything."""
    groups = (CacheGroup("full", layers, kv_heads=kv_heads, head_dim=head_dim),)
    return AIModelSpec(
        **{
            "slug": slug,
            "kind": "llm",
            "parameters": parameters,
            "num_layers": layers,
            "hidden_size": hidden,
            "num_attention_heads": heads,
            "num_kv_heads": kv_heads,
            "head_dim": head_dim,
            "intermediate_size": inner,
            "vocab_size": vocab,
            "tie_embeddings": False,
            "cache_groups": groups,
        }
        | more
    )


LLAMA_2_7B = dense("llama-2-7b", 6_738_415_616, 32, 4096, 32, 32, 128, 11_008, 32_000)
LLAMA_2_13B = dense("llama-2-13b", 13_015_864_320, 40, 5120, 40, 40, 128, 13_824, 32_000)
LLAMA_2_70B = dense("llama-2-70b", 68_976_648_192, 80, 8192, 64, 8, 128, 28_672, 32_000)
LLAMA_8B = dense("llama-3.1-8b", 8_030_261_248, 32, 4096, 32, 8, 128, 14_336, 128_256)
LLAMA_70B = dense("llama-3.3-70b", 70_553_706_496, 80, 8192, 64, 8, 128, 28_672, 128_256)
LLAMA_3B = dense("llama-3.2-3b", 3_212_749_824, 28, 3072, 24, 8, 128, 8192, 128_256, tie_embeddings=True)
QWEN25_7B = dense("qwen2.5-7b", 7_615_616_512, 28, 3584, 28, 4, 128, 18_944, 152_064)
QWEN25_14B = dense("qwen2.5-14b", 14_770_033_664, 48, 5120, 40, 8, 128, 13_824, 152_064)
QWEN3_600M = dense("qwen3-0.6b", 596_049_920, 28, 1024, 16, 8, 128, 3072, 151_936, tie_embeddings=True)
QWEN3_8B = dense("qwen3-8b", 8_190_735_360, 36, 4096, 32, 8, 128, 12_288, 151_936)
PHI_2 = dense("phi-2", 2_779_683_840, 32, 2560, 32, 32, 80, 10_240, 51_200)
PYTHIA_70M = dense("pythia-70m", 70_426_624, 6, 512, 8, 8, 64, 2048, 50_304)
MIXTRAL = dense(
    "mixtral-8x7b",
    46_702_792_704,
    32,
    4096,
    32,
    8,
    128,
    14_336,
    32_000,
    active_parameters=12_900_000_000,
    experts=8,
    experts_per_token=2,
    moe_intermediate_size=14_336,
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
    mtp_parameters=13_462_844_416,
    cache_groups=(CacheGroup("latent", 61, latent_dim=512, rope_dim=64, tensor_sharded=False),),
)
DEEPSEEK_V32 = replace(
    DEEPSEEK_V3,
    slug="deepseek-v3.2",
    cache_groups=(
        CacheGroup("latent", 61, latent_dim=512, rope_dim=64, tensor_sharded=False),
        CacheGroup("indexer", 61, latent_dim=128, tensor_sharded=False),
    ),
)
GEMMA_3_27B = AIModelSpec(
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
    extra_modules=(ExtraModule("SigLIP vision tower and projector", 423_060_336),),
    cache_groups=(
        CacheGroup("full", 10, kv_heads=16, head_dim=128),
        CacheGroup("window", 52, kv_heads=16, head_dim=128, window=1024),
    ),
)
QWEN35_27B = AIModelSpec(
    slug="qwen3.5-27b",
    kind="vlm",
    parameters=27_781_427_952,
    num_layers=64,
    hidden_size=5120,
    num_attention_heads=24,
    num_kv_heads=4,
    head_dim=256,
    intermediate_size=17_408,
    vocab_size=248_320,
    tie_embeddings=False,
    mtp_parameters=424_698_880,
    extra_modules=(ExtraModule("vision tower", 460_730_096),),
    cache_groups=(
        CacheGroup("full", 16, kv_heads=4, head_dim=256),
        # 48 value heads x 128 x 128 in fp32, and three steps of 10,240 channels in bf16
        CacheGroup("state", 48, state_bytes=48 * 128 * 128 * 4 + 3 * 10_240 * 2),
    ),
)
GPT_OSS_20B = AIModelSpec(
    slug="gpt-oss-20b",
    kind="llm",
    parameters=20_914_757_184,
    active_parameters=3_600_000_000,
    num_layers=24,
    hidden_size=2880,
    num_attention_heads=64,
    num_kv_heads=8,
    head_dim=64,
    intermediate_size=2880,
    vocab_size=201_088,
    tie_embeddings=False,
    native_precision="fp4",
    experts=32,
    experts_per_token=4,
    moe_intermediate_size=2880,
    cache_groups=(
        CacheGroup("full", 12, kv_heads=8, head_dim=64),
        CacheGroup("window", 12, kv_heads=8, head_dim=64, window=128),
    ),
)
BGE_M3 = AIModelSpec(
    slug="bge-m3",
    kind="embedding",
    parameters=567_754_752,
    num_layers=24,
    hidden_size=1024,
    num_attention_heads=16,
    num_kv_heads=16,
    head_dim=64,
    intermediate_size=4096,
    vocab_size=250_002,
    tie_embeddings=True,
    native_precision="fp16",
)
RESNET_50 = AIModelSpec(slug="resnet-50", kind="vision", parameters=25_557_032, native_precision="fp16")
UNKNOWN = AIModelSpec(slug="unknown", kind="llm", parameters=763_205_315_794, cache_known=False)


def card(slug, gib, precisions, *, vendor="nvidia", capability=None, label=None):
    """Return a card with what memory depends on; speed has no part in these tests."""
    return GPUSpec(
        slug=slug,
        vendor=vendor,
        architecture="",
        form=None,
        memory_bytes=Range.exact(gib * GIB),
        memory_reported=True,
        bandwidth_bytes_per_s=None,
        dense_flops={},
        native_precisions=frozenset(precisions.split()),
        tdp_w=None,
        compute_capability=capability,
        memory_label_gb=label,
    )


H100 = card("nvidia-h100-sxm-80gb", 79.65, "bf16 fp16 fp8 int8", capability=(9, 0), label=80)
H200 = card("nvidia-h200-sxm-141gb", 140.4, "bf16 fp16 fp8 int8", capability=(9, 0), label=141)
B200 = card("nvidia-b200-sxm-180gb", 179.06, "bf16 fp16 fp8 fp4 int8", capability=(10, 0), label=180)
RTX_PRO_6000 = card(
    "nvidia-rtx-pro-6000-blackwell-server", 95.59, "bf16 fp16 fp8 fp4 int8", capability=(12, 0), label=96
)
A100 = card("nvidia-a100-sxm-80gb", 80.0, "bf16 fp16 int8 int4", capability=(8, 0), label=80)
A100_40 = card("nvidia-a100-sxm-40gb", 40.0, "bf16 fp16 int8 int4", capability=(8, 0), label=40)
A10 = card("nvidia-a10", 22.49, "bf16 fp16 int8 int4", capability=(8, 6), label=24)
L40S = card("nvidia-l40s", 44.99, "bf16 fp16 fp8 int8 int4", capability=(8, 9), label=48)
L4 = card("nvidia-l4", 22.49, "bf16 fp16 fp8 int8 int4", capability=(8, 9), label=24)
T4 = card("nvidia-t4", 15.0, "fp16 int8 int4", capability=(7, 5), label=16)
MI210 = card("amd-mi210", 64.0, "bf16 fp16 int8", vendor="amd")
MI300X = card("amd-mi300x", 191.98, "bf16 fp16 fp8 int8", vendor="amd", label=192)
MI355X = card("amd-mi355x", 287.98, "bf16 fp16 fp8 fp4 int8", vendor="amd", label=288)
GAUDI_3 = card("intel-gaudi3", 128.0, "fp8 bf16 fp16 fp32", vendor="intel")


def split(tensor=1, pipeline=1, replicas=1):
    """Return a layout without idle cards on one fast link."""
    return Layout(tensor, pipeline, replicas, idle_gpus=0, crosses_link=False)
