"""Signing in with two factors, and what happens to those who only guess."""

from datetime import timedelta
from ipaddress import ip_network

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from aiservers.staff.models import AuditEntry
from tests.aiservers.staff.conftest import PASSWORD, App, code_of, other_than, set_up
from tests.pages import LANGUAGES, Document

# Django's own templates ask for variables that they may not have.
pytestmark = [pytest.mark.django_db, pytest.mark.ignore_template_errors]

INDEX, LOGIN, TWO_FACTOR = "/admin/", "/admin/login/", "/admin/two-factor/"


def is_in(browser):
    return browser.get(INDEX).status_code == 200


def acts():
    """What the audit log holds of Maria, oldest first."""
    return list(AuditEntry.objects.filter(who="maria").order_by("pk").values_list("act", flat=True))


def test_a_code_is_made_as_the_standard_says():
    # RFC 6238, appendix B: SHA-1, the last six of the eight digits
    secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"  # "12345678901234567890"
    assert code_of(secret, at=59) == "287082"
    assert code_of(secret, at=1111111109) == "081804"


def test_a_password_is_enough_for_whoever_has_set_up_nothing(maria, client, sign_in):
    assert sign_in().status_code == 302
    assert is_in(client)
    assert acts() == ["sign_in"]


def test_setting_up_shows_a_drawing_and_a_secret_and_takes_the_apps_code_only(maria, client):
    client.force_login(maria)
    assert 'class="qr"' not in client.get(TWO_FACTOR).content.decode()
    response = client.post(reverse("admin:two_factor_begin"), follow=True)
    document = Document(response.content.decode())
    [drawing] = [attributes for tag, attributes in document.elements if attributes.get("class") == "qr"]
    assert "viewbox" in drawing  # scaled by the style sheet it is whole
    assert not [attributes for _tag, attributes in document.elements if "style" in attributes]
    secret = response.context["secret"]
    assert secret in response.content.decode()
    confirm = reverse("admin:two_factor_confirm")
    client.post(confirm, {"code": other_than(code_of(secret))})
    assert not client.get(TWO_FACTOR).context["device"]
    maria.totpdevice_set.update(throttling_failure_count=0)  # its clock, which slows the next try
    response = client.post(confirm, {"code": App(secret).code()}, follow=True)
    assert response.context["device"]
    assert len(set(response.context["codes"])) == 10
    assert "factor_set" in acts()


def test_backup_codes_are_shown_once(maria, client):
    client.force_login(maria)
    codes = set_up(client).backup_codes
    assert len(codes) == 10
    assert codes[0] not in client.get(TWO_FACTOR).content.decode()


@pytest.mark.parametrize("kind", ["app", "backup", "backup in groups and capitals"])
def test_a_code_signs_in_and_only_once(app, client, sign_in, kind):
    code = app.code() if kind == "app" else app.backup_codes[3]
    shown = f"{code[:4]} {code[4:]}".upper() if "groups" in kind else code
    assert sign_in(code=shown).status_code == 302
    assert is_in(client)
    client.post(reverse("admin:logout"))
    assert sign_in(code=shown).status_code == 200
    assert not is_in(client)


@pytest.mark.parametrize("code", ["", "000000", "aaaaaaaa"])
def test_a_password_without_the_right_code_opens_nothing(app, client, sign_in, code):
    response = sign_in(code=code)
    assert response.status_code == 200
    assert response.context["form"].errors["code"]
    assert PASSWORD not in response.content.decode()
    assert client.get(INDEX).status_code == 302
    assert client.get(TWO_FACTOR).status_code == 302


def test_the_code_of_somebody_else_is_not_taken(app, client, sign_in):
    User.objects.create_user("pedro", password=PASSWORD, is_staff=True)
    other = Client()
    other.force_login(User.objects.get(username="pedro"))
    set_up(other)
    assert sign_in("pedro", code=app.code()).status_code == 200
    assert not is_in(client)


def test_other_sessions_have_to_show_the_factor_too_once_it_is_set_up(maria, client):
    elsewhere = Client()
    elsewhere.force_login(maria)
    client.force_login(maria)
    assert is_in(elsewhere)
    set_up(client)
    assert is_in(client)
    assert not is_in(elsewhere)


def test_removing_it_and_new_backup_codes_take_a_code(app, client, sign_in):
    sign_in(code=app.code())
    for action in ("codes", "remove"):
        client.post(reverse(f"admin:two_factor_{action}"), {"code": "aaaaaaaa"})
    assert client.get(TWO_FACTOR).context["device"]
    assert client.get(TWO_FACTOR).context["codes_left"] == 10
    User.objects.get().staticdevice_set.update(throttling_failure_count=0)
    page = client.post(reverse("admin:two_factor_codes"), {"code": app.backup_codes[0]}, follow=True)
    assert not set(page.context["codes"]) & set(app.backup_codes)
    client.post(reverse("admin:two_factor_remove"), {"code": page.context["codes"][0]})
    assert not client.get(TWO_FACTOR).context["device"]
    assert acts()[-2:] == ["codes", "factor_removed"]
    client.post(reverse("admin:logout"))
    assert sign_in().status_code == 302


def test_an_administrator_removes_it_for_whoever_has_lost_the_phone(app, maria, admin_client, sign_in):
    action = {"action": "remove_second_factor", "_selected_action": [maria.pk]}
    admin_client.post(reverse("admin:auth_user_changelist"), action)
    assert sign_in().status_code == 302
    entry = AuditEntry.objects.get(act="factor_removed")
    assert (entry.who, entry.what) == ("admin", "maria")


def test_where_it_is_required_nothing_opens_before_it_is_set_up(maria, client, settings):
    settings.STAFF_TWO_FACTOR = "required"
    maria.is_superuser = True
    maria.save()
    client.force_login(maria)
    for path in (INDEX, "/admin/catalog/server/", "/admin/password_change/", "/admin/auth/user/"):
        response = client.get(path)
        assert (response.status_code, response["Location"]) == (302, TWO_FACTOR), path
    assert client.get(TWO_FACTOR).context["is_due"]
    set_up(client)
    assert is_in(client)
    assert client.post(reverse("admin:logout")).status_code in (200, 302)


# --- lock-out ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_five_failures_lock_and_say_how_long(maria, client, sign_in, language):
    accept = {"headers": {"Accept-Language": language}}
    for _number in range(4):
        assert sign_in(password="wrong", **accept).status_code == 200
    fifth = sign_in(password="wrong", **accept)
    assert (fifth.status_code, fifth["Retry-After"]) == (429, "900")
    assert f'<html lang="{language}"' in fifth.content.decode()
    assert "15" in fifth.content.decode()
    right = sign_in(**accept)
    assert right.status_code == 429
    assert not is_in(client)
    assert acts() == ["failed"] * 4 + ["locked"] * 2


def test_wrong_codes_count_as_failures(app, client, sign_in):
    answers = [sign_in(code="000000").status_code for _number in range(5)]
    assert answers == [200, 200, 200, 200, 429]
    assert sign_in(code=app.code()).status_code == 429
    assert acts()[-6:] == ["failed_code"] * 4 + ["locked"] * 2


def test_a_right_password_without_the_code_does_not_set_the_count_back(app, client, sign_in):
    for _number in range(4):
        sign_in(code="000000")
    sign_in()
    assert sign_in(code="000000").status_code == 429


def test_a_lock_ends_after_its_time_and_tries_meanwhile_do_not_lengthen_it(maria, client, sign_in):
    for _number in range(5):
        sign_in(password="wrong")
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=14))
    still = sign_in()
    assert still.status_code == 429
    assert int(still["Retry-After"]) <= 60
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=16))
    assert sign_in().status_code == 302


def test_a_success_sets_the_count_back(maria, client, sign_in):
    for _round in range(2):
        for _number in range(4):
            assert sign_in(password="wrong").status_code == 200
        assert sign_in().status_code == 302
        client.post(reverse("admin:logout"))


def test_a_lock_holds_for_one_name_from_one_address(maria, client, sign_in, settings):
    settings.TRUSTED_PROXIES = [ip_network("10.0.0.1/32")]

    def via(address):
        return {"REMOTE_ADDR": "10.0.0.1", "headers": {"X-Forwarded-For": address}}

    User.objects.create_user("pedro", password=PASSWORD, is_staff=True)
    for _number in range(5):
        sign_in(password="wrong", **via("203.0.113.5"))
    assert sign_in(**via("203.0.113.5")).status_code == 429
    assert sign_in("pedro", **via("203.0.113.5")).status_code == 302
    assert sign_in(**via("203.0.113.6")).status_code == 302
    assert AuditEntry.objects.filter(address="203.0.113.5", act="locked").count() == 2


def test_whoever_is_no_proxy_cannot_say_another_address(maria, sign_in):
    answers = [
        sign_in(password="wrong", headers={"X-Forwarded-For": f"203.0.113.{number}"}).status_code
        for number in range(5)
    ]
    assert answers[-1] == 429


def test_of_ipv6_a_network_counts_as_one(maria, sign_in):
    answers = [
        sign_in(password="wrong", REMOTE_ADDR=f"2001:db8:1:2::{number}").status_code for number in range(5)
    ]
    assert answers[-1] == 429
    assert sign_in(REMOTE_ADDR="2001:db8:1:3::1").status_code == 302


def test_one_address_does_not_try_many_names(maria, client, sign_in, monkeypatch):
    monkeypatch.setattr("aiservers.staff.site.SIGN_INS_AN_HOUR", 6)
    for number in range(6):
        assert sign_in(f"name{number}", password="wrong").status_code == 200
    assert sign_in().status_code == 429


def test_what_was_typed_wrongly_is_kept_nowhere(maria, sign_in):
    typed = "my secret password"
    sign_in(typed, password="other secret", code="123123")
    kept = str(list(AuditEntry.objects.values())) + str(list(AccessAttempt.objects.values("post_data")))
    for secret in (typed, "other secret", "123123"):
        assert secret not in kept
    assert AuditEntry.objects.get().who == ""


# --- sessions ------------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch):
    """Move the time that ends sessions for good."""

    def move(hours):
        import time as real

        now = real.time() + 3600 * hours
        monkeypatch.setattr("aiservers.staff.sessions.time.time", lambda: now)

    return move


def test_a_session_ends_at_its_time_however_busy(maria, client, sign_in, clock):
    sign_in()
    clock(hours=23)
    assert is_in(client)
    clock(hours=25)
    assert not is_in(client)
    assert acts() == ["sign_in", "ended"]


def test_an_idle_session_ends_and_a_used_one_goes_on(maria, client, sign_in, settings):
    sign_in()
    session = client.session
    assert session.get_expiry_age() == 8 * 3600
    first = client.get(INDEX).cookies["sessionid"]
    assert first["max-age"] == 8 * 3600  # set anew by every page
    from django.contrib.sessions.models import Session

    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not is_in(client)


def test_a_new_password_ends_the_other_sessions(maria, client, sign_in):
    elsewhere = Client()
    sign_in(browser=elsewhere)
    sign_in()
    new = "another long passphrase"
    data = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert client.post(reverse("admin:password_change"), data).status_code == 302
    assert is_in(client)
    assert not is_in(elsewhere)
    assert acts()[-1] == "password"
