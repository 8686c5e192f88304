"""The same cases by simpler means, so that what the sizing code adds can be seen.

Every factor is taken from the other groups of cases only: a log or a table never helps to predict itself.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from statistics import median

from recommender.evaluation.scores import Answer
from recommender.sizing.specs import Range

Ratio = Callable[[Answer], float]


def left_out(answers: Sequence[Answer]) -> list[Answer]:
    """Return the answers without the say of their own group: leave-one-group-out.

    With the constants fitted anew where they are (`Answer.left_out`); else each is corrected by the other
    groups of its situation, every group one vote. Were the constants tuned to some cases only, this would
    make others much worse. Nothing comes back where all cases are of one group.
    """
    points = [answer for answer in answers if answer.predicted.point]
    anew = [replace(answer, predicted=answer.left_out) for answer in points if answer.left_out]
    if anew:
        return anew
    if len({answer.group for answer in points}) < 2:
        return []
    return [_corrected(answer, points) for answer in points]


def _corrected(answer: Answer, answers: Sequence[Answer]) -> Answer:
    """Return an answer scaled by what the other groups of its situation say."""
    alike = [
        other
        for other in _other_groups(answers, answer)
        if other.predicted.situation == answer.predicted.situation
    ]
    factor = _factor(alike, lambda other: other.measured / other.predicted.range.typical)
    return replace(answer, predicted=replace(answer.predicted, range=answer.predicted.range.scaled(factor)))


def bounds(answers: Sequence[Answer]) -> list[Answer]:
    """Return the answers of the plain roofline: printed rates reached in full."""
    return [_bounded(answer, 1.0) for answer in answers if _has_bound(answer)]


def bounds_with_one_factor(answers: Sequence[Answer]) -> list[Answer]:
    """Return the answers of the roofline times one factor for all: the median of the other groups."""
    found = [answer for answer in answers if _has_bound(answer)]
    return [
        _bounded(answer, _factor(_other_groups(found, answer), lambda other: other.measured / _bound(other)))
        for answer in found
    ]


def _other_groups(answers: Iterable[Answer], answer: Answer) -> list[Answer]:
    return [other for other in answers if other.group != answer.group]


def _factor(answers: Sequence[Answer], ratio: Ratio) -> float:
    """Return the median of the groups' median ratios, or 1 where there is nothing to take it from."""
    groups: dict[str, list[float]] = defaultdict(list)
    for answer in answers:
        if answer.predicted.range.typical > 0:
            groups[answer.group].append(ratio(answer))
    return median(median(ratios) for ratios in groups.values()) if groups else 1.0


def _has_bound(answer: Answer) -> bool:
    return answer.predicted.point and bool(answer.predicted.bound)


def _bound(answer: Answer) -> float:
    return answer.predicted.bound or 0.0


def _bounded(answer: Answer, factor: float) -> Answer:
    figure = Range.exact(_bound(answer) * factor)
    return replace(answer, predicted=replace(answer.predicted, range=figure))
