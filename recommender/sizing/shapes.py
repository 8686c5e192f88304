"""The shape of a model that is known by its size only, guessed from published models of about that size.

How many bytes a token's cache takes differs by thirty times among models of one size: a guess carries that
spread, so that what rests on it "fits if" rather than "fits".
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import ceil, log
from typing import Any

from recommender.sizing.caches import cache_bytes, cache_bytes_per_token
from recommender.sizing.specs import AIModelSpec, CacheGroup, ModelKind, Range, SizingError

WIDTH_OF_A_LAYER = 128  # dense models are about that wide for each layer that they have
INNER_SHARE = 3.5  # inner over hidden size of gated layers
SPARSE_DEPTH = 0.7  # mixtures have fewer layers than dense models of the same total
KV_HEADS, HEAD_DIM, VOCABULARY = 8, 128, 128_000  # the rule since 2023
EXPERTS, EXPERTS_PER_TOKEN = 64, 8
# How many published models of about that size a guess looks at, and the part of them at either end that it
# leaves out: with 40 and a twentieth, 90 % of the catalog's own dense models lie within.
NEIGHBOURS, LEFT_OUT = 40, 0.05
SHORT = 4096  # tokens of a request at which windows and constant states still weigh
TOLERANCE = 0.15  # by which a stated size may lie outside of what its dimensions make

Dimensions = Mapping[str, int]  # num_layers, hidden_size, num_kv_heads, head_dim: those that are known


def usual_shape(
    parameters: float,
    active: float | None = None,
    *,
    kind: ModelKind = "llm",
    known: Sequence[AIModelSpec] = (),
) -> AIModelSpec:
    """Return a model of that size with the shape that published ones have.

    Parameters = 12 x layers x (128 x layers)^2; 8 key/value heads of 128 values. The name carries the size,
    and nothing more is known. `cache_spread` says how far the caches of `known` models of about that size
    lie from this one's.

    Args:
        parameters: All of them [count].
        active: Those that work on each token, of a mixture [count].
        kind: What the model does; only language models get a cache.
        known: Published models.

    Raises:
        SizingError: a number of parameters that is not positive.
    """
    if parameters <= 0 or (active is not None and active <= 0):
        raise SizingError(f"{parameters=}, {active=} are no size")
    total = round(parameters)
    worked = None if active is None or active >= parameters else round(active)
    layers = max(_layers_of(worked or total), 4)
    if worked:
        layers = max(layers, round(_layers_of(total) * SPARSE_DEPTH))
    heads = 2 ** max(layers.bit_length() - 1, 2)
    kv_heads = min(heads, KV_HEADS)
    usual: dict[str, Any] = {
        "parameters": total,
        "num_layers": layers,
        "hidden_size": WIDTH_OF_A_LAYER * layers,
        "num_attention_heads": heads,
        "num_kv_heads": kv_heads,
        "head_dim": HEAD_DIM,
        "intermediate_size": round(WIDTH_OF_A_LAYER * layers * INNER_SHARE),
        "native_precision": "bf16",
    }
    name = f"{parameters / 1e9:g}b"
    if kind != "llm":
        return AIModelSpec(slug=f"unlisted-{kind}-{name}", kind=kind, **usual)
    if worked:
        name += f"-a{worked / 1e9:g}b"
        usual |= {"active_parameters": worked, "experts": EXPERTS, "experts_per_token": EXPERTS_PER_TOKEN}
    model = AIModelSpec(
        slug=f"unlisted-{name}",
        kind="llm",
        vocab_size=VOCABULARY,
        cache_groups=(CacheGroup("full", layers, kv_heads=kv_heads, head_dim=HEAD_DIM),),
        **usual,
    )
    return replace(model, cache_spread=_spread(model, (), tuple(known)))


def with_dimensions(
    model: AIModelSpec, dimensions: Dimensions, known: Sequence[AIModelSpec] = ()
) -> AIModelSpec:
    """Return a guessed model with the dimensions that are known; the spread is of those that are not."""
    if not dimensions:
        return model
    sized: AIModelSpec = replace(model, cache_spread=None, **dimensions)  # type: ignore[arg-type]
    heads, kv_heads = sized.num_attention_heads or 1, sized.num_kv_heads or 1
    groups = tuple(
        replace(group, layers=sized.num_layers or 1, kv_heads=kv_heads, head_dim=sized.head_dim or HEAD_DIM)
        for group in sized.cache_groups
    )
    sized = replace(sized, num_attention_heads=ceil(heads / kv_heads) * kv_heads, cache_groups=groups)
    return replace(sized, cache_spread=_spread(sized, tuple(sorted(dimensions)), tuple(known)))


def parameters_of(dimensions: Dimensions, model: AIModelSpec, known: Sequence[AIModelSpec]) -> Range | None:
    """Return how many parameters layers of that width make [count]; of a mixture, the active ones.

    From the least to the most that published models of about that size make of theirs.

    None: layers or width are not known, or there is no published model to compare with.
    """
    if not {"num_layers", "hidden_size"} <= dimensions.keys():
        return None
    rates = sorted(
        one.compute_parameters / (one.num_layers * one.hidden_size**2)
        for one in _alike(model, tuple(known))
        if one.num_layers and one.hidden_size and (one.active_parameters or not one.is_moe)
    )
    if not rates:
        return None
    each = float(dimensions["num_layers"] * dimensions["hidden_size"] ** 2)
    return Range(rates[0], _quantile(rates, 0.5), rates[-1]).scaled(each)


def layers_of(model: AIModelSpec, known: Sequence[AIModelSpec]) -> tuple[int, int] | None:
    """Return the fewest and the most layers that published models of about that size have [count].

    None: there is no published model to compare with.
    """
    layers = [one.num_layers for one in _alike(model, tuple(known)) if one.num_layers]
    return (min(layers), max(layers)) if layers else None


def contradicts(expected: Range, least: float, most: float | None = None) -> bool:
    """Tell whether a stated size lies outside of what the dimensions make by more than the tolerance.

    A size may be stated as a range, from `least` to `most`: one that reaches into it does not contradict.
    """
    most = least if most is None else most
    return most < expected.low * (1 - TOLERANCE) or least > expected.high * (1 + TOLERANCE)


def _layers_of(parameters: int) -> int:
    layers: float = (parameters / (12 * WIDTH_OF_A_LAYER**2)) ** (1 / 3)
    return round(layers)


@lru_cache(maxsize=512)
def _spread(model: AIModelSpec, given: tuple[str, ...], known: tuple[AIModelSpec, ...]) -> Range | None:
    """Return how far the caches of models of about that size lie from this one's, as factors.

    The low end is of long contexts, where windows and constant states no longer weigh; the high end of short
    ones. Dimensions that are given take no part in it. None: nothing to compare with, or nothing left open.
    """
    if {"num_layers", "num_kv_heads", "head_dim"} <= set(given):
        return None
    alike = _alike(model, known)
    if not alike:
        return None
    long = sorted(cache_bytes_per_token(one, "bf16") / _share(one, given) for one in alike)
    short = sorted(
        cache_bytes(one, tokens=SHORT, requests=1, kv_precision="bf16").typical / SHORT / _share(one, given)
        for one in alike
    )
    own = cache_bytes_per_token(model, "bf16") / _share(model, given)
    ends = _quantile(long, LEFT_OUT), _quantile(long, 0.5), _quantile(short, 1 - LEFT_OUT)
    return Range(*ends).scaled(1 / own)


def _share(model: AIModelSpec, given: tuple[str, ...]) -> int:
    """Return the part of a token's cache that the given dimensions decide."""
    share = 1
    for name in given:
        if name != "hidden_size":
            share *= int(getattr(model, name) or 1)
    return share


def _alike(model: AIModelSpec, known: tuple[AIModelSpec, ...]) -> list[AIModelSpec]:
    """Return the published language models next in size, mixtures for a mixture."""
    fitting = [
        one
        for one in known
        if one.generates_tokens
        and one.cache_known
        and one.cache_groups
        and one.is_moe == model.is_moe
        and one.slug != model.slug
    ]
    fitting.sort(key=lambda one: (abs(log(one.parameters / model.parameters)), one.slug))
    return fitting[:NEIGHBOURS]


def _quantile(ordered: Sequence[float], part: float) -> float:
    """Return a quantile of ordered figures, without a value between two of them."""
    return ordered[min(max(ceil(part * len(ordered)) - 1, 0), len(ordered) - 1)]
