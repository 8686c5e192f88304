"""What to measure before buying, from the reader's own unknowns and targets."""

import re

import pytest
from django.core.cache import cache
from django.utils.translation import override

from recommender.answers import parse
from recommender.measure import SUBJECTS, measuring_plan
from recommender.measure_texts import page
from recommender.services import holds, recommend, turning
from tests.recommender.advice import CHAT, KNOWN_CHAT

pytestmark = [pytest.mark.usefixtures("catalog"), pytest.mark.one_database]

WORK = [
    CHAT,
    KNOWN_CHAT,
    {"stage": "mixed", "model": "llama-3.1-8b"},
    {"stage": "training", "model": "llama-3.1-8b"},
    {"stage": "fine_tuning", "model": "llama-3.3-70b", "method": "qlora"},
    {"stage": "inference", "workload": "rag", "documents": 1000},
    {"stage": "inference", "workload": "vision"},
    {"stage": "inference", "workload": "speech"},
    {"stage": "inference", "workload": "image_generation"},
    {"stage": "inference", "workload": "embeddings"},
    {"stage": "inference", "model": "llama-3.3-70b", "power_kw": 0.1},  # nothing fits
    {},
]


def plan_of(turning=(), **answers):
    return measuring_plan(recommend(parse(answers)), turning)


def measure(plan, code):
    return next(item for item in plan.measures if item.code == code)


@pytest.mark.parametrize("answers", WORK)
def test_all_six_subjects_are_covered(answers):
    assert {item.subject for item in plan_of(**answers).measures} == set(SUBJECTS)


@pytest.mark.parametrize("answers", WORK)
def test_each_measure_has_its_words(answers):
    for item in page(recommend(parse(answers)))["measures"]:
        assert item["label"]
        assert "%(" not in item["how"]
        assert all("%(" not in limit["text"] for limit in item["limits"])


def test_the_load_is_the_one_that_the_servers_are_bought_for():
    """10 at the peak, twice as many after a year."""
    plan = plan_of(**CHAT, growth_percent=100, horizon_years=1)
    assert measure(plan, "response").steps == ((25, 5), (50, 10), (100, 20), (150, 30))


def test_the_load_is_a_quarter_to_one_and_a_half_of_the_peak():
    """Of 10 at the peak: 2.5, so 3, then 5, 10 and 15."""
    assert measure(plan_of(**CHAT), "response").steps == ((25, 3), (50, 5), (100, 10), (150, 15))


def test_of_a_range_the_harder_end_is_the_peak():
    assert measure(plan_of(**CHAT | {"concurrency": "10..40"}), "response").steps[2] == (100, 40)


def test_limits_are_the_targets_that_were_given_and_say_when_they_were_not():
    given = measure(plan_of(**CHAT, ttft_ms=1500), "response").limits
    assert [(limit.figure, limit.value, limit.origin) for limit in given] == [
        ("ttft", 1.5, "given"), ("tpot", 0.1, "default")
    ]  # fmt: skip


def test_what_is_open_comes_before_what_is_known_and_what_turns_the_advice_first():
    plan = plan_of(**KNOWN_CHAT, hypothesis=["tpot_ms"])
    codes = [item.code for item in plan.measures]
    assert codes[0] == "response"
    assert plan.measures[0].open_keys == ("tpot_ms",)
    places = [bool(item.open_keys) for item in plan.measures]
    assert places == sorted(places, reverse=True)
    turned = plan_of(("model",), **KNOWN_CHAT, hypothesis=["tpot_ms", "model"])
    assert [item.code for item in turned.measures[:2]] == ["quality", "response"]


def test_the_model_comes_first_where_everything_is_open():
    assert plan_of(stage="inference").measures[0].code == "quality"


def test_writing_a_checkpoint_may_take_a_twentieth_of_its_interval():
    """Every 40 minutes: 5 % are two minutes. 70.55 x 10^9 x 14 bytes at 2 GB/s are 494 s."""
    plan = plan_of(
        stage="fine_tuning", model="llama-3.3-70b", method="full", checkpoint_minutes=40, storage_gbs=2
    )
    item = measure(plan, "checkpoint_alone")
    assert item.limits[0].value == pytest.approx(120)
    assert next(found.value.typical for found in item.expected if found.figure == "write") == pytest.approx(
        494, rel=0.001
    )


def test_a_service_beside_training_is_tested_with_both():
    assert measure(plan_of(stage="mixed", model="llama-3.1-8b"), "beside").steps[0][0] == 100
    assert "beside" not in [item.code for item in plan_of(**CHAT).measures]


@pytest.mark.parametrize(
    "answers", [{"stage": "training", "model": "llama-3.1-8b"}, {"stage": "fine_tuning", "method": "lora"}]
)
def test_who_only_trains_is_not_asked_to_measure_a_service(answers):
    with override("en"):
        plan = page(recommend(parse(answers)))
    said = [
        f"{item['label']} {item['how']} {item['questions']}"
        for item in plan["measures"]
        if item["code"] != "no_service"  # says that nothing is served
    ]
    found = re.findall(r"request|service|served|prompt|answers|context|under load|kv_", " ".join(said))
    assert not found
    assert {item["code"] for item in plan["measures"]} >= {"quality_trained", "memory_training"}
    assert not plan["sample"]


def test_the_power_limit_of_the_site_is_accepted_at_the_feed():
    assert measure(plan_of(**CHAT, power_kw=3), "acceptance").limits[0].value == 3000


def test_the_set_is_of_the_readers_own_lengths():
    sample = plan_of(**CHAT).sample
    assert (sample.input_tokens, sample.output_tokens, sample.longest_tokens) == (1500, 400, 8192)
    assert not sample.searches
    assert plan_of(stage="inference", workload="rag").sample.searches
    assert plan_of(stage="training", model="llama-3.1-8b").sample is None


def test_a_guess_that_nothing_is_known_to_weigh_still_comes_before_what_is_known():
    plan = plan_of(**KNOWN_CHAT, storage_gbs=2, hypothesis=["storage_gbs"])
    assert (plan.measures[0].code, plan.measures[0].open_keys) == ("start", ("storage_gbs",))


def test_what_turns_the_advice_is_known_once_it_has_been_worked_out():
    result = recommend(parse(CHAT | {"hypothesis": "concurrency"}))
    cache.clear()
    assert turning(result) == ()
    found = holds(result)
    assert set(turning(result)) == {hold.key for hold in found if hold.nearest is not None}
    assert "concurrency" in turning(result)
    assert measuring_plan(result, turning(result)).measures[0].turns
