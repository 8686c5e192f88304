"""Whatever stands in an address, the answer is a page: never an error of ours, never a cookie."""

from itertools import batched, cycle
from urllib.parse import quote

import pytest
from django.urls import reverse
from django.utils.translation import override
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.pages import Document, pages, public_view_names

pytestmark = pytest.mark.usefixtures("catalog")

ODD = [
    "",
    " ",
    "-1",
    "NaN",
    "1e309",
    "9" * 400,
    "1,5",
    "1.500",
    "8..",
    "9..8",
    "a" * 5000,
    "'",
    '">',
    "../..",
    "[]",
]
BROKEN = ["%00", "%ED%A0%80", "%FF%FE", "%", "%u0041", "%F0%9F%98%80", "%0D%0A"]
VALUES = [*map(quote, ODD), *BROKEN]
LISTS = [
    "",
    "?",
    "&&&",
    "=",
    "=&=",
    "a;b",
    "page=0",
    "page=-1",
    "page=99999",
    "page=last",
    "sort=nothing",
    "lang=xx",
]


def fields(client, page):
    """Return the names that the page's forms send, and those that its own address carries."""
    document = Document(client.get(page.path("es")).content.decode())
    names = {
        attributes["name"]
        for tag, attributes in document.elements
        if tag in {"input", "select"} and attributes.get("name")
    }
    return sorted(names | {part.partition("=")[0] for part in page.query.split("&") if part})


def assert_page(client, path):
    response = client.get(path)
    if response.status_code == 302:
        response = client.get(response["Location"])
    assert response.status_code == 200, path
    assert not response.cookies, path
    assert response.content.decode().lstrip().startswith("<!doctype html>"), path


def asked_of_rows(view_name):
    """Tell whether a page looks for rows by what its address says; answers only meet what is kept of them."""
    return view_name.startswith("catalog:") or view_name == "recommender:results"


@pytest.mark.parametrize(
    "view_name",
    [
        pytest.param(name, marks=[] if asked_of_rows(name) else pytest.mark.one_database)
        for name in public_view_names()
    ],
)
def test_any_query_gives_the_page(client, view_name):
    page = pages(view_name)[0]
    path, _, query = page.path("ru").partition("?")
    for part in LISTS:
        assert_page(client, f"{path}?{part}")
    names = [quote(name) for name in fields(client, page)]
    for value in VALUES if names else []:
        assert_page(client, f"{path}?{'&'.join(f'{name}={value}' for name in names)}")
    for few in batched(zip(names, cycle(VALUES), strict=False), 3, strict=False):
        broken = dict(few)
        others = [part for part in query.split("&") if part and part.partition("=")[0] not in broken]
        assert_page(client, f"{path}?{'&'.join([*others, *map('='.join, few)])}")


@pytest.mark.parametrize(
    "view_name",
    ["catalog:server_list", "recommender:questions", "recommender:results", "recommender:calculator"],
)
def test_generated_queries_too(client, view_name):
    page = pages(view_name)[-1]
    path = page.path("en").partition("?")[0]
    names = st.sampled_from([*fields(client, page), "lang", "page", "unknown"]) | st.text(max_size=8)
    values = st.text(max_size=30) | st.from_regex(
        r"-?[0-9]{1,9}([.,][0-9]{1,4}){0,2}(\.\.[0-9]{1,6})?", fullmatch=True
    )

    @settings(suppress_health_check=list(HealthCheck), max_examples=settings().max_examples // 2)
    @given(st.lists(st.tuples(names, values), max_size=6))
    def any_query(pairs):
        query = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in pairs)
        assert_page(client, f"{path}?{query}")

    any_query()


@pytest.mark.parametrize("view_name", ["catalog:server", "catalog:gpu", "catalog:ai_model"])
@pytest.mark.parametrize(
    "slug", ["x", "x" * 5000, "%00", "%FF", "..%2F..", "%D1%81%D0%B5%D1%80%D0%B2%D0%B5%D1%80", "a%20b"]
)
def test_an_object_that_does_not_exist_is_a_missing_page(client, view_name, slug):
    with override("es"):
        path = reverse(view_name, kwargs={"slug": "slug"}).replace("slug", slug)
    assert client.get(path).status_code == 404
