"""Predictions beside measurements, summed up and compared with simpler means."""

from dataclasses import replace

import pytest

from recommender.evaluation.comparison import bounds, bounds_with_one_factor, left_out
from recommender.evaluation.scores import Answer, Prediction, score
from recommender.sizing.specs import Range


def test_scores_by_hand():
    answers = [
        Answer("a", Prediction(Range(8, 10, 12), "x"), 8),  # +25 %, inside, 1.5 wide
        Answer("b", Prediction(Range(9, 9, 18), "x"), 10),  # -10 %, inside, 2 wide
        Answer("c", Prediction(Range(4, 5, 12), "x"), 50),  # -90 %, outside, 3 wide
        Answer("d", Prediction(Range(1, 2, 9), "x", point=False), 4),  # no point, inside, 9 wide
    ]
    found = score(answers, 6)
    assert (found.cases, found.predicted) == (6, 4)
    assert found.median_signed == pytest.approx(-0.10)
    assert found.median_abs == pytest.approx(0.25)
    assert found.p90_abs == pytest.approx(0.77)  # four fifths of the way from 0.25 to 0.90
    assert found.inside == 0.75
    assert found.width == 2.5


def test_a_score_of_nothing_has_no_figures():
    found = score([], 3).as_json()
    assert found == {
        "cases": 3,
        "predicted": 0,
        "median_signed": None,
        "median_abs": None,
        "p90_abs": None,
        "inside": None,
        "width": None,
    }


def answers(*rows):
    return [
        Answer(
            name, Prediction(Range(typical / 2, typical, typical * 2), situation, bound=bound), measured, name
        )
        for name, situation, typical, bound, measured in rows
    ]


THREE_LOGS = answers(
    ("a", "x", 10, 40, 20),
    ("b", "x", 10, 40, 10),
    ("c", "x", 10, 20, 5),
    ("d", "y", 10, None, 7),
)


def typicals(found):
    return [answer.predicted.range.typical for answer in found]


def test_a_group_is_corrected_by_the_others_of_its_situation():
    # a: the median of 1 and 0.5; b: of 2 and 0.5; c: of 2 and 1; d is alone in its situation.
    assert typicals(left_out(THREE_LOGS)) == [7.5, 12.5, 15, 10]


def test_every_group_is_one_vote_however_many_cases_it_has():
    def answer(group, measured):
        return Answer(group, Prediction(Range(5, 10, 20), "x"), measured, group)

    many = [answer("many", measured) for measured in (40, 40, 40, 10)]
    found = left_out([answer("a", 10), answer("b", 20), *many])
    # a: the median of 2 and 4, the middle of many; b: of 1 and 4; many: of 1 and 2.
    assert typicals(found) == [30, 25, 15, 15, 15, 15]


def test_what_was_fitted_anew_is_not_corrected():
    anew = Prediction(Range(6, 12, 24), "x")
    first, second = THREE_LOGS[:2]
    assert typicals(left_out([replace(first, left_out=anew), second])) == [12]


def test_one_group_alone_cannot_be_corrected():
    assert left_out(answers(("a", "x", 10, 40, 20))) == []


def test_the_roofline_is_compared_as_it_is_and_with_one_factor():
    assert typicals(bounds(THREE_LOGS)) == [40, 40, 20]
    # a: the median of 1/4 and 1/4; b: of 1/2 and 1/4; c: of 1/2 and 1/4.
    assert typicals(bounds_with_one_factor(THREE_LOGS)) == [10, 15, 7.5]
