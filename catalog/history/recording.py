"""Notes every change of a followed table while a record is open, and writes them down as one revision."""

from collections import defaultdict
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.db import models, transaction
from django.db.models.signals import m2m_changed, post_save, pre_delete, pre_save
from django.utils import translation

from catalog.history.states import path, state
from catalog.models.history import Change, Revision

_open = ContextVar("open_record", default=None)
_followed = set()


@dataclass
class Touched:
    """A row that was saved or deleted: how it was at first, and what it is called."""

    before: dict | None  # None: it was not there
    is_gone: bool = False
    path: str = ""
    name: str = ""


class Record:
    """What one act does, from its begin to its end."""

    def __init__(self, user, why, means, by):
        self.user = user if user is not None and user.is_authenticated else None
        self.why = why
        self.means = means
        self.by = by
        self.revision = None  # written at the end, where something changed
        self._rows = {}  # (model, pk) -> Touched
        self._notes = {}  # (model, pk) -> {name: [before, after]}
        self._paths = {}

    def before(self, model, pk):
        """Keep how a row is now, before its first change."""
        if pk is not None and (model, pk) not in self._rows:
            row = model._base_manager.filter(pk=pk).first()
            self._rows[model, pk] = Touched(state(row) if row else None)

    def saved(self, row):
        """Note a row that was written; a new one had no number before."""
        touched = self._rows.setdefault((type(row), row.pk), Touched(None))
        touched.is_gone = False

    def note(self, row, name, before, after):
        """Note what becomes of a row beside its columns; of several steps the first and the last count."""
        self.before(type(row), row.pk)
        noted = self._notes.setdefault((type(row), row.pk), {})
        noted[name] = [noted[name][0] if name in noted else before, after]

    def deletes(self, row):
        """Keep all that a row is before it goes, and how it was before the first change of this act."""
        self.before(type(row), row.pk)
        touched = self._rows[type(row), row.pk]
        touched.is_gone = True
        touched.path, touched.name = path(row, self._paths), self._name(row)

    def write(self):
        """Write the revision and its changes down; nothing where all is as before."""
        by_table = defaultdict(dict)
        for (model, pk), touched in self._rows.items():
            by_table[model][pk] = touched
        changes = [
            change for model, rows in by_table.items() for change in self._changes_of(model, rows) if change
        ]
        if not changes:
            return
        self.revision = Revision.objects.create(
            user=self.user,
            made_by=self.user.get_username() if self.user else self.by,
            means=self.means,
            why=self.why.strip(),
        )
        for change in changes:
            change.revision = self.revision
        Change.objects.bulk_create(changes)

    def _changes_of(self, model, rows):
        kind = ContentType.objects.get_for_model(model)
        kept = [pk for pk, touched in rows.items() if not touched.is_gone]
        now = model._base_manager.fetch_mode(models.FETCH_PEERS).in_bulk(kept)
        for pk, touched in rows.items():
            row = now.get(pk)
            before, after = touched.before or {}, state(row) if row else {}
            values = {
                name: [before.get(name), after.get(name)]
                for name in (after or before)
                if before.get(name) != after.get(name)
            }
            noted = self._notes.get((model, pk), {})
            values |= {name: pair for name, pair in noted.items() if pair[0] != pair[1]}
            if not values:
                continue
            action = Change.Action.CHANGED
            if not (before and after):
                action = Change.Action.ADDED if after else Change.Action.DELETED
            yield Change(
                content_type=kind,
                object_id=pk,
                path=path(row, self._paths) if row else touched.path,
                name=self._name(row) if row else touched.name,
                action=action,
                values=values,
            )

    def _name(self, row):
        with translation.override("en"):  # kept in one language, whoever edits
            name = getattr(row, "history_name", None) or str(row)
            return name[: Change._meta.get_field("name").max_length]


@contextmanager
def recording(user=None, why="", *, means=Revision.Means.FORM, by=""):
    """Make one revision of all that changes inside; a record inside another one joins it.

    `by` names a command where nobody is signed in. The changes and their record are one transaction.
    """
    outer = _open.get()
    if outer is not None:
        outer.why = outer.why or why
        yield outer
        return
    record = Record(user, why, means, by)
    with transaction.atomic():
        token = _open.set(record)
        try:
            yield record
        finally:
            _open.reset(token)
        # What is taken back leaves no entry.
        if not transaction.get_rollback():
            record.write()


def added(rows):
    """Note rows that went in at once, past `save()`."""
    record = _open.get()
    if record is not None:
        for row in rows:
            record.saved(row)


def note(row, name, before, after):
    """Note a step of a row that is no column of it: restoring leaves it as it is.

    The row's table says by `history_notes()` how it is shown.
    """
    record = _open.get()
    if record is not None:
        record.note(row, name, before, after)


def forget(row):
    """Delete what is recorded about a row and its parts: a person asked for it."""
    Change.objects.filter(path__startswith=path(row)).delete()
    Revision.objects.filter(changes=None).delete()


def follow(model):
    """Record the changes of a table from now on."""
    _followed.add(model)
    uid = f"history_{model._meta.label}"
    pre_save.connect(_before_save, sender=model, dispatch_uid=uid)
    post_save.connect(_after_save, sender=model, dispatch_uid=uid)
    pre_delete.connect(_before_delete, sender=model, dispatch_uid=uid)
    for field in model._meta.many_to_many:
        through = field.remote_field.through
        m2m_changed.connect(_before_links, sender=through, dispatch_uid=f"{uid}_{field.name}")


def is_followed(model):
    return model in _followed


def connect():
    """Follow every table of facts."""
    from catalog.models.base import Fact

    for model in apps.get_app_config("catalog").get_models():
        if issubclass(model, Fact):
            follow(model)


def _before_save(sender, instance, **kwargs):
    if record := _open.get():
        record.before(sender, instance.pk)


def _after_save(sender, instance, **kwargs):
    if record := _open.get():
        record.saved(instance)


def _before_links(sender, instance, action, reverse, model, pk_set, **kwargs):
    record = _open.get()
    if record is None or not action.startswith("pre_"):
        return
    if not reverse:
        record.before(type(instance), instance.pk)
    elif pk_set:
        for pk in pk_set:
            record.before(model, pk)


def _before_delete(sender, instance, **kwargs):
    """Note a row that goes, and the rows that stay and lose their link to it."""
    record = _open.get()
    if record is None:
        return
    record.deletes(instance)
    for relation in sender._meta.related_objects:
        loses_link = relation.many_to_many or relation.on_delete is models.SET_NULL
        if loses_link and is_followed(relation.related_model):
            pointing = relation.related_model._base_manager.filter(**{relation.field.name: instance})
            for pk in pointing.values_list("pk", flat=True):
                record.before(relation.related_model, pk)
