"""Brings rows back to what they were, or back at all, through the same checks as any edit."""

from collections import defaultdict
from dataclasses import dataclass, field

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db import IntegrityError, models, transaction
from django.utils.translation import gettext as _

from catalog import publishing, versions
from catalog.history.reading import Names, label, line
from catalog.history.recording import recording
from catalog.history.states import columns, path, state
from catalog.models.history import Change, Revision
from catalog.search import index

ADD, CHANGE, DELETE = "add", "change", "delete"
ACTIONS = {ADD: Change.Action.ADDED, CHANGE: Change.Action.CHANGED, DELETE: Change.Action.DELETED}


class CannotRestore(Exception):
    """The catalog of today does not take the state of then; says why, in the reader's language."""


@dataclass
class Step:
    """What has to happen to one row."""

    model: type[models.Model]
    pk: int
    path: str
    name: str
    what: str
    values: dict = field(default_factory=dict)  # {column: [now, then]}

    def line(self, names):
        return line(self.model, self.name, ACTIONS[self.what], self.values, names)


@dataclass
class Plan:
    """All steps towards an earlier state, rows that cannot be found, and why some came back as drafts."""

    steps: list
    lost: list
    drafts: dict = field(default_factory=dict)

    def lines(self):
        names = Names()
        return [step.line(names) for step in sorted(self.steps, key=lambda step: step.path)]

    def rights(self):
        """Return the rights that the steps take: {(model, "add", "change" or "delete")}."""
        return {(step.model, step.what) for step in self.steps}

    def without(self, model, names):
        """Leave some columns of a table as they are."""
        for step in self.steps:
            if step.model is model and step.what == CHANGE:
                step.values = {name: pair for name, pair in step.values.items() if name not in names}
        self.steps = [step for step in self.steps if step.what != CHANGE or step.values]
        return self


def plan(row, revision):
    """Return what brings a row and its parts back to the state after a revision (0: before the first)."""
    later = Change.objects.filter(path__startswith=path(row), revision__gt=revision)
    return plan_of(later.select_related("content_type").order_by("-id"))


def plan_of_deleted(change):
    """Return what brings a deleted row back: its parts that went with it, and links that others lost."""
    act = change.revision.changes.select_related("content_type").order_by("-id")
    model = change.content_type.model_class()
    changes = list(act.filter(path__startswith=change.path, action=Change.Action.DELETED))
    for other in act.filter(action=Change.Action.CHANGED):
        known = columns(other.content_type.model_class())
        other.values = {
            name: [[change.object_id] if isinstance(pair[0], list) else pair[0], pair[1]]
            for name, pair in other.values.items()
            if name in known and known[name].related_model is model and _lost(pair, change.object_id)
        }
        if other.values:
            changes.append(other)
    return plan_of(changes, only_lost_links=True)


def _lost(pair, pk):
    before, after = pair
    return pk in before and pk not in after if isinstance(before, list) else before == pk and after is None


def plan_of(changes, *, only_lost_links=False):
    """Return what undoes changes, which come newest first."""
    wanted, newest = {}, {}
    for change in changes:
        key = (change.content_type.model_class(), change.object_id)
        newest.setdefault(key, change)
        before = {name: pair[0] for name, pair in change.values.items()}
        if change.action == Change.Action.ADDED:
            wanted[key] = None
        elif change.action == Change.Action.DELETED:
            wanted[key] = _whole(key[0]) | before
        else:
            wanted[key] = (wanted.get(key) or {}) | before
    steps, lost = [], []
    now = _states_now(wanted)
    for (model, pk), then in wanted.items():
        change, current = newest[model, pk], now.get((model, pk))
        step = _step(model, pk, change, current, then, only_lost_links)
        if step is None and current is None and then and change.action != Change.Action.DELETED:
            lost.append(change.name)
        elif step is not None:
            steps.append(step)
    return Plan(steps, lost)


def _step(model, pk, change, now, then, only_lost_links):
    known = columns(model)
    if then is None:
        if now is None:
            return None
        values = {name: [value, None] for name, value in now.items()}
        return Step(model, pk, change.path, change.name, DELETE, values)
    then = {name: value for name, value in then.items() if name in known}
    if now is None:
        if then.keys() != known.keys():
            return None  # it went without a trace: not all that it held is known
        values = {name: [None, value] for name, value in then.items()}
        return Step(model, pk, change.path, change.name, ADD, values)
    values = {name: [now[name], value] for name, value in then.items() if now[name] != value}
    if only_lost_links:
        values = {name: pair for name, value in then.items() if (pair := _linked_again(now[name], value))}
    return Step(model, pk, change.path, change.name, CHANGE, values) if values else None


def _linked_again(now, lost):
    """Return [now, with the lost link]; None where it is there, or somebody has set another one since."""
    if isinstance(lost, list):
        again = sorted({*now, *lost})
        return None if again == sorted(now) else [now, again]
    return None if now else [now, lost]


def _whole(model):
    """Return the values of a row that says nothing: history leaves them out where a row went."""
    values = {}
    for name, column in columns(model).items():
        blank = [] if column.many_to_many else None
        values[name] = column.get_default() if not (blank == [] or column.null) else blank
    return values


def _states_now(keys):
    by_table = defaultdict(list)
    for model, pk in keys:
        by_table[model].append(pk)
    return {
        (model, pk): state(row)
        for model, pks in by_table.items()
        for pk, row in model._base_manager.in_bulk(pks).items()
    }


def restore(row, revision, *, user=None, why="", leave=()):
    """Bring a row and its parts back to the state after a revision, except for the columns in `leave`.

    Raises:
        CannotRestore: a rule of the catalog stands against it; nothing is changed.
    """
    carry_out(plan(row, revision).without(type(row), leave), user=user, why=why)


def undelete(change, *, user=None, why=""):
    """Bring a deleted row back with the parts that went with it, under its old number.

    Raises:
        CannotRestore: a rule of the catalog stands against it; nothing is changed.
    """
    carry_out(plan_of_deleted(change), user=user, why=why)


def carry_out(plan, *, user=None, why=""):
    """Take the steps of a plan in one transaction, as one revision."""
    with recording(user, why, means=Revision.Means.RESTORE), versions.raised_once(), index.written_once():
        before = {
            key: _lacks(row)[1] if row is not None and row.is_published else None
            for key, row in _pages(plan).items()
        }
        _delete([step for step in plan.steps if step.what == DELETE])
        # What comes back is there before others are linked to it.
        todo = sorted(
            (step for step in plan.steps if step.what != DELETE),
            key=lambda step: (step.what != ADD, step.path),
        )
        while todo:
            # What stands in the way of one row may be what another one gives up.
            refused = []
            for step in todo:
                try:
                    _write(step)
                except (ValidationError, IntegrityError) as error:
                    refused.append((step, error))
            if len(refused) == len(todo):
                raise CannotRestore(_reason(*refused[0])) from refused[0][1]
            todo = [step for step, _error in refused]
        _keep_pages_whole(plan, before)


def _pages(plan):
    """Return {(table, number): row} of what has a page for readers and is, or has a part, in a plan."""
    found = {}
    for step in plan.steps:
        label, _colon, pk = step.path.partition("/")[0].partition(":")
        model = apps.get_model(label)
        try:
            model._meta.get_field("is_published")
        except FieldDoesNotExist:
            continue
        found[model, int(pk)] = model._base_manager.filter(pk=pk).first()
    return found


def _lacks(row):
    """Return what a published row lacks, and which of that would break a page that is there already."""
    problems = publishing.problems(row) if row is not None and row.is_published else []
    return [str(problem) for problem in problems], [str(problem) for problem in problems if problem.columns]


def _keep_pages_whole(plan, before):
    """Refuse what would publish a row without what its page needs, or take some of that from a published one.

    What was deleted comes back as a draft instead: it has no other way back.

    Args:
        before: {key of `_pages`: what it lacked, None where readers did not see it}.
    """
    added = {(step.model, step.pk) for step in plan.steps if step.what == ADD}
    for key, row in _pages(plan).items():
        lacks, breaks = _lacks(row)
        if before[key] is not None:
            lacks = [text for text in breaks if text not in before[key]]
        if lacks and key in added:
            row.is_published = False
            row.save()
            plan.drafts[str(row)] = " ".join(lacks)
        elif lacks:
            raise CannotRestore(publishing.would_lack(row, " ".join(lacks)))


def _delete(steps):
    for step in sorted(steps, key=lambda step: step.path, reverse=True):
        row = step.model._base_manager.filter(pk=step.pk).first()
        try:
            if row is not None:
                row.delete()
        except models.ProtectedError as error:
            users = ", ".join(sorted(str(user) for user in error.protected_objects)[:5])
            raise CannotRestore(
                _("“%(row)s” cannot go: it is used by %(users)s.") % {"row": step.name, "users": users}
            ) from error


def _write(step):
    known = columns(step.model)
    if step.what == ADD:
        row = step.model(pk=step.pk)
    else:
        row = step.model._base_manager.select_for_update().get(pk=step.pk)
    links = {}
    for name, (_now, then) in step.values.items():
        column = known[name]
        if column.many_to_many:
            links[name] = column.related_model._base_manager.filter(pk__in=then)
        else:
            setattr(row, column.attname, then if column.related_model else column.to_python(then))
    try:
        with transaction.atomic():
            row.clean_fields()
            row.clean()
            row.save(force_insert=step.what == ADD)
            for name, rows in links.items():
                getattr(row, name).set(rows)
    except IntegrityError:
        # The database holds the same rules as the row, all at once; only the row can word them.
        row.full_clean()
        raise


def _reason(step, error):
    if isinstance(error, IntegrityError):
        return _("“%(row)s” cannot be written as it was.") % {"row": step.name}
    known = columns(step.model)
    details = getattr(error, "error_dict", None) or {"": error.error_list}
    said = []
    for name, errors in details.items():
        messages = " ".join(message for found in errors for message in found.messages)
        said.append(f"{label(known[name])}: {messages}" if name in known else messages)
    return _("“%(row)s” cannot be written as it was: %(reasons)s") % {
        "row": step.name,
        "reasons": " ".join(said),
    }
