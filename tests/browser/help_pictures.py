"""Take the pictures of the admin's help anew, from a running site with a filled catalog.

    uv run python -m tests.browser.help_pictures http://127.0.0.1:8000 NAME PASSWORD

NAME is an administrator without a second factor. A lead has to be there for the picture of sales.
"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM, QUIET

FOLDER = Path(__file__).resolve().parents[2] / "static/img/help"
SIZE = {"width": 950, "height": 550}  # as narrow as the admin's lists keep their filters beside them
SCALE = 0.8  # to the 760 x 440 of the help's pages
LOCALES = {"es": "es-ES", "ru": "ru-RU", "en": "en-GB"}
# What each role looks at.
PICTURES = {
    "product-managers": "/admin/catalog/server/",
    "sales": "/admin/recommender/lead/",
    "marketing": "/admin/catalog/guide/board/",
    "everybody": "/admin/two-factor/",
}


def take(site, name, password):
    """Write a picture for each role and language."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=[*QUIET, "--disable-lcd-text"])
        for language, locale in LOCALES.items():
            context = chromium.new_context(
                viewport=SIZE, device_scale_factor=SCALE, locale=locale, color_scheme="light"
            )
            context.add_init_script("localStorage.setItem('django.admin.navSidebarIsOpen', 'false')")
            page = context.new_page()
            page.goto(f"{site}/admin/login/")
            page.fill("#id_username", name)
            page.fill("#id_password", password)
            page.click("input[type=submit]")
            for role, path in PICTURES.items():
                page.goto(f"{site}{path}")
                page.evaluate("document.querySelector('#content h1').scrollIntoView()")
                page.screenshot(path=FOLDER / f"{role}.{language}.png")
            context.close()
        chromium.close()


if __name__ == "__main__":
    take(*sys.argv[1:])
