"""How a configuration grows with its load: the same kind of server, more cards in it, then more of them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, floor, log, log1p

from recommender.plans.terms import MONTHS, MOST_MONTHS, USUAL_GROWTH, Terms
from recommender.ranking import Match
from recommender.sizing.configurations import Config, Failure
from recommender.sizing.demand import Case, Corner
from recommender.sizing.rules import power_of, rack_units_of, work_of
from recommender.sizing.sizes import sizes_of
from recommender.sizing.specs import Range


@dataclass(frozen=True, slots=True)
class Step:
    """What the load of one moment takes. `servers` None: this kind of server does not carry it."""

    percent: float  # more than today
    months: int | None  # None: nobody said how fast it grows
    load: float  # requests at once, or the rate of work without an answer text, or tokens of a cycle
    servers: int | None
    count: int | None = None  # cards a server
    rack_units: int | None = None
    power_w: Range | None = None
    hours: Range | None = None  # of one training cycle


@dataclass(frozen=True, slots=True)
class Growth:
    """The steps, and when what stands today is full."""

    steps: tuple[Step, ...]
    full_at: float | None = None  # load that the cards of today carry; None: not known
    full_in_months: int | None = None  # None: nobody said how fast the load grows, or it does not
    server_full_at: float | None = None  # load that the same servers carry with every card that they take
    server_full_in_months: int | None = None
    each_server: float | None = None  # load that one more server adds


def factors(terms: Terms, strict: bool) -> list[tuple[float, int | None, float]]:
    """Return each step as percent above today, months from today, and times the load that the case has.

    Growth and horizon given, the case is sized for the end of the horizon: today is less than that.
    """
    if terms.growth_percent is None:
        return [(percent, None, 1 + percent / 100) for percent in USUAL_GROWTH]
    yearly = 1 + (terms.growth_percent.high if strict else terms.growth_percent.low) / 100
    years = 0.0
    if terms.horizon_years is not None:
        years = terms.horizon_years.high if strict else terms.horizon_years.low
    return [
        ((yearly ** (months / 12) - 1) * 100, months, yearly ** (months / 12 - years)) for months in MONTHS
    ]


def serving_growth(case: Case, terms: Terms, match: Match, kept: int = 0, most: int | None = None) -> Growth:
    """Return how the service of a match grows.

    Args:
        case: What is asked.
        terms: What was answered about growth.
        match: The configuration that serves.
        kept: Cards of every server that the service does not get [count].
        most: Servers at most; None: as many as there is.
    """
    config = match.config
    steps = []
    for percent, months, factor in factors(terms, config.strict):
        load = _load(case, config.corner) * factor
        if case.kind == "tokens":
            load = float(_grown(config.corner.requests, factor))
        found = _serving(case, config, factor, kept, most)
        steps.append(_step(percent, months, load, found, kept))
    full, whole, each = _limits(case, match, kept)
    today = steps[0].load
    yearly = None
    if terms.growth_percent is not None:
        yearly = terms.growth_percent.high if config.strict else terms.growth_percent.low
    return Growth(
        tuple(steps),
        full_at=full,
        full_in_months=_months(full, today, yearly),
        server_full_at=whole,
        server_full_in_months=_months(whole, today, yearly),
        each_server=each,
    )


def training_growth(case: Case, terms: Terms, match: Match) -> Growth:
    """Return how a training job grows with the data of its cycle."""
    config = match.config
    steps = []
    for percent, months, factor in factors(replace(terms, growth_percent=None), config.strict):
        corner = replace(config.corner, tokens=config.corner.tokens * factor)
        node = replace(config.node, counts=tuple(n for n in config.node.counts if n >= config.count))
        found = [
            item
            for item in sizes_of(case, node, corner, config.strict, None, False)
            if isinstance(item, Config) and item.servers >= config.servers
        ]
        best = min(found, key=lambda item: (item.servers, item.count, _seconds(item)), default=None)
        step = _step(percent, months, corner.tokens, best, 0)
        steps.append(replace(step, hours=best.trained.seconds if best and best.trained else None))
    return Growth(tuple(steps))


def _seconds(config: Config) -> float:
    trained = config.trained
    return trained.seconds.typical if trained is not None and trained.seconds is not None else float("inf")


def _load(case: Case, corner: Corner) -> float:
    return float(corner.requests) if case.kind == "tokens" else corner.rate or 0.0


def _step(percent: float, months: int | None, load: float, found: Config | None, kept: int) -> Step:
    if found is None:
        return Step(percent, months, load, None)
    count = found.count + kept
    return Step(
        percent,
        months,
        load,
        found.servers,
        count,
        rack_units_of(found.node, found.servers),
        power_of(found.node, count, found.servers, work_of(found.corner)),
    )


def _serving(case: Case, config: Config, factor: float, kept: int, most: int | None) -> Config | None:
    """Return the least of the same kind of server that carries the load times a factor: servers, then cards.

    What stands today stays: a lighter load than today's takes what it takes, never another layout.
    """
    more = _times(config.corner, factor)
    hard, easy = _times(case.hard, factor), _times(case.easy, factor)
    alone = replace(case, trains=False, together=False, hard=hard, easy=easy)
    counts = tuple(sorted({count - kept for count in config.node.counts if config.count <= count > kept}))
    if not counts:
        return None
    found = [
        item
        for item in _sizes(alone, config, more, counts)
        if item.layout.gpus_per_replica == config.layout.gpus_per_replica
        and item.layout.tensor_parallel == config.layout.tensor_parallel
        and (most is None or item.servers <= most)
    ]
    if config.piled:  # what stands in for more than can be certain grows as such
        found = [item for item in found if item.piled] or found
    return min(found, key=lambda item: (item.servers, item.count), default=None)


def _times(corner: Corner, factor: float) -> Corner:
    """Return the corner with its load times a factor."""
    arrivals = corner.arrivals_per_s
    return replace(
        corner,
        requests=_grown(corner.requests, factor),
        arrivals_per_s=None if arrivals is None else arrivals * factor,
        rate=None if corner.rate is None else corner.rate * factor,
    )


def _grown(requests: int, factor: float) -> int:
    """Return whole requests times a factor, at least one.

    Requests of the horizon were rounded up once: taken back to an earlier day, they are not rounded up again.
    """
    return max(ceil(round((requests - (factor < 1)) * factor, 6)), 1)


def _sizes(case: Case, config: Config, corner: Corner, counts: tuple[int, ...]) -> Iterator[Config]:
    node = replace(config.node, counts=counts)
    for item in sizes_of(case, node, corner, config.strict, config.precision, config.fallback):
        if not isinstance(item, Failure):
            yield item


def _limits(case: Case, match: Match, kept: int) -> tuple[float | None, float | None, float | None]:
    """Return the load that the cards of today carry, that full servers would, and that one more adds.

    All at the unfavourable end; with one server lost where that is asked.
    """
    config = match.config
    working = config.servers - (1 if case.n_plus_1 else 0)
    largest = max(config.node.counts) - kept
    if case.kind == "tokens":
        if match.capacity is None or match.capacity < 1:
            return None, None, None
        now = sustained(case, match, kept)
        replicas = config.layout.replicas // config.servers
        per_server = now / max(replicas * working, 1) * (largest // config.layout.gpus_per_replica)
        return now, max(per_server * working, now), per_server
    if config.work is None:
        return None, None, None
    each_card = config.work.low / (config.count * working)
    now = each_card * (config.count - kept) * working
    return now, each_card * largest * working, each_card * largest


def sustained(case: Case, match: Match, kept: int = 0) -> float:
    """Return the requests at once that the cards of today carry, kept up where they arrive at a rate.

    A rate is found by halving: between what is carried today and what would run at once.
    """
    assert match.capacity is not None
    config = match.config
    carried, most = float(config.corner.requests), float(match.capacity)
    if config.corner.arrivals_per_s is None or most <= carried:
        return most
    today = replace(config, node=replace(config.node, counts=(config.count,)))

    def holds(load: float) -> bool:
        return _serving(case, today, load / config.corner.requests, kept, config.servers) is not None

    if holds(most):
        return most
    low, high = int(carried), int(most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(float(middle)) else (low, middle)
    return float(low)


def _months(full: float | None, today: float, yearly_percent: float | None) -> int | None:
    """Return for how many whole months a growing load is still carried.

    None: it is not known to grow, or it stays below for longer than anybody plans.
    """
    if full is None or not yearly_percent or today <= 0 or full < today:
        return None
    months = 12 * log(full / today)
    if months > MOST_MONTHS * log1p(yearly_percent / 100):
        return None
    return floor(months / log1p(yearly_percent / 100) + 1e-9)
