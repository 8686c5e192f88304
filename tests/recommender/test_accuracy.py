import json
import math
import re

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils.translation import override

from recommender import accuracy, accuracy_texts
from recommender.accuracy_chart import chart_of
from recommender.evaluation.catalog import CatalogShelf
from tests.conftest import ROOT
from tests.pages import LANGUAGES, Document, Page

FIXTURES = ROOT / "fixtures"
LARGEST_PAGE = 120_000

pytestmark = pytest.mark.usefixtures("catalog")


@pytest.fixture(scope="module")
def kept():
    return accuracy.stored(accuracy.stored_file(FIXTURES))


def the_figure(kept, family, figure):
    return kept.figures[family, figure]


def test_the_page_says_what_the_code_gives():
    """All cases are predicted again. After a change of the code: `manage.py measure_accuracy`."""
    data = accuracy.measured(accuracy.case_files(FIXTURES), CatalogShelf())
    stored = json.loads(accuracy.stored_file(FIXTURES).read_text(encoding="utf-8"))
    for part in ("rules_version", "cases", "sources", "covered", "verdicts", "refused"):
        assert data[part] == stored[part]
    found = {(one["family"], one["figure"]): one for one in stored["figures"]}
    assert len(found) == len(data["figures"])
    for one in data["figures"]:
        other = found[one["family"], one["figure"]]
        cases = {case["id"]: case for case in other["cases"]}
        assert {case["id"]: case for case in one["cases"]} == cases, one["figure"]
        assert one == other, one["figure"]
    assert accuracy.text_of(data) == accuracy.stored_file(FIXTURES).read_text(encoding="utf-8")


def test_the_command_finds_an_old_file_and_puts_it_right(tmp_path):
    (tmp_path / "benchmarks").mkdir()
    cases = (FIXTURES / "benchmarks" / "mlperf-training.yaml").read_text(encoding="utf-8")
    (tmp_path / "benchmarks" / "a.yaml").write_text(cases, encoding="utf-8")
    with pytest.raises(CommandError, match="not what the code gives"):
        call_command("measure_accuracy", "--check", folder=tmp_path)
    assert not accuracy.stored_file(tmp_path).exists()
    call_command("measure_accuracy", folder=tmp_path)
    first = accuracy.stored_file(tmp_path).read_bytes()
    call_command("measure_accuracy", "--check", folder=tmp_path)
    call_command("measure_accuracy", folder=tmp_path)
    assert accuracy.stored_file(tmp_path).read_bytes() == first


def test_no_cases_are_no_accuracy(tmp_path):
    with pytest.raises(CommandError, match="no measured cases"):
        call_command("measure_accuracy", folder=tmp_path)


def test_every_case_that_asks_is_predicted_or_refused_with_a_reason(kept):
    for found in kept.data["figures"]:
        refused = sum(count for _reason, count in found["refused"])
        assert found["score"]["predicted"] == len(found["cases"])
        assert found["score"]["cases"] == len(found["cases"]) + refused, found["figure"]
    assert sum(count for _reason, count in kept.data["refused"]) >= 30


def test_the_page_says_how_many_cases_with_model_and_card_are_predicted(kept, client):
    covered = kept.data["covered"]
    assert set(covered) == {"inference-throughput", "training", "inference-memory"}
    assert sum(known for _predicted, known in covered.values()) <= kept.data["cases"]
    with override("en"):
        text = " ".join(Document(client.get(reverse("recommender:accuracy")).content.decode()).texts)
    for predicted, known in covered.values():
        assert f"are in the catalog: {known}; predicted: {predicted}, or " in text


def test_scores_are_those_of_the_cases(kept):
    """Median, share inside and width, worked out from the cases that the page shows."""
    for found in kept.data["figures"]:
        cases, score = found["cases"], found["score"]
        errors = sorted(abs(case["error"]) for case in cases if case["error"] is not None)
        if errors:
            middle = (errors[(len(errors) - 1) // 2] + errors[len(errors) // 2]) / 2
            assert score["median_abs"] == pytest.approx(middle, abs=0.001)
            assert score["median_abs"] <= score["p90_abs"] <= errors[-1] + 0.001
        if cases:
            held = sum(
                case["predicted"][0] * 0.9999 <= case["measured"] <= case["predicted"][2] * 1.0001
                for case in cases
            )
            assert score["inside"] == pytest.approx(held / len(cases), abs=1.01 / len(cases))
            assert sum(case["inside"] for case in cases) == pytest.approx(
                score["inside"] * len(cases), abs=0.05
            )


def test_the_worst_comes_first(kept):
    for found in kept.data["figures"]:
        errors = [abs(case["error"]) for case in found["cases"] if case["error"] is not None]
        assert errors == sorted(errors, reverse=True)


def test_the_file_is_in_one_form_only(kept):
    """Sorted, and rounded to digits that are the same on every machine."""
    text = accuracy.stored_file(FIXTURES).read_text(encoding="utf-8")
    assert text == accuracy.text_of(json.loads(text))
    for found in kept.data["figures"]:
        for case in found["cases"]:
            for value in (case["measured"], *case["predicted"]):
                assert value == float(f"{value:.4g}")


def test_situations_figures_and_reasons_have_words(kept):
    """What the evaluation calls something new needs words here, in three languages."""
    for found in kept.data["figures"]:
        assert (found["family"], found["figure"]) in accuracy_texts.FIGURES
        for name in found["situations"]:
            assert set(name.split(", ")) <= set(accuracy_texts.SITUATIONS), name
    for reason, _count in kept.data["refused"]:
        assert accuracy_texts.reason(reason)[1], reason


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_overview_leads_to_every_figure(client, kept, language):
    response = client.get(Page("recommender:accuracy").path(language))
    links = {attributes.get("href") for tag, attributes in Document(response.content.decode()).elements}
    for (family, figure), found in kept.figures.items():
        kwargs = {"family": family, "figure": accuracy_texts.slug(figure)}
        with override(language):
            address = reverse("recommender:accuracy_figure", kwargs=kwargs)
        assert (address in links) == bool(found["cases"]), figure
        assert client.get(address).status_code == (200 if found["cases"] else 404)


def test_every_page_stays_small_and_its_pages_hold_every_case(client, kept):
    for (family, figure), found in kept.figures.items():
        if not found["cases"]:
            continue
        address = Page(
            "recommender:accuracy_figure", {"family": family, "figure": accuracy_texts.slug(figure)}
        ).path("ru")
        seen = []
        for number in range(1, -(-len(found["cases"]) // 50) + 1):
            response = client.get(address, {"page": number})
            assert len(response.content) < LARGEST_PAGE, (figure, len(response.content))
            document = Document(response.content.decode())
            rows = [
                attributes["id"]
                for tag, attributes in document.elements
                if tag == "tr" and "id" in attributes
            ]
            seen += rows
        assert seen == [case["id"] for case in found["cases"]]


def test_a_case_shows_its_error_its_range_and_its_address(client, kept):
    found = the_figure(kept, "inference-throughput", "mean_system_power_w")
    worst = found["cases"][0]
    address = Page(
        "recommender:accuracy_figure", {"family": "inference-throughput", "figure": "mean-system-power-w"}
    ).path("es")
    html = client.get(address).content.decode()
    row = html[html.index(f'id="{worst["id"]}"') :].partition("</tr>")[0]
    assert worst["link"] in row
    assert "7734" in row, "Spanish groups from five digits on"
    percent = f"{100 * worst['error']:.0f}"
    assert f"+{percent}" in row.replace("\u202f", "").replace("\xa0", "")


def test_the_drawing_has_a_mark_for_every_case_of_the_table(client, kept):
    found = the_figure(kept, "training", "tokens_per_s_per_gpu")
    address = Page(
        "recommender:accuracy_figure", {"family": "training", "figure": "tokens-per-s-per-gpu"}
    ).path("ru")
    html = client.get(address).content.decode()
    svg = html[html.index('<svg class="scatter"') :].partition("</svg>")[0]
    missed = sum(not case["inside"] for case in found["cases"])
    assert svg.count("<circle") == len(found["cases"]) - missed
    assert svg.count('class="cross"') == missed
    for name in ("cx", "cy", "d", "x", "y", "viewBox"):
        for value in re.findall(rf'\b{name}="([^"]*)"', svg):
            assert not {",", "\xa0", "\u202f"} & set(value), "machines read plain decimals"
    assert '<title id="chart-title">' in svg
    assert '<desc id="chart-desc">' in svg


def test_a_case_lies_where_its_numbers_are():
    cases = [
        {"measured": 10.0, "predicted": [5.0, 10.0, 20.0], "inside": True},
        {"measured": 1000.0, "predicted": [100.0, 200.0, 400.0], "inside": False},
    ]
    chart = chart_of(cases)
    right, wrong = chart.points

    def diagonal(x):
        return chart.bottom - (float(x) - chart.left) / (chart.right - chart.left) * (
            chart.bottom - chart.top
        )

    assert float(right.y) == pytest.approx(diagonal(right.x), abs=0.2), "equal values lie on the diagonal"
    assert float(right.top) < float(right.y) < float(right.bottom)
    assert float(wrong.y) > diagonal(wrong.x), "too low a prediction lies below it"
    half = (math.log10(20) - math.log10(10)) / (math.log10(1000) - math.log10(100))
    across = float(wrong.x) - float(right.x)
    assert (float(right.y) - float(right.top)) / (across / 2) == pytest.approx(half, abs=0.01)
    values = [tick.value for tick in chart.ticks]
    assert {10, 100, 1000} <= set(values)
    assert chart_of([]) is None


def test_pages_cost_the_same_queries_whatever_they_show(client, django_assert_max_num_queries):
    for page in (
        Page("recommender:accuracy"),
        Page("recommender:accuracy_figure", {"family": "training", "figure": "peak-gpu-gib"}),
        Page(
            "recommender:accuracy_figure", {"family": "inference-throughput", "figure": "output-tokens-per-s"}
        ),
    ):
        with django_assert_max_num_queries(4):
            client.get(page.path("en"))


@pytest.mark.parametrize("number", ["0", "999", "x", "-1"])
def test_a_page_that_is_not_there_shows_one_that_is(client, number):
    path = Page("recommender:accuracy_figure", {"family": "training", "figure": "tokens-per-s-per-gpu"}).path(
        "en"
    )
    response = client.get(path, {"page": number})
    assert response.status_code == 200
    assert 'class="scatter"' in response.content.decode()


def test_a_figure_that_is_not_there_is_missing(client):
    for family, figure in (("training", "nothing"), ("nothing", "tokens-per-s")):
        path = Page("recommender:accuracy_figure", {"family": family, "figure": figure}).path("es")
        assert client.get(path).status_code == 404


def test_without_a_file_the_page_says_so(client, monkeypatch, tmp_path):
    monkeypatch.setattr(accuracy, "stored_file", lambda folder: tmp_path / "nothing.json")
    response = client.get(Page("recommender:accuracy").path("en"))
    assert response.status_code == 200
    assert "measure" in response.content.decode().lower()
    figure = Page("recommender:accuracy_figure", {"family": "training", "figure": "tokens-per-s-per-gpu"})
    assert client.get(figure.path("en")).status_code == 404


def test_every_page_links_to_it(client):
    for name in ("catalog:home", "catalog:legal", "recommender:calculator"):
        html = client.get(Page(name).path("ru")).content.decode()
        assert f'href="{Page("recommender:accuracy").path("ru")}"' in html


def test_one_group_alone_gives_no_factor(client, kept):
    assert the_figure(kept, "training", "tokens_per_s")["groups"] == 1
    shown = [
        client.get(Page("recommender:accuracy_figure", {"family": "training", "figure": figure}).path("en"))
        for figure in ("tokens-per-s", "tokens-per-s-per-gpu")
    ]
    assert ["one_factor" in response.context["means"] for response in shown] == [False, True]


def test_what_stands_in_the_way_of_a_case_is_said_where_it_is_known(client, kept):
    notes = accuracy.notes(accuracy.notes_file(FIXTURES))
    cases = {(one["id"], found["figure"]) for found in kept.data["figures"] for one in found["cases"]}
    assert notes.keys() <= cases
    assert all(text.keys() == set(LANGUAGES) and all(text.values()) for text in notes.values())
    page = Page("recommender:accuracy_figure", {"family": "inference-memory", "figure": "kv-cache-tokens"})
    for language in LANGUAGES:
        html = client.get(page.path(language)).content.decode()
        row = html[html.index('id="A-rtxpro6000-glm47-nvfp4"') :].partition("</tr>")[0]
        assert notes["A-rtxpro6000-glm47-nvfp4", "kv_cache_tokens"][language] in row
        other = html[html.index('id="A-vdb-012"') :].partition("</tr>")[0]
        assert "<p" not in other
