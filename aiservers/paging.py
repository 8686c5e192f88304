"""Lists of the API: a part of a list at a time, with the addresses of the parts around it."""

from typing import Annotated

from django.utils.translation import ngettext
from ninja import Schema
from pydantic import Field

from aiservers.problems import shown
from catalog import versions

DEFAULT_LIMIT, MAX_LIMIT, MAX_OFFSET = 20, 100, 10_000
MAX_NAMED = 3  # strange keys that a notice repeats
COMMON = {"language"}  # what every address of the API takes

Limit = Annotated[int, Field(ge=1, le=MAX_LIMIT, description=f"Rows at most, up to {MAX_LIMIT}.")]
Offset = Annotated[int, Field(ge=0, le=MAX_OFFSET, description=f"Rows to skip, up to {MAX_OFFSET}.")]


class PageQuery(Schema):
    limit: Limit = DEFAULT_LIMIT
    offset: Offset = 0


class Page[Item](Schema):
    """A part of a list."""

    catalog_version: str = Field(description="Raised by every change of a fact.")
    total: int = Field(description="Rows of the whole list.")
    limit: int
    offset: int
    next: str | None = Field(description="Address of the next part; null: this is the last one.")
    previous: str | None = Field(description="Address of the part before; null: this is the first one.")
    notices: list[str] = Field(description="What was left out, in the reader's language.")
    items: list[Item]


def page(request, query, rows, total=None):
    """Return a part of `rows` (a queryset or a list) as `Page` describes it.

    Args:
        query: the PageQuery that was asked, whose fields are the parameters that are known.
        total: the number of rows, where it is known.
    """
    if total is None:
        total = len(rows) if isinstance(rows, list) else rows.count()
    limit, offset = query.limit, query.offset
    after, before = offset + limit, max(offset - limit, 0)
    if offset >= total:  # beyond the end: back to the last part
        before = max(total - 1, 0) // limit * limit
    return {
        "catalog_version": versions.current(),
        "total": total,
        "limit": limit,
        "offset": offset,
        "next": _address(request, after) if after < total and after <= MAX_OFFSET else None,
        "previous": _address(request, before) if offset else None,
        "notices": unknown_notices(request, type(query).model_fields),
        "items": list(rows[offset : offset + limit]),
    }


def unknown_notices(request, known):
    """Return a sentence that names the parameters nobody knows; an empty list: there are none."""
    strange = [key for key in request.GET if key not in known and key not in COMMON]
    if not strange:
        return []
    names = ", ".join(shown(key) for key in strange[:MAX_NAMED]) + ("…" if len(strange) > MAX_NAMED else "")
    text = ngettext(
        "The address has a part that this list does not know: %(names)s. It was left out.",
        "The address has parts that this list does not know: %(names)s. They were left out.",
        len(strange),
    )
    return [text % {"names": names}]


def _address(request, offset):
    query = request.GET.copy()
    query["offset"] = offset
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
