"""What would have to change for a server that is ruled out: the smallest sets of answers, found exactly.

Each answer that can be relaxed is tried at its easiest; what a set of them does is found by ranking the
server again. An answer without which nothing helps belongs to every set, so that few sets are left to try.
Numbers are then brought back as near to the answer as the server allows, and verified there.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import combinations
from typing import Any

from aiservers.numbers import Interval, canonical
from recommender import cases
from recommender.answers import KEYS, Answers, parse_interval
from recommender.case_defaults import LOW_IS_HARDER
from recommender.ranking import Ranking, Rejection, fits_somehow, least_of
from recommender.sizing.configurations import Config
from recommender.sizing.demand import Case, Machine, Message

MAX_CHANGEABLE = 12  # answers
MAX_CHANGES = 4  # in one set
MAX_SETS = 2  # that are named for one server
MAX_DOUBLINGS = 24

# Limits that fall away when they are dropped, with the step to which a needed value is rounded.
LIMITS: dict[str, str] = {
    "rack_units": "1",
    "max_depth_mm": "1",
    "power_kw": "0.1",
    "temperature_max_c": "1",
    "temperature_min_c": "1",
    "altitude_m": "50",
    "ttft_ms": "10",
    "tpot_ms": "1",
    "target_hours": "1",
}
# Loads, which have to be smaller.
LOADS: dict[str, str] = {
    "context_tokens": "256",
    "concurrency": "1",
    "requests_per_second": "0.1",
    "users": "1",
    "streams": "1",
    "audio_streams": "1",
    "images_per_minute": "1",
    "growth_percent": "1",
}
LEAST_LOADS = {"context_tokens": "1024"}  # less is no answer for anybody
# Choices, with what is easier; None: to leave it open.
CHOICES: dict[str, str | None] = {
    "cooling": "liquid",
    "site": None,
    "cpu_vendor": None,
    "gpu_vendor": None,
    "precision": None,
    "kv_precision": "fp8",
    "availability": "single",
    "psu_redundancy": "none",
    "feed_voltage": None,
    "one_node": None,
    "model_may_change": "no",
    "must": None,
    "queue_ok": "yes",
}
EASY_ALREADY = {("cooling", "liquid"), ("cooling", "any"), ("availability", "single"), ("site", "datacenter")}
# The order in which rules cut: what is there, who makes it, the room, the work, then space and power.
FUNNEL = (
    "no_gpu",
    "cpu_vendor",
    "gpu_vendor",
    "site",
    "cooling",
    "depth",
    "temperature",
    "precision",
    "memory",
    "interconnect",
    "latency",
    "throughput",
    "training_time",
    "rack_units",
    "power",
)


@dataclass(frozen=True, slots=True)
class Change:
    """One answer as it would have to be: a canonical value, None where it has to be left open."""

    key: str
    value: str | None


# Limits of which every configuration says itself what it would need.
MARGINS: dict[str, Callable[[Config], float | None]] = {
    "rack_units": lambda config: config.rack_units,
    "power_kw": lambda config: config.power_w.high / 1000 if config.power_w else None,
    "max_depth_mm": lambda config: config.node.depth_mm,
}

# Of the rules that one answer can relax: the answer, which figure of the rule it would have to be, and how
# many of the answer's unit that figure's unit is.
RELAXING: dict[str, tuple[str, str, Decimal]] = {
    "rack_units": ("rack_units", "need", Decimal(1)),
    "power": ("power_kw", "need", Decimal("0.001")),
    "depth": ("max_depth_mm", "need", Decimal(1)),
    "latency_ttft": ("ttft_ms", "have", Decimal(1000)),
    "latency_tpot": ("tpot_ms", "have", Decimal(1000)),
    "training_time": ("target_hours", "have", 1 / Decimal(3600)),
    "temperature_max": ("temperature_max_c", "have", Decimal(1)),
    "temperature_min": ("temperature_min_c", "have", Decimal(1)),
}

Resolve = Callable[[Answers], Case | None]


class Relaxations:
    """Answers with some of them relaxed, each set resolved once."""

    def __init__(self, answers: Answers, resolve: Resolve):
        self.answers = answers
        self.keys = tuple(_changeable(answers))[:MAX_CHANGEABLE]
        self._resolve = resolve
        self._cases: dict[Any, Case | None] = {}

    def case(self, relaxed: frozenset[str], changes: tuple[Change, ...] = ()) -> Case | None:
        """Return the case with some answers at their easiest and others at a value; None: not possible."""
        known = (relaxed, changes)
        if known not in self._cases:
            values: dict[str, Any] = dict(self.answers.values)
            for key in relaxed:
                _set(values, key, _easiest(key))
            for change in changes:
                _set(values, change.key, change.value)
            self._cases[known] = self._resolve(Answers(values))
        return self._cases[known]

    def lets_in(self, machine: Machine, relaxed: frozenset[str], changes: tuple[Change, ...] = ()) -> bool:
        case = self.case(relaxed, changes)
        return case is not None and fits_somehow(case, machine)


def changes_for(relaxations: Relaxations, machine: Machine) -> tuple[tuple[Change, ...], ...]:
    """Return the smallest sets of changes that let a machine in; none: no answer of these keeps it out."""
    keys = relaxations.keys
    everything = frozenset(keys)
    if not keys or not relaxations.lets_in(machine, everything):
        return ()
    needed = frozenset(key for key in keys if not relaxations.lets_in(machine, everything - {key}))
    others = [key for key in keys if key not in needed]
    for more in range(max(MAX_CHANGES - len(needed), 0) + 1):
        found = [
            needed | set(extra)
            for extra in combinations(others, more)
            if relaxations.lets_in(machine, needed | set(extra))
        ]
        if found:
            return tuple(_tightened(relaxations, machine, relaxed) for relaxed in found[:MAX_SETS])
    return ()


def nearest(relaxations: Relaxations, machine: Machine, item: Rejection) -> tuple[Change, ...]:
    """Return the one change that a rule's own figures name, where it alone lets the machine in; else none.

    Quick enough for every ruled-out server of a page: one try each. What takes more than that, or more than
    one answer, is found by `changes_for`.
    """
    if item.nearest_fix is None:
        return ()
    change = _named(relaxations.answers, item.nearest_fix)
    if change is None or not relaxations.lets_in(machine, frozenset(), (change,)):
        return ()
    return (change,)


def _named(answers: Answers, fix: Message) -> Change | None:
    """Return the answer that a fix asks for; None: it asks for none that was given."""
    params = dict(fix.params)
    rule = fix.code.removeprefix("fix_")
    if rule == "cooling":
        return Change("cooling", "liquid") if answers.one("cooling") else None
    if rule == "latency":
        rule = f"latency_{params['figure']}"
    elif rule == "temperature" and params.get("have") is not None and "figure" not in params:
        rule = "temperature_max" if params["need"] > params["have"] else "temperature_min"
    elif "figure" in params:  # a criterion made a must, or the supplies: no limit of the room
        return None
    if rule not in RELAXING:
        return None
    key, figure, scale = RELAXING[rule]
    if answers.one(key) is None:
        return None
    step = Decimal(LIMITS[key])
    rounding = ROUND_FLOOR if rule == "temperature_max" else ROUND_CEILING
    steps = (Decimal(repr(params[figure])) * scale / step).to_integral_value(rounding)
    value = _bounded(KEYS[key], steps * step)
    return Change(key, canonical(Interval(value, value)))


def recovered(relaxations: Relaxations, machines: Sequence[Machine]) -> tuple[tuple[str, int], ...]:
    """Return for each answer that binds how many servers come back when it alone is dropped."""
    counts = [
        (key, sum(relaxations.lets_in(machine, frozenset({key})) for machine in machines))
        for key in relaxations.keys
    ]
    return tuple(sorted(((key, count) for key, count in counts if count), key=lambda pair: -pair[1]))


def funnel(ranking: Ranking) -> tuple[tuple[str, int], ...]:
    """Return how many servers remain after each rule that cuts, in a fixed order; first all of them."""
    fitting = {match.config.node.server for match in ranking.matches}
    steps = [("", len(fitting) + len(ranking.rejected))]
    for place, code in enumerate(FUNNEL):
        rules = frozenset(FUNNEL[: place + 1])
        left = len(fitting) + sum(
            any(not broken & rules for broken in item.tries) for item in ranking.rejected
        )
        if left < steps[-1][1]:
            steps.append((code, left))
    return tuple(steps)


def _changeable(answers: Answers) -> Iterator[str]:
    for key in (*LIMITS, *CHOICES, *LOADS):
        value = answers.one(key)
        if value is None or (key, value) in EASY_ALREADY or value == CHOICES.get(key, ""):
            continue
        if key in LEAST_LOADS and parse_interval(value).low <= Decimal(LEAST_LOADS[key]):
            continue
        yield key


def _easiest(key: str) -> str | None:
    if key in LOADS:
        return LEAST_LOADS.get(key) or format(KEYS[key].minimum or 0, "f")
    return CHOICES.get(key)


def _set(values: dict[str, Any], key: str, value: str | None) -> None:
    if value is None:
        values.pop(key, None)
    else:
        values[key] = (value,) if KEYS[key].repeats else value


def _tightened(relaxations: Relaxations, machine: Machine, relaxed: frozenset[str]) -> tuple[Change, ...]:
    """Return the changes of a set, each number as near to its answer as the machine allows."""
    changes: tuple[Change, ...] = ()
    open_keys = set(relaxed)
    # Loads first, while all limits are out of the way: they stay as large as any limits allow.
    for key in sorted((key for key in relaxations.keys if key in relaxed), key=lambda key: key not in LOADS):
        open_keys.discard(key)
        rest = frozenset(open_keys)
        if key not in LIMITS and key not in LOADS:
            changes += (Change(key, _easiest(key)),)
            continue
        value = _nearest(relaxations, machine, key, rest, changes)
        changes += (Change(key, value),)
    return changes


def _nearest(
    relaxations: Relaxations, machine: Machine, key: str, rest: frozenset[str], changes: tuple[Change, ...]
) -> str | None:
    """Return the value nearest to the answer that lets the machine in; None: only without an answer."""
    interval = relaxations.answers.interval(key)
    assert interval is not None
    question, step = KEYS[key], Decimal(LIMITS.get(key) or LOADS[key])
    raises = key in LIMITS and (key in LOW_IS_HARDER)
    if key == "temperature_min_c":
        raises = True
    given = interval.high if raises else interval.low

    def text(steps: int) -> str:
        return canonical(Interval(*[_bounded(question, steps * step)] * 2))

    def works(steps: int) -> bool:
        return relaxations.lets_in(machine, rest, (*changes, Change(key, text(steps))))

    known = MARGINS.get(key)
    case = relaxations.case(rest | {key}, changes) if known is not None else None
    least = None if known is None or case is None else least_of(case, machine, known)
    if least is not None:
        steps = int((Decimal(repr(least)) / step).to_integral_value(ROUND_CEILING))
        if works(steps):
            return text(steps)
    start = int((given / step).to_integral_value(ROUND_FLOOR if raises else ROUND_CEILING))
    sign, reach, kept = (1 if raises else -1), 1, start
    for _doubling in range(MAX_DOUBLINGS):
        tried = start + sign * reach
        if works(tried):
            break
        kept, reach = tried, reach * 2
    else:
        return None
    while abs(tried - kept) > 1:
        middle = (tried + kept) // 2
        if works(middle):
            tried = middle
        else:
            kept = middle
    return text(tried)


def _bounded(question: Any, value: Decimal) -> Decimal:
    return min(max(value, question.minimum), question.maximum)


def resolver(specs: Any) -> Resolve:
    """Return what resolves answers with the catalog of these specs; None where that is not possible."""

    def resolve(answers: Answers) -> Case | None:
        found = cases.resolve(answers, specs.models, specs.presets, specs.vendors, specs.names)
        return found.case if isinstance(found, cases.Resolved) else None

    return resolve


def fixes(answers: Answers, specs: Any, ranking: Ranking) -> Mapping[str, tuple[tuple[Change, ...], ...]]:
    """Return the smallest sets of changes for each server that is ruled out, by slug."""
    relaxations = Relaxations(answers, resolver(specs))
    machines = {machine.bare.server: machine for machine in specs.machines}
    return {item.server: changes_for(relaxations, machines[item.server]) for item in ranking.rejected}


def nearest_of_all(answers: Answers, specs: Any, ranking: Ranking) -> Mapping[str, tuple[Change, ...]]:
    """Return the one change that lets in each ruled-out server of which one is enough, by slug."""
    relaxations = Relaxations(answers, resolver(specs))
    machines = {machine.bare.server: machine for machine in specs.machines}
    found = {item.server: nearest(relaxations, machines[item.server], item) for item in ranking.rejected}
    return {server: items for server, items in found.items() if items}
