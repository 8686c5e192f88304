"""One value for many rows, a copy to begin with, figures beside the inputs, and the list of all changes."""

import json
import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.db import models
from django.urls import reverse

from catalog import history, versions
from catalog.admin.comfort import BulkAdmin
from catalog.models import GPU, Evidence, GPUOption, Revision, Server
from tests.catalog.staff import url
from tests.factories import (
    AIModelFactory,
    BenchmarkResultFactory,
    EnclosureFactory,
    EvidenceFactory,
    GPUFactory,
    GPUOptionFactory,
    ServerFactory,
    SlotAlternativeFactory,
    WorkloadProfileFactory,
)

pytestmark = pytest.mark.django_db


def bulk(client, rows, **data):
    chosen = {"action": "bulk_edit", "_selected_action": [row.pk for row in rows]}
    return client.post(url(rows[0], "changelist"), chosen | data)


# --- many rows at once -----------------------------------------------------------------------------


def test_a_page_asks_which_fields_change(editor):
    rows = [GPUFactory(market_state="current"), GPUFactory(market_state="current")]
    page = bulk(editor("ana"), rows)
    assert page.status_code == 200
    assert "set_market_state" in page.content.decode()
    assert not Revision.objects.exists()


def test_ticked_fields_change_on_all_rows_as_one_entry(editor):
    rows = [GPUFactory(market_state="current", architecture="Ada") for _ in range(2)]
    other = GPUFactory(market_state="current")
    before = int(versions.current())
    data = {
        "apply": "yes",
        "set_market_state": "on",
        "market_state": "legacy",
        "architecture": "X",
        "why": "Old",
    }
    assert bulk(editor("ana"), rows, **data).status_code == 302
    found = GPU.objects.values_list("market_state", "architecture")
    assert list(found.filter(pk__in=[row.pk for row in rows])) == [("legacy", "Ada")] * 2
    assert found.get(pk=other.pk)[0] == "current"
    revision = Revision.objects.get()
    assert (revision.means, revision.why, revision.changes.count()) == ("bulk", "Old", 2)
    assert int(versions.current()) > before


def test_one_row_that_breaks_a_rule_keeps_all_as_they_were(editor):
    fits = ServerFactory(launch_year=2024, is_published=False)
    breaks = ServerFactory(launch_year=None, is_published=False)
    data = {"apply": "yes", "set_launch_month": "on", "launch_month": "5"}
    page = bulk(editor("ana"), [fits, breaks], **data)
    assert page.status_code == 200
    assert breaks.name in page.content.decode()
    assert not Server.objects.exclude(launch_month=None).exists()
    assert not Revision.objects.exists()


def test_nothing_ticked_changes_nothing(editor):
    page = bulk(editor("ana"), [GPUFactory(market_state="current")], apply="yes", market_state="legacy")
    assert page.status_code == 200
    assert GPU.objects.get().market_state == "current"


def test_bulk_edit_keeps_to_rights(editor):
    server = ServerFactory(lifecycle="current")
    source = EvidenceFactory(server=server, field="rack_units").source
    data = {"apply": "yes", "set_lifecycle": "on", "lifecycle": "withdrawn", "other_source": source.pk}
    assert bulk(editor("marta", "Marketing"), [server], **data).status_code == 403
    assert bulk(editor("sara", "Sales"), [server], **data).status_code == 302
    assert Server.objects.get().lifecycle == "withdrawn"
    profile = WorkloadProfileFactory(order=1)
    bulk(editor("mila", "Marketing"), [profile], apply="yes", set_order="on", order=5)
    profile.refresh_from_db()
    assert profile.order == 1


def test_every_field_of_a_bulk_edit_exists_and_publishes_nothing():
    pages = {model: page for model, page in admin.site._registry.items() if isinstance(page, BulkAdmin)}
    assert {Server, GPU, Evidence} <= set(pages)
    for model, page in pages.items():
        names = {field.name for field in model._meta.concrete_fields}
        assert set(page.bulk_fields) <= names - {"is_published", "slug"}, model


def test_facts_are_not_changed_past_their_own_checks():
    with pytest.raises(TypeError):
        GPU.objects.update(market_state="legacy")


# --- a copy ----------------------------------------------------------------------------------------


def test_a_server_is_duplicated_with_all_its_parts(editor):
    option = GPUOptionFactory(max_count=3, note_ru="Заметка")
    server = option.variant.server
    SlotAlternativeFactory(variant=option.variant, width="single", count=8)
    server.power_supplies.create(power_w=1800)
    EvidenceFactory(server=server, field="rack_units", stated="2")
    EvidenceFactory(option=option, field="max_count", stated="3", checked_on="2026-01-01")
    client = editor("ana")
    address = reverse("admin:catalog_server_duplicate", args=[server.pk])
    assert client.get(address).status_code == 200
    assert client.post(address, {"name": "Twin", "slug": "twin"}).status_code == 302
    twin = Server.objects.get(slug="twin")
    assert (twin.is_published, twin.rack_units, twin.summary_ru) == (False, 2, server.summary_ru)
    assert [supply.power_w for supply in twin.power_supplies.all()] == [1800]
    assert [cooling.kind for cooling in twin.cooling_options.all()] == ["air"]
    copied = twin.variants.get().gpu_options.get()
    assert (copied.max_count, copied.gpu, copied.note_ru) == (3, option.gpu, "Заметка")
    assert twin.variants.get().slot_alternatives.get().count == 8
    assert [(row.stated, row.weak, row.checked_on) for row in copied.evidence.all()] == [("3", True, None)]
    assert (server.evidence.count(), GPUOption.objects.count(), Evidence.objects.count()) == (1, 2, 4)
    (revision,) = Revision.objects.all()
    assert revision.means == "copy"
    assert {line.action for line in history.entries(twin)[0].lines} == {"added"}


def test_a_copy_needs_an_address_of_its_own_and_the_right_to_add(editor):
    server = ServerFactory(slug="one")
    address = reverse("admin:catalog_server_duplicate", args=[server.pk])
    assert editor("ana").post(address, {"name": "Two", "slug": "one"}).status_code == 200
    assert editor("sara", "Sales").post(address, {"name": "Two", "slug": "two"}).status_code == 403
    assert Server.objects.count() == 1


# --- figures beside the inputs ---------------------------------------------------------------------


@pytest.mark.parametrize("of_variant", [True, False])
def test_figures_for_totals_travel_with_the_page(editor, of_variant):
    gpu = GPUFactory(memory_gb=16, memory_gib_usable=15.5, devices_per_board=4, tdp_w=250)
    option = GPUOptionFactory(gpu=gpu)
    page = editor("ana").get(url(option.variant if of_variant else option)).content.decode()
    found = re.search(r'<script id="card-figures" type="application/json">(.*?)</script>', page).group(1)
    assert json.loads(found)[str(gpu.pk)] == {"devices": 4, "memory": 16, "usable": 15.5, "watts": 250}
    assert json.loads(found)["units"] == {"gb": "GB", "gib": "GiB"}
    assert "js/card-totals.js" in page


NUMBERS = (models.IntegerField, models.FloatField, models.DecimalField)
NO_FIGURES = {"id", "position", "order"}


@pytest.mark.parametrize(
    "make",
    [GPUOptionFactory, AIModelFactory, BenchmarkResultFactory, WorkloadProfileFactory, EnclosureFactory],
)
def test_every_figure_that_is_typed_shows_how(editor, make):
    """Beside its unit stands an example or a rule: something with a digit."""
    client, row, silent = editor("ana"), make(), []
    rows = [row, row.variant, row.variant.server, row.gpu] if isinstance(row, GPUOption) else [row]
    for row in rows:
        context = client.get(url(row)).context
        forms = [context["adminform"].form]
        forms += [inline.formset.empty_form for inline in context["inline_admin_formsets"]]
        for form in forms:
            columns = {column.name: column for column in form._meta.model._meta.concrete_fields}
            silent += [
                f"{form._meta.model.__name__}.{name}"
                for name, field in form.fields.items()
                if isinstance(columns.get(name), NUMBERS) and name not in NO_FIGURES
                if not re.search(r"\d", str(field.help_text))
            ]
    assert silent == []


# --- all changes -----------------------------------------------------------------------------------


def test_all_changes_are_listed_and_nobody_edits_them(editor):
    server = ServerFactory(name="Alpha", rack_units=2)
    with history.recording(by="load_catalog", means="command", why="New sheet"):
        server.rack_units = 3
        server.save()
    client = editor("ana")
    page = client.get(reverse("admin:catalog_revision_changelist"), {"q": "alpha"}).content.decode()
    for said in ("load_catalog", "Alpha", "New sheet"):
        assert said in page
    revision = Revision.objects.get()
    assert "<del>2</del> → <ins>3</ins>" in client.get(url(revision)).content.decode()
    for view in ("change", "delete", "add"):
        assert client.post(url(revision, view), {"post": "yes", "why": "x"}).status_code == 403
    assert Revision.objects.get().why == "New sheet"


def test_changes_of_tables_that_somebody_may_not_see_stay_unseen(editor):
    server, profile = ServerFactory(rack_units=2), WorkloadProfileFactory(summary_es="a")
    with history.recording(by="one"):
        server.rack_units = 3
        server.save()
    with history.recording(by="two"):
        profile.summary_es = "b"
        profile.save()
    marta = editor("marta", "Marketing")
    address = reverse("admin:catalog_revision_changelist")
    assert marta.get(address).status_code == 403
    User.objects.get(username="marta").user_permissions.add(Permission.objects.get(codename="view_revision"))
    assert [row.made_by for row in marta.get(address).context["cl"].result_list] == ["two"]
    of_server = Revision.objects.get(made_by="one")
    assert marta.get(url(of_server)).status_code == 302
    assert len(editor("ana").get(address).context["cl"].result_list) == 2
