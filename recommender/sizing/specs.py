"""Values that the sizing core takes and returns: frozen, without Django, in SI base units.

Memory is always bytes here; catalogue rows turn their GiB into bytes in `recommender.adapters`, the
one place where units change. Precisions are the answers' words: fp32 bf16 fp16 fp8 int8 int4 fp4.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

GIB = 2**30
GB = 10**9
SMALLEST_MEMORY = 1 * GIB  # a figure in GB, GiB or MiB fed for bytes lies below
LARGEST_MEMORY = 4096 * GIB  # one in bits or KiB of bytes above
GB_FOR_GIB = 0.9345
DERIVED_FLOOR = 0.929  # a derived range starts at 0.93 of the label

Precision = Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4", "fp4"]
KVPrecision = Literal["bf16", "fp8"]
Engine = Literal["vllm", "sglang", "tensorrt_llm", "other"]
Method = Literal["pretraining", "full", "lora", "qlora"]
ModelKind = Literal["llm", "vlm", "embedding", "reranker", "asr", "image_generation", "vision"]
CacheKind = Literal["full", "window", "chunked", "latent", "indexer", "state"]
Link = Literal["nvswitch", "nvlink", "fabric", "bridge", "pcie", "none"]
Support = Literal["native", "weight_only", "storage_only", "no"]
Recompute = Literal["none", "selective", "full"]
Sharding = Literal["none", "zero1", "zero2", "zero3"]
Offload = Literal["none", "optimizer", "activations", "both"]
Targets = Literal["all", "attention", "query_value"]
Build = Literal["current", "2025", "2024"]


class SizingError(ValueError):
    """The core was asked for something that makes no sense: a bug of the caller, never of the reader."""


@dataclass(frozen=True, slots=True)
class Range:
    """A figure that is known between two ends: low <= typical <= high, all in the figure's own unit."""

    low: float
    typical: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.typical <= self.high:
            raise SizingError(f"not in order: {self.low}, {self.typical}, {self.high}")

    @classmethod
    def exact(cls, value: float) -> "Range":
        return cls(value, value, value)

    def __add__(self, other: "Range") -> "Range":
        return Range(self.low + other.low, self.typical + other.typical, self.high + other.high)

    def scaled(self, factor: float) -> "Range":
        """Return the range times a factor that is not negative."""
        if factor < 0:
            raise SizingError(f"negative factor: {factor}")
        return Range(self.low * factor, self.typical * factor, self.high * factor)


# What a driver reports of the printed number read as GiB, where no report is known: derived from all cards
# with both figures.
USABLE_SHARE = Range(0.93, 0.965, 1.0)


@dataclass(frozen=True, slots=True)
class CacheGroup:
    """What one kind of layer keeps per request (see `memory.cache_bytes` for the rule of each kind).

    full      2 x kv_heads x head_dim values a token, without end
    window    the same, bounded by the last `window` tokens
    chunked   the same, bounded by the current chunk of `window` tokens
    latent    latent_dim + rope_dim values a token, copied to every tensor rank (MLA); bounded where
              `window` is given
    indexer   latent_dim values a token beside a latent group (sparse attention), copied as well
    state     `state_bytes` a layer and request, whatever the length (linear attention, Mamba)

    `tokens_per_entry` above 1: one entry is kept for that many tokens (compressed attention).
    `tensor_sharded` false: every tensor rank keeps the whole.
    """

    kind: CacheKind
    layers: int
    kv_heads: int = 0
    head_dim: int = 0
    latent_dim: int = 0
    rope_dim: int = 0
    window: int | None = None
    state_bytes: int = 0
    tokens_per_entry: int = 1
    tensor_sharded: bool = True


@dataclass(frozen=True, slots=True)
class ExtraModule:
    """A part beside the language model: vision tower, speech encoder, prediction layer [parameters]."""

    name: str
    parameters: int
    tensor_sharded: bool = False


@dataclass(frozen=True, slots=True)
class AIModelSpec:
    """One AI model's shape. None: no source says.

    `parameters` counts the whole published checkpoint, extra modules and prediction layers included.
    """

    slug: str
    kind: ModelKind
    parameters: int
    active_parameters: int | None = None
    num_layers: int | None = None
    hidden_size: int | None = None
    num_attention_heads: int | None = None
    num_kv_heads: int | None = None
    head_dim: int | None = None
    intermediate_size: int | None = None
    vocab_size: int | None = None
    tie_embeddings: bool | None = None
    max_context: int | None = None
    native_precision: Precision = "bf16"
    cache_groups: tuple[CacheGroup, ...] = ()
    cache_known: bool = True  # false: the architecture is not understood, cache figures are refused
    cache_contested: bool = False  # sources state different caches; one of them is reckoned with
    cache_spread: Range | None = None  # factors on the cache groups' bytes that are not certain
    experts: int = 0
    experts_per_token: int = 0
    shared_experts: int = 0
    moe_intermediate_size: int | None = None
    first_dense_layers: int = 0  # layers of a mixture that have no experts, wherever they stand
    mtp_parameters: int = 0  # prediction (draft) layers inside `parameters`
    extra_modules: tuple[ExtraModule, ...] = ()
    measured_weights: Mapping[str, float] = field(default_factory=dict)  # precision -> bytes of a checkpoint
    gflop_per_image: float | None = None  # forward pass of vision models at their usual resolution
    measured: tuple["MeasuredResult", ...] = ()  # of models that make no text: what others measured

    def __hash__(self) -> int:
        """Equal models have equal slugs; the mapping inside cannot be hashed."""
        return hash(self.slug)

    @property
    def is_moe(self) -> bool:
        return self.experts > 1

    @property
    def generates_tokens(self) -> bool:
        return self.kind in ("llm", "vlm")

    @property
    def compute_parameters(self) -> int:
        """Parameters that work on each token: the active ones of a mixture, else all."""
        return self.active_parameters or self.parameters


@dataclass(frozen=True, slots=True)
class GPUSpec:
    """One software-visible accelerator. None: no source says; sizing then refuses what needs the figure."""

    slug: str
    vendor: str  # slug: nvidia, amd, intel, qualcomm
    architecture: str  # as in the data: "Hopper", "Ada Lovelace", "Ampere (GA100)", "CDNA 3" ...
    form: str | None  # sxm, oam, pcie-double-wide, pcie-single-wide, superchip
    memory_bytes: Range  # what the driver reports; exact where a report is known
    memory_reported: bool  # false: the range is derived from the printed label
    bandwidth_bytes_per_s: float | None
    dense_flops: Mapping[str, float]  # precision -> FLOP/s without sparsity; missing: not published
    native_precisions: frozenset[str]
    tdp_w: float | None
    compute_capability: tuple[int, int] | None = None
    nvlink_bytes_per_s: float | None = None  # both directions, all links
    bridge_max_gpus: int | None = None
    pcie_bytes_per_s: float | None = None  # both directions
    devices_per_board: int = 1
    market_state: Literal["current", "previous", "legacy"] = "current"
    serves_language_models: bool = True  # false: graphics or desktop-virtualisation card
    memory_label_gb: float | None = None  # the number printed on the box; only checks `memory_bytes`

    def __post_init__(self) -> None:
        if not SMALLEST_MEMORY <= self.memory_bytes.low <= self.memory_bytes.high <= LARGEST_MEMORY:
            raise SizingError(f"{self.slug}: {self.memory_bytes} are not the bytes of one accelerator")
        if self.memory_label_gb is None:
            return
        # A driver reports 0.937 (error correction on) to 1.00 of the label read as GiB. The label read as
        # 10^9 bytes is 0.9313 of that: whoever mixed up GB and GiB is told so here.
        floor = GB_FOR_GIB if self.memory_reported else DERIVED_FLOOR
        label = self.memory_label_gb * GIB
        if not floor < self.memory_bytes.low / label <= self.memory_bytes.high / label <= 1.001:
            raise SizingError(f"{self.slug}: {self.memory_bytes}, but {self.memory_label_gb} GB on the box")

    def __hash__(self) -> int:
        """Equal cards have equal slugs; the mapping inside cannot be hashed."""
        return hash(self.slug)

    @property
    def gpus_per_card(self) -> int:
        """GPUs that come on one card as ordered: four on an A16.

        The one rule of counting: makers and options count cards; from `NodeSpec.counts` on, layouts, memory,
        speed and the advice count GPUs as software sees them, each with its own memory. Superchips are
        listed, counted and rated in watts by the GPU, whatever board they share.
        """
        return 1 if self.form == "superchip" else self.devices_per_board

    def cards(self, gpus: int) -> int:
        """Return how many cards bring that many GPUs."""
        return -(-gpus // self.gpus_per_card)


@dataclass(frozen=True, slots=True)
class MeasuredResult:
    """One published measurement of a rate: `value` in `unit`, over `count` GPUs in all.

    `model` is the slug of the catalogue's model, else the name as published. `group` is the log or table that
    it stands in: whoever judges accuracy leaves out the whole group.
    """

    card: GPUSpec
    server: str | None  # slug, where the measurement names this very server
    model: str
    kind: Literal["inference", "training"]
    unit: str  # samples_per_s, output_tokens_per_s ...: over all GPUs unless it says _per_gpu
    value: float
    count: int
    precision: str | None
    link: str
    group: str
    servers: int = 1
    suite: str = ""
    round: str = ""
    scenario: str = ""  # Offline, Server ...
    engine: str | None = None
    method: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    concurrency: int | None = None
    sequence_tokens: int | None = None
    work_per_sample: float | None = None  # steps of an image, seconds of speech

    def __hash__(self) -> int:
        """The mapping inside the card cannot be hashed."""
        return hash((self.link, self.unit, self.value))

    @property
    def gpu(self) -> str:
        return self.card.slug


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """A server (variant) with one GPU option: what can be ordered as one row, before a count is chosen."""

    server: str
    variant: str | None
    gpu: GPUSpec
    counts: tuple[int, ...]  # GPUs of 1, 2, 4, 8 cards, or of the fixed or largest number of them
    count_known: bool  # false: only one card is counted, more is "count not published"
    link: Link
    link_bytes_per_s: float | None  # per GPU, both directions, of that board in this server
    link_max_gpus: int  # GPUs that the link joins at full rate; wider groups go over PCIe
    evidence: Literal["maker", "benchmark", "deployed", "preset", "derived"]
    cpu_vendor: str
    sockets_min: int
    sockets_max: int
    option_min_sockets: int | None
    option_min_psu_w: int | None
    option_ambient_max_c: float | None
    card_power_cap_w: float | None
    kind: Literal["rack", "tray", "edge", "tower"]
    rack_units: int | None  # own height; of a tray: of the tray
    enclosure_rack_units: int | None  # trays only
    enclosure_trays: int | None
    depth_mm: float | None
    cooling: frozenset[str]  # air, liquid: what the configuration needs or takes (see catalog.Cooling)
    temperature_min_c: float | None
    temperature_max_c: float | None
    workloads: frozenset[str]
    server_orderable: bool
    option_orderable: bool
    successor: str | None
    special_order: bool  # sold only on a separate base model ("for AI"), export-controlled
    temperature_conditional: bool = False  # the maximum holds for limited configurations only
    temperature_sure_c: float | None = None  # up to here every configuration; None: not published
    not_in_quiet_modes: bool = False  # a quiet acoustic mode of the server excludes the card
    cpu_max_tdp_w: float | None = None  # of the largest processor that the server takes
    psu_count: int | None = None  # None: not published, or shared with other trays
    psu_sizes_w: tuple[int, ...] = ()  # that can be ordered, all supplies of a server alike
    psu_sizes_partial: bool = False  # other sizes may exist: the list proves nothing
    ashrae_class: str = ""
    drive_bays: int | None = None  # at most, of all kinds; None: not published

    def __hash__(self) -> int:
        """Equal nodes have these equal; hashing all of them would only take longer."""
        return hash((self.server, self.variant, self.gpu.slug, self.counts))


@dataclass(frozen=True, slots=True)
class Layout:
    """How one model lies on GPUs: each replica takes tensor_parallel x pipeline_parallel of them.

    The experts of a mixture lie on `expert_parallel` GPUs of a stage: above `tensor_parallel` they are shared
    by that many times as many replicas, which keep attention and cache for themselves. At most
    `tensor_parallel` changes no memory: ranks then hold whole experts in place of slices.
    """

    tensor_parallel: int
    pipeline_parallel: int
    replicas: int
    idle_gpus: int
    crosses_link: bool  # the tensor group is wider than the fast link and goes over PCIe
    expert_parallel: int = 1

    @property
    def gpus_per_replica(self) -> int:
        return self.tensor_parallel * self.pipeline_parallel

    @property
    def gpus_used(self) -> int:
        return self.gpus_per_replica * self.replicas

    @property
    def one_replica(self) -> "Layout":
        """Return a single replica in the same shape, its experts on its own ranks."""
        return Layout(self.tensor_parallel, self.pipeline_parallel, 1, 0, self.crosses_link)


@dataclass(frozen=True, slots=True)
class Memory:
    """What the load needs on the busiest GPU, line by line [bytes]. None: does not apply."""

    weights: Range
    kv_cache: Range | None
    activations: Range
    optimizer: Range | None
    gradients: Range | None
    overhead: Range
    available: Range  # usable memory x the engine's utilization

    @property
    def total(self) -> Range:
        total = self.weights + self.activations + self.overhead
        for line in (self.kv_cache, self.optimizer, self.gradients):
            if line is not None:
                total = total + line
        return total
