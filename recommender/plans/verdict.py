"""Which way of running both jobs is advised, why not the others, and what would turn the verdict."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import floor

from recommender.plans.comparison import WAYS, Plan, training_sets
from recommender.plans.contention import Way, cycle_hours
from recommender.plans.terms import MOST_EXPERIMENTS, NIGHT_HOURS_A_DAY, Span, Terms
from recommender.sizing.choosing import SERVER_COSTS_CARDS
from recommender.sizing.demand import Case, Message, message
from recommender.sizing.findings import easier_end

MOST_MAINTENANCE_H = 744  # a month; the largest answer that is taken


@dataclass(frozen=True, slots=True)
class Flip:
    """One answer, and the value from which on another way is advised."""

    key: str
    value: str | int
    side: str  # above: more than the value; below: less than it; is: just that answer
    way: Way | None  # None: no way keeps every condition then


@dataclass(frozen=True, slots=True)
class Verdict:
    """The way that is advised, and for every other what it breaks, or that it takes more."""

    way: Way | None  # None: no way of the catalog does both jobs
    holds: bool  # false: every way breaks a condition; the one that breaks fewest is named
    reasons: tuple[Message, ...]  # for the way
    against: Mapping[Way, tuple[Message, ...]]
    flips: tuple[Flip, ...]
    cautions: tuple[Message, ...] = ()  # what to know before relying on the way that is advised


@dataclass(frozen=True, slots=True)
class _Choice:
    way: Way | None
    holds: bool
    broken: Mapping[Way, tuple[Message, ...]]


def decide(case: Case, terms: Terms, plans: Mapping[Way, Plan]) -> Verdict:
    """Return the verdict: conditions first, then what is certain, then the least hardware."""
    chosen = _choose(case, terms, plans)
    if chosen.way is None:
        return Verdict(None, False, (), chosen.broken, ())
    against = dict(chosen.broken)
    taken = plans[chosen.way]
    for way, plan in plans.items():
        if way != chosen.way and not against[way]:
            against[way] = (_more(case, terms, taken, plan),)
    if chosen.holds:
        against[chosen.way] = ()
    return Verdict(
        chosen.way,
        chosen.holds,
        _reasons(case, terms, taken, plans),
        against,
        tuple(_flips(case, terms, plans, chosen)),
        tuple(_cautions(case, terms, taken)),
    )


def _choose(case: Case, terms: Terms, plans: Mapping[Way, Plan]) -> _Choice:
    broken = {way: tuple(_broken(case, terms, plan)) for way, plan in plans.items()}
    possible = [way for way, plan in plans.items() if plan.works]
    if not possible:
        return _Choice(None, False, broken)
    fewest = min(len(broken[way]) for way in possible)
    best = min(
        (way for way in possible if len(broken[way]) == fewest),
        key=lambda way: (not plans[way].certain, _cost(case, terms, plans[way]), WAYS.index(way)),
    )
    return _Choice(best, fewest == 0, broken)


def _cost(case: Case, terms: Terms, plan: Plan) -> float:
    """Return what a way takes, in cards; a server weighs as it does when configurations are ranked.

    A single card for both jobs saves nothing that counts against two, one for each: but in a pilot it does.
    """
    cards, servers = plan.gpus, plan.servers
    if plan.way == "scheduled" and not terms.pilot:
        cards = max(cards, 2)
    if plan.way == "separate" and plan.training is not None:
        more = training_sets(case, terms, plan.training) - plan.sets
        cards += more * plan.training.config.gpus
        servers += more * plan.training.config.servers
    return round(cards + SERVER_COSTS_CARDS * servers, 6)


def _broken(case: Case, terms: Terms, plan: Plan) -> list[Message]:
    """Return the conditions that a way does not keep."""
    if not plan.works or plan.training is None or plan.loss is None:
        return [message("no_server")]
    found: list[Message] = []
    way = plan.way
    if terms.one_node == "separate" and way != "separate":
        found.append(message("not_separate"))
    if terms.one_node == "yes" and way != "shared":
        found.append(message("not_at_once"))
    if terms.one_node == "by_schedule" and way != "scheduled":
        found.append(message("not_by_schedule"))
    if terms.isolation == "yes" and way != "separate":
        found.append(message("isolation"))
    hours = cycle_hours(case, terms, plan.training)
    if way == "scheduled":
        if hours is None:
            found.append(message("hours_unknown"))
        elif terms.trials * hours.high > terms.night_h + 1e-9:
            found.append(message("night_too_short", need=terms.trials * hours.high, have=terms.night_h))
        if case.n_plus_1:
            found.append(message("never_stops"))
        elif terms.queue_ok == "no" and not terms.pilot:
            found.append(message("nobody_waits"))
    elif way == "shared" and hours is not None and terms.trials * hours.high > terms.month_h + 1e-9:
        found.append(message("month_too_short", need=terms.trials * hours.high, have=terms.month_h))
    goes_on = terms.on_node_loss in ("slow", "smaller_model") and not case.n_plus_1
    unstopped = terms.maintenance_h is not None and terms.maintenance_h.high == 0 and not case.n_plus_1
    if (goes_on or unstopped) and not plan.loss.one_lost:
        if goes_on:
            found.append(message("stops_with_server"))
        else:
            found.append(message("no_maintenance"))
    if way == "separate":
        found += _over_site(case, plan)
    return found


def _over_site(case: Case, plan: Plan) -> list[Message]:
    """Return the limits of the site that two servers break together."""
    limits = case.hard
    found = []
    if limits.rack_units is not None and plan.rack_units is not None and plan.rack_units > limits.rack_units:
        found.append(message("rack_units", need=plan.rack_units, have=limits.rack_units))
    if limits.power_w is not None and plan.power_w is not None and plan.power_w.high > limits.power_w:
        found.append(message("power", need=plan.power_w.high, have=limits.power_w))
    return found


def _more(case: Case, terms: Terms, taken: Plan, plan: Plan) -> Message:
    """Return what speaks against a way that keeps every condition."""
    if taken.certain and not plan.certain:
        return message("less_certain")
    if _cost(case, terms, plan) > _cost(case, terms, taken):
        return message("takes_more", gpus=plan.gpus, servers=plan.servers)
    return message("service_stops" if plan.way == "scheduled" else "no_less")


def _reasons(case: Case, terms: Terms, taken: Plan, plans: Mapping[Way, Plan]) -> tuple[Message, ...]:
    """Return why the way is advised; where a server is shared, what permits that."""
    found: list[Message] = []
    if taken.training is None:
        return ()
    hours = cycle_hours(case, terms, taken.training)
    asked = {"yes": "shared", "by_schedule": "scheduled", "separate": "separate"}.get(terms.one_node or "")
    if asked == taken.way:
        found.append(message(f"asked_{taken.way}"))
    elif taken.way == "separate":
        others = [plan for way, plan in plans.items() if way != "separate" and plan.works]
        code = "too_large_for_one" if not others else "apart_in_space"
        found.append(message("kept_apart" if terms.isolation == "yes" else code))
    elif terms.pilot:
        found.append(message("sharing_pilot"))
    elif taken.way == "scheduled" and hours is not None:
        found.append(message("sharing_in_turn", need=terms.trials * hours.high, have=terms.night_h))
    if taken.way == "shared":
        found.append(
            message("sharing_cards", training=taken.training_gpus, serving=taken.gpus - taken.training_gpus)
        )
    found.append(message("takes", gpus=taken.gpus, servers=taken.servers))
    return tuple(found)


def _cautions(case: Case, terms: Terms, taken: Plan) -> Iterator[Message]:
    """Yield what the way that is advised depends on, beside its conditions."""
    assert taken.training is not None
    if not all(match.config.strict for match, _times in taken.parts):
        yield easier_end(case) if case.hard != case.easy else message("range_estimates")
    hours = cycle_hours(case, terms, taken.training)
    if taken.way == "scheduled" and hours is not None and hours.high > NIGHT_HOURS_A_DAY:
        yield message("longer_than_a_night", hours=hours.high, night=NIGHT_HOURS_A_DAY)
    if taken.way != "scheduled" and hours is None:
        yield message("hours_unknown")
    for item in taken.contention:
        if item.over and item.resource in ("disks", "network"):
            yield message(f"over_{item.resource}")


def _flips(case: Case, terms: Terms, plans: Mapping[Way, Plan], chosen: _Choice) -> list[Flip]:
    """Return what would turn the verdict: numbers exact to the whole experiment or hour, then answers."""

    def outcome(changed: Terms) -> tuple[Way | None, bool]:
        found = _choose(case, changed, plans)
        return found.way, found.holds

    now = (chosen.way, chosen.holds)
    flips: list[Flip] = []

    def trials(count: int) -> tuple[Way | None, bool]:
        return outcome(replace(terms, experiments=Span(count, count)))

    def hours(count: int) -> tuple[Way | None, bool]:
        return outcome(replace(terms, maintenance_h=Span(count, count)))

    flips += _numeric("experiments_per_month", trials, terms.trials, MOST_EXPERIMENTS, now)
    if terms.maintenance_h is None or terms.maintenance_h.high > 0:
        flips += _numeric("maintenance_hours", hours, max(terms.maintenance, 1), MOST_MAINTENANCE_H, now)
    answers: list[tuple[str, str, Terms]] = [
        ("isolation", "no" if terms.isolation == "yes" else "yes",
         replace(terms, isolation="no" if terms.isolation == "yes" else "yes")),
        *(
            ("on_node_loss", value, replace(terms, on_node_loss=value))
            for value in ("stop", "slow") if value != terms.on_node_loss
        ),
        ("queue_ok", "yes" if terms.queue_ok == "no" else "no",
         replace(terms, queue_ok="yes" if terms.queue_ok == "no" else "no")),
    ]  # fmt: skip
    if terms.one_node is not None:
        answers.insert(0, ("one_node", "unknown", replace(terms, one_node=None)))
    for key, value, changed in answers:
        way, holds = outcome(changed)
        if way != chosen.way and holds:
            flips.append(Flip(key, value, "is", way))
    return flips


def _numeric(
    key: str,
    outcome: Callable[[int], tuple[Way | None, bool]],
    now: float,
    most: int,
    verdict: tuple[Way | None, bool],
) -> list[Flip]:
    """Return the nearest whole values, upwards and downwards, beyond which the verdict is another one.

    More of either number only ever adds conditions that are broken, and hardware: what holds at a value holds
    down to the next flip, so that halving finds it.
    """
    found = []
    start = floor(now)
    if outcome(start) == verdict and outcome(most) != verdict:
        kept, turned = start, most
        while turned - kept > 1:
            middle = (kept + turned) // 2
            if outcome(middle) == verdict:
                kept = middle
            else:
                turned = middle
        found.append(Flip(key, kept, "above", outcome(turned)[0] if outcome(turned)[1] else None))
    first = 1 if key == "maintenance_hours" else 0
    if outcome(start) == verdict and start > first and outcome(first) != verdict:
        turned, kept = first, start
        while kept - turned > 1:
            middle = (kept + turned) // 2
            if outcome(middle) == verdict:
                kept = middle
            else:
                turned = middle
        found.append(Flip(key, kept, "below", outcome(turned)[0] if outcome(turned)[1] else None))
    return found
