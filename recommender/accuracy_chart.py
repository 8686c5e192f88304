"""Predicted against measured as coordinates of an SVG: logarithmic axes, a line for each range, a mark for
its typical value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

SIDE, LEFT, TOP, BOTTOM, RIGHT = 440, 92, 16, 56, 48
STEPS = ((1, 2, 5), (1,))  # ticks of a decade, where there are few decades and many
FEW_DECADES = 2


@dataclass(frozen=True)
class Tick:
    """A value at an axis; `at` from the left, `down` from the top."""

    value: float
    at: str
    down: str


@dataclass(frozen=True)
class Point:
    """One case: its place, its range, and whether the range holds what was measured."""

    x: str
    y: str
    top: str
    bottom: str
    inside: bool
    case: Mapping[str, Any]


@dataclass(frozen=True)
class Chart:
    """Everything that a template draws; numbers are texts with plain decimals."""

    width: int
    height: int
    left: int
    top: int
    right: int
    bottom: int
    ticks: tuple[Tick, ...]
    points: tuple[Point, ...]


def chart_of(cases: Sequence[Mapping[str, Any]]) -> Chart | None:
    """Return the scatter of a figure's cases; None: nothing to draw.

    Args:
        cases: with "measured" and "predicted" (low, typical, high), as `accuracy.measured` makes them.
    """
    drawn = [case for case in cases if case["measured"] > 0 and case["predicted"][0] > 0]
    if not drawn:
        return None
    values = [value for case in drawn for value in (case["measured"], *case["predicted"])]
    low, high = log10(min(values)), log10(max(values))
    decades = high - low
    first, last = _edges(low, high, decades)
    scale = SIDE / (last - first)

    def across(value: float) -> str:
        return f"{LEFT + (log10(value) - first) * scale:.1f}"

    def down(value: float) -> str:
        return f"{TOP + SIDE - (log10(value) - first) * scale:.1f}"

    steps = STEPS[0] if decades <= FEW_DECADES else STEPS[1]
    candidates = [step * 10.0**power for power in range(floor(first), ceil(last) + 1) for step in steps]
    ticks = [
        Tick(value, across(value), down(value))
        for value in candidates
        if first - 1e-9 <= log10(value) <= last + 1e-9
    ]
    points = [
        Point(
            x=across(case["measured"]),
            y=down(case["predicted"][1]),
            top=down(case["predicted"][2]),
            bottom=down(case["predicted"][0]),
            inside=case["inside"],
            case=case,
        )
        for case in drawn
    ]
    return Chart(
        LEFT + SIDE + RIGHT,
        TOP + SIDE + BOTTOM,
        LEFT,
        TOP,
        LEFT + SIDE,
        TOP + SIDE,
        tuple(ticks),
        tuple(points),
    )


def _edges(low: float, high: float, decades: float) -> tuple[float, float]:
    """Return where the axes begin and end, in decades: at whole ones where there are many."""
    if decades > FEW_DECADES:
        return floor(low), ceil(high)
    marks = [power + log10(step) for power in range(floor(low) - 1, ceil(high) + 2) for step in STEPS[0]]
    first = max(mark for mark in marks if mark <= low + 1e-9)
    last = min(mark for mark in marks if mark >= high - 1e-9 and mark > first)
    return first, last
