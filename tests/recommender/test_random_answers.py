"""What advice promises, held against random sets of answers; HYPOTHESIS_PROFILE=long takes 1,000 of them."""

import os
from math import prod
from random import Random

import pytest

from catalog.models import Server
from recommender import answers, services
from recommender.adapters import load_specs
from recommender.random_answers import random_answers

pytestmark = [pytest.mark.usefixtures("catalog"), pytest.mark.one_database]

SETS = 1000 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 24
PARTS = 4  # tests, so that several processes share them
CODES = {
    "memory",
    "temperature",
    "depth",
    "rack_units",
    "power",
    "cooling",
    "cpu_vendor",
    "gpu_vendor",
    "latency",
    "throughput",
    "interconnect",
    "no_gpu",
    "precision",
    "site",
    "training_time",
}
TRIPLES = ("ttft_ms", "tpot_ms", "output_tokens_per_s", "training_hours", "power_w")
LINES = ("weights", "kv_cache", "activations", "optimizer", "gradients", "overhead")
GIB_STEP = 0.0001  # to which a line is rounded


@pytest.mark.parametrize("part", range(PARTS))
def test_any_answers_get_advice_that_keeps_its_word(part):
    random = Random(1000 + part)
    specs = load_specs()
    models = [specs.models[slug] for slug in sorted(specs.models)]
    published = set(Server.objects.published().values_list("slug", flat=True))
    wrong = set()
    for _set in range(SETS // PARTS):
        given = random_answers(random, models)
        try:
            held(services.as_json(services.recommend(answers.parse(given)), top=10_000), published)
        except services.BadAnswers as bad:
            wrong |= {problem.key for problem in bad.problems}
        except Exception as error:
            error.add_note(f"answers: {given}")
            raise
    # What can be wrong with them: a request longer than the model takes, and a model that cannot be trained.
    assert wrong <= {"context_tokens", "input_tokens", "output_tokens", "model"}


def held(advice, published):
    """Hold advice against everything that the contract says of it."""
    matched = {match["server"] for match in advice["matches"]}
    rejected = [item["server"] for item in advice["rejected"]]
    assert matched.isdisjoint(rejected)
    assert len(rejected) == len(set(rejected))
    assert matched | set(rejected) == published
    assert not advice["not_shown"]
    for item in advice["rejected"]:
        assert item["reasons"]
        assert {reason["code"] for reason in item["reasons"]} <= CODES
        assert all(reason["text"] for reason in item["reasons"])
    assert [match["rank"] for match in advice["matches"]] == list(range(1, len(advice["matches"]) + 1))
    states = [match["state"] for match in advice["matches"]]
    assert states == sorted(states)  # "fits" before "fits_if"
    for match in advice["matches"]:
        match_holds(match)
    if advice["matches"]:
        unknown = ["unknown" in match["evidence"].values() for match in advice["matches"]]
        assert not unknown[0] or all(unknown)


def match_holds(match):
    assert match["state"] == "fits" or match["warnings"]
    assert not match["firm"] or match["state"] == "fits"
    assert 0 <= match["score"] <= 100
    assert all(value is None or 0 <= value <= 100 for value in match["criteria"].values())
    assert 1 <= match["servers"] <= 64
    used = prod(match[name] for name in ("tensor_parallel", "pipeline_parallel", "replicas"))
    assert used + match["idle_gpus"] == match["gpus_per_server"] * match["servers"]
    assert match["idle_gpus"] >= 0
    triples = [match[name] for name in TRIPLES]
    if match["throughput"]:
        triples.append(match["throughput"]["range"])
    for triple in triples:
        assert triple is None or 0 < triple[0] <= triple[1] <= triple[2]
    memory = match["memory_gib_per_gpu"]
    if memory["total"] is not None:
        lines = [memory[name] for name in LINES if memory[name] is not None]
        assert sum(lines) == pytest.approx(memory["total"], abs=len(LINES) * GIB_STEP)
        assert min(lines) >= 0
        if match["state"] == "fits":
            assert memory["total"] <= memory["available"] + GIB_STEP
    assert match["max_concurrency"] is None or match["max_concurrency"] >= 0
    assert match["rack_units"] is None or match["rack_units"] > 0
    assert set(match["evidence"].values()) <= {"measured_here", "measured_elsewhere", "computed", "unknown"}
