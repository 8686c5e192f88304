"""Errors of the API as problem details (RFC 9457), in the reader's language."""

import json
from urllib.parse import urljoin

from django.conf import settings
from django.http import HttpResponse
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext, gettext_lazy as _
from ninja import Schema
from pydantic import Field

MEDIA_TYPE = "application/problem+json"
SHOWN = 60  # characters of a bad value that a message repeats

TITLES = {
    400: _("Bad request"),
    403: _("Forbidden"),
    404: _("Not found"),
    405: _("Method not allowed"),
    413: _("Content too large"),
    415: _("Unsupported media type"),
    422: _("Values that cannot be used"),
    429: _("Too many requests"),
    500: _("Internal error"),
}


class ProblemError(Schema):
    """What is wrong with one parameter or answer."""

    key: str = Field(description="Name of the parameter or answer.")
    detail: str = Field(description="What is wrong and what would be right, in the reader's language.")


class Problem(Schema):
    """Problem details as RFC 9457 describes them."""

    type: str = Field(
        description="Kind of error: an address that explains it, or `about:blank` where the status says all."
    )
    title: str = Field(description="The kind in words, in the reader's language.")
    status: int = Field(description="HTTP status.")
    detail: str = Field(description="What happened here, in the reader's language.")
    errors: list[ProblemError] = Field(
        description="One entry for each bad key; empty where no key is to blame."
    )


def response(status, detail, *, kind="", errors=(), headers=None):
    """Return an error as a response.

    Args:
        detail: what happened, a sentence in the active language.
        kind: the anchor that explains the error on the API's page; "": the status says all.
        errors: (key, text) pairs.
    """
    problem = {
        "type": _address(kind) if kind else "about:blank",
        "title": str(TITLES[status]),
        "status": status,
        "detail": str(detail),
        "errors": [{"key": key, "detail": str(text)} for key, text in errors],
    }
    content = json.dumps(problem, ensure_ascii=False)
    return HttpResponse(content, status=status, content_type=MEDIA_TYPE, headers=headers)


def _address(kind):
    """Return what names a kind of error, whatever the reader's language: where it is explained."""
    with translation.override("en"):
        return urljoin(settings.SITE_URL, f"{reverse('catalog:api')}#{kind}")


def not_found():
    return response(404, gettext("There is nothing at this address."))


def bad_parameters(errors):
    """Return the answer to bad query parameters, (key, text) pairs."""
    detail = gettext("Some parameters cannot be used. Each is named with what would be right.")
    return response(422, detail, kind="bad-parameters", errors=errors)


def bad_answers(problems):
    """Return the answer to answers that cannot be reckoned with: things with a `key` and a `text`."""
    detail = gettext("Some answers cannot be used. Each is named with what would be right.")
    texts = {}
    for problem in problems:
        texts.setdefault(problem.key, problem.text)
    return response(422, detail, kind="bad-answers", errors=texts.items())


def shown(value):
    """Return a bad value as a message repeats it: printable and short."""
    text = "".join(sign if sign.isprintable() else " " for sign in str(value))
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def not_a_choice(value, choices):
    return gettext("“%(value)s” is not possible here. Possible are: %(choices)s.") % {
        "value": shown(value),
        "choices": ", ".join(choices),
    }


def not_in_catalog(value):
    return gettext("“%(value)s” is not in the catalog.") % {"value": shown(value)}
