"""The questionnaire as forms by GET: each question with its answer, its message and what may be chosen.

All state is in the address. A form sends what was typed together with the language of its page (`lang`); the
views turn that into the canonical address, so links, two open tabs and the back button always agree.
"""

import re
from dataclasses import dataclass, field

from django.conf import settings
from django.http import QueryDict
from django.utils.functional import Promise, cached_property
from django.utils.translation import get_language, gettext

from aiservers.addresses import canonical_query, canonical_text
from aiservers.numbers import NumberError, as_typed
from catalog.models import WorkloadProfile
from recommender import answers, ledger, services
from recommender.cases import KIND_OF_MODEL
from recommender.questions import (
    GROUPS,
    STAGES,
    STAGES_OF_PROFILES,
    STEP_ONE,
    Work,
    group_of,
    keys_of,
    kinds_asked,
    kinds_of,
)

NUMBER_KEYS = {name for name, key in answers.KEYS.items() if key.kind == "number"}
MODEL_KEYS = ("model", "training_model", "draft_model")
WISHES = {"priority", "must", "remarks"}  # no guesses
MAX_RADIOS = 4
MAX_QUERY = 400  # values of one address that are looked at

_CONTROLS = dict.fromkeys(range(0x20))  # nobody types them
_ENDS = re.compile(r"\.{2,3}|[…–—]")
NUMBER_OR_RANGE = re.compile(r"-?[0-9]+(\.[0-9]+)?(\.\.-?[0-9]+(\.[0-9]+)?)?")
_MINUS = re.compile(r"\s*[-−‐‑]\s*(?=[0-9.,])")


def answers_in(query):
    """Return the part of a query that holds answers, in the vocabulary's order, without empty ones."""
    pairs = [(name, text.translate(_CONTROLS)) for name, texts in query.lists() for text in texts]
    pairs = [(name, text) for name, text in pairs if text.strip()][:MAX_QUERY]
    kept = QueryDict(mutable=True)
    for name in answers.KEYS:
        kept.setlist(name, [text for key, text in pairs if key == name])
    return QueryDict(kept.urlencode(), mutable=True)


def unknown_in(query, own_keys):
    """Return the keys of a query that are neither answers nor the page's own, for a notice."""
    return [name for name in query if name not in answers.KEYS and name not in own_keys]


def submitted_answers(query):
    """Return the canonical answers of a submitted form.

    Numbers are read by the language that the form names. "I don't know yet" clears its answer, and a guess
    without an answer is none.
    """
    language = query.get("lang")
    if language not in dict(settings.LANGUAGES):
        language = get_language()
    unsigned = {name for name in NUMBER_KEYS if not answers.KEYS[name].signed}
    canonical = answers_in(canonical_query(query, unsigned, language))
    for name in NUMBER_KEYS - unsigned:
        canonical.setlist(name, [signed_text(text, language) for text in canonical.getlist(name)])
    for name in query.getlist("unknown"):
        canonical.pop(name, None)
    guesses = [name for name in canonical.getlist("hypothesis") if canonical.getlist(name)]
    canonical.setlist("hypothesis", guesses)
    return answers_in(canonical)


def signed_text(text, language):
    """Return the canonical form of a typed number or range that may be below zero, else the text itself."""
    ends = []
    for end in _ENDS.split(text):
        minus = _MINUS.match(end)
        number = canonical_text(end[minus.end() :] if minus else end, language)
        ends.append(f"-{number}" if minus else number.strip())
    return "..".join(ends) if all(ends) else text


def signed_as_typed(text, language):
    """Write a canonical number or range that may be below zero as it stands in a field of that language."""
    ends = [
        f"-{as_typed(end[1:], language)}" if end[:1] == "-" else as_typed(end, language)
        for end in text.split("..")
    ]
    return "\N{EN DASH}".join(ends) if NUMBER_OR_RANGE.fullmatch(text) else text


def with_good_answers(function, given):
    """Return what `function` makes of the good answers, and the problems of the others.

    What cannot be reckoned with although nobody answered it, as the training of a model that the work brings
    along, is put down to the work itself.
    """
    problems = list(given.problems)
    good = answers.parse(given.values)
    while True:
        try:
            return function(good), problems
        except services.BadAnswers as bad:
            left_out = [problem.key for problem in bad.problems if problem.key in good.values]
            left_out = left_out or [name for name in STEP_ONE if name in good.values][:1]
            if not left_out:
                raise  # nothing is answered: a bug of ours
            problems += bad.problems
            problems += [
                answers.Problem(name, problem.code, problem.params)
                for name in left_out
                for problem in bad.problems
                if problem.key not in good.values
            ]
            for name in left_out:
                good = good.without(name)


@dataclass(frozen=True)
class Option:
    """One answer to choose. `note` says more about it, `goes_with` names the stages that it is for."""

    value: str
    label: str
    selected: bool = False
    note: str = ""
    goes_with: str = ""


@dataclass
class Question:
    """One question as its page shows it."""

    key: answers.Key
    texts: list[str]
    error: str = ""
    guess: bool = False
    options: list[Option] = field(default_factory=list)
    groups: list[tuple[str, list[Option]]] = field(default_factory=list)
    typical: str = ""
    assumed: str = ""
    origin: str = ""  # of what is assumed: profile, default or computed
    source: str = ""  # the task that it is typical for
    address: str = ""
    compact: bool = False  # beside the results: a list instead of radio buttons
    is_brief: bool = False  # the control alone
    is_shortened: bool = False  # not all that may be answered is listed

    @property
    def is_preference(self):
        """Tell whether leaving it open is an answer too."""
        return self.key.group == "preferences"

    @property
    def can_be_guess(self):
        """Tell whether the page asks how sure the answer is: of what the reader wants, nobody is unsure."""
        return self.name not in WISHES

    @property
    def is_for_brief(self):
        """Tell whether the answer goes into the brief and changes nothing in the order."""
        return not self.key.used

    @property
    def example(self):
        """An answer as it could be typed, from what is usual; "" where nothing is."""
        if self.key.kind != "number" or not isinstance(self.key.typical, str) or not self.key.typical:
            return ""
        return signed_as_typed(self.key.typical, get_language())

    @property
    def open_label(self):
        """What leaving it open means."""
        if not self.is_preference:
            return gettext("I don't know yet")
        return gettext("Any") if self.key.kind == "slug" else gettext("No preference")

    @property
    def name(self):
        return self.key.name

    @property
    def id(self):
        return f"id_{self.key.name}"

    @property
    def control(self):
        """Name the control: number, radios, checkboxes, select or text."""
        if self.key.kind == "number":
            return "number"
        if self.key.repeats:
            return "checkboxes"
        if self.groups or self.compact or len(self.options) > MAX_RADIOS:
            return "select"
        return "radios" if self.options else "text"

    @property
    def typed(self):
        """The answer as it stands in a text field of the page's language."""
        return signed_as_typed(self.texts[0], get_language()) if self.texts else ""

    @property
    def is_open(self):
        return not self.texts

    @property
    def described_by(self):
        parts = [
            ("error", self.error or not self.compact),
            ("typical", self.assumed or (self.typical and not self.compact)),
        ]
        return " ".join(f"{self.id}_{part}" for part, is_there in parts if is_there)


@dataclass(frozen=True)
class Section:
    """A group of questions on the page; `extra` ones are folded away until one of them has an answer."""

    slug: str
    title: str
    lead: str
    questions: list[Question]
    extra: list[Question]

    @property
    def all_questions(self):
        return self.questions + self.extra

    @property
    def extra_open(self):
        return any(question.texts or question.error for question in self.extra)


class Questionnaire:
    """The answers of one address, with the questions that matter for them."""

    @classmethod
    def checked(cls, query):
        """Return the questionnaire with what the catalog says about its answers; nothing is ranked."""
        given = answers.parse(dict(answers_in(query).lists()))
        (resolved, stand_ins), problems = with_good_answers(_resolved, given)
        form = cls(query, problems, {name: item.text for name, item in stand_ins.items()})
        form.resolved, form.stand_ins = resolved, stand_ins
        return form

    def __init__(self, query, problems=(), typical=None):
        """Read the canonical answers of `query`.

        Args:
            query: the address's QueryDict.
            problems: what only the catalog could tell about the answers.
            typical: what stands in for open answers, as texts.
        """
        self.typical = typical or {}
        self.resolved, self.stand_ins = None, {}
        self.query = answers_in(query)
        self.answers = answers.parse(dict(self.query.lists()))
        self.errors = {}
        for problem in (*self.answers.problems, *problems):
            self.errors.setdefault(problem.key, problem.page_text)
        self.workloads = self.answers.several("workload")
        self.models = services.models()
        # The model says what load it takes; the profiles do where none is chosen.
        chosen = self.answers.one("model")
        kinds = [KIND_OF_MODEL[kind] for slug, _name, _developer, kind in self.models if slug == chosen]
        self.kinds = kinds_asked(self.workloads, kinds[0] if kinds else None)
        server = self.answers.one("server")
        if server and server not in ledger.server_names():
            self.errors.setdefault(
                "server", answers.Problem("server", "not_in_catalog", (("value", server),)).page_text
            )

    @cached_property
    def profiles(self):
        return list(WorkloadProfile.objects.published())

    @cached_property
    def stages(self):
        """The stages of the work: those chosen, else those that the profiles are for."""
        return set(self.answers.several("stage")) or {
            profile.stage for profile in self.profiles if profile.slug in self.workloads
        }

    @property
    def work(self):
        return Work(frozenset(self.stages), frozenset(self.kinds), self.answers)

    @property
    def server(self):
        """The server that the reader began with, as its slug and name, or None."""
        slug = self.answers.one("server")
        name = ledger.server_names().get(slug)
        return {"slug": slug, "name": name} if name else None

    def question(self, name):
        key = answers.KEYS[name]
        stand_in = self.stand_ins.get(name)
        question = Question(
            key,
            self.query.getlist(name),
            error=self.errors.get(name, ""),
            guess=name in self.answers.hypotheses,
            typical=self._usual(key),
            assumed="" if self.query.getlist(name) else in_sentence(key, self.typical.get(name, "")),
            origin=stand_in.origin if stand_in else "",
            source=self.profile_name(stand_in.source) if stand_in else "",
        )
        if name in MODEL_KEYS:
            question.groups = self._model_groups(question.texts)
        elif name == "stage":
            question.texts = question.texts or sorted(self.stages)  # what the profiles are for
            question.options = [
                Option(value, str(label), value in question.texts, str(note))
                for value, (label, note) in STAGES.items()
            ]
        elif name == "workload":
            question.options = self._workload_options(question.texts)
        elif key.kind == "slug":
            question.options = [
                Option(slug, label, slug in question.texts) for slug, label in services.choices(name)
            ]
        else:
            question.options = [
                Option(value, str(label), value in question.texts) for value, label in key.choices
            ]
        return question

    def profile_name(self, slug):
        return next((profile.name or slug for profile in self.profiles if profile.slug == slug), slug)

    def _usual(self, key):
        """Return what is usual for a question; sizes of models are those of language models."""
        if key.name == "parameters_b" and answers.TOKENS not in self.kinds:
            return ""
        return key.typical_text

    def understood(self, name, typed):
        """Return how a typed number was read, where that does not look the same in the reader's field."""
        texts = self.query.getlist(name)
        if name not in NUMBER_KEYS or not texts or name in self.errors:
            return ""
        if signed_as_typed(texts[0], get_language()) == typed.strip():
            return ""
        return answer_text(answers.KEYS[name], texts[0])

    def sections(self):
        """Return the questions of the second step, in groups; what has a bad answer is always among them."""
        sections, shown = [], set(STEP_ONE)
        for group in GROUPS:
            names = [key.name for key in keys_of(group, self.work)]
            names += [
                name
                for name in self.errors
                if name in answers.KEYS and name not in names and group_of(name) is group
            ]
            if names:
                shown.update(names)
                sections.append(self._section(group, names))
        rest = [name for name in self.errors if name in answers.KEYS and name not in shown | {"hypothesis"}]
        if rest:
            sections.append(
                Section(
                    "other",
                    gettext("Other answers in this address"),
                    gettext("They do not matter for this work, and are kept."),
                    [self.question(name) for name in rest],
                    [],
                )
            )
        return sections

    def _section(self, group, names):
        questions = [(name in group.extra, self.question(name)) for name in names]
        return Section(
            group.slug,
            str(group.title),
            str(group.lead),
            [question for is_extra, question in questions if not is_extra],
            [question for is_extra, question in questions if is_extra],
        )

    def asked(self):
        """Return the names of the questions that matter for these answers."""
        return {key.name for group in GROUPS for key in keys_of(group, self.work)}

    def hidden(self, shown):
        """Return the answers that a form carries along because it does not ask them, as pairs."""
        return [
            (name, text)
            for name, texts in self.query.lists()
            for text in texts
            if (text not in shown or text in WISHES if name == "hypothesis" else name not in shown)
        ]

    def address_query(self):
        """Return the query that keeps every answer, bad ones too."""
        return self.query.urlencode()

    def _workload_options(self, chosen):
        """Return every profile; the style sheet hides those that do not go with the chosen stage."""
        return [
            Option(
                profile.slug,
                profile.name or profile.slug,
                profile.slug in chosen,
                profile.summary,
                " ".join(STAGES_OF_PROFILES[profile.stage]),
            )
            for profile in self.profiles
        ]

    def _model_groups(self, chosen):
        """Return the AI models that can do this work, grouped by who made them."""
        wanted = self.kinds | kinds_of(self.workloads)
        groups = {}
        for slug, name, developer, kind in self.models:
            if KIND_OF_MODEL[kind] in wanted or slug in chosen:
                groups.setdefault(developer, []).append(Option(slug, name, slug in chosen))
        return sorted(groups.items(), key=lambda item: item[0].casefold())


def _resolved(given):
    """Return the case of these answers and what stands in for the open ones."""
    resolved = ledger.resolve(given)
    return resolved, ledger.stand_ins(given, resolved)


def answer_text(key, text):
    """Return a canonical answer as the reader's language writes it, with its unit."""
    if key.kind != "number":
        return str(dict(key.choices).get(text, text))
    try:
        interval = answers.parse_interval(text)
    except NumberError:
        return text
    return answers.written(key, interval)


def in_sentence(key, text):
    """Return the text of an answer as it stands in a sentence: what is no name begins with a small letter.

    A label is no name where it is translated and no letter of its first word is a capital beyond the first.
    """
    labels = {str(label) for _value, label in key.choices if isinstance(label, Promise)}
    word = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if text in labels and word[1:] == word[1:].lower() else text
