"""Facets of the server list: what holds together, how it is counted, what is not known, where it leads."""

import csv
import io
import json
import re
from html import unescape

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.translation import override
from openpyxl import load_workbook

from catalog import scratch
from catalog.filtering import answers, facts, files, orders
from catalog.filtering.facets import FACETS, UNKNOWN
from catalog.filters import ServerFilter
from catalog.models import Server
from recommender.answers import parse
from tests.factories import (
    EnclosureFactory,
    GPUFactory,
    GPUOptionFactory,
    ManufacturerFactory,
    ServerFactory,
    SlotAlternativeFactory,
    VariantFactory,
    WorkloadProfileFactory,
)
from tests.pages import LANGUAGES, Document

pytestmark = pytest.mark.django_db


def filtered(query=""):
    return ServerFilter(QueryDict(query), Server.objects.for_cards())


def names(query="", sort="name"):
    return [server.name for server, _best in filtered(query).ordered(sort)]


def counts(facet, query=""):
    return dict(filtered(query).outcome.counts[facet])


@pytest.fixture
def get(client):
    def get(query="", language="en", view_name="server_list", args=(), **headers):
        with override(language):
            path = reverse(f"catalog:{view_name}", args=args)
        return client.get(f"{path}?{query}", headers=headers)

    return get


# What has to hold together


def test_filters_hold_for_the_same_gpu_option():
    variant = VariantFactory(server__name="Both")
    GPUOptionFactory(variant=variant, gpu__slug="h100", max_count=2, link="nvlink")
    GPUOptionFactory(variant=variant, gpu__slug="l4", max_count=8, link="pcie")
    assert names("gpu=h100&gpu_count_min=2") == ["Both"]
    assert names("gpu=h100&gpu_count_min=4") == []
    assert names("gpu=l4&link=nvlink") == []
    assert names("gpu=h100&gpu=l4&gpu_count_min=4") == ["Both"]  # one of the two has to hold it


def test_memory_and_its_number_of_cards_are_of_one_option_too():
    variant = VariantFactory(server__name="Both")
    GPUOptionFactory(variant=variant, gpu__memory_gb=141, max_count=2)
    GPUOptionFactory(variant=variant, gpu__memory_gb=24, max_count=8)
    assert names("gpu_memory_min=282&gpu_count_max=2") == ["Both"]
    assert names("gpu_memory_min=283") == []
    assert names("memory_each_min=100&gpu_count_min=8") == []


def test_bays_and_gpus_are_of_the_same_variant():
    server = ServerFactory(name="Split", bays_2_5=None)
    GPUOptionFactory(
        variant=VariantFactory(server=server, slug="gpu", bays_2_5=4), gpu__slug="a", blocks_bays=True
    )
    VariantFactory(server=server, slug="storage", is_default=False, bays_2_5=24)
    assert names("bays_min=24") == ["Split"]
    assert names("bays_min=24&gpu=a") == []
    assert names("bays_min=4&gpu=a&gpu_bays=taken") == ["Split"]
    assert names("gpu_bays=kept") == []


def test_a_variant_keeps_the_bays_of_its_server_where_it_states_none():
    VariantFactory(server__name="Plain", server__bays_nvme=12)
    VariantFactory(server__name="Fewer", server__bays_nvme=12, bays_nvme=0)
    assert names("bays_min=12") == ["Plain"]


def test_what_a_gpu_cannot_stand_lowers_the_room_of_the_server():
    variant = VariantFactory(server__name="Warm", server__temperature_max_c=45)
    GPUOptionFactory(variant=variant, gpu__slug="hot", ambient_max_c=30)
    GPUOptionFactory(variant=variant, gpu__slug="cool")
    assert names("temperature_max_c=40") == ["Warm"]
    assert names("temperature_max_c=40&gpu=hot") == []
    assert names("temperature_max_c=30&gpu=hot") == ["Warm"]


def test_orders_go_by_the_option_that_is_asked_for():
    variant = VariantFactory(server__name="Server")
    GPUOptionFactory(variant=variant, gpu__slug="gone", lifecycle="withdrawn")
    GPUOptionFactory(variant=variant, gpu__slug="here")
    ServerFactory(name="Withdrawn", lifecycle="withdrawn")
    assert names("orderable=yes") == ["Server"]
    assert names("orderable=no") == ["Withdrawn"]
    assert names("orderable=yes&gpu=gone") == []
    assert names("gpu=gone") == ["Server"]


@pytest.mark.parametrize("rows", [[("single", 8), ("double", 3)], [("double", 3), ("single", 8)]])
def test_eight_single_or_three_double_in_any_order(rows):
    variant = VariantFactory(server__name="Or")
    for width, count in rows:
        SlotAlternativeFactory(variant=variant, width=width, count=count)
    assert names("card_width=single&gpu_count_min=8") == ["Or"]
    assert names("card_width=double&gpu_count_min=3") == ["Or"]
    assert names("card_width=double&gpu_count_min=4") == []


def test_each_server_once_whatever_joins_to_it():
    variant = VariantFactory(server__name="Many", server__cooling=["air", "closed_loop"])
    for number in range(5):
        SlotAlternativeFactory(variant=variant, width="single", count=number + 1)
        GPUOptionFactory(variant=variant)
    assert names("card_width=single&cooling=air&gpu_vendor=nvidia") == []  # they are double-wide
    assert names("cooling=air&gpu_vendor=nvidia") == ["Many"]
    assert counts("cooling") == {"air": 1}
    assert filtered("cooling=air").qs.count() == 1


def test_a_tray_counts_with_its_enclosure():
    tray = VariantFactory(
        server__name="Tray",
        server__kind="tray",
        server__rack_units=1,
        server__enclosure=EnclosureFactory(rack_units=6, trays=3),
    )
    GPUOptionFactory(variant=tray, gpu__memory_gb=100, gpu__tdp_w=500, max_count=4)
    slim = VariantFactory(server__name="Slim", server__rack_units=1)
    GPUOptionFactory(variant=slim, gpu__memory_gb=75, gpu__tdp_w=300, max_count=4)
    assert names("rack_units=1") == ["Slim"]
    assert names("rack_units=6") == ["Tray"]
    best = {server.name: chosen for server, chosen in filtered().ordered()}
    assert best["Tray"].memory_gb_per_u == 3 * 400 / 6
    assert best["Tray"].power_w_per_u == 3 * 2000 / 6
    assert best["Slim"].memory_gb_per_u == 300
    assert names(sort="memory_per_u") == ["Slim", "Tray"]


def test_the_work_asks_for_its_stage_and_its_first_gpus():
    WorkloadProfileFactory(slug="big", stage="training", gpus_min=4)
    WorkloadProfileFactory(slug="small", stage="inference", gpus_min=1)
    for count in (2, 4, None):
        GPUOptionFactory(
            variant__server__name=f"Takes {count}", variant__server__for_training=True, max_count=count
        )
    ServerFactory(name="Open", for_training=True)
    assert names("workload=big") == ["Takes 4"]
    assert names("workload=small") == ["Open", "Takes 2", "Takes 4", "Takes None"]


def test_a_cap_or_the_printed_power_makes_the_watts_per_unit():
    GPUOptionFactory(variant__server__name="Capped", gpu__tdp_w=600, card_power_cap_w=450, max_count=4)
    GPUOptionFactory(variant__server__name="Unknown", gpu__tdp_w=None, max_count=4)
    best = {server.name: chosen.power_w_per_u for server, chosen in filtered().ordered()}
    assert best == {"Capped": 900, "Unknown": None}  # 2U each


# Counts


@pytest.fixture
def three():
    GPUOptionFactory(variant__server__name="A", variant__server__rack_units=1, gpu__slug="x", max_count=1)
    GPUOptionFactory(variant__server__name="B", variant__server__rack_units=2, gpu__slug="y", max_count=4)
    ServerFactory(name="C", rack_units=None, cooling=[], cpu_manufacturer=ManufacturerFactory(slug="amd"))


def test_a_choice_does_not_shrink_its_own_counts(three):
    assert counts("rack_units", "rack_units=1") == {"1": 1, "2": 1, UNKNOWN: 1}
    assert counts("gpu", "rack_units=1") == {"x": 1}
    assert counts("rack_units", "gpu=x") == {"1": 1}
    assert counts("cpu_vendor", "rack_units=1&cpu_vendor=amd") == {"intel": 1}
    assert counts("rack_units", "rack_units=1&cpu_vendor=amd") == {UNKNOWN: 1}


def test_every_count_is_what_choosing_it_finds(catalog):
    """Over the real catalog: each choice of each facet, alone and beside other filters."""
    for others in ("", "stage=inference&cooling=air", "gpu_count_min=4&orderable=yes"):
        filterset = filtered(others)
        for facet in FACETS:
            if facet.name in others or facet.keys != (facet.name,):
                continue
            for value, _label in filterset.filters[facet.name].extra["choices"]:
                found = len(names(f"{others}&{facet.name}={value}"))
                assert filterset.outcome.counts[facet.name][value] == found, (facet.name, value)


def test_a_count_of_zero_cannot_be_chosen_and_stays_to_be_seen(three, get):
    document = Document(get("rack_units=1").content.decode())
    inputs = {
        (attributes["name"], attributes["value"]): attributes
        for tag, attributes in document.elements
        if tag == "input" and attributes.get("type") == "checkbox"
    }
    assert "disabled" in inputs["gpu", "y"]
    assert "disabled" not in inputs["gpu", "x"]
    assert "checked" in inputs["rack_units", "1"]


def test_what_is_chosen_can_be_taken_back_although_it_finds_nothing(three, get):
    document = Document(get("gpu=x&rack_units=2").content.decode())
    chosen = [
        attributes for tag, attributes in document.elements if tag == "input" and "checked" in attributes
    ]
    assert len(chosen) == 2
    assert all("disabled" not in attributes for attributes in chosen)


# What is not known


@pytest.mark.parametrize(
    ("limit", "known", "facet"),
    [
        ("depth_max=800", {"depth_mm": 700}, "depth"),
        ("depth_min=600", {"depth_mm": 700}, "depth"),
        ("bays_min=8", {"bays_nvme": 8}, "bays"),
        ("temperature_max_c=40", {"temperature_max_c": 45}, "temperature"),
        ("temperature_min_c=-5", {"temperature_min_c": -5}, "temperature"),
    ],
)
def test_an_unknown_figure_meets_no_limit_is_counted_and_can_be_asked_for(limit, known, facet):
    ServerFactory(name="Known", **known)
    ServerFactory(name="Unknown")
    assert names(limit) == ["Known"]
    [note] = filtered(limit).left_out
    assert "1 " in note["text"]
    assert names(note["query"].removeprefix("?")) == ["Known", "Unknown"]
    assert names(f"{facet}=unknown") == ["Unknown"]


def test_one_end_of_the_room_may_be_known():
    ServerFactory(name="Server", temperature_max_c=45)
    assert names("temperature_max_c=45") == ["Server"]
    assert filtered("temperature_min_c=0").outcome.lacking["temperature"] == 1
    assert filtered("temperature_min_c=0&temperature_max_c=50").outcome.lacking["temperature"] == 0


def test_a_count_that_is_not_published_is_no_memory():
    GPUOptionFactory(variant__server__name="Open", gpu__memory_gb=80, max_count=None)
    GPUOptionFactory(variant__server__name="One", gpu__memory_gb=48, max_count=1)
    assert names("gpu_memory_min=1") == ["One"]
    assert names("gpu_memory=unknown") == ["Open"]
    assert names(sort="gpu_memory") == names(sort="-gpu_memory") == ["One", "Open"]


@pytest.mark.parametrize("key", [sort.removeprefix("-") for sort in orders.NAMES])
def test_unknown_figures_stand_last_both_ways(key):
    for number, name in enumerate(("Low", "High"), start=1):
        GPUOptionFactory(
            variant__server__name=name,
            variant__server__rack_units=number,
            variant__server__launch_year=2020 + number,
            gpu__memory_gb=100 * number**2,
            gpu__tdp_w=100 * number**2,
            max_count=1,
        )
    ServerFactory(name="Unknown", rack_units=None)
    there, back = names(sort=key), names(sort=f"-{key}")
    if key == "name":
        assert there == back[::-1] == ["High", "Low", "Unknown"]
    else:
        assert there[-1] == back[-1] == "Unknown"
        assert there[:2] == back[:2][::-1]


def test_an_empty_list_says_which_filters_bind(three, get):
    response = get("gpu=x&rack_units=2")
    filterset = response.context["filterset"]
    assert [(way["text"], way["query"]) for way in filterset.ways_out] == [
        ("Without “GPU: GPU" + filterset.active[0]["value"][3:] + "” there is 1 server.", "?rack_units=2"),
        ("Without “Height: 2U” there is 1 server.", "?gpu=x"),
    ]


def test_an_empty_list_says_which_two_filters_have_to_go_together(get):
    for number, (height, cooling) in enumerate([(2, "air"), (2, "air"), (4, "air"), (1, "air")]):
        GPUOptionFactory(
            variant__server__name=f"S{number}",
            variant__server__rack_units=height,
            variant__server__cooling=[cooling],
            gpu__memory_gb=100,
            max_count=1,
        )
    # Two fail three filters; of 4U and of 1U one each fails two, its cooling and its memory.
    filterset = filtered("rack_units=1&rack_units=4&cooling=liquid&gpu_memory_min=500")
    assert filterset.ways_out == []
    assert [(re.findall(r"\d+", way["text"])[-1], way["query"]) for way in filterset.ways_out_by_two] == [
        ("2", "?rack_units=1&rack_units=4")
    ]
    response = get("rack_units=1&rack_units=4&cooling=liquid&gpu_memory_min=500")
    text = response.content.decode()
    assert "at least two have to go" in text
    assert response.context["filterset"].ways_out_by_two[0]["text"] in unescape(text)
    # Whatever is dropped, the servers are those of the list without it.
    assert len(names("rack_units=1&rack_units=4")) == 2


def test_an_empty_list_says_where_even_two_filters_are_not_enough(three, get):
    query = "gpu=x&rack_units=2&stage=training&cpu_vendor=amd&gpu_memory_min=999999"
    filterset = filtered(query)
    assert (filterset.ways_out, filterset.ways_out_by_two) == ([], [])
    assert "at least three have to go" in get(query).content.decode()


def test_a_filter_that_stands_alone_in_the_way_is_named_alone(three):
    assert filtered("gpu=x&rack_units=2").ways_out_by_two == []


# Into the questionnaire


def test_filters_become_answers_and_the_others_are_named(get):
    ManufacturerFactory(slug="amd")
    GPUOptionFactory(
        variant__server__cpu_manufacturer__slug="amd",
        variant__server__rack_units=4,
        gpu__manufacturer__slug="nvidia",
    )
    ServerFactory(rack_units=2)
    query = (
        "stage=inference&site=datacenter&cooling=air&cooling=liquid&cpu_vendor=amd&gpu_vendor=nvidia"
        "&rack_units=2&rack_units=4&depth_max=900&temperature_max_c=35&temperature_min_c=-5&depth_min=1"
        "&card_width=double&gpu_memory_min=10"
    )
    taken, _rows, left = answers.of(filtered(query))
    assert taken.dict() == {
        "stage": "inference",
        "site": "datacenter",
        "gpu_vendor": "nvidia",
        "cpu_vendor": "amd",
        "rack_units": "4",
        "cooling": "any",
        "max_depth_mm": "900",
        "temperature_max_c": "35",
        "temperature_min_c": "-5",
    }
    assert {row["name"] for row in left} == {"depth_min", "card_width", "gpu_memory_min"}
    given = parse(taken)
    assert not given.problems
    assert not given.notices


def test_heights_that_become_a_limit_are_named_as_one():
    for height in (1, 2, 8):
        ServerFactory(rack_units=height)
    with override("en"):
        query, taken, _left = answers.of(filtered("rack_units=8&rack_units=1&stage=inference"))
    assert query["rack_units"] == "8"
    assert [row["value"] for row in taken if row["name"] == "rack_units"] == ["8U or less"]


def test_cooling_is_named_as_what_the_room_offers():
    ServerFactory(cooling=["air", "direct_water"])
    with override("en"):
        _query, taken, _left = answers.of(filtered("cooling=liquid"))
        assert [row["value"] for row in taken] == ["the room has a water loop"]
        _query, taken, _left = answers.of(filtered("cooling=liquid&cooling=air"))
        assert [row["value"] for row in taken] == ["any"]


@pytest.mark.parametrize("key", answers.LIMITS)
def test_a_limit_that_the_questionnaire_refuses_is_not_said_to_be_taken_along(key):
    answer, least, most = answers.LIMITS[key]
    for value in (least, most):
        query, _taken, left = answers.of(filtered(f"{key}={value}"))
        assert query.dict() == {answer: str(value)}
        assert parse(query).problems == ()
        assert left == []
    for value in (least - 1, most + 1):
        query, taken, left = answers.of(filtered(f"{key}={value}"))
        assert not query
        assert not taken
        assert [row["name"] for row in left] == [key]
        assert parse(QueryDict(f"{answer}={value}")).problems


@pytest.mark.usefixtures("catalog")
def test_every_choice_of_a_filter_is_an_answer_or_named_as_none():
    for facet in FACETS:
        for value, _label in filtered().filters[facet.name].extra["choices"]:
            filterset = filtered(f"{facet.name}={value}")
            query, taken, left = answers.of(filterset)
            given = parse(query)
            assert not given.problems
            assert not given.notices
            assert len(taken) + len(left) == len(filterset.active) == 1


def test_what_is_not_published_is_no_answer():
    ServerFactory(cooling=[])
    taken, _rows, left = answers.of(filtered("cooling=unknown"))
    assert not taken
    assert [row["name"] for row in left] == ["cooling"]


# Files


def test_a_file_has_the_rows_of_the_list_in_its_order(three, get):
    query = "sort=-gpu_memory&stage=inference"
    shown = names("stage=inference", "-gpu_memory")
    content = get(query, view_name="server_file", args=["csv"]).content.decode()
    assert [row["Server"] for row in csv.DictReader(io.StringIO(content.lstrip("\ufeff")))] == shown
    data = json.loads(get(query, view_name="server_file", args=["json"]).content)
    assert [row["name"] for row in data["servers"]] == shown
    assert data["total"] == 3
    assert data["servers"][-1]["gpu_memory_gb"] is None
    sheet = load_workbook(io.BytesIO(get(query, view_name="server_file", args=["xlsx"]).content)).active
    assert [row[1].value for row in sheet.iter_rows(min_row=2)] == shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_headers_follow_the_language_and_numbers_stay_plain(language, get):
    GPUOptionFactory(variant__server__depth_mm=772.5, gpu__memory_gb=80, max_count=8)
    content = get(language=language, view_name="server_file", args=["csv"]).content.decode()
    header, row = csv.reader(io.StringIO(content.lstrip("\ufeff")))
    with override(language):
        assert header == [str(column.header) for column in files.COLUMNS]
    assert "772.5" in row
    assert "640" in row


def test_no_cell_is_a_formula(get):
    ServerFactory(name="=HYPERLINK(1)")
    content = get(view_name="server_file", args=["csv"]).content.decode()
    assert "'=HYPERLINK(1)" in content
    sheet = load_workbook(io.BytesIO(get(view_name="server_file", args=["xlsx"]).content)).active
    assert sheet["B2"].data_type == "s"
    assert sheet["B2"].value == "'=HYPERLINK(1)"


def test_a_file_is_for_readers_bounded_and_only_of_known_kinds(get, monkeypatch, client):
    ServerFactory()
    ServerFactory()
    response = get(view_name="server_file", args=["csv"])
    assert response["X-Robots-Tag"] == "noindex"
    assert 'filename="servers.csv"' in response["Content-Disposition"]
    monkeypatch.setattr(files, "MAX_ROWS", 1)
    data = json.loads(get(view_name="server_file", args=["json"]).content)
    assert (len(data["servers"]), data["total"]) == (1, 2)
    assert client.get(reverse("catalog:server_file", args=["csv"]).replace(".csv", ".pdf")).status_code == 404


# The page, in three languages


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_ignored_is_said_and_nothing_is_lost(three, get, language):
    response = get("gpu=&rack_units=&cooling=ice&colour=1&sort=beauty", language)
    filterset = response.context["filterset"]
    empty = [str(filterset.filters[name].label) for name in ("gpu", "rack_units")]
    assert len(filterset.notices) == 5
    assert response.context["page"].paginator.count == 3
    for word in ("colour", "ice", "beauty", *empty):
        assert any(word in notice for notice in filterset.notices)
    assert len(get("", language).context["rows"]) == 3


@pytest.mark.parametrize(
    ("language", "typed", "canonical", "shown"),
    [
        ("es", "-5,5", "-5.5", "-5,5"),
        ("ru", "−5,5", "-5.5", "-5,5"),
        ("en", "-5.5", "-5.5", "-5.5"),
        ("es", "1.500", "1500", "1500"),
        ("ru", "1 500", "1500", "1500"),
        ("en", "1,500", "1500", "1500"),
    ],
)
def test_a_number_is_read_as_the_language_writes_it(get, language, typed, canonical, shown):
    key = "temperature_min_c" if "5,5" in typed or "5.5" in typed else "depth_max"
    response = get(f"lang={language}&{key}={typed}", language)
    assert response.url.endswith(f"?{key}={canonical}")
    assert f'value="{shown}"' in get(f"{key}={canonical}", language).content.decode()


@pytest.mark.parametrize("language", LANGUAGES)
def test_sort_page_and_language_keep_the_filters(get, language):
    for number in range(30):
        ServerFactory(name=f"Server {number}")
    query = "stage=inference&sort=-height&rack_units=2"
    document = Document(get(f"{query}&page=2", language).content.decode())
    links = [attributes["href"] for tag, attributes in document.elements if tag == "a"]
    others = [link for link in links if "?" in link and not link.startswith("?page")]
    assert f"?{query}&page=3" in links
    assert "?stage=inference&sort=gpu_memory&rack_units=2" in links  # by another column, from the first page
    assert "?stage=inference&sort=height&rack_units=2" in links  # the other way round
    for code in LANGUAGES:
        with override(code):
            path = reverse("catalog:server_list")
        if code != language:
            assert any(link.startswith(path) and "stage=inference" in link for link in others)


def test_each_value_is_a_chip_of_its_own(three):
    active = filtered("rack_units=1&rack_units=2&gpu_count_min=1&gpu_count=unknown").active
    assert {(row["value"], row["query"]) for row in active} == {
        ("1U", "?rack_units=2&gpu_count_min=1&gpu_count=unknown"),
        ("2U", "?rack_units=1&gpu_count_min=1&gpu_count=unknown"),
        ("1", "?rack_units=1&rack_units=2&gpu_count=unknown"),
        ("Sin publicar", "?rack_units=1&rack_units=2&gpu_count_min=1"),
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_swap_sends_the_counts_and_keeps_what_is_folded(three, get, language):
    content = get("rack_units=1", language, **{"hx-request": "true"}).content.decode()
    document = Document(content)
    swapped = {attributes["id"] for _tag, attributes in document.elements if "hx-swap-oob" in attributes}
    assert {f"facet-{facet.name}" for facet in FACETS} <= swapped
    assert "live" in swapped
    assert not any(tag == "details" for tag, _attributes in document.elements)
    whole = Document(get("rack_units=1", language).content.decode())
    open_ones = [tag for tag, attributes in whole.elements if tag == "details" and "open" in attributes]
    assert len(open_ones) == 1  # the facet that is in use


def test_column_heads_say_how_the_list_is_ordered(three, get):
    document = Document(get("sort=-memory_per_u").content.decode())
    heads = [attributes for tag, attributes in document.elements if tag == "th" and "aria-sort" in attributes]
    assert [head["aria-sort"] for head in heads] == ["ascending"]
    document = Document(get("").content.decode())
    heads = [attributes for tag, attributes in document.elements if tag == "th" and "aria-sort" in attributes]
    assert [head["aria-sort"] for head in heads] == ["ascending"]  # by name


# A large catalog


@pytest.mark.parametrize("size", [(5, 10), (60, 400)])
def test_a_large_catalog_takes_as_many_queries_as_a_small_one(size):
    scratch.fill(*size)
    facts.forget()
    with CaptureQueriesContext(connection) as captured:
        filterset = filtered("stage=inference&gpu_count_min=2&cooling=air")
        "".join(str(field) for row in filterset.facets for field in row["fields"])
    assert len(captured) == 8  # the version, seven tables
    with CaptureQueriesContext(connection) as captured:
        filtered("stage=training").facets  # noqa: B018
    assert len(captured) == 1


def test_a_new_fact_is_counted_at_once(three):
    assert counts("rack_units")["2"] == 1
    server = Server.objects.get(name="A")
    server.rack_units = 2
    server.save()
    assert counts("rack_units")["2"] == 2


def test_a_scratch_catalog_is_never_put_beside_a_real_one(three):
    with pytest.raises(CommandError, match="real catalog"):
        call_command("scratch_catalog")
    assert Server.objects.count() == 3


def test_the_benchmark_measures_a_scratch_catalog(capsys):
    call_command("scratch_catalog", servers=3, options=6)
    call_command("benchmark_catalog", rounds=1)
    printed = capsys.readouterr().out
    assert "3 servers, 6 options" in printed
    assert "page, cold" in printed


def test_only_published_gpus_are_choices():
    gpu = GPUFactory(slug="secret", is_published=False)
    GPUOptionFactory(variant__server__name="Server", gpu=gpu)
    filterset = filtered()
    assert "secret" not in dict(filterset.filters["gpu"].extra["choices"])
    assert counts("gpu") == {}
