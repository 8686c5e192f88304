"""Which configuration of a server and GPU stands for it, and how it is compared with its sisters."""

from collections.abc import Sequence
from math import ceil, log2

from recommender.sizing.configurations import Config, has_fast_link
from recommender.sizing.demand import Case, Machine
from recommender.sizing.scores import criteria_of, lateness, score
from recommender.sizing.serving_sizes import gpus_beside_service

FOREMOST = (0, 0, False)  # the best `standing` that there is
SERVER_COSTS_CARDS = 2.2  # what another chassis weighs in cards when configurations are compared


def best(case: Case, configs: Sequence[Config], machine: Machine) -> Config:
    """Return the configuration that stands for a server and GPU.

    How much hardware it takes follows from what was asked alone: fewest servers, then fewest cards. Usual
    times, which nobody has asked for, choose among layouts of that size; so a heavier load or another limit
    never comes with less hardware. Training without a target takes the cards of one server that it can use.
    """
    if case.priority == "footprint":
        return min(configs, key=lambda config: choice(case, config))
    foremost = min(standing(config) for config in configs)
    same = [config for config in configs if standing(config) == foremost]
    # Where certainty gave way, what stands in for it comes before what never was certain with fewer cards.
    same = [config for config in same if config.piled] or same
    fewest = min(_chassis(case, config.servers) for config in same)
    same = [config for config in same if _chassis(case, config.servers) == fewest]
    if case.priority == "performance" or (not case.serves and case.hard.target_s is None):
        haste = 2.0 if case.serves else 1.0
        in_time = [config for config in same if lateness(case, config, haste) == 0]
        if not in_time or (case.priority == "performance" and not case.serves):
            fastest = min(same, key=lambda config: (excess(config), _speed(case, config)))
            if case.serves:
                return fastest
            in_time = [config for config in same if config.gpus == fastest.gpus]
        same = in_time
    if not case.serves:
        return min(same, key=lambda config: choice(case, config))
    least = min(_size(case, config) for config in same)
    same = [config for config in same if _size(case, config) == least]
    if len(same) == 1:
        return same[0]
    return min(
        same,
        key=lambda config: (
            config.layout.crosses_link and config.node.link not in ("pcie", "none"),  # beyond the bridge
            case.trains and gpus_beside_service(case, config) < 1,  # experiments would stop the service
            -score(case, config, criteria_of(case, config, machine)),
            choice(case, config),
        ),
    )


def _size(case: Case, config: Config) -> tuple[float, float]:
    """Return how far a configuration is from what was asked, and what it takes: in cards, or in watts."""
    cost = _cards(case, config.count, config.servers)
    if case.priority == "power":
        cost = config.power_w.typical if config.power_w else float("inf")
    return excess(config), cost


def weight_of(case: Case, count: int, servers: int) -> tuple[float, ...]:
    """Return what `best` weighs first of certain sizes, as far as it follows from cards and servers alone.

    Those that weigh least and do what is asked hold the one that it returns.
    """
    chassis = _chassis(case, servers)
    if case.priority in ("performance", "power"):  # times or watts decide before the cards
        return (chassis,)
    return chassis, _cards(case, count, servers)


def _chassis(case: Case, servers: int) -> int:
    """Return the servers that count when sizes are compared [count].

    With one in reserve, three smaller servers may carry what two large ones do: up to there the cards decide.
    """
    return max(servers, 3) if case.n_plus_1 else servers


def _cards(case: Case, count: int, servers: int) -> float:
    """Return what so many servers of so many cards weigh, in cards."""
    # Two cards let experiments run beside a service: one of them alone saves nothing that counts.
    cards = max(count * servers, 2) if case.serves and case.trains else count * servers
    if case.n_plus_1:
        # Two servers of seven cards weigh as two of eight: else a load for three of four would take fewer.
        cards = max(cards, servers * 2 ** ceil(log2(count)))
    return cards + SERVER_COSTS_CARDS * servers


def standing(config: Config) -> tuple[int, int, bool]:
    """Return the place before any preference: unknown facts last, then what only holds if.

    Of as many unknown facts the speed weighs most: nothing else of the work can be told without it.
    """
    has_speed = not {"speed", "cache"} & set(config.facts)
    return (
        2 * len(config.facts) + (not has_speed),
        0 if config.strict and not config.facts else 1,
        not config.orderable,
    )


def choice(case: Case, config: Config) -> tuple[object, ...]:
    """Return the key by which one configuration of a server and GPU is preferred to another."""
    size: tuple[object, ...] = (*standing(config), *_size(case, config))
    if case.priority == "footprint":
        # The fewest GPUs, even if they only fit if: so a heavier load never comes with fewer of them.
        size = (standing(config)[0], config.gpus, not config.strict, config.servers)
    layout = config.layout
    slow = layout.crosses_link or (layout.tensor_parallel > 1 and not has_fast_link(config))
    late, speed = lateness(case, config), _speed(case, config)
    laid: tuple[object, ...] = (late, slow, layout.idle_gpus, speed, layout.gpus_per_replica)
    if not case.serves:
        # Sharding the states over data-parallel workers is the usual way wherever it holds.
        laid = (layout.pipeline_parallel > 1, slow, layout.gpus_per_replica, layout.idle_gpus, late, speed)
    return (
        *size,
        *laid,
        layout.pipeline_parallel,
        config.precision,
        config.node.option_ambient_max_c is not None,
        config.node.variant or "",
        config.count,
    )


def excess(config: Config) -> int:
    """Return by how many tenths the unfavourable ends miss what was given; 0 where all of them hold."""
    if config.strict:
        return 0
    corner, held = config.corner, config.memory
    worst = held.total.high / held.available.low
    if corner.rate and config.work is not None:
        worst = max(worst, corner.rate / max(config.work.low, 1e-9))
    if config.served is not None:
        worst = max(
            worst,
            config.served.ttft_s.high / corner.ttft_s if corner.ttft_s else 0.0,
            config.served.tpot_s.high / corner.tpot_s if corner.tpot_s else 0.0,
        )
    trained = config.trained
    if trained is not None:
        worst = max(worst, trained.memory.total.high / trained.memory.available.low)
        if trained.seconds is not None and corner.target_s:
            worst = max(worst, trained.seconds.high / corner.target_s)
    return max(ceil((worst - 1.0) * 10 - 1e-9), 0)


def _speed(case: Case, config: Config) -> float:
    """Return a time that tells the faster of two configurations [s], without noise."""
    if config.served is not None:
        value = config.served.ttft_s.typical + config.corner.output_tokens * config.served.tpot_s.typical
    elif config.trained is not None and config.trained.seconds is not None:
        value = config.trained.seconds.typical
    elif config.work is not None and config.work.typical > 0:
        value = 1.0 / config.work.typical
    else:
        return float("inf")
    return round(value, 9)
