"""Live blocks: what they show of the real catalog, and what an author who asks for anything else is told."""

import html5lib
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.translation import override

from catalog import versions
from catalog.guides import blocks, reading
from catalog.guides.blocks import BlockError, Call, Shown
from catalog.models import Server, WorkloadProfile
from tests.pages import Document

pytestmark = pytest.mark.usefixtures("catalog")

SR675 = "thinksystem-sr675-v3"
LOAD = "model=llama-3.3-70b&precision=bf16&concurrency=32&context_tokens=8000"


def made(kind, text, *, inline=False):
    call = Call(kind, text, 1, inline)
    (result,) = reading.show_all([call]).values()
    return result


def words(kind, text):
    result = made(kind, text, inline=True)
    assert isinstance(result, Shown), result
    return " ".join(Document(result.html).texts).replace("\u202f", " ")


# Figures: expected values are those of the makers' guides, as fixtures/ has them


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{SR675} rack_units", "3U"),
        (f"{SR675} cards_double", "8"),
        (f"{SR675} card_w_double", "600 W"),
        (f"{SR675} gpus_max", "8"),
        (f"{SR675} gpus_max gpu=nvidia-h200-nvl-141gb", "8"),
        (f"{SR675} gpu_memory_gb gpu=nvidia-h200-nvl-141gb", "1128 GB"),  # 8 x 141
        ("thinksystem-sr650-v3 cards_single", "8"),
        ("thinksystem-sr650-v3 cards_double", "3"),
        ("thinksystem-sd665-n-v3 rack_units", "1U"),
        ("thinksystem-sr680a-v3 module_max_count", "8"),
        ("thinkedge-se455-v3 temperature_min_c", "−5 °C"),
        ("nvidia-h200-sxm-141gb memory_gb", "141 GB"),
        ("nvidia-h200-sxm-141gb memory_gb bare", "141"),
        ("llama-3.3-70b num_kv_heads", "8"),
    ],
)
def test_a_figure_stands_in_a_sentence_with_its_unit(text, expected):
    assert words("figure", text) == expected


@pytest.mark.parametrize(
    ("language", "expected"), [("es", "1,8 TB/s"), ("ru", "1,8 ТБ/с"), ("en", "1.8 TB/s")]
)
def test_a_figure_is_written_in_the_readers_way(language, expected):
    with override(language):
        assert words("figure", "thinksystem-sr680a-v3 link_gbs gpu=nvidia-b200-sxm-180gb") == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # 70 553 706 496 parameters of 2 bytes each
        (f"weights {LOAD}", "131 GiB"),
        # 2 x 80 layers x 8 heads x 128 x 2 bytes x 32 requests x 8000 tokens
        (f"cache {LOAD}", "78.1 GiB"),
        (f"split {LOAD}&gpu=nvidia-h200-nvl-141gb&gpus=2", "2"),
        (f"idle {LOAD.replace('bf16', 'fp8')}&gpu=nvidia-h100-nvl-94gb&gpus=3&tensor_parallel=2", "1"),
        (f"verdict {LOAD}&gpu=nvidia-h200-nvl-141gb&gpus=2", "fits"),
        (f"verdict {LOAD}&gpu=nvidia-l4&gpus=1", "does not fit"),
    ],
)
def test_a_figure_of_the_calculator_stands_in_a_sentence(query, expected):
    with override("en"):
        assert words("memory", query) == expected


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("figure", "sr675 rack_units", "sr675"),
        ("figure", f"{SR675} hight", "hight"),
        ("figure", SR675, "which figure"),
        ("figure", f"{SR675} rack_units gpu=nvidia-l4", "gpus_max"),
        ("figure", f"{SR675} gpus_max gpu=nvidia-b200-sxm-180gb", "not offered"),
        ("figure", "llama-3.3-70b gpus_max gpu=nvidia-l4", "server"),
        ("name", "nothing", "nothing"),
        ("nonsense", "a b", "figure"),
        ("memory", f"height {LOAD}", "gpu_total"),
        ("memory", "weights model=none", "model"),
        ("memory", f"gpu_total {LOAD}", "gpu="),
        ("memory", f"weights {LOAD}&colour=red", "colour"),
    ],
)
def test_an_impossible_figure_is_told_to_its_author(kind, text, said):
    with override("en"):
        result = made(kind, text, inline=True)
    assert isinstance(result, BlockError)
    assert said in str(result)


def test_a_figure_that_is_not_published_says_so_and_warns_its_author():
    server = Server.objects.get(slug=SR675)
    server.weight_max_kg = None
    server.save()
    with override("en"):
        result = made("figure", f"{SR675} weight_max_kg", inline=True)
    assert result.html.endswith("not published")
    assert SR675 in result.warnings[0]


# Tables


def rows(html):
    """Return the cells of a table's body, a list a row."""
    tree = html5lib.parse(html, namespaceHTMLElements=False)
    return [
        [" ".join("".join(cell.itertext()).split()) for cell in row] for row in tree.iterfind(".//tbody/tr")
    ]


def test_a_table_lists_what_the_list_of_servers_would(client):
    query = "stage=training&rack_units=8&sort=name"
    with override("en"):
        result = made("servers", f"{query}\ncolumns=height,cooling\ncaption=Eight units")
    page = client.get(f"/en/servers/?{query}")
    names = [row.card.server.name for row in page.context["rows"]]
    assert [row[0].removesuffix(" withdrawn") for row in rows(result.html)] == names
    assert all(row[1] == "8U" for row in rows(result.html))
    assert "<caption>Eight units</caption>" in result.html
    assert "/en/servers/?stage=training&amp;rack_units=8&amp;sort=name" in result.html


def test_a_table_can_name_its_servers_in_its_own_order():
    result = made("servers", f"server=thinksystem-sr650-v3&server={SR675}\ncolumns=room\ncaption=x")
    assert [row[0] for row in rows(result.html)] == ["ThinkSystem SR650 V3", "ThinkSystem SR675 V3"]
    assert rows(result.html)[0][1].startswith("8 ")  # 8 single-wide or 3 double-wide


def test_a_table_is_cut_where_its_author_says():
    assert len(rows(made("servers", "sort=name\nlimit=3\ncaption=x").html)) == 3


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("servers", "stage=training", "caption"),
        ("servers", "colour=red\ncaption=x", "colour"),
        ("servers", "stage=dreaming\ncaption=x", "dreaming"),
        ("servers", "gpu_memory_min=much\ncaption=x", "number"),
        ("servers", "columns=price\ncaption=x", "price"),
        ("servers", "limit=1000\ncaption=x", "24"),
        ("servers", "sort=price\ncaption=x", "price"),
        ("servers", "server=none\ncaption=x", "none"),
        ("server", "none", "none"),
        ("matrix", "training", "two"),
        ("matrix", "training dreaming", "dreaming"),
        ("calculator", "model=none", "model"),
        ("questionnaire", "colour=red", "colour"),
        ("questionnaire", "stage=dreaming", "stage"),
    ],
)
def test_a_wrong_block_is_told_to_its_author(kind, text, said):
    with override("en"):
        result = made(kind, text)
    assert isinstance(result, BlockError)
    assert said in str(result)


def test_an_empty_table_says_so_and_warns_its_author():
    result = made("servers", "rack_units=1&link=nvswitch&gpu_count_min=8\ncaption=x")
    assert rows(result.html) == []
    assert result.warnings


def test_a_card_shows_one_server():
    with override("en"):
        result = made("server", SR675)
    assert 'href="/en/servers/thinksystem-sr675-v3/"' in result.html
    assert "<svg" in result.html
    assert "3U" in result.html


def test_kinds_of_work_stand_side_by_side():
    with override("en"):
        result = made("matrix", "training inference chat\ncaption=What each asks")
    assert "<caption>What each asks</caption>" in result.html
    assert len(rows(result.html)[0]) == 4
    assert "What each asks" in result.html


def test_the_calculator_opens_with_its_preset():
    with override("en"):
        result = made("calculator", f"{LOAD}&gpu=nvidia-h200-nvl-141gb&gpus=2\ncaption=Two cards")
        address = reverse("recommender:calculator")
    assert "Two cards" in result.html
    assert f"{address}?model=llama-3.3-70b&amp;precision=bf16" in result.html
    assert 'class="memory-bar"' in result.html


def test_the_questionnaire_starts_with_its_preset():
    with override("en"):
        result = made("questionnaire", "stage=inference&workload=chat&model=llama-3.3-70b")
    texts = Document(result.html).texts
    assert {"Inference", "Llama 3.3 70B Instruct"} <= set(texts)
    assert WorkloadProfile.objects.get(slug="chat").name_en in texts
    assert "?stage=inference&amp;workload=chat&amp;model=llama-3.3-70b" in result.html


def test_a_block_that_breaks_takes_no_other_with_it(monkeypatch):
    def broken(text, reader):
        raise RuntimeError("a mistake of ours")

    monkeypatch.setitem(blocks._kinds, ("server", False), blocks.Kind("server", broken, broken))
    found = reading.show_all([Call("server", SR675, 1), Call("matrix", "training inference", 3)])
    assert [type(result) for result in found.values()] == [RuntimeError, Shown]


def test_all_tables_of_a_page_are_read_together(django_assert_num_queries):
    slugs = [SR675, "thinksystem-sr650-v3", "thinksystem-sr680a-v3"]
    calls = [Call("servers", f"server={slug}\ncaption=x", 1) for slug in slugs]
    with versions.read_once():
        reading.show_all(calls)  # the facts of the filters are kept from here on
        with CaptureQueriesContext(connection) as queries:
            reading.show_all(calls[:1])
        with django_assert_num_queries(len(queries)):
            reading.show_all(calls)
