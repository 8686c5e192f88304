"""The parts that pages share: drawings, memory bars, ranges, states, forms."""

import re
from itertools import pairwise

import pytest
from django.template import Context, Template
from django.utils.translation import override

from catalog.models import Enclosure, Server
from catalog.templatetags import ui

TRAY = Server(kind="tray", rack_units=1, enclosure=Enclosure(rack_units=6, trays=6))
UNITS = {1: 20, 2: 40, 8: 160}  # drawing units


def render(template, language="en", **context):
    with override(language):
        return Template("{% load rack ui units %}" + template).render(Context(context))


def boxes(html, name):
    """Return (x, width) of the rectangles that the path of a class draws."""
    outline = re.search(rf'<path class="{name}" d="([^"]+)"', html)[1]
    found = re.findall(r"M(\d+) \d+h(\d+)v\d+h-\2z", outline)
    return [(float(x), float(width)) for x, width in found]


@pytest.mark.parametrize("rack_units", UNITS)
def test_a_server_is_drawn_to_scale(rack_units):
    html = render("{% rack server %}", server=Server(kind="rack", rack_units=rack_units))
    body = re.search(r'class="body" x="\d+" y="\d+" width="(\d+)" height="(\d+)"', html)
    assert int(body[2]) == UNITS[rack_units]
    assert f"Front view to scale, {rack_units}U." in html


def test_cards_are_as_wide_as_they_are_and_stay_inside():
    server = Server(kind="rack", rack_units=2)
    single = boxes(render('{% rack server cards="single" free=8 %}', server=server), "card-free")
    double = boxes(render('{% rack server cards="double" free=3 %}', server=server), "card-free")
    assert len(single) == 8
    assert len(double) == 3
    assert double[0][1] == 2 * single[0][1]
    for cards in (single, double):
        ends = [(x, x + width) for x, width in cards]
        assert ends[0][0] >= 9
        assert ends[-1][1] <= 217 - 9
        assert all(end < start for (_, end), (start, _) in pairwise(ends))


def test_used_idle_and_spare_are_told_apart_and_said():
    server = Server(kind="rack", rack_units=2)
    html = render('{% rack server cards="double" used=2 idle=1 %}', server=server)
    assert (len(boxes(html, "card-used")), len(boxes(html, "card-idle"))) == (2, 1)
    assert "2 cards in use. 1 card idle." in html
    assert "A spare server." in render('{% rack server cards="double" free=2 spare=True %}', server=server)


@pytest.mark.parametrize(
    ("language", "text"),
    [("ru", "5"), ("es", "5"), ("en", "5 cards in use.")],
)
def test_a_drawing_speaks_the_readers_language(language, text):
    html = render(
        '{% rack server cards="double" used=5 %}', language, server=Server(kind="rack", rack_units=3)
    )
    label = re.search(r'aria-label="([^"]+)"', html)[1]
    assert text in label
    assert ("cards" in label) == (language == "en")


def test_a_tray_is_drawn_in_its_enclosure():
    html = render('{% rack server cards="module" used=4 %}', server=TRAY)
    assert 'class="enclosure"' in html
    assert html.count('class="position"') == 5
    assert "one of 6 tray positions in its enclosure, 6U." in html


def test_an_unknown_height_is_said_and_drawn_dashed():
    html = render("{% rack server %}", server=Server(kind="edge", rack_units=None))
    assert "height-unknown" in html
    assert "the height is not published" in html


MEMORY = {
    "overhead": 3.5,
    "kv_cache": (10, 14, 20),
    "weights": 35.2,
    "activations": 2.1,
    "total": 54.8,
    "optimizer": None,
}


def test_a_memory_bar_keeps_its_order_and_fills_the_gpu():
    html = render("{% memory_bar memory 79.65 %}", memory=MEMORY)
    keys = re.findall(r'class="segment series-(\w+)"', html)
    assert keys == ["weights", "kv_cache", "activations", "overhead", "free"]
    segments = re.findall(r'class="segment series-\w+" x="([\d.]+)" width="([\d.]+)"', html)
    assert sum(float(width) for _, width in segments) == pytest.approx(1000, abs=0.5)
    assert 'fill="url(#hatch)"' in html  # the cache may take less than the high end
    assert "14\u202fGiB (10–20)" in html
    assert 'class="limit"' not in html


def test_a_memory_bar_that_does_not_fit_shows_the_limit():
    html = render("{% memory_bar memory 40 %}", memory=MEMORY)
    assert 'class="limit"' in html
    assert "series-free" not in html


def test_a_memory_bar_takes_the_lines_of_a_result():
    html = render("{% memory_bar lines 80 %}", lines=[{"name": "weights", "gib": 15.0}])
    assert "series-weights" in html


@pytest.mark.parametrize(
    ("language", "expected"),
    [("en", ["1.5\u202fms", "1.25–2"]), ("es", ["1,5\u202fms", "1,25–2"]), ("ru", ["1,5\u202fмс", "1,25–2"])],
)
def test_a_range_has_its_typical_value_in_bold(language, expected):
    html = render('{% value_range value "milliseconds" %}', language, value=(1.25, 1.5, 2))
    assert f"<b>{expected[0]}</b>" in html
    assert expected[1] in html


def test_a_range_of_time_below_an_hour_is_in_minutes_at_all_its_ends():
    html = render('{% value_range value "hours" %}', value=(0.3, 0.5, 1.5))
    assert "<b>30\u202fmin</b>" in html
    assert "18–90" in html


def test_a_range_of_nothing_is_not_known():
    assert "not known" in render("{% value_range None %}")


@pytest.mark.parametrize("state", ["fits", "fits_if", "no", "unknown"])
def test_a_state_has_shape_and_word(state):
    html = render("{% state name %}", name=state)
    assert f'href="#s-{state}"' in html
    assert re.search(r'<span class="word">\w+', html)


@pytest.mark.parametrize(
    ("contact", "href"),
    [
        ("sales@vendor.example", "mailto:sales@vendor.example"),
        ("https://vendor.example/contact", "https://vendor.example/contact"),
        ("+34 900 000 000", "tel:+34900000000"),
    ],
)
def test_a_contact_is_a_link(contact, href):
    assert render("{{ contact|contact_href }}", contact=contact) == href


def test_the_model_of_a_server_stays_on_one_line():
    assert ui.unbroken("ThinkSystem SR675 V3") == 'ThinkSystem <span class="nowrap">SR675 V3</span>'
    assert ui.unbroken("<b>") == "<b>"
    assert ui.unbroken("A <b>") == 'A <span class="nowrap">&lt;b&gt;</span>'


def test_a_long_word_of_a_narrow_column_breaks_with_a_hyphen():
    assert ui.hyphenated("не опубликовано") == "не опубли\N{SOFT HYPHEN}ковано"
    assert ui.hyphenated("not published") == "not published"
    assert render("{{ text|hyphenated }}", text="<b> опубликовано") == "&lt;b&gt; опубли\N{SOFT HYPHEN}ковано"
