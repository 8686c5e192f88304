"""Efficiencies, overheads and draws: how far real work stays behind printed rates, and why we think so.

Every `Range` is a fraction of the printed dense rate (or a time or a power) as low-typical-high, over
many published runs of that situation. None is fitted to a single run.
"""

from dataclasses import dataclass

from recommender.sizing.specs import Range


@dataclass(frozen=True, slots=True)
class ServingEfficiency:
    """How an engine uses a card: fractions of printed rates, and the time it spends beside the card."""

    bandwidth: Range  # share of printed memory bandwidth in a decode step
    compute: Range  # of DENSE_SHARE or MIXTURE_SHARE
    step_s: Range  # fixed time of a decode step: scheduler, sampling, launches
    layer_s: Range  # kernels of one layer that no roofline counts
    request_s: Range  # per running request in a step: sampling, detokenising, scheduling


# NVIDIA's aiconfigurator counts 0.8 of the printed bandwidth and 3 us a kernel. Whole engines reach 0.20-0.36
# of the roofline as installed and 0.30-0.55 tuned (published vLLM, SGLang and TensorRT-LLM runs); what the
# rates below leave open is in the step times. PyTorch without graphs launches each kernel by itself.
AS_INSTALLED = ServingEfficiency(
    bandwidth=Range(0.64, 0.79, 0.90),
    compute=Range(0.62, 0.83, 1.04),
    step_s=Range(0.4e-3, 1.0e-3, 2.5e-3),
    layer_s=Range(8e-6, 20e-6, 36e-6),
    request_s=Range(8e-6, 32e-6, 55e-6),
)
TUNED = ServingEfficiency(
    bandwidth=Range(0.65, 0.82, 0.93),
    compute=Range(0.80, 1.08, 1.32),
    step_s=Range(0.3e-3, 1e-3, 2e-3),
    layer_s=Range(5e-6, 12e-6, 20e-6),
    request_s=Range(1e-6, 4e-6, 8e-6),
)
EAGER = ServingEfficiency(
    bandwidth=Range(0.55, 0.75, 0.86),
    compute=Range(0.50, 0.75, 1.00),
    step_s=Range(0.5e-3, 2e-3, 5e-3),
    layer_s=Range(350e-6, 500e-6, 700e-6),
    request_s=Range(5e-6, 20e-6, 50e-6),
)
EAGER_UNPACKING = Range(1.3, 1.8, 2.4)  # times the launches: kernels of their own unpack 4-bit weights

# Share of the printed dense rate in prompts and large batches, typical, by GPU generation and bits of the
# computing type. Matrix products alone reach 87 % on A100, 80 on H100, 78 on B200, 51-68 on CDNA 3 and 4
# (ml-engineering, Bekman, 2024); whole prompts less, the less the faster the card is against its memory,
# clock limit and host. FP4 on B200 and FP8 on MI300X and MI325X: MLPerf Inference, Llama-2-70B.
DENSE_SHARE = {
    "turing": {16: 0.35, 8: 0.30},
    "ampere": {16: 0.70, 8: 0.58},
    "ada": {16: 0.55, 8: 0.50},
    "hopper": {16: 0.46, 8: 0.50},
    "hopper-reduced": {16: 0.75, 8: 0.72},
    "blackwell": {16: 0.44, 8: 0.44, 4: 0.38},
    "blackwell-workstation": {16: 0.60, 8: 0.55, 4: 0.48},
    "cdna": {16: 0.42, 8: 0.44, 4: 0.30},
    "other": {16: 0.35, 8: 0.30, 4: 0.20},
}
# Mixtures: expert groups are small and uneven and fill fast cards least (TensorRT-LLM's published runs of
# DeepSeek-R1, gpt-oss, Llama 4 and Qwen3 on H100, H200, B200 and RTX PRO 6000).
MIXTURE_SHARE = {
    "turing": {16: 0.20, 8: 0.17},
    "ampere": {16: 0.42, 8: 0.35},
    "ada": {16: 0.34, 8: 0.31},
    "hopper": {16: 0.28, 8: 0.29},
    "hopper-reduced": {16: 0.46, 8: 0.42},
    "blackwell": {16: 0.26, 8: 0.24, 4: 0.14},
    "blackwell-workstation": {16: 0.37, 8: 0.34, 4: 0.30},
    "cdna": {16: 0.25, 8: 0.24, 4: 0.14},
    "other": {16: 0.20, 8: 0.17, 4: 0.10},
}
# Routing, sorting tokens by expert and gathering them again: more kernels than the rest of a layer. Single
# streams of Qwen3-235B-A22B on H20 and of Kimi K2.6 on RTX PRO 6000 show about 50 us a layer.
MIXTURE_LAYERS = Range(1.5, 2.8, 3.6)
MIXTURE_SPREAD = Range(0.72, 1.0, 1.37)  # of MIXTURE_SHARE, beyond that of dense models
# Cards whose arithmetic is cut down below so many FLOP for each byte of memory traffic (H20: 37, others 150
# and more) keep their clock and reach more of what is printed (Qwen3's published SGLang runs on H20).
LITTLE_ARITHMETIC = 100.0
# A matrix product computes whole tiles however few tokens there are: Hopper's instructions take 64 rows (PTX
# ISA, wgmma), expert kernels blocks of 16 (vLLM's and SGLang's fused_moe). Only cards with little arithmetic
# feel it. Kernels that unpack 4-bit weights use smaller tiles and spend the rest on unpacking.
TILE_ROWS = 64
UNPACKING_TILE_ROWS = 32
EXPERT_TILE_ROWS = 16
BEST_MATRIX_SHARE = 0.87  # the best matrix product of any card in those tables
# Block-scaled 8-bit experts without kernels tuned for the card: 1.2 to 3.5 times slower than the same tables
# say for 16 bit (GPUStack's vLLM and SGLang runs of GLM-4.6, DeepSeek-V3.2 and Qwen3-235B as installed).
EIGHT_BIT_EXPERTS_AS_INSTALLED = Range(0.50, 0.75, 1.0)
# 4-bit weights unpacked to 16 bit at each read: single streams reach half of the bandwidth of 16-bit weights.
UNPACKING_BANDWIDTH = Range(0.50, 0.68, 0.90)
# Cards of 75 W or with a power cap do not hold the clock that their peak assumes (T4, L4, A2).
LOW_POWER_W = 80.0
LOW_POWER_COMPUTE = Range(0.50, 0.70, 0.90)

# One all-reduce of a decode step beside its bytes [s]: NVLink 8-22 us, PCIe through the host 20-60 us.
# NVIDIA's aiconfigurator counts 10 us for a message from card to card; ranks also wait for the slowest.
ALL_REDUCE_S = {
    "nvswitch": Range(8e-6, 14e-6, 22e-6),
    "nvlink": Range(8e-6, 14e-6, 22e-6),
    "fabric": Range(10e-6, 18e-6, 30e-6),
    "bridge": Range(8e-6, 14e-6, 25e-6),
    "pcie": Range(20e-6, 40e-6, 60e-6),
}
LINK_EFFICIENCY = Range(0.40, 0.65, 0.85)  # of one direction, for messages of megabytes (nccl-tests)
PCIE_EFFICIENCY = Range(0.25, 0.45, 0.75)  # peer traffic crosses the host bridge where it has no switch

CHUNK_TOKENS = Range(2048, 8192, 16384)  # prompt tokens an engine reads in one step (vLLM's defaults)
# Part of a shared start that the cache still holds when the next prompt comes: all of it at best; caches that
# running requests fill give the oldest parts away (our judgement, no published run isolates it).
PREFIX_HIT = Range(0.5, 0.9, 1.0)
# Tokens that a draft model proposes before each check, and the chance that one is taken: 0.5-0.8 in Leviathan
# et al., 2023 (arXiv:2211.17192, table 3), less for drafts that do not suit the text.
DRAFT_TOKENS = 4
DRAFT_ACCEPTANCE = Range(0.35, 0.60, 0.80)
# A prediction layer of the model's own: 0.85-0.90 (DeepSeek-V3 technical report, section 5.4.3), less where
# texts are harder to foresee than those.
PREDICTION_ACCEPTANCE = Range(0.60, 0.80, 0.90)
LONGEST_ANSWER = 5.0  # over the mean: chat answers of 200 tokens on average end at about 1,000 (ShareGPT)
# Waiting at the 95th percentile over the mean of a queue with exponential waits: -ln(0.05).
P95_OVER_MEAN_WAIT = 3.0
SPARSE_TOKENS = 2048  # tokens that a sparse indexer picks (DeepSeek-V3.2 technical report)


@dataclass(frozen=True, slots=True)
class TrainingEfficiency:
    """Model FLOP/s (without recomputed work) over the printed dense rate of the compute type."""

    dense: Range
    mixture: Range


# A100: 36-60 %, median 52-55 (MosaicML llm-foundry tables, FSDP, bf16); H100: 29-46 %, median 41;
# FP8 on H100: 23-30 % with FSDP, 36-42 % with Megatron (NVIDIA Megatron-Bridge tables); mixtures 13-21 % at
# 8 bit, 5 % at NVFP4. All on machines whose GPUs an NVLink switch joins, with fast networks between them.
TRAINING_UTILIZATION = {
    ("ampere", 16): TrainingEfficiency(Range(0.50, 0.57, 0.62), Range(0.20, 0.27, 0.36)),
    ("hopper", 16): TrainingEfficiency(Range(0.36, 0.41, 0.46), Range(0.15, 0.21, 0.29)),
    ("hopper", 8): TrainingEfficiency(Range(0.305, 0.35, 0.40), Range(0.105, 0.135, 0.17)),
    ("blackwell", 16): TrainingEfficiency(Range(0.33, 0.41, 0.48), Range(0.14, 0.20, 0.28)),
    ("blackwell", 8): TrainingEfficiency(Range(0.29, 0.34, 0.40), Range(0.095, 0.125, 0.165)),
    ("blackwell", 4): TrainingEfficiency(Range(0.18, 0.23, 0.28), Range(0.035, 0.047, 0.065)),
    ("other", 16): TrainingEfficiency(Range(0.26, 0.38, 0.50), Range(0.13, 0.20, 0.30)),
    ("other", 8): TrainingEfficiency(Range(0.20, 0.30, 0.40), Range(0.09, 0.14, 0.20)),
    ("other", 4): TrainingEfficiency(Range(0.12, 0.19, 0.27), Range(0.03, 0.06, 0.10)),
}
# Attention runs in 16 bit and fills the card less than matrix products do: FlashAttention-2 alone reaches up
# to 35 % of an H100, 60 % of an A100 (Dao, 2023, arXiv:2307.08691), in whole steps of 8,192 to 65,536 tokens
# about two thirds of that (MosaicML llm-foundry and torchtitan tables).
TRAINING_ATTENTION = {
    "ampere": Range(0.32, 0.40, 0.50),
    "hopper": Range(0.18, 0.24, 0.33),
    "blackwell": Range(0.18, 0.24, 0.33),
    "other": Range(0.14, 0.22, 0.36),
}


AS_IT_IS = Range(1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class TrainingStack:
    """What the software changes: over TRAINING_UTILIZATION, and the launches it cannot hide."""

    share: Range
    low_precision_share: Range  # the same in 8 and 4 bit, where casts and scales have to be fused
    layer_s: Range  # kernels of one layer, forward and backward, of one micro-batch [s]
    attention: Range = AS_IT_IS  # over TRAINING_ATTENTION


TRAINING_STACKS = {
    # NVIDIA Megatron-Bridge and MLPerf submissions: fused kernels, overlapped exchange.
    "tuned": TrainingStack(
        share=Range(1.0, 1.1, 1.17),
        low_precision_share=Range(1.12, 1.22, 1.28),
        layer_s=Range(0.1e-3, 0.3e-3, 0.6e-3),
        # cuDNN's attention and FlashAttention-3 reach up to 75 % of an H100 (arXiv:2407.08608).
        attention=Range(1.4, 1.7, 1.9),
    ),
    # MosaicML llm-foundry, torchtitan, torchtune, ms-swift.
    "sharded": TrainingStack(
        share=Range(0.97, 1.0, 1.0),
        low_precision_share=Range(0.80, 0.92, 1.0),
        layer_s=Range(0.3e-3, 0.8e-3, 1.5e-3),
    ),
    # Transformers Trainer with PEFT (QwenLM fine-tuning tables).
    "eager": TrainingStack(
        share=Range(0.60, 0.75, 0.90),
        low_precision_share=Range(0.50, 0.70, 0.90),
        layer_s=Range(1.8e-3, 3.5e-3, 6e-3),
    ),
}
# Recomputing repeats the forward pass (a third of the work), but leaves room for fuller batches.
RECOMPUTE = {
    "none": Range(1.0, 1.0, 1.0),
    "selective": Range(1.0, 1.03, 1.06),
    "full": Range(1.0, 1.07, 1.15),
}
# Adapters through 4-bit weights unpack them twice a step (QwenLM fine-tuning tables: 0.4-1.0 of LoRA).
QLORA_SLOWDOWN = Range(1.0, 1.2, 1.6)
# LoRA over 2-4 servers kept 34-36 % of peak against 38-40 % on one (MLPerf Training v5.0).
SERVERS_SCALING = Range(0.88, 0.95, 1.0)
# Where the network between servers is not stated: one 400 Gbit/s port a GPU in machines with modules, a
# shared 100-400 Gbit/s port in others [bytes/s a GPU, both directions].
NETWORK_BYTES_PER_S = {"module": Range(50e9, 100e9, 100e9), "card": Range(6e9, 25e9, 100e9)}
EXPOSED_TRAFFIC = Range(0.0, 0.25, 0.6)  # share of link traffic that computing does not hide
SWITCH_BYTES_PER_S = 900e9  # what the links of those machines carry; their traffic is inside the utilization

# --- Work that is not a language model: share of the printed dense rate -------------------------------------
# ResNet-50 in MLPerf Inference (INT8, TensorRT) reaches 0.43-0.66; whole video pipelines far less.
VISION_UTILIZATION = Range(0.08, 0.25, 0.66)
WHISPER_UTILIZATION = Range(0.05, 0.11, 0.19)  # MLPerf Inference v5.1: 0.08-0.19 tuned
# SDXL at FP8 in MLPerf Inference: 0.22-0.37 tuned. At 16 bit PyTorch takes 3-4 s for 30 steps on an A100 and
# FLUX.1 about 14 s for 28 steps on an L40S, 0.25-0.45 of the printed rate; compiled more.
DIFFUSION_UTILIZATION = {16: Range(0.20, 0.38, 0.60), 8: Range(0.15, 0.27, 0.40), 4: Range(0.08, 0.15, 0.25)}
ENCODER_UTILIZATION = Range(0.12, 0.30, 0.55)  # BERT-large INT8 in MLPerf Inference: 0.35-0.55 tuned
