"""What a configuration carries of a language model's service, and how long requests wait in it."""

from dataclasses import dataclass

from recommender.sizing import queueing
from recommender.sizing.configurations import Config
from recommender.sizing.demand import Case
from recommender.sizing.latency import Serving
from recommender.sizing.queueing import Wait
from recommender.sizing.serving_sizes import capacity_of, prepared_replica
from recommender.sizing.specs import Range


@dataclass(frozen=True, slots=True)
class PeoplePattern:
    """How people ask, as in the answers of the same names."""

    active_percent: float
    requests_per_minute: float
    peak_factor: float


@dataclass(frozen=True, slots=True)
class Carried:
    """The service with some of its servers at work.

    Attributes:
        servers: at work [count].
        slots: requests that run at once within the targets given, at the low end [count].
        requests_per_s: that it finishes when all slots are busy, from the unfavourable end to the favourable.
        utilization: busy share at the stated peak, at the unfavourable end; above 1: the queue grows.
        wait: before a request starts at the stated peak, at the unfavourable end; None: without end.
    """

    servers: int
    slots: int
    requests_per_s: Range
    utilization: float
    wait: Wait | None


@dataclass(frozen=True, slots=True)
class ServedLoad:
    """What a configuration carries, unloaded and at the stated load.

    Attributes:
        requests: in the system at the stated peak [count].
        arrivals_per_s: at the stated peak; by Little's law where only simultaneous requests are stated.
        random_arrivals: a rate is stated, so requests come as they like; else never more than `requests`.
        unloaded: times of a request that is alone in its replica.
        loaded: times at the stated load.
        full: times with all slots busy.
        normal: with all servers.
        one_lost: with one server lost; None: there is only one, and the service stops.
        requests_per_s_per_server, tokens_per_s_per_server: with all slots busy.
        people_per_server: for whom a server is enough; None: nothing is known of how people ask.
    """

    requests: float
    arrivals_per_s: float
    random_arrivals: bool
    unloaded: Serving
    loaded: Serving
    full: Serving
    normal: Carried
    one_lost: Carried | None
    requests_per_s_per_server: Range
    tokens_per_s_per_server: Range
    people_per_server: Range | None


def served_load(case: Case, config: Config, pattern: PeoplePattern | None = None) -> ServedLoad | None:
    """Return what a configuration carries; None: no text is made, or its speed or capacity is not known.

    The slots never contradict `capacity_of`: they are those of the servers at work that it counts.
    """
    capacity = capacity_of(case, config)
    if not capacity or config.served is None:
        return None
    working = config.servers - (1 if case.n_plus_1 else 0)
    per_server = capacity // working
    replicas = config.layout.replicas // config.servers
    corner = config.corner
    prepared = prepared_replica(case, config)
    if prepared is None or not replicas or per_server < replicas:
        return None
    full = prepared.serving(per_server // replicas)
    turn = turn_of(full, corner.output_tokens)
    finished = Range(per_server / turn.high, per_server / turn.typical, per_server / turn.low)
    stated = corner.arrivals_per_s
    loaded = turn_of(config.served, corner.output_tokens)
    arrivals = corner.requests / loaded.typical if stated is None else stated

    def carried(servers: int) -> Carried:
        slots = per_server * servers
        if stated is not None:
            busy = queueing.utilization(arrivals, turn.high, slots)
            found = queueing.wait(arrivals, turn.high, slots)
        else:
            # Never more than the stated requests: those beyond the slots wait until places get free.
            busy = corner.requests / slots
            last = queueing.drain_s(corner.requests, turn.high, slots)
            found = Wait(last / 2 * max(0.0, 1 - 1 / busy), last)
        return Carried(servers, slots, finished.scaled(servers), busy, found)

    people = None
    if pattern is not None:
        ends = [
            queueing.people(rate, pattern.active_percent, pattern.requests_per_minute, pattern.peak_factor)
            for rate in (finished.low, finished.typical, finished.high)
        ]
        known = [end for end in ends if end is not None]
        people = Range(*known) if len(known) == len(ends) else None
    return ServedLoad(
        requests=corner.requests if stated is None else queueing.in_flight(arrivals, loaded.typical),
        arrivals_per_s=arrivals,
        random_arrivals=stated is not None,
        unloaded=prepared.serving(1),
        loaded=config.served,
        full=full,
        normal=carried(config.servers),
        one_lost=carried(config.servers - 1) if config.servers > 1 else None,
        requests_per_s_per_server=finished,
        tokens_per_s_per_server=finished.scaled(corner.output_tokens),
        people_per_server=people,
    )


def turn_of(served: Serving, output_tokens: float) -> Range:
    """Return the time of a whole request, from its start to its last token [s]."""
    ttft, tpot = served.ttft_s, served.tpot_s
    return Range(
        ttft.low + output_tokens * tpot.low,
        ttft.typical + output_tokens * tpot.typical,
        ttft.high + output_tokens * tpot.high,
    )
