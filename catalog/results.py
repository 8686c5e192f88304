"""Measured results as readers see them: lines of a table, sections of a page, filters of the list."""

from django.utils.translation import gettext as _, gettext_lazy, ngettext, pgettext

from catalog.models import GPU, AIModel, BenchmarkResult, Server
from catalog.templatetags.units import format_number, places, quantity

SHOWN = 12  # of a section on the page of a server, a GPU or a model
MOST = 500  # rows that a section counts
NOT_FILTERS = {"page", "lang"}
LONGEST = 80  # characters of a value that a note repeats

ENGINES = {
    "vllm": "vLLM",
    "sglang": "SGLang",
    "tensorrt": "TensorRT",
    "tensorrt-llm": "TensorRT-LLM",
}
PRECISIONS = {"mixed": gettext_lazy("mixed types")}
METHODS = {
    "pre-training (full)": gettext_lazy("pretraining"),
    "full fine-tune": gettext_lazy("full fine-tuning"),
    "lora": "LoRA",
    "qlora": "QLoRA",
}
SAMPLE_UNITS = {
    AIModel.Kind.VISION: lambda: pgettext("unit", "images/s"),
    AIModel.Kind.IMAGE_GENERATION: lambda: pgettext("unit", "images/s"),
    AIModel.Kind.EMBEDDING: lambda: pgettext("unit", "texts/s"),
    AIModel.Kind.RERANKER: lambda: pgettext("unit", "texts/s"),
    AIModel.Kind.ASR: lambda: pgettext("unit", "clips/s"),
}


def unit(name, kind):
    """Return the unit of a figure in the reader's language; `kind`: of the model that was measured."""
    figure = BenchmarkResult.Figure
    if name == figure.SAMPLES:
        return SAMPLE_UNITS[kind]() if kind in SAMPLE_UNITS else pgettext("unit", "samples/s")
    units = {
        figure.LATENCY: pgettext("unit", "ms"),
        figure.TRAINING_TIME: pgettext("unit", "min"),
        figure.WEIGHTS: pgettext("unit", "GiB"),
        figure.PEAK_MEMORY: pgettext("unit", "GiB"),
        figure.CACHE_TOKENS: pgettext("unit", "tokens"),
        figure.POWER: pgettext("unit", "W"),
    }
    return units.get(name) or pgettext("unit", "tokens/s")


def measured_value(value, name, kind):
    """Return a measured figure with its unit in the reader's language."""
    return quantity(value, unit(name, kind), places(value))


def line(result, names_server=True):
    """Return one result as a line of a table, texts in the active language.

    Args:
        names_server: whether it says in which server; on the page of that server it need not.
    """
    published = [result.suite, result.round]
    kind = result.ai_model.kind if result.ai_model else None
    return {
        "result": result,
        "value": measured_value(result.value, result.figure, kind),
        "label": result.get_figure_display(),
        "model": result.ai_model if result.ai_model and result.ai_model.is_published else None,
        "server": result.server if names_server and result.server and result.server.is_published else None,
        "system": result.system_name if names_server else "",
        "gpus": f"{format_number(result.gpu_count)} × ",
        "servers": ngettext("%(count)s server", "%(count)s servers", result.servers)
        % {"count": format_number(result.servers)}
        if result.servers > 1
        else "",
        "conditions": conditions(result),
        "published": " ".join(part for part in published if part),
    }


def conditions(result):
    """Return how it was measured, part by part: {text, is_name}; what is not stated is left out.

    Names are those of engines and scenarios, the same in every language.
    """
    precision = result.precision or ""
    names = {
        PRECISIONS.get(precision) or precision.upper(): precision not in PRECISIONS,
        METHODS.get(result.method) or result.method or "": result.method in ("lora", "qlora"),
        ENGINES.get(result.engine, result.engine) or "": True,
        result.scenario: True,
    }
    parts = [{"text": text, "is_name": is_name} for text, is_name in names.items() if text]
    return parts + [{"text": text, "is_name": False} for text in _load(result)]


def _load(result):
    """Return what was sent to the engine, as sentences' parts."""
    parts = []
    if result.input_tokens and result.output_tokens:
        parts.append(
            _("%(input)s tokens in, %(output)s out")
            % {"input": format_number(result.input_tokens), "output": format_number(result.output_tokens)}
        )
    if result.sequence_tokens:
        parts.append(
            _("sequences up to %(tokens)s tokens") % {"tokens": format_number(result.sequence_tokens)}
        )
    if result.concurrency:
        parts.append(
            ngettext("%(count)s request at once", "%(count)s requests at once", result.concurrency)
            % {"count": format_number(result.concurrency)}
        )
    if result.figure == BenchmarkResult.Figure.SAMPLES and result.sample_work:
        parts.append(_sample(result))
    return parts


def _sample(result):
    count = format_number(result.sample_work)
    if result.ai_model and result.ai_model.kind == AIModel.Kind.IMAGE_GENERATION:
        return ngettext("%(count)s step an image", "%(count)s steps an image", round(result.sample_work)) % {
            "count": count
        }
    return _("clips of up to %(count)s s") % {"count": count}


def section(**subject):
    """Return what a page of a server, GPU or AI model shows of its results; one query.

    Args:
        subject: `server`, `gpu` or `ai_model`, one of them.
    """
    ((name, row),) = subject.items()
    rows = list(BenchmarkResult.objects.for_tables().filter(**subject)[:MOST])
    return {
        "lines": [line(result, names_server=name != "server") for result in best(rows)],
        "total": len(rows),
        "shown": min(len(rows), SHOWN),
        "query": f"{KEYS[name]}={row.slug}",
    }


def best(rows):
    """Return the rows that a section shows: one of each model, work and figure first, then the others."""
    seen, first, others = set(), [], []
    for row in rows:
        key = (row.model_label, row.gpu_id, row.work, row.figure)
        (others if key in seen else first).append(row)
        seen.add(key)
    return (first + others)[:SHOWN]


KEYS = {"server": "server", "gpu": "gpu", "ai_model": "model"}
LABELS = {
    "gpu": gettext_lazy("GPU"),
    "model": gettext_lazy("AI model"),
    "server": gettext_lazy("Server"),
    "work": gettext_lazy("Work"),
    "suite": gettext_lazy("Published by"),
}


class Filters:
    """What the list is asked for. Values that are no choice are left out, and named in `notices`."""

    def __init__(self, query):
        self.choices = choices()
        self.values, self.notices = {}, []
        for name, offered in self.choices.items():
            value = query.get(name, "").strip()
            if value and value not in dict(offered):
                self.notices.append(
                    _("“%(value)s” is not a choice of the filter “%(filter)s”. It was left out.")
                    % {"value": _short(value), "filter": LABELS[name]}
                )
            elif value:
                self.values[name] = value
        strange = [_short(key) for key in query if key not in LABELS and key not in NOT_FILTERS]
        if strange:
            self.notices.append(
                ngettext(
                    "The address has a part that this list does not know: %(names)s. It was left out.",
                    "The address has parts that this list does not know: %(names)s. They were left out.",
                    len(strange),
                )
                % {"names": ", ".join(strange[:3]) + ("…" if len(strange) > 3 else "")}
            )

    @property
    def rows(self):
        """Return the results that match, in the order of the list."""
        rows = BenchmarkResult.objects.for_tables()
        columns = {"gpu": "gpu__slug", "model": "ai_model__slug", "server": "server__slug"}
        for name, value in self.values.items():
            rows = rows.filter(**{columns.get(name, name): value})
        return rows

    @property
    def fields(self):
        """Return the selects of the form."""
        return [
            {"name": name, "label": LABELS[name], "choices": offered, "value": self.values.get(name, "")}
            for name, offered in self.choices.items()
        ]


def choices():
    """Return {filter: [(value, label)]} of what has results."""
    published = BenchmarkResult.objects.published()
    return {
        "gpu": _named(GPU, published),
        "model": _named(AIModel, published),
        "server": _named(Server, published),
        "work": BenchmarkResult.Work.choices,
        "suite": [
            (suite, suite)
            for suite in sorted(
                published.order_by().values_list("suite", flat=True).distinct(), key=str.casefold
            )
        ],
    }


def _named(model, results):
    rows = model.objects.published().filter(benchmark_results__in=results).order_by("sort_key").distinct()
    return list(rows.values_list("slug", "name"))


def _short(text):
    text = "".join(character for character in text if character.isprintable())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
