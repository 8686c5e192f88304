"""The tables that travel in sheets: one resource a table, in the order in which they name each other."""

from django.db import models
from django.utils.functional import cached_property
from import_export.fields import Field
from import_export.resources import ModelResource, modelresource_factory

from catalog.models import (
    GPU,
    AIModel,
    BenchmarkResult,
    CacheGroup,
    CoolingOption,
    Enclosure,
    Evidence,
    GlossaryTerm,
    GPUOption,
    Manufacturer,
    MeasuredWeights,
    ModelPart,
    PowerSupply,
    Requirement,
    Server,
    SlotAlternative,
    Source,
    TypicalAssumption,
    Variant,
    WorkloadProfile,
)
from catalog.models.evidence import SUBJECTS
from catalog.sheets import cells
from catalog.sheets.keys import Keys

KEPT_BY_THE_PROGRAM = {"updated_at", "sort_key"}


class Column(Field):
    """One column of a sheet; its name is the field's own, the same in every language."""

    @property
    def model_field(self):
        return self.widget.field

    def value(self, row):
        """Return what the table holds, as a cell that says the same would be read."""
        return self.widget.normal(row.__dict__[self.attribute])

    def stored(self, value):
        """Return what the table keeps for a value; a text that nobody wrote is "", never null."""
        return "" if value is None and self.takes_empty_text else value

    @property
    def takes_empty_text(self):
        field = self.model_field
        if hasattr(field, "translated_field"):
            return True  # its column could be null, but never is
        return not field.null and field.empty_strings_allowed and field.blank

    @property
    def is_required(self):
        return not (self.model_field.null or self.takes_empty_text)

    @property
    def label(self):
        return str(self.model_field.verbose_name)


class SheetResource(ModelResource):
    """A table as a sheet. Rows are told apart by `key`; where facts may repeat, by a number first.

    `fixed` are columns that say which row it is: a row with a number keeps them.
    """

    DEFAULT_RESOURCE_FIELD = Column

    def __init__(self, keys=None, **kwargs):
        super().__init__(**kwargs)
        self.keys = keys or Keys()
        for column in self.fields.values():
            if isinstance(column.widget, cells.RowColumn):
                column.widget.keys = self.keys

    @classmethod
    def widget_from_django_field(cls, f, default=cells.WordsColumn):
        if f.remote_field:
            return cells.RowColumn
        if isinstance(f, models.BooleanField):
            return cells.YesNoColumn
        if isinstance(f, models.FloatField):
            return cells.RealColumn
        if isinstance(f, models.IntegerField):
            return cells.WholeColumn
        if isinstance(f, models.DateField):
            return cells.DayColumn
        if f.choices:
            return cells.ListedColumn
        return cells.ProseColumn if isinstance(f, models.TextField) else default

    @classmethod
    def field_from_django_field(cls, field_name, django_field, readonly):
        return Column(
            attribute=django_field.attname,
            column_name=field_name,
            widget=cls.widget_from_django_field(django_field)(django_field),
            readonly=readonly,
        )

    @property
    def model(self):
        return self._meta.model

    @cached_property
    def columns(self):
        """Return the columns in the order of the sheet: what tells rows apart comes first."""
        return [self.fields[name] for name in self.get_export_order()]

    @cached_property
    def references(self):
        return [column for column in self.columns if isinstance(column.widget, cells.RowColumn)]

    @cached_property
    def originals(self):
        """Return the columns that texts have beside their languages: they are never read."""
        return {
            field.translated_field.name
            for field in self.model._meta.fields
            if hasattr(field, "translated_field")
        }

    @property
    def is_numbered(self):
        return "id" in self.fields

    @property
    def label(self):
        return str(self.model._meta.verbose_name_plural)


def columns_of(model, key, numbered):
    """Return the names of a table's columns: each text once a language, never the bare name."""
    names = []
    for field in model._meta.concrete_fields:
        if hasattr(field, "translated_field") or field.name in KEPT_BY_THE_PROGRAM or field.primary_key:
            continue
        languages = [
            other.name
            for other in model._meta.concrete_fields
            if getattr(other, "translated_field", None) and other.translated_field.name == field.name
        ]
        names += languages or [field.name]
    return [*(["id"] if numbered else []), *key, *(name for name in names if name not in key)]


def table(model, sheet, key=("slug",), fixed=()):
    """Return the resource class of a table; with `fixed` columns its rows have numbers."""
    names = columns_of(model, key, bool(fixed))
    return modelresource_factory(
        model,
        resource_class=SheetResource,
        meta_options={
            "fields": names,
            "export_order": names,
            "import_id_fields": list(key),
            "name": sheet,
            "fixed": tuple(fixed),
        },
    )


CONDITIONS = (
    "min_count",
    "max_count",
    "fixed",
    "card_power_cap_w",
    "ambient_max_c",
    "min_sockets",
    "min_psu_w",
    "blocks_bays",
    "not_in_quiet_modes",
    "special_order",
    "special_base_model",
)
CACHE = tuple(
    [
        "ai_model",
        "kind",
        "layers",
        "kv_heads",
        "head_dim",
        "latent_dim",
        "rope_dim",
        "window",
        "state_bytes",
        "tokens_per_entry",
    ]
)
RESOURCES = {
    resource._meta.model: resource
    for resource in (
        table(Manufacturer, "manufacturers"),
        table(Source, "sources"),
        table(Enclosure, "enclosures"),
        table(GPU, "gpus"),
        table(AIModel, "ai_models"),
        table(CacheGroup, "cache_groups", CACHE, fixed=["ai_model"]),
        table(ModelPart, "model_parts", ["ai_model", "name"], fixed=["ai_model"]),
        table(
            MeasuredWeights,
            "measured_weights",
            ["ai_model", "precision", "stated_dtype", "of_files", "source"],
            fixed=["ai_model"],
        ),
        table(WorkloadProfile, "workload_profiles"),
        table(Requirement, "requirements", ["profile", "aspect"]),
        table(TypicalAssumption, "typical_assumptions", ["profile", "key"]),
        table(GlossaryTerm, "glossary"),
        table(Server, "servers"),
        table(PowerSupply, "power_supplies", ["server", "power_w"]),
        table(CoolingOption, "cooling_options", ["server", "kind"]),
        table(Variant, "variants", ["server", "slug"]),
        table(SlotAlternative, "slot_alternatives", ["variant", "width", "count"]),
        table(GPUOption, "gpu_options", ["variant", "gpu", *CONDITIONS], fixed=["variant", "gpu"]),
        table(
            Evidence,
            "evidence",
            [*SUBJECTS, "field", "source", "stated"],
            fixed=[*SUBJECTS, "field"],
        ),
        table(BenchmarkResult, "benchmark_results", ["measurement", "figure"]),
    )
}
# Tables that travel with another one: {table: {table that comes along: how its rows point to it}}.
COMPANIONS = {
    Server: {
        PowerSupply: "server",
        CoolingOption: "server",
        Variant: "server",
        SlotAlternative: "variant__server",
        GPUOption: "variant__server",
        Evidence: ("server", "variant__server", "option__variant__server"),
    },
    Variant: {
        SlotAlternative: "variant",
        GPUOption: "variant",
        Evidence: ("variant", "option__variant"),
    },
    GPUOption: {Evidence: "option"},
    GPU: {Evidence: "gpu"},
    AIModel: {
        CacheGroup: "ai_model",
        ModelPart: "ai_model",
        MeasuredWeights: "ai_model",
        Evidence: "ai_model",
    },
    WorkloadProfile: {Requirement: "profile", TypicalAssumption: "profile"},
}
