from dataclasses import replace

import pytest

from recommender.sizing.power import draw_of
from recommender.sizing.specs import Range, SizingError
from recommender.sizing.supplies import (
    check_supplies,
    output_w,
    supplies_left,
    temperature_at_altitude_c,
)
from tests.sizing.speed_examples import B200, L40S, node


def server(count, *sizes, **changes):
    return node(L40S, psu_count=count, psu_sizes_w=sizes, **changes)


def load(low, high):
    return Range(low, (low + high) / 2, high)


def test_what_is_left_when_supplies_fail():
    assert [supplies_left(8, kind) for kind in ("none", "n_plus_1", "n_plus_n")] == [8, 7, 4]
    assert supplies_left(5, "n_plus_n") == 2, "the larger half may hang on the feed that fails"
    with pytest.raises(SizingError):
        supplies_left(0, "none")


@pytest.mark.parametrize(
    ("size", "volts", "expected"),
    [
        (1300, 115, (1000, 1000)),  # SR650 V4 product guide
        (1100, 115, (0, 1100)),  # Platinum runs on it, Titanium does not
        (2000, 115, (0, 0)),  # 200 V class only
        (3200, 230, (3200, 3200)),
        (3800, 230, (0, 0)),  # above 249 V AC only
        (3800, 277, (3800, 3800)),
        (1100, 48, None),  # a unit of its own, not in the list
    ],
)
def test_output_at_a_feed(size, volts, expected):
    assert output_w(size, volts) == expected


def test_redundancy_divides_what_is_there():
    four = server(4, 1800, 2600)
    needed = load(4000, 4900)
    assert check_supplies(four, needed, redundancy="none", feed_v=None).verdict == "fits"
    spare = check_supplies(four, needed, redundancy="n_plus_1", feed_v=230)
    assert (spare.verdict, spare.size_w, spare.left, spare.delivered_w) == ("fits", 1800, 3, (5400, 5400))
    two_feeds = check_supplies(four, needed, redundancy="n_plus_n", feed_v=230)
    assert (two_feeds.verdict, two_feeds.size_w, two_feeds.left) == ("fits", 2600, 2)


def test_only_the_favourable_end_of_the_load_holds():
    found = check_supplies(server(2, 1100), load(900, 1300), redundancy="n_plus_n", feed_v=230)
    assert (found.verdict, found.fact) == ("fits_if", "")


def test_supplies_are_not_planned_to_their_last_watt():
    found = check_supplies(server(4, 2600), load(4000, 5100), redundancy="n_plus_n", feed_v=230)
    assert found.verdict == "fits_if"


def test_a_load_above_all_supplies_is_refused():
    found = check_supplies(server(2, 750, 1100), load(1500, 1900), redundancy="n_plus_n", feed_v=230)
    assert (found.verdict, found.size_w, found.delivered_w) == ("no", 1100, (1100, 1100))


def test_low_line_takes_the_right_unit_or_refuses():
    small, large = load(600, 900), load(1700, 2500)
    amd = server(2, 750, 1100, 1800, 2400)
    found = check_supplies(amd, small, redundancy="n_plus_1", feed_v=115)
    assert (found.verdict, found.size_w, found.fact) == ("fits_if", 1100, "psu_class")
    assert check_supplies(amd, large, redundancy="n_plus_1", feed_v=115).verdict == "no"
    assert check_supplies(amd, large, redundancy="n_plus_1", feed_v=230).verdict == "fits_if"
    v4 = server(2, 1300, 2000)
    assert check_supplies(v4, load(600, 900), redundancy="n_plus_1", feed_v=115).verdict == "fits"
    assert check_supplies(v4, load(1050, 1100), redundancy="n_plus_1", feed_v=115).verdict == "no"


def test_what_is_not_published_is_not_refused():
    much = load(20_000, 25_000)
    cases = [
        (server(None, 2400), "psu_count"),
        (server(2), "psu_sizes"),
        (server(2, 1100, psu_sizes_partial=True), "psu_sizes"),
    ]
    for one, fact in cases:
        found = check_supplies(one, much, redundancy="n_plus_1", feed_v=230)
        assert (found.verdict, found.fact) == ("unknown", fact)
    assert check_supplies(server(2, 1100), None, redundancy=None, feed_v=None).fact == "power"
    assert check_supplies(server(2, 1100), much, redundancy=None, feed_v=48).fact == "feed"


def test_a_card_that_needs_large_supplies_leaves_out_the_small_ones():
    picky = server(2, 800, 3200, option_min_psu_w=3200)
    found = check_supplies(picky, load(400, 700), redundancy="n_plus_1", feed_v=230)
    assert (found.verdict, found.size_w) == ("fits", 3200)
    assert check_supplies(picky, load(400, 700), redundancy="n_plus_1", feed_v=115).verdict == "no"


def test_eight_modules_as_the_maker_says():
    """SR680a V4: six or eight supplies, N+1; N+N only with eight of 3,800 W above 249 V."""
    b300 = replace(B200, slug="nvidia-b300-sxm", tdp_w=1100)
    machine = node(b300, psu_count=8, psu_sizes_w=(3200, 3800), cpu_max_tdp_w=350.0)
    delivered = draw_of(machine, 8).delivered
    one_spare = check_supplies(machine, delivered, redundancy="n_plus_1", feed_v=230)
    assert (one_spare.verdict, one_spare.size_w) == ("fits", 3200)
    assert check_supplies(machine, delivered, redundancy="n_plus_n", feed_v=230).verdict != "fits"
    high_feed = check_supplies(machine, delivered, redundancy="n_plus_n", feed_v=277)
    assert (high_feed.verdict, high_feed.size_w) == ("fits", 3800)


@pytest.mark.parametrize(
    ("altitude", "ashrae", "expected"),
    [
        (900, "A2", (35, 35, 35)),
        (1500, "A2", (33, 33, 33)),  # 1 °C for every 300 m above 900 m
        (1600, "A3", (31, 31, 31)),  # 1 °C for every 175 m
        (1500, "", (30.2, 35 - 600 / 175, 33)),  # from class A4 to A2
        (1500, "A2 (A3/A4 in qualifying configurations)", (30.2, 35 - 600 / 175, 33)),
    ],
)
def test_a_high_place_lowers_the_room_limit(altitude, ashrae, expected):
    found = temperature_at_altitude_c(35, altitude, ashrae)
    assert (found.low, found.typical, found.high) == pytest.approx(expected)


def test_no_class_reaches_above_three_thousand_metres():
    assert temperature_at_altitude_c(35, 3050, "A2") is not None
    assert temperature_at_altitude_c(35, 3051, "A2") is None
