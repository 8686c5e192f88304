"""What the page of one server prints, and its datasheet with it."""

from django.db.models import Q

from catalog import sentences
from catalog.models import Evidence
from catalog.selectors import drawings, option_row, server_card
from catalog.selectors_evidence import Sources, source_list
from catalog.specification import specification, unknown_fields
from catalog.templatetags.rack import card_count

MAX_DRAWINGS = 4  # front views on one page


def server_page(server):
    """Return what a server's page prints, for a server of `Server.objects.for_page()`; one query."""
    by_subject = _evidence(server)
    sources = Sources()
    own = by_subject.get(("server", server.pk), [])
    marks = sources.marks(own, server)
    several = len(server.variants.all()) > 1
    variants = [_variant(variant, by_subject, sources, several) for variant in server.variants.all()]
    groups = specification(server, marks)
    _list_figures(server, unknown_fields(groups), by_subject, sources)
    successor = server.successor if server.successor and server.successor.is_published else None
    return {
        "server": server,
        "card": server_card(server),
        "drawings": [
            drawing | {"caption": card_count(drawing["cards"], drawing["count"])}
            for drawing in drawings(server)[:MAX_DRAWINGS]
        ],
        "variants": variants,
        "has_options": any(variant["options"] for variant in variants),
        "several": several,
        "has_double_wide_names": any("DW" in row.name for row in server.variants.all()),
        "odd_cards": _odd_cards(server, variants),
        "bays_and_cards": sentences.bays_and_cards(server),
        "bays_not_drawn": sentences.bays_not_published(server),
        "enclosure_text": sentences.enclosure(server) if server.enclosure else "",
        "successor": successor,
        "predecessors": [row for row in server.predecessors.all() if row.is_published],
        "stage": _first_stage(server),
        "specification": groups,
        "sources": source_list(sources),
        "disagreements": sources.disagreements,
        "figure_groups": sources.groups,
        "checked_on": sources.checked_on,
    }


def _evidence(server):
    """Return {(kind, id): evidence} of a server, its variants and their options, in one query."""
    rows = Evidence.objects.filter(
        Q(server=server) | Q(variant__server=server) | Q(option__variant__server=server)
    ).select_related("source")
    found = {}
    for row in rows:
        subject = next(
            (kind, pk) for kind in ("server", "variant", "option") if (pk := getattr(row, f"{kind}_id"))
        )
        found.setdefault(subject, []).append(row)
    return found


def _options(variant):
    """Return the GPU options of a variant, what can be ordered first."""
    return sorted(variant.gpu_options.all(), key=lambda row: not row.can_be_ordered)


def _variant(variant, by_subject, sources, several):
    options = []
    for option in _options(variant):
        evidence = by_subject.get(("option", option.pk), [])
        marks = sources.marks(evidence, option, option.gpu.name)
        options.append(option_row(option, sources.mark(evidence, option) if evidence else marks[""]))
    own = by_subject.get(("variant", variant.pk), [])
    return {
        "variant": variant,
        "room": sentences.alternatives(variant),
        "height": sentences.variant_height(variant) if several else "",
        "bays": sentences.variant_bays(variant) if several else [],
        "marks": sources.marks(own, variant, variant.name if several else ""),
        "options": options,
    }


def _list_figures(server, unknown, by_subject, sources):
    """List every figure of the page at its foot, in the order of the page."""
    sources.list_figures(server, by_subject.get(("server", server.pk), []), unknown=unknown)
    several = len(server.variants.all()) > 1
    for variant in server.variants.all():
        own = by_subject.get(("variant", variant.pk), [])
        sources.list_figures(variant, own, variant.name if several else "")
        for option in _options(variant):
            sources.list_figures(option, by_subject.get(("option", option.pk), []), option.gpu.name)


def _odd_cards(server, variants):
    """Return what the cards beyond an even split are good for, after the GPU that comes in such a number."""
    counts = {drawing["count"]: "" for drawing in drawings(server) if drawing["cards"] == "double"}
    for variant in variants:
        for row in variant["options"]:
            if row.option.max_count and row.option.gpu.serves_language_models:
                counts.setdefault(row.option.max_count, row.option.gpu.name)
    text = sentences.odd_cards(counts)
    name = text and counts[sentences.odd_count(counts)]
    return f"{name}. {text}" if name else text


def _first_stage(server):
    """Return the kind of work that the questionnaire starts with for this server."""
    for stage in ("training", "inference", "fine_tuning"):
        if getattr(server, f"for_{stage}"):
            return stage
    return "inference"
