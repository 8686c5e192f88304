"""A reader answers the questionnaire from the home page to a server's page, with and without JavaScript."""

import re

import pytest
from playwright.sync_api import expect

from tests.pages import Page

NARROW = "\N{NARROW NO-BREAK SPACE}"

# Per language: what is typed as power [kW], how the result writes it, and the decimal sign of its figures.
HAS_FOCUS = "element => element === document.activeElement"
READERS = {
    "es": ("7,5", "7,5 kW", ","),
    "ru": ("7,5", "7,5 кВт", ","),
    "en": ("7.5", "7.5 kW", "."),
}


def plain(text):
    """Return a text with simple spaces, as a reader sees it."""
    return re.sub(r"\s+", " ", text.replace(NARROW, " ").replace("\N{NO-BREAK SPACE}", " ")).strip()


def open_questionnaire(page):
    """Follow the link of the navigation, which a phone has behind its menu."""
    menu = page.locator(".site-nav summary")
    if menu.is_visible():
        menu.click()
    page.locator(".site-nav .find a").click()


def answer(page, language, *, power):
    page.goto(f"/{language}/")
    open_questionnaire(page)
    page.locator('[name="stage"][value="inference"]').check()
    page.locator('[name="workload"][value="chat"]').check()
    page.locator("#on-one-page").click()
    page.locator("#id_model").select_option("llama-3.1-8b")
    page.locator("#id_concurrency").fill("10")
    page.locator("#id_context_tokens").fill("8192")
    page.locator('[name="hypothesis"][value="context_tokens"]').check()
    page.locator("#id_power_kw").fill(power)
    page.locator('main .button-primary[value="results"]').click()
    page.locator("#advice, .error-summary").first.wait_for()


def journey(page, language):
    typed, shown, decimal_sign = READERS[language]
    answer(page, language, power=typed)

    first = page.locator(".match").first
    name = plain(first.locator("h3").inner_text())
    assert name.startswith("Think")
    assert re.search(r"\d × (NVIDIA|AMD|Intel) ", plain(first.locator(".headline").inner_text()))
    assert re.search(rf"\d\{decimal_sign}\d", first.inner_text())
    rows = [plain(row) for row in page.locator(".assumptions tbody tr").all_inner_texts()]
    assert any(shown in row for row in rows)
    assert any("Llama 3.1 8B" in row for row in rows)
    assert page.locator(".assumptions .chip-hypothesis").count() == 1
    assert "power_kw=7.5" in page.url
    assert "lang=" not in page.url

    first.locator("h3 a").click()
    assert name in plain(page.locator("h1").inner_text())


@pytest.mark.parametrize("language", READERS)
def test_from_the_home_page_to_a_server(page, language):
    journey(page, language)


@pytest.mark.parametrize("language", READERS)
def test_from_the_home_page_to_a_server_without_scripts(page_without_scripts, language):
    journey(page_without_scripts, language)


def test_the_kind_of_work_brings_its_profiles_and_the_address_follows(page):
    page.goto("/es/")
    open_questionnaire(page)
    page.locator('[name="stage"][value="training"]').check()
    expect(page.locator('[name="workload"][value="chat"]')).to_be_hidden()
    expect(page.locator('[name="workload"][value="llm_pretraining"]')).to_be_visible()
    expect(page).to_have_url(re.compile("stage=training"))
    page.locator('.languages a[lang], .languages a[hreflang="ru"]').first.click()
    expect(page.locator('[name="stage"][value="training"]')).to_be_checked()


def walk(page, language):
    """Go from the work over one group a page to the check of all answers."""
    page.goto(f"/{language}/")
    open_questionnaire(page)
    page.locator('[name="stage"][value="inference"]').check()
    page.locator('[name="workload"][value="rag"]').check()
    page.locator("main .button-primary").click()
    page.locator("#id_model").select_option("qwen3-32b")
    page.locator("main .button-primary").click()
    page.locator("#id_users").fill("1000")
    page.locator("#id_peak_factor").fill("2,5")


def test_people_become_requests_while_they_are_typed(page):
    walk(page, "es")
    expect(page.locator("#load-formula")).to_contain_text("8,33")
    expect(page).to_have_url(re.compile("users=1000"))
    page.locator('main button[value="check"]').click()
    expect(page.locator("#a-users")).to_contain_text("1000")
    expect(page.locator("#tested li, #tested p").first).to_be_visible()
    page.locator("#a-users a").click()
    expect(page.locator("#q-users")).to_be_in_viewport()
    page.go_back()
    expect(page.locator("#a-users")).to_be_visible()


def test_people_become_requests_without_scripts(page_without_scripts):
    page = page_without_scripts
    walk(page, "ru")
    page.locator('main button[value="check"]').click()
    expect(page.locator("#load-formula")).to_contain_text("8,33")
    page.locator("#tested a").click()
    expect(page.locator("#tested li").first).to_be_visible()
    page.locator("main .button-primary").click()
    expect(page.locator(".match").first).to_be_visible()


def test_two_tabs_keep_their_own_answers(page):
    walk(page, "es")
    other = page.context.new_page()
    other.goto(page.url)
    other.locator("#id_users").fill("50")
    other.locator("main .button-primary").click()
    page.locator("main .button-primary").click()
    expect(page).to_have_url(re.compile("users=1000"))
    expect(other).to_have_url(re.compile("users=50"))


def test_what_was_understood_is_said_beside_the_field(page):
    answer(page, "es", power="7,5")
    page.go_back()
    page.locator("#id_context_tokens").fill("12.500")
    page.locator("#id_output_tokens").focus()
    expect(page.locator("#id_context_tokens_error")).to_contain_text("12")
    expect(page).to_have_url(re.compile("context_tokens=12500"))
    page.locator("#id_concurrency").fill("muchas")
    page.locator("#id_output_tokens").focus()
    expect(page.locator("#id_concurrency_error")).to_contain_text("«muchas»")
    assert page.locator("#id_output_tokens").evaluate(HAS_FOCUS)


@pytest.mark.parametrize("language", READERS)
def test_an_answer_is_edited_beside_the_results(page, language):
    typed, _shown, _sign = READERS[language]
    answer(page, language, power=typed)
    before = page.url
    count = page.locator(".match").count()
    page.locator("#id_power_kw").fill("0" + READERS[language][2] + "5")
    page.locator("#update").click()
    expect(page).to_have_url(re.compile(r"power_kw=0\.5"))
    expect(page.locator("#live")).not_to_be_empty()
    assert "lang=" not in page.url
    assert page.locator("#update").evaluate(HAS_FOCUS)
    page.go_back()
    expect(page).to_have_url(before)
    expect(page.locator(".match")).to_have_count(count)
    expect(page.locator("header.site-header")).to_be_visible()


def test_a_bad_answer_is_shown_beside_its_field_without_scripts(page_without_scripts):
    page = page_without_scripts
    answer(page, "ru", power="много")
    expect(page.locator(".error-summary")).to_contain_text("много")
    page.locator(".error-summary a").first.click()
    expect(page.locator("#id_power_kw")).to_have_value("много")
    expect(page.locator("#id_concurrency")).to_have_value("10")
    page.locator("#id_power_kw").fill("7,5")
    page.locator('main .button-primary[value="results"]').click()
    expect(page.locator(".match").first).to_be_visible()


def test_a_change_link_leads_to_its_question(page):
    answer(page, "es", power="7,5")
    page.locator('a[href$="#q-model"]').first.click()
    expect(page.locator("#q-model")).to_be_in_viewport()
    expect(page.locator("#id_concurrency")).to_have_value("10")
    expect(page.locator("#id_model")).to_have_value("llama-3.1-8b")


@pytest.mark.parametrize(("language", "scheme"), [("es", "light"), ("ru", "dark"), ("en", "light")])
def test_every_page_is_accessible(page, axe, language, scheme):
    page.emulate_media(color_scheme=scheme)
    page.goto(f"/{language}/")
    open_questionnaire(page)
    axe(page)
    answer(page, language, power="x")
    axe(page)
    answer(page, language, power=READERS[language][0])
    axe(page)


@pytest.mark.parametrize("width", [360, 390, 768, 1600])
def test_nothing_is_wider_than_the_window(page, width):
    page.set_viewport_size({"width": width, "height": 800})
    answer(page, "ru", power="7,5")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.go_back()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [768, 1280])
@pytest.mark.parametrize("language", ["es", "ru", "en"])
def test_a_power_with_its_measurements_leaves_the_name_its_room(page, language, width):
    """Two measured figures with their sources stand beside the first server's name, not upon it."""
    page.set_viewport_size({"width": width, "height": 900})
    answers = (
        "stage=mixed&model=llama-3.3-70b&method=full&concurrency=8&target_hours=24&dataset_tokens=50000000"
    )
    page.goto(f"{Page('recommender:results').path(language)}?{answers}")
    head = page.locator(".match-head").first
    assert head.locator(".brief a").count() > 1
    title = head.locator(".match-title")
    assert title.evaluate("element => element.scrollWidth <= element.clientWidth")
    assert title.bounding_box()["width"] > 200
