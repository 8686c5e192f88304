"""What search engines ask of a page: its head, and structured data as schema.org and Google's pages state it.

https://schema.org/docs/full.html, https://developers.google.com/search/docs/appearance/structured-data
"""

import json
import struct
from urllib.parse import urlsplit

from django.urls import reverse
from django.utils.translation import override

from aiservers.caching import NOINDEX_VIEWS

# type: (properties it must have, properties it may have); values that are types are written by `_check`.
SCHEMAS = {
    "WebSite": ({"name", "url"}, {"inLanguage", "publisher", "potentialAction", "description"}),
    "SearchAction": ({"target", "query-input"}, set()),
    "EntryPoint": ({"urlTemplate"}, set()),
    "Organization": ({"name"}, {"url", "logo"}),
    "Brand": ({"name"}, set()),
    "Person": ({"name"}, {"url"}),
    "Product": (
        {"name", "url", "image", "brand"},
        {"@id", "description", "category", "manufacturer", "additionalProperty", "width", "depth", "height"},
    ),
    "PropertyValue": ({"name", "value"}, {"unitCode"}),
    "QuantitativeValue": ({"value", "unitCode"}, set()),
    "ItemList": ({"itemListElement", "numberOfItems"}, {"name"}),
    "ListItem": ({"position", "name"}, {"item", "url"}),
    "BreadcrumbList": ({"itemListElement"}, set()),
    "DefinedTermSet": ({"name", "url", "hasDefinedTerm"}, {"inLanguage", "publisher"}),
    "DefinedTerm": ({"name", "description", "url"}, {"termCode"}),
    "Article": (
        {"headline", "author", "datePublished"},
        {
            "@id",
            "image",
            "wordCount",
            "url",
            "dateModified",
            "inLanguage",
            "description",
            "publisher",
            "mainEntityOfPage",
        },
    ),
}
TYPES = {
    "brand": {"Brand"},
    "manufacturer": {"Organization"},
    "publisher": {"Organization"},
    "author": {"Organization", "Person"},
    "potentialAction": {"SearchAction"},
    "target": {"EntryPoint"},
    "additionalProperty": {"PropertyValue"},
    "width": {"QuantitativeValue"},
    "depth": {"QuantitativeValue"},
    "itemListElement": {"ListItem"},
    "hasDefinedTerm": {"DefinedTerm"},
}
ADDRESSES = {"url", "item", "image", "urlTemplate", "@id"}
INVENTED = {"offers", "price", "aggregateRating", "review", "sku", "gtin"}
UNSEEN = {"WebSite", "Organization", "Brand"}  # who speaks, which not every page says in words
CONTENT = {"name", "description", "value", "headline"}


def things(document):
    """Return the structured data of a page, each held against its type and against what the page shows."""
    made = [json.loads(text) for text in document.data]
    text = _letters(" ".join(document.texts))
    for thing in made:
        assert thing["@context"] == "https://schema.org"
        _check({name: value for name, value in thing.items() if name != "@context"}, text)
    return made


def _check(thing, text):
    kind = thing["@type"]
    required, allowed = SCHEMAS[kind]
    names = set(thing) - {"@type"}
    assert required <= names <= required | allowed, (kind, names ^ required)
    assert not names & INVENTED
    for name, value in thing.items():
        parts = value if isinstance(value, list) else [value]
        assert value not in (None, "", []), (kind, name)
        for part in parts:
            if isinstance(part, dict):
                assert part["@type"] in TYPES[name], (kind, name)
                _check(part, text)
            elif name in ADDRESSES:
                address = urlsplit(part)
                assert (address.scheme, address.netloc) == ("http", "testserver"), part
            elif (
                name in CONTENT and kind not in {"WebSite", "Organization", "Brand"} and isinstance(part, str)
            ):
                assert _letters(part) in text, f"not on the page: {part}"
    if kind in {"ItemList", "BreadcrumbList"}:
        _check_list(thing, kind)


def _check_list(thing, kind):
    positions = [item["position"] for item in thing["itemListElement"]]
    assert positions == list(range(positions[0], positions[0] + len(positions)))
    if kind == "ItemList":
        assert thing["numberOfItems"] == len(positions)
        addresses = [item["url"] for item in thing["itemListElement"]]
        assert len(set(addresses)) == len(addresses)
    else:
        assert len(positions) >= 2
        assert all("item" in item for item in thing["itemListElement"][:-1])


def head(document):
    """Return {name or property of a meta element: its contents, in their order}."""
    found = {}
    for tag, attributes in document.elements:
        if tag == "meta" and (name := attributes.get("property") or attributes.get("name")):
            found.setdefault(name, []).append(attributes["content"])
    return found


def followed(document, language):
    """Return the links of a page that lead crawlers into what they should leave alone."""
    with override(language):
        names = (*NOINDEX_VIEWS - {"catalog:server_file", "recommender:step"}, "briefs:new")
        alone = {reverse(name) for name in names}
    links = [
        (urlsplit(attributes.get("href") or ""), attributes)
        for tag, attributes in document.elements
        if tag == "a" and "hreflang" not in attributes
    ]
    return [
        attributes["href"]
        for address, attributes in links
        if address.path in alone and address.query and "nofollow" not in (attributes.get("rel") or "")
    ]


def _letters(text):
    """Return a text without its spaces: links and marks divide it on the page."""
    return "".join(text.split())


def png_size(content):
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", content[16:24])
