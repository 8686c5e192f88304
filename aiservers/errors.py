"""Errors outside of any view: pages for readers, problem details under the API."""

from http import HTTPStatus

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.shortcuts import render
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.views import defaults

from aiservers import problems
from aiservers.caching import is_api


def bad_request(request, exception):
    if is_api(request):
        return problems.response(400, _("The request cannot be read."))
    if isinstance(exception, RequestDataTooBig):
        limit = filesizeformat(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
        return render(request, "413.html", {"limit": limit}, status=HTTPStatus.CONTENT_TOO_LARGE)
    return defaults.bad_request(request, exception)


def server_error(request):
    if is_api(request):
        return problems.response(500, _("Something went wrong on our side. It has been noted."))
    return defaults.server_error(request)
