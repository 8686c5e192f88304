"""The accuracy page in the active language: names of figures, situations and reasons, numbers with units."""

import re
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _, pgettext, pgettext_lazy

from catalog.templatetags.units import format_number, places, quantity

FAMILIES: dict[str, Promise] = {
    "inference-throughput": _("Speed and power of inference"),
    "training": _("Training"),
    "inference-memory": _("Memory of inference"),
}


@dataclass(frozen=True)
class FigureText:
    """What a figure is called, and its unit; None: percent."""

    name: Promise
    unit: Promise | None


_TOKENS_S, _SAMPLES_S = pgettext_lazy("unit", "tokens/s"), pgettext_lazy("unit", "samples/s")
_GIB, _GB, _MIB = pgettext_lazy("unit", "GiB"), pgettext_lazy("unit", "GB"), pgettext_lazy("unit", "MiB")
FIGURES: dict[tuple[str, str], FigureText] = {
    ("inference-throughput", "output_tokens_per_s"): FigureText(
        _("Output tokens per second of language models, all GPUs"), _TOKENS_S
    ),
    ("inference-throughput", "output_tokens_per_s_per_gpu"): FigureText(
        _("Output tokens per second of language models, per GPU"), _TOKENS_S
    ),
    ("inference-throughput", "total_tokens_per_s"): FigureText(
        _("Prompt and output tokens per second of language models"), _TOKENS_S
    ),
    ("inference-throughput", "decode_tokens_per_s"): FigureText(
        _("Output tokens per second of one stream"), _TOKENS_S
    ),
    ("inference-throughput", "prefill_tokens_per_s"): FigureText(
        _("Prompt tokens per second of one stream"), _TOKENS_S
    ),
    ("inference-throughput", "samples_per_s"): FigureText(
        _("Images, clips, texts or answers per second"), _SAMPLES_S
    ),
    ("inference-throughput", "p90_latency_ms"): FigureText(
        _("Time of one sample, 90th percentile"), pgettext_lazy("unit", "ms")
    ),
    ("inference-throughput", "mean_system_power_w"): FigureText(
        _("Power of the whole server, mean"), pgettext_lazy("unit", "W")
    ),
    ("training", "tokens_per_s_per_gpu"): FigureText(_("Trained tokens per second and GPU"), _TOKENS_S),
    ("training", "tokens_per_s"): FigureText(_("Trained tokens per second, all GPUs"), _TOKENS_S),
    ("training", "samples_per_s"): FigureText(_("Trained samples per second"), _SAMPLES_S),
    ("training", "seconds_per_iteration"): FigureText(
        _("Time of one training step"), pgettext_lazy("unit", "s")
    ),
    ("training", "mfu_pct"): FigureText(_("Share of the printed rate that training reaches"), None),
    ("training", "time_to_train_min"): FigureText(
        _("Time until the benchmark’s quality is reached"), pgettext_lazy("unit", "min")
    ),
    ("training", "peak_gpu_gb"): FigureText(_("Training memory per GPU at the peak, GB"), _GB),
    ("training", "peak_gpu_gib"): FigureText(_("Training memory per GPU at the peak, GiB"), _GIB),
    ("training", "max_memory_usage_gb"): FigureText(_("Training memory per GPU, highest use"), _GB),
    ("inference-memory", "weights_gib_per_gpu"): FigureText(_("Weights per GPU, GiB"), _GIB),
    ("inference-memory", "weights_gb_per_gpu"): FigureText(_("Weights per GPU, GB"), _GB),
    ("inference-memory", "kv_cache_available_gib_per_gpu"): FigureText(
        _("Memory left for the cache per GPU"), _GIB
    ),
    ("inference-memory", "kv_cache_tokens"): FigureText(
        _("Tokens that the cache holds"), pgettext_lazy("unit", "tokens")
    ),
    ("inference-memory", "kv_bytes_per_token"): FigureText(
        _("Cache of one token"), pgettext_lazy("unit", "bytes")
    ),
    ("inference-memory", "kv_gib_for_max_len"): FigureText(_("Cache of the longest request"), _GIB),
    ("inference-memory", "max_concurrency_x"): FigureText(
        _("Requests of the longest length at once"), pgettext_lazy("unit", "requests")
    ),
    ("inference-memory", "peak_gpu_gb"): FigureText(_("Inference memory at the peak, GB"), _GB),
    ("inference-memory", "peak_gpu_mib"): FigureText(_("Inference memory at the peak, MiB"), _MIB),
}

# Words of a situation, parted by commas.
SITUATIONS: dict[str, Promise] = {
    "all": _("all of them"),
    "tuned": _("tuned engine"),
    "as installed": _("engine as installed"),
    "dense": _("dense model"),
    "mixture": _("mixture of experts"),
    "single stream": _("one request at a time"),
    "graphs": _("recorded graphs"),
    "eager": _("plain PyTorch"),
    "plain PyTorch": _("plain PyTorch"),
    "sharded": _("sharded PyTorch"),
    "pretraining": _("pre-training"),
    "full": _("full fine-tuning"),
    "lora": _("LoRA"),
    "qlora": _("QLoRA"),
    "lengths not stated": _("lengths of prompts not stated"),
    "system power": _("whole server"),
    "asr": _("speech recognition"),
    "embedding": _("embeddings"),
    "image_generation": _("image generation"),
    "vision": _("vision"),
    "vllm": _("vLLM"),
    "sglang": _("SGLang"),
    "tensorrt_llm": _("TensorRT-LLM"),
    "current releases": _("current releases"),
    "older releases": _("releases before 2025"),
}

# How engines and frameworks write themselves: names, the same in all languages.
ENGINES = {
    "vllm": "vLLM",
    "sglang": "SGLang",
    "tensorrt": "TensorRT",
    "tensorrt-llm": "TensorRT-LLM",
}
ABBREVIATED = {"nvidia", "amd", "rtx", "pro", "sxm", "nvl", "pcie"}
UNSPECIFIED = "-unspecified"  # a card of which the source does not tell the form

# Reasons of a refusal: how they begin, and their sentence.
REASONS: list[tuple[str, Promise]] = [
    ("the steps until a quality is reached", _("How many steps a quality takes cannot be known beforehand")),
    ("AI model not in the catalog", _("AI model not in the catalog: %(what)s")),
    ("GPU not in the catalog", _("GPU not in the catalog: %(what)s")),
    (
        "training of this kind of model is not sized",
        _("Training of this kind of model is not sized: %(what)s"),
    ),
    ("training method spelling not known", _("Training method not known: %(what)s")),
    ("figure not predicted", _("Not a figure that we compute: %(what)s")),
    ("sharding spelling not known", _("Way to share out the training not known: %(what)s")),
    ("the work of one sample", _("The work of one sample or the card’s rate is not published")),
    ("the card's rate is not published", _("The card’s rate is not published: %(what)s")),
    ("input not stated", _("The case does not state: %(what)s")),
    ("no server of the catalog", _("No server of the catalog takes that many of these cards")),
    ("stated parameters are not", _("Another model goes by the same name")),
    ("input not understood", _("The case states something that cannot be read: %(what)s")),
    ("the layout needs more GPUs", _("The layout needs more GPUs than the case has")),
    ("an engine's peak is its budget", _("The peak of an engine is its budget, not what it needs")),
    ("the engine's memory budget", _("How much memory the engine may take is not stated")),
    ("parallel spelling not known", _("Way to split the model not known: %(what)s")),
    ("optimizer spelling not known", _("Optimizer not known: %(what)s")),
    ("engine version not known", _("Version of the engine not known: %(what)s")),
    ("scenario spelling not known", _("Scenario of the test not known: %(what)s")),
    ("benchmark spelling not known", _("Benchmark not known: %(what)s")),
]
# What such a reason ends in, where that is a code: in words.
CODES: dict[str, Promise] = {
    "vision": _("vision"),
    "asr": _("speech recognition"),
    "embedding": _("embeddings"),
    "image_generation": _("image generation"),
    "adapter": _("an adapter, of which kind is not stated"),
    "p90_latency_ms": _("response time that 90 of 100 requests keep"),
    "p99_latency_ms": _("response time that 99 of 100 requests keep"),
    "micro_batch": _("micro-batch"),
    "sequence_tokens": _("length of the training sequences"),
    "input_tokens": _("length of the prompts"),
    "output_tokens": _("length of the answers"),
    "concurrency": _("requests at the same time"),
    "max_model_len": _("longest context"),
}
_QUOTES = "'\" "


def figure_name(family: str, figure: str) -> str:
    """Return what a figure is called; one without a name is shown as the file spells it."""
    found = FIGURES.get((family, figure))
    return str(found.name) if found else figure


def amount(family: str, figure: str, value: float) -> str:
    """Return a value of a figure with its unit."""
    found = FIGURES.get((family, figure))
    if found is None:
        return ends(value)
    return percent(value / 100) if found.unit is None else quantity(value, str(found.unit), places(value))


def ends(value: float) -> str:
    return format_number(value, places(value))


def situation(name: str) -> str:
    """Return a situation in words."""
    return ", ".join(str(SITUATIONS.get(word, word)) for word in name.split(", "))


def reason(text: str) -> tuple[str, bool]:
    """Return why a figure is not predicted, and whether that is in the reader's language."""
    for start, sentence in REASONS:
        if text.startswith(start):
            what = text.partition(": ")[2].strip(_QUOTES)
            return str(sentence) % {"what": CODES.get(what, what)}, True
    return text, False


def percent(share: float | None, *, sign: bool = False) -> str:
    """Return a share of one as percent, in the reader's way; a dash where there is none."""
    if share is None:
        return "–"
    number = 100 * share
    text = format_number(abs(number), 1 if abs(number) < 10 else 0)
    if sign:
        text = f"{'+' if number >= 0 else '−'}{text}"
    elif number < 0:
        text = f"−{text}"
    return pgettext("unit", "%(number)s%%") % {"number": text}


def times(ratio: float | None) -> str:
    """Return how many times the high end of a range is the low one; a dash where there is none."""
    return "–" if ratio is None else f"{format_number(ratio, 2)}×"


def readable(gpu: str) -> str:
    """Return the name of a card that has no page, from how the cases spell it."""
    name = gpu.removesuffix(UNSPECIFIED).replace("-", " ")
    name = " ".join(
        word.upper() if word in ABBREVIATED or any(map(str.isdigit, word)) else word for word in name.split()
    )
    if not gpu.endswith(UNSPECIFIED):
        return name
    return gettext("%(gpu)s, form not stated") % {"gpu": name}


def slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
