"""Reads for the pages of kinds of work."""

from dataclasses import dataclass

from django.db.models import Q
from django.utils.translation import gettext

from catalog import selectors, sentences
from catalog.models import Server, WorkloadProfile
from catalog.templatetags.units import format_number, millimetres, rack_units, watts


def profiles_of(*stages):
    """Return the published kinds of work of these stages that have a name in the active language."""
    return [row for row in selectors.profiles() if row.stage in stages and row.name]


def profiles_by_stage():
    """Return [(stage, profiles)] in the order of the stages; one query."""
    named = [row for row in selectors.profiles() if row.name]
    groups = [(stage, [row for row in named if row.stage == stage.value]) for stage in WorkloadProfile.Stage]
    return [(stage, rows) for stage, rows in groups if rows]


def bands(profile):
    """Return how many GPUs and rack units are usual for a kind of work; None: nobody has said."""
    return {
        "gpus": _span(profile.gpus_min, profile.gpus_max, format_number),
        "height": _span(profile.rack_units_min, profile.rack_units_max, rack_units),
    }


def _span(low, high, text):
    if low is None or high is None or low == high:
        known = high if low is None else low
        return None if known is None else text(known)
    return f"{format_number(low)}–{text(high)}"


def assumption_rows(rows, used, texts):
    """Return typical values as rows of a table, those behind the servers shown apart from the others.

    Args:
        rows: the profile's TypicalAssumptions.
        used: what the advice was reckoned with, as `services.page` gives it.
        texts: {key: (question, value)} of the profile's own.
    """
    own = {row.key: row for row in rows}
    reckoned = [
        {
            "label": item["label"],
            "value": item["value"],
            "why": item["why"],
            "source": own[item["key"]].source if item["origin"] == "profile" and item["key"] in own else None,
        }
        for item in used
        if item["origin"] in ("profile", "default")
    ]
    keys = {item["key"] for item in used}
    others = [
        {"label": texts[key][0], "value": texts[key][1], "why": row.why, "source": row.source}
        for key, row in own.items()
        if key not in keys and key in texts
    ]
    return {"used": reckoned, "others": others}


@dataclass(frozen=True)
class EdgeRow:
    """A server for a place outside a data centre; a text that is None is not published."""

    card: selectors.ServerCard
    temperature: str | None
    depth: str | None
    supplies: str | None


def edge_rows():
    """Return the servers that the list shows for such places, what can be ordered first."""
    servers = (
        Server.objects.for_cards()
        .filter(Q(for_edge=True) | Q(kind__in=["edge", "tower"]))
        .prefetch_related("power_supplies")
    )
    rows = [
        EdgeRow(
            card=selectors.server_card(server),
            temperature=sentences.room_temperature(server),
            depth=_depth(server),
            supplies=", ".join(watts(supply.power_w) for supply in server.power_supplies.all()) or None,
        )
        for server in servers
    ]
    return sorted(rows, key=lambda row: (not row.card.server.can_be_ordered, row.card.server.sort_key))


def _depth(server):
    if server.depth_mm:
        return millimetres(server.depth_mm)
    return gettext("short depth") if server.short_depth else None
