"""One server or several: capacity, what the jobs compete for, loss, growth, and what turns the verdict."""

import re
from dataclasses import replace
from functools import cache

import pytest
from django.utils.translation import override
from hypothesis import given, strategies as st

from recommender.answers import parse
from recommender.plan_lines import cycles_texts, growth_rows
from recommender.plans import Span, Terms
from recommender.plans.comparison import Plan, capacity_of
from recommender.plans.contention import checkpoint_bytes, contention, cycle_hours, training_rate
from recommender.plans.growth import serving_growth
from recommender.plans.verdict import decide
from recommender.services import recommend
from recommender.sizing.specs import Range
from tests.recommender.advice import CHAT, advice

pytestmark = [pytest.mark.usefixtures("catalog"), pytest.mark.one_database]

HOUR = 3600.0
BOTH = CHAT | {"stage": "mixed", "ttft_ms": 2000, "tpot_ms": 100}
LARGE = BOTH | {"model": "llama-3.3-70b", "concurrency": 20, "method": "qlora"}


def result_of(**answers):
    return recommend(parse(answers))


def with_hours(plans, low, typical, high):
    """Return the plans as if one experiment took that many hours, whatever the cards are."""

    def timed(match):
        trained = replace(match.config.trained, seconds=Range(low * HOUR, typical * HOUR, high * HOUR))
        return replace(match, config=replace(match.config, trained=trained))

    return {way: replace(plan, training=timed(plan.training)) for way, plan in plans.items()}


def way_for(result, plans, **terms):
    return decide(result.case, replace(result.plans.terms, **terms), plans).way


# Each way has its case


def advised(**answers):
    plans = advice(**answers)["plans"]
    return [way for way, plan in plans.items() if plan["advised"]]


def test_two_cards_in_one_server_are_advised_where_they_are_enough():
    assert advised(**BOTH) == ["shared"]


def test_one_after_the_other_is_advised_where_the_same_cards_do_both():
    """70B takes two large cards to serve and two to adapt: at night the same two do."""
    assert advised(**LARGE) == ["scheduled"]


@pytest.mark.parametrize(
    "condition",
    [
        {"isolation": "yes"},
        {"one_node": "separate"},
        {"on_node_loss": "slow"},
        {"maintenance_hours": 0},
        {"experiments_per_month": 2000},
    ],
)
def test_a_server_for_each_is_advised_where_a_condition_asks_for_it(condition):
    assert advised(**BOTH | condition) == ["separate"]


def test_what_was_asked_for_is_advised():
    assert advised(**LARGE, one_node="yes") == ["shared"]
    assert advised(**BOTH, one_node="by_schedule") == ["scheduled"]


@pytest.mark.parametrize("condition", [{"queue_ok": "no"}, {"availability": "n_plus_1"}])
def test_a_service_that_must_not_stop_is_not_stopped_for_experiments(condition):
    plans = advice(**LARGE | condition)["plans"]
    assert not plans["scheduled"]["advised"]
    assert plans["scheduled"]["against"]


def test_a_pilot_may_share():
    plans = advice(**LARGE | {"stage": ["development", "fine_tuning"]})["plans"]
    assert plans["scheduled"]["advised"]
    assert "pilot" in plans["scheduled"]["verdict"]["reasons"][0]


def test_limits_of_the_site_hold_for_all_servers_together():
    """Each of the two servers fits into 3U alone, both do not."""
    plans = advice(**BOTH, isolation="yes", rack_units=3)["plans"]
    assert plans["separate"]["rack_units"] == 4
    assert any("3U" in text for text in plans["separate"]["against"])


# Figures, by hand


@pytest.mark.parametrize(("way", "expected"), [("shared", (182, 365, 730)), ("scheduled", (60, 121, 243))])
def test_experiments_a_month_follow_from_the_hours(way, expected):
    """8 h a night are 8 x 365 / 12 = 243.3 h a month, of 730 h; one takes 4, usually 2, at least 1 h."""
    result = result_of(**BOTH)
    plan = with_hours(result.plans.ways, 1, 2, 4)[way]
    found = capacity_of(result.case, result.plans.terms, way, plan.serving, plan.training, 1)
    assert found.experiments == expected


def test_the_verdict_turns_where_the_nights_are_full():
    """243.3 h / 4 h = 60.8: 60 experiments fit into the nights, 61 do not; 730 h / 4 h = 182.5."""
    result = result_of(**LARGE)
    plans = with_hours(result.plans.ways, 1, 2, 4)
    verdict = decide(result.case, result.plans.terms, plans)
    flip = next(flip for flip in verdict.flips if flip.key == "experiments_per_month")
    assert (verdict.way, flip.value, flip.side, flip.way) == ("scheduled", 60, "above", "shared")
    assert way_for(result, plans, experiments=Span(60, 60)) == "scheduled"
    assert way_for(result, plans, experiments=Span(61, 61)) == "shared"
    assert way_for(result, plans, experiments=Span(182, 182)) == "shared"
    assert way_for(result, plans, experiments=Span(183, 183)) == "separate"


def test_maintenance_takes_from_the_nights():
    """60 experiments of up to 4 h take 240 h: 3 of the 243.3 h of the nights may go, 4 may not."""
    result = result_of(**LARGE, experiments_per_month=60)
    plans = with_hours(result.plans.ways, 1, 2, 4)
    assert way_for(result, plans, maintenance_h=Span(3, 3)) == "scheduled"
    assert way_for(result, plans, maintenance_h=Span(4, 4)) == "shared"


@given(trials=st.integers(0, 400))
def test_every_flip_is_exact(trials):
    result, plans = flipping()
    terms = replace(result.plans.terms, experiments=Span(trials, trials))
    verdict = decide(result.case, terms, plans)
    for flip in verdict.flips:
        if flip.key != "experiments_per_month":
            continue
        beyond = flip.value + (1 if flip.side == "above" else -1)
        assert way_for(result, plans, experiments=Span(flip.value, flip.value)) == verdict.way
        assert way_for(result, plans, experiments=Span(beyond, beyond)) == flip.way != verdict.way


@cache
def flipping():
    result = result_of(**LARGE)
    return result, with_hours(result.plans.ways, 1, 2, 4)


def test_a_full_checkpoint_of_70b_is_988_gb():
    """70.55 x 10^9 parameters x 14 bytes: weights in 16 bits, master weights and two states of AdamW."""
    result = result_of(stage="fine_tuning", model="llama-3.3-70b", method="full", gpu_vendor="nvidia")
    size = checkpoint_bytes(result.case, result.ranking.matches[0])
    assert size == pytest.approx(987.7e9, rel=0.001)


def test_disks_read_the_data_of_a_cycle_and_write_checkpoints():
    """10^7 tokens x 3 passes x 4 bytes = 120 MB in 2 h, and a checkpoint every half hour."""
    result = result_of(**BOTH, dataset_tokens=10_000_000, epochs=3, checkpoint_minutes=30, storage_gbs=2)
    plan = with_hours(result.plans.ways, 1, 2, 4)["shared"]
    rate = training_rate(result.case, result.plans.terms, plan.training)
    written = checkpoint_bytes(result.case, plan.training) / 1800
    assert rate.typical == pytest.approx(120e6 / 7200 + written)
    assert rate.high == pytest.approx(120e6 / 3600 + written)
    rows = contention(result.case, result.plans.terms, "shared", plan.serving, plan.training, 1)
    disks = next(row for row in rows if row.resource == "disks").shares[0]
    assert (disks.need, disks.have) == (rate, 2e9)


def test_an_experiment_waits_for_its_checkpoints_as_in_the_month_of_the_results():
    """8.03 x 10^9 parameters x 14 bytes at 0.1 GB/s: 1124 s, every half hour: 1.625 times as long."""
    asked = BOTH | {"method": "full", "checkpoint_minutes": 30}
    bare, slow = result_of(**asked), result_of(**asked, storage_gbs=0.1)
    match = bare.plans.ways["separate"].training
    without = cycle_hours(bare.case, bare.plans.terms, match)
    waiting = cycle_hours(slow.case, slow.plans.terms, match)
    assert without == match.config.trained.seconds.scaled(1 / 3600)
    assert waiting.typical / without.typical == pytest.approx(1 + 1124.2 / 1800, rel=1e-4)
    plan = slow.plans.ways["separate"]
    assert plan.capacity.hours == cycle_hours(slow.case, slow.plans.terms, plan.training)
    adapters = result_of(**BOTH, storage_gbs=0.1)
    terms = adapters.plans.terms
    match = adapters.plans.ways["separate"].training
    assert cycle_hours(adapters.case, terms, match) == match.config.trained.seconds.scaled(1 / 3600)


def test_streamed_tokens_take_250_bytes_each_on_the_network():
    """1000 tokens/s x 250 bytes x 8 = 2 Mbit/s."""
    result = result_of(**BOTH)
    plan = result.plans.ways["shared"]
    serving = replace(plan.serving, config=replace(plan.serving.config, work=Range.exact(1000.0)))
    rows = contention(result.case, result.plans.terms, "shared", serving, plan.training, 1)
    network = next(row for row in rows if row.resource == "network").shares[0]
    assert (network.need.typical, network.have) == (2e6, None)


def test_memory_of_both_jobs_is_held_against_one_card():
    plans = advice(**LARGE)["plans"]
    for way in ("shared", "scheduled"):
        rows = plans[way]["contention"]
        assert [row["resource"] for row in rows] == ["memory", "compute", "disks", "network"]
        memory = rows[0]
        assert [share["job"] for share in memory["shares"]] == ["serving", "training"]
        assert all(share["need"][2] <= share["have"] for share in memory["shares"])


def test_what_nobody_said_about_disks_and_network_stays_unknown():
    rows = advice(**BOTH)["plans"]["shared"]["contention"]
    assert all(share["have"] is None for row in rows[2:] for share in row["shares"])


# Loss


def test_one_server_lost_stops_a_single_one_and_is_carried_by_a_second():
    plans = advice(**BOTH)["plans"]
    assert plans["shared"]["loss"]["one_lost"] == 0
    assert plans["separate"]["loss"]["stands_in"]
    spare = advice(**BOTH, availability="n_plus_1")["plans"]["shared"]["loss"]
    assert spare["servers"] == 2
    assert spare["one_lost"] == spare["all"] / 2 >= BOTH["concurrency"]


# Growth


def test_the_steps_without_a_given_growth_are_today_half_more_and_twice():
    steps = advice(**BOTH)["plans"]["separate"]["growth"]["steps"]
    assert [(step["percent"], step["months"], step["load"]) for step in steps] == [
        (0, None, 10), (50, None, 15), (100, None, 20)
    ]  # fmt: skip


def test_growth_is_counted_by_the_year():
    """10 requests, 50 % a year: 15 after one, 22.5, so 23, after two."""
    steps = advice(**BOTH, growth_percent=50)["plans"]["separate"]["growth"]["steps"]
    assert [(step["months"], step["load"]) for step in steps] == [(0, 10), (12, 15), (24, 23)]


def test_sized_for_a_horizon_today_is_less():
    """Growth of 100 % for two years sizes for 40 of 10; today's step is 10 again."""
    steps = advice(**BOTH, growth_percent=100, horizon_years=2)["plans"]["separate"]["growth"]["steps"]
    assert [step["load"] for step in steps] == [10, 20, 40]


PEOPLE = {
    "stage": "inference", "workload": "rag", "model": "llama-3.1-8b", "users": 1000, "active_percent": 20,
    "requests_per_user_minute": 1, "peak_factor": 2.5, "ttft_ms": 2400, "tpot_ms": 30, "output_tokens": 520,
}  # fmt: skip


def test_todays_step_is_not_rounded_up_twice():
    """1,000 people are 150 requests at once; half more 225, and 337.5, so 338, after two years."""
    steps = result_of(**PEOPLE, growth_percent=50, horizon_years=2).plans.scale.growth.steps
    assert [step.load for step in steps] == [150, 225, 338]


@pytest.mark.parametrize("growth", [{}, {"growth_percent": 50, "horizon_years": 2}])
def test_one_more_server_is_for_as_many_people_as_send_its_requests_today(growth):
    """150 requests at once are 1,000 people: 6.67 people each, however the load was sized."""
    result = result_of(**PEOPLE, **growth)
    scale = replace(result.plans.scale.growth, each_server=300.0)
    with override("en"):
        said = growth_rows(result, scale)["due"][-1]
        assert "300 requests at once within the targets, that is about 2,000 more" in said


def test_a_limit_below_todays_load_is_no_date_for_the_next_server():
    """What fits at the favourable end only carries less than today's load at the other."""
    result = result_of(**PEOPLE)
    scale = replace(result.plans.scale.growth, full_at=18.0, server_full_at=18.0, each_server=None)
    assert growth_rows(result, scale)["due"] == []


def test_the_month_in_which_a_server_is_full_follows_from_the_growth():
    """Of 22 that it carries, 10 are there: 12 x ln 2.2 / ln 1.6 = 20.1 months at 60 % a year."""
    result = result_of(**BOTH)
    match = replace(result.plans.ways["separate"].serving, capacity=22)
    growth = serving_growth(result.case, replace(result.plans.terms, growth_percent=Span(60, 60)), match)
    assert (growth.full_at, growth.full_in_months) == (22, 20)


def test_each_step_is_carried_by_what_it_takes():
    """The servers of a step times what one carries are enough for its load, and one fewer are not."""
    result = result_of(**CHAT | {"concurrency": 300, "ttft_ms": 2000, "tpot_ms": 60}, growth_percent=200)
    growth = result.plans.scale.growth
    assert growth.steps[-1].servers > growth.steps[0].servers
    for step in growth.steps:
        assert step.servers * growth.each_server >= step.load
        if step.servers > 1:
            assert (step.servers - 1) * growth.each_server < step.load


@given(percents=st.lists(st.floats(0, 900), min_size=2, max_size=2).map(sorted))
def test_more_growth_never_needs_fewer_servers(percents):
    result, match = growing()
    slow, fast = (
        serving_growth(result.case, replace(result.plans.terms, growth_percent=Span(rate, rate)), match)
        for rate in percents
    )
    for less, more in zip(slow.steps, fast.steps, strict=True):
        assert (less.servers or 99) <= (more.servers or 99)
    for growth in (slow, fast):
        servers = [step.servers or 99 for step in growth.steps]
        assert servers == sorted(servers)


@cache
def growing():
    result = result_of(**CHAT | {"concurrency": 120, "ttft_ms": 2000, "tpot_ms": 60})
    return result, result.ranking.matches[0]


def test_a_load_known_as_a_rate_is_full_where_the_rate_is():
    """What runs at once may be more than what arrives can be kept up with."""
    result = result_of(
        stage="inference", model="llama-3.1-8b", requests_per_second=4, ttft_ms=2000, tpot_ms=60
    )
    growth = result.plans.scale.growth
    assert growth.steps[0].load <= growth.full_at <= result.ranking.matches[0].capacity


def test_training_grows_with_its_data():
    result = result_of(stage="training", model="llama-3.1-8b")
    steps = result.plans.scale.growth.steps
    assert steps[2].load == 2 * steps[0].load
    assert steps[2].hours.typical == pytest.approx(2 * steps[0].hours.typical, rel=0.02)


# A search in documents


def test_the_index_of_a_search_lies_in_host_memory():
    """10^5 documents x 10 pages x 2 chunks x (1024 x 4 + 16 x 16) bytes x 1.2 = 10.4 GB."""
    result = result_of(stage="inference", workload="rag", documents=100_000)
    index = next(item for item in result.plans.components if item.code == "index")
    assert index.host_bytes.typical == pytest.approx(2e6 * 4352 * 1.2)
    assert index.gpu_bytes is None
    assert [item.code for item in result.plans.components] == [
        "model", "embedder", "reranker", "index", "reader"
    ]  # fmt: skip


def test_the_parts_of_a_search_are_those_that_were_named():
    result = result_of(stage="inference", workload="rag", components=["embedder", "guardrails"])
    assert [item.code for item in result.plans.components] == ["model", "embedder", "guardrails"]
    assert result_of(**CHAT).plans.components == ()


@pytest.mark.parametrize(("answer", "place"), [("yes", "own_server"), ("no", "host"), (None, "host_or_own")])
def test_the_index_stands_where_it_was_asked_for(answer, place):
    result = result_of(stage="inference", workload="rag", separate_index=answer)
    assert next(item.place for item in result.plans.components if item.code == "index") == place


# What others read


def test_the_agreed_members_stay():
    for plan in advice(**BOTH)["plans"].values():
        assert {"serving", "training", "text"} <= set(plan)
        assert {"server", "gpu", "gpus_per_server", "servers", "state", "rack_units", "power_w"} <= set(
            plan["serving"]
        )


@pytest.mark.parametrize("language", ["es", "ru", "en"])
def test_language_changes_texts_only(language):
    here, english = (advice(language, **LARGE)["plans"] for language in (language, "en"))

    def figures(plans):
        return [
            (way, plan["advised"], plan["capacity"], plan["contention"], plan["growth"], plan["loss"])
            for way, plan in plans.items()
        ]

    assert figures(here) == figures(english)


def test_a_way_that_no_server_does_says_so():
    result = result_of(**BOTH)
    empty = {way: Plan(way, None, None) for way in result.plans.ways}
    verdict = decide(result.case, Terms(), empty)
    assert verdict.way is None
    assert all(verdict.against.values())


def test_nothing_to_compare_where_nothing_fits():
    result = result_of(**BOTH, power_kw=0.1)
    assert result.plans.verdict.way is None
    assert not any(plan.works for plan in result.plans.ways.values())


def test_a_month_has_room_for_so_many_training_cycles():
    """730 h less 30 of maintenance are 700 h; a cycle of 4 to 8 h goes into that 87 to 175 times."""
    result = result_of(
        stage="fine_tuning", model="llama-3.1-8b", experiments_per_month=40, maintenance_hours=30
    )
    match = result.plans.scale.match
    trained = replace(match.config.trained, seconds=Range(4 * HOUR, 6 * HOUR, 8 * HOUR))
    scale = replace(result.plans.scale, match=replace(match, config=replace(match.config, trained=trained)))
    with override("en"):
        (text,) = cycles_texts(result, scale)
    assert re.search(r"700.*87 to 175.*40", text)
