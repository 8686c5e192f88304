"""Evidence as staff keep it: marks beside inputs, sources asked for, conflicts decided, checks repeated."""

import re
from datetime import date, timedelta

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import override

from catalog import checking, history, stating
from catalog.models import GPU, ErrorReport, Evidence, GPUOption, Revision, Server, Variant
from tests.catalog.staff import form_of, save, url
from tests.factories import (
    AIModelFactory,
    EvidenceFactory,
    GPUFactory,
    GPUOptionFactory,
    ServerFactory,
    SourceFactory,
)

pytestmark = pytest.mark.django_db
QUEUE = "admin:catalog_evidence_queue"


@pytest.fixture(autouse=True)
def english(client):
    client.cookies["django_language"] = "en"


def sourced(row, field, **values):
    """Return evidence of a figure that states what the row holds."""
    subject = {Server: "server", GPU: "gpu"}[type(row)]
    return EvidenceFactory(**{subject: row}, field=field, **{"stated": str(getattr(row, field))} | values)


def conflict(row, field):
    subject = {Server: "server", GPU: "gpu"}[type(row)]
    return reverse("admin:catalog_evidence_conflict", args=[subject, row.pk, field])


def queue(client, **query):
    response = client.get(reverse(QUEUE), query)
    assert response.status_code == 200
    return response.context["lines"]


# --- beside the input ----------------------------------------------------------------------------------


def test_a_figure_says_where_it_comes_from_when_it_was_checked_by_whom_and_its_state(as_member):
    client = as_member("Product managers")
    gpu = GPUFactory(tdp_w=350, bandwidth_gbs=864)
    source = SourceFactory(title="Data sheet of May", url="https://maker.example/sheet.pdf")
    row = sourced(gpu, "tdp_w", source=source, checked_on=date(2026, 5, 4), checked_by="ana")
    form = client.get(url(gpu)).context["adminform"].form
    mark = form.fields["tdp_w"].help_text
    assert "Per board" in mark  # what the field itself says stays
    for said in ("Data sheet of May", "https://maker.example/sheet.pdf", "ana"):
        assert said in mark
    with override("en"):
        assert row.get_state_display() in mark
    assert "2026" in mark
    assert url(row) in mark
    assert "No source." in form.fields["bandwidth_gbs"].help_text
    assert "No source." not in form.fields["length_mm"].help_text  # nothing is known of it


def test_rows_of_evidence_say_in_one_line_what_they_state(as_member):
    server = ServerFactory(depth_mm=763)
    kept = sourced(server, "depth_mm", source=SourceFactory(title="Data sheet"))
    sourced(server, "depth_mm", stated="800", kept=False, source=SourceFactory(title="Catalogue"))
    response = as_member("Product managers").get(url(server))
    lines = re.findall(r"<summary>(.*?)</summary>", response.text, re.DOTALL)
    said = [re.sub(r"<[^>]+>|\s+", " ", line) for line in lines]
    assert [("Data sheet" in line, "Catalogue" in line, "not kept" in line) for line in said] == [
        (True, False, False),
        (False, True, True),
    ]
    with override("en"):
        assert all(line.strip().startswith(capfirst(kept.field_label)) for line in said)
    form = next(
        form for form in response.context["inline_admin_formsets"][-1].formset if form.instance == kept
    )
    assert [name for name, _label in form.fields["field"].choices] == ["depth_mm"]


def test_columns_are_called_by_their_labels(as_member):
    client = as_member("Product managers")
    row = sourced(ServerFactory(depth_mm=763), "depth_mm")
    with history.recording(by="test"):
        row.stated = "764"
        row.save()
    for address in (url(row), url(row, "changelist"), url(row, "history"), url(row, "delete")):
        page = re.sub(r"<[^>]+>", " ", client.get(address).text)
        assert "depth_mm" not in page, address
    with history.recording(by="test"):
        row.delete()
    page = client.get(reverse("admin:catalog_evidence_recoverlist")).text
    with override("en"):
        assert row.field_label in page
    assert "depth_mm" not in page


@pytest.mark.parametrize("address", ["", "https://maker.example/sheet.pdf"])
def test_words_of_a_source_are_no_html(as_member, address):
    gpu = GPUFactory()
    source = SourceFactory(title="<b>Bold</b>", url=address)
    sourced(gpu, "tdp_w", source=source, checked_by="<i>ana</i>", checked_on=date(2026, 1, 1))
    content = as_member("Product managers").get(url(gpu)).content.decode()
    assert "<b>Bold</b>" not in content
    assert "<i>ana</i>" not in content


def test_marks_take_the_same_number_of_queries_however_many_there_are(as_member):
    client = as_member("Product managers")
    gpu = GPUFactory()
    sourced(gpu, "tdp_w")
    client.get(url(gpu))
    few = queries_of_evidence(client, gpu)
    for field in ("bandwidth_gbs", "memory_gb", "slots_wide", "pcie_gen", "pcie_lanes", "architecture"):
        sourced(gpu, field)
        sourced(gpu, field, stated="1", kept=False)
    assert queries_of_evidence(client, gpu) == few


def queries_of_evidence(client, row):
    with CaptureQueriesContext(connection) as queries:
        client.get(url(row))
    return sum('FROM "catalog_evidence"' in query["sql"] for query in queries)


# --- a new value asks for a source ----------------------------------------------------------------------


@pytest.fixture
def gpu():
    gpu = GPUFactory(tdp_w=350)
    sourced(gpu, "tdp_w")
    return gpu


def test_a_new_figure_of_something_published_is_refused_without_a_source(as_member, gpu):
    client = as_member("Product managers")
    response = save(client, url(gpu), tdp_w=400)
    assert response.status_code == 200
    assert "tdp_w" in response.context["adminform"].form.errors
    gpu.refresh_from_db()
    assert gpu.tdp_w == 350


def test_the_source_chosen_becomes_the_evidence_of_what_changed(as_member, gpu):
    client = as_member("Sales")
    source = gpu.evidence.get().source
    form = client.get(url(gpu)).context["adminform"].form
    assert source in form.fields["recent_source"].queryset
    data = {"tdp_w": 400, "slots_wide": 3, "recent_source": source.pk, "source_state": "deployed"}
    response = save(client, url(gpu), **data, why="A new edition.")
    assert response.status_code == 302
    for field, stated in (("tdp_w", "400"), ("slots_wide", "3")):
        row = gpu.evidence.get(field=field, stated=stated)
        assert (row.source, row.state, row.kept) == (source, "deployed", True)
        assert (row.checked_on, row.checked_by) == (timezone.localdate(), "Sales@vendor.example")
    # A source states one thing of a figure.
    assert gpu.evidence.count() == 2
    # One act, one entry: the figures and what stands behind them.
    assert Revision.objects.count() == 1


def test_what_a_source_stated_is_not_rewritten_without_a_reason(as_member, gpu):
    client = as_member("Product managers")
    row = gpu.evidence.get()
    page = save(client, url(gpu), tdp_w=400, recent_source=row.source.pk)
    assert "stated 350 so far" in page.context["adminform"].form.errors["tdp_w"][0]
    row.refresh_from_db()
    assert row.stated == "350"
    data = form_of(client, url(gpu)) | {"tdp_w": 400, "recent_source": row.source.pk, "why": "Misread."}
    said = [str(message) for message in client.post(url(gpu), data, follow=True).context["messages"]]
    assert any("now states 400" in text and "350" in text for text in said)
    row.refresh_from_db()
    assert (row.stated, gpu.evidence.count()) == ("400", 1)
    revision = Revision.objects.get()
    assert revision.why == "Misread."
    assert revision.changes.get(object_id=row.pk, content_type__model="evidence").values["stated"] == [
        "350",
        "400",
    ]


def test_what_a_source_stated_and_was_set_aside_stays_beside_what_it_states_now(as_member, gpu):
    row = gpu.evidence.get()
    row.kept, row.reason = False, "Of another board."
    row.save()
    sourced(gpu, "tdp_w")
    save(as_member("Product managers"), url(gpu), tdp_w=400, recent_source=row.source.pk)
    assert set(gpu.evidence.filter(source=row.source).values_list("stated", "kept", "reason")) == {
        ("350", False, "Of another board."),
        ("400", True, ""),
    }


@pytest.mark.parametrize("group", ["Product managers", "Sales"])
def test_a_figure_that_a_source_states_is_emptied_with_a_reason_only(as_member, gpu, group):
    client = as_member(group)
    sourced(gpu, "bandwidth_gbs", stated="864")
    assert "bandwidth_gbs" in save(client, url(gpu), bandwidth_gbs="").context["adminform"].form.errors
    assert save(client, url(gpu), bandwidth_gbs="", why="Of the 2024 board.").status_code == 302
    gpu.refresh_from_db()
    assert gpu.bandwidth_gbs is None
    row = gpu.evidence.get(field="bandwidth_gbs")
    # Who may decide has decided; what others emptied waits for one who may.
    waiting = [line["figure"].field for line in queue(client, tab="conflicts")]
    if group == "Sales":
        assert (row.kept, row.reason, waiting) == (True, "", ["bandwidth_gbs"])
        page = client.get(conflict(gpu, "bandwidth_gbs")).content.decode()
        assert "The sources that are kept state something else: 864." in page
    else:
        assert (row.kept, row.reason, waiting) == (False, "Of the 2024 board.", [])


def test_what_no_source_states_is_emptied_as_it_is(as_member, gpu):
    assert save(as_member("Sales"), url(gpu), bandwidth_gbs="").status_code == 302


def test_another_source_leaves_both_to_decide_on(as_member, gpu):
    client = as_member("Product managers")
    save(client, url(gpu), tdp_w=400, other_source=SourceFactory().pk)
    assert [line["figure"].row for line in queue(client, tab="conflicts")] == [gpu]


def test_many_rows_at_once_ask_for_a_source_as_well(as_member):
    client = as_member("Product managers")
    servers = [ServerFactory(pcie_gen=4), ServerFactory(pcie_gen=5)]
    sourced(servers[1], "pcie_gen")
    chosen = {"action": "bulk_edit", "_selected_action": [row.pk for row in servers], "apply": "yes"}
    data = chosen | {"set_pcie_gen": "on", "pcie_gen": 5}
    assert client.post(url(servers[0], "changelist"), data).status_code == 200
    assert Server.objects.filter(pcie_gen=4).exists()
    source = SourceFactory()
    response = client.post(url(servers[0], "changelist"), data | {"other_source": source.pk})
    assert response.status_code == 302
    assert not Server.objects.filter(pcie_gen=4).exists()
    # What a source stated already needs no other.
    assert list(Evidence.objects.filter(source=source).values_list("server", "stated")) == [
        (servers[0].pk, "5")
    ]
    assert Revision.objects.count() == 1


def test_many_figures_at_once_are_emptied_with_a_reason_only(as_member):
    client = as_member("Product managers")
    servers = [ServerFactory(name="One", pcie_gen=5, is_published=False), ServerFactory(pcie_gen=5)]
    row = sourced(servers[0], "pcie_gen")
    chosen = {"action": "bulk_edit", "_selected_action": [each.pk for each in servers], "apply": "yes"}
    data = chosen | {"set_pcie_gen": "on", "pcie_gen": ""}
    page = client.post(url(servers[0], "changelist"), data)
    assert "One: A source states what you emptied" in page.content.decode()
    assert Server.objects.filter(pcie_gen=5).count() == 2
    assert client.post(url(servers[0], "changelist"), data | {"why": "Gen4 boards."}).status_code == 302
    assert not Server.objects.filter(pcie_gen=5).exists()
    row.refresh_from_db()
    assert (row.kept, row.reason) == (False, "Gen4 boards.")


def test_many_drafts_at_once_name_the_figures_that_no_source_states(as_member):
    client = as_member("Product managers")
    servers = [ServerFactory(name=name, pcie_gen=4, is_published=False) for name in ("One", "Two")]
    sourced(servers[0], "pcie_gen", stated="4")
    sourced(servers[1], "pcie_gen", stated="5")
    chosen = {"action": "bulk_edit", "_selected_action": [each.pk for each in servers], "apply": "yes"}
    data = chosen | {"set_pcie_gen": "on", "pcie_gen": 5}
    response = client.post(url(servers[0], "changelist"), data, follow=True)
    said = [str(message) for message in response.context["messages"] if "without a source" in str(message)]
    assert len(said) == 1
    assert "One, PCIe generation" in said[0]
    assert "Two" not in said[0]
    assert [line["figure"].row for line in queue(client, tab="conflicts")] == [servers[0]]


def test_a_source_in_the_table_of_the_same_form_is_enough(as_member, gpu):
    client = as_member("Product managers")
    response = save(client, url(gpu), tdp_w=400, **{"evidence-0-stated": "400"})
    assert response.status_code == 302
    assert gpu.evidence.get().stated == "400"


def test_a_row_of_the_table_that_is_set_aside_is_not_enough(as_member, gpu):
    data = form_of(client := as_member("Product managers"), url(gpu)) | {
        "tdp_w": 400,
        "evidence-0-stated": "400",
    }
    del data["evidence-0-kept"]
    assert client.post(url(gpu), data).status_code == 200


def test_a_draft_is_saved_and_says_that_no_source_states_its_figure(as_member, gpu):
    client = as_member("Product managers")
    gpu.is_published = False
    gpu.save()
    response = client.post(url(gpu), form_of(client, url(gpu)) | {"tdp_w": 400}, follow=True)
    assert any("without a source" in str(message) for message in response.context["messages"])
    gpu.refresh_from_db()
    assert gpu.tdp_w == 400
    mark = client.get(url(gpu)).context["adminform"].form.fields["tdp_w"].help_text
    assert "The sources that are kept state something else: 350." in mark


def test_an_option_of_a_published_server_asks_as_its_server_does(as_member):
    client = as_member("Product managers")
    option = GPUOptionFactory(max_count=2)
    assert "max_count" in save(client, url(option), max_count=3).context["adminform"].form.errors
    source = SourceFactory(kind="benchmark")
    assert save(client, url(option), max_count=3, other_source=source.pk).status_code == 302
    row = option.evidence.get()
    assert (row.stated, row.state) == ("3", "benchmark")


def inline(client, address, model):
    """Return the prefix of the rows of one table in a form."""
    formsets = client.get(address).context["inline_admin_formsets"]
    return next(each.formset.prefix for each in formsets if each.formset.model is model)


def test_an_option_edited_below_its_variant_asks_as_on_its_own_page(as_member):
    client = as_member("Product managers")
    option = GPUOptionFactory(max_count=2)
    address = url(option.variant)
    rows = inline(client, address, GPUOption)
    page = save(client, address, **{f"{rows}-0-max_count": 3})
    formset = next(
        each.formset for each in page.context["inline_admin_formsets"] if each.formset.prefix == rows
    )
    assert "max_count" in formset.errors[0]
    option.refresh_from_db()
    assert option.max_count == 2
    source = SourceFactory(kind="benchmark")
    response = save(client, address, **{f"{rows}-0-max_count": 3, "other_source": source.pk})
    assert response.status_code == 302
    row = option.evidence.get()
    assert (row.field, row.stated, row.state, row.source) == ("max_count", "3", "benchmark", source)
    assert Revision.objects.count() == 1
    # What a kept source states needs no other; what it states is not emptied in silence.
    assert save(client, address, **{f"{rows}-0-max_count": ""}).status_code == 200
    assert save(client, address, **{f"{rows}-0-position": 4}).status_code == 302


def test_a_variant_edited_below_its_server_and_a_new_option_ask_too(as_member):
    client = as_member("Product managers")
    option = GPUOptionFactory()
    server = option.variant.server
    sourced(server, "rack_units")
    rows = inline(client, url(server), Variant)
    assert save(client, url(server), **{f"{rows}-0-bays_nvme": 8}).status_code == 200
    source = SourceFactory()
    saved = save(client, url(server), **{f"{rows}-0-bays_nvme": 8, "other_source": source.pk})
    assert saved.status_code == 302
    assert option.variant.evidence.get().stated == "8"
    rows = inline(client, url(option.variant), GPUOption)
    new = {
        f"{rows}-TOTAL_FORMS": 2,
        f"{rows}-1-variant": option.variant.pk,
        f"{rows}-1-gpu": GPUFactory().pk,
        f"{rows}-1-min_count": 1,
        f"{rows}-1-max_count": 4,
        f"{rows}-1-lifecycle": "current",
        f"{rows}-1-basis": "maker",
        f"{rows}-1-position": 1,
    }
    assert save(client, url(option.variant), **new).status_code == 200
    saved = save(client, url(option.variant), **new, other_source=source.pk)
    assert saved.status_code == 302
    added = GPUOption.objects.get(max_count=4)
    assert ("max_count", "4") in added.evidence.values_list("field", "stated")


def test_rows_of_a_table_say_beside_their_inputs_where_their_figures_come_from(as_member):
    client = as_member("Product managers")
    option = GPUOptionFactory(max_count=2, ambient_max_c=30)
    source = SourceFactory(title="Rules of May")
    EvidenceFactory(option=option, field="max_count", stated="2", source=source, checked_on=date(2026, 5, 4))
    said = parts(client, option.variant)
    assert "Rules of May" in said
    assert "checked on 4 May 2026" in said
    assert "No source." in said  # of the ambient temperature
    assert "disagree" not in said
    EvidenceFactory(option=option, field="max_count", stated="3")
    assert "disagree: max. cards" in parts(client, option.variant)


def parts(client, variant):
    """Return what the column of sources says of a variant's first option."""
    page = client.get(url(variant)).content.decode()
    return re.search(r'field-sources">(.*?)</td>', page, re.DOTALL)[1]


def test_the_sources_of_rows_in_tables_need_no_query_a_row(as_member):
    client = as_member("Product managers")
    option = GPUOptionFactory()
    EvidenceFactory(option=option, field="max_count")

    def queries():
        with CaptureQueriesContext(connection) as found:
            assert client.get(url(option.variant)).status_code == 200
        # Django asks for the GPU of each row's input by itself.
        return [query for query in found.captured_queries if 'FROM "catalog_gpu"' not in query["sql"]]

    queries()
    few = len(queries())
    for _number in range(3):
        EvidenceFactory(option=GPUOptionFactory(variant=option.variant), field="max_count")
    assert len(queries()) == few


@pytest.mark.parametrize(
    ("field", "value", "stated", "same"),
    [
        ("tdp_w", 350, "350", True),
        ("bandwidth_gbs", 864.0, "864", True),
        ("bandwidth_gbs", 864.0, "864.5", False),
        ("ecc", True, "yes", True),
        ("ecc", True, "no", False),
        ("tdp_w", 350, "about 350", False),
        ("memory_type", "GDDR6", "GDDR6", True),
        ("tdp_w", 350, None, False),
    ],
)
def test_what_a_source_states_is_read_as_the_column_holds_it(field, value, stated, same):
    assert stating.agrees(GPUFactory.build(manufacturer=None, **{field: value}), field, stated) is same


# --- sources that disagree -------------------------------------------------------------------------------


@pytest.fixture
def disputed(gpu):
    sourced(gpu, "tdp_w", stated="400", source=SourceFactory(title="Newer sheet"))
    return gpu


def test_a_second_source_that_states_something_else_shows_both_until_somebody_decides(as_member, disputed):
    client = as_member("Product managers")
    [line] = queue(client, tab="conflicts")
    assert set(line["figure"].statements) == {"350", "400"}
    mark = client.get(url(disputed)).context["adminform"].form.fields["tdp_w"].help_text
    assert "Sources disagree" in mark
    assert "350" in mark
    assert "400 (Newer sheet)" in mark

    response = client.post(conflict(disputed, "tdp_w"), {"stated": "400", "reason": ""})
    assert response.status_code == 200
    assert queue(client, tab="conflicts")

    data = {"stated": "400", "reason": "The newer sheet replaces the other."}
    assert client.post(conflict(disputed, "tdp_w"), data).status_code == 302
    disputed.refresh_from_db()
    assert disputed.tdp_w == 400
    assert list(disputed.evidence.order_by("stated").values_list("stated", "kept", "reason")) == [
        ("350", False, "The newer sheet replaces the other."),
        ("400", True, ""),
    ]
    assert Revision.objects.get().why == "The newer sheet replaces the other."
    assert not queue(client, tab="conflicts")
    # What was decided stays decided; a third statement opens it again.
    sourced(disputed, "tdp_w", stated="425")
    assert queue(client, tab="conflicts")


def test_none_of_the_sources_may_be_right(as_member):
    client = as_member("Product managers")
    gpu = GPUFactory(bandwidth_gbs=864, slug="card")
    sourced(gpu, "bandwidth_gbs", stated="864")
    sourced(gpu, "bandwidth_gbs", stated="960")
    assert 'value=""' in client.get(conflict(gpu, "bandwidth_gbs")).content.decode()
    data = {"stated": "", "reason": "Both speak of another card."}
    assert client.post(conflict(gpu, "bandwidth_gbs"), data | {"reason": ""}).status_code == 200
    assert client.post(conflict(gpu, "bandwidth_gbs"), data).status_code == 302
    gpu.refresh_from_db()
    assert gpu.bandwidth_gbs is None
    assert set(gpu.evidence.values_list("kept", "reason")) == {(False, "Both speak of another card.")}
    assert Revision.objects.get().why == "Both speak of another card."
    assert not queue(client, tab="conflicts")
    # A third source is one to decide on.
    sourced(gpu, "bandwidth_gbs", stated="900")
    assert queue(client, tab="conflicts")


def test_no_figure_becomes_unknown_that_a_row_or_its_page_needs(as_member):
    client = as_member("Product managers")
    gpu = GPUFactory(memory_gb=48)
    sourced(gpu, "memory_gb", stated="48")
    sourced(gpu, "memory_gb", stated="45")
    assert (
        'value=""' not in client.get(conflict(gpu, "memory_gb")).content.decode().partition("staff-beside")[2]
    )
    response = client.post(conflict(gpu, "memory_gb"), {"stated": "", "reason": "Nobody knows."})
    assert response.context["error"] == "Choose what the catalog shows."
    server = ServerFactory(rack_units=2)
    sourced(server, "rack_units", stated="2")
    sourced(server, "rack_units", stated="3")
    response = client.post(conflict(server, "rack_units"), {"stated": "", "reason": "Nobody knows."})
    assert "Needed before it is published" in response.context["error"]
    assert response.context["figure"].value == "2"
    server.refresh_from_db()
    assert server.rack_units == 2
    assert not Revision.objects.exists()


def test_a_decision_offers_to_add_another_source_for_the_same_figure(as_member, disputed):
    client = as_member("Product managers")
    form = client.get(client.get(conflict(disputed, "tdp_w")).context["add_url"]).context["adminform"].form
    assert {name: str(form[name].value()) for name in ("gpu", "field")} == {
        "gpu": str(disputed.pk),
        "field": "tdp_w",
    }


def test_setting_a_source_aside_without_a_reason_decides_nothing(disputed):
    row = disputed.evidence.get(stated="400")
    row.kept = False
    row.save()
    assert checking.figure("gpu", disputed.pk, "tdp_w").is_open


def test_sources_that_state_the_same_do_not_disagree(as_member, gpu):
    sourced(gpu, "tdp_w")
    EvidenceFactory(gpu=gpu, field="tdp_w", stated=None)
    assert not checking.undecided()


def test_a_decision_that_the_row_does_not_allow_changes_nothing(as_member, disputed):
    client = as_member("Product managers")
    disputed.tdp_min_w = 380
    disputed.tdp_w = 400
    disputed.save()
    response = client.post(conflict(disputed, "tdp_w"), {"stated": "350", "reason": "So it is."})
    assert response.status_code == 200
    assert response.context["error"]
    disputed.refresh_from_db()
    assert disputed.tdp_w == 400
    assert not Revision.objects.exists()


@pytest.mark.parametrize("kept", [True, False])
def test_a_shown_figure_that_no_kept_source_states_waits_for_a_decision(as_member, kept):
    client = as_member("Product managers")
    gpu = GPUFactory(tdp_w=350)
    sourced(gpu, "tdp_w", stated="300", kept=kept, reason="" if kept else "A weak list.")
    sourced(gpu, "slots_wide")
    assert [line["figure"].field for line in queue(client, tab="conflicts")] == ["tdp_w"]
    assert "Sources disagree: 1" in client.get(reverse("admin:index")).content.decode()
    page = client.get(conflict(gpu, "tdp_w")).content.decode()
    said = "The sources that are kept state something else: 300."
    assert (said if kept else "No source that is kept states this value.") in page
    assert "All sources state the same" not in page
    assert conflict(gpu, "tdp_w") in client.get(url(gpu)).context["adminform"].form.fields["tdp_w"].help_text
    client.post(conflict(gpu, "tdp_w"), {"stated": "300", "reason": "The sheet says so."})
    gpu.refresh_from_db()
    assert gpu.tdp_w == 300
    assert not queue(client, tab="conflicts")
    assert "All sources state the same" in client.get(conflict(gpu, "tdp_w")).content.decode()


def test_form_queue_and_public_page_say_the_same_of_a_figure_that_nobody_states(as_member):
    client = as_member("Product managers")
    gpu = GPUFactory(nvlink_gbs_total=112.5, slug="board")
    source = SourceFactory(title="One list")
    aside = {"stated": "none", "kept": False, "reason": "Of chips.", "checked_on": date(2026, 5, 4)}
    sourced(gpu, "nvlink_gbs_total", source=source, **aside)
    [line] = queue(client, tab="conflicts")
    assert line["figure"].newest == date(2026, 5, 4)
    mark = client.get(url(gpu)).context["adminform"].form.fields["nvlink_gbs_total"].help_text
    assert "No source that is kept states this value." in mark
    assert "set aside: none" in mark
    assert "4 May 2026" in mark
    page = client.get(reverse("catalog:gpu", args=["board"]))
    assert page.context["marks"]["nvlink_gbs_total"].kind == "disagree"
    [item] = page.context["disagreements"]
    assert [(said["value"], said["kept"], bool(said["numbers"])) for said in item["stated"]] == [
        ("112.5", True, False),
        ("none", False, True),
    ]
    [figure] = [
        each
        for group in page.context["figure_groups"]
        for each in group.figures
        if each.field == "nvlink_gbs_total"
    ]
    assert (figure.states, [said["value"] for said in figure.others]) == ([], ["none"])
    assert figure.checked_on == date(2026, 5, 4)


@pytest.mark.parametrize("kept", [True, False])
def test_form_queue_and_public_page_tell_the_same_last_check(as_member, settings, kept):
    settings.RECHECK_DAYS = 100
    client = as_member("Sales")
    gpu = GPUFactory(tdp_w=350, slug="board")
    old, today = timezone.localdate() - timedelta(days=101), timezone.localdate()
    sourced(gpu, "tdp_w", checked_on=old, kept=kept, reason="" if kept else "Weak.")
    sourced(gpu, "tdp_w", checked_on=today, kept=False, stated="300", reason="Weak.")
    mark = client.get(url(gpu)).context["adminform"].form.fields["tdp_w"].help_text
    assert ("Due for a new check" in mark) is kept
    assert [line["figure"].newest for line in queue(client)] == ([old] if kept else [])
    page = client.get(reverse("catalog:gpu", args=["board"]))
    [figure] = [
        each for group in page.context["figure_groups"] for each in group.figures if each.field == "tdp_w"
    ]
    assert figure.checked_on == (old if kept else today)


def test_others_are_those_that_state_something_else(as_member, gpu):
    sourced(gpu, "tdp_w", stated="400", kept=False, reason="Old.", source=SourceFactory(title="Older sheet"))
    mark = as_member("Sales").get(url(gpu)).context["adminform"].form.fields["tdp_w"].help_text
    others = mark.partition("Others state something else")[2]
    assert "400 (Older sheet)" in others
    assert "350" not in others


def test_a_check_says_that_it_came_with_the_files_or_who_looked(as_member, gpu):
    client = as_member("Sales")
    row = gpu.evidence.get()
    row.checked_on, row.checked_by = date(2026, 5, 4), Evidence.FROM_FILES
    row.save()
    mark = client.get(url(gpu)).context["adminform"].form.fields["tdp_w"].help_text
    assert "checked on 4 May 2026 with the catalog’s files" in mark
    # Somebody who types the day of a check is who checked.
    day = {"evidence-0-checked_on": "2026-06-01"}
    assert save(client, url(gpu), **day).status_code == 302
    row.refresh_from_db()
    assert (row.checked_on, row.checked_by) == (date(2026, 6, 1), "Sales@vendor.example")
    assert save(client, url(row), checked_on="2026-06-02", checked_by="boris").status_code == 302
    row.refresh_from_db()
    assert row.checked_by == "boris"


def test_words_that_the_column_cannot_hold_are_followed_and_the_column_stays(disputed):
    sourced(disputed, "tdp_w", stated="300 to 400")
    assert checking.decide(checking.figure("gpu", disputed.pk, "tdp_w"), "300 to 400", "A range.") is False
    disputed.refresh_from_db()
    assert disputed.tdp_w == 350
    assert disputed.evidence.get(kept=True).stated == "300 to 400"


@pytest.mark.parametrize(("group", "sees", "decides"), [("Sales", 200, 403), ("Marketing", 403, 403)])
def test_only_product_managers_decide(as_member, disputed, group, sees, decides):
    client = as_member(group)
    assert client.get(conflict(disputed, "tdp_w")).status_code == sees
    assert client.post(conflict(disputed, "tdp_w"), {"stated": "400", "reason": "x"}).status_code == decides
    disputed.refresh_from_db()
    assert disputed.tdp_w == 350


def test_sales_do_not_write_the_reason_of_a_decision(as_member, disputed):
    data = form_of(client := as_member("Sales"), url(disputed))
    assert not [name for name in data if name.endswith("-reason")]
    client.post(url(disputed), data | {"evidence-0-reason": "mine", "evidence-1-reason": "mine"})
    assert not Evidence.objects.exclude(reason="").exists()


# --- the queue -------------------------------------------------------------------------------------------


def test_the_queue_holds_what_was_checked_too_long_ago_what_matters_most_first(as_member, settings):
    settings.RECHECK_DAYS = 100
    today = timezone.localdate()
    old, older, fresh = (today - timedelta(days=days) for days in (101, 300, 100))
    model = AIModelFactory()
    EvidenceFactory(ai_model=model, field="num_layers", stated="32")
    sourced(draft := ServerFactory(is_published=False, name="Draft"), "rack_units")
    sourced(card := GPUFactory(name="Card"), "tdp_w", checked_on=older)
    server = ServerFactory(name="Box", sockets_max=2)
    sourced(server, "rack_units", checked_on=old)
    sourced(server, "sockets_max", checked_on=older)
    sourced(server, "sockets_min", checked_on=fresh)
    sourced(server, "kind", checked_on=old)
    sourced(server, "kind", checked_on=today)
    # A look at what is set aside is no check of what is shown.
    sourced(server, "memory_slots", stated="16", checked_on=old)
    sourced(server, "memory_slots", stated="12", checked_on=today, kept=False)
    client = as_member("Sales")
    found = [(line["figure"].row, line["figure"].field) for line in queue(client)]
    assert found[0] == (server, "sockets_max")
    assert set(found[1:3]) == {(server, "rack_units"), (server, "memory_slots")}
    assert found[3:] == [(card, "tdp_w"), (model, "num_layers"), (draft, "rack_units")]
    assert [line["figure"].row for line in queue(client, kind="gpu")] == [card]


def test_still_right_notes_the_day_and_who_looked(as_member):
    client = as_member("Sales")
    server = ServerFactory()
    first, second = sourced(server, "rack_units"), sourced(server, "rack_units")
    response = client.post(reverse("admin:catalog_evidence_checked"), {"evidence": second.pk})
    assert response.status_code == 302
    first.refresh_from_db()
    second.refresh_from_db()
    assert (second.checked_on, second.checked_by) == (timezone.localdate(), "Sales@vendor.example")
    assert first.checked_on is None  # nobody looked at that one
    assert Revision.objects.get().changes.get().values.keys() == {"checked_on", "checked_by"}
    assert not queue(client)


@pytest.fixture
def report():
    server = ServerFactory(name="One", depth_mm=892)
    return ErrorReport.objects.create(
        server=server, about="One", field="depth_mm", shown="892 mm", said="764 mm", language="en"
    )


def test_a_reader_s_report_waits_with_its_figure_and_is_decided_with_a_note(as_member, report):
    client = as_member("Sales")
    [line] = queue(client, tab="reports")
    assert (line["report"], line["label"], line["edit_url"]) == (report, "depth, mm", url(report.server))
    address = reverse("admin:catalog_evidence_report", args=[report.pk])
    client.post(address, {"decision": "reject", "note": ""})
    report.refresh_from_db()
    assert report.status == "new"
    client.post(address, {"decision": "accept", "note": "So it is."})
    report.refresh_from_db()
    assert (report.status, report.note, report.decided_by.username) == (
        "accepted",
        "So it is.",
        "Sales@vendor.example",
    )
    assert queue(client, tab="reports")  # right, and not yet corrected
    client.post(address, {"decision": "correct"})
    assert not queue(client, tab="reports")


def test_actions_keep_to_rights_methods_and_tokens(as_member, report):
    row = sourced(report.server, "rack_units")
    checked = reverse("admin:catalog_evidence_checked")
    decided = reverse("admin:catalog_evidence_report", args=[report.pk])
    client = as_member("Marketing")
    assert client.get(reverse(QUEUE)).status_code == 403
    assert client.post(checked, {"evidence": row.pk}).status_code == 403
    assert client.post(decided, {"decision": "accept"}).status_code == 403
    client.force_login(User.objects.create_superuser("boss"))
    assert client.get(checked).status_code == 405
    assert client.get(decided).status_code == 405
    assert client.post(checked, {"evidence": "x"}).status_code == 404
    assert client.post(decided, {"decision": "x"}).status_code == 404
    client.handler.enforce_csrf_checks = True
    assert client.post(checked, {"evidence": row.pk}).status_code == 403
    client.logout()
    assert client.get(reverse(QUEUE)).status_code == 302
    row.refresh_from_db()
    report.refresh_from_db()
    assert (row.checked_on, report.status) == (None, "new")


def test_the_first_page_of_the_admin_says_how_much_waits(as_member, report):
    sourced(report.server, "rack_units")
    content = as_member("Sales").get(reverse("admin:index")).content.decode()
    assert "To check again: 1" in content
    assert "Readers&#x27; reports: 1" in content
    assert "To check again" not in as_member("Marketing").get(reverse("admin:index")).content.decode()


def test_words_for_a_column_are_checked():
    for field, stated in (("tdp_w", "12,5"), ("ecc", "maybe"), ("form", "brick")):
        with pytest.raises(ValidationError):
            stating.read(GPU, field, stated)


def test_a_source_is_dated_in_the_readers_way(as_member, client):
    client.cookies["django_language"] = "es"
    gpu = GPUFactory(tdp_w=350)
    sourced(gpu, "tdp_w", source=SourceFactory(published_on="2026-08-10"))
    sourced(gpu, "tdp_w", stated="400", kept=False, source=SourceFactory(published_on="2026-08"))
    page = as_member("Product managers").get(conflict(gpu, "tdp_w")).text
    assert "10 de agosto de 2026" in page
    assert "agosto de 2026" in page.replace("10 de agosto de 2026", "")
    assert "2026-08" not in page
