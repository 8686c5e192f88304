"""Every type of page for readers who do not see, see little, or do not use a mouse."""

import pytest

from tests.pages import Page, pages, public_view_names

# Each language: the width and scheme in which every rule is tried; colours and targets in the other ones too.
WAYS = {
    "es": ((1280, "light"), (360, "dark")),
    "ru": ((360, "dark"), (1280, "light")),
    "en": ((1280, "dark"), (360, "light")),
}
OF_THE_LOOK = ["color-contrast", "target-size", "link-in-text-block"]

# Lists of hundreds of equal rows take long and show nothing that fewer rows do not.
SHORTER = {"catalog:ai_model_list": Page("catalog:ai_model_list", query="q=llama")}

# What a page is in another state; the last sample of each view is tried in every language anyway.
STATES = [
    Page("catalog:server_list", query="rack_units=1&card_width=module"),
    Page("catalog:server_list", query="gpu_memory_min=lots&colour=blue"),
    Page("catalog:server", {"slug": "thinksystem-sd665-n-v3"}),
    Page("catalog:server", {"slug": "thinksystem-sr680a-v3"}),
    Page("catalog:gpu", {"slug": "nvidia-h100-nvl-94gb"}),
    Page("catalog:ai_model", {"slug": "llama-3.3-70b"}),
    Page("catalog:ai_model_list", query="q=nothing"),
    Page("catalog:result_list", query="server=no-such-server"),
    Page("catalog:compare"),
    Page("catalog:compare", query="server=thinksystem-sr675-v3"),
    Page("catalog:compare", query="server=thinksystem-sr675-v3&server=thinkedge-se455-v3&differences=1"),
    Page("catalog:search", query="q=h100"),
    Page("catalog:search", query="q=thinksistem"),
    Page("catalog:search", query="q=qqqq"),
    Page(
        "recommender:results",
        query="workload=chat&model=llama-3.3-70b&concurrency=32&rack_units=1&power_kw=0.3",
    ),
    Page("recommender:results", query="workload=chat&model=llama-3.3-70b&concurrency=32&context_tokens=8000"),
    Page(
        "catalog:server_list",
        query="compare=thinkedge-se100&compare=thinkedge-se360-v2&compare=thinksystem-sr655-v3"
        "&compare=thinksystem-sr665-v3",
    ),
]


def look(page, axe, path, language):
    """Open a page and hold it against the rules, in both schemes and at both widths."""
    (width, scheme), *others = WAYS[language]
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(path)
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for width, scheme in others:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        axe(page, OF_THE_LOOK)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("language", WAYS)
@pytest.mark.parametrize("view_name", public_view_names())
def test_a_page_keeps_the_rules_and_fits_the_screen(shared_page, axe, view_name, language):
    page = SHORTER.get(view_name) or pages(view_name)[-1]
    look(shared_page, axe, page.path(language), language)


@pytest.mark.parametrize("state", STATES, ids=str)
def test_a_page_in_another_state_does_so_too(shared_page, axe, state):
    language = list(WAYS)[STATES.index(state) % len(WAYS)]
    look(shared_page, axe, state.path(language), language)


@pytest.mark.parametrize("language", WAYS)
def test_a_missing_page_too(shared_page, axe, language):
    look(shared_page, axe, f"/{language}/x/", language)
    assert shared_page.locator("h1").is_visible()
