"""Signing in: a name, a password and, from whoever has set it up, a code; too many failures lock."""

import math

from axes.attempts import get_cool_off_threshold
from axes.models import AccessAttempt
from django import forms
from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.signals import user_login_failed
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from aiservers.staff import second_factor
from aiservers.throttling import network_of


class SignInForm(AdminAuthenticationForm):
    """Asks for all three at once, so that nothing has to be kept between two pages."""

    code = forms.CharField(
        label=_("Code"),
        required=False,
        max_length=16,
        strip=True,
        help_text=_("From your authenticator app, or a backup code. Empty if you have not set this up."),
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autocapitalize": "none"}),
    )

    def clean(self):
        data = super().clean()
        user = self.get_user()
        if user is not None and second_factor.is_set(user):
            code = data.get("code")
            if not code:
                self.add_error("code", _("Type your password again, and the code that your app shows now."))
            elif device := second_factor.verified(user, code):
                user.otp_device = device
            else:
                failed_code(self.request, user)
                self.add_error("code", _("This code is wrong or was used already. Wait for the next one."))
        return data


def failed_code(request, user):
    """Count a wrong code as a failure to sign in."""
    user_login_failed.send(
        sender=__name__,
        credentials={"username": user.get_username(), "second_factor": True},
        request=request,
    )


def client_address(request):
    """Return the client's address as failures are counted by it: of IPv6 the network of 64 bits."""
    return network_of(request.META.get("REMOTE_ADDR", "")).partition("/")[0] or None


def locked_out(request, response, credentials):
    """Answer who has failed too often: how long it takes until the next try counts."""
    last = (
        AccessAttempt.objects.filter(
            username=(credentials or {}).get("username"),
            ip_address=request.axes_ip_address,
            attempt_time__gte=get_cool_off_threshold(request),
        )
        .order_by("-attempt_time")
        .values_list("attempt_time", flat=True)
        .first()
    )
    passed = request.axes_attempt_time - (last or request.axes_attempt_time)
    seconds = max(1, math.ceil((settings.AXES_COOLOFF_TIME - passed).total_seconds()))
    page = render(request, "admin/locked.html", {"minutes": math.ceil(seconds / 60)}, status=429)
    page.headers["Retry-After"] = str(seconds)
    page.headers["Cache-Control"] = "no-store"
    return page
