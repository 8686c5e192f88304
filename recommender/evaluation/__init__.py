"""Measured cases against the sizing code of the site: how far its figures are off, said by itself."""

from recommender.evaluation.cases import UnreadableFile, read
from recommender.evaluation.run import Report, evaluate

__all__ = ["Report", "UnreadableFile", "evaluate", "read"]
