"""What is asked and what is offered, as values without a language: the case, its corners, the machines."""

from dataclasses import dataclass
from typing import Literal

from recommender.sizing.specs import (
    AIModelSpec,
    Engine,
    KVPrecision,
    Method,
    NodeSpec,
    Precision,
    Recompute,
    Sharding,
)

Value = str | int | float | None
Priority = Literal["balanced", "performance", "footprint", "power", "growth"]
Kind = Literal["tokens", "vision", "speech", "images", "embeddings"]
UNITS = {
    "tokens": "tokens/s",
    "vision": "frames/s",
    "speech": "audio_s/s",
    "images": "images/min",
    "embeddings": "tokens/s",
}


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence to be, as a code and its figures in the core's units."""

    code: str
    params: tuple[tuple[str, Value], ...] = ()

    def __getitem__(self, name: str) -> Value:
        return dict(self.params)[name]


def message(code: str, **params: Value) -> Message:
    return Message(code, tuple(sorted(params.items())))


@dataclass(frozen=True, slots=True)
class Corner:
    """The answers at one end of their ranges, resolved: hard takes the harder end of each, easy the other."""

    model: AIModelSpec | None = None  # served
    draft: AIModelSpec | None = None
    adapters: int = 0
    requests: int = 1  # running at once
    arrivals_per_s: float | None = None  # the load is known as a rate: it has to be sustained as well
    arrivals_given: bool = False  # false: worked out from people, so that the typical end is good enough
    input_tokens: int = 0
    output_tokens: int = 1
    tokens_per_request: int = 0
    prefix_percent: float = 0.0
    prefix_tokens: int = 0  # start of the prompt that all requests share, kept once a replica
    ttft_s: float | None = None  # targets that were given
    tpot_s: float | None = None
    rate: float | None = None  # frames/s, audio s/s, images/min, tokens/s of work without an answer text
    trained: AIModelSpec | None = None
    tokens: float = 0.0  # of one training cycle
    target_s: float | None = None
    sequence_tokens: int = 4096
    global_batch: int = 1
    micro_batch: int = 1
    lora_rank: int = 16
    network_bytes_per_s: float | None = None
    rack_units: float | None = None
    depth_mm: float | None = None
    power_w: float | None = None
    temperature_min_c: float | None = None
    temperature_max_c: float | None = None
    altitude_m: float | None = None

    def __hash__(self) -> int:
        """Equal corners have these equal; hashing more of them would only take longer.

        They are what may be moved alone: corners that differ in them are found without being compared.
        """
        return hash(
            (
                self.requests,
                self.arrivals_per_s,
                self.input_tokens,
                self.output_tokens,
                self.tokens_per_request,
                self.prefix_percent,
                self.ttft_s,
                self.tpot_s,
                self.rate,
                self.tokens,
                self.target_s,
                self.sequence_tokens,
                self.global_batch,
                self.micro_batch,
                self.lora_rank,
            )
        )


@dataclass(frozen=True, slots=True)
class Around:
    """What was said about the surroundings: facts and cautions follow from it, no size.

    Ranges keep their harder and their easier end, as the corners do.
    """

    energy_price: tuple[float, float] | None = None  # per kWh, in the reader's own currency
    storage_bytes: tuple[float, float] | None = None  # local disks
    storage_bytes_per_s: tuple[float, float] | None = None  # shared storage
    checkpoint_s: tuple[float, float] | None = None
    checkpoints_kept: tuple[float, float] | None = None
    on_node_loss: str | None = None
    documents: tuple[float, float] | None = None
    vector_dimensions: tuple[float, float] | None = None
    index_replicas: tuple[float, float] | None = None
    separate_index: str | None = None
    maintenance_s: tuple[float, float] | None = None  # a month
    isolation: str | None = None
    feed_v: float | None = None
    psu_redundancy: Literal["none", "n_plus_1", "n_plus_n"] | None = None
    envelope: tuple[str, str] | None = None  # smallest and largest model that may come


@dataclass(frozen=True, slots=True)
class Case:
    """What is asked, without a language: the resolved answers."""

    kind: Kind
    serves: bool
    trains: bool
    hard: Corner
    easy: Corner
    typical_ttft_s: float  # the target, or what is usual
    typical_tpot_s: float
    typical_target_s: float
    together: bool = False  # training runs beside the service, at the same time, in one server
    precision: Precision | None = None  # None: the model's own
    training_precision: Precision | None = None
    kv_precision: KVPrecision = "bf16"
    engine: Engine = "vllm"
    method: Method = "lora"
    optimizer: str = "adamw"
    recompute: Recompute | None = None
    sharding: Sharding | None = None
    n_plus_1: bool = False
    priority: Priority = "balanced"
    site: str | None = None
    cooling: str | None = None
    cpu_vendor: str | None = None
    gpu_vendor: str | None = None
    conditional: bool = True
    must: tuple[str, ...] = ()  # criteria that became rules
    around: Around = Around()

    def __hash__(self) -> int:
        """Equal cases have these equal, which are what may be moved alone."""
        times = self.typical_ttft_s, self.typical_tpot_s, self.typical_target_s
        types = self.precision, self.kv_precision, self.engine, self.method, self.optimizer, self.priority
        return hash((self.hard, times, types, self.recompute, self.sharding))


@dataclass(frozen=True, slots=True)
class Bare:
    """What the rules of the site read of a server, with or without a GPU in it."""

    server: str
    cpu_vendor: str
    kind: str
    rack_units: int | None
    enclosure_rack_units: int | None
    enclosure_trays: int | None
    depth_mm: float | None
    cooling: frozenset[str]
    temperature_min_c: float | None
    temperature_max_c: float | None
    workloads: frozenset[str]
    temperature_conditional: bool = False
    temperature_sure_c: float | None = None


@dataclass(frozen=True, slots=True)
class Machine:
    """A published server with everything that can be ordered in it."""

    bare: Bare
    nodes: tuple[NodeSpec, ...]
