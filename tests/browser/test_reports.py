"""Reporting an error in a real browser: from the figure to the thanks, without scripts, for every reader."""

import pytest
from django.urls import reverse
from django.utils.translation import override
from playwright.sync_api import expect

from catalog.models import ErrorReport


@pytest.fixture
def reports():
    """The reports of one test: they are no facts, and go with it."""
    yield ErrorReport.objects
    ErrorReport.objects.all().delete()


@pytest.mark.parametrize(("language", "width"), [("es", 1280), ("ru", 360)])
def test_a_figure_is_reported_without_scripts(page_without_scripts, reports, language, width):
    page = page_without_scripts
    page.set_viewport_size({"width": width, "height": 900})
    with override(language):
        address = reverse("catalog:server", args=["thinksystem-sr675-v3"])
    page.goto(address)
    page.locator(".figure-list > summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator('.figure-list a[href$="/depth_mm/"]').click()
    expect(page.locator("main")).to_contain_text("892")
    page.locator("form[method=post] button").click()
    expect(page.locator(".error-summary")).to_be_visible()
    page.locator("#id_said").fill("764")
    page.locator("form[method=post] button").click()
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator(f'main a[href="{address}"]')).to_be_visible()
    assert [(report.said, report.language) for report in reports.all()] == [("764", language)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_form_and_the_list_of_figures_keep_the_rules(page, axe, scheme):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto("/en/servers/thinksystem-sr675-v3/")
    page.locator(".figure-list > summary").click()
    axe(page)
    for link in ('.figure-list a[href$="/depth_mm/"]', "form[method=post] button"):
        with page.expect_navigation():  # a click returns before the next page has come
            page.locator(link).click()
        axe(page)
