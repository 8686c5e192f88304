"""A guide from its first word to a fact that changes under it, in the hands of those who may do each step."""

import datetime
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override
from playwright.sync_api import expect

from catalog.models import Guide, GuideEdition, Revision, Server

SERVER = "thinksystem-sr675-v3"
DEPTH_MM = 892  # as its data sheet says
TABLE = f"```servers\nserver={SERVER}\ncolumns=depth\ncaption=Fondo\n```\n"
BODY = f"## Medidas\n\nEl servidor y su fondo:\n\n{TABLE}"


@pytest.fixture
def staff(base_url):
    """Two members of the staff, each of one group and nothing more; what they do goes with the test."""
    server = Server.objects.get(slug=SERVER)
    revisions = set(Revision.objects.values_list("pk", flat=True))
    for name, group in (("marta", "Marketing"), ("pedro", "Product managers")):
        user = User.objects.create_user(name, password="x", is_staff=True)
        user.groups.add(Group.objects.get(name=group))
    yield
    Guide.objects.filter(slug_es="cuanto-mide").delete()
    Revision.objects.exclude(pk__in=revisions).delete()
    User.objects.filter(username__in=["marta", "pedro"]).delete()
    server.save()


def sign_in(page, base_url, name):
    """Carry the session of somebody who has signed in; how that is done has tests of its own."""
    client = Client()
    client.force_login(User.objects.get(username=name))
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    where = {"domain": urlsplit(base_url).hostname, "path": cookie["path"]}
    page.context.add_cookies([{"name": cookie.key, "value": cookie.value} | where])


def press(page, act):
    page.click(f'button[name=act][value="{act}"]')
    expect(page.locator(".messagelist .success")).to_be_visible()


def test_from_the_first_word_to_a_fact_that_changes(page, base_url, staff, axe):
    # Marketing writes in Spanish, looks at it, and publishes it.
    sign_in(page, base_url, "marta")
    page.goto("/admin/catalog/guide/add/")
    page.fill("#id_title_es", "¿Cuánto mide?")
    page.fill("#id_summary_es", "El fondo de un servidor.")
    page.fill("#id_body_es", BODY)
    page.click("[name=_continue] >> nth=0")
    axe(page, ["label", "select-name", "button-name", "link-name", "duplicate-id-aria"])
    form = page.url
    page.goto(page.locator(".guide-preview").get_attribute("href"))
    expect(page.locator(".guide-text table")).to_contain_text(str(DEPTH_MM))
    page.goto(form)
    press(page, "publish:es")

    # She translates it and sets its time.
    page.fill("#id_title_ru", "Какой глубины?")
    page.fill("#id_summary_ru", "Глубина сервера.")
    page.fill("#id_body_ru", BODY.replace("Medidas", "Размеры"))
    tomorrow = timezone.localtime() + datetime.timedelta(days=1)
    page.fill("#id_publish_at_ru", tomorrow.strftime("%Y-%m-%dT09:00"))
    press(page, "schedule:ru")
    edition = GuideEdition.objects.get(guide__slug_es="cuanto-mide", language="ru")
    assert timezone.localtime(edition.publish_at).strftime("%d %H:%M") == tomorrow.strftime("%d 09:00")
    with override("es"):
        address = reverse("catalog:guide", args=["cuanto-mide"])
    page.goto(address)
    expect(page.locator(".guide-text table")).to_contain_text(str(DEPTH_MM))
    with override("ru"):
        assert page.goto(reverse("catalog:guide", args=[edition.slug])).status == 404

    # A product manager corrects the server; nobody touches the guide.
    sign_in(page, base_url, "pedro")
    page.goto(reverse("admin:catalog_server_change", args=[Server.objects.get(slug=SERVER).pk]))
    page.fill("#id_depth_mm", "905")
    page.select_option("#id_recent_source", index=1)
    page.click("[name=_save] >> nth=0")
    expect(page.locator(".messagelist .success")).to_be_visible()
    page.goto(address)
    page.reload()  # a browser keeps a page for a minute
    expect(page.locator(".guide-text table")).to_contain_text("905")

    # An older revision comes back.
    sign_in(page, base_url, "marta")
    page.goto(form)
    page.fill("#id_body_es", "Todo nuevo.")
    page.click("[name=_continue] >> nth=0")
    page.goto(form.replace("/change/", "/history/"))
    page.click('table.history a[href*="/history/"] >> nth=0')
    page.click(".submit-row [type=submit]")
    page.goto(form)
    expect(page.locator("#id_body_es")).to_have_value(BODY)
