"""Which open questions can no longer change the order of servers: tried, not guessed.

Each open question is answered by the ends of what is plausible, one question at a time. Where the case stays
the same, the order stays by construction; where it does not, the servers are ranked and compared. The time is
bounded: what was not reached is not marked.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from time import monotonic
from typing import Any

from django.core.cache import cache

from recommender import adapters, cases, ledger, ranking, services
from recommender.answers import KEYS, Answers, Key, parse_interval
from recommender.ranking import RULES_VERSION
from recommender.sizing.demand import Case

SECONDS = 0.8  # for one page; the ranking at work when they are over is still finished
CACHE_SECONDS = 24 * 3600

# Plausible ends where what is usual is one value or no number.
PLAUSIBLE = {
    "dataset_tokens": ("1000000", "100000000000"),
    "dataset_gb": ("1", "10000"),
    "temperature_min_c": ("-10", "20"),
    "temperature_max_c": ("20", "45"),
    "feed_voltage": ("120", "400"),
    "altitude_m": ("0", "3000"),
    "maintenance_hours": ("0", "24"),
    "growth_percent": ("0", "200"),
    "energy_price": ("0.05", "0.5"),
}
# What a question needs beside it to mean anything, where that is open as well.
COMPANIONS = {
    "active_percent": {"users": "1000"},
    "requests_per_user_minute": {"users": "1000"},
    "peak_factor": {"users": "1000"},
    "queue_ok": {"queue_seconds": "30"},
    "queue_seconds": {"queue_ok": "yes"},
    "normal_concurrency": {"queue_ok": "yes", "queue_seconds": "30"},
    "active_parameters_b": {"parameters_b": "70"},
    "growth_percent": {"horizon_years": "3"},
    "horizon_years": {"growth_percent": "100"},
}


@dataclass(frozen=True, slots=True)
class Relevance:
    """Of the open questions: those whose answer changes nothing in the order, those tried, those to try."""

    needless: frozenset[str]
    tried: frozenset[str]
    asked: frozenset[str]

    @property
    def is_complete(self) -> bool:
        return self.tried == self.asked


def relevance(answers: Answers, names: Iterable[str], seconds: float = SECONDS) -> Relevance:
    """Return which of the open questions among `names` cannot change the order of servers any more.

    Args:
        answers: good answers; those of `names` that have one are left out.
        names: keys of questions, the first ones tried first.
        seconds: after which no further ranking is begun.

    Raises:
        BadAnswers: one of the answers cannot be reckoned with.
    """
    deadline = monotonic() + seconds
    specs = adapters.load_specs()
    cache_key = _cache_key(answers, specs.version)
    known: dict[str, bool] = cache.get(cache_key) or {}
    asked = [name for name in names if name not in answers.values and trials(KEYS[name])]
    found = {}
    orders: dict[Case, tuple[Any, ...]] = {}  # many questions are held against the same usual order
    for name in asked:
        changes = known.get(name)
        if changes is None:
            changes = _changes_the_order(answers, KEYS[name], specs, orders, deadline)
        if changes is not None:
            found[name] = changes
    if found.keys() - known.keys():
        cache.set(cache_key, known | found, CACHE_SECONDS)
    return Relevance(
        frozenset(name for name, changes in found.items() if not changes), frozenset(found), frozenset(asked)
    )


def trials(key: Key) -> tuple[str, ...]:
    """Return plausible answers that lie as far apart as possible; none where nothing can be tried."""
    if key.brief_only or key.name in ("stage", "workload", "hypothesis"):
        return ()
    if key.name in PLAUSIBLE:
        return PLAUSIBLE[key.name]
    if key.kind in ("choice", "yes_no"):
        return tuple(value for value, _label in key.choices)
    if key.name in ("cpu_vendor", "gpu_vendor"):
        return tuple(slug for slug, _name in services.choices(key.name))
    if key.kind == "number" and isinstance(key.typical, str) and ".." in key.typical:
        low, high = parse_interval(key.typical)
        return (f"{low:f}", f"{high:f}")
    return ()


def _changes_the_order(
    answers: Answers,
    key: Key,
    specs: adapters.Specs,
    orders: dict[Case, tuple[Any, ...]],
    deadline: float,
) -> bool | None:
    """Tell whether an answer to `key` changes the order; None: the time was over before that was known."""
    companions = COMPANIONS.get(key.name, {})
    base = answers.with_values(
        **{name: value for name, value in companions.items() if name not in answers.values}
    )
    usual = _case(base)
    if usual is None:
        return True  # nothing is known: it may
    others = {_case(base.with_values(**{key.name: value})) for value in trials(key)} - {usual, None}
    if not others:
        return False
    for case in (usual, *others):
        if case is None or case in orders:
            continue
        if monotonic() > deadline:
            return None
        orders[case] = _order(case, specs)
        if usual in orders and orders[case] != orders[usual]:
            return True
    return any(orders[case] != orders[usual] for case in others if case is not None)


def _case(answers: Answers) -> Case | None:
    """Return the case, without what only says how sure it is; None: these answers do not go together."""
    try:
        return replace(ledger.resolve(answers).case, conditional=False)
    except cases.BadAnswers:
        return None


def _order(case: Case, specs: adapters.Specs) -> tuple[Any, ...]:
    """Return what is advised, in its order: servers, cards, their numbers and whether they fit for sure."""
    return tuple(
        (
            match.config.node.server,
            match.config.node.gpu.slug,
            match.config.count,
            match.config.servers,
            match.state,
        )
        for match in ranking.rank(case, specs.machines).matches
    )


def _cache_key(answers: Answers, version: str) -> str:
    values = json.dumps(sorted(answers.values.items()), separators=(",", ":"))
    return f"relevance:{RULES_VERSION}:{version}:{sha256(values.encode()).hexdigest()}"
