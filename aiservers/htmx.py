"""The only reader of htmx's request headers."""


def template_for(request, page, *, partial):
    """Name the template to render: the page, or one partial of it for an htmx swap.

    A boosted visit and a restored history entry need the whole page, although htmx asks for them.
    """
    htmx = request.htmx
    swaps = htmx and not (htmx.boosted or htmx.history_restore_request)
    return f"{page}#{partial}" if swaps else page
