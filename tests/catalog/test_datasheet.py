"""The datasheet of a server: what its page says, as a PDF in the reader's language."""

import io

import pytest
from django.urls import reverse
from django.utils.translation import override
from pypdf import PdfReader

from catalog import datasheet
from catalog.models import Server
from tests.factories import (
    EvidenceFactory,
    GPUOptionFactory,
    ServerFactory,
    SlotAlternativeFactory,
    SourceFactory,
    VariantFactory,
)
from tests.pages import LANGUAGES


def read(response):
    """Return (reader, text) of a PDF, its words parted by single spaces."""
    reader = PdfReader(io.BytesIO(response.content))
    text = " ".join(page.extract_text() for page in reader.pages)
    return reader, " ".join(text.split())


def fetch(client, slug, language, **headers):
    with override(language):
        path = reverse("catalog:server_datasheet", args=[slug])
    return client.get(path, headers=headers)


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["1.8 TB/s per GPU", "900 GB/s per GPU", "not published", "8 × 80 GB, 637 GiB usable"]),
        ("es", ["1,8 TB/s por GPU", "900 GB/s por GPU", "sin publicar", "tamaño"]),
        ("ru", ["1,8 ТБ/с на GPU", "900 ГБ/с на GPU", "не опубликовано", "8 × 80 ГБ"]),
    ],
)
def test_the_words_figures_and_sources_can_be_read_back(client, language, words):
    server = Server.objects.get(slug="thinksystem-sr680a-v3")
    server.summary_es = "Un servidor de gran tamaño."
    server.save()
    response = fetch(client, server.slug, language)
    assert (response.status_code, response["Content-Type"]) == (200, "application/pdf")
    assert response["Content-Disposition"].endswith(f'"thinksystem-sr680a-v3-{language}.pdf"')
    reader, text = read(response)
    assert reader.metadata.title.startswith("ThinkSystem SR680a V3")
    assert reader.trailer["/Root"]["/Lang"] == language
    for word in words:
        assert word in text, word
    with override(language):
        assert reverse("catalog:server", args=[server.slug]) in "".join(text.split())
    assert "NVIDIA B200 SXM 180GB" in text


@pytest.mark.django_db
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_address_stands_in_a_line_of_its_own_and_no_hyphen_is_added_where_it_breaks(
    client, settings, language
):
    settings.SITE_URL = "https://servers-for-artificial-intelligence.example.com"
    server = ServerFactory(
        slug="thinksystem-sd650-n-v2-with-a-name", name="ThinkSystem SD650-N V2", depth_mm=900
    )
    long = f"https://maker.example/{'guide-of-a-server-' * 12}end"
    EvidenceFactory(server=server, field="depth_mm", source=SourceFactory(url=long))
    reader, _text = read(fetch(client, server.slug, language))
    with override(language):
        own = settings.SITE_URL + reverse("catalog:server", args=[server.slug])
    for page in reader.pages:
        assert own in [line.split(" ")[0] for line in page.extract_text().splitlines()]
    assert long in "".join("".join(page.extract_text() for page in reader.pages).split())


@pytest.mark.django_db
def test_variants_conditions_sources_and_what_is_unknown(client):
    variant = VariantFactory(
        server__slug="two", server__name="Two", server__depth_mm=892, name="Large", rack_units=4, bays_2_5=16
    )
    SlotAlternativeFactory(variant=variant, width="double", count=4, card_max_w=450)
    GPUOptionFactory(variant=variant, gpu__name="Card X", max_count=4, card_power_cap_w=450, ambient_max_c=25)
    VariantFactory(server=variant.server, slug="small", name="Small", is_default=False, lifecycle="withdrawn")
    maker = SourceFactory(title="Product guide", url="https://maker.example/guide", published_on="2026-08")
    other = SourceFactory(title="Copied table", url="", kind="third_party_copy")
    EvidenceFactory(server=variant.server, field="depth_mm", source=maker, stated="892")
    EvidenceFactory(
        server=variant.server, field="depth_mm", source=other, stated="764", kept=False, state="third_party"
    )
    _reader, text = read(fetch(client, "two", "en"))
    for words in (
        "Large",
        "Height: 4U.",
        "16 2.5-inch bays",
        "4 double-wide (up to 450 W each)",
        "Each card is limited to 450 W.",
        "Room temperature 25 °C or below.",
        "Small (withdrawn)",
        "892 mm",
        "764, stated by a third party [2]",
        "Product guide, August 2026",
        "https://maker.example/guide",
        "Width not published",
        "Catalog version",
    ):
        assert words in text, words


@pytest.mark.django_db
def test_what_is_derived_says_so_in_the_summary_and_in_its_row(client):
    GPUOptionFactory(variant__server__slug="guess", basis="derived", max_count=2)
    text = read(fetch(client, "guess", "en"))[1]
    assert text.count("derived, confirm with the vendor") == 2


@pytest.mark.django_db
def test_a_tray_says_what_it_needs_and_is_drawn_in_its_enclosure(client):
    successor = ServerFactory(name="Newer")
    variant = VariantFactory(
        server__slug="tray",
        server__kind="tray",
        server__rack_units=1,
        server__cooling=["direct_water"],
        server__successor=successor,
    )
    GPUOptionFactory(variant=variant, gpu__form="sxm", max_count=4)
    response = fetch(client, "tray", "en")
    text = read(response)[1]
    assert "This is a tray" in text
    assert "a water loop has to reach the rack" in text
    assert "Its successor: Newer." in text
    with override("en"):
        [drawing] = datasheet.payload(Server.objects.for_page().get(slug="tray"))["drawings"]
    assert "one of 6 tray positions in its enclosure, 6U." in drawing["alt"]
    assert 'class="enclosure"' in drawing["svg"]


@pytest.mark.django_db
def test_it_is_kept_until_the_catalog_changes(client, monkeypatch):
    server = ServerFactory(slug="one", depth_mm=500)
    calls = []
    make = datasheet.pdf.made
    monkeypatch.setattr(datasheet.pdf, "made", lambda *given: calls.append(1) or make(*given))
    first = fetch(client, "one", "en")
    assert first["Cache-Control"] == "public, max-age=60"
    assert fetch(client, "one", "en").content == first.content
    assert len(calls) == 1
    assert fetch(client, "one", "en", **{"If-None-Match": first["ETag"]}).status_code == 304
    server.depth_mm = 600
    server.save()
    changed = fetch(client, "one", "en", **{"If-None-Match": first["ETag"]})
    assert changed.status_code == 200
    assert "600 mm" in read(changed)[1]
    assert changed["Link"].endswith('/en/servers/one/>; rel="canonical"')


@pytest.mark.django_db
def test_what_is_not_published_has_none(client):
    ServerFactory(slug="hidden", is_published=False)
    assert fetch(client, "hidden", "es").status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_links_to_it(client, language):
    ServerFactory(slug="one")
    with override(language):
        content = client.get(reverse("catalog:server", args=["one"])).content.decode()
        assert f'href="{reverse("catalog:server_datasheet", args=["one"])}"' in content
