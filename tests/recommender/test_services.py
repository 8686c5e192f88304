"""Advice as pages and other callers get it."""

from urllib.parse import parse_qs

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from catalog.models import Server
from recommender import services
from recommender.adapters import load_specs
from recommender.answers import parse
from tests.pages import QUESTIONS

pytestmark = pytest.mark.usefixtures("catalog")

CHAT = {"stage": "inference", "workload": "chat", "model": "llama-3.1-8b", "concurrency": 10}


def test_a_page_gets_rows_and_ready_texts():
    with translation.override("ru"):
        page = services.page(services.recommend(parse(CHAT)), top=3)
    match = page["matches"][0]
    assert isinstance(match["server"], Server)
    assert match["need_gib"] <= match["have_gib"]
    assert [line["name"] for line in match["memory"]] == ["weights", "kv_cache", "activations", "overhead"]
    assert {figure["name"] for figure in match["figures"]} == {"ttft", "tpot", "output_tokens", "power"}
    model = next(row for row in page["assumptions"] if row["key"] == "model")
    assert (model["value"], model["origin_label"]) == ("Llama 3.1 8B", "ваш ответ")
    typical = next(row for row in page["assumptions"] if row["origin"] == "profile")
    assert typical["why"]


def test_a_page_takes_as_many_queries_for_one_match_as_for_all():
    result = services.recommend(parse(CHAT))
    counts = []
    for top in (1, None):
        with CaptureQueriesContext(connection) as queries:
            services.page(result, top=top)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 6


def test_page_and_command_tell_the_same():
    result = services.recommend(parse(CHAT))
    rows, values = services.page(result, top=5)["matches"], services.as_json(result, top=5)["matches"]
    for row, value in zip(rows, values, strict=True):
        assert (row["server"].slug, row["gpu"].slug) == (value["server"], value["gpu"])
        for name in ("score", "state", "reasons", "warnings", "rack_units", "max_concurrency"):
            assert row[name] == value[name]


@pytest.mark.parametrize("query", QUESTIONS)
def test_advice_asks_the_database_for_the_version_and_nothing_else(query):
    """Why most tests of advice do not run on a second database: the answers never reach a query."""
    load_specs()
    given = {name: values for name, values in parse_qs(query).items() if name != "altitude_m"}
    with CaptureQueriesContext(connection) as queries:
        services.recommend(parse(given))
    assert len(queries) <= 1


def test_a_result_is_kept_until_a_fact_changes():
    first = services.recommend(parse(CHAT))
    with CaptureQueriesContext(connection) as queries:
        again = services.recommend(parse(CHAT))
    assert len(queries) == 1  # the version
    assert again.ranking == first.ranking
    server = Server.objects.get(slug="thinksystem-sr650-v3")
    server.rack_units = 3
    server.save()
    changed = services.recommend(parse(CHAT))
    assert changed.catalog_version != first.catalog_version
    assert changed.ranking != first.ranking


def test_notices_of_these_answers_are_not_kept_for_others():
    services.recommend(parse(CHAT | {"colour": "red"}))
    assert not services.recommend(parse(CHAT)).notices


@pytest.mark.parametrize(
    ("change", "warned"),
    [
        ({"draft_model": "llama-3.2-1b"}, False),
        ({"draft_model": "llama-3.1-8b"}, True),  # itself, without prediction layers
        ({"draft_model": "llama-3.3-70b"}, True),
        ({"model": "deepseek-v3", "draft_model": "deepseek-v3"}, False),  # its own prediction layer
        ({}, False),
    ],
)
def test_a_draft_model_that_is_not_smaller_is_warned_of(change, warned):
    notices = services.recommend(parse(CHAT | change)).notices
    assert ("draft_not_smaller" in {notice.code for notice in notices}) == warned


def test_training_of_another_task_names_the_model_that_stands_in():
    result = services.recommend(parse({"stage": "training", "workload": "vision"}))
    (notice,) = [notice for notice in result.notices if notice.code == "training_stands_in"]
    assert result.names[result.case.hard.trained.slug] in notice.text
    named = services.recommend(parse({"stage": "training", "workload": "vision", "model": "llama-3.1-8b"}))
    assert "training_stands_in" not in {notice.code for notice in named.notices}


@pytest.mark.parametrize("answers", [{"stage": "training", "model": "yolo11"}, {"training_model": "yolo11"}])
def test_training_that_cannot_be_sized_is_refused_not_replaced(answers):
    with pytest.raises(services.BadAnswers) as refused:
        services.recommend(parse(answers))
    assert [problem.code for problem in refused.value.problems] == ["model_not_trainable"]


@pytest.mark.parametrize(
    ("key", "slug", "missing"),
    [
        ("model", "yolo11", None),
        ("training_model", "llama-3.1-8b", "yolo11"),
        ("workload", "chat", None),
        ("cpu_vendor", "amd", "lenovo"),
        ("gpu_vendor", "intel", "lenovo"),
    ],
)
def test_choices_are_what_the_catalog_offers(key, slug, missing):
    choices = dict(services.choices(key))
    assert choices[slug]
    assert missing not in choices
