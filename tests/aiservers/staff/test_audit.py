"""What is written down about staff, who reads it, and for how long."""

import re
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from aiservers.staff import audit
from aiservers.staff.models import AuditEntry
from catalog.models import GPU
from tests.aiservers.staff import matrix
from tests.aiservers.staff.conftest import PASSWORD
from tests.catalog.sheets.files import csv
from tests.factories import GPUFactory
from tests.pages import LANGUAGES, Document

# Django's own templates ask for variables that they may not have.
pytestmark = [pytest.mark.django_db, pytest.mark.ignore_template_errors]


@pytest.fixture
def manager(client):
    matrix.make_groups()
    browser, _user = matrix.browser_of("Product managers")
    return browser


def entries(act):
    return list(AuditEntry.objects.filter(act=act).values_list("who", "address", "what"))


def test_coming_and_going_is_written_down_with_the_address(maria, client, sign_in):
    sign_in(password="wrong", REMOTE_ADDR="192.0.2.7")
    sign_in(REMOTE_ADDR="192.0.2.8")
    client.post(reverse("admin:logout"), REMOTE_ADDR="192.0.2.9")
    found = AuditEntry.objects.order_by("pk").values_list("act", "who", "user__username", "address")
    assert list(found) == [
        ("failed", "maria", "maria", "192.0.2.7"),
        ("sign_in", "maria", "maria", "192.0.2.8"),
        ("sign_out", "maria", "maria", "192.0.2.9"),
    ]


def test_spreadsheets_that_leave_and_come_are_written_down(manager):
    GPUFactory(slug="one", tdp_w=350, is_published=False)
    sheet = manager.get(reverse("admin:catalog_gpu_export", args=["csv"]))
    assert sheet.status_code == 200
    manager.get(reverse("admin:catalog_sheetupload_export", args=["xlsx"]))
    who = "Product managers"
    assert entries("export") == [(who, "127.0.0.1", "catalog.xlsx"), (who, "127.0.0.1", "gpus.csv")]
    lines = SimpleUploadedFile("new.csv", csv(["slug", "tdp_w"], ["one", "400"]))
    data = {"file": lines, "language": "en", "encoding": ""}
    shown = manager.post(reverse("admin:catalog_gpu_import"), data, follow=True)
    assert entries("import") == []
    assert not shown.context["outcome"].is_wrong
    manager.post(shown.redirect_chain[-1][0], {"digest": shown.context["outcome"].digest})
    assert GPU.objects.get().tdp_w == 400
    assert entries("import") == [(who, "127.0.0.1", "new.csv")]


def test_a_refused_export_is_none(manager, maria, client):
    client.force_login(maria)
    assert client.get(reverse("admin:catalog_gpu_export", args=["csv"])).status_code == 403
    assert entries("export") == []


def test_the_log_is_read_and_not_written(manager, maria):
    entry = AuditEntry.objects.create(act=audit.Act.EXPORT, who="maria", what="gpus.csv")
    page = manager.get(reverse("admin:staff_auditentry_changelist"), {"q": "gpus"})
    assert "gpus.csv" in page.content.decode()
    change = reverse("admin:staff_auditentry_change", args=[entry.pk])
    assert not {"input", "textarea"} & fields_of(manager.get(change))
    assert manager.post(change, {"who": "nobody"}).status_code == 403
    with pytest.raises(TypeError):
        entry.save()
    with pytest.raises(TypeError):
        entry.delete()


def fields_of(response):
    """The inputs of the form itself; the page around it has those of sign-out and language."""
    document = Document(response.content.decode())
    return {tag for tag, attributes in document.elements if attributes.get("id", "").startswith("id_")}


def test_an_entry_outlives_its_account(maria, client, sign_in):
    sign_in()
    maria.delete()
    entry = AuditEntry.objects.get()
    assert (entry.user, entry.who) == (None, "maria")


def test_entries_go_when_their_time_is_over(settings):
    settings.AUDIT_DAYS = 30
    for what, days in (("old", 31), ("young", 29)):
        entry = AuditEntry.objects.create(act=audit.Act.EXPORT, what=what)
        AuditEntry.objects.filter(pk=entry.pk).update(made_at=timezone.now() - timedelta(days=days))
    said = StringIO()
    call_command("purge_audit", "--dry-run", stdout=said)
    assert AuditEntry.objects.count() == 2
    call_command("purge_audit", stdout=said)
    assert said.getvalue().split("\n") == ["1 would be deleted", "1 deleted", ""]
    assert AuditEntry.objects.get().what == "young"


def test_the_last_administrator_gets_in_again_by_a_command(app, sign_in):
    call_command("remove_second_factor", "maria", stdout=StringIO())
    assert sign_in(password=PASSWORD).status_code == 302
    assert entries("factor_removed") == [("remove_second_factor", None, "maria")]
    for name in ("maria", "nobody"):
        with pytest.raises(CommandError):
            call_command("remove_second_factor", name)


LARGEST_PICTURE = 80 * 1024  # bytes


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_role_has_its_help(maria, client, language):
    client.force_login(maria)
    headers = {"Accept-Language": language}
    front = Document(client.get(reverse("admin:index"), headers=headers).content.decode())
    links = {attributes.get("href") for tag, attributes in front.elements if tag == "a"}
    assert {reverse("admin:help"), reverse("admin:two_factor")} <= links
    index = client.get(reverse("admin:help"), headers=headers)
    pages = [
        attributes["href"]
        for tag, attributes in Document(index.content.decode()).elements
        if tag == "a" and attributes.get("href", "").startswith(f"{reverse('admin:help')}")
    ]
    roles = set(pages) - {reverse("admin:help")}
    assert len(roles) == 4
    for path in roles:
        response = client.get(path, headers=headers)
        assert response.status_code == 200
        html = response.content.decode()
        assert f'<html lang="{language}"' in html
        assert html.count("<h2>") >= 3
        (picture,) = re.findall(r'<figure><img src="[^"]*/(img/help/[^"]+)"', html)
        assert Path(finders.find(picture)).stat().st_size < LARGEST_PICTURE
        for _tag, attributes in Document(html).elements:
            assert "style" not in attributes
