"""The catalog version and the content revision: numbers that every change raises in its own transaction.

Facts raise the first, guides and texts of the site the second, since no advice gets older by them.
"""

from contextlib import contextmanager
from contextvars import ContextVar

from django.apps import apps
from django.db.models import Count, F, Subquery, Value
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

_held_back = ContextVar("held_back", default=False)
_wanted = ContextVar("wanted", default=None)
_read_once = ContextVar("read_once", default=None)


def current():
    """Return the catalog version as text; "0" before anything was loaded."""
    return _read()[0]


def content():
    """Return what names the state of guides and texts: their revision, and how many times have come by now.

    It changes when a text does, and at the minute at which one appears or goes.
    """
    return _read()[1]


def changed_at():
    """Return when a fact was last changed; None where that is not known."""
    return _read()[2]


def _read():
    known = _read_once.get()
    if known:
        return known[0]
    now = timezone.now()
    columns = ("number", "content", _passed(publish_at__lte=now), _passed(ended_at__lte=now), "changed_at")
    found = _rows().filter(pk=1).values_list(*columns).first() or (0, 0, 0, 0, None)
    number, *state, changed = found
    row = str(number), ".".join(map(str, state)), changed
    if known is not None:
        known.append(row)
    return row


def _passed(**condition):
    """Return the number of editions that have begun, or ended, as a part of another query."""
    editions = apps.get_model("catalog", "GuideEdition").objects.filter(**condition).order_by()
    counted = editions.values(all=Value(1)).annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted), 0)


def bump():
    """Raise the catalog version. To be called in the transaction that changes the facts."""
    _raise("number", changed_at=Now())


def bump_content():
    """Raise the content revision. To be called in the transaction that changes a guide or a text."""
    _raise("content")


def _raise(column, **values):
    if _held_back.get():
        return
    if (wanted := _wanted.get()) is not None:
        wanted[column] = values
        return
    if known := _read_once.get():
        known.clear()
    if not _rows().filter(pk=1).update(**{column: F(column) + 1}, **values):
        _rows().get_or_create(pk=1, defaults={column: 1, **values})


@contextmanager
def read_once():
    """Keep the version that was read first: all of one page rests on the same catalog."""
    token = _read_once.set([])
    try:
        yield
    finally:
        _read_once.reset(token)


@contextmanager
def raised_once():
    """Raise each number once, at the end, however many rows change inside; nothing of it is read before."""
    wanted = {}
    token = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(token)
    for column, values in wanted.items():
        _raise(column, **values)


@contextmanager
def held_back():
    """Leave the version alone for a while: whoever changes much at once raises it once, at the end."""
    token = _held_back.set(True)
    try:
        yield
    finally:
        _held_back.reset(token)


def is_held_back():
    """Tell whether somebody changes much at once, and brings in line at the end what follows."""
    return _held_back.get()


def _rows():
    return apps.get_model("catalog", "CatalogVersion").objects


def raise_after_delete(sender, **kwargs):
    """Raise the version when a fact goes, alone, in bulk or by cascade, in the deletion's transaction."""
    bump()


def raise_content_after_delete(sender, **kwargs):
    """Raise the content revision when a guide or one of its published texts goes."""
    bump_content()


def connect():
    """Listen to the deletion of every kind of fact, and of guides."""
    from django.db.models.signals import post_delete

    from catalog.models import Guide, GuideEdition
    from catalog.models.base import Fact

    for model in (Guide, GuideEdition):
        post_delete.connect(
            raise_content_after_delete, sender=model, dispatch_uid=f"content_{model.__name__}"
        )

    for model in apps.get_app_config("catalog").get_models():
        if issubclass(model, Fact):
            post_delete.connect(raise_after_delete, sender=model, dispatch_uid=f"version_{model.__name__}")
