"""One server or several: the ways to run training and a service, from one engine with different inputs.

Shared: both at the same time in one server, each on cards of its own. Separate: a server for each. Scheduled:
all cards of one server, one job after the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from math import ceil, floor

from recommender.plans.contention import Contention, Way, contention, cycle_hours, hours_for
from recommender.plans.growth import Growth, serving_growth, sustained, training_growth
from recommender.plans.terms import Terms
from recommender.ranking import Match, Ranking, rank
from recommender.sizing.demand import Case, Machine
from recommender.sizing.specs import Range

WAYS: tuple[Way, ...] = ("shared", "separate", "scheduled")


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a way carries in both jobs, at the unfavourable end of the estimates. None: not known."""

    requests: int | None  # at once, within the targets
    requests_needed: int | None  # at the harder end; None: the work is not counted in requests
    rate: Range | None  # tokens/s, frames/s ... of the service
    hours: Range | None  # of one training cycle
    experiments: tuple[int, int, int] | None  # a month: low, typical, high
    experiments_needed: float
    hours_available: float  # a month, for experiments


@dataclass(frozen=True, slots=True)
class Loss:
    """Requests at once with all servers, and with one that serves lost. None: not known."""

    servers: int
    all: float | None
    one_lost: float | None
    stands_in: bool = False  # what is left is a server that trains otherwise


@dataclass(frozen=True, slots=True)
class Plan:
    """One way to run training and a service. None: no server of the catalog does it."""

    way: Way
    serving: Match | None
    training: Match | None
    sets: int = 1  # training servers side by side, so that a month's experiments are done in it
    capacity: Capacity | None = None
    contention: tuple[Contention, ...] = ()
    loss: Loss | None = None
    growth: Growth | None = None
    training_gpus: int = 0  # of a shared server: cards that the service does not get

    @property
    def works(self) -> bool:
        return self.serving is not None and self.training is not None

    @property
    def parts(self) -> tuple[tuple[Match, int], ...]:
        """Return the configurations that are bought, each with how many times."""
        if self.serving is None or self.training is None:
            return ()
        if self.way != "separate":
            return ((self.serving, 1),)
        return ((self.serving, 1), (self.training, self.sets))

    @property
    def servers(self) -> int:
        return sum(match.config.servers * times for match, times in self.parts)

    @property
    def gpus(self) -> int:
        return sum(match.config.gpus * times for match, times in self.parts)

    @property
    def rack_units(self) -> int | None:
        heights = [(match.config.rack_units, times) for match, times in self.parts]
        known = [height * times for height, times in heights if height is not None]
        return sum(known) if known and len(known) == len(heights) else None

    @property
    def power_w(self) -> Range | None:
        powers = [(match.config.power_w, times) for match, times in self.parts]
        known = [power.scaled(float(times)) for power, times in powers if power is not None]
        if not known or len(known) != len(powers):
            return None
        return sum(known[1:], start=known[0])

    @property
    def certain(self) -> bool:
        return all(match.state == "fits" for match, _times in self.parts)


@dataclass(frozen=True, slots=True)
class Scale:
    """How a single job grows, and what the loss of a server leaves of it."""

    match: Match
    growth: Growth
    loss: Loss | None


@dataclass(frozen=True, slots=True)
class Ways:
    """What came of the comparison before anybody chooses."""

    plans: Mapping[Way, Plan] = field(default_factory=dict)
    scale: Scale | None = None


def ways_of(case: Case, terms: Terms, machines: Sequence[Machine], ranked: Ranking) -> Ways:
    """Return the ways to run both jobs, or how the only one grows.

    Args:
        case: The resolved answers.
        terms: What was answered about running them.
        machines: What can be ordered.
        ranked: The ranking of that case.
    """
    if not (case.serves and case.trains):
        return Ways(scale=_scale(case, terms, ranked))
    at_once = ranked if case.together else rank(replace(case, together=True), machines)
    in_turn = rank(replace(case, together=False), machines) if case.together else ranked
    serving = rank(replace(case, trains=False, together=False), machines)
    training = rank(replace(case, serves=False, together=False, n_plus_1=False, kind="tokens"), machines)
    both, turns = _first(at_once), _first(in_turn)
    plans: dict[Way, Plan] = {
        "shared": _plan(case, terms, "shared", both, both, serving),
        "separate": _plan(case, terms, "separate", _first(serving), _alike(serving, training), serving),
        "scheduled": _plan(case, terms, "scheduled", turns, turns, serving),
    }
    return Ways(plans)


def _first(ranked: Ranking) -> Match | None:
    return ranked.matches[0] if ranked.matches else None


def _alike(serving: Ranking, training: Ranking) -> Match | None:
    """Return the first match that trains, or one level with it on the kind of server that serves already.

    Two of a kind stand in for each other and share spare parts, so that a tie goes to them.
    """
    first, serves = _first(training), _first(serving)
    if first is None or serves is None:
        return first
    level = [first, *takewhile(lambda match: match.tied, training.matches[1:])]
    for match in level:
        same = match.config.name == serves.config.name
        no_larger = match.config.gpus <= first.config.gpus and match.config.servers <= first.config.servers
        if same and no_larger:
            return match
    return first


def training_sets(case: Case, terms: Terms, training: Match, trials: float | None = None) -> int:
    """Return the training servers that a month's experiments take [count], at the long end of their time."""
    hours = cycle_hours(case, terms, training)
    if hours is None or terms.month_h <= 0:
        return 1
    wanted = terms.trials if trials is None else trials
    return max(ceil(wanted * hours.high / terms.month_h - 1e-9), 1)


def _plan(
    case: Case, terms: Terms, way: Way, serving: Match | None, training: Match | None, alone: Ranking
) -> Plan:
    if serving is None or training is None:
        return Plan(way, serving, training)
    config = serving.config
    sets = training_sets(case, terms, training) if way == "separate" else 1
    apart = config.layout.idle_gpus // config.servers if way == "shared" else 0
    if way == "shared" and case.kind != "tokens" and config.trained is not None:
        apart = config.trained.layout.gpus_used
    most = config.servers if way == "shared" else None
    plan = Plan(
        way,
        serving,
        training,
        sets,
        capacity_of(case, terms, way, serving, training, sets),
        contention(case, terms, way, serving, training, sets),
        None,
        serving_growth(case, terms, serving, kept=apart, most=most),
        apart * config.servers,
    )
    return replace(plan, loss=_loss(case, plan, alone))


def capacity_of(case: Case, terms: Terms, way: Way, serving: Match, training: Match, sets: int) -> Capacity:
    """Return what a way carries in both jobs, its training server bought so many times."""
    hours, available = cycle_hours(case, terms, training), hours_for(terms, way) * sets
    experiments = None
    if hours is not None and hours.low > 0:
        low, typical, high = (
            sets * floor(available / sets / end + 1e-9) for end in (hours.high, hours.typical, hours.low)
        )
        experiments = (low, typical, high)
    return Capacity(
        requests=serving.capacity,
        requests_needed=case.hard.requests if case.kind == "tokens" else None,
        rate=serving.config.work,
        hours=hours,
        experiments=experiments,
        experiments_needed=terms.trials,
        hours_available=available,
    )


def _carried(case: Case, match: Match, kept: int = 0) -> tuple[float | None, float | None]:
    """Return what a service carries with all of its servers, and with one lost."""
    config = match.config
    working = config.servers - (1 if case.n_plus_1 else 0)
    if case.kind == "tokens":
        total = sustained(case, match, kept) if match.capacity else None
    else:
        total = None if config.work is None else config.work.low * (config.count - kept) / config.count
    if total is None or working < 1:
        return None, None
    each = total / working
    return each * config.servers, each * (config.servers - 1)


def _loss(case: Case, plan: Plan, alone: Ranking) -> Loss | None:
    if plan.serving is None or plan.training is None:
        return None
    servers = plan.serving.config.servers
    full, left = _carried(case, plan.serving, plan.training_gpus // servers)
    if plan.way != "separate" or left:
        return Loss(servers, full, left)
    instead = _stand_in(case, plan.training, plan.sets, alone)
    return Loss(servers, full, instead if instead else left, stands_in=bool(instead))


def _stand_in(case: Case, training: Match, sets: int, alone: Ranking) -> float | None:
    """Return what the training servers carry of the service when they have to; None: nothing or unknown."""
    bought = training.config
    for match in alone.matches:
        config = match.config
        if config.name != bought.name:
            continue
        full, _left = _carried(case, match)
        if full is None:
            return None
        replicas = config.layout.replicas
        if replicas < 1:
            return None
        fitting = bought.count // config.layout.gpus_per_replica * bought.servers * sets
        return full / replicas * fitting
    return None


def _scale(case: Case, terms: Terms, ranked: Ranking) -> Scale | None:
    """Return how the first match grows; a pure training job by the data of its cycle."""
    match = _first(ranked)
    if match is None:
        return None
    if not case.serves:
        return Scale(match, training_growth(case, terms, match), None)
    full, left = _carried(case, match)
    return Scale(match, serving_growth(case, terms, match), Loss(match.config.servers, full, left))
