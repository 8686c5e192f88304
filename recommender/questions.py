"""Which questions are asked, in which groups and order, and for which work an answer can still matter.

What an answer may be, and the words of each question, belong to the vocabulary (`recommender.answers`).
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _, pgettext_lazy

from recommender.answers import KEYS, LEARNING, SERVING, TOKENS, Answers, Key
from recommender.cases import KIND_OF_WORKLOAD

STAGES = {
    "training": (
        _("Train a model from scratch"),
        _("Long runs at full load over a large data set: hours, days or weeks."),
    ),
    "fine_tuning": (
        _("Fine-tune a ready model"),
        _("Your own data adapts a model that exists: hours or days, not weeks."),
    ),
    "inference": (
        _("Serve a ready model"),
        _("Many short requests that need quick answers, without interruption."),
    ),
    "mixed": (
        _("Fine-tuning and inference"),
        _("Fine-tune now and then, serve all the time: one server for both, or one for each."),
    ),
    "development": (
        _("Develop and try things out"),
        _("Interactive tests, changing models and an irregular load."),
    ),
}

# The stages that a workload profile goes with, by the profile's own.
STAGES_OF_PROFILES = {
    "training": ("training",),
    "fine_tuning": ("fine_tuning", "mixed"),
    "inference": ("inference", "mixed", "development"),
    "mixed": ("mixed",),
    "development": ("development",),
}


@dataclass(frozen=True)
class Group:
    """Questions of one page, by the groups of the vocabulary; `extra` ones are folded away.

    `word` stands for the group in addresses, translated.
    """

    slug: str
    word: Promise
    title: Promise
    lead: Promise
    sources: tuple[str, ...]
    extra: frozenset[str] = frozenset()


GROUPS = (
    Group(
        "model",
        pgettext_lazy("path", "model"),
        _("Model and precision"),
        _("What has to fit into GPU memory."),
        ("model",),
        frozenset(
            {
                "parameters_b",
                "active_parameters_b",
                "kv_precision",
                "engine",
                "adapters",
                "draft_model",
                "quality_test",
            }
        ),
    ),
    Group(
        "load",
        pgettext_lazy("path", "load"),
        _("Load"),
        _(
            "What the server has to carry. One is enough: simultaneous requests, requests per second, or "
            "people. A rough figure is welcome: mark it as a guess."
        ),
        ("load",),
        frozenset({"prefix_percent", "input_tokens_p95", "batch_hours"}),
    ),
    Group(
        "targets",
        pgettext_lazy("path", "response-time"),
        _("Response time"),
        _("What the people who use it will notice."),
        ("targets",),
    ),
    Group(
        "training",
        pgettext_lazy("path", "training-data"),
        _("Training data and method"),
        _("The data, the method and the time for one cycle."),
        ("training",),
        frozenset(
            {
                "dataset_gb",
                "sequence_tokens",
                "global_batch",
                "micro_batch",
                "optimizer",
                "lora_rank",
                "recompute",
                "sharding",
                "training_code",
                "reference_models",
            }
        ),
    ),
    Group(
        "retrieval",
        pgettext_lazy("path", "document-search"),
        _("Search in documents"),
        _("The parts of the search, and the size of its index. Not all of it has to be one machine."),
        ("retrieval",),
        frozenset({"index_replicas", "changed_percent"}),
    ),
    Group(
        "availability",
        pgettext_lazy("path", "availability"),
        _("Availability, separation and growth"),
        _("What may happen when a server is lost, what must be kept apart, and how the load grows."),
        ("availability", "separation", "growth"),
        frozenset({"maintenance_hours", "recovery_hours"}),
    ),
    Group(
        "storage",
        pgettext_lazy("path", "storage-and-network"),
        _("Storage and network"),
        _("How data, models and checkpoints are loaded and saved."),
        ("storage",),
        frozenset({"estate"}),
    ),
    Group(
        "site",
        pgettext_lazy("path", "site"),
        _("Where it will stand"),
        _("Only a limit that you give rules a server out. What you leave open rules out nothing."),
        ("site",),
        frozenset(
            {
                "max_depth_mm",
                "altitude_m",
                "temperature_min_c",
                "feed_voltage",
                "psu_redundancy",
                "noise_db",
                "floor_load_kg",
            }
        ),
    ),
    Group(
        "preferences",
        pgettext_lazy("path", "preferences"),
        _("Preferences and budget"),
        _("What decides between servers that do the work equally well."),
        ("preferences", "budget"),
        frozenset({"must", "needed_months", "pilot_first", "software_licences", "remarks"}),
    ),
)
GROUP_OF_SLUG = {group.slug: group for group in GROUPS}

STEP_ONE = ("stage", "workload")
NOT_ASKED = {*STEP_ONE, "hypothesis", "server"}
WHOLE_LOAD = ("users", "active_percent", "requests_per_user_minute", "peak_factor")
RETRIEVAL_WORK = frozenset({"rag", "embeddings"})


@dataclass(frozen=True)
class Work:
    """What decides which questions matter: the stages, the kinds of load, and the answers so far."""

    stages: frozenset[str]
    kinds: frozenset[str]
    answers: Answers

    @property
    def serves(self) -> bool:
        return bool(self.stages & SERVING)

    @property
    def trains(self) -> bool:
        return bool(self.stages & LEARNING)

    @property
    def searches(self) -> bool:
        """Tell whether documents are searched: the work says so, or no task was chosen yet."""
        workloads = set(self.answers.several("workload"))
        return bool(workloads & RETRIEVAL_WORK) or (not workloads and TOKENS in self.kinds)

    def lacks(self, *names: str) -> bool:
        return not any(name in self.answers.values for name in names)

    def may_be(self, name: str, *values: str) -> bool:
        """Tell whether the answer is one of `values`, or still open."""
        given = self.answers.several(name)
        return not given or bool(set(given) & set(values))


def _load_is_open(work: Work) -> bool:
    return work.lacks("concurrency", "requests_per_second")


# When a question can still matter, beyond the stages and kinds of load that it is for.
CONDITIONS: dict[str, Callable[[Work], bool]] = {
    # Only a service has another model than the one that is trained.
    "training_model": lambda work: work.serves and work.trains,
    "parameters_b": lambda work: work.lacks("model"),
    "active_parameters_b": lambda work: work.lacks("model"),
    "requests_per_second": lambda work: work.lacks("concurrency"),
    **dict.fromkeys(WHOLE_LOAD, _load_is_open),
    "queue_seconds": lambda work: work.may_be("queue_ok", "yes"),
    "dataset_gb": lambda work: work.lacks("dataset_tokens"),
    "lora_rank": lambda work: work.may_be("method", "lora", "qlora"),
    "components": lambda work: work.searches,
    "documents": lambda work: work.searches,
    "vector_dimensions": lambda work: work.searches and work.may_be("components", "vector_index"),
    "index_replicas": lambda work: work.searches and work.may_be("components", "vector_index"),
    "separate_index": lambda work: work.searches and work.may_be("components", "vector_index"),
    "changed_percent": lambda work: work.searches,
    "on_node_loss": lambda work: work.may_be("availability", "single"),
    # Serving and training, chosen one by one or as "mixed", are two jobs for one server.
    "one_node": lambda work: work.serves and work.trains,
}


def kinds_of(workloads: tuple[str, ...]) -> set[str]:
    """Return the kinds of load of the chosen workload profiles; requests for tokens where none is chosen."""
    return {KIND_OF_WORKLOAD.get(workload, TOKENS) for workload in workloads} or {TOKENS}


def kinds_asked(workloads: tuple[str, ...], model_kind: str | None) -> set[str]:
    """Return the kinds of load to ask for: those of several tasks, else that of the model."""
    kinds = kinds_of(workloads)
    if model_kind is None or (len(kinds) > 1 and model_kind in kinds):
        return kinds
    return {model_kind}


def matters(key: Key, work: Work) -> bool:
    """Tell whether the answer to a question can still change the advice or the brief."""
    condition = CONDITIONS.get(key.name)
    if key.name == "one_node":
        return condition is not None and condition(work)
    if not (key.stages & (work.stages or {"inference"}) and key.kinds & work.kinds):
        return False
    return condition is None or condition(work)


def keys_of(group: Group, work: Work) -> list[Key]:
    """Return the questions of a group that matter for this work, or have an answer, in their order."""
    return [
        key
        for key in KEYS.values()
        if key.group in group.sources
        and key.name not in NOT_ASKED
        and (matters(key, work) or _answered_for_this_work(key, work))
    ]


def _answered_for_this_work(key: Key, work: Work) -> bool:
    """Tell whether an answer is there that another one has made needless: it stays to be seen and changed."""
    return (
        key.name in work.answers.values
        and bool(key.stages & (work.stages or {"inference"}))
        and bool(key.kinds & work.kinds)
    )


def group_of(name: str) -> Group | None:
    """Return the group under which a question is asked, or None where it is not asked."""
    key = KEYS[name]
    return next((group for group in GROUPS if key.group in group.sources), None)
