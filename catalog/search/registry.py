"""Which kinds of pages are found, and what each says about its rows.

A kind registers itself by `index.register(KIND)` in an `AppConfig.ready`; no query there.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from django.db.models import Model, QuerySet

# How much a token says about its page. Who types what a kind is called means the kind (KIND_WORD).
KIND_WORD, NAME, ALIAS, FIGURE, KEYWORD, PROSE, NOTE = 120, 100, 60, 40, 20, 10, 8
PART = 30  # digits of a name's number
# The same token typed loosely counts so little that a real one always stands before it.
LOOSE_SHARE, LOOSE_BELOW = 20, 8


@dataclass(frozen=True)
class Text:
    """A text that a page is found by.

    `language` is "" for names and figures, which are the same in all languages. What a name holds is found in
    any spelling; an `anchored` one only from its beginning ("8 H100": not by its H100).
    """

    text: str
    weight: int
    language: str = ""
    is_name: bool = False
    anchored: bool = False


@dataclass(frozen=True)
class Result:
    """One line of the result page: where it leads, a few facts, a sentence or none."""

    title: str
    url: str
    facts: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class Kind:
    """One kind of page.

    `visible` are the rows that readers may see at this moment, where those are fewer than `rows`: what will
    be public at its time has its tokens before.

    `rows` returns the published rows in the order that equal matches keep; `texts` what one of them is found
    by; `shown` the rows as the result page reads them (`rows` where it is not given); `result` one line of
    it, in the active language. `touched_by` names the tables whose rows change these texts, each with the
    look-up that leads to them from this kind's table.
    """

    name: str
    label: str
    model: type[Model]
    rows: Callable[[], QuerySet]
    texts: Callable[[Model], Iterable[Text]]
    result: Callable[[Model], Result]
    shown: Callable[[], QuerySet] | None = None
    visible: Callable[[], QuerySet] | None = None
    touched_by: Mapping[type[Model], str] = field(default_factory=dict)


_kinds: dict[str, Kind] = {}


def add(kind):
    """Keep a kind; one that is registered again replaces itself."""
    _kinds[kind.name] = kind


def kinds():
    """Return every kind in the order of registration."""
    return list(_kinds.values())


def kind_named(name):
    """Return a kind by its name, None where there is none."""
    return _kinds.get(name)


def touched(model):
    """Return [(kind, look-up)]: the kinds whose rows have tokens that a row of this table changes."""
    own = [(kind, "pk") for kind in _kinds.values() if kind.model is model]
    return own + [(kind, kind.touched_by[model]) for kind in _kinds.values() if model in kind.touched_by]
