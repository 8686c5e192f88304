"""Words that lead to the glossary: where an author marks one, `[[kv-cache]]` or `[[kv-cache|the cache]]`."""

import re
import unicodedata

from django.apps import apps
from django.core.cache import cache
from django.urls import reverse
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import mark_safe
from django.utils.translation import get_language

from catalog import versions

MARK = re.compile(r"\[\[(?P<slug>[a-z0-9]+(?:[-_.][a-z0-9]+)*)(?:\|(?P<words>[^\[\]|]{1,120}))?\]\]")
BRACKETS = re.compile(r" \([^()]*\)$")
CACHE_SECONDS = 24 * 3600
MAX_RELATED = 6


def names():
    """Return {slug: name} of the published terms in the active language; a query once per catalog version."""
    key = f"glossary:{versions.current()}:{get_language()}"
    found = cache.get(key)
    if found is None:
        rows = apps.get_model("catalog", "GlossaryTerm").objects.published()
        found = {row.slug: row.name for row in rows if row.name}
        cache.set(key, found, CACHE_SECONDS)
    return found


def linked(text, *, here=False):
    """Return a text, escaped, with its marked words as links to their terms.

    A mark whose term is not published keeps its words alone. `here`: the text stands on the glossary's page.
    """
    escaped = str(conditional_escape(text or ""))
    if "[[" not in escaped:
        return mark_safe(escaped)
    known = names()
    page = "" if here else reverse("catalog:glossary")

    def link(found):
        # What comes from the text is escaped already; a name is not.
        words = mark_safe(found["words"]) if found["words"] else inside(_name(found["slug"], known))
        if found["slug"] not in known:
            return str(conditional_escape(words))
        return format_html('<a class="term" href="{}#{}">{}</a>', page, found["slug"], words)

    return mark_safe(MARK.sub(link, escaped))


def plain(text):
    """Return a text with the words of its marks and no links: for titles, descriptions, files and search."""
    if "[[" not in (text or ""):
        return text or ""
    known = names()
    return MARK.sub(lambda found: found["words"] or inside(_name(found["slug"], known)), text)


def unmarked(text):
    """Return a text whose marks have given way to their words, or to the term's slug as words; no query."""
    return MARK.sub(lambda found: found["words"] or found["slug"].replace("-", " "), text or "")


def _name(slug, known):
    return known.get(slug, slug)


def inside(name):
    """Return a name as it stands inside a sentence: "KV cache", "mixture of experts", "Infinity Fabric".

    What follows in brackets is left out, and an ordinary word loses its capital; a name that has capitals
    elsewhere in its words keeps them all.
    """
    words = BRACKETS.sub("", name)
    first, *others = words.split(" ")
    is_ordinary = first[1:] == first[1:].lower() and first[1:].isalpha()
    has_names = any(word[:1].isupper() and word[1:2].islower() for word in others)
    return words[:1].lower() + words[1:] if is_ordinary and not has_names else words


def alphabetical(name):
    """Return a key that orders words as the dictionaries of their languages do, Latin letters first.

    ё is ordered as е, and ñ stands after n; other accents and marks at the start do not count.
    """
    letters = name.casefold().replace("ё", "е").replace("ñ", "n\uffff").replace("й", "и\uffff")
    plain_letters = "".join(
        letter for letter in unicodedata.normalize("NFKD", letters) if not unicodedata.combining(letter)
    )
    return plain_letters.lstrip(" «“\"'("), name


def by_subject():
    """Return the glossary as [(subject, entries)], each in alphabetical order; one query for the terms.

    An entry is {term, definition, related}: the definition with its links, and the terms that lead here
    without being named in it, at most `MAX_RELATED`.
    """
    model = apps.get_model("catalog", "GlossaryTerm")
    rows = [row for row in model.objects.published() if row.name]
    rows.sort(key=lambda row: alphabetical(row.name))
    led_from = {}
    for row in rows:
        for slug in row.mentions:
            led_from.setdefault(slug, []).append(row)
    entries = {}
    for row in rows:
        related = [other for other in led_from.get(row.slug, []) if other.slug not in row.mentions]
        entries.setdefault(row.subject, []).append(
            {
                "term": row,
                "definition": linked(row.definition, here=True),
                "related": related[:MAX_RELATED],
            }
        )
    return [(subject, entries[subject.value]) for subject in model.Subject if subject.value in entries]
