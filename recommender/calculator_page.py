"""The calculator's form by GET, and its result as texts and figures ready to be printed."""

from dataclasses import dataclass, fields
from math import ceil
from urllib.parse import urlencode

from django.conf import settings
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import get_language, gettext, gettext_lazy as _, ngettext, pgettext

from aiservers.addresses import canonical_text
from aiservers.numbers import Interval
from catalog.templatetags import units
from catalog.templatetags.ui import STATES
from recommender import answers, calculator, reasons
from recommender.calculator import HARDWARE_KEYS, Calculation, Fit
from recommender.case_defaults import LOW_IS_HARDER
from recommender.forms import Option, Question, Questionnaire, answers_in, submitted_answers
from recommender.memory_texts import LINE_OF_GROUP, gpus_text, opened, opened_formula
from recommender.presentation import question_address
from recommender.questions import STAGES
from recommender.sizing import weights
from recommender.sizing.breakdown import TrainingBreakdown
from recommender.sizing.demand import message
from recommender.sizing.specs import GIB, Range

MODES = ("inference", "fine_tuning", "training")
MOST_CARDS = 12  # rows of the table of cards
MOST_SERVERS = 8
MOST_LAYOUTS = 12
LONGEST_SEARCH = 100  # letters

# The fields in their order: (section, is for, shown at once, folded away).
SECTIONS = (
    ("model", "", ("model",), ("parameters_b", "active_parameters_b", *calculator.SHAPE)),
    ("precision", "", ("precision",), ()),
    (
        "load",
        "serving",
        ("concurrency", "context_tokens"),
        (
            "input_tokens",
            "output_tokens",
            "prefix_percent",
            "kv_precision",
            "engine",
        ),
    ),
    ("beside", "serving", (), ("adapters", "draft_model", *calculator.COMPANIONS)),
    (
        "training",
        "learning",
        ("method", "sequence_tokens", "micro_batch"),
        (
            "optimizer",
            "lora_rank",
            "recompute",
            "sharding",
            "offload",
            "preference",
            "checkpoints_kept",
            "storage_gbs",
        ),
    ),
    ("hardware", "", ("gpu", "gpus"), ("servers", "utilization")),
    ("index", "serving", (), ("documents", "vector_dimensions", "index_type", "index_replicas")),
)
ASKED = {"stage", *(name for _slug, _mode, shown, extra in SECTIONS for name in (*shown, *extra))}
# What a layout costs; GPUs without work are named beside the layout itself.
COSTS = {
    "tensor_over_pcie": _("The GPUs that share the model talk over PCIe: this buys memory, but costs speed."),
    "pipeline_no_faster": _("Stages buy memory and throughput, but no answer gets faster."),
    "pipeline_over_network": _("Stages in several servers wait for the network between them."),
    "experts_over_pcie": _("Experts are reached over PCIe: this buys memory, but costs speed."),
    "experts_over_network": _("Experts are reached over the network: this buys memory, but costs speed."),
    "kv_heads_copied": _("There are fewer KV heads than GPUs: the cache is not divided any further."),
    "gradients_over_pcie": _("Copies exchange their gradients over PCIe at every step, which costs speed."),
    "gradients_over_network": _("Copies exchange their gradients over the network at every step."),
    "latent_copied": _("Each GPU keeps the whole compressed cache: more GPUs do not divide it."),
}
PATHS = {
    "nvswitch": "NVSwitch",
    "nvlink": "NVLink",
    "bridge": _("NVLink bridge"),
    "fabric": _("direct link of the maker"),
    "pcie": "PCIe",
    "network": _("network between servers"),
}
ENGINE_WARNINGS = {
    "graphs_beside": _(
        "The recorded CUDA graphs lie outside of what the engine plans with, and it leaves them too little."
    ),
    "budget_above_95": _("Above 95 % an engine often runs out of memory outside of what it plans."),
}
NUMBERS = {name for name, key in HARDWARE_KEYS.items() if key.kind == "number"}


def submitted(query):
    """Return the canonical query of a submitted form: answers, then GPUs.

    What only matters to the other kind of work goes: the form asks it there.
    """
    language = query.get("lang")
    if language not in dict(settings.LANGUAGES):
        language = get_language()
    result = submitted_answers(query)
    stages = {stage for stage in result.getlist("stage") if stage in answers.STAGES} or {"inference"}
    for name in ASKED - set(HARDWARE_KEYS):
        if not answers.KEYS[name].stages & stages:
            result.pop(name, None)
    find = query.get("find", "").strip()[:LONGEST_SEARCH]
    if find and not result.get("model"):
        # Without scripts the words come with the form: one model is meant, or the list gets shorter.
        found = Calculator(QueryDict(urlencode({"find": find}))).found_models()
        if len(found) == 1:
            result["model"] = found[0]
        else:
            result["find"] = find
    for name in HARDWARE_KEYS:
        texts = [text.strip() for text in query.getlist(name) if text.strip()]
        if texts:
            result.setlist(
                name, [canonical_text(text, language) if name in NUMBERS else text for text in texts]
            )
    return result


@dataclass
class Field(Question):
    """One question as the calculator shows it: numbers are typed, everything else is a list."""

    is_narrowed_to_none: bool = False  # no model has the words looked for

    @property
    def control(self):
        return "number" if self.key.kind == "number" else "select"

    @property
    def mode(self):
        """Name the kind of work that alone asks for it: "serving", "learning" or "" for both."""
        modes = {answers.SERVING: "serving", answers.LEARNING: "learning"}
        return modes.get(self.key.stages, "")

    @property
    def described_by(self):
        return f"{self.id}_error {self.id}_typical"

    @property
    def open_label(self):
        return gettext("Not chosen")


class Calculator(Questionnaire):
    """The answers of one address with the GPUs that it names."""

    def __init__(self, query, problems=(), typical=None):
        super().__init__(query, problems, typical)
        self.find = query.get("find", "").strip()[:LONGEST_SEARCH]
        self.machine = {name: query.getlist(name) for name in HARDWARE_KEYS if query.getlist(name)}
        _good, bad = calculator.hardware_of(self.machine)
        for problem in bad:
            self.errors.setdefault(problem.key, problem.text)
        self.mode = "serving" if self.stages & answers.SERVING or not self.stages else "learning"

    def check_shape(self, calculation: Calculation):
        """Say beside the width where the reader's own dimensions make another size than the one stated."""
        expected = calculator.contradiction(calculation)
        if expected is not None:
            text = gettext(
                "That many layers of that width make %(low)s to %(high)s parameters in published models, not "
                "%(stated)s: one of the three is wrong. The figures below take them as they are."
            )
            low, high, stated = (
                units.billions(count)
                for count in (expected.low, expected.high, calculation.model.compute_parameters)
            )
            self.errors.setdefault("hidden_size", text % {"low": low, "high": high, "stated": stated})
        usual = calculator.unusual_layers(calculation)
        if usual is not None:
            text = gettext(
                "Published models of about that size have %(low)s to %(high)s layers: check the layers and "
                "the size. The figures below take both as they are."
            )
            low, high = (units.number(count) for count in usual)
            self.errors.setdefault("num_layers", text % {"low": low, "high": high})

    def field(self, name):
        if name in HARDWARE_KEYS:
            question = Question(
                HARDWARE_KEYS[name], self.machine.get(name, []), error=self.errors.get(name, "")
            )
            choices = question.key.choices
            if name == "gpu":
                question.groups = self._gpu_groups(question.texts)
            if name in calculator.COMPANIONS:
                question.groups = self._companion_groups(name, question.texts)
                choices = ((calculator.NONE, pgettext("model", "None")),)
            question.options = [
                Option(value, str(label), value in question.texts) for value, label in choices
            ]
        else:
            question = self.question(name)
            if name == "draft_model":
                none = Option(calculator.NONE, pgettext("model", "None"), self.is_without_draft)
                question.options = [none]
        field = Field(**{item.name: getattr(question, item.name) for item in fields(question)})
        field.is_narrowed_to_none = name == "model" and bool(self.find) and not self.found_models()
        return field

    @property
    def is_without_draft(self):
        """Whether the reader said that no draft model runs."""
        return self.query.getlist("draft_model") == [calculator.NONE]

    def address_query(self):
        """Return the query for pages that ask for a draft model only where there is one."""
        return answers_alone(self.query).urlencode()

    def sections(self):
        """Return the form's sections: slug, what it is for, fields shown at once and folded away."""
        found = []
        for slug, mode, shown, extra in SECTIONS:
            more = [self.field(name) for name in extra]
            found.append(
                {
                    "slug": slug,
                    "mode": mode,
                    "fields": [self.field(name) for name in shown],
                    "extra": more,
                    "is_open": any(field.texts or field.error for field in more),
                }
            )
        return found

    def messages(self):
        """Return every message on an answer with a link to its field, here or where it is asked."""
        items = []
        for name, text in self.errors.items():
            key = answers.KEYS.get(name) or HARDWARE_KEYS.get(name)
            href = f"#id_{name}" if name in ASKED else question_address(self, name)
            items.append({"href": href, "label": key.label if key else name, "text": text})
        return items

    def modes(self):
        """Return the kinds of work to choose from."""
        chosen = next((stage for stage in MODES if stage in self.stages), "inference")
        if not self.stages & set(MODES) and self.mode == "learning":
            chosen = "fine_tuning"
        return [Option(value, str(STAGES[value][0]), value == chosen) for value in MODES]

    def carried(self):
        """Return what the form carries along because it does not ask it, as pairs."""
        pairs = self.hidden(ASKED)
        chosen_in_tables = ("tensor_parallel", "pipeline_parallel", "expert_parallel")
        return pairs + [(name, text) for name in chosen_in_tables for text in self.machine.get(name, [])]

    def full_query(self, **changes):
        """Return the address's query with these changes; None takes a key out."""
        query = QueryDict(mutable=True)
        for name, texts in [*self.query.lists(), *self.machine.items()]:
            query.setlist(name, texts)
        for name, text in changes.items():
            query.pop(name, None)
            if text is not None:
                query[name] = text
        return query.urlencode()

    def _model_groups(self, chosen):
        """Return the AI models that can be sized and have the words looked for, grouped by who made them."""
        groups = {}
        found = self.found_models()
        for slug, name, developer, _kind in self.models:
            if slug not in found and slug not in chosen:
                continue
            groups.setdefault(developer, []).append(Option(slug, name, slug in chosen))
        return sorted(groups.items(), key=lambda item: item[0].casefold())

    def found_models(self):
        """Return the slugs of the models whose name, developer or slug has every word looked for."""
        words = self.find.casefold().split()
        return [
            slug
            for slug, name, developer, _kind in self.models
            if all(word in f"{name} {developer} {slug}".casefold() for word in words)
        ]

    def _companion_groups(self, name, chosen):
        """Return the embedding models or rerankers, grouped by who made them."""
        able = calculator.companions_for(name)
        groups = {}
        for slug, label, developer, _kind in self.models:
            if slug in able:
                groups.setdefault(developer, []).append(Option(slug, label, slug in chosen))
        return sorted(groups.items(), key=lambda item: item[0].casefold())

    @staticmethod
    def _gpu_groups(chosen):
        names = calculator.names()
        groups = {}
        for slug, gpu in calculator.gpus().items():
            maker = names.get(gpu.vendor, gpu.vendor)
            groups.setdefault(maker, []).append(Option(slug, names[slug], slug in chosen))
        return [
            (maker, sorted(options, key=lambda option: option.label))
            for maker, options in sorted(groups.items(), key=lambda item: item[0].casefold())
        ]


def answered(query):
    """Return the part of an address that is the questionnaire's, as a mapping for the parser."""
    return dict(answers_alone(answers_in(query)).lists())


def answers_alone(query):
    """Return the answers without what only the calculator can be told: that there is no draft model."""
    kept = query.copy()
    if kept.getlist("draft_model") == [calculator.NONE]:
        del kept["draft_model"]
    return kept


# The result


def address(query=""):
    path = reverse("recommender:calculator")
    return f"{path}?{query}" if query else path


def address_of_match(form, match):
    """Return the address of the calculator for one match of the advice, whose figures it opens."""
    query = form.query.copy()
    if match["training_hours"] is None and not query.get("precision"):
        query["precision"] = match["precision"]
    query["gpu"] = match["gpu"].slug
    query["gpus"] = match["gpus_per_server"]
    for name in ("servers", "tensor_parallel", "pipeline_parallel"):
        if match[name] != 1 or name == "tensor_parallel":
            query[name] = match[name]
    return address(query.urlencode())


def result(calculation, form):
    """Return what the result block prints."""
    chosen, case = calculation.chosen, calculation.case
    context = {
        "model": _model(calculation),
        "trains": not case.serves,
        "assumptions": _assumptions(calculation, form),
        "notices": [notice.text for notice in calculation.resolved.notices] + unused(calculation),
        "cards": _cards(calculation, form),
        "index": _index(calculation),
        "cache_unknown": not calculation.model.cache_known and case.serves,
        "weights": _weights_text(calculation),
        "questionnaire_url": _with(reverse("recommender:questions"), form.address_query()),
        "results_url": _with(reverse("recommender:results"), form.address_query()),
    }
    if chosen is None:
        return context | {"whole": _whole(calculation), "spoken": _spoken_without(context)}
    gpu = calculation.hardware.gpu
    layouts = _layouts(calculation, form)
    found = calculator.opened(calculation)
    return context | {
        "gpu": {"slug": gpu.slug, "name": calculation.names[gpu.slug]},
        "memory": memory_context(chosen, found, calculation.names),
        "beside": _beside(calculation, form, found) if case.serves else [],
        "facts": _facts(calculation),
        "host": _host(calculation),
        "workings": _workings(calculation),
        "layout": _layout_text(chosen),
        "settings": _settings_text(calculation, chosen),
        "notes": _notes(calculation, chosen),
        "state": verdict(calculation, chosen),
        "word": verdict_word(calculation, chosen),
        "headline": headline(calculation, chosen),
        "spoken": f"{verdict_word(calculation, chosen)}: {headline(calculation, chosen)}",
        "order": _order(calculation, form),
        "layouts": layouts[:MOST_LAYOUTS],
        "more_layouts": layouts[MOST_LAYOUTS:],
        "table": _table(calculation) if chosen.most is not None else None,
        "servers": [
            {"slug": slug, "name": calculation.names[slug]} for slug in calculation.servers[:MOST_SERVERS]
        ],
        "more_servers": max(len(calculation.servers) - MOST_SERVERS, 0),
        "list_url": _with(reverse("catalog:server_list"), f"gpu={gpu.slug}"),
    }


def verdict(calculation: Calculation, fit: Fit):
    """Return the state to show: what cannot be ordered in that number fits nobody, whatever its memory."""
    return "fits_if" if fit.state == "fits" and not calculation.servers else fit.state


def verdict_word(calculation: Calculation, fit: Fit):
    """Return the state in a word or two."""
    if fit.state in ("fits", "fits_if") and not calculation.servers:
        return gettext("cannot be ordered")
    return str(STATES[fit.state])


def _order(calculation: Calculation, form):
    """Return in which numbers the GPU can be ordered, each with its calculation; None: this one can be."""
    if calculation.servers:
        return None
    gpu = calculation.hardware.gpu
    plain = dict.fromkeys(("tensor_parallel", "pipeline_parallel", "expert_parallel"))
    return [
        {
            "text": gpus_text(gpu, count, calculation.names),
            "url": address(form.full_query(gpus=str(count), **plain)),
        }
        for count in calculator.orderable_counts(gpu)
    ]


def headline(calculation, fit):
    """Return the verdict in a sentence."""
    text = _memory_headline(calculation, fit)
    if calculation.servers or fit.state not in ("fits", "fits_if"):
        return text
    number = gettext("No server of the catalog takes this number of them, though the memory would do.")
    return f"{number} {text}"


def _memory_headline(calculation, fit):
    """Return what is needed and what there is, in a sentence."""
    held = fit.memory
    values = {
        "need": units.bytes_gib(held.total.typical),
        "high": units.bytes_gib(held.total.high),
        "have": units.bytes_gib(held.available.low),
    }
    refused = ("no", "storage_only") if calculation.case.serves else ("no",)
    if calculation.support in refused and fit.state == "no":
        return gettext("The card does not run %(precision)s weights with this engine.") % {
            "precision": fit.precision.upper()
        }
    if fit.state == "unknown":
        return gettext("Without its cache, each GPU needs %(need)s; %(have)s are usable.") % values
    if fit.state == "fits":
        return gettext("Each GPU needs %(need)s, at most %(high)s; %(have)s are usable.") % values
    if fit.state == "fits_if":
        return (
            gettext(
                "Each GPU typically needs %(need)s, at most %(high)s; %(have)s are usable. It fits where the "
                "need stays below that."
            )
            % values
        )
    values["missing"] = units.bytes_gib(held.total.typical - held.available.typical)
    values["have"] = units.bytes_gib(held.available.typical)
    return gettext("Each GPU needs %(need)s; %(have)s are usable, %(missing)s too little.") % values


def memory_context(fit, breakdown, names):
    """Return the bar and the lines of one GPU and of all that work, from the same figures."""
    held, gpus = fit.memory, fit.layout.gpus_used
    items = {}
    for item in breakdown.items:
        items.setdefault(LINE_OF_GROUP[item.group], []).append(opened(item, names))
    lines = []
    for name, label in reasons.MEMORY_LABELS.items():
        value = getattr(held, name, None)
        if name in ("total", "available") or value is None:
            continue
        lines.append(_line(name, str(label), value, gpus) | {"items": items.get(name, [])})
    return {
        "lines": lines,
        "total": _line(
            "total",
            gettext("Total without the cache") if getattr(breakdown, "unknown", ()) else gettext("Total"),
            held.total,
            gpus,
        ),
        "available": _line("available", gettext("Usable"), held.available, gpus),
        "bar": [{"name": line["name"], "gib": line["gib"]} for line in lines],
        "complete": not getattr(breakdown, "unknown", ()),
        "available_gib": held.available.low / GIB,
        "all_bar": [
            {"name": line["name"], "gib": tuple(end * gpus for end in line["gib"])} for line in lines
        ],
        "all_available_gib": held.available.low / GIB * (gpus + fit.layout.idle_gpus),
        "beside": [opened(item, names) for item in getattr(breakdown, "beside", ())],
        "gpus": gpus,
        "all_gpus": gpus + fit.layout.idle_gpus,
    }


def _beside(calculation: Calculation, form, found):
    """Return what is easily forgotten, each with its size, why it takes nothing, or that nobody was asked."""
    model, corner, machine = calculation.model, calculation.corner, calculation.hardware
    given, names = calculation.answers.values, calculation.names
    rows = []
    if calculation.case.kind == "tokens":
        draft = corner.draft
        own = draft is not None and draft.slug == model.slug
        none = form.is_without_draft
        adapters = [item for item in found.items if item.code == "weights_adapters"]
        rows += [
            _forgotten("adapters", gettext("LoRA adapters being served"), adapters, said="adapters" in given),
            _forgotten(
                "draft_model",
                gettext("Draft model"),
                [item for item in found.items if draft and not own and item.model == draft.slug],
                about=names.get(draft.slug, "") if draft and not own else "",
                said=own or none,
            ),
            _forgotten(
                "draft_model" if model.mtp_parameters else "",
                gettext("Prediction layers"),
                [
                    item
                    for item in found.items
                    if item.code == "weights_prediction" or item.model == "prediction"
                ],
                said=none or (draft is not None and not own),
            ),
        ]
        rows.append(_shared_start(calculation, found))
    towers = [item for item in found.items if item.code == "weights_tower" and not item.model]
    parts = ", ".join(dict.fromkeys(item.part for item in towers))
    label = gettext("Vision or speech encoder")
    row = _forgotten("", label, towers, about=parts)
    if not towers and (model.extra_modules or model.kind == "vlm"):
        row["state"] = "within"  # what engines share out lies in the lines of the layers
    rows.append(row)
    for name, label in (("embedder", gettext("Embedding model")), ("reranker", gettext("Reranker"))):
        chosen = getattr(machine, name)
        rows.append(
            _forgotten(
                name,
                label,
                [item for item in found.items if chosen and item.model == chosen.slug],
                about=names[chosen.slug] if chosen else "",
                said=calculator.NONE in form.machine.get(name, []),
            )
        )
    return rows


def _shared_start(calculation: Calculation, found):
    """Return the start of the prompt that requests share: what is kept once in place of once a request."""
    corner, fit = calculation.corner, calculation.chosen
    once = [item for item in found.items if item.code == "cache_prefix"]
    label = gettext("Shared start of the prompt")
    if not corner.prefix_tokens:
        return _forgotten("prefix_percent", label, [], said="prefix_percent" in calculation.answers.values)
    if not once:
        return _forgotten("", label, []) | {"state": "whole"}
    saved = sum(item.bytes.typical for item in once) * (fit.requests - 1) / GIB
    return _forgotten("", label, once) | {"state": "shared", "saved": saved}


def _forgotten(name, label, items, *, said=False, about=""):
    """Return one such line; `name` is the field that asks for it, empty where only the model decides."""
    ends = [[getattr(item.bytes, end) / GIB for item in items] for end in ("low", "typical", "high")]
    state = "counted" if items else "none" if not name else "said" if said else "open"
    return {
        "label": f"{label}: {about}" if about else label,
        "state": state,
        "gib": tuple(sum(end) for end in ends),
        "href": f"#id_{name}" if state == "open" else "",
    }


def unused(calculation: Calculation):
    """Return what of the address was not used, in sentences."""
    machine, chosen = calculation.hardware, calculation.chosen
    found = _ranges(calculation)
    if machine.shape and calculation.model.slug in calculation.names:
        found.append(
            gettext("Own dimensions count only with a number of parameters and without a model of the list.")
        )
    wanted = (machine.tensor_parallel, machine.pipeline_parallel, machine.expert_parallel)
    if chosen is not None and any(wanted) and not calculator.is_laid(chosen.layout, machine):
        text = gettext(
            "These GPUs do not carry the model as the address asks (tensor %(tensor)s, pipeline "
            "%(pipeline)s, experts %(experts)s): another way to split it is shown."
        )
        names = ("tensor", "pipeline", "experts")
        found.append(text % {name: units.number(size or 1) for name, size in zip(names, wanted, strict=True)})
    return found


def _ranges(calculation: Calculation):
    """Return which end of the reader's ranges counts here, a sentence each."""
    found = []
    for key in calculation.answers.values:
        if key not in ASKED or answers.KEYS[key].kind != "number":
            continue
        value = calculation.answers.interval(key)
        if value is None or value.low == value.high:
            continue
        harder = value.low if key in LOW_IS_HARDER else value.high
        text = gettext("%(question)s A range counts here with its harder end: %(end)s.")
        end = answers.written(answers.KEYS[key], Interval(harder, harder))
        found.append(text % {"question": answers.KEYS[key].label, "end": end})
    return found


def _weights_text(calculation: Calculation):
    """Return the size of the whole model's weights in a few words."""
    return _both(weights.weight_bytes(calculation.model, calculation.precision).typical)


def _index(calculation: Calculation):
    """Return the size of the vector index with its formula; None: no documents were named."""
    found = calculator.vector_index(calculation)
    if found is None:
        return None
    total = tuple(end / GIB for end in (found.total.low, found.total.typical, found.total.high))
    return {
        "vectors": (found.vectors.low, found.vectors.typical, found.vectors.high),
        "dimensions": found.dimensions,
        "gib": total,
        "gb": units.bytes_gb(found.total.typical),
        "item": opened_formula(found.typical.code, found.typical.one, found.typical.formula),
        "sum": _index_sum(found),
    }


def _host(calculation: Calculation):
    """Return memory and cores of one server around its GPUs, each with its formula."""
    found = calculator.host(calculation)
    size, cores, each = found.memory, found.cores, found.cores_each
    gpus = calculation.hardware.gpus
    text = [
        gettext("GPUs × cores for each"),
        gettext("= %(gpus)s × %(each)s")
        % {"gpus": units.number(gpus), "each": units.format_number(each.typical, 0)},
        gettext("= %(cores)s cores, between %(low)s and %(high)s")
        % {
            "cores": units.format_number(cores.typical, 0),
            "low": units.format_number(cores.low, 0),
            "high": units.format_number(cores.high, 0),
        },
    ]
    elsewhere = calculation.answers.one("separate_index") == "yes"
    return {
        "gib": (size.low / GIB, size.typical / GIB, size.high / GIB),
        "gb": units.bytes_gb(size.typical),
        "cores": (round(cores.low), round(cores.typical), round(cores.high)),
        "item": opened_formula("host_memory", size, found.formula),
        "cores_text": "\n".join(text),
        "index": found.for_index.high > 0,
        "index_elsewhere": elsewhere and calculator.vector_index(calculation) is not None,
    }


def _index_sum(found):
    """Return how vectors come from documents and the whole index from its copies, as plain text."""
    low, typical, high = (
        units.format_number(end / found.documents if found.documents else 0, 0)
        for end in (found.vectors.low, found.vectors.typical, found.vectors.high)
    )
    lines = [
        gettext("documents × vectors of a document"),
        gettext("= %(documents)s × %(each)s (%(low)s to %(high)s)")
        % {"documents": units.number(found.documents), "each": typical, "low": low, "high": high},
        gettext("= %(vectors)s vectors (%(low)s to %(high)s)")
        % {
            "vectors": units.number(found.vectors.typical),
            "low": units.number(found.vectors.low),
            "high": units.number(found.vectors.high),
        },
        "",
        gettext("copies of the index × size of one"),
        gettext("= %(copies)s × %(size)s")
        % {"copies": units.number(found.copies), "size": units.bytes_gib(found.typical.one.typical)},
        gettext("= %(size)s") % {"size": _both(found.total.typical)},
        gettext("between %(low)s and %(high)s")
        % {"low": units.bytes_gib(found.total.low), "high": units.bytes_gib(found.total.high)},
    ]
    return "\n".join(lines)


def _whole(calculation: Calculation):
    """Return the bar and lines of the model and its load alone."""
    sizes = calculator.whole_model(calculation)
    lines = [_line(name, str(reasons.MEMORY_LABELS[name]), size, 1) for name, size in sizes.items()]
    return lines and {"lines": lines, "bar": [{"name": line["name"], "gib": line["gib"]} for line in lines]}


def _line(name, label, value: Range, gpus):
    return {
        "name": name,
        "label": label,
        "gib": tuple(end / GIB for end in (value.low, value.typical, value.high)),
        "gb": units.bytes_gb(value.typical),
        "all_gib": units.bytes_gib(value.typical * gpus),
        "all_gb": units.bytes_gb(value.typical * gpus),
    }


def _model(calculation: Calculation):
    model = calculation.model
    listed = model.slug in calculation.names
    return {
        "slug": model.slug if listed else "",
        "name": calculation.names[model.slug] if listed else gettext("A model of the size that you gave"),
        "parameters": model.parameters,
        "active": model.active_parameters,
        "precision": (calculation.chosen.precision if calculation.chosen else calculation.precision).upper(),
        "max_context": model.max_context,
    }


def _split_text(fit: Fit):
    """Return how a model, or the states of its training, lie on the GPUs."""
    layout = fit.layout
    return reasons.layout(
        layout.tensor_parallel,
        layout.pipeline_parallel,
        layout.replicas,
        fit.sharding or "none",
        plain=fit.sharding is None,
    )


def _layout_text(fit: Fit):
    layout = fit.layout
    text = _split_text(fit)
    if layout.expert_parallel > 1:
        text = gettext(
            "The experts are spread over %(experts)s GPUs; every other layer is shared by %(tensor)s."
        ) % {
            "experts": units.number(layout.expert_parallel),
            "tensor": units.number(layout.tensor_parallel),
        }
    if layout.idle_gpus:
        idle = gettext("GPUs without work: %(gpus)s.") % {"gpus": units.number(layout.idle_gpus)}
        text = f"{text} {idle}"
    return text


def _settings_text(calculation: Calculation, fit: Fit):
    """Return how the load lies on one replica, or which ways to save memory were taken, in a sentence."""
    if calculation.case.serves:
        if calculation.case.kind != "tokens":
            return ""
        return ngettext(
            "Each copy runs %(requests)s request of %(tokens)s tokens.",
            "Each copy runs %(requests)s requests of %(tokens)s tokens at once.",
            fit.requests,
        ) % {
            "requests": units.number(fit.requests),
            "tokens": units.number(calculation.corner.tokens_per_request),
        }
    labels = {name: dict(answers.KEYS[name].choices) for name in ("recompute", "sharding")}
    return gettext("Computed again: %(recompute)s. Shared out: %(sharding)s.") % {
        "recompute": labels["recompute"][fit.recompute],
        "sharding": labels["sharding"][fit.sharding],
    }


def _notes(calculation: Calculation, fit: Fit):
    """Return what to know beside the figures."""
    notes = _order_notes(calculation)
    if calculation.case.serves and calculation.model.cache_contested:
        notes.append(reasons.warning(message("cache_contested"), calculation.names))
    if calculation.support == "weight_only" and calculation.case.serves:
        notes.append(
            gettext(
                "This card does not compute in %(precision)s: weights are kept in it, arithmetic runs in 16 "
                "bits and is no faster."
            )
            % {"precision": fit.precision.upper()}
        )
    notes += _costs(calculation, fit) + _choice_notes(calculation, fit)
    if calculation.hardware.companions:
        if fit.layout.gpus_per_replica > 1:
            notes.append(
                gettext(
                    "The models beside it run on one GPU of each copy; the engine takes the same share of "
                    "all of them, so that one decides."
                )
            )
        notes.append(
            gettext("The search for servers does not count the models beside it: leave room for them.")
        )
    if not calculation.hardware.gpu.memory_reported:
        notes.append(
            gettext("What the card really offers is not published: a range around its label counts.")
        )
    warned = getattr(calculator.opened(calculation), "warnings", ())
    notes += [str(ENGINE_WARNINGS[code]) for code in warned]
    return notes


def _choice_notes(calculation: Calculation, fit: Fit):
    """Return how memory is saved where the reader left it open, and what that means for a larger batch."""
    case = calculation.case
    if case.serves or (case.recompute and (case.sharding or fit.layout.replicas == 1)):
        return []
    notes = [
        gettext(
            "How to save memory was left open: shown is the first way that fits, the quickest before slower "
            "ones. A larger batch can take a slower way and then need less."
        )
    ]
    if case.recompute is None and fit.recompute == "full":
        quicker = calculator.training_need(calculation, fit, "selective")
        text = gettext("Computing only a part of the activations again would need %(need)s on each GPU.")
        notes.append(text % {"need": units.bytes_gib(quicker.typical)})
    return notes


def _order_notes(calculation: Calculation):
    """Return what to know when these GPUs are ordered: whether they still are, several on a card."""
    gpu, notes = calculation.hardware.gpu, []
    if calculation.servers and not calculation.orderable:
        notes.append(gettext("No server that takes this number of them is sold any longer."))
    if gpu.gpus_per_card > 1:
        gpus = calculation.hardware.gpus
        several = message("several_devices", devices=gpu.gpus_per_card, gpus=gpus, cards=gpu.cards(gpus))
        notes.append(reasons.warning(several, calculation.names))
    return notes


def _costs(calculation: Calculation, fit: Fit):
    """Return what the layout costs, in sentences."""
    joined = calculation.hardware.link_max_gpus
    found = []
    for code in fit.costs:
        if code == "tensor_over_pcie" and joined > 1:
            text = gettext(
                "A fast link joins GPUs in groups of %(gpus)s; between the groups they talk over PCIe: this "
                "buys memory, but costs speed."
            )
            found.append(text % {"gpus": units.number(joined)})
        elif code in COSTS:
            found.append(str(COSTS[code]))
    return found


def _assumptions(calculation: Calculation, form):
    """Return every value that stands in for an answer, with its label."""
    rows = [
        {
            "label": str(answers.KEYS[item.key].label),
            "value": form.typical.get(item.key, item.value),
            "origin": item.origin,
        }
        for item in calculation.resolved.assumptions
        if item.origin in ("profile", "default") and item.key in ASKED - {"stage"}
    ]
    index = calculator.vector_index(calculation)
    if index is not None and index.documents:
        ends = (index.vectors.typical, index.vectors.low, index.vectors.high)
        typical, low, high = (units.format_number(end / index.documents, 0) for end in ends)
        value = gettext("%(typical)s (%(low)s to %(high)s)") % {"typical": typical, "low": low, "high": high}
        rows.append({"label": gettext("Vectors of a document"), "value": value, "origin": "default"})
    return rows


def _facts(calculation: Calculation):
    """Return sizes that go with the result: (label, text)."""
    found = calculator.opened(calculation)
    if isinstance(found, TrainingBreakdown):
        return _training_facts(found)
    facts = []
    if found.bytes_per_token is not None:
        facts.append((gettext("One more token"), _next_token(found)))
    if found.request is not None:
        text = gettext("%(gib)s on each GPU") % {"gib": units.bytes_gib(found.request.typical)}
        facts.append((gettext("One request"), text))
    return facts


def _next_token(found):
    """Return what a further token takes, in words where windows bound the cache."""
    values = {
        "kib": units.format_number(found.bytes_per_token / 1024, 2),
        "window": units.number(found.window),
    }
    if found.window is None:
        return gettext("%(kib)s KiB on each GPU") % values
    if not found.bytes_per_token:
        return gettext("nothing past %(window)s tokens: the window bounds the cache") % values
    return gettext("%(kib)s KiB on each GPU past %(window)s tokens, more before that") % values


def _training_facts(found: TrainingBreakdown):
    files = found.checkpoints
    facts = [
        (gettext("Parameters trained"), units.billions(found.trained_parameters)),
        (gettext("Checkpoint to resume from"), _both(files.full)),
        (gettext("Weights alone, afterwards"), _both(files.weights)),
        (gettext("On disk, with checkpoints kept: %(kept)s") % {"kept": files.kept}, _both(files.stored)),
    ]
    if files.full_write_s is not None:
        seconds = units.quantity(files.full_write_s, gettext("s"), units.places(files.full_write_s))
        facts.append((gettext("Time to write a checkpoint"), seconds))
    if found.host:
        facts.append((gettext("Moved to host memory"), _both(found.host)))
    return facts


def _workings(calculation: Calculation):
    """Return how figures beside the lines come about: label, size and the formula as plain text."""
    found = calculator.opened(calculation)
    card, held = found.card, calculation.chosen.memory
    share = {
        "share": units.format_number(held.available.typical / card.typical, 4),
        "card": units.bytes_gib(card.typical),
    }
    reported = calculation.hardware.gpu.memory_reported
    text = [
        gettext("part that may be used × memory that the driver reports")
        if reported
        else gettext("part that may be used × memory expected by the printed label"),
        gettext("= %(share)s × %(card)s") % share,
        gettext("= %(size)s") % {"size": _both(held.available.typical)},
    ]
    if not reported:
        ends = {"low": units.bytes_gib(held.available.low), "high": units.bytes_gib(held.available.high)}
        text.append(gettext("between %(low)s and %(high)s") % ends)
    rows = [_working(gettext("Usable"), _both(held.available.typical), text)]
    return rows + (_file_workings(found) if isinstance(found, TrainingBreakdown) else [])


def _file_workings(found: TrainingBreakdown):
    """Return how the sizes of checkpoints and the time to write one come about."""
    files, (weight, _gradient, states) = found.checkpoints, found.state_bytes
    full, final, stored = _both(files.full), _both(files.weights), _both(files.stored)
    parameters = units.format_number(found.trained_parameters, 0)
    texts = {
        gettext("Checkpoint to resume from"): (
            full,
            gettext("parameters trained × (bytes of a weight + bytes of its optimizer states)"),
            gettext("= %(parameters)s × (%(weight)s + %(states)s)")
            % {
                "parameters": parameters,
                "weight": units.format_number(weight, 4),
                "states": units.format_number(states, 4),
            },
        ),
        gettext("Weights alone, afterwards"): (
            final,
            gettext("parameters trained × 2 bytes"),
            gettext("= %(parameters)s × 2") % {"parameters": parameters},
        ),
        gettext("On disk, with checkpoints kept: %(kept)s") % {"kept": files.kept}: (
            stored,
            gettext("checkpoints kept × size of one + weights alone"),
            gettext("= %(kept)s × %(full)s + %(weights)s")
            % {
                "kept": units.number(files.kept),
                "full": units.bytes_gb(files.full),
                "weights": units.bytes_gb(files.weights),
            },
        ),
    }
    if files.full_write_s is not None:
        seconds = units.quantity(files.full_write_s, gettext("s"), units.places(files.full_write_s))
        texts[gettext("Time to write a checkpoint")] = (
            seconds,
            gettext("size of a checkpoint / rate of the storage"),
            gettext("= %(full)s / %(rate)s")
            % {
                "full": units.bytes_gb(files.full),
                "rate": units.gbs(files.full / files.full_write_s / 1e9),
            },
        )
    return [
        _working(label, size, [words, numbers, gettext("= %(size)s") % {"size": size}])
        for label, (size, words, numbers) in texts.items()
    ]


def _working(label, size, lines):
    return {"label": label, "size": size, "text": "\n".join(lines)}


def _both(size):
    """Return bytes in both units."""
    return f"{units.bytes_gib(size)} = {units.bytes_gb(size)}"


def _layouts(calculation: Calculation, form):
    rows = []
    fits = sorted(calculation.fits, key=lambda fit: (fit is not calculation.chosen, not fit.is_plain))
    if len(fits) <= MOST_LAYOUTS:
        fits = calculation.fits
    for fit in fits:
        layout = fit.layout
        rows.append(
            {
                "tensor": layout.tensor_parallel,
                "pipeline": layout.pipeline_parallel,
                "experts": layout.expert_parallel if layout.expert_parallel > 1 else None,
                "replicas": layout.replicas,
                "idle": layout.idle_gpus,
                "need": _triple_gib(fit.memory.total),
                "state": fit.state,
                "most": fit.most and _counts(fit.most, layout.replicas),
                "path": str(PATHS[fit.path]) if fit.path else "",
                "costs": _costs(calculation, fit),
                "chosen": fit is calculation.chosen,
                "text": _split_text(fit),
                "url": address(
                    form.full_query(
                        tensor_parallel=str(layout.tensor_parallel),
                        pipeline_parallel=str(layout.pipeline_parallel),
                        expert_parallel=str(layout.expert_parallel) if layout.expert_parallel > 1 else None,
                    )
                ),
            }
        )
    return rows


def _triple_gib(value: Range):
    return value.low / GIB, value.typical / GIB, value.high / GIB


def _counts(most: Range, replicas):
    """Return a number of requests over all replicas, as a triple of whole numbers."""
    return tuple(int(end) * replicas for end in (most.low, most.typical, most.high))


def _table(calculation: Calculation):
    """Return which lengths and numbers of requests fit on the chosen layout."""
    chosen, case = calculation.chosen, calculation.case
    replicas, columns = chosen.layout.replicas, calculator.loads(calculation)
    rows = []
    for tokens in calculator.contexts(calculation):
        most = calculator.most_requests(
            case, calculation.hardware, calculation.hardware.gpu, chosen.layout, tokens
        )
        cells = []
        for load in columns:
            each = ceil(load / replicas)
            state = "fits" if each <= most.low else "fits_if" if each <= most.high else "no"
            cells.append({"state": state, "load": load})
        rows.append(
            {
                "tokens": tokens,
                "most": _counts(most, replicas),
                "cells": cells,
                "asked": tokens == calculation.corner.tokens_per_request,
            }
        )
    return {"columns": columns, "rows": rows, "asked": calculation.corner.requests}


def _cards(calculation: Calculation, form):
    """Return the cards that hold the load, each with the address that computes with it."""
    rows = [
        {
            "slug": card.gpu.slug,
            "name": calculation.names[card.gpu.slug],
            "count": card.count,
            "ordered": gpus_text(card.gpu, card.count, calculation.names),
            "precision": card.fit.precision.upper(),
            "need": _triple_gib(card.fit.memory.total),
            "have": units.bytes_gib(card.fit.memory.available.low),
            "url": address(
                form.full_query(
                    gpu=card.gpu.slug,
                    gpus=str(card.count),
                    servers=None,
                    tensor_parallel=None,
                    pipeline_parallel=None,
                    expert_parallel=None,
                )
            ),
        }
        for card in calculation.cards
    ]
    return {"rows": rows[:MOST_CARDS], "more": rows[MOST_CARDS:]}


def _spoken_without(context):
    rows = context["cards"]["rows"]
    if not rows:
        return gettext("No card of the catalog holds it in one server.")
    first = rows[0]
    return gettext("Held by %(gpus)s, for example.") % {"gpus": first["ordered"]}


def _with(path, query):
    return f"{path}?{query}" if query else path
