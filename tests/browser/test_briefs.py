"""A reader makes a brief in Russian, opens it in Spanish, takes the PDF along and withdraws it."""

import io
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils.translation import override
from playwright.sync_api import expect
from pypdf import PdfReader

ANSWERS = (
    "stage=mixed&workload=chat&model=llama-3.1-8b&method=lora&concurrency=32&context_tokens=8000"
    "&hypothesis=concurrency&power_kw=7.5"
)


def pdf_text(page, name="PDF"):
    with page.expect_download() as download:
        page.get_by_role("link", name=name, exact=True).click()
    data = Path(download.value.path()).read_bytes()
    return "\n".join(sheet.extract_text() for sheet in PdfReader(io.BytesIO(data)).pages)


def make(page, language):
    page.goto(results_path(language))
    page.locator(".brief-actions a.button").click()
    page.locator("#id_title").fill("Пилот на год")
    page.locator("#id_note").fill("Отвечает отдел закупок")
    page.locator(".brief-form .button-primary").click()
    page.locator("#reader-link").wait_for()


def results_path(language):
    with override(language):
        return f"{reverse('recommender:results')}?{ANSWERS}"


def journey(page):
    make(page, "ru")
    owner_address = page.url
    assert "Сервер" in pdf_text(page)

    page.locator("#reader-link").click()
    expect(page.locator("h1")).to_have_text("Пилот на год")
    assert page.locator("html").get_attribute("lang") == "ru"
    russian = page.url
    page.locator('.languages a[hreflang="es"]').click()
    assert page.locator("html").get_attribute("lang") == "es"
    expect(page.locator("h1")).to_have_text("Пилот на год")
    expect(page.locator(".brief-document h2").first).to_be_visible()
    assert "año" in pdf_text(page)
    spanish = page.url

    token = spanish.rstrip("/").rpartition("/")[2]
    page.goto(f"/b/{token}")
    assert page.url == spanish  # the browser asks for Spanish

    page.goto(owner_address)
    page.locator(".withdraw summary").click()  # asked once more
    page.locator('button[value="revoke"]').click()
    expect(page.locator("#reader-link")).to_have_count(0)
    for address in (f"/b/{token}", russian, spanish):
        assert page.goto(address).status == 404


def test_from_making_a_brief_to_withdrawing_it(page):
    journey(page)


def test_from_making_a_brief_to_withdrawing_it_without_scripts(page_without_scripts):
    journey(page_without_scripts)


@pytest.mark.parametrize("language", ["es", "ru"])
def test_a_brief_goes_to_sales_and_the_contact_data_are_deleted(page, language):
    make(page, language)
    page.locator("#send-to-sales").click()
    page.locator("#id_name").fill("Ana Ruiz")
    page.locator("#id_email").fill("ana@company.example")
    page.locator(".brief-form .button-primary").click()
    expect(page.locator(".error-summary")).to_be_visible()
    expect(page.locator("#id_name")).to_have_value("Ana Ruiz")
    page.locator("#id_consent").check()
    page.locator(".brief-form .button-primary").click()
    page.locator('button[value="forget"]').click()
    expect(page.locator('button[value="forget"]')).to_have_count(0)


@pytest.mark.parametrize(("width", "scheme", "language"), [(1280, "light", "es"), (360, "dark", "ru")])
def test_pages_of_a_brief_are_accessible_and_fit_the_screen(page, axe, width, scheme, language):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")

    def check():
        axe(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    def follow(selector):
        with page.expect_navigation():  # a click returns before the next page has come
            page.locator(selector).click()

    page.goto(results_path(language))
    follow(".brief-actions a.button")
    check()
    follow(".brief-form .button-primary")
    page.locator("#reader-link").wait_for()
    check()
    follow("#send-to-sales")
    follow(".brief-form .button-primary")
    check()
    page.go_back()
    page.go_back()
    follow("#reader-link")
    check()
    follow(".actions-of-brief a:not(.button)")
    check()


def test_a_printed_brief_keeps_its_tables_and_leaves_navigation_out(page):
    make(page, "en")
    page.locator("#reader-link").click()
    page.set_viewport_size({"width": 700, "height": 1000})  # about as wide as A4 between its margins
    page.emulate_media(media="print")
    for part, display in ((".brief-lines td", "table-cell"), (".brief-lines thead", "table-header-group")):
        assert page.locator(part).first.evaluate("part => getComputedStyle(part).display") == display
    for part in (".site-nav", ".languages", ".actions-of-brief"):
        expect(page.locator(part)).to_be_hidden()
