"""Servers, their variants and the GPUs that these take."""

from datetime import datetime
from typing import Literal

from ninja import Schema

from aiservers.paging import Page
from catalog.api_schemas.common import EvidenceOut, Lifecycle, Reference, Text, about, fact, page_of


class EnclosureOut(Schema):
    slug: str
    name: str
    rack_units: int
    trays: int


class SlotsOut(Schema):
    """One way to fill the slots; alternatives never add up."""

    width: Literal["single", "double"]
    count: int = about("Cards, at most.")
    card_max_w: int | None = fact("Power per card, at most.")


class GPUOptionOut(Schema):
    """A GPU, how many of it, and the conditions of that number, which hold together."""

    gpu: Reference
    min_count: int
    max_count: int | None = fact("Cards, at most.")
    fixed: bool = about("Ordered with this number only.")
    link: Literal["nvswitch", "nvlink", "fabric", "bridge", "pcie"] | None
    link_gbs: float | None = fact("GB/s per GPU, both directions.")
    link_max_gpus: int | None = fact("GPUs that the link joins.")
    lifecycle: Lifecycle
    card_power_cap_w: int | None = about("Limit that the cards are held to; null: none, or not published.")
    ambient_max_c: int | None = about("Room at most, °C; null: no condition is published.")
    min_sockets: int | None = about("Processors needed; null: no condition is published.")
    min_psu_w: int | None = about("Smallest power supply; null: no condition is published.")
    blocks_bays: bool | None = fact("Takes the place of drive bays.")
    not_in_quiet_modes: bool
    special_order: bool
    special_base_model: str | None
    basis: Literal["maker", "benchmark", "deployed", "preset", "derived"] = about(
        "Where the option is known from."
    )
    note: Text
    evidence: list[EvidenceOut]


class VariantOut(Schema):
    """A base model that is ordered apart."""

    slug: str
    name: str
    rack_units: int | None = about("Null: the server's.")
    bays_2_5: int | None = about("Null: the server's.")
    bays_3_5: int | None = about("Null: the server's.")
    bays_nvme: int | None = about("Null: the server's.")
    lifecycle: Lifecycle
    note: Text
    slots: list[SlotsOut]
    gpu_options: list[GPUOptionOut]
    evidence: list[EvidenceOut]

    @staticmethod
    def resolve_slots(row):
        return list(row.slot_alternatives.all())


class ServerListed(Schema):
    """A server in a list."""

    slug: str
    name: str
    page: str = about("The page that shows it, in the reader's language.")
    manufacturer: Reference
    family: str | None
    generation: str | None
    kind: Literal["rack", "tray", "edge", "tower"]
    lifecycle: Lifecycle
    launch_year: int | None
    launch_month: int | None
    rack_units: int | None = fact("Height; of a tray: of the tray alone.")
    enclosure: EnclosureOut | None = about("What a tray is racked in; null: it needs none.")
    depth_mm: float | None
    cpu_manufacturer: Reference | None
    gpu_memory_gb: float | None = about(
        "Printed memory of the largest GPU option, all cards; null: no option."
    )
    gpu_memory_gib: float | None = about("What drivers report of it, GiB; null: no option, or not published.")
    gpus: list[str] = about("Slugs of the GPUs that it takes.")
    cooling: list[Literal["air", "closed_loop", "water_module", "direct_water"]] | None = fact(
        "Ways to cool it; `direct_water` alone: it needs a water loop."
    )
    temperature_min_c: int | None
    temperature_max_c: int | None
    for_training: bool
    for_fine_tuning: bool
    for_inference: bool
    for_edge: bool
    for_hpc: bool
    summary: Text = about("For whom it is, in the reader's language.")

    @staticmethod
    def resolve_page(row, context):
        return page_of(row, "catalog:server", context)

    @staticmethod
    def resolve_gpus(row):
        options = [option for variant in row.variants.all() for option in variant.gpu_options.all()]
        return sorted({option.gpu.slug for option in options})

    @staticmethod
    def resolve_cooling(row):
        return [option.kind for option in row.cooling_options.all()] or None


class ServerDetail(ServerListed):
    """A server with all of its figures and where each comes from."""

    machine_types: str | None
    successor: str | None = about("Slug of the server that takes its place; null: none is known.")
    height_mm: float | None
    width_mm: float | None
    weight_max_kg: float | None
    short_depth: bool | None
    sockets_min: int | None
    sockets_max: int | None
    cpu_generations: list[str] | None = fact("Processor generations.")
    cpu_max_cores: int | None
    cpu_max_tdp_w: int | None
    memory_type: str | None
    memory_slots: int | None
    memory_max_gb: int | None = fact("1 TB counts as 1024 GB.")
    memory_speed_mts: int | None
    bays_2_5: int | None
    bays_3_5: int | None
    bays_nvme: int | None
    pcie_gen: int | None
    pcie_slots: int | None
    ocp_slots: int | None
    module_max_count: int | None = fact("SXM or OAM modules, at most; 0: takes none.")
    card_max_w: int | None = fact("Power per card or module, at most.")
    psu_count: int | None
    power_supplies_w: list[int] | None = fact("Sizes of power supply that it is offered with.")
    temperature_conditional: bool | None = fact(
        "The highest temperature holds only with some configurations."
    )
    temperature_sure_c: int | None = fact("Room temperature for every configuration, up to.")
    ashrae_class: str | None
    notes: dict[str, str] = about("Conditions in words, in the reader's language, by what they are about.")
    variants: list[VariantOut]
    evidence: list[EvidenceOut] = about("Of the server's own figures; variants and options have their own.")
    updated_at: datetime

    @staticmethod
    def resolve_successor(row):
        return row.successor.slug if row.successor and row.successor.is_published else None

    @staticmethod
    def resolve_cpu_generations(row):
        return (row.cpu_generations or "").splitlines() or None

    @staticmethod
    def resolve_power_supplies_w(row):
        return [supply.power_w for supply in row.power_supplies.all()] or None

    @staticmethod
    def resolve_notes(row):
        return {name: text for name in row.NOTES if (text := getattr(row, name))}


class ServerPage(Page[ServerListed]):
    left_out: list[str] = about("How many servers lack a figure that a filter asks about, in words.")
