"""Previews: the page as it would be published, for whoever has the link, as long as it works."""

import json
import logging
import re
import time
from types import SimpleNamespace

import pytest
from django.core import signing
from django.urls import reverse
from django.utils.translation import override

from aiservers import logs
from catalog.guides import previews, publishing
from catalog.models import Guide
from tests.factories import GuideFactory

pytestmark = pytest.mark.django_db
SECRET = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer"}


def article(response):
    return re.search(r"<article.*</article>", response.content.decode(), re.S)[0]


def test_a_preview_is_the_page_that_will_be_published(client, clock):
    guide = GuideFactory(
        slug_es="guia", body_es="## Uno\n\nTexto[^1].\n\n## Dos\n\n| a | b |\n|-|-|\n| 1 | 2 |\n\n[^1]: Nota."
    )
    shown = client.get(previews.url(guide, "es"))
    publishing.publish(guide, "es")
    public = client.get("/es/guias/guia/")
    public = public if public.status_code == 200 else client.get(public_address("guia"))
    assert article(shown) == article(public)
    assert "noindex" in shown.content.decode()
    assert 'rel="canonical"' not in shown.content.decode()
    assert {header: shown.get(header) for header in SECRET} == SECRET
    assert not shown.cookies


def public_address(slug):
    with override("es"):
        return reverse("catalog:guide", args=[slug])


def test_a_preview_shows_what_is_written_now_in_its_language_alone(client):
    guide = GuideFactory(title_es="Antes", title_ru="По-русски", body_ru="Текст.")
    publishing.publish(guide, "es")
    address = previews.url(guide, "es")
    Guide.objects.get().body_es = "x"
    guide.title_es = "Después"
    guide.save()
    html = client.get(address).content.decode()
    assert "Después" in html
    assert "По-русски" not in html
    russian = address.replace("/es/", "/ru/")
    with override("ru"):
        russian = reverse("previews:guide", args=[address.rstrip("/").rpartition("/")[2]])
    assert client.get(russian)["Location"] == address


def test_a_block_that_fails_is_named_in_the_preview(client):
    guide = GuideFactory(body_es="Uno.\n\n```server\nno-such-server\n```\n")
    html = client.get(previews.url(guide, "es")).content.decode()
    assert "no-such-server" in html


def test_a_link_works_for_seven_days(client, monkeypatch):
    address = previews.url(GuideFactory(), "es")
    for days, status in ((6.99, 200), (7.01, 410)):
        later = SimpleNamespace(time=lambda days=days: time.time() + days * 86400)
        monkeypatch.setattr(signing, "time", later)
        response = client.get(address)
        assert response.status_code == status
        assert {header: response.get(header) for header in SECRET} == SECRET


@pytest.mark.parametrize("spoil", [lambda token: token[:-3] + "abc", lambda token: "ñ", lambda token: "abc"])
def test_a_link_that_nobody_gave_out_leads_nowhere(client, spoil):
    token = previews.url(GuideFactory(), "es").rstrip("/").rpartition("/")[2]
    with override("es"):
        address = reverse("previews:guide", args=[spoil(token)])
    assert client.get(address).status_code == 404


def test_logs_do_not_keep_the_key(rf):
    path = previews.url(GuideFactory(), "es")
    request = rf.get(path)
    request.resolver_match = None
    token = path.rstrip("/").rpartition("/")[2]
    assert token not in logs.safe_path(request)
    record = logging.LogRecord("x", 20, "x", 1, "%s", (f"GET {path} HTTP/1.1",), None)
    logs.HidePrivateParts().filter(record)
    assert token not in json.dumps(logs.JSONFormatter().format(record))


@pytest.mark.parametrize("key", ["legal", "how-we-compute"])
def test_a_text_of_the_site_is_shown_in_its_page(client, key):
    guide = GuideFactory(key=key, kind=Guide.Kind.TEXT, topic="", slug_es="", body_es="Lo de siempre.")
    publishing.publish(guide, "es")
    guide.body_es = "Lo **nuevo**."
    guide.save()
    shown = client.get(previews.url(guide, "es"))
    assert "Lo <strong>nuevo</strong>." in shown.content.decode()
    assert shown["Cache-Control"] == "no-store"
    with override("es"):
        public = client.get(reverse({"legal": "catalog:legal"}.get(key, "recommender:accuracy")))
    assert "Lo de siempre." in public.content.decode()
