"""Who is asking, through which proxy, and the log line about it."""

import logging
import re
import time
import uuid
from ipaddress import ip_address

from django.conf import settings
from django.middleware.gzip import GZipMiddleware
from django.utils import translation

from aiservers import logs, problems
from aiservers.caching import is_api

access_log = logging.getLogger("aiservers.access")

_REQUEST_ID = re.compile(r"[A-Za-z0-9-]{8,64}")


def _is_trusted(address):
    try:
        address = ip_address(address)
    except ValueError:
        return False
    return any(address in network for network in settings.TRUSTED_PROXIES)


def trusted_proxy(get_response):
    """Believe X-Forwarded-* and X-Request-ID only where a trusted proxy sent them.

    REMOTE_ADDR becomes the last address in front of our own proxies.
    """

    def middleware(request):
        meta = request.META
        if _is_trusted(meta.get("REMOTE_ADDR", "")):
            hops = [hop.strip() for hop in meta.get("HTTP_X_FORWARDED_FOR", "").split(",")]
            client = next((hop for hop in reversed(hops) if hop and not _is_trusted(hop)), None)
            meta["REMOTE_ADDR"] = client or meta["REMOTE_ADDR"]
        else:
            for header in ("FOR", "PROTO", "HOST", "PORT"):
                meta.pop(f"HTTP_X_FORWARDED_{header}", None)
            meta.pop("HTTP_X_REQUEST_ID", None)
        return get_response(request)

    return middleware


def api_language(get_response):
    """Let `language` in an address of the API go before the headers; refuse one that there is no text in."""

    def middleware(request):
        asked = request.GET.get("language") if is_api(request) else None
        if asked is not None:
            languages = list(dict(settings.LANGUAGES))
            if asked not in languages:
                return problems.bad_parameters([("language", problems.not_a_choice(asked, languages))])
            translation.activate(asked)
            request.LANGUAGE_CODE = asked
        return get_response(request)

    return middleware


class CompressPublic(GZipMiddleware):
    """Compress what everybody sees alike: there is no secret in it for its length to tell (BREACH)."""

    def process_response(self, request, response):
        is_public = response.get("Cache-Control", "").startswith("public")
        if not is_public or response.get("Content-Type") == "image/png":
            return response
        return super().process_response(request, response)


def request_log(get_response):
    """Give every request an id, in the answer and in every log line, and write one line about it."""

    def middleware(request):
        started = time.monotonic()
        given = request.META.get("HTTP_X_REQUEST_ID", "")
        request.id = given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        token = logs.request_id.set(request.id)
        try:
            response = get_response(request)
            response.headers["X-Request-ID"] = request.id
            fields = {
                "method": request.method,
                "path": logs.safe_path(request),
                "status": response.status_code,
                "milliseconds": round((time.monotonic() - started) * 1000),
            }
            access_log.info("request", extra={"fields": fields})
            return response
        finally:
            logs.request_id.reset(token)

    return middleware
