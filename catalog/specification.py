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
    """One figure: its name, the figure as text, what stands behind it, and a remark."""

    label: str
    value: str | None
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
    return [
        Group("form", gettext("Form"), _form(server, marks)),
        Group("processors", gettext("Processors"), _processors(server, marks)),
        Group("memory", gettext("Memory"), _memory(server, marks)),
        Group("drives", gettext("Drive bays"), _drives(server, marks)),
        Group("slots", gettext("Slots and network"), _slots(server, marks)),
        Group("power", gettext("Power"), _power(server, marks)),
        Group("room", gettext("Cooling and room"), _room(server, marks)),
    ]


def _form(server, marks):
    launched = sentences.when(server.launch_year, server.launch_month)
    return [
        Line(gettext("Height"), rack_units(server.rack_units), marks["rack_units"]),
        Line(gettext("Width"), millimetres(server.width_mm), marks["width_mm"]),
        Line(gettext("Depth"), millimetres(server.depth_mm), marks["depth_mm"]),
        Line(gettext("Short depth"), yes_no(server.short_depth), marks["short_depth"]),
        Line(
            gettext("Weight, at most"),
            kilograms(server.weight_max_kg),
            marks["weight_max_kg"],
            server.form_note,
        ),
        Line(gettext("Launched"), launched, marks["launch_year"]),
        Line(gettext("Machine types"), server.machine_types, marks["machine_types"]),
    ]


def _processors(server, marks):
    maker = server.cpu_manufacturer
    return [
        Line(gettext("Maker"), maker and maker.name, marks["cpu_manufacturer"]),
        Line(
            gettext("How many"),
            sentences.span(server.sockets_min, server.sockets_max),
            marks["sockets_min"],
        ),
        Line(
            gettext("Generations"),
            ", ".join((server.cpu_generations or "").splitlines()),
            marks["cpu_generations"],
        ),
        Line(gettext("Cores per processor, at most"), number(server.cpu_max_cores), marks["cpu_max_cores"]),
        Line(
            gettext("TDP per processor, at most"),
            watts(server.cpu_max_tdp_w),
            marks["cpu_max_tdp_w"],
            server.cpu_note,
        ),
    ]


def _memory(server, marks):
    return [
        Line(gettext("Type"), server.memory_type, marks["memory_type"]),
        Line(gettext("Slots"), number(server.memory_slots), marks["memory_slots"]),
        Line(gettext("At most"), capacity(server.memory_max_gb), marks["memory_max_gb"]),
        Line(
            gettext("Speed"),
            megatransfers(server.memory_speed_mts),
            marks["memory_speed_mts"],
            server.memory_note,
        ),
    ]


def _drives(server, marks):
    return [
        Line(gettext("2.5-inch bays, at most"), number(server.bays_2_5), marks["bays_2_5"]),
        Line(gettext("3.5-inch bays, at most"), number(server.bays_3_5), marks["bays_3_5"]),
        Line(
            gettext("NVMe bays, at most"), number(server.bays_nvme), marks["bays_nvme"], server.storage_note
        ),
    ]


def _slots(server, marks):
    return [
        Line(gettext("PCIe generation"), number(server.pcie_gen), marks["pcie_gen"]),
        Line(gettext("PCIe slots"), number(server.pcie_slots), marks["pcie_slots"], server.pcie_note),
        Line(gettext("OCP slots"), number(server.ocp_slots), marks["ocp_slots"], server.network_note),
    ]


def _power(server, marks):
    sizes = ", ".join(watts(supply.power_w) for supply in server.power_supplies.all())
    return [
        Line(gettext("Power supplies"), number(server.psu_count), marks["psu_count"]),
        Line(gettext("Sizes offered"), sizes, marks["power_supplies"], server.power_note),
        Line(gettext("Power per GPU card or module, at most"), watts(server.card_max_w), marks["card_max_w"]),
    ]


def _room(server, marks):
    kinds = "; ".join(option.get_kind_display() for option in server.cooling_options.all())
    lines = [
        Line(gettext("Cooling"), kinds, marks["cooling_options"], server.cooling_note),
        Line(
            gettext("Room temperature"),
            sentences.room_temperature(server),
            marks["temperature_max_c"],
            server.environment_note,
        ),
    ]
    if conditions := sentences.room_conditions(server):
        lines.append(Line(gettext("On what conditions"), conditions, marks["temperature_conditional"]))
    return [*lines, Line(gettext("ASHRAE class"), server.ashrae_class, marks["ashrae_class"])]
