"""Reads `fixtures/` into the catalog: what is missing goes in, what exists stays as the staff left it.

A file describes whole things (a server with its variants, options and evidence). Whole things are also what
is missing or not: once a server exists, none of its rows is touched, so that a second load never brings back
what somebody has changed or deleted. `overwrite` puts the files' state back.
"""

from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from django.conf import settings
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db import IntegrityError, models, transaction
from django.utils import translation
from modeltranslation.translator import NotRegistered, translator

from catalog import benchmarks, versions
from catalog.guides import files
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
from catalog.models.base import Named, sort_key
from catalog.search import index
from catalog.stating import as_stated

LANGUAGES = [code for code, _name in settings.LANGUAGES]
# Nested lists of a file -> the table that holds them and the column that points back.
CHILDREN = {
    Server: {
        "power_supplies": (PowerSupply, "server"),
        "cooling_options": (CoolingOption, "server"),
        "variants": (Variant, "server"),
    },
    Variant: {"slot_alternatives": (SlotAlternative, "variant"), "gpu_options": (GPUOption, "variant")},
    AIModel: {
        "cache_groups": (CacheGroup, "ai_model"),
        "parts": (ModelPart, "ai_model"),
        "measured_weights": (MeasuredWeights, "ai_model"),
    },
    WorkloadProfile: {
        "requirements": (Requirement, "profile"),
        "assumptions": (TypicalAssumption, "profile"),
    },
}
SUBJECT = {Server: "server", Variant: "variant", GPUOption: "option", GPU: "gpu", AIModel: "ai_model"}
SINGLE_VALUE = {PowerSupply: "power_w", CoolingOption: "kind"}  # rows that a file writes as plain values

_also = []  # (file, table) of other apps


def also(file, model):
    """Load a file of another app's rows after the catalog's own."""
    _also.append((file, model))


class FixtureError(ValueError):
    """A file says something that the catalog cannot hold."""


@dataclass
class Report:
    """What a load did: rows of each table that went in, and figures with and without a source per server."""

    added: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    replaced: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    figures: list[tuple[str, int, int]] = field(default_factory=list)  # server, figures, with a source
    left_out: Counter[str] = field(default_factory=Counter)  # measured cases that are no results, by reason

    @property
    def changed(self):
        return bool(self.added or self.replaced)


def load(folder=None, *, overwrite=False):
    """Bring the files of `folder` into the catalog in one transaction and return the Report.

    Raises:
        FixtureError: a file names an unknown field or row, or a value breaks a rule of its table.
    """
    folder = Path(folder or settings.BASE_DIR / "fixtures")
    loader = Loader(overwrite)
    with transaction.atomic():
        # What a source states is kept in one language, whoever runs the load.
        with versions.held_back(), translation.override("en"):
            fill(loader, folder)
        if index.rebuild() or loader.report.changed:
            versions.bump()
            versions.bump_content()
    loader.report.figures = count_figures()
    return loader.report


def fill(loader, folder):
    """Load the files of a folder in the order in which they name each other."""
    loader.table(Manufacturer, read(folder / "manufacturers.yaml"))
    loader.table(Source, read(folder / "sources.yaml"))
    loader.table(Enclosure, read(folder / "enclosures.yaml"))
    loader.table(GPU, read(folder / "gpus.yaml"))
    loader.table(AIModel, read(folder / "ai_models.yaml"))
    loader.table(WorkloadProfile, read(folder / "workloads.yaml"))
    loader.table(GlossaryTerm, read(folder / "glossary.yaml"))
    servers = [row for path in sorted((folder / "servers").glob("*.yaml")) for row in read(path)]
    loader.table(Server, servers)
    cases = [case for path in sorted((folder / "benchmarks").glob("*.yaml")) for case in read(path, "id")]
    loader.results(cases)
    for file, model in _also:
        if (folder / file).exists():
            loader.table(model, read(folder / file))
    try:
        files.load(folder, loader.report, overwrite=loader.overwrite)
    except files.FileError as error:
        raise FixtureError(str(error)) from error


def read(path, key="slug"):
    """Return the rows of one file, each with its key; a file may also hold a single one."""
    try:
        with path.open(encoding="utf-8") as file:
            rows = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise FixtureError(f"{path.name}: {error}") from error
    rows = rows if isinstance(rows, list) else [rows]
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get(key), str):
            raise FixtureError(f"{path.name}: every entry is a list of fields with a {key}")
    return rows


class Loader:
    def __init__(self, overwrite):
        self.overwrite = overwrite
        self.report = Report()
        self.ids = {}  # table -> {slug: id} of the tables that others point to
        self.evidence = []  # (subject row, evidence entries, weak fields, checked on)

    def table(self, model, rows):
        """Insert a file's missing rows with all that hangs on them; overwrite the others if told to."""
        existing = {row.slug: row for row in model.objects.all()}
        todo, links = [], []
        for data in rows:
            data = dict(data)
            old = existing.get(data["slug"])
            if old is not None and not self.overwrite:
                continue
            successor = data.pop("successor", None)
            children = {name: data.pop(name, None) or [] for name in CHILDREN.get(model, {})}
            evidence = (data.pop("evidence", None) or [], data.pop("weak", None) or [])
            checked_on = data.pop("checked_on", None)
            row = self.build(model, data, data["slug"])
            if old is not None:
                row.pk = old.pk
            links.append((row, successor))
            todo.append((row, children, (*evidence, checked_on)))
        new = [row for row, *_rest in todo if row.pk is None]
        old = [row for row, *_rest in todo if row.pk is not None]
        insert(model, new)
        self.replace(model, old)
        self.ids[model] = dict(model.objects.values_list("slug", "pk"))
        self.link_successors(model, links)
        for name, (child, parent) in CHILDREN.get(model, {}).items():
            self.children(child, parent, [(row, lists[name]) for row, lists, _evidence in todo])
        for row, _children, (entries, weak, checked_on) in todo:
            self.remember(row, entries, weak, checked_on)
        self.write_evidence()
        if new:
            self.report.added[model._meta.model_name] += len(new)
        if old:
            self.report.replaced[model._meta.model_name] += len(old)

    def results(self, cases):
        """Insert the measurements that are missing, each with all of its figures; overwrite if told to."""
        known = {
            "gpu": set(self.ids[GPU]),
            "server": set(self.ids[Server]),
            "ai_model": set(self.ids[AIModel]),
        }
        rows, self.report.left_out = benchmarks.rows_of(cases, known)
        existing = {
            (measurement, figure): pk
            for pk, measurement, figure in BenchmarkResult.objects.values_list("pk", "measurement", "figure")
        }
        measurements = {measurement for measurement, _figure in existing}
        new, old = [], []
        for data in rows:
            if data["measurement"] in measurements and not self.overwrite:
                continue
            row = self.build(BenchmarkResult, data, f"{data['measurement']} {data['figure']}")
            row.pk = existing.get((row.measurement, row.figure))
            (new if row.pk is None else old).append(row)
        insert(BenchmarkResult, new)
        self.replace(BenchmarkResult, old)
        if new:
            self.report.added["benchmarkresult"] += len(new)
        if old:
            self.report.replaced["benchmarkresult"] += len(old)

    def replace(self, model, rows):
        """Write the files' state over existing rows, and clear what hangs on them for a new start."""
        if not rows:
            return
        columns = [f.name for f in model._meta.concrete_fields if not f.primary_key]
        ids = [row.pk for row in rows]
        for child, parent in CHILDREN.get(model, {}).values():
            child.objects.filter(**{f"{parent}__in": ids}).delete()
        if model in SUBJECT:
            Evidence.objects.filter(**{f"{SUBJECT[model]}__in": ids}).delete()
        with in_words(model):
            for row in rows:
                models.Model.save(row, force_update=True, update_fields=columns)

    def link_successors(self, model, links):
        """Point servers to their successors, once all of them exist."""
        for row, slug in links:
            if slug is not None:
                row.successor_id = self.id_of(Server, slug, row)
                models.Model.save(row, update_fields=["successor"])

    def children(self, model, parent, pairs):
        """Insert the nested rows of many parents at once, then what is nested in them."""
        todo = []
        for owner, entries in pairs:
            for position, entry in enumerate(entries):
                data = dict(entry) if isinstance(entry, dict) else {SINGLE_VALUE[model]: entry}
                nested = {name: data.pop(name, None) or [] for name in CHILDREN.get(model, {})}
                evidence = (data.pop("evidence", None) or [], data.pop("weak", None) or [])
                if model is GPUOption:
                    data["position"] = position
                row = self.build(model, data | {parent: owner}, f"{owner} {model._meta.model_name}")
                todo.append((row, nested, evidence))
        insert(model, [row for row, *_rest in todo])
        for name, (child, back) in CHILDREN.get(model, {}).items():
            self.children(child, back, [(row, nested[name]) for row, nested, *_rest in todo])
        for row, _nested, (entries, weak) in todo:
            self.remember(row, entries, weak, None)

    def build(self, model, data, label):
        """Return an unsaved row with the values of one entry, checked field by field."""
        values = {}
        translated = translated_fields(model)
        for name, value in data.items():
            if name in translated:
                values |= {f"{name}_{code}": (value or {}).get(code) or "" for code in LANGUAGES}
            else:
                values[name] = self.value(model, name, value, label)
        for name in translated - data.keys():
            values |= {f"{name}_{code}": "" for code in LANGUAGES}
        row = model(**values)
        if isinstance(row, Named):
            row.sort_key = sort_key(row.name)
        try:
            # The original column of a translated text is never read: its default is enough.
            row.clean_fields(exclude=[*translated, *(f.name for f in model._meta.fields if f.remote_field)])
            if isinstance(row, MeasuredWeights):
                row.clean()
        except ValidationError as error:
            raise FixtureError(f"{label}: {error.message_dict}") from error
        return row

    def value(self, model, name, value, label):
        try:
            column = model._meta.get_field(name)
        except FieldDoesNotExist as error:
            raise FixtureError(f"{label}: no field named {name}") from error
        if column.remote_field and isinstance(value, str):
            target = column.remote_field.model
            return target(pk=self.id_of(target, value, label), slug=value)
        if isinstance(value, list):
            return "\n".join(value)
        if isinstance(column, models.CharField) and value is not None and not isinstance(value, str):
            return str(value)
        return value

    def id_of(self, model, slug, label):
        if model not in self.ids:
            self.ids[model] = dict(model.objects.values_list("slug", "pk"))
        try:
            return self.ids[model][slug]
        except KeyError:
            raise FixtureError(f"{label}: there is no {model._meta.model_name} {slug}") from None

    def remember(self, row, entries, weak, checked_on):
        if entries:
            self.evidence.append((row, entries, set(weak), checked_on))

    def write_evidence(self):
        """Insert one row for each field that a source stands for."""
        rows = []
        stamps = {}
        for subject, _entries, _weak, checked_on in self.evidence:
            if checked_on:
                stamps[owner_of(subject)] = checked_on
        for subject, entries, weak, checked_on in self.evidence:
            known = None
            allowed = set(subject.evidence_fields())
            checked = checked_on or stamps.get(owner_of(subject))
            for entry in entries:
                names = entry.get("fields") or [entry.get("field")]
                if wrong := [name for name in names if name not in allowed]:
                    raise FixtureError(f"{subject}: evidence for an unknown field {wrong[0]}")
                if "stated" not in entry and known is None:
                    known = subject.figures()
                source = self.id_of(Source, entry.get("source"), subject)
                rows += [
                    Evidence(
                        **{SUBJECT[type(subject)]: subject},
                        field=name,
                        source_id=source,
                        state=entry.get("state"),
                        stated=entry.get("stated") or as_stated((known or {}).get(name)),
                        kept=entry.get("kept", True),
                        weak=entry.get("weak", False) or name in weak,
                        checked_on=checked,
                        checked_by=Evidence.FROM_FILES if checked else "",
                        note=entry.get("note", ""),
                        # What comes in set aside was weighed by whoever wrote the file: the note says why.
                        reason="" if entry.get("kept", True) else entry.get("note", ""),
                    )
                    for name in names
                ]
        insert(Evidence, rows)
        self.evidence = []


def owner_of(row):
    """Return the server that a variant or an option belongs to; any other row itself."""
    if isinstance(row, GPUOption):
        return row.variant.server
    return row.server if isinstance(row, Variant) else row


@contextmanager
def in_words(model):
    """Say what the database refuses in the words of the rule that a row breaks."""
    try:
        yield
    except IntegrityError as error:
        broken = [rule for rule in model._meta.constraints if rule.name in str(error)]
        reason = broken[0].get_violation_error_message() if broken else error
        raise FixtureError(f"{model._meta.verbose_name}: {reason}") from error


def insert(model, rows):
    """Insert rows at once."""
    with in_words(model):
        model.objects.bulk_create(rows)


def translated_fields(model):
    try:
        return set(translator.get_options_for_model(model).all_fields)
    except NotRegistered:
        return set()


def count_figures():
    """Return (server, known figures, figures with a source) of every server, by name."""
    counts = []
    sourced = defaultdict(set)
    kept = Evidence.objects.filter(kept=True, gpu=None, ai_model=None)
    for row in kept.values("server", "variant", "option", "field"):
        subject = next((key, row[key]) for key in ("server", "variant", "option") if row[key])
        sourced[subject].add(row["field"])
    servers = Server.objects.order_by("sort_key").select_related("cpu_manufacturer", "enclosure", "successor")
    for server in servers.prefetch_related(
        "power_supplies", "cooling_options", "variants__slot_alternatives", "variants__gpu_options"
    ):
        known = with_source = 0
        subjects = [("server", server)]
        for variant in server.variants.all():
            subjects.append(("variant", variant))
            subjects += [("option", option) for option in variant.gpu_options.all()]
        for kind, row in subjects:
            names = row.figures().keys()
            known += len(names)
            with_source += len(names & sourced[kind, row.pk])
        counts.append((server.slug, known, with_source))
    return counts
