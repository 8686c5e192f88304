"""From an order to a decision: musts, an envelope of models, smallest changes, intervals, other orders."""

from decimal import Decimal

import pytest

from recommender import changes, decision_page, orders, sensitivity, services
from recommender.adapters import load_specs
from recommender.answers import KEYS, parse
from recommender.ranking import fits_somehow
from recommender.scatter import amount_of
from tests.recommender.advice import CHAT, advice, match_of

pytestmark = [pytest.mark.usefixtures("catalog"), pytest.mark.one_database]


def result_of(**answers):
    return services.recommend(parse(answers))


def codes(match):
    return {item.code for item in (*match.reasons, *match.warnings)}


def test_a_must_is_a_rule_and_names_what_is_asked():
    before, after = advice(**CHAT), advice(**CHAT, must=["footprint"])
    assert len(after["rejected"]) > len(before["rejected"])
    for match in after["matches"]:
        assert match["state"] != "fits" or match["criteria"]["footprint"] >= 50
    texts = [reason["text"] for item in after["rejected"] for reason in item["reasons"]]
    assert any("hard requirement" in text and "50" in text for text in texts)


def test_usual_times_become_limits_where_response_is_a_must():
    load = {"stage": "inference", "model": "llama-3.3-70b", "concurrency": 20, "context_tokens": 8192}
    plain, strict = advice(**load), advice(**load, must=["latency"])
    for match in strict["matches"]:
        if match["state"] == "fits":  # 2,000 ms and 100 ms are what is usual
            assert match["ttft_ms"][2] <= 2000
            assert match["tpot_ms"][2] <= 100
    assert any(match["state"] == "fits" and match["tpot_ms"][2] > 100 for match in plain["matches"])


def test_availability_as_a_must_counts_a_server_in_reserve():
    assert all(match["servers"] >= 2 for match in advice(**CHAT, must=["availability"])["matches"])


def test_running_cost_needs_a_tariff():
    assert all(match["criteria"]["running_cost"] is None for match in advice(**CHAT)["matches"])
    priced = advice(**CHAT, energy_price=0.2)["matches"]
    assert all((match["criteria"]["running_cost"] is None) == (match["power_w"] is None) for match in priced)
    without = advice(**CHAT, must=["running_cost"])
    assert any("price of energy" in notice for notice in without["notices"])


def test_what_holds_all_models_that_may_come_stands_first():
    load = {"stage": "inference", "concurrency": 4, "context_tokens": 8192, "model": "llama-3.1-8b"}
    result = result_of(**load, model_may_change="yes")
    states = [match.state for match in result.ranking.matches]
    assert states == sorted(states)  # "fits" before "fits_if"
    assert "envelope_held" in codes(result.ranking.matches[0])
    # 70.55e9 parameters of 2 bytes are 131.4 GiB: no single card below 141 GB holds them.
    for match in result.ranking.matches:
        if match.state == "fits" and match.config.precision == "bf16":
            assert match.config.memory.weights.typical * match.config.layout.gpus_per_replica > 130 * 2**30


def test_a_match_says_at_which_end_of_a_range_it_holds():
    result = result_of(**CHAT | {"concurrency": "5..60"})
    for match in result.ranking.matches:
        assert ("range_whole" in codes(match)) == match.config.strict
    assert not any("range_whole" in codes(match) for match in result_of(**CHAT).ranking.matches)


def test_a_budget_is_said_not_to_count():
    assert any("budget" in notice for notice in advice(**CHAT, budget=100_000)["notices"])
    assert advice(**CHAT, budget=100_000)["matches"] == advice(**CHAT)["matches"]


def test_a_checkpoint_of_full_training_has_its_size_and_its_time():
    # 70.55e9 x 14 bytes = 988 GB; 494 s at 2 GB/s; of each 3600 + 494 s, 494 are a wait.
    result = result_of(
        stage="training", model="llama-3.3-70b", method="full", dataset_tokens=10**9, storage_gbs=2,
        checkpoint_minutes=60,
    )  # fmt: skip
    items = {item.code: dict(item.params) for item in result.ranking.matches[0].warnings}
    assert items["checkpoint_files"]["each"] == pytest.approx(987.7e9, rel=0.001)
    assert items["checkpoint_stall"]["seconds"] == pytest.approx(494, rel=0.001)
    assert items["checkpoint_stall"]["share"] == pytest.approx(12.07, abs=0.1)


def test_only_the_changes_that_are_named_let_a_server_in():
    answers = parse(CHAT | {"rack_units": 1, "cooling": "air", "power_kw": 1})
    specs, result = load_specs(), services.recommend(answers)
    relaxations = changes.Relaxations(answers, changes.resolver(specs))
    machines = {machine.bare.server: machine for machine in specs.machines}
    found = {server: sets for server, sets in services.fixes(result).items() if sets}
    assert found
    for server, sets in found.items():
        for items in sets:
            assert fits_somehow(relaxations.case(frozenset(), items), machines[server])
            for left in items:  # none of them is too many
                fewer = tuple(item for item in items if item != left)
                assert not fits_somehow(relaxations.case(frozenset(), fewer), machines[server])


def test_a_needed_value_is_the_nearest_that_does():
    answers = parse(CHAT | {"rack_units": 1})
    result = services.recommend(answers)
    # It is 3U high.
    assert services.fixes(result)["thinksystem-sr675-v3"] == ((changes.Change("rack_units", "3"),),)
    text = next(
        item["nearest_fix"]
        for item in advice(**CHAT, rack_units=1)["rejected"]
        if item["server"] == "thinksystem-sr675-v3"
    )
    assert "3U" in text


SLOW_TOKENS = {
    "workload": "rag", "parameters_b": 32, "concurrency": 150, "output_tokens": 850, "ttft_ms": 1000,
    "tpot_ms": 20,
}  # fmt: skip


@pytest.mark.parametrize("load", [SLOW_TOKENS, CHAT | {"rack_units": 1}, CHAT | {"power_kw": 1}])
def test_a_page_names_one_change_only_where_it_is_enough(load):
    answers = parse(load)
    specs, result = load_specs(), services.recommend(answers)
    relaxations = changes.Relaxations(answers, changes.resolver(specs))
    machines = {machine.bare.server: machine for machine in specs.machines}
    found = services.nearest_fixes(result)
    for item in result.ranking.rejected:
        items = found.get(item.server)
        assert items is None or fits_somehow(relaxations.case(frozenset(), items), machines[item.server])
        assert items is None or services.fixes(result)[item.server][0] == items
    named = {row["server"].slug: row["nearest_fix"] for row in services.page(result)["rejected"]}
    assert {slug for slug, text in named.items() if text} == set(found)


def test_a_limit_that_alone_is_not_enough_is_not_called_a_fix():
    # The tokens of an L4 take 68 ms at best, but with them the first token comes too late as well.
    result = services.recommend(parse(SLOW_TOKENS))
    slow = next(item for item in result.ranking.rejected if item.server == "thinksystem-sr630-v3")
    assert slow.nearest_fix is not None
    assert "thinksystem-sr630-v3" not in services.nearest_fixes(result)
    assert {item.key for item in services.fixes(result)["thinksystem-sr630-v3"][0]} == {"ttft_ms", "tpot_ms"}


def test_the_funnel_ends_with_the_servers_that_match():
    result = result_of(**CHAT, rack_units=2, cooling="air", power_kw=1)
    steps = changes.funnel(result.ranking)
    counts = [count for _code, count in steps]
    assert counts == sorted(counts, reverse=True)
    assert steps[0] == ("", len(load_specs().machines))
    assert counts[-1] == len({match.config.node.server for match in result.ranking.matches})


def test_where_nothing_fits_dropping_an_answer_brings_back_what_it_says():
    load = CHAT | {"rack_units": 1, "gpu_vendor": "amd"}
    result = result_of(**load)
    assert not result.ranking.matches
    for key, count in services.recovered(result):
        rest = {name: value for name, value in load.items() if name != key}
        assert len({match["server"] for match in advice(**rest)["matches"]}) == count


def test_the_first_place_holds_up_to_the_last_value_and_flips_beyond():
    load = CHAT | {"hypothesis": ["concurrency"]}
    result = result_of(**load)
    hold = next(item for item in services.holds(result) if item.key == "concurrency")
    first = result.ranking.matches[0].config.node.server
    assert hold.high is not None
    for amount, stays in ((hold.high, True), (hold.high + 1, False)):
        leader = result_of(**load | {"concurrency": int(amount)}).ranking.matches[0].config.node.server
        assert (leader == first) is stays
    assert hold.above[0] != first


def test_counts_are_found_exactly_between_two_looks():
    class Places:
        leading = ()

        def contenders(self, *places):
            return frozenset()

        def first(self, case, among=None):
            return ("a", "") if case <= 46 else ("b", "")

    found = sensitivity._flip(Decimal(10), Decimal(1000), True, lambda value: value, ("a", ""), Places())
    assert found == (Decimal(46), ("b", ""))


@pytest.mark.parametrize("view", orders.VIEWS)
def test_every_view_shows_the_same_matches(view):
    matches = result_of(**CHAT).ranking.matches
    shown = orders.ordered(matches, view)
    assert {match.config for match in shown} == {match.config for match in matches}
    assert not shown[0].tied


def test_the_lowest_power_leads_its_view():
    shown = orders.ordered(result_of(**CHAT).ranking.matches, "power")
    fitting = [match for match in shown if match.state == "fits"]
    watts = [match.config.power_w.typical for match in fitting if match.config.orderable]
    assert watts == sorted(watts)


def test_training_alone_is_compared_by_its_rate_and_says_so():
    result = result_of(
        stage="training",
        parameters_b=7,
        dataset_tokens=100_000_000_000,
        target_hours=720,
        method="pretraining",
    )
    shown = decision_page.front(result, orders.VIEWS[0], result.names)
    config = result.ranking.matches[0].config
    assert amount_of(result.ranking.matches[0]) == pytest.approx(1e11 / config.trained.seconds.typical)
    assert shown["unit"] == "tokens/s"


def test_power_supplies_that_cannot_carry_it_rule_out_at_a_weak_feed():
    load = CHAT | {"model": "llama-3.3-70b"}
    strong, weak = advice(**load), advice(**load, feed_voltage=110, psu_redundancy="n_plus_n")
    # Units of 1800 W and more need 200 V: nothing is left for an eight-GPU machine.
    assert match_of(strong, "thinksystem-sr680a-v4") is not None
    assert match_of(weak, "thinksystem-sr680a-v4") is None
    assert not any(match["state"] == "fits" and match["gpus_per_server"] == 8 for match in weak["matches"])


def test_thin_air_lowers_the_room_that_a_server_stands():
    # Above 900 m the highest temperature falls by 1 degree every 300 m at most.
    low, high = advice(**CHAT, temperature_max_c=35), advice(**CHAT, temperature_max_c=35, altitude_m=2500)
    assert len(high["matches"]) < len(low["matches"])
    assert not advice(**CHAT, altitude_m=3500)["matches"]


def test_an_answer_that_moves_the_first_place_is_named_with_whom():
    load = CHAT | {"availability": "single", "hypothesis": ["availability"]}
    result = result_of(**load)
    found = {hold.key: hold for hold in services.holds(result)}
    first = result.ranking.matches[0].config.node.server
    assert found["availability"].origin == "hypothesis"
    for key in ("availability", "precision", "priority", "queue_ok"):
        for answer in found[key].tried:
            changed = result_of(**load | {key: answer}).ranking.matches
            leader = changed[0].config.node.server if changed else ""
            moved = dict(found[key].others).get(answer)
            assert (leader == first) is (moved is None), (key, answer)
            assert moved is None or moved[0] == leader
    assert any(hold.others for hold in found.values())


def test_every_open_answer_of_both_jobs_is_moved_given_the_work(monkeypatch):
    monkeypatch.setattr(sensitivity, "MAX_WORK", 100_000)
    result = result_of(
        stage="mixed", model="llama-3.1-8b", concurrency=10, context_tokens=8000, method="lora"
    )
    looked = {hold.key for hold in services.holds(result)}
    unsure = {
        item.key
        for item in result.assumptions
        if item.origin in ("hypothesis", "profile", "default")
        and item.source not in sensitivity.COMPUTED
        and KEYS[item.key].kind in ("number", "choice", "yes_no")
        and not KEYS[item.key].repeats
    }
    assert unsure | {"queue_ok", "one_node", "sharding", "recompute"} <= looked
    assert not decision_page.not_looked_at(result)


RANGES = {
    "stage": "mixed",
    "workload": ["rag", "llm_fine_tuning"],
    "model": "llama-3.3-70b",
    "concurrency": "20..40",
    "input_tokens": "4000",
    "output_tokens": "400",
    "context_tokens": "8000",
    "ttft_ms": "1200",
    "tpot_ms": "50",
    "availability": "single",
    "method": "lora",
    "dataset_tokens": "20000000",
    "epochs": "3",
    "target_hours": "24",
    "experiments_per_month": "8",
    "growth_percent": "50",
    "horizon_years": "3",
    "power_kw": "8",
    "rack_units": "20",
}


def test_what_only_the_easier_end_carries_says_so_beside_the_late_times():
    # 20 to 40 requests that grow by half three times: 40 x 1.5^3 = 135, 20 x 1.5^3 = 67.5.
    result = result_of(**RANGES)
    assert result.ranking.matches
    for match in result.ranking.matches:
        assert match.state == "fits_if"
        said = {item.code: dict(item.params) for item in match.warnings}
        assert said["range_requests"] == {"easy": 68, "hard": 135}
        assert {"range_ttft", "range_tpot"} & set(said)
    plans = result.plans
    assert {plan.capacity.requests_needed for plan in plans.ways.values() if plan.capacity} == {135}
    assert "range_requests" in {item.code for item in plans.verdict.cautions}


def test_where_both_ends_have_to_be_tried_fewer_servers_are(monkeypatch):
    tried = []
    real = sensitivity.first_place

    def first_place(case, machines, ceilings):
        tried.append(len(machines))
        return real(case, machines, ceilings)

    monkeypatch.setattr(sensitivity, "first_place", first_place)
    monkeypatch.setattr(sensitivity, "MAX_WORK", 1200)
    result = result_of(**RANGES)
    services.holds(result)
    # No server holds the harder end: each try costs twice its three; the last one may go over.
    assert sum(tried[:-1]) <= 1200 / 6
    assert sum(tried) > 100


def test_values_that_were_not_moved_are_named(monkeypatch):
    monkeypatch.setattr(sensitivity, "MAX_WORK", 600)
    result = result_of(
        stage="mixed", model="llama-3.1-8b", concurrency=11, context_tokens=8000, method="lora"
    )
    looked = {hold.key for hold in services.holds(result)}
    unsure = sensitivity.uncertain(result.assumptions, result.to_measure, result.case)
    named = decision_page.not_looked_at(result)
    assert named == [str(KEYS[item.key].label) for item in unsure if item.key not in looked]
    assert named
    assert looked
