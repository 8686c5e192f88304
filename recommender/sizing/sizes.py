"""Sizes of a server with one GPU that do the work that is asked: a service, a training, or both."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from math import ceil

from recommender.sizing.choosing import weight_of
from recommender.sizing.configurations import Config, Failure
from recommender.sizing.demand import Case, Corner, message
from recommender.sizing.rate_sizes import rate_sizes
from recommender.sizing.serving_sizes import TextSize, bare_sizes, config_of, narrowed, text_sizes
from recommender.sizing.specs import NodeSpec, Precision
from recommender.sizing.training_sizes import joins_servers, quickest, training_sizes


def sizes_of(
    case: Case, node: NodeSpec, corner: Corner, strict: bool, precision: Precision | None, fallback: bool
) -> Iterator[Config | Failure]:
    """Yield every size of a node that does the work, and why the others do not."""
    if not case.serves:
        yield from training_sizes(case, node, corner, strict)
        return
    if precision is None:
        assert corner.model is not None
        wanted = case.precision or corner.model.native_precision
        yield Failure(node.gpu.slug, (message("precision", need=wanted),), 5.0, node.counts[0])
        return
    sizes = text_sizes if case.kind == "tokens" else rate_sizes
    for config in sizes(case, node, corner, strict, precision):
        yield config if isinstance(config, Failure) else _whole(case, config, strict, fallback)


def leanest_first(
    case: Case, nodes: Sequence[NodeSpec], precision: Precision, fallback: bool
) -> Iterator[list[Config]]:
    """Yield the sizes that carry a service of text for certain, those that `best` weighs first at first.

    Each group has all that `best` would choose among; later ones have to be asked for only where none of
    it does the rest of what is asked.
    """
    found = [
        size
        for node in nodes
        for size in bare_sizes(case, node, case.hard, True, precision)
        if isinstance(size, TextSize)
    ]

    def weight(size: TextSize) -> tuple[float, ...]:
        return weight_of(case, size.count, size.servers)

    for _weight, group in groupby(sorted(found, key=weight), key=weight):
        configs = (
            _whole(case, config_of(case, case.hard, True, precision, size), True, fallback) for size in group
        )
        yield [config for config in configs if isinstance(config, Config)]


def _whole(case: Case, config: Config, strict: bool, fallback: bool) -> Config | Failure:
    """Return a service with what is asked beside it, or why that does not hold."""
    if fallback:
        config = replace(config, fallback=True)
    return _with_training(case, config, strict) if case.trains else config


def _with_training(case: Case, config: Config, strict: bool) -> Config | Failure:
    """Return the configuration with the training job on it as well, or why that does not hold."""
    node, corner = config.node, config.corner
    servers, count = config.servers, config.count
    serving_gpus = config.layout.gpus_used
    if case.together:
        # Both at the same time in one server: the service keeps the cards that it needs, training gets
        # the others.
        per_replica = config.layout.gpus_per_replica
        replicas = ceil(corner.requests / config.limit) if config.limit else count
        if case.kind != "tokens":
            share = (corner.rate or 0.0) / max(config.work.low if config.work else 1.0, 1e-9)
            replicas = max(ceil(share * config.layout.replicas), 1)
        serving_gpus = replicas * per_replica
        left = count - serving_gpus
        if servers > (2 if case.n_plus_1 else 1) or left < 1:
            reason = message("throughput", figure="cards", need=serving_gpus + 1, have=count)
            return Failure(node.gpu.slug, (reason,), 1.0)
        tries = [(left, 1)]
    else:
        tries = [(count, 1)]
        if servers > 1 and joins_servers(node):
            tries.append((count, servers))
    failures: list[Failure] = []
    for gpus, machines in tries:
        best = quickest(case, node, corner, strict, gpus, machines)
        if isinstance(best, Failure):
            failures.append(best)
        else:
            facts = config.facts
            if best.seconds is None and "speed" not in facts:
                facts = (*facts, "speed")
            layout = config.layout
            requests = config.requests
            memory_lines = config.memory
            if case.together and case.kind == "tokens":
                replicas = serving_gpus // layout.gpus_per_replica * servers
                layout = replace(
                    layout, replicas=replicas, idle_gpus=count * servers - serving_gpus * servers
                )
                config = narrowed(case, config, layout)
                layout, requests, memory_lines = config.layout, config.requests, config.memory
            return replace(
                config,
                trained=best,
                facts=facts,
                layout=layout,
                requests=requests,
                memory=memory_lines,
            )
    return min(failures, key=lambda item: item.miss)
