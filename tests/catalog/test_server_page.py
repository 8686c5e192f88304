"""The page of a server: base models apart, drives and what cards cost of them, drawings, guides' traps."""

import re

import pytest
from django.urls import reverse
from django.utils.translation import override

from catalog import figures, specification
from catalog.models import Server
from catalog.selectors_evidence import FieldMarks
from catalog.templatetags import rack
from tests.catalog.test_pages import seen
from tests.catalog.test_pages_parts import boxes, render
from tests.factories import (
    EvidenceFactory,
    GPUOptionFactory,
    ServerFactory,
    SlotAlternativeFactory,
    SourceFactory,
    VariantFactory,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def content(client):
    def content(slug, language="en"):
        with override(language):
            return client.get(reverse("catalog:server", args=[slug])).content.decode()

    return content


# Base models


def test_each_base_model_has_its_own_slots_drives_and_height(content):
    server = ServerFactory(slug="two", rack_units=3, bays_2_5=8)
    large = VariantFactory(server=server, slug="l", name="Large", rack_units=4, bays_2_5=0, bays_nvme=6)
    small = VariantFactory(server=server, slug="s", name="Small", is_default=False)
    SlotAlternativeFactory(variant=large, width="double", count=8, card_max_w=600)
    SlotAlternativeFactory(variant=small, width="double", count=4)
    GPUOptionFactory(variant=large, gpu__name="Card X", max_count=8)
    text = seen(content("two"))
    first, second = text.split("Supported GPUs", 1)[1].split(" Small ", 1)
    assert "8 double-wide (up to 600 W each)" in first
    assert "Height: 4U." in first
    assert "6 for NVMe" in first
    assert "2.5-inch" not in first
    second = second.split("Specification", 1)[0]
    assert "4 double-wide" in second
    assert "Height: 3U." in second  # the server's, where the base model has none of its own
    assert "8 2.5-inch bays" in second
    assert "Which GPUs this base model takes is not published." in second


def test_ways_of_the_same_width_with_other_limits_all_stand(content):
    """Six cards of 150 W or eight of 75 W: neither may hide the other."""
    variant = VariantFactory(server__slug="ways")
    for width, count, limit in (("double", 3, 350), ("single", 6, 150), ("single", 8, 75)):
        SlotAlternativeFactory(variant=variant, width=width, count=count, card_max_w=limit)
    assert (
        "6 single-wide (up to 150 W each), 8 single-wide (up to 75 W each)"
        " or 3 double-wide (up to 350 W each)"
    ) in seen(content("ways"))


# Drives, and what GPUs cost of them


@pytest.mark.parametrize(
    ("blocks", "words"),
    [
        (True, "GPU cards take the place of drive bays"),
        (False, "GPU cards do not take the place of drive bays."),
        (None, "We do not know whether GPU cards take the place of drive bays"),
    ],
)
def test_the_page_says_whether_cards_cost_drives(content, blocks, words):
    GPUOptionFactory(variant__server__slug="s", variant__server__bays_2_5=8, blocks_bays=blocks)
    assert words in seen(content("s"))


def test_nothing_is_said_of_drives_that_nobody_knows(content):
    GPUOptionFactory(variant__server__slug="s", blocks_bays=None)
    text = seen(content("s"))
    assert "take the place of drive bays" not in text
    assert "Not drawn, because not published: 2.5-inch bays, 3.5-inch bays, NVMe bays." in text
    assert "card-bay" not in content("s")


@pytest.mark.parametrize(
    ("rack_units", "bays", "count", "drawn", "size"),
    [
        (2, "bays_2_5", 24, 24, (7, 31)),  # upright, 15 mm apart on 2.22 mm a unit
        (2, "bays_2_5", 40, 24, (7, 31)),
        (1, "bays_2_5", 10, 10, (31, 7)),  # lying: 20 units are too low for one that stands
        (2, "bays_3_5", 12, 12, (46, 12)),
        (1, "bays_3_5", 4, 4, (46, 12)),
    ],
)
def test_drives_are_drawn_to_scale_as_many_as_the_front_holds(rack_units, bays, count, drawn, size):
    server = Server(kind="rack", rack_units=rack_units, **{bays: count})
    html = render("{% rack_bays server bays %}", server=server, bays=bays)
    outline = re.search(r'<path class="card-bay" d="([^"]+)"', html)[1]
    found = re.findall(r"M(\d+) (\d+)h(\d+)v(\d+)h-\d+z", outline)
    assert len(found) == drawn
    assert {(int(width), int(height)) for _x, _y, width, height in found} == {size}
    assert len({(x, y) for x, y, *_size in found}) == drawn
    right = max(int(x) + int(width) for x, _y, width, _height in found)
    bottom = max(int(y) + int(height) for _x, y, _width, height in found)
    assert right <= 217 - 9
    assert bottom <= 1 + 20 * rack_units
    assert f"Up to {count} {'2.5' if bays == 'bays_2_5' else '3.5'}-inch drive bays." in html
    assert ("no more fit into the front" in html) == (drawn < count)


def test_a_server_without_a_height_or_in_an_enclosure_shows_no_drives():
    assert rack.bays_drawn(Server(kind="edge", rack_units=None, bays_2_5=4)) == []
    assert rack.bays_drawn(Server(kind="rack", rack_units=2, bays_2_5=0, bays_3_5=None)) == []


def test_single_cards_of_one_server_and_double_ones_share_one_scale():
    """What stands side by side is comparable: a unit has as many pixels in every drawing of a size."""
    scales = set()
    for height in (1, 2, 8):
        html = render(
            "{% rack server size=size %}", server=Server(kind="rack", rack_units=height), size="medium"
        )
        box = re.search(r'viewBox="0 0 (\d+) (\d+)" width="(\d+)" height="(\d+)"', html)
        scales.add(round(int(box[3]) / int(box[1]), 2))
        assert int(box[4]) == pytest.approx(int(box[2]) * 150 / 217, abs=1)
    assert scales == {round(150 / 217, 2)}
    assert (
        len(
            boxes(
                render('{% rack server cards="single" free=8 %}', server=Server(kind="rack", rack_units=2)),
                "card-free",
            )
        )
        == 8
    )


# Conditions


def test_quiet_modes_and_room_temperature_come_with_their_conditions(content):
    GPUOptionFactory(
        variant__server__slug="edge",
        variant__server__temperature_min_c=-5,
        variant__server__temperature_max_c=55,
        variant__server__temperature_conditional=True,
        variant__server__temperature_sure_c=30,
        not_in_quiet_modes=True,
    )
    text = seen(content("edge"))
    assert "Not in a quiet acoustic mode: choose the mode first." in text
    assert "The highest temperature holds only with some processors, cards and power supplies." in text
    assert "Every configuration works at 30 °C or below." in text


def test_the_largest_memory_names_its_gpu_and_conditions(content):
    GPUOptionFactory(
        variant__server__slug="s", gpu__name="Card X", max_count=4, card_power_cap_w=450, ambient_max_c=25
    )
    top = seen(content("s")).split("Supported GPUs", 1)[0]
    assert "Card X. Each card is limited to 450 W. Room temperature 25 °C or below." in top


# The guides' traps, on the page itself


@pytest.mark.parametrize(
    ("slug", "words"),
    [
        ("thinksystem-sr655-v3", ["8 single-wide or 3 double-wide", "Of 3 cards, 2 can share one"]),
        ("thinksystem-sr665-v3", ["6 single-wide (up to 150 W each)", "8 single-wide (up to 75 W each)"]),
        ("thinksystem-sr645-v3", ["4 single-wide (up to 75 W each)"]),
        ("thinksystem-sd665-n-v3", ["1U tray in a 6U enclosure", "a water loop has to reach the rack"]),
        ("thinkedge-se455-v3", ["−5 °C to 55 °C", "The highest temperature holds only with some"]),
        ("thinksystem-sr650a-v4", ["Each card is limited to 450 W.", "Room temperature 25 °C or below."]),
        (
            "thinksystem-sr675-v3",
            ["one of 3 base models", "4-SXM GPU withdrawn", "depends on the base model"],
        ),
    ],
)
def test_a_trap_is_visible_on_the_page(catalog, content, slug, words):
    text = seen(content(slug))
    for word in words:
        assert word in text, word


# Evidence


def test_why_a_value_was_kept_is_said_as_far_as_sources_tell(content):
    server = ServerFactory(slug="s", depth_mm=892, weight_max_kg=39, psu_count=4, memory_slots=32)
    maker, copy = SourceFactory(published_on="2026-09"), SourceFactory(published_on="2025-01")
    third = SourceFactory(published_on="")

    def state(field, source, stated, **more):
        EvidenceFactory(server=server, field=field, source=source, stated=stated, **more)

    state("depth_mm", maker, "892")
    state("depth_mm", copy, "764", kept=False, state="third_party")
    state("weight_max_kg", maker, "39")
    state("weight_max_kg", copy, "42", kept=False)
    state("psu_count", copy, "4")
    state("psu_count", third, "2", kept=False, state="maker", reason="Las dos bastan.")
    state("memory_slots", copy, "32")
    state("memory_slots", third, "24", kept=False)
    text = seen(content("s")).split("Where sources disagree", 1)[1]
    depth, weight, supplies, slots = (
        text.split(word, 1)[1]
        for word in ("Depth, mm:", "Max. weight, kg:", "Power supplies:", "Memory slots:")
    )
    assert depth.index("Better founded: stated by the vendor.") < 200
    assert weight.index("The newer source.") < 200
    assert supplies.index("Chosen after weighing the sources: confirm it with the vendor.") < 200
    assert slots.index("Not decided yet: confirm it with the vendor.") < 200
    # What staff wrote is theirs, in the language in which they wrote it.
    assert "Las dos bastan" not in text


def test_a_source_that_gives_no_figure_stands_behind_none(content):
    server = ServerFactory(slug="s", depth_mm=None, width_mm=445)
    EvidenceFactory(server=server, field="depth_mm", stated="")
    EvidenceFactory(server=server, field="width_mm", stated="445")
    listed = seen(content("s")).split("Figure by figure", 1)[1]
    depth, width = (
        listed.split(word, 1)[1].split("Report an error", 1)[0] for word in ("Depth, mm", "Width, mm")
    )
    assert "not published" in depth
    assert "stated by" not in depth
    assert "stated by the vendor" in width


@pytest.mark.parametrize("language", ["es", "ru", "en"])
def test_a_column_is_written_in_words(language):
    server = ServerFactory(short_depth=True, kind="edge", weight_max_kg=38.5, cooling=["direct_water"])
    server.power_supplies.create(power_w=2400)
    with override(language):
        assert figures.text(server, "short_depth") == {"es": "sí", "ru": "да", "en": "yes"}[language]
        assert figures.text(server, "kind") == server.get_kind_display()
        assert figures.text(server, "weight_max_kg") == ("38.5" if language == "en" else "38,5")
        assert figures.text(server, "power_supplies").endswith("Вт" if language == "ru" else "W")
        assert figures.text(server, "cooling_options") == server.cooling_options.get().get_kind_display()
        missing = {"es": "sin publicar", "ru": "не опубликовано", "en": "not published"}
        assert figures.text(server, "depth_mm") == missing[language]


def test_every_line_of_the_specification_is_a_column_with_evidence():
    groups = specification.specification(ServerFactory(), FieldMarks())
    known = set(Server.evidence_fields())
    assert {line.field for group in groups for line in group.lines} <= known
