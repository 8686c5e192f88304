"""The pages of AI models, and what a server's page says that it can hold."""

import re
from html import unescape
from itertools import pairwise
from math import ceil

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.translation import override

from catalog.models import AIModel, Server
from recommender import services
from recommender.sizing.specs import GIB
from tests.recommender.advice import advice, match_of

pytestmark = pytest.mark.usefixtures("catalog")
LANGUAGES = ["es", "ru", "en"]


def url(name, *args, language="en", **query):
    with override(language):
        return reverse(name, args=args, query=query or None)


def seen(response):
    text = re.sub(r"<[^>]*>", " ", response.content.decode())
    return re.sub(r"[\s\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}]+", " ", unescape(text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_published_model_has_a_line_in_the_list(client, language):
    address, pages = url("catalog:ai_model_list", language=language), []
    while address:
        response = client.get(address)
        pages.append(response.content.decode())
        following = re.search(r'rel="next" href="([^"]+)"', pages[-1])
        address = following and f"{url('catalog:ai_model_list', language=language)}{following[1]}"
    assert len(pages) == ceil(AIModel.objects.published().count() / 50)
    html = "".join(pages)
    for model in AIModel.objects.published():
        assert html.count(f'href="{url("catalog:ai_model", model.slug, language=language)}"') == 1


def test_a_page_of_the_list_keeps_what_was_searched(client):
    html = client.get(url("catalog:ai_model_list", kind="llm")).content.decode()
    assert 'rel="next" href="?kind=llm&amp;page=2"' in html


@pytest.mark.parametrize(
    ("query", "found", "left_out"),
    [
        ({"q": "llama 70b"}, "Llama 3.3 70B Instruct", "Qwen3 32B"),
        ({"q": "QWEN3"}, "Qwen3 32B", "Llama 3.3 70B Instruct"),
        ({"kind": "embedding"}, "BGE-M3", "Qwen3 32B"),
        ({"kind": "llm", "q": "deepseek"}, "DeepSeek-V3.1", "Qwen3 32B"),
        ({"kind": "nothing"}, "Qwen3 32B", ""),
    ],
)
def test_the_list_is_searched_by_words_and_kind(client, query, found, left_out):
    response = client.get(url("catalog:ai_model_list", **query))
    names = {model.name for model in response.context["page"].paginator.object_list}
    assert any(found.casefold() == name.casefold() for name in names), sorted(names)
    assert left_out not in names


def test_a_search_without_a_match_says_what_to_do(client):
    text = seen(client.get(url("catalog:ai_model_list", q="zzz")))
    assert "No model matches" in text


def test_a_search_is_not_for_search_engines(client):
    assert client.get(url("catalog:ai_model_list", q="qwen"))["X-Robots-Tag"] == "noindex"
    assert "X-Robots-Tag" not in client.get(url("catalog:ai_model_list"))
    assert "X-Robots-Tag" not in client.get(url("catalog:ai_model_list", page=2))


def test_every_kind_of_model_has_a_page(client):
    kinds = {}
    for model in AIModel.objects.published().prefetch_related("cache_groups", "parts"):
        groups = tuple(sorted((group.kind, group.window is None) for group in model.cache_groups.all()))
        kinds.setdefault(
            (model.kind, groups, bool(model.parts.all()), model.active_parameters is None), model
        )
    assert len(kinds) > 20
    for model in kinds.values():
        response = client.get(url("catalog:ai_model", model.slug))
        assert response.status_code == 200, model.slug
        assert model.name in unescape(response.content.decode())


def test_a_model_that_is_not_published_has_none(client):
    model = AIModel.objects.get(slug="qwen3-32b")
    model.is_published = False
    model.save()
    assert client.get(url("catalog:ai_model", "qwen3-32b")).status_code == 404


def test_weights_and_cache_are_those_of_the_sources(client):
    text = seen(client.get(url("catalog:ai_model", "llama-3.1-70b")))
    # 70.55 billion parameters x 2 bytes = 141.1 GB = 131.4 GiB; 327,680 bytes a token = 320 KiB.
    assert "131 GiB" in text
    assert "141 GB" in text
    assert "320 KiB" in text
    # Gemma 3 27B: 10 global and 52 windowed layers, 8,192 bytes a layer and token: 10.41 GiB at 131,072.
    contexts = {row["tokens"]: row["bf16"] for row in page_of(client, "gemma-3-27b")["contexts"]}
    assert contexts[131072] / GIB == pytest.approx(10.41, abs=0.005)


def page_of(client, slug):
    return client.get(url("catalog:ai_model", slug)).context["memory"]


def test_what_is_not_understood_has_no_cache_figure(client):
    response = client.get(url("catalog:ai_model", "deepseek-v4.1-flash"))
    assert response.context["memory"]["contexts"] == []
    assert "not published" in seen(response)
    assert all(item["holder"].requests is None for item in response.context["memory"]["holders"])


def test_servers_too_small_for_the_own_type_are_listed_in_fewer_bits(client):
    memory = page_of(client, "llama-3.1-405b")
    own = {item["holder"].server for item in memory["holders"]}
    narrower = [item["holder"] for item in memory["narrower"]]
    assert narrower
    assert not own & {holder.server for holder in narrower}
    assert all(holder.precision in ("fp8", "int8") for holder in narrower)


def test_an_embedding_model_has_no_growing_cache(client):
    memory = page_of(client, "bge-m3")
    assert memory["contexts"] == []
    assert memory["holders"]


def test_a_precision_is_marked_by_what_each_generation_does_with_it(client):
    rows = {row["architecture"]: row["supports"] for row in page_of(client, "llama-3.1-8b")["generations"]}
    column = page_of(client, "llama-3.1-8b")["precisions"].index("fp8")
    assert rows["Hopper"][column] == "native"
    assert rows["Ampere (GA100)"][column] == "weight_only"


@pytest.mark.parametrize("slug", ["llama-3.3-70b", "deepseek-v3", "gpt-oss-120b"])
def test_the_servers_of_a_model_hold_it_in_the_advice_too(slug):
    memory = services.model_memory(slug)
    assert memory.holders
    result = advice(model=slug, stage="inference", concurrency=1, context_tokens=memory.tokens)
    for holder in memory.holders:
        match = match_of(result, holder.server)
        assert match is not None, holder.server
        assert match["state"] in ("fits", "fits_if")


def test_each_server_of_a_model_opens_a_calculation_in_which_it_fits(client):
    for item in page_of(client, "llama-3.3-70b")["holders"]:
        result = client.get(f"{url('recommender:calculator')}?{item['query']}").context["result"]
        assert result["state"] == "fits"
        assert result["memory"]["total"]["gib"][1] * GIB == pytest.approx(item["holder"].need.typical)


@pytest.mark.parametrize("language", LANGUAGES)
def test_its_page_stands_in_the_sitemap_in_every_language(client, language):
    assert (
        url("catalog:ai_model", "qwen3-32b", language=language) in client.get("/sitemap.xml").content.decode()
    )


# What a server can hold


def test_every_server_with_gpus_says_what_it_can_hold(client):
    for server in Server.objects.for_page():
        options = services.held_by_server(server)
        html = client.get(url("catalog:server", server.slug)).content.decode()
        assert bool(options) == ('id="holds"' in html), server.slug
        for option in options:
            assert len(option.held) == 6


def test_more_gpu_memory_holds_more(client):
    server = Server.objects.for_page().get(slug="thinksystem-sr680a-v3")
    requests = {option.gpu: option.held[0].requests[0] for option in services.held_by_server(server)}
    assert (
        requests["nvidia-b200-sxm-180gb"]
        > requests["nvidia-h200-sxm-141gb"]
        > requests["nvidia-h100-sxm-80gb"]
    )


def test_what_it_holds_is_what_the_calculator_says(client):
    response = client.get(url("catalog:server", "thinksystem-sr675-v3"))
    table = response.context["holds"]
    for row in table["rows"]:
        for cell in row["cells"]:
            result = client.get(f"{url('recommender:calculator')}?{cell['query']}").context["result"]
            assert result["state"] == cell["state"], (row["slug"], cell)
            if cell["state"] == "fits":
                shown = next(layout for layout in result["layouts"] if layout["chosen"])
                assert shown["most"] == cell["requests"]


def test_what_it_holds_costs_a_known_page_no_query(client):
    path = url("catalog:server", "thinksystem-sr675-v3")
    client.get(path)
    with CaptureQueriesContext(connection) as known:
        client.get(path)
    assert not any('FROM "catalog_aimodel"' in query["sql"] for query in known)
    assert len(known) <= 12


# Which server for it


def smallest(client, slug):
    return page_of(client, slug)["smallest"]["rows"]


def test_the_smallest_servers_hold_weights_and_cache_by_hand(client):
    """Llama 3.3 70B: 141.1 GB of weights in BF16; 327,680 bytes of cache a token."""
    weights = {0: 70.55e9 * 2, 1: 70.55e9, 2: 70.55e9 / 2}
    for place, row in enumerate(smallest(client, "llama-3.3-70b")):
        for cell, tokens in zip(row["cells"], (8192, 32_768, 131_072), strict=True):
            holder = cell["holder"]
            assert holder.have.low * holder.count >= weights[place] + 327_680 * tokens, (place, tokens)


@pytest.mark.parametrize("slug", ["llama-3.3-70b", "llama-3.1-8b", "deepseek-v3", "qwen3-32b"])
def test_a_longer_request_never_needs_less_memory_nor_do_more_bits(client, slug):
    rows = smallest(client, slug)
    memory = [
        [cell["holder"].have.low * cell["holder"].count if cell["holder"] else float("inf") for cell in cells]
        for cells in (row["cells"] for row in rows)
    ]
    for row in memory:
        assert row == sorted(row)
    for wider, narrower in pairwise(memory):
        assert all(one >= other for one, other in zip(wider, narrower, strict=True))


def test_the_first_of_the_list_is_the_smallest(client):
    memory = page_of(client, "llama-3.3-70b")
    first = memory["holders"][0]["holder"]
    assert memory["smallest"]["rows"][0]["cells"][0]["holder"] == first


@pytest.mark.parametrize(
    ("slug", "ways"),
    [("llama-3.1-8b", [[], ["FP8", "INT8"], ["FP4", "INT4"]]), ("deepseek-v3", [[], ["FP4", "INT4"]])],
)
def test_only_fewer_bits_than_its_own_are_offered(client, slug, ways):
    assert [row["types"] for row in smallest(client, slug)] == ways


@pytest.mark.parametrize("slug", ["bge-m3", "deepseek-v4.1-flash", "sdxl-base-1.0"])
def test_no_length_is_named_where_none_counts_or_none_is_known(client, slug):
    assert smallest(client, slug) == []
    assert 'id="which"' not in client.get(url("catalog:ai_model", slug)).content.decode()


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_cell_opens_its_own_calculation(client, language):
    response = client.get(url("catalog:ai_model", "qwen3-32b", language=language))
    rows = response.context["memory"]["smallest"]["rows"]
    html = unescape(response.content.decode())
    calculator = url("recommender:calculator", language=language)
    for cell in (cell for row in rows for cell in row["cells"] if cell["holder"]):
        assert f'href="{calculator}?{cell["query"]}"' in html
    said = client.get(f"{calculator}?{rows[0]['cells'][-1]['query']}")
    assert said.status_code == 200


def test_a_model_leads_to_the_questionnaire_for_serving_and_for_fine_tuning(client):
    html = unescape(client.get(url("catalog:ai_model", "llama-3.3-70b")).content.decode())
    for stage in ("inference", "fine_tuning"):
        assert f"{url('recommender:questions')}?stage={stage}&model=llama-3.3-70b" in html
