"""Measured cases through the sizing code: what is predicted, what is refused, how it is summed up."""

import io
import json

import pytest
import yaml
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, given, settings, strategies as st

from catalog.models import MeasuredWeights, Source
from recommender import adapters, evaluation
from recommender.evaluation.cases import parse
from recommender.evaluation.catalog import CatalogShelf
from recommender.evaluation.shelf import same_source
from recommender.sizing.demand import Corner
from recommender.sizing.rules import power_of, work_of

pytestmark = pytest.mark.one_database

# vLLM logs: https://github.com/vllm-project/vllm/issues/10517 and the estimator of openshift-psap.
LLAMA_8B = {
    "id": "llama-8b",
    "family": "inference-memory",
    "model": "llama-3.1-8b",
    "gpu": "nvidia-h100-sxm-80gb",
    "gpu_count": 1,
    "precision": {"weights": "bf16", "kv": "bf16"},
    "input": {
        "engine": "vllm",
        "engine_version": "v0.18.0",
        "tensor_parallel": 1,
        "gpu_memory_utilization": 0.9,
        "max_model_len": 20000,
    },
    "measured": {
        "weights_gib_per_gpu": 14.9888,
        "kv_cache_tokens": 430000,
        "kv_bytes_per_token": 131072,  # 2 x 32 layers x 8 heads x 128 x 2 bytes
        "verdict": "fits",
    },
    "judge": ["weights_gib_per_gpu", "kv_bytes_per_token", "kv_cache_tokens", "verdict"],
    "source": {"ref": "https://github.com/vllm-project/vllm/issues/10517"},
}
BENCHMARK = {
    "id": "llama-70b-trt",
    "family": "inference-throughput",
    "model": "llama-3.3-70b",
    "gpu": "nvidia-h200-sxm-141gb",
    "gpu_count": 1,
    "precision": {"weights": "fp8", "kv": "fp8"},
    "input": {
        "engine": "tensorrt-llm",
        "benchmark": "trtllm-bench throughput, infinite request rate",
        "input_tokens": 1000,
        "output_tokens": 1000,
        "tensor_parallel": 1,
    },
    "measured": {"output_tokens_per_s": 2909},  # NVIDIA, TensorRT-LLM performance overview
    "judge": ["output_tokens_per_s"],
}
FINE_TUNING = {
    "id": "llama-3b-full",
    "family": "training",
    "model": "llama-3.2-3b",
    "gpu": "somebody's a100",
    "gpu_proxy": "nvidia-a100-sxm-80gb",
    "gpu_count": 1,
    "precision": {"compute": "bf16 (params, grads, optimizer states bf16)"},
    "input": {
        "framework": "torchtune",
        "method": "full fine-tune",
        "micro_batch": 2,
        "seq_len": 4096,
        "sharding": "none",
        "optimizer": "AdamW",
        "activation_checkpointing": "none",
        "compile": False,
    },
    "measured": {"peak_gpu_gib": 60.0, "tokens_per_s": 7075, "time_to_train_min": 3},  # torchtune, README
    "judge": ["peak_gpu_gib", "tokens_per_s", "time_to_train_min"],
}
CASES = (LLAMA_8B, BENCHMARK, FINE_TUNING)


def changed(case, **changes):
    """Return a copy of a case; `input__engine="x"` changes a value inside."""
    copy = {key: dict(value) if isinstance(value, dict) else value for key, value in case.items()}
    for name, value in changes.items():
        *outer, key = name.split("__")
        (copy[outer[0]] if outer else copy)[key] = value
    return copy


@pytest.fixture
def evaluate(catalog):
    shelf = CatalogShelf()
    return lambda *cases: evaluation.evaluate([parse(case, "case") for case in cases], shelf)


def predicted(report):
    return {
        (answer.case, figure): answer.predicted.range
        for (_family, figure), answers in report.answers.items()
        for answer in answers
    }


def reasons(report):
    return {one.figure: one.reason for one in report.unanswered}


def run(*files, **options):
    out = io.StringIO()
    call_command("evaluate_sizing", *map(str, files), stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "cases.yaml"
    path.write_text(yaml.safe_dump([*CASES, changed(LLAMA_8B, model="nobody's model")]))
    return path


def test_command_prints_the_agreed_json(catalog, file):
    result = json.loads(run(file, format="json"))
    weights = result["families"]["inference-memory"]["weights_gib_per_gpu"]
    assert list(weights) == [
        "cases",
        "predicted",
        "median_signed",
        "median_abs",
        "p90_abs",
        "inside",
        "width",
    ]
    assert (weights["cases"], weights["predicted"], weights["inside"]) == (2, 1, 1.0)
    assert weights["median_abs"] < 0.01
    assert result["families"]["inference-throughput"]["output_tokens_per_s"]["median_abs"] < 0.4
    assert result["families"]["training"]["peak_gpu_gib"]["median_abs"] < 0.35
    assert result["verdicts"]["inference-memory"] == {"fits": [1, 1], "does_not_fit": [0, 0]}
    assert result["refused"]["AI model not in the catalog: nobody's model"] == 4


def test_every_figure_is_predicted_or_refused(catalog, file):
    result = json.loads(run(file, format="json"))
    figures = [figure for family in result["families"].values() for figure in family.values()]
    missing = sum(figure["cases"] - figure["predicted"] for figure in figures)
    refused_verdicts = 1
    assert missing + refused_verdicts == sum(result["refused"].values())


def test_cases_of_the_catalog_are_counted_whether_predicted_or_not(evaluate):
    wordless = changed(BENCHMARK, id="wordless", input__benchmark="a benchmark of our own")
    report = evaluate(*CASES, wordless, changed(LLAMA_8B, model="nobody's model"))
    assert report.covered == {
        "inference-memory": (1, 1),
        "inference-throughput": (1, 2),
        "training": (1, 1),
    }


def test_rates_of_language_models_are_summed_up_by_situation_over_all_figures(evaluate):
    per_gpu = changed(
        BENCHMARK, id="per-gpu", measured={"total_tokens_per_s": 5800}, judge=["total_tokens_per_s"]
    )
    found = evaluate(*CASES, per_gpu).language_models()
    assert list(found) == ["all", "tuned", "tuned, dense"]
    assert [answer.case for answer in found["tuned, dense"]] == ["llama-70b-trt", "per-gpu"]


def test_a_card_that_no_server_takes_checks_the_calculations_and_is_not_published(evaluate, client):
    case = changed(BENCHMARK, gpu="nvidia-h20-96gb", input__engine="sglang")
    assert predicted(evaluate(case))["llama-70b-trt", "output_tokens_per_s"].low > 0
    assert client.get("/en/gpus/nvidia-h20-96gb/").status_code == 404


def test_table_names_figures_verdicts_and_what_was_refused(catalog, file):
    text = run(file)
    assert "kv_cache_tokens" in text
    assert "inference-memory: fits: 1 of 1 right" in text
    assert "4 in 1 cases: AI model not in the catalog: nobody's model" in text
    assert "1 in 1 cases: the steps until a quality is reached cannot be known" in text


def test_several_files_count_together(catalog, file):
    once, twice = (json.loads(run(*[file] * times, format="json")) for times in (1, 2))
    figure = "kv_bytes_per_token"
    assert twice["families"]["inference-memory"][figure]["cases"] == 4
    for name in ("median_abs", "inside"):
        assert [result["families"]["inference-memory"][figure][name] for result in (once, twice)] == [
            once["families"]["inference-memory"][figure][name]
        ] * 2


@pytest.mark.parametrize("text", ["{a: 1}", "[", "\x00"])
def test_a_file_without_cases_is_an_error_of_the_reader(db, tmp_path, text):
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    with pytest.raises(CommandError, match=r"broken\.yaml"):
        run(path)


def test_a_missing_file_is_an_error_of_the_reader(db, tmp_path):
    with pytest.raises(CommandError, match="nothing"):
        run(tmp_path / "nothing.yaml")


def test_what_was_measured_changes_no_prediction(evaluate):
    altered = [
        changed(case, measured={key: 7.0 if key != "verdict" else "does-not-fit" for key in case["measured"]})
        for case in CASES
    ]
    before, after = evaluate(*CASES), evaluate(*altered)
    assert predicted(before) == predicted(after) != {}
    assert [one.fits for one in before.verdicts["inference-memory"]] == [
        one.fits for one in after.verdicts["inference-memory"]
    ]


def test_names_and_order_change_no_prediction(evaluate):
    renamed = [changed(case, group="x", notes="y", evidence="z", system={"name": "w"}) for case in CASES]
    assert predicted(evaluate(*renamed[::-1])) == predicted(evaluate(*CASES))


def test_a_stored_checkpoint_of_the_same_source_is_left_out(catalog):
    """Llama 3.1 405B in FP8 was stored from issue 6746: predicting that log must not read it."""
    row = MeasuredWeights.objects.get(ai_model__slug="llama-3.1-405b", precision="fp8")
    assert row.source.url.endswith("/6746")

    def weights(reference):
        case = changed(
            LLAMA_8B,
            model="llama-3.1-405b",
            gpu_count=8,
            precision={"weights": "fp8", "kv": "bf16"},
            input__tensor_parallel=8,
            source={"ref": reference},
            judge=["weights_gib_per_gpu"],
        )
        report = evaluation.evaluate([parse(case, "case")], CatalogShelf())
        return predicted(report)["llama-8b", "weights_gib_per_gpu"].typical

    elsewhere = weights("https://github.com/vllm-project/vllm/issues/1")
    assert elsewhere == pytest.approx(462.02 / 8, rel=0.02)
    row.delete()
    without = weights("https://github.com/vllm-project/vllm/issues/1")
    assert without != elsewhere
    MeasuredWeights.objects.create(
        ai_model_id=row.ai_model_id,
        precision="fp8",
        gib=462.02,
        source=Source.objects.get(url__endswith="/vllm/issues/6746"),
    )
    assert weights("https://github.com/vllm-project/vllm/issues/6746") == without


@pytest.mark.parametrize(
    ("reference", "text", "same"),
    [
        ("https://github.com/a/b/issues/12", "github.com/a/b/issues/12", True),
        ("https://github.com/a/b/issues/1", "github.com/a/b/issues/12", False),
        ("github:a/b@0123abc", "a/b models/c.yaml", True),
        ("github:a/b@0123abc", "a/bc models/c.yaml", False),
        ("public file, text-index id 1272019175", "log of 8 ranks, file id 1272019175", True),
        ("public file, text-index id 1272019175", "log of 8 ranks, file id 1272019176", False),
        ("", "a/b", False),
    ],
)
def test_sources_are_compared_by_address_repository_or_file(reference, text, same):
    assert same_source(reference, [text]) is same


def test_reported_memory_takes_the_place_of_the_card_s_own(evaluate):
    smaller = changed(LLAMA_8B, id="smaller", gpu_total_gib_reported=75.0)
    found = predicted(evaluate(LLAMA_8B, smaller))
    gained = found["llama-8b", "kv_cache_tokens"].typical - found["smaller", "kv_cache_tokens"].typical
    reported = 79.65  # GiB, nvidia-smi on an H100 SXM
    assert gained == pytest.approx(0.9 * (reported - 75) * 2**30 / 131072, rel=0.02)


def test_of_a_card_that_is_not_in_the_catalog_only_memory_is_known(evaluate):
    known = predicted(evaluate(LLAMA_8B))["llama-8b", "kv_cache_tokens"]
    named = predicted(evaluate(changed(LLAMA_8B, gpu="nvidia-h800-80gb")))["llama-8b", "kv_cache_tokens"]
    assert named.low < known.typical < named.high  # 0.93 to 1.00 of the number in its name
    stated = changed(LLAMA_8B, gpu="nvidia-geforce", gpu_total_gib_reported=79.65)
    assert predicted(evaluate(stated))["llama-8b", "kv_cache_tokens"].typical == known.typical
    fast = changed(FINE_TUNING, gpu="nvidia-h800-80gb", gpu_proxy=None)
    assert "rate is not published" in reasons(evaluate(fast))["tokens_per_s"]
    assert ("llama-3b-full", "peak_gpu_gib") in predicted(evaluate(fast))


def test_experts_over_data_parallel_ranks_leave_room_for_the_cache(evaluate):
    mixture = changed(
        LLAMA_8B,
        model="qwen3-235b-a22b",
        gpu="nvidia-h200-sxm-141gb",
        gpu_count=8,
        input__data_parallel=8,
        input__max_model_len=None,
        judge=["weights_gib_per_gpu"],
    )
    spread = changed(mixture, input__expert_parallel=True)
    (copied,) = predicted(evaluate(mixture)).values()
    (shared,) = predicted(evaluate(spread)).values()
    # 94 layers of 128 experts of three matrices 4096 x 1536 in 16 bits, seven eighths of them elsewhere
    experts = 94 * 128 * 3 * 4096 * 1536 * 2 / 2**30
    assert copied.typical - shared.typical == pytest.approx(7 / 8 * experts, rel=0.01)


@pytest.mark.parametrize(
    ("case", "changes", "reason"),
    [
        (LLAMA_8B, {"precision__weights": "q4_k_m"}, "weights precision spelling not known: 'q4_k_m'"),
        (LLAMA_8B, {"precision__kv": "fp4"}, "cache precision spelling not known: 'fp4'"),
        (LLAMA_8B, {"input__engine": "llama.cpp"}, "engine spelling not known: 'llama.cpp'"),
        (LLAMA_8B, {"input__engine_version": "nightly"}, "engine version not known: 'nightly'"),
        (LLAMA_8B, {"input__tensor_parallel": "two"}, "input not understood: tensor_parallel 'two'"),
        (LLAMA_8B, {"gpu": "abacus"}, "GPU not in the catalog: abacus"),
        (LLAMA_8B, {"family": "weather"}, "family not known: 'weather'"),
        (LLAMA_8B, {"gpu_count": 0}, "gpu_count not understood: 0"),
        (LLAMA_8B, {"input": None}, "the case has no inputs"),
        (LLAMA_8B, {"measured": {"weights_gib_per_gpu": "x"}}, "the measured value is no number above zero"),
        (LLAMA_8B, {"judge": ["happiness"]}, "figure not predicted: happiness"),
        (BENCHMARK, {"input__benchmark": "poetry"}, "benchmark spelling not known: 'poetry'"),
        (BENCHMARK, {"input__parallel": "EP 3"}, "parallel spelling not known: 'EP 3'"),
        (BENCHMARK, {"input__output_tokens": None}, "input not stated: output_tokens"),
        (BENCHMARK, {"input__tensor_parallel": 2}, "the layout needs more GPUs than the case has"),
        (FINE_TUNING, {"input__framework": "abacus"}, "framework spelling not known: 'abacus'"),
        (FINE_TUNING, {"input__method": "osmosis"}, "training method spelling not known: 'osmosis'"),
        (FINE_TUNING, {"input__optimizer": "Lion"}, "optimizer spelling not known: 'Lion'"),
        (FINE_TUNING, {"input__sharding": "ring"}, "sharding spelling not known: 'ring'"),
        (FINE_TUNING, {"input__seq_len": None}, "input not stated: seq_len"),
        (FINE_TUNING, {"precision__compute": "posit"}, "compute precision spelling not known: 'posit'"),
    ],
)
def test_what_is_not_known_is_refused_with_its_reason(evaluate, case, changes, reason):
    assert reason in reasons(evaluate(changed(case, **changes))).values()


def test_a_suite_without_lengths_gives_a_range_and_no_point(evaluate):
    case = changed(
        BENCHMARK,
        gpu_count=8,
        input={
            "engine": "tensorrt-llm",
            "benchmark": "llama2-70b-99",
            "scenario": "Offline",
            "max_input_tokens": 1024,
            "max_output_tokens": 1024,
            "mean_input_tokens": None,
        },
    )
    found = evaluate(case).scores()["inference-throughput"]["output_tokens_per_s"]
    assert (found.predicted, found.median_abs, found.p90_abs) == (1, None, None)
    assert found.width > 1.5


def test_windows_of_older_engines_are_planned_with_a_batch(evaluate):
    """vLLM before v0.21 fits a tenth as many requests of Gemma into the same pool."""
    gemma = changed(
        LLAMA_8B,
        model="gemma-4-31b",
        gpu="nvidia-h200-sxm-141gb",
        judge=["max_concurrency_x"],
        input__gpu_memory_utilization=0.95,
        input__max_model_len=8192,
        measured={"max_concurrency_x": 10.13},  # openshift-psap/vllm-memory-estimator
    )
    older = predicted(evaluate(gemma))["llama-8b", "max_concurrency_x"].typical
    newer = predicted(evaluate(changed(gemma, input__engine_version="v0.21.0")))
    assert older == pytest.approx(10.13, rel=0.1)
    assert newer["llama-8b", "max_concurrency_x"].typical > 3 * older


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 10**30),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=1),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_stands_in_a_case_the_answer_is_a_report(evaluate, data):
    case = changed(data.draw(st.sampled_from(CASES)))
    for _ in range(data.draw(st.integers(1, 3))):
        part = data.draw(st.sampled_from([None, "input", "precision", "measured"]))
        place = case[part] if part and isinstance(case.get(part), dict) and case[part] else case
        place[data.draw(st.sampled_from(sorted(place)))] = data.draw(VALUES)
    report = evaluate(case, data.draw(VALUES))
    json.dumps(report.as_json(), allow_nan=False)
    answered = sum(map(len, report.answers.values())) + sum(map(len, report.verdicts.values()))
    assert answered + len(report.unanswered) == sum(report.asked.values())


def test_an_open_form_may_be_linked_either_way(evaluate):
    """Source says "H100 80 GB" only: two cards may be joined by a switch or over PCIe."""
    stated = changed(BENCHMARK, id="sxm", gpu="nvidia-h100-sxm-80gb", gpu_count=2, input__tensor_parallel=2)
    proxy = {"gpu": "nvidia-h100-80gb-unspecified", "gpu_proxy": "nvidia-h100-sxm-80gb"}
    found = predicted(evaluate(stated, changed(stated, id="open", **proxy)))
    sxm, either = (found[name, "output_tokens_per_s"] for name in ("sxm", "open"))
    assert either.high == sxm.high
    assert either.low < 0.95 * sxm.low


def test_beams_cost_as_much_as_answers(evaluate):
    suite = {
        "engine": "tensorrt-llm",
        "benchmark": "gptj-99",
        "scenario": "Offline",
        "max_input_tokens": 1919,
        "max_output_tokens": 128,
    }
    one = changed(BENCHMARK, id="one", judge=["samples_per_s"], measured={"samples_per_s": 9.0}, input=suite)
    four = changed(one, id="four", input=suite | {"beam_width": 4})
    found = predicted(evaluate(one, four))
    ratio = found["one", "samples_per_s"].typical / found["four", "samples_per_s"].typical
    assert 1 < ratio < 4  # the prompt is read once


def test_a_figure_named_twice_is_asked_once(evaluate):
    report = evaluate(changed(FINE_TUNING, judge=["tokens_per_s", "tokens_per_s"]))
    assert report.asked == {("training", "tokens_per_s"): 1}


def test_power_of_servers_is_judged_wherever_it_was_measured(evaluate):
    case = changed(
        BENCHMARK,
        gpu="nvidia-b200-sxm-180gb",
        gpu_count=8,
        measured={"output_tokens_per_s": 102909.0, "mean_system_power_w": 9653.5},  # MLPerf Inference v5.1
    )
    found = predicted(evaluate(case))["llama-70b-trt", "mean_system_power_w"]
    assert found.low <= 9653.5 <= found.high
    # judged as what results show of a server that answers: the calculation of the same kind of work
    specs = adapters.load_specs()
    nodes = [node for machine in specs.machines for node in machine.nodes if node.gpu.slug == case["gpu"]]
    serving = work_of(Corner(model=specs.models[case["model"]]))
    shown = [power_of(node, 8, 1, serving) for node in nodes if max(node.counts) >= 8]
    assert found.low == min(one.low for one in shown)
    assert found.high == max(one.high for one in shown)
    unknown = evaluate(changed(case, gpu_count=64))
    assert (
        reasons(unknown)["mean_system_power_w"] == "no server of the catalog takes that many of these cards"
    )


def test_no_prediction_is_better_than_its_roofline(evaluate):
    prompts = ("trtllm-bench throughput", "decode 32 after 32 prompt tokens, batch 1")
    cases = [changed(BENCHMARK, id=name, input__benchmark=name) for name in prompts]
    found = [one for group in evaluate(*cases).answers.values() for one in group]
    assert len(found) == 2
    assert all(one.predicted.range.typical < one.predicted.bound for one in found)


def test_the_roofline_of_decoding_one_stream_reads_all_weights_once_a_token(evaluate):
    alone = changed(BENCHMARK, input__batch=1, input__input_tokens=1, input__output_tokens=1)
    found = evaluate(alone).answers["inference-throughput", "output_tokens_per_s"][0]
    bandwidth, parameters = 4.8e12, 70.6e9  # NVIDIA H200 data sheet; Llama 3.3 70B in FP8, a byte each
    assert found.predicted.bound == pytest.approx(bandwidth / parameters, rel=0.04)
