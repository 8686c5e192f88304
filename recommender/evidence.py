"""How each figure of a match is known, and the published measurements that it can be held against.

Never changes a figure: images, speech and pictures rest on measured results already (see `sizing.measured`);
of language models, training and power a measurement stands beside the estimate as a check. Such a figure is
said to be measured only where the nearest measurement of that very load lies inside the range that is shown:
it confirms the range, and the page shows both. Else the figure stays computed, and the measurement is shown
as what it is.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from recommender.ranking import Match
from recommender.sizing import measured
from recommender.sizing.configurations import Config
from recommender.sizing.demand import Case
from recommender.sizing.specs import MeasuredResult, Range

State = Literal["measured_here", "measured_elsewhere", "computed", "unknown"]

Place = Literal["measured_here", "measured_elsewhere"]

COMPARABLE = 2.0  # lengths and loads up to this factor apart are held against each other
SHOWN = 2  # measurements beside a figure
POWER = "mean_system_power_w"
METHODS = {"pretraining": "pre-training (full)", "full": "full fine-tune", "lora": "lora", "qlora": "qlora"}


@dataclass(frozen=True, slots=True)
class Known:
    """How a figure is known, and the measurements beside it, the nearest first.

    `place` says where those were taken. A figure that stays computed beside them is not confirmed by them.
    """

    state: State
    results: tuple[MeasuredResult, ...] = ()
    place: Place | None = None


def of_match(case: Case, match: Match, results: Sequence[MeasuredResult]) -> Mapping[str, Known]:
    """Return how the figures of a match are known that others have measured, by the contract's names.

    Args:
        case: What was asked.
        match: The configuration, with its figures.
        results: Everything that was measured and published.
    """
    config = match.config
    on_card = [result for result in results if result.gpu == config.node.gpu.slug]
    rate = _rate(case, match, on_card)
    return {
        "throughput": rate,
        "output_tokens_per_s": rate,
        "training_hours": _training(case, config, on_card),
        "power_w": _power(config, on_card),
    }


def _rate(case: Case, match: Match, results: Iterable[MeasuredResult]) -> Known:
    config = match.config
    model = config.corner.model
    if not case.serves or model is None or config.work is None:
        return Known("computed")
    own = measured.same_model(results, model=model.slug, precision=config.precision)
    if case.kind in ("vision", "speech", "images"):
        return _placed(config, (one for one in own if one.unit == measured.SAMPLES))
    if case.kind != "tokens":
        return Known("computed")  # texts were measured, tokens are asked for
    alike = (
        one
        for one in own
        if one.unit == "output_tokens_per_s" and one.count == config.gpus and _same_load(match, one)
    )
    return _confirming(config.work, _placed(config, alike), lambda one: one.value)


def _same_load(match: Match, result: MeasuredResult) -> bool:
    """Tell whether lengths and simultaneous requests are near enough to hold one rate against the other.

    Where no limit of requests is stated, the engine ran as many as it takes: near a configuration at its own.
    """
    corner = match.config.corner
    if not _near(result.input_tokens, corner.input_tokens) or not _near(
        result.output_tokens, corner.output_tokens
    ):
        return False
    return _near(result.concurrency or match.capacity, corner.requests)


def _near(one: int | None, other: int | None) -> bool:
    return bool(one and other) and 1 / COMPARABLE <= (one or 1) / (other or 1) <= COMPARABLE


def _training(case: Case, config: Config, results: Iterable[MeasuredResult]) -> Known:
    corner, trained = config.corner, config.trained
    if not case.trains or corner.trained is None or trained is None:
        return Known("computed")
    alike = (
        one
        for one in measured.same_model(
            results, model=corner.trained.slug, precision=trained.precision, kind="training"
        )
        if one.unit == "tokens_per_s_per_gpu"
        and one.count == trained.layout.gpus_used
        and one.method == METHODS[case.method]
        and _near(one.sequence_tokens, corner.sequence_tokens)
    )
    return _confirming(
        trained.seconds,
        _placed(config, alike),
        lambda one: corner.tokens / (one.value * trained.layout.gpus_used),
    )


def _power(config: Config, results: Iterable[MeasuredResult]) -> Known:
    """Power is that of a whole server: another machine with the same cards says nothing of this one."""
    found = _placed(config, (one for one in results if one.unit == POWER))
    if found.state != "measured_here" or config.servers != 1:
        return Known("computed")
    return _confirming(config.power_w, found, lambda one: one.value)


def _confirming(shown: Range | None, found: Known, measured_as: Callable[[MeasuredResult], float]) -> Known:
    """Return a computed figure's state: that of the nearest measurement where the range shown holds it.

    Args:
        shown: The range on the page.
        found: The measurements, by where they were taken.
        measured_as: A measurement in the figure's own unit.
    """
    if not found.results or shown is None:
        return Known("computed")
    if shown.low <= measured_as(found.results[0]) <= shown.high:
        return found
    return replace(found, state="computed")


def _placed(config: Config, results: Iterable[MeasuredResult]) -> Known:
    """Return the results of this very server with as many of these cards, else those of other machines."""
    found = sorted(results, key=lambda one: (not _here(config, one), one.count != config.count, -one.value))
    if not found:
        return Known("computed")
    if _here(config, found[0]):
        here = [one for one in found if _here(config, one)]
        return Known("measured_here", tuple(here[:SHOWN]), "measured_here")
    return Known("measured_elsewhere", tuple(found[:SHOWN]), "measured_elsewhere")


def _here(config: Config, result: MeasuredResult) -> bool:
    """Tell whether a result comes from this server with this number of this card in it."""
    return (
        result.server == config.node.server
        and result.gpu == config.node.gpu.slug
        and result.count == config.count * result.servers
    )
