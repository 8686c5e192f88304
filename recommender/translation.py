"""Which texts of advice exist once per language."""

from modeltranslation.translator import TranslationOptions, register

from recommender.models import RegressionCase


@register(RegressionCase)
class RegressionCaseTranslationOptions(TranslationOptions):
    fields = ["name"]
    empty_values = ""
