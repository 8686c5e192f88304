"""Servers side by side: which ones, what is compared, in which order, and what a wrong address gets."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.translation import override

from catalog import compare
from catalog.compare import Cell, Group, Row
from recommender import answers, services
from tests.factories import (
    EvidenceFactory,
    GPUFactory,
    GPUOptionFactory,
    ServerFactory,
    SlotAlternativeFactory,
    VariantFactory,
)
from tests.pages import CHAT, LANGUAGES, Document

B200, AIR_2U, EDGE = "thinksystem-sr680a-v3", "thinksystem-sr650-v3", "thinkedge-se455-v3"
UNKNOWN = Cell()


@pytest.fixture
def page(client):
    """Open a comparison; returns its HTML."""

    def page(*slugs, language="en", **more):
        with override(language):
            path = reverse("catalog:compare")
        response = client.get(path, {"server": slugs, **more})
        assert response.status_code == 200
        return response.content.decode()

    return page


def text_of(html):
    main = html.split('<main id="main"', 1)[1].split("</main>", 1)[0]
    text = unescape(re.sub(r"<[^>]+>", " ", main))
    return re.sub(r"\s+", " ", text.replace("\N{NARROW NO-BREAK SPACE}", " "))


def rows_of(html):
    """Return {name of a row: [text of each cell]}, the first row of a name."""
    rows = {}
    for row in re.findall(r"<tr>\s*<th scope=\"row\".*?</tr>", html, re.DOTALL):
        name, *cells = [
            " ".join(unescape(re.sub(r"<[^>]+>", " ", part)).split())
            for part in re.findall(r"<t[hd][ >].*?</t[hd]>", row, re.DOTALL)
        ]
        rows.setdefault(name.rstrip("→← "), cells)
    return rows


def columns_of(html):
    return re.findall(r'<a class="name" href="[^"]*/([^/"]+)/"', html)


def link_of(html, words):
    """Return the address of the link with these words, and its query as pairs."""
    found = re.search(rf'<a[^>]*href="([^"]+)"[^>]*>[^<]*{re.escape(words)}', html)
    address = unescape(found[1])
    return address, parse_qsl(urlsplit(address).query)


# The order of servers


def groups(*numbers):
    cells = tuple(UNKNOWN if number is None else Cell(text=str(number), number=number) for number in numbers)
    return [Group("g", (Row("depth_mm", "Depth", cells),))]


def test_what_is_not_known_comes_last_both_ways():
    found = groups(800, None, 600, 900)
    assert compare.order(found, 4, "depth_mm") == [2, 0, 3, 1]
    assert compare.order(found, 4, "-depth_mm") == [3, 0, 2, 1]


@pytest.mark.parametrize("sort", ["", "weight", "-", "-weight"])
def test_without_a_row_to_go_by_the_servers_stay_as_chosen(sort):
    assert compare.order(groups(800, None, 600), 3, sort) == [0, 1, 2]


def test_equal_figures_keep_the_order_as_chosen_both_ways():
    assert compare.order(groups(2, 2, 1), 3, "depth_mm") == [2, 0, 1]
    assert compare.order(groups(2, 2, 1), 3, "-depth_mm") == [0, 1, 2]


def test_zero_is_a_figure_and_not_unknown():
    assert compare.order(groups(None, 0, 8), 3, "depth_mm") == [1, 2, 0]


def test_a_figure_differs_from_none_and_sources_make_no_difference():
    first, second = Cell(text="2U", number=2), Cell(text="2U", number=2, mark="another source")
    assert not Row("height", "Height", (first, second)).differs
    assert Row("height", "Height", (first, UNKNOWN)).differs
    assert not Row("height", "Height", (UNKNOWN, UNKNOWN)).differs


# Which servers


@pytest.mark.django_db
def test_the_columns_stand_in_the_order_of_the_address(page):
    for slug in ("a", "b", "c"):
        ServerFactory(slug=slug)
    assert columns_of(page("c", "a", "b")) == ["c", "a", "b"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("asked", "columns", "note"),
    [
        ([], [], "Choose two to four servers"),
        (["", " "], [], "Choose two to four servers"),
        (["a"], [], "One server has nothing to be compared with"),
        (["a", "a"], [], "Named more than once, shown once: Server A"),
        (["a", "a", "b"], ["a", "b"], "Named more than once, shown once: Server A"),
        (["a", "nothing", "b"], ["a", "b"], "The catalog has no server named “nothing”. It was left out."),
        (["a", "b", "draft"], ["a", "b"], "The catalog has no server named “draft”"),
        (["a\x00", "b", "a"], ["b", "a"], "The catalog has no server named “a”"),
        (["x" * 5000, "a", "b"], ["a", "b"], "xxx…”"),
        (["a", "b", "c", "d", "e"], ["a", "b", "c", "d"], "Left out: Server E."),
    ],
)
def test_a_wrong_address_says_what_is_wrong_and_shows_the_rest(page, asked, columns, note):
    for slug in ("a", "b", "c", "d", "e"):
        ServerFactory(slug=slug, name=f"Server {slug.upper()}")
    ServerFactory(slug="draft", is_published=False)
    html = page(*asked)
    assert columns_of(html) == columns
    assert note in text_of(html)


@pytest.mark.django_db
def test_four_servers_are_no_reason_for_a_note_and_leave_no_room(page):
    for slug in "abcd":
        ServerFactory(slug=slug)
    html = page(*"abcd")
    assert 'role="note"' not in html
    assert 'class="compare-form"' not in html


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("more", "note"),
    [
        ({"sort": "no-such-row"}, "cannot be put in the order"),
        ({"sort": "room"}, "cannot be put in the order"),  # a row without figures
        ({"differences": "maybe"}, "“differences” in the address can only be 1"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_an_address_asks_in_vain_is_said(page, more, note):
    ServerFactory(slug="a"), ServerFactory(slug="b")
    html = page("a", "b", **more)
    assert note in text_of(html)
    assert columns_of(html) == ["a", "b"]


# The table


@pytest.mark.django_db
def test_only_differences_leaves_out_what_all_share_and_keeps_what_one_lacks(page):
    ServerFactory(slug="a", depth_mm=800, width_mm=448, weight_max_kg=30)
    ServerFactory(slug="b", depth_mm=900, width_mm=448, weight_max_kg=None)
    everything, differences = rows_of(page("a", "b")), rows_of(page("a", "b", differences="1"))
    assert {"Depth", "Width"} <= set(everything)
    assert "Depth" in differences
    assert "Width" not in differences
    weights = next(cells for name, cells in differences.items() if "weight" in name.lower())
    assert [" ".join(cell.split()) for cell in weights] == ["30 kg", "not published"]


@pytest.mark.django_db
def test_servers_that_differ_in_nothing_get_a_sentence(page):
    ServerFactory(slug="a"), ServerFactory(slug="b")
    assert "In nothing that the catalog compares" in text_of(page("a", "b", differences="1"))


@pytest.mark.django_db
def test_a_rows_name_orders_the_servers_and_again_the_other_way(page):
    for slug, depth in (("a", 800), ("b", None), ("c", 600)):
        ServerFactory(slug=slug, depth_mm=depth)
    html = page("a", "b", "c", differences="1")
    _address, query = link_of(html, "Depth")
    assert ("sort", "depth_mm") in query
    assert ("differences", "1") in query
    html = page("a", "b", "c", sort="depth_mm")
    assert columns_of(html) == ["c", "a", "b"]
    assert html.count('aria-sort="ascending"') == 1
    _address, query = link_of(html, "Depth")
    assert ("sort", "-depth_mm") in query
    assert columns_of(page("a", "b", "c", sort="-depth_mm")) == ["a", "c", "b"]


@pytest.mark.django_db
def test_an_unknown_figure_has_a_sign_of_its_own_and_is_no_zero(page):
    ServerFactory(slug="a", bays_nvme=0), ServerFactory(slug="b", bays_nvme=None)
    html = page("a", "b")
    (cells,) = [cells for name, cells in rows_of(html).items() if "NVMe" in name]
    assert cells == ["0", "not published"]
    assert '<use href="#s-unknown"/>' in html


@pytest.mark.django_db
def test_conditions_of_a_number_stand_beside_it(page):
    variant = VariantFactory(server=ServerFactory(slug="a"))
    SlotAlternativeFactory(variant=variant, width="double", count=4, card_max_w=350)
    gpu = GPUFactory(name="NVIDIA L40S 48GB")
    GPUOptionFactory(variant=variant, gpu=gpu, max_count=4, ambient_max_c=30)
    ServerFactory(slug="b")
    text = text_of(page("a", "b"))
    assert "NVIDIA L40S 48GB: up to 4." in text
    assert "30 °C" in text
    assert "4 double-wide (up to 350 W each)" in text


@pytest.mark.django_db
def test_two_sources_that_disagree_are_both_shown_for_the_server_they_speak_of(page):
    server, other = ServerFactory(slug="a", name="First", rack_units=4), ServerFactory(slug="b")
    EvidenceFactory(server=server, field="rack_units", stated="4", kept=True)
    EvidenceFactory(server=server, field="rack_units", stated="5", kept=False)
    EvidenceFactory(server=other, field="rack_units", stated="2", kept=True)
    html = page("a", "b")
    text = text_of(html)
    assert "Where sources disagree" in text
    stated = text.split("Where sources disagree", 1)[1]
    assert "First" in stated
    assert "4 shown here" in stated
    assert re.search(r"\b5\b", stated)
    assert "evidence-disagree" in html
    anchors = set(re.findall(r'class="evidence [^"]*" href="#([^"]+)"', html))
    assert anchors
    assert anchors <= set(re.findall(r'id="([^"]+)"', html))


@pytest.mark.django_db
def test_every_cell_belongs_to_a_named_row_and_column(page):
    for slug in "abc":
        ServerFactory(slug=slug)
    html = page(*"abc")
    table = html[html.index("<table") : html.index("</table>")]
    assert "<caption" in table
    assert table.count('scope="col"') == 3
    bodies = re.findall(r"<tbody>.*?</tbody>", table, re.DOTALL)
    assert bodies
    for body in bodies:
        assert body.count('scope="rowgroup" colspan="4"') == 1
        rows = body.split("<tr>")[1:]
        assert all(row.count('scope="row"') == 1 and row.count("<td>") == 3 for row in rows)
    region = next(
        attributes for tag, attributes in Document(html).elements if attributes.get("role") == "region"
    )
    assert region["tabindex"] == "0"
    assert f'id="{region["aria-labelledby"]}"' in html


@pytest.mark.django_db
def test_a_server_is_taken_away_and_added_without_losing_the_rest(page):
    for slug in "abc":
        ServerFactory(slug=slug)
    html = page(*"ab", stage="inference", sort="height")
    _address, query = link_of(html, "Take away")
    assert query == [("server", "b"), ("stage", "inference"), ("sort", "height")]
    form = html[html.index('class="compare-form"') :].split("</form>", 1)[0]
    hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]+)"', form)
    assert hidden == [("server", "a"), ("server", "b"), ("stage", "inference"), ("sort", "height")]
    assert re.findall(r'<option value="([^"]+)"', form) == ["c"]


# The load


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_load_of_the_address_configures_each_server_as_the_results_do(page, language):
    load = dict(parse_qsl(CHAT))
    html = page(B200, AIR_2U, language=language, **load)
    with override(language):
        result = services.recommend(answers.parse(load))
        best = {}
        for match in result.ranking.matches:
            best.setdefault(match.config.node.server, match)
        for slug in (B200, AIR_2U):
            config = best[slug].config
            assert result.names[config.node.gpu.slug] in html
    assert html.count('class="state state-fits') >= 2


@pytest.mark.usefixtures("catalog")
def test_a_comparison_for_a_load_prints_the_answers_that_it_uses(page):
    load = {"stage": "inference", "workload": "chat", "model": "llama-3.3-70b", "concurrency": "32"}
    asked, taken, _rest = page(B200, AIR_2U, **load, hypothesis="concurrency").split(
        'class="row assumed"', 2
    )[:3]
    head = text_of(f'<main id="main">{taken}</main>')
    assert "Llama 3.3 70B Instruct" in head
    assert "32 requests a guess" in head
    assert "Llama 3.3 70B" not in text_of(asked + "</main>")
    assert 'class="row assumed"' not in page(B200, AIR_2U)


@pytest.mark.usefixtures("catalog")
def test_gpus_at_work_and_over_add_up_and_headroom_is_what_is_usable_less_what_is_needed(page):
    load = dict(parse_qsl(CHAT)) | {"availability": "n_plus_1"}
    rows = rows_of(page(B200, AIR_2U, **load))
    result = services.recommend(answers.parse(load))
    best = {}
    for match in result.ranking.matches:
        best.setdefault(match.config.node.server, match)
    for place, slug in enumerate((B200, AIR_2U)):
        config = best[slug].config
        used, everything = re.findall(r"\d+", rows["GPUs at work"][place])
        assert int(everything) == config.count * config.servers * config.node.gpu.devices_per_board
        over = sum(int(number) for number in re.findall(r"\d+", rows["GPUs left over or standing by"][place]))
        assert int(used) + over == int(everything)
        assert over > 0  # one server stands by
        need, headroom = (
            float(re.match(r"[\d.]+", rows[name][place])[0])
            for name in ("Memory needed on the busiest GPU", "Memory headroom on that GPU")
        )
        usable = config.memory.available.typical / 2**30
        assert need + headroom == pytest.approx(usable, abs=1)


@pytest.mark.usefixtures("catalog")
def test_a_server_that_is_ruled_out_says_by_what_and_has_no_figures(page):
    rows = rows_of(page(B200, AIR_2U, stage="inference", model="llama-3.1-8b", rack_units="2"))
    ruled_out, fitting = rows["Does it fit?"]
    assert ruled_out.startswith("does not fit ")
    assert "8U" in ruled_out
    assert fitting == "fits"
    assert rows["GPUs at work"][0] == "–"


@pytest.mark.usefixtures("catalog")
def test_a_bad_answer_is_named_and_the_comparison_stands_without_it(page):
    html = page(B200, AIR_2U, stage="inference", model="llama-3.1-8b", concurrency="many")
    assert 'id="errors"' in html
    assert "many" in link_of(html, "Show differences only")[0]  # kept, to be put right
    assert len(rows_of(html)["Does it fit?"]) == 2


@pytest.mark.usefixtures("catalog")
def test_without_answers_there_is_no_load_and_no_brief(page):
    html = page(B200, AIR_2U)
    assert "Does it fit?" not in html
    assert 'id="brief-title"' not in html


@pytest.mark.usefixtures("catalog")
def test_the_brief_of_a_comparison_is_asked_with_its_answers_and_not_its_servers(page):
    html = page(B200, AIR_2U, **dict(parse_qsl(CHAT)))
    section = html[html.index('id="brief-title"') :]
    address = unescape(re.search(r'href="([^"]+)"', section)[1])
    assert parse_qsl(urlsplit(address).query) == parse_qsl(answered(CHAT))
    assert "server=" not in address


def answered(query):
    """Return a query with its keys in the vocabulary's order."""
    pairs = parse_qsl(query)
    pairs.sort(key=lambda pair: list(answers.KEYS).index(pair[0]))
    return "&".join(f"{key}={value}" for key, value in pairs)


@pytest.mark.usefixtures("catalog")
def test_only_the_b200_board_has_1800_gb_a_second(page):
    sentences = re.split(r"(?<=[.:]) ", text_of(page(B200, AIR_2U)))
    said = [sentence for sentence in sentences if "1.8 TB/s" in sentence]
    assert said
    assert all("B200" in sentence for sentence in said)


# Ways to it


@pytest.mark.usefixtures("catalog")
def test_the_results_lead_to_a_comparison_with_the_same_answers(client):
    with override("en"):
        html = client.get(f"{reverse('recommender:results')}?{CHAT}").content.decode()
    address, query = link_of(html, "servers side by side")
    assert [pair for pair in query if pair[0] != "server"] == parse_qsl(answered(CHAT))
    slugs = [value for key, value in query if key == "server"]
    assert len(set(slugs)) == 4
    assert columns_of(client.get(address).content.decode()) == slugs


@pytest.mark.usefixtures("catalog")
def test_a_servers_page_and_the_list_lead_to_a_comparison(client):
    with override("en"):
        path, listed = reverse("catalog:compare"), reverse("catalog:server_list")
        html = client.get(reverse("catalog:server", args=[B200])).content.decode()
    assert f'href="{path}?server={B200}"' in html
    assert client.get(f"{listed}?compare={B200}&compare=&to=compare").url == f"{path}?server={B200}"
    assert f'href="{listed}?compare={B200}"' in client.get(f"{path}?server={B200}").content.decode()


# Weight


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_full_comparison_stays_below_100_kilobytes(page, language):
    html = page(B200, AIR_2U, EDGE, "thinksystem-sr675-v3", language=language, **dict(parse_qsl(CHAT)))
    assert len(html.encode()) < 100_000


@pytest.mark.django_db
def test_more_servers_and_more_of_each_need_no_more_queries(page):
    def fill(slug, size):
        variant = VariantFactory(server=ServerFactory(slug=slug))
        for _ in range(size):
            option = GPUOptionFactory(variant=variant)
            EvidenceFactory(option=option, field="max_count", stated="2")
        EvidenceFactory(server=variant.server, field="rack_units", stated="2")

    fill("a", 1), fill("b", 1)
    page("a", "b")  # what is kept for the process is read once
    with CaptureQueriesContext(connection) as few:
        page("a", "b")
    fill("c", 5), fill("d", 5)
    page("a", "b")
    with CaptureQueriesContext(connection) as many:
        page("a", "b", "c", "d")
    assert len(many) == len(few) <= 15


@pytest.mark.usefixtures("catalog")
def test_a_load_needs_as_many_queries_for_four_servers_as_for_two(page):
    load = dict(parse_qsl(CHAT))
    page(B200, AIR_2U, **load)
    with CaptureQueriesContext(connection) as few:
        page(B200, AIR_2U, **load)
    with CaptureQueriesContext(connection) as many:
        page(B200, AIR_2U, EDGE, "thinksystem-sr675-v3", **load)
    assert len(many) == len(few) <= 25
