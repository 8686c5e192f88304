"""What a change of the catalog does to advice: the same questions, asked before and after it.

A score never depends on which other servers are there, so only what differs is worked out twice: of each
machine the GPUs whose specs changed. Where nothing of that moves, the rest need not be looked at.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from recommender import cases
from recommender.adapters import Specs
from recommender.answers import Answers
from recommender.ranking import Placed, first_place, places_of
from recommender.sizing.demand import Case, Machine

Advice = tuple[str, str, int, int, str]  # server, GPU, cards of one server, servers, state


@dataclass(frozen=True, slots=True)
class Difference:
    """What becomes of one question.

    Attributes:
        before, after: What comes first; None: nothing fits.
        moved: Matches that are new, gone or other than before, each before and after; the first is not among
            them. None: not there.
        refused: What in the answers can no longer be reckoned with after the change, by key.
    """

    before: Advice | None
    after: Advice | None
    moved: tuple[tuple[Advice | None, Advice | None], ...] = ()
    refused: tuple[str, ...] = ()

    @property
    def first_changed(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Parts:
    """Both catalogs cut into what is the same in both and what is not."""

    same: tuple[Machine, ...]
    before: tuple[Machine, ...]
    after: tuple[Machine, ...]


def parts_of(before: Sequence[Machine], after: Sequence[Machine]) -> Parts:
    """Return which machines, and of these which GPUs, a change touches."""
    old, new = ({machine.bare.server: machine for machine in machines} for machines in (before, after))
    same: list[Machine] = []
    touched: tuple[list[Machine], list[Machine]] = ([], [])
    for server in [*old, *(server for server in new if server not in old)]:
        pair = old.get(server), new.get(server)
        gpus = _changed_gpus(*pair)
        for machine, found in zip(pair, touched, strict=True):
            if machine is None:
                continue
            every = frozenset(node.gpu.slug for node in machine.nodes)
            if every & gpus:
                found.append(_with_gpus(machine, gpus))
            if machine is pair[0] and every - gpus:
                same.append(_with_gpus(machine, every - gpus))
    return Parts(tuple(same), tuple(touched[0]), tuple(touched[1]))


def _changed_gpus(old: Machine | None, new: Machine | None) -> frozenset[str]:
    """Return the GPUs whose options in a server differ; all of them where the server itself does."""
    every = frozenset(node.gpu.slug for machine in (old, new) if machine for node in machine.nodes)
    if old is None or new is None or old.bare != new.bare:
        return every
    by_gpu = [
        {slug: [node for node in machine.nodes if node.gpu.slug == slug] for slug in every}
        for machine in (old, new)
    ]
    return frozenset(slug for slug in every if by_gpu[0][slug] != by_gpu[1][slug])


def difference(answers: Answers, before: Specs, after: Specs, parts: Parts) -> Difference | None:
    """Return what a change does to one question; None: nothing, or the question could never be answered."""
    old, problems = _case(answers, before)
    if old is None:
        return None
    new, problems = _case(answers, after)
    if new is None:
        return Difference(_first(_foremost(old, before.machines)), None, refused=problems)
    if old == new:
        was, now = _places(old, parts.before), _places(new, parts.after)
        if was == now:
            return None
        rest = _foremost(old, parts.same)
        firsts = _first([*rest, *was]), _first([*rest, *now])
    else:
        was, now = _places(old, before.machines), _places(new, after.machines)
        firsts = _first(was), _first(now)
    moved = tuple(_moved(was, now, leave=set(firsts) if firsts[0] != firsts[1] else set()))
    if firsts[0] == firsts[1] and not moved:
        return None
    return Difference(*firsts, moved=moved)


def _case(answers: Answers, specs: Specs) -> tuple[Case | None, tuple[str, ...]]:
    found = cases.resolve(answers, specs.models, specs.presets, specs.vendors, specs.names, specs.servers)
    if isinstance(found, cases.Resolved):
        return found.case, ()
    return None, tuple(problem.key for problem in found)


def _places(case: Case, machines: Sequence[Machine]) -> list[Placed]:
    return [place for machine in machines for place in places_of(case, machine)]


def _foremost(case: Case, machines: Sequence[Machine]) -> list[Placed]:
    """Return the first place among machines, which takes much less than all places; none: nothing fits."""
    config = first_place(case, machines)
    if config is None:
        return []
    gpu = frozenset({config.node.gpu.slug})
    found = [machine for machine in machines if machine.bare.server == config.node.server]
    return _places(case, [_with_gpus(machine, gpu) for machine in found])


def _with_gpus(machine: Machine, gpus: frozenset[str]) -> Machine:
    return replace(machine, nodes=tuple(node for node in machine.nodes if node.gpu.slug in gpus))


def _first(places: Sequence[Placed]) -> Advice | None:
    return min(places, key=lambda place: place.key).advice if places else None


def _moved(
    was: Sequence[Placed], now: Sequence[Placed], *, leave: set[Advice | None]
) -> Iterator[tuple[Advice | None, Advice | None]]:
    """Yield the matches of a server and GPU that are not what they were."""
    old, new = (_by_configuration(places) for places in (was, now))
    for name in [*old, *(name for name in new if name not in old)]:
        pair = old.get(name), new.get(name)
        if pair[0] != pair[1] and not set(pair) - {None} <= leave:
            yield pair


def _by_configuration(places: Sequence[Placed]) -> Mapping[tuple[str, str], Advice]:
    return {place.advice[:2]: place.advice for place in places}
