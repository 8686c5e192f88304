from dataclasses import replace

import pytest

from recommender.sizing.power import server_power_w
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
def test_eight_b200_at_work(cooling, measured):
    power = server_power_w(node(B200, link="nvswitch", cooling=cooling), 8)
    assert power.low <= measured <= power.high
    assert power.typical == pytest.approx(measured, rel=0.2)


def test_eight_h100_stay_near_the_published_maximum():
    # NVIDIA prints 10.2 kW at most for DGX H100
    assert 9000 <= server_power_w(node(H100, link="nvswitch"), 8).high <= 11_000


def test_a_power_cap_counts():
    capped = server_power_w(node(L40S, card_power_cap_w=250.0), 4)
    assert capped.high < server_power_w(node(L40S), 4).high


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


def test_unknown_card_power_gives_no_figure():
    assert server_power_w(node(replace(RATE_UNKNOWN, tdp_w=None)), 1) is None
