"""What was answered about running the work, and the figures that stand in for open answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from recommender.sizing.energy import HOURS_PER_MONTH
from recommender.sizing.experiments import SECONDS_PER_MINUTE, USUAL_CHECKPOINT_MINUTES

# A service that people use rests at night: eight hours, our own judgement. One that machines use never does.
NIGHT_HOURS_A_DAY = 8.0
NIGHT_HOURS = NIGHT_HOURS_A_DAY * 365 / 12
# Teams that adapt a model now and then try 2 to 40 times a month; 8 is what sizing questionnaires assume.
USUAL_EXPERIMENTS = 8.0
MOST_EXPERIMENTS = 10_000  # a month; the largest answer that is taken
USUAL_CHECKPOINT_S = USUAL_CHECKPOINT_MINUTES * SECONDS_PER_MINUTE
USUAL_GROWTH = (0.0, 50.0, 100.0)  # % more load, where nobody said how it grows
MONTHS = (0, 12, 24)
MOST_MONTHS = 120  # the longest horizon that may be answered


@dataclass(frozen=True, slots=True)
class Span:
    """An answer: one value, or both ends of a range."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Terms:
    """The answers that decide between one server and several. None: not answered."""

    stages: frozenset[str] = frozenset()
    one_node: str | None = None  # yes, by_schedule, separate
    isolation: str | None = None  # yes, no
    on_node_loss: str | None = None  # stop, slow, smaller_model
    queue_ok: str | None = None  # yes, no
    maintenance_h: Span | None = None  # a month
    experiments: Span | None = None  # a month
    growth_percent: Span | None = None  # a year
    horizon_years: Span | None = None
    users: Span | None = None  # registered people, where the load was worked out from them
    storage_bytes_per_s: Span | None = None  # of the shared storage
    network_bits_per_s: Span | None = None
    checkpoint_s: Span | None = None
    dataset_bytes: Span | None = None  # of one pass
    searches: bool = False  # the work finds documents first
    parts: frozenset[str] = frozenset()  # of the search: embedder, reranker, vector_index, ocr, guardrails
    documents: Span | None = None
    dimensions: Span | None = None  # of a vector
    index_replicas: Span | None = None
    separate_index: str | None = None  # yes, no
    answered: Mapping[str, str] = field(default_factory=dict)  # canonical texts of the answers above
    guesses: frozenset[str] = frozenset()  # keys whose answer is a guess

    @property
    def pilot(self) -> bool:
        return "development" in self.stages

    @property
    def trials(self) -> float:
        """Return the experiments to be held [1/month], at the harder end."""
        return USUAL_EXPERIMENTS if self.experiments is None else self.experiments.high

    @property
    def maintenance(self) -> float:
        """Return the hours a month in which a server is not there; unanswered: none are counted."""
        return 0.0 if self.maintenance_h is None else self.maintenance_h.high

    @property
    def night_h(self) -> float:
        """Return the hours a month in which the service rests and no maintenance is done."""
        return max(NIGHT_HOURS - self.maintenance, 0.0)

    @property
    def month_h(self) -> float:
        """Return the hours a month in which a server works."""
        return max(HOURS_PER_MONTH - self.maintenance, 0.0)
