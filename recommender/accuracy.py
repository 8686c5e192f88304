"""How far the sizing code is off, as data: measured cases through `recommender.evaluation`, kept in a file.

The file holds codes and numbers only, rounded and in a fixed order, so that the same code and the same cases
give the same bytes on any machine. `manage.py measure_accuracy` writes it, pages read it, and a test measures
again and holds the file to it.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from catalog.benchmarks import link_of
from recommender import evaluation
from recommender.evaluation.run import ALL, VERDICT, Report
from recommender.evaluation.scores import Answer, Score
from recommender.evaluation.shelf import Shelf
from recommender.ranking import RULES_VERSION

LEVELS = 4  # of the file that are opened: figures, their parts, each case
DIGITS = 4  # significant ones; more would differ between machines and say nothing
# The same points by other means, in the words of `evaluation.run.MEANS`.
MEANS = {
    "left out": "left_out",
    "plain roofline": "roofline",
    "roofline, one factor": "one_factor",
}


def case_files(folder: Path) -> list[Path]:
    """Return the files of measured cases below the fixtures, in their order."""
    return sorted((folder / "benchmarks").glob("*.yaml"))


def stored_file(folder: Path) -> Path:
    return folder / "accuracy.json"


def measured(paths: Sequence[Path], shelf: Shelf) -> dict[str, Any]:
    """Return what the sizing code says of every case beside what was measured.

    Raises:
        UnreadableFile: a file that holds no list of cases.
    """
    cases = evaluation.read(paths)
    report = evaluation.leave_out(evaluation.evaluate(cases, shelf), cases, shelf)
    entries = {entry["id"]: entry for path in paths for entry in _entries(path)}
    return as_data(report, entries)


def as_data(report: Report, entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return a report with what names and links each case.

    Args:
        report: What became of all figures.
        entries: The cases as their files hold them, by id.
    """
    scores, situations, comparisons = report.scores(), report.situations(), report.comparisons()
    refused: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in report.unanswered:
        refused[one.family, one.figure][one.reason] += 1
    figures = []
    for family, found in scores.items():
        for figure, score in found.items():
            key = (family, figure)
            answers = report.answers.get(key, [])
            parts = evaluation.parts_compared(answers, lambda answer: (answer.predicted.situation,))
            figures.append(
                {
                    "family": family,
                    "figure": figure,
                    "groups": len({answer.group for answer in answers}),
                    "score": _score(score),
                    "points": sum(answer.predicted.point for answer in answers),
                    "situations": {name: _score(group) for name, group in situations.get(key, {}).items()},
                    "fitted": any(answer.left_out for answer in answers),
                    "comparisons": _means(comparisons.get(key, {})),
                    "situation_comparisons": {name: _means(found) for name, found in parts.items()},
                    "refused": _counted(refused[key]),
                    "cases": _worst_first(answers, entries),
                }
            )
    return {
        "rules_version": RULES_VERSION,
        "cases": len(entries),
        "sources": len({_reference(entry) for entry in entries.values()}),
        "covered": {family: list(counts) for family, counts in report.covered.items()},
        "figures": figures,
        "language_models": _language_models(report),
        "verdicts": _verdicts(report, entries),
        "refused": _counted(Counter(one.reason for one in report.unanswered)),
    }


def text_of(data: Mapping[str, Any]) -> str:
    """Return the file's text: a line a case, so that a change of one shows as one."""
    return _written(data, LEVELS) + "\n"


def _written(value: object, levels: int) -> str:
    """Return JSON with that many levels opened, what lies deeper on one line."""
    if not levels or not value or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    indent = " " * (LEVELS - levels + 1)
    if isinstance(value, list):
        lines, (first, last) = [_written(item, levels - 1) for item in value], "[]"
    else:
        lines = [f"{json.dumps(key)}: {_written(value[key], levels - 1)}" for key in sorted(value)]
        first, last = "{}"
    body = ",\n".join(f"{indent}{line}" for line in lines)
    return f"{first}\n{body}\n{indent[:-1]}{last}"


@dataclass(frozen=True)
class Stored:
    """The file as pages read it."""

    data: Mapping[str, Any]

    @property
    def figures(self) -> dict[tuple[str, str], Mapping[str, Any]]:
        """Return the figures by family and name, in the file's order."""
        return {(one["family"], one["figure"]): one for one in self.data["figures"]}


@cache
def stored(path: Path) -> Stored | None:
    """Return the kept figures; None: nobody has measured yet."""
    if not path.exists():
        return None
    return Stored(json.loads(path.read_text(encoding="utf-8")))


def notes_file(folder: Path) -> Path:
    return folder / "case_notes.yaml"


@cache
def notes(path: Path) -> Mapping[tuple[str, str], Mapping[str, str]]:
    """Return what is known to stand in the way of cases: {(id, figure): text by language}."""
    entries = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return {
        (case, figure): entry["text"]
        for entry in entries
        for case in entry["cases"]
        for figure in entry["figures"]
    }


def _worst_first(answers: Iterable[Answer], entries: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a figure's cases, the largest error first; those judged by their range alone come last."""
    ordered = sorted(
        answers, key=lambda answer: (not answer.predicted.point, -round(abs(answer.error), 6), answer.case)
    )
    return [_case(answer, entries[answer.case]) for answer in ordered]


def _case(answer: Answer, entry: Mapping[str, Any]) -> dict[str, Any]:
    predicted = answer.predicted
    return {
        **_named(entry),
        "situation": predicted.situation,
        "measured": _rounded(answer.measured),
        "predicted": [_rounded(end) for end in (
            predicted.range.low, predicted.range.typical, predicted.range.high
        )],
        "error": round(answer.error, 3) if predicted.point else None,
        "inside": answer.inside,
    }  # fmt: skip


def _named(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return what tells a case apart and where it can be read."""
    source = entry.get("source") or {}
    reference = _reference(entry)
    locator = source.get("locator", "") if isinstance(source, dict) else ""
    given = entry.get("input") or {}
    return {
        "id": entry["id"],
        "model": entry.get("model", ""),
        "gpu": entry.get("gpu", ""),
        "gpus": entry.get("gpu_count", 1),
        "with": str(given.get("engine") or given.get("framework") or ""),
        "scenario": str(given.get("scenario") or ""),
        "input_tokens": _whole(given.get("input_tokens")),
        "output_tokens": _whole(given.get("output_tokens")),
        "link": link_of(reference, locator if isinstance(locator, str) else "") or "",
    }


def _verdicts(report: Report, entries: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return, for each family, how many verdicts are right and which cases are not."""
    found = []
    for family, counts in report.verdict_counts().items():
        wrong = [one for one in report.verdicts[family] if one.ran != one.fits]
        found.append(
            {
                "family": family,
                **counts,
                "asked": report.asked[family, VERDICT],
                "wrong": [
                    {**_named(entries[one.case]), "ran": one.ran}
                    for one in sorted(wrong, key=lambda one: one.case)
                ],
            }
        )
    return found


def _language_models(report: Report) -> list[dict[str, Any]]:
    """Return the scores of rates of language models by situation, over all figures."""
    rates = report.language_models()
    compared = evaluation.parts_compared(rates.get(ALL, []), evaluation.language_model_parts)
    return [
        {
            "situation": name,
            "score": _score(evaluation.score(answers, len(answers))),
            "comparisons": _means(compared.get(name, {})),
        }
        for name, answers in rates.items()
    ]


def _means(scores: Mapping[str, Score]) -> dict[str, dict[str, float | int | None]]:
    return {MEANS[name]: _score(score) for name, score in scores.items()}


def _score(score: Score) -> dict[str, float | int | None]:
    return score.as_json()


def _counted(reasons: Counter[str]) -> list[list[Any]]:
    """Return [reason, figures] pairs, the most frequent first."""
    return [
        [reason, count] for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    ]


def _reference(entry: Mapping[str, Any]) -> str:
    source = entry.get("source")
    return str(source.get("ref", "")) if isinstance(source, dict) else str(source or "")


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _whole(value: object) -> int | None:
    """Return a mean length [tokens]; None where the case says it in words or not at all."""
    return round(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _entries(path: Path) -> list[Mapping[str, Any]]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: list[Mapping[str, Any]] = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
    return found
