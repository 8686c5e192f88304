"""Links into the glossary, where an author marks a term."""

from django import template

from catalog import glossary

register = template.Library()


@register.filter
def terms(text):
    """Return a text with its marked words, `[[kv-cache]]` or `[[kv-cache|the cache]]`, as links."""
    return glossary.linked(text)


@register.filter
def without_terms(text):
    """Return a text with the words of its marks and no links."""
    return glossary.plain(text)


@register.simple_tag
def term(slug, words=""):
    """Link one term by its name, or by other words: `{% term "ttft" %}`."""
    return glossary.linked(f"[[{slug}|{words}]]" if words else f"[[{slug}]]")
