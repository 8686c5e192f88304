"""What today's data change in a brief: first place, states, figures and versions, before and after."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from recommender.briefs.document import Document


@dataclass(frozen=True)
class Change:
    """One difference; an empty side means that it was not there."""

    what: str
    before: str
    after: str


def changes(old: Document, new: Document) -> tuple[Change, ...]:
    """Return what differs between two documents of the same language, the most important first."""
    found = [
        Change(gettext("First place"), _first(old), _first(new)),
        *_states(old, new),
        *_ruled_out(old, new),
        *_assumptions(old, new),
        *_figures(old, new),
        Change(gettext("Catalog version"), old.catalog_version, new.catalog_version),
        Change(gettext("Rules version"), old.rules_version, new.rules_version),
    ]
    return tuple(change for change in found if change.before != change.after)


def _first(document: Document) -> str:
    if not document.matches:
        return gettext("none")
    return _name(document.matches[0])


def _name(match: Mapping[str, Any]) -> str:
    return f"{match['server']}, {match['headline']}"


def _states(old: Document, new: Document) -> list[Change]:
    """Compare the listed matches by server and configuration."""
    before, after = (
        {_name(match): f"{match['rank']}, {match['state_label']}" for match in document.matches}
        for document in (old, new)
    )
    return [
        Change(
            gettext("Place and state: %(match)s") % {"match": name}, before.get(name, ""), after.get(name, "")
        )
        for name in [*before, *(name for name in after if name not in before)]
    ]


def _ruled_out(old: Document, new: Document) -> list[Change]:
    before, after = (
        {item["server"]: ", ".join(dict.fromkeys(item["rules"])) for item in document.rejected}
        for document in (old, new)
    )
    return [
        Change(gettext("Ruled out: %(server)s") % {"server": name}, before.get(name, ""), after.get(name, ""))
        for name in sorted({*before, *after})
    ]


def _assumptions(old: Document, new: Document) -> list[Change]:
    before, after = (
        {
            line.key: (line.label, line.value)
            for part in (*document.parts, document.site)
            for line in part.lines
            if part.slug != "acceptance"
        }
        for document in (old, new)
    )
    rows = []
    for key in [*before, *(key for key in after if key not in before)]:
        label = (before.get(key) or after[key])[0]
        rows.append(Change(label, before.get(key, ("", ""))[1], after.get(key, ("", ""))[1]))
    return rows


def _figures(old: Document, new: Document) -> list[Change]:
    """Compare the figures of the matches that both have."""
    before, after = (
        {(_name(match), row["label"]): row["value"] for match in document.matches for row in match["figures"]}
        for document in (old, new)
    )
    names = {name for name, _label in before} & {name for name, _label in after}
    return [
        Change(
            gettext("%(figure)s: %(match)s") % {"figure": label, "match": name},
            before.get((name, label), ""),
            after.get((name, label), ""),
        )
        for name, label in dict.fromkeys([*before, *after])
        if name in names
    ]
