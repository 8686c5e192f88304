"""What every row of the API is built of: unknown figures, texts, references, sources."""

from datetime import date
from typing import Annotated, Literal

from django.urls import reverse
from ninja import Schema
from pydantic import BeforeValidator, Field

from catalog.glossary import plain

Lifecycle = Literal["current", "previous", "withdrawn"]
Stage = Literal["training", "fine_tuning", "inference", "mixed", "development"]
Precision = Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4", "fp4"]

NOT_PUBLISHED = "Null: not published."


def fact(description):
    return Field(description=f"{description} {NOT_PUBLISHED}")


def about(description):
    return Field(description=description)


def page_of(row, view_name, context):
    """Return the address of the page that shows a row, in the reader's language."""
    return context["request"].build_absolute_uri(reverse(view_name, args=[row.slug]))


# An empty text is one that nobody has written.
Text = Annotated[str | None, BeforeValidator(lambda text: text or None)]
# Marks of glossary terms are for pages.
Unmarked = Annotated[str | None, BeforeValidator(lambda text: plain(text) or None)]


class Reference(Schema):
    slug: str
    name: str


class SourceOut(Schema):
    """A text that figures were read in."""

    title: str
    url: Text = about("Where it can be read; null: not published on the web.")
    publisher: Text
    published_on: Text = about("As precise as it is known: 2026, 2026-08 or 2026-08-10.")
    kind: Literal["maker", "guide", "benchmark", "third_party_copy", "customer_guide", "other"]
    via: Text = about("Where it was read, if not at its own address.")


class EvidenceOut(Schema):
    """What one source says about one field of the row that it stands in."""

    field: str = about("Name of the field, or of the list, that the source speaks of.")
    state: Literal["maker", "benchmark", "deployed", "third_party", "derived"]
    stated: Text = about("What the source says, in its own figure; null: as it is kept.")
    kept: bool = about("Whether the catalog shows this value; two sources may disagree.")
    weak: bool = about("The source is weak or indirect: confirm before relying on it.")
    checked_on: date | None = about("When somebody last looked it up; null: not recorded.")
    source: SourceOut
