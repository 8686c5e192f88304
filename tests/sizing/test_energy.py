import pytest

from recommender.sizing.energy import (
    energy_of,
    heat_of,
    power_at_load_w,
    running_cost_of,
    running_cost_score,
)
from recommender.sizing.experiments import (
    gpu_hours_of,
    hours_available,
    month_of,
    stall_of,
    with_stalls,
)
from recommender.sizing.specs import Range, SizingError
from tests.sizing.arithmetic import exactly as typical

KW = Range(8000, 10_000, 12_000)


def test_a_month_at_full_load():
    energy = energy_of(KW, peak_hours=730)
    assert energy.amount == Range(5840, 7300, 8760)
    assert typical(energy.formula) == pytest.approx(7300)


def test_a_month_with_quiet_hours():
    energy = energy_of(KW, peak_hours=100, normal=Range(3000, 4000, 5000))
    assert energy.amount.typical == pytest.approx((10_000 * 100 + 4000 * 630) / 1000)
    assert typical(energy.formula) == pytest.approx(energy.amount.typical)
    with pytest.raises(SizingError):
        energy_of(KW, peak_hours=731)


def test_half_the_load_takes_more_than_half_the_power():
    half = power_at_load_w(Range(1500, 2000, 2500), KW, 0.5)
    assert half.typical == 6000
    assert power_at_load_w(Range(1500, 2000, 2500), KW, 0) == Range(1500, 2000, 2500)
    assert power_at_load_w(Range(1500, 2000, 2500), KW, 1) == KW
    with pytest.raises(SizingError):
        power_at_load_w(KW, KW, 1.1)


def test_all_power_becomes_heat():
    heat = heat_of(KW)
    assert heat.amount.typical == pytest.approx(34_120)  # 1 W = 3.412 BTU/h
    assert typical(heat.formula) == pytest.approx(34_120)


def test_money_only_from_the_readers_tariff():
    energy = energy_of(KW, peak_hours=730).amount
    assert running_cost_of(energy, None) is None
    cost = running_cost_of(energy, 0.2)
    assert cost.amount.typical == pytest.approx(1460)
    assert typical(cost.formula) == pytest.approx(1460)
    between = running_cost_of(energy, Range(0.1, 0.15, 0.2))
    assert between.amount.low == pytest.approx(584)
    assert between.amount.high == pytest.approx(1752)
    with pytest.raises(SizingError):
        running_cost_of(energy, -1)


def test_the_score_of_the_cost_stands_on_a_fixed_scale():
    assert running_cost_score(Range.exact(7300), None) is None
    assert running_cost_score(None, 0.2) is None
    scores = [running_cost_score(Range.exact(kwh), 0.2) for kwh in (10, 73, 730, 7300, 117_000, 1e9)]
    assert scores == sorted(scores, reverse=True)
    assert (scores[1], scores[-2], scores[-1]) == (100, 0, 0)
    assert running_cost_score(Range.exact(7300), 2000) == scores[3], "no currency is better than another"


def test_hours_of_gpus():
    assert gpu_hours_of(Range(10, 12, 20), 8).amount == Range(80, 96, 160)
    month = gpu_hours_of(Range(10, 12, 20), 8, Range.exact(5))
    assert month.amount.typical == typical(month.formula) == 480
    with pytest.raises(SizingError):
        gpu_hours_of(Range.exact(1), 0)


def test_hours_left_to_training():
    left = hours_available(maintenance_hours=10, serving_share=0.75)
    assert left.amount == Range.exact(180)
    assert typical(left.formula) == 180
    with pytest.raises(SizingError):
        hours_available(maintenance_hours=800)


@pytest.mark.parametrize(
    ("experiments", "state"),
    [(4, "fits"), (6, "fits_if"), (11, "no"), (Range(4, 6, 20), "fits_if")],
)
def test_experiments_against_the_hours(experiments, state):
    month = month_of(Range(10, 14, 20), experiments, 100)
    assert month.state == state
    assert month.possible == Range(5, 100 / 14, 10)
    assert typical(month.formula) == pytest.approx(month.share.typical)


def test_a_month_without_hours_has_no_share():
    month = month_of(Range(10, 14, 20), 4, 0)
    assert (month.state, month.share) == ("no", None)


def test_checkpoints_hold_training_up():
    # 140 GB at 2 GB/s: 70 s every 30 minutes
    stall = stall_of(Range(126e9, 140e9, 154e9), 2e9, 30)
    assert stall.write_seconds == Range(63, 70, 77)
    assert stall.share.typical == pytest.approx(70 / 1870)
    assert typical(stall.write_formula) == 70
    assert typical(stall.share_formula) == pytest.approx(70 / 1870)
    assert with_stalls(Range.exact(10), stall).typical == pytest.approx(10 * 1870 / 1800)
    slow = stall_of(Range.exact(140e9), Range(1e9, 2e9, 4e9), 30)
    assert slow.write_seconds == Range(35, 70, 140)
    with pytest.raises(SizingError):
        stall_of(Range.exact(1), 0, 30)
