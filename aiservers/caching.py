"""What caches may keep: the headers of every kind of page, set here and nowhere else.

kind        which responses                           Cache-Control        also
public      pages under a language, sitemap, robots   public, max-age=60   ETag; Vary on htmx's headers; gzip
results     the same, of no use to a search engine    public, max-age=60   the same; X-Robots-Tag: noindex
api         GET under /api/v1/                        public, max-age=60   ETag; Vary: A.-Language; noindex
negotiated  redirects by the browser's languages      no-store             Vary: Accept-Language
private     sets or reads a cookie, or was posted     no-store             X-Robots-Tag: noindex
secret      under a brief's or preview's token        no-store             noindex; Referrer-Policy
other       errors, health                            no-store
"""

import hashlib
from functools import cache
from http import HTTPStatus

from django.conf import settings
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import get_language

from catalog import versions

PUBLIC_SECONDS = 60
VARY = ["HX-Request", "HX-Boosted", "HX-History-Restore-Request", "Accept-Encoding"]

# Pages that answer one reader's question, and lists that are one of countless cuts of the same facts.
NOINDEX_VIEWS = {
    "recommender:questions",
    "recommender:step",
    "recommender:check",
    "recommender:results",
    "recommender:plans",
    "recommender:what_if",
    "recommender:workings",
    "recommender:measuring",
    "catalog:compare",
    "catalog:server_file",
    "catalog:search",
}
NOT_FILTERS = {"page", "sort"}
# Found without a query only.
BARE_VIEWS = {"recommender:calculator", "catalog:ai_model_list", "catalog:guide_list"}

# Whoever has the address may read: it is told to nobody. Where a form is posted only the origin is told:
# without it Django refuses the form.
SECRET_NAMESPACES = {"briefs", "previews"}
SECRET_VIEWS = {"brief_link"}
POSTED_VIEWS = {"briefs:new", "briefs:owner", "briefs:sales"}

# Forms that everybody may post: kept by nobody, found by no search engine.
PRIVATE_NAMESPACES = {"reports"}

API_PATH = "/api/v1/"
SERVICE_PATHS = ("/sitemap.xml", "/robots.txt")
CODE_FOLDERS = ("aiservers", "catalog", "recommender", "templates", "static", "locale")


@cache
def release():
    """Name what is running: RELEASE where it is set, else the time of the newest file of the project."""
    if settings.RELEASE:
        return settings.RELEASE
    files = (path for folder in CODE_FOLDERS for path in (settings.BASE_DIR / folder).rglob("*.*"))
    newest = max(path.stat().st_mtime_ns for path in files if path.suffix != ".pyc")
    return (
        f"{newest}-{settings.VENDOR_NAME}-{settings.VENDOR_LOGO}-{settings.SALES_CONTACT}-{settings.SITE_URL}"
    )


def etag(request):
    """Return the ETag of a public page: the same until a fact, the release or the language changes.

    The day is part of it, since prices hold for days.
    """
    swaps = bool(request.htmx) and not (request.htmx.boosted or request.htmx.history_restore_request)
    # What the API answers depends on the whole address; a page's ETag is asked at its own address only.
    address = request.get_full_path() if is_api(request) else ""
    versions_now = f"{versions.current()} {versions.content()} {timezone.localdate()}"
    state = f"{versions_now} {get_language()} {release()} {swaps} {address}"
    return f'"{hashlib.sha256(state.encode()).hexdigest()[:20]}"'


def is_public(request):
    """Tell whether the address is one that everybody sees alike."""
    path = request.path_info
    return path in SERVICE_PATHS or path.split("/")[1] in dict(settings.LANGUAGES) or is_api(request)


def is_api(request):
    """Tell whether the address is one of the API: the same for everybody who asks for the same language."""
    return request.path_info.startswith(API_PATH)


def is_secret(request):
    """Tell whether the address itself is the key to what it shows."""
    match = request.resolver_match
    return bool(match) and (match.namespace in SECRET_NAMESPACES or match.view_name in SECRET_VIEWS)


def is_private(request):
    """Tell whether the page has a form to post, and with it a cookie."""
    return bool(request.resolver_match) and request.resolver_match.namespace in PRIVATE_NAMESPACES


def has_noindex(request):
    """Tell whether search engines should leave this address alone."""
    if is_secret(request) or is_private(request):
        return True
    filters = [key for key, value in request.GET.items() if value and key not in NOT_FILTERS]
    view_name = request.resolver_match.view_name
    return view_name in NOINDEX_VIEWS or len(filters) > (0 if view_name in BARE_VIEWS else 1)


class CachingMiddleware:
    """Answers "not modified" before a view runs, and sets the headers above after it."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        with versions.read_once():
            return self._response(request)

    def _response(self, request):
        response = self.get_response(request)
        if request.path_info.startswith("/admin/"):
            return response  # the admin says never_cache itself
        if is_secret(request):
            self._set_secret_headers(request, response)
        elif (
            is_private(request)
            or response.cookies
            or "Cookie" in response.get("Vary", "")
            or request.method not in ("GET", "HEAD")
        ):
            response.headers["Cache-Control"] = "no-store"
            response.headers["X-Robots-Tag"] = "noindex"
        elif is_public(request) and response.status_code < HTTPStatus.BAD_REQUEST:
            response = self._with_public_headers(request, response)
        else:
            response.headers["Cache-Control"] = "no-store"
        return response

    def process_view(self, request, view, args, kwargs):
        if settings.DEBUG or not is_public(request) or is_secret(request) or is_private(request):
            return None
        if is_api(request) and request.method not in ("GET", "HEAD"):
            return None  # a posted question has no state of its own that a condition could name
        # Before the view reads its facts: what changes meanwhile makes another ETag, not a stale page.
        request.etag = etag(request)
        if is_api(request) and request.headers.get("If-None-Match", "").strip() == "*":
            return None  # only the view can tell whether there is anything: see below
        return get_conditional_response(request, etag=request.etag)

    def _set_secret_headers(self, request, response):
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Robots-Tag"] = "noindex"
        posted = request.resolver_match.view_name in POSTED_VIEWS
        response.headers["Referrer-Policy"] = "strict-origin" if posted else "no-referrer"

    def _with_public_headers(self, request, response):
        if not is_api(request):
            patch_vary_headers(response, VARY)
        if is_api(request) or (request.resolver_match and has_noindex(request)):
            response.headers["X-Robots-Tag"] = "noindex"
        if settings.DEBUG:  # templates change under the developer's hands
            response.headers["Cache-Control"] = "no-cache"
            return response
        response.headers["Cache-Control"] = f"public, max-age={PUBLIC_SECONDS}"
        if response.status_code in {HTTPStatus.OK, HTTPStatus.NOT_MODIFIED}:
            response.headers["ETag"] = request.etag
            if is_api(request) and response.status_code == HTTPStatus.OK:
                return get_conditional_response(request, etag=request.etag, response=response)
        return response
