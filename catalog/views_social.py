"""The pictures that links to our pages carry elsewhere."""

from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from aiservers import social


@require_safe
def social_image(request, name, **of):
    """Draw the picture of a page, by the name of its address and its slug."""
    make = social.registered(name)
    try:
        card = make and make(**of)
    except (ObjectDoesNotExist, TypeError) as error:  # no such object, or a slug where the page has none
        raise Http404 from error
    if card is None:
        raise Http404
    return HttpResponse(social.drawn(card), content_type="image/png")
