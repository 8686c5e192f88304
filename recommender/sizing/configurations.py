"""A configuration: a server with one GPU, a count, a layout and a number of servers, with its figures.

At the hard corner of the answers it is held against the unfavourable ends of all estimates (`strict`), at the
easy corner against the favourable ones. What does not hold is a Failure with its reasons.
"""

from dataclasses import dataclass

from recommender.sizing.demand import Corner, Message
from recommender.sizing.latency import Serving
from recommender.sizing.specs import Layout, Memory, NodeSpec, Precision, Range, Recompute, Sharding

MAX_SERVERS = 64


@dataclass(frozen=True, slots=True)
class Trained:
    """How the training job lies on the machine."""

    layout: Layout
    memory: Memory
    seconds: Range | None
    precision: Precision
    recompute: Recompute
    sharding: Sharding
    servers: int  # that it spreads over, of those that are bought


@dataclass(frozen=True, slots=True)
class Config:
    """One configuration that holds at a corner, with its figures."""

    node: NodeSpec
    corner: Corner
    strict: bool
    count: int  # cards per server
    servers: int
    precision: Precision
    layout: Layout  # replicas and idle GPUs over all servers
    memory: Memory
    served: Serving | None = None
    requests: int = 0  # per replica
    limit: int = 0  # requests per replica that hold at this corner
    work: Range | None = None  # frames/s ... over all servers; output tokens/s of text work
    trained: Trained | None = None
    power_w: Range | None = None
    rack_units: int | None = None
    facts: tuple[str, ...] = ()  # unpublished facts that were needed
    soft: tuple[Message, ...] = ()  # warnings that cost the word "firm"
    piled: bool = False  # in place of many more servers that certainty would take
    fallback: bool = False  # 8-bit instead of the model's own type

    @property
    def name(self) -> tuple[str, str]:
        """Return server and GPU, which tell the configurations of one order apart."""
        return self.node.server, self.node.gpu.slug

    @property
    def gpus(self) -> int:
        return self.count * self.servers

    @property
    def orderable(self) -> bool:
        return self.node.server_orderable and self.node.option_orderable


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one configuration does not do, and how near it came (0: at the border)."""

    gpu: str | None
    reasons: tuple[Message, ...]
    miss: float
    count: int = 1  # cards per server that were tried

    @property
    def runs(self) -> bool:
        """Whether the work runs on it at all, though not as it should."""
        return not any(reason.code in ("memory", "precision", "no_gpu") for reason in self.reasons)

    @property
    def lacks_training_alone(self) -> bool:
        """Whether a service beside it would hold, and only the training does not lie in memory."""
        first = self.reasons[0]
        return first.code == "memory" and dict(first.params).get("precision") == "training"


def has_fast_link(config: Config) -> bool:
    return config.node.link not in ("pcie", "none") and not config.layout.crosses_link


def facts_with(facts: tuple[str, ...], trained: Trained) -> tuple[str, ...]:
    """Return the unpublished facts of a service once a training is added."""
    return (*facts, "speed") if trained.seconds is None and "speed" not in facts else facts
