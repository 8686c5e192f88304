"""Images, speech, pictures and encoders are judged on what other logs say, never on their own."""

import pytest
import yaml
from django.conf import settings

from catalog.models import BenchmarkResult
from recommender import evaluation
from recommender.evaluation.cases import parse
from recommender.evaluation.catalog import CatalogShelf
from recommender.evaluation.throughput import predict
from recommender.sizing import measured

pytestmark = pytest.mark.one_database
FILES = sorted((settings.BASE_DIR / "fixtures" / "benchmarks").glob("*.yaml"))
KINDS = {"vision", "asr", "image_generation", "embedding"}


@pytest.fixture(scope="module")
def entries():
    text = (settings.BASE_DIR / "fixtures" / "benchmarks" / "mlperf-inference.yaml").read_text("utf-8")
    return {entry["id"]: entry for entry in yaml.load(text, Loader=yaml.CSafeLoader)}


def predicted(entry):
    return predict(parse(entry, "x").question, "samples_per_s", CatalogShelf()).range


def poison(group):
    """Make nonsense of everything that is stored of one log."""
    rows = BenchmarkResult.objects.filter(group=group)
    assert rows
    for row in rows:
        row.value *= 1000
        row.save()


@pytest.mark.parametrize(
    ("case", "neighbour"),
    [
        ("B-mlp-130", "mlperf|nvidia-l40|resnet50-v1.5"),
        ("B-mlp-039", "mlperf|nvidia-h200-nvl-141gb|whisper-large-v3"),
        ("B-mlp-009", "mlperf|nvidia-h200-sxm-141gb|stable-diffusion-xl"),
        ("B-mlp-153", "mlperf|nvidia-h100-pcie-80gb|bert-large"),
        ("B-mlp-123", "mlperf|nvidia-l4|3d-unet-kits19"),  # a model that is not in the catalog
    ],
)
def test_a_cases_own_log_never_reaches_its_prediction_and_another_does(catalog, entries, case, neighbour):
    entry = entries[case]
    before = predicted(entry)
    poison(entry["group"])
    assert predicted(entry) == before
    poison(neighbour)
    assert predicted(entry) != before


def test_language_models_are_predicted_without_any_stored_result(catalog, entries):
    entry = entries["B-mlp-001"]
    assert entry["model"].startswith("llama")
    before = predicted(entry | {"judge": ["samples_per_s"]})
    BenchmarkResult.objects.all().delete()
    assert predicted(entry | {"judge": ["samples_per_s"]}) == before


def test_a_model_without_results_falls_back_to_its_arithmetic(catalog, entries):
    BenchmarkResult.objects.filter(ai_model__slug="resnet-50").delete()
    found = predicted(entries["B-mlp-130"])
    assert found.high / found.low > 4  # known by FLOP counts alone


def test_a_card_whose_rates_are_not_published_is_refused_with_the_reason(catalog):
    report = evaluation.evaluate(evaluation.read(FILES), CatalogShelf())
    reasons = {one.case: one.reason for one in report.unanswered if one.figure == measured.SAMPLES}
    assert "not published" in reasons["B-mlp-014"]


def test_classic_and_generative_work_keeps_its_target(catalog):
    """Median error at most 30 %, the range holds four in five, with each log left out."""
    report = evaluation.evaluate(evaluation.read(FILES), CatalogShelf())
    answers = [
        answer
        for answer in report.answers["inference-throughput", measured.SAMPLES]
        if answer.predicted.situation in KINDS
    ]
    errors = sorted(abs(one.predicted.range.typical / one.measured - 1) for one in answers)
    held = [one.predicted.range.low <= one.measured <= one.predicted.range.high for one in answers]
    widths = sorted(one.predicted.range.high / one.predicted.range.low for one in answers)
    assert len(answers) >= 90
    assert errors[len(errors) // 2] <= 0.30
    assert sum(held) >= 0.8 * len(held)
    assert widths[len(widths) // 2] < 4  # a range that holds everything says nothing
