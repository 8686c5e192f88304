"""What guides can show of the advice: figures of the calculator, the calculator itself, the questionnaire."""

from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext

from catalog.guides.blocks import BlockError, Kind, Shown, options
from catalog.templatetags import units
from recommender import answers, calculator, calculator_form, calculator_page, services
from recommender.forms import with_good_answers

# What the whole model takes, all GPUs together, and what the busiest GPU does.
WHOLE = {"weights": "weights", "cache": "kv_cache"}
OF_GPU = {
    "gpu_weights": "weights",
    "gpu_cache": "kv_cache",
    "gpu_activations": "activations",
    "gpu_optimizer": "optimizer",
    "gpu_gradients": "gradients",
    "gpu_reserve": "overhead",
    "gpu_total": "total",
    "gpu_usable": "available",
}
OTHERS = ("gpu_total_high", "gpu_missing", "split", "idle", "requests", "verdict", "fewest")
NAMES = (*WHOLE, "sum", *OF_GPU, *OTHERS)


@dataclass(frozen=True)
class Preset:
    """The calculator with the values of a block."""

    query: QueryDict
    calculation: Any
    caption: str = ""

    @property
    def fit(self):
        if self.calculation.chosen is None:
            raise BlockError(gettext("This figure needs gpu=… and gpus=… in its query."))
        return self.calculation.chosen


def calculated(text, reader):
    """Return the Preset of a calculator's query; each query of a page is worked out once."""
    kept = reader.kept.setdefault("calculations", {})
    if text not in kept:
        kept[text] = _calculated(text)
    return kept[text]


def _calculated(text):
    query = QueryDict(text)
    unknown = [key for key in query if key not in answers.KEYS and key not in calculator.HARDWARE_KEYS]
    if unknown:
        raise BlockError(gettext("The calculator does not know %(keys)s.") % {"keys": ", ".join(unknown)})
    given = answers.parse(calculator_form.answered(query))
    values, bad = calculator.hardware_of(dict(query.lists()))
    machine = calculator.hardware(values)
    calculation, problems = with_good_answers(lambda good: calculator.calculate(good, machine), given)
    _refuse([*problems, *bad])
    return Preset(query, calculation)


def _refuse(problems):
    if problems:
        raise BlockError(" ".join(f"{problem.key}: {problem.text}" for problem in problems))


def prepare_memory(text, reader):
    name, _space, query = text.partition(" ")
    if name not in NAMES:
        raise BlockError(
            gettext("There is no figure “%(name)s” here; there are: %(names)s.")
            % {"name": name, "names": ", ".join(NAMES)}
        )
    return name, calculated(query.replace(" ", ""), reader)


def show_memory(prepared, reader):
    name, preset = prepared
    value, text = _memory(name, preset)
    return Shown(format_html('<span class="live-figure">{}</span>', text), (name, value))


def _memory(name, preset):
    """Return (plain value, text) of one figure."""
    if name in WHOLE or name == "sum":
        sizes = calculator.whole_model(preset.calculation)
        wanted = [WHOLE[name]] if name in WHOLE else list(sizes)
        if not sizes or any(key not in sizes for key in wanted):
            raise BlockError(gettext("The calculator has no such figure for this work or model."))
        return _bytes(sum(sizes[key].typical for key in wanted))
    fit = preset.fit
    if name in OF_GPU:
        size = getattr(fit.memory, OF_GPU[name])
        if size is None:
            raise BlockError(gettext("The calculator has no such figure for this work or model."))
        return _bytes(size.low if name == "gpu_usable" else size.typical)
    if name == "gpu_total_high":
        return _bytes(fit.memory.total.high)
    if name == "gpu_missing":
        missing = fit.memory.total.typical - fit.memory.available.typical
        if missing <= 0:
            raise BlockError(gettext("Nothing is missing: it fits."))
        return _bytes(missing)
    if name == "verdict":
        return fit.state, calculator_page.verdict_word(preset.calculation, fit)
    count = _count(name, preset, fit)
    return count, units.number(count)


def _bytes(value):
    return round(value), units.bytes_gib(value)


def _count(name, preset, fit):
    if name == "split":
        return fit.layout.tensor_parallel * fit.layout.pipeline_parallel
    if name == "idle":
        return fit.layout.idle_gpus
    if name == "requests":
        if fit.most is None:
            raise BlockError(gettext("The calculator has no such figure for this work or model."))
        return int(fit.most.typical) * fit.layout.replicas
    gpu = preset.calculation.hardware.gpu.slug
    found = next((card.count for card in preset.calculation.cards if card.gpu.slug == gpu), None)
    if found is None:
        raise BlockError(gettext("No server of the catalog holds it with this GPU."))
    return found


def prepare_calculator(text, reader):
    query, given = options(text, ("caption",))
    return calculated(query, reader), given.get("caption", "")


def show_calculator(prepared, reader):
    preset, caption = prepared
    form = calculator_form.Calculator(preset.query)
    result = calculator_page.result(preset.calculation, form)
    html = render_to_string(
        "recommender/_guide_calculator.html",
        {
            "caption": caption,
            "result": result,
            "url": calculator_form.address(preset.query.urlencode()),
        },
    )
    fit = preset.calculation.chosen
    sizes = calculator.whole_model(preset.calculation) if fit is None else {"total": fit.memory.total}
    facts = tuple((name, round(size.low), round(size.high)) for name, size in sizes.items())
    return Shown(html, (fit and fit.state, facts))


def prepare_questionnaire(text, reader):
    query_text, given = options(text, ("caption",))
    query = QueryDict(query_text)
    unknown = [key for key in query if key not in answers.KEYS]
    if unknown:
        raise BlockError(gettext("The questionnaire does not ask %(keys)s.") % {"keys": ", ".join(unknown)})
    parsed = answers.parse(dict(query.lists()))
    _refuse(parsed.problems)
    return query, parsed, given.get("caption", "")


def show_questionnaire(prepared, reader):
    query, parsed, caption = prepared
    address = reverse("recommender:questionnaire")
    html = render_to_string(
        "recommender/_guide_questionnaire.html",
        {
            "caption": caption,
            "preset": [_answer(key, parsed) for key in parsed.values],
            "url": f"{address}?{query.urlencode()}" if query else address,
        },
    )
    return Shown(html, tuple(sorted(parsed.values.items())))


def _answer(key, parsed):
    """Return (question, what is preset for it) as a reader writes it."""
    found = [services.answer_texts({key: value})[key] for value in parsed.several(key)]
    return found[0][0], ", ".join(text for _label, text in found)


KINDS = (
    Kind("memory", prepare_memory, show_memory, inline=True),
    Kind("calculator", prepare_calculator, show_calculator),
    Kind("questionnaire", prepare_questionnaire, show_questionnaire),
)
