from dataclasses import replace

import pytest

from recommender.sizing.specs import SizingError
from recommender.sizing.throughput import (
    audio_seconds_per_s,
    embedding_tokens_per_s,
    images_per_minute,
    vision_frames_per_s,
)
from tests.sizing.speed_examples import (
    B200,
    BGE_M3,
    H200,
    L4,
    L40S,
    LLAMA_8B,
    RATE_UNKNOWN,
    SDXL,
    WHISPER,
    YOLO,
)

RESNET = replace(YOLO, slug="resnet-50", parameters=25_557_032, gflop_per_image=8.2)


@pytest.mark.parametrize(("gpu", "samples"), [(L4, 25_600 / 2)])
def test_images_classified_in_eight_bit(gpu, samples):
    # MLPerf Inference, ResNet-50 Offline, INT8 on L4: the best that a card does
    rate = vision_frames_per_s(RESNET, gpu, "int8")
    assert rate.low < samples <= rate.high


def test_work_of_a_vision_transformer():
    # ViT-L/16 takes 123 GFLOP for a picture of 224 pixels (61.6 G multiply-adds): torchvision's model table
    vit = replace(YOLO, slug="vit-large-16", parameters=304_326_632, num_layers=24, hidden_size=1024)
    given = vision_frames_per_s(replace(vit, gflop_per_image=123.1), L4, "fp16")
    worked_out = vision_frames_per_s(replace(vit, gflop_per_image=None), L4, "fp16")
    assert worked_out.typical == pytest.approx(given.typical, rel=0.05)


def test_frames_of_a_detector():
    # YOLO11m at 640 pixels, 68.5 GFLOP: an L4 takes hundreds of frames a second, not tens of thousands
    rate = vision_frames_per_s(YOLO, L4, "fp16")
    assert 50 < rate.low < rate.typical < rate.high < 121e12 / 68.5e9


@pytest.mark.parametrize(
    ("gpu", "samples"),
    [(L4, 22.0151 / 4), (L40S, 146.111 / 8)],  # MLPerf Inference v5.1, Whisper Offline, a card
)
def test_speech(gpu, samples):
    # the benchmark's samples last up to 30 s, so the rate is a little below 30 s of speech each
    rate = audio_seconds_per_s(WHISPER, gpu, "fp16")
    assert rate.low <= samples * 27 <= rate.high


@pytest.mark.parametrize(
    ("gpu", "images_per_s"),
    [(L4, 1.00634 / 4), (H200, 19.1227 / 8), (B200, 31.7836 / 8)],  # MLPerf Inference, SDXL Offline, 20 steps
)
def test_images(gpu, images_per_s):
    rate = images_per_minute(SDXL, gpu, "fp8", steps=20)
    assert rate.low <= images_per_s * 60 <= rate.high


def test_more_steps_make_fewer_images():
    assert images_per_minute(SDXL, L4, "fp16", steps=50).typical < images_per_minute(SDXL, L4, "fp16").typical


def test_embeddings():
    # 20 requests of 512 tokens a second take 12 TFLOP/s of matrix work: one L4 is enough
    rate = embedding_tokens_per_s(BGE_M3, L4, "fp16")
    assert rate.low > 20 * 512


def test_unknown_rates_and_models_give_no_figure():
    assert vision_frames_per_s(YOLO, RATE_UNKNOWN, "int8") is None
    assert vision_frames_per_s(replace(YOLO, gflop_per_image=None), L4, "int8") is None
    assert audio_seconds_per_s(WHISPER, RATE_UNKNOWN, "fp16") is None
    assert images_per_minute(SDXL, RATE_UNKNOWN, "fp16") is None
    assert embedding_tokens_per_s(BGE_M3, RATE_UNKNOWN, "fp16") is None


@pytest.mark.parametrize(
    "rate", [vision_frames_per_s, audio_seconds_per_s, images_per_minute, embedding_tokens_per_s]
)
def test_each_work_takes_its_own_models(rate):
    with pytest.raises(SizingError):
        rate(LLAMA_8B, L4, "fp16")
