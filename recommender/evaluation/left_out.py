"""What every answer would be, had its own group of cases no say in the constants: leave-one-group-out.

Of speeds and training times the constants are fitted again from the other groups alone (`fitting`), and the
case is predicted anew with them. Their table is made by the same rule; `fits` is how a test sees that.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import ModuleType
from typing import Any

from recommender.evaluation import starts, throughput, training
from recommender.evaluation.cases import Case, Question
from recommender.evaluation.fitting import Fit, Point
from recommender.evaluation.run import Report
from recommender.evaluation.scores import Answer, Prediction
from recommender.evaluation.shelf import Shelf
from recommender.evaluation.starts import Start
from recommender.sizing.serving_constants import SERVING
from recommender.sizing.training_constants import TRAINING


@dataclass(frozen=True, slots=True)
class _Family:
    """A family whose constants are fitted.

    Attributes:
        rests: Tells of a figure's prediction whether it rests on them.
        votes: Figures that have a say: one for each measurement.
    """

    module: ModuleType
    constants: Any
    starts: Mapping[str, Start]
    rests: Callable[[str, Prediction], bool]
    votes: frozenset[str] | None


FAMILIES = (
    _Family(
        throughput,
        SERVING,
        starts.SERVING,
        lambda figure, found: found.point and found.situation in throughput.SITUATIONS,
        None,
    ),
    _Family(
        training,
        TRAINING,
        starts.TRAINING,
        lambda figure, found: figure in training.RATES,
        frozenset({"tokens_per_s_per_gpu", "tokens_per_s"}),  # the others are these in other words
    ),
)


def fits(report: Report, cases: Iterable[Case], shelf: Shelf) -> dict[str, Fit[Any]]:
    """Return the fit of each family that has cases, by the family's name."""
    questions = _questions(cases)
    found = {}
    for family in FAMILIES:
        points = [
            Point(
                answer.group,
                answer.measured,
                partial(_typical, family, questions[answer.case], figure, shelf),
            )
            for figure, answer in _answers(report, family)
            if family.votes is None or figure in family.votes
        ]
        if points:
            found[family.module.FAMILY] = Fit(points, family.constants, family.starts)
    return found


def leave_out(report: Report, cases: Iterable[Case], shelf: Shelf) -> Report:
    """Return the report with what each answer would be without its group (`Answer.left_out`).

    Args:
        report: What became of the cases.
        cases: The same cases.
        shelf: Models and cards that they were answered from.
    """
    cases = list(cases)
    questions, fitted = _questions(cases), fits(report, cases, shelf)
    answers = dict(report.answers)
    for family in FAMILIES:
        name = family.module.FAMILY
        if name not in fitted:
            continue
        groups = {answer.group for _figure, answer in _answers(report, family)}
        constants = {group: fitted[name].constants(group) for group in groups}
        for key, old in report.answers.items():
            if key[0] == name:
                answers[key] = [
                    _without(answer, family, questions[answer.case], key[1], shelf, constants)
                    for answer in old
                ]
    return replace(report, answers=answers)


def _without(
    answer: Answer,
    family: _Family,
    question: Question,
    figure: str,
    shelf: Shelf,
    constants: Mapping[str, Any],
) -> Answer:
    if not family.rests(figure, answer.predicted):
        return answer
    anew = family.module.predict(question, figure, shelf, constants[answer.group])
    return replace(answer, left_out=anew)


def _answers(report: Report, family: _Family) -> list[tuple[str, Answer]]:
    """Return the answers that rest on a family's constants, with their figures."""
    return [
        (figure, answer)
        for (name, figure), answers in sorted(report.answers.items())
        for answer in answers
        if name == family.module.FAMILY and family.rests(figure, answer.predicted)
    ]


def _questions(cases: Iterable[Case]) -> dict[str, Question]:
    return {case.id: case.question for case in cases if case.question is not None}


def _typical(family: _Family, question: Question, figure: str, shelf: Shelf, constants: Any) -> float:
    found: Prediction = family.module.predict(question, figure, shelf, constants)
    return found.range.typical
