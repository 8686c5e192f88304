"""Lists on pages: a page at a time, with a note where the address asks for one that is not there."""

from django.core.paginator import EmptyPage, InvalidPage, PageNotAnInteger, Paginator
from django.utils.translation import gettext as _

LONGEST = 40  # characters of a value that a note repeats


def page_of(request, rows, size):
    """Return (the page of `rows` that the address asks for or the nearest one, notes for the reader).

    A later page of the whole list is a page of its own to search engines; of a filtered list it is not.
    """
    asked = request.GET.get("page") or 1
    pages = Paginator(rows, size)
    page = _nearest(pages, asked)
    if page.number > 1 and set(request.GET) == {"page"}:
        request.own_query = f"?page={page.number}"
    try:
        pages.validate_number(asked)
    except InvalidPage:
        value = "".join(character for character in asked if character.isprintable())
        value = value if len(value) <= LONGEST else f"{value[:LONGEST]}…"
        text = _("This list has no page “%(value)s”. Page %(page)s is shown.")
        return page, [text % {"value": value, "page": page.number}]
    return page, []


def _nearest(pages, asked):
    """Return the page that is asked for; the first one for what is no number or comes before it."""
    try:
        return pages.page(asked)
    except PageNotAnInteger:
        return pages.page(1)
    except EmptyPage:
        return pages.page(1 if int(asked) < 1 else pages.num_pages)
