"""Which open questions can no longer change the order of servers: tried, not guessed.

Each open question is answered by the ends of what is plausible, one question at a time. Where the case stays
the same, the order stays by construction; where it does not, the servers are compared one by one, those that
lead first, until one of them differs. The time is bounded: what was not reached is not marked.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from time import monotonic

from django.core.cache import cache

from recommender import adapters, cases, ledger, services
from recommender.answers import KEYS, Answers, Key, parse_interval
from recommender.ranking import RULES_VERSION, Placed, places_of
from recommender.sizing.demand import Case, Machine

SECONDS = 1.5  # for one page; the server at work when they are over is still finished
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
    orders = _Orders(specs.machines, deadline)
    for name in asked:
        changes = known.get(name)
        if changes is None:
            changes = _changes_the_order(answers, KEYS[name], orders)
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


class _Spent(Exception):
    """The time is over."""


class _Orders:
    """What each machine becomes in a case; many questions are held against the same usual one."""

    def __init__(self, machines: Sequence[Machine], deadline: float):
        self.machines = list(machines)
        self.deadline = deadline
        self.usual: dict[Case, list[list[Placed]]] = {}

    def differ(self, usual: Case, other: Case) -> bool:
        """Tell whether the order of two cases differs.

        Where one machine stands against another does not depend on a third: what differs among the first
        differs among all.

        Raises:
            _Spent: the time was over before that was known.
        """
        known = self._known(usual)
        pairs = []
        for machine, before in zip(self.machines, known, strict=True):
            if monotonic() > self.deadline:
                raise _Spent
            after = places_of(other, machine)
            if [placed.advice for placed in before] != [placed.advice for placed in after]:
                return True
            pairs += zip(before, after, strict=True)
        orders = [sorted(range(len(pairs)), key=lambda place: pairs[place][end].key) for end in (0, 1)]
        return orders[0] != orders[1]

    def _known(self, usual: Case) -> list[list[Placed]]:
        if usual not in self.usual:
            if monotonic() > self.deadline:
                raise _Spent
            found = [places_of(usual, machine) for machine in self.machines]
            if not self.usual:  # those that lead are the first to change
                places = list(zip(self.machines, found, strict=True))
                places.sort(key=lambda pair: min((placed.key for placed in pair[1]), default=_LAST))
                self.machines, found = [pair[0] for pair in places], [pair[1] for pair in places]
            self.usual[usual] = found
        return self.usual[usual]


_LAST = (10**6,)  # behind every order


def _changes_the_order(answers: Answers, key: Key, orders: _Orders) -> bool | None:
    """Tell whether an answer to `key` changes the order; None: the time was over before that was known."""
    companions = COMPANIONS.get(key.name, {})
    base = answers.with_values(
        **{name: value for name, value in companions.items() if name not in answers.values}
    )
    usual = _case(base)
    if usual is None:
        return True  # nothing is known: it may
    others = dict.fromkeys(_case(base.with_values(**{key.name: value})) for value in trials(key))
    try:
        return any(orders.differ(usual, case) for case in others if case is not None and case != usual)
    except _Spent:
        return None


def _case(answers: Answers) -> Case | None:
    """Return the case, without what only says how sure it is; None: these answers do not go together."""
    try:
        return replace(ledger.resolve(answers).case, conditional=False)
    except cases.BadAnswers:
        return None


def _cache_key(answers: Answers, version: str) -> str:
    values = json.dumps(sorted(answers.values.items()), separators=(",", ":"))
    return f"relevance:{RULES_VERSION}:{version}:{sha256(values.encode()).hexdigest()}"
