"""The six sections of a brief and which answers stand in each, in the order that buyers are asked them."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from recommender.answers import KEYS, Key
from recommender.questions import Work, matters


@dataclass(frozen=True)
class Section:
    """One section: the answers that it lists, and what is asked where nobody has answered anything."""

    slug: str
    title: Promise
    keys: tuple[str, ...]
    empty: Promise


SECTIONS = (
    Section(
        "model",
        _("Model, version, precision, runtime"),
        (
            "model",
            "training_model",
            "model_may_change",
            "parameters_b",
            "active_parameters_b",
            "precision",
            "kv_precision",
            "engine",
            "adapters",
            "draft_model",
        ),
        _("Nothing is decided about the model yet."),
    ),
    Section(
        "training",
        _("Training data, method, cycle, frequency"),
        (
            "method",
            "dataset_tokens",
            "dataset_gb",
            "epochs",
            "target_hours",
            "experiments_per_month",
            "sequence_tokens",
            "global_batch",
            "micro_batch",
            "optimizer",
            "lora_rank",
            "recompute",
            "sharding",
            "training_code",
            "reference_models",
        ),
        _("Nothing is said about training yet."),
    ),
    Section(
        "load",
        _("Requests, peaks, context, parallelism, response time"),
        (
            "users",
            "active_percent",
            "requests_per_user_minute",
            "peak_factor",
            "requests_per_second",
            "normal_concurrency",
            "concurrency",
            "input_tokens",
            "input_tokens_p95",
            "output_tokens",
            "context_tokens",
            "prefix_percent",
            "streams",
            "frames_per_second",
            "audio_streams",
            "images_per_minute",
            "ttft_ms",
            "tpot_ms",
            "queue_ok",
            "queue_seconds",
            "batch_hours",
        ),
        _("Nothing is said about the load yet."),
    ),
    Section(
        "availability",
        _("Competing tasks, availability, growth"),
        (
            "one_node",
            "isolation",
            "availability",
            "on_node_loss",
            "recovery_hours",
            "maintenance_hours",
            "growth_percent",
            "horizon_years",
        ),
        _("Nothing is said about other tasks, availability and growth yet."),
    ),
    Section(
        "data",
        _("Data loading, saving results, network, storage"),
        (
            "data_location",
            "components",
            "documents",
            "changed_percent",
            "vector_dimensions",
            "index_replicas",
            "separate_index",
            "checkpoint_minutes",
            "checkpoints_kept",
            "storage_tb",
            "storage_gbs",
            "network_gbe",
            "estate",
        ),
        _("Nothing is said about data, network and storage yet."),
    ),
    Section(
        "acceptance",
        _("Acceptance tests"),
        ("quality_test",),
        _("No test is agreed yet."),
    ),
)
# Beside the six: where it stands, how it is bought and what is preferred.
SITE = Section(
    "site",
    _("Site, purchase and preferences"),
    (
        "site",
        "rack_units",
        "max_depth_mm",
        "altitude_m",
        "power_kw",
        "feed_voltage",
        "psu_redundancy",
        "cooling",
        "temperature_min_c",
        "temperature_max_c",
        "noise_db",
        "floor_load_kg",
        "cpu_vendor",
        "gpu_vendor",
        "priority",
        "must",
        "energy_price",
        "budget",
        "needed_months",
        "pilot_first",
        "software_licences",
        "remarks",
    ),
    _("No limit of the site is given: none was applied."),
)
HEAD = ("stage", "workload")  # stand above the sections
NOT_LISTED = frozenset({*HEAD, "hypothesis", "server"})

# Answers of which one is enough: where one is known, the others are no open question.
ALTERNATIVES = (
    ("model", "parameters_b"),
    ("concurrency", "requests_per_second", "users"),
    ("dataset_tokens", "dataset_gb"),
)
# Open only once another answer is there.
FOLLOWS = {
    "active_parameters_b": "parameters_b",
    "training_model": "",
    "draft_model": "",
    "active_percent": "users",
    "requests_per_user_minute": "users",
    "peak_factor": "users",
    "remarks": "",
    "must": "",
    "cpu_vendor": "",
    "gpu_vendor": "",
}
# A vocabulary that grows keeps its new answers in the section of their group.
SECTION_OF_GROUP = {
    "model": "model",
    "training": "training",
    "load": "load",
    "targets": "load",
    "availability": "availability",
    "retrieval": "data",
    "storage": "data",
    "site": "site",
    "preferences": "site",
}

LABELS: dict[str, Promise] = {
    "stage": _("Stage"),
    "workload": _("Task"),
    "model": _("AI model"),
    "training_model": _("Model that is trained"),
    "model_may_change": _("The model may change"),
    "parameters_b": _("Parameters"),
    "active_parameters_b": _("Active parameters"),
    "precision": _("Precision of the weights"),
    "kv_precision": _("Precision of the cache"),
    "engine": _("Engine"),
    "adapters": _("LoRA adapters served"),
    "draft_model": _("Draft model"),
    "method": _("Method"),
    "dataset_tokens": _("Data set"),
    "dataset_gb": _("Data set, files"),
    "epochs": _("Passes over the data"),
    "target_hours": _("Time of one cycle, at most"),
    "experiments_per_month": _("Experiments"),
    "sequence_tokens": _("Training sequence"),
    "global_batch": _("Sequences in one step"),
    "micro_batch": _("Sequences on one GPU at once"),
    "optimizer": _("Optimizer"),
    "lora_rank": _("LoRA rank"),
    "recompute": _("Activations computed again"),
    "sharding": _("Training states shared out"),
    "users": _("People who use it"),
    "active_percent": _("Active in the peak hour"),
    "requests_per_user_minute": _("Requests of an active person"),
    "peak_factor": _("Peak over average"),
    "requests_per_second": _("Requests at the peak"),
    "normal_concurrency": _("Simultaneous requests, normally"),
    "concurrency": _("Simultaneous requests, at the peak"),
    "input_tokens": _("Typical prompt"),
    "output_tokens": _("Typical answer"),
    "context_tokens": _("Longest context"),
    "prefix_percent": _("Shared part of the prompt"),
    "streams": _("Video streams"),
    "frames_per_second": _("Frames of each stream"),
    "audio_streams": _("Conversations at the same time"),
    "images_per_minute": _("Images"),
    "ttft_ms": _("Time to first token, at most"),
    "tpot_ms": _("Time per output token, at most"),
    "queue_ok": _("Requests may wait at the peak"),
    "queue_seconds": _("Longest wait"),
    "one_node": _("One server for everything at once"),
    "isolation": _("Work kept apart"),
    "availability": _("When a server is lost"),
    "on_node_loss": _("What may happen then"),
    "maintenance_hours": _("Maintenance"),
    "growth_percent": _("Growth of the load"),
    "horizon_years": _("Horizon"),
    "documents": _("Documents searched"),
    "vector_dimensions": _("Dimensions of a vector"),
    "index_replicas": _("Copies of the index"),
    "separate_index": _("Index on a machine of its own"),
    "checkpoint_minutes": _("Time between checkpoints"),
    "checkpoints_kept": _("Checkpoints kept"),
    "storage_tb": _("Local storage"),
    "storage_gbs": _("Rate of the shared storage"),
    "network_gbe": _("Network between servers"),
    "site": _("Site"),
    "rack_units": _("Rack units free"),
    "max_depth_mm": _("Depth, at most"),
    "altitude_m": _("Altitude"),
    "power_kw": _("Power available"),
    "feed_voltage": _("Feed voltage"),
    "psu_redundancy": _("Redundancy of power supplies"),
    "cooling": _("Cooling of the room"),
    "temperature_min_c": _("Room temperature, lowest"),
    "temperature_max_c": _("Room temperature, highest"),
    "cpu_vendor": _("Processors only from"),
    "gpu_vendor": _("GPUs only from"),
    "priority": _("What matters most"),
    "must": _("Musts"),
    "energy_price": _("Price of energy"),
    "budget": _("Budget"),
    "quality_test": _("Test set for quality"),
    "input_tokens_p95": _("Longest prompts"),
    "batch_hours": _("Work without people waiting"),
    "training_code": _("Training code runs on"),
    "reference_models": _("Other models beside training"),
    "components": _("Parts of the search"),
    "changed_percent": _("Documents that change"),
    "recovery_hours": _("Works again within"),
    "data_location": _("Data may be kept"),
    "estate": _("What runs there already"),
    "noise_db": _("Noise, at most"),
    "floor_load_kg": _("Weight, at most"),
    "needed_months": _("Needed in"),
    "pilot_first": _("Pilot before the purchase"),
    "software_licences": _("Software licences in the offer"),
    "remarks": _("Remarks"),
}


def label(name: str) -> str:
    """Return what a line of the brief is called: a noun where there is one, else the question itself."""
    if name in LABELS:
        return str(LABELS[name])
    return str(KEYS[name].label) if name in KEYS else name


def section_of(key: Key) -> str:
    """Return the section that lists an answer; "" for what stands in no section."""
    if key.name in NOT_LISTED:
        return ""
    for section in (*SECTIONS, SITE):
        if key.name in section.keys:
            return section.slug
    return SECTION_OF_GROUP.get(key.group, SITE.slug)


def keys_of(section: Section) -> list[Key]:
    """Return the answers that a section lists, in its order; new ones of the vocabulary at its end."""
    named = [KEYS[name] for name in section.keys if name in KEYS]
    added = [key for key in KEYS.values() if key.name not in section.keys and section_of(key) == section.slug]
    return named + added


def is_open(key: Key, known: frozenset[str], work: Work) -> bool:
    """Tell whether an answer that nobody gave is an open question of this work.

    Args:
        key: the answer.
        known: the answers that have a value, given or typical.
        work: the stages, the kinds of load and the answers that were given.
    """
    if key.name in known or key.name in NOT_LISTED or not matters(key, work):
        return False
    for group in ALTERNATIVES:
        if key.name in group and known.intersection(group):
            return False
    return key.name not in FOLLOWS or FOLLOWS[key.name] in known
