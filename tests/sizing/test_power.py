from dataclasses import replace

import pytest

from recommender.sizing.power import draw_of, power_per_rack_unit_w, server_power_w
from recommender.sizing.specs import Range
from tests.sizing.speed_examples import B200, H100, L4, L40S, RATE_UNKNOWN, node

AIR, WATER = frozenset({"air"}), frozenset({"liquid"})


@pytest.mark.parametrize(
    ("cooling", "measured"),
    [
        # wall power of whole servers with eight B200, mean over MLPerf Inference v5.1 runs
        (AIR, 9653.5),
        (AIR, 9606.7),
        (WATER, 9509.8),
        (WATER, 9276.7),
        (WATER, 8211.7),
        (WATER, 7733.9),
        (WATER, 7987.5),
        (WATER, 8358.2),
    ],
)
def test_eight_b200_at_full_load(cooling, measured):
    power = server_power_w(node(B200, link="nvswitch", cooling=cooling), 8, "batch")
    assert power.low <= measured <= power.high
    assert power.typical == pytest.approx(measured, rel=0.2)


def test_eight_h100_in_training():
    # 7.75 kW in hard runs (arXiv:2506.14551), 8.4 kW at most (arXiv:2412.08602)
    power = server_power_w(node(H100, link="nvswitch"), 8, "training")
    assert power.low <= 7750 <= 8400 <= power.high
    assert power.typical == pytest.approx(7750, rel=0.1)


def test_eight_h100_stay_near_the_published_maximum():
    # NVIDIA prints 10.2 kW at most for DGX H100
    for work in ("any", "serving", "training"):
        assert 9000 <= server_power_w(node(H100, link="nvswitch"), 8, work).high <= 10_200


def test_a_batch_draws_more_than_an_answer_now_and_then_and_waiting_least():
    h100 = node(H100)
    serving, batch, idle = (server_power_w(h100, 8, work) for work in ("serving", "batch", "idle"))
    assert idle.high < serving.low < batch.low
    assert serving.high == batch.high, "circuits are laid out for the same"
    parts = {part.code: part.watts for part in draw_of(h100, 8, "serving").parts}
    # 300 W for one request, 600 W for 128 at once, of 700 W (ML.ENERGY)
    assert parts["cards"].low <= 8 * 300 <= 8 * 600 <= parts["cards"].high


def test_a_server_is_the_sum_of_its_parts():
    draw = draw_of(node(L40S), 4)
    assert [part.code for part in draw.parts] == ["cards", "processors", "memory", "board", "fans", "losses"]
    assert sum(part.watts.typical for part in draw.parts) == pytest.approx(draw.total.typical)
    assert sum(part.watts.low for part in draw.parts) <= draw.total.low, "not all at their least at once"
    assert sum(part.watts.high for part in draw.parts) >= draw.total.high
    lost = draw.parts[-1].watts
    assert draw.total.typical == pytest.approx(draw.delivered.typical + lost.typical)
    # 80 PLUS: 96 % efficient at best, 91 % at full load
    assert 0.96 >= draw.delivered.high / draw.total.high >= 0.9


def test_the_high_end_has_every_card_at_its_limit_and_fans_and_losses_at_their_highest():
    draw = draw_of(node(B200, cooling=AIR), 8)
    host = sum(part.watts.typical for part in draw.parts if part.code in ("processors", "memory", "board"))
    assert draw.total.high > (8 * 1000 + host) * 1.16 * 1.10


def test_modules_have_switches_and_cards_in_slots_none():
    assert "switches" in {part.code for part in draw_of(node(B200), 8).parts}
    assert "switches" not in {part.code for part in draw_of(node(L40S), 8).parts}


def test_the_largest_processor_counts_where_it_is_known():
    small = node(L4, cpu_max_tdp_w=150.0)
    large = node(L4, cpu_max_tdp_w=400.0)
    watts = {
        limit: next(part.watts for part in draw_of(one, 1).parts if part.code == "processors")
        for limit, one in ((150, small), (400, large))
    }
    assert watts[150].high == 2 * 150
    assert watts[400].high == 2 * 400
    assert watts[400].low < 2 * 150, "a smaller one may be fitted"


def test_one_or_two_processors_are_both_counted():
    one_or_two = next(
        part.watts for part in draw_of(node(L4, sockets_min=1), 1).parts if part.code == "processors"
    )
    two = next(part.watts for part in draw_of(node(L4), 1).parts if part.code == "processors")
    assert one_or_two.low == two.low / 2
    assert one_or_two.high == two.high


def test_a_power_cap_counts():
    capped = server_power_w(node(L40S, card_power_cap_w=250.0), 4)
    assert capped.high < server_power_w(node(L40S), 4).high


def test_cards_held_to_a_limit_stay_near_it():
    def cards(one, gpus):
        return next(part.watts for part in draw_of(one, gpus, "serving").parts if part.code == "cards")

    assert cards(node(L4), 1).typical > 0.85 * 72
    assert cards(node(L40S, card_power_cap_w=250.0), 1).typical > 0.85 * 250
    assert cards(node(L40S), 1).typical < 0.85 * 350


def test_an_edge_server_is_small():
    edge = node(L4, kind="edge", sockets_min=1, sockets_max=1)
    power = server_power_w(edge, 2)
    assert power.typical < server_power_w(node(L4), 2).typical
    assert power.high < 600


def test_cards_add_up():
    powers = [server_power_w(node(L40S), count) for count in (1, 2, 4, 8)]
    assert [power.high for power in powers] == sorted(power.high for power in powers)
    assert all(power.low < power.typical < power.high for power in powers)
    assert powers[-1].high - powers[0].high >= 7 * 350


def test_devices_that_share_a_board_share_its_power():
    board = replace(L4, slug="nvidia-a16", devices_per_board=4, tdp_w=250)
    assert server_power_w(node(board), 4) == server_power_w(node(replace(board, devices_per_board=1)), 1)


def test_each_gpu_of_a_superchip_draws_what_is_printed():
    chip = replace(B200, slug="nvidia-gb200", form="superchip", devices_per_board=2, tdp_w=1200)
    assert draw_of(node(chip), 4).parts[0].watts.high == 4 * 1200


def test_unknown_card_power_gives_no_figure():
    assert server_power_w(node(replace(RATE_UNKNOWN, tdp_w=None)), 1) is None


def test_power_of_a_rack_unit():
    assert power_per_rack_unit_w(Range(600, 800, 1000), 2) == Range(300, 400, 500)
    assert power_per_rack_unit_w(Range(600, 800, 1000), None) is None
