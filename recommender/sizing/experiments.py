"""A month of training: GPU hours, experiments against the hours there are, checkpoints against the work."""

from dataclasses import dataclass
from typing import Literal

from recommender.sizing.breakdown import checkpoints
from recommender.sizing.demand import Case
from recommender.sizing.energy import HOURS_PER_MONTH, Reckoned
from recommender.sizing.formulas import Formula, Value
from recommender.sizing.specs import Range, SizingError
from recommender.sizing.training_memory import states

SECONDS_PER_MINUTE = 60.0
WHOLE = ("pretraining", "full")  # methods whose checkpoints hold the whole model
USUAL_CHECKPOINT_MINUTES = 60.0  # between two checkpoints, where nobody says; 30 to 120 are usual


def gpu_hours_of(cycle_hours: Range, gpus: int, cycles: Range | None = None) -> Reckoned:
    """Return what training takes [GPU hours].

    Args:
        cycle_hours: One cycle on all GPUs [h].
        gpus: GPUs that train, over all servers [count].
        cycles: Experiments of a month; None: one.

    Raises:
        SizingError: fewer GPUs than one.
    """
    if gpus < 1:
        raise SizingError(f"{gpus=}")
    count = Range.exact(float(gpus))
    if cycles is None:
        one = (Value("cycle_hours", cycle_hours, "h"), Value("gpus", count, "GPUs"))
        return Reckoned(cycle_hours.scaled(gpus), Formula("cycle_hours * gpus", one, ()))
    amount = Range(
        cycle_hours.low * cycles.low * gpus,
        cycle_hours.typical * cycles.typical * gpus,
        cycle_hours.high * cycles.high * gpus,
    )
    values = (
        Value("cycle_hours", cycle_hours, "h"),
        Value("experiments", cycles, ""),
        Value("gpus", count, "GPUs"),
    )
    return Reckoned(amount, Formula("cycle_hours * experiments * gpus", values, ()))


def hours_available(
    *, maintenance_hours: float = 0.0, serving_share: float = 0.0, hours: float = HOURS_PER_MONTH
) -> Reckoned:
    """Return the hours of a month that are left to training [h].

    Args:
        maintenance_hours: Of a month [h].
        serving_share: Part of the time that the same GPUs serve, 0 to 1.
        hours: Of a month [h].

    Raises:
        SizingError: more maintenance than there are hours, or a share outside 0 to 1.
    """
    if not 0 <= maintenance_hours <= hours or not 0 <= serving_share <= 1:
        raise SizingError(f"{maintenance_hours=}, {serving_share=} of {hours=}")
    amount = (hours - maintenance_hours) * (1 - serving_share)
    values = (
        Value("hours", Range.exact(hours), "h"),
        Value("maintenance_hours", Range.exact(maintenance_hours), "h"),
        Value("serving_share", Range.exact(serving_share), ""),
    )
    return Reckoned(
        Range.exact(amount), Formula("(hours - maintenance_hours) * (1 - serving_share)", values, ())
    )


@dataclass(frozen=True, slots=True)
class Month:
    """Experiments asked for against the hours there are.

    Attributes:
        state: "fits" where even the longest cycle leaves room for all of them, "fits_if" where only a shorter
            one does, else "no".
        possible: Experiments that the hours allow; the low end with the longest cycle.
        share: Hours needed over hours available.
    """

    state: Literal["fits", "fits_if", "no"]
    needed_hours: Range
    available_hours: float
    possible: Range
    share: Range | None
    formula: Formula


def month_of(cycle_hours: Range, experiments: float | Range, available_hours: float) -> Month:
    """Return whether that many experiments of a month find their hours.

    Args:
        cycle_hours: One training cycle, checkpoints and their stalls included [h].
        experiments: Wanted in a month; of a range the high end is the hard one.
        available_hours: See `hours_available` [h].

    Raises:
        SizingError: a cycle that takes no time, negative experiments or hours.
    """
    wanted = experiments if isinstance(experiments, Range) else Range.exact(float(experiments))
    if cycle_hours.low <= 0 or wanted.low < 0 or available_hours < 0:
        raise SizingError(f"{cycle_hours=}, {experiments=}, {available_hours=}")
    needed = Range(
        cycle_hours.low * wanted.low, cycle_hours.typical * wanted.typical, cycle_hours.high * wanted.high
    )
    possible = Range(
        available_hours / cycle_hours.high,
        available_hours / cycle_hours.typical,
        available_hours / cycle_hours.low,
    )
    state: Literal["fits", "fits_if", "no"] = "no"
    if needed.high <= available_hours:
        state = "fits"
    elif cycle_hours.low * wanted.high <= available_hours or needed.low <= available_hours:
        state = "fits_if"
    values = (
        Value("experiments", wanted, ""),
        Value("cycle_hours", cycle_hours, "h"),
        Value("available_hours", Range.exact(available_hours), "h"),
    )
    share = needed.scaled(1 / available_hours) if available_hours else None
    expression = "experiments * cycle_hours / available_hours"
    return Month(state, needed, available_hours, possible, share, Formula(expression, values, ()))


@dataclass(frozen=True, slots=True)
class Stall:
    """What writing checkpoints costs: the time of one, and the part of training that waits for it."""

    write_seconds: Range
    share: Range
    write_formula: Formula
    share_formula: Formula


def stall_of(checkpoint_bytes: Range, storage_bytes_per_s: float | Range, checkpoint_minutes: float) -> Stall:
    """Return how long training stands still for its checkpoints: all workers wait until one is written.

    Engines that write in the background wait less; the high end counts none of that.

    Args:
        checkpoint_bytes: One checkpoint, all ranks together [bytes].
        storage_bytes_per_s: Rate at which the storage takes it, all servers together [bytes/s].
        checkpoint_minutes: Training between two of them [min].

    Raises:
        SizingError: no rate, or no time between two checkpoints.
    """
    rate = storage_bytes_per_s
    if not isinstance(rate, Range):
        rate = Range.exact(float(rate))
    if rate.low <= 0 or checkpoint_minutes <= 0:
        raise SizingError(f"{storage_bytes_per_s=}, {checkpoint_minutes=}")
    write = Range(
        checkpoint_bytes.low / rate.high,
        checkpoint_bytes.typical / rate.typical,
        checkpoint_bytes.high / rate.low,
    )
    between = checkpoint_minutes * SECONDS_PER_MINUTE
    share = Range(*(seconds / (between + seconds) for seconds in (write.low, write.typical, write.high)))
    write_values = (
        Value("checkpoint", checkpoint_bytes, "bytes"),
        Value("storage_rate", rate, "bytes/s"),
    )
    share_values = (
        Value("write_seconds", write, "s"),
        Value("checkpoint_seconds", Range.exact(between), "s"),
    )
    return Stall(
        write,
        share,
        Formula("checkpoint / storage_rate", write_values, ()),
        Formula("write_seconds / (checkpoint_seconds + write_seconds)", share_values, ()),
    )


def with_stalls(hours: Range, stall: Stall) -> Range:
    """Return a training time with the waits for its checkpoints [h]."""
    return Range(
        hours.low / (1 - stall.share.low),
        hours.typical / (1 - stall.share.typical),
        hours.high / (1 - stall.share.high),
    )


def stall_of_case(
    case: Case, storage_bytes_per_s: Range | None, checkpoint_minutes: float | None
) -> Stall | None:
    """Return what the checkpoints of a training job cost.

    None: adapters' are small, or the storage is not known.

    Args:
        case: What is asked.
        storage_bytes_per_s: See `stall_of`.
        checkpoint_minutes: See `stall_of`; None: what is usual.
    """
    trained, rate = case.hard.trained, storage_bytes_per_s
    if rate is None or rate.low <= 0 or trained is None or case.method not in WHOLE:
        return None
    kept = states(trained, case.method, case.optimizer, case.hard.lora_rank, "all")
    files = checkpoints(kept.trained, weight=kept.weight, optimizer=kept.optimizer)
    return stall_of(Range.exact(files.full), rate, checkpoint_minutes or USUAL_CHECKPOINT_MINUTES)
