"""The search page: what it says, with and without htmx, and what it does with anything that is typed."""

import pytest
from django.urls import reverse
from django.utils.translation import override

from aiservers import caching
from catalog.search import query
from tests.factories import AIModelFactory, GPUFactory, ServerFactory

pytestmark = pytest.mark.django_db
LANGUAGES = ["es", "ru", "en"]
HTMX = {"HX-Request": "true"}


def get(client, q=None, language="en", headers=None, **rest):
    with override(language):
        path = reverse("catalog:search")
    return client.get(path, ({} if q is None else {"q": q}) | rest, headers=headers)


def text(response):
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def drawers():
    for number in range(7):
        ServerFactory(name=f"Drawer {number}", slug=f"drawer-{number}")
    GPUFactory(name="Drawer GPU", slug="drawer-gpu")


@pytest.mark.parametrize("language", LANGUAGES)
def test_groups_have_counts_and_lead_to_their_pages(client, drawers, language):
    response = get(client, "drawer", language)
    html = text(response)
    with override(language):
        assert f'href="{reverse("catalog:server", args=["drawer-0"])}"' in html
        assert f'href="{reverse("catalog:gpu", args=["drawer-gpu"])}"' in html
    groups = response.context["groups"]
    assert [(group["kind"].name, group["count"], len(group["results"])) for group in groups] == [
        ("server", "7", 5),
        ("gpu", "1", 1),
    ]
    assert 'value="drawer"' in html


def test_all_of_one_kind_page_by_page(client):
    for number in range(23):
        ServerFactory(name=f"Drawer {number}")
    GPUFactory(name="Drawer GPU")
    first, second = get(client, "drawer", kind="server"), get(client, "drawer", kind="server", page=2)
    shown = [[result.title for result in page.context["groups"][0]["results"]] for page in (first, second)]
    assert [len(titles) for titles in shown] == [20, 3]
    assert shown[1] == ["Drawer 20", "Drawer 21", "Drawer 22"]
    assert "Drawer GPU" not in text(first)


@pytest.mark.parametrize("rest", [{"kind": "nonsense"}, {"kind": ""}, {"kind": "ai_model"}, {"page": "x"}])
def test_a_kind_without_results_or_that_is_none_hides_nothing(client, drawers, rest):
    assert len(get(client, "drawer", **rest).context["groups"]) == 2


def test_nothing_typed_shows_what_can_be(client):
    AIModelFactory(name="Llama 3.3 70B")
    response = get(client)
    assert response.context["examples"] == ["Llama 3.3 70B"]
    with override("en"):
        assert f'href="{reverse("catalog:server_list")}"' in text(response)


def test_nothing_found_says_what_to_do(client, drawers):
    html = text(get(client, "qqqq"))
    assert "Nothing was found for “qqqq”" in html
    with override("en"):
        assert f'href="{reverse("recommender:questionnaire")}"' in html


def test_a_typing_error_shows_what_was_meant_and_says_so(client, drawers):
    response = get(client, "drawre")
    assert (response.context["instead"], response.context["counted"]) == ("Drawer", "8 results")
    assert "Nothing was found for “drawre”" in text(response)
    assert "Did you mean “Drawer gpu”?" in text(get(client, "drawre gpu"))


def test_words_that_stand_nowhere_are_named(client, drawers):
    assert "No page has “mountains”" in text(get(client, "drawer mountains"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_htmx_gets_the_part_with_the_count_to_be_spoken(client, drawers, language):
    html = text(get(client, "drawer", language, headers=HTMX))
    assert html.lstrip().startswith('<section id="found"')
    assert "<html" not in html
    assert 'id="live"' in html
    assert 'id="languages"' in html
    restored = text(get(client, "drawer", language, headers=HTMX | {"HX-History-Restore-Request": "true"}))
    assert "<html" in restored


def test_typing_waits_and_the_button_needs_no_script(client):
    html = text(get(client))
    assert 'hx-trigger="input changed delay:250ms"' in html
    assert 'method="get" role="search"' in html


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "typed",
    [
        "\0",
        "h\x00100",
        "😀",
        "👩‍💻 h100",
        "\u202eh100",
        "ا ل ع",
        "é" * 5000,
        "x" * 10_000,
        "a " * 5000,
        "<b>&\"'",
        "%_\\",
    ],
)
def test_anything_typed_gets_a_page(client, drawers, typed, language):
    for headers in ({}, HTMX):
        html = text(get(client, typed, language, headers=headers))
        assert "<b>&" not in html
        assert "\0" not in html
        assert "\u202e" not in html


def test_a_text_that_is_too_long_gets_its_message_and_stays(client, drawers):
    typed = "drawer " * 20
    assert get(client, "drawer " + "x" * (query.MAX_LENGTH - 7)).context["error"] == ""
    response = get(client, typed)
    html = text(response)
    assert "139" in response.context["error"]
    assert "100" in response.context["error"]
    assert f'value="{typed.strip()}"' in html
    assert 'aria-invalid="true"' in html
    assert "groups" not in response.context
    assert "139" in text(get(client, typed, headers=HTMX))


def test_a_sign_alone_gets_its_message(client):
    assert "no letter or digit" in text(get(client, "??!"))


def test_search_pages_are_not_for_search_engines(client):
    for q in (None, "h100"):
        assert get(client, q)["X-Robots-Tag"] == "noindex"
    assert "catalog:search" in caching.NOINDEX_VIEWS


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_has_the_way_to_the_search_at_its_top(client, language):
    with override(language):
        search, pages = reverse("catalog:search"), [reverse("catalog:home"), reverse("catalog:legal")]
    for path in pages:
        header = text(client.get(path)).split("</header>")[0]
        assert f'action="{search}"' in header
        assert f'href="{search}"' in header
    own = text(client.get(search)).split("</header>")[0]
    assert f'action="{search}"' not in own
    assert "aria-current" in own
