"""Efficiencies, overheads and draws: how far real work stays behind printed rates, and why we think so.

Every `Range` is a fraction of the printed dense rate (or a time or a power) as low-typical-high, from what
others state or our judgement. What measured cases set is in `serving_constants` and `training_constants`.
"""

from recommender.sizing.specs import Range

# Cards whose arithmetic is cut down below so many FLOP for each byte of memory traffic (H20: 37, others 150
# and more) keep their clock and reach more of what is printed (Qwen3's published SGLang runs on H20).
LITTLE_ARITHMETIC = 100.0
# A matrix product computes whole tiles however few tokens there are: Hopper's instructions take 64 rows (PTX
# ISA, wgmma), expert kernels blocks of 16 (vLLM's and SGLang's fused_moe). Only cards with little arithmetic
# feel it. Kernels that unpack 4-bit weights use smaller tiles and spend the rest on unpacking.
TILE_ROWS = 64
UNPACKING_TILE_ROWS = 32
EXPERT_TILE_ROWS = 16
BEST_MATRIX_SHARE = 0.87  # the best matrix product of any card, on A100 (ml-engineering, Bekman, 2024)
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

# --- Training over several servers -----------------------------------------------------------------------
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
