"""Canonical addresses: links carry plain decimals, forms carry what the reader typed.

A form that sends numbers by GET has a hidden field `lang` with the language of the page it was filled in on:

    <input type="hidden" name="lang" value="{{ LANGUAGE_CODE }}">

Its view starts with

    if (redirect := canonical_redirect(request, NUMBER_KEYS)):
        return redirect

and reads canonical numbers from then on (`numbers.parse_canonical`). A field shows a canonical value in the
reader's way by `numbers.as_typed`. What was understood is seen: `1.500` typed in Spanish comes back as 1500.
"""

import re

from django.conf import settings
from django.http import HttpResponseRedirect, QueryDict
from django.utils.translation import get_language, gettext_lazy as _

from aiservers.numbers import NumberError, as_typed, canonical, parse_range

NUMBER_ERRORS = {
    "empty": _("Enter a number."),
    "malformed": _("This is not a number. Write it like 1500 or 1.5, or a range like 8000..32000."),
    "negative": _("The number cannot be below zero."),
    "not_finite": _("Enter a finite number."),
    "too_large": _("This number is too large."),
    "reversed": _("The range ends before it begins. Write the smaller number first."),
}


_MINUS = re.compile(r"\s*[-\N{MINUS SIGN}\N{HYPHEN}\N{NON-BREAKING HYPHEN}]\s*(?=[0-9.,])")


def canonical_redirect(request, number_keys, signed_keys=()):
    """Return the redirect from a form's address to the canonical one, or None where there is no `lang` in it.

    Values of `number_keys` become canonical numbers or ranges, those of `signed_keys` numbers that may be
    below zero; empty values go; everything else stays, in its order. A number that cannot be read stays as it
    was typed: the page shows its message beside it.
    """
    if "lang" not in request.GET:
        return None
    typed_in = request.GET["lang"]
    language = typed_in if typed_in in dict(settings.LANGUAGES) else get_language()
    query = canonical_query(request.GET, number_keys, language, signed_keys)
    address = f"{request.path}?{query.urlencode()}" if query else request.path
    return HttpResponseRedirect(address, max_length=None)  # no longer than what the reader sent


def canonical_query(query, number_keys, language, signed_keys=()):
    """Return a copy of a form's QueryDict as canonical addresses carry it."""
    result = QueryDict(mutable=True)
    for key, values in query.lists():
        if key == "lang":
            continue
        for value in values:
            if key in number_keys:
                value = canonical_text(value, language)
            elif key in signed_keys:
                value = signed_text(value, language)
            if value.strip():
                result.appendlist(key, value)
    return result


def canonical_text(text, language):
    """Return a typed number or range in its canonical form, or the text itself where it is neither."""
    try:
        return canonical(parse_range(text, language))
    except NumberError:
        return text


def signed_text(text, language):
    """Return a typed number that may be below zero in its canonical form, or the text where it is none."""
    minus = _MINUS.match(text)
    return f"-{canonical_text(text[minus.end() :], language)}" if minus else canonical_text(text, language)


def signed_as_typed(text, language):
    """Write a canonical number that may be below zero as it stands in a field of that language."""
    return f"-{as_typed(text[1:], language)}" if text.startswith("-") else as_typed(text, language)
