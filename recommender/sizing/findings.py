"""What speaks for a match and what to know before relying on it, as codes with figures."""

from collections.abc import Iterator

from recommender.sizing import precisions
from recommender.sizing.configurations import Config, has_fast_link
from recommender.sizing.demand import Case, Message, message
from recommender.sizing.rules import lowest_unpublished
from recommender.sizing.serving_sizes import capacity_of, gpus_beside_service
from recommender.sizing.surroundings import facts_around
from recommender.sizing.training_sizes import holds_beside

# What a usual cabinet offers where the reader gave no limit.
USUAL_POWER_W = 8_000.0
USUAL_RACK_UNITS = 42
# Answers whose harder end is more work or less time for it.
LOADS = (
    "requests",
    "arrivals_per_s",
    "input_tokens",
    "output_tokens",
    "tokens_per_request",
    "rate",
    "ttft_s",
    "tpot_s",
    "tokens",
    "target_s",
    "sequence_tokens",
)


def reasons_of(case: Case, config: Config) -> Iterator[Message]:
    """Yield at most three facts with their figures, each an answer to something that was asked."""
    held, corner = config.memory, config.corner
    need, have = held.total.typical, held.available.low
    if not case.serves:
        yield message("memory_training", need=need, have=have, gpus=config.gpus)
    elif corner.model is not None and not corner.model.cache_known:
        yield message("memory_without_cache", need=need, have=have)
    elif case.kind == "tokens":
        yield message(
            "memory_serving",
            need=need,
            have=have,
            requests=corner.requests,
            tokens=corner.tokens_per_request,
        )
    else:
        yield message("memory_rate", need=need, have=have)
    if config.trained is not None and config.trained.seconds is not None:
        seconds = config.trained.seconds
        spread = config.trained.servers
        yield message(
            "training_hours", low=seconds.low, high=seconds.high, target=corner.target_s, servers=spread
        )
    if case.serves and case.trains:
        spare = gpus_beside_service(case, config)
        if spare > 0 and (case.together or holds_beside(case, config, spare)):
            yield message("two_roles", gpus=config.gpus, needed=config.gpus - spare)
        else:
            yield message("service_pauses", gpus=config.gpus)
        return
    if config.served is not None:
        yield message(
            "first_token",
            ttft=config.served.ttft_s.typical,
            tpot=config.served.tpot_s.typical,
            requests=corner.requests,
        )
        capacity = capacity_of(case, config)
        if capacity is not None and capacity >= corner.requests:
            # The load that is asked, so that the end that is not carried is seen to be one.
            needed = case.hard.requests
            code = "capacity_one_lost" if case.n_plus_1 else "capacity"
            yield message(code, capacity=capacity, requests=needed)
            return
    elif config.work is not None and case.serves and corner.rate:
        yield message(f"rate_{case.kind}", low=config.work.low, high=config.work.high, need=corner.rate)
    watts = config.power_w.typical if config.power_w else None
    known = [name for name, value in (("units", config.rack_units), ("watts", watts)) if value is not None]
    code = "size" if len(known) == 2 else f"size_{known[0]}" if known else "size_gpus"
    yield message(code, gpus=config.gpus, servers=config.servers, units=config.rack_units, watts=watts)


def warnings_of(case: Case, config: Config) -> Iterator[Message]:
    """Yield what a buyer has to know before relying on the match."""
    node, corner = config.node, config.corner
    yield from _state_warnings(case, config)
    for fact in config.facts:
        if fact != "derived":
            yield message(f"unknown_{fact}")
    yield from config.soft
    if node.evidence == "derived":
        yield message("derived")
    elif node.evidence in ("deployed", "preset"):
        yield message(node.evidence)
    if not node.count_known:
        yield message("count_unpublished")
    if not node.server_orderable:
        yield message("server_not_orderable", successor=node.successor)
    elif not node.option_orderable:
        yield message("option_not_orderable")
    if node.special_order:
        yield message("special_order")
    if not node.gpu.memory_reported:
        yield message("memory_derived", low=node.gpu.memory_bytes.low, high=node.gpu.memory_bytes.high)
    yield from _layout_warnings(case, config)
    yield from _precision_warnings(case, config)
    yield from _condition_warnings(case, config)
    if case.serves:
        yield from _usual_warnings(case, config)
    if config.trained is not None:
        seconds = config.trained.seconds
        if corner.target_s is None and seconds is not None and seconds.typical > case.typical_target_s:
            yield message("usual_hours", value=seconds.typical, usual=case.typical_target_s)
        if config.trained.recompute == "full" and case.recompute is None:
            yield message("recompute_full")
    if config.trained is not None and over_unknown_network(config):
        yield message("network_unknown", servers=config.trained.servers)
    if config.piled:
        yield message("piled", servers=config.servers)
    if case.n_plus_1:
        yield message("spare", servers=config.servers)
    yield from facts_around(case, config)


def over_unknown_network(config: Config) -> bool:
    """Tell whether a training run spreads over servers whose network nobody has described."""
    spread = config.trained is not None and config.trained.servers > 1
    return spread and config.corner.network_bytes_per_s is None


def _state_warnings(case: Case, config: Config) -> Iterator[Message]:
    """Yield what a match that only fits if depends on."""
    if config.strict:
        return
    corner, held = config.corner, config.memory
    said = any(getattr(case.hard, name) != getattr(case.easy, name) for name in LOADS)
    if said:
        yield easier_end(case)
    if held.total.high > held.available.low:
        said = True
        yield message("range_memory", high=held.total.high, have=held.available.low)
    if config.served is not None:
        for name, value, target in (
            ("range_ttft", config.served.ttft_s.high, corner.ttft_s),
            ("range_tpot", config.served.tpot_s.high, corner.tpot_s),
        ):
            if target is not None and value > target:
                said = True
                yield message(name, high=value, target=target)
    rated = config.work is not None and case.serves and case.kind != "tokens"
    if rated and config.work is not None and corner.rate and config.work.low < corner.rate:
        said = True
        yield message("range_rate", low=config.work.low, need=corner.rate)
    trained = config.trained
    if trained is not None:
        if trained.memory.total.high > trained.memory.available.low and case.serves:
            said = True
            yield message("range_memory", high=trained.memory.total.high, have=trained.memory.available.low)
        high = trained.seconds.high if trained.seconds is not None else 0.0
        if corner.target_s is not None and high > corner.target_s:
            said = True
            yield message("range_hours", high=high, target=corner.target_s)
    if not said:
        yield easier_end(case) if case.hard != case.easy else message("range_estimates")


def easier_end(case: Case) -> Message:
    """Return that only the easier end of the answers is carried, with the requests at both ends."""
    easy, hard = case.easy.requests, case.hard.requests
    if case.serves and case.kind == "tokens" and easy != hard:
        return message("range_requests", easy=easy, hard=hard)
    return message("range_answers")


def _layout_warnings(case: Case, config: Config) -> Iterator[Message]:
    node, layout = config.node, config.layout
    if layout.tensor_parallel > 1 and not has_fast_link(config):
        joined = node.link_max_gpus if node.link not in ("pcie", "none") else 1
        yield message("tensor_over_pcie", gpus=layout.tensor_parallel, joined=joined)
    elif layout.gpus_per_replica > 1 and node.link in ("pcie", "none"):
        yield message("split_over_pcie", gpus=layout.gpus_per_replica)
    if layout.pipeline_parallel > 1:
        code = "pipeline" if case.serves else "pipeline_training"
        yield message(code, stages=layout.pipeline_parallel)
    if layout.idle_gpus:
        if case.together and case.trains and case.serves:
            yield message("training_cards", gpus=layout.idle_gpus)
        else:
            yield message("idle", gpus=layout.idle_gpus)
    if config.count == 3 and case.together:
        pass  # the cards without a part in the service train
    elif config.count == 3 and not case.serves:
        yield message("three_workers")
    elif config.count == 3:
        yield message(
            "three_cards", tensor=layout.tensor_parallel, replicas=layout.replicas // config.servers
        )
    if node.gpu.gpus_per_card > 1:
        gpu = node.gpu
        yield message(
            "several_devices", devices=gpu.gpus_per_card, gpus=config.count, cards=gpu.cards(config.count)
        )
    model = config.corner.model
    if case.serves and model is not None and model.cache_contested:
        yield message("cache_contested")


def _precision_warnings(case: Case, config: Config) -> Iterator[Message]:
    if config.fallback:
        yield message("auto_8bit", precision=config.precision)
    if not case.serves:
        return
    model = config.corner.model
    assert model is not None
    support = precisions.support(config.node.gpu, config.precision, case.engine)
    if support == "weight_only" and config.precision in ("fp8", "fp4", "int8"):
        yield message("weight_only", precision=config.precision)
    if case.precision in ("int4", "fp4") and model.native_precision != case.precision:
        yield message("check_quality", precision=case.precision)


def _condition_warnings(case: Case, config: Config) -> Iterator[Message]:
    """Yield the conditions of the card in that server, and what the site has to bring."""
    node = config.node
    if node.option_ambient_max_c is not None:
        yield message("condition_ambient", limit=node.option_ambient_max_c)
    if lowest_unpublished(node, config.corner):
        yield message("temperature_min_unpublished")
    if node.not_in_quiet_modes:
        yield message("quiet_modes")
    if node.card_power_cap_w is not None:
        yield message("condition_cap", watts=node.card_power_cap_w)
    if node.option_min_psu_w is not None:
        yield message("condition_psu", watts=node.option_min_psu_w)
    if node.option_min_sockets is not None and node.option_min_sockets > 1:
        yield message("condition_sockets", sockets=node.option_min_sockets)
    if node.kind == "tray" and node.enclosure_rack_units:
        yield message("enclosure", units=node.enclosure_rack_units, trays=node.enclosure_trays)
    if node.cooling == frozenset({"liquid"}):
        yield message("water")
    if case.site != "edge" and node.kind == "edge":
        yield message("edge_machine")
    if config.corner.power_w is None and config.power_w and config.power_w.high > USUAL_POWER_W:
        yield message("usual_power", watts=config.power_w.high, usual=USUAL_POWER_W)
    if config.corner.rack_units is None and config.rack_units and config.rack_units > USUAL_RACK_UNITS:
        yield message("usual_rack", units=config.rack_units, usual=USUAL_RACK_UNITS)


def _usual_warnings(case: Case, config: Config) -> Iterator[Message]:
    """Yield usual times that are missed although no target was given."""
    if config.served is None:
        return
    for name, value, usual, target in (
        ("usual_ttft", config.served.ttft_s.typical, case.typical_ttft_s, config.corner.ttft_s),
        ("usual_tpot", config.served.tpot_s.typical, case.typical_tpot_s, config.corner.tpot_s),
    ):
        if target is None and value > usual:
            yield message(name, value=value, usual=usual)
