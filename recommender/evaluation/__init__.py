"""Measured cases against the sizing code of the site: how far its figures are off, said by itself."""

from recommender.evaluation.cases import UnreadableFile, read
from recommender.evaluation.run import Report, compared, evaluate
from recommender.evaluation.scores import score

__all__ = ["Report", "UnreadableFile", "compared", "evaluate", "read", "score"]
