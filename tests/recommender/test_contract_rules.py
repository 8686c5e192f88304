"""What saved links, other programs and readers rely on, rule by rule, on the real catalog."""

import json
from decimal import Decimal
from math import ceil

import pytest

from recommender.answers import parse
from recommender.services import BadAnswers, recommend
from recommender.sizing.specs import GIB
from tests.recommender.advice import (
    CHAT,
    KNOWN_CHAT,
    advice,
    assumption,
    bad_keys,
    codes_of,
    match_of,
    servers,
)

pytestmark = [pytest.mark.usefixtures("catalog"), pytest.mark.one_database]

COUNTS = {1, 2, 3, 4, 5, 6, 7, 8, 10}  # powers of two, and the largest numbers of some servers


# The load


def test_simultaneous_requests_follow_from_the_rate_and_the_targets():
    result = advice(**CHAT | {"concurrency": None}, requests_per_second=2, ttft_ms=1000, tpot_ms=50)
    assert assumption(result, "concurrency")["value"] == 42  # 2/s x (1 s + 400 x 0.05 s)


def test_people_stand_in_for_the_rate():
    result = advice(
        stage="inference", workload="rag", model="llama-3.1-8b", users=1000, active_percent=20,
        requests_per_user_minute=1, peak_factor=2.5, ttft_ms=2400, tpot_ms=30, output_tokens=520,
    )  # fmt: skip
    assert assumption(result, "requests_per_second")["value"] == pytest.approx(8.333, abs=0.001)
    assert assumption(result, "concurrency")["value"] == 150  # 8.33/s x 18 s


def test_growth_changes_what_is_sized_and_not_the_formula_of_the_load():
    """8.33/s x 18 s = 150 today; 150 x 1.5 x 1.5 = 337.5 after two years of 50 %."""
    result = advice(
        stage="inference", workload="rag", model="llama-3.1-8b", users=1000, active_percent=20,
        requests_per_user_minute=1, peak_factor=2.5, ttft_ms=2400, tpot_ms=30, output_tokens=520,
        growth_percent=50, horizon_years=2,
    )  # fmt: skip
    assert assumption(result, "concurrency")["value"] == 150
    carried = [match["max_concurrency"] for match in result["matches"] if match["state"] == "fits"]
    assert carried
    assert min(carried) >= 338


@pytest.mark.parametrize("direct", [{"concurrency": 3}, {"requests_per_second": 1}])
def test_people_do_not_count_where_the_load_is_known(direct):
    load = CHAT | {"concurrency": None} | direct
    with_people, without = advice(**load, users=100_000), advice(**load)
    assert with_people["matches"] == without["matches"]
    assert any("users" in notice for notice in with_people["notices"])


def test_without_a_longest_context_the_cache_holds_prompt_and_answer():
    result = advice(**CHAT | {"context_tokens": None})
    assert assumption(result, "context_tokens") | {"why": ""} == {
        "key": "context_tokens", "value": 1900, "unit": "tokens", "origin": "default", "why": "",
    }  # fmt: skip


def test_cache_is_what_the_requests_take_and_not_what_is_left():
    match = match_of(advice(**CHAT, kv_precision="bf16"), "thinksystem-sr650-v3", "nvidia-l40s")
    cache = match["memory_gib_per_gpu"]["kv_cache"] * match["replicas"]
    assert cache == pytest.approx(10, abs=0.5)  # 10 x 8192 x 131,072 bytes


def test_fp8_halves_the_cache():
    wide = advice(**CHAT, kv_precision="bf16")["matches"][0]
    narrow = advice(**CHAT, kv_precision="fp8")["matches"][0]
    assert narrow["memory_gib_per_gpu"]["kv_cache"] == pytest.approx(
        wide["memory_gib_per_gpu"]["kv_cache"] / 2, rel=0.01
    )


def test_growth_needs_both_answers_and_sizes_for_the_end():
    alone = advice(**CHAT, growth_percent=100)
    both = advice(**CHAT, growth_percent=100, horizon_years=3)
    eightfold = advice(**CHAT | {"concurrency": 80})
    assert alone["matches"] == advice(**CHAT)["matches"]
    figures = [(m["server"], m["gpu"], m["gpus_per_server"], m["servers"]) for m in both["matches"]]
    assert figures == [
        (m["server"], m["gpu"], m["gpus_per_server"], m["servers"]) for m in eightfold["matches"]
    ]


def test_waiting_lets_fewer_requests_run_at_once():
    hurried = match_of(advice(**KNOWN_CHAT), "thinksystem-sr650-v3", "nvidia-l40s")
    patient = match_of(
        advice(**KNOWN_CHAT, queue_ok="yes", queue_seconds=42), "thinksystem-sr650-v3", "nvidia-l40s"
    )
    # 42 s in the system and 42 s of patience: half of the requests run.
    assert patient["memory_gib_per_gpu"]["kv_cache"] == pytest.approx(
        hurried["memory_gib_per_gpu"]["kv_cache"] / 2, rel=0.05
    )


def test_waiting_never_drops_below_the_normal_load():
    load = KNOWN_CHAT | {"queue_ok": "yes", "queue_seconds": 4200}
    free = advice(**load)["matches"][0]["memory_gib_per_gpu"]["kv_cache"]
    normal = advice(**load, normal_concurrency=10)["matches"][0]["memory_gib_per_gpu"]["kv_cache"]
    assert normal > 5 * free


def test_with_one_server_lost_the_rest_carries_the_load():
    result = advice(**CHAT, availability="n_plus_1")
    for match in result["matches"]:
        assert match["servers"] >= 2
        if match["state"] == "fits":
            assert match["max_concurrency"] >= 10
            per_server = match["replicas"] // match["servers"]
            assert per_server * match["servers"] == match["replicas"]


# Bad answers


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("concurrency", "many"),
        ("concurrency", 0),
        ("concurrency", -1),
        ("concurrency", "20..10"),
        ("concurrency", [1, 2]),
        ("concurrency", {"a": 1}),
        ("context_tokens", 131_073),
        ("model", "gpt-9"),
        ("precision", "fp6"),
        ("prefix_percent", 101),
        ("power_kw", float("nan")),
        ("power_kw", float("inf")),
        ("cpu_vendor", "acme"),
        ("workload", "poetry"),
        ("hypothesis", ["nonsense"]),
        ("stage", "inferencia"),
        ("must", "beauty"),
    ],
)
def test_a_bad_answer_is_named(key, value):
    assert bad_keys(**CHAT | {key: value}) == [key]


def test_every_bad_answer_gets_its_own_message():
    assert bad_keys(concurrency="many", power_kw=-1, site="moon") == ["concurrency", "site", "power_kw"]


@pytest.mark.parametrize("lengths", [{"input_tokens": 200_000}, {"input_tokens": 131_000}])
def test_a_request_longer_than_the_model_can_take_is_a_bad_answer(lengths):
    assert bad_keys(**CHAT | lengths) == ["input_tokens"]


def test_a_context_that_is_too_long_names_both_lengths():
    with pytest.raises(BadAnswers) as caught:
        advice(**CHAT | {"context_tokens": 200_000})
    text = caught.value.problems[0].text
    assert "200" in text
    assert "131" in text


@pytest.mark.parametrize("context", [65_536, 200_000, 9_000_000])
def test_a_model_that_stands_in_takes_the_context_that_was_given(context):
    result = advice(stage="inference", context_tokens=context)
    assert assumption(result, "model")["origin"] == "default"
    assert result["matches"]


def test_unknown_and_unused_keys_are_said_and_change_nothing():
    plain, more = advice(**CHAT), advice(**CHAT, colour="red", budget=1000)
    assert more["matches"] == plain["matches"]
    assert any("colour" in notice for notice in more["notices"])
    assert any("budget" in notice for notice in more["notices"])


def test_answers_without_a_value_are_not_known_yet():
    assert advice(**CHAT, ttft_ms=None, site="")["matches"] == advice(**CHAT)["matches"]


# States


def test_what_holds_at_the_harder_end_of_a_range_fits():
    many = advice(**CHAT | {"concurrency": 40})
    between = advice(**CHAT | {"concurrency": "2..40"})
    assert [m["server"] for m in many["matches"] if m["state"] == "fits"] == [
        m["server"] for m in between["matches"] if m["state"] == "fits"
    ]


def test_what_only_holds_at_the_easier_end_fits_if():
    result = advice(**CHAT, rack_units="1..2")
    assert match_of(result, "thinksystem-sr650-v3", "nvidia-l40s")["state"] == "fits_if"
    assert codes_of(result, "thinksystem-sr675-v3") == {"rack_units"}


def test_what_fits_stands_before_what_fits_if():
    states = [match["state"] for match in advice(**CHAT, ttft_ms=600, tpot_ms=25)["matches"]]
    assert states == sorted(states, key=["fits", "fits_if"].index)
    assert set(states) == {"fits", "fits_if"}


def test_targets_hold_where_it_fits_and_may_hold_where_it_fits_if():
    for match in advice(**CHAT, ttft_ms=600, tpot_ms=25)["matches"]:
        if match["ttft_ms"] is None:
            assert match["state"] == "fits_if"
            continue
        end = 2 if match["state"] == "fits" else 0
        assert match["ttft_ms"][end] <= 600
        assert match["tpot_ms"][end] <= 25


def test_only_a_target_that_was_given_rules_out():
    free = advice(stage="inference", workload="chat", model="llama-3.1-405b", concurrency=4)
    bound = advice(stage="inference", workload="chat", model="llama-3.1-405b", concurrency=4, tpot_ms=1)
    assert free["matches"]
    assert not bound["matches"]
    assert "latency" in codes_of(bound, "thinksystem-sr680a-v3")


def test_every_server_is_matched_or_ruled_out_once():
    for answers in ({}, CHAT, {"stage": "training"}, {"workload": "vision", "site": "edge"}):
        result = advice(**answers)
        matched = set(servers(result))
        out = [item["server"] for item in result["rejected"]]
        assert len(matched | set(out)) == 24
        assert len(out) == len(set(out))
        assert not matched & set(out)


def test_a_server_and_gpu_match_once_and_ranks_count_up():
    result = advice(**CHAT)
    pairs = [(match["server"], match["gpu"]) for match in result["matches"]]
    assert len(pairs) == len(set(pairs))
    assert [match["rank"] for match in result["matches"]] == list(range(1, len(pairs) + 1))


def test_top_cuts_and_says_what_was_cut():
    whole, cut = advice(**CHAT), advice(top=3, **CHAT)
    assert cut["matches"] == whole["matches"][:3]
    assert set(cut["not_shown"]) == set(servers(whole)) - set(servers(cut))


# Site


def test_height_counts_whole_enclosures_and_all_servers():
    result = advice(**CHAT, cooling="liquid")
    assert match_of(result, "thinksystem-sd665-n-v3")["rack_units"] == 6
    for match in result["matches"]:
        if match["server"] == "thinksystem-sr675-v3":
            assert match["rack_units"] == 3 * match["servers"]


def test_a_room_without_water_rules_out_what_needs_it():
    result = advice(**CHAT, cooling="air")
    for server in ("thinksystem-sd665-n-v3", "thinksystem-sr780a-v3", "thinksystem-sc777-v4"):
        assert "cooling" in codes_of(result, server)
    assert match_of(result, "thinksystem-sr645-v3")  # water is one of its ways, not the only one


def test_what_needs_water_says_so_where_the_room_was_not_described():
    warnings = match_of(advice(**CHAT), "thinksystem-sr780a-v3")["warnings"]
    assert any("water" in warning for warning in warnings)


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_power_is_compared_at_the_high_end(limit):
    result = advice(**CHAT, power_kw=limit)
    assert all(match["power_w"][2] <= limit * 1000 for match in result["matches"] if match["power_w"])
    assert "power" in codes_of(result, "thinksystem-sr680a-v3")


def test_a_comfortable_room_costs_nothing_but_the_word_firm():
    before = advice(**KNOWN_CHAT)
    after = advice(**KNOWN_CHAT, temperature_min_c=18, temperature_max_c=27)
    assert servers(before) == servers(after)
    assert [m["state"] for m in before["matches"]] == [m["state"] for m in after["matches"]]
    plain, asked = (match_of(r, "thinksystem-sr650-v3", "nvidia-l40s") for r in (before, after))
    assert plain["firm"]
    assert not asked["firm"]
    assert len(asked["warnings"]) == len(plain["warnings"]) + 1


def test_a_warmer_room_makes_an_unpublished_range_an_open_question():
    result = advice(**KNOWN_CHAT, temperature_max_c=32)
    match = match_of(result, "thinksystem-sr650-v3", "nvidia-l40s")
    assert (match["state"], match["firm"]) == ("fits_if", False)
    assert match_of(result, "thinksystem-sr650a-v4", "nvidia-l4")["state"] == "fits"


def test_a_maximum_that_holds_for_some_configurations_is_warned_about_and_never_firm():
    for room, firm in ((25, True), (26, False), (35, False)):
        match = match_of(advice(**KNOWN_CHAT, temperature_max_c=room), "thinksystem-sr650a-v4", "nvidia-l4")
        assert (match["state"], match["firm"]) == ("fits", firm)
        assert any("power supplies" in warning for warning in match["warnings"]) is not firm


def test_a_card_that_needs_a_cooler_room_than_its_server_is_ruled_out():
    warm = advice(**KNOWN_CHAT, temperature_max_c=35)
    assert match_of(warm, "thinksystem-sr650a-v4", "nvidia-l40s") is None  # at 30 °C only


def test_where_only_the_lowest_temperature_is_not_published_just_that_is_said():
    usual = match_of(
        advice(**KNOWN_CHAT, temperature_min_c=18, temperature_max_c=25), "thinksystem-sr650a-v4", "nvidia-l4"
    )
    assert usual["firm"]
    cool = match_of(
        advice(**KNOWN_CHAT, temperature_min_c=15, temperature_max_c=25), "thinksystem-sr650a-v4", "nvidia-l4"
    )
    assert (cool["state"], cool["firm"]) == ("fits_if", False)
    for match in (usual, cool):
        assert any("lowest temperature is not published" in warning for warning in match["warnings"])
        assert not any("range is not published" in warning for warning in match["warnings"])
    cold = advice(**KNOWN_CHAT, temperature_min_c=9)
    assert codes_of(cold, "thinksystem-sr650a-v4") == {"temperature"}


def test_quiet_modes_are_named_where_they_exclude_the_card():
    match = advice(stage="inference", workload="vision", streams=8, site="edge")["matches"][0]
    assert match["server"] == "thinkedge-se455-v3"
    assert any("acoustic" in warning for warning in match["warnings"])


@pytest.mark.parametrize("room", [{"temperature_max_c": 36}, {"temperature_min_c": 9}])
def test_a_harsh_room_rules_out_what_has_no_published_range(room):
    assert "temperature" in codes_of(advice(**CHAT, **room), "thinksystem-sr650-v3")


def test_both_ends_of_a_published_range_are_inclusive():
    answers = {"stage": "inference", "workload": "vision"}
    assert match_of(advice(**answers, temperature_min_c=-5, temperature_max_c=55), "thinkedge-se455-v3")
    assert codes_of(advice(**answers, temperature_max_c=56), "thinkedge-se455-v3") == {"temperature"}


def test_the_condition_of_a_card_beats_the_range_of_its_server():
    assert match_of(advice(**CHAT, temperature_max_c=30), "thinksystem-sr630-v4")
    assert "temperature" in codes_of(advice(**CHAT, temperature_max_c=31), "thinksystem-sr630-v4")


def test_outside_a_data_centre_only_what_is_made_for_it_remains():
    result = advice(**CHAT, site="edge")
    assert set(servers(result)) <= {
        "thinkedge-se455-v3", "thinkedge-se450", "thinkedge-se360-v2", "thinkedge-se100",
    }  # fmt: skip
    assert "site" in codes_of(result, "thinksystem-sr650-v3")


@pytest.mark.parametrize(("key", "vendor"), [("cpu_vendor", "amd"), ("gpu_vendor", "amd")])
def test_the_only_maker_wanted_is_a_rule(key, vendor):
    result = advice(**CHAT, **{key: vendor})
    assert key in codes_of(result, "thinksystem-sr650-v3")


def test_a_maker_of_which_nothing_is_offered_leaves_no_match():
    result = advice(**CHAT, gpu_vendor="intel")
    assert result["matches"] == []
    assert len(result["rejected"]) == 24


def test_a_limit_that_was_not_given_never_rules_out():
    assert len(advice(**CHAT)["rejected"]) <= 2


def test_a_server_without_a_known_card_says_so():
    result = advice(**CHAT)
    assert codes_of(result, "thinksystem-st650-v3") == {"no_gpu"}
    assert next(r for r in result["rejected"] if r["server"] == "thinksystem-st650-v3")["gpu"] is None


# What is not known


def test_unknown_facts_stand_last_and_the_fewer_the_further_ahead():
    result = advice(**CHAT, max_depth_mm=900)
    derived = [
        match["rank"]
        for match in result["matches"]
        if match["server"] == "thinksystem-sr630-v3"  # neither its cards nor its depth are published
    ]
    one_open = match_of(result, "thinksystem-sr650-v3", "nvidia-l40s")
    assert one_open["state"] == "fits_if"
    assert not one_open["firm"]
    assert one_open["warnings"]
    assert max(m["rank"] for m in result["matches"] if m["state"] == "fits") < one_open["rank"]
    assert one_open["rank"] < min(derived)


def test_a_derived_card_is_never_firm_and_says_so():
    for match in advice(**KNOWN_CHAT)["matches"]:
        if match["server"] in {"thinksystem-sr630-v3", "thinksystem-sr645-v3", "thinksystem-sr635-v3"}:
            assert (match["state"], match["firm"]) == ("fits_if", False)
            assert any("confirm" in warning for warning in match["warnings"])


def test_a_card_without_published_rates_is_an_open_question():
    match = match_of(
        advice(stage="inference", model="llama-3.2-1b", concurrency=1, context_tokens=2048),
        "thinkedge-se100",
        "nvidia-rtx-2000e-ada",
    )
    assert match["state"] == "fits_if"
    assert match["ttft_ms"] is None
    assert match["evidence"]["ttft_ms"] == "unknown"


@pytest.mark.parametrize(("priority", "state"), [("balanced", "fits"), ("footprint", "fits_if")])
def test_the_order_needs_the_height_where_space_matters_most(priority, state):
    match = match_of(advice(**CHAT, site="edge", priority=priority), "thinkedge-se360-v2", "nvidia-l4")
    assert match["rack_units"] is None
    assert match["state"] == state


def test_what_can_no_longer_be_ordered_never_leads_and_warns():
    result = advice(stage="inference", model="deepseek-v3", precision="fp8", gpu_vendor="nvidia")
    gone = match_of(result, "thinksystem-sr685a-v3")
    same = [match for match in result["matches"] if match["state"] == gone["state"]]
    assert same[0]["server"] != "thinksystem-sr685a-v3"
    assert gone["rank"] > max(m["rank"] for m in same if m["server"] == "thinksystem-sr680a-v3" and (
        m["gpu"] != "nvidia-h100-sxm-80gb"
    ))  # fmt: skip
    assert any("ordered" in warning for warning in gone["warnings"])


# Conditional and firm


def test_advice_is_conditional_until_everything_that_decides_is_known():
    assert advice(**KNOWN_CHAT)["conditional"] is False
    for key in ("model", "concurrency", "context_tokens", "ttft_ms", "tpot_ms", "availability"):
        result = advice(**KNOWN_CHAT | {key: None})
        assert result["conditional"] is True
        assert key in [item["key"] for item in result["to_measure"]]
        guessed = advice(**KNOWN_CHAT, hypothesis=[key])
        assert guessed["conditional"] is True
        assert assumption(guessed, key)["origin"] == "hypothesis"


def test_a_rate_does_for_the_load_and_people_do_not():
    load = KNOWN_CHAT | {"concurrency": None}
    assert advice(**load, requests_per_second=1)["conditional"] is False
    people = advice(**load, users=50)
    assert people["conditional"] is True
    assert "concurrency" in [item["key"] for item in people["to_measure"]]


@pytest.mark.parametrize(
    ("known", "key"),
    [
        ({"model": "yolo11", "streams": 8, "frames_per_second": 10, "availability": "single"}, "streams"),
        ({"model": "whisper-large-v3", "audio_streams": 20, "availability": "single"}, "audio_streams"),
        ({"model": "flux.1-dev", "images_per_minute": 4, "availability": "single"}, "images_per_minute"),
        ({"model": "bge-m3", "requests_per_second": 20, "availability": "single"}, "availability"),
    ],
)
def test_other_work_needs_its_own_load_and_nothing_else(known, key):
    assert advice(stage="inference", **known)["conditional"] is False
    result = advice(stage="inference", **known | {key: None})
    assert result["conditional"] is True
    assert key in [item["key"] for item in result["to_measure"]]


TUNING = {
    "stage": "fine_tuning", "model": "llama-3.1-8b", "method": "lora", "dataset_tokens": 20_000_000,
    "epochs": 2, "target_hours": 24,
}  # fmt: skip


def test_training_is_known_by_model_method_data_and_time():
    assert advice(**TUNING)["conditional"] is False
    for key in ("model", "method", "dataset_tokens", "target_hours"):
        assert advice(**TUNING | {key: None})["conditional"] is True
    assert advice(**TUNING | {"dataset_tokens": None}, dataset_gb=1)["conditional"] is False


def test_mixed_work_needs_both():
    both = KNOWN_CHAT | TUNING | {"stage": "mixed"}
    assert advice(**both)["conditional"] is False
    assert advice(**both | {"tpot_ms": None})["conditional"] is True
    assert advice(**both | {"method": None})["conditional"] is True


def test_nothing_is_firm_while_advice_is_conditional():
    assert not any(match["firm"] for match in advice(**CHAT)["matches"])


def test_firm_needs_the_makers_list_or_a_published_benchmark():
    result = advice(**KNOWN_CHAT)
    assert match_of(result, "thinksystem-sr650-v3", "nvidia-l40s")["firm"]  # benchmark
    assert match_of(result, "thinksystem-sr630-v4", "nvidia-l4")["firm"]  # maker's list
    assert not match_of(result, "thinksystem-sr665-v3", "nvidia-l40s")["firm"]  # seen running


# What was asked decides how much hardware


EASY = CHAT | {"model": "qwen3-32b", "concurrency": 12, "context_tokens": 16_384}


@pytest.mark.parametrize(
    ("easy", "harder"),
    [
        (EASY, {"concurrency": 40}),
        (EASY, {"context_tokens": 32_768}),
        (EASY, {"growth_percent": 100, "horizon_years": 2}),
        (EASY, {"availability": "n_plus_1"}),
        (EASY | {"ttft_ms": 2000}, {"ttft_ms": 1000}),
        (EASY | {"tpot_ms": 100}, {"tpot_ms": 50}),
        (EASY | {"availability": "n_plus_1", "cooling": "air"}, {"concurrency": 90}),
        (TUNING, {"dataset_tokens": 200_000_000}),
        (TUNING, {"target_hours": 2}),
    ],
)
def test_what_fits_a_harder_answer_has_no_fewer_gpus(easy, harder):
    before, after = advice(**easy), advice(**easy | harder)
    gpus = {
        (m["server"], m["gpu"]): m["gpus_per_server"] * m["servers"]
        for m in before["matches"]
        if m["state"] == "fits"
    }
    for match in after["matches"]:
        if match["state"] == "fits":
            assert match["gpus_per_server"] * match["servers"] >= gpus[match["server"], match["gpu"]]


def test_waiting_never_takes_more_gpus():
    at_once, patient = advice(**EASY), advice(**EASY, queue_ok="yes", queue_seconds=20)
    gpus = {
        (m["server"], m["gpu"]): m["gpus_per_server"] * m["servers"]
        for m in at_once["matches"]
        if m["state"] == "fits"
    }
    for match in patient["matches"]:
        assert match["gpus_per_server"] * match["servers"] <= gpus.get((match["server"], match["gpu"]), 10**6)


@pytest.mark.parametrize("limit", [{"rack_units": 4}, {"power_kw": 4}, {"max_depth_mm": 850}])
def test_a_limit_finds_nothing_better(limit):
    load = EASY | {"availability": "n_plus_1"}
    scores = {(m["server"], m["gpu"]): m["score"] for m in advice(**load)["matches"] if m["state"] == "fits"}
    for match in advice(**load | limit)["matches"]:
        if match["state"] == "fits":
            assert match["score"] <= scores[match["server"], match["gpu"]]


def test_times_that_nobody_asked_for_pile_up_no_servers():
    load = CHAT | {"concurrency": 60, "context_tokens": 32_768, "model": "qwen3-32b"}
    match = match_of(advice(**load, availability="n_plus_1"), "thinksystem-sr650-v3", "nvidia-l40s")
    # 60 x 8 GiB of cache and a copy of 61 GiB in each server of 3 x 43 GiB: ten servers and one in reserve.
    assert match["servers"] <= 20


def test_certainty_is_not_bought_with_a_server_for_each_request():
    load = CHAT | {"model": "gemma-3-27b", "concurrency": 60, "ttft_ms": 500, "tpot_ms": 50}
    match = match_of(advice(**load), "thinksystem-sr655-v3", "nvidia-rtx-pro-6000-blackwell-max-q")
    assert match["state"] == "fits_if"
    assert match["servers"] <= 60 / 4  # each copy runs a few requests at least


def test_states_are_shared_out_over_data_parallel_workers_where_they_fit():
    work = {"stage": "training", "model": "llama-3.1-8b", "dataset_tokens": 10**11, "target_hours": 1500}
    for match in advice(**work)["matches"]:
        if match["gpu"] in {"nvidia-h100-sxm-80gb", "nvidia-h200-nvl-141gb", "nvidia-b200-sxm-180gb"}:
            assert (match["tensor_parallel"], match["pipeline_parallel"]) == (1, 1)


def test_more_than_a_cabinet_is_said_where_no_space_was_given():
    load = CHAT | {
        "model": "llama-3.3-70b",
        "users": 2000,
        "concurrency": None,
        "ttft_ms": 2000,
        "tpot_ms": 50,
    }
    large = [match for match in advice(**load)["matches"] if (match["rack_units"] or 0) > 42]
    assert large
    assert all(any("standard rack" in warning for warning in match["warnings"]) for match in large)
    assert not any(
        "of a standard rack" in warning
        for match in advice(**load, rack_units=500)["matches"]
        for warning in match["warnings"]
    )


def test_small_cards_come_first_where_work_fills_them():
    first = advice(stage="inference", workload="vision", streams=64, frames_per_second=10)["matches"][0]
    assert first["gpu"] in {"nvidia-l4", "nvidia-l40s"}


# Figures


def test_memory_lines_sum_and_what_fits_is_within_what_is_available():
    for answers in (CHAT, TUNING, {"stage": "inference", "model": "deepseek-v3"}):
        for match in advice(**answers)["matches"]:
            lines = dict(match["memory_gib_per_gpu"])
            total, available = lines.pop("total"), lines.pop("available")
            assert sum(Decimal(str(value or 0)) for value in lines.values()) == Decimal(str(total))
            if match["state"] == "fits":
                assert total <= available


def test_a_cache_that_is_not_understood_makes_no_total_and_nothing_fits_for_sure():
    match = advice(stage="inference", model="deepseek-v4.1-flash", concurrency=4)["matches"][0]
    lines = match["memory_gib_per_gpu"]
    assert (lines["kv_cache"], lines["total"]) == (None, None)
    assert lines["weights"] > 0
    assert lines["available"] > lines["weights"]
    assert match["state"] == "fits_if"
    assert match["evidence"]["memory_gib_per_gpu"] == "unknown"
    assert any("memory for it cannot be" in warning for warning in match["warnings"])
    assert match["reasons"][0].startswith("Without its cache")


def test_each_stream_of_speech_keeps_its_caches():
    """Whisper large-v3, 32 layers, 1500 frames heard and 448 tokens written, 1280 wide, keys and values."""
    one = 32 * 2 * 1280 * 2 * (1500 + 448)
    for streams in (10, 200):
        for match in advice(stage="inference", model="whisper-large-v3", audio_streams=streams)["matches"]:
            cards = match["gpus_per_server"] * match["servers"]
            lines = match["memory_gib_per_gpu"]
            expected = one * ceil(streams / cards) / GIB
            assert lines["kv_cache"] == pytest.approx(expected, abs=0.001)
            if match["state"] == "fits":
                assert lines["total"] <= lines["available"]


def test_layouts_use_no_more_gpus_than_there_are_and_name_the_idle_ones():
    for answers in (CHAT, {"stage": "inference", "model": "llama-3.3-70b", "concurrency": 8}):
        for match in advice(**answers)["matches"]:
            used = match["tensor_parallel"] * match["pipeline_parallel"] * match["replicas"]
            assert used + match["idle_gpus"] == match["gpus_per_server"] * match["servers"]
            assert match["tensor_parallel"] in {1, 2, 4, 8}
            assert match["gpus_per_server"] in COUNTS
            assert 1 <= match["servers"] <= 64
            if match["idle_gpus"]:
                assert match["warnings"]


def test_figures_that_do_not_apply_are_null():
    serving = advice(**CHAT)["matches"][0]
    assert serving["training_hours"] is None
    assert serving["memory_gib_per_gpu"]["optimizer"] is None
    training = advice(**TUNING)["matches"][0]
    for figure in ("ttft_ms", "tpot_ms", "output_tokens_per_s", "max_concurrency"):
        assert training[figure] is None
    assert training["memory_gib_per_gpu"]["kv_cache"] is None
    seeing = advice(stage="inference", workload="vision")["matches"][0]
    assert seeing["throughput"]["unit"] == "frames/s"
    assert seeing["ttft_ms"] is None


def test_every_range_is_in_order():
    for answers in (CHAT, TUNING, {"workload": "speech"}, {"workload": "image_generation"}):
        for match in advice(**answers)["matches"]:
            for name in ("ttft_ms", "tpot_ms", "output_tokens_per_s", "training_hours", "power_w"):
                if match[name] is not None:
                    assert match[name] == sorted(match[name])


def test_reasons_are_one_to_three_and_carry_figures():
    for answers in (CHAT, TUNING, {"workload": "vision"}, CHAT | TUNING | {"stage": "mixed"}, {}):
        for match in advice(**answers)["matches"]:
            assert 1 <= len(match["reasons"]) <= 3
            assert all(any(sign.isdigit() for sign in reason) for reason in match["reasons"])


def test_the_same_answers_give_the_same_bytes_and_languages_change_texts_only():
    first, again = json.dumps(advice(**CHAT)), json.dumps(advice(**CHAT))
    assert first == again
    russian = advice(language="ru", **CHAT)
    for mine, its in zip(advice(**CHAT)["matches"], russian["matches"], strict=True):
        assert mine | {"reasons": 0, "warnings": 0} == its | {"reasons": 0, "warnings": 0}
        assert mine["reasons"] != its["reasons"]


def test_the_result_itself_has_no_language():
    result = recommend(parse(CHAT))
    assert "GPU" not in repr([match.reasons for match in result.ranking.matches])


# Precision


def test_the_models_own_type_is_kept_where_it_fits():
    assert match_of(advice(**CHAT), "thinksystem-sr650-v3", "nvidia-l40s")["precision"] == "bf16"


def test_eight_bits_stand_in_where_the_own_type_is_not_held_and_say_so():
    result = advice(stage="inference", model="llama-3.3-70b", concurrency=1, context_tokens=2048)
    match = match_of(result, "thinkedge-se455-v3", "nvidia-l40s")  # two cards of 45 GiB, 131 GiB in bf16
    assert match["precision"] == "fp8"
    assert any("quality" in warning for warning in match["warnings"])


def test_a_type_that_was_given_is_never_replaced():
    for match in advice(**CHAT, precision="int4")["matches"]:
        assert match["precision"] == "int4"


def test_four_bit_floats_on_older_cards_are_warned_about():
    result = advice(stage="inference", model="llama-3.3-70b", precision="fp4", concurrency=4)
    older = [m for m in result["matches"] if m["gpu"] in {"nvidia-l40s", "nvidia-h100-nvl-94gb"}]
    assert older
    assert all(any("FP4" in warning for warning in match["warnings"]) for match in older)


def test_a_tensor_split_without_a_fast_link_is_warned_about():
    for match in advice(stage="inference", model="llama-3.3-70b", concurrency=8)["matches"]:
        if match["tensor_parallel"] > 1 and match["gpu"] in {"nvidia-l40s", "nvidia-l4"}:
            assert any("PCIe" in warning for warning in match["warnings"])


# Training


def test_availability_of_training_is_ignored_with_a_notice():
    plain, asked = advice(**TUNING), advice(**TUNING, availability="n_plus_1")
    assert plain["matches"] == asked["matches"]
    assert len(asked["notices"]) == len(plain["notices"]) + 1


def test_qlora_keeps_four_bit_weights():
    result = advice(**TUNING | {"method": "qlora"})
    assert all(match["precision"] == "int4" for match in result["matches"])
    lora = match_of(advice(**TUNING), "thinksystem-sr650-v3", "nvidia-l40s")
    qlora = match_of(result, "thinksystem-sr650-v3", "nvidia-l40s")
    assert qlora["memory_gib_per_gpu"]["weights"] < lora["memory_gib_per_gpu"]["weights"] / 2


def test_a_precision_that_qlora_cannot_use_is_said():
    result = advice(**TUNING | {"method": "qlora"}, precision="fp8")
    assert any("FP8" in notice for notice in result["notices"])
    assert assumption(result, "precision")["value"] == "int4"
    assert assumption(advice(**TUNING, precision="bf16"), "precision")["origin"] == "given"


def test_training_over_an_unknown_network_is_never_firm():
    work = TUNING | {"method": "full", "model": "llama-3.1-70b", "dataset_tokens": 10**9, "target_hours": 200}
    unknown, known = advice(**work), advice(**work, network_gbe=400)
    assert any(match["servers"] > 1 for match in unknown["matches"])
    assert not any(match["firm"] for match in unknown["matches"] if match["servers"] > 1)
    assert any(match["firm"] for match in known["matches"] if match["servers"] > 1)


def test_a_time_target_rules_out_and_a_usual_time_does_not():
    slow = advice(**TUNING | {"target_hours": None, "dataset_tokens": 100_000_000_000})
    assert slow["matches"]
    strict = advice(**TUNING | {"target_hours": 1, "dataset_tokens": 100_000_000_000})
    assert "training_time" in codes_of(strict, "thinksystem-sr650-v3")


def test_states_of_full_training_need_many_cards():
    result = advice(**TUNING | {"method": "full", "model": "llama-3.1-70b", "target_hours": 500})
    for match in result["matches"]:
        available = match["memory_gib_per_gpu"]["available"] * match["gpus_per_server"] * match["servers"]
        assert available >= 788  # 12 bytes for each of 70.55 x 10^9 parameters, in GiB
    assert "thinksystem-sr650-v3" not in servers(result)


# Mixed


def test_a_match_of_mixed_work_holds_both_jobs_and_shows_the_memory_of_serving():
    both = CHAT | TUNING | {"stage": "mixed", "target_hours": None}
    for match in advice(**both)["matches"]:
        assert match["memory_gib_per_gpu"]["kv_cache"] is not None
        assert match["memory_gib_per_gpu"]["optimizer"] is None
        assert match["training_hours"] or "speed" in str(match["evidence"]) or match["state"] == "fits_if"


def test_both_jobs_at_once_take_cards_apart():
    both = CHAT | TUNING | {"stage": "mixed", "target_hours": None}
    for match in advice(**both, one_node="yes")["matches"]:
        assert match["gpus_per_server"] >= 2
        assert match["idle_gpus"] >= 1


def test_mixed_work_gets_all_three_plans():
    plans = advice(**CHAT | {"stage": "mixed"})["plans"]
    assert set(plans) == {"shared", "separate", "scheduled"}
    assert all(plans.values())
    assert advice(**CHAT)["plans"] == {}


def test_where_training_cannot_be_sized_the_service_still_is():
    result = advice(stage="mixed", workload="vision")
    assert any("training" in notice for notice in result["notices"])
    assert result["matches"]
    assert bad_keys(stage="training", model="yolo11") == ["model"]


# Priorities


@pytest.mark.parametrize(
    "harder",
    [{"concurrency": 64}, {"context_tokens": 32_768}, {"growth_percent": 100, "horizon_years": 3}],
)
def test_a_harder_load_never_takes_fewer_gpus(harder):
    load = CHAT | {"model": "qwen3-32b", "priority": "footprint"}
    before, after = advice(**load), advice(**load | harder)
    gpus = {(m["server"], m["gpu"]): m["gpus_per_server"] * m["servers"] for m in before["matches"]}
    for match in after["matches"]:
        assert match["gpus_per_server"] * match["servers"] >= gpus[match["server"], match["gpu"]]


def test_fewest_gpus_where_space_matters_most():
    balanced = advice(**CHAT, ttft_ms=2000)
    small = advice(**CHAT, ttft_ms=2000, priority="footprint")
    for match in small["matches"]:
        other = match_of(balanced, match["server"], match["gpu"])
        if other:
            assert match["gpus_per_server"] * match["servers"] <= other["gpus_per_server"] * other["servers"]


def test_scores_and_criteria_are_points():
    for match in advice(**CHAT)["matches"]:
        assert 0 <= match["score"] <= 100
        assert all(value is None or 0 <= value <= 100 for value in match["criteria"].values())
        assert match["criteria"]["running_cost"] is None  # no tariff, no cost


def test_places_without_a_real_difference_are_tied():
    matches = advice(**CHAT)["matches"]
    assert not matches[0]["tied"]
    assert any(match["tied"] for match in matches[1:4])
