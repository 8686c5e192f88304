"""The filters of the list pages. Their names are part of our addresses."""

from math import ceil, floor

import django_filters
from django import forms
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce
from django.http import QueryDict
from django.utils.translation import get_language, gettext, gettext_lazy as _, ngettext

from aiservers.addresses import NUMBER_ERRORS
from aiservers.numbers import NumberError, as_typed, parse_canonical
from catalog.models import GPU, CoolingOption, GPUOption, Manufacturer, Server, SlotAlternative
from catalog.templatetags.units import format_number, gigabytes, rack_units

# What a list's address may hold beside filters.
NOT_FILTERS = {"page", "sort", "lang"}
MAX_WAYS_OUT = 5  # filters that an empty list counts without, a query each
MAX_NAMED = 3  # strange keys or values that a note repeats
UNKNOWN = "unknown"

STAGES = [
    ("training", _("Training")),
    ("fine_tuning", _("Fine-tuning")),
    ("inference", _("Inference")),
    ("mixed", _("Fine-tuning and inference")),
    ("development", _("Development and pilots")),
]
SITES = [("datacenter", _("Data centre")), ("edge", _("Outside the data centre"))]
FORMS = [
    ("rack", _("Rack server")),
    ("tray", _("Tray for an enclosure")),
    ("edge", _("Edge server")),
    ("tower", _("Tower")),
]
COOLING = [
    ("air", _("Air, no water loop needed")),
    ("liquid", _("Water loop in use or as an option")),
    (UNKNOWN, _("Not published")),
]
CARD_WIDTHS = [
    ("single", _("Single-wide cards")),
    ("double", _("Double-wide cards")),
    ("module", _("SXM or OAM modules")),
]
SORTS = [
    ("name", _("Name")),
    ("gpu_memory", _("Most GPU memory first")),
    ("height", _("Lowest height first")),
    ("newest", _("Newest first")),
]

# What cannot be ordered stands after what can, in every order.
ORDERABLE_FIRST = Q(lifecycle="current")
ORDERS = {
    "name": [],
    "gpu_memory": [F("gpu_memory_gb").desc(nulls_last=True)],
    "height": [F("whole_height").asc(nulls_last=True)],
    "newest": [F("launch_year").desc(nulls_last=True), F("launch_month").desc(nulls_last=True)],
}


def _height_note(count):
    return ngettext(
        "%(count)s server is left out because its height is not published.",
        "%(count)s servers are left out because their height is not published.",
        count,
    ) % {"count": format_number(count)}


def _cooling_note(count):
    return ngettext(
        "%(count)s server is left out because its cooling is not published.",
        "%(count)s servers are left out because their cooling is not published.",
        count,
    ) % {"count": format_number(count)}


def _memory_note(count):
    return ngettext(
        "%(count)s server is left out because its list of GPUs is not published.",
        "%(count)s servers are left out because their lists of GPUs are not published.",
        count,
    ) % {"count": format_number(count)}


# Limits on a figure that some servers do not publish. These are left out, counted, and offered by asking for
# what is unknown: the limit's keys, the key to ask by, what the servers lack, the note.
LIMITS = [
    (("rack_units",), "rack_units", Q(whole_height__isnull=True), _height_note),
    (("cooling",), "cooling", Q(cooling_options__isnull=True), _cooling_note),
    (("gpu_memory_min", "gpu_memory_max"), "gpu", Q(gpu_memory_gb__isnull=True), _memory_note),
]


# The words of the number parser, for a place where only one number makes sense.
QUANTITY_ERRORS = NUMBER_ERRORS | {"malformed": _("This is not a number. Write it like 1500 or 1.5.")}


class QuantityField(forms.Field):
    """One number of zero or more, as a canonical address carries it; shown as the reader writes it."""

    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})

    def to_python(self, value):
        if not (value or "").strip():
            return None
        try:
            interval = parse_canonical(value)
        except NumberError as error:
            raise forms.ValidationError(QUANTITY_ERRORS[error.code], code=error.code) from error
        if interval.low != interval.high:
            raise forms.ValidationError(_("Enter one number here, not a range."), code="range")
        return interval.low

    def prepare_value(self, value):
        return as_typed(str(value), get_language()) if value else ""


class QuantityFilter(django_filters.Filter):
    field_class = QuantityField


class ServerFilterForm(forms.Form):
    def clean(self):
        data = super().clean()
        low, high = data.get("gpu_memory_min"), data.get("gpu_memory_max")
        if low is not None and high is not None and low > high:
            self.add_error("gpu_memory_max", _("The upper end is below the lower end."))
        return data


class ServerFilter(django_filters.FilterSet):
    """Servers by what a buyer asks first.

    A value that is no choice is left out and named in `notices`; a number that cannot be read gets its
    message beside the field; everything else keeps filtering. An unknown figure never matches a limit:
    `left_out` counts the servers that lack it, and `unknown` as the value asks for them.
    """

    stage = django_filters.ChoiceFilter(
        label=_("Stage"), choices=STAGES, method="filter_stage", empty_label=_("Any")
    )
    site = django_filters.ChoiceFilter(
        label=_("Place"), choices=SITES, method="filter_site", empty_label=_("Any")
    )
    gpu = django_filters.ChoiceFilter(label=_("GPU"), method="filter_gpu", empty_label=_("Any"))
    gpu_memory_min = QuantityFilter(
        label=_("GPU memory from"), method="filter_memory_min", help_text=_("All cards of a server together.")
    )
    gpu_memory_max = QuantityFilter(label=_("GPU memory up to"), method="filter_memory_max")
    card_width = django_filters.ChoiceFilter(
        label=_("GPU cards"), choices=CARD_WIDTHS, method="filter_card_width", empty_label=_("Any")
    )
    rack_units = django_filters.MultipleChoiceFilter(
        label=_("Height"),
        help_text=_("A tray counts with its enclosure."),
        method="filter_rack_units",
        widget=forms.CheckboxSelectMultiple,
    )
    kind = django_filters.MultipleChoiceFilter(
        label=_("Form"), choices=FORMS, method="filter_kind", widget=forms.CheckboxSelectMultiple
    )
    cooling = django_filters.ChoiceFilter(
        label=_("Cooling"), choices=COOLING, method="filter_cooling", empty_label=_("Any")
    )
    cpu_vendor = django_filters.ChoiceFilter(
        label=_("Processors by"), method="filter_cpu_vendor", empty_label=_("Any")
    )

    class Meta:
        model = Server
        form = ServerFilterForm
        fields = []

    def __init__(self, data, queryset, **kwargs):
        queryset = queryset.annotate(whole_height=Coalesce("enclosure__rack_units", "rack_units"))
        super().__init__(data.copy(), queryset, **kwargs)
        self.is_bound = True
        options = self.filters
        options["gpu"].extra["choices"] = self._gpu_choices()
        options["cpu_vendor"].extra["choices"] = list(
            Manufacturer.objects.filter(processor_servers__is_published=True)
            .order_by("sort_key")
            .distinct()
            .values_list("slug", "name")
        )
        options["rack_units"].extra["choices"] = self._height_choices(queryset)
        self.notices = self._drop_strange()

    @staticmethod
    def _gpu_choices():
        """Return the GPUs that a published server takes, by maker."""
        rows = (
            GPU.objects.published()
            .filter(options__variant__server__is_published=True)
            .select_related("manufacturer")
            .order_by("manufacturer__sort_key", "sort_key")
            .distinct()
        )
        makers = {}
        for gpu in rows:
            makers.setdefault(gpu.manufacturer.name, []).append((gpu.slug, gpu.name))
        return [*makers.items(), (UNKNOWN, _("Not published"))]

    @staticmethod
    def _height_choices(queryset):
        heights = sorted(set(queryset.order_by().values_list("whole_height", flat=True)) - {None})
        return [(str(height), rack_units(height)) for height in heights] + [(UNKNOWN, _("Not published"))]

    def _drop_strange(self):
        """Leave out keys and values that are no filters and no choices; return a note for each kind."""
        strange_keys = [key for key in self.data if key not in self.filters and key not in NOT_FILTERS]
        strange_values = []
        for name, filter_ in self.filters.items():
            if "choices" not in filter_.extra or name not in self.data:
                continue
            allowed = {value for value, _label in _flat(filter_.extra["choices"])}
            values = [value for value in self.data.getlist(name) if value]
            strange_values += [(filter_.label, value) for value in values if value not in allowed]
            self.data.setlist(name, [value for value in values if value in allowed])
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
        return notes

    def filter_stage(self, queryset, name, value):
        fields = {
            "training": ["for_training"],
            "fine_tuning": ["for_fine_tuning"],
            "inference": ["for_inference"],
            "mixed": ["for_fine_tuning", "for_inference"],
            "development": [],
        }[value]
        return queryset.filter(**dict.fromkeys(fields, True))

    def filter_site(self, queryset, name, value):
        if value == "edge":
            return queryset.filter(Q(for_edge=True) | Q(kind__in=["edge", "tower"]))
        return queryset.exclude(kind="edge")

    def filter_gpu(self, queryset, name, value):
        options = GPUOption.objects.filter(variant__server=OuterRef("pk"))
        if value == UNKNOWN:
            return queryset.filter(~Exists(options))
        return queryset.filter(Exists(options.filter(gpu__slug=value)))

    def filter_memory_min(self, queryset, name, value):
        return queryset.filter(gpu_memory_gb__gte=ceil(value))

    def filter_memory_max(self, queryset, name, value):
        return queryset.filter(gpu_memory_gb__lte=floor(value))

    def filter_card_width(self, queryset, name, value):
        if value == "module":
            return queryset.filter(module_max_count__gt=0)
        return queryset.filter(
            Exists(SlotAlternative.objects.filter(variant__server=OuterRef("pk"), width=value))
        )

    def filter_kind(self, queryset, name, value):
        """Keep the forms asked for; an edge server may be made for a rack too, and is found as both."""
        if not value:
            return queryset
        condition = Q(kind__in=value)
        return queryset.filter(condition | Q(for_edge=True) if "edge" in value else condition)

    def filter_rack_units(self, queryset, name, value):
        if not value:
            return queryset
        known = [int(height) for height in value if height != UNKNOWN]
        condition = Q(whole_height__in=known)
        return queryset.filter(condition | Q(whole_height=None) if UNKNOWN in value else condition)

    def filter_cooling(self, queryset, name, value):
        options = CoolingOption.objects.filter(server=OuterRef("pk"))
        if value == UNKNOWN:
            return queryset.filter(~Exists(options))
        kinds = {"air": ["air", "closed_loop"], "liquid": ["direct_water", "water_module"]}[value]
        return queryset.filter(Exists(options.filter(kind__in=kinds)))

    def filter_cpu_vendor(self, queryset, name, value):
        return queryset.filter(cpu_manufacturer__slug=value)

    @property
    def active(self):
        """Return what filters now: [{name, label, value, query without it}], in the order of the form."""
        chosen = []
        for name, value in self.form.cleaned_data.items():
            if value in (None, "", []):
                continue
            rest = self.data.copy()
            for key in (name, "page"):
                rest.pop(key, None)
            chosen.append(
                {
                    "name": name,
                    "label": self.filters[name].label,
                    "value": self._value_text(name, value),
                    "query": _plain_query(rest),
                }
            )
        return chosen

    def _value_text(self, name, value):
        if name in ("gpu_memory_min", "gpu_memory_max"):
            return gigabytes(value)
        labels = dict(_flat(self.filters[name].extra["choices"]))
        values = value if isinstance(value, list) else [value]
        return ", ".join(str(labels[one]) for one in values)

    @property
    def left_out(self):
        """Return a note for each active limit on a figure that some servers do not publish: {text, query}."""
        asked = {item["name"] for item in self.active}
        notes = []
        for keys, offer, lacks, note in LIMITS:
            if not asked.intersection(keys) or UNKNOWN in self.data.getlist(offer):
                continue
            count = self._without((*keys, offer)).filter(lacks).distinct().count()
            if count:
                rest = self.data.copy()
                for key in (*keys, "page"):
                    rest.pop(key, None)
                rest[offer] = UNKNOWN
                notes.append({"text": note(count), "query": _plain_query(rest)})
        return notes

    @property
    def ways_out(self):
        """Return how many servers match without one of the active filters, for a list that came out empty."""
        found = []
        for item in self.active[:MAX_WAYS_OUT]:
            count = self._without((item["name"],)).distinct().count()
            if count:
                text = ngettext(
                    "Without “%(filter)s: %(value)s” there is %(count)s server.",
                    "Without “%(filter)s: %(value)s” there are %(count)s servers.",
                    count,
                ) % {"filter": item["label"], "value": item["value"], "count": format_number(count)}
                found.append({"text": text, "query": item["query"]})
        return found

    def _without(self, keys):
        """Return the servers that match every filter but these."""
        queryset = self.queryset.all()
        for name, value in self.form.cleaned_data.items():
            if name not in keys:
                queryset = self.filters[name].filter(queryset, value)
        return queryset.order_by()


def _flat(choices):
    """Yield (value, label) of choices that may stand in groups."""
    for value, label in choices:
        if isinstance(label, list | tuple):
            yield from label
        else:
            yield value, label


def _named(words):
    return ", ".join(_short(word) for word in words[:MAX_NAMED]) + ("…" if len(words) > MAX_NAMED else "")


def _short(text):
    text = "".join(character for character in text if character.isprintable())
    return text if len(text) <= 40 else f"{text[:40]}…"


def _plain_query(query):
    """Return a QueryDict's text for a link, with the parts that hold nothing left out."""
    kept = QueryDict(mutable=True)
    for key, values in query.lists():
        if any(values) and key != "lang":
            kept.setlist(key, [value for value in values if value])
    return f"?{kept.urlencode()}" if kept else "?"
