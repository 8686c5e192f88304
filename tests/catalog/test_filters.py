"""The filters of the server list: every one of them, what they say, and what broken input does."""

import pytest
from django.urls import reverse
from django.utils.translation import override

from tests.factories import (
    EnclosureFactory,
    GPUFactory,
    GPUOptionFactory,
    ManufacturerFactory,
    ServerFactory,
    SlotAlternativeFactory,
    VariantFactory,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(client):
    """Ask the list; returns its response."""

    def ask(query="", language="en", **headers):
        with override(language):
            path = reverse("catalog:server_list")
        return client.get(f"{path}?{query}", headers=headers)

    return ask


def names(response):
    return [row.facts.name for row in response.context["rows"]]


def text(response):
    return response.content.decode()


@pytest.fixture
def servers():
    """Four machines that differ in everything that can be asked."""
    slim = VariantFactory(
        server__name="Slim",
        server__rack_units=1,
        server__cpu_manufacturer__slug="amd",
        server__launch_year=2023,
    )
    SlotAlternativeFactory(variant=slim, width="single", count=4)
    GPUOptionFactory(
        variant=slim,
        gpu__slug="small",
        gpu__memory_gb=24,
        gpu__memory_gib_usable=22.5,
        gpu__slots_wide=1,
        max_count=4,
    )

    wide = VariantFactory(server__name="Wide", server__for_fine_tuning=True, server__launch_year=2025)
    SlotAlternativeFactory(variant=wide, width="single", count=8)
    SlotAlternativeFactory(variant=wide, width="double", count=3)
    GPUOptionFactory(variant=wide, gpu__slug="large", gpu__memory_gb=141, max_count=3)

    tray = VariantFactory(
        server__name="Tray",
        server__kind="tray",
        server__rack_units=1,
        server__enclosure=EnclosureFactory(rack_units=6),
        server__cooling=["direct_water"],
        server__for_training=True,
        server__for_inference=False,
        server__module_max_count=4,
    )
    GPUOptionFactory(variant=tray, gpu__slug="module", gpu__form="sxm", gpu__memory_gb=80, max_count=4)

    ServerFactory(
        name="Box",
        kind="edge",
        rack_units=None,
        cooling=[],
        for_edge=True,
        cpu_manufacturer=None,
        sockets_min=None,
        sockets_max=None,
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["Box", "Slim", "Tray", "Wide"]),
        ("stage=training", ["Tray"]),
        ("stage=inference", ["Box", "Slim", "Wide"]),
        ("stage=fine_tuning", ["Wide"]),
        ("stage=mixed", ["Wide"]),
        ("stage=development", ["Box", "Slim", "Tray", "Wide"]),
        ("site=edge", ["Box"]),
        ("site=datacenter", ["Slim", "Tray", "Wide"]),
        ("gpu=large", ["Wide"]),
        ("gpu=unknown", ["Box"]),
        ("gpu_memory_min=300", ["Tray", "Wide"]),
        ("gpu_memory_max=320", ["Slim", "Tray"]),
        ("gpu_memory_min=96&gpu_memory_max=96", ["Slim"]),
        ("card_width=single", ["Slim", "Wide"]),
        ("card_width=double", ["Wide"]),
        ("card_width=module", ["Tray"]),
        ("rack_units=1", ["Slim"]),  # a tray is never racked alone
        ("rack_units=6", ["Tray"]),
        ("rack_units=1&rack_units=2", ["Slim", "Wide"]),
        ("rack_units=unknown", ["Box"]),
        ("kind=tray&kind=edge", ["Box", "Tray"]),
        ("cooling=air", ["Slim", "Wide"]),
        ("cooling=liquid", ["Tray"]),
        ("cooling=unknown", ["Box"]),
        ("cpu_vendor=amd", ["Slim"]),
        ("stage=inference&rack_units=1", ["Slim"]),
    ],
)
def test_each_filter(ask, servers, query, expected):
    assert names(ask(query)) == expected


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("name", ["Box", "Slim", "Tray", "Wide"]),
        ("gpu_memory", ["Wide", "Tray", "Slim", "Box"]),
        ("height", ["Slim", "Wide", "Tray", "Box"]),
        ("newest", ["Wide", "Slim", "Box", "Tray"]),
        ("strange", ["Box", "Slim", "Tray", "Wide"]),
    ],
)
def test_each_order_ends_with_what_is_not_known(ask, servers, sort, expected):
    assert names(ask(f"sort={sort}")) == expected


def test_what_cannot_be_ordered_stands_last_in_every_order(ask):
    GPUOptionFactory(variant__server__name="A gone", variant__server__lifecycle="withdrawn", max_count=8)
    GPUOptionFactory(variant__server__name="B here", max_count=1)
    for sort in ("name", "gpu_memory", "height", "newest"):
        assert names(ask(f"sort={sort}")) == ["B here", "A gone"]


def test_an_empty_value_filters_nothing_and_an_empty_choice_is_named(ask, servers):
    response = ask("gpu_memory_min=&page=")  # as a form sends it
    assert len(names(response)) == 4
    assert response.context["filterset"].notices == []
    response = ask("gpu=&stage=&rack_units=&gpu_memory_min=&page=")
    assert len(names(response)) == 4
    assert len(response.context["filterset"].notices) == 2  # the two lists of choices


def test_a_value_that_is_no_choice_is_left_out_and_named(ask, servers):
    response = ask("gpu=h100&cooling=air&rack_units=x&rack_units=1")
    assert names(response) == ["Slim"]
    assert "“h100” is not an option of the filter “GPU”" in text(response)
    assert "“x” is not an option of the filter “Height”" in text(response)


def test_a_key_that_is_no_filter_is_named(ask, servers):
    response = ask("colour=blue&stage=training")
    assert names(response) == ["Tray"]
    assert "Unknown parameter colour was ignored." in text(response)


@pytest.mark.parametrize("bad", ["abc", "-5", "nan", "1e309", "5..x", "9" * 40])
def test_a_number_that_cannot_be_read_has_its_message_and_the_rest_keeps_filtering(ask, servers, bad):
    response = ask(f"gpu_memory_min={bad}&card_width=single")
    form = response.context["filterset"].form
    assert list(form.errors) == ["gpu_memory_min"]
    assert names(response) == ["Slim", "Wide"]
    assert f'value="{bad}"' in text(response)
    assert 'aria-invalid="true"' in text(response)
    assert 'id="id_gpu_memory_min_error"' in text(response)


def test_ends_that_cross_are_told(ask, servers):
    response = ask("gpu_memory_min=500&gpu_memory_max=100")
    assert response.context["filterset"].form.errors["gpu_memory_max"] == [
        "The upper end is below the lower end."
    ]


def test_servers_without_the_figure_are_counted_and_offered(ask, servers):
    response = ask("rack_units=1")
    assert "“Height” is not published for 1 server that meets everything else." in text(response)
    assert 'href="?rack_units=1&amp;rack_units=unknown"' in text(response)
    assert names(ask("rack_units=1&rack_units=unknown")) == ["Box", "Slim"]
    response = ask("gpu_memory_min=10&stage=inference")
    assert "“GPU memory” is not published for 1 server that meets everything else." in text(response)
    assert 'href="?gpu_memory_min=10&amp;stage=inference&amp;gpu_memory=unknown"' in text(response)
    assert names(ask("gpu_memory_min=100&stage=inference&gpu_memory=unknown")) == ["Box", "Wide"]


@pytest.mark.parametrize(
    ("language", "typed", "canonical", "shown"),
    [
        ("es", "1.500,5", "1500.5", "1500,5"),
        ("ru", "1 500,5", "1500.5", "1500,5"),
        ("en", "1,500.5", "1500.5", "1500.5"),
    ],
)
def test_a_typed_number_becomes_canonical_in_the_address(ask, language, typed, canonical, shown):
    response = ask(f"lang={language}&gpu_memory_min={typed}&stage=&sort=", language)
    assert response.status_code == 302
    assert response.url.endswith(f"?gpu_memory_min={canonical}")
    response = ask(f"gpu_memory_min={canonical}", language)
    assert f'value="{shown}"' in text(response)


def test_no_match_says_what_to_do_next(ask, servers):
    response = ask("gpu=small&card_width=double")
    assert names(response) == []
    assert "No server matches all of these filters" in text(response)
    assert 'href="/en/servers/"' in text(response)
    assert "Without “GPU: " in text(response)
    assert '<a href="?gpu=small">Without “GPU cards: Double-wide cards” there is 1 server.</a>' in text(
        response
    )


def test_active_filters_can_be_taken_away_one_by_one(ask, servers):
    response = ask("stage=inference&gpu_memory_min=10&page=1")
    active = {item["name"]: item["query"] for item in response.context["filterset"].active}
    assert active == {"stage": "?gpu_memory_min=10", "gpu_memory_min": "?stage=inference"}


def test_pages_keep_the_query(ask):
    for number in range(30):
        ServerFactory(name=f"Server {number}")
    response = ask("stage=inference&sort=height&page=2")
    assert len(names(response)) == 12
    assert "30 servers" in text(response)
    assert "stage=inference&amp;sort=height&amp;page=3" in text(response)
    for page in ("0", "-1", "99999999999999999999", "x"):
        assert ask(f"page={page}").status_code == 200


def test_a_swap_gets_the_results_alone_and_says_the_count(ask, servers):
    response = ask("stage=training", **{"hx-request": "true"})
    content = text(response)
    assert content.strip().startswith('<section id="results"')
    assert "<html" not in content
    assert '<div id="live" class="sr-only" role="status" hx-swap-oob="innerHTML">1 server</div>' in content
    assert 'href="/es/servidores/?stage=training"' in content
    assert "HX-Request" in response["Vary"]


@pytest.mark.parametrize("language", ["es", "ru", "en"])
def test_a_restored_history_entry_gets_the_whole_page(ask, servers, language):
    restored = {"hx-request": "true", "hx-history-restore-request": "true"}
    response = ask("stage=training", language, **restored)
    assert f'<html lang="{language}"' in text(response)
    assert names(response) == names(ask("stage=training", language))
    assert text(response).count('id="live"') == text(response).count('id="languages"') == 1


def test_the_language_links_keep_the_filters(ask, servers):
    content = text(ask("stage=training&rack_units=6"))
    assert 'href="/ru/servery/?stage=training&amp;rack_units=6"' in content


def test_choices_follow_the_language_of_the_page(ask, servers):
    assert "Обучение" in text(ask("", "ru"))
    assert "Entrenamiento" in text(ask("", "es"))


def test_a_list_with_several_filters_is_for_readers_only(ask, servers):
    assert "noindex" not in text(ask("stage=training"))
    assert 'name="robots" content="noindex, follow"' in text(ask("stage=training&rack_units=6"))


def test_only_published_servers_and_their_gpus_are_offered(ask):
    GPUOptionFactory(variant__server__is_published=False, gpu__slug="secret", gpu__name="Secret")
    GPUFactory(slug="nowhere", name="Nowhere")
    ManufacturerFactory(slug="nobody")
    content = text(ask())
    for word in ("secret", "nowhere", "nobody"):
        assert f'value="{word}"' not in content


def test_an_edge_server_in_a_rack_is_found_as_both(ask):
    ServerFactory(name="Shelf", kind="rack", for_edge=True)
    ServerFactory(name="Box", kind="edge", for_edge=True)
    ServerFactory(name="Hall", kind="rack", for_edge=False)
    assert names(ask("kind=edge")) == ["Box", "Shelf"]
    assert names(ask("kind=rack")) == ["Hall", "Shelf"]
