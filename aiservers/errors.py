"""Errors outside of any view: pages for readers, problem details under the API."""

from django.utils.translation import gettext as _
from django.views import defaults

from aiservers import problems
from aiservers.caching import is_api


def bad_request(request, exception):
    if is_api(request):
        return problems.response(400, _("The request cannot be read."))
    return defaults.bad_request(request, exception)


def server_error(request):
    if is_api(request):
        return problems.response(500, _("Something went wrong on our side. It has been noted."))
    return defaults.server_error(request)
