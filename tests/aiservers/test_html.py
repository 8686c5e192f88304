"""The HTML of every type of page is valid."""

import pytest

from tests import validity
from tests.pages import LANGUAGES, pages, public_view_names, shipped_guides

pytestmark = pytest.mark.one_database
PER_TYPE = 2  # pages of one type: what they show differs more than their HTML


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("<p>uno<div>dos</div></p>", "p"),
        ("<table><tr><p>uno</table>", "table"),
        ('<p id="a"></p><p id="a"></p>', "id a"),
        ('<label for="b">uno</label>', "for"),
        ('<a href="#c">uno</a>', "#c"),
        ('<img src="d">', "alt"),
        ("<a href='/e'><button>f</button></a>", "button inside a"),
        ("<b>uno", "b"),
    ],
)
def test_a_mistake_is_found(html, said):
    page = f"<!doctype html><html lang=es><title>x</title><body>{html}</body></html>"
    assert any(said in problem for problem in validity.problems(page))


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("view_name", public_view_names())
def test_a_page_is_valid(client, view_name):
    for page, language in zip(pages(view_name)[:PER_TYPE], LANGUAGES, strict=False):
        path = page.path(language)
        assert validity.problems(client.get(path).content.decode()) == [], path


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_guide_is_valid(client, language):
    guides = shipped_guides()
    assert guides
    for page in guides:
        path = page.path(language)
        assert validity.problems(client.get(path).content.decode()) == [], path
