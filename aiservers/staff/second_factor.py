"""A second factor to sign in with: an authenticator app, and backup codes for the day it is lost."""

from base64 import b32encode

import django_otp
import segno
from django.conf import settings
from django.db import transaction
from django.utils.safestring import mark_safe
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

BACKUP_CODES = 10
DIGITS = TOTPDevice._meta.get_field("digits").default


def app_of(user):
    """Return the authenticator app that a user has confirmed, or None."""
    return TOTPDevice.objects.filter(user=user, confirmed=True).first()


def is_set(user):
    return TOTPDevice.objects.filter(user=user, confirmed=True).exists()


def is_due(user):
    """Tell whether the site requires a second factor of a user who has none."""
    return settings.STAFF_TWO_FACTOR == "required" and not is_set(user)


def may_pass(user):
    """Tell whether a session is as sure as it has to be: whoever has a second factor has shown it."""
    return user.is_verified() or not is_set(user)


def begin(user):
    """Make a new secret, not in force before a code has proved that the app has it."""
    TOTPDevice.objects.filter(user=user, confirmed=False).delete()
    return TOTPDevice.objects.create(user=user, name="app", confirmed=False)


def begun(user):
    return TOTPDevice.objects.filter(user=user, confirmed=False).first()


@transaction.atomic
def confirm(user, code):
    """Put the begun secret in force if the code is its own; return the app, or None."""
    device = TOTPDevice.objects.select_for_update().filter(user=user, confirmed=False).first()
    if device is None or is_set(user) or not device.verify_token(plain(code)):
        return None
    device.confirmed = True
    device.save(update_fields=["confirmed"])
    return device


@transaction.atomic
def make_backup_codes(user):
    """Return new backup codes, each good for one sign-in; the former ones are void."""
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name="backup")
    codes = [StaticToken.random_token() for _number in range(BACKUP_CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=device, token=code) for code in codes)
    return codes


def backup_codes_left(user):
    return StaticToken.objects.filter(device__user=user).count()


@transaction.atomic
def remove(user):
    """Delete everything; return whether there was a second factor."""
    StaticDevice.objects.filter(user=user).delete()
    deleted, _tables = TOTPDevice.objects.filter(user=user).delete()
    return bool(deleted)


def verified(user, code):
    """Return the device that a code belongs to, or None. A code is good once; failures slow the next try."""
    code = plain(code)
    # Six digits are the app's; one device is asked, so that a failure slows no other one.
    table = TOTPDevice if code.isdigit() and len(code) == DIGITS else StaticDevice
    device = table.objects.filter(user=user, confirmed=True).first()
    return django_otp.verify_token(user, device.persistent_id, code) if device else None


def plain(code):
    """Return a code without the spaces and dashes that people read it by, in small letters."""
    return "".join(code.split()).replace("-", "").lower()


def qr_code(device):
    """Return the drawing that an app reads the secret from; inline, so that no address ever shows it."""
    # Without a size of its own it has a viewBox, so that the style sheet scales and never crops it.
    drawing = segno.make(device.config_url, error="m").svg_inline(
        omitsize=True, light="#fff", svgclass="qr", lineclass=None
    )
    return mark_safe(drawing)  # segno's own drawing: it writes no text into it


def secret(device):
    """Return the secret for typing, in groups of four."""
    key = b32encode(device.bin_key).decode()
    return " ".join(key[start : start + 4] for start in range(0, len(key), 4))
