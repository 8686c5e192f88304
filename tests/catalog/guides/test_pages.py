"""Guides as readers, feeds and search engines meet them."""

import json
import xml.etree.ElementTree as ET

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.translation import override

from catalog.guides import publishing
from tests.factories import GuideFactory, ServerFactory
from tests.pages import Document

ATOM = "{http://www.w3.org/2005/Atom}"
TEXTS = {
    "title_es": "Memoria",
    "slug_es": "memoria",
    "title_ru": "Память",
    "slug_ru": "pamiat",
    "title_en": "Memory",
    "slug_en": "memory",
    **{f"summary_{code}": "…" for code in ("es", "ru", "en")},
    **{f"body_{code}": f"## A {code}\n\n…\n\n## B {code}\n\n…\n" for code in ("es", "ru", "en")},
}


def path_of(view, language, *args):
    with override(language):
        return reverse(f"catalog:{view}", args=args)


def get(client, view, language, *args, **query):
    return client.get(path_of(view, language, *args), query)


def links(response):
    """Return {hreflang: address} of the page's head, and of its language switch."""
    elements = Document(response.content.decode()).elements
    head = {row.get("hreflang"): row["href"] for tag, row in elements if tag == "link" and "hreflang" in row}
    switch = {row["hreflang"]: row["href"] for tag, row in elements if tag == "a" and "hreflang" in row}
    return head, switch


@pytest.fixture
def in_two_languages(db, publish):
    return publish("es", "en", key="memory", **TEXTS)


def test_only_published_languages_are_told_to_search_engines(client, in_two_languages):
    head, switch = links(get(client, "guide", "en", "memory"))
    spanish = f"{settings.SITE_URL}{path_of('guide', 'es', 'memoria')}"
    english = f"{settings.SITE_URL}{path_of('guide', 'en', 'memory')}"
    assert head == {"es": spanish, "en": english, "x-default": spanish}
    assert links(get(client, "guide", "es", "memoria"))[0] == head  # reciprocal
    assert switch == {
        "es": path_of("guide", "es", "memoria"),
        "ru": f"{path_of('guide_list', 'ru')}?guide=memory",
    }
    sitemap = client.get("/sitemap.xml").content.decode()
    assert sitemap.count(f"<loc>{spanish}</loc>") == 1
    assert f'hreflang="en" href="{english}"' in sitemap
    assert "/pamiat/" not in sitemap


@pytest.mark.parametrize(("author", "kind"), [("Ada Byron", "Person"), ("A vendor", "Organization")])
def test_the_author_of_a_guide_is_a_person_unless_it_is_the_vendor(
    client, db, publish, settings, author, kind
):
    settings.VENDOR_NAME = "A vendor"
    publish("es", author=author, **TEXTS)
    page = get(client, "guide", "es", "memoria").content.decode()
    data = json.loads(page.partition('<script type="application/ld+json">')[2].partition("</script>")[0])
    assert (data["author"]["@type"], data["author"]["name"]) == (kind, author)


def test_the_list_of_guides_is_dated_by_them_and_listed_for_machines(client, clock, in_two_languages):
    listed = path_of("guide_list", "es")
    entry = client.get("/sitemap.xml").content.decode().partition(f"{listed}</loc>")[2].partition("</url>")[0]
    assert "<lastmod>2027-03-01</lastmod>" in entry
    page = get(client, "guide_list", "es").content.decode()
    data = json.loads(page.partition('<script type="application/ld+json">')[2].partition("</script>")[0])
    assert data["@type"] == "ItemList"
    [item] = data["itemListElement"]
    assert item["url"].endswith(path_of("guide", "es", "memoria"))


def test_a_guide_without_the_sites_own_language_has_no_default(client, db, publish):
    publish("ru", "en", **TEXTS)
    head, _switch = links(get(client, "guide", "en", "memory"))
    assert set(head) == {"ru", "en"}
    entry = client.get("/sitemap.xml").content.decode().partition("/memory/</loc>")[2].partition("</url>")[0]
    assert "x-default" not in entry


def test_a_reader_whose_language_has_no_text_is_offered_the_others(client, in_two_languages):
    response = get(client, "guide_list", "ru", guide="memory")
    assert response.status_code == 200
    assert response.headers["X-Robots-Tag"] == "noindex"
    document = Document(response.content.decode())
    offered = [row["href"] for tag, row in document.elements if tag == "a" and row.get("lang")]
    expected = [path_of("guide", "es", "memoria"), path_of("guide", "en", "memory")]
    assert offered == expected * 2  # in the notice, and in the list of what is not in this language yet
    assert not [row for tag, row in document.elements if tag == "link" and "hreflang" in row]


def test_the_address_of_another_language_says_where_the_guide_can_be_read(client, in_two_languages):
    response = get(client, "guide", "ru", "memoria")
    assert response.status_code == 404
    assert path_of("guide", "en", "memory") in response.content.decode()
    assert 'content="noindex' in response.content.decode()
    assert get(client, "guide", "ru", "nothing").status_code == 404


@pytest.mark.parametrize("language", ["es", "en"])
def test_the_feed_has_what_is_published_in_its_language(client, in_two_languages, language):
    GuideFactory(key="draft", title_es="Borrador", title_en="Draft")
    response = get(client, "guide_feed", language)
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    assert response["Cache-Control"] == "public, max-age=60"
    feed = ET.fromstring(response.content)
    assert feed.get("{http://www.w3.org/XML/1998/namespace}lang") == language
    assert [entry.findtext(f"{ATOM}title") for entry in feed.findall(f"{ATOM}entry")] == [
        TEXTS[f"title_{language}"]
    ]
    own = f"{settings.SITE_URL}{path_of('guide_feed', language)}"
    others = {
        link.get("hreflang"): link.get("href") for link in feed.findall(f"{ATOM}link") if link.get("hreflang")
    }
    other = "en" if language == "es" else "es"
    assert others == {other: f"{settings.SITE_URL}{path_of('guide_feed', other)}"}
    assert [link.get("href") for link in feed.findall(f"{ATOM}link") if link.get("rel") == "self"] == [own]


def test_a_page_says_what_it_is(client, in_two_languages):
    server = ServerFactory(slug="box", name="Big Box")
    hidden = ServerFactory(slug="hidden", is_published=False)
    in_two_languages.servers.add(server, hidden)
    in_two_languages.author, in_two_languages.topic = "Ana Ruiz", "sizing"
    in_two_languages.save()
    other = GuideFactory(key="other", title_es="Otra", topic="sizing")
    publishing.publish(other, "es")
    html = get(client, "guide", "es", "memoria").content.decode()
    document = Document(html)
    hrefs = [row.get("href") for tag, row in document.elements if tag == "a"]
    assert {"#a-es", "#b-es"} <= set(hrefs)  # contents
    assert path_of("server", "es", "box") in hrefs
    assert path_of("server", "es", "hidden") not in hrefs
    assert path_of("guide", "es", "guia-other") in hrefs
    assert "Ana Ruiz" in document.texts
    assert '"@type": "Article"' in html


def test_the_list_has_what_is_published_by_topic(client, db, publish):
    publish(key="one", title_es="Una", topic="buying")
    publish(key="two", title_es="Dos", topic="choosing")
    texts = Document(get(client, "guide_list", "es").content.decode()).texts
    assert texts.index("Dos") < texts.index("Una")


def test_a_guide_is_found_by_its_own_words_in_its_own_language(client, db, publish):
    publish("es", "en", **TEXTS | {"search_words_es": "quimera", "body_en": "A chimaera.\n"})
    assert path_of("guide", "es", "memoria") in get(client, "search", "es", q="quimera").content.decode()
    assert path_of("guide", "en", "memory") in get(client, "search", "en", q="chimaera").content.decode()
    assert path_of("guide", "en", "memory") not in get(client, "search", "en", q="quimera").content.decode()


def test_a_page_takes_as_many_queries_with_twenty_guides_as_with_two(
    client, db, publish, django_assert_num_queries
):
    publish(key="one", slug_es="una")
    publish(key="two")
    path = path_of("guide", "es", "una")
    assert client.get(path).status_code == 200
    with CaptureQueriesContext(connection) as queries:
        client.get(path)
    expected = len(queries)  # the log is emptied with the next request
    for number in range(18):
        publish(key=f"more-{number}")
    client.get(path)
    with django_assert_num_queries(expected):
        client.get(path)


def test_the_home_page_leads_to_the_newest_guides_of_its_language(client, in_two_languages, publish):
    with override("en"):
        home = reverse("catalog:home")
    assert path_of("guide", "en", "memory") in client.get(home).content.decode()
    for number in range(4):
        own = {f"slug_{code}": f"newer-{number}" for code in ("es", "ru", "en")}
        publish("en", key=f"newer-{number}", **TEXTS | own)
    page = client.get(home).content.decode()
    assert all(path_of("guide", "en", f"newer-{number}") in page for number in range(4))
    assert path_of("guide", "en", "memory") not in page, "four at most"
    with override("ru"):
        assert 'id="guides"' not in client.get(reverse("catalog:home")).content.decode()
