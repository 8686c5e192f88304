"""How each line of a memory figure is reckoned, as data: arithmetic in named values, their units, sources.

An expression uses + - * / min max ceil and the names of its values; put in the typical ones and round up to
whole bytes, and it gives the line's typical bytes. Pages put in the numbers; tests hold each line to it.
"""

import re
from dataclasses import dataclass

from recommender.sizing.lines import Line
from recommender.sizing.specs import Range

TOKEN = re.compile(r"[a-z_]+|[0-9.]+|[-+*/(),]")

VLLM = "https://docs.vllm.ai/en/latest/configuration/engine_args.html"
VLLM_DEFAULTS = "https://github.com/vllm-project/vllm/blob/main/vllm/engine/arg_utils.py"
SGLANG = "https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/server_args.py"
HEADS = "https://arxiv.org/abs/2211.05102"
LATENT = "https://arxiv.org/abs/2405.04434"
SPARSE = "https://github.com/sgl-project/sglang/pull/11309"
ZERO = "https://arxiv.org/abs/1910.02054"
ACTIVATIONS = "https://arxiv.org/abs/2205.05198"
LORA = "https://arxiv.org/abs/2106.09685"
QLORA = "https://arxiv.org/abs/2305.14314"
PREFERENCE = "https://arxiv.org/abs/2305.18290"
OPENSEARCH = (
    "https://docs.opensearch.org/docs/latest/vector-search/optimizing-storage/knn-vector-quantization/"
)
SCYLLA = "https://cloud.docs.scylladb.com/stable/vector-search/vector-search-sizing.html"
QDRANT = "https://qdrant.tech/documentation/capacity-planning/"
FAISS = "https://github.com/facebookresearch/faiss/wiki/Guidelines-to-choose-an-index"
# Spreads of what others measured: start-up logs of vLLM, and peaks of memory; counted beside the constants.
LOGS = (
    "https://github.com/openshift-psap/vllm-memory-estimator/blob/8b0e21d1ec49357383758a164129515209b37e7f"
    "/test_data/validation_db.json"
)
QWEN = "https://github.com/QwenLM/Qwen/blob/2df8e8ac450fa185c421a08b0090ef81826caa6e/README.md"
QWEN3 = (
    "https://github.com/QwenLM/Qwen3/blob/7a2f61ffc7a20d47efcd2bf97f6f2bf52729042e"
    "/docs/source/getting_started/speed_benchmark.md"
)
LITGPT = (
    "https://github.com/Lightning-AI/litgpt/blob/26857050fe3ff627cd714fe92f5838f51a3d5efa"
    "/tutorials/resource-tables.md"
)
TORCHTITAN = "https://github.com/pytorch/torchtitan/blob/b5bcd76/benchmarks/llama3_h100_202412_torchtitan.md"
DIFFUSERS = "https://huggingface.co/datasets/sayakpaul/sample-datasets"
PEAKS = (LITGPT, QWEN)
ESTIMATE = "own_estimate"
QUOTED_RULE = "quoted_rule"  # NVIDIA's rule for inference servers, quoted in a maker's configurator
CATALOG = "published_models"  # the catalog's own models of about that size


@dataclass(frozen=True, slots=True)
class Value:
    """A number of a formula. Units: bytes, tokens, parameters, values, layers, heads, GPUs, requests,
    adapters, ranks, sequences, bytes/parameter, bytes/value, bytes/token, bytes/sequence, bytes/logit,
    bytes/layer, "" for a plain factor."""

    name: str
    amount: Range
    unit: str


@dataclass(frozen=True, slots=True)
class Formula:
    """The arithmetic of a line with its numbers."""

    expression: str
    values: tuple[Value, ...]
    sources: tuple[str, ...]  # addresses, or one of the codes above

    @property
    def tokens(self) -> tuple[str, ...]:
        """Return the expression cut into names, numbers and signs, for pages that put the numbers in."""
        return tuple(TOKEN.findall(self.expression))


def formula(line: Line) -> Formula:
    """Return the formula of a line with the line's own numbers."""
    expression, names, sources = FORMULAS[line.code]
    values = tuple(
        Value(name, amount if isinstance(amount, Range) else Range.exact(float(amount)), unit)
        for (name, unit), amount in zip(_named(names), line.values, strict=True)
    )
    # One entry a token is the rule: the division is shown only where it is not.
    if "ceil(tokens / tokens_per_entry)" in expression and values[-2].amount.typical == 1:
        expression = expression.replace("ceil(tokens / tokens_per_entry)", "tokens")
        values = tuple(value for value in values if value.name != "tokens_per_entry")
    return Formula(expression, values, sources)


def _named(names: str) -> list[tuple[str, str]]:
    """Return (name, unit) pairs from "name:unit name ..."."""
    return [
        (name, unit.replace("_", " ")) for name, _, unit in (word.partition(":") for word in names.split())
    ]


ENTRIES = "tokens:tokens tokens_per_entry requests:requests"
HEADS_KEPT = (
    "requests * layers * 2 * kv_heads * head_dim * value_bytes * ceil(tokens / tokens_per_entry)",
    f"kv_heads:heads head_dim:values value_bytes:bytes/value layers:layers {ENTRIES}",
    (HEADS,),
)
SEEN = "measured:bytes cases"  # a figure that is read off, and in how many published measurements
BY_PARAMETER = (
    "parameter_bytes * parameters / gpus",
    "parameter_bytes:bytes/parameter parameters:parameters gpus:GPUs",
    (ZERO,),
)
SHARED_OUT = (
    "scale * stage * parameters * parameter_bytes / gpus",
    "parameters:parameters parameter_bytes:bytes/parameter scale stage gpus:GPUs",
    (LOGS,),
)

FORMULAS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    # Weights. `scale`: loaded bytes over counted ones; `stage`: part of the layers in one pipeline stage.
    "weights_experts": SHARED_OUT,
    "weights_layers": (
        "scale * stage * (linear * linear_bytes + attention * attention_bytes) / gpus",
        "linear:parameters linear_bytes:bytes/parameter attention:parameters "
        "attention_bytes:bytes/parameter scale stage gpus:GPUs",
        (LOGS,),
    ),
    "weights_twice": (
        "stage * parameters * 2 / gpus",
        "parameters:parameters stage gpus:GPUs",
        (LATENT, LOGS),
    ),
    "weights_copied": (
        "scale * stage * (attention * attention_bytes + routers * router_bytes)",
        "attention:parameters attention_bytes:bytes/parameter routers:parameters "
        "router_bytes:bytes/parameter scale stage",
        (LOGS,),
    ),
    "weights_embeddings": (
        "scale * end * parameters * parameter_bytes / gpus",
        "parameters:parameters parameter_bytes:bytes/parameter scale end gpus:GPUs",
        (LOGS,),
    ),
    "weights_tower": (
        "scale * parameters * parameter_bytes",
        "parameters:parameters parameter_bytes:bytes/parameter scale",
        (LOGS,),
    ),
    "weights_prediction": SHARED_OUT,
    "weights_adapters": (
        "rank * (2 * sides * adapters / gpus)",
        "adapters:adapters rank sides:values gpus:GPUs",
        (LORA, VLLM),
    ),
    # Cache
    "cache_full": HEADS_KEPT,
    "cache_window": HEADS_KEPT,
    "cache_chunked": HEADS_KEPT,
    "cache_latent": (
        "requests * layers * (latent_dim + rope_dim) * value_bytes * ceil(tokens / tokens_per_entry)",
        f"latent_dim:values rope_dim:values value_bytes:bytes/value layers:layers {ENTRIES}",
        (LATENT,),
    ),
    "cache_latent_packed": (
        "requests * layers * (latent_dim * value_bytes + latent_dim / 32 + 2 * rope_dim)"
        " * ceil(tokens / tokens_per_entry)",
        f"latent_dim:values rope_dim:values value_bytes:bytes/value layers:layers {ENTRIES}",
        (LATENT, SPARSE),
    ),
    "cache_indexer": (
        "requests * layers * key_dim * value_bytes * ceil(tokens / tokens_per_entry)",
        f"key_dim:values value_bytes:bytes/value layers:layers {ENTRIES}",
        (SPARSE,),
    ),
    "cache_indexer_packed": (
        "requests * layers * (key_dim * value_bytes + 4) * ceil(tokens / tokens_per_entry)",
        f"key_dim:values value_bytes:bytes/value layers:layers {ENTRIES}",
        (SPARSE,),
    ),
    "cache_state": (
        "requests * ceil(layers * state_bytes / gpus)",
        "layers:layers state_bytes:bytes/layer gpus:GPUs requests:requests",
        (LOGS,),
    ),
    "cache_guessed": (
        "spread * (token_bytes * (tokens * requests))",
        "spread token_bytes:bytes/token tokens:tokens requests:requests",
        (HEADS, CATALOG),
    ),
    "cache_prefix": (
        "token_bytes * ceil(tokens / tokens_per_entry)",
        "token_bytes:bytes/token tokens:tokens tokens_per_entry",
        (VLLM,),
    ),
    "cache_copies": ("cache * (copies - 1)", "cache:bytes copies", (QWEN,)),
    # Activations and the engine's reserve
    "activations_forward": (
        "2 * tokens * (widths * hidden + inner_widths * inner / gpus)",
        "tokens:tokens widths hidden:values inner_widths inner:values gpus:GPUs",
        (VLLM_DEFAULTS, LOGS),
    ),
    "activations_current": (
        "max(seen, 2 * tokens * (widths * hidden + inner_widths * inner / gpus))",
        "seen:bytes tokens:tokens widths hidden:values inner_widths inner:values gpus:GPUs",
        (VLLM_DEFAULTS, LOGS),
    ),
    "activations_logits": (
        "copies * (4 * sequences * vocabulary)",
        "copies sequences:sequences vocabulary:values",
        (VLLM_DEFAULTS, LOGS),
    ),
    "activations_eased": (
        "min(large_batch, small_batch + room)",
        "large_batch:bytes small_batch:bytes room:bytes",
        (VLLM_DEFAULTS,),
    ),
    "activations_plain": ("measured", SEEN, (QWEN3, LITGPT)),
    "activations_fixed": ("measured", SEEN, (DIFFUSERS, ESTIMATE)),
    "activations_left": ("(1 - fraction) * memory", "fraction memory:bytes", (SGLANG,)),
    "activations_chunk": (
        "token_bytes * tokens - eased",
        "token_bytes:bytes/token tokens:tokens eased:bytes",
        (SGLANG,),
    ),
    "graphs_reserved": (
        "sequence_bytes * sequences",
        "sequence_bytes:bytes/sequence sequences:sequences",
        (SGLANG,),
    ),
    "graphs_recorded": ("measured", SEEN, (LOGS,)),
    "kernels": ("measured", SEEN, (LOGS,)),
    "driver": ("reserved * share", "reserved:bytes share", (LOGS,)),
    "communication": ("rank_bytes * ranks", "rank_bytes:bytes ranks:ranks", (LOGS,)),
    "process": ("measured", SEEN, (ESTIMATE,)),
    # Training
    "base_weights": BY_PARAMETER,
    "quantized_base": (
        "(quantized_bytes * quantized + 2 * rest) / gpus",
        "quantized_bytes:bytes/parameter quantized:parameters rest:parameters gpus:GPUs",
        (QLORA,),
    ),
    "trained_weights": BY_PARAMETER,
    "reference_weights": (*BY_PARAMETER[:2], (PREFERENCE,)),
    "frozen_weights": BY_PARAMETER,
    "gradients": BY_PARAMETER,
    "gradient_at_work": BY_PARAMETER,
    "optimizer_states": BY_PARAMETER,
    "optimizer_update": ("max(0, update - activations)", "update:bytes activations:bytes", PEAKS),
    "activations_kept": (
        "layers * (2 * tokens * (widths * hidden + inner + copies * adapted) / gpus)"
        " * kept * quantized * unfreed",
        "tokens:tokens widths hidden:values inner:values copies adapted:values layers:layers gpus:GPUs "
        "unfreed kept quantized",
        (ACTIVATIONS, *PEAKS, TORCHTITAN),
    ),
    "activations_recomputed": (
        "(2 * tokens * hidden * layers / gpus"
        " + 2 * tokens * (widths * hidden + inner + copies * adapted) / gpus) * unfreed",
        "tokens:tokens widths hidden:values inner:values copies adapted:values layers:layers gpus:GPUs "
        "unfreed",
        (ACTIVATIONS, *PEAKS, TORCHTITAN),
    ),
    "activations_passing": (
        "(2 * tokens * (widths * hidden + inner + copies * adapted) / gpus"
        " + passing * (2 * tokens * (widths * hidden + inner + copies * adapted) / gpus * kept * quantized))"
        " * unfreed",
        "tokens:tokens widths hidden:values inner:values copies adapted:values gpus:GPUs "
        "unfreed kept quantized passing:layers",
        (ACTIVATIONS, *PEAKS, TORCHTITAN),
    ),
    "inputs_passing": (
        "(2 * tokens * (widths * hidden + inner + copies * adapted) / gpus"
        " + passing * (2 * tokens * hidden / gpus)) * unfreed",
        "tokens:tokens widths hidden:values inner:values copies adapted:values gpus:GPUs "
        "unfreed passing:layers",
        (ACTIVATIONS, *PEAKS, TORCHTITAN),
    ),
    "logits": (
        "logit_bytes * tokens * vocabulary / gpus / pieces * unfreed",
        "logit_bytes:bytes/logit tokens:tokens vocabulary:values gpus:GPUs pieces unfreed",
        PEAKS,
    ),
    "fragmentation": ("share * activations", "share activations:bytes", PEAKS),
    "training_communication": ("measured", "measured:bytes", PEAKS),
    "workspaces": ("measured", "measured:bytes", PEAKS),
    "gathered_layers": (
        "gathered * (2 * parameters / layers)",
        "gathered:layers parameters:parameters layers:layers",
        (ZERO,),
    ),
    # The server around the GPUs
    "host_memory": (
        "factor * gpus * memory + index + states",
        "factor gpus:GPUs memory:bytes index:bytes states:bytes",
        (QUOTED_RULE, ESTIMATE),
    ),
    # Retrieval
    "index_flat": (
        "headroom * (vectors * dimensions * value_bytes)",
        "headroom vectors:vectors dimensions:values value_bytes:bytes/value",
        (ESTIMATE,),
    ),
    "index_hnsw": (
        "headroom * (vectors * (dimensions * value_bytes + links * link_bytes))",
        "headroom vectors:vectors dimensions:values value_bytes:bytes/value links link_bytes:bytes",
        (OPENSEARCH, SCYLLA, QDRANT),
    ),
    "index_ivf_pq": (
        "headroom * (vectors * (codes + extra) + (clusters + codebook) * dimensions * 4)",
        "headroom vectors:vectors codes:bytes extra:bytes clusters codebook dimensions:values",
        (OPENSEARCH, FAISS),
    ),
    "widened_matrix": ("copies * (2 * hidden * inner)", "copies hidden:values inner:values", (QLORA,)),
}
