"""The API: what all of its addresses share. Read-only, without keys or cookies; apps bring the operations.

A posted question changes nothing and no cookie is read, so that there is nothing a forged request could
gain: CSRF tokens are not asked for. No CORS headers are sent: scripts of other sites cannot read the answers.
"""

import re
from functools import wraps

from django.conf import settings
from django.http import Http404
from django.urls import path
from django.utils.translation import get_language, gettext as _
from django.views.decorators.http import require_safe
from ninja import NinjaAPI, Schema
from ninja.errors import HttpError, Throttled, ValidationError
from ninja.renderers import JSONRenderer
from pydantic import Field

import catalog.api
import recommender.api
from aiservers import bodies, openapi, problems, throttling
from catalog import versions
from recommender.services import RULES_VERSION, BadAnswers

DESCRIPTION = f"""Servers for AI work, their figures with the source of each, and advice.

Read-only and public: no key, no cookie. Texts follow `Accept-Language` or `language` (es, ru, en). Unknown is
`null`, never 0; numbers are plain; units stand in the names (GB is what is printed on the box, GiB is 2³⁰
bytes). Three numbers are low, typical, high.

From one address at most {throttling.READ.limit} requests a minute to lists and single things,
{throttling.COMPUTE.limit} to `memory` and {throttling.ADVISE.limit} to `recommendations`; more are answered
with 429 and `Retry-After`. Answers may be kept for a minute and are checked by `ETag` and `If-None-Match`
after that. Errors are problem details (RFC 9457)."""


class Readable(JSONRenderer):
    json_dumps_params = bodies.WRITTEN


class API(NinjaAPI):
    _description = None

    def get_openapi_schema(self, **options):
        """Return the description with what all operations share; made once."""
        if self._description is None:
            self._description = openapi.documented(super().get_openapi_schema(**options))
        return self._description


api = API(
    title="AI servers",
    version="1",
    description=DESCRIPTION,
    urls_namespace="api",
    docs_decorator=require_safe,  # of the description
    docs_url=None,  # its pages load scripts and styles from a third party
    servers=[{"url": settings.SITE_URL}],
    throttle=[throttling.READ],
    renderer=Readable(),
)
api.add_router("", catalog.api.router)
api.add_router("", recommender.api.router)


class Index(Schema):
    catalog_version: str = Field(description="Raised by every change of a fact.")
    rules_version: str = Field(description="Raised by every change of a formula.")
    language: str = Field(description="Of the texts in this answer.")
    addresses: dict[str, str] = Field(description="Where the lists are, by name.")


@api.get("/", response=Index, operation_id="index", summary="What there is", tags=["catalog"])
def index(request):
    names = (
        "servers",
        "gpus",
        "models",
        "workloads",
        "benchmarks",
        "recommendations",
        "memory",
        "openapi.json",
    )
    return {
        "catalog_version": versions.current(),
        "rules_version": RULES_VERSION,
        "language": get_language(),
        "addresses": {name: request.build_absolute_uri(f"{request.path}{name}") for name in names},
    }


# Errors


@api.exception_handler(Http404)
def _not_found(request, error):
    return problems.not_found()


@api.exception_handler(BadAnswers)
def _bad_answers(request, error):
    return problems.bad_answers(error.problems)


@api.exception_handler(bodies.Refused)
def _refused(request, error):
    return error.response


@api.exception_handler(HttpError)
def _http_error(request, error):
    if isinstance(error, Throttled):
        return problems.response(429, _("This address asked too often. Try again in a minute."))
    return problems.response(error.status_code, str(error))


@api.exception_handler(ValidationError)
def _invalid(request, error):
    texts = {}
    for item in error.errors:
        # query, query: the parameters' model, its field, where in a list
        key = next((str(part) for part in reversed(item["loc"]) if not isinstance(part, int)), "")
        texts.setdefault(key, _parameter_text(request, key, item))
    return problems.bad_parameters(texts.items())


def _parameter_text(request, key, item):
    """Return what is wrong with a parameter, for an error of pydantic."""
    kind, context, values = item["type"], item.get("ctx", {}), request.GET.getlist(key)
    position = next((part for part in item["loc"] if isinstance(part, int)), -1)
    value = values[position] if -1 <= position < len(values) and values else ""
    if kind == "literal_error":
        return problems.not_a_choice(value, re.findall(r"'([^']*)'", context["expected"]))
    if kind in ("int_parsing", "int_from_float", "int_parsing_size"):
        return _("“%(value)s” is not a whole number.") % {"value": problems.shown(value)}
    if kind in ("float_parsing", "finite_number"):
        return _("This is not a number. Write it like 1500 or 1.5.")
    if kind == "greater_than_equal":
        return _("This is too little: at least %(minimum)s is possible.") % {"minimum": context["ge"]}
    if kind == "less_than_equal":
        return _("This is too much: at most %(maximum)s is possible.") % {"maximum": context["le"]}
    if kind == "string_too_long":
        return _("%(value)s characters are too many: at most %(maximum)s are possible.") % {
            "value": len(value),
            "maximum": context["max_length"],
        }
    if kind == "too_long":
        return _("At most %(maximum)s values are possible here.") % {"maximum": context["max_length"]}
    return _("This value is not possible here.")


# Addresses


def answered(view):
    """Return a view that answers HEAD like GET, and describes every error."""

    @wraps(view)
    def wrapped(request, *args, **kwargs):
        is_head = request.method == "HEAD"
        if is_head:
            request.method = "GET"  # the server leaves the body out
        try:
            response = view(request, *args, **kwargs)
        except Http404:
            response = problems.not_found()
        finally:
            if is_head:
                request.method = "HEAD"
        return _not_allowed(response["Allow"]) if response.status_code == 405 else response

    wrapped.csrf_exempt = True
    return wrapped


def _not_allowed(methods):
    allowed = set(methods.split(", "))
    allowed |= {"HEAD"} if "GET" in allowed else set()
    names = ", ".join(sorted(allowed))
    detail = _("This address takes %(methods)s only.") % {"methods": names}
    return problems.response(405, detail, headers={"Allow": names})


def nowhere(request, rest):
    return problems.not_found()


nowhere.csrf_exempt = True  # a POST to a wrong address is told so, and not asked for a token

urlpatterns, app_name, namespace = api.urls
for pattern in urlpatterns:
    pattern.callback = answered(pattern.callback)
urlpatterns += [path("<path:rest>", nowhere)]
