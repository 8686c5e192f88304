"""Quantities that follow from the answers: values from the sizing questionnaire and by hand."""

import pytest
from django.utils.translation import override

from recommender.briefs.derived import derive
from recommender.briefs.formulas import derived_rows


def values(given, match=None):
    return {item.code: item.value for item in derive(given, match or {})}


PEOPLE = {
    "users": (1000, 1000),
    "active_percent": (20, 20),
    "requests_per_user_minute": (1, 1),
    "peak_factor": (2.5, 2.5),
}


def test_people_become_requests_per_second():
    found = values(PEOPLE)
    assert found["active_people"] == pytest.approx((200, 200))
    assert found["normal_rate"] == pytest.approx((200 / 60, 200 / 60))
    assert found["peak_rate"] == pytest.approx((8.33, 8.33), abs=0.01)  # 500 a minute


def test_littles_law_gives_the_requests_in_flight():
    # 8.33 requests a second, each 2 s + 400 x 40 ms = 18 s: 150 at once.
    found = values(PEOPLE | {"ttft_ms": (2000, 2000), "output_tokens": (400, 400), "tpot_ms": (40, 40)})
    assert found["request_time"] == pytest.approx((18, 18))
    assert found["in_flight"] == pytest.approx((150, 150))


def test_a_rate_that_was_given_is_not_worked_out_from_people():
    found = values(
        PEOPLE
        | {
            "requests_per_second": (2, 2),
            "ttft_ms": (1000, 1000),
            "output_tokens": (100, 100),
            "tpot_ms": (90, 90),
        }
    )
    assert found["in_flight"] == pytest.approx((20, 20))


def test_ranges_flow_through_and_keep_their_order():
    found = values({"concurrency": (8, 32), "context_tokens": (4000, 8000)})
    assert found["cached_tokens"] == (32_000, 256_000)
    slow_and_fast = values(
        {
            "concurrency": (10, 20),
            "ttft_ms": (0, 1000),
            "output_tokens": (100, 100),
            "tpot_ms": (10, 10),
        }
    )
    assert slow_and_fast["rate_of_concurrency"] == pytest.approx((5, 20))  # 10 in 2 s to 20 in 1 s


@pytest.mark.parametrize(("requests", "capacity", "times"), [(80, 100, 4), (95, 100, 19), (50, 100, 1)])
def test_a_single_queue_waits_longer_the_fuller_it_is(requests, capacity, times):
    found = values({}, {"requests": requests, "capacity": capacity})
    assert found["utilization"] == pytest.approx((100 * requests / capacity,) * 2)
    assert found["wait_factor"] == pytest.approx((times, times))


def test_stated_requests_that_all_have_a_place_do_not_wait():
    figures = {"requests": 32, "capacity": 43, "places": 43, "busy_percent": 74.4, "turn_s": 20, "wait_s": 0}
    found = values({}, figures | {"random": 0})
    assert found["wait_none"] == (0, 0)
    assert "wait_factor" not in found
    at_random = values({}, figures | {"random": 1, "wait_s": 0.25})
    assert at_random["wait_mean"] == (0.25, 0.25)
    assert "wait_none" not in at_random


def test_a_queue_that_is_full_has_no_wait_to_name():
    assert "wait_factor" not in values({}, {"requests": 100, "capacity": 100})


def test_checkpoints_take_space_and_time():
    # Llama 3 70B with its optimizer: 987.7 GB; 494 s at 2 GB/s, 99 s at 10 GB/s.
    found = values({"storage_gbs": (2, 10), "checkpoints_kept": (3, 3)}, {"checkpoint_gb": 987.7})
    assert found["checkpoint_time"] == pytest.approx((98.8, 493.9), abs=0.1)
    assert found["checkpoint_storage"] == pytest.approx((2963.1, 2963.1))


def test_training_takes_a_part_of_the_month():
    found = values({"experiments_per_month": (8, 8), "target_hours": (24, 24)})
    assert found["busy_hours"] == (192, 192)
    assert found["busy_share"] == pytest.approx((26.3, 26.3), abs=0.01)


def test_memory_of_the_first_match_adds_up():
    match = {
        "gpus_per_replica": 2,
        "replicas": 3,
        "idle_gpus": 1,
        "weights_gib": 10,
        "kv_cache_gib": 4,
        "requests": 48,
        "total_gib": 20,
        "available_gib": 44,
        "servers": 1,
        "spare": 0,
    }
    found = values({}, match)
    assert found["weights_of_a_copy"] == (20, 20)
    assert found["cache_of_all"] == (24, 24)
    assert found["cache_of_a_request"] == pytest.approx((0.5, 0.5))
    assert found["memory_left"] == (24, 24)
    assert found["gpus_at_work"] == (7, 7)
    assert found["with_a_spare"] == (2, 2)


def test_host_memory_is_a_multiple_of_gpu_memory():
    match = {"gpu_gib_low": 90, "gpu_gib_high": 92, "host_factor_low": 2, "host_factor_high": 3}
    assert values({}, match)["host_memory"] == (180, 276)


def test_growth_is_compound():
    assert values({"growth_percent": (50, 100), "horizon_years": (2, 2)})["growth_factor"] == (2.25, 4)


def test_nothing_is_guessed():
    assert values({"users": (10, 10)}, {"servers": None, "requests": 5, "capacity": None}) == {}


@pytest.mark.parametrize(
    ("value", "expected"), [(110.0417, "110 запросов"), (21, "21 запрос"), (1.5, "1,5 запроса")]
)
def test_the_noun_follows_the_figure_as_it_is_written(value, expected):
    item = {
        "code": "in_flight",
        "value": (value, value),
        "terms": {"rate": (value, value), "duration": (1, 1)},
    }
    with override("ru"):
        (row,) = derived_rows([item])
    assert row["value"].replace("\N{NO-BREAK SPACE}", " ") == expected
