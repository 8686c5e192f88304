"""What two jobs compete for: memory, compute, disks and network, each with need and have."""

from dataclasses import dataclass
from typing import Literal

from recommender.plans.terms import USUAL_CHECKPOINT_S, Terms
from recommender.ranking import Match
from recommender.sizing import weights
from recommender.sizing.breakdown import checkpoints
from recommender.sizing.demand import Case
from recommender.sizing.experiments import stall_of_case, with_stalls
from recommender.sizing.specs import Range
from recommender.sizing.training_memory import states

Way = Literal["shared", "separate", "scheduled"]
Resource = Literal["memory", "compute", "disks", "network"]
RESOURCES: tuple[Resource, ...] = ("memory", "compute", "disks", "network")

TEXT_BYTES = 4.0  # a token of text, about; see cases.BYTES_PER_TOKEN
# One token of a streamed answer is an event of its own: 200 to 260 bytes in the examples of OpenAI's API
# reference ("chat completion chunk"), which vLLM and SGLang follow; up to twice that with usage or logprobs.
EVENT_BYTES = Range(200.0, 250.0, 500.0)


@dataclass(frozen=True, slots=True)
class Share:
    """What one job needs of a resource, and what there is for it, in one unit. None: not known."""

    job: Literal["serving", "training", "start"]
    unit: Literal["bytes", "requests", "rate", "hours", "bytes/s", "bits/s"]
    need: Range | None
    have: float | None

    @property
    def over(self) -> bool:
        """Tell whether the need is above what there is, as far as both are known."""
        return self.need is not None and self.have is not None and self.need.typical > self.have


@dataclass(frozen=True, slots=True)
class Contention:
    """One resource in one way of running both jobs: how it is shared, and by how much."""

    resource: Resource
    mode: Literal["apart", "in_turn", "common", "own"]
    shares: tuple[Share, ...]
    on_one_card: tuple[float, float] | None = None  # both jobs on the same card: need and have [bytes]

    @property
    def over(self) -> bool:
        return any(share.over for share in self.shares)


def contention(
    case: Case, terms: Terms, way: Way, serving: Match, training: Match, sets: int
) -> tuple[Contention, ...]:
    """Return the four resources of a way.

    Args:
        case: What is asked.
        terms: What was answered beside it.
        way: How the jobs are kept apart.
        serving, training: The configurations that do them; one and the same where they share a server.
        sets: Training servers side by side that the experiments of a month take [count].
    """
    apart: dict[Way, Literal["apart", "in_turn", "own"]] = {
        "shared": "apart",
        "scheduled": "in_turn",
        "separate": "own",
    }
    in_one = way != "separate"
    return (
        Contention("memory", apart[way], _memory(serving, training), _on_one_card(serving, training)),
        Contention("compute", apart[way], _compute(case, terms, way, serving, training, sets)),
        Contention("disks", "in_turn" if way == "scheduled" else "common", _disks(case, terms, training)),
        Contention(
            "network",
            ("in_turn" if way == "scheduled" else "common") if in_one else "own",
            _network(case, terms, serving, training),
        ),
    )


def _memory(serving: Match, training: Match) -> tuple[Share, ...]:
    held = serving.config.memory
    shares = [Share("serving", "bytes", held.total, held.available.low)]
    trained = training.config.trained
    if trained is not None:
        shares.append(Share("training", "bytes", trained.memory.total, trained.memory.available.low))
    return tuple(shares)


def _on_one_card(serving: Match, training: Match) -> tuple[float, float] | None:
    """Return what both jobs on the same card would need and what it has [bytes]; None: not the same card."""
    one, other = serving.config, training.config
    if one.node.gpu.slug != other.node.gpu.slug or other.trained is None:
        return None
    return one.memory.total.typical + other.trained.memory.total.typical, one.node.gpu.memory_bytes.low


def cycle_hours(case: Case, terms: Terms, training: Match) -> Range | None:
    """Return how long one experiment takes, with its waits for checkpoints [h]; None: speed not known."""
    trained = training.config.trained
    if trained is None or trained.seconds is None:
        return None
    hours = trained.seconds.scaled(1 / 3600)
    rate, every = terms.storage_bytes_per_s, terms.checkpoint_s
    storage = None if rate is None else Range(rate.low, (rate.low + rate.high) / 2, rate.high)
    stall = stall_of_case(case, storage, None if every is None else every.low / 60)
    return hours if stall is None else with_stalls(hours, stall)


def hours_for(terms: Terms, way: Way) -> float:
    """Return the hours a month that experiments may take."""
    return terms.night_h if way == "scheduled" else terms.month_h


def _compute(
    case: Case, terms: Terms, way: Way, serving: Match, training: Match, sets: int
) -> tuple[Share, ...]:
    if case.kind == "tokens":
        load, unit, have = float(case.hard.requests), "requests", serving.capacity
    else:
        load, unit = case.hard.rate or 0.0, "rate"
        have = None if serving.config.work is None else serving.config.work.low  # type: ignore[assignment]
    hours = cycle_hours(case, terms, training)
    return (
        Share("serving", unit, Range.exact(load), None if have is None else float(have)),  # type: ignore[arg-type]
        Share(
            "training",
            "hours",
            None if hours is None else hours.scaled(terms.trials),
            hours_for(terms, way) * (sets if way == "separate" else 1),
        ),
    )


def start_bytes(serving: Match) -> Range | None:
    """Return what the service reads before it answers: the weights, once for every server [bytes]."""
    config = serving.config
    if config.corner.model is None:
        return None
    return weights.weight_bytes(config.corner.model, config.precision).scaled(float(config.servers))


def checkpoint_bytes(case: Case, training: Match) -> float | None:
    """Return one full checkpoint of the training job [bytes]."""
    corner = training.config.corner
    if corner.trained is None:
        return None
    kept = states(corner.trained, case.method, case.optimizer, corner.lora_rank, "all")
    return checkpoints(kept.trained, weight=kept.weight, optimizer=kept.optimizer).full


def training_rate(case: Case, terms: Terms, training: Match) -> Range | None:
    """Return what training reads and writes on the average [bytes/s]: the data of a cycle and checkpoints.

    The data is what was given for one pass, else four bytes a token. A run that is done sooner reads faster.
    """
    trained, corner = training.config.trained, training.config.corner
    checkpoint = checkpoint_bytes(case, training)
    if trained is None or trained.seconds is None or trained.seconds.low <= 0 or checkpoint is None:
        return None
    data = corner.tokens * TEXT_BYTES
    if terms.dataset_bytes is not None:
        data = max(data, terms.dataset_bytes.high)
    every = USUAL_CHECKPOINT_S if terms.checkpoint_s is None else terms.checkpoint_s.low
    written = checkpoint / every if every > 0 else 0.0
    seconds = trained.seconds
    return Range(data / seconds.high, data / seconds.typical, data / seconds.low) + Range.exact(written)


def _disks(case: Case, terms: Terms, training: Match) -> tuple[Share, ...]:
    have = None if terms.storage_bytes_per_s is None else terms.storage_bytes_per_s.low
    return (Share("training", "bytes/s", training_rate(case, terms, training), have),)


def _network(case: Case, terms: Terms, serving: Match, training: Match) -> tuple[Share, ...]:
    """Return the streamed answers, and what training moves to and from shared storage [bit/s]."""
    have = None if terms.network_bits_per_s is None else terms.network_bits_per_s.low
    shares = []
    work = serving.config.work
    if case.kind == "tokens":
        need = None
        if work is not None:
            need = Range(
                work.low * EVENT_BYTES.low * 8, work.typical * EVENT_BYTES.typical * 8,
                work.high * EVENT_BYTES.high * 8,
            )  # fmt: skip
        shares.append(Share("serving", "bits/s", need, have))
    moved = training_rate(case, terms, training)
    shares.append(Share("training", "bits/s", None if moved is None else moved.scaled(8.0), have))
    return tuple(shares)
