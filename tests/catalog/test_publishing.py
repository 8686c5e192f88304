"""What keeps a row from readers, in forms, actions and imports; how much is known; how texts stand."""

from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from catalog import completeness, history, publishing, text_states
from catalog.models import GPU, AIModel, Evidence, GlossaryTerm, Server, WorkloadProfile
from tests.catalog.staff import form_of, save, url
from tests.factories import (
    AIModelFactory,
    EvidenceFactory,
    GlossaryTermFactory,
    GPUFactory,
    GPUOptionFactory,
    ServerFactory,
    SlotAlternativeFactory,
)

pytestmark = pytest.mark.django_db


def fields(row):
    return {problem.field for problem in publishing.problems(row)}


def test_a_server_needs_a_source_gpus_and_a_height_where_it_is_racked():
    server = ServerFactory(rack_units=None, is_published=False)
    assert fields(server) == {"rack_units", "variants__gpu_options", "evidence"}
    GPUOptionFactory(variant__server=server)
    EvidenceFactory(server=server, field="kind")
    assert fields(server) == {"rack_units"}
    server.kind = "edge"
    assert not publishing.problems(server)


def test_of_a_server_whose_cards_nobody_lists_the_room_for_them_is_enough():
    server = SlotAlternativeFactory().variant.server
    EvidenceFactory(server=server, field="kind")
    assert not publishing.problems(server)
    # What a comparison lacks, it lacks.
    assert "variants__gpu_options" in {need.name for need in completeness.missing(server)}


def test_what_was_looked_up_and_is_not_published_keeps_no_gpu_back():
    gpu = GPUFactory(tdp_w=None)
    EvidenceFactory(gpu=gpu, field="memory_gb", stated="48")
    assert fields(gpu) == {"tdp_w"}
    row = EvidenceFactory(gpu=gpu, field="tdp_w", stated=None)
    assert not publishing.problems(gpu)
    row.stated = "70"
    row.save()
    assert fields(gpu) == {"tdp_w"}


def test_all_that_ships_published_would_pass_the_gate(catalog):
    for model in (Server, GPU, AIModel, WorkloadProfile, GlossaryTerm):
        rows = list(model.objects.filter(is_published=True))
        assert rows
        found = {str(row): publishing.problems(row) for row in rows}
        assert {name: said for name, said in found.items() if said} == {}


def test_a_copy_is_published_once_its_sources_are_looked_up(as_member):
    client = as_member("Product managers")
    option = GPUOptionFactory()
    server = option.variant.server
    EvidenceFactory(server=server, field="rack_units", stated="2", checked_on=date(2026, 5, 4))
    EvidenceFactory(option=option, field="max_count", stated="2", checked_on=date(2026, 5, 4))
    EvidenceFactory(server=server, field="kind", stated="tower", kept=False, reason="No.")
    address = reverse("admin:catalog_server_duplicate", args=[server.pk])
    client.cookies["django_language"] = "en"
    client.post(address, {"name": "Twin", "slug": "twin"})
    twin = Server.objects.get(slug="twin")
    response = act(client, "publish", [twin])
    said = " ".join(str(message) for message in response.context["messages"])
    assert "2 of its sources are weak and not checked" in said
    page = save(client, url(twin), is_published="on").content.decode()
    assert page.count("2 of its sources are weak and not checked") == 1
    twin.refresh_from_db()
    assert not twin.is_published
    rows = [row.pk for row in Evidence.objects.filter(checked_on=None, kept=True)]
    data = {"action": "bulk_edit", "_selected_action": rows, "apply": "yes", "set_checked_on": "on"}
    client.post(reverse("admin:catalog_evidence_changelist"), data | {"checked_on": "2026-05-04"})
    who = "Product managers@vendor.example"
    assert set(Evidence.objects.filter(pk__in=rows).values_list("checked_by", flat=True)) == {who}
    act(client, "publish", [twin])
    twin.refresh_from_db()
    assert twin.is_published


def test_a_source_in_the_form_that_publishes_is_looked_up_too(as_member):
    client = as_member("Product managers")
    gpu = GPUFactory(is_published=False)
    EvidenceFactory(gpu=gpu, field="tdp_w", stated="350", weak=True)
    assert save(client, url(gpu), is_published="on").status_code == 200
    day = {"evidence-0-checked_on": "2026-05-04"}
    assert save(client, url(gpu), is_published="on", **day).status_code == 302
    # What readers see already is corrected as before.
    EvidenceFactory(gpu=gpu, field="memory_gb", stated="48", weak=True)
    assert save(client, url(gpu), market_state="legacy").status_code == 302


def test_a_tray_stands_in_its_enclosure():
    assert "rack_units" not in fields(ServerFactory(kind="tray", rack_units=None))


def test_a_gpu_needs_its_power_and_form():
    assert fields(GPUFactory(tdp_w=None, form=None)) == {"tdp_w", "form", "evidence"}


def test_a_language_model_needs_its_cache_where_that_is_known():
    model = AIModelFactory(cache=False)
    assert fields(model) == {"cache_groups", "evidence"}
    model.cache_known = False
    assert fields(model) == {"evidence"}
    model.cache_known, model.kind = True, "vision"
    assert fields(model) == {"evidence"}


def test_a_text_in_one_language_is_needed_in_all():
    assert not publishing.problems(GlossaryTermFactory())
    term = GlossaryTermFactory(definition_ru="", also_es="Otra")
    assert fields(term) == {"definition_ru"}  # other names are of one language


@pytest.fixture
def draft():
    gpu = GPUFactory(tdp_w=None, is_published=False)
    EvidenceFactory(gpu=gpu, field="memory_gb", stated="48")
    return gpu


def test_the_form_publishes_nothing_that_lacks_something_and_names_it(as_member, draft):
    client = as_member("Product managers")
    response = save(client, url(draft), is_published="on")
    assert "tdp_w" in response.context["adminform"].form.errors
    draft.refresh_from_db()
    assert not draft.is_published
    added = {"tdp_w": 300, "is_published": "on", "other_source": draft.evidence.get().source.pk}
    assert save(client, url(draft), **added).status_code == 302
    draft.refresh_from_db()
    assert (draft.is_published, draft.tdp_w) == (True, 300)


def test_what_is_published_keeps_what_its_page_needs(as_member, draft):
    client = as_member("Product managers")
    draft.is_published, draft.tdp_w = True, 300
    draft.save()
    assert "tdp_w" in save(client, url(draft), tdp_w="").context["adminform"].form.errors
    # A text is written in one language first: its page leaves out what is missing.
    assert save(client, url(draft), note_es="Uno.").status_code == 302
    draft.refresh_from_db()
    draft.is_published = False
    draft.save()
    assert {"note_ru", "note_en"} <= set(
        save(client, url(draft), is_published="on").context["adminform"].form.errors
    )


def test_an_old_gap_does_not_stand_in_the_way_of_another_change(as_member, draft):
    client = as_member("Product managers")
    draft.is_published = True
    draft.save()
    assert save(client, url(draft), market_state="legacy").status_code == 302


def test_what_lacks_something_can_always_be_taken_off_the_site(as_member, draft):
    client = as_member("Product managers")
    draft.is_published = True
    draft.save()
    data = form_of(client, url(draft))
    del data["is_published"]
    assert client.post(url(draft), data).status_code == 302
    draft.refresh_from_db()
    assert not draft.is_published


def test_the_last_cache_group_of_a_published_model_stays(as_member):
    client = as_member("Product managers")
    model = AIModelFactory()
    EvidenceFactory(ai_model=model, field="num_layers", stated="32")
    assert save(client, url(model), **{"cache_groups-0-DELETE": "on"}).status_code == 200
    assert model.cache_groups.count() == 1


def act(client, action, rows):
    data = {"action": action, "_selected_action": [row.pk for row in rows]}
    return client.post(url(rows[0], "changelist"), data, follow=True)


def test_the_action_publishes_what_is_fit_and_names_what_is_not(as_member, draft):
    client = as_member("Product managers")
    fit = GPUFactory(is_published=False)
    EvidenceFactory(gpu=fit, field="tdp_w", stated="350")
    response = act(client, "publish", [draft, fit])
    draft.refresh_from_db()
    fit.refresh_from_db()
    assert (draft.is_published, fit.is_published) == (False, True)
    assert any(
        "TDP" in str(message) and draft.name in str(message) for message in response.context["messages"]
    )
    act(client, "unpublish", [fit])
    fit.refresh_from_db()
    assert not fit.is_published


def test_sales_have_no_such_action(as_member):
    row = GPUFactory(is_published=False)
    EvidenceFactory(gpu=row, field="tdp_w", stated="350")
    act(as_member("Sales"), "publish", [row])
    row.refresh_from_db()
    assert not row.is_published


# --- completeness ----------------------------------------------------------------------------------------


def test_the_share_counts_what_applies_to_a_row():
    # Ten needs of a card for a slot; these two are not known. The width of a module is none: seven of nine.
    GPUFactory(slug="card", launch_year=None, pcie_gen=None)
    GPUFactory(slug="module", form="sxm", slots_wide=2, launch_year=None, pcie_gen=None)
    shares = dict(completeness.with_completeness(GPU.objects.all()).values_list("slug", "complete_percent"))
    assert shares == {"card": 80, "module": 77}
    card = GPU.objects.get(slug="card")
    assert [need.name for need in completeness.missing(card)] == ["pcie_gen", "launch_year"]
    assert [(row.slug, [need.name for need in lacking]) for row, lacking in completeness.worst(GPU, 5)] == [
        ("module", ["pcie_gen", "launch_year"]),
        ("card", ["pcie_gen", "launch_year"]),
    ]
    totals = {need.name: (known, needed) for need, known, needed in completeness.totals(GPU)}
    assert (totals["slots_wide"], totals["pcie_gen"], totals["tdp_w"]) == ((1, 1), (0, 2), (2, 2))


def test_query_and_row_agree_on_what_is_missing():
    servers = [ServerFactory(), ServerFactory(kind="edge", rack_units=None, depth_mm=500, cpu_generations="")]
    GPUOptionFactory(variant__server=servers[0])
    assert dict(completeness.worst(Server, 5)) == {row: completeness.missing(row) for row in servers}
    AIModelFactory()
    AIModelFactory(cache=False, license="MIT")
    for row, lacking in completeness.worst(AIModel, 5):
        assert lacking == completeness.missing(row)


def test_every_need_exists_and_says_why():
    for model, needs in completeness.NEEDS.items():
        for need in needs:
            assert need.model is model
            assert need.label
            assert need.why


def test_lists_show_the_share_and_are_filtered_by_it(as_member):
    client = as_member("Product managers")
    GPUFactory(slug="card", launch_year=None, pcie_gen=None)
    GPUFactory(slug="known", launch_year=2024)
    address = reverse("admin:catalog_gpu_changelist")
    client.get(address)
    with CaptureQueriesContext(connection) as few:
        page = client.get(address, {"complete": "75"})
    assert [row.slug for row in page.context["cl"].result_list] == ["card"]
    assert [row.slug for row in client.get(address, {"complete": "100"}).context["cl"].result_list] == [
        "known"
    ]
    for _number in range(5):
        GPUFactory(launch_year=None)
    with CaptureQueriesContext(connection) as more:
        client.get(address, {"complete": "75"})
    assert len(more) == len(few)


@pytest.mark.parametrize("name", ["completeness", "translations"])
def test_boards_are_for_those_who_see_the_rows(as_member, client, name):
    address = reverse(f"admin:catalog_evidence_{name}")
    assert client.get(address).status_code == 302
    ServerFactory()
    GPUFactory(launch_year=None)
    for group, status in (("Sales", 200), ("Authors", 403)):
        assert as_member(group).get(address).status_code == status


# --- texts -----------------------------------------------------------------------------------------------


def state(row, name, language):
    found = {(text.model, text.pk, text.name, text.language): text.state for text in text_states.texts()}
    return found.get((type(row), row.pk, name, language))


def test_a_translation_is_stale_once_its_source_has_changed_after_it(as_member):
    server = ServerFactory()
    assert {state(server, "summary", code) for code in ("es", "ru", "en")} == {"fresh"}
    assert state(server, "cpu_note", "es") is None  # written in no language
    with history.recording(by="ana"):
        server.summary_es = "Para modelos grandes."
        server.save()
    assert [state(server, "summary", code) for code in ("es", "ru", "en")] == ["fresh", "stale", "stale"]
    [text] = [text for text in text_states.texts() if text.state == "stale" and text.language == "ru"]
    assert text.revision["revision__made_by"] == "ana"
    with history.recording(by="boris"):
        server.summary_ru = "Для больших моделей."
        server.save()
    # A translation that follows makes neither its source nor the others older.
    assert [state(server, "summary", code) for code in ("es", "ru", "en")] == ["fresh", "fresh", "stale"]
    with history.recording(by="ana"):
        server.summary_en = ""
        server.rack_units = 4
        server.save()
    assert state(server, "summary", "en") == "missing"
    page = as_member("Sales").get(reverse("admin:catalog_evidence_translations"), {"language": "en"})
    assert [(line["text"].row, line["text"].state) for line in page.context["lines"]] == [(server, "missing")]


def test_without_the_site_s_language_the_first_one_written_is_the_source():
    server = ServerFactory(summary_es="")
    with history.recording(by="ana"):
        server.summary_ru = "Другое."
        server.save()
    assert [state(server, "summary", code) for code in ("es", "ru", "en")] == ["missing", "fresh", "stale"]


# --- what is deleted -------------------------------------------------------------------------------------


@pytest.fixture
def page_with_cards():
    option = GPUOptionFactory()
    EvidenceFactory(server=option.variant.server, field="kind")
    return option


def test_what_a_published_page_needs_is_not_deleted(as_member, page_with_cards):
    client = as_member("Product managers")
    variant = page_with_cards.variant
    for row in (variant.server.evidence.get(), page_with_cards, variant):
        response = client.post(url(row, "delete"), {"post": "yes"})
        assert [str(variant.server) in str(message) for message in response.context["messages"]] == [True]
        chosen = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
        assert client.post(url(row, "changelist"), chosen).status_code == 200
        assert type(row).objects.filter(pk=row.pk).exists()
    assert not publishing.problems(variant.server)


def test_a_form_deletes_no_part_that_its_published_page_needs(as_member, page_with_cards):
    client = as_member("Product managers")
    variant = page_with_cards.variant
    for row, prefix in ((variant.server, "variants"), (variant, "gpu_options")):
        assert save(client, url(row), **{f"{prefix}-0-DELETE": "on"}).status_code == 200
    data = form_of(client, url(variant.server)) | {"variants-0-DELETE": "on"}
    del data["is_published"]
    assert client.post(url(variant.server), data).status_code == 302
    assert not variant.server.variants.exists()


def test_of_several_parts_and_of_a_draft_everything_can_be_deleted(as_member, page_with_cards):
    client = as_member("Product managers")
    server = page_with_cards.variant.server
    first = server.evidence.get()
    EvidenceFactory(server=server, field="rack_units")
    GPUOptionFactory(variant__server=server, variant__is_default=False, variant__slug="second")
    for row in (first, page_with_cards.variant):
        assert client.post(url(row, "delete"), {"post": "yes"}).status_code == 302
    server.is_published = False
    server.save()
    for row in (server.evidence.get(), server.variants.get()):
        assert client.post(url(row, "delete"), {"post": "yes"}).status_code == 302
    assert not server.evidence.exists()
