"""What one card's measured rate says of another: values from MLPerf Inference's own result files."""

from dataclasses import replace

import pytest

from recommender.sizing import measured
from recommender.sizing.specs import MeasuredResult
from recommender.sizing.throughput import images_per_minute, texts_per_s, vision_frames_per_s
from tests.sizing.speed_examples import BGE_M3, H200, L4, L40S, RATE_UNKNOWN, SDXL, YOLO

RESNET = replace(YOLO, slug="resnet-50", parameters=25_557_032, gflop_per_image=8.2)


def result(card, value, count=1, **changes):
    given = {
        "card": card,
        "server": None,
        "model": "resnet-50",
        "kind": "inference",
        "unit": "samples_per_s",
        "value": value,
        "count": count,
        "precision": "int8",
        "link": "https://example.com",
        "group": f"log {card.slug}",
        "scenario": "Offline",
    }
    return MeasuredResult(**(given | changes))


def rate(results, card, precision="int8", kind="vision", **options):
    return measured.pieces_per_s(results, kind, card, precision, **options)


def test_the_card_itself_comes_before_all_others():
    # ResNet-50 Offline, INT8: 25,600 images/s on two L4 (v4.1)
    found = rate([result(L4, 25_600.0, 2), result(L40S, 1.0)], L4)
    assert found.basis == "same_card"
    assert found.rate.typical == pytest.approx(12_800)
    assert [one.gpu for one in found.results] == [L4.slug]


def test_another_card_scales_with_the_dense_rate_in_that_type():
    # 733 TOPS on L40S, 242 on L4
    found = rate([result(L4, 12_800.0)], L40S)
    assert found.rate.typical == pytest.approx(12_800 * 733 / 242, rel=0.01)
    assert found.rate.low < found.rate.typical / 1.3 < 1.3 * found.rate.typical < found.rate.high


def test_speech_scales_with_dense_rate_and_bandwidth_alike():
    # 121 and 362 TFLOPS; 300 and 864 GB/s
    found = rate([result(L4, 5.5, precision="fp16")], L40S, "fp16", kind="asr")
    assert found.rate.typical == pytest.approx(5.5 * (362.05 / 121 * 864 / 300) ** 0.5, rel=0.01)


def test_cards_of_the_generation_are_enough_from_two_on():
    near, second = result(L4, 242.0), result(replace(L4, slug="other-ada"), 242.0)
    far = result(H200, 10 * 1979.0)  # ten times the rate that its TOPS promise
    assert rate([near, second, far], L40S).rate.typical == pytest.approx(733, rel=0.01)
    both = rate([near, far], L40S)
    assert both.basis == "same_maker"
    assert both.rate.typical == pytest.approx(733 * 10**0.5, rel=0.01)


def test_a_wider_basis_makes_a_wider_range():
    def width(found):
        return found.rate.high / found.rate.low

    same = rate([result(L4, 12_800.0)], L4)
    near = rate([result(L4, 12_800.0)], L40S)
    far = rate([result(L4, 12_800.0)], H200)
    type_ = rate([result(L4, 12_800.0)], L4, "fp16")
    assert width(same) < width(near) < width(far) < width(type_)


def test_another_type_scales_with_the_rate_of_that_type():
    # BERT-large on A100, v1.1: 2,855 in INT8 and 1,461 in FP16, 624 TOPS and 312 TFLOPS
    found = rate([result(L4, 1000.0)], L4, "fp16")
    assert found.basis == "other_type"
    assert found.rate.typical == pytest.approx(1000 * 121 / 242, rel=0.01)


def test_the_two_16_bit_types_are_one():
    assert rate([result(L4, 5.5, precision="fp16")], L4, "bf16").basis == "same_card"


def test_a_time_limit_costs_what_it_cost_where_both_were_measured():
    offline, server = result(L4, 100.0), result(L4, 80.0, scenario="Server")
    assert rate([offline, server], L4).rate.typical == pytest.approx(100)
    assert rate([offline, server], L4, limited=True).rate.typical == pytest.approx(80)
    assert rate([offline], L4, limited=True).rate.typical == pytest.approx(91)
    assert rate([server], L4).rate.typical == pytest.approx(80 / 0.91)


@pytest.mark.parametrize(
    "strange",
    [
        result(L40S, 1.0, unit="p90_latency_ms"),
        result(L40S, 1.0, kind="training"),
        result(L40S, 1.0, precision="mixed"),
        result(replace(L40S, slug="another-makers", vendor="amd"), 1.0),  # another maker's software
    ],
)
def test_what_is_no_rate_of_such_work_or_another_makers_says_nothing(strange):
    assert rate([strange], L4) is None


def test_a_card_without_published_rates_has_what_was_measured_on_it_and_nothing_else():
    assert rate([result(L4, 1.0)], RATE_UNKNOWN) is None
    found = rate([result(RATE_UNKNOWN, 6607.0)], RATE_UNKNOWN)  # ResNet-50 on an RTX 2000E Ada, v5.1
    assert found.rate.typical == pytest.approx(6607)


def test_a_sample_is_as_many_pieces_as_its_data_set_says():
    # SDXL Offline, v5.1: 1.00634 images a second of 20 steps on four L4
    model = replace(SDXL, measured=(result(L4, 1.00634, 4, precision="fp8", work_per_sample=20.0),))
    twenty = images_per_minute(model, L4, "fp8", steps=20, tuned=True)
    forty = images_per_minute(model, L4, "fp8", steps=40, tuned=True)
    assert twenty.typical == pytest.approx(60 * 1.00634 / 4)
    assert forty.typical == pytest.approx(twenty.typical / 2)


def test_an_ordinary_pipeline_keeps_its_low_end():
    plain = vision_frames_per_s(RESNET, L4, "int8")
    model = replace(RESNET, measured=(result(L4, 12_800.0),))
    ordinary = vision_frames_per_s(model, L4, "int8")
    tuned = vision_frames_per_s(model, L4, "int8", tuned=True)
    assert ordinary.low == plain.low < tuned.low
    assert ordinary.typical == tuned.typical == pytest.approx(12_800)
    unknown = replace(RESNET, measured=(result(RATE_UNKNOWN, 6607.0),))
    assert vision_frames_per_s(unknown, RATE_UNKNOWN, "int8").low < 0.4 * 6607


def test_texts_of_a_benchmark_say_nothing_of_tokens():
    model = replace(BGE_M3, measured=(result(L4, 1000.0),))
    assert texts_per_s(model, L4, "int8", longest_tokens=384, tuned=True).typical == pytest.approx(1000)
