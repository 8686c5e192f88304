"""Factors of the memory model, each with its source or the cases whose spread it is.

A `Range` stands for the spread seen; a plain number for a value that the source states.
"Logs" are published start-up logs of inference engines, counted in the comments.
"""

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
# Tensors that no parameter count has: rotary tables, padded vocabularies. Logs of 16-bit loads: 0 to 0.6 %.
LOADED_16_BIT = Range(1.0, 1.001, 1.006)
# Kernels for 4-bit experts pad the width of an expert to a multiple of this.
EXPERT_PADDING = 256
# vLLM on AMD pads the experts' matrices (VLLM_ROCM_MOE_PADDING): 2 to 3.5 % in four logs of Qwen3-235B.
ROCM_MOE = Range(1.0, 1.025, 1.035)

# --- Cache --------------------------------------------------------------------------------------------------
BLOCK_TOKENS = 16  # vLLM's page: the last one of a request is partly empty
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
BATCH_SEQUENCES = {True: 1024, False: 256}
# Copies of the fp32 logits of a full batch during sampling. 2025 builds: 9 to 10 (two logs with
# the activation peak printed); 2026 builds on Hopper and Blackwell: 4 to 8 over 14 logs.
LOGIT_COPIES = Range(4.0, 6.0, 10.0)
# Widths of hidden state that live at once in a forward pass without gradients: residual, normed, output.
FORWARD_WIDTHS = Range(3.0, 4.0, 6.0)
# Memory of kernels, cuBLAS workspaces and the allocator's rounding, inside the budget.
ENGINE_BASE = Range(0.1 * GIB, 0.3 * GIB, 0.6 * GIB)
# NCCL and custom all-reduce buffers, one GPU of a tensor or pipeline group: 8 logs with and 6 without.
COMMUNICATION = Range(0.3 * GIB, 0.9 * GIB, 1.6 * GIB)
# SGLang: 1.5 MiB for each token of a prefill chunk, and 0.5 GiB beside it (server_args.py).
SGLANG_RESERVE_PER_TOKEN = 1.5 * 2**20
SGLANG_BASE = Range(0.4 * GIB, 1.0 * GIB, 1.6 * GIB)
SGLANG_CHUNKS = ((35 * GIB, 2048), (60 * GIB, 4096), (160 * GIB, 8192), (float("inf"), 16384))

# Adapters being served: vLLM keeps slots of the largest rank (max_lora_rank, default 16) for every matrix.
SERVED_ADAPTER_RANK = Range(8.0, 16.0, 64.0)

# --- Other kinds of model -----------------------------------------------------------------------------------
# A picture of 1024 x 1024: latents, attention and the decoder of the autoencoder, with and without tiling.
IMAGE_ACTIVATIONS = Range(1.5 * GIB, 4.0 * GIB, 8.0 * GIB)
# A batch of frames through a detector or classifier, and the video decoder's surfaces.
VISION_ACTIVATIONS = Range(0.3 * GIB, 1.0 * GIB, 2.0 * GIB)

# --- Training -----------------------------------------------------------------------------------------------
# Bytes a trained parameter by recipe: (weights, gradients, optimizer states with master weights).
# Rajbhandari et al., 2020 (ZeRO, arXiv:1910.02054), section 3.1: 2 + 2 + 12; fp32 gradients: 2 + 4 + 12;
# DeepSpeed keeps both gradients: 2 + 6 + 12 (stage_1_and_2.py); 8-bit AdamW: Dettmers et al., 2022,
# arXiv:2110.02861; all in bf16: torchtune's single-device recipes.
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
# The same name hides leaner and richer builds: bf16 states, or gradients kept in fp32.
OPTIMIZER_SPREAD = (1.0, 1.0, 1.05)
# Adapters are small and kept in fp32 with fp32 gradients and AdamW states: 4 + 4 + 8.
ADAPTER_BYTES = (4, 4, 8)
# Values of 16 bits a token and layer keeps for the backward pass, in widths of hidden state: inputs of both
# norms and of the projections, copies of queries and keys after rotation, attention's output. Korthikanti et
# al., 2022 (arXiv:2205.05198) count 34 bytes a hidden value for a plain layer; norms computed in fp32 and
# unfused kernels add, compiled ones take away.
KEPT_WIDTHS = Range(8.0, 12.0, 18.0)
KEPT_MLP_WIDTHS = Range(2.0, 3.0, 4.0)  # gate, up and their product; plain kernels keep one more
SELECTIVE_SHARE = Range(0.25, 0.4, 0.55)
CHECKPOINT_WIDTHS = 1.0  # full recomputation keeps each layer's input
# Bytes for each logit of a batch: 16-bit output, its fp32 copy, its gradient; chunked losses keep less.
LOGIT_BYTES = Range(4.0, 10.0, 14.0)
# CUDA context, cuBLAS and NCCL; then what the allocator cannot use, as a share of activations.
TRAINING_BASE = Range(0.3 * GIB, 0.8 * GIB, 1.5 * GIB)
FRAGMENTATION = Range(0.0, 0.03, 0.08)
