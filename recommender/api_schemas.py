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


def left_out():
    """Return a field that may be missing, which is not the same as null."""
    return Field(None)


def _without_defaults(schema):
    """Take out defaults: a name that may be missing has none."""
    for described in schema["properties"].values():
        described.pop("default", None)


class Exact(Schema):
    """Every name is listed: an answer with another one is a bug."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=_without_defaults)


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
    evidence: dict[str, Known] = about(
        "How each figure is known. A computed one counts as measured only where a published measurement of "
        "about that load lies inside its range."
    )
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
    """The interval of an answer in which the same server stays first; null: no end was found.

    Of a choice, the other answers that put another server first.
    """

    key: str
    holds: list[float | None] = Field(min_length=2, max_length=2)
    flips_to: str | None
    flips_with: list[str] = left_out()


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


class PlanCapacity(Exact):
    """What a way carries in both jobs, at the unfavourable end. Null: not known."""

    requests_at_once: int | None
    requests_needed: int | None
    throughput: Throughput | None
    training_hours: Triple | None = triple("h", "One cycle")
    experiments_per_month: list[int] | None = triple("1/month")
    experiments_needed: float
    hours_per_month: float = about("There are for experiments.")


class PlanShare(Exact):
    """What one job needs of a resource, and what there is for it."""

    job: Literal["serving", "training", "start"]
    unit: Literal["bytes", "requests", "rate", "hours", "bytes/s", "bits/s"]
    need: Triple | None = triple("unit")
    have: float | None


class PlanContention(Exact):
    resource: str
    mode: Literal["apart", "in_turn", "common", "own"]
    shares: list[PlanShare]


class PlanLoss(Exact):
    """Requests at once with all servers, and with one that serves lost."""

    servers: int
    all: float | None
    one_lost: float | None
    stands_in: bool = about("What is left is a server that trains otherwise.")


class PlanStep(Exact):
    percent: float = about("More than today.")
    months: int | None
    load: float
    servers: int | None
    gpus_per_server: int | None
    rack_units: int | None
    power_w: Triple | None = triple("W")


class PlanGrowth(Exact):
    steps: list[PlanStep]
    full_at: float | None = about("Load that the cards of today carry.")
    full_in_months: int | None
    server_full_at: float | None = about("Load that the same servers carry with every card that they take.")
    server_full_in_months: int | None
    each_server: float | None = about("Load that one more server adds.")


class PlanFlip(Exact):
    """An answer, and the value from which on another way is advised; `way` null: none does."""

    key: str
    side: str
    value: str | float | None
    way: str | None


class PlanVerdict(Exact):
    holds: bool
    reasons: list[str]
    flips: list[PlanFlip]


class Plan(Exact):
    """One way of running two jobs. Figures are left out where no server carries it."""

    serving: PlanPart | None
    training: PlanPart | None
    text: str
    advised: bool
    against: list[str]
    servers: int = left_out()
    gpus: int = left_out()
    rack_units: int | None = left_out()
    power_w: Triple | None = left_out()
    capacity: PlanCapacity = left_out()
    contention: list[PlanContention] = left_out()
    during_experiment: str = left_out()
    during_maintenance: str = left_out()
    loss: PlanLoss = left_out()
    growth: PlanGrowth = left_out()
    verdict: PlanVerdict | None = left_out()


class Plans(Exact):
    """The ways of running two jobs; left out where there is one."""

    shared: Plan = left_out()
    separate: Plan = left_out()
    scheduled: Plan = left_out()


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
