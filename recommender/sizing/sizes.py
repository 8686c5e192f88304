"""Sizes of a server with one GPU that do the work that is asked: a service, a training, or both."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from math import ceil

from recommender.sizing.choosing import weight_of
from recommender.sizing.configurations import Config, Failure, Trained, facts_with
from recommender.sizing.demand import Case, Corner, message
from recommender.sizing.rate_sizes import on_servers, rate_sizes
from recommender.sizing.serving_sizes import TextSize, bare_sizes, config_of, narrowed
from recommender.sizing.specs import NodeSpec, Precision
from recommender.sizing.training_sizes import fewest_servers, quickest, servers_joined, training_sizes

# What it weighs, its place among the sizes of its GPU, and the training that goes with it by turns.
Found = tuple[tuple[float, ...], int, TextSize, Trained | None]


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
                    continue
                both = _with_turns(case, corner, strict, size, why=why)
                if isinstance(both, Failure):
                    yield both
                else:
                    yield _of_text(case, corner, strict, precision, fallback, *both)
        return
    for config in rate_sizes(case, node, corner, strict, precision):
        if isinstance(config, Failure):
            yield config
            continue
        whole = replace(config, fallback=True) if fallback else config
        yield _of_rate(case, whole, strict, why=why)


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
    found: list[Found] = []
    for least, places in groupby(open_sizes, key=lambda item: item[0]):
        yield from _groups(case, precision, fallback, [item for item in found if item[0] < least])
        found = [item for item in found if item[0] >= least]
        for _least, place in places:
            node, count = counts[place]
            for size in bare_sizes(case, node, case.hard, True, precision, count):
                if isinstance(size, TextSize):
                    both = _with_turns(case, case.hard, True, size, why=False)
                    if not isinstance(both, Failure):
                        found.append((weight_of(case, count, both[0].servers), place, *both))
    yield from _groups(case, precision, fallback, found)


def services_of(
    case: Case, nodes: Sequence[NodeSpec], precision: Precision, fallback: bool
) -> Iterator[Config]:
    """Yield the sizes that carry a service of text for certain, on as many servers as a training by turns may
    take, without that training."""
    for node in nodes:
        for count in node.counts:
            for size in bare_sizes(case, node, case.hard, True, precision, count):
                if isinstance(size, TextSize):
                    for servers in sorted({max(size.servers, least) for least in servers_joined(node)}):
                        larger = size.on(servers)
                        yield config_of(case, case.hard, True, precision, larger, fallback)


def _groups(
    case: Case, precision: Precision, fallback: bool, found: Iterable[Found]
) -> Iterator[list[Config]]:
    """Yield the sizes of each weight as configurations with all that is asked."""
    for _weight, group in groupby(sorted(found, key=lambda item: item[:2]), key=lambda item: item[0]):
        configs = (
            _of_text(case, case.hard, True, precision, fallback, size, trained)
            for _same, _place, size, trained in group
        )
        yield [config for config in configs if isinstance(config, Config)]


def _with_turns(
    case: Case, corner: Corner, strict: bool, size: TextSize, *, why: bool
) -> tuple[TextSize, Trained | None] | Failure:
    """Return a service of text on the servers that it and a training by turns take, with how that lies."""
    if not case.trains or case.together:
        return size, None
    found = fewest_servers(case, size.node, corner, strict, size.count, why=why)
    if isinstance(found, Failure):
        return found
    servers, trained = found
    return size.on(max(size.servers, servers)), trained


def _of_text(
    case: Case,
    corner: Corner,
    strict: bool,
    precision: Precision,
    fallback: bool,
    size: TextSize,
    trained: Trained | None,
) -> Config | Failure:
    """Return a service of text with what is asked beside it, or why that does not hold."""
    config = config_of(case, corner, strict, precision, size, fallback, trained)
    return _beside(case, config, strict) if case.trains and case.together else config


def _of_rate(case: Case, config: Config, strict: bool, *, why: bool) -> Config | Failure:
    """Return a service without text with what is asked beside it, or why that does not hold."""
    if not case.trains:
        return config
    if case.together:
        return _beside(case, config, strict)
    found = fewest_servers(case, config.node, config.corner, strict, config.count, why=why)
    if isinstance(found, Failure):
        return found
    servers, trained = found
    larger = on_servers(case, config, max(config.servers, servers))
    return replace(larger, trained=trained, facts=facts_with(larger.facts, trained))


def _beside(case: Case, config: Config, strict: bool) -> Config | Failure:
    """Return a service with a training at the same time in the same server, or why that does not hold.

    The service keeps the cards it needs, the training gets the others.
    """
    node, corner, count = config.node, config.corner, config.count
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
