"""What the API tells about the catalog. Null: not published, or not known; units stand in the names."""

from datetime import date, datetime
from typing import Annotated, Literal

from django.urls import reverse
from ninja import Schema
from pydantic import BeforeValidator, Field

from aiservers.paging import Page
from catalog.glossary import plain

Lifecycle = Literal["current", "previous", "withdrawn"]
Stage = Literal["training", "fine_tuning", "inference", "mixed", "development"]
Precision = Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4", "fp4"]

NOT_PUBLISHED = "Null: not published."


def fact(description):
    return Field(description=f"{description} {NOT_PUBLISHED}")


def about(description):
    return Field(description=description)


def page_of(row, view_name, context):
    """Return the address of the page that shows a row, in the reader's language."""
    return context["request"].build_absolute_uri(reverse(view_name, args=[row.slug]))


# An empty text is one that nobody has written.
Text = Annotated[str | None, BeforeValidator(lambda text: text or None)]
# Marks of glossary terms are for pages.
Unmarked = Annotated[str | None, BeforeValidator(lambda text: plain(text) or None)]


class Reference(Schema):
    slug: str
    name: str


class SourceOut(Schema):
    """A text that figures were read in."""

    title: str
    url: Text = about("Where it can be read; null: not published on the web.")
    publisher: Text
    published_on: Text = about("As precise as it is known: 2026, 2026-08 or 2026-08-10.")
    kind: Literal["maker", "guide", "benchmark", "third_party_copy", "customer_guide", "other"]
    via: Text = about("Where it was read, if not at its own address.")


class EvidenceOut(Schema):
    """What one source says about one field of the row that it stands in."""

    field: str = about("Name of the field, or of the list, that the source speaks of.")
    state: Literal["maker", "benchmark", "deployed", "third_party", "derived"]
    stated: Text = about("What the source says, in its own figure; null: as it is kept.")
    kept: bool = about("Whether the catalog shows this value; two sources may disagree.")
    weak: bool = about("The source is weak or indirect: confirm before relying on it.")
    checked_on: date | None = about("When somebody last looked it up; null: not recorded.")
    source: SourceOut


# Servers


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


# GPUs


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


# AI models


class AIModelListed(Schema):
    slug: str
    name: str
    page: str = about("The page that shows it, in the reader's language.")
    developer: str | None
    family: str | None
    kind: Literal["llm", "vlm", "embedding", "reranker", "asr", "image_generation", "vision"]
    hf_id: str | None = about("Its name on Hugging Face.")
    license: str | None
    released_year: int | None
    released_month: int | None
    parameters: int = about("The whole published checkpoint.")
    active_parameters: int | None = about("Of a mixture: at work on one token; null: all, or not published.")
    max_context: int | None = fact("Longest context, tokens.")
    native_precision: Precision

    @staticmethod
    def resolve_page(row, context):
        return page_of(row, "catalog:ai_model", context)


class CacheGroupOut(Schema):
    """What the layers of one kind keep for each request."""

    kind: Literal["full", "window", "chunked", "latent", "indexer", "state"]
    layers: int
    kv_heads: int
    head_dim: int
    latent_dim: int
    rope_dim: int
    window: int | None = about("Tokens; null: no window.")
    state_bytes: int = about("Of one layer.")
    tokens_per_entry: int
    tensor_sharded: bool = about("False: every rank keeps the whole.")


class ModelPartOut(Schema):
    """A part beside the language model, inside the published total."""

    name: str
    parameters: int
    tensor_sharded: bool


class MeasuredWeightsOut(Schema):
    """The size of one published checkpoint, or of its weights as an engine loaded them."""

    precision: Precision | None = about("Null: none of the precisions that can be asked for.")
    stated_dtype: str | None
    gib: float
    of_files: bool = about("False: as an engine reported it after loading.")
    source: SourceOut | None


class AIModelDetail(AIModelListed):
    """A model with its shape and where its figures come from."""

    num_layers: int | None
    hidden_size: int | None
    num_attention_heads: int | None
    num_kv_heads: int | None
    head_dim: int | None
    intermediate_size: int | None
    vocab_size: int | None
    tie_embeddings: bool | None
    attention_type: str | None
    native_dtype_stated: str | None
    experts: int = about("0: no mixture of experts.")
    experts_per_token: int
    shared_experts: int
    moe_intermediate_size: int | None
    first_dense_layers: int
    mtp_parameters: int = about("Of prediction layers, part of the total.")
    cache_known: bool = about("False: the cache of this architecture is not computed.")
    gflop_per_image: float | None
    note: Text
    cache_groups: list[CacheGroupOut]
    parts: list[ModelPartOut]
    measured_weights: list[MeasuredWeightsOut]
    evidence: list[EvidenceOut]
    updated_at: datetime


class AIModelPage(Page[AIModelListed]):
    pass


# Kinds of work


class RequirementOut(Schema):
    aspect: Literal["gpus", "link", "memory", "duty", "form"]
    text: Text


class TypicalOut(Schema):
    """The value that stands in for an answer that was not given."""

    key: str = about("Name of the answer that it replaces.")
    value: str = about("A number, a range such as 8..32, or a word.")
    why: Text
    source: SourceOut | None


class WorkloadProfileOut(Schema):
    """A kind of work: what it asks, and what is assumed where a reader does not know."""

    slug: str
    stage: Stage
    name: Text
    summary: Unmarked
    asks: Unmarked = about("What it asks of a server.")
    to_measure: Unmarked
    gpus_min: int | None = about("A preference, never a rule; null: none.")
    gpus_max: int | None = about("A preference, never a rule; null: none.")
    rack_units_min: int | None = about("A preference, never a rule; null: none.")
    rack_units_max: int | None = about("A preference, never a rule; null: none.")
    requirements: list[RequirementOut]
    assumptions: list[TypicalOut]
    updated_at: datetime


class WorkloadProfilePage(Page[WorkloadProfileOut]):
    pass


# Measurements


class BenchmarkResultOut(Schema):
    """One measured figure, of all GPUs together unless it says per GPU."""

    measurement: str = about("Names the run; all figures of one run have the same.")
    figure: Literal[
        "output_tokens_per_s",
        "total_tokens_per_s",
        "decode_tokens_per_s",
        "prefill_tokens_per_s",
        "samples_per_s",
        "p90_latency_ms",
        "tokens_per_s_per_gpu",
        "tokens_per_s",
        "time_to_train_min",
        "weights_gib_per_gpu",
        "kv_cache_tokens",
        "peak_gpu_gib",
        "mean_system_power_w",
    ] = about("What was measured; the unit is in the name.")
    value: float
    unit: str
    work: Literal["inference", "training"]
    suite: str = about("Who published it.")
    round: Text
    scenario: Text
    benchmark: Text
    link: str = about("Where the figure can be read.")
    gpu: Reference
    gpu_count: int = about("GPUs over all servers.")
    servers: int
    server: Reference | None = about("Only where the measurement names this very server of the catalog.")
    submitter: Text
    system_name: Text
    ai_model: Reference | None = about("Null: not in the catalog.")
    model_name: str = about("As published.")
    precision: str | None
    engine: str | None
    method: str | None
    input_tokens: int | None = about("Mean; null: not stated.")
    output_tokens: int | None = about("Mean; null: not stated.")
    sequence_tokens: int | None
    sample_work: float | None = about("Steps of an image, seconds of speech; null: one sample is one piece.")
    concurrency: int | None = about("Null: as many as the engine takes.")

    @staticmethod
    def resolve_server(row):
        return row.server if row.server and row.server.is_published else None

    @staticmethod
    def resolve_ai_model(row):
        return row.ai_model if row.ai_model and row.ai_model.is_published else None


class BenchmarkResultPage(Page[BenchmarkResultOut]):
    pass
