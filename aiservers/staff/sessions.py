"""When a session ends: after an idle time (Django's cookie age), and at a time set by its beginning."""

import time

from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.signals import user_logged_in

from aiservers.staff.models import AuditEntry

ENDS_AT = "ends_at"  # seconds since 1970, in the session itself


def connect():
    user_logged_in.connect(_begun, dispatch_uid="session_begun")


def _begun(sender, request, **kwargs):
    request.session[ENDS_AT] = int(time.time()) + settings.SESSION_LONGEST_SECONDS


def _is_over(request):
    return request.user.is_authenticated and time.time() >= request.session.get(ENDS_AT, 0)


def absolute_end(get_response):
    """Sign out whoever signed in too long ago, however busy; a session without an end has none left."""

    def middleware(request):
        # Elsewhere nobody is asked who they are: a page that reads a cookie is kept by no cache.
        if request.path_info.startswith(settings.SESSION_COOKIE_PATH) and _is_over(request):
            request.why_signed_out = AuditEntry.Act.ENDED
            logout(request)
        return get_response(request)

    return middleware
