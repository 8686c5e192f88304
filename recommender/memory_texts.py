"""Lines of a memory figure in the active language: names, formulas with the numbers put in, sources."""

import re
from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _, ngettext, pgettext_lazy

from catalog.templatetags import units
from recommender.sizing.breakdown import Item
from recommender.sizing.formulas import (
    DIFFUSERS,
    LITGPT,
    LOGS,
    QWEN,
    QWEN3,
    TORCHTITAN,
    Formula,
    Value,
)
from recommender.sizing.specs import GIB, GPUSpec, Range

# The memory line that a group of items adds up to.
LINE_OF_GROUP = {
    "weights": "weights",
    "cache": "kv_cache",
    "activations": "activations",
    "graphs": "activations",
    "buffers": "overhead",
    "outside": "overhead",
    "gradients": "gradients",
    "optimizer": "optimizer",
}

ITEM_LABELS: dict[str, Promise] = {
    "weights_experts": _("Routed experts"),
    "weights_layers": _("Layers: feed-forward and attention"),
    "weights_twice": _("Compressed attention, kept a second time in 16 bits"),
    "weights_copied": _("What each GPU keeps whole"),
    "weights_embeddings": _("Embeddings and output head"),
    "weights_tower": _("Part beside the language model"),
    "weights_prediction": _("Prediction layers"),
    "weights_adapters": _("LoRA adapters being served"),
    "cache_full": _("Keys and values of every token"),
    "cache_window": _("Keys and values of the last tokens (window)"),
    "cache_chunked": _("Keys and values of the current chunk"),
    "cache_latent": _("Compressed keys and values"),
    "cache_latent_packed": _("Compressed keys and values, in 8 bits with scales"),
    "cache_indexer": _("Keys of the sparse index"),
    "cache_indexer_packed": _("Keys of the sparse index, in 8 bits with scales"),
    "cache_state": _("State of constant size"),
    "cache_guessed": _("Keys and values, guessed from published models of about that size"),
    "cache_prefix": _("Shared start of the prompt, kept once"),
    "cache_copies": _("Copies while the cache grows"),
    "activations_forward": _("Largest batch on its way through the layers"),
    "activations_current": _("Peak of the largest batch"),
    "activations_logits": _("Logits while a full batch is sampled"),
    "activations_eased": _("Largest batch, set back where memory is short"),
    "activations_plain": _("Peak of plain PyTorch"),
    "activations_fixed": _("Peak at work"),
    "activations_left": _("What the engine leaves to activations"),
    "activations_chunk": _("Reserve for the chunk of a prompt"),
    "graphs_reserved": _("Reserve for recorded CUDA graphs"),
    "graphs_recorded": _("Recorded CUDA graphs"),
    "kernels": _("Kernels and rounding of the allocator"),
    "workspaces": _("Workspaces and rounding of the allocator"),
    "driver": _("What the driver keeps"),
    "communication": _("Buffers for talking to the other GPUs"),
    "process": _("The process itself"),
    "base_weights": _("Base model, left as it is"),
    "quantized_base": _("Base model, in 4 bits"),
    "trained_weights": _("Weights being trained"),
    "reference_weights": _("Reference model of preference tuning"),
    "frozen_weights": _("Model that only judges"),
    "gradients": _("Gradients"),
    "gradient_at_work": _("Gradient of the layer at work, used at once"),
    "optimizer_states": _("Optimizer states and master weights"),
    "optimizer_update": _("Copy while the optimizer updates"),
    "activations_kept": _("Activations kept for the way back"),
    "activations_recomputed": _("Activations, computed again layer by layer"),
    "activations_passing": _("Activations on their way to host memory"),
    "inputs_passing": _("Inputs of layers on their way to host memory"),
    "logits": _("Logits and their gradients"),
    "fragmentation": _("Holes in the allocator's memory"),
    "training_communication": _("Buffers for talking to the other GPUs"),
    "gathered_layers": _("Layers gathered whole at once"),
    "widened_matrix": _("Matrix widened to 16 bits"),
    "host_memory": _("Host memory"),
    "index_flat": _("Index that compares with every vector"),
    "index_hnsw": _("Index as a graph (HNSW)"),
    "index_ivf_pq": _("Index of compressed vectors in clusters (IVF-PQ)"),
}

VALUE_LABELS: dict[str, Promise] = {
    "adapted": pgettext_lazy("formula", "adapted inputs"),
    "activations": pgettext_lazy("formula", "activations"),
    "adapters": pgettext_lazy("formula", "adapters"),
    "attention": pgettext_lazy("formula", "attention parameters"),
    "attention_bytes": pgettext_lazy("formula", "bytes of an attention parameter"),
    "cache": pgettext_lazy("formula", "cache"),
    "clusters": pgettext_lazy("formula", "clusters"),
    "codebook": pgettext_lazy("formula", "entries of the code book"),
    "codes": pgettext_lazy("formula", "bytes of a code"),
    "copies": pgettext_lazy("formula", "copies"),
    "dimensions": pgettext_lazy("formula", "dimensions"),
    "eased": pgettext_lazy("formula", "set back"),
    "end": pgettext_lazy("formula", "share of the stage"),
    "extra": pgettext_lazy("formula", "bytes beside a code"),
    "factor": pgettext_lazy("formula", "host memory to GPU memory"),
    "fraction": pgettext_lazy("formula", "fraction"),
    "gathered": pgettext_lazy("formula", "layers at once"),
    "gpus": pgettext_lazy("formula", "GPUs"),
    "head_dim": pgettext_lazy("formula", "head dimension"),
    "headroom": pgettext_lazy("formula", "headroom"),
    "hidden": pgettext_lazy("formula", "hidden size"),
    "index": pgettext_lazy("formula", "vector index"),
    "inner": pgettext_lazy("formula", "inner size"),
    "inner_widths": pgettext_lazy("formula", "inner widths"),
    "kept": pgettext_lazy("formula", "share kept"),
    "key_dim": pgettext_lazy("formula", "key dimension"),
    "kv_heads": pgettext_lazy("formula", "KV heads"),
    "large_batch": pgettext_lazy("formula", "large batch"),
    "latent_dim": pgettext_lazy("formula", "compressed dimension"),
    "layers": pgettext_lazy("formula", "layers"),
    "linear": pgettext_lazy("formula", "matrix parameters"),
    "linear_bytes": pgettext_lazy("formula", "bytes of a matrix parameter"),
    "link_bytes": pgettext_lazy("formula", "bytes of a link"),
    "links": pgettext_lazy("formula", "links"),
    "logit_bytes": pgettext_lazy("formula", "bytes of a logit"),
    "seen": pgettext_lazy("formula", "seen peak of sampling"),
    "cases": pgettext_lazy("formula", "published measurements"),
    "measured": pgettext_lazy("formula", "measured"),
    "memory": pgettext_lazy("formula", "memory of the card"),
    "parameter_bytes": pgettext_lazy("formula", "bytes of a parameter"),
    "parameters": pgettext_lazy("formula", "parameters"),
    "passing": pgettext_lazy("formula", "layers on their way"),
    "pieces": pgettext_lazy("formula", "pieces"),
    "quantized": pgettext_lazy("formula", "quantized"),
    "quantized_bytes": pgettext_lazy("formula", "bytes of a quantized parameter"),
    "rank": pgettext_lazy("formula", "rank"),
    "rank_bytes": pgettext_lazy("formula", "bytes of a GPU of the group"),
    "ranks": pgettext_lazy("formula", "GPUs of the group"),
    "requests": pgettext_lazy("formula", "requests"),
    "reserved": pgettext_lazy("formula", "reserved"),
    "rest": pgettext_lazy("formula", "other parameters"),
    "room": pgettext_lazy("formula", "room"),
    "rope_dim": pgettext_lazy("formula", "rotary dimension"),
    "router_bytes": pgettext_lazy("formula", "bytes of a router parameter"),
    "routers": pgettext_lazy("formula", "router parameters"),
    "scale": pgettext_lazy("formula", "loaded to counted"),
    "sequence_bytes": pgettext_lazy("formula", "bytes of a sequence"),
    "sequences": pgettext_lazy("formula", "sequences"),
    "share": pgettext_lazy("formula", "share"),
    "sides": pgettext_lazy("formula", "sides of the adapted matrices"),
    "small_batch": pgettext_lazy("formula", "small batch"),
    "spread": pgettext_lazy("formula", "models of that size to the usual shape"),
    "stage": pgettext_lazy("formula", "share of the layers"),
    "states": pgettext_lazy("formula", "states moved to the host"),
    "state_bytes": pgettext_lazy("formula", "bytes of a layer's state"),
    "token_bytes": pgettext_lazy("formula", "bytes of a token"),
    "tokens": pgettext_lazy("formula", "tokens"),
    "tokens_per_entry": pgettext_lazy("formula", "tokens of an entry"),
    "unfreed": pgettext_lazy("formula", "share not freed"),
    "update": pgettext_lazy("formula", "copy of the update"),
    "value_bytes": pgettext_lazy("formula", "bytes of a value"),
    "vectors": pgettext_lazy("formula", "vectors"),
    "vocabulary": pgettext_lazy("formula", "vocabulary"),
    "widths": pgettext_lazy("formula", "widths"),
}

SOURCE_LABELS: dict[str, Promise | str] = {
    "own_estimate": _("our own estimate"),
    "quoted_rule": _("NVIDIA’s rule for inference servers, as a maker’s configurator quotes it"),
    "published_models": _("the models of this catalog"),
    LOGS: _("start-up logs of vLLM, collected by Red Hat"),
    QWEN: _("Qwen, measured memory of running and training"),
    QWEN3: _("Qwen3, measured memory and speed"),
    LITGPT: _("LitGPT, measured memory"),
    TORCHTITAN: _("torchtitan, measured memory of training"),
    DIFFUSERS: _("Diffusers, measured memory of making pictures"),
    "https://docs.vllm.ai/en/latest/configuration/engine_args.html": _("vLLM, engine arguments"),
    "https://github.com/vllm-project/vllm/blob/main/vllm/engine/arg_utils.py": _(
        "vLLM, defaults in its source"
    ),
    "https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/server_args.py": _(
        "SGLang, defaults in its source"
    ),
    "https://github.com/sgl-project/sglang/pull/11309": _("SGLang, sparse attention"),
    "https://docs.opensearch.org/docs/latest/vector-search/optimizing-storage/knn-vector-quantization/": _(
        "OpenSearch, vector quantization"
    ),
    "https://cloud.docs.scylladb.com/stable/vector-search/vector-search-sizing.html": _(
        "ScyllaDB, sizing of vector search"
    ),
    "https://qdrant.tech/documentation/capacity-planning/": _("Qdrant, capacity planning"),
    "https://github.com/facebookresearch/faiss/wiki/Guidelines-to-choose-an-index": _(
        "Faiss, choosing an index"
    ),
    "https://arxiv.org/abs/2211.05102": "Pope et al., 2022, arXiv:2211.05102",
    "https://arxiv.org/abs/2405.04434": "DeepSeek-V2, 2024, arXiv:2405.04434",
    "https://arxiv.org/abs/1910.02054": "Rajbhandari et al., 2020, arXiv:1910.02054",
    "https://arxiv.org/abs/2205.05198": "Korthikanti et al., 2022, arXiv:2205.05198",
    "https://arxiv.org/abs/2106.09685": "Hu et al., 2021, arXiv:2106.09685",
    "https://arxiv.org/abs/2305.14314": "Dettmers et al., 2023, arXiv:2305.14314",
    "https://arxiv.org/abs/2305.18290": "Rafailov et al., 2023, arXiv:2305.18290",
}
SIGNS = {"*": "×", "-": "\N{MINUS SIGN}"}
TIGHT_BEFORE = re.compile(r"\s+([),])")
TIGHT_AFTER = re.compile(r"\(\s+")
CALL = re.compile(r"\b(min|max|ceil) \(")


def gpus_text(gpu: GPUSpec, gpus: int, names: Mapping[str, str]) -> str:
    """Return what is ordered for that many GPUs: cards, and the GPUs on them where there are several."""
    cards = "\N{NO-BREAK SPACE}".join((units.number(gpu.cards(gpus)), "×", names[gpu.slug]))
    if gpu.gpus_per_card == 1:
        return cards
    return gettext("%(cards)s: %(gpus)s GPUs") % {"cards": cards, "gpus": units.number(gpus)}


def opened(item: Item, names: Mapping[str, str]) -> dict[str, Any]:
    """Return one line for readers: what it is, its size, its formula as plain text, where that comes from."""
    about = item.part or names.get(item.model, item.model)
    if item.model == "prediction":
        about = gettext("prediction layers")
    return opened_formula(item.code, item.bytes, item.formula, about)


def opened_formula(code: str, size: Range, formula: Formula, about: str = "") -> dict[str, Any]:
    """Return the same of anything that has a formula."""
    label = str(ITEM_LABELS.get(code, code))
    return {
        "code": code,
        "label": f"{label}: {about}" if about else label,
        "gib": (size.low / GIB, size.typical / GIB, size.high / GIB),
        "gb": units.bytes_gb(size.typical),
        "formula": formula_text(formula, size),
        "sources": [
            {
                "text": str(SOURCE_LABELS.get(source, source)),
                "url": source if source.startswith("https://") else "",
            }
            for source in formula.sources
        ],
    }


def formula_text(formula: Formula, size: Range) -> str:
    """Return the formula in words, with its numbers put in, and what comes out, each on a line of its own."""
    result = gettext("= %(bytes)s bytes = %(gib)s = %(gb)s") % {
        "bytes": units.format_number(size.typical, 0),
        "gib": units.bytes_gib(size.typical),
        "gb": units.bytes_gb(size.typical),
    }
    lines = [_read_off(formula)]
    if formula.expression != "measured":
        numbers = {value.name: _number(value.amount.typical) for value in formula.values}
        words = {value.name: str(VALUE_LABELS.get(value.name, value.name)) for value in formula.values}
        lines = [_written(formula, words), f"= {_written(formula, numbers)}"]
    lines.append(result)
    ends = {"low": units.bytes_gib(size.low), "high": units.bytes_gib(size.high)}
    if ends["low"] != ends["high"]:
        lines.append(gettext("between %(low)s and %(high)s") % ends)
    lines += [_range_text(value) for value in formula.values if _is_range(value, formula)]
    return "\n".join(lines)


def _read_off(formula: Formula) -> str:
    """Return how a figure that no formula gives is known."""
    cases = next((round(value.amount.typical) for value in formula.values if value.name == "cases"), None)
    if cases == 0:
        return gettext("estimated, not measured")
    if cases is None:
        return gettext("typical of published measurements, not computed")
    text = ngettext(
        "typical of %(cases)s published measurement, not computed",
        "typical of %(cases)s published measurements, not computed",
        cases,
    )
    return text % {"cases": units.number(cases)}


def _written(formula: Formula, words: dict[str, str]) -> str:
    text = " ".join(words.get(token, SIGNS.get(token, token)) for token in formula.tokens)
    text = TIGHT_AFTER.sub("(", TIGHT_BEFORE.sub(r"\1", text))
    return CALL.sub(r"\1(", text)


def _is_range(value: Value, formula: Formula) -> bool:
    return formula.expression != "measured" and value.amount.low != value.amount.high


def _range_text(value: Value) -> str:
    """Return a number of a formula that is known between two ends."""
    return gettext("%(name)s: %(typical)s (%(low)s to %(high)s)") % {
        "name": VALUE_LABELS.get(value.name, value.name),
        "typical": _number(value.amount.typical),
        "low": _number(value.amount.low),
        "high": _number(value.amount.high),
    }


def _number(value: float) -> str:
    """Return a number to six digits or more: whole where it is whole."""
    return units.format_number(value, 1 if abs(value) >= 100_000 else 5)
