"""What readers see on the catalog's pages, in their language: the customer's own facts above all."""

import re

import pytest
from django.urls import reverse
from django.utils.translation import override

from catalog.models import GPU
from catalog.views_precisions import precision_table
from recommender import services
from tests.factories import (
    EnclosureFactory,
    EvidenceFactory,
    GPUOptionFactory,
    ServerFactory,
    SlotAlternativeFactory,
    SourceFactory,
    VariantFactory,
)

LANGUAGES = ["es", "ru", "en"]
GUIDE_A = [
    "thinksystem-sr680a-v3",
    "thinksystem-sr675-v3",
    "thinksystem-sd665-n-v3",
    "thinksystem-sr650-v3",
    "thinksystem-sr665-v3",
    "thinksystem-sr655-v3",
    "thinksystem-sr630-v3",
    "thinksystem-sr645-v3",
    "thinkedge-se455-v3",
]


@pytest.fixture
def read(client):
    """Open a page; returns its text as a reader sees it, tags away and every space a plain one."""

    def read(view_name, *args, language="en"):
        with override(language):
            path = reverse(view_name, args=args)
        return seen(client.get(path).content.decode())

    return read


def seen(html):
    main = html.split('<main id="main" class="wrap" tabindex="-1">', 1)[1].split("</main>", 1)[0]
    return " ".join(re.sub(r"<[^>]+>", " ", main).split())


def row(text, start, end):
    """Return the part of a text between two words."""
    return text.split(start, 1)[1].split(end, 1)[0]


# The customer's guide, from data


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slug", GUIDE_A)
def test_every_server_of_the_guide_has_its_page(catalog, read, slug, language):
    number = slug.split("-", 1)[1].removesuffix("-v3")
    assert f"{number} v3" in read("catalog:server", slug, language=language).lower()


@pytest.mark.parametrize(
    ("language", "slow", "fast"),
    [
        ("en", "900 GB/s per GPU", "1.8 TB/s per GPU"),
        ("es", "900 GB/s por GPU", "1,8 TB/s por GPU"),
        ("ru", "900 ГБ/с на GPU", "1,8 ТБ/с на GPU"),
    ],
)
def test_the_rate_of_the_link_belongs_to_the_board(catalog, read, language, slow, fast):
    text = read("catalog:server", "thinksystem-sr680a-v3", language=language)
    boards = text.split("NVIDIA ")[1:]
    rates = {board[:4]: (slow in board, fast in board) for board in boards if slow in board or fast in board}
    assert rates == {"H100": (True, False), "H200": (True, False), "B200": (False, True)}


@pytest.mark.parametrize(
    ("language", "memory"),
    [
        ("en", "8 × 80 GB, 637 GiB usable"),
        ("es", "8 × 80 GB, 637 GiB útiles"),
        ("ru", "8 × 80 ГБ, 637 ГиБ доступно"),
    ],
)
def test_memory_as_printed_and_as_the_driver_reports_it(catalog, read, language, memory):
    assert memory in read("catalog:server", "thinksystem-sr680a-v3", language=language)


@pytest.mark.parametrize("slug", ["thinksystem-sr650-v3", "thinksystem-sr665-v3", "thinksystem-sr655-v3"])
def test_single_wide_or_double_wide_and_what_the_third_card_is_for(catalog, read, slug):
    text = read("catalog:server", slug)
    assert "8 single-wide or 3 double-wide" in text
    assert "Of 3 cards, 2 can share one language model" in text


def test_small_cards_with_the_watts_of_their_own_source(catalog, read):
    assert "3 single-wide (up to 75 W each)" in read("catalog:server", "thinksystem-sr630-v3")
    assert "4 single-wide" in read("catalog:server", "thinksystem-sr645-v3")


def test_a_tray_stands_in_its_enclosure_and_needs_water(catalog, read):
    text = read("catalog:server", "thinksystem-sd665-n-v3")
    assert "1U tray in a 6U enclosure" in text
    assert "needs a water loop" in text
    assert "a water loop has to reach the rack" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_edge_server_and_its_room(catalog, read, language):
    for view_name, args in (("catalog:inference", []), ("catalog:server", ["thinkedge-se455-v3"])):
        text = read(view_name, *args, language=language)
        assert "SE455 V3" in text
        assert re.search(r"−5 °C \w+ 55 °C", text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_training_page_names_the_guides_servers_from_data(catalog, read, language):
    text = read("catalog:training", language=language)
    for name in ("SR680a V3", "SR675 V3", "SD665-N V3"):
        assert name in text
    assert "8U" in text
    assert "3U" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_inference_page_names_the_guides_servers_from_data(catalog, read, language):
    text = read("catalog:inference", language=language)
    for name in ("SR650 V3", "SR665 V3", "SR655 V3", "SR630 V3", "SR645 V3", "SE455 V3"):
        assert name in text


def test_storage_stands_beside_the_gpus(catalog, read):
    text = row(read("catalog:inference"), "ThinkSystem SR650 V3", "ThinkSystem SR650 V4")
    assert "40 2.5-inch bays" in text
    assert "20 3.5-inch bays" in text


@pytest.mark.parametrize("page", ["training", "inference"])
def test_both_kinds_of_work_stand_side_by_side(catalog, client, page):
    for language in LANGUAGES:
        with override(language):
            response = client.get(reverse(f"catalog:{page}"))
        assert len(response.context["matrix"]) == 5
        assert all(first and second for _aspect, first, second in response.context["matrix"])


@pytest.mark.parametrize(("page", "stage"), [("training", "training"), ("inference", "inference")])
def test_deep_links_lead_to_lists_with_servers(catalog, client, page, stage):
    with override("en"):
        content = client.get(reverse(f"catalog:{page}")).content.decode()
        assert f'href="/en/servers/?stage={stage}"' in content
        links = set(re.findall(r'href="(/en/servers/\?[^"]+)"', content))
    for link in links:
        assert client.get(link.replace("&amp;", "&")).context["page"].paginator.count > 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_home_leads_every_kind_of_work_into_the_questions(catalog, client, language):
    with override(language):
        content = client.get(reverse("catalog:home")).content.decode()
        start = reverse("recommender:questionnaire")
    for workload in ("chat", "rag", "vision", "llm_pretraining", "llm_fine_tuning"):
        assert f'href="{start}?workload={workload}"' in content


def test_every_gpu_of_an_offer_is_a_link_and_back(catalog, read, client):
    with override("en"):
        content = client.get(reverse("catalog:gpu", args=["nvidia-b200-sxm-180gb"])).content.decode()
    assert 'href="/en/servers/thinksystem-sr680a-v3/"' in content
    assert 'href="/en/servers/thinksystem-sr675-v3/"' not in content


@pytest.mark.parametrize(
    ("slug", "memory", "usable", "link"),
    [
        ("nvidia-h100-sxm-80gb", "80 GB", "79.7 GiB", "900 GB/s"),
        ("nvidia-h100-nvl-94gb", "94 GB", "93.6 GiB", "600 GB/s"),
        ("nvidia-b200-sxm-180gb", "180 GB", "179 GiB", "1.8 TB/s"),
    ],
)
def test_a_gpu_page_has_its_own_figures(catalog, read, slug, memory, usable, link):
    text = read("catalog:gpu", slug)
    assert memory in text
    assert usable in text
    assert link in text


def test_a_precision_that_a_gpu_lacks_is_not_called_unpublished(catalog, read):
    assert "FP4 not computed natively" in read("catalog:gpu", "nvidia-h100-sxm-80gb")


@pytest.mark.parametrize(
    ("slug", "precision", "engine", "support", "address"),
    [
        ("nvidia-h100-sxm-80gb", "FP8", "vLLM", "native", "#sources"),
        ("nvidia-h100-sxm-80gb", "FP4", "TensorRT-LLM", "weight_only", "gpt_oss"),
        ("nvidia-b200-sxm-180gb", "INT8", "vLLM", "no", "quantization/int8"),
        ("nvidia-l40s", "INT4", "SGLang", "weight_only", "docs.vllm.ai"),
    ],
)
def test_a_gpu_page_says_what_each_engine_does_with_a_format(
    catalog, client, slug, precision, engine, support, address
):
    response = client.get(reverse("catalog:gpu", args=[slug]))
    table = response.context["engines"]
    row = next(row for row in table["rows"] if row["precision"] == precision)
    cell = next(cell for cell in row["cells"] if cell["engine"] == engine)
    source = next(source for source in table["sources"] if source["number"] == cell["number"])
    assert cell["support"] == support
    assert address in source["url"]
    assert f'id="engine-source-{cell["number"]}"' in response.content.decode()


def test_every_source_of_a_format_has_a_title(catalog):
    for row in GPU.objects.select_related("manufacturer"):
        table = precision_table(services.precisions_of(row))
        assert (table is None) == (not row.native_precisions), row.slug


def test_formats_take_no_query(catalog, django_assert_num_queries):
    row = GPU.objects.select_related("manufacturer").get(slug="nvidia-l40s")
    with django_assert_num_queries(0):
        assert services.precisions_of(row)


def test_a_gpu_without_published_formats_has_no_table_of_them(db, client):
    gpu = GPUOptionFactory(gpu__native_precisions="").gpu
    response = client.get(reverse("catalog:gpu", args=[gpu.slug]))
    assert response.context["engines"] is None
    assert 'id="engines"' not in response.content.decode()


def test_a_graphics_card_is_never_offered_for_language_models(catalog, read):
    assert "not for language models" in read("catalog:gpu", "nvidia-t1000")
    assert "T1000" not in read("catalog:inference")


# What is not known, and what cannot be ordered


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "words"), [("es", "sin publicar"), ("ru", "не опубликовано"), ("en", "not published")]
)
def test_what_is_not_published_is_said_on_page_and_list(client, read, language, words):
    ServerFactory(slug="bare", kind="edge", rack_units=None, cpu_manufacturer=None, cooling=[])
    for text in (
        read("catalog:server", "bare", language=language),
        read("catalog:server_list", language=language),
    ):
        assert text.replace("\N{SOFT HYPHEN}", "").count(words) >= 4
        assert "None" not in text
        assert not re.search(r"\b0U\b", text)


@pytest.mark.django_db
def test_a_count_that_is_not_published_is_never_a_number(read):
    option = GPUOptionFactory(variant__server__slug="open", max_count=None)
    text = read("catalog:server", "open")
    assert "number not published" in row(text, option.gpu.name, "PCIe")
    assert "48 GB per GPU, 45 GiB usable" in text


@pytest.mark.django_db
def test_usable_memory_that_is_not_known_is_a_derived_range(read):
    GPUOptionFactory(
        variant__server__slug="range", gpu__memory_gb=100, gpu__memory_gib_usable=None, max_count=2
    )
    assert "2 × 100 GB, 186–200 GiB usable (derived)" in read("catalog:server", "range")


@pytest.mark.django_db
def test_a_withdrawn_server_says_so_and_names_its_successor(read, client):
    successor = ServerFactory(slug="new", name="New one")
    ServerFactory(slug="old", lifecycle="withdrawn", successor=successor)
    text = read("catalog:server", "old")
    assert "This server can no longer be ordered." in text
    assert "Replaced by New one" in text
    assert "Replaces" in read("catalog:server", "new")


@pytest.mark.django_db
def test_a_derived_option_is_marked_wherever_it_stands(read):
    GPUOptionFactory(
        variant__server__slug="guess", basis="derived", variant__server__for_inference=True, max_count=2
    )
    for text in (read("catalog:server", "guess"), read("catalog:inference"), read("catalog:server_list")):
        assert "derived, confirm with the vendor" in text


@pytest.mark.django_db
def test_conditions_are_sentences(read):
    GPUOptionFactory(
        variant__server__slug="hot",
        max_count=4,
        card_power_cap_w=450,
        ambient_max_c=25,
        min_sockets=2,
        min_psu_w=3200,
        blocks_bays=True,
    )
    text = read("catalog:server", "hot")
    for sentence in (
        "Each card is limited to 450 W.",
        "Room temperature 25 °C or below.",
        "Needs 2 processors.",
        "Needs power supplies of 3,200 W or more.",
        "The cards take the place of drive bays.",
    ):
        assert sentence in text


@pytest.mark.django_db
def test_the_order_of_alternatives_does_not_matter(read):
    for slug, rows in (("a", [("single", 8), ("double", 3)]), ("b", [("double", 3), ("single", 8)])):
        variant = VariantFactory(server__slug=slug)
        for width, count in rows:
            SlotAlternativeFactory(variant=variant, width=width, count=count)
        assert "8 single-wide or 3 double-wide" in read("catalog:server", slug)


@pytest.mark.django_db
def test_numbers_in_drawings_are_for_machines(client):
    """A decimal comma inside an attribute would break a drawing."""
    variant = VariantFactory(
        server__slug="tray", server__kind="tray", server__enclosure=EnclosureFactory(trays=7)
    )
    GPUOptionFactory(variant=variant, gpu__form="sxm", max_count=4)
    with override("ru"):
        content = client.get(reverse("catalog:server", args=["tray"])).content.decode()
    numbers = re.findall(r' (?:x|y|width|height|viewBox|d)="([^"]*)"', content)
    assert numbers
    assert not [number for number in numbers if "," in number or "None" in number]


# Evidence


@pytest.mark.django_db
def test_a_figure_carries_its_source_and_a_disagreement_shows_both(client, read):
    server = ServerFactory(slug="argued", sockets_min=1)
    maker = SourceFactory(title="Product guide", url="https://maker.example/guide", published_on="2026-08")
    copy = SourceFactory(title="Copied table", url="", kind="third_party_copy")
    EvidenceFactory(server=server, field="sockets_min", source=maker, stated="1")
    EvidenceFactory(server=server, field="sockets_min", source=copy, stated="2", kept=False, state="deployed")
    EvidenceFactory(server=server, field="rack_units", source=maker)
    with override("en"):
        content = client.get(reverse("catalog:server", args=["argued"])).content.decode()
    assert 'title="Sources disagree; sources 1, 2."' in content
    assert 'title="Stated by the vendor; source' in content
    assert '<a href="https://maker.example/guide" rel="noopener" lang="en">Product guide</a>' in content
    text = seen(content)
    assert "August 2026" in text
    assert "Copied table" in text
    assert "third-party copy" in text
    assert "Min. processors: 1 shown here , stated by the vendor [" in text
    assert "; 2, seen in a running installation [" in text
    assert "Better founded: stated by the vendor." in text


@pytest.mark.django_db
def test_sources_of_different_figures_do_not_disagree(client):
    option = GPUOptionFactory(variant__server__slug="calm", max_count=2, card_power_cap_w=450)
    EvidenceFactory(option=option, field="max_count", stated="2")
    EvidenceFactory(option=option, field="card_power_cap_w", stated="450")
    with override("en"):
        content = client.get(reverse("catalog:server", args=["calm"])).content.decode()
    assert "Sources disagree;" not in content
    assert "Where sources disagree" not in content


@pytest.mark.django_db
def test_a_figure_without_a_source_says_so(client):
    ServerFactory(slug="plain", rack_units=2)
    with override("en"):
        content = client.get(reverse("catalog:server", args=["plain"])).content.decode()
    assert "No source is recorded." in content


# Addresses


@pytest.mark.django_db
@pytest.mark.parametrize("view_name", ["catalog:server", "catalog:gpu"])
def test_what_is_not_published_has_no_page(client, view_name):
    option = GPUOptionFactory(variant__server__is_published=False, gpu__is_published=False)
    slug = option.variant.server.slug if view_name == "catalog:server" else option.gpu.slug
    assert client.get(reverse(view_name, args=[slug])).status_code == 404
    assert client.get(reverse(view_name, args=["nothing"])).status_code == 404


@pytest.mark.django_db
def test_alternates_are_reciprocal_and_the_page_is_its_own_canonical(client):
    ServerFactory(slug="one")
    found = {}
    for language in LANGUAGES:
        with override(language):
            content = client.get(reverse("catalog:server", args=["one"])).content.decode()
        found[language] = set(re.findall(r'hreflang="([a-z-]+)" href="(http://testserver[^"]+)"', content))
        canonical = re.search(r'rel="canonical" href="([^"]+)"', content)[1]
        assert (language, canonical) in found[language]
    assert found["es"] == found["ru"] == found["en"]
    assert {code for code, _url in found["es"]} == {"es", "ru", "en", "x-default"}
