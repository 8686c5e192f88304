"""Live tables: servers by rule with chosen columns, one server's card, what kinds of work ask."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy as _

from catalog import selectors_work
from catalog.filtering import orders, table
from catalog.filters import ServerFilter, plain_query
from catalog.guides.blocks import BlockError, Kind, Shown, options
from catalog.guides.reading import changed_at
from catalog.models import Requirement, Server, WorkloadProfile
from catalog.templatetags.units import estimated, gigabytes, millimetres, watts

DEFAULT_COLUMNS = "height,processors,gpus,gpu_memory,cooling"
DEFAULT_LIMIT, MOST_ROWS = 8, 24


@dataclass(frozen=True)
class Column:
    """A column of a table of servers: what it writes of a `table.Row`, and the plain figures behind it."""

    label: Any
    text: Callable
    facts: Callable
    is_number: bool = False


def _processors(row):
    server = row.card.server
    if server.cpu_manufacturer is None:
        return None
    least, most = server.sockets_min, server.sockets_max
    if not most:
        return server.cpu_manufacturer.name
    count = f"{least}–{most}" if least and least != most else f"{most}"
    return f"{count} × {server.cpu_manufacturer.name}"


def _gpus(row):
    if not row.option:
        return None
    text = gettext("%(cards)s × %(gpu)s") % {"cards": row.option.cards, "gpu": row.option.option.gpu.name}
    if row.option.option.is_derived:
        text = gettext("%(text)s (derived, confirm with the vendor)") % {"text": text}
    return text


def _best(name):
    return lambda row: getattr(row.best, name) if row.best else None


def _of_server(*names):
    return lambda row: tuple(getattr(row.card.server, name) for name in names)


def _depth(row):
    if row.card.server.depth_mm:
        return millimetres(row.card.server.depth_mm)
    return gettext("short depth") if row.card.server.short_depth else None


def _card_power(row):
    return watts(row.best.card_power_w) if row.best and row.best.card_power_w else None


def _per_u(name, write):
    def text(row):
        value = _best(name)(row)
        return None if value is None else write(estimated(value))

    return text


COLUMNS = {
    "height": Column(
        _("Height"),
        lambda row: row.card.height if row.card.server.rack_units or row.card.server.enclosure else None,
        lambda row: (row.facts.height, row.card.server.rack_units),
    ),
    "form": Column(_("Form"), lambda row: capfirst(row.card.server.get_kind_display()), _of_server("kind")),
    "processors": Column(
        _("Processors"), _processors, _of_server("cpu_manufacturer_id", "sockets_min", "sockets_max")
    ),
    "generations": Column(
        _("Processor generations"),
        lambda row: ", ".join(row.card.cpu_generations),
        _of_server("cpu_generations"),
    ),
    "room": Column(
        _("Room for GPU cards"), lambda row: row.card.limited_room, lambda row: row.card.limited_room
    ),
    "gpus": Column(
        _("GPUs, at most"),
        _gpus,
        lambda row: (row.best.gpu.slug, row.best.cards, row.option.option.basis) if row.option else None,
    ),
    "gpu_memory": Column(
        _("GPU memory"), lambda row: row.option.memory if row.option else None, _best("memory_gb")
    ),
    "memory_each": Column(
        _("A GPU’s memory"),
        lambda row: row.memory_each,
        lambda row: row.best.gpu.memory_gb if row.best else None,
        is_number=True,
    ),
    "link": Column(
        _("Link between GPUs"), lambda row: row.option.link if row.option else None, _best("link")
    ),
    "card_power": Column(_("Power per card"), _card_power, _best("card_power_w"), is_number=True),
    "bays": Column(
        _("Drive bays"),
        lambda row: ", ".join(row.card.drive_bays),
        _of_server("bays_2_5", "bays_3_5", "bays_nvme"),
    ),
    "cooling": Column(
        _("Cooling"), lambda row: row.card.cooling, lambda row: tuple(sorted(row.facts.cooling))
    ),
    "temperature": Column(
        _("Room temperature"),
        lambda row: row.card.room_temperature,
        _of_server("temperature_min_c", "temperature_max_c"),
    ),
    "depth": Column(_("Depth"), _depth, _of_server("depth_mm", "short_depth"), is_number=True),
    "memory_per_u": Column(
        _("Memory per U"), _per_u("memory_gb_per_u", gigabytes), _best("memory_gb_per_u"), is_number=True
    ),
    "power_per_u": Column(
        _("GPU power per U"), _per_u("power_w_per_u", watts), _best("power_w_per_u"), is_number=True
    ),
    "availability": Column(
        _("Availability"),
        lambda row: capfirst(row.card.server.get_lifecycle_display()),
        _of_server("lifecycle"),
    ),
}


@dataclass(frozen=True)
class Listing:
    """A table of servers as its author asked for it, and what matches now."""

    caption: str
    columns: tuple
    found: list  # (facts, the configuration that stands for the server)
    total: int
    query: str  # of the whole list; "": servers picked by name


def prepare_servers(text, reader):
    query_text, given = options(text, ("columns", "limit", "caption"))
    columns = tuple(name.strip() for name in given.get("columns", DEFAULT_COLUMNS).split(",") if name.strip())
    for name in columns:
        if name not in COLUMNS:
            raise BlockError(
                gettext("There is no column “%(name)s”; there are: %(names)s.")
                % {"name": name, "names": ", ".join(COLUMNS)}
            )
    if not given.get("caption"):
        raise BlockError(gettext("A table needs a line caption=… that says what it shows."))
    limit = _limit(given.get("limit", str(DEFAULT_LIMIT)))
    query = QueryDict(query_text, mutable=True)
    picked = query.pop("server", [])
    filterset = ServerFilter(query, Server.objects.all())
    wrong = filterset.form.errors.values()
    complaints = [*filterset.notices, *(error for errors in wrong for error in errors)]
    if complaints:
        raise BlockError(" ".join(map(str, complaints)))
    found = filterset.ordered(orders.known(query.get("sort")))
    if picked:
        reader.want_servers(picked)
        by_slug = {facts.slug: (facts, best) for facts, best in found}
        found = [by_slug[slug] for slug in picked if slug in by_slug]
    reader.want_servers(facts.slug for facts, _best in found[:limit])
    return Listing(
        given["caption"], columns, found[:limit], len(found), "" if picked else plain_query(filterset.data)
    )


def _limit(text):
    if not text.isdecimal() or not 1 <= int(text) <= MOST_ROWS:
        raise BlockError(gettext("limit is a number from 1 to %(most)s.") % {"most": MOST_ROWS})
    return int(text)


def show_servers(listing, reader):
    rows = [table.row_of(reader.servers[facts.slug], facts, best) for facts, best in listing.found]
    columns = [COLUMNS[name] for name in listing.columns]
    html = render_to_string(
        "catalog/guides/_servers.html",
        {
            "caption": listing.caption,
            "columns": columns,
            "rows": [
                {
                    "server": row.card.server,
                    "cells": [
                        {"label": column.label, "text": column.text(row), "is_number": column.is_number}
                        for column in columns
                    ],
                }
                for row in rows
            ],
            "total": listing.total,
            "list_url": f"{reverse('catalog:server_list')}{listing.query}" if listing.query else "",
        },
    )
    warnings = () if rows else (gettext("No server of the catalog meets this now: the table is empty."),)
    return Shown(
        html,
        tuple((row.facts.slug, *(column.facts(row) for column in columns)) for row in rows),
        max((changed_at(row.card.server) for row in rows), default=None),
        warnings,
    )


def prepare_server(text, reader):
    slug = text.strip()
    reader.want_servers([slug])
    return slug


def show_server(slug, reader):
    card, facts = reader.cards[slug], reader.server_facts[slug]
    row = table.row_of(reader.servers[slug], facts, orders.best(facts.configurations))
    names = ("height", "processors", "room", "gpus", "cooling")
    cells = [(COLUMNS[name].label, COLUMNS[name].text(row)) for name in names]
    html = render_to_string("catalog/guides/_server.html", {"card": card, "cells": cells})
    return Shown(html, (slug, *(COLUMNS[name].facts(row) for name in names)), changed_at(card.server))


def prepare_matrix(text, reader):
    query, given = options(text, ("caption",))
    names = query.split()
    stages = dict(WorkloadProfile.Stage.choices)
    if not 2 <= len(names) <= 4:
        raise BlockError(gettext("Write two to four stages or kinds of work, with spaces between them."))
    for name in names:
        if name not in stages and name not in reader.profile_slugs:
            raise BlockError(
                gettext("There is no stage or kind of work “%(name)s”; there are: %(names)s.")
                % {"name": name, "names": ", ".join([*stages, *sorted(reader.profile_slugs)])}
            )
    return names, given.get("caption", "")


def show_matrix(prepared, reader):
    names, caption = prepared
    columns = [_asked(name, reader.workloads.values()) for name in names]
    rows = [
        (aspect.label, [column["texts"].get(aspect.value, "") for column in columns])
        for aspect in Requirement.Aspect
    ]
    rows = [
        (label, list(zip([column["label"] for column in columns], texts, strict=True)))
        for label, texts in [*rows, *_bands(columns)]
        if any(texts)
    ]
    html = render_to_string(
        "catalog/guides/_matrix.html",
        {"caption": caption, "labels": [column["label"] for column in columns], "rows": rows},
    )
    saved = [stamp for column in columns for stamp in column["saved"]]
    facts = tuple((name, *column["facts"]) for name, column in zip(names, columns, strict=True))
    warnings = () if rows else (gettext("Nothing is known of what these ask: the table is empty."),)
    return Shown(html, facts, max(saved, default=None), warnings)


def _asked(name, profiles):
    """Return what one kind of work, or the first of a stage that says it, asks of a server."""
    own = [row for row in profiles if row.slug == name]
    of_stage = own or [row for row in profiles if row.stage == name]
    texts, saved, facts = {}, [], []
    for profile in of_stage:
        saved.append(profile.updated_at)
        for row in profile.requirements.all():
            texts.setdefault(row.aspect, row.text)
            saved.append(row.updated_at)
            facts.append((row.aspect, row.text))
    bands = {}
    if own:
        (profile,) = own
        bands = selectors_work.bands(profile)
        facts += [profile.gpus_min, profile.gpus_max, profile.rack_units_min, profile.rack_units_max]
    label = own[0].name if own else capfirst(str(dict(WorkloadProfile.Stage.choices)[name]))
    return {"label": label, "texts": texts, "bands": bands, "saved": saved, "facts": facts}


def _bands(columns):
    """Return the rows of usual numbers, where a column is one kind of work."""
    return [
        (label, [column["bands"].get(name) or "" for column in columns])
        for name, label in (("gpus", gettext("GPUs, usually")), ("height", gettext("Height, usually")))
    ]


SERVERS = Kind("servers", prepare_servers, show_servers)
SERVER = Kind("server", prepare_server, show_server)
MATRIX = Kind("matrix", prepare_matrix, show_matrix)
