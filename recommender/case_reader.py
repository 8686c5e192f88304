"""Answers read in order of precedence: given ones, typical ones of the kind of work, our own defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aiservers.numbers import Interval
from recommender.answers import Answers, parse_interval
from recommender.case_defaults import LOW_IS_HARDER


@dataclass(frozen=True, slots=True)
class Assumption:
    """What was reckoned with: a canonical value, where it comes from, and where its reason is found."""

    key: str
    value: str
    origin: str  # given, hypothesis, profile, default
    source: str = ""  # slug of the profile, or the code of a default's reason


@dataclass(frozen=True, slots=True)
class Preset:
    """The typical values of one kind of work."""

    slug: str
    stage: str
    values: dict[str, str]


@dataclass
class Reader:
    """Reads answers in order of precedence and keeps what was used."""

    answers: Answers
    presets: tuple[Preset, ...]
    defaults: Mapping[str, str]
    assumptions: dict[str, Assumption] = field(default_factory=dict)

    def given(self, key: str) -> bool:
        return key in self.answers.values

    def find(self, key: str) -> Assumption | None:
        """Return what stands for the answer, without noting it as used."""
        if self.given(key):
            values = self.answers.several(key)
            origin = "hypothesis" if key in self.answers.hypotheses else "given"
            return Assumption(key, ", ".join(values), origin)
        for preset in self.presets:
            if key in preset.values:
                return Assumption(key, preset.values[key], "profile", preset.slug)
        if key in self.defaults:
            return Assumption(key, self.defaults[key], "default", key)
        return None

    def text(self, key: str) -> str | None:
        found = self.find(key)
        if found is not None:
            self.assumptions.setdefault(key, found)
        return None if found is None else found.value

    def interval(self, key: str) -> Interval | None:
        text = self.text(key)
        return None if text is None else parse_interval(text)

    def ends(self, key: str) -> tuple[float, float] | None:
        """Return the harder and the easier end, as floats."""
        interval = self.interval(key)
        if interval is None:
            return None
        low, high = float(interval.low), float(interval.high)
        return (low, high) if key in LOW_IS_HARDER else (high, low)

    def note(self, key: str, value: str, origin: str, source: str) -> None:
        self.assumptions[key] = Assumption(key, value, origin, source)


def noted(reader: Reader, key: str, place: int) -> float:
    """Return an end of an answer, a shortened stand-in before the usual one."""
    if key in reader.assumptions:
        interval = parse_interval(reader.assumptions[key].value)
        ends = (float(interval.high), float(interval.low))
        return ends[::-1][place] if key in LOW_IS_HARDER else ends[place]
    ends = reader.ends(key)
    assert ends is not None
    return ends[place]
