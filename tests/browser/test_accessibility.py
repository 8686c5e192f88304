"""Every type of page for readers who do not see, see little, or do not use a mouse."""

import pytest

from tests.pages import pages, public_view_names


@pytest.mark.parametrize(("width", "scheme", "language"), [(1280, "light", "es"), (360, "dark", "ru")])
@pytest.mark.parametrize("view_name", public_view_names())
def test_a_page_keeps_the_rules_and_fits_the_screen(page, axe, view_name, width, scheme, language):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(pages(view_name)[-1].path(language))
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("language", ["es", "ru", "en"])
def test_a_missing_page_too(page, axe, language):
    assert page.goto(f"/{language}/x/").status == 404
    axe(page)
