"""The calculator's form by GET: its fields, what is asked for which work, and its canonical query."""

from dataclasses import dataclass, fields
from urllib.parse import urlencode

from django.conf import settings
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import get_language, gettext, pgettext

from aiservers.addresses import canonical_text
from catalog.templatetags import units
from recommender import answers, calculator
from recommender.calculator import HARDWARE_KEYS, Calculation
from recommender.forms import Option, Question, Questionnaire, answers_in, submitted_answers
from recommender.presentation import question_address
from recommender.questions import STAGES

MODES = ("inference", "fine_tuning", "training")
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


def address(query=""):
    path = reverse("recommender:calculator")
    return f"{path}?{query}" if query else path


def path_with(path, query):
    return f"{path}?{query}" if query else path
