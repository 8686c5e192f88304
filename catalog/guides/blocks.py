"""What can stand in a guide's text and comes from the catalog: a registry.

A kind of block registers itself by `register(Kind(...))` in an `AppConfig.ready`; no query there. Each has
two steps, so that all blocks of a page are read together: `prepare` understands what the author wrote and
tells the Reader what it will need, `show` makes HTML of what was read.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


class BlockError(ValueError):
    """A block says something that cannot be shown; the message is for its author."""


@dataclass(frozen=True)
class Shown:
    """What a block shows.

    `facts` are the figures in it, without words or layout, `changed_at` when the newest of their rows was
    saved: together they tell a real change. `warnings` are for the author: an empty table, a figure that is
    not published.
    """

    html: str
    facts: tuple = ()
    changed_at: datetime | None = None
    warnings: tuple = ()

    @property
    def digest(self):
        return hashlib.sha256(repr(self.facts).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Kind:
    """One kind of block: a fenced block with that name, or `{{ name ... }}` where it is `inline`."""

    name: str
    prepare: Callable[[str, Any], Any]  # (text, Reader) -> what `show` takes
    show: Callable[[Any, Any], Shown]  # (prepared, Reader) -> Shown
    inline: bool = False


@dataclass(frozen=True)
class Call:
    """One block in a text: its kind, what the author wrote in it, and on which line."""

    kind: str
    text: str
    line: int = field(compare=False)
    inline: bool = False

    @property
    def key(self):
        """Return what names the block among those of its page; equal blocks share it."""
        return hashlib.sha256(f"{self.kind}\0{self.inline}\0{self.text}".encode()).hexdigest()[:32]


_kinds: dict[tuple[str, bool], Kind] = {}


def register(kind):
    """Keep a kind; one that is registered again replaces itself."""
    _kinds[kind.name, kind.inline] = kind


def named(name, *, inline):
    """Return a kind by its name, None where there is none."""
    return _kinds.get((name, inline))


def names(*, inline):
    """Return the names of the kinds, sorted."""
    return sorted(name for name, is_inline in _kinds if is_inline == inline)


def options(text, allowed):
    """Return (lines or words before them, {option: value}) of a block's body.

    A line `caption=Words, with spaces & signs` is an option where its name is in `allowed`; other lines
    belong to the query string and are joined.
    """
    query, found = [], {}
    for line in text.splitlines():
        name, is_option, value = line.strip().partition("=")
        if is_option and name in allowed:
            found[name] = value.strip()
        elif line.strip():
            query.append(line.strip().strip("&"))
    return "&".join(query), found
