"""A walk over every public page in three languages: what holds for all of them."""

import re
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils.translation import override

from catalog.models import CatalogVersion
from recommender.briefs.urls import owners, readers, urlpatterns
from tests import search_engines
from tests.pages import LANGUAGES, Document, Page, pages, public_view_names

VARY = "HX-Request, HX-Boosted, HX-History-Restore-Request, Accept-Encoding"
PUBLIC = {"Cache-Control": "public, max-age=60", "Vary": VARY, "X-Robots-Tag": None}
NOINDEX = PUBLIC | {"X-Robots-Tag": "noindex"}

# The headers of every address, with a query of at most one filter.
HEADERS = {
    "catalog:home": PUBLIC,
    "catalog:server_list": PUBLIC,
    "catalog:server": PUBLIC,
    "catalog:gpu_list": PUBLIC,
    "catalog:gpu": PUBLIC,
    "catalog:ai_model_list": PUBLIC,
    "catalog:ai_model": PUBLIC,
    "catalog:result_list": PUBLIC,
    "catalog:training": PUBLIC,
    "catalog:inference": PUBLIC,
    "catalog:search": NOINDEX,
    "catalog:edge": PUBLIC,
    "catalog:mixed": PUBLIC,
    "catalog:workload_list": PUBLIC,
    "catalog:workload": PUBLIC,
    "catalog:glossary": PUBLIC,
    "catalog:guide_list": PUBLIC,
    "catalog:guide": PUBLIC,
    "catalog:compare": NOINDEX,
    "catalog:legal": PUBLIC,
    "catalog:api": PUBLIC,
    "recommender:questionnaire": PUBLIC,
    "recommender:calculator": PUBLIC,
    "recommender:accuracy": PUBLIC,
    "recommender:accuracy_figure": PUBLIC,
    "recommender:questions": NOINDEX,
    "recommender:step": NOINDEX,
    "recommender:check": NOINDEX,
    "recommender:results": NOINDEX,
    "recommender:plans": NOINDEX,
    "recommender:what_if": NOINDEX,
    "recommender:workings": NOINDEX,
    "recommender:measuring": NOINDEX,
}
# Addresses that are a key themselves; tests/recommender/briefs/ and test_previews.py visit them all.
SECRET = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer"}
SECRET_AND_POSTED = SECRET | {"Referrer-Policy": "strict-origin"}
BRIEFS = {
    "new": SECRET_AND_POSTED,
    "owner": SECRET_AND_POSTED,
    "sales": SECRET_AND_POSTED,
    "brief": SECRET,
    "today": SECRET,
    "download": SECRET,
}
POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
}
# Figures of drawings, which machines read.
SHAPES = {"svg", "rect", "circle", "line", "path", "use", "text"}
NUMBERS = {"x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "width", "height"}
NUMBER = re.compile(r"-?\d+(\.\d+)?%?")
# Attributes that make the browser ask another host, and not only when the reader follows a link.
FETCHED = {
    "src",
    "srcset",
    "action",
    "formaction",
    "data",
    "poster",
    "hx-get",
    "hx-post",
    "xlink:href",
    "ping",
}

pytestmark = pytest.mark.usefixtures("catalog")


# Every page is asked for on every database in one language; the other two show the same rows.
IN_EACH_LANGUAGE = [
    language if language == "es" else pytest.param(language, marks=pytest.mark.one_database)
    for language in LANGUAGES
]


@pytest.fixture(params=public_view_names())
def view_name(request):
    return request.param


def test_every_address_is_in_the_table_of_headers():
    assert set(public_view_names()) == set(HEADERS)


def test_every_address_of_a_brief_is_in_the_table_of_headers():
    own = [pattern for pattern in urlpatterns if hasattr(pattern, "name")]
    assert {pattern.name for pattern in [*own, *owners, *readers]} == set(BRIEFS)


@pytest.mark.parametrize("name", BRIEFS)
def test_an_address_of_a_brief_is_kept_by_nobody_even_where_it_leads_nowhere(client, name):
    arguments = {"new": [], "download": ["x" * 24, "pdf"]}.get(name, ["x" * 24])
    with override("en"):
        path = reverse(f"briefs:{name}", args=arguments)
    response = client.get(path)
    assert response.status_code == (302 if name == "new" else 404)
    assert {header: response.get(header) for header in BRIEFS[name]} == BRIEFS[name]


def test_a_preview_is_kept_by_nobody_even_where_it_leads_nowhere(client):
    with override("en"):
        response = client.get(reverse("previews:guide", args=["x" * 24]))
    assert response.status_code == 404
    assert {header: response.get(header) for header in SECRET} == SECRET


@pytest.mark.parametrize("language", IN_EACH_LANGUAGE)
def test_a_page_keeps_what_all_pages_promise(client, view_name, language):
    for page in pages(view_name)[:: 1 if language == "es" else 4]:
        path = page.path(language)
        response = client.get(path)
        assert response.status_code == 200, path
        assert not response.cookies, path
        assert set(response["Content-Security-Policy"].split("; ")) == POLICY
        expected = NOINDEX if page.query.count("&") else HEADERS[view_name]
        assert {name: response.get(name) for name in expected} == expected, path
        assert response["ETag"]
        assert response["Content-Language"] == language
        assert response["X-Content-Type-Options"] == "nosniff"
        html = response.content.decode()
        assert "csrfmiddlewaretoken" not in html
        document = Document(html)
        assert document.elements[0] == ("html", {"lang": language}), path
        assert not document.scripts, path
        for thing in search_engines.things(document):
            assert thing["@type"] == "BreadcrumbList" or "X-Robots-Tag" not in response, path
        if "X-Robots-Tag" not in response:
            assert not search_engines.followed(document, language), path
        others = {other: page.path(other) for other in LANGUAGES if other != language}
        assert links_to_other_languages(document) == others, path
        named = {} if "X-Robots-Tag" in response else named_for_search_engines(page, language)
        assert addresses_for_search_engines(document) == named, path
        for tag, attributes in document.elements:
            assert not {"style", "onclick", "onchange", "onsubmit"} & set(attributes), (path, tag, attributes)
            drawn = {name: value for name, value in attributes.items() if name in NUMBERS and tag in SHAPES}
            # A decimal comma breaks a drawing, whatever the language of the page.
            assert not any(NUMBER.fullmatch(value) is None for value in drawn.values()), (path, tag, drawn)
            fetched = {name: value for name, value in attributes.items() if name in FETCHED}
            if (tag == "link" and attributes.get("rel") not in {"canonical", "alternate"}) or tag == "use":
                fetched["href"] = attributes["href"]
            for address in fetched.values():
                assert not urlsplit(address or "").netloc, (path, tag, attributes)


def links_to_other_languages(document):
    return {
        attributes["hreflang"]: attributes["href"]
        for tag, attributes in document.elements
        if tag == "a" and "hreflang" in attributes
    }


def addresses_for_search_engines(document):
    return {
        (attributes["rel"], attributes.get("hreflang")): attributes["href"]
        for tag, attributes in document.elements
        if tag == "link" and attributes["rel"] in {"canonical", "alternate"} and "type" not in attributes
    }  # a feed has a type


def named_for_search_engines(page, language):
    """Return what search engines are to learn: every language, the default one, and the page unfiltered."""
    addresses = {other: f"http://testserver{page.path(other)}".partition("?")[0] for other in LANGUAGES}
    named = {("alternate", other): address for other, address in addresses.items()}
    named["alternate", "x-default"] = addresses["es"]
    named["canonical", None] = addresses[language]
    return named


def test_an_unchanged_page_is_not_sent_again_and_a_changed_fact_sends_it(client, view_name):
    page = pages(view_name)[0].path("es")
    etag = client.get(page)["ETag"]
    again = client.get(page, headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")
    assert (again["Cache-Control"], again["ETag"]) == ("public, max-age=60", etag)
    CatalogVersion.objects.get().delete()
    assert client.get(page, headers={"If-None-Match": etag}).status_code == 200


def test_pages_of_one_address_in_another_language_or_form_are_told_apart(client):
    path = Page("catalog:server_list").path("es")
    tags = {
        client.get(path)["ETag"],
        client.get(Page("catalog:server_list").path("ru"))["ETag"],
        client.get(path, headers={"HX-Request": "true"})["ETag"],
    }
    assert len(tags) == 3


def test_what_everybody_sees_alike_leaves_compressed_and_nothing_else(client):
    asked = {"Accept-Encoding": "gzip"}
    page = client.get(Page("catalog:server_list").path("es"), headers=asked)
    assert page["Content-Encoding"] == "gzip"
    assert len(page.content) < 20_000
    again = client.get(
        Page("catalog:server_list").path("es"), headers=asked | {"If-None-Match": page["ETag"]}
    )
    assert again.status_code == 304
    for path in ("/es/nada-aqui/", reverse("briefs:brief", args=["x" * 24]), "/admin/login/"):
        assert "Content-Encoding" not in client.get(path, headers=asked), path


def test_a_list_with_more_than_one_filter_is_not_for_search_engines(client):
    path = Page("catalog:server_list").path("es")
    assert "X-Robots-Tag" not in client.get(path, {"stage": "training", "page": "1", "sort": "name"})
    assert client.get(path, {"stage": "training", "cooling": "air"})["X-Robots-Tag"] == "noindex"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("ru-RU,ru;q=0.9,en;q=0.8", "/ru/"),
        ("en-GB", "/en/"),
        ("es-MX,es;q=0.9", "/es/"),
        ("de-DE,de;q=0.9", "/es/"),
        ("de,en;q=0.5", "/en/"),
        ("", "/es/"),
        ("*", "/es/"),
    ],
)
def test_the_root_sends_the_reader_to_a_language_of_the_browser(client, asked, expected):
    response = client.get("/", headers={"Accept-Language": asked})
    assert (response.status_code, response["Location"]) == (302, expected)
    assert (response["Cache-Control"], response["Vary"]) == ("no-store", "Accept-Language")


def test_an_address_without_its_language_finds_it(client):
    response = client.get("/servery/?stage=training", headers={"Accept-Language": "ru"})
    assert (response.status_code, response["Location"]) == (302, "/ru/servery/?stage=training")
    assert response["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("path", "language", "title"),
    [
        ("/es/nada-aqui/", "es", "404.html"),
        ("/ru/servery/no-such-server/", "ru", "404.html"),
        ("/en/nothing-here/", "en", "404.html"),
        ("/nothing-here/", "es", "404.html"),
    ],
)
def test_a_missing_page_says_so_in_the_readers_language(client, path, language, title):
    response = client.get(path)
    assert response.status_code == 404
    assert response["Cache-Control"] == "no-store"
    assert not response.cookies
    assert title in [template.name for template in response.templates]
    assert f'<html lang="{language}">' in response.content.decode()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["server_list", "gpu_list", "ai_model_list", "workload_list", "guide_list"])
def test_a_missing_page_of_a_section_leads_to_its_list(client, name, language):
    path = Page(f"catalog:{name}").path(language)
    for missing in (f"{path}no-such-page/", f"{path}no/such/page/"):
        response = client.get(missing)
        assert response.status_code == 404
        assert f'<a class="button" href="{path}">' in response.content.decode()


@pytest.mark.parametrize(("asked", "language"), [("ru", "ru"), ("en-GB,en;q=0.9", "en"), ("de", "es")])
def test_a_missing_page_outside_of_all_languages_follows_the_browser(client, asked, language):
    response = client.get("/nothing-here/", headers={"Accept-Language": asked})
    assert f'<html lang="{language}">' in response.content.decode()
    assert (response["Cache-Control"], response["Vary"]) == ("no-store", "Accept-Language")


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_error_page_needs_neither_database_nor_request(language, django_assert_num_queries):
    from django.template import loader

    with override(language), django_assert_num_queries(0):
        html = loader.get_template("500.html").render()
    assert f'<html lang="{language}">' in html
    assert Document(html).texts


def test_the_sitemap_lists_every_indexed_page_in_every_language(client):
    response = client.get("/sitemap.xml")
    text = response.content.decode()
    for name in public_view_names():
        for page in pages(name):
            if HEADERS[name] is PUBLIC and not page.query:
                for language in LANGUAGES:
                    address = f"http://testserver{page.path(language)}"
                    assert f"<loc>{address}</loc>" in text
                    assert f'hreflang="{language}" href="{address}"' in text
                assert f'hreflang="x-default" href="http://testserver{page.path("es")}"' in text
    assert response["Cache-Control"] == "public, max-age=60"


def test_crawlers_find_the_sitemap_and_stay_out_of_the_admin(client):
    text = client.get("/robots.txt").content.decode()
    assert "Sitemap: http://testserver/sitemap.xml" in text
    assert "Disallow: /admin/" in text


def test_the_whole_site_is_translated():
    call_command("check_translations")


@pytest.mark.parametrize(
    ("path", "status", "cache"),
    [
        ("/", 302, "no-store"),
        ("/robots.txt", 200, "public, max-age=60"),
        ("/sitemap.xml", 200, "public, max-age=60"),
        ("/api/v1/", 200, "public, max-age=60"),
        ("/api/v1/openapi.json", 200, "public, max-age=60"),
        ("/api/v1/servers", 200, "public, max-age=60"),
        ("/api/v1/memory", 200, "public, max-age=60"),
        ("/api/v1/nothing", 404, "no-store"),
        ("/health/live", 200, "no-store"),
        ("/health/ready", 200, "no-store"),
        ("/es", 301, "public, max-age=60"),
        ("/es/servidores", 301, "public, max-age=60"),
        ("/admin/", 302, "max-age=0, no-cache, no-store, must-revalidate, private"),
    ],
)
def test_addresses_without_a_language(client, path, status, cache):
    response = client.get(path)
    assert (response.status_code, response["Cache-Control"]) == (status, cache)
    assert set(response["Content-Security-Policy"].split("; ")) == POLICY
    assert not response.cookies
