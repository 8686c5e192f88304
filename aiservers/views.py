"""The views that belong to no app: the reader's language, health, robots."""

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language_from_request
from django.views.decorators.http import require_safe

from catalog import versions


@require_safe
def choose_language(request):
    """Send the reader on to the home page in the best of our languages that the browser asks for."""
    response = HttpResponseRedirect(f"/{get_language_from_request(request)}/")
    patch_vary_headers(response, ["Accept-Language"])
    return response


@require_safe
def live(request):
    """Say that the process answers; nothing else is asked."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def ready(request):
    """Say whether pages can be served: 200 when every check holds, else 503; the body names each."""
    checks = {"database": False, "migrations": False, "catalog": False}
    try:
        executor = MigrationExecutor(connection)
        checks["database"] = True
        checks["migrations"] = not executor.migration_plan(executor.loader.graph.leaf_nodes())
        checks["catalog"] = checks["migrations"] and versions.current() != "0"
    except DatabaseError:
        pass  # what could not be checked stays false
    return JsonResponse(checks, status=200 if all(checks.values()) else 503)


@require_safe
def robots(request):
    """Name what crawlers should leave alone, and the sitemap."""
    lines = ["User-agent: *", "Disallow: /admin/", "", f"Sitemap: {settings.SITE_URL}/sitemap.xml", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain")
