"""How the site looks from outside: titles, descriptions, link previews with pictures, the sitemap's dates."""

import re
from datetime import date
from html import unescape

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.utils import timezone

from catalog.models import GPU, AIModel, Evidence, GlossaryTerm, Server
from tests.aiservers.test_pages import HEADERS, PUBLIC
from tests.pages import LANGUAGES, Document, Page, pages
from tests.search_engines import head, png_size, things

pytestmark = pytest.mark.usefixtures("catalog")

INDEXED = [name for name, headers in HEADERS.items() if headers is PUBLIC]
LOCALES = {"es": "es_ES", "ru": "ru_RU", "en": "en_GB"}


def title_of(html):
    return unescape(re.search(r"<title>(.*?)</title>", html)[1])


def samples(view_name):
    """Return pages of a view, those with the longest and shortest names among them."""
    found = list({str(page.kwargs): page for page in pages(view_name) if not page.query}.values())
    found.sort(key=lambda page: len(str(page.kwargs)))
    return found if len(found) < 4 else [found[0], found[len(found) // 2], found[-2], found[-1]]


@pytest.mark.one_database
@pytest.mark.parametrize("language", LANGUAGES)
def test_titles_and_descriptions_say_what_a_page_is_and_are_its_own(client, language):
    titles, descriptions = {}, {}
    for view_name in INDEXED:
        for page in samples(view_name):
            path = page.path(language)
            html = client.get(path).content.decode()
            meta = head(Document(html))
            title, [description] = title_of(html), meta["description"]
            # A name of the catalog is never cut, however long.
            assert 10 <= len(title) <= 65 or page.kwargs, (path, title)
            assert len(title) <= 90, (path, title)
            assert 50 <= len(description) <= 160, (path, description)
            assert meta["og:description"] == [description]
            assert title in (meta["og:title"][0], f"{meta['og:title'][0]} · Test Vendor")
            assert title not in titles, (path, titles[title])
            assert description not in descriptions, (path, descriptions[description])
            titles[title] = descriptions[description] = path


@pytest.mark.parametrize(
    ("view_name", "slug", "title"),
    [
        ("catalog:server", "thinksystem-sr675-v3", "ThinkSystem SR675 V3: AI server, GPUs and specification"),
        ("catalog:gpu", "intel-flex-170", "Intel Data Center GPU Flex 170 16GB: servers · Test Vendor"),
        ("catalog:api", None, "API: catalog and advice as JSON · Test Vendor"),
    ],
)
def test_a_title_is_more_than_a_name_that_is_the_same_in_every_language(client, view_name, slug, title):
    page = Page(view_name, {"slug": slug} if slug else {})
    assert title_of(client.get(page.path("en")).content.decode()) == title


def test_a_description_is_cut_between_words_and_marks_of_html_are_text(client):
    server = Server.objects.published().first()
    server.summary_en = 'Quotes " and </script><script>x</script> & more, ' + "word " * 40
    server.save()
    html = client.get(Page("catalog:server", {"slug": server.slug}).path("en")).content.decode()
    document = Document(html)
    [description] = head(document)["description"]
    assert description.startswith('Quotes " and </script><script>x</script> & more, word word')
    assert description.endswith("word…")
    assert len(description) <= 160
    [product] = [thing for thing in things(document) if thing["@type"] == "Product"]
    assert product["description"].startswith('Quotes " and </script><script>x</script> & more')
    assert not document.scripts


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_elsewhere_shows_the_page_in_its_language_with_a_picture_of_ours(client, language):
    page = Page("catalog:server", {"slug": "thinksystem-sr675-v3"})
    path = page.path(language)
    meta = head(Document(client.get(path).content.decode()))
    assert meta["og:url"] == [f"http://testserver{path}"]
    assert meta["og:locale"] == [LOCALES[language]]
    assert set(meta["og:locale:alternate"]) == set(LOCALES.values()) - {LOCALES[language]}
    assert meta["twitter:card"] == ["summary_large_image"]
    [image] = meta["og:image"]
    assert image.startswith(f"http://testserver/{language}/")
    picture = client.get(image.removeprefix("http://testserver"))
    assert picture["Content-Type"] == "image/png"
    assert picture["Cache-Control"] == "public, max-age=60"
    said = [int(meta[f"og:image:{side}"][0]) for side in ("width", "height")]
    assert list(png_size(picture.content)) == said
    again = client.get(image, headers={"If-None-Match": picture["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("view_name", INDEXED)
def test_every_indexed_page_has_a_picture_that_there_is(client, view_name):
    [image] = head(Document(client.get(pages(view_name)[0].path("ru")).content.decode()))["og:image"]
    assert png_size(client.get(image).content) == (1200, 630)


@pytest.mark.parametrize("address", ["nothing.png", "server/no-such-server.png", "home/x.png", "server.png"])
def test_there_is_no_picture_of_a_page_that_there_is_not(client, address):
    base = Page("catalog:home").path("en")
    known = head(Document(client.get(base).content.decode()))["og:image"][0]
    assert client.get(known.replace("home.png", address)).status_code == 404


def test_pages_that_search_engines_leave_alone_say_nothing_to_them(client):
    for page in (pages("recommender:results")[0], pages("catalog:search")[1]):
        document = Document(client.get(page.path("es")).content.decode())
        assert not things(document)
        assert "og:url" not in head(document)
        assert head(document)["robots"] == ["noindex, follow"]
    with_filters = client.get(Page("catalog:server_list", query="stage=training&cooling=air").path("es"))
    assert not things(Document(with_filters.content.decode()))


def test_an_error_page_says_nothing_to_search_engines(client):
    assert not things(Document(client.get("/es/nada-aqui/").content.decode()))
    assert "og:url" not in head(Document(render_to_string("500.html")))


def of_type(client, page, kind, language="en"):
    document = Document(client.get(page.path(language)).content.decode())
    return [thing for thing in things(document) if thing["@type"] == kind]


def test_a_server_is_a_product_with_its_facts_and_without_what_is_not_published(client):
    page = Page("catalog:server", {"slug": "thinksystem-sr675-v3"})
    [product] = of_type(client, page, "Product")
    facts = {fact["name"]: fact["value"] for fact in product["additionalProperty"]}
    assert (product["name"], product["brand"]["name"]) == ("ThinkSystem SR675 V3", "Lenovo")
    assert facts["Height"] == "3U"
    server = Server.objects.get(slug="thinksystem-sr675-v3")
    assert product["depth"]["value"] == server.depth_mm
    server.rack_units = server.depth_mm = None
    server.save()
    [product] = of_type(client, page, "Product")
    assert "depth" not in product
    assert "Height" not in {fact["name"] for fact in product["additionalProperty"]}


def test_a_gpu_is_a_product_and_lists_are_lists_in_the_order_of_the_page(client):
    [product] = of_type(client, Page("catalog:gpu", {"slug": "nvidia-h200-sxm-141gb"}), "Product")
    assert product["additionalProperty"][0]["value"] == "141\u202fGB"
    first = Page("catalog:server_list")
    [listed] = of_type(client, first, "ItemList")
    [following] = of_type(client, Page("catalog:server_list", query="page=2"), "ItemList")
    assert following["itemListElement"][0]["position"] == listed["numberOfItems"] + 1
    document = Document(client.get(first.path("en")).content.decode())
    links = [attributes.get("href") for tag, attributes in document.elements if tag == "a"]
    paths = [item["url"].removeprefix("http://testserver") for item in listed["itemListElement"]]
    assert [link for link in links if link in paths] == paths


def test_the_home_page_names_the_site_and_its_search_and_the_glossary_its_terms(client):
    [site] = of_type(client, Page("catalog:home"), "WebSite", "ru")
    template = site["potentialAction"]["target"]["urlTemplate"]
    found = client.get(template.removeprefix("http://testserver").replace("{search_term_string}", "sr675v3"))
    assert "SR675 V3" in found.content.decode()
    [terms] = of_type(client, Page("catalog:glossary"), "DefinedTermSet", "es")
    assert len(terms["hasDefinedTerm"]) == GlossaryTerm.objects.published().count()


def test_breadcrumbs_are_data_wherever_a_reader_sees_them(client):
    for view_name, name in (("catalog:gpu", "GPUs and accelerators"), ("catalog:ai_model", "AI models")):
        page = pages(view_name)[0]
        [crumbs] = of_type(client, page, "BreadcrumbList")
        parent, here = crumbs["itemListElement"]
        assert parent["name"] == name
        assert client.get(parent["item"].removeprefix("http://testserver")).status_code == 200
        model = GPU if view_name == "catalog:gpu" else AIModel
        assert here["name"] == model.objects.get(slug=page.kwargs["slug"]).name


def dates(client):
    """Return {address: date of the last change} of the sitemap."""
    text = client.get("/sitemap.xml").content.decode()
    entries = re.findall(r"<url><loc>(.*?)</loc>(?:<lastmod>(.*?)</lastmod>)?", text)
    return {address.removeprefix("http://testserver"): date for address, date in entries}


def test_the_sitemap_dates_a_page_by_its_row_and_by_its_sources(client):
    row, other = Server.objects.published().order_by("sort_key")[:2]
    path, other_path = (Page("catalog:server", {"slug": one.slug}).path("es") for one in (row, other))
    with connection.cursor() as cursor:  # as if the whole catalog had been written and looked up long ago
        cursor.execute("UPDATE catalog_server SET updated_at = '2026-01-15 12:00:00+00:00'")
        cursor.execute("UPDATE catalog_evidence SET checked_on = '2026-01-10'")
    found = dates(client)
    assert found[path] == found[other_path] == found[Page("catalog:server_list").path("es")] == "2026-01-15"
    assert found[Page("catalog:legal").path("es")] == ""
    evidence = Evidence.objects.filter(server=row).first()
    evidence.checked_on = date(2026, 2, 20)
    evidence.save()
    found = dates(client)
    assert (found[path], found[other_path]) == ("2026-02-20", "2026-01-15")
    other.save()
    found = dates(client)
    today = str(timezone.localdate())
    assert (found[path], found[other_path]) == ("2026-02-20", today)
    assert found[Page("catalog:server_list").path("ru")] == today
