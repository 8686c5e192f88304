"""Answers as they were given, each kept in its canonical form or named with what is wrong with it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from aiservers.numbers import Interval, NumberError, canonical
from recommender.answers.intervals import parse_interval, signed_number
from recommender.answers.keys import TOKENS, Key
from recommender.answers.messages import Notice, Problem
from recommender.answers.vocabulary import KEYS

MAX_VALUES = 10  # of one repeating key
MAX_TEXT = 500  # characters of a remark
MAX_SHOWN = 60  # characters of a bad answer that a message repeats


@dataclass(frozen=True)
class Answers:
    """The good answers as canonical texts, and what is to be said about the others."""

    values: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    notices: tuple[Notice, ...] = ()

    @property
    def hypotheses(self) -> frozenset[str]:
        return frozenset(self.several("hypothesis"))

    def one(self, key: str) -> str | None:
        value = self.values.get(key)
        return value if isinstance(value, str) or value is None else value[0]

    def several(self, key: str) -> tuple[str, ...]:
        value = self.values.get(key, ())
        return (value,) if isinstance(value, str) else value

    def interval(self, key: str) -> Interval | None:
        value = self.one(key)
        return None if value is None else parse_interval(value)

    def as_query(self) -> list[tuple[str, str]]:
        """Return the answers as pairs in the questionnaire's order, for canonical addresses."""
        return [(key, value) for key in KEYS if key in self.values for value in self.several(key)]

    def without(self, key: str) -> "Answers":
        return replace(self, values={name: value for name, value in self.values.items() if name != key})

    def with_values(self, **changes: Any) -> "Answers":
        return parse({**self.values, **changes})


def parse(mapping: Any) -> Answers:
    """Return what was understood of `mapping`, a key to a text, a number or a list of them."""
    if not isinstance(mapping, Mapping):
        return Answers(problems=(Problem("answers", "not_an_object"),))
    values: dict[str, str | tuple[str, ...]] = {}
    problems, notices = [], []
    for name in mapping:
        if name not in KEYS:
            notices.append(Notice("unknown_key", (("key", shown(name)),)))
    for name, key in KEYS.items():
        texts = _texts(mapping.get(name))
        if texts is None:
            problems.append(
                Problem(
                    name,
                    "not_a_number" if key.kind == "number" else "one_value",
                    (("value", shown(mapping[name])),),
                )
            )
            continue
        if not texts:
            continue
        if len(texts) > 1 and not key.repeats:
            problems.append(Problem(name, "one_value"))
            continue
        if len(texts) > (len(KEYS) if name == "hypothesis" else MAX_VALUES):
            problems.append(Problem(name, "too_many", (("maximum", MAX_VALUES),)))
            continue
        good = []
        for text in texts:
            value = checked(key, text)
            if isinstance(value, Problem):
                problems.append(value)
            elif value not in good:
                good.append(value)
        if good:
            values[name] = tuple(sorted(good) if name == "hypothesis" else good) if key.repeats else good[0]
        if good and not (key.used or key.brief_only):
            notices.append(Notice("not_used_yet", (("key", name),)))
    _check_together(values, problems)
    guesses = values.get("hypothesis", ())
    notices += [
        Notice("hypothesis_without_answer", (("key", name),)) for name in guesses if name not in values
    ]
    return Answers(values, tuple(problems), tuple(notices))


def _check_together(values, problems):
    """Report answers that are good alone and impossible together; the later one of the two is dropped."""
    low, high = values.get("temperature_min_c"), values.get("temperature_max_c")
    if low and high and parse_interval(high).high < parse_interval(low).low:
        problems.append(
            Problem(
                "temperature_max_c",
                "temperatures_reversed",
                (("value", parse_interval(high).high), ("minimum", parse_interval(low).low)),
            )
        )
        del values["temperature_max_c"]
    total, active = values.get("parameters_b"), values.get("active_parameters_b")
    if total and active and parse_interval(active).high > parse_interval(total).high:
        problems.append(
            Problem(
                "active_parameters_b",
                "active_above_total",
                (("value", parse_interval(active).high), ("maximum", parse_interval(total).high)),
            )
        )
        del values["active_parameters_b"]


def _texts(given: Any) -> list[str] | None:
    """Return the non-empty texts of an answer; None where it is no answer at all, as a nested object is."""
    if given is None:
        return []
    if not isinstance(given, list | tuple):
        given = [given]
    texts = []
    for item in given:
        if isinstance(item, bool):
            texts.append("yes" if item else "no")
        elif isinstance(item, int | float | Decimal):
            try:
                texts.append(f"{Decimal(repr(item) if isinstance(item, float) else item):f}")
            except (InvalidOperation, ValueError):
                texts.append(str(item))
        elif isinstance(item, str):
            if item.strip():
                texts.append(item.strip())
        elif item is not None:
            return None
    return texts


def checked(key: Key, text: str) -> str | Problem:
    """Return the canonical text of one answer, or what is wrong with it."""
    if key.kind == "number":
        return _number_value(key, text)
    if key.name == "hypothesis":
        choices = tuple(KEYS)
        if text not in choices or text == "hypothesis":
            return Problem(key.name, "not_an_answer", (("value", shown(text)),))
        return text
    if key.kind in ("choice", "yes_no"):
        names = [name for name, _label in key.choices]
        if text.lower() not in names:
            return Problem(key.name, "not_a_choice", (("value", shown(text)), ("choices", ", ".join(names))))
        return text.lower()
    if key.kind == "text":
        return _text_value(key, text)
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,99}", text.lower()):
        return Problem(key.name, "not_in_catalog", (("value", shown(text)),))
    return text.lower()


def _text_value(key: Key, text: str) -> str | Problem:
    """Return a remark on one line."""
    line = " ".join(text.split())
    if len(line) > MAX_TEXT:
        return Problem(key.name, "too_long", (("maximum", MAX_TEXT), ("value", len(line))))
    if not line.isprintable():
        return Problem(key.name, "not_text", ())
    return line


def _number_value(key: Key, text: str) -> str | Problem:
    try:
        interval = parse_interval(text)
    except NumberError as error:
        code = "reversed" if error.code == "reversed" or _is_reversed(text) else "not_a_number"
        if error.code == "too_large":
            return _out_of_range(key, text)
        return Problem(key.name, code, (("value", shown(text)),))
    if interval.low < key.minimum or interval.high > key.maximum:
        return _out_of_range(key, text)
    if key.whole and any(end != end.to_integral_value() for end in interval):
        return Problem(key.name, "not_whole", (("value", shown(text)),))
    return canonical(interval)


def _is_reversed(text: str) -> bool:
    """Tell whether this is a range as people type it, its larger end first."""
    try:
        low, high = (signed_number(end) for end in re.split(r"\s*[-–—]\s*", text.strip(), maxsplit=1))
    except (NumberError, ValueError):
        return False
    return low > high


def _out_of_range(key: Key, text: str) -> Problem:
    return Problem(
        key.name,
        "out_of_range",
        (("value", shown(text)), ("minimum", key.minimum), ("maximum", key.maximum)),
    )


def shown(value: Any) -> str:
    """Return a bad answer on one line and short enough to be repeated in a message."""
    text = " ".join("".join(sign if sign.isprintable() else " " for sign in str(value)).split())
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def questions_for(answers: Answers, kind: str = TOKENS) -> list[Key]:
    """Return the questions that matter for the stages given and the kind of work, in order."""
    stages = set(answers.several("stage")) or {"inference"}
    return [
        key
        for key in KEYS.values()
        if key.used and key.name != "hypothesis" and key.stages & stages and kind in key.kinds
    ]
