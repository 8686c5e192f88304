"""The only reader of htmx's request headers."""

from django.http import HttpResponseRedirect
from django_htmx.http import HttpResponseClientRedirect


def swaps(request):
    """Tell whether the answer is put into a page that the reader has open.

    A boosted visit and a restored history entry need the whole page, although htmx asks for them.
    """
    htmx = request.htmx
    return bool(htmx) and not (htmx.boosted or htmx.history_restore_request)


def target(request):
    """Return the id of the element that the answer is put into; "" where it is a page."""
    return (request.htmx.target or "") if swaps(request) else ""


def template_for(request, page, *, partial):
    """Name the template to render: the page, or one partial of it for an htmx swap."""
    return f"{page}#{partial}" if swaps(request) else page


def redirect_to(request, address):
    """Return the redirect that opens another page, also where htmx asks for a part of this one."""
    if swaps(request):
        return HttpResponseClientRedirect(address)
    return HttpResponseRedirect(address, max_length=None)
