"""The search in a real browser: as it is typed, by button without scripts, and from any page's header."""

import re

import pytest
from django.urls import reverse
from django.utils.translation import override
from playwright.sync_api import expect


def address(language="en"):
    with override(language):
        return reverse("catalog:search")


@pytest.mark.parametrize("language", ["es", "ru", "en"])
def test_results_come_while_typing_and_the_focus_stays(page, language):
    page.goto(address(language))
    page.evaluate("window.stays = true")
    page.locator("#id_q").press_sequentially("sr650v3", delay=20)
    expect(page.locator(".found-list a")).to_have_text(["ThinkSystem SR650 V3"])
    expect(page.locator("#id_q")).to_be_focused()
    expect(page.locator("#live")).to_have_text(page.locator(".count").inner_text())
    assert page.url.endswith("?q=sr650v3")
    assert page.evaluate("window.stays") is True
    page.locator("#id_q").fill("x" * 101)
    expect(page.locator("#q_error .errorlist")).to_be_visible()
    page.locator("#id_q").fill("h100")
    expect(page.locator("#q_error .errorlist")).to_have_count(0)
    page.reload()
    expect(page.locator("#id_q")).to_have_value("h100")


def test_the_way_back_leads_to_the_page_before(page):
    page.goto(address("en").replace("search/", ""))
    page.locator("#site_q").fill("sr650v3")
    page.locator("#site_q").press("Enter")
    expect(page.locator(".found-list a")).to_have_text(["ThinkSystem SR650 V3"])
    page.locator("#id_q").press("End")
    page.locator("#id_q").press_sequentially(" x", delay=20)
    page.wait_for_url(re.compile(r"q=sr650v3(\+|%20)x$"))
    page.go_back()
    expect(page.locator("#site_q")).to_be_visible()


def test_the_same_without_scripts(page_without_scripts):
    page = page_without_scripts
    page.goto(address())
    page.locator("#id_q").fill("СР650v3")
    page.locator(".search-form button").click()
    expect(page.locator(".found-list a")).to_have_text(["ThinkSystem SR650 V3"])
