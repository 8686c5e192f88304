"""Readers say that a figure is wrong: the form, what is kept of it, and what staff do with it."""

import re

import pytest
from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from catalog import versions, views_reports
from catalog.models import ErrorReport
from tests.factories import (
    AIModelFactory,
    EvidenceFactory,
    GPUFactory,
    GPUOptionFactory,
    ServerFactory,
    SourceFactory,
)
from tests.pages import LANGUAGES, Document

pytestmark = pytest.mark.django_db
GIVEN = {"said": "It is 764 mm deep.", "source_url": "https://maker.example/guide", "confirmation": ""}


def address(kind, row, field, language="en"):
    with override(language):
        return reverse("reports:report", args=[kind, row.pk, field])


@pytest.fixture
def server():
    return ServerFactory(slug="one", name="One", depth_mm=892)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_form_names_the_figure_and_what_the_page_says(client, server, language):
    response = client.get(address("server", server, "depth_mm", language))
    assert response.status_code == 200
    assert (response["Cache-Control"], response["X-Robots-Tag"]) == ("no-store", "noindex")
    document = Document(response.content.decode())
    assert "One" in document.texts
    unit = {"es": "mm", "ru": "мм", "en": "mm"}[language]
    assert f"892 {unit}" in document.texts
    assert {"name": "robots", "content": "noindex, follow"} in [
        attributes for tag, attributes in document.elements if tag == "meta"
    ]
    assert not [tag for tag, attributes in document.elements if attributes.get("rel") == "canonical"]
    # Nothing about the reader is asked.
    names = {attributes.get("name") for tag, attributes in document.elements if tag in ("input", "textarea")}
    assert names - {"q"} == {"csrfmiddlewaretoken", "said", "source_url", "confirmation"}


def test_a_report_is_kept_with_what_the_page_said_then(client, server):
    before = versions.current()
    response = client.post(address("server", server, "depth_mm", "ru"), GIVEN)
    assert response.status_code == 302
    thanks = client.get(response["Location"])
    assert thanks.status_code == 200
    assert thanks["Cache-Control"] == "no-store"
    found = ErrorReport.objects.get()
    assert (found.subject, found.field, found.about) == (server, "depth_mm", "One")
    assert found.shown == "892\N{NARROW NO-BREAK SPACE}мм"
    assert (found.said, found.source_url) == (GIVEN["said"], GIVEN["source_url"])
    assert (found.language, found.status, found.decided_by) == ("ru", "new", None)
    assert list(ErrorReport.objects.open()) == [found]
    assert versions.current() == before  # no fact has changed


def test_every_kind_of_row_can_be_meant(client):
    option = GPUOptionFactory(variant__server__name="S", variant__name="V", gpu__name="G", max_count=2)
    rows = {
        "option": (option, "max_count", "S, V, G"),
        "variant": (option.variant, "bays_2_5", "S, V"),
        "gpu": (option.gpu, "tdp_w", "G"),
        "ai_model": (AIModelFactory(name="M"), "num_layers", "M"),
    }
    for kind, (row, field, about) in rows.items():
        assert client.post(address(kind, row, field), GIVEN).status_code == 302
        found = ErrorReport.objects.get(field=field)
        assert (found.subject, found.about) == (row, about)


def test_what_nobody_sees_cannot_be_reported(client, server):
    hidden = GPUOptionFactory(variant__server__is_published=False)
    wrong = [
        ("option", hidden, "max_count"),
        ("server", hidden.variant.server, "depth_mm"),
        ("server", server, "no_such_field"),
        ("server", server, "form_note"),  # a text, no figure
        ("server", server, "name"),
        ("source", server, "title"),
    ]
    for kind, row, field in wrong:
        assert client.get(address(kind, row, field)).status_code == 404, (kind, field)
        assert client.post(address(kind, row, field), GIVEN).status_code == 404
    with override("en"):
        assert client.get(reverse("reports:report", args=["server", 10**30, "depth_mm"])).status_code == 404
    assert not ErrorReport.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"said": ""},
        {"said": "  "},
        {"said": "x" * 1001},
        {"source_url": "javascript:alert(1)"},
        {"confirmation": "http://spam.example"},
        {"said": "a\x00b"},
    ],
)
def test_a_report_that_says_nothing_or_comes_from_a_robot_is_refused(client, server, wrong):
    response = client.post(address("server", server, "depth_mm"), GIVEN | wrong)
    assert response.status_code == 200
    assert 'role="alert"' in response.content.decode()
    assert not ErrorReport.objects.exists()


def test_who_comes_too_often_waits(client, server, monkeypatch):
    monkeypatch.setattr(views_reports, "LIMIT", 2)
    path = address("server", server, "depth_mm")
    assert [client.post(path, GIVEN).status_code for _try in range(3)] == [302, 302, 429]
    assert ErrorReport.objects.count() == 2


def test_a_form_of_another_site_is_refused(server):
    path = address("server", server, "depth_mm")
    assert Client(enforce_csrf_checks=True).post(path, GIVEN).status_code == 403


def test_the_page_offers_a_report_for_each_figure(client, server):
    maker = SourceFactory()
    EvidenceFactory(server=server, field="depth_mm", source=maker, stated="892", checked_on="2026-11-03")
    with override("en"):
        content = client.get(reverse("catalog:server", args=["one"])).content.decode()
    assert "checked on 3 November 2026" in content
    known, unknown = address("server", server, "depth_mm"), address("server", server, "weight_max_kg")
    line = re.search(rf'<tr>((?:(?!<tr>).)*){re.escape(known)}"', content, re.S)[1]
    assert "892" in line
    assert "stated by the vendor" in line
    assert 'href="#source-1"' in line
    assert unknown in content  # what nobody has found may be known to a reader
    for path in re.findall(r'href="(/en/report-an-error/[^"]+)"', content):
        assert client.get(path).status_code == 200


def test_gpus_and_models_offer_it_too(client):
    gpu, model = GPUFactory(slug="card"), AIModelFactory(slug="model")
    with override("en"):
        card = client.get(reverse("catalog:gpu", args=["card"])).content.decode()
        page = client.get(reverse("catalog:ai_model", args=["model"])).content.decode()
    assert address("gpu", gpu, "bandwidth_gbs") in card
    assert address("ai_model", model, "num_layers") in page


def test_a_report_outlives_its_row_and_speaks_of_one_only(server):
    found = ErrorReport.objects.create(server=server, about="One", field="depth_mm", said="x", language="es")
    with pytest.raises(IntegrityError), transaction.atomic():
        ErrorReport.objects.create(
            server=server, gpu=GPUFactory(), about="?", field="tdp_w", said="x", language="es"
        )
    with pytest.raises(ValidationError):
        ErrorReport(
            server=server, gpu=GPUFactory(), about="?", field="tdp_w", said="x", language="es"
        ).full_clean()
    server.delete()
    found.refresh_from_db()
    assert (found.subject, found.about) == (None, "One")


@pytest.mark.parametrize(("status", "is_open"), [("new", 1), ("accepted", 1), ("done", 0), ("rejected", 0)])
def test_open_is_what_asks_for_something_to_be_done(server, status, is_open):
    ErrorReport.objects.create(
        server=server, about="One", field="depth_mm", said="x", language="es", status=status
    )
    assert ErrorReport.objects.open().count() == is_open


# --- staff


@pytest.fixture
def staff(client):
    def log_in(group):
        user = User.objects.create_user(group, password="x", is_staff=True)
        user.groups.add(Group.objects.get(name=group))
        client.force_login(user)
        return client

    return log_in


@pytest.mark.ignore_template_errors
@pytest.mark.parametrize(("group", "may_delete"), [("Sales", False), ("Product managers", True)])
def test_staff_decide_and_nobody_changes_what_was_said(server, staff, group, may_delete):
    found = ErrorReport.objects.create(
        server=server, about="One", field="depth_mm", said="764", language="es"
    )
    client = staff(group)
    path = reverse("admin:catalog_errorreport_change", args=[found.pk])
    content = client.get(path).content.decode()
    assert reverse("admin:catalog_server_change", args=[server.pk]) in content
    client.post(path, {"status": "rejected", "note": "The guide says 892.", "said": "something else"})
    found.refresh_from_db()
    assert (found.status, found.note, found.said) == ("rejected", "The guide says 892.", "764")
    assert (found.decided_by.username, bool(found.decided_at)) == (group, True)
    response = client.post(reverse("admin:catalog_errorreport_delete", args=[found.pk]), {"post": "yes"})
    assert (response.status_code == 302) == may_delete
    assert client.get(reverse("admin:catalog_errorreport_add")).status_code == 403


@pytest.mark.ignore_template_errors
def test_marketing_does_not_see_reports(server, staff):
    response = staff("Marketing").get(reverse("admin:catalog_errorreport_changelist"))
    assert response.status_code == 403
