"""GPUs that a sentence names, as links to their pages."""

import re

from django.urls import reverse
from django.utils.html import format_html, format_html_join

from catalog.models import GPU

_WORD = re.compile(r"\w+(?:-\w+)*")


def linked(text, own):
    """Return a text with the names of published GPUs as links; one query where there is a text.

    A name may leave out the maker and what follows, as "H200 NVL" does; one that several GPUs bear ("H100")
    stays as it is, and so does that of the page's own GPU.

    Args:
        own: the GPU whose page it is.
    """
    if not text:
        return ""
    gpus = [(f" {name} ", slug) for name, slug in GPU.objects.published().values_list("name", "slug")]
    words, parts, done, start = list(_WORD.finditer(text)), [], 0, 0
    while start < len(words):
        end, bearers = _longest(text, words, start, gpus)
        if len(bearers) == 1 and bearers != [own.slug]:
            name = text[words[start].start() : words[end - 1].end()]
            link = format_html('<a href="{}">{}</a>', reverse("catalog:gpu", args=bearers), name)
            parts += [(text[done : words[start].start()],), (link,)]
            done = words[end - 1].end()
        start = end
    return format_html_join("", "{}", [*parts, (text[done:],)])


def _longest(text, words, start, gpus):
    """Return (where the longest name that begins at a word ends, slugs of the GPUs that bear it)."""
    end, bearers = start + 1, []
    for stop in range(start + 1, len(words) + 1):
        name = text[words[start].start() : words[stop - 1].end()]
        found = [slug for own_name, slug in gpus if f" {name} " in own_name]
        if not found:
            break
        if any(character.isdigit() for character in name) and name[0].isalpha():
            end, bearers = stop, found
    return end, bearers
