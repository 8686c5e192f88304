"""Matches as places in a drawing: what they draw against what they do, on logarithmic axes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

from recommender.ranking import Match

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 64, 20, 16, 52
TICKS = (1, 2, 5)  # of a decade; more where there is hardly one
FINE_TICKS = (1, 1.5, 2, 3, 4, 5, 7)
MARGIN = 0.06  # of a decade, around the outermost places


@dataclass(frozen=True)
class Tick:
    """A value at an axis, with its place from the left or from the top [px]."""

    value: float
    at: str


@dataclass(frozen=True)
class Spot:
    """One match; `rank` is its place in the list, 0 where it is only a dot."""

    x: str
    y: str
    label_y: str
    rank: int
    in_front: bool
    state: str


@dataclass(frozen=True)
class Scatter:
    """Everything that the template draws; coordinates are texts with plain decimals."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    spots: tuple[Spot, ...]


def amount_of(match: Match) -> float | None:
    """Return what a match does: requests at once, else its rate of work (of training alone: tokens/s)."""
    config = match.config
    if match.capacity is not None:
        return float(match.capacity)
    return None if config.work is None else config.work.typical


def scatter(matches: Sequence[Match]) -> Scatter | None:
    """Return the drawing of matches in their order; None: fewer than two of them have both figures."""
    placed = []
    for rank, match in enumerate(matches, 1):
        watts, amount = match.config.power_w, amount_of(match)
        if watts is not None and amount:
            placed.append((rank, match, watts.typical / 1000, amount))
    if len(placed) < 2:
        return None
    xs, ys = [item[2] for item in placed], [item[3] for item in placed]
    low_x, wide = _span(xs)
    low_y, tall = _span(ys)

    def x(value: float) -> float:
        return LEFT + (log10(value) - low_x) / wide * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (log10(value) - low_y) / tall * (HEIGHT - TOP - BOTTOM)

    spots = [
        Spot(
            f"{x(kilowatts):.1f}",
            f"{y(amount):.1f}",
            f"{y(amount) - 9:.1f}",
            rank if match.pareto else 0,
            match.pareto,
            match.state,
        )
        for rank, match, kilowatts, amount in placed
    ]
    return Scatter(
        WIDTH,
        HEIGHT,
        LEFT,
        WIDTH - RIGHT,
        TOP,
        HEIGHT - BOTTOM,
        tuple(Tick(value, f"{x(value):.1f}") for value in _ticks(low_x, wide)),
        tuple(Tick(value, f"{y(value):.1f}") for value in _ticks(low_y, tall)),
        tuple(sorted(spots, key=lambda spot: spot.in_front)),
    )


def _span(values: Sequence[float]) -> tuple[float, float]:
    low, high = log10(min(values)) - MARGIN, log10(max(values)) + MARGIN
    return low, max(high - low, 0.3)


def _ticks(low: float, span: float) -> list[float]:
    powers = range(floor(low), floor(low + span) + 1)
    steps = FINE_TICKS if span <= 0.8 else TICKS if span <= 2 else (1,)
    return [
        step * 10.0**power
        for power in powers
        for step in steps
        if low <= log10(step * 10.0**power) <= low + span
    ]
