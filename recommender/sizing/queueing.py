"""Rates, requests in flight, utilization and waits of a service: what follows from queueing theory alone.

Little's law (Little, 1961, doi:10.1287/opre.9.3.383) holds for every queue. Waits are those of a queue with
random arrivals and random service times before `slots` places that all work at the same pace (M/M/c), by
Sakasegawa's closed formula (1977, doi:10.1007/BF02532776), which is exact for a single place: a wait of four
times the service time at 80 % utilization, of 19 times at 95 %.
"""

from dataclasses import dataclass
from math import log, sqrt

from recommender.sizing.specs import SizingError

LATE = 0.05  # the share of requests that wait longer than the 95th percentile


@dataclass(frozen=True, slots=True)
class Wait:
    """How long requests wait before they start [s]."""

    mean_s: float
    p95_s: float


def requests_per_s(
    people: float, active_percent: float, requests_per_minute: float, peak_factor: float = 1.0
) -> float:
    """Return the requests a second of so many people, at the peak where a factor is given [1/s].

    Raises:
        SizingError: a negative number.
    """
    _refuse_negative(people, active_percent, requests_per_minute, peak_factor)
    return people * active_percent / 100 * requests_per_minute * peak_factor / 60


def people(
    rate_per_s: float, active_percent: float, requests_per_minute: float, peak_factor: float = 1.0
) -> float | None:
    """Return for how many people a rate is enough, the inverse of `requests_per_s`; None: they ask nothing.

    Raises:
        SizingError: a negative number.
    """
    _refuse_negative(rate_per_s, active_percent, requests_per_minute, peak_factor)
    each = requests_per_s(1.0, active_percent, requests_per_minute, peak_factor)
    return rate_per_s / each if each else None


def in_flight(rate_per_s: float, seconds: float) -> float:
    """Return the requests that are in the system on average: Little's law [count].

    Raises:
        SizingError: a negative number.
    """
    _refuse_negative(rate_per_s, seconds)
    return rate_per_s * seconds


def utilization(rate_per_s: float, service_s: float, slots: int) -> float:
    """Return the share of the places that are busy; at 1 and above the queue grows without end.

    Raises:
        SizingError: a negative number, or no place.
    """
    _refuse_negative(rate_per_s, service_s)
    if slots < 1:
        raise SizingError(f"no queue before {slots} places")
    return rate_per_s * service_s / slots


def wait(rate_per_s: float, service_s: float, slots: int) -> Wait | None:
    """Return how long requests wait for one of `slots` places; None: the queue grows without end.

    The share of requests that wait at all follows from the mean; those that wait do so exponentially.

    Raises:
        SizingError: a negative number, or no place.
    """
    busy = utilization(rate_per_s, service_s, slots)
    if busy >= 1:
        return None
    if not busy:
        return Wait(0.0, 0.0)
    those_who_wait = service_s / (slots * (1 - busy))  # mean wait of those that wait at all
    share = busy ** (sqrt(2 * (slots + 1)) - 1)
    return Wait(share * those_who_wait, max(0.0, log(share / LATE)) * those_who_wait)


def drain_s(requests: float, service_s: float, slots: int) -> float:
    """Return how long the last of so many requests that come at once waits to start [s].

    Raises:
        SizingError: a negative number, or no place.
    """
    _refuse_negative(requests, service_s)
    if slots < 1:
        raise SizingError(f"no queue before {slots} places")
    return max(0.0, requests - slots) / slots * service_s


def _refuse_negative(*values: float) -> None:
    if min(values) < 0:
        raise SizingError(f"no load with a negative number: {values}")
