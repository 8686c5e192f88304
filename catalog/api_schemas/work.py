"""Kinds of work, and what others measured."""

from datetime import datetime
from typing import Literal

from ninja import Schema

from aiservers.paging import Page
from catalog.api_schemas.common import Reference, SourceOut, Stage, Text, Unmarked, about


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
