"""Numbers in the staff's forms, typed as each language writes them."""

import pytest

from tests.catalog.staff import form_of, save, url
from tests.factories import (
    EvidenceFactory,
    GPUOptionFactory,
    ServerFactory,
    SourceFactory,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def server():
    server = ServerFactory(is_published=False, height_mm=86.5)
    EvidenceFactory(server=server, field="height_mm", stated="86.5")
    return server


def editor_in(as_member, language):
    client = as_member("Product managers")
    client.cookies["django_language"] = language
    return client


@pytest.mark.parametrize("language", ["es", "ru", "en"])
@pytest.mark.parametrize(
    ("typed", "read"),
    [("12,5", 12.5), ("12.5", 12.5), ("1 500", 1500), ("1\u00a0500,25", 1500.25), (" 763,7 ", 763.7)],
)
def test_a_number_is_read_as_people_type_it(as_member, server, language, typed, read):
    client = editor_in(as_member, language)
    source = SourceFactory()
    response = save(client, url(server), depth_mm=typed, other_source=source.pk)
    assert response.status_code == 302
    server.refresh_from_db()
    assert server.depth_mm == read
    assert server.evidence.get(field="depth_mm").stated == f"{read:g}"


@pytest.mark.parametrize(("language", "read"), [("es", 1500), ("ru", 1.5), ("en", 1.5)])
def test_one_sign_before_three_digits_means_what_the_language_says(as_member, server, language, read):
    client = editor_in(as_member, language)
    assert save(client, url(server), depth_mm="1.500", other_source=SourceFactory().pk).status_code == 302
    server.refresh_from_db()
    assert server.depth_mm == read


@pytest.mark.parametrize(
    ("language", "typed", "read"),
    [
        ("es", "1.000", 1000),
        ("en", "1,000", 1000),
        ("ru", "1 000", 1000),
        ("ru", "1.000", None),
        ("ru", "1,000", None),
        ("es", "1,000", None),
        ("en", "1.000", None),
    ],
)
def test_a_whole_number_is_never_a_thousandth_of_what_was_typed(as_member, language, typed, read):
    """Where a language reads three digits behind a decimal sign, a whole number asks which one is meant."""
    option = GPUOptionFactory()
    client = editor_in(as_member, language)
    response = save(client, url(option), card_power_cap_w=typed, other_source=SourceFactory().pk)
    option.refresh_from_db()
    assert option.card_power_cap_w == read
    if read is None:
        assert response.status_code == 200
        (problem,) = response.context["adminform"].form.errors["card_power_cap_w"]
        assert "1000" in problem


@pytest.mark.parametrize(
    ("language", "shown", "example"),
    [("es", "86,5", "763,7"), ("ru", "86,5", "763,7"), ("en", "86.5", "763.7")],
)
def test_a_number_is_shown_as_the_language_writes_it(as_member, server, language, shown, example):
    client = editor_in(as_member, language)
    assert form_of(client, url(server))["height_mm"] == shown
    page = client.get(url(server)).content.decode()
    assert example in page
    assert 'type="number"' not in page  # a browser drops the comma there: 12,5 becomes 125
    stamp = server.updated_at
    assert save(client, url(server)).status_code == 302
    server.refresh_from_db()
    assert server.updated_at == stamp  # nothing was changed


@pytest.mark.parametrize("typed", ["86mm", "1,5,0", "12..5", "∞", "9" * 70])
@pytest.mark.parametrize("name", ["height_mm", "rack_units"])
def test_what_is_no_number_is_said_beside_the_field_and_kept(as_member, server, name, typed):
    client = editor_in(as_member, "en")
    response = save(client, url(server), **{name: typed})
    assert response.status_code == 200
    form = response.context["adminform"].form
    assert list(form.errors) == [name]
    assert form[name].value() == typed


def test_what_is_no_whole_number_is_refused_where_only_one_makes_sense(as_member, server):
    response = save(editor_in(as_member, "ru"), url(server), rack_units="2,5")
    assert list(response.context["adminform"].form.errors) == ["rack_units"]


def test_a_temperature_may_be_below_zero_and_a_height_not(as_member, server):
    client = editor_in(as_member, "ru")
    for minus in ("-5", "\N{MINUS SIGN}10"):
        values = {"temperature_min_c": minus, "temperature_max_c": "45", "other_source": SourceFactory().pk}
        assert save(client, url(server), **values).status_code == 302
    server.refresh_from_db()
    assert server.temperature_min_c == -10
    assert form_of(client, url(server))["temperature_min_c"] == "-10"
    assert save(client, url(server), rack_units="-2").status_code == 200


def test_rows_of_tables_are_read_alike(as_member):
    client = editor_in(as_member, "ru")
    option = GPUOptionFactory(variant__server__is_published=False, link_gbs=None)
    data = {"gpu_options-0-link_gbs": "112,5", "other_source": SourceFactory().pk}
    assert save(client, url(option.variant), **data).status_code == 302
    option.refresh_from_db()
    assert option.link_gbs == 112.5
