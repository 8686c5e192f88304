"""Constants are those that the rule gives, and a group that is left out has no say in its own prediction."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import exp

import pytest

from recommender import accuracy, evaluation
from recommender.evaluation import starts
from recommender.evaluation.catalog import CatalogShelf
from recommender.evaluation.fitting import RIGHT, SCATTER, Fit, Point, scaled, value_of
from recommender.evaluation.left_out import fits
from recommender.evaluation.starts import Start
from recommender.sizing.serving_constants import SERVING
from recommender.sizing.specs import Range
from recommender.sizing.training_constants import TRAINING
from tests.conftest import ROOT

pytestmark = pytest.mark.one_database


@dataclass(frozen=True)
class Engine:
    speed: Range


@dataclass(frozen=True)
class Constants:
    engine: Engine
    share: Mapping[str, Range]
    other: Range


TWO = Constants(Engine(Range(1, 2, 4)), {"card": Range(0.25, 0.5, 1.0)}, Range.exact(7))


def point(group, measured, name="engine.speed"):
    return Point(group, measured, lambda constants: 10 * value_of(constants, name))


ABOUT_TWO = Start(2, 0.5)


def fitted(points, start=ABOUT_TWO, name="engine.speed", without=None):
    return value_of(Fit(points, TWO, {name: start}).constants(without), name)


def test_a_constant_follows_the_cases_away_from_its_start():
    # Groups that agree on 3 hold against the start: 4 x log(3/2) / 0.3 outweighs (log(3/2) / 0.5)^2 / 2.
    points = [point(name, 30) for name in "abcd"]
    assert fitted(points) == pytest.approx(3, rel=0.01)
    assert fitted(points, Start(2, 0.01)) == pytest.approx(2, rel=0.01), "unless the start is certain"


def test_a_single_case_moves_a_constant_as_far_as_its_weight_goes():
    # Least of |log(100) - log(10 x)| / 0.3 + (log(x / 2) / 0.5)^2 / 2: the second's slope is 1 / 0.3 at
    # log(x / 2) = 0.25 / 0.3.
    assert fitted([point("a", 100)]) == pytest.approx(2 * exp(0.25 / SCATTER), rel=0.02)


def test_one_case_that_nothing_explains_does_not_bend_a_constant():
    points = [point("a", 20), point("b", 21), point("c", 19), point("d", 2000)]
    assert fitted(points) == pytest.approx(2, rel=0.08)


def test_a_group_weighs_as_the_root_of_its_cases():
    # Sixteen cases of one group weigh as four, more than three groups of one; four as two, fewer.
    ones = [point(name, 10) for name in "abc"]
    wide = Start(2, 50)
    assert fitted([*ones, *[point("many", 40)] * 16], wide) == pytest.approx(4, rel=RIGHT)
    assert fitted([*ones, *[point("many", 40)] * 4], wide) == pytest.approx(1, rel=RIGHT)


def test_a_group_left_out_has_no_say():
    points = [point("a", 30), point("b", 30), point("c", 30), *[point("d", 90)] * 40]
    assert fitted(points) == pytest.approx(9, rel=RIGHT)
    assert fitted(points, without="d") == pytest.approx(3, rel=0.02)


def test_constants_are_scaled_with_all_their_ends_and_alone():
    found = scaled(TWO, {"engine.speed": 3, "share.card": 0.5})
    assert found == replace(TWO, engine=Engine(Range(3, 6, 12)), share={"card": Range(0.125, 0.25, 0.5)})
    assert TWO.engine.speed == Range(1, 2, 4)


@pytest.fixture(scope="module")
def cases():
    return evaluation.read(accuracy.case_files(ROOT / "fixtures"))


@pytest.mark.parametrize(
    ("family", "constants", "start"),
    [
        ("inference-throughput", SERVING, starts.SERVING),
        ("training", TRAINING, starts.TRAINING),
    ],
)
def test_the_tables_are_what_the_rule_makes_of_the_cases(catalog, cases, family, constants, start):
    """To two digits. After a change of formulas or cases: put the values in that this test finds."""
    shelf, alike = CatalogShelf(), [case for case in cases if case.family == family]
    found = fits(evaluation.evaluate(alike, shelf), alike, shelf)[family].constants()
    wanted = {name: value_of(found, name) for name in start}
    assert {name: value_of(constants, name) for name in start} == pytest.approx(wanted, rel=0.03)


def test_a_group_never_helps_to_predict_itself(catalog, cases):
    """Tripled results of one log change what others are predicted without theirs, and nothing of its own."""
    shelf = CatalogShelf()
    own = "gs|nvidia-h100-sxm-80gb|qwen3-14b"
    alike = [case for case in cases if case.family == "inference-throughput" and case.judged]
    rates = ("output_tokens_per_s", "total_tokens_per_s")

    def tripled(case):
        if case.group != own:
            return case
        return replace(
            case, measured={name: 3 * value for name, value in case.measured.items() if name in rates}
        )

    def without(cases):
        report = evaluation.leave_out(evaluation.evaluate(cases, shelf), cases, shelf)
        answers = report.answers["inference-throughput", "output_tokens_per_s"]
        return {answer.case: answer for answer in answers if answer.left_out}

    before, after = without(alike), without([tripled(case) for case in alike])
    mine = [name for name, answer in before.items() if answer.group == own]
    assert len(mine) == 7
    for name in mine:
        assert after[name].measured == 3 * before[name].measured
        assert after[name].left_out.range.typical == pytest.approx(
            before[name].left_out.range.typical, rel=1e-9
        )
        assert before[name].left_out.range != before[name].predicted.range
    moved = [
        name
        for name, answer in after.items()
        if name not in mine and answer.left_out.range.typical > 1.01 * before[name].left_out.range.typical
    ]
    assert len(moved) >= 10, "the same log does have a say in others"
