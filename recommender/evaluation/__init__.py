"""Measured cases against the sizing code of the site: how far its figures are off, said by itself."""

from recommender.evaluation.cases import UnreadableFile, read
from recommender.evaluation.left_out import leave_out
from recommender.evaluation.run import Report, compared, evaluate, language_model_parts, parts_compared
from recommender.evaluation.scores import score

__all__ = [
    "Report",
    "UnreadableFile",
    "compared",
    "evaluate",
    "language_model_parts",
    "leave_out",
    "parts_compared",
    "read",
    "score",
]
