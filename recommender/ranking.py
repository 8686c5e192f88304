"""Which servers do the work, in which order, and why the others do not: pure, without Django or languages.

Rules come before preferences. A configuration (a server with one GPU, a count, a layout and a number of
servers) is tried at the hard corner of the answers with the unfavourable ends of all estimates: it `fits`.
What only holds at the easy corner with the favourable ends `fits_if`; what does not hold even there is
rejected, with every broken rule. Facts that are not published put a match behind all that need none.

The order comes from criteria on fixed scales (`sizing/scores.py`), so that one server's score never depends
on which others are there. Which configuration stands for a server and GPU: `sizing/choosing.py`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import floor
from typing import Literal

from recommender.sizing.choosing import FOREMOST, best, standing
from recommender.sizing.configurations import Config, Failure
from recommender.sizing.demand import Case, Corner, Machine, Message, message
from recommender.sizing.findings import over_unknown_network, reasons_of, warnings_of
from recommender.sizing.musts import broken_musts
from recommender.sizing.rules import (
    made_for_edge,
    power_of,
    rack_units_of,
    site_rules,
    size_rules,
    supply_rules,
    work_of,
)
from recommender.sizing.scores import (
    CRITERIA as CRITERIA,
    MARKET_PLACES,
    MODULES,
    TIE_POINTS,
    criteria_of,
    is_newest,
    score,
)
from recommender.sizing.serving_sizes import capacity_of, precision_of
from recommender.sizing.sizes import leanest_first, services_of, sizes_of
from recommender.sizing.specs import NodeSpec, Precision

RULES_VERSION = "4"
MAX_REASONS = 6  # of one rejection
# Of a node whatever its size: rules that it breaks, unpublished facts that they need, soft warnings.
Rules = tuple[list[Message], list[str], list[Message]]


@dataclass(frozen=True, slots=True)
class Match:
    config: Config
    state: Literal["fits", "fits_if"]
    firm: bool
    score: float
    criteria: tuple[tuple[str, float | None], ...]
    capacity: int | None  # max_concurrency
    reasons: tuple[Message, ...]
    warnings: tuple[Message, ...]
    pareto: bool = False
    tied: bool = False
    dominated_by: tuple[str, str] | None = None  # server and GPU of the foremost match that beats it


@dataclass(frozen=True, slots=True)
class Rejection:
    server: str
    gpu: str | None
    reasons: tuple[Message, ...]
    nearest_fix: Message | None
    tries: tuple[frozenset[str], ...] = ()  # of each configuration that was tried, the rules that it breaks


@dataclass(frozen=True, slots=True)
class Placed:
    """A match as a buyer reads it, and the key that puts it before or behind others."""

    key: tuple[object, ...]
    advice: tuple[str, str, int, int, str]  # server, GPU, cards of one server, servers, state


@dataclass(frozen=True, slots=True)
class Ranking:
    matches: tuple[Match, ...]
    rejected: tuple[Rejection, ...]


def rank(case: Case, machines: Sequence[Machine]) -> Ranking:
    """Return every machine as matches, one for each of its GPUs, or as one rejection."""
    matches: list[Match] = []
    rejected: list[Rejection] = []
    for machine in machines:
        found, failures = _try_machine(case, machine)
        if found:
            matches += [_match(case, config, machine) for config in found]
        else:
            rejected.append(_rejection(machine, failures))
    ordered = list(_marked(sorted(matches, key=lambda match: _order(case, match.config, match.score))))
    if len(ordered) > 1:
        ordered[0] = replace(ordered[0], reasons=_leading_reasons(case, ordered))
    return Ranking(
        tuple(ordered),
        tuple(sorted(rejected, key=lambda item: item.server)),
    )


class Ceilings:
    """What servers score at most in one service whatever is trained beside it, worked out when asked for.

    No training makes a service better: where the best score that is reached is above a ceiling, nothing has
    to be tried below it.
    """

    def __init__(self, case: Case):
        self.case = _untrained(case)
        self.known: dict[tuple[str, str], float] = {}

    def bound(self, case: Case) -> bool:
        """Tell whether they hold in a case: it asks for the same service, with training by turns."""
        text = case.kind == "tokens" and case.priority != "footprint"
        return text and case.serves and case.trains and not case.together and _untrained(case) == self.case

    def of(self, machine: Machine, nodes: Sequence[NodeSpec]) -> float:
        """Return the highest score of a machine with one of its GPUs; below 0: nothing is certain there."""
        name = machine.bare.server, nodes[0].gpu.slug
        if name not in self.known:
            scores = (
                score(self.case, config, criteria_of(self.case, config, machine))
                for config in self._services(nodes)
            )
            self.known[name] = max(scores, default=-1.0)
        return self.known[name]

    def _services(self, nodes: Sequence[NodeSpec]) -> Iterator[Config]:
        precision, fallback = _precision(self.case, nodes, self.case.hard)
        if precision is None:
            return
        sound = _sound(self.case, nodes)
        for config in services_of(self.case, list(sound), precision, fallback):
            held = _surely(self.case, config, sound[config.node])
            if held is not None:
                yield held


def _untrained(case: Case) -> Case:
    """Return the case without what only its training reads."""
    nothing = Corner()

    def alone(corner: Corner) -> Corner:
        return replace(
            corner,
            trained=None,
            tokens=nothing.tokens,
            target_s=None,
            sequence_tokens=nothing.sequence_tokens,
            global_batch=nothing.global_batch,
            micro_batch=nothing.micro_batch,
            lora_rank=nothing.lora_rank,
            network_bytes_per_s=None,
        )

    return replace(
        case,
        hard=alone(case.hard),
        easy=alone(case.easy),
        typical_target_s=0.0,
        training_precision=None,
        method="lora",
        optimizer="adamw",
        recompute=None,
        sharding=None,
    )


def first_place(case: Case, machines: Sequence[Machine], ceilings: Ceilings | None = None) -> Config | None:
    """Return the configuration that `rank` puts first, without the rest; None: nothing fits.

    Args:
        ceilings: of a case that may differ in its training; they save tries and change nothing.
    """
    found: list[tuple[Config, Machine]] = []
    if case.priority != "footprint":
        # What holds for certain with all facts known stands before everything else: where there is any, what
        # holds only at the easy corner cannot come first and is not worked out.
        found = _foremost(case, machines, ceilings)
    if not found:
        found = [
            (config, machine) for machine in machines for config in _try_machine(case, machine, why=False)[0]
        ]
    if not found:
        return None
    ahead = min(standing(config) for config, _machine in found)
    scored = [
        (config, score(case, config, criteria_of(case, config, machine)))
        for config, machine in found
        if standing(config) == ahead
    ]
    return min(scored, key=lambda pair: _order(case, *pair))[0]


def _foremost(
    case: Case, machines: Sequence[Machine], ceilings: Ceilings | None
) -> list[tuple[Config, Machine]]:
    """Return what stands foremost of each machine and GPU, as far as it may come first."""
    pairs = [(machine, nodes) for machine in machines for nodes in _nodes_by_gpu(machine).values()]
    if ceilings is None or not ceilings.bound(case):
        tried = ((_certain(case, machine, nodes), machine) for machine, nodes in pairs)
        return [(config, machine) for config, machine in tried if config is not None]
    found: list[tuple[Config, Machine]] = []
    reached = 0
    for machine, nodes in sorted(pairs, key=lambda pair: -ceilings.of(*pair)):
        ceiling = ceilings.of(machine, nodes)
        if ceiling < 0 or floor(ceiling / TIE_POINTS) < reached:
            break
        config = _certain(case, machine, nodes)
        if config is not None:
            found.append((config, machine))
            reached = max(
                reached, floor(score(case, config, criteria_of(case, config, machine)) / TIE_POINTS)
            )
    return found


def places_of(case: Case, machine: Machine) -> list[Placed]:
    """Return what `rank` makes of one machine and where it stands against all others, without the rest."""
    return [
        Placed(
            _order(case, config, score(case, config, criteria_of(case, config, machine))),
            (config.node.server, config.node.gpu.slug, config.count, config.servers, _state(config)),
        )
        for config in _try_machine(case, machine)[0]
    ]


def _certain(case: Case, machine: Machine, nodes: Sequence[NodeSpec]) -> Config | None:
    """Return the configuration that stands for one GPU of a machine, if that one stands foremost of all."""
    precision, fallback = _precision(case, nodes, case.hard)
    sound = _sound(case, nodes)
    for sizes in _certain_sizes(case, list(sound), precision, fallback):
        held = (_surely(case, config, sound[config.node]) for config in sizes)
        configs = [config for config in held if config is not None]
        if configs:
            return best(case, configs, machine)
    return None


def _surely(case: Case, config: Config, rules: Rules) -> Config | None:
    """Return a configuration with what it takes, if it breaks no rule and no fact is unknown."""
    checked = _checked(case, config, rules, True)
    return checked if isinstance(checked, Config) and standing(checked) == FOREMOST else None


def _certain_sizes(
    case: Case, nodes: Sequence[NodeSpec], precision: Precision | None, fallback: bool
) -> Iterator[list[Config]]:
    """Yield what one GPU of a machine does for certain, in groups: the first that holds has the best."""
    if case.serves and case.kind == "tokens" and precision is not None:
        yield from leanest_first(case, nodes, precision, fallback)
        return
    sizes = [
        item
        for node in nodes
        for item in sizes_of(case, node, case.hard, True, precision, fallback, why=False)
    ]
    yield [config for config in sizes if isinstance(config, Config)]


def _sound(case: Case, nodes: Sequence[NodeSpec]) -> dict[NodeSpec, Rules]:
    """Return the nodes of which everything is known and orderable and that break no rule by themselves, with
    what their rules say."""
    sound = {}
    for node in nodes:
        if node.evidence != "derived" and node.server_orderable and node.option_orderable:
            rules = _node_rules(case, node, case.hard, True)
            if not rules[0] and not rules[1]:
                sound[node] = rules
    return sound


def fits_somehow(case: Case, machine: Machine) -> bool:
    """Tell whether `rank` would make a match of a machine, without finding the best of it."""
    return next(_possible(case, machine), None) is not None


def least_of(case: Case, machine: Machine, measure: Callable[[Config], float | None]) -> float | None:
    """Return the smallest figure of all configurations that fit somehow; None: of none it is known."""
    figures = (measure(config) for config in _possible(case, machine))
    return min((figure for figure in figures if figure is not None), default=None)


def _possible(case: Case, machine: Machine) -> Iterator[Config]:
    """Yield the configurations of a machine that hold at the easy corner."""
    for nodes in _nodes_by_gpu(machine).values():
        precision, fallback = _precision(case, nodes, case.easy)
        for node in nodes:
            broken, _facts, _soft = _node_rules(case, node, case.easy, False)
            if not broken:
                yield from _holds(case, node, case.easy, False, precision, fallback, why=False)[0]


def _nodes_by_gpu(machine: Machine) -> dict[str, list[NodeSpec]]:
    by_gpu: dict[str, list[NodeSpec]] = {}
    for node in machine.nodes:
        if node.gpu.serves_language_models:
            by_gpu.setdefault(node.gpu.slug, []).append(node)
    return {slug: by_gpu[slug] for slug in sorted(by_gpu)}


def _precision(case: Case, nodes: Sequence[NodeSpec], corner: Corner) -> tuple[Precision | None, bool]:
    """Return the type of the served weights on one GPU of a machine, and whether it is a stand-in."""
    if not case.serves:
        return None, False
    assert corner.model is not None
    possible = [node for node in nodes if not site_rules(case, node, case.easy)[0]]
    return precision_of(case, corner.model, possible or nodes)


def _try_machine(case: Case, machine: Machine, *, why: bool = True) -> tuple[list[Config], list[Failure]]:
    """Return the best configuration of each GPU, and where there is none all failures, if `why` is asked."""
    found: list[Config] = []
    failures: list[Failure] = []
    for nodes in _nodes_by_gpu(machine).values():
        precision, fallback = _precision(case, nodes, case.hard)
        easier = (precision, fallback)
        if case.easy.model != case.hard.model:
            easier = _precision(case, nodes, case.easy)
        sure: list[Config] = []
        maybe: list[Config] = []
        for node in nodes:
            configs = _holds(case, node, case.hard, True, precision, fallback)[0]
            sure += configs
            if not configs or case.priority == "footprint":
                configs, failed = _holds(case, node, case.easy, False, *easier, why=why)
                maybe += configs
                failures += failed
        if sure or maybe:
            found.append(best(case, [*sure, *maybe], machine))
    if not found and not failures:
        broken = site_rules(case, machine.bare, case.easy)[0]
        failures = [Failure(None, (message("no_gpu"), *broken), 1.0 + len(broken))]
    return found, failures


def _node_rules(case: Case, node: NodeSpec, corner: Corner, strict: bool) -> Rules:
    """Return the rules that a node breaks whatever its size, unpublished facts, and soft warnings."""
    broken, facts, soft = site_rules(case, node, corner, strict)
    if case.gpu_vendor and node.gpu.vendor != case.gpu_vendor:
        broken.append(message("gpu_vendor", need=case.gpu_vendor, have=node.gpu.vendor))
    if node.option_min_sockets and node.option_min_sockets > node.sockets_max:
        broken.append(message("no_gpu"))
    return broken, facts, soft


def _holds(
    case: Case,
    node: NodeSpec,
    corner: Corner,
    strict: bool,
    precision: Precision | None,
    fallback: bool,
    *,
    why: bool = True,
) -> tuple[list[Config], list[Failure]]:
    """Return the configurations of a node that hold at a corner, or why none does, which is asked of the easy
    one alone."""
    broken, facts, soft = _node_rules(case, node, corner, strict)
    configs: list[Config] = []
    failures: list[Failure] = []
    if strict and broken:
        return configs, failures  # why is asked at the easy corner
    for config in sizes_of(case, node, corner, strict, precision, fallback, why=why and not strict):
        if isinstance(config, Failure):
            if strict:
                continue
            least = 2 if case.n_plus_1 else 1
            over, _facts = size_rules(corner, rack_units_of(node, least), power_of(node, config.count, least))
            failures.append(replace(config, reasons=_all_reasons(config.reasons, [*broken, *over])))
            continue
        checked = _checked(case, config, (broken, facts, soft), strict)
        if isinstance(checked, Config):
            configs.append(checked)
        else:
            failures.append(checked)
    return configs, failures


def _checked(case: Case, config: Config, rules: Rules, strict: bool) -> Config | Failure:
    """Return a configuration with what it takes, or the rules that it breaks.

    Args:
        rules: what `_node_rules` says of its node.
    """
    node, (broken, facts, soft) = config.node, rules
    units = rack_units_of(node, config.servers)
    watts = power_of(node, config.count, config.servers, work_of(config.corner))
    over, more_facts = size_rules(config.corner, units, watts)
    fed, unfed = supply_rules(case, node, config.count, strict)
    over += [item for item in fed if not any(other.code == item.code for other in over)]
    more_facts += unfed
    if case.must:
        unmet, unknown = broken_musts(case, replace(config, rack_units=units, power_w=watts))
        over += unmet
        more_facts += unknown
    reasons = [*broken, *over]
    if reasons:
        miss = sum(_miss(item) for item in over) + len(broken)
        return Failure(node.gpu.slug, _all_reasons((), reasons), miss)
    if case.priority == "footprint" and units is None:
        more_facts.append("rack_units")
    if case.priority == "power" and watts is None:
        more_facts.append("power")
    known = list(dict.fromkeys([*facts, *more_facts, *config.facts]))
    if node.evidence == "derived":
        known.insert(0, "derived")
    return replace(config, rack_units=units, power_w=watts, facts=tuple(known), soft=tuple(soft))


def _all_reasons(first: Iterable[Message], more: Iterable[Message]) -> tuple[Message, ...]:
    by_code = {item.code: item for item in (*first, *more)}
    return tuple(by_code.values())


def _miss(item: Message) -> float:
    """Return how far a rule was missed, as a share of what it allows."""
    params = dict(item.params)
    need, have = params.get("need"), params.get("have")
    if not isinstance(need, int | float) or not isinstance(have, int | float) or not have or not need:
        return 1.0
    return abs(float(need) / float(have) - 1.0) if need > have else abs(float(have) / float(need) - 1.0)


def _order(case: Case, config: Config, points: float) -> tuple[object, ...]:
    """Return the sort key: states and unknown facts first, then scores in steps, then what breaks ties.

    The steps are fixed, so that no match's place against another depends on a third.
    """
    return (
        *standing(config),
        -floor(points / TIE_POINTS),
        case.site != "edge" and made_for_edge(config.node),
        config.gpus,
        config.node.special_order,
        MARKET_PLACES[config.node.gpu.market_state],
        config.node.gpu.form in MODULES and not is_newest(config.node.gpu),
        config.rack_units if config.rack_units is not None else 10**6,
        round(config.power_w.typical) if config.power_w else 10**9,
        -points,
        config.node.server,
        config.node.gpu.slug,
    )


def _marked(matches: Sequence[Match]) -> Iterator[Match]:
    """Yield the matches with their ties and the ones that no other beats in everything."""
    previous: Match | None = None
    for match in matches:
        tied = (
            previous is not None
            and standing(previous.config) == standing(match.config)
            and abs(previous.score - match.score) < TIE_POINTS
        )
        better = next((other.config.node for other in matches if _dominates(other, match)), None)
        beaten = None if better is None else (better.server, better.gpu.slug)
        yield replace(match, tied=tied, pareto=beaten is None, dominated_by=beaten)
        previous = match


def _leading_reasons(case: Case, matches: Sequence[Match]) -> tuple[Message, ...]:
    """Return the reasons of the first match, one of which says what puts it there."""
    first, second = matches[0], matches[1]
    mine, its = first.config, second.config
    level = list(takewhile(lambda match: match.tied, matches[1:]))
    if standing(mine)[:2] != standing(its)[:2]:
        why = message("first_sure", others=len(matches) - 1)
    elif mine.gpus < its.gpus:
        why = message("first_cards", gpus=mine.gpus, others=its.gpus)
    elif level and all(_smaller(mine.rack_units, match.config.rack_units) for match in level):
        why = message("first_units", units=mine.rack_units, others=its.rack_units)
    elif level:
        why = message("first_level", others=len(level), score=first.score)
    else:
        why = message("first_points", score=first.score, others=second.score)
    later = case.serves and (case.trains or case.n_plus_1)  # two roles, or what is left with a server lost
    kept = first.reasons[-2:] if later else first.reasons[:2]
    return (*kept, why)


def _smaller(mine: int | None, its: int | None) -> bool:
    return mine is not None and its is not None and mine < its


def _dominates(one: Match, other: Match) -> bool:
    """Tell whether `one` is nowhere worse and somewhere better, as far as both are known."""
    if one is other or standing(one.config) > standing(other.config):
        return False
    pairs: list[tuple[float, float]] = [(-one.config.gpus, -other.config.gpus)]
    for mine, its in zip(one.criteria, other.criteria, strict=True):
        if its[1] is not None:
            if mine[1] is None:
                return False
            pairs.append((mine[1], its[1]))
    return all(mine >= its for mine, its in pairs) and any(mine > its for mine, its in pairs)


def _state(config: Config) -> Literal["fits", "fits_if"]:
    return "fits" if config.strict and not config.facts else "fits_if"


def _match(case: Case, config: Config, machine: Machine) -> Match:
    criteria = criteria_of(case, config, machine)
    state = _state(config)
    firm = (
        state == "fits"
        and config.node.evidence in ("maker", "benchmark")
        and config.node.count_known
        and not config.soft
        and not over_unknown_network(config)
        and not case.conditional
        and config.node.gpu.memory_reported
    )
    return Match(
        config=config,
        state=state,
        firm=firm,
        score=score(case, config, criteria),
        criteria=tuple(
            (name, None if value is None else round(value, 1)) for name, value in criteria.items()
        ),
        capacity=capacity_of(case, config),
        reasons=tuple(reasons_of(case, config)),
        warnings=tuple(warnings_of(case, config)),
    )


def _rejection(machine: Machine, failures: Sequence[Failure]) -> Rejection:
    """Return the configuration that came nearest, with all of its reasons."""
    nearest = min(
        failures,
        key=lambda item: (
            not item.runs,
            not item.lacks_training_alone,
            len(item.reasons),
            item.miss,
            item.gpu or "",
        ),
    )
    fixable = ("rack_units", "power", "depth", "temperature", "latency", "training_time", "cooling")
    broken = [reason for reason in nearest.reasons if reason.code != "interconnect"]
    only = broken[0]
    fix = None
    if len(broken) == 1 and only.code in fixable:
        fix = replace(only, code=f"fix_{only.code}")
    return Rejection(
        machine.bare.server,
        nearest.gpu,
        nearest.reasons[:MAX_REASONS],
        fix,
        tuple(dict.fromkeys(frozenset(reason.code for reason in item.reasons) for item in failures)),
    )
