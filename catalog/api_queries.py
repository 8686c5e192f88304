"""What the lists of the API can be asked for. Servers take the filters of their page, whatever these are."""

from typing import Annotated, Any, Literal

from django.utils import translation
from pydantic import Field, create_model

from aiservers.paging import PageQuery
from catalog.filtering import facets, orders
from catalog.filtering.facets import FACETS, UNKNOWN, Limits

LARGEST = 1_000_000  # of any limit
MAX_VALUES = 20  # of one filter
LONGEST_TEXT = 100  # characters
# Filters whose choices are the same in every catalog; those of the others are slugs and figures of it.
LISTED = {
    "stage": facets.STAGES,
    "site": facets.SITES,
    "kind": facets.FORMS,
    "cooling": facets.COOLING,
    "card_width": facets.CARD_WIDTHS,
    "link": facets.LINKS,
    "gpu_bays": facets.GPU_BAYS,
    "orderable": facets.ORDERABLE,
}

Word = Annotated[str, Field(max_length=LONGEST_TEXT)]
Name = Annotated[str | None, Field(max_length=LONGEST_TEXT)]


def _one_of(words) -> Any:
    return Literal[tuple(words)]


def _limit(facet: Limits, label) -> tuple[Any, Any]:
    unit = f", {facet.unit}" if facet.unit else ""
    lowest = -LARGEST if facet.signed else 0
    return float | None, Field(
        None, ge=lowest, le=LARGEST, allow_inf_nan=False, description=f"{label}{unit}. {facet.hint}".strip()
    )


def _parameters(facet) -> dict[str, tuple[Any, Any]]:
    """Return {name: (type, field)} of one facet of the page."""
    if isinstance(facet, Limits):
        low, high = facet.number_keys
        asks = Field(None, max_length=MAX_VALUES, description=f"{facet.label}: those who do not publish it.")
        return {
            low: _limit(facet, facet.low_label),
            high: _limit(facet, facet.high_label),
            facet.name: (list[_one_of([UNKNOWN])] | None, asks),
        }
    words = LISTED.get(facet.name)
    value = _one_of(word for word, _label in words) if words else Word
    text = f"{facet.label}. {facet.hint}".strip()
    if not words:
        text += f" A slug or a figure of the catalog, or `{UNKNOWN}`."
    if facet.single:
        return {facet.name: (value | None, Field(None, description=text))}
    return {facet.name: (list[value] | None, Field(None, max_length=MAX_VALUES, description=text))}


with translation.override("en"):  # descriptions have one language
    ServerQuery = create_model(
        "ServerQuery",
        __base__=PageQuery,
        sort=(
            _one_of(orders.NAMES),
            Field(orders.DEFAULT, description="What cannot be ordered any more comes last in every order."),
        ),
        **{name: field for facet in FACETS for name, field in _parameters(facet).items()},
    )


class AIModelQuery(PageQuery):
    q: Name = Field(None, description="Words of the name, the developer, the family or the slug.")
    kind: Literal["llm", "vlm", "embedding", "reranker", "asr", "image_generation", "vision"] | None = None


class BenchmarkResultQuery(PageQuery):
    gpu: Name = Field(None, description="Slug of a GPU.")
    model: Name = Field(None, description="Slug of an AI model.")
    server: Name = Field(None, description="Slug of a server.")
    work: Literal["inference", "training"] | None = None
    suite: Name = Field(None, description="Who published it.")
