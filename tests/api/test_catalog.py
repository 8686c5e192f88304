"""The catalog as JSON: facts with their sources, a part at a time, asked again only when they changed."""

import json
from urllib.parse import urlsplit

import pytest
from django.urls import reverse
from django.utils.translation import override

from catalog.models import GPU, AIModel, BenchmarkResult, CatalogVersion, Server, WorkloadProfile
from tests.pages import LANGUAGES

pytestmark = pytest.mark.usefixtures("catalog")

LISTS = {
    "servers": Server,
    "gpus": GPU,
    "models": AIModel,
    "workloads": WorkloadProfile,
    "benchmarks": BenchmarkResult,
}
# Queries of one address with the catalog known to the process; none depends on how many rows there are.
QUERIES = {
    "servers": 7,
    "gpus": 3,
    "models": 2,
    "workloads": 6,
    "benchmarks": 7,
    "servers/thinksystem-sr650-v3": 16,
    "gpus/nvidia-l40s": 8,
    "models/llama-3.1-8b": 8,
    "workloads/chat": 5,
    "memory?model=llama-3.1-8b&gpu=nvidia-l40s": 1,
}


def get(client, path, **query):
    response = client.get(f"/api/v1/{path}", query)
    assert response.status_code == 200, response.content
    return response.json()


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_read_to_its_end_by_its_own_links(client, name):
    found = get(client, name, limit=100, language="en")
    total = LISTS[name].objects.published().count()
    assert found["total"] == total
    assert found["previous"] is None
    rows, pages = found["items"], 1
    while found["next"]:
        parts = urlsplit(found["next"])
        assert "language=en" in parts.query
        found = client.get(f"{parts.path}?{parts.query}").json()
        rows += found["items"]
        pages += 1
    assert pages == -(-total // 100)
    assert len(rows) == total
    assert len({json.dumps(row, sort_keys=True) for row in rows}) == total
    if pages > 1:
        assert "offset=0" in found["previous"] or pages > 2


def test_a_part_that_ends_with_the_list_leads_no_further(client):
    total = get(client, "workloads")["total"]
    assert get(client, "workloads", limit=total)["next"] is None
    assert get(client, "workloads", limit=total - 1)["next"]


def test_beyond_the_end_the_way_back_is_the_last_part(client):
    found = get(client, "workloads", limit=5, offset=50)
    assert (found["items"], found["next"]) == ([], None)
    assert "offset=10" in found["previous"]


@pytest.mark.parametrize("path", QUERIES)
def test_the_number_of_queries_does_not_grow_with_the_rows(client, path, django_assert_max_num_queries):
    get_ = lambda more="": client.get(f"/api/v1/{path}{more}")  # noqa: E731
    get_()
    with django_assert_max_num_queries(QUERIES[path]) as one:
        assert get_("?limit=2" if path in LISTS else "").status_code == 200
    if path in LISTS:
        with django_assert_max_num_queries(len(one)):
            assert get_("?limit=11").status_code == 200


def test_a_server_comes_with_the_source_of_its_figures(client):
    server = Server.objects.for_page().get(slug="thinksystem-sr650-v3")
    found = get(client, "servers/thinksystem-sr650-v3")
    assert found["rack_units"] == server.rack_units == 2
    assert found["gpu_memory_gb"] == server.gpu_memory_gb
    rows = server.evidence.select_related("source")
    assert len(found["evidence"]) == rows.count() > 0
    for given, row in zip(found["evidence"], rows, strict=True):
        assert (given["field"], given["state"], given["kept"]) == (row.field, row.state, row.kept)
        assert given["source"]["url"] == (row.source.url or None)
        assert given["checked_on"] == (row.checked_on and row.checked_on.isoformat())
    options = [option for variant in found["variants"] for option in variant["gpu_options"]]
    assert sorted({option["gpu"]["slug"] for option in options}) == found["gpus"]
    assert all(option["evidence"] for option in options)
    text = json.dumps(found)
    assert "checked_by" not in text
    assert "sort_key" not in text


def test_what_is_not_published_is_null_and_never_zero(client):
    for server in get(client, "servers", limit=100)["items"]:
        row = Server.objects.get(slug=server["slug"])
        for name in ("rack_units", "depth_mm", "launch_year", "temperature_max_c"):
            assert server[name] == getattr(row, name)
        assert server["cooling"] != []
    for gpu in get(client, "gpus", limit=100)["items"]:
        row = GPU.objects.get(slug=gpu["slug"])
        assert gpu["memory_gib_usable"] == row.memory_gib_usable
        assert gpu["native_precisions"] != []


def test_a_server_that_is_not_published_is_nowhere(client):
    server = Server.objects.get(slug="thinksystem-sr650-v3")
    server.is_published = False
    server.save()
    assert client.get("/api/v1/servers/thinksystem-sr650-v3").status_code == 404
    assert server.slug not in json.dumps(get(client, "servers", limit=100)["items"])
    assert server.slug not in {item["server"]["slug"] for item in get(client, "gpus/nvidia-l40s")["servers"]}


def test_a_measurement_does_not_name_a_server_that_is_not_published(client):
    query = {"gpu": "nvidia-h200-sxm-141gb", "limit": 100}
    server = Server.objects.get(slug="thinksystem-sr680a-v3")
    named = [row["server"] for row in get(client, "benchmarks", **query)["items"]]
    assert {"slug": server.slug, "name": server.name} in named
    server.is_published = False
    server.save()
    assert server.slug not in json.dumps(
        [row["server"] for row in get(client, "benchmarks", **query)["items"]]
    )


@pytest.mark.parametrize(
    "query",
    [
        {"gpu": "nvidia-l40s"},
        {"gpu_memory_min": "500"},
        {"stage": "training", "cooling": "air"},
        {"rack_units": ["1", "2"], "kind": "rack"},
        {"cpu_vendor": "amd", "sort": "gpu_memory"},
    ],
)
def test_servers_are_filtered_and_ordered_as_on_their_page(client, query):
    found = [server["slug"] for server in get(client, "servers", limit=100, **query)["items"]]
    assert 0 < len(found) < Server.objects.published().count()
    with override("en"):
        page = client.get(reverse("catalog:server_list"), query)
    shown = [row.facts.slug for row in page.context["rows"]]
    assert found[: len(shown)] == shown
    assert len(found) == page.context["page"].paginator.count


def test_an_unknown_parameter_is_named_and_changes_nothing(client):
    plain, strange = get(client, "gpus", limit=3), get(client, "gpus", limit=3, color="red")
    assert strange["items"] == plain["items"]
    assert plain["notices"] == []
    assert "color" in strange["notices"][0]


@pytest.mark.parametrize(
    ("query", "key", "value"),
    [
        ({"gpu": "nvidia-h200-sxm-141gb"}, "gpu", "nvidia-h200-sxm-141gb"),
        ({"work": "training"}, "work", "training"),
        ({"server": "thinksystem-sr680a-v3"}, "server", "thinksystem-sr680a-v3"),
    ],
)
def test_measurements_are_filtered_and_each_has_its_link(client, query, key, value):
    found = get(client, "benchmarks", limit=100, **query)
    assert 0 < found["total"] < get(client, "benchmarks")["total"]
    for row in found["items"]:
        assert (row[key]["slug"] if isinstance(row[key], dict) else row[key]) == value
        assert row["link"].startswith("https://")


def test_models_are_found_by_words_and_kind(client):
    found = get(client, "models", q="LLAMA 70b", limit=100)["items"]
    assert {"llama-3.3-70b", "llama-3.1-70b"} <= {model["slug"] for model in found}
    assert {model["kind"] for model in get(client, "models", kind="asr")["items"]} == {"asr"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_follow_the_language_and_figures_do_not(client, language):
    found = get(client, "servers/thinksystem-sr650-v3", language=language)
    asked = client.get(
        "/api/v1/servers/thinksystem-sr650-v3", headers={"Accept-Language": f"{language},de;q=0.5"}
    )
    assert asked.json() == found
    assert "Accept-Language" in asked["Vary"]
    server = Server.objects.get(slug="thinksystem-sr650-v3")
    assert found["summary"] == getattr(server, f"summary_{language}")
    spanish = get(client, "servers/thinksystem-sr650-v3", language="es")
    texts = {"summary", "page", "notes"}
    figures = [{key: value for key, value in row.items() if key not in texts} for row in (found, spanish)]
    for row in figures:
        for variant in row["variants"]:
            variant.pop("note")
            for option in variant["gpu_options"]:
                option.pop("note")
    assert figures[0] == figures[1]
    with override(language):
        assert found["page"] == f"http://testserver{reverse('catalog:server', args=[server.slug])}"


@pytest.mark.parametrize("path", ["", "servers", "servers/thinksystem-sr650-v3", "memory", "openapi.json"])
def test_what_has_not_changed_is_not_sent_again(client, path):
    address = f"/api/v1/{path}"
    first = client.get(address)
    assert first["Cache-Control"] == "public, max-age=60"
    assert first["X-Robots-Tag"] == "noindex"
    for condition in (first["ETag"], "*"):
        again = client.get(address, headers={"If-None-Match": condition})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    CatalogVersion.objects.get().delete()
    assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_an_etag_holds_for_its_own_address_and_language_only(client):
    etag = client.get("/api/v1/servers", headers={"Accept-Language": "es"})["ETag"]
    for address, language in (
        ("/api/v1/gpus", "es"),
        ("/api/v1/servers?limit=3", "es"),
        ("/api/v1/servers", "ru"),
    ):
        headers = {"If-None-Match": etag, "Accept-Language": language}
        assert client.get(address, headers=headers).status_code == 200
    for condition in (etag, "*"):
        missing = client.get("/api/v1/servers/no-such", headers={"If-None-Match": condition})
        assert missing.status_code == 404


def test_head_has_the_headers_of_get(client):
    got, head = client.get("/api/v1/gpus?limit=1"), client.head("/api/v1/gpus?limit=1")
    assert (head.status_code, head.content) == (200, b"")
    assert head["ETag"] == got["ETag"]


def test_the_start_leads_to_every_list(client):
    for address in get(client, "")["addresses"].values():
        path = urlsplit(address).path
        assert client.get(path).status_code == (405 if path.endswith("recommendations") else 200)
