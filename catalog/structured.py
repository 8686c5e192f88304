"""The catalog's rows as schema.org knows them; what is said stands on the page with the same words."""

from django.urls import reverse
from django.utils.translation import get_language, gettext

from aiservers import social
from aiservers.structured import absolute, item_list, organization, part, thing
from catalog.glossary import plain
from catalog.templatetags.units import gbs, gigabytes, tflops, watts

MILLIMETRES = "MMT"  # its code of UN/CEFACT


def server(row, card):
    """Return a server as a product; `card` is its `selectors.server_card`."""
    measures = _measures(width=(row.width_mm, MILLIMETRES), depth=(row.depth_mm, MILLIMETRES))
    return _product(row, "server", row.get_kind_display(), server_facts(row, card)) | measures


def server_facts(row, card):
    """Return the key facts at the head of a server's page that are published, as (label, text)."""
    facts = [
        (gettext("Height"), card.height if row.rack_units or row.enclosure else None),
        (gettext("Room for GPU cards"), card.room),
        (gettext("Largest GPU memory"), card.best and card.best.memory),
        (gettext("Cooling"), card.cooling),
    ]
    return [(label, str(text)) for label, text in facts if text]


def gpu(row):
    """Return a GPU as a product."""
    return _product(row, "gpu", gettext("GPUs and accelerators"), gpu_facts(row))


def gpu_facts(row):
    """Return the key facts at the head of a GPU's page that are published, as (label, text)."""
    boards = f"{row.devices_per_board} × " if row.devices_per_board > 1 else ""
    facts = [(gettext("Memory, as printed"), f"{boards}{gigabytes(row.memory_gb)}")]
    known = [
        (gettext("Memory bandwidth"), row.bandwidth_gbs, gbs),
        (gettext("BF16, dense"), row.bf16_tflops, tflops),
        (gettext("TDP"), row.tdp_w, watts),
    ]
    return facts + [(label, str(written(value))) for label, value, written in known if value is not None]


def _product(row, name, category, facts):
    address = absolute(reverse(f"catalog:{name}", kwargs={"slug": row.slug}))
    maker = row.manufacturer.name
    return thing(
        "Product",
        name=row.name,
        url=address,
        description=getattr(row, "summary", ""),
        category=str(category),
        brand=part("Brand", name=maker),
        manufacturer=part("Organization", name=maker),
        image=absolute(social.address(name, row.slug)),
        additionalProperty=[part("PropertyValue", name=label, value=text) for label, text in facts],
    ) | {"@id": f"{address}#product"}


def _measures(**measures):
    return {
        name: part("QuantitativeValue", value=int(value) if value == int(value) else value, unitCode=code)
        for name, (value, code) in measures.items()
        if value is not None
    }


def servers(name, rows, first=1):
    """Return a list of servers in the order of the page."""
    return item_list(
        name, [(row.name, reverse("catalog:server", kwargs={"slug": row.slug})) for row in rows], first
    )


def pages_of(name, view_name, rows):
    """Return a list of rows that have a page of their own under `view_name`."""
    return item_list(name, [(row.name, reverse(view_name, kwargs={"slug": row.slug})) for row in rows])


def glossary(subjects):
    """Return the terms of `glossary.by_subject` as one set."""
    page = absolute(reverse("catalog:glossary"))
    terms = [
        part(
            "DefinedTerm",
            name=entry["term"].name,
            url=f"{page}#{entry['term'].slug}",
            description=plain(entry["term"].definition),
        )
        for _subject, entries in subjects
        for entry in entries
    ]
    return thing(
        "DefinedTermSet",
        name=gettext("Glossary of AI servers"),
        url=page,
        inLanguage=get_language(),
        publisher=organization(),
        hasDefinedTerm=terms,
    )
