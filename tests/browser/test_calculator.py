"""The memory calculator in a browser: live with scripts, complete without, and for every reader."""

import re

import pytest
from playwright.sync_api import expect


def plain(text):
    return re.sub(r"\s+", " ", text).strip()


def test_a_change_is_answered_at_once_and_kept_in_the_address(page):
    page.goto("/es/memoria/?model=llama-3.3-70b&gpu=nvidia-h200-sxm-141gb&gpus=4&context_tokens=8192")
    requests = page.locator("#id_concurrency")
    requests.fill("1.500")
    requests.press("Tab")
    expect(page.locator(".verdict .state")).to_have_class(re.compile("state-no"))
    expect(page).to_have_url(re.compile("concurrency=1500"))
    assert "lang=" not in page.url
    assert page.evaluate("document.activeElement.id") == "id_context_tokens"
    requests.fill("muchas")
    requests.press("Tab")
    expect(page.locator("#id_concurrency_error")).not_to_be_empty()
    expect(page.locator("#live")).not_to_be_empty()
    requests.fill("16")
    requests.press("Tab")
    expect(page.locator(".verdict .state")).to_have_class(re.compile("state-fits"))
    expect(page.locator("#id_concurrency_error")).to_be_empty()
    verdict = plain(page.locator(".verdict").inner_text())
    page.reload()
    assert plain(page.locator(".verdict").inner_text()) == verdict


def test_only_the_fields_of_the_chosen_work_are_asked(page):
    page.goto("/en/memory/?model=llama-3.1-8b&gpu=nvidia-l40s&gpus=2")
    expect(page.locator("#id_method")).to_be_hidden()
    page.locator('[name="stage"][value="fine_tuning"]').check()
    expect(page.locator("#id_method")).to_be_visible()
    expect(page.locator("#id_concurrency")).to_be_hidden()
    page.locator("#id_method").select_option("qlora")
    expect(page.locator(".lines tbody")).to_contain_text("Gradients")
    expect(page).to_have_url(re.compile("method=qlora"))


@pytest.mark.parametrize(("language", "path"), [("es", "memoria"), ("ru", "pamyat"), ("en", "memory")])
def test_it_works_without_scripts(page_without_scripts, language, path):
    page = page_without_scripts
    page.goto(f"/{language}/{path}/")
    page.locator("#id_model").select_option("llama-3.1-8b")
    page.locator("#id_gpu").select_option("nvidia-l40s")
    page.locator("#id_concurrency").fill("8")
    page.locator("main .button-primary").click()
    expect(page.locator(".verdict .state")).to_have_class(re.compile("state-fits"))
    assert "gpu=nvidia-l40s" in page.url
    page.locator(".formulas summary").first.click()
    expect(page.locator(".formulas pre").first).to_be_visible()
    # Layers of Llama 3.1 8B in 16 bits stand in the formula of its weights.
    assert "= " in page.locator(".formulas pre").first.inner_text()


@pytest.mark.parametrize(("width", "scheme", "language"), [(1280, "light", "en"), (360, "dark", "ru")])
@pytest.mark.parametrize(
    "query",
    [
        "model=deepseek-v3&gpu=nvidia-h200-sxm-141gb&gpus=8&documents=100000&concurrency=many",
        "stage=training&method=full&model=llama-3.1-8b&gpu=nvidia-l40s&gpus=3",
    ],
)
def test_a_full_result_keeps_the_rules_and_fits_the_screen(page, axe, query, width, scheme, language):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    path = {"en": "/en/memory/", "ru": "/ru/pamyat/"}[language]
    page.goto(f"{path}?{query}")
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
