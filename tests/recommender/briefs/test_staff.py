"""What staff do with leads, and what is deleted when its time is over."""

from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from recommender.answers import parse
from recommender.briefs import stored
from recommender.models import Brief, Contact, Lead
from tests.catalog.staff import save

pytestmark = pytest.mark.usefixtures("catalog")


@pytest.fixture
def lead(catalog):
    brief, _token = stored.create(parse({"stage": "inference"}), language="ru", title="Пилот")
    contact = {"name": "Ana", "company": "Company", "email": "ana@x.example", "phone": "", "message": "Hola"}
    return stored.send_to_sales(brief, contact, language="ru", consent_text="Yes")


def staff(client, group):
    call_command("migrate", verbosity=0)  # groups and their rights
    user = User.objects.create_user(group, password="a-long-password-1", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    client.force_login(user)
    return user


def test_sales_work_on_a_lead_and_cannot_change_what_the_visitor_said(client, lead):
    user = staff(client, "Sales")
    page = client.get(reverse("admin:recommender_lead_changelist")).content.decode()
    assert "Ana, Company" in page
    address = reverse("admin:recommender_lead_change", args=[lead.pk])
    page = client.get(address).content.decode()
    assert "ana@x.example" in page
    assert 'name="contact-0-email"' not in page
    data = {"status": "open", "owner": user.pk, "notes": "called", "contact-0-name": "Mallory"}
    assert save(client, address, **data).status_code == 302
    lead.refresh_from_db()
    assert (lead.status, lead.owner, lead.notes) == ("open", user, "called")
    assert Contact.objects.get().name == "Ana"


def test_sales_read_the_brief_in_their_own_language_without_its_keys(client, lead):
    staff(client, "Sales")
    response = client.get(
        reverse("admin:recommender_brief_read", args=[lead.brief.pk]), headers={"Accept-Language": "en"}
    )
    page = response.content.decode()
    assert response.status_code == 200
    assert "Пилот" in page
    assert lead.brief.reader_digest not in page
    assert client.get(reverse("admin:recommender_brief_read", args=[10**6])).status_code == 404


@pytest.mark.parametrize(
    ("group", "sees", "deletes"),
    [("Sales", True, False), ("Product managers", True, True), ("Marketing", False, False)],
)
def test_each_group_may_do_its_own(client, lead, group, sees, deletes):
    staff(client, group)
    expected = 200 if sees else 403
    assert client.get(reverse("admin:recommender_lead_changelist")).status_code == expected
    assert client.get(reverse("admin:recommender_brief_changelist")).status_code == expected
    read = client.get(reverse("admin:recommender_brief_read", args=[lead.brief.pk]))
    assert read.status_code == (200 if sees else 404)
    delete = client.get(reverse("admin:recommender_lead_delete", args=[lead.pk]))
    assert delete.status_code == (200 if deletes else 403)


def test_nobody_makes_leads_or_changes_briefs_by_hand(client, lead):
    client.force_login(User.objects.create_superuser("root"))
    assert client.get(reverse("admin:recommender_lead_add")).status_code == 403
    assert client.get(reverse("admin:recommender_brief_add")).status_code == 403
    address = reverse("admin:recommender_brief_change", args=[lead.brief.pk])
    assert client.post(address, {"title": "other"}).status_code == 403


def test_strangers_do_not_read_briefs_by_their_number(client, lead):
    response = client.get(reverse("admin:recommender_brief_read", args=[lead.brief.pk]))
    assert response.status_code == 302
    assert "login" in response.url


def purge(*options):
    output = StringIO()
    call_command("purge_briefs", *options, stdout=output)
    return output.getvalue()


def test_purging_deletes_what_is_over_and_nothing_else(lead, settings):
    now = timezone.now()
    old, _token = stored.create(parse({}), language="es")
    withdrawn, _token = stored.create(parse({}), language="es")
    Brief.objects.filter(pk=old.pk).update(expires_at=now - timedelta(days=31))
    Brief.objects.filter(pk=withdrawn.pk).update(revoked_at=now - timedelta(days=31))
    young, _token = stored.create(parse({}), language="es")
    Brief.objects.filter(pk=young.pk).update(expires_at=now - timedelta(days=29))
    assert purge("--dry-run") == "contacts: 0 would be deleted\nbriefs: 2 would be deleted\n"
    assert Brief.objects.count() == 4
    assert purge() == "contacts: 0 deleted\nbriefs: 2 deleted\n"
    assert set(Brief.objects.values_list("pk", flat=True)) == {lead.brief.pk, young.pk}
    Contact.objects.update(consented_at=now - timedelta(days=settings.CONTACT_DAYS, hours=1))
    assert purge().startswith("contacts: 1 deleted\n")
    assert not Contact.objects.exists()
    assert Lead.objects.get().brief == lead.brief


def test_a_lead_outlives_its_brief(lead):
    Brief.objects.all().delete()
    lead.refresh_from_db()
    assert lead.brief is None
