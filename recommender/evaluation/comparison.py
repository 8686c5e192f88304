"""The same cases by simpler means, so that what the sizing code adds can be seen.

Every factor is taken from the other groups of cases only: a log or a table never helps to predict itself.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from statistics import median

from recommender.evaluation.scores import Answer
from recommender.sizing.specs import Range

Ratio = Callable[[Answer], float]


def left_out(answers: Sequence[Answer]) -> list[Answer]:
    """Return the answers with their constants fitted anew to the other groups: leave-one-group-out.

    Each is scaled by what the other groups with the same constants say; where there are none, the other
    groups of the situation. If constants fitted some groups only, this would make the others much worse.
    Nothing comes back where all cases are of one group.
    """
    points = [answer for answer in answers if answer.predicted.point]
    if len({answer.group for answer in points}) < 2:
        return []
    corrected = []
    for answer in points:
        alike = [
            other
            for other in _other_groups(points, answer)
            if other.predicted.situation == answer.predicted.situation
        ]
        others = [other for other in alike if other.predicted.constants == answer.predicted.constants]
        others = others or alike
        factor = _factor(others, lambda other: other.measured / other.predicted.range.typical)
        scaled = replace(answer.predicted, range=answer.predicted.range.scaled(factor))
        corrected.append(replace(answer, predicted=scaled))
    return corrected


def bounds(answers: Sequence[Answer]) -> list[Answer]:
    """Return the answers of the plain roofline: printed rates reached in full."""
    return [_bounded(answer, 1.0) for answer in answers if _has_bound(answer)]


def bounds_with_one_factor(answers: Sequence[Answer]) -> list[Answer]:
    """Return the answers of the roofline times one factor for all, the median of the other groups."""
    found = [answer for answer in answers if _has_bound(answer)]
    return [
        _bounded(answer, _factor(_other_groups(found, answer), lambda other: other.measured / _bound(other)))
        for answer in found
    ]


def _other_groups(answers: Iterable[Answer], answer: Answer) -> list[Answer]:
    return [other for other in answers if other.group != answer.group]


def _factor(answers: Sequence[Answer], ratio: Ratio) -> float:
    """Return the median ratio, or 1 where there is nothing to take it from."""
    usable = [answer for answer in answers if answer.predicted.range.typical > 0]
    return median(map(ratio, usable)) if usable else 1.0


def _has_bound(answer: Answer) -> bool:
    return answer.predicted.point and bool(answer.predicted.bound)


def _bound(answer: Answer) -> float:
    return answer.predicted.bound or 0.0


def _bounded(answer: Answer, factor: float) -> Answer:
    figure = Range.exact(_bound(answer) * factor)
    return replace(answer, predicted=replace(answer.predicted, range=figure))
