"""Predictions against measurements, summed up."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite
from statistics import median, quantiles

from recommender.sizing.specs import Range


@dataclass(frozen=True, slots=True)
class Prediction:
    """A figure as the site would give it, in the case's unit.

    Attributes:
        point: False where an input is only known between two ends: the range counts, its middle does not.
        bound: The figure if printed rates were reached in full, to compare with; None: it has no such bound.
    """

    range: Range
    situation: str
    point: bool = True
    bound: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """One prediction beside what was measured.

    Attributes:
        left_out: The prediction with constants in which the case's group has no say; None: not fitted anew.
    """

    case: str
    predicted: Prediction
    measured: float
    group: str = ""
    left_out: Prediction | None = None

    @property
    def error(self) -> float:
        """Return the signed relative error of the typical value."""
        return self.predicted.range.typical / self.measured - 1

    @property
    def inside(self) -> bool:
        return self.predicted.range.low <= self.measured <= self.predicted.range.high

    @property
    def width(self) -> float:
        low, high = self.predicted.range.low, self.predicted.range.high
        return high / low if low > 0 else inf


@dataclass(frozen=True, slots=True)
class Score:
    """One figure over its cases; errors and widths as fractions and ratios. None: nothing to take it from."""

    cases: int
    predicted: int
    median_signed: float | None
    median_abs: float | None
    p90_abs: float | None
    inside: float | None
    width: float | None

    def as_json(self) -> dict[str, float | int | None]:
        figures = {
            name: None if value is None else round(value, 4)
            for name, value in (
                ("median_signed", self.median_signed),
                ("median_abs", self.median_abs),
                ("p90_abs", self.p90_abs),
                ("inside", self.inside),
                ("width", self.width),
            )
        }
        return {"cases": self.cases, "predicted": self.predicted, **figures}


def score(answers: Sequence[Answer], cases: int) -> Score:
    """Return the score of `answers`, given to that many of the cases that ask for the figure."""
    signed = [answer.error for answer in answers if answer.predicted.point]
    absolute = [abs(error) for error in signed]
    widths = [answer.width for answer in answers]
    width = median(widths) if widths else inf
    return Score(
        cases=cases,
        predicted=len(answers),
        median_signed=median(signed) if signed else None,
        median_abs=median(absolute) if absolute else None,
        p90_abs=_ninetieth(absolute),
        inside=sum(answer.inside for answer in answers) / len(answers) if answers else None,
        width=width if isfinite(width) else None,
    )


def _ninetieth(values: list[float]) -> float | None:
    """Return the 90th percentile, between neighbours by distance."""
    if len(values) < 2:
        return values[0] if values else None
    return quantiles(values, n=10, method="inclusive")[8]
