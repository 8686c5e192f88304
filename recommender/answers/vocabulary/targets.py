"""The times that people notice."""

from django.utils.translation import gettext_lazy as _

from recommender.answers.keys import (
    ONLY_TOKENS,
    SERVING,
    number,
    yes_no,
)
from recommender.answers.vocabulary.units import MS

QUESTIONS = [
    number(
        "ttft_ms",
        1,
        3_600_000,
        _("How soon must the first word come?"),
        _("A target that you give is a rule; without one it only orders the results."),
        "targets",
        "ms",
        MS,
        typical="300..3000",
        stages=SERVING,
        kinds=ONLY_TOKENS,
    ),
    number(
        "tpot_ms",
        0.1,
        60_000,
        _("How much time may each further token take?"),
        _("People read about four words a second: a token takes them 100 to 200 ms, by language."),
        "targets",
        "ms",
        MS,
        typical="15..100",
        stages=SERVING,
        kinds=ONLY_TOKENS,
    ),
    yes_no(
        "queue_ok",
        _("May requests wait at the peak?"),
        _("Waiting a moment at the peak can save a card."),
        "targets",
        stages=SERVING,
        kinds=ONLY_TOKENS,
    ),
    number(
        "queue_seconds",
        0,
        86_400,
        _("How long may requests wait at the peak?"),
        _("The longer the wait, the fewer requests have to run at once."),
        "targets",
        "s",
        _("s"),
        typical="0..30",
        stages=SERVING,
        kinds=ONLY_TOKENS,
    ),
]
