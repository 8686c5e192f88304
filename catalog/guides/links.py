"""Links of guides to pages of the site: by what they show, so that they follow the reader's language."""

import re
from urllib.parse import urlsplit

from django.urls import reverse
from django.utils.translation import gettext

# page:NAME -> view. The recommender's are named as templates name them.
PAGES = {
    "home": "catalog:home",
    "servers": "catalog:server_list",
    "gpus": "catalog:gpu_list",
    "models": "catalog:ai_model_list",
    "measurements": "catalog:result_list",
    "training": "catalog:training",
    "inference": "catalog:inference",
    "edge": "catalog:edge",
    "mixed": "catalog:mixed",
    "work": "catalog:workload_list",
    "glossary": "catalog:glossary",
    "compare": "catalog:compare",
    "guides": "catalog:guide_list",
    "legal": "catalog:legal",
    "calculator": "recommender:calculator",
    "find": "recommender:questionnaire",
    "questions": "recommender:questions",
    "results": "recommender:results",
    "plans": "recommender:plans",
    "measuring": "recommender:measuring",
    "accuracy": "recommender:accuracy",
}
# server:SLUG -> (view, the Reader's kind of subject)
ROWS = {
    "server": ("catalog:server", "server"),
    "gpu": ("catalog:gpu", "gpu"),
    "model": ("catalog:ai_model", "ai_model"),
    "work": ("catalog:workload", "workload"),
}
LINK = re.compile(r"(?P<kind>[a-z]+):(?P<name>[^?#/]*)(?P<rest>[?#].*)?\Z")
HTTP = ("http", "https")


def resolve(href, guides):
    """Return the address that a link of a text leads to in the active language; "" where there is none now.

    Args:
        guides: {key: slug} of the guides that readers of the active language can open.
    """
    found = LINK.match(href)
    if not found or urlsplit(href).scheme in (*HTTP, "mailto"):
        return href if href.startswith("#") or urlsplit(href).scheme in (*HTTP, "mailto") else ""
    kind, name, rest = found["kind"], found["name"], found["rest"] or ""
    if kind == "page" and name in PAGES:
        return reverse(PAGES[name]) + rest
    if kind == "guide":
        return reverse("catalog:guide", args=[guides[name]]) + rest if name in guides else ""
    if kind in ROWS and name:
        return reverse(ROWS[kind][0], args=[name]) + rest
    return ""


def problem(href, anchors, subjects, guide_keys):
    """Return what is wrong with a link for its author, "" where nothing is.

    Args:
        anchors: those of the text.
        subjects: {kind: slugs} of the published rows that the text's links name.
        guide_keys: of every guide.
    """
    scheme = urlsplit(href).scheme
    if href.startswith("#"):
        if href[1:] in anchors:
            return ""
        return gettext("There is no heading with the anchor “%(anchor)s”.") % {"anchor": href[1:]}
    if scheme in HTTP:
        return (
            "" if urlsplit(href).hostname else gettext("The address “%(href)s” has no host.") % {"href": href}
        )
    if scheme == "mailto":
        return ""
    found = LINK.match(href)
    if not found or found["kind"] not in ("page", "guide", *ROWS):
        return gettext(
            "“%(href)s” is no link that a guide can carry: write page:…, server:…, gpu:…, model:…, work:…, "
            "guide:…, an anchor of this text or a full https address."
        ) % {"href": href}
    kind, name = found["kind"], found["name"]
    known = {"page": PAGES, "guide": guide_keys}.get(kind)
    if known is None:
        known = subjects[ROWS[kind][1]]
    if name in known:
        return ""
    return gettext("The link “%(href)s” leads nowhere: nothing published has that name.") % {"href": href}


def named_rows(hrefs):
    """Return the slugs that links name, whatever their kind."""
    found = (LINK.match(href) for href in hrefs)
    return {match["name"] for match in found if match and match["kind"] in ROWS}
