"""What a token costs in a language model, whatever the card: bytes to read and FLOP to do."""

from dataclasses import dataclass
from functools import lru_cache

from recommender.sizing import memory, speed_constants as c
from recommender.sizing.specs import AIModelSpec, Precision

_MLA_HEAD_DIM = 160  # (128 + 64 for the scores + 128 for the values) / 2, DeepSeek-V2/V3


@dataclass(frozen=True, slots=True)
class ModelWork:
    """What one token costs in a model, whatever the card [bytes, FLOP]."""

    shared_bytes: float  # weights that every step reads
    expert_bytes: float  # weights of all experts
    touched_share: float  # share of the experts that one token visits
    active_parameters: float
    expert_parameters: float  # of all experts
    layers: float
    hidden: float
    attention: tuple[
        tuple[float, float | None], ...
    ]  # FLOP per token and cached token; cached tokens bounded


@lru_cache(maxsize=4096)
def model_work(model: AIModelSpec, precision: Precision) -> ModelWork:
    """Return what a token costs in this model with weights of that precision."""
    embedding = float((model.vocab_size or 0) * (model.hidden_size or 0))
    side = model.mtp_parameters + sum(module.parameters for module in model.extra_modules)
    text = float(max(model.parameters - side, model.parameters * 0.1))
    read = text if model.tie_embeddings else max(text - embedding, text * 0.5)
    weight_byte = memory.weight_bytes(model, precision).typical / model.parameters
    # Where a source has no layers or width: published dense models are about 128 wide for each layer.
    layers = float(model.num_layers or (model.compute_parameters / 196_608) ** (1 / 3))
    hidden = float(model.hidden_size or 128 * layers)
    experts, active, share = _experts(model, read)
    return ModelWork(
        shared_bytes=(read - experts) * weight_byte,
        expert_bytes=experts * weight_byte,
        touched_share=share,
        active_parameters=active,
        expert_parameters=experts,
        layers=layers,
        hidden=hidden,
        attention=_attention(model, layers, hidden),
    )


def _experts(model: AIModelSpec, read: float) -> tuple[float, float, float]:
    """Return parameters in routed experts, active ones, and the share of experts a token visits."""
    if not model.is_moe:
        return 0.0, read, 1.0
    share = min(model.experts_per_token / model.experts, 1.0)
    published = float(model.active_parameters or 0)
    if model.moe_intermediate_size and model.hidden_size and model.num_layers:
        layers = model.num_layers - model.first_dense_layers
        routed = 3.0 * model.hidden_size * model.moe_intermediate_size * model.experts * layers
        active = read - routed * (1 - share)
        if routed < read and (not published or 0.8 < active / published < 1.5):
            return routed, active, share
    # Total = shared + routed, active = shared + share x routed.
    active = published or read * share
    routed = min(max(read - active, 0.0) / max(1 - share, 1e-9), read * 0.98)
    return routed, read - routed * (1 - share), share


def _attention(model: AIModelSpec, layers: float, hidden: float) -> tuple[tuple[float, float | None], ...]:
    """Return FLOP per prompt token and cached token for each kind of layer, and the tokens it looks at."""
    heads = model.num_attention_heads
    if not model.cache_groups:
        width = heads * model.head_dim if heads and model.head_dim else hidden
        return ((4.0 * layers * width, None),)
    sparse = any(group.kind == "indexer" for group in model.cache_groups)
    parts: list[tuple[float, float | None]] = []
    for group in model.cache_groups:
        if group.kind in ("state", "indexer"):
            continue
        if group.kind == "latent":
            width = float(heads * _MLA_HEAD_DIM if heads else hidden)
            parts.append((4.0 * group.layers * width, c.SPARSE_TOKENS if sparse else None))
        else:
            width = float(heads * group.head_dim if heads else hidden)
            parts.append((4.0 * group.layers * width, group.window if group.kind != "full" else None))
    return tuple(parts)


def prompt_attention_flops(work: ModelWork, input_tokens: float, prompt: float) -> float:
    """Return the attention FLOP of reading `prompt` new tokens that end a context of `input_tokens`."""
    total = 0.0
    for flops, bound in work.attention:
        if bound is None or bound >= input_tokens:
            seen = prompt * (input_tokens - prompt / 2)  # causal: a token sees those before it
        else:
            start = input_tokens - prompt
            rising = max(min(bound, input_tokens) - start, 0.0)
            seen = rising * (start + rising / 2) + (prompt - rising) * bound
        total += flops * seen
    return total
