"""Measured results: loaded once, shown with unit, configuration and link, found by filters."""

import re

import pytest
import yaml
from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.translation import override

from catalog import benchmarks, loading, versions
from catalog.models import AIModel, BenchmarkResult, Server
from tests.factories import AIModelFactory, BenchmarkResultFactory, GPUFactory, ServerFactory

FOLDER = settings.BASE_DIR / "fixtures" / "benchmarks"
# MLPerf Inference v5.1, closed, Lenovo: SR680a V3 with eight B200, Llama 2 70B Offline.
LLAMA_2_LINK = (
    "https://github.com/mlcommons/inference_results_v5.1/blob/965182b03376a00fcae415c54e560e1c83937932/"
)
CASE = {
    "id": "B-1",
    "family": "inference-throughput",
    "model": "llama-3.3-70b",
    "gpu": "nvidia-h200-sxm-141gb",
    "gpu_count": 2,
    "class": {"weights": "fp8"},
    "input": {"engine": "tensorrt-llm", "input_tokens": 1000, "output_tokens": 389.5},
    "measured": {"output_tokens_per_s_per_gpu": 100.0, "output_tokens_per_s": 200.0, "verdict": "fits"},
    "judge": ["output_tokens_per_s_per_gpu", "verdict"],
    "evidence": "table",
    "source": {"ref": "github:NVIDIA/TensorRT-LLM@00f3768", "locator": "docs/perf-overview.md"},
    "group": "trt",
}
KNOWN = {"gpu": {"nvidia-h200-sxm-141gb"}, "server": set(), "ai_model": {"llama-3.3-70b"}}


def seen(html):
    main = html.split('<main id="main" class="wrap" tabindex="-1">', 1)[1].split("</main>", 1)[0]
    return " ".join(re.sub(r"<[^>]+>", " ", main).split())


def read(client, language, view_name, *args, **query):
    with override(language):
        return client.get(reverse(view_name, args=args), query)


# Loading


def test_a_case_becomes_a_row_of_what_all_gpus_do_with_the_place_where_it_can_be_read():
    (row,), left_out = benchmarks.rows_of([CASE], KNOWN)
    assert not left_out
    assert (row["figure"], row["value"], row["gpu_count"]) == ("output_tokens_per_s", 200.0, 2)
    assert row["link"] == "https://github.com/NVIDIA/TensorRT-LLM/blob/00f3768/docs/perf-overview.md"
    assert (row["suite"], row["precision"], row["output_tokens"]) == ("NVIDIA/TensorRT-LLM", "fp8", 390)


@pytest.mark.parametrize(
    ("locator", "place"),
    [
        (
            "docs/lab/glm-4.x/h100.md#1. Choosing the Inference Engine",
            "blob/47277d7/docs/lab/glm-4.x/h100.md",
        ),
        ("README.md#kv-cache", "blob/47277d7/README.md#kv-cache"),
        ("README.md + lora.yaml", "tree/47277d7"),  # two files: neither is the page
        ("docs (quick start, tables)", "tree/47277d7"),
    ],
)
def test_a_case_links_to_the_page_that_its_source_names(locator, place):
    address = benchmarks.link_of("github:gpustack/gpustack@47277d7", locator)
    assert address == f"https://github.com/gpustack/gpustack/{place}"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"gpu": "nvidia-h100-80gb-unspecified", "gpu_proxy": "nvidia-h100-sxm-80gb"}, "card or its form"),
        ({"source": {"ref": "a log, somewhere"}}, "no address"),
        ({"judge": ["verdict"]}, "no figure"),
        ({"measured": {"output_tokens_per_s": "many"}}, "no figure"),
    ],
)
def test_a_case_in_doubt_stays_out_with_its_reason(change, reason):
    rows, left_out = benchmarks.rows_of([CASE | change], KNOWN)
    assert rows == []
    assert [reason in name for name in left_out] == [True]


def test_every_result_of_the_fixtures_has_a_link_and_a_group(catalog):
    rows = list(BenchmarkResult.objects.all())
    assert len(rows) > 400
    assert all(row.link.startswith("https://") and row.group for row in rows)


def test_a_second_load_adds_nothing_and_leaves_edits_alone(catalog):
    row = BenchmarkResult.objects.first()
    row.value, row.is_published = 1.0, False
    row.save()
    before, version = BenchmarkResult.objects.count(), versions.current()
    assert not loading.load().added
    row.refresh_from_db()
    assert (row.value, row.is_published) == (1.0, False)
    assert (BenchmarkResult.objects.count(), versions.current()) == (before, version)


def test_overwriting_puts_the_published_figure_back_in_the_same_row(catalog):
    row = BenchmarkResult.objects.first()
    value = row.value
    row.value = value + 1
    row.save()
    loading.load(overwrite=True)
    assert BenchmarkResult.objects.get(pk=row.pk).value == value


def test_saving_and_deleting_a_result_raise_the_version(db):
    before = int(versions.current())
    row = BenchmarkResultFactory()
    middle = int(versions.current())
    row.delete()
    assert before < middle < int(versions.current())


def test_a_run_has_each_figure_once(db):
    row = BenchmarkResultFactory()
    with pytest.raises(IntegrityError), transaction.atomic():
        BenchmarkResultFactory(measurement=row.measurement)


def test_submissions_stand_on_the_server_that_they_name(catalog):
    """By the systems' names in MLPerf; servers that are not in the catalog, and other makers', on none."""
    named = {
        system: set(BenchmarkResult.objects.filter(system_name=system).values_list("server__slug", flat=True))
        for system in (
            "ThinkSystem SR680a V3 (8x B200-SXM-180GB, TensorRT)",
            "ThinkSystem SR685a V3(8x H200-SXM-141GB, TensorRT)",
            "ThinkEdge SE360 V2 (2x NVIDIA L4, TensorRT)",
            "Lenovo ThinkSystem SR670-v2 Server",
            "Lenovo ThinkSystem SR670 Server",  # the generation before: not in the catalog
            "Lenovo ThinkSystem SR650 V2",
            "Dell PowerEdge XE9680 (8x H100-SXM-80GB, TensorRT)",
        )
    }
    assert [slugs for slugs in named.values()] == [
        {"thinksystem-sr680a-v3"},
        {"thinksystem-sr685a-v3"},
        {"thinkedge-se360-v2"},
        {"thinksystem-sr670-v2"},
        {None},
        {None},
        {None},
    ]
    assert not BenchmarkResult.objects.exclude(server=None).exclude(submitter="Lenovo").exists()


def test_a_server_named_in_the_fixtures_is_in_its_systems_name():
    for path in FOLDER.glob("mlperf-*.yaml"):
        for case in yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader):
            system = case["system"]
            if "server" in system:
                words = re.findall(r"[a-z0-9]+", system["name"].lower().removeprefix("lenovo "))
                assert words[: len(system["server"].split("-"))] == system["server"].split("-")


# Pages


@pytest.mark.parametrize(
    ("language", "value"), [("en", "102,909 tokens/s"), ("es", "102 909"), ("ru", "102 909")]
)
def test_a_servers_page_shows_what_was_measured_in_it_with_number_and_link(catalog, client, language, value):
    html = read(client, language, "catalog:server", "thinksystem-sr680a-v3").content.decode()
    section = html.split('id="measured"', 1)[1].split("</section>", 1)[0]
    assert value in " ".join(re.sub("<[^>]+>", " ", section).split())  # any space counts as a plain one
    assert f'href="{LLAMA_2_LINK}' in section
    assert "SR680a V3" not in section  # whose page it is
    on_gpu = read(client, language, "catalog:gpu", "nvidia-h200-sxm-141gb").content.decode()
    assert "SR680a V3" in on_gpu.split('id="measured"', 1)[1].split("</section>", 1)[0]


def test_a_gpu_and_a_model_show_their_results_and_a_page_without_any_has_no_section(db, client):
    model = AIModelFactory(kind="vision", gflop_per_image=8.2)
    row = BenchmarkResultFactory(ai_model=model, gpu_count=2, value=1.5)
    for view_name, slug in (("catalog:gpu", row.gpu.slug), ("catalog:ai_model", model.slug)):
        html = read(client, "es", view_name, slug).content.decode()
        assert "1,5" in seen(html)
        assert f'href="{row.link}"' in html
    assert 'id="measured"' not in read(client, "es", "catalog:gpu", GPUFactory().slug).content.decode()


def test_a_section_is_short_shows_each_model_first_and_leads_to_all(db, client):
    gpu = GPUFactory()
    for number in range(14):
        BenchmarkResultFactory(gpu=gpu, measurement=f"a-{number:02}", model_name="often")
    BenchmarkResultFactory(gpu=gpu, measurement="z", model_name="seldom")
    html = read(client, "en", "catalog:gpu", gpu.slug).content.decode()
    section = html.split('id="measured"', 1)[1].split("</section>", 1)[0]
    assert section.count('<th scope="row">') == 12
    assert "seldom" in section
    assert "All 15 results" in section
    assert f"?gpu={gpu.slug}" in section


def test_unpublished_results_cards_and_servers_stay_hidden(db, client):
    BenchmarkResultFactory(is_published=False, model_name="hidden-result")
    BenchmarkResultFactory(gpu__is_published=False, model_name="hidden-card")
    BenchmarkResultFactory(server=ServerFactory(is_published=False, name="Hidden server"), model_name="seen")
    text = seen(read(client, "en", "catalog:result_list").content.decode())
    assert "seen" in text
    assert not re.search("hidden|Hidden", text)


def test_the_list_filters_by_gpu_model_server_work_and_publisher(db, client):
    model, server = AIModelFactory(), ServerFactory()
    wanted = BenchmarkResultFactory(ai_model=model, server=server, suite="MLPerf Training", work="training")
    other = BenchmarkResultFactory(ai_model=AIModelFactory(), server=ServerFactory())
    for name, value in {
        "gpu": wanted.gpu.slug,
        "model": model.slug,
        "server": server.slug,
        "work": "training",
        "suite": "MLPerf Training",
    }.items():
        page = read(client, "en", "catalog:result_list", **{name: value})
        assert [line["result"] for line in page.context["lines"]] == [wanted], name
    assert {line["result"] for line in read(client, "en", "catalog:result_list").context["lines"]} == {
        wanted,
        other,
    }


def test_what_is_no_choice_is_left_out_and_said(db, client):
    BenchmarkResultFactory()
    page = read(client, "en", "catalog:result_list", gpu="gtx-9999", nothing="1", page="x")
    assert page.status_code == 200
    assert len(page.context["lines"]) == 1
    text = seen(page.content.decode())
    assert "“gtx-9999”" in text
    assert "nothing" in text


def test_nothing_matches_says_what_to_do(db, client):
    first, second = BenchmarkResultFactory(ai_model=AIModelFactory()), BenchmarkResultFactory()
    page = read(client, "en", "catalog:result_list", gpu=second.gpu.slug, model=first.ai_model.slug)
    assert "Take a filter away." in seen(page.content.decode())


def test_htmx_gets_the_results_alone(db, client):
    BenchmarkResultFactory()
    with override("en"):
        path = reverse("catalog:result_list")
    html = client.get(path, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in html
    assert '<section id="results"' in html


def test_pages_need_the_same_queries_for_one_result_and_for_many(db, client):
    gpu, model, server = GPUFactory(), AIModelFactory(), ServerFactory()
    pages = [
        ("catalog:result_list",),
        ("catalog:gpu", gpu.slug),
        ("catalog:ai_model", model.slug),
        ("catalog:server", server.slug),
    ]

    def queries():
        counts = []
        for view_name, *args in pages:
            read(client, "en", view_name, *args)
            with CaptureQueriesContext(connection) as captured:
                read(client, "en", view_name, *args)
            counts.append(len(captured))
        return counts

    BenchmarkResultFactory(gpu=gpu, ai_model=model, server=server)
    one = queries()
    for _ in range(20):
        BenchmarkResultFactory(gpu=gpu, ai_model=model, server=server)
    assert queries() == one


def test_the_model_page_of_the_catalog_counts_its_results(catalog, client):
    model = AIModel.objects.get(slug="bert-large")
    assert model.benchmark_results.count() > 12
    assert Server.objects.get(slug="thinksystem-sr675-v3").benchmark_results.filter(ai_model=model).exists()
    assert "BERT" in seen(read(client, "es", "catalog:result_list", model="bert-large").content.decode())
