"""Codes as an authenticator app would show them, by RFC 6238 and without the library that checks them."""

import base64
import hashlib
import hmac
import struct
import time

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

PASSWORD = "correct horse battery staple"


def code_of(secret, at=None):
    """Return the six digits that an app shows for a secret in Base32 [at: seconds since 1970]."""
    key = base64.b32decode(secret.replace(" ", ""))
    counter = struct.pack(">Q", int(time.time() if at is None else at) // 30)
    digest = hmac.new(key, counter, hashlib.sha1).digest()
    start = digest[-1] & 15
    number = struct.unpack(">I", digest[start : start + 4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


def other_than(code):
    return f"{(int(code) + 1) % 1_000_000:06}"


class App:
    """An authenticator app whose next code is always a new one: its clock runs a step ahead each time."""

    def __init__(self, secret):
        self.secret, self.now = secret, time.time() - 30

    def code(self):
        self.now += 30
        return code_of(self.secret, self.now)


@pytest.fixture
def maria(db):
    return User.objects.create_user("maria", password=PASSWORD, is_staff=True)


@pytest.fixture
def sign_in(client):
    """Post the form of the admin; return the answer."""

    def post(username="maria", password=PASSWORD, code="", browser=client, **extra):
        data = {"username": username, "password": password, "code": code}
        return browser.post(reverse("admin:login"), data, **extra)

    return post


@pytest.fixture
def app(client, maria):
    """Set up two-factor sign-in for Maria as she would; return her app, and leave her signed out."""
    client.force_login(maria)
    app = set_up(client)
    client.logout()
    return app


def set_up(browser):
    page = browser.post(reverse("admin:two_factor_begin"), follow=True)
    app = App(page.context["secret"])
    done = browser.post(reverse("admin:two_factor_confirm"), {"code": app.code()}, follow=True)
    app.backup_codes = done.context["codes"]
    return app
