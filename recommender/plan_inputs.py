"""Answers turned into the terms of a comparison: where their units become those of the core."""

from recommender.answers import Answers
from recommender.cases import Resolved
from recommender.plans import Span, Terms

KEYS_READ = (
    "one_node",
    "isolation",
    "availability",
    "on_node_loss",
    "queue_ok",
    "maintenance_hours",
    "experiments_per_month",
    "checkpoint_minutes",
    "dataset_gb",
    "storage_gbs",
    "network_gbe",
    "growth_percent",
    "horizon_years",
)  # that a comparison prints, in that order


def terms_of(answers: Answers, resolved: Resolved) -> Terms:
    """Return what was answered about running the work, beside its load."""

    def span(key: str, factor: float = 1.0) -> Span | None:
        interval = answers.interval(key)
        if interval is None:
            return None
        return Span(float(interval.low) * factor, float(interval.high) * factor)

    from_users = any(item.key == "users" and item.origin != "default" for item in resolved.assumptions)
    return Terms(
        stages=resolved.stages,
        one_node=answers.one("one_node"),
        isolation=answers.one("isolation"),
        on_node_loss=answers.one("on_node_loss"),
        queue_ok=answers.one("queue_ok"),
        maintenance_h=span("maintenance_hours"),
        experiments=span("experiments_per_month"),
        growth_percent=span("growth_percent"),
        horizon_years=span("horizon_years"),
        users=span("users") if from_users else None,
        storage_bytes_per_s=span("storage_gbs", 1e9),
        network_bits_per_s=span("network_gbe", 1e9),
        checkpoint_s=span("checkpoint_minutes", 60.0),
        dataset_bytes=span("dataset_gb", 1e9),
        searches="rag" in answers.several("workload")
        or bool({"documents", "components"} & set(answers.values)),
        parts=frozenset(answers.several("components")),
        documents=span("documents"),
        dimensions=span("vector_dimensions"),
        index_replicas=span("index_replicas"),
        separate_index=answers.one("separate_index"),
        answered={key: value for key in KEYS_READ if (value := answers.one(key)) is not None},
        guesses=answers.hypotheses,
    )
