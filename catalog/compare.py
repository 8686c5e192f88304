"""Two to four servers side by side: which of them are asked for, what is compared, in which order."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from catalog import selectors, sentences
from catalog.models import Evidence, Server
from catalog.templatetags.units import (
    capacity,
    celsius,
    format_number,
    kilograms,
    megatransfers,
    millimetres,
    watts,
    yes_no,
)

LEAST, MOST = 2, 4  # servers that stand side by side
MAX_READ = 20  # servers of one address that are looked at
MAX_NAMED = 3  # strange names that a note repeats
MAX_SHOWN = 40  # characters of each
SLUG = re.compile(r"[-a-zA-Z0-9_]{1,100}")


# Which servers


@dataclass(frozen=True)
class Chosen:
    """The servers of an address in its order, and what has to be said about the others."""

    servers: list
    notices: list

    @property
    def slugs(self):
        return [server.slug for server in self.servers]

    @property
    def is_comparison(self):
        return len(self.servers) >= LEAST


def chosen(slugs, servers):
    """Return the first four servers that an address names, each once; bounded reads.

    Args:
        servers: the queryset that they are read from.
    """
    asked = [slug for slug in slugs if slug.strip()]
    read = list(dict.fromkeys(asked[:MAX_READ]))
    rows = servers.filter(slug__in=[slug for slug in read if SLUG.fullmatch(slug)])
    known = {row.slug: row for row in rows}
    found = [known[slug] for slug in read if slug in known]
    notices = []
    if strange := [slug for slug in read if slug not in known]:
        text = ngettext(
            "The catalog has no server named %(names)s. It was left out.",
            "The catalog has no servers named %(names)s. They were left out.",
            len(strange),
        )
        notices.append(text % {"names": _listed([f"“{_short(slug)}”" for slug in strange])})
    if twice := [row.name for row in found if asked[:MAX_READ].count(row.slug) > 1]:
        text = gettext("Named more than once, shown once: %(names)s.")
        notices.append(text % {"names": _listed(twice)})
    if len(found) > MOST or len(asked) > MAX_READ:
        text = gettext("No more than %(most)s servers stand side by side.") % {"most": format_number(MOST)}
        notices.append(text)
        if left_out := [row.name for row in found[MOST:]]:
            notices.append(gettext("Left out: %(names)s.") % {"names": _listed(left_out)})
    return Chosen(found[:MOST], notices)


def others(servers):
    """Return (slug, name) of the published servers that are not among these, by name; one query."""
    rows = Server.objects.published().exclude(pk__in=[server.pk for server in servers]).order_by("sort_key")
    return [(row.slug, row.name) for row in rows.only("slug", "name")]


def _listed(names):
    return ", ".join(names[:MAX_NAMED]) + ("…" if len(names) > MAX_NAMED else "")


def _short(text):
    text = "".join(character for character in text if character.isprintable())
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


# What is compared


@dataclass(frozen=True)
class Cell:
    """What stands in a row for one server; without any content it is not known.

    `number` is what the row orders servers by; `missing` says why there is nothing.
    """

    text: str = ""
    texts: tuple = ()
    range: tuple | None = None
    unit: str = ""  # of a range, as the reader's language writes it
    quantity: str = ""  # or the filter that writes it, where its unit depends on its size
    state: str = ""
    number: float | None = None
    missing: str = ""
    is_blank: bool = False  # nothing is missing: there is nothing to say
    mark: selectors.Mark | None = field(default=None, compare=False)

    @property
    def is_known(self):
        return bool(self.text or self.texts or self.range or self.state)


@dataclass(frozen=True)
class Row:
    key: str
    label: str
    cells: tuple

    @property
    def differs(self):
        return len(set(self.cells)) > 1

    @property
    def can_order(self):
        return any(cell.number is not None for cell in self.cells)


@dataclass(frozen=True)
class Group:
    title: str
    rows: tuple


def figure(key, unit=format_number):
    """Return how a cell is made of a plain figure of a server."""

    def make(server, _card):
        value = getattr(server, key)
        return Cell() if value is None else Cell(text=unit(value), number=float(value))

    return make


def said(text):
    """Return how a cell is made of a sentence; `text` takes the server and its card, None: not published."""
    return lambda server, card: Cell(text=text(server, card) or "")


def note(key):
    """Return how a cell is made of a remark of the catalog's: to have none is not to lack one."""

    def make(server, _card):
        text = getattr(server, key)
        return Cell(text=text) if text else Cell(is_blank=True)

    return make


def _height(server, card):
    if server.rack_units is None and server.enclosure is None:
        return Cell()
    return Cell(text=card.height, number=server.rack_units)


def _room(_server, card):
    return Cell(text=card.limited_room or "")


def _best(_server, card):
    if card.best is None:
        return Cell()
    option, text = card.best.option, card.best.memory
    if option.is_derived:
        text = gettext("%(memory)s (%(basis)s)") % {"memory": text, "basis": option.get_basis_display()}
    count = sentences.devices(option)
    return Cell(text=text, number=None if count is None else float(count * option.gpu.memory_gb))


def _options(_server, card):
    """Return the GPUs of a list's row, each with its number and every condition of that number."""
    texts = []
    for row in card.options:
        text = gettext("%(gpu)s: %(cards)s.") % {"gpu": row.option.gpu.name, "cards": row.cards}
        texts.append(" ".join([text, *row.conditions]))
    if card.more_options:
        more = ngettext("%(count)s GPU more", "%(count)s GPUs more", card.more_options)
        texts.append(more % {"count": format_number(card.more_options)})
    return Cell(texts=tuple(texts))


def _variants(server, _card):
    variants = list(server.variants.all())
    if len(variants) < 2:
        return Cell(is_blank=True)
    return Cell(
        texts=tuple(
            row.name if row.lifecycle == "current" else f"{row.name} ({row.get_lifecycle_display()})"
            for row in variants
        )
    )


def _generations(_server, card):
    return Cell(texts=tuple(card.cpu_generations))


def _supplies(server, _card):
    return Cell(texts=tuple(watts(supply.power_w) for supply in server.power_supplies.all()))


def _cooling(server, _card):
    return Cell(texts=tuple(str(option.get_kind_display()) for option in server.cooling_options.all()))


def _temperature(server, card):
    return Cell(text=card.room_temperature or "", number=server.temperature_max_c)


@dataclass(frozen=True)
class Fact:
    """A row of the specification: its label, how a cell is made, the field whose evidence it carries."""

    key: str
    label: str
    make: Callable
    evidence: str = ""
    of: str = "server"  # whose evidence: server, variant or option

    @property
    def field(self):
        return self.evidence or self.key


FACTS = (
    (
        _("GPUs"),
        Fact("room", _("Room for GPU cards"), _room, "slot_alternatives", "variant"),
        Fact("card_max_w", _("Power per GPU card or module, at most"), figure("card_max_w", watts)),
        Fact("gpu_memory", _("Largest GPU memory"), _best, of="option"),
        Fact("gpus", _("GPUs that it takes"), _options),
        Fact("gpu_note", _("Conditions and remarks"), note("gpu_note")),
    ),
    (
        _("Form"),
        Fact("kind", _("Kind"), said(lambda server, card: str(server.get_kind_display()))),
        Fact("height", _("Height"), _height, "rack_units"),
        Fact("width_mm", _("Width"), figure("width_mm", millimetres)),
        Fact("depth_mm", _("Depth"), figure("depth_mm", millimetres)),
        Fact("short_depth", _("Short depth"), said(lambda server, card: _flag(server.short_depth))),
        Fact("weight_max_kg", _("Weight, at most"), figure("weight_max_kg", kilograms)),
        Fact("form_note", _("Conditions and remarks"), note("form_note")),
    ),
    (
        _("Processors"),
        Fact("cpu_manufacturer", _("Maker"), said(lambda server, card: _name(server.cpu_manufacturer))),
        Fact(
            "sockets",
            _("How many"),
            lambda server, card: Cell(
                text=sentences.span(server.sockets_min, server.sockets_max) or "", number=server.sockets_max
            ),
            "sockets_min",
        ),
        Fact(
            "cpu_generations", _("Generations"), lambda server, card: Cell(texts=tuple(card.cpu_generations))
        ),
        Fact("cpu_max_cores", _("Cores per processor, at most"), figure("cpu_max_cores")),
        Fact("cpu_max_tdp_w", _("TDP per processor, at most"), figure("cpu_max_tdp_w", watts)),
        Fact("cpu_note", _("Conditions and remarks"), note("cpu_note")),
    ),
    (
        _("Memory"),
        Fact("memory_type", _("Type"), said(lambda server, card: server.memory_type)),
        Fact("memory_slots", _("Slots"), figure("memory_slots")),
        Fact("memory_max_gb", _("At most"), figure("memory_max_gb", capacity)),
        Fact("memory_speed_mts", _("Speed"), figure("memory_speed_mts", megatransfers)),
        Fact("memory_note", _("Conditions and remarks"), note("memory_note")),
    ),
    (
        _("Drive bays"),
        Fact("bays_2_5", _("2.5-inch bays, at most"), figure("bays_2_5")),
        Fact("bays_3_5", _("3.5-inch bays, at most"), figure("bays_3_5")),
        Fact("bays_nvme", _("NVMe bays, at most"), figure("bays_nvme")),
        Fact("storage_note", _("Conditions and remarks"), note("storage_note")),
    ),
    (
        _("Slots and network"),
        Fact("pcie_gen", _("PCIe generation"), figure("pcie_gen")),
        Fact("pcie_slots", _("PCIe slots"), figure("pcie_slots")),
        Fact("ocp_slots", _("OCP slots"), figure("ocp_slots")),
        Fact("pcie_note", _("Remarks on the slots"), note("pcie_note")),
        Fact("network_note", _("Remarks on the network"), note("network_note")),
    ),
    (
        _("Power"),
        Fact("psu_count", _("Power supplies"), figure("psu_count")),
        Fact("power_supplies", _("Sizes offered"), _supplies),
        Fact("power_note", _("Conditions and remarks"), note("power_note")),
    ),
    (
        _("Cooling and room"),
        Fact("cooling", _("Cooling"), _cooling, "cooling_options"),
        Fact("temperature_max_c", _("Room temperature"), _temperature),
        Fact(
            "temperature_sure_c",
            _("Room temperature that every configuration takes"),
            figure("temperature_sure_c", celsius),
        ),
        Fact("ashrae_class", _("ASHRAE class"), said(lambda server, card: server.ashrae_class)),
        Fact("cooling_note", _("Remarks on the cooling"), note("cooling_note")),
        Fact("environment_note", _("Remarks on the room"), note("environment_note")),
    ),
    (
        _("To order it"),
        Fact("lifecycle", _("Lifecycle"), said(lambda server, card: str(server.get_lifecycle_display()))),
        Fact(
            "launched",
            _("Launched"),
            lambda server, card: Cell(
                text=sentences.when(server.launch_year, server.launch_month) or "",
                number=server.launch_year and server.launch_year * 12 + (server.launch_month or 0),
            ),
            "launch_year",
        ),
        Fact("machine_types", _("Machine types"), said(lambda server, card: server.machine_types)),
        Fact("variants", _("Variants that are ordered apart"), _variants),
        Fact("availability_note", _("Conditions and remarks"), note("availability_note")),
    ),
)


def _flag(value):
    return "" if value is None else yes_no(value)


def _name(manufacturer):
    return manufacturer.name if manufacturer else ""


@dataclass(frozen=True)
class Specification:
    cards: list
    groups: list
    sources: list
    disagreements: list


def specification(servers):
    """Return what the catalog says of servers of `Server.objects.for_page()`, by group; one query.

    A row about which there is nothing to say for any of them, as a remark that none has, is left out.
    """
    cards = [selectors.server_card(server) for server in servers]
    sources = selectors.Sources()
    marks = _marks(servers, cards, sources)
    groups = []
    for title, *facts in FACTS:
        rows = [Row(fact.key, str(fact.label), tuple(_cells(fact, servers, cards, marks))) for fact in facts]
        rows = [row for row in rows if not all(cell.is_blank for cell in row.cells)]
        groups.append(Group(str(title), tuple(rows)))
    return Specification(cards, groups, selectors.source_list(sources), sources.disagreements)


def _cells(fact, servers, cards, marks):
    for server, card in zip(servers, cards, strict=True):
        cell = fact.make(server, card)
        found = marks[server.pk][fact.of]
        mark = found.get(fact.field) if cell.is_known else None
        yield replace(cell, mark=mark)


def _marks(servers, cards, sources):
    """Return {server: {"server", "variant", "option": {field: Mark}}}, and list where sources disagree."""
    rows = list(
        Evidence.objects.filter(
            Q(server__in=servers) | Q(variant__server__in=servers) | Q(option__variant__server__in=servers)
        ).select_related("source")
    )
    found = {}
    for server, card in zip(servers, cards, strict=True):
        variants = list(server.variants.all())
        own = [row for row in rows if row.server_id == server.pk]
        found[server.pk] = {
            "server": sources.marks(own, server, server.name),
            "variant": {},
            "option": {},
        }
        for variant in variants:
            evidence = [row for row in rows if row.variant_id == variant.pk]
            for key, mark in sources.marks(evidence, variant, variant.name).items():
                found[server.pk]["variant"].setdefault(key, mark)
        shown = {row.option.pk: row.option for row in (*card.options, *([card.best] if card.best else []))}
        for option in shown.values():
            evidence = [row for row in rows if row.option_id == option.pk]
            name = gettext("%(server)s, %(gpu)s") % {"server": server.name, "gpu": option.gpu.name}
            sources.marks(evidence, option, name)
            if evidence and card.best and card.best.option.pk == option.pk:
                found[server.pk]["option"]["gpu_memory"] = sources.mark(evidence, option)
    return found


# In which order


def orders(groups):
    """Return the keys that the servers can be ordered by: rows with a figure."""
    return {row.key for group in groups for row in group.rows if row.can_order}


def order(groups, count, sort):
    """Return the places of the servers ordered by a row, "-" before its key: the largest first.

    What is not known comes last both ways; without a row the servers stay as they were chosen.
    """
    rows = {row.key: row for group in groups for row in group.rows}
    row = rows.get(sort.removeprefix("-"))
    places = list(range(count))
    if row is None:
        return places
    largest_first = sort.startswith("-")

    def standing(place):
        number = row.cells[place].number
        return (number is None, 0 if number is None else -number if largest_first else number)

    return sorted(places, key=standing)


def arranged(groups, places, *, differences_only=False):
    """Return the groups with their cells in an order; with `differences_only` without what all share."""
    found = []
    for group in groups:
        rows = [
            replace(row, cells=tuple(row.cells[place] for place in places))
            for row in group.rows
            if row.differs or not differences_only
        ]
        if rows:
            found.append(Group(group.title, tuple(rows)))
    return found
