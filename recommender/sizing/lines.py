"""One line of a memory figure: what it is, its bytes, and the arithmetic behind it with its numbers.

The functions that size something return `Line`s; sums of their bytes are the figures that the ranking uses,
and `breakdown` opens the same lines for readers. Bytes are whole numbers, so that sums do not depend on the
order in which they are made.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil
from typing import Literal

from recommender.sizing.specs import Range, SizingError

Group = Literal[
    "weights",
    "cache",
    "activations",
    "graphs",
    "buffers",
    "outside",
    "gradients",
    "optimizer",
    "index",
]


@dataclass(frozen=True, slots=True)
class Line:
    """A part of what one GPU holds [bytes].

    `values` are the numbers of its formula in the order that `breakdown.FORMULAS` names them. `part` is the
    name of what the line is about where one code has several lines, as of vision towers; `model` is the slug
    of a draft or companion, "prediction" for the model's own prediction layer, empty for the model itself.
    `shared_out` tells whether tensor ranks divide it; else each of them keeps the whole.
    """

    code: str
    group: Group
    bytes: Range
    values: tuple[float | Range, ...] = ()
    part: str = ""
    model: str = ""
    shared_out: bool = False


def whole(low: float, typical: float, high: float) -> Range:
    """Return a range in whole bytes, put in order: a richer recipe may come out below a leaner one."""
    low, typical, high = float(ceil(low)), float(ceil(typical)), float(ceil(high))
    return Range(low, max(low, typical), max(low, typical, high))


def whole_range(value: Range) -> Range:
    """Return the range in whole bytes."""
    return Range(float(ceil(value.low)), float(ceil(value.typical)), float(ceil(value.high)))


def total(lines: Iterable[Line], *groups: Group) -> Range:
    """Return the sum of the lines of these groups, of all where none is named [bytes]."""
    low = typical = high = 0.0
    for line in lines:
        if not groups or line.group in groups:
            low += line.bytes.low
            typical += line.bytes.typical
            high += line.bytes.high
    return Range(low, typical, high)


def ends(values: Range) -> tuple[float, float, float]:
    """Return low, typical and high."""
    return values.low, values.typical, values.high


def refuse_below(smallest: float, **values: float) -> None:
    """Raise SizingError when one of the values lies below `smallest`."""
    for name, value in values.items():
        if value < smallest:
            raise SizingError(f"{name} is {value}, below {smallest}")
