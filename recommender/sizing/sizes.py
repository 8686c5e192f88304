"""Sizes of a server with one GPU that do the work that is asked: a service, a training, or both."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from math import ceil

from recommender.sizing.choosing import weight_of
from recommender.sizing.configurations import Config, Failure, Trained, facts_with
from recommender.sizing.demand import Case, Corner, message
from recommender.sizing.rate_sizes import rate_sizes
from recommender.sizing.serving_sizes import TextSize, bare_sizes, config_of, narrowed
from recommender.sizing.specs import NodeSpec, Precision
from recommender.sizing.training_sizes import joins_servers, quickest, training_sizes


def sizes_of(
    case: Case,
    node: NodeSpec,
    corner: Corner,
    strict: bool,
    precision: Precision | None,
    fallback: bool,
    *,
    why: bool = True,
) -> Iterator[Config | Failure]:
    """Yield every size of a node that does the work, and why the others do not.

    Args:
        why: false where nobody asks: then some of those are left out.
    """
    if not case.serves:
        yield from training_sizes(case, node, corner, strict, why=why)
        return
    if precision is None:
        assert corner.model is not None
        wanted = case.precision or corner.model.native_precision
        yield Failure(node.gpu.slug, (message("precision", need=wanted),), 5.0, node.counts[0])
        return
    if case.kind == "tokens":
        for count in node.counts:
            for size in bare_sizes(case, node, corner, strict, precision, count):
                if isinstance(size, Failure):
                    yield size
                else:
                    yield _of_text(case, corner, strict, precision, fallback, size)
        return
    for config in rate_sizes(case, node, corner, strict, precision):
        if isinstance(config, Failure):
            yield config
            continue
        whole = replace(config, fallback=True) if fallback else config
        yield _with_training(case, whole, strict) if case.trains else whole


def leanest_first(
    case: Case, nodes: Sequence[NodeSpec], precision: Precision, fallback: bool
) -> Iterator[list[Config]]:
    """Yield the sizes that carry a service of text for certain, those that `best` weighs first at first.

    Each group has all that `best` would choose among; later ones have to be asked for only where none of
    it does the rest of what is asked. What cannot weigh less than a group is not sized before it.
    """
    fewest = 2 if case.n_plus_1 else 1
    counts = [(node, count) for node in nodes for count in node.counts]
    # The least that so many cards can weigh, and their place among all: equal weights keep that order.
    open_sizes = sorted(
        (weight_of(case, count, fewest), place) for place, (_node, count) in enumerate(counts)
    )
    found: list[tuple[tuple[float, ...], int, TextSize]] = []
    for least, places in groupby(open_sizes, key=lambda item: item[0]):
        yield from _groups(case, precision, fallback, [item for item in found if item[0] < least])
        found = [item for item in found if item[0] >= least]
        for _least, place in places:
            node, count = counts[place]
            for size in bare_sizes(case, node, case.hard, True, precision, count):
                if isinstance(size, TextSize):
                    found.append((weight_of(case, count, size.servers), place, size))
    yield from _groups(case, precision, fallback, found)


def services_of(
    case: Case, nodes: Sequence[NodeSpec], precision: Precision, fallback: bool
) -> Iterator[Config]:
    """Yield the sizes that carry a service of text for certain, without what is asked beside it."""
    for node in nodes:
        for count in node.counts:
            for size in bare_sizes(case, node, case.hard, True, precision, count):
                if isinstance(size, TextSize):
                    yield config_of(case, case.hard, True, precision, size, fallback)


def _groups(
    case: Case,
    precision: Precision,
    fallback: bool,
    found: Iterable[tuple[tuple[float, ...], int, TextSize]],
) -> Iterator[list[Config]]:
    """Yield the sizes of each weight as configurations with all that is asked."""
    for _weight, group in groupby(sorted(found, key=lambda item: item[:2]), key=lambda item: item[0]):
        configs = (
            _of_text(case, case.hard, True, precision, fallback, size) for _same, _place, size in group
        )
        yield [config for config in configs if isinstance(config, Config)]


def _of_text(
    case: Case, corner: Corner, strict: bool, precision: Precision, fallback: bool, size: TextSize
) -> Config | Failure:
    """Return a service of text with what is asked beside it, or why that does not hold."""
    trained = None
    if case.trains and not case.together:
        # Whether it trains by turns does not depend on how the service lies, and is told first.
        training = _by_turns(case, size.node, corner, strict, size.count, size.servers)
        if isinstance(training, Failure):
            return training
        trained = training
    config = config_of(case, corner, strict, precision, size, fallback, trained)
    return _with_training(case, config, strict) if case.trains and case.together else config


def _with_training(case: Case, config: Config, strict: bool) -> Config | Failure:
    """Return the configuration with the training job on it as well, or why that does not hold."""
    node, corner, count = config.node, config.corner, config.count
    if not case.together:
        trained = _by_turns(case, node, corner, strict, count, config.servers)
        if isinstance(trained, Failure):
            return trained
        return replace(config, trained=trained, facts=facts_with(config.facts, trained))
    # Both at the same time in one server: the service keeps the cards it needs, training gets the others.
    per_replica = config.layout.gpus_per_replica
    replicas = ceil(corner.requests / config.limit) if config.limit else count
    if case.kind != "tokens":
        share = (corner.rate or 0.0) / max(config.work.low if config.work else 1.0, 1e-9)
        replicas = max(ceil(share * config.layout.replicas), 1)
    serving_gpus = replicas * per_replica
    left = count - serving_gpus
    if config.servers > (2 if case.n_plus_1 else 1) or left < 1:
        reason = message("throughput", figure="cards", need=serving_gpus + 1, have=count)
        return Failure(node.gpu.slug, (reason,), 1.0)
    trained = quickest(case, node, corner, strict, left, 1)
    if isinstance(trained, Failure):
        return trained
    facts = facts_with(config.facts, trained)
    if case.kind == "tokens":
        layout = replace(config.layout, replicas=replicas * config.servers, idle_gpus=left * config.servers)
        config = narrowed(case, config, layout)
    return replace(config, trained=trained, facts=facts)


def _by_turns(
    case: Case, node: NodeSpec, corner: Corner, strict: bool, count: int, servers: int
) -> Trained | Failure:
    """Return how the training lies on the cards of a service while that stands still: on one of its servers,
    where that does not do on all of them."""
    tries = [1]
    if servers > 1 and joins_servers(node):
        tries.append(servers)
    failures: list[Failure] = []
    for machines in tries:
        trained = quickest(case, node, corner, strict, count, machines)
        if not isinstance(trained, Failure):
            return trained
        failures.append(trained)
    return min(failures, key=lambda item: item.miss)
