"""What is said about answers: what is wrong with one, and what is worth knowing and stops nothing."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext_lazy as _

from aiservers.numbers import Interval
from recommender.answers.intervals import as_written, number_text
from recommender.answers.vocabulary import KEYS
from recommender.answers.wording import written

PROBLEMS = {
    "not_an_object": _("The answers must be one JSON object of keys and values."),
    "one_value": _("Only one value is possible here."),
    "too_many": _("At most %(maximum)s values are possible here."),
    "not_a_number": _(
        "“%(value)s” is not a number. Write a plain number such as 8, or a range such as 8..16."
    ),
    "reversed": _("“%(value)s” begins with its larger end. Write the smaller number first."),
    "not_whole": _("“%(value)s” is not a whole number."),
    "out_of_range": _("%(value)s is out of range: between %(minimum)s and %(maximum)s is possible."),
    "too_long": _("%(value)s characters are too many: at most %(maximum)s are possible."),
    "not_text": _("This has characters that cannot be shown."),
    "not_a_choice": _("“%(value)s” is not possible here. Possible are: %(choices)s."),
    "not_an_answer": _("“%(value)s” is not the name of an answer."),
    "not_in_catalog": _("“%(value)s” is not in the catalog."),
    "not_in_catalog_nearest": _("“%(value)s” is not in the catalog. The nearest is “%(nearest)s”."),
    "not_in_catalog_choices": _("“%(value)s” is not in the catalog. Possible are: %(choices)s."),
    "context_too_long": _(
        "%(value)s tokens are more than %(model)s can take: its maximum is %(maximum)s tokens."
    ),
    "request_too_long": _(
        "Prompt and answer together are %(value)s tokens, more than %(model)s can take: its maximum is "
        "%(maximum)s tokens."
    ),
    "temperatures_reversed": _(
        "%(value)s °C is below the lowest temperature that was given, %(minimum)s °C."
    ),
    "active_above_total": _(
        "%(value)s billion active parameters are more than the %(maximum)s billion that the model has."
    ),
    "model_not_trainable": _(
        "The training of %(model)s cannot be sized: it is no language model, or its shape is not published."
    ),
}

# Where the pages write something else than briefs and the command line.
PAGE_PROBLEMS = {
    "not_a_number": _("“%(value)s” is not a number. Write a number such as 8, or a range such as 8–16."),
}

NOTICES = {
    "unknown_key": _("The address has a part “%(key)s” that this page does not know. It was left out."),
    "budget_without_prices": _(
        "No prices are known: the budget is kept for the brief and changes neither servers nor their order."
    ),
    "must_without_tariff": _(
        "Running cost is a must, but no price of energy was given: nothing is ruled out by it."
    ),
    "must_availability": _(
        "Availability is a must: one server more than the load needs is counted, although a single one was "
        "said to do."
    ),
    "envelope": _(
        "The model may change: what fits holds everything from %(smallest)s to %(largest)s; what only fits "
        "the smaller end stands after it."
    ),
    "not_used_yet": _("“%(key)s” is kept but not used yet."),
    "not_for_this_work": _("“%(key)s” does not matter for this stage and task and was not used."),
    "hypothesis_without_answer": _("“%(key)s” was marked as a guess but has no answer."),
    "training_availability": _(
        "Availability of training is not sized: a run starts again from its checkpoint."
    ),
    "qlora_precision": _(
        "QLoRA keeps the weights in INT4: the precision that was given, %(precision)s, was not used."
    ),
    "training_not_sized": _(
        "Only the service is sized: the training of %(model)s cannot be, because it is no language model or "
        "its shape is not published."
    ),
    "training_tokens_only": _("Only the training of language models is sized."),
    "training_stands_in": _(
        "The figures are those of %(model)s, a language model: they say nothing of training for the task "
        "that was chosen."
    ),
    "draft_not_smaller": _(
        "The draft model is not smaller than the model it proposes for: it takes memory and saves no time."
    ),
    "several_kinds": _("Only “%(used)s” was sized: ask for “%(key)s” apart, its load is of another kind."),
    "context_below_request": _(
        "The longest context (%(context)s tokens) is shorter than prompt and answer together "
        "(%(request)s tokens): the cache was sized for the former."
    ),
    "load_precedence": _("“%(key)s” was not used because “%(used)s” says the load more directly."),
    "normal_above_peak": _(
        "A normal day was given with %(normal)s requests at once, more than the peak (%(peak)s): "
        "the peak counts."
    ),
    "wait_without_queue": _(
        "“%(key)s” was not used: it counts only where “%(needed)s” is answered with yes."
    ),
    "size_beside_model": _(
        "“%(key)s” was not used: the model that was named has its own size in the catalog."
    ),
    "active_without_total": _("“%(key)s” was not used: it counts only beside the number of all parameters."),
    "shape_guessed": _(
        "Only the size of this model is known. Its cache is guessed from published models of about that "
        "size: %(low)s to %(high)s KiB a token, with %(typical)s as the middle."
    ),
    "preset_clipped": _(
        "Typical lengths of this work were shortened to the %(maximum)s tokens that %(model)s can take."
    ),
}


def _localized(params: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    return {
        name: number_text(value) if isinstance(value, int | float | Decimal) else value
        for name, value in params
    }


@dataclass(frozen=True, slots=True)
class Problem:
    """A bad answer: what is wrong and what would be right, without a language."""

    key: str
    code: str
    params: tuple[tuple[str, Any], ...] = ()

    @property
    def text(self) -> str:
        """Return the message for those who write answers as keys and canonical values."""
        return str(PROBLEMS[self.code]) % (_localized(self.params) | self._maximum())

    @property
    def page_text(self) -> str:
        """Return the message for a reader of the pages: choices by their labels, ranges as they are typed."""
        params = _localized(self.params) | self._maximum()
        key = KEYS.get(self.key)
        if self.code == "not_a_choice" and key is not None:
            params["choices"] = "; ".join(str(label) for _value, label in key.choices)
        if self.code in ("out_of_range", "not_whole"):
            params["value"] = as_written(str(params["value"]))
        return str(PAGE_PROBLEMS.get(self.code, PROBLEMS[self.code])) % params

    def _maximum(self) -> dict[str, str]:
        """Return the upper limit with its unit."""
        key, maximum = KEYS.get(self.key), dict(self.params).get("maximum")
        if self.code != "out_of_range" or key is None or maximum is None:
            return {}
        return {"maximum": written(key, Interval(maximum, maximum))}


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about the answers that is worth saying and stops nothing."""

    code: str
    params: tuple[tuple[str, Any], ...] = ()

    @property
    def text(self) -> str:
        return str(NOTICES[self.code]) % _localized(self.params)
