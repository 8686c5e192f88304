"""The audit log: one line where something happens, `audit.note(request, audit.Act.EXPORT, "gpus.xlsx")`."""

from axes.signals import user_locked_out
from django.contrib.auth import get_user_model
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed

from aiservers.staff.models import AuditEntry

Act = AuditEntry.Act
LONGEST = AuditEntry._meta.get_field("what").max_length


def note(request, act, what="", *, user=None):
    """Write down who did what from where; the user is the request's, unless another one is meant."""
    user = user or getattr(request, "user", None)
    known = user is not None and user.is_authenticated
    AuditEntry.objects.create(
        act=act,
        user_id=user.pk if known else None,
        who=user.get_username() if known else "",
        address=request.META.get("REMOTE_ADDR") or None,
        what=str(what)[:LONGEST],
    )


def connect():
    """Follow what Django and axes say about sign-ins."""
    user_logged_in.connect(_signed_in, dispatch_uid="audit_signed_in")
    user_logged_out.connect(_signed_out, dispatch_uid="audit_signed_out")
    user_login_failed.connect(_failed, dispatch_uid="audit_failed")
    user_locked_out.connect(_locked, dispatch_uid="audit_locked")


def _signed_in(sender, request, user, **kwargs):
    note(request, Act.SIGN_IN, user=user)


def _signed_out(sender, request, user, **kwargs):
    if user is not None:
        note(request, getattr(request, "why_signed_out", Act.SIGN_OUT), user=user)


def _failed(sender, credentials, request=None, **kwargs):
    if request is not None and not getattr(request, "axes_locked_out", False):
        user = _named(credentials.get("username"))
        act = Act.FAILED_CODE if credentials.get("second_factor") else Act.FAILED
        note(request, act, user=user)


def _locked(sender, request, username, **kwargs):
    note(request, Act.LOCKED, user=_named(username))


def _named(username):
    """Return the user of that name. Other names are not kept: people type passwords into the wrong field."""
    return get_user_model()._default_manager.filter(username=username or "").first()
