"""The datasheet of a server, to download."""

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from catalog import datasheet
from catalog.models import Server


@require_safe
def server_datasheet(request, slug):
    row = get_object_or_404(Server.objects.for_page(), slug=slug)
    response = HttpResponse(datasheet.made(row), content_type="application/pdf")
    response["Content-Disposition"] = f'attachment; filename="{row.slug}-{get_language()}.pdf"'
    # For search engines the page is the original.
    page = f"{settings.SITE_URL}{reverse('catalog:server', args=[row.slug])}"
    response["Link"] = f'<{page}>; rel="canonical"'
    return response
