"""How far a guess or a typical value may move before another server comes first.

Numbers: from the value outwards, first places are looked up at growing distances up to the limits that are
published; between the last that holds and the first that does not, the flip is found by halving among those
that come into question, and both sides of it are confirmed with all servers. A place that is lost and won
again between two looks is not seen; the page says so. Choices: each other one is tried.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from aiservers.numbers import Interval, canonical
from recommender.answers import KEYS, TOKENS, Answers, Key, parse_interval
from recommender.case_defaults import ENVELOPE
from recommender.case_reader import Assumption
from recommender.changes import resolver
from recommender.labels import COMPUTED
from recommender.ranking import Ceilings, Ranking, first_place
from recommender.sizing.choosing import FOREMOST, standing
from recommender.sizing.demand import Case, Machine

# Work for one set of answers: this bounds the time, and unlike a clock keeps results the same. A server costs
# more to try where it trains, and thrice as much where both ends are: where nothing holds the harder one with
# all facts known, and where the least hardware is asked for.
MAX_WORK = 6500
WORK_SERVING = 2  # of one server, each about half a millisecond
WORK_TRAINING = 3
BOTH_ENDS = 3
CONTENDERS = 4  # of the ranking, beside those that were seen in the first place
FACTORS = ("1.5", "2", "4")  # of the first looks outwards; then 16
WIDENED = 4  # times that the few among which a flip is looked for are widened before all servers are
EXACT_BELOW = 1000  # counts are found exactly up to here, larger ones to one percent
PRECISE = Decimal("0.01")
COARSE = Decimal("0.02")
# Choices that nothing stands in for when they are left open, with what that amounts to; "": whatever works.
LEFT_OPEN = {
    "queue_ok": "no",
    "one_node": "by_schedule",
    "model_may_change": "no",
    "recompute": "",
    "sharding": "",
}
Place = tuple[str, str] | None  # server and GPU


@dataclass(frozen=True, slots=True)
class Hold:
    """The interval of one value in which the first place stays.

    Attributes:
        low, high: Last values that hold; None: it never flips on that side.
        below, above: What comes first beyond them; ("", ""): nothing fits any more.
        tried: Of a choice, the other answers.
        others: Those of them with which the first place moves, and to whom.
    """

    key: str
    value: str
    origin: str
    low: Decimal | None = None
    high: Decimal | None = None
    below: Place = None
    above: Place = None
    tried: tuple[str, ...] = ()
    others: tuple[tuple[str, tuple[str, str]], ...] = ()

    @property
    def is_choice(self) -> bool:
        return KEYS[self.key].kind != "number"

    @property
    def flips(self) -> bool:
        return self.low is not None or self.high is not None or bool(self.others)

    @property
    def nearest(self) -> Place:
        """Return what the nearest flip puts first, by distance as a ratio; of a choice, the first one."""
        if self.others:
            return self.others[0][1]
        if self.high is None or self.low is None:
            return self.above if self.high is not None else self.below
        interval = parse_interval(self.value)
        up = float(self.high) / max(float(interval.high), 1e-9)
        down = float(interval.low) / max(float(self.low), 1e-9)
        return self.above if up <= down else self.below


class _Spent(Exception):
    """No more servers may be tried for these answers."""


class _Places:
    """First places, looked up while there is something left to spend."""

    def __init__(self, machines: Sequence[Machine], ranking: Ranking, work: int, case: Case):
        self.machines = machines
        self.ceilings = Ceilings(case)
        self.left = work
        self.known: dict[Case, Place] = {}  # among all servers
        self.leading = [match.config.node.server for match in ranking.matches]

    def first(self, case: Case | None, among: frozenset[str] | None = None) -> Place:
        """Return server and GPU in the first place; ("", ""): nothing fits; None: no such case exists."""
        if case is None:
            return None
        if case in self.known:
            return self.known[case]
        machines = [item for item in self.machines if among is None or item.bare.server in among]
        work = len(machines) * (WORK_TRAINING if case.trains else WORK_SERVING)
        if work > self.left:
            raise _Spent
        config = first_place(case, machines, self.ceilings)
        certain = config is not None and standing(config) == FOREMOST and case.priority != "footprint"
        self.left -= work if certain else BOTH_ENDS * work
        place = ("", "") if config is None else config.name
        if among is None:
            self.known[case] = place
        return place

    def contenders(self, *places: Place) -> frozenset[str]:
        best = list(dict.fromkeys(self.leading))[:CONTENDERS]
        return frozenset([*best, *(place[0] for place in places if place)])


def sensitivity(
    answers: Answers,
    assumptions: Sequence[Assumption],
    to_measure: Sequence[str],
    ranking: Ranking,
    specs: Any,
) -> tuple[Hold, ...]:
    """Return for each guess and each typical number how far the first place stays.

    What could not be reached within the bounded work is left out, the least decisive first.

    Args:
        assumptions: what the advice for these answers rests on.
        to_measure: keys of what should be found out.
        ranking: the advice.
        specs: the catalog (adapters.Specs).
    """
    if not ranking.matches:
        return ()
    found = resolver(specs)

    def resolve(values: Answers) -> Case | None:
        # How sure the advice is does not move it.
        case = found(values)
        return None if case is None else replace(case, conditional=False)

    current, case = ranking.matches[0].config.name, resolve(answers)
    assert case is not None
    places = _Places(specs.machines, ranking, MAX_WORK, case)
    places.known[case] = current
    holds = []
    for item in uncertain(assumptions, to_measure, case):
        search = _hold if KEYS[item.key].kind == "number" else _choice
        try:
            holds.append(search(answers, item, resolve, current, places))
        except _Spent:
            break
    return tuple(holds)


def uncertain(assumptions: Sequence[Assumption], to_measure: Sequence[str], case: Case) -> list[Assumption]:
    """Return what nobody is sure of: guesses first, then what should be found out, numbers before choices."""
    known = {item.key for item in assumptions}
    items = [
        item
        for item in assumptions
        if item.origin != "given"
        and item.source not in COMPUTED
        and (KEYS[item.key].kind == "number" or alternatives(item, case))
    ]
    items += [
        Assumption(key, value, "default")
        for key, value in LEFT_OPEN.items()
        if key not in known and _applies(KEYS[key], case)
    ]
    return sorted(
        items,
        key=lambda item: (
            item.origin != "hypothesis",
            item.key not in to_measure,
            KEYS[item.key].kind != "number",
        ),
    )


def _applies(key: Key, case: Case) -> bool:
    """Tell whether a question means anything for what is asked."""
    stages = {"inference": case.serves and not case.trains, "mixed": case.serves and case.trains}
    stages |= dict.fromkeys(("training", "fine_tuning"), case.trains and not case.serves)
    return case.kind in key.kinds and any(stages.get(stage) for stage in key.stages)


def alternatives(item: Assumption, case: Case) -> tuple[str, ...]:
    """Return the other answers to a choice; of models, those that an open one may turn out to be."""
    key = KEYS[item.key]
    values: tuple[str, ...] = ()
    if key.kind in ("choice", "yes_no") and not key.repeats:
        values = tuple(value for value, _label in key.choices)
    elif key.name in ("model", "training_model") and case.kind == TOKENS:
        values = ENVELOPE
    same = {item.value, "auto"} if item.value in ("", "auto") else {item.value}
    return tuple(value for value in values if value not in same)


def _choice(
    answers: Answers,
    item: Assumption,
    resolve: Callable[[Answers], Case | None],
    current: tuple[str, str],
    places: _Places,
) -> Hold:
    case = resolve(answers)
    assert case is not None
    tried, others = [], []
    for value in alternatives(item, case):
        place = places.first(resolve(Answers(dict(answers.values) | {item.key: value})))
        if place is None:
            continue
        tried.append(value)
        if place[0] != current[0]:
            others.append((value, place))
    return Hold(item.key, item.value, item.origin, tried=tuple(tried), others=tuple(others))


def _hold(
    answers: Answers,
    item: Assumption,
    resolve: Callable[[Answers], Case | None],
    current: tuple[str, str],
    places: _Places,
) -> Hold:
    key = KEYS[item.key]
    interval = parse_interval(item.value)
    assert key.minimum is not None
    assert key.maximum is not None

    def side(up: bool) -> tuple[Decimal | None, Place]:
        start = interval.high if up else interval.low

        def case_at(value: Decimal) -> Case | None:
            ends = Interval(value, value)
            if interval.low != interval.high:
                ends = Interval(interval.low, value) if up else Interval(value, interval.high)
            return resolve(Answers(dict(answers.values) | {item.key: canonical(ends)}))

        end = _reachable(start, key.maximum if up else key.minimum, key.whole, case_at)
        return _flip(start, end, key.whole, case_at, current, places)

    high, above = side(True)
    low, below = side(False)
    return Hold(item.key, item.value, item.origin, low, high, below, above)


def _reachable(
    start: Decimal, limit: Decimal, whole: bool, case_at: Callable[[Decimal], Case | None]
) -> Decimal:
    """Return the value nearest to the limit that can be reckoned with at all; nothing is ranked."""
    if case_at(limit) is not None:
        return limit
    kept, broken = start, limit
    while abs(broken - kept) > _step(max(abs(kept), abs(broken)), whole):
        middle = _rounded((kept + broken) / 2, whole)
        if middle in (kept, broken):
            break
        if case_at(middle) is not None:
            kept = middle
        else:
            broken = middle
    return kept


def _flip(
    start: Decimal,
    end: Decimal,
    whole: bool,
    case_at: Callable[[Decimal], Case | None],
    current: tuple[str, str],
    places: _Places,
) -> tuple[Decimal | None, Place]:
    """Return the last value towards `end` that keeps the first place, and what comes after it."""
    if start == end:
        return None, None
    kept, value = start, end
    found = places.first(case_at(end), places.contenders(current))
    flips = found is not None and found[0] != current[0]
    if not flips:
        found = places.first(case_at(end))
        flips = found is not None and found[0] != current[0]
    for look in _looks(start, end, whole):
        place = places.first(case_at(look), places.contenders(current, found))
        if place is not None and place[0] != current[0]:
            value, found, flips = look, place, True
            break
        kept = look
    if not flips:
        return None, None
    # One that loses among few loses among all: those few find the flip, all servers confirm its two sides,
    # and whoever is first there instead joins the few.
    few = frozenset(place[0] for place in (current, found) if place)
    for widened in range(WIDENED + 1):
        among = few if widened < WIDENED else None
        last, next_ = kept, value
        while abs(next_ - last) > _step(min(abs(last), abs(next_)), whole):
            middle = _rounded((last + next_) / 2, whole)
            if middle in (last, next_):
                break
            place = places.first(case_at(middle), among)
            if place is not None and place[0] == current[0]:
                last = middle
            else:
                next_ = middle
        there = current if last == start else places.first(case_at(last))
        beyond = places.first(case_at(next_))
        if there is not None and there[0] != current[0]:
            kept, value, found, few = start, last, there, few | {there[0]}
            continue
        if beyond is not None and beyond[0] != current[0]:
            return last, beyond
    return last, found


def _looks(start: Decimal, end: Decimal, whole: bool) -> list[Decimal]:
    """Return where to look from `start` to `end`: at growing distances, without both."""
    looks: list[Decimal] = []
    if end == 0 or start == 0:  # shares that begin or end at nothing
        looks = [_rounded(start + (end - start) * part / 8, whole) for part in (1, 2, 4)]
    else:
        value, factors = start, iter(FACTORS)
        while len(looks) < len(FACTORS) + 3:
            factor = Decimal(next(factors, 16))
            value = _rounded(value * factor if end > start else value / factor, whole)
            if (value >= end) if end > start else (value <= end):
                break
            looks.append(value)
    return [look for look in dict.fromkeys(looks) if look not in (start, end)]


def _rounded(value: Decimal, whole: bool) -> Decimal:
    if whole:
        return value.to_integral_value()
    return Decimal(f"{value:.3g}").normalize() if value else Decimal(0)


def _step(value: Decimal, whole: bool) -> Decimal:
    if whole:
        return Decimal(1) if value < EXACT_BELOW else max(value * PRECISE, Decimal(1))
    return max(value * COARSE, Decimal("0.0001"))
