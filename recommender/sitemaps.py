"""Sections of the sitemap: the pages of the accuracy of each figure."""

from django.conf import settings
from django.urls import reverse

from aiservers.sitemaps import LanguageSitemap
from recommender import accuracy, accuracy_texts


class AccuracySitemap(LanguageSitemap):
    """The figures that were predicted at least once."""

    def items(self):
        stored = accuracy.stored(accuracy.stored_file(settings.BASE_DIR / "fixtures"))
        return [key for key, found in stored.figures.items() if found["cases"]] if stored else []

    def location(self, item):
        family, figure = item
        kwargs = {"family": family, "figure": accuracy_texts.slug(figure)}
        return reverse("recommender:accuracy_figure", kwargs=kwargs)
