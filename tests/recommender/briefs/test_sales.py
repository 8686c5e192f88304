"""What sales do with leads: dates, answers by e-mail, prices, and a person's data."""

import json
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from aiservers.staff.models import AuditEntry
from catalog import history
from catalog.models import Change
from recommender.models import Brief, Contact, ContactMessage, Lead, Price, RegressionCase
from tests.catalog.staff import save
from tests.factories import GPUOptionFactory

pytestmark = pytest.mark.django_db

PERSON = reverse("admin:recommender_person")


def member(name="Sam", group="Sales", **fields):
    user = User.objects.create_user(name, password="x", is_staff=True, **fields)
    user.groups.add(Group.objects.get(name=group))
    client = Client(headers={"Accept-Language": "en"})
    client.force_login(user)
    return client


def lead(email="ana@x.example", number=1, **fields):
    brief = Brief.objects.create(
        reader_digest=f"r{number}",
        owner_digest=f"o{number}",
        language="ru",
        title="Пилот",
        frozen={},
        expires_at=timezone.now() + timedelta(days=9),
    )
    row = Lead.objects.create(brief=brief, language="ru", **fields)
    Contact.objects.create(lead=row, name="Анна", email=email, consent_text="Yes", consent_version="1")
    return row


def change(row):
    return reverse("admin:recommender_lead_change", args=[row.pk])


def write(row):
    return reverse("admin:recommender_lead_mail", args=[row.pk])


# --- follow-up and history ---------------------------------------------------------------------------


def test_the_list_finds_what_is_due():
    today = timezone.localdate()
    late = lead(number=1, follow_up_on=today - timedelta(days=1))
    due = lead(number=2, follow_up_on=today)
    later = lead(number=3, follow_up_on=today + timedelta(days=1))
    free = lead(number=4)
    lead(number=5, follow_up_on=today - timedelta(days=1), status="won")
    client = member()
    for choice, row in {"overdue": late, "today": due, "later": later, "none": free}.items():
        page = client.get(reverse("admin:recommender_lead_changelist"), {"follow_up": choice})
        assert list(page.context["cl"].result_list) == [row], choice


def test_what_is_done_with_a_lead_stands_in_its_history():
    row, client = lead(), member()
    assert save(client, change(row), follow_up_on="2027-02-01", status="open").status_code == 302
    (entry,) = history.entries(row)
    assert {cell.column for line in entry.lines for cell in line.cells} == {"status", "follow_up_on"}
    assert client.get(reverse("admin:recommender_lead_history", args=[row.pk])).status_code == 200


# --- answers -----------------------------------------------------------------------------------------


def test_an_answer_begins_in_the_language_of_the_lead_and_brings_the_brief(monkeypatch):
    monkeypatch.setattr("recommender.briefs.downloads.made", lambda kind, brief: b"%PDF-1.7")
    row, client = lead(), member(email="sam@vendor.example")
    draft = client.get(write(row)).context["form"].initial
    assert "Пилот" in draft["subject"]
    assert "Анна" in draft["body"]
    sent = {"subject": "Ваш\n запрос", "body": "Добрый день!", "with_brief": "on"}
    assert client.post(write(row), sent).status_code == 302
    (message,) = mail.outbox
    assert (message.to, message.reply_to) == (["ana@x.example"], ["sam@vendor.example"])
    assert (message.subject, message.body) == ("Ваш запрос", "Добрый день!")
    ((name, content, kind),) = message.attachments
    assert (name.endswith("-ru.pdf"), content, kind) == (True, b"%PDF-1.7", "application/pdf")
    kept = ContactMessage.objects.get()
    assert (kept.sent_by, kept.with_brief) == ("Sam", True)
    row.refresh_from_db()
    assert (row.status, row.answered_at is not None) == ("open", True)
    (entry,) = history.entries(row)
    assert entry.revision.why == "E-mail sent to the contact"
    assert "Добрый день!" in client.get(change(row)).content.decode()


def test_an_answer_that_does_not_go_out_is_not_noted(monkeypatch):
    def refuse(self):
        raise OSError("no mail server")

    monkeypatch.setattr("django.core.mail.EmailMessage.send", refuse)
    row = lead()
    page = member().post(write(row), {"subject": "S", "body": "B"})
    assert "did not go out" in page.content.decode()
    assert not ContactMessage.objects.exists()
    assert not history.entries(row)


def test_nobody_is_written_to_without_consent_that_still_counts(settings):
    old, gone = lead(number=1), lead(number=2)
    Contact.objects.filter(lead=old).update(
        consented_at=timezone.now() - timedelta(days=settings.CONTACT_DAYS, hours=1)
    )
    Contact.objects.filter(lead=gone).delete()
    client = member()
    for row in (old, gone):
        assert client.get(write(row)).status_code == 404
        assert client.post(write(row), {"subject": "S", "body": "B"}).status_code == 404
        assert "answer-lead" not in client.get(change(row)).content.decode()
    assert not mail.outbox


@pytest.mark.parametrize("group", ["Marketing", "Authors"])
def test_other_groups_see_neither_leads_nor_whom_they_come_from(group):
    row, client = lead(), member("Leo", group)
    for address in (change(row), write(row), PERSON, reverse("admin:recommender_lead_changelist")):
        assert client.get(address).status_code == 403
    assert client.post(PERSON, {"email": "ana@x.example", "show": "1"}).status_code == 403


# --- prices ------------------------------------------------------------------------------------------


def test_sales_see_internal_prices_beside_the_matches_of_a_lead():
    option, row = GPUOptionFactory(gpu__name="Card"), lead()
    server, today = option.variant.server, timezone.localdate()
    row.brief.frozen = {
        "matches": [
            {
                "rank": 1,
                "server": server.slug,
                "variant": None,
                "gpu": option.gpu.slug,
                "gpus_per_server": 2,
                "servers": 3,
            }
        ],
        "names": {server.slug: "Low", option.gpu.slug: "Card"},
    }
    row.brief.save()
    client = member()
    assert "no price known" in client.get(change(row)).content.decode()
    Price.objects.create(
        server=server, gpu=option.gpu, gpu_count=2, amount=10000, currency="EUR", valid_until=today
    )
    page = client.get(change(row)).content.decode()
    assert "30,000\N{NO-BREAK SPACE}EUR" in page  # three servers
    assert "internal" in page


# --- a person's data ---------------------------------------------------------------------------------


def test_a_person_gets_all_that_is_kept():
    row = lead(notes="Wants two")
    ContactMessage.objects.create(contact=row.contact, sent_by="Sam", subject="Hello", body="Text")
    lead("other@x.example", number=2, notes="Somebody else")
    client = member()
    save(client, change(row), notes="Wants three", why="She called")
    response = client.post(PERSON, {"email": "ANA@x.example", "download": "1"})
    assert response.headers["Content-Type"] == "application/json"
    data = json.loads(response.content)
    (found,) = data["leads"]
    assert (found["notes"], found["contact"]["name"], found["brief"]["title"]) == (
        "Wants three",
        "Анна",
        "Пилот",
    )
    assert [message["text"] for message in found["emails"]] == ["Text"]
    assert "Wants two" in json.dumps(found["history"])
    assert [entry["why"] for entry in found["history"]] == ["She called"]
    assert "Somebody else" not in response.content.decode()
    assert AuditEntry.objects.get(act="personal").what == "exported: 1 leads"


def test_deleting_a_person_leaves_no_trace():
    row, other = lead(), lead("other@x.example", number=2)
    manager = member("Ana", "Product managers")
    for one in (row, other):
        save(manager, change(one), notes="Anna called")
    assert Change.objects.count() == LogEntry.objects.count() == 2
    ContactMessage.objects.create(contact=row.contact, sent_by="Sam", subject="Hello", body="Text")
    data = {"email": "ana@x.example", "delete": "yes"}
    manager.post(PERSON, data)
    assert Lead.objects.count() == 2  # what was deleted would not have been seen
    manager.post(PERSON, data | {"shown": "ana@x.example"})
    assert list(Lead.objects.all()) == [other]
    assert list(Brief.objects.all()) == [other.brief]
    assert Contact.objects.count() == 1
    assert not ContactMessage.objects.exists()
    assert Change.objects.get().object_id == other.pk
    assert LogEntry.objects.get().object_id == str(other.pk)
    assert AuditEntry.objects.get(act="personal").what == "deleted: 1 leads"


def test_sales_show_a_persons_data_and_do_not_delete_it():
    row, client = lead(), member()
    page = client.post(PERSON, {"email": "ana@x.example", "show": "1"}).content.decode()
    assert "Анна" in page
    assert 'name="delete"' not in page
    data = {"email": "ana@x.example", "shown": "ana@x.example", "delete": "yes"}
    assert client.post(PERSON, data).status_code == 403
    assert Lead.objects.get() == row


def test_a_lead_that_is_deleted_leaves_nothing_in_the_history(django_capture_on_commit_callbacks):
    row, manager = lead(), member("Ana", "Product managers")
    save(manager, change(row), notes="Anna called")
    with django_capture_on_commit_callbacks(execute=True):
        manager.post(reverse("admin:recommender_lead_delete", args=[row.pk]), {"post": "yes"})
    assert not Lead.objects.exists()
    assert not Change.objects.exists()


# --- regression cases --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "wrong"),
    [
        ('{"stage": "cooking"}', "stage"),
        ('{"no_such_key": "1"}', "no_such_key"),
        ('["stage"]', "answers"),
    ],
)
def test_a_case_with_answers_that_nobody_understands_is_refused(answers, wrong):
    RegressionCase.objects.all().delete()
    client = member("Ana", "Product managers")
    data = {"slug": "mine", "position": 0, "answers": answers, "name_en": "Mine"}
    page = client.post(reverse("admin:recommender_regressioncase_add"), data)
    assert page.status_code == 200
    assert wrong in str(page.context["adminform"].form.errors["answers"])
    good = data | {"answers": '{"stage": "inference"}'}
    assert client.post(reverse("admin:recommender_regressioncase_add"), good).status_code == 302
    assert RegressionCase.objects.get().answers == {"stage": "inference"}
