"""JSON as it comes and goes: read within limits or refused with a reason, its letters as they are."""

import json

from django.core.exceptions import RequestDataTooBig
from django.utils.translation import gettext as _

from aiservers import problems

MAX_BODY = 64 * 1024  # bytes
WRITTEN = {"ensure_ascii": False, "allow_nan": False, "separators": (",", ":")}  # how JSON is answered
JSON_TYPES = {"", "application/json"}  # no type: JSON is what is expected
BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


class Refused(Exception):
    """A body that is not read; `response` says why."""

    def __init__(self, response):
        super().__init__(response.status_code)
        self.response = response


def posted_json(request):
    """Return the posted value; an empty object where the body is empty.

    Raises:
        Refused: too large, of another type, or not JSON.
    """
    try:
        # A length that is not stated is one that nothing is read of.
        body = request.body if int(request.META.get("CONTENT_LENGTH") or 0) <= MAX_BODY else None
    except (RequestDataTooBig, ValueError):
        body = None
    if body is None:
        text = _("The body is too large: at most %(maximum)s bytes are read.") % {"maximum": MAX_BODY}
        raise Refused(problems.response(413, text))
    if body and request.content_type not in JSON_TYPES:
        text = _("The body must be JSON, sent as application/json.")
        raise Refused(problems.response(415, text, headers={"Accept": "application/json"}))
    try:
        text = body.decode("utf-8").removeprefix(BYTE_ORDER_MARK)
        return json.loads(text, parse_constant=str) if body else {}
    except (ValueError, RecursionError):
        text = _("The body is not JSON.")
        raise Refused(problems.response(400, text, kind="bad-json")) from None
