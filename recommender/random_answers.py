"""Random sets of answers, to measure the engine over and to test what always holds.

They are of the kind that readers give: a work with some of its questions answered, now and then with a range.
"""

from collections.abc import Sequence
from math import exp, log
from random import Random

from recommender.sizing.specs import AIModelSpec

KINDS = {
    "vision": "vision",
    "speech": "asr",
    "image_generation": "image_generation",
    "embeddings": "embedding",
}
# Least and most of an answer, spread evenly over its orders of magnitude.
TEXT_LOAD = {
    "concurrency": (1, 400),
    "input_tokens": (50, 8000),
    "output_tokens": (20, 1500),
    "ttft_ms": (200, 10_000),
    "tpot_ms": (15, 200),
    "prefix_percent": (1, 80),
}
PEOPLE = {"users": (10, 5000), "active_percent": (5, 40), "requests_per_user_minute": (0.05, 3)}
OTHER_LOAD = {
    "vision": {"streams": (1, 300), "frames_per_second": (1, 60)},
    "speech": {"audio_streams": (1, 500)},
    "image_generation": {"images_per_minute": (1, 300)},
    "embeddings": {"requests_per_second": (0.1, 300), "input_tokens": (50, 500)},
}
TRAINING_LOAD = {
    "dataset_tokens": (1e6, 1e12),
    "target_hours": (1, 2000),
    "epochs": (1, 5),
    "global_batch": (8, 1024),
    "experiments_per_month": (1, 40),
    "checkpoint_minutes": (10, 240),
}
SITE = {
    "rack_units": (1, 42),
    "power_kw": (0.5, 60),
    "max_depth_mm": (600, 1200),
    "temperature_max_c": (18, 50),
    "growth_percent": (5, 100),
    "horizon_years": (1, 5),
    "network_gbe": (10, 800),
    "storage_gbs": (1, 40),
}
WHOLE = frozenset(
    {
        "concurrency",
        "input_tokens",
        "output_tokens",
        "users",
        "streams",
        "audio_streams",
        "global_batch",
        "dataset_tokens",
        "rack_units",
        "max_depth_mm",
        "epochs",
        "experiments_per_month",
    }
)
CHOICES = {
    "precision": ("auto", "bf16", "fp8", "int8", "int4", "fp4"),
    "kv_precision": ("bf16", "fp8"),
    "engine": ("vllm", "sglang", "tensorrt_llm"),
    "availability": ("single", "n_plus_1"),
    "site": ("datacenter", "edge"),
    "cooling": ("air", "liquid", "any"),
    "cpu_vendor": ("amd", "intel"),
    "gpu_vendor": ("nvidia", "amd"),
    "priority": ("balanced", "performance", "footprint", "power", "growth"),
    "queue_ok": ("yes", "no"),
    "one_node": ("yes", "by_schedule", "separate"),
}
METHODS = ("pretraining", "full", "lora", "qlora")
STAGES = (
    "inference",
    "inference",
    "inference",
    "inference",
    "mixed",
    "fine_tuning",
    "training",
    "development",
)


def random_answers(random: Random, models: Sequence[AIModelSpec]) -> dict[str, str]:
    """Return a set of good answers as texts by key.

    Args:
        models: those of the catalog, in a fixed order: the same state of `random` gives the same answers.
    """
    stage = random.choice(STAGES)
    found = {"stage": stage}
    work = random.choice(("chat", "chat", "rag", *KINDS)) if stage == "inference" else "chat"
    kind = KINDS.get(work)
    if kind or (random.random() < 0.5 and stage == "inference"):
        found["workload"] = work
    suited = [model for model in models if (model.kind == kind if kind else model.generates_tokens)]
    model = random.choice(suited)
    if random.random() < 0.9:
        found["model"] = model.slug
    load = OTHER_LOAD[work] if kind else TEXT_LOAD
    if not kind and random.random() < 0.25:
        load = {**{key: ends for key, ends in load.items() if key != "concurrency"}, **PEOPLE}
    trains = stage in ("mixed", "fine_tuning", "training")
    if stage in ("fine_tuning", "training"):
        load = {}
    _numbers(random, found, load, 0.7)
    if trains:
        found["method"] = "pretraining" if stage == "training" else random.choice(METHODS[1:])
        _numbers(random, found, TRAINING_LOAD, 0.5)
    _numbers(random, found, SITE, 0.12)
    for key, values in CHOICES.items():
        if random.random() < 0.2:
            found[key] = random.choice(values)
    if not kind and "workload" not in found and not trains and random.random() < 0.5:
        longest = min(model.max_context or 32_768, 131_072) if "model" in found else 16_384
        if longest >= 16_384:
            found["context_tokens"] = str(random.choice((10_240, 12_288, 16_384, longest)))
    return found


def _numbers(
    random: Random, found: dict[str, str], load: dict[str, tuple[float, float]], share: float
) -> None:
    """Answer that share of the questions, one in eight with a range."""
    for key, (least, most) in load.items():
        if random.random() > share:
            continue
        low = exp(random.uniform(log(least), log(most)))
        text = _text(key, low)
        if random.random() < 1 / 8:
            text = f"{text}..{_text(key, min(low * random.uniform(1, 3), most))}"
        found[key] = text


def _text(key: str, value: float) -> str:
    return str(round(value)) if key in WHOLE else f"{value:.3f}"
