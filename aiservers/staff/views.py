"""Pages of the admin that belong to no table: the second factor of whoever is signed in, and help."""

from datetime import timedelta

import django_otp
from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.http import Http404, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from aiservers.staff import audit, second_factor
from aiservers.staff.help import ROLES
from aiservers.staff.sign_in import failed_code

SHOWN_ONCE = "backup_codes"  # in the session, from the page that made them to the one that shows them


class CodeForm(forms.Form):
    """A code that proves the second factor."""

    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=16,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autocapitalize": "none"}),
    )


@require_safe
def two_factor(request):
    """Show where the second factor of the signed-in user stands, and the next step."""
    device = second_factor.app_of(request.user)
    begun = None if device else second_factor.begun(request.user)
    return _page(
        request,
        "admin/two_factor.html",
        _("Two-factor sign-in"),
        device=device,
        is_due=second_factor.is_due(request.user),
        qr_code=second_factor.qr_code(begun) if begun else "",
        secret=second_factor.secret(begun) if begun else "",
        codes=request.session.pop(SHOWN_ONCE, []),
        codes_left=second_factor.backup_codes_left(request.user) if device else 0,
        form=CodeForm(),
    )


@require_POST
def begin(request):
    """Make a secret for a new app; the one in force stays until it is removed."""
    if not second_factor.is_set(request.user):
        second_factor.begin(request.user)
    return _back()


@sensitive_post_parameters("code")
@require_POST
def confirm(request):
    """Put the new app in force when it shows the right code."""
    device = second_factor.confirm(request.user, request.POST.get("code", "")[:16])
    if device is None:
        failed_code(request, request.user)
        messages.error(request, _("This is no code of the new app. Check its clock, and try the next one."))
        return _back()
    django_otp.login(request, device)
    request.session.cycle_key()
    request.session[SHOWN_ONCE] = second_factor.make_backup_codes(request.user)
    audit.note(request, audit.Act.FACTOR_SET)
    messages.success(request, _("From now on, signing in asks for a code of this app."))
    return _back()


@sensitive_post_parameters("code")
@require_POST
def codes(request):
    """Make new backup codes for whoever shows a code."""
    if _proved(request):
        request.session[SHOWN_ONCE] = second_factor.make_backup_codes(request.user)
        audit.note(request, audit.Act.CODES)
    return _back()


@sensitive_post_parameters("code")
@require_POST
def remove(request):
    """Take the second factor away from whoever shows a code."""
    if _proved(request):
        second_factor.remove(request.user)
        audit.note(request, audit.Act.FACTOR_REMOVED)
        messages.success(request, _("Signing in asks for your password only."))
    return _back()


# What stays open to whoever has to set up a second factor first.
OPEN = (two_factor, begin, confirm)


def _proved(request):
    if second_factor.verified(request.user, request.POST.get("code", "")[:16]):
        return True
    failed_code(request, request.user)
    messages.error(request, _("This code is wrong or was used already. Wait for the next one."))
    return False


def _back():
    return HttpResponseRedirect(reverse("admin:two_factor"))


@require_safe
def help_index(request):
    return _page(request, "admin/help/index.html", _("Help"), roles=ROLES.values())


@require_safe
def help_page(request, role):
    """Explain a role's daily work."""
    if role not in ROLES:
        raise Http404
    chosen = ROLES[role]
    return _page(
        request,
        f"admin/help/{role}.html",
        chosen.title,
        role=chosen,
        failure_limit=settings.AXES_FAILURE_LIMIT,
        lock_minutes=settings.AXES_COOLOFF_TIME // timedelta(minutes=1),
    )


def _page(request, template, title, **context):
    return TemplateResponse(request, template, admin.site.each_context(request) | {"title": title} | context)
