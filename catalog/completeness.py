"""What a comparison needs to know of a row, why, and how much of it is known: the one list of that."""

from dataclasses import dataclass
from functools import cached_property

from django.db.models import Case, Count, Exists, ExpressionWrapper, IntegerField, OuterRef, Q, Value, When
from django.utils.translation import gettext_lazy as _

from catalog import figures
from catalog.models import GPU, AIModel, Server


@dataclass(frozen=True)
class Need:
    """A figure that a comparison needs; of several names one is enough.

    `only` says of which rows: {column: values}. Without what is `to_publish`, a page would break or mislead;
    `instead` names what does in its place there: related rows, or LOOKED.
    """

    model: type
    names: tuple
    why: str
    only: dict
    to_publish: bool = False
    instead: str = ""

    @property
    def name(self):
        return self.names[0]

    @cached_property
    def is_relation(self):
        return "__" in self.name or self.model._meta.get_field(self.name).one_to_many

    @property
    def label(self):
        return " / ".join(str(self._label(name)) for name in self.names)

    def _label(self, name):
        first, _dots, rest = name.partition("__")
        model = self.model._meta.get_field(first).related_model if rest else self.model
        return figures.label(model, rest or first)

    @property
    def applies(self):
        return Q(pk__isnull=False, **{f"{column}__in": values for column, values in self.only.items()})

    @property
    def known(self):
        """Return the condition under which a row of a query is known to have it."""
        if self.is_relation:
            there = self.model._base_manager.filter(pk=OuterRef("pk"), **{f"{self.name}__isnull": False})
            return Q(Exists(there))
        conditions = Q()
        for name in self.names:
            is_word = self.model._meta.get_field(name).get_internal_type() == "CharField"
            conditions |= Q(**{f"{name}__isnull": False}) & (~Q(**{name: ""}) if is_word else Q())
        return conditions

    def applies_to(self, row):
        return all(getattr(row, column) in values for column, values in self.only.items())

    def is_known_of(self, row):
        if self.is_relation:
            return self._has(row, self.name)
        return any(getattr(row, name) not in (None, "") for name in self.names)

    def is_enough_of(self, row):
        """Tell whether a row can be shown as far as this is concerned."""
        if self.is_known_of(row):
            return True
        if self.instead == LOOKED:
            rows = row.pk and row.evidence.filter(field__in=self.names, kept=True)
            return bool(rows) and all(not evidence.stated for evidence in rows)
        return bool(self.instead) and self._has(row, self.instead)

    def _has(self, row, relation):
        there = self.model._base_manager.filter(pk=row.pk, **{f"{relation}__isnull": False})
        return row.pk is not None and there.exists()


LOOKED = "evidence"  # a source that was read and does not say


def need(model, names, why, to_publish=False, instead="", **only):
    return Need(model, tuple(names.split()), why, only, to_publish, instead)


IN_RACK = {"kind": ["rack", "tray"]}
LANGUAGE = {"kind": ["llm", "vlm"]}
NEEDS = {
    Server: [
        need(Server, "rack_units enclosure", _("Room in the rack."), True, **IN_RACK),
        need(
            Server,
            "variants__gpu_options",
            _("Which GPUs it takes, and how many."),
            True,
            instead="variants__slot_alternatives",
        ),
        need(Server, "depth_mm", _("Whether the rack is deep enough."), **IN_RACK),
        need(Server, "weight_max_kg", _("What the rack and the floor carry.")),
        need(Server, "sockets_max", _("How many processors feed the GPUs.")),
        need(Server, "cpu_generations", _("Which processors it takes.")),
        need(Server, "cpu_max_cores", _("Work that stays on the processors.")),
        need(Server, "memory_max_gb", _("Room for models and data beside the GPUs.")),
        need(Server, "memory_slots", _("How the memory can be filled.")),
        need(Server, "bays_nvme bays_2_5 bays_3_5", _("Room for data and checkpoints.")),
        need(Server, "pcie_gen", _("How fast cards and network talk.")),
        need(Server, "pcie_slots", _("Room for network cards beside the GPUs.")),
        need(Server, "card_max_w", _("Which cards it can power and cool.")),
        need(Server, "power_supplies", _("Whether the supplies carry the load.")),
        need(Server, "cooling_options", _("Air or water.")),
        need(Server, "temperature_max_c", _("Which rooms it works in.")),
    ],
    GPU: [
        need(GPU, "memory_gb", _("Which models fit."), True),
        need(GPU, "tdp_w", _("Power and heat."), True, LOOKED),
        need(GPU, "form", _("Which servers take it."), True, LOOKED),
        need(GPU, "native_precisions", _("In which precisions it computes."), True),
        need(GPU, "memory_gib_usable", _("The only memory that sizing uses.")),
        need(GPU, "bandwidth_gbs", _("How fast it writes tokens.")),
        need(GPU, "bf16_tflops fp16_tflops", _("How fast it reads prompts and trains.")),
        need(GPU, "slots_wide", _("How many fit beside each other."), form=["pcie"]),
        need(GPU, "pcie_gen", _("How fast it talks to the others.")),
        need(GPU, "launch_year", _("How long it will be sold and supported.")),
    ],
    AIModel: [
        need(AIModel, "parameters", _("The size of the weights."), True),
        need(AIModel, "native_precision", _("The size of the weights."), True),
        need(AIModel, "num_layers", _("How it is divided among GPUs."), True, **LANGUAGE),
        need(AIModel, "cache_groups", _("The size of the cache."), True, cache_known=[True], **LANGUAGE),
        need(AIModel, "hidden_size", _("Activations and fine-tuning."), **LANGUAGE),
        need(AIModel, "num_attention_heads", _("How it is divided among GPUs."), **LANGUAGE),
        need(AIModel, "vocab_size", _("Activations and fine-tuning."), **LANGUAGE),
        need(AIModel, "max_context", _("The longest request."), **LANGUAGE),
        need(AIModel, "license", _("Whether it may be used.")),
        need(AIModel, "released_year", _("How old it is.")),
    ],
}


def one_if(condition):
    return Case(When(condition, then=Value(1)), default=Value(0), output_field=IntegerField())


def with_completeness(queryset):
    """Annotate `complete_percent`: how much of what a comparison needs of a row is known."""
    needs = NEEDS[queryset.model]
    known = sum((one_if(each.applies & each.known) for each in needs), Value(0))
    needed = sum((one_if(each.applies) for each in needs), Value(0))
    return queryset.annotate(complete_percent=ExpressionWrapper(known * 100 / needed, IntegerField()))


def missing(row):
    """Return the needs of a row that nothing is known of."""
    return [each for each in NEEDS[type(row)] if each.applies_to(row) and not each.is_known_of(row)]


def worst(model, count):
    """Return [(row, missing needs)] of the rows of which least is known."""
    needs = NEEDS[model]
    lacks = {f"lacks_{place}": one_if(each.applies & ~each.known) for place, each in enumerate(needs)}
    rows = with_completeness(model.objects.annotate(**lacks)).filter(complete_percent__lt=100)
    return [
        (row, [each for place, each in enumerate(needs) if getattr(row, f"lacks_{place}")])
        for row in rows.order_by("complete_percent", "-is_published", "sort_key")[:count]
    ]


def totals(model):
    """Return [(need, known, needed)] over all rows of a table, what is missing most first."""
    counts = {}
    for place, each in enumerate(NEEDS[model]):
        counts[f"known_{place}"] = Count("pk", filter=each.applies & each.known)
        counts[f"needed_{place}"] = Count("pk", filter=each.applies)
    found = model.objects.order_by().aggregate(**counts)
    lines = [
        (each, found[f"known_{place}"], found[f"needed_{place}"]) for place, each in enumerate(NEEDS[model])
    ]
    return sorted(lines, key=lambda line: line[1] - line[2])
