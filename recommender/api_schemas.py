"""What the API answers advice and memory with; the names and their meanings are those of the command."""

from typing import Literal

from ninja import Schema
from pydantic import ConfigDict, Field

State = Literal["fits", "fits_if"]
Triple = list[float]
Known = Literal["measured_here", "measured_elsewhere", "computed", "unknown"]


def triple(unit, description=""):
    return Field(
        description=f"{description}{': ' if description else ''}low, typical, high [{unit}].",
        min_length=3,
        max_length=3,
    )


def about(description):
    return Field(description=description)


class Exact(Schema):
    """Every name is listed: an answer with another one is a bug."""

    model_config = ConfigDict(extra="forbid")


class Assumption(Exact):
    key: str
    value: int | float | str
    unit: str
    origin: Literal["given", "hypothesis", "profile", "default"]
    why: str


class MemoryOfGPU(Exact):
    """GiB on the busiest GPU; the lines sum to `total`. Null: does not apply, or not known."""

    weights: float | None
    kv_cache: float | None
    activations: float | None
    optimizer: float | None
    gradients: float | None
    overhead: float | None
    total: float | None
    available: float = about("Usable memory, its low end, times the engine's share.")


class Throughput(Exact):
    unit: Literal["tokens/s", "requests/s", "frames/s", "audio_s/s", "images/min"]
    range: Triple | None = triple("unit")


class Match(Exact):
    """One server and GPU in its best configuration."""

    rank: int
    server: str
    variant: str | None
    gpu: str
    gpus_per_server: int
    servers: int = about("How many are needed, a spare included.")
    state: State
    precision: str
    tensor_parallel: int
    pipeline_parallel: int
    replicas: int
    idle_gpus: int
    score: float = about("0 to 100; never depends on which other servers there are.")
    criteria: dict[str, float | None]
    memory_gib_per_gpu: MemoryOfGPU
    ttft_ms: Triple | None = triple("ms", "Time to first token")
    tpot_ms: Triple | None = triple("ms", "Time per output token")
    output_tokens_per_s: Triple | None = triple("1/s")
    throughput: Throughput | None
    training_hours: Triple | None = triple("h")
    max_concurrency: int | None
    power_w: Triple | None = triple("W", "All servers")
    rack_units: int | None = about("All servers; null: not published.")
    evidence: dict[str, Known] = about("How each figure is known.")
    firm: bool
    pareto: bool
    tied: bool = about("No real difference to the match before.")
    reasons: list[str]
    warnings: list[str]


class Reason(Exact):
    code: str
    text: str


class Rejected(Exact):
    server: str
    gpu: str | None
    reasons: list[Reason]
    nearest_fix: str | None


class Hold(Exact):
    """The interval of an answer in which the same server stays first; null: no end was found."""

    key: str
    holds: list[float | None] = Field(min_length=2, max_length=2)
    flips_to: str | None


class ToMeasure(Exact):
    key: str
    text: str


class PlanPart(Exact):
    server: str
    gpu: str
    gpus_per_server: int
    servers: int
    state: State
    rack_units: int | None
    power_w: Triple | None = triple("W")


class Plan(Schema):
    """One way of running two jobs; figures are left out where no server carries it."""

    serving: PlanPart | None
    training: PlanPart | None
    text: str
    advised: bool
    against: list[str] | str | None
    servers: int | None = None
    gpus: int | None = None
    rack_units: int | None = None
    power_w: Triple | None = None


class Plans(Exact):
    """The ways of running two jobs; left out where there is one."""

    shared: Plan | None = None
    separate: Plan | None = None
    scheduled: Plan | None = None


class Advice(Exact):
    catalog_version: str
    rules_version: str
    language: str
    conditional: bool = about("Some of what the advice rests on was not given, or is a guess.")
    notices: list[str]
    assumptions: list[Assumption]
    matches: list[Match]
    not_shown: list[str] = about("Servers that match and were cut by `top`.")
    rejected: list[Rejected]
    plans: Plans
    sensitivity: list[Hold]
    to_measure: list[ToMeasure]


# Memory


class WholeModel(Exact):
    weights: Triple | None = triple("GiB")
    kv_cache: Triple | None = triple("GiB", "Of all requests")


class MemoryLines(Exact):
    """GiB on the busiest GPU, each low, typical, high. Null: does not apply, or not known."""

    weights: Triple | None = triple("GiB")
    kv_cache: Triple | None = triple("GiB")
    activations: Triple | None = triple("GiB")
    optimizer: Triple | None = triple("GiB")
    gradients: Triple | None = triple("GiB")
    overhead: Triple | None = triple("GiB")


class MemoryLayout(Exact):
    """One way to lay the model out over the GPUs."""

    tensor_parallel: int
    pipeline_parallel: int
    expert_parallel: int
    replicas: int
    idle_gpus: int
    state: Literal["fits", "fits_if", "no", "unknown"] = about("Whether its memory fits.")
    precision: str
    total_gib_per_gpu: Triple | None = triple("GiB", "Null: the cache is not known; else")
    available_gib_per_gpu: Triple = triple("GiB", "Usable memory times the engine's share")
    requests_per_replica: int | None
    most_requests_per_replica: list[int] | None = triple("1", "At once, by memory alone")


class ChosenLayout(MemoryLayout):
    lines_gib_per_gpu: MemoryLines


class MemoryCard(Exact):
    """The fewest GPUs of one kind, in one server, that hold the load."""

    gpu: str
    gpus_per_server: int
    precision: str
    total_gib_per_gpu: Triple | None = triple("GiB", "Null: the cache is not known; else")
    available_gib_per_gpu: Triple = triple("GiB")


class Memory(Exact):
    catalog_version: str
    rules_version: str
    language: str
    model: str | None = about("Null: a model that is not in the catalog.")
    parameters: int
    work: Literal["inference", "training"] = about("What is sized.")
    precision: str = about("Of the weights.")
    assumptions: list[Assumption]
    whole_model_gib: WholeModel
    gpu: str | None = about("Null: none was chosen; see `cards`.")
    gpus_per_server: int | None
    servers: int | None
    state: Literal["fits", "fits_if", "no", "unknown"] | None = about(
        "As the calculator shows it: `fits_if` as well where no server takes that number of GPUs."
    )
    text: str | None
    chosen: ChosenLayout | None
    layouts: list[MemoryLayout]
    cards: list[MemoryCard]
    taken_by: list[str] = about("Servers that take these GPUs, what can be ordered first.")
    notices: list[str]
