"""Measured cases as files hold them, split into what a prediction may know and what it is judged by."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


class UnreadableFile(Exception):
    """A file that holds no list of cases."""


class Refused(Exception):
    """A figure that is not predicted; the text is the reason."""


@dataclass(frozen=True)
class Question:
    """What a prediction may know of a case: never what was measured."""

    family: str
    model: str
    gpu: str
    gpu_proxy: str | None
    gpu_count: int
    gpu_total_gib: float | None  # what the driver reported
    precision: Mapping[str, Any]
    input: Mapping[str, Any]
    source: str  # where the case was found; only to leave out stored results from there
    group: str = ""  # the log or table that it stands in; only to leave out its stored results

    def text(self, key: str, default: str | None = None) -> str:
        """Return an input that is a name.

        Raises:
            Refused: it is missing and has no default, or is no text.
        """
        value = self.input.get(key)
        if value is None:
            value = default
        if isinstance(value, str):
            return value
        raise Refused(
            f"input not stated: {key}" if value is None else f"input not understood: {key} {value!r}"
        )

    def number(self, key: str, default: float | None = None) -> float:
        """Return an input that is a number, not negative.

        Raises:
            Refused: it is missing and has no default, or is no such number.
        """
        found = self.optional_number(key)
        if found is not None:
            return found
        if default is None:
            raise Refused(f"input not stated: {key}")
        return default

    def optional_number(self, key: str) -> float | None:
        """Return an input that is a number, or None where it is not stated.

        Raises:
            Refused: it is stated and no number, or a negative one.
        """
        return _number(self.input.get(key), f"input not understood: {key}")

    def count(self, key: str, default: int | None = None) -> int:
        """Return an input that counts something, one at least.

        Raises:
            Refused: it is missing and has no default, or is no such number.
        """
        value = self.number(key, None if default is None else float(default))
        if value < 1 or value != int(value):
            raise Refused(f"input not understood: {key} {value:g}")
        return int(value)

    def flag(self, key: str) -> bool:
        """Return an input that is yes or no; no where it is not stated.

        Raises:
            Refused: it is neither.
        """
        value = self.input.get(key)
        if value is None or isinstance(value, bool):
            return bool(value)
        raise Refused(f"input not understood: {key} {value!r}")


@dataclass(frozen=True)
class Case:
    """One measurement made by others. `problem`: why nothing can be asked of it."""

    id: str
    family: str
    judged: tuple[str, ...]
    measured: Mapping[str, Any]
    question: Question | None
    group: str = ""  # cases of one log or table: what is tuned to one of them is tuned to all
    problem: str = ""


def read(paths: Iterable[Path]) -> list[Case]:
    """Return the cases of all files, in their order.

    Raises:
        UnreadableFile: a file that cannot be opened, is no YAML, or holds no list.
    """
    found = []
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for path in paths:
        try:
            entries = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise UnreadableFile(f"{path}: {error}") from error
        if not isinstance(entries, list):
            raise UnreadableFile(f"{path}: no list of cases")
        found += [parse(entry, f"{path.name} [{place}]") for place, entry in enumerate(entries, 1)]
    return found


def parse(entry: object, name: str) -> Case:
    """Return a case; what has not the shape of one keeps its problem."""
    if not isinstance(entry, dict):
        return Case(name, "", (), {}, None, problem="the case is no mapping")
    judged = entry.get("judge")
    measured = entry.get("measured")
    known = isinstance(judged, list) and isinstance(measured, dict)
    figures = tuple(str(figure) for figure in judged) if isinstance(judged, list) else ()
    case_id, family = str(entry.get("id", name)), str(entry.get("family", ""))
    try:
        if not known:
            raise Refused("the case does not say what was measured and what judges it")
        question = _question(entry, family)
    except Refused as refused:
        return Case(case_id, family, figures, {}, None, problem=str(refused))
    return Case(case_id, family, figures, dict(measured or {}), question, str(entry.get("group", case_id)))


def _question(entry: Mapping[str, Any], family: str) -> Question:
    precision, given = entry.get("precision") or {}, entry.get("input")
    if not isinstance(precision, dict) or not isinstance(given, dict):
        raise Refused("the case has no inputs")
    count = _number(entry.get("gpu_count", 1), "gpu_count not understood:")
    if count is None or count < 1 or count != int(count):
        raise Refused(f"gpu_count not understood: {entry.get('gpu_count')!r}")
    source = entry.get("source")
    return Question(
        family=family,
        model=str(entry.get("model", "")),
        gpu=str(entry.get("gpu", "")),
        gpu_proxy=str(entry["gpu_proxy"]) if entry.get("gpu_proxy") else None,
        gpu_count=int(count),
        gpu_total_gib=_number(entry.get("gpu_total_gib_reported"), "gpu_total_gib_reported not understood:"),
        precision=precision,
        input=given,
        source=str(source.get("ref", "")) if isinstance(source, dict) else str(source or ""),
        group=str(entry.get("group", "")),
    )


def _number(value: object, problem: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise Refused(f"{problem} {value!r}")
    return float(value)
