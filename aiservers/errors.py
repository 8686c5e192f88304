"""Errors outside of any view: pages for readers, problem details under the API."""

from http import HTTPStatus

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.shortcuts import render
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_lazy
from django.views import defaults

from aiservers import problems
from aiservers.caching import is_api

# The list of a section, and the words of a link to it.
SECTIONS = {
    "catalog:server_list": gettext_lazy("All servers"),
    "catalog:gpu_list": gettext_lazy("All GPUs and accelerators"),
    "catalog:ai_model_list": gettext_lazy("All AI models"),
    "catalog:workload_list": gettext_lazy("All kinds of work"),
    "catalog:guide_list": gettext_lazy("All guides"),
    "catalog:glossary": gettext_lazy("The whole glossary"),
}


def bad_request(request, exception):
    if is_api(request):
        return problems.response(400, _("The request cannot be read."))
    if isinstance(exception, RequestDataTooBig):
        limit = filesizeformat(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
        return render(request, "413.html", {"limit": limit}, status=HTTPStatus.CONTENT_TOO_LARGE)
    return defaults.bad_request(request, exception)


def page_not_found(request, exception):
    """Show what is not there; under a section of the catalog, with a way to its list."""
    if is_api(request):
        return defaults.page_not_found(request, exception)
    lists = ((reverse(name), text) for name, text in SECTIONS.items())
    section = next(((url, text) for url, text in lists if request.path.startswith(url)), None)
    return render(request, "404.html", {"section": section}, status=HTTPStatus.NOT_FOUND)


def server_error(request):
    if is_api(request):
        return problems.response(500, _("Something went wrong on our side. It has been noted."))
    return defaults.server_error(request)
