"""Factors of the memory model, each with its source or the cases whose spread it is.

A `Range` stands for the spread seen; a plain number for a value that the source states.
"Logs" are published start-up logs of inference engines, counted in the comments.
"""

from dataclasses import dataclass

from recommender.sizing.specs import GIB, Range

# --- Weights: bytes a parameter by recipe -------------------------------------------------------------------
# 8-bit scales: one fp32 per 128 x 128 block (DeepSeek-V3 technical report, arXiv:2412.19437) or per channel.
FP8_VALUE = 1 + 4 / 128**2
# GPTQ with groups of 128: a 16-bit scale and a zero point of the value's own width (Frantar et al., 2022,
# arXiv:2210.17323; AutoGPTQ file format). Per-channel W8A8 has nearly none: the low end.
INT8_VALUE = Range(1.0005, 1 + 3 / 128, 1 + 3 / 128)
INT4_VALUE = Range(0.5 + 2 / 128, 0.5 + 2.5 / 128, 0.5 + 2 / 32)  # AWQ/GPTQ groups of 128; high: of 32
# OCP Microscaling: a byte for 32 values. NVFP4: an fp8 byte for 16 (NVIDIA, "Introducing NVFP4").
MXFP4_VALUE = 0.5 + 1 / 32
NVFP4_VALUE = 0.5 + 1 / 16
INT4_EXPERTS_VALUE = 0.5 + 2 / 32  # Kimi K2 Thinking: groups of 32
# NF4: one fp32 scale for 64 values; double quantization makes it a byte and an fp32 for 256 of those
# (Dettmers et al., 2023, arXiv:2305.14314, section 3).
NF4_VALUE = 0.5 + 4 / 64
NF4_DOUBLE_VALUE = 0.5 + 1 / 64 + 4 / (64 * 256)
# A measured checkpoint: other packings of the same recipe, what an engine adds when it loads.
MEASURED_SPREAD = (0.98, 1.0, 1.03)
# What a parameter count has not: rotary tables, padded vocabularies, buffers. 20 logs of 16-bit loads on
# NVIDIA cards lie 0 to 1.0 % above two bytes a parameter, half of them below 0.4 %.
LOADED = Range(0.998, 1.003, 1.011)
# Kernels for 4-bit experts pad the width of an expert to a multiple of this.
EXPERT_PADDING = 256
# vLLM on AMD pads the experts' matrices (VLLM_ROCM_MOE_PADDING): 2 to 3.5 % in four logs of Qwen3-235B; rows
# of FP8 matrices by 256 bytes (VLLM_ROCM_FP8_PADDING, on unless switched off).
ROCM_MOE = Range(1.0, 1.025, 1.035)
ROCM_FP8_ROW = 256
# The inner width of a linear-attention or Mamba layer from its state: 128 fp32 values for each channel (the
# state of every published DeltaNet, KDA, lightning and Mamba2 model in the catalogue), and such a layer's
# parameters in hidden x inner: two or three projections in, one out.
STATE_BYTES_PER_CHANNEL = 512
STATE_PROJECTIONS = 3.5

# --- Cache --------------------------------------------------------------------------------------------------
BLOCK_TOKENS = 16  # vLLM's page: the last one of a request is partly empty
STATE_IN_16_BITS = 0.5  # of a state in fp32: Qwen3-Next in vLLM, whose configuration asks for nothing else
PACKED_SCALE_VALUES = 32  # DeepSeek sparse attention in fp8: 4 bytes of scale for 128 values
PACKED_KEY_SCALE = 4  # and for an indexer key

# --- Engines ------------------------------------------------------------------------------------------------
# Part of the card that an engine plans with: vLLM's gpu_memory_utilization, default 0.90 (engine arguments);
# SGLang takes the whole card and holds back a reserve (server_args.py), see below; TensorRT-LLM gives 0.90 of
# what is free after weights and buffers to the cache (KvCacheConfig.free_gpu_memory_fraction), here 0.95 of
# all; what is left to others is taken as 0.90.
UTILIZATION = {"vllm": 0.90, "sglang": 1.0, "tensorrt_llm": 0.95, "other": 0.90}

# vLLM sizes its batch by the card (get_batch_defaults in arg_utils.py): 70 GiB and more, A100 excepted.
LARGE_CARD = 70 * GIB
BATCH_TOKENS = {True: 8192, False: 2048}
# Embedders and rerankers are read in larger batches on every card (POOLING_MODEL_MAX_NUM_BATCHED_TOKENS in
# vllm/utils), whatever the longest text of the model.
ENCODER_BATCH_TOKENS = 32_768
BATCH_SEQUENCES = {True: 1024, False: 256}
# Sampling a full batch holds copies of its fp32 logits. Builds of 2025 and before: 8 to 11 in 15 of 16 logs,
# three of them with the peak printed. Current builds sample in place: their peak lies between 2.4 and 4.8 GiB
# on large cards (17 logs on Hopper, Blackwell and CDNA 3), whatever the vocabulary, and at 1.2 and 1.3 GiB in
# the two logs of a card with the small batch.
LOGIT_COPIES = Range(8.0, 9.5, 11.0)
CURRENT_PEAK = {
    True: Range(2.2 * GIB, 3.3 * GIB, 4.8 * GIB),
    False: Range(0.7 * GIB, 1.2 * GIB, 1.9 * GIB),
}
# Widths of hidden and of inner state that live at once in a forward pass without gradients. Four logs of
# unchunked prompts of 20,000 to 32,768 tokens lie within 1.3 and 4 with gate, up and product (3).
FORWARD_WIDTHS = Range(1.3, 2.0, 4.0)
FORWARD_INNER = 3.0
# What the driver keeps of the memory that it reports: 79.65 against 79.1 GiB on an H100, 140.4 against 139.8
# on an H200, 80.0 against 79.2 on an A100, 15.0 against 14.6 on a T4. AMD's report has no such part.
DRIVER = {"nvidia": Range(0.2 * GIB, 0.55 * GIB, 0.8 * GIB)}
# Memory of kernels and the allocator's rounding, inside the budget: 0.01 to 0.4 GiB in ten logs.
ENGINE_BASE = Range(0.0, 0.2 * GIB, 0.5 * GIB)
# NCCL and custom all-reduce buffers for each rank of a group: 18 logs of 2 to 8 ranks against 12 of one.
COMMUNICATION_PER_RANK = Range(0.05 * GIB, 0.2 * GIB, 0.35 * GIB)
# SGLang holds back 1.5 MiB for each token of a prefill chunk and 2 MiB for each sequence of the largest
# captured batch (_handle_gpu_memory_settings in server_args.py). Memory below which a card gets which of the
# two; the larger of its batches, which wide tensor groups get.
SGLANG_RESERVE_PER_TOKEN = 1.5 * 2**20
SGLANG_RESERVE_PER_SEQUENCE = 2 * 2**20
SGLANG_LEAST = 0.6  # part of the reserve that activations are known to fill
SGLANG_BATCHES = (
    (35 * GIB, 2048, 80),
    (60 * GIB, 4096, 160),
    (160 * GIB, 8192, 512),
    (float("inf"), 16384, 512),
)
# A cache that grows by concatenation (Transformers before 4.36) has its old and its new copy at once, and
# leaves holes: 1.6 to 2.1 times its size in eight measured peaks.
CONCATENATED_CACHE = Range(1.5, 1.85, 2.2)
# How many published measurements stand behind a figure that is read off rather than worked out; 0: estimated.
SEEN_IN = {
    "graphs_nvidia": 24,
    "graphs_amd": 8,
    "graphs_": 32,
    "kernels": 10,
    "plain": 38,
    "image_generation": 16,
    "vision": 0,
    "process": 0,
}
# Plain PyTorch: what 38 published peaks have above weights and cache, next to nothing to 0.8 GiB.
PLAIN_PEAK = Range(0.0, 0.1 * GIB, 0.8 * GIB)
PLAIN_BASE = Range(0.0, 0.05 * GIB, 0.3 * GIB)

# CUDA graphs, recorded when the cache has taken its part of the budget: 24 logs of current builds on NVIDIA
# cards, eight on MI300X.
GRAPHS = {
    "nvidia": Range(0.1 * GIB, 0.9 * GIB, 2.5 * GIB),
    "amd": Range(2.6 * GIB, 5.0 * GIB, 6.0 * GIB),
    "": Range(0.0, 1.0 * GIB, 6.0 * GIB),
}
# The context of a process of its own, as of an embedder beside the model: our own estimate.
PROCESS_CONTEXT = Range(0.3 * GIB, 0.5 * GIB, 0.8 * GIB)

# Adapters being served: vLLM keeps slots of the largest rank (max_lora_rank, default 16) for every matrix.
SERVED_ADAPTER_RANK = Range(8.0, 16.0, 64.0)

# --- Other kinds of model -----------------------------------------------------------------------------------
# A picture of 1024 x 1024: SDXL in 16 bits peaks at 7.9 to 10.5 GiB, of which 6.5 are weights, in 16 runs of
# the Diffusers benchmarks (huggingface.co/datasets/sayakpaul/sample-datasets).
IMAGE_ACTIVATIONS = Range(1.3 * GIB, 2.5 * GIB, 4.5 * GIB)
# A batch of frames through a detector or classifier, and the video decoder's surfaces: our own estimate.
VISION_ACTIVATIONS = Range(0.3 * GIB, 1.0 * GIB, 2.0 * GIB)

# --- Training -----------------------------------------------------------------------------------------------
# Bytes a trained parameter by recipe: (weights, gradients, optimizer states with master weights).
# Rajbhandari et al., 2020 (ZeRO, arXiv:1910.02054), section 3.1: 2 + 2 + 12; fp32 gradients: 2 + 4 + 12;
# DeepSpeed keeps both gradients: 2 + 6 + 12 (stage_1_and_2.py); 8-bit AdamW: Dettmers et al., 2022,
# arXiv:2110.02861; all in bf16: torchtune's single-device recipes. Adafactor keeps next to no second moment
# (Shazeer and Stern, 2018, arXiv:1804.04235), SGD without momentum none: only the fp32 master weights.
RECIPES: dict[str, tuple[float, float, float]] = {
    "adamw": (2, 2, 12),
    "adamw_fp32_gradients": (2, 4, 12),
    "adamw_deepspeed": (2, 6, 12),
    "adamw_fp32": (4, 4, 8),
    "adamw_bf16": (2, 2, 4),
    "adamw_8bit": (2, 2, 6),
    "adamw_8bit_bf16": (2, 2, 2),
    "adafactor": (2, 2, 4),
    "sgd": (2, 2, 4),
}
# An update over many tensors at once makes a copy as large as the weights it updates (PyTorch, torch.optim,
# "foreach"); it comes when the activations are gone, so that the larger of the two counts.
UPDATE_COPY = 1.0
# Adapters are small and kept in fp32 with fp32 gradients and AdamW states: 4 + 4 + 8.
ADAPTER_BYTES = (4, 4, 8)


# What a token and layer leaves for the backward pass, in 16-bit widths of the hidden and of the inner state.
# Gated layers with norms in fp32 (Llama and its kin) in plain PyTorch: inputs and fp32 copies of two norms,
# queries and keys before and after rotation, attention's output; gate, up, activated gate and product. The
# sum comes to the 34 bytes a value of Korthikanti et al., 2022 (arXiv:2205.05198) plus the fp32 copies, and
# reproduces 12 published peaks within 10 %. Compiled and fused code recomputes part of it. Two-matrix layers
# with fused norms (Falcon, GPT-NeoX, MPT, Phi-2) keep less. Frozen matrices need no inputs.
@dataclass(frozen=True, slots=True)
class Kept:
    """Widths kept for the backward pass by a token and layer."""

    hidden: Range
    inner_trained: float
    inner_frozen: float


KEPT = {
    (True, "eager"): Kept(Range(10.5, 13.0, 16.5), 4.0, 3.0),
    (True, "compiled"): Kept(Range(7.5, 9.5, 12.0), 3.5, 3.0),
    (False, "eager"): Kept(Range(6.0, 8.0, 10.5), 2.0, 1.0),
    (False, "compiled"): Kept(Range(5.0, 6.5, 8.5), 2.0, 1.0),
}
# Each adapted matrix keeps its input once more, after dropout, with the mask: 2 + 1 bytes a value.
ADAPTED_INPUT = Range(1.0, 1.5, 1.6)
# 4-bit base through bitsandbytes: 1.2 to 1.55 times the activations of the same run on a 16-bit base, eight
# pairs of published peaks (litgpt); nothing extra when layers are recomputed.
QUANTIZED_BASE = Range(1.1, 1.4, 1.55)
# Selective recomputation keeps about every second matrix product: four peaks of torchtitan.
SELECTIVE_SHARE = Range(0.3, 0.38, 0.5)
# Bytes for each logit of a batch: 16-bit output 2, fp32 copy 4, its gradient 4, the output's gradient 2; some
# losses keep the log-softmax too (4), fused ones skip a step. A loss in chunks keeps an eighth. Seven slopes
# of published peaks over the sequence length: 8 to 15.
LOGIT_BYTES = {"eager": Range(8.0, 12.0, 16.0), "compiled": Range(6.0, 10.0, 14.0)}
LOSS_CHUNKS = 8
# Workspaces, beside the driver's part; NCCL buffers with more than one GPU; holes in the allocator's pool.
TRAINING_BASE = Range(0.0, 0.3 * GIB, 1.5 * GIB)
TRAINING_COMMUNICATION = Range(0.2 * GIB, 0.8 * GIB, 2.0 * GIB)
FRAGMENTATION = Range(0.0, 0.02, 0.08)
# Gradients that are used at once take the place of activations as these go; a fifth of them is there at the
# fullest moment whatever happens.
NEVER_FREED = 0.2
# Layers that ZeRO-3 holds whole at once: one, two with prefetching, four at most.
GATHERED_LAYERS = Range(1.0, 2.0, 4.0)
# 16-bit copies of the largest matrix while QLoRA multiplies with it.
WIDENED_MATRICES = Range(1.0, 1.0, 2.0)
# A frozen copy that judges the same tokens adds its logits without gradients: 16-bit output, fp32 copy.
JUDGED_LOGIT_BYTES = Range(2.0, 6.0, 6.0)
# Layers whose activations are on their way to host memory or back while another one is at work.
LAYERS_IN_FLIGHT = Range(1.0, 2.0, 3.0)
