"""What follows from the surroundings for a match: facts and cautions with their figures, as codes."""

from collections.abc import Iterator
from math import ceil

from recommender.sizing.breakdown import checkpoints
from recommender.sizing.configurations import Config
from recommender.sizing.demand import Case, Message, message
from recommender.sizing.energy import energy_of, running_cost_of
from recommender.sizing.experiments import stall_of
from recommender.sizing.retrieval import index_memory, vectors_of
from recommender.sizing.rules import supplies_of
from recommender.sizing.specs import Range
from recommender.sizing.supplies import temperature_at_altitude_c
from recommender.sizing.training_memory import states

CHECKPOINTS_KEPT = 2.0  # and the final weights, where nobody says
DIMENSIONS = 1024.0  # of usual embedding models, where nobody says
NOTABLE_STALL = 0.05  # of the time that training takes
# Facts, as against cautions: what follows without being a disadvantage.
FACTS = frozenset(
    {
        "envelope_held",
        "range_whole",
        "index_here",
        "index_apart",
        "cost_month",
        "loss_slower",
        "loss_stops",
        "maintenance_in_turn",
        "storage_bays",
        "checkpoint_files",
        "checkpoint_time",
        "supplies",
    }
)


def facts_around(case: Case, config: Config) -> Iterator[Message]:
    """Yield what the answers about the surroundings mean for a match; nothing where nothing was said."""
    around = case.around
    if around.envelope is not None:
        smallest, largest = around.envelope
        code = "envelope_held" if config.strict else "envelope_part"
        yield message(code, smallest=smallest, largest=largest)
    elif case.hard != case.easy and config.strict:
        yield message("range_whole")
    yield from _energy(case, config)
    yield from _index(case)
    yield from _operation(case, config)
    yield from _storage(case, config)
    yield from _supplies(case, config)


def _energy(case: Case, config: Config) -> Iterator[Message]:
    price = case.around.energy_price
    if price is None or config.power_w is None:
        return
    low, high = min(price), max(price)
    energy = energy_of(config.power_w, peak_hours=0.0).amount
    cost = running_cost_of(energy, Range(low, (low + high) / 2, high))
    assert cost is not None
    yield message("cost_month", energy=energy.typical, low=cost.amount.low, high=cost.amount.high)


def _index(case: Case) -> Iterator[Message]:
    around = case.around
    if around.documents is None:
        return
    dimensions = round(max(around.vector_dimensions or (DIMENSIONS,)))
    copies = round(max(around.index_replicas or (1.0,)))
    vectors = vectors_of(round(max(around.documents)))
    low, high = (
        index_memory(ceil(count), dimensions=dimensions, replicas=copies).total
        for count in (vectors.low, vectors.high)
    )
    code = "index_apart" if around.separate_index == "yes" else "index_here"
    yield message(code, low=low.low, high=high.high, dimensions=dimensions, copies=copies)


def _operation(case: Case, config: Config) -> Iterator[Message]:
    around, servers = case.around, config.servers
    if not case.serves:
        return
    is_alone = servers == 1
    if not case.n_plus_1 and around.on_node_loss is not None:
        if not is_alone:
            share = 100.0 * (servers - 1) / servers
            yield message("loss_slower", share=share, servers=servers)
        elif around.on_node_loss == "stop":
            yield message("loss_stops")
        else:
            yield message("loss_of_the_only")
    if around.on_node_loss == "smaller_model":
        yield message("loss_smaller_model")
    if around.maintenance_s and max(around.maintenance_s) > 0:
        hours = max(around.maintenance_s)
        if case.n_plus_1:
            yield message("maintenance_in_turn", hours=hours)
        else:
            yield message("maintenance_stops" if is_alone else "maintenance_slows", hours=hours)
    if around.isolation == "yes" and is_alone:
        yield message("isolation_shared")


def _storage(case: Case, config: Config) -> Iterator[Message]:
    around, node = case.around, config.node
    if around.storage_bytes is not None and max(around.storage_bytes) > 0:
        need = max(around.storage_bytes) / config.servers
        if node.drive_bays is None:
            yield message("storage_bays_unknown", need=need)
        elif node.drive_bays < 1:
            yield message("storage_no_bays", need=need)
        else:
            each = need / node.drive_bays
            yield message("storage_bays", need=need, bays=node.drive_bays, each=each)
    is_full = case.trains and case.method in ("pretraining", "full")
    asked = around.checkpoint_s or around.checkpoints_kept or around.storage_bytes_per_s
    trained = config.corner.trained
    if not is_full or not asked or trained is None:
        return
    kept = round(max(around.checkpoints_kept or (CHECKPOINTS_KEPT,)))
    rate = around.storage_bytes_per_s[0] if around.storage_bytes_per_s else None
    recipe = states(trained, case.method, case.optimizer, config.corner.lora_rank, "all")
    files = checkpoints(
        recipe.trained,
        weight=recipe.weight,
        optimizer=recipe.optimizer,
        kept=kept,
        storage_gb_per_s=rate / 1e9 if rate else None,
    )
    yield message("checkpoint_files", each=files.full, stored=files.stored, kept=kept)
    if files.full_write_s is None:
        return
    between = min(around.checkpoint_s) if around.checkpoint_s else None
    stall = stall_of(Range.exact(files.full), rate, between / 60) if between and rate else None
    if stall is not None and stall.share.typical > NOTABLE_STALL:
        yield message("checkpoint_stall", seconds=files.full_write_s, share=100.0 * stall.share.typical)
    else:
        yield message("checkpoint_time", seconds=files.full_write_s)


def _supplies(case: Case, config: Config) -> Iterator[Message]:
    node = config.node
    found = supplies_of(case, node, config.count)
    if found is not None:
        if found.verdict == "fits":
            yield message("supplies", size=found.size_w, left=found.left, load=found.load_w)
        elif found.verdict == "fits_if":
            yield message("supplies_if", size=found.size_w, left=found.left, load=found.load_w)
    altitude = config.corner.altitude_m
    limit = node.temperature_max_c
    if altitude is not None and limit is not None and config.corner.temperature_max_c is None:
        lowered = temperature_at_altitude_c(limit, altitude, node.ashrae_class)
        if lowered is not None and lowered.low < limit:
            yield message("altitude_limit", altitude=altitude, low=lowered.low, limit=limit)
