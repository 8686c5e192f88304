"""The staff's pages of sales: briefs, leads, prices, regression cases, and what is kept of a person."""

from recommender.admin import cases, leads, prices

__all__ = ["cases", "leads", "prices"]
