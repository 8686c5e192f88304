"""The guides' kind of page: each language of a guide is found by its own words, from its time on."""

from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from catalog import glossary
from catalog.guides import markdown
from catalog.models import GuideEdition
from catalog.search.registry import ALIAS, NAME, NOTE, PROSE, Kind, Result, Text


def guide_texts(edition):
    language = edition.language
    yield Text(edition.title, NAME, language, is_name=True)
    for words in edition.search_words.replace("\n", ",").split(","):
        if words.strip():
            yield Text(words.strip(), ALIAS, language, is_name=True)
    yield Text(glossary.unmarked(edition.summary), PROSE, language)
    document = markdown.parse(edition.body)
    yield Text(" ".join(heading.text for heading in document.headings), PROSE, language)
    yield Text(" ".join(text for text, _line in document.sentences), NOTE, language)


def guide_result(edition):
    return Result(
        edition.title,
        reverse("catalog:guide", args=[edition.slug]),
        (capfirst(edition.guide.get_topic_display()),),
        glossary.plain(edition.summary),
    )


GUIDE = Kind(
    name="guide",
    label=_("Guides"),
    model=GuideEdition,
    rows=lambda: GuideEdition.objects.lasting().guides().order_by("guide__topic", "guide__key", "pk"),
    texts=guide_texts,
    visible=lambda: GuideEdition.objects.live().guides().order_by("guide__topic", "guide__key", "pk"),
    shown=lambda: GuideEdition.objects.live().guides().select_related("guide").defer("body"),
    result=guide_result,
)
