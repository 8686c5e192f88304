"""A product manager's day, in Russian: a sheet comes in, its sources disagree, a server goes out and back."""

from io import BytesIO

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse
from django.utils.translation import override
from openpyxl import Workbook
from playwright.sync_api import expect

from catalog.models import GPU, Manufacturer, Revision, Server, Source
from catalog.models.evidence import SUBJECTS
from recommender.models import RegressionCase
from tests.browser.test_guides import sign_in
from tests.factories import (
    EvidenceFactory,
    GPUFactory,
    GPUOptionFactory,
    ManufacturerFactory,
    ServerFactory,
    SourceFactory,
    VariantFactory,
)

MAKER, SLUG, RIVAL = "maker-of-the-day", "server-of-the-day", "rival-of-the-day"
OLD, NEW = "850", "892"  # what the catalog and a newer data sheet say of the depth, mm
ANSWERS = {"stage": "inference", "model": "llama-3.1-8b", "concurrency": 4, "gpu_vendor": MAKER}
NAMED = ["label", "select-name", "button-name", "link-name", "duplicate-id-aria"]
FILE = {
    "name": "серверы.xlsx",
    "mimeType": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@pytest.fixture
def browser_context_args(browser_context_args):
    return {**browser_context_args, "locale": "ru-RU"}


@pytest.fixture
def server(base_url):
    """A server that readers do not see yet and one that they do, with the same card; all of it goes again."""
    revisions = set(Revision.objects.values_list("pk", flat=True))
    active = set(RegressionCase.objects.filter(is_active=True).values_list("pk", flat=True))
    RegressionCase.objects.update(is_active=False)
    case = RegressionCase.objects.create(slug="of-the-day", name_ru="Чат на карте дня", answers=ANSWERS)
    gpu = GPUFactory(slug="card-of-the-day", manufacturer=ManufacturerFactory(slug=MAKER))
    rival = ServerFactory(slug=RIVAL, name="Rival", rack_units=4)
    server = ServerFactory(slug=SLUG, name="Newcomer", depth_mm=int(OLD), summary_ru="", is_published=False)
    for row in (rival, server):
        GPUOptionFactory(gpu=gpu, variant=VariantFactory(server=row))
    older = SourceFactory(slug="older-sheet", title="Паспорт 2024")
    SourceFactory(slug="newer-sheet", title="Паспорт 2026")
    EvidenceFactory(server=server, field="depth_mm", stated=OLD, source=older)
    pedro = User.objects.create_user("pedro", password="x", is_staff=True)
    pedro.groups.add(Group.objects.get(name="Product managers"))
    yield server
    Server.objects.filter(slug__in=[SLUG, RIVAL]).delete()
    Source.objects.filter(slug__in=["older-sheet", "newer-sheet"]).delete()
    GPU.objects.filter(slug="card-of-the-day").delete()
    Manufacturer.objects.filter(slug=MAKER).delete()
    Revision.objects.exclude(pk__in=revisions).delete()
    case.delete()
    RegressionCase.objects.filter(pk__in=active).update(is_active=True)
    pedro.delete()


def upload(page, depth):
    """Choose a workbook that gives a server another depth, with the source that states it."""
    book = Workbook()
    sheet = book.active
    sheet.title = "servers"
    sheet.append(["slug", "depth_mm"])
    sheet.append([SLUG, depth])
    sheet = book.create_sheet("evidence")
    sheet.append([*SUBJECTS, "field", "source", "stated", "state"])
    sheet.append([SLUG, None, None, None, None, "depth_mm", "newer-sheet", NEW, "maker"])
    content = BytesIO()
    book.save(content)
    page.set_input_files("#id_file", {**FILE, "buffer": content.getvalue()})
    page.click(".submit-row [type=submit]")


def address(server):
    """Return where readers find a server once it is published."""
    with override("ru"):
        return reverse("catalog:server", args=[server.slug])


def test_a_product_managers_day_in_russian(page, base_url, server, axe):
    sign_in(page, base_url, "pedro")
    page.goto(reverse("admin:catalog_server_import"))
    expect(page.locator("html")).to_have_attribute("lang", "ru")

    # A sheet with one wrong cell is refused as a whole, with its row and its cell.
    upload(page, "892 мм")
    wrong = page.locator(".sheet-wrong tbody tr")
    expect(wrong).to_have_count(1)
    expect(wrong.locator("td")).to_contain_text(["2", "B2", "depth_mm", "«892 мм» — не число."])
    expect(page.locator("[name=confirm]")).to_have_count(0)

    # Corrected, it shows what is and what would be; confirmed, it is one entry of history.
    page.goto(reverse("admin:catalog_server_import"))
    upload(page, int(NEW))
    expect(page.locator(".sheet-wrong")).to_have_count(0)
    expect(page.locator(".sheet-changed .was")).to_have_text(OLD)
    expect(page.locator(".sheet-changed .becomes")).to_have_text(NEW)
    expect(page.locator(".sheet-new")).to_contain_text("newer-sheet")
    axe(page, [*NAMED, "target-size"])
    page.fill("#why", "Новый паспорт")
    page.click("[name=confirm]")
    expect(page.locator(".messagelist .success")).to_be_visible()
    page.goto(reverse("admin:catalog_server_history", args=[server.pk]))
    entry = page.locator("table.history tbody tr:has-text('Новый паспорт')")
    expect(entry).to_have_count(1)
    expect(entry).to_contain_text("pedro")
    expect(entry).to_contain_text(OLD)

    # Two data sheets disagree until somebody says why one is followed.
    queue = reverse("admin:catalog_evidence_queue") + "?tab=conflicts&kind=server"
    page.goto(queue)
    conflict = reverse("admin:catalog_evidence_conflict", args=["server", server.pk, "depth_mm"])
    page.click(f"#content a[href='{conflict}']")
    axe(page, NAMED)
    page.check(f"[name=stated][value='{NEW}']")
    page.fill("#reason", "Паспорт новее")
    page.click("#content form .default")
    expect(page.locator(".messagelist .success")).to_be_visible()
    page.goto(queue)
    expect(page.locator(f"#content a[href='{conflict}']")).to_have_count(0)

    # What lacks a text in one language does not go out.
    form = reverse("admin:catalog_server_change", args=[server.pk])
    page.goto(form)
    page.fill("#id_rack_units", "1")
    page.check("#id_is_published")
    page.select_option("#id_recent_source", label="Паспорт 2026")
    page.click("[name=_save] >> nth=0")
    expect(page.locator(".field-summary_ru .errorlist")).to_have_count(1)
    expect(page.locator("#content .errorlist li")).to_have_count(1)

    # What it would do to advice, before it is done: nothing is saved, and what was typed stays.
    page.fill("#id_summary_ru", "Для обслуживания моделей.")
    page.click("[name=_impact]")
    found = page.locator("#impact tbody tr", has_text="Чат на карте дня")
    expect(found.locator("del").first).to_contain_text("Rival")
    expect(found.locator("ins").first).to_contain_text("Newcomer")
    expect(page.locator("#id_rack_units")).to_have_value("1")
    expect(page.locator("#id_summary_ru")).to_have_value("Для обслуживания моделей.")
    public = address(server)
    assert page.request.get(public).status == 404
    page.fill("#id_why", "В каталог")
    page.click("[name=_save] >> nth=0")
    expect(page.locator(".messagelist .success")).to_be_visible()
    assert page.request.get(public).status == 200
    stated = server.evidence.get(field="rack_units")
    assert (stated.stated, stated.source.slug, stated.checked_by) == ("1", "newer-sheet", "pedro")

    # Undone by the state before, which keeps what was decided earlier in the day.
    page.goto(reverse("admin:catalog_server_history", args=[server.pk]))
    page.locator("table.history tbody tr").nth(1).locator("a[href*='/history/']").click()
    page.fill("#id_why", "Рано")
    page.click(".submit-row [type=submit]")
    expect(page.locator(".messagelist .success")).to_be_visible()
    assert page.request.get(public).status == 404
    server.refresh_from_db()
    assert (server.rack_units, server.depth_mm, server.is_published) == (2, int(NEW), False)
