"""The staff's way with a spreadsheet: export, upload, look, confirm; and who may do which of these."""

from io import BytesIO

import pytest
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from openpyxl import load_workbook

from catalog import versions
from catalog.models import (
    GlossaryTerm,
    Revision,
    Server,
    SheetUpload,
    Source,
    WorkloadProfile,
)
from catalog.models.sheets import KEPT
from tests.catalog.sheets.files import csv, edited, workbook
from tests.factories import (
    EvidenceFactory,
    GlossaryTermFactory,
    GPUFactory,
    ServerFactory,
    WorkloadProfileFactory,
)
from tests.pages import Document

pytestmark = [pytest.mark.django_db, pytest.mark.ignore_template_errors]


@pytest.fixture
def as_member(client, db):
    def log_in(group):
        user = User.objects.create_user(f"{group}@vendor.example", password="x", is_staff=True)
        user.groups.add(Group.objects.get(name=group))
        client.force_login(user)
        return client

    return log_in


@pytest.fixture
def server(db):
    row = ServerFactory(slug="alpha", name="Alpha", kind="rack", rack_units=2)
    EvidenceFactory(server=row, field="rack_units", stated="2")
    ServerFactory(slug="box", name="Box", kind="edge", is_published=False)
    return row


def address(table, view, **kwargs):
    return reverse(f"admin:catalog_{table}_{view}", kwargs=kwargs)


def upload(client, content, table="server", query="", name="list.xlsx", **data):
    """Upload a file as the form does and return the page of its dry run (or the form with its errors)."""
    data = {"language": "es", "encoding": "", "file": SimpleUploadedFile(name, content)} | data
    return client.post(f"{address(table, 'import')}{query}", data, follow=True)


def confirm(client, response, **data):
    """Press the button of a dry run's page."""
    digest = response.context["outcome"].digest
    return client.post(response.redirect_chain[-1][0], {"digest": digest} | data, follow=True)


def text_of(response):
    return response.content.decode()


def rack_units(number, slug="alpha"):
    return workbook(servers=[["slug", "rack_units"], [slug, number]])


# --- there and back --------------------------------------------------------------------------------


def test_a_list_leaves_as_it_is_filtered(as_member, server):
    client = as_member("Product managers")
    page = client.get(address("server", "changelist"), {"kind__exact": "edge"})
    link = next(
        attributes["href"]
        for tag, attributes in Document(text_of(page)).elements
        if tag == "a" and "export/xlsx" in (attributes.get("href") or "")
    )
    response = client.get(link)
    assert response["Content-Disposition"].endswith('.xlsx"')
    book = load_workbook(BytesIO(response.content))
    assert [line[0].value for line in book["servers"].iter_rows()] == ["slug", "box"]
    assert [line[0].value for line in book["evidence"].iter_rows()] == ["id"]
    response = client.get(link.replace("xlsx", "csv"))
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response.content.decode("utf-8-sig").splitlines()[1].startswith("box;Box;")


def test_the_dry_run_says_that_no_source_states_a_new_figure(as_member, server):
    response = upload(as_member("Product managers"), rack_units(3))
    [line] = response.context["outcome"].sheets[0].of("changed")
    [change] = line.changes
    assert change.doubt.endswith(": 2.")  # what the source that is kept states
    assert f'<p class="help">{change.doubt}</p>' in text_of(response)


def test_selected_rows_leave_too(as_member, server):
    client = as_member("Product managers")
    data = {"action": "export_selected", "_selected_action": [server.pk]}
    response = client.post(address("server", "changelist"), data)
    book = load_workbook(BytesIO(response.content))
    assert book["servers"].cell(2, 1).value == "alpha"
    assert book["evidence"].max_row == 2


def test_a_day_with_a_spreadsheet(as_member, server):
    client = as_member("Product managers")
    content = client.get(address("server", "export", kind="xlsx")).content
    wrong = edited(content, servers={("rack_units", 2): "1,5"})
    response = upload(client, wrong)
    assert "confirm" not in text_of(response)
    assert ">N2<" in text_of(response)
    right = edited(content, servers={("rack_units", 2): 3.0})
    response = upload(client, right)
    server.refresh_from_db()
    assert server.rack_units == 2, "a look changes nothing"
    before = int(versions.current())
    response = confirm(client, response, why="Hoja de mayo")
    assert response.redirect_chain == [(address("server", "changelist"), 302)]
    server.refresh_from_db()
    assert server.rack_units == 3
    assert int(versions.current()) == before + 1
    revision = Revision.objects.get()
    assert (revision.why, revision.means, revision.user.username) == (
        "Hoja de mayo",
        "import",
        "Product managers@vendor.example",
    )
    assert SheetUpload.objects.get().content, "the wrong file waits, the imported one is gone"
    assert upload(client, right).context["outcome"].changes_nothing


def test_the_whole_catalog_goes_out_and_comes_back(as_member, server):
    client = as_member("Product managers")
    page = client.get(address("sheetupload", "changelist"))
    assert "gpu_options" in text_of(page)
    content = client.get(address("sheetupload", "export", kind="xlsx")).content
    response = upload(client, content, "sheetupload")
    assert response.context["outcome"].changes_nothing
    changed = edited(content, manufacturers={("name", 2): "Other"})
    confirm(client, upload(client, changed, "sheetupload"))
    assert Revision.objects.get().why == "list.xlsx"
    assert client.get(address("sheetupload", "export", kind="csv")).status_code == 404


def test_a_csv_with_the_numbers_of_a_language(as_member, server):
    client = as_member("Product managers")
    content = csv(["slug", "depth_mm"], ["alpha", "1.500"])
    response = upload(client, content, name="list.csv")
    assert response.context["outcome"].is_wrong
    response = upload(client, content, name="list.csv", read_ambiguous="on")
    confirm(client, response)
    server.refresh_from_db()
    assert server.depth_mm == 1500


def test_a_filtered_list_is_what_a_file_is_compared_with(as_member, server):
    client = as_member("Product managers")
    ServerFactory(slug="crate", name="A crate", kind="edge")
    query = "?kind__exact=edge"
    assert "2" in text_of(client.get(f"{address('server', 'import')}{query}"))
    response = upload(client, rack_units(1, "box"), query=query)
    (sheet,) = response.context["sheets"]
    assert [row["label"] for row in sheet.vanished.rows] == ["A crate"]
    assert f'href="{address("server", "change", object_id=Server.objects.get(slug="crate").pk)}"' in text_of(
        response
    )


# --- between the look and the confirmation -----------------------------------------------------------


def test_what_changed_in_between_is_shown_again(as_member, server):
    client = as_member("Product managers")
    response = upload(client, rack_units(9))
    shown = response.context["outcome"].digest
    server.rack_units = 5
    server.save()
    late = client.post(response.redirect_chain[-1][0], {"digest": shown})
    assert late.status_code == 200
    assert late.context["outdated"]
    server.refresh_from_db()
    assert server.rack_units == 5
    client.post(response.redirect_chain[-1][0], {"digest": late.context["outcome"].digest})
    server.refresh_from_db()
    assert server.rack_units == 9


def test_a_confirmation_needs_what_was_shown(as_member, server):
    client = as_member("Product managers")
    path = upload(client, rack_units(9)).redirect_chain[-1][0]
    for digest in ("", "0" * 64):
        client.post(path, {"digest": digest, "confirm": "1"})
    client.get(path, {"digest": client.get(path).context["outcome"].digest})
    server.refresh_from_db()
    assert server.rack_units == 2


def test_a_file_is_nobody_elses(as_member, server, admin_client):
    client = as_member("Product managers")
    path = upload(client, rack_units(9)).redirect_chain[-1][0]
    assert admin_client.get(path).status_code == 404
    assert client.get(path.replace("/server/", "/gpu/")).status_code == 404


def test_a_file_can_be_discarded_and_does_not_wait_for_ever(as_member, server):
    client = as_member("Product managers")
    path = upload(client, rack_units(9)).redirect_chain[-1][0]
    client.post(path, {"cancel": "1"})
    assert not SheetUpload.objects.exists()
    upload(client, rack_units(9))
    SheetUpload.objects.update(created_at=timezone.now() - 2 * KEPT)
    upload(client, rack_units(8))
    assert SheetUpload.objects.count() == 1


# --- files that are none ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("list.xlsx", b"PK\x03\x04 broken"),
        ("list.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)),
        ("photo.png", b"\x89PNG\r\n\x1a\n\0\0"),
        ("empty.csv", b"\xef\xbb\xbf"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_of_the_form(as_member, server, name, content):
    response = upload(as_member("Product managers"), content, name=name)
    assert response.status_code == 200
    assert response.context["form"].errors["file"]
    assert not SheetUpload.objects.exists()


def test_a_sheet_that_nobody_knows_is_told_on_the_page(as_member, server):
    content = workbook(srevers=[["slug"], ["a"]], servers=[["slug"], ["a"]])
    response = upload(as_member("Product managers"), content)
    assert "srevers" in response.context["refused"]
    response = upload(as_member("Sales"), b"", name="x.csv")
    assert response.context["form"].errors


@pytest.mark.parametrize("query", ["?launch_year=abc", "?e=1", "?p=99"])
def test_a_filter_that_makes_no_sense_breaks_nothing(as_member, server, query):
    client = as_member("Product managers")
    for view, kwargs in (("export", {"kind": "csv"}), ("import", {})):
        assert client.get(f"{address('server', view, **kwargs)}{query}").status_code in (200, 302, 400, 404)


# --- rights ----------------------------------------------------------------------------------------


def test_sales_change_figures_and_neither_add_servers_nor_publish(as_member, server):
    client = as_member("Sales")
    EvidenceFactory(server=Server.objects.get(slug="box"), field="kind")
    confirm(client, upload(client, rack_units(4)))
    server.refresh_from_db()
    assert server.rack_units == 4
    content = workbook(
        servers=[
            ["slug", "name", "manufacturer", "kind", "is_published"],
            ["box", "Box", "lenovo", "edge", True],
            ["new", "New", "lenovo", "rack", False],
            ["alpha", "Alpha", "lenovo", "rack", False],
        ]
    )
    outcome = upload(client, content).context["outcome"]
    assert [line.faults[0].cell for line in outcome.sheets[0].lines] == ["E2", "A3", "E4"]


def test_sales_add_sources_and_evidence(as_member, server):
    client = as_member("Sales")
    content = workbook(
        sources=[["slug", "title"], ["sheet", "Data sheet"]],
        evidence=[
            ["server", "variant", "gpu", "option", "ai_model", "field", "source", "state", "stated"],
            ["alpha", None, None, None, None, "depth_mm", "sheet", "maker", "700"],
        ],
    )
    confirm(client, upload(client, content))
    assert Source.objects.get(slug="sheet").evidence.get().server == server


def test_marketing_change_texts_and_no_figures(as_member, server):
    client = as_member("Marketing")
    WorkloadProfileFactory(slug="chat", gpus_max=4)
    term = GlossaryTermFactory(slug="ttft")
    content = workbook(glossary=[["slug", "definition_ru"], ["ttft", "Иначе"]])
    confirm(client, upload(client, content, "glossaryterm"))
    term = GlossaryTerm.objects.get()
    assert (term.definition_ru, term.definition_es) == ("Иначе", "Una palabra.")
    content = workbook(workload_profiles=[["slug", "summary_es", "gpus_max"], ["chat", "Nuevo", 99]])
    outcome = upload(client, content, "workloadprofile").context["outcome"]
    assert [fault.cell for fault in outcome.sheets[0].lines[0].faults] == ["C2"]
    content = workbook(workload_profiles=[["slug", "summary_es"], ["chat", "Nuevo"]])
    confirm(client, upload(client, content, "workloadprofile"))
    assert WorkloadProfile.objects.get().summary_es == "Nuevo"


def test_marketing_see_and_change_no_other_table(as_member, server):
    client = as_member("Marketing")
    GPUFactory()
    for table in ("server", "gpu", "evidence"):
        assert client.get(address(table, "export", kind="xlsx")).status_code == 403
        assert client.get(address(table, "import")).status_code == 403
        assert client.post(address(table, "import")).status_code == 403
    book = load_workbook(BytesIO(client.get(address("sheetupload", "export", kind="xlsx")).content))
    assert set(book.sheetnames) == {"workload_profiles", "requirements", "glossary"}
    response = upload(client, rack_units(9), "sheetupload")
    assert response.context["refused"]
    server.refresh_from_db()
    assert server.rack_units == 2


@pytest.mark.parametrize("table", ["server", "sheetupload"])
def test_outsiders_see_nothing(client, server, table):
    paths = [address(table, "export", kind="xlsx"), address(table, "import")]
    paths.append(address(table, "import_preview", pk="00000000-0000-0000-0000-000000000000"))
    for path in paths:
        assert client.get(path).status_code == 302
        assert "login" in client.post(path)["Location"]
    client.force_login(User.objects.create_user("nobody", is_staff=True))
    for path in [*paths, address(table, "changelist")]:
        assert client.get(path).status_code == 403


def test_a_form_from_elsewhere_is_refused(server, admin_user):
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(admin_user)
    assert client.post(address("server", "import")).status_code == 403


# --- the pages -------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["es", "ru", "en"])
def test_pages_keep_the_strict_policy(admin_client, server, language):
    admin_client.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    content = workbook(
        servers=[["slug", "rack_units", "name"], ["alpha", "?", "<script>x</script>"], ["box", 1, "<b>"]]
    )
    pages = [
        admin_client.get(address("server", "import")),
        admin_client.get(address("sheetupload", "changelist")),
        upload(admin_client, content),
        upload(admin_client, rack_units(7)),
    ]
    for page in pages:
        assert page.status_code == 200
        text = text_of(page)
        assert f'<html lang="{language}"' in text
        assert "unsafe" not in page["Content-Security-Policy"]
        document = Document(text)
        assert not document.scripts
        for _tag, attributes in document.elements:
            assert not [key for key in attributes if key == "style" or key.startswith("on")]


def test_long_lists_are_cut_and_counted(admin_client, db):
    lines = [[f"s-{number}", "S", "lenovo", "rack"] for number in range(250)]
    ServerFactory()
    content = workbook(servers=[["slug", "name", "manufacturer", "kind"], *lines])
    response = upload(admin_client, content)
    (sheet,) = response.context["sheets"]
    assert (sheet.new.count, len(sheet.new.rows), sheet.new.left_out) == (250, 200, 50)
