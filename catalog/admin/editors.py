"""Two people at one form: the second is told what changed meanwhile, and nothing is overwritten unseen."""

from django import forms
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.forms.models import InlineForeignKeyField
from django.forms.utils import ErrorDict
from django.utils.translation import gettext_lazy as _

from catalog.history.reading import NOTHING, Names, compose, last, line
from catalog.history.states import columns, path, step
from catalog.models.history import Change

OWN_FIELDS = ("why", "seen")


def token(row):
    """Return what a form remembers of the state it shows: the newest change, and when the row was saved."""
    saved = getattr(row, "updated_at", None)
    return f"{last(row)}-{saved.timestamp() if saved else 0:.6f}"


def number_of(seen):
    """Return the newest change that a form has seen; 0 where it does not say."""
    number = (seen or "").partition("-")[0]
    return int(number) if number.isdecimal() else 0


class HistoryForm(forms.ModelForm):
    """A form that says why it changes something, and which state it was opened on."""

    why = forms.CharField(
        label=_("Why"),
        required=False,
        max_length=500,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
        help_text=_("Kept in the history, beside what changes: “data sheet of May 2026”."),
    )
    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if self.instance.pk and not self.is_bound:
            self.fields["seen"].initial = token(self.instance)

    @property
    def changed_data(self):
        return [name for name in super().changed_data if name not in OWN_FIELDS]


class Meanwhile:
    """What others changed in a row, and in the rows that its form shows beside it, since it was opened."""

    def __init__(self, row, seen, shown):
        """`shown` are the tables of the form: the row's own and those of its inlines."""
        self.row = row
        self.yours = {}  # (table, row, column): what the form says
        changes = Change.objects.filter(path__startswith=path(row), pk__gt=number_of(seen))
        kinds = {kind.pk: model for model, kind in ContentType.objects.get_for_models(*shown).items()}
        here = (path(row), path(row).count("/") + 1)
        self._composed = compose(
            change
            for change in changes.filter(content_type__in=kinds).select_related("content_type", "revision")
            if change.path == here[0] or change.path.count("/") == here[1]
        )
        self.rows = {
            (kind.model_class(), pk): values for (kind, pk), (values, _change) in self._composed.items()
        }

    @property
    def gone(self):
        """Return (table, row) of what was deleted."""
        return [
            (kind.model_class(), pk)
            for (kind, pk), (_values, change) in self._composed.items()
            if change.action == Change.Action.DELETED
        ]

    def table(self):
        """Return the rows of the comparison: what, before, now, by whom, and what the form says."""
        names = Names()
        for (kind, pk), (values, change) in self._composed.items():
            model = kind.model_class()
            said = line(model, change.name, change.action, values, names)
            for cell in said.cells or [None]:
                yield {
                    "line": said,
                    "is_row": change.path == path(self.row),
                    "cell": cell,
                    "revision": change.revision,
                    "yours": cell and self.yours.get((model, pk, cell.column), NOTHING),
                }


class Untouched:
    """A form of an inline: a row that its user left alone is not read and checked column by column again.

    `clean()` of the row is asked all the same: it may look at the row that it is a part of.
    """

    def full_clean(self):
        if not self.is_bound or self.instance.pk is None or self.has_changed():
            super().full_clean()
            return
        self._errors, self.cleaned_data = ErrorDict(renderer=self.renderer), {}
        for name, field in self.fields.items():
            if isinstance(field, InlineForeignKeyField):
                setattr(self.instance, name, field.parent_instance)
            self.cleaned_data[name] = self._kept(name, field)
        try:
            self.instance.clean()
        except ValidationError as error:
            self._update_errors(error)

    def _kept(self, name, field):
        if name == self.instance._meta.pk.name:
            return self.instance
        return getattr(self.instance, name) if hasattr(self.instance, name) else field.initial


class Merging:
    """A form that takes over what others changed and its own user did not touch."""

    meanwhile: Meanwhile

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        model, pk = type(self.instance), self.instance.pk
        theirs = self.meanwhile.rows.get((model, pk), {})
        names = Names()
        known = columns(model)
        for name, (before, _now) in theirs.items():
            if not self.is_bound or name not in self.fields or name not in known:
                continue
            sent = submitted(self, name)
            self.meanwhile.yours[model, pk, name] = names.shown(known[name], sent)
            if same(sent, before):
                self.data = with_initial(self.data, self[name])


class Refusing(Merging):
    """The form of the row itself, which is not saved before its user has seen the comparison."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if self.is_bound:
            self.data = self.data.copy()
            self.data[self.add_prefix("seen")] = token(self.meanwhile.row)

    def clean(self):
        super().clean()
        raise ValidationError(
            _(
                "This was changed since you opened it. Nothing of yours is saved yet: "
                "look at the comparison, then save again."
            ),
            code="changed_meanwhile",
        )


class ListForm(forms.ModelForm):
    """A line of a list that is edited in place: what others changed since stays, or is asked about."""

    seen = None  # the newest change that the list shows; None: the list is not being saved

    def clean(self):
        data = super().clean()
        if self.seen is None or not self.changed_data:
            return data
        known = columns(type(self.instance))
        own = Change.objects.filter(path__endswith=step(type(self.instance), self.instance.pk))
        since = own.filter(pk__gt=self.seen).select_related("content_type", "revision")
        for values, change in compose(since).values():
            for name in [name for name in self.changed_data if name in values]:
                before, now = values[name]
                if same(submitted(self, name), before):
                    self.cleaned_data[name] = self[name].initial
                    continue
                shown = Names().shown(known[name], now)
                message = _("%(who)s changed this to %(now)s meanwhile. Save again to keep yours.")
                self.add_error(
                    name, ValidationError(message, params={"who": change.revision.made_by, "now": shown})
                )
        return data


def with_class(form, *bases, **attributes):
    """Return a form class with bases before it, and with what a request has put on its inputs."""
    made = type(form)(form.__name__, (*bases, form), attributes)
    # A class of its own would start again from the inputs that are declared.
    made.base_fields, made._meta = form.base_fields, form._meta
    return made


def submitted(form, name):
    """Return what a form says of a column, as history holds values; None where it cannot be read."""
    field = form.fields[name]
    raw = field.widget.value_from_datadict(form.data, form.files, form.add_prefix(name))
    try:
        value = field.clean(raw)
    except ValidationError:
        return raw if isinstance(raw, str) else None
    if hasattr(value, "_meta"):
        return value.pk
    if hasattr(value, "values_list"):
        return sorted(value.values_list("pk", flat=True))
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value.replace("\r\n", "\n") if isinstance(value, str) else value


def same(one, other):
    """Tell whether two values say the same; nothing is written in several ways."""
    return one == other or (one in (None, "", []) and other in (None, "", []))


def with_initial(data, bound):
    """Return posted data in which one field says what the database says."""
    data = data.copy()
    widget, key = getattr(bound.field.widget, "widget", bound.field.widget), bound.html_name
    value = bound.field.prepare_value(bound.initial)
    if isinstance(widget, forms.MultiWidget):
        for index, part in enumerate(widget.decompress(value)):
            data[f"{key}_{index}"] = widget.widgets[index].format_value(part) or ""
    elif isinstance(widget, forms.CheckboxInput):
        data.pop(key, None)
        if value:
            data[key] = "on"
    else:
        shown = widget.format_value(value)
        shown = shown if isinstance(shown, (list, tuple)) else [shown]
        data.setlist(key, ["" if part is None else str(part) for part in shown])
    return data


def with_plain_lines(data):
    """Return posted data whose lines end as the catalog's do: a browser's way would look like a change."""
    data = data.copy()
    for key, found in data.lists():
        data.setlist(key, [value.replace("\r\n", "\n") for value in found])
    return data


def without_form(data, prefix, index):
    """Return posted data without one form of a formset: its row was deleted meanwhile."""
    data = data.copy()
    total = int(data[f"{prefix}-TOTAL_FORMS"])
    for position in range(index, total):
        for key in [key for key in data if key.startswith(f"{prefix}-{position}-")]:
            del data[key]
        following = f"{prefix}-{position + 1}-"
        for key in [key for key in data if key.startswith(following)]:
            data.setlist(f"{prefix}-{position}-{key.removeprefix(following)}", data.getlist(key))
    data[f"{prefix}-TOTAL_FORMS"] = str(total - 1)
    data[f"{prefix}-INITIAL_FORMS"] = str(int(data[f"{prefix}-INITIAL_FORMS"]) - 1)
    return data
