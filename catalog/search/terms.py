"""The glossary's kind of page: found by its names, its other words and what it says."""

from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from catalog import glossary
from catalog.models import GlossaryTerm
from catalog.search.kinds import LANGUAGES
from catalog.search.registry import ALIAS, NAME, PROSE, Kind, Result, Text


def term_texts(term):
    yield Text(term.slug.replace("-", " "), ALIAS, is_name=True)
    for language in LANGUAGES:
        if name := getattr(term, f"name_{language}"):
            yield Text(name, NAME, language, is_name=True)
        for other in (getattr(term, f"also_{language}") or "").splitlines():
            yield Text(other, ALIAS, language, is_name=True)
        if definition := getattr(term, f"definition_{language}"):
            yield Text(glossary.unmarked(definition), PROSE, language)


def term_result(term):
    url = f"{reverse('catalog:glossary')}#{term.slug}"
    facts = (capfirst(term.get_subject_display()),)
    return Result(term.name or term.slug, url, facts, glossary.plain(term.definition))


TERM = Kind(
    name="term",
    label=_("Glossary"),
    model=GlossaryTerm,
    rows=lambda: GlossaryTerm.objects.published().order_by("slug"),
    texts=term_texts,
    result=term_result,
)
