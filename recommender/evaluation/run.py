"""All cases asked, all answers summed up."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from types import ModuleType
from typing import Any

from recommender.evaluation import comparison, memory, throughput, training
from recommender.evaluation.cases import Case, Question, Refused
from recommender.evaluation.scores import Answer, Prediction, Score, score
from recommender.evaluation.shelf import Shelf
from recommender.sizing.specs import SizingError

FAMILIES: dict[str, ModuleType] = {module.FAMILY: module for module in (memory, throughput, training)}
VERDICT = "verdict"
# The same answers by other means.
MEANS = {
    "left out": comparison.left_out,
    "plain roofline": comparison.bounds,
    "roofline, one factor": comparison.bounds_with_one_factor,
}
ALL = "all"
FITS = {"fits": True, "does-not-fit": False}
# Judged wherever it was measured, though no case of the published set names it as fit to judge by.
ALWAYS = {throughput.FAMILY: ("mean_system_power_w",)}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a load ran, and whether the site says that it fits."""

    case: str
    ran: bool
    fits: bool


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A figure that was asked for and not predicted."""

    case: str
    family: str
    figure: str
    reason: str


@dataclass(frozen=True)
class Report:
    """What became of every figure that the cases ask for."""

    asked: dict[tuple[str, str], int]  # cases by family and figure
    answers: dict[tuple[str, str], list[Answer]]
    verdicts: dict[str, list[Verdict]]
    unanswered: list[Unanswered]
    covered: dict[str, tuple[int, int]]  # of cases with model and card in the catalog: predicted ones, all

    def scores(self) -> dict[str, dict[str, Score]]:
        """Return the score of each family's figures."""
        found: dict[str, dict[str, Score]] = defaultdict(dict)
        for (family, figure), cases in sorted(self.asked.items()):
            if figure != VERDICT:
                found[family][figure] = score(self.answers.get((family, figure), []), cases)
        return dict(found)

    def situations(self) -> dict[tuple[str, str], dict[str, Score]]:
        """Return the scores of each family's figures by situation, of predicted cases only."""
        found: dict[tuple[str, str], dict[str, Score]] = {}
        for key, answers in sorted(self.answers.items()):
            groups: dict[str, list[Answer]] = defaultdict(list)
            for answer in answers:
                groups[answer.predicted.situation].append(answer)
            found[key] = {name: score(group, len(group)) for name, group in sorted(groups.items())}
        return found

    def comparisons(self) -> dict[tuple[str, str], dict[str, Score]]:
        """Return the scores of the same points by other means (see `comparison`)."""
        return {key: compared(answers) for key, answers in sorted(self.answers.items())}

    def language_models(self) -> dict[str, list[Answer]]:
        """Return the answers on rates of language models with stated lengths, by situation, all figures."""
        found: dict[str, list[Answer]] = defaultdict(list)
        for (family, _figure), answers in sorted(self.answers.items()):
            for answer in answers if family == throughput.FAMILY else ():
                situation = answer.predicted.situation
                if answer.predicted.point and situation in throughput.SITUATIONS:
                    for name in language_model_parts(answer):
                        found[name].append(answer)
        return {name: found[name] for name in sorted(found, key=lambda name: (name != ALL, name))}

    def verdict_counts(self) -> dict[str, dict[str, list[int]]]:
        """Return {family: {verdict: [right, all]}} of the predicted ones."""
        return {
            family: {
                word.replace("-", "_"): [
                    sum(one.fits == ran for one in found if one.ran == ran),
                    sum(one.ran == ran for one in found),
                ]
                for word, ran in FITS.items()
            }
            for family, found in sorted(self.verdicts.items())
        }

    def refused(self) -> dict[str, int]:
        """Return how many figures were not predicted, by reason, the most frequent first."""
        return dict(Counter(one.reason for one in self.unanswered).most_common())

    def as_json(self) -> dict[str, Any]:
        return {
            "families": {
                family: {figure: one.as_json() for figure, one in figures.items()}
                for family, figures in self.scores().items()
            },
            "verdicts": self.verdict_counts(),
            "refused": self.refused(),
        }


def compared(answers: list[Answer]) -> dict[str, Score]:
    """Return the scores of the same answers by other means (see `comparison`)."""
    return {name: score(one, len(one)) for name, one in by_other_means(answers).items()}


def by_other_means(answers: list[Answer]) -> dict[str, list[Answer]]:
    """Return the same answers by other means; the one factor is that of all of them."""
    found = {name: rule(answers) for name, rule in MEANS.items()}
    return {name: one for name, one in found.items() if one}


def parts_compared(
    answers: list[Answer], part_of: Callable[[Answer], Sequence[str]]
) -> dict[str, dict[str, Score]]:
    """Return the scores of parts of the answers by other means, whose one factor stays that of all answers.

    Args:
        part_of: The parts that an answer belongs to.
    """
    parts: dict[str, dict[str, list[Answer]]] = defaultdict(lambda: defaultdict(list))
    for name, others in by_other_means(answers).items():
        for answer in others:
            for part in part_of(answer):
                parts[part][name].append(answer)
    return {
        part: {name: score(found, len(found)) for name, found in means.items()}
        for part, means in sorted(parts.items())
    }


def language_model_parts(answer: Answer) -> tuple[str, ...]:
    """Return the situations that an answer on a language model's rate counts for, from wide to narrow."""
    situation = answer.predicted.situation
    return ALL, situation.partition(",")[0], situation


def evaluate(cases: Iterable[Case], shelf: Shelf) -> Report:
    """Return what the sizing code says of each case beside what was measured.

    Args:
        cases: Measured cases.
        shelf: Models and cards to answer from.
    """
    asked: Counter[tuple[str, str]] = Counter()
    answers: dict[tuple[str, str], list[Answer]] = defaultdict(list)
    verdicts: dict[str, list[Verdict]] = defaultdict(list)
    unanswered = []
    covered: Counter[tuple[str, bool]] = Counter()
    for case in cases:
        known, answered = _is_known(case, shelf), False
        for figure in _figures(case):
            asked[case.family, figure] += 1
            try:
                if figure == VERDICT:
                    verdicts[case.family].append(_verdict(case, shelf))
                else:
                    answers[case.family, figure].append(_answer(case, figure, shelf))
                answered = True
            except Refused as refused:
                unanswered.append(Unanswered(case.id, case.family, figure, str(refused)))
        if known:
            covered[case.family, answered] += 1
    shares = {
        family: (covered[family, True], covered[family, True] + covered[family, False])
        for family in sorted({family for family, _answered in covered})
    }
    return Report(dict(asked), dict(answers), dict(verdicts), unanswered, shares)


def _is_known(case: Case, shelf: Shelf) -> bool:
    """Tell whether the case's model, and its card or a stand-in for that, are in the catalog."""
    if case.question is None:
        return False
    try:
        shelf.model(case.question)
        shelf.card(case.question)
    except Refused:
        return False
    return True


def _figures(case: Case) -> list[str]:
    """Return the figures to be judged; a case that cannot be read counts once."""
    extra = [one for one in ALWAYS.get(case.family, ()) if one in case.measured and one not in case.judged]
    return list(dict.fromkeys([*case.judged, *extra])) or ["nothing to judge"]


def _answer(case: Case, figure: str, shelf: Shelf) -> Answer:
    question, family = _family(case)
    predicted: Prediction = _asking(family.predict, question, figure, shelf)
    if not isfinite(predicted.range.high):
        raise Refused("not sized: the figure has no end")
    measured = case.measured.get(figure)
    if isinstance(measured, bool) or not isinstance(measured, int | float) or not 0 < measured < float("inf"):
        raise Refused("the measured value is no number above zero")
    return Answer(case.id, predicted, float(measured), case.group)


def _verdict(case: Case, shelf: Shelf) -> Verdict:
    question, family = _family(case)
    if not hasattr(family, "fits"):
        raise Refused(f"figure not predicted: {VERDICT}")
    fits: bool = _asking(family.fits, question, shelf)
    measured = case.measured.get(VERDICT)
    if not isinstance(measured, str) or measured not in FITS:
        raise Refused(f"verdict spelling not known: {measured!r}")
    return Verdict(case.id, FITS[measured], fits)


def _family(case: Case) -> tuple[Question, ModuleType]:
    if case.question is None:
        raise Refused(case.problem)
    if case.family not in FAMILIES:
        raise Refused(f"family not known: {case.family!r}")
    return case.question, FAMILIES[case.family]


def _asking(rule: Callable[..., Any], *arguments: object) -> Any:
    """Return what a rule says; what the core cannot make sense of is refused, never the end of the run."""
    try:
        return rule(*arguments)
    except SizingError as error:
        raise Refused(f"not sized: {error}") from error
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise Refused(f"failed: {type(error).__name__}: {error}") from error
