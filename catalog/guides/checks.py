"""Mistakes in a guide's text, each with its line: what stops it from being published, and what to look at."""

import re
from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from catalog.glossary import MARK
from catalog.guides import links, markdown, numbers, reading
from catalog.guides.blocks import Shown
from catalog.models import GlossaryTerm, Guide
from catalog.models.guides import MAX_BODY

TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


@dataclass(frozen=True, order=True)
class Problem:
    """Something wrong on a line (0: with the whole of it). A warning does not stop a text."""

    line: int
    text: str
    is_error: bool = True
    field: str = "body"  # title, summary or body


def check_guide(guide, language, guide_keys=()):
    """Return the Problems of a guide's text as it is written in a language.

    Args:
        guide_keys: of guides that come in together with this one.
    """
    text = guide.text(language)
    missing = {"title": gettext("The title is missing."), "body": gettext("The text is missing.")}
    if guide.kind == Guide.Kind.GUIDE:
        missing["summary"] = gettext("The summary is missing.")
    found = [Problem(0, message, field=name) for name, message in missing.items() if not text[name].strip()]
    return [*found, *check(text["body"], text["summary"], guide_keys)]


def check(body, summary="", guide_keys=()):
    """Return the Problems of a Markdown text in the order of its lines, in the active language."""
    if len(body) > MAX_BODY:
        message = ngettext(
            "The text has %(length)s characters; %(most)s is the most. Make two guides of it.",
            "The text has %(length)s characters; %(most)s are the most. Make two guides of it.",
            MAX_BODY,
        ) % {"length": len(body), "most": MAX_BODY}
        return [Problem(0, message)]
    document = markdown.parse(body)
    found = [Problem(line, message) for line, message in document.problems]
    reader = reading.Reader()
    hrefs = [href for href, _line in document.links]
    for slug in links.named_rows(hrefs):
        reader.want(slug)
    shown = reading.show_all(document.calls, reader)
    for call in document.calls:
        made = shown[call.key]
        if isinstance(made, Shown):
            found += [Problem(call.line, message) for message in made.warnings]
        else:
            found.append(Problem(call.line, str(made) or type(made).__name__))
    found += _links(document, reader, guide_keys)
    found += _terms(document, summary)
    found += [Problem(line, message, is_error=False) for line, message in numbers.doubtful(document, reader)]
    found += _html(document)
    return sorted(set(found))


def _html(document):
    for text, line in document.sentences:
        if found := TAG.search(text):
            message = gettext("HTML is shown as text: “%(tag)s”. Write Markdown.") % {"tag": found.group()}
            yield Problem(line, message)


def _links(document, reader, keys):
    anchors = {heading.anchor for heading in document.headings}
    guide_keys = set(keys)
    if any(href.startswith("guide:") for href, _line in document.links):
        guide_keys.update(Guide.objects.values_list("key", flat=True))
    subjects = reader.known()
    for href, line in document.links:
        if message := links.problem(href, anchors, subjects, guide_keys):
            yield Problem(line, message)


def _terms(document, summary):
    marked = [(slug, line, "body") for slug, line in document.terms]
    marked += [(found["slug"], 0, "summary") for found in MARK.finditer(summary)]
    if not marked:
        return
    known = set(GlossaryTerm.objects.published().values_list("slug", flat=True))
    for slug, line, field in marked:
        if slug not in known:
            message = gettext("The glossary has no published term “%(slug)s”.") % {"slug": slug}
            yield Problem(line, message, field=field)
