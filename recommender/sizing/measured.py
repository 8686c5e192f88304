"""What others measured, and what it says of cards that nobody measured.

Only of work that makes no text: its rate hardly depends on lengths and batches, so that one benchmark's
figure carries over. The rule, from one card to another:

- Each measured rate is divided by the GPUs that it took: work of this kind runs on each card on its own.
- It scales with the printed dense rate in the type that the card computes in, since images, encoders and
  denoising are limited by arithmetic. Speech is read like an encoder and written like a language model's
  text, token by token: it scales with the root of dense rate times bandwidth.
- Cards of the same generation in the same type of number come first; where that is one card only, all of the
  maker's that were measured in that type; then other types. Another maker's cards never: other software.
- The result is the geometric mean over cards, between the least and the most of them, widened by what such
  predictions were off (`SPREAD`).
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, log
from statistics import median
from typing import Literal

from recommender.sizing.latency import computing_precision
from recommender.sizing.specs import GPUSpec, MeasuredResult, ModelKind, Precision, Range

Basis = Literal["same_card", "same_generation", "same_maker", "other_type"]

SAMPLES = "samples_per_s"
PRECISIONS: dict[str, Precision] = {
    "fp32": "fp32",
    "bf16": "bf16",
    "fp16": "fp16",
    "fp8": "fp8",
    "int8": "int8",
    "int4": "int4",
    "fp4": "fp4",
}
# Part of the yardstick that is the dense rate; the rest is the bandwidth.
ARITHMETIC: dict[ModelKind, float] = {
    "vision": 1.0,
    "image_generation": 1.0,
    "embedding": 1.0,
    "reranker": 1.0,
    "asr": 0.5,
}
# Results under a limit on each answer's time over those without: the median of MLPerf Inference's Server over
# Offline in classic work (0.73 to 1.00).
UNDER_LIMIT = 0.91
LIMITED = ("Server", "Interactive", "SingleStream", "MultiStream")
# By how much a scaled rate is off, as a factor to both sides. Seen over the classic results of MLPerf
# Inference v1.1 to v5.1, each card left out in turn: 0.65 to 1.46 of the measured rate within a maker;
# from one run to another on the same card 0.9 to 1.1. Another type of number adds what engines make of it.
SPREAD: dict[Basis, float] = {
    "same_card": 1.1,
    "same_generation": 1.4,
    "same_maker": 1.6,
    "other_type": 1.8,
}
FEWEST_CARDS = 2  # one card alone says little of the others of its generation


@dataclass(frozen=True, slots=True)
class Scaled:
    """A rate that follows from measured ones, how near these are, and the results that it rests on."""

    rate: Range
    basis: Basis
    results: tuple[MeasuredResult, ...]


def pieces_per_s(
    results: Iterable[MeasuredResult],
    kind: ModelKind,
    card: GPUSpec,
    precision: Precision,
    *,
    limited: bool = False,
) -> Scaled | None:
    """Return what one card does [1/s], by what was measured of that model; None: nothing applies.

    A piece is an image, a text, a second of speech or a step of denoising: whatever a sample is made of.

    Args:
        results: Measurements of one model; other units, training and types not known are passed over.
        kind: What the model does.
        card: The card that is asked about.
        precision: Type of the weights.
        limited: Each answer has its time limit, as in a Server scenario.
    """
    found: dict[Basis, list[tuple[MeasuredResult, float]]] = defaultdict(list)
    for result in results:
        if result.unit != SAMPLES or result.kind != "inference" or result.precision not in PRECISIONS:
            continue
        factor = _factor(result, kind, card, precision)
        if factor is not None:
            rate = result.value * (result.work_per_sample or 1.0) / result.count * factor
            found[_basis(result, card, precision)].append((result, rate))
    basis, chosen = _nearest(found)
    if basis is None:
        return None
    chosen = [one for one in chosen if (one[0].scenario in LIMITED) == limited] or chosen
    cards: dict[str, list[float]] = defaultdict(list)
    for result, rate in chosen:
        cards[result.gpu].append(rate * _share(result, limited))
    rates = [median(each) for each in cards.values()]
    typical, spread = exp(sum(map(log, rates)) / len(rates)), SPREAD[basis]
    everything = [rate for each in cards.values() for rate in each]
    return Scaled(
        Range(min(*everything, typical) / spread, typical, max(*everything, typical) * spread),
        basis,
        tuple(result for result, _rate in chosen),
    )


def generation(card: GPUSpec) -> tuple[str, str]:
    """Return a card's maker and the name of its architecture without chip and refresh: Ampere, Blackwell."""
    return card.vendor, card.architecture.split(" (")[0].removesuffix(" Ultra")


def _nearest(
    found: dict[Basis, list[tuple[MeasuredResult, float]]],
) -> tuple[Basis | None, list[tuple[MeasuredResult, float]]]:
    """Return the nearest results that say enough, and how near they are."""
    if found["same_card"]:
        return "same_card", found["same_card"]
    near, wider = found["same_generation"], found["same_maker"]
    if len({result.gpu for result, _rate in near}) >= FEWEST_CARDS or (near and not wider):
        return "same_generation", near
    if near or wider:
        return "same_maker", near + wider
    return ("other_type", found["other_type"]) if found["other_type"] else (None, [])


def _basis(result: MeasuredResult, card: GPUSpec, precision: Precision) -> Basis:
    if _type(result.precision) != _type(precision):
        return "other_type"
    if result.gpu == card.slug:
        return "same_card"
    return "same_generation" if generation(result.card) == generation(card) else "same_maker"


def _type(precision: str | None) -> str | None:
    """Return a precision's name; the two 16-bit types are computed at the same rate."""
    return "16-bit" if precision in ("bf16", "fp16") else precision


def _factor(result: MeasuredResult, kind: ModelKind, card: GPUSpec, precision: Precision) -> float | None:
    """Return what a card does of what the measured one did; None: another maker's, or rates not published."""
    if result.gpu == card.slug and _type(result.precision) == _type(precision):
        return 1.0
    if result.card.vendor != card.vendor:
        return None
    measured = _yardstick(result.card, PRECISIONS[result.precision or ""], kind)
    asked = _yardstick(card, precision, kind)
    return asked / measured if asked and measured else None


def _yardstick(card: GPUSpec, precision: Precision, kind: ModelKind) -> float | None:
    computing = computing_precision(card, precision)
    dense = card.dense_flops.get(computing) if computing else None
    share = ARITHMETIC.get(kind)
    if not dense or share is None:
        return None
    if share == 1.0:
        return dense
    if not card.bandwidth_bytes_per_s:
        return None
    return float(dense**share * card.bandwidth_bytes_per_s ** (1.0 - share))


def _share(result: MeasuredResult, limited: bool) -> float:
    """Return the factor between scenarios, where those measured are not those asked for."""
    if (result.scenario in LIMITED) == limited:
        return 1.0
    return UNDER_LIMIT if limited else 1.0 / UNDER_LIMIT


def same_model(
    results: Iterable[MeasuredResult],
    *,
    model: str,
    precision: str,
    kind: Literal["inference", "training"] = "inference",
) -> tuple[MeasuredResult, ...]:
    """Return the results of that model in that precision; the two 16-bit types are one."""
    return tuple(
        result
        for result in results
        if result.model == model and result.kind == kind and _type(result.precision) == _type(precision)
    )
