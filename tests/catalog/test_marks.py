"""Servers marked for a comparison: kept in the list's address, whatever the reader does with the list."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.translation import override

from tests.factories import ServerFactory
from tests.pages import LANGUAGES, Document

pytestmark = pytest.mark.django_db

MARKED = "compare=server-3&compare=server-20"


@pytest.fixture(autouse=True)
def servers():
    for number in range(1, 31):
        ServerFactory(name=f"Server {number}", slug=f"server-{number}", rack_units=2 if number % 2 else 4)


@pytest.fixture
def get(client):
    def get(query="", language="en", **headers):
        with override(language):
            return client.get(f"{reverse('catalog:server_list')}?{query}", headers=headers)

    return get


def boxes(response):
    """Return {slug: attributes} of what can be marked on this page, and the slugs of hidden fields."""
    found, hidden = {}, []
    for tag, attributes in Document(response.content.decode()).elements:
        if tag == "input" and attributes.get("name") == "compare":
            assert attributes["form"] == "filters"
            if attributes["type"] == "hidden":
                hidden.append(attributes["value"])
            else:
                found[attributes["value"]] = attributes
    return found, hidden


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_way_on_keeps_the_marks(get, language):
    response = get(f"stage=inference&rack_units=2&sort=-height&{MARKED}", language)
    links = [attributes.get("href", "") for _tag, attributes in Document(response.content.decode()).elements]
    links = [link for link in links if "?" in link]
    files = [link for link in links if "." in link.split("?")[0]]
    ways_on = [
        link
        for link in links
        if link not in files and "server" not in link.split("compare=")[0].split("?")[1]
    ]
    questionnaire = [link for link in ways_on if "compare=" not in link]
    assert len(questionnaire) == 1  # takes the filters along as answers, and nothing else
    assert "rack_units=2" in questionnaire[0]
    assert len(ways_on) > 15  # pages, orders, filters, marks, languages
    for link in ways_on:
        if link not in questionnaire:
            kept = link.count("compare=")
            assert kept == 2 or (
                kept == 1 and link in {row["query"] for row in response.context["marks"]["rows"]}
            )
    assert len(files) == 3
    assert not any("compare" in link for link in files)


def test_what_is_marked_here_is_checked_and_what_is_elsewhere_travels_hidden(get):
    here, elsewhere = boxes(get(MARKED))
    assert [slug for slug, attributes in here.items() if "checked" in attributes] == ["server-3"]
    assert elsewhere == ["server-20"]
    here, elsewhere = boxes(get(f"{MARKED}&page=2"))
    assert [slug for slug, attributes in here.items() if "checked" in attributes] == ["server-20"]
    assert elsewhere == ["server-3"]


def test_a_list_that_came_out_empty_keeps_them_too(get):
    response = get(f"rack_units=2&rack_units=unknown&depth_min=90000&{MARKED}")
    assert response.context["rows"] == []
    assert boxes(response) == ({}, ["server-3", "server-20"])
    assert "Compare the marked servers" in response.content.decode()


def test_without_filters_the_marks_and_the_order_stay(get):
    response = get(f"rack_units=2&sort=-height&{MARKED}")
    assert response.context["no_filters"] == f"?sort=-height&{MARKED}"
    assert response.context["filterset"].notices == []


def test_a_mark_is_taken_back_alone(get):
    rows = get(f"stage=inference&{MARKED}").context["marks"]["rows"]
    assert [(row["server"].name, row["query"]) for row in rows] == [
        ("Server 3", "?stage=inference&compare=server-20"),
        ("Server 20", "?stage=inference&compare=server-3"),
    ]


def test_four_are_the_most_and_the_page_says_so(get):
    four = "&".join(f"compare=server-{number}" for number in (1, 2, 3, 4))
    response = get(four)
    here, _elsewhere = boxes(response)
    assert {slug for slug, attributes in here.items() if "disabled" not in attributes} == {
        f"server-{number}" for number in (1, 2, 3, 4)
    }
    assert "No more than 4 servers stand side by side: take one back" in response.content.decode()
    assert response.context["notices"] == []
    response = get(f"{four}&compare=server-9")
    assert response.context["marks"]["slugs"] == [f"server-{number}" for number in (1, 2, 3, 4)]
    assert "Left out: Server 9." in response.context["notices"]
    three = four.removesuffix("&compare=server-4")
    here, _elsewhere = boxes(get(three))
    assert not any("disabled" in attributes for attributes in here.values())


def test_a_mark_that_is_no_server_is_named_and_goes(get):
    ServerFactory(slug="draft", is_published=False)
    response = get("compare=draft&compare=server-3&compare=")
    assert response.context["marks"]["slugs"] == ["server-3"]
    assert response.context["notices"] == ["The catalog has no server named “draft”. It was left out."]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_button_opens_the_comparison(get, language):
    with override(language):
        address = f"{reverse('catalog:compare')}?server=server-3&server=server-20"
    response = get(f"rack_units=2&{MARKED}&to=compare", language)
    assert (response.status_code, response.url) == (302, address)
    swapped = get(f"rack_units=2&{MARKED}&to=compare", language, **{"hx-request": "true"})
    assert (swapped.status_code, swapped["HX-Redirect"]) == (200, address)


def test_a_swap_says_how_many_are_marked(get):
    content = get(f"rack_units=2&{MARKED}", **{"hx-request": "true"}).content.decode()
    assert "15 servers. 2 servers marked to compare</div>" in content
    assert "marked to compare" not in get("rack_units=2", **{"hx-request": "true"}).content.decode()


def test_marks_cost_one_query_and_none_without_them(get, django_assert_num_queries):
    get()  # the facts are read once
    with CaptureQueriesContext(connection) as plain:
        get()
    with django_assert_num_queries(len(plain) + 1):
        get(MARKED)


def test_filters_become_answers_at_the_lists_own_address(get):
    response = get("rack_units=2&to=questionnaire")
    assert (response.status_code, response.url) == (302, "/en/questions/?rack_units=2")
