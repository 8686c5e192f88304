"""How measured cases set the fitted constants, and what these would be without a group of cases.

Every constant starts from what is known beside the cases, give or take a spread (`starts`). A group of cases
(one log or one table) weighs as the root of their number: its cases resemble each other, so that many say
more than one, but not as much as strangers would. Chosen are the constants that make this sum least:

- over all cases, their weight times how far the prediction is off, as a logarithm, over `SCATTER`;
- over all constants, half of the square of the distance from the start over its spread.

Errors count as they are, not squared, so that a case that no constant explains does not bend them. With a
group left out the rule is the same, and its cases weigh nothing.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from typing import Any

from recommender.evaluation.starts import Start

SCATTER = 0.3  # by how much a case is off with which nothing is wrong (as a logarithm)
STEP = 0.05  # of a constant (as a logarithm), to see how predictions follow it
ROUNDS = 40  # of weighting anew; constants stand still before
RIGHT = 0.02  # an error that counts as none

type Predict[C] = Callable[[C], float]


@dataclass(frozen=True, slots=True)
class Point[C]:
    """A measured value, and what any set of constants says of it."""

    group: str
    measured: float
    predict: Predict[C]


@dataclass(frozen=True, slots=True)
class _Case:
    group: str
    error: float  # of the set that is fitted: logarithm of measured over predicted
    slopes: Mapping[int, float]  # how the logarithm of the prediction follows that of each constant
    weight: float


class Fit[C]:
    """A set of constants beside the cases that move it.

    Args:
        points: What was measured.
        constants: The set to start the search from.
        starts: Its fitted constants by name: a field, or a field and a name in it with a dot between.
    """

    def __init__(self, points: Sequence[Point[C]], constants: C, starts: Mapping[str, Start]) -> None:
        self._constants = constants
        self._names = list(starts)
        self._priors = [
            (log(start.value / value_of(constants, name)), 1 / start.spread**2)
            for name, start in starts.items()
        ]
        sizes = Counter(point.group for point in points)
        moved = [scaled(constants, {name: exp(STEP)}) for name in self._names]
        self._cases = []
        for point in points:
            now = log(point.predict(constants))
            slopes = {place: (log(point.predict(other)) - now) / STEP for place, other in enumerate(moved)}
            self._cases.append(
                _Case(
                    point.group,
                    log(point.measured) - now,
                    {place: slope for place, slope in slopes.items() if abs(slope) > 1e-6},
                    sizes[point.group] ** -0.5 / SCATTER,
                )
            )

    def factors(self, without: str | None = None) -> dict[str, float]:
        """Return by what each constant is to be multiplied.

        Args:
            without: A group that has no say.
        """
        cases = [case for case in self._cases if case.group != without]
        moves = [prior for prior, _certainty in self._priors]
        for _round in range(ROUNDS):
            moves = self._weighted(cases, moves)
        return {name: exp(move) for name, move in zip(self._names, moves, strict=True)}

    def constants(self, without: str | None = None) -> C:
        """Return the fitted set, without the say of a group where one is named."""
        return scaled(self._constants, self.factors(without))

    def _weighted(self, cases: Sequence[_Case], moves: Sequence[float]) -> list[float]:
        """Return the moves of least squares, weighted so that the errors at `moves` count as they are."""
        size = len(moves)
        matrix = [[0.0] * size for _row in range(size)]
        right = [0.0] * size
        for place, (prior, certainty) in enumerate(self._priors):
            matrix[place][place] = certainty
            right[place] = certainty * prior
        for case in cases:
            left = case.error - sum(slope * moves[place] for place, slope in case.slopes.items())
            weight = case.weight / max(abs(left), RIGHT)
            for row, slope in case.slopes.items():
                right[row] += weight * slope * case.error
                for column, other in case.slopes.items():
                    matrix[row][column] += weight * slope * other
        return _solved(matrix, right)


def value_of(constants: Any, name: str) -> float:
    """Return the typical value of a constant."""
    field, _dot, part = name.partition(".")
    found = getattr(constants, field)
    if part:
        found = found[part] if isinstance(found, Mapping) else getattr(found, part)
    value: float = found.typical
    return value


def scaled[C](constants: C, factors: Mapping[str, float]) -> C:
    """Return the set with some of its constants multiplied, all three ends alike."""
    changed: dict[str, Any] = {}
    for name, factor in factors.items():
        field, _dot, part = name.partition(".")
        found = changed.get(field, getattr(constants, field))
        if not part:
            changed[field] = found.scaled(factor)
        elif isinstance(found, Mapping):
            changed[field] = {**found, part: found[part].scaled(factor)}
        else:
            changed[field] = replace(found, **{part: getattr(found, part).scaled(factor)})
    return replace(constants, **changed)  # type: ignore[type-var]


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Return the solution of a positive definite system (Gauss, which then needs no pivoting)."""
    size = len(right)
    for row in range(size):
        for below in range(row + 1, size):
            factor = matrix[below][row] / matrix[row][row]
            if factor:
                for column in range(row, size):
                    matrix[below][column] -= factor * matrix[row][column]
                right[below] -= factor * right[row]
    found = [0.0] * size
    for row in reversed(range(size)):
        known = sum(matrix[row][column] * found[column] for column in range(row + 1, size))
        found[row] = (right[row] - known) / matrix[row][row]
    return found
