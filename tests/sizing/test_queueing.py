"""Rates, requests in flight and waits, against queueing theory."""

from math import exp, factorial

import pytest

from recommender.sizing import queueing
from recommender.sizing.specs import SizingError


def test_a_thousand_people_and_what_is_in_flight():
    rate = queueing.requests_per_s(1000, 20, 1.0, 2.5)
    assert rate == pytest.approx(8.33, abs=0.005)
    assert queueing.in_flight(rate, 18) == pytest.approx(150)


def test_people_are_the_inverse_of_the_rate():
    assert queueing.people(500 / 60, 20, 1.0, 2.5) == pytest.approx(1000)
    assert queueing.people(1.0, 0, 1.0) is None


@pytest.mark.parametrize(("busy", "times"), [(0.5, 1), (0.8, 4), (0.95, 19)])
def test_one_place_waits_as_the_single_queue_says(busy, times):
    found = queueing.wait(busy / 3.0, 3.0, 1)
    assert found.mean_s == pytest.approx(times * 3.0)


def erlang_c(slots, offered):
    """Return the share that waits, by its definition (Erlang, 1917)."""
    last = offered**slots / factorial(slots) * slots / (slots - offered)
    return last / (sum(offered**count / factorial(count) for count in range(slots)) + last)


@pytest.mark.parametrize("slots", [2, 5, 20, 100])
@pytest.mark.parametrize("busy", [0.6, 0.8, 0.95])
def test_many_places_wait_nearly_as_long_as_erlang_says(slots, busy):
    exact = erlang_c(slots, busy * slots) / (slots * (1 - busy))
    found = queueing.wait(busy * slots, 1.0, slots)
    assert found.mean_s == pytest.approx(exact, rel=0.35, abs=0.005)  # of the service time


def test_one_in_twenty_waits_longer_than_the_95th_percentile():
    found = queueing.wait(0.8, 1.0, 1)
    assert 0.8 * exp(-found.p95_s * 0.2) == pytest.approx(0.05)


def test_more_places_or_less_load_never_wait_longer():
    waits = [queueing.wait(0.9 * slots, 1.0, slots).mean_s for slots in (1, 2, 8, 64, 512)]
    assert waits == sorted(waits, reverse=True)
    waits = [queueing.wait(rate, 2.0, 4).mean_s for rate in (0.1, 0.5, 1.0, 1.9)]
    assert waits == sorted(waits)


def test_at_and_beyond_full_use_the_queue_has_no_end():
    assert queueing.wait(2.0, 2.0, 4) is None
    assert queueing.wait(5.0, 2.0, 4) is None
    assert queueing.wait(0.0, 2.0, 4) == queueing.Wait(0.0, 0.0)


def test_those_who_come_at_once_wait_for_the_places_of_others():
    assert queueing.drain_s(100, 10.0, 100) == 0
    assert queueing.drain_s(150, 10.0, 100) == pytest.approx(5)


def test_what_makes_no_load_is_refused():
    for wrong in (
        lambda: queueing.requests_per_s(-1, 20, 1),
        lambda: queueing.in_flight(1, -1),
        lambda: queueing.wait(1, 1, 0),
        lambda: queueing.drain_s(1, 1, 0),
    ):
        with pytest.raises(SizingError):
            wrong()
