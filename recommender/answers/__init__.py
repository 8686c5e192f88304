"""The answers' vocabulary: keys, units, limits and choices, and what was understood of the answers given.

One vocabulary serves the questionnaire's addresses, briefs, the API and the command line. Parsing never
loses a good answer because of a bad one: each bad one becomes a Problem of its own, and what is merely
not used is said in a Notice. Values stay canonical texts (plain decimals, ranges `a..b`), so that the
same answers always have the same form.
"""

from recommender.answers.intervals import parse_interval
from recommender.answers.keys import (
    CRITERIA,
    EMBEDDINGS,
    IMAGES,
    LEARNING,
    PRECISIONS,
    SERVING,
    SPEECH,
    STAGES,
    TOKENS,
    VISION,
    WORK_KINDS,
    YES_NO,
    Key,
)
from recommender.answers.messages import NOTICES, PROBLEMS, Notice, Problem
from recommender.answers.parsing import MAX_VALUES, Answers, checked, parse, questions_for, shown
from recommender.answers.vocabulary import KEYS
from recommender.answers.wording import with_unit, written

__all__ = [
    "CRITERIA",
    "EMBEDDINGS",
    "IMAGES",
    "KEYS",
    "LEARNING",
    "MAX_VALUES",
    "NOTICES",
    "PRECISIONS",
    "PROBLEMS",
    "SERVING",
    "SPEECH",
    "STAGES",
    "TOKENS",
    "VISION",
    "WORK_KINDS",
    "YES_NO",
    "Answers",
    "Key",
    "Notice",
    "Problem",
    "checked",
    "parse",
    "parse_interval",
    "questions_for",
    "shown",
    "with_unit",
    "written",
]
