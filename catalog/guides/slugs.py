"""Names in addresses: ASCII for every alphabet, never empty, never another guide's."""

import re
import unicodedata

from catalog.models.base import CYRILLIC

LONGEST = 80  # characters


def ascii_words(text):
    """Return a text in lower-case ASCII words joined by hyphens; "" where it has no letter or digit."""
    # й has a sign above that NFKD would part from it.
    latin = "".join(CYRILLIC.get(letter, letter) for letter in unicodedata.normalize("NFC", text.lower()))
    plain = unicodedata.normalize("NFKD", latin).encode("ascii", "ignore").decode()
    return "-".join(re.findall(r"[a-z0-9]+", plain))


def slug_of(title):
    """Return the name in addresses that a title gets, cut between words; "" where nothing of it is left."""
    slug = ascii_words(title)
    if len(slug) <= LONGEST:
        return slug
    return slug[: LONGEST + 1].rpartition("-")[0] or slug[:LONGEST]


def owner_of(slug, language, guides, own_pk):
    """Return another guide that has, or once had, this name in its addresses; None: it is free.

    Args:
        guides: the model of guides.
        own_pk: of the guide that wants the name.
    """
    others = guides.objects.exclude(pk=own_pk)
    return (
        others.filter(**{f"slug_{language}": slug}).first()
        or others.filter(addresses__language=language, addresses__slug=slug).first()
    )
