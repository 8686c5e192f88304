"""The measuring plan as rows of a page, in the active language."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _, ngettext, pgettext

from catalog.templatetags import units
from recommender import reasons
from recommender.answers import KEYS
from recommender.measure import (
    MINUTES_A_STEP,
    REQUESTS_A_STEP,
    STEPS_OF_TRAINING,
    SUBJECTS,
    Expected,
    Limit,
    Measure,
    Sample,
    measuring_plan,
)
from recommender.plan_lines import bits_per_second, bytes_per_second, bytes_text, load_text, seconds
from recommender.sizing.demand import UNITS

if TYPE_CHECKING:
    from recommender.services import Result

SUBJECT_LABELS: dict[str, Promise] = {
    "model": _("Model, version, precision, runtime"),
    "data": _("Training data, method, cycle"),
    "load": _("Requests, peaks, context, response time"),
    "running": _("Competing jobs, availability, growth"),
    "storage": _("Loading, saving, network, storage"),
    "acceptance": _("Acceptance tests"),
}
# code: what is measured, and how
MEASURES: dict[str, tuple[Promise, Promise]] = {
    "quality": (
        _("Quality of the answers"),
        _(
            "Run the test set with the model, precision and engine that are to be bought, and once with the "
            "model's own precision: agree beforehand how much worse it may get."
        ),
    ),
    "memory": (
        _("Memory of the busiest GPU"),
        _("Start the engine with the context and the requests of the peak, and read the highest value."),
    ),
    "quality_trained": (
        _("Quality of the trained model"),
        _(
            "Keep a test set out of the training data, and agree what the model has to reach on it; test the "
            "model before the first cycle and after each."
        ),
    ),
    "memory_training": (
        _("Memory of the busiest GPU"),
        _(
            "Train some steps with your batch and your longest sequences, and read the highest value; write "
            "a checkpoint meanwhile."
        ),
    ),
    "no_training": (
        _("Training"),
        _("Nothing is trained in this plan. If that may change, ask again with fine-tuning: it can decide."),
    ),
    "dataset": (
        _("Tokens of the data"),
        _("Run the model's tokenizer over the whole data, and note the longest sequences."),
    ),
    "training_step": (
        _("Time of one training step"),
        _(
            "Train %(steps)s steps on one server of the kind offered, after as many to warm up, with your "
            "method, sequence length and batch; the steps of a cycle times that is its time."
        ),
    ),
    "no_service": (
        _("Service"),
        _("Nothing is served in this plan. If the model is to serve, ask again with inference."),
    ),
    "load": (
        _("Requests at the peak and normally"),
        _(
            "Count from the logs of a pilot, for two weeks: requests a minute and how many run at once, the "
            "normal hour and the busiest one apart."
        ),
    ),
    "lengths": (
        _("Length of prompts, answers and context"),
        _("From the same logs: the median, the 95th percentile and the longest, in tokens of your model."),
    ),
    "response": (
        _("Response time under load"),
        _(
            "Send requests of your lengths at each step, for %(minutes)s and at least %(requests)s each; "
            "judge by the 95th percentile. Beyond the peak requests may wait, but none may fail."
        ),
    ),
    "rate_vision": (
        _("Frames analysed"),
        _("Play recordings of your own cameras at each step, for %(minutes)s; count dropped frames."),
    ),
    "rate_speech": (
        _("Streams transcribed in real time"),
        _("Play recordings of your own calls at each step, for %(minutes)s; note the delay of the text."),
    ),
    "rate_images": (
        _("Images made"),
        _("Send your own prompts at your size and number of steps, for %(minutes)s each."),
    ),
    "rate_embeddings": (
        _("Texts embedded"),
        _("Send texts of your own length at each step, for %(minutes)s each."),
    ),
    "beside": (
        _("The service beside an experiment"),
        _("Repeat the load of the peak while a training job starts, reads its data and writes a checkpoint."),
    ),
    "resume": (
        _("Going on after a failure"),
        _("Switch a server off in the middle of a run: does it go on from its last checkpoint by itself?"),
    ),
    "lost": (
        _("Loss of a server"),
        _(
            "Switch a server off during the load of the peak: what still answers, how fast, and how long "
            "until all is as before. For one server alone: how long until its spare part is there."
        ),
    ),
    "breaking_point": (
        _("Where it breaks"),
        _("Raise the load until a limit is missed: at that load the next step of growth is due."),
    ),
    "start": (
        _("Time to start"),
        _("Start the service on a server that was switched off, until the first answer."),
    ),
    "checkpoint": (
        _("Time to write a checkpoint"),
        _("Write full checkpoints to the storage that will be used, while the service is under load."),
    ),
    "checkpoint_alone": (
        _("Time to write a checkpoint"),
        _(
            "Write full checkpoints to the storage that will be used, in the middle of a run, and note how "
            "long training waits for each."
        ),
    ),
    "reading": (
        _("Rate at which data is read"),
        _("Read the training data from the storage that will be used, with the loader that will be used."),
    ),
    "network": (
        _("Network between the servers"),
        _("Measure the rate between each pair of servers, then all at once."),
    ),
    "acceptance": (
        _("Acceptance"),
        _(
            "Agree the tests above, their limits and who runs them before the order; run them again on "
            "delivery, and measure the power at the feed while they run."
        ),
    ),
}
FIGURES: dict[str, Promise] = {
    "memory": _("Memory"),
    "cycle": _("Time of one training cycle"),
    "ttft": _("Time to first token"),
    "tpot": _("Time per output token"),
    "rate": _("Throughput"),
    "capacity": _("Simultaneous requests within the targets"),
    "weights": _("Weights to be read"),
    "start": _("Reading the weights"),
    "checkpoint": _("Size of a checkpoint"),
    "write": _("Writing a checkpoint"),
    "reading": _("Reading"),
    "power": _("Power at load"),
}
WHY_TURNS = _("Within what is open, another server could come first.")
WHY_OPEN = _("Open, and it can change the advice.")
WHY_KNOWN = _("Known or assumed: confirm it.")


def page(result: "Result", turning: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the measuring plan as a page or a brief prints it: its measures in order, and by subject.

    Args:
        result: The advice.
        turning: Keys of answers within whose uncertainty the first place is known to change.
    """
    plan = measuring_plan(result, turning)
    measures = [_measure(result, item) for item in plan.measures]
    return {
        "measures": measures,
        "subjects": [
            {
                "name": name,
                "label": str(SUBJECT_LABELS[name]),
                "measures": [item for item in measures if item["subject"] == name],
            }
            for name in SUBJECTS
        ],
        "sample": _sample_rows(plan.sample),
    }


def _measure(result: "Result", item: Measure) -> dict[str, Any]:
    label, how = MEASURES[item.code]
    values = {
        "steps": units.number(STEPS_OF_TRAINING),
        "minutes": units.quantity(MINUTES_A_STEP, pgettext("unit", "min")),
        "requests": units.number(REQUESTS_A_STEP),
    }
    return {
        "code": item.code,
        "subject": item.subject,
        "subject_label": str(SUBJECT_LABELS[item.subject]),
        "label": str(label),
        "how": str(how) % values if "%(" in str(how) else str(how),
        "is_open": bool(item.open_keys),
        "why": str(WHY_TURNS if item.turns else WHY_OPEN if item.open_keys else WHY_KNOWN),
        "questions": [{"key": key, "label": str(KEYS[key].label)} for key in item.open_keys],
        "steps": [
            {"percent": units.percent(percent), "load": load_text(result, load)}
            for percent, load in item.steps
        ],
        "limits": [_limit(result, limit) for limit in item.limits],
        "expected": [
            {"label": str(FIGURES[found.figure]), "text": _range(result, found)} for found in item.expected
        ],
    }


def _writer(result: "Result", unit: str, figure: str) -> Callable[[float], str]:
    if unit == "s" and figure in ("ttft", "tpot"):
        return lambda value: units.milliseconds(units.estimated(value * 1000))
    writers: dict[str, Callable[[float], str]] = {
        "s": seconds,
        "bytes": bytes_text,
        "bytes/s": bytes_per_second,
        "bits/s": bits_per_second,
        "W": units.power,
        "requests": lambda value: units.number(units.no_more_than(value)),
    }
    if unit == "rate":
        name = UNITS[result.case.kind]
        return lambda value: units.quantity(
            units.estimated(value), reasons.unit_after(name, units.estimated(value)), units.places(value)
        )
    return writers[unit]


def _limit(result: "Result", limit: Limit) -> dict[str, Any]:
    text = gettext("at most %(value)s") if limit.side == "at_most" else gettext("at least %(value)s")
    return {
        "label": str(FIGURES[limit.figure]),
        "text": text % {"value": _writer(result, limit.unit, limit.figure)(limit.value)},
        "origin": limit.origin,
    }


def _range(result: "Result", found: Expected) -> str:
    write = _writer(result, found.unit, found.figure)
    low, typical, high = write(found.value.low), write(found.value.typical), write(found.value.high)
    if low == high:
        return low
    return gettext("%(typical)s (%(low)s to %(high)s)") % {"low": low, "high": high, "typical": typical}


def _sample_rows(sample: Sample | None) -> list[dict[str, str]]:
    """Return what the set is made of that every offer is tested with."""
    if sample is None:
        return []
    low, high = sample.prompts

    def tokens(count: int) -> str:
        return ngettext("%(count)s token", "%(count)s tokens", count) % {"count": units.number(count)}

    rows = [
        (
            gettext("Size"),
            gettext("%(low)s to %(high)s prompts with answers that an expert has accepted")
            % {"low": units.number(low), "high": units.number(high)},
        ),
        (
            gettext("Make-up"),
            gettext(
                "Each kind of request in its real share, in the languages of your users; hard and unwanted "
                "ones too"
            ),
        ),
        (
            gettext("Lengths"),
            gettext("Half around %(input)s in and %(output)s out; some as long as %(longest)s together")
            % {
                "input": tokens(sample.input_tokens),
                "output": tokens(sample.output_tokens),
                "longest": tokens(sample.longest_tokens),
            },
        ),
        (
            gettext("For the load"),
            gettext(
                "At least %(requests)s requests a step, so that ten of them lie beyond the 95th percentile"
            )
            % {"requests": units.number(sample.requests_a_step)},
        ),
    ]
    if sample.searches:
        rows.append(
            (
                gettext("Documents"),
                gettext(
                    "Your own, scanned ones among them, each question with the place where its answer "
                    "stands: check what is found apart from what is answered"
                ),
            )
        )
    return [{"label": label, "text": text} for label, text in rows]
