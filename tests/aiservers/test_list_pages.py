"""Pages of a list: what an address that has none gets, and which are pages of their own."""

import pytest

from tests.factories import ServerFactory
from tests.pages import Page

pytestmark = pytest.mark.django_db
PATH = Page("catalog:server_list").path("en")


@pytest.fixture(autouse=True)
def two_pages():
    ServerFactory.create_batch(13)


def canonical(response):
    _before, after = response.content.decode().split('<link rel="canonical" href="')
    return after.split('"')[0]


@pytest.mark.parametrize(("asked", "shown"), [("99", 2), ("x", 1), ("0", 1), ("-1", 1), ("1.5", 1)])
def test_a_page_that_the_list_does_not_have_is_named(client, asked, shown):
    response = client.get(PATH, {"page": asked})
    assert response.context["page"].number == shown
    assert f"This list has no page “{asked}”. Page {shown} is shown." in response.content.decode()


@pytest.mark.parametrize("asked", ["", "1", "2"])
def test_a_page_that_it_has_is_not(client, asked):
    assert client.get(PATH, {"page": asked}).context["notices"] == []


def test_a_later_page_of_the_whole_list_is_a_page_of_its_own(client):
    assert canonical(client.get(PATH)) == f"http://testserver{PATH}"
    assert canonical(client.get(PATH, {"page": "1"})) == f"http://testserver{PATH}"
    response = client.get(PATH, {"page": "2"})
    assert canonical(response) == f"http://testserver{PATH}?page=2"
    russian = Page("catalog:server_list").path("ru")
    assert f'hreflang="ru" href="http://testserver{russian}?page=2"' in response.content.decode()
    assert canonical(client.get(PATH, {"page": "99"})) == f"http://testserver{PATH}?page=2"


def test_a_later_page_of_a_filtered_list_is_not(client):
    assert canonical(client.get(PATH, {"kind": "rack", "page": "2"})) == f"http://testserver{PATH}"
