"""What one question is: its key, kind, unit, limits and choices, and for which work it matters."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from recommender.answers import wording
from recommender.answers.intervals import parse_interval

STAGES = ("training", "fine_tuning", "inference", "mixed", "development")
PRECISIONS = ("auto", "fp32", "bf16", "fp16", "fp8", "int8", "int4", "fp4")
CRITERIA = (
    "throughput",
    "latency",
    "concurrency",
    "availability",
    "running_cost",
    "headroom",
    "footprint",
    "growth",
)

TOKENS, VISION, SPEECH, IMAGES, EMBEDDINGS = WORK_KINDS = (
    "tokens",
    "vision",
    "speech",
    "images",
    "embeddings",
)


@dataclass(frozen=True, slots=True)
class Key:
    """One question: what may be answered, in which unit, and why it is asked."""

    name: str
    kind: str  # number, yes_no, choice, slug, text
    label: Promise
    why: Promise
    group: str
    unit: str = ""
    unit_label: Promise | str = ""
    minimum: Decimal | None = None
    maximum: Decimal | None = None
    whole: bool = False
    choices: tuple[tuple[str, Promise | str], ...] = ()
    repeats: bool = False
    used: bool = True
    brief_only: bool = False  # goes into the brief and never changes the order
    note: Promise | str = ""  # what everybody who answers has to know
    typical: Promise | str = ""  # a canonical number or range, or a text where the unit is not the key's
    stages: frozenset[str] = frozenset(STAGES)
    kinds: frozenset[str] = frozenset(WORK_KINDS)

    @property
    def signed(self) -> bool:
        return self.minimum is not None and self.minimum < 0

    @property
    def typical_text(self) -> str:
        """Return what is usual with its unit, "" where nothing is."""
        if not isinstance(self.typical, str) or not self.typical:
            return str(self.typical)
        return wording.written(self, parse_interval(self.typical))


SERVING = frozenset({"inference", "mixed", "development"})
LEARNING = frozenset({"training", "fine_tuning", "mixed"})
ONLY_TOKENS = frozenset({TOKENS})
YES_NO = (("yes", _("Yes")), ("no", _("No")))


def number(
    name: str,
    low: float,
    high: float,
    label: Promise,
    why: Promise,
    group: str,
    unit: str = "",
    unit_label: Promise | str = "",
    **more: Any,
) -> Key:
    """Return a question answered by a number or a range from `low` to `high` in its unit."""
    return Key(
        name,
        "number",
        label,
        why,
        group,
        unit=unit,
        unit_label=unit_label,
        minimum=Decimal(str(low)),
        maximum=Decimal(str(high)),
        **more,
    )


def choice(
    name: str,
    choices: Iterable[tuple[str, Promise | str]],
    label: Promise,
    why: Promise,
    group: str,
    **more: Any,
) -> Key:
    """Return a question answered by one of `choices`, or by several where it repeats."""
    return Key(name, "choice", label, why, group, choices=tuple(choices), **more)


def yes_no(name: str, label: Promise, why: Promise, group: str, **more: Any) -> Key:
    """Return a question answered by yes or no."""
    return Key(name, "yes_no", label, why, group, choices=YES_NO, **more)
