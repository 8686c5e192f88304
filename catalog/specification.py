"""The specification of a server, group by group: what its page and its datasheet print."""

from dataclasses import dataclass

from django.utils.translation import gettext

from catalog import sentences
from catalog.selectors_evidence import Mark
from catalog.templatetags.units import (
    capacity,
    kilograms,
    megatransfers,
    millimetres,
    not_published,
    number,
    rack_units,
    watts,
    yes_no,
)


@dataclass(frozen=True)
class Line:
    """One figure: its name, the figure as text, its column, what stands behind it, and a remark."""

    label: str
    value: str | None
    field: str
    mark: Mark
    note: str = ""

    @property
    def is_known(self):
        return self.value not in (None, "", not_published())


@dataclass(frozen=True)
class Group:
    key: str
    title: str
    lines: list


def specification(server, marks):
    """Return the groups of a server of `Server.objects.for_page()`; no query.

    Args:
        marks: {field: Mark} of the server.
    """
    groups = (
        ("form", gettext("Form"), _form),
        ("processors", gettext("Processors"), _processors),
        ("memory", gettext("Memory"), _memory),
        ("drives", gettext("Drive bays"), _drives),
        ("slots", gettext("Slots and network"), _slots),
        ("power", gettext("Power"), _power),
        ("room", gettext("Cooling and room"), _room),
    )
    return [
        Group(
            key,
            title,
            [Line(label, value, field, marks[field], *note) for label, value, field, *note in lines(server)],
        )
        for key, title, lines in groups
    ]


def unknown_fields(groups):
    """Return the columns of the lines that nobody has found a figure for."""
    return [line.field for group in groups for line in group.lines if not line.is_known]


# Each returns (label, figure, column) of its lines, and a remark where there is one.


def _form(server):
    launched = sentences.when(server.launch_year, server.launch_month)
    return [
        (gettext("Height"), rack_units(server.rack_units), "rack_units"),
        (gettext("Width"), millimetres(server.width_mm), "width_mm"),
        (gettext("Depth"), millimetres(server.depth_mm), "depth_mm"),
        (gettext("Short depth"), yes_no(server.short_depth), "short_depth"),
        (
            gettext("Weight, at most"),
            kilograms(server.weight_max_kg),
            "weight_max_kg",
            server.form_note,
        ),
        (gettext("Launched"), launched, "launch_year"),
        (gettext("Machine types"), server.machine_types, "machine_types"),
    ]


def _processors(server):
    maker = server.cpu_manufacturer
    return [
        (gettext("Maker"), maker and maker.name, "cpu_manufacturer"),
        (
            gettext("How many"),
            sentences.span(server.sockets_min, server.sockets_max),
            "sockets_min",
        ),
        (
            gettext("Generations"),
            ", ".join((server.cpu_generations or "").splitlines()),
            "cpu_generations",
        ),
        (gettext("Cores per processor, at most"), number(server.cpu_max_cores), "cpu_max_cores"),
        (
            gettext("TDP per processor, at most"),
            watts(server.cpu_max_tdp_w),
            "cpu_max_tdp_w",
            server.cpu_note,
        ),
    ]


def _memory(server):
    return [
        (gettext("Type"), server.memory_type, "memory_type"),
        (gettext("Slots"), number(server.memory_slots), "memory_slots"),
        (gettext("At most"), capacity(server.memory_max_gb), "memory_max_gb"),
        (
            gettext("Speed"),
            megatransfers(server.memory_speed_mts),
            "memory_speed_mts",
            server.memory_note,
        ),
    ]


def _drives(server):
    return [
        (gettext("2.5-inch bays, at most"), number(server.bays_2_5), "bays_2_5"),
        (gettext("3.5-inch bays, at most"), number(server.bays_3_5), "bays_3_5"),
        (gettext("NVMe bays, at most"), number(server.bays_nvme), "bays_nvme", server.storage_note),
    ]


def _slots(server):
    return [
        (gettext("PCIe generation"), number(server.pcie_gen), "pcie_gen"),
        (gettext("PCIe slots"), number(server.pcie_slots), "pcie_slots", server.pcie_note),
        (gettext("OCP slots"), number(server.ocp_slots), "ocp_slots", server.network_note),
    ]


def _power(server):
    sizes = ", ".join(watts(supply.power_w) for supply in server.power_supplies.all())
    return [
        (gettext("Power supplies"), number(server.psu_count), "psu_count"),
        (gettext("Sizes offered"), sizes, "power_supplies", server.power_note),
        (gettext("Power per GPU card or module, at most"), watts(server.card_max_w), "card_max_w"),
    ]


def _room(server):
    kinds = "; ".join(option.get_kind_display() for option in server.cooling_options.all())
    lines = [
        (gettext("Cooling"), kinds, "cooling_options", server.cooling_note),
        (
            gettext("Room temperature"),
            sentences.room_temperature(server),
            "temperature_max_c",
            server.environment_note,
        ),
    ]
    if conditions := sentences.room_conditions(server):
        lines.append((gettext("On what conditions"), conditions, "temperature_conditional"))
    return [*lines, (gettext("ASHRAE class"), server.ashrae_class, "ashrae_class")]
