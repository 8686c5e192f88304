"""What to measure before buying: from the reader's own unknowns, guesses and targets; pure, without Django.

Six subjects are always covered, those of a brief: the model and what runs it; training data and its cycle;
the load and how fast it is answered; what competes, what may fail and what grows; loading, saving, network
and storage; and the tests on which offers are compared. Results are codes with figures; `measure_texts` makes
the sentences.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal, Protocol

from recommender.plans import Plans
from recommender.plans.contention import checkpoint_bytes, start_bytes, training_rate
from recommender.plans.terms import USUAL_CHECKPOINT_S
from recommender.ranking import Match, Ranking
from recommender.sizing.demand import Case
from recommender.sizing.specs import Range

# Below the peak, at it, and beyond, to see whether requests wait or fail.
LOAD_STEPS = (25, 50, 100, 150)
# A 95th percentile of 200 values has ten beyond it: fewer, and one slow request decides.
REQUESTS_A_STEP = 200
MINUTES_A_STEP = 10
STEPS_OF_TRAINING = 100  # after as many to warm up
# Of what an evaluation set needs: 50 to 500 prompts are usual.
PROMPTS = (50, 500)
# Writing checkpoints should cost no more than that of the training time: our own judgement.
CHECKPOINT_SHARE = 0.05
PEAK_KEYS = ("concurrency", "growth_percent", "horizon_years")

Subject = Literal["model", "data", "load", "running", "storage", "acceptance"]
SUBJECTS: tuple[Subject, ...] = ("model", "data", "load", "running", "storage", "acceptance")
Unit = Literal["s", "bytes", "bytes/s", "bits/s", "W", "rate", "requests", "share"]


class Assumed(Protocol):
    """An answer that was reckoned with."""

    @property
    def key(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def origin(self) -> str: ...


class Advice(Protocol):
    """What is read of the advice."""

    @property
    def case(self) -> Case: ...
    @property
    def assumptions(self) -> Sequence[Assumed]: ...
    @property
    def to_measure(self) -> Sequence[str]: ...
    @property
    def ranking(self) -> Ranking: ...
    @property
    def plans(self) -> Plans: ...


@dataclass(frozen=True, slots=True)
class Limit:
    """What a measured value has to keep."""

    figure: str
    value: float
    unit: Unit
    side: Literal["at_most", "at_least"]
    origin: Literal["given", "default", "computed"]  # default: nobody asked for it, it is what is usual


@dataclass(frozen=True, slots=True)
class Expected:
    """What was worked out, so that a measurement can be held against it."""

    figure: str
    value: Range
    unit: Unit


@dataclass(frozen=True, slots=True)
class Measure:
    """One thing to measure: the answers that it settles, the load it runs under, what passes."""

    code: str
    subject: Subject
    keys: tuple[str, ...] = ()
    open_keys: tuple[str, ...] = ()  # of these: missing or guessed, and able to change the advice
    turns: bool = False  # the advice is known to change within what is open
    steps: tuple[tuple[int, float], ...] = ()  # percent of the peak, load
    limits: tuple[Limit, ...] = ()
    expected: tuple[Expected, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """The set that every offer is tested with."""

    prompts: tuple[int, int]
    requests_a_step: int
    input_tokens: int  # typical request
    output_tokens: int
    longest_tokens: int
    searches: bool


@dataclass(frozen=True, slots=True)
class MeasuringPlan:
    """What to measure, the most decisive first, and what the tests are made of."""

    measures: tuple[Measure, ...]
    sample: Sample | None  # None: nothing is served as text


# What turns the advice furthest comes first: our own judgement, where nothing was worked out.
_WEIGHT = (
    "model",
    "training_model",
    "concurrency",
    "streams",
    "frames_per_second",
    "audio_streams",
    "images_per_minute",
    "context_tokens",
    "method",
    "dataset_tokens",
    "availability",
    "target_hours",
    "ttft_ms",
    "tpot_ms",
    "input_tokens",
    "output_tokens",
    "epochs",
    "sequence_tokens",
)


def measuring_plan(advice: Advice, turning: Sequence[str] = ()) -> MeasuringPlan:
    """Return what to measure before buying.

    Args:
        advice: The result of the recommendation.
        turning: Keys of answers within whose uncertainty the first place is known to change.
    """
    match = advice.ranking.matches[0] if advice.ranking.matches else None
    found = [_with_state(item, advice, turning) for item in _measures(advice, match)]
    ordered = sorted(enumerate(found), key=lambda pair: (*_place(pair[1]), pair[0]))
    return MeasuringPlan(tuple(item for _place_, item in ordered), _sample(advice))


def _with_state(item: Measure, advice: Advice, turning: Sequence[str]) -> Measure:
    open_keys = tuple(key for key in item.keys if key in advice.to_measure)
    return Measure(
        item.code,
        item.subject,
        item.keys,
        open_keys,
        any(key in turning for key in item.keys),
        item.steps,
        item.limits,
        item.expected,
    )


def _place(item: Measure) -> tuple[bool, bool, int]:
    weights = [_WEIGHT.index(key) for key in item.open_keys if key in _WEIGHT]
    return not item.turns, not item.open_keys, min(weights, default=len(_WEIGHT))


def _measures(advice: Advice, match: Match | None) -> Iterator[Measure]:
    """Yield what there is to measure, in the order of a brief."""
    case = advice.case
    yield from _of_model(case, match)
    yield from _of_data(case, advice, match)
    yield from _of_load(case, advice, match)
    yield from _of_running(case, advice, match)
    yield from _of_storage(case, advice, match)
    yield Measure("acceptance", "acceptance", limits=tuple(_power_limits(case)), expected=_power(match))


def _of_model(case: Case, match: Match | None) -> Iterator[Measure]:
    held = None if match is None else match.config.memory
    known = not case.serves or case.hard.model is None or case.hard.model.cache_known
    limits: tuple[Limit, ...] = ()
    expected: tuple[Expected, ...] = ()
    if held is not None and known:
        limits = (Limit("memory", held.available.low, "bytes", "at_most", "computed"),)
        expected = (Expected("memory", held.total, "bytes"),)
    if case.serves:
        yield Measure("quality", "model", ("model", "training_model", "precision", "kv_precision", "engine"))
        yield Measure("memory", "model", (), limits=limits, expected=expected)
    else:
        yield Measure("quality_trained", "model", ("model", "training_model", "precision"))
        yield Measure("memory_training", "model", (), limits=limits, expected=expected)


def _of_data(case: Case, advice: Advice, match: Match | None) -> Iterator[Measure]:
    if not case.trains:
        yield Measure("no_training", "data")
        return
    yield Measure("dataset", "data", ("dataset_tokens", "dataset_gb", "sequence_tokens"))
    target = case.hard.target_s
    trained = None if match is None else match.config.trained
    expected: tuple[Expected, ...] = ()
    if trained is not None and trained.seconds is not None:
        expected = (Expected("cycle", trained.seconds, "s"),)
    yield Measure(
        "training_step",
        "data",
        ("method", "target_hours", "epochs", "global_batch", "micro_batch", "lora_rank"),
        limits=(_time_limit("cycle", target, case.typical_target_s),),
        expected=expected,
    )


def _of_load(case: Case, advice: Advice, match: Match | None) -> Iterator[Measure]:
    if not case.serves:
        yield Measure("no_service", "load")
        return
    peak = _peak(advice)
    steps = tuple((percent, _part(case, peak, percent)) for percent in LOAD_STEPS)
    served = None if match is None else match.config.served
    work = None if match is None else match.config.work
    if case.kind == "tokens":
        yield Measure(
            "load",
            "load",
            ("concurrency", "normal_concurrency", "requests_per_second", "users", "active_percent",
             "requests_per_user_minute", "peak_factor"),
        )  # fmt: skip
        yield Measure(
            "lengths", "load", ("context_tokens", "input_tokens", "output_tokens", "prefix_percent")
        )
        expected: tuple[Expected, ...] = ()
        if served is not None:
            expected = (Expected("ttft", served.ttft_s, "s"), Expected("tpot", served.tpot_s, "s"))
        yield Measure(
            "response",
            "load",
            ("ttft_ms", "tpot_ms", "queue_ok", "queue_seconds"),
            steps=steps,
            limits=(
                _time_limit("ttft", case.hard.ttft_s, case.typical_ttft_s),
                _time_limit("tpot", case.hard.tpot_s, case.typical_tpot_s),
            ),
            expected=expected,
        )
        return
    keys = {
        "vision": ("streams", "frames_per_second"),
        "speech": ("audio_streams",),
        "images": ("images_per_minute",),
        "embeddings": ("requests_per_second", "concurrency", "input_tokens"),
    }[case.kind]
    origin: Literal["given", "default"] = "given" if _is_answered(advice, keys) else "default"
    yield Measure(
        f"rate_{case.kind}",
        "load",
        keys,
        steps=steps,
        limits=(Limit("rate", peak, "rate", "at_least", origin),),
        expected=() if work is None else (Expected("rate", work, "rate"),),
    )


def _of_running(case: Case, advice: Advice, match: Match | None) -> Iterator[Measure]:
    """Yield tests of what competes, what fails and what grows."""
    if not case.serves:
        yield Measure("resume", "running", ("checkpoint_minutes",))
        return
    if case.trains:
        limits: tuple[Limit, ...] = ()
        if case.kind == "tokens":
            limits = (
                _time_limit("ttft", case.hard.ttft_s, case.typical_ttft_s),
                _time_limit("tpot", case.hard.tpot_s, case.typical_tpot_s),
            )
        keys = ("one_node", "isolation", "experiments_per_month")
        yield Measure("beside", "running", keys, steps=((100, _peak(advice)),), limits=limits)
    yield Measure("lost", "running", ("availability", "on_node_loss", "maintenance_hours"))
    capacity = None if match is None else match.capacity
    expected: tuple[Expected, ...] = ()
    if capacity is not None:
        expected = (Expected("capacity", Range.exact(float(capacity)), "requests"),)
    yield Measure("breaking_point", "running", ("growth_percent", "horizon_years"), expected=expected)


def _of_storage(case: Case, advice: Advice, match: Match | None) -> Iterator[Measure]:
    terms = advice.plans.terms
    rate = None if terms.storage_bytes_per_s is None else terms.storage_bytes_per_s.low
    if case.serves:
        size = None if match is None else start_bytes(match)
        expected: list[Expected] = []
        if size is not None:
            expected.append(Expected("weights", size, "bytes"))
            if rate:
                expected.append(Expected("start", size.scaled(1 / rate), "s"))
        yield Measure("start", "storage", ("storage_gbs",), expected=tuple(expected))
    if case.trains:
        training = _training(advice, match)
        checkpoint = None if training is None else checkpoint_bytes(case, training)
        every = USUAL_CHECKPOINT_S if terms.checkpoint_s is None else terms.checkpoint_s.low
        found: list[Expected] = []
        if checkpoint is not None:
            found.append(Expected("checkpoint", Range.exact(checkpoint), "bytes"))
            if rate:
                found.append(Expected("write", Range.exact(checkpoint / rate), "s"))
        yield Measure(
            "checkpoint" if case.serves else "checkpoint_alone",
            "storage",
            ("checkpoint_minutes", "checkpoints_kept", "storage_gbs"),
            limits=(Limit("write", every * CHECKPOINT_SHARE, "s", "at_most", "default"),),
            expected=tuple(found),
        )
        moved = None if training is None else training_rate(case, terms, training)
        needed: tuple[Limit, ...] = ()
        if moved is not None:
            needed = (Limit("reading", moved.high, "bytes/s", "at_least", "computed"),)
        yield Measure("reading", "storage", ("dataset_gb", "storage_gbs"), limits=needed)
    several = match is not None and match.config.servers > 1
    if several or not case.serves:
        yield Measure("network", "storage", ("network_gbe",))


def _training(advice: Advice, match: Match | None) -> Match | None:
    """Return the configuration that trains: that of the way advised, else the first match."""
    verdict = advice.plans.verdict
    if verdict is not None and verdict.way is not None:
        return advice.plans.ways[verdict.way].training
    return match


def _time_limit(figure: str, given: float | None, usual: float) -> Limit:
    if given is None:
        return Limit(figure, usual, "s", "at_most", "default")
    return Limit(figure, given, "s", "at_most", "given")


def _power_limits(case: Case) -> Iterator[Limit]:
    if case.hard.power_w is not None:
        yield Limit("power", case.hard.power_w, "W", "at_most", "given")


def _power(match: Match | None) -> tuple[Expected, ...]:
    power = None if match is None else match.config.power_w
    return () if power is None else (Expected("power", power, "W"),)


def _peak(advice: Advice) -> float:
    """Return the peak that the servers are bought for, requests that wait included; of the harder end."""
    case = advice.case
    if case.kind != "tokens":
        return case.hard.rate or 0.0
    high = {
        item.key: float(item.value.split("..")[-1]) for item in advice.assumptions if item.key in PEAK_KEYS
    }
    if "concurrency" not in high:
        return float(case.hard.requests)
    growth = (1 + high.get("growth_percent", 0.0) / 100) ** high.get("horizon_years", 0.0)
    return float(ceil(round(high["concurrency"] * growth, 6)))


def _is_answered(advice: Advice, keys: Sequence[str]) -> bool:
    """Tell whether every one of these answers that was reckoned with is the reader's own."""
    origins = [item.origin for item in advice.assumptions if item.key in keys]
    return bool(origins) and all(origin in ("given", "hypothesis") for origin in origins)


def _part(case: Case, peak: float, percent: int) -> float:
    load = peak * percent / 100
    return float(ceil(load)) if case.kind == "tokens" else load


def _sample(advice: Advice) -> Sample | None:
    case, corner = advice.case, advice.case.hard
    if not case.serves or case.kind != "tokens":
        return None
    return Sample(
        PROMPTS,
        REQUESTS_A_STEP,
        corner.input_tokens,
        corner.output_tokens,
        corner.tokens_per_request,
        advice.plans.terms.searches,
    )
