"""A brief on the web: made by a form, read by a link, changed by its owner, sent to sales."""

import json
import logging
import re
from html import unescape

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from aiservers.logs import JSONFormatter
from recommender.briefs import stored, throttle, tokens
from recommender.models import Brief, Contact, Lead

pytestmark = pytest.mark.usefixtures("catalog")
LANGUAGES = ["es", "ru", "en"]
CHAT = {"stage": "inference", "workload": "chat", "model": "llama-3.3-70b", "concurrency": "32"}
VISITOR = {"name": "Ana Ruiz", "email": "ana@company.example", "consent": "on"}


def url(name, *args, language="en", **query):
    with override(language):
        return reverse(f"briefs:{name}", args=args, query=query or None)


def body(response):
    return unescape(response.content.decode())


class Made:
    """A brief with both of its keys."""

    def __init__(self, client, language="en", title="Pilot", note="", **query):
        address = url("new", language=language, **(query or CHAT))
        response = client.post(address, {"title": title, "note": note})
        assert response.status_code == 302, body(response)
        self.owner_path = response.url
        self.owner = response.url.rstrip("/").rpartition("/")[2]
        self.reader = tokens.reader_token(self.owner, 1)

    @property
    def row(self):
        return stored.owned(self.owner)


@pytest.fixture
def made(client):
    return Made(client)


# Making one


def test_making_a_brief_asks_on_a_page_of_its_own_and_only_a_post_makes_it(client):
    response = client.get(url("new", **CHAT))
    assert response.status_code == 200
    assert "csrfmiddlewaretoken" in body(response)
    assert "csrftoken" in response.cookies
    assert not Brief.objects.exists()


def test_a_post_without_its_secret_is_refused():
    assert Client(enforce_csrf_checks=True).post(url("new", **CHAT), {"title": ""}).status_code == 403
    assert not Brief.objects.exists()


def test_without_any_answer_the_work_is_asked_first_and_the_server_is_kept(client):
    response = client.get(url("new", server="thinksystem-sr675-v3"))
    with override("en"):
        expected = reverse("recommender:questionnaire", query={"server": "thinksystem-sr675-v3"})
    assert (response.status_code, response.url) == (302, expected)
    page = body(client.get(expected))
    assert 'name="server" value="thinksystem-sr675-v3"' in page
    assert client.get(url("new")).status_code == 302


def test_a_brief_begun_from_a_server_says_that_it_does_not_fit(client):
    made = Made(client, server="thinksystem-st650-v3", **CHAT)
    page = body(client.get(url("brief", made.reader)))
    assert "ThinkSystem ST650 V3" in page
    assert "does not fit:" in page
    assert "server" not in made.row.frozen["answers"]


def test_bad_answers_are_named_and_the_good_ones_kept(client):
    query = CHAT | {"concurrency": "many", "context_tokens": "8192"}
    page = body(client.get(url("new", **query)))
    assert "“many” is not a number" in page
    answers = Made(client, **query).row.frozen["answers"]
    assert answers["context_tokens"] == "8192"
    assert "concurrency" not in answers


def test_too_long_texts_get_their_message_and_lose_nothing(client):
    response = client.post(url("new", **CHAT), {"title": "x" * 121, "note": "kept"})
    assert response.status_code == 200
    assert 'id="id_title_error"' in body(response)
    assert "kept</textarea>" in body(response)
    assert not Brief.objects.exists()


# Reading one


@pytest.mark.parametrize(("asked", "language"), [("ru", "ru"), ("en-GB", "en"), ("de", "es")])
def test_the_short_link_leads_to_the_readers_language(client, made, asked, language):
    response = client.get(f"/b/{made.reader}", headers={"Accept-Language": asked})
    assert (response.status_code, response.url) == (302, url("brief", made.reader, language=language))
    assert response["Vary"] == "Accept-Language"


def test_the_language_switch_keeps_the_brief(client, made):
    page = body(client.get(url("brief", made.reader, language="es")))
    for language in ("ru", "en"):
        assert f'href="{url("brief", made.reader, language=language)}"' in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_line_of_the_document_is_on_the_page(client, made, language):
    response = client.get(url("brief", made.reader, language=language))
    page = body(response)
    content = response.context["document"]
    for part in (*content.parts, content.site):
        for line in part.lines:
            assert f"<b>{line.value}</b>" in page
        for question in part.questions:
            assert question in page
    for row in content.derived:
        assert row["formula"] in page
    for match in content.matches:
        for text in (*match["reasons"], *match["warnings"]):
            assert text in page


def test_what_a_visitor_types_is_text_and_not_markup(client):
    made = Made(client, title="<script>alert(1)</script>", note="<img src=x onerror=alert(1)>")
    for address in (url("brief", made.reader), made.owner_path):
        html = client.get(address).content.decode()
        assert "<script>alert" not in html
        assert "<img src=x" not in html


def test_reading_a_brief_takes_few_queries(client, made, django_assert_max_num_queries):
    with django_assert_max_num_queries(4):
        client.get(url("brief", made.reader))


@pytest.mark.parametrize("kind", ["pdf", "xlsx", "csv", "json"])
def test_a_brief_comes_as_a_file(client, made, kind):
    response = client.get(url("download", made.reader, kind, language="ru"))
    assert response.status_code == 200
    today = f"{timezone.localtime(made.row.created_at):%Y-%m-%d}"
    assert response["Content-Disposition"] == f'attachment; filename="brief-{today}-ru.{kind}"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response.content


def test_other_kinds_of_files_are_not_there(client, made):
    assert client.get(f"{url('brief', made.reader)}brief.exe").status_code == 404


def test_todays_data_show_their_difference_and_leave_the_brief_alone(client, made):
    same = body(client.get(url("today", made.reader)))
    assert "Nothing has changed since" in same
    row = made.row
    row.frozen["matches"] = row.frozen["matches"][1:]
    row.frozen["catalog_version"] = "0"
    row.save()
    before = Brief.objects.get().frozen
    page = body(client.get(url("today", made.reader)))
    assert "First place" in page
    assert "Catalog version" in page
    assert Brief.objects.get().frozen == before


def test_an_answer_that_no_longer_holds_is_named(client, made):
    row = made.row
    row.frozen["answers"]["model"] = "withdrawn-model"
    row.save()
    assert "“withdrawn-model” is not in the catalog." in body(client.get(url("today", made.reader)))


# Owning one


def test_the_owner_sees_the_link_and_readers_do_not_see_the_owners(client, made):
    page = body(client.get(made.owner_path))
    assert f"http://testserver/b/{made.reader}" in page
    for address in (url("brief", made.reader), url("today", made.reader)):
        assert made.owner not in body(client.get(address))


def test_the_readers_key_changes_nothing(client, made):
    for action in ("renew", "link", "revoke", "forget"):
        assert client.post(url("owner", made.reader), {"action": action}).status_code == 404
    assert made.row.is_readable


def test_a_withdrawn_brief_is_gone(client, made):
    addresses = [
        f"/b/{made.reader}",
        url("brief", made.reader),
        url("today", made.reader),
        *(url("download", made.reader, kind) for kind in ("pdf", "xlsx", "csv", "json")),
    ]
    assert {client.get(address).status_code for address in addresses} <= {200, 302}
    assert client.post(made.owner_path, {"action": "revoke"}).status_code == 302
    assert {client.get(address).status_code for address in addresses} == {404}
    assert client.get(url("sales", made.owner)).status_code == 404
    assert "You withdrew this brief" in body(client.get(made.owner_path))
    for action in ("renew", "link"):  # it cannot be undone
        client.post(made.owner_path, {"action": action})
        assert {client.get(address).status_code for address in addresses} == {404}


def test_a_new_link_ends_the_old_one(client, made):
    client.post(made.owner_path, {"action": "link"})
    assert client.get(url("brief", made.reader)).status_code == 404
    second = tokens.reader_token(made.owner, 2)
    assert f"/b/{second}" in body(client.get(made.owner_path))
    assert client.get(url("brief", second)).status_code == 200


def test_a_brief_expires_and_its_owner_can_renew_it(client, made, settings):
    assert (made.row.expires_at - timezone.now()).days in (settings.BRIEF_DAYS - 1, settings.BRIEF_DAYS)
    Brief.objects.update(expires_at=timezone.now())
    assert client.get(f"/b/{made.reader}").status_code == 404
    assert client.get(url("brief", made.reader)).status_code == 404
    assert "expired" in body(client.get(made.owner_path))
    client.post(made.owner_path, {"action": "renew"})
    assert client.get(url("brief", made.reader)).status_code == 200


def test_looking_at_the_state_of_a_link_makes_none(client, made):
    for _again in range(3):
        client.get(made.owner_path)
    assert Brief.objects.count() == 1
    assert made.row.link_number == 1


@pytest.mark.parametrize("token", ["x", "a" * 24, "A" * 300, "%00", "brief.pdf", "..%2F.."])
def test_a_wrong_token_is_not_found(client, token):
    for path in (f"/b/{token}", f"/en/briefs/{token}/", f"/en/briefs/own/{token}/"):
        assert client.get(path).status_code == 404


# Headers and logs


def test_nothing_of_a_brief_is_kept_indexed_or_told_to_other_sites(client, made):
    readers = [
        f"/b/{made.reader}",
        url("brief", made.reader),
        url("today", made.reader),
        *(url("download", made.reader, kind) for kind in ("pdf", "xlsx", "csv", "json")),
        f"/b/{'x' * 24}",
        url("brief", "x" * 24),
    ]
    owners = [url("new", **CHAT), made.owner_path, url("sales", made.owner)]
    for address in readers + owners:
        response = client.get(address)
        assert response["Cache-Control"] == "no-store", address
        assert response["X-Robots-Tag"] == "noindex", address
        # Forms need their origin, without a path: browsers else send none and Django refuses them.
        assert response["Referrer-Policy"] == ("strict-origin" if address in owners else "no-referrer")
        assert "ETag" not in response
        assert bool(response.cookies) == (address in owners), address
        assert "default-src 'none'" in response["Content-Security-Policy"]


def test_a_page_of_a_brief_tells_search_engines_no_other_address(client, made):
    page = body(client.get(url("brief", made.reader)))
    assert '<meta name="robots" content="noindex' in page
    assert 'rel="canonical"' not in page


def test_tokens_are_in_no_log_line(client, made, caplog):
    addresses = [
        f"/b/{made.reader}",
        url("brief", made.reader),
        f"{url('brief', made.reader)}no/such/page",
        url("download", made.reader, "pdf"),
        made.owner_path,
        made.owner_path.rstrip("/"),
        f"/xx/b/{made.owner}/x",
    ]
    with caplog.at_level(logging.DEBUG):
        for address in addresses:
            client.get(address)
    lines = [JSONFormatter().format(record) for record in caplog.records if record.name == "aiservers.access"]
    assert len(lines) >= len(addresses)
    assert not [line for line in lines if made.reader in line or made.owner in line]


# Sales


def send(client, made, **more):
    return client.post(url("sales", made.owner), VISITOR | more)


def test_a_brief_goes_to_sales_with_the_consent_that_was_given(client, made):
    response = send(client, made, company="Company", phone="+34 600", message="Call me")
    assert response.status_code == 302
    lead = Lead.objects.get()
    assert (lead.brief, lead.status, lead.language) == (made.row, "new", "en")
    assert (lead.contact.name, lead.contact.email) == ("Ana Ruiz", "ana@company.example")
    assert "keeps these contact data" in lead.contact.consent_text
    assert lead.contact.consent_version == stored.CONSENT_VERSION
    assert "sent 1 time." in body(client.get(made.owner_path))


def test_without_consent_nothing_is_stored(client, made):
    response = send(client, made, consent="")
    assert response.status_code == 200
    page = body(response)
    assert '<li><a href="#id_consent">Without your consent nothing is stored or sent.</a></li>' in page
    assert 'value="Ana Ruiz"' in page
    assert not Lead.objects.exists()
    assert not Contact.objects.exists()


@pytest.mark.parametrize(
    "bad", [{"email": "ana"}, {"name": ""}, {"name": "x" * 121}, {"message": "x" * 2001}]
)
def test_bad_input_is_answered_beside_its_field(client, made, bad):
    response = send(client, made, **bad)
    assert response.status_code == 200
    assert f'id="id_{next(iter(bad))}_error"' in body(response)
    assert not Lead.objects.exists()


def test_a_robot_that_fills_every_field_sends_nothing(client, made):
    response = send(client, made, confirmation="http://spam.example")
    assert response.status_code == 200
    assert "trap for robots" in body(response)
    assert not Lead.objects.exists()


def test_sales_hear_of_it_without_contact_data_in_the_mail(client, made, settings):
    settings.LEADS_EMAIL = ["leads@vendor.example"]
    send(client, made, message="Confidential")
    (message,) = mail.outbox
    assert message.to == ["leads@vendor.example"]
    lead = Lead.objects.get()
    assert f"http://testserver/admin/recommender/lead/{lead.pk}/change/" in message.body
    text = message.subject + message.body
    for private in ("Ana", "ana@company", "Confidential", made.reader, made.owner):
        assert private not in text
    assert lead.mailed_at is not None


def test_a_mail_that_fails_loses_no_lead(client, made, settings, monkeypatch, caplog):
    def fail(self, messages):
        raise ConnectionRefusedError("no mail server")

    settings.LEADS_EMAIL = ["leads@vendor.example"]
    monkeypatch.setattr(EmailBackend, "send_messages", fail)
    assert send(client, made).status_code == 302
    assert Lead.objects.get().mailed_at is None
    assert "did not go out" in caplog.text


def test_its_owner_deletes_the_contact_data_and_the_lead_stays(client, made):
    send(client, made)
    assert "Delete my contact data" in body(client.get(made.owner_path))
    client.post(made.owner_path, {"action": "forget"})
    assert not Contact.objects.exists()
    assert Lead.objects.count() == 1
    assert "Delete my contact data" not in body(client.get(made.owner_path))


def test_contact_data_can_be_deleted_after_the_brief_was_withdrawn(client, made):
    send(client, made)
    client.post(made.owner_path, {"action": "revoke"})
    client.post(made.owner_path, {"action": "forget"})
    assert not Contact.objects.exists()


# Too often


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_comes_too_often_is_told_so_in_their_language(client, made, language, monkeypatch):
    monkeypatch.setitem(throttle.LIMITS, "send", 2)
    address = url("sales", made.owner, language=language)
    assert [client.post(address, VISITOR).status_code for _try in range(3)] == [302, 302, 429]
    response = client.post(address, VISITOR)
    assert f'<html lang="{language}">' in body(response)
    assert 0 < int(response["Retry-After"]) <= 3600
    assert response["Cache-Control"] == "no-store"
    assert Lead.objects.count() == 2


def test_making_briefs_has_a_limit_too(client, monkeypatch):
    monkeypatch.setitem(throttle.LIMITS, "create", 1)
    answers = [client.post(url("new", **CHAT), {"title": ""}).status_code for _try in range(2)]
    assert answers == [302, 429]


def test_one_address_is_not_counted_for_another():
    limit = throttle.LIMITS["send"]
    for _try in range(limit):
        assert throttle.seconds_to_wait("192.0.2.1", "send") == 0
    assert throttle.seconds_to_wait("192.0.2.1", "send") > 0
    assert throttle.seconds_to_wait("192.0.2.1", "create") == 0
    assert throttle.seconds_to_wait("192.0.2.2", "send") == 0


def test_one_network_of_ipv6_counts_as_one_address():
    for last in range(throttle.LIMITS["send"]):
        assert throttle.seconds_to_wait(f"2001:db8::{last:x}", "send") == 0
    assert throttle.seconds_to_wait("2001:db8::ffff", "send") > 0
    assert throttle.seconds_to_wait("2001:db8:0:1::1", "send") == 0


# Pages that lead to it


@pytest.mark.parametrize("page", ["results", "calculator"])
def test_pages_of_advice_lead_to_the_brief_with_their_answers(client, page):
    with override("en"):
        address = reverse(f"recommender:{page}", query=CHAT)
    link = re.search(r'href="(/en/[^"?]*new/\?[^"]*)"', body(client.get(address)))[1]
    made = Made(client, **dict(part.split("=") for part in link.partition("?")[2].split("&")))
    kept = made.row.frozen["answers"]
    assert {key: kept[key] if isinstance(kept[key], str) else kept[key][0] for key in CHAT} == CHAT


def test_a_servers_page_leads_to_a_brief_that_asks_the_work_first(client):
    with override("en"):
        page = body(client.get(reverse("catalog:server", args=["thinksystem-sr675-v3"])))
    link = re.search(r'href="(/en/[^"]*server=thinksystem-sr675-v3[^"]*)"', page)[1]
    response = client.get(link, follow=True)
    assert 'name="server" value="thinksystem-sr675-v3"' in body(response)


def test_json_of_a_brief_is_what_was_frozen(client, made):
    content = json.loads(client.get(url("download", made.reader, "json")).content)
    assert content["answers"] == made.row.frozen["answers"]
    assert content["matches"] == made.row.frozen["matches"]
