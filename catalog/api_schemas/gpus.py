"""GPUs and the servers that take them."""

from datetime import datetime
from typing import Literal

from ninja import Schema

from aiservers.paging import Page
from catalog.api_schemas.common import EvidenceOut, Lifecycle, Reference, Text, about, fact, page_of


class GPUListed(Schema):
    """A GPU; memory, bandwidth and (dense) rates are per device, form and power per board."""

    slug: str
    name: str
    page: str = about("The page that shows it, in the reader's language.")
    manufacturer: Reference
    architecture: str | None
    launch_year: int | None
    launch_month: int | None
    market_state: Literal["current", "previous", "legacy"] = about("Our judgement.")
    devices_per_board: int
    form: Literal["sxm", "oam", "superchip", "pcie"] | None
    slots_wide: int | None
    full_height: bool | None
    length_mm: float | None
    memory_gb: int = about("As printed by the maker: a label, never converted.")
    memory_gib_usable: float | None = fact("What the driver reports, GiB.")
    memory_type: str | None
    ecc: bool | None
    bandwidth_gbs: float | None
    fp64_tflops: float | None
    fp32_tflops: float | None
    tf32_tflops: float | None
    fp16_tflops: float | None
    bf16_tflops: float | None
    fp8_tflops: float | None
    fp4_tflops: float | None
    int8_tops: float | None
    int4_tops: float | None
    compute_capability: str | None
    native_precisions: list[str] | None = fact("Types that its matrix units compute in.")
    nvlink_gbs_total: float | None = fact("Per GPU, all links, both directions.")
    nvlink_generation: int | None
    bridge_max_gpus: int | None
    pcie_gen: int | None
    pcie_lanes: int | None
    fabric_name: str | None
    fabric_gbs_total: float | None
    tdp_w: int | None = fact("Per board; of a superchip: per GPU.")
    tdp_min_w: int | None = fact("Lowest power limit.")
    cooling: str | None
    mig_instances: int | None = fact("0: cannot be divided.")
    nvenc: int | None
    nvdec: int | None
    serves_language_models: bool

    @staticmethod
    def resolve_page(row, context):
        return page_of(row, "catalog:gpu", context)

    @staticmethod
    def resolve_native_precisions(row):
        return (row.native_precisions or "").split() or None


class GPUHolder(Schema):
    """A server that takes the GPU, one entry an option."""

    server: Reference
    variant: str
    min_count: int
    max_count: int | None = fact("Cards, at most.")
    lifecycle: Lifecycle


class GPUDetail(GPUListed):
    """A GPU with the servers that take it and where its figures come from."""

    memory_basis: str | None
    tflops_basis: str | None
    video_other: str | None
    note: Text
    lifecycle_note: Text
    servers: list[GPUHolder]
    evidence: list[EvidenceOut]
    updated_at: datetime

    @staticmethod
    def resolve_servers(row):
        return [
            {
                "server": option.variant.server,
                "variant": option.variant.slug,
                "min_count": option.min_count,
                "max_count": option.max_count,
                "lifecycle": option.lifecycle,
            }
            for option in row.options.all()
            if option.variant.server.is_published
        ]


class GPUPage(Page[GPUListed]):
    pass
