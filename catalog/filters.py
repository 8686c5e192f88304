"""The filters of the server list as a form, with everything that the page says about them."""

import django_filters
from django import forms
from django.http import QueryDict
from django.utils.functional import cached_property
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from catalog.filtering import facts, matching, orders
from catalog.filtering.facets import BY_NAME, FACETS, NOT_PUBLISHED, UNKNOWN, Limits
from catalog.filtering.fields import CountedCheckboxes, CountedSelect, QuantityFilter
from catalog.models import Server
from catalog.templatetags.units import format_number

MARKS = "compare"  # the servers that a reader has marked, kept in the list's address
# What a list's address may hold beside filters.
NOT_FILTERS = {"page", "sort", "lang", MARKS}
MAX_NAMED = 3  # strange keys or values that a note repeats
MAX_PAIRS = 5  # of filters to drop together, those that bring back most


TEXTS = {key: facet.text for facet in FACETS if isinstance(facet, Limits) for key in facet.number_keys}


class ServerFilterForm(forms.Form):
    def clean(self):
        data = super().clean()
        for facet in FACETS:
            if isinstance(facet, Limits):
                low, high = (data.get(key) for key in facet.number_keys)
                if low is not None and high is not None and low > high:
                    self.add_error(facet.number_keys[1], _("The upper end is below the lower end."))
        return data


def _filters(facet):
    """Return {key: filter} of a facet."""
    if isinstance(facet, Limits):
        low, high = facet.number_keys
        unknown = [(UNKNOWN, NOT_PUBLISHED)]
        return {
            low: QuantityFilter(label=facet.low_label, help_text=facet.hint, signed=facet.signed),
            high: QuantityFilter(label=facet.high_label, signed=facet.signed),
            facet.name: django_filters.MultipleChoiceFilter(
                label=facet.label, choices=unknown, widget=CountedCheckboxes
            ),
        }
    if facet.single:
        filter_ = django_filters.ChoiceFilter(
            label=facet.label,
            help_text=facet.hint,
            choices=[],
            empty_label=_("Any"),
            widget=CountedSelect,
        )
    else:
        filter_ = django_filters.MultipleChoiceFilter(
            label=facet.label, help_text=facet.hint, choices=[], widget=CountedCheckboxes
        )
    return {facet.name: filter_}


class ServerFilter(django_filters.FilterSet):
    """Servers by what a buyer asks first: `catalog.filtering.facets`, over a queryset of servers.

    A value that is no choice is left out and named in `notices`; a number that cannot be read gets its
    message beside the field; everything else keeps filtering. An unknown figure never meets a limit:
    `left_out` counts the servers that lack it, and "unknown" as a value asks for them.
    """

    class Meta:
        model = Server
        form = ServerFilterForm
        fields = []

    @classmethod
    def get_filters(cls):
        return {key: filter_ for facet in FACETS for key, filter_ in _filters(facet).items()}

    def __init__(self, data, queryset, **kwargs):
        super().__init__(data, queryset, **kwargs)
        self.data = data.copy()  # also where it is empty
        self.is_bound = True
        self.facts = facts.load()
        for facet in FACETS:
            if not isinstance(facet, Limits):
                self.filters[facet.name].extra["choices"] = facet.choices(self.facts)
        self.notices = self._drop_strange()

    @cached_property
    def cleaned(self):
        """Return what could be read of the form: {key: value}."""
        self.form.is_valid()
        return self.form.cleaned_data

    @cached_property
    def outcome(self):
        """Return what `matching.match` finds."""
        return matching.match(self.facts, self.cleaned)

    @property
    def qs(self):
        """Return the queryset with the servers that match, in its own order."""
        return self.queryset.filter(pk__in=[server.pk for server in self.outcome.matches])

    def ordered(self, sort=orders.DEFAULT):
        """Return [(server, the configuration that stands for it)] of what matches, as facts, in an order."""
        return orders.ordered(self.outcome.matches, sort)

    def rows_of(self, servers):
        """Return rows of the queryset for some servers (facts), in their order; one read."""
        rows = {row.pk: row for row in self.queryset.filter(pk__in=[server.pk for server in servers])}
        return [rows[server.pk] for server in servers]

    @cached_property
    def facets(self):
        """Return the facets with their fields, choices counted: [{facet, fields, is_active, unit}]."""
        shown = []
        for facet in FACETS:
            for key in facet.keys:
                widget = self.form.fields[key].widget
                if isinstance(widget, CountedSelect | CountedCheckboxes):
                    widget.counts = self.outcome.counts[facet.name]
            fields = [self.form[key] for key in facet.keys]
            shown.append(
                {
                    "facet": facet,
                    "fields": fields,
                    "unit": getattr(facet, "unit", ""),
                    "is_active": facet.name in self._asked or any(field.errors for field in fields),
                }
            )
        return shown

    @cached_property
    def _asked(self):
        """Return {facet name: {key: value}} of what filters now."""
        asked = {}
        for facet in FACETS:
            values = {
                key: self.cleaned[key] for key in facet.keys if self.cleaned.get(key) not in (None, "", [])
            }
            if values:
                asked[facet.name] = values
        return asked

    @cached_property
    def active(self):
        """Return what filters now, a row a value: [{name, label, value, query without it}]."""
        return [
            self._active(key, value)
            for values in self._asked.values()
            for key, chosen in values.items()
            for value in (chosen if isinstance(chosen, list) else [chosen])
        ]

    def _active(self, key, value):
        rest = self.data.copy()
        rest.setlist(key, [other for other in rest.getlist(key) if isinstance(value, str) and other != value])
        return {
            "name": key,
            "label": self.filters[key].label,
            "value": self._value_text(key, value),
            "query": plain_query(rest),
        }

    def _value_text(self, key, value):
        if isinstance(value, str):
            return str(dict(self.filters[key].extra["choices"])[value])
        return TEXTS[key](value)

    @cached_property
    def left_out(self):
        """Return a note for each filter on a figure that some servers do not publish: {text, query}."""
        notes = []
        for facet in FACETS:
            if count := self.outcome.lacking[facet.name]:
                more = self.data.copy()
                more.appendlist(facet.name, UNKNOWN)
                text = ngettext(
                    "“%(filter)s” is not published for %(count)s server that meets everything else.",
                    "“%(filter)s” is not published for %(count)s servers that meet everything else.",
                    count,
                ) % {"filter": facet.label, "count": format_number(count)}
                notes.append({"text": text, "query": plain_query(more)})
        return notes

    @cached_property
    def ways_out(self):
        """Return how many servers match without one of the active filters, for a list that came out empty."""
        found = []
        for facet in FACETS:
            if facet.name not in self._asked or not (count := self.outcome.freed[facet.name]):
                continue
            text = ngettext(
                "Without “%(filter)s” there is %(count)s server.",
                "Without “%(filter)s” there are %(count)s servers.",
                count,
            ) % {"filter": self._facet_text(facet.name), "count": format_number(count)}
            found.append({"text": text, "query": self._query_without(facet.name)})
        return found

    @cached_property
    def ways_out_by_two(self):
        """Return how many servers match without two of the filters, where no single one has a way out."""
        if self.ways_out:
            return []
        found = []
        for (first, second), count in matching.pairs(self.facts, self.cleaned).most_common(MAX_PAIRS):
            text = ngettext(
                "Without “%(first)s” and “%(second)s” there is %(count)s server.",
                "Without “%(first)s” and “%(second)s” there are %(count)s servers.",
                count,
            ) % {
                "first": self._facet_text(first),
                "second": self._facet_text(second),
                "count": format_number(count),
            }
            found.append({"text": text, "query": self._query_without(first, second)})
        return found

    @property
    def asks_three(self):
        """Return whether three filters or more are held at once."""
        return len(self._asked) > 2

    def _query_without(self, *names):
        """Return the list's query without the filters of some facets."""
        rest = self.data.copy()
        for name in names:
            for key in BY_NAME[name].keys:
                rest.setlist(key, [])
        return plain_query(rest)

    def _facet_text(self, name):
        """Return what a facet is held to: "Height: 1U, 2U"."""
        texts = {}
        for key, chosen in self._asked[name].items():
            for value in chosen if isinstance(chosen, list) else [chosen]:
                texts.setdefault(str(self.filters[key].label), []).append(self._value_text(key, value))
        return "; ".join(f"{label}: {', '.join(values)}" for label, values in texts.items())

    def _drop_strange(self):
        """Leave out keys and values that are no filters and no choices; return a note for each kind."""
        strange_keys = [key for key in self.data if key not in self.filters and key not in NOT_FILTERS]
        strange_values, empty = [], []
        for name, filter_ in self.filters.items():
            if "choices" not in filter_.extra or name not in self.data:
                continue
            allowed = {value for value, _label in filter_.extra["choices"]}
            values = [value for value in self.data.getlist(name) if value]
            strange_values += [(filter_.label, value) for value in values if value not in allowed]
            if not values and isinstance(filter_, django_filters.MultipleChoiceFilter):
                empty.append(filter_.label)  # no form sends that, unlike an empty text field or select
            self.data.setlist(name, [value for value in dict.fromkeys(values) if value in allowed])
        notes = []
        if strange_keys:
            notes.append(
                ngettext(
                    "The address has a part that this list does not know: %(names)s. It was left out.",
                    "The address has parts that this list does not know: %(names)s. They were left out.",
                    len(strange_keys),
                )
                % {"names": _named(strange_keys)}
            )
        for label, value in strange_values[:MAX_NAMED]:
            notes.append(
                gettext("“%(value)s” is not a choice of the filter “%(filter)s”. It was left out.")
                % {"value": _short(value), "filter": label}
            )
        for label in empty[:MAX_NAMED]:
            notes.append(
                gettext("The filter “%(filter)s” has no value in the address. It was left out.")
                % {"filter": label}
            )
        if (sort := self.data.get("sort")) and sort not in orders.NAMES:
            notes.append(
                gettext("“%(value)s” is not an order of this list. It was left out.")
                % {"value": _short(sort)}
            )
        return notes


def _named(words):
    return ", ".join(_short(word) for word in words[:MAX_NAMED]) + ("…" if len(words) > MAX_NAMED else "")


def _short(text):
    text = "".join(character for character in text if character.isprintable())
    return text if len(text) <= 40 else f"{text[:40]}…"


def plain_query(query, only=None, **changes):
    """Return a QueryDict's text for a link to the list's first page, without empty parts.

    Args:
        only: the keys to keep; None: all.
    """
    kept = QueryDict(mutable=True)
    for key, values in query.lists():
        if any(values) and key not in ("lang", "page") and (only is None or key in only):
            kept.setlist(key, [value for value in values if value])
    for key, value in changes.items():
        if value:
            kept[key] = value
        else:
            kept.pop(key, None)
    return f"?{kept.urlencode()}" if kept else "?"
