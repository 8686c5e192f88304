"""What was said about the surroundings of the machines, as values in the core's units."""

from collections.abc import Mapping

from recommender.answers import TOKENS, Answers, Notice
from recommender.case_defaults import ENVELOPE, KIND_OF_MODEL
from recommender.case_reader import Reader
from recommender.sizing.demand import Around
from recommender.sizing.specs import AIModelSpec

TB, GB = 1e12, 1e9
MINUTE, HOUR = 60.0, 3600.0


def surroundings(reader: Reader, notices: list[Notice], envelope: tuple[str, str] | None) -> Around:
    """Return what was said about energy, storage, the index, operation and isolation."""

    def ends(key: str, factor: float = 1.0) -> tuple[float, float] | None:
        found = reader.ends(key) if reader.given(key) else None
        return None if found is None else (found[0] * factor, found[1] * factor)

    def choice(key: str) -> str | None:
        return reader.text(key) if reader.given(key) else None

    if reader.given("budget"):
        reader.text("budget")
        notices.append(Notice("budget_without_prices"))
    volts = ends("feed_voltage")
    return Around(
        energy_price=ends("energy_price"),
        storage_bytes=ends("storage_tb", TB),
        storage_bytes_per_s=ends("storage_gbs", GB),
        checkpoint_s=ends("checkpoint_minutes", MINUTE),
        checkpoints_kept=ends("checkpoints_kept"),
        on_node_loss=choice("on_node_loss"),
        documents=ends("documents"),
        vector_dimensions=ends("vector_dimensions"),
        index_replicas=ends("index_replicas"),
        separate_index=choice("separate_index"),
        maintenance_s=ends("maintenance_hours", HOUR),
        isolation=choice("isolation"),
        envelope=envelope,
        feed_v=volts and volts[0],
        psu_redundancy=choice("psu_redundancy"),
    )


def musts(reader: Reader, serves: bool, notices: list[Notice]) -> tuple[str, ...]:
    """Return the criteria that became rules, and say what they rest on."""
    if not reader.given("must"):
        return ()
    reader.text("must")
    wanted = reader.answers.several("must")
    if "running_cost" in wanted and not reader.given("energy_price"):
        notices.append(Notice("must_without_tariff"))
    if "availability" in wanted and serves and reader.answers.one("availability") == "single":
        notices.append(Notice("must_availability"))
    return tuple(sorted(wanted))


def widened(
    answers: Answers, models: Mapping[str, AIModelSpec], chosen: AIModelSpec, kind: str, longest: float
) -> tuple[AIModelSpec, AIModelSpec] | None:
    """Return the smallest and the largest model that may come, where the reader says that it may change.

    A model that was named has to be held in any case: then nothing smaller stands for it. None: no change.

    Args:
        longest: Tokens that each of them has to take.
    """
    if answers.one("model_may_change") != "yes" or kind != TOKENS or not chosen.generates_tokens:
        return None
    usual = [
        models[slug]
        for slug in ENVELOPE
        if slug in models
        and KIND_OF_MODEL[models[slug].kind] == kind
        and (models[slug].max_context or longest) >= longest
    ]
    is_named = answers.one("model") is not None or answers.one("parameters_b") is not None
    smallest = chosen if is_named else min([chosen, *usual], key=_size)
    largest = max([chosen, *usual], key=_size)
    return (smallest, largest) if largest != smallest else None


def _size(model: AIModelSpec) -> tuple[int, str]:
    return model.parameters, model.slug
