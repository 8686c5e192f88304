"""What a recommended configuration carries, and how long requests wait in it."""

import pytest

from recommender.adapters import load_specs
from recommender.answers import parse
from recommender.ranking import rank
from recommender.services import recommend
from recommender.sizing.service_loads import PeoplePattern, served_load
from recommender.sizing.serving_sizes import capacity_of

pytestmark = pytest.mark.usefixtures("catalog")

CHAT = {
    "stage": "inference",
    "model": "llama-3.1-8b",
    "input_tokens": 1500,
    "output_tokens": 400,
    "ttft_ms": 4000,
    "tpot_ms": 100,
}


def loads(**answers):
    case = recommend(parse(CHAT | answers)).case
    ranked = rank(case, load_specs().machines)
    found = [(match, served_load(case, match.config)) for match in ranked.matches]
    return case, [(match, load) for match, load in found if load is not None]


@pytest.mark.parametrize("availability", ["single", "n_plus_1"])
@pytest.mark.parametrize("load", [{"concurrency": 60}, {"requests_per_second": 6}])
def test_the_places_are_those_that_the_advice_counts(availability, load):
    case, found = loads(availability=availability, **load)
    assert found
    for match, load_ in found:
        assert match.capacity == capacity_of(case, match.config)
        counted = load_.one_lost if case.n_plus_1 else load_.normal
        assert counted.slots <= match.capacity < counted.slots + match.config.servers
        # What is asked is carried: also with the server lost that the advice allows for.
        if match.state == "fits":
            assert counted.utilization <= 1


def test_a_stated_number_at_once_waits_only_where_there_are_fewer_places():
    _case, found = loads(concurrency=60, availability="n_plus_1")
    for match, load in found:
        if match.state == "fits":
            assert load.normal.wait.p95_s == load.one_lost.wait.p95_s == 0
            assert load.requests == 60


def test_a_lost_server_makes_the_wait_longer_or_stops_the_service():
    _case, found = loads(requests_per_second=40)
    several = [load for match, load in found if match.config.servers > 1]
    assert several
    for load in several:
        lost = load.one_lost.wait
        assert lost is None or lost.mean_s >= load.normal.wait.mean_s
        assert load.one_lost.utilization > load.normal.utilization
    for match, load in found:
        assert (load.one_lost is None) == (match.config.servers == 1)


def test_littles_law_holds_between_rate_and_requests():
    _case, found = loads(requests_per_second=6)
    for _match, load in found:
        turn = load.loaded.ttft_s.typical + 400 * load.loaded.tpot_s.typical
        assert load.requests == pytest.approx(6 * turn)
        assert load.random_arrivals


def test_an_empty_service_is_never_slower_than_a_loaded_one():
    _case, found = loads(concurrency=60)
    for _match, load in found:
        for end in ("low", "typical", "high"):
            assert getattr(load.unloaded.tpot_s, end) <= getattr(load.loaded.tpot_s, end)
            assert getattr(load.loaded.tpot_s, end) <= getattr(load.full.tpot_s, end)


def test_people_are_those_whose_requests_a_server_finishes():
    case, found = loads(concurrency=60)
    pattern = PeoplePattern(active_percent=20, requests_per_minute=1.0, peak_factor=2.5)
    match, load = found[0]
    people = served_load(case, match.config, pattern).people_per_server
    assert people.low == pytest.approx(load.requests_per_s_per_server.low / (500 / 60) * 1000)
    assert load.people_per_server is None  # nobody said how people ask
    assert load.tokens_per_s_per_server.typical == pytest.approx(400 * load.requests_per_s_per_server.typical)


def test_what_makes_no_text_carries_no_requests():
    case = recommend(parse({"stage": "inference", "workload": "vision", "streams": 16})).case
    for match in rank(case, load_specs().machines).matches:
        assert served_load(case, match.config) is None
