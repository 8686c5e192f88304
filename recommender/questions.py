"""Which questions are asked, in which groups, and which of them only for readers who know the subject.

What an answer may be, and the words of each question, belong to the vocabulary (`recommender.answers`).
"""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from recommender.answers import KEYS, SERVING, TOKENS, Key
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
    """Questions under one heading, by the groups of the vocabulary; `extra` ones are folded away."""

    slug: str
    title: Promise
    lead: Promise
    sources: tuple[str, ...]
    extra: frozenset[str] = frozenset()


GROUPS = (
    Group(
        "model",
        _("Model and precision"),
        _("What has to fit into GPU memory."),
        ("model",),
        frozenset(
            {"parameters_b", "active_parameters_b", "kv_precision", "engine", "adapters", "draft_model"}
        ),
    ),
    Group(
        "load",
        _("Load"),
        _("What the server has to carry. A rough figure is welcome: mark it as a guess."),
        ("load",),
        frozenset(
            {
                "normal_concurrency",
                "users",
                "active_percent",
                "requests_per_user_minute",
                "peak_factor",
                "prefix_percent",
            }
        ),
    ),
    Group(
        "service",
        _("Response time and availability"),
        _("What the people who use it will notice."),
        ("targets", "availability"),
        frozenset({"queue_seconds"}),
    ),
    Group(
        "training",
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
            }
        ),
    ),
    Group(
        "site",
        _("Where it will stand"),
        _("Only a limit that you give rules a server out. What you leave open rules out nothing."),
        ("site",),
        frozenset({"max_depth_mm", "temperature_min_c", "network_gbe"}),
    ),
    Group(
        "preferences",
        _("Preferences"),
        _("What decides between servers that do the work equally well."),
        ("preferences",),
    ),
)

STEP_ONE = ("stage", "workload")
NOT_ASKED = {*STEP_ONE, "hypothesis"}


def kinds_of(workloads: tuple[str, ...]) -> set[str]:
    """Return the kinds of load of the chosen workload profiles; requests for tokens where none is chosen."""
    return {KIND_OF_WORKLOAD.get(workload, TOKENS) for workload in workloads} or {TOKENS}


def keys_of(group: Group, stages: set[str], kinds: set[str]) -> list[Key]:
    """Return the questions of a group that can change the advice for this work, in their order."""
    return [
        key
        for key in KEYS.values()
        if key.group in group.sources
        and key.used
        and key.name not in NOT_ASKED
        and key.stages & (stages or {"inference"})
        and key.kinds & kinds
        # Only a service has another model than the one that is trained.
        and (key.name != "training_model" or (stages or {"inference"}) & SERVING)
    ]


def group_of(name: str) -> Group | None:
    """Return the group under which a question is asked, or None where it is not asked (yet)."""
    key = KEYS[name]
    return next((group for group in GROUPS if key.group in group.sources), None)
