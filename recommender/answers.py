"""The answers' vocabulary: keys, units, limits and choices, and what was understood of the answers given.

One vocabulary serves the questionnaire's addresses, briefs, the API and the command line. Parsing never
loses a good answer because of a bad one: each bad one becomes a Problem of its own, and what is merely
not used is said in a Notice. Values stay canonical texts (plain decimals, ranges `a..b`), so that the
same answers always have the same form.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _, ngettext_lazy, pgettext_lazy

from aiservers.numbers import Interval, NumberError, canonical, parse_canonical
from catalog.templatetags.units import NARROW_SPACE, format_number

MAX_VALUES = 10  # of one repeating key
MAX_SHOWN = 60  # characters of a bad answer that a message repeats

STAGES = ("training", "fine_tuning", "inference", "mixed", "development")
PRECISIONS = ("auto", "fp32", "bf16", "fp16", "fp8", "int8", "int4", "fp4")
CRITERIA = (
    "throughput",
    "latency",
    "concurrency",
    "availability",
    "running_cost",
    "headroom",
    "footprint",
    "growth",
)

TOKENS, VISION, SPEECH, IMAGES, EMBEDDINGS = WORK_KINDS = (
    "tokens",
    "vision",
    "speech",
    "images",
    "embeddings",
)


@dataclass(frozen=True, slots=True)
class Key:
    """One question: what may be answered, in which unit, and why it is asked."""

    name: str
    kind: str  # number, yes_no, choice, slug, text
    label: Promise
    why: Promise
    group: str
    unit: str = ""
    unit_label: Promise | str = ""
    minimum: Decimal | None = None
    maximum: Decimal | None = None
    whole: bool = False
    choices: tuple[tuple[str, Promise | str], ...] = ()
    repeats: bool = False
    used: bool = True
    typical: Promise | str = ""  # a canonical number or range, or a text where the unit is not the key's
    stages: frozenset[str] = frozenset(STAGES)
    kinds: frozenset[str] = frozenset(WORK_KINDS)

    @property
    def signed(self) -> bool:
        return self.minimum is not None and self.minimum < 0

    @property
    def typical_text(self) -> str:
        """Return what is usual with its unit, "" where nothing is."""
        if not isinstance(self.typical, str) or not self.typical:
            return str(self.typical)
        return written(self, parse_interval(self.typical))


_TOKENS = ngettext_lazy("%(amount)s token", "%(amount)s tokens", "count")
_REQUESTS = ngettext_lazy("%(amount)s request", "%(amount)s requests", "count")
_STREAMS = ngettext_lazy("%(amount)s stream", "%(amount)s streams", "count")
_SEQUENCES = ngettext_lazy("%(amount)s sequence", "%(amount)s sequences", "count")
NOUNS = {
    "input_tokens": _TOKENS,
    "output_tokens": _TOKENS,
    "context_tokens": _TOKENS,
    "dataset_tokens": _TOKENS,
    "sequence_tokens": _TOKENS,
    "concurrency": _REQUESTS,
    "normal_concurrency": _REQUESTS,
    "streams": _STREAMS,
    "audio_streams": _STREAMS,
    "global_batch": _SEQUENCES,
    "micro_batch": _SEQUENCES,
    "users": ngettext_lazy("%(amount)s person", "%(amount)s people", "count"),
    "horizon_years": ngettext_lazy("%(amount)s year", "%(amount)s years", "count"),
    "peak_factor": ngettext_lazy("%(amount)s time", "%(amount)s times", "count"),
}


_RACK_UNITS = pgettext_lazy("unit", "%(count)sU")
_PERCENT_OF = pgettext_lazy("unit", "%(number)s%%")
# Large numbers of tokens, the largest first: written so where no digit is lost.
_MANY_TOKENS = (
    (10**9, _("%(amount)s billion tokens")),
    (10**6, _("%(amount)s million tokens")),
)


def _many_tokens(interval: Interval) -> str:
    """Return a number of tokens in millions or billions, "" where it is small or has more digits."""
    for scale, text in _MANY_TOKENS:
        ends = [end / scale for end in interval]
        if ends[0] >= 1 and all(end * 100 == (end * 100).to_integral_value() for end in ends):
            low, high = (format_number(end, 2) for end in ends)
            amount = low if low == high else f"{low}–{high}"
            return str(text % {"amount": amount}).replace(" ", "\N{NO-BREAK SPACE}")
    return ""


def with_unit(key: Key, interval: Interval, written: str) -> str:
    """Return a written number or range with its unit, or with its noun in the form that it asks for."""
    noun = NOUNS.get(key.name)
    if key.unit == "tokens" and (many := _many_tokens(interval)):
        return many
    if key.unit == "U":
        return str(_RACK_UNITS % {"count": written})
    if str(key.unit_label).startswith(PERCENT):  # "50% a year": English closes the sign up
        return str(_PERCENT_OF % {"number": written}) + str(key.unit_label).removeprefix(PERCENT)
    if noun is None:
        return f"{written}{NARROW_SPACE}{key.unit_label}" if key.unit_label else written
    high = interval.high
    count = int(high) if high == int(high) else 2  # a fraction takes the form of two in all our languages
    return str(noun % {"amount": written, "count": count}).replace(" ", "\N{NO-BREAK SPACE}")


SERVING = frozenset({"inference", "mixed", "development"})
LEARNING = frozenset({"training", "fine_tuning", "mixed"})
ONLY_TOKENS = frozenset({TOKENS})
YES_NO = (("yes", _("Yes")), ("no", _("No")))

GB, GBIT, TOKEN, PERCENT, MS = _("GB"), _("Gbit/s"), _("tokens"), "%", _("ms")


def _number(name, low, high, label, why, group, unit="", unit_label="", **more):
    return Key(
        name,
        "number",
        label,
        why,
        group,
        unit=unit,
        unit_label=unit_label,
        minimum=Decimal(str(low)),
        maximum=Decimal(str(high)),
        **more,
    )


def _choice(name, choices, label, why, group, **more):
    return Key(name, "choice", label, why, group, choices=tuple(choices), **more)


def _yes_no(name, label, why, group, **more):
    return Key(name, "yes_no", label, why, group, choices=YES_NO, **more)


_ALL_KEYS = [
    # what the server is for
    _choice(
        "stage",
        [
            ("training", _("Training")),
            ("fine_tuning", _("Fine-tuning")),
            ("inference", _("Inference")),
            ("mixed", _("Fine-tuning and inference")),
            ("development", _("Development and pilots")),
        ],
        _("Stage"),
        _("Training, fine-tuning and serving a model ask for different machines."),
        "work",
        repeats=True,
    ),
    Key(
        "workload",
        "slug",
        _("Task"),
        _("Fills in typical values for everything that you do not know yet."),
        "work",
        repeats=True,
    ),
    # the model
    Key(
        "model",
        "slug",
        _("Which AI model?"),
        _("Its size and shape decide how much GPU memory is needed."),
        "model",
    ),
    Key(
        "training_model",
        "slug",
        _("Which model is trained, if another one?"),
        _("Only where the trained model differs from the served one."),
        "model",
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    _yes_no(
        "model_may_change",
        _("May the model change later?"),
        _("A choice that must survive another model needs more room."),
        "model",
        used=False,
    ),
    _number(
        "parameters_b",
        0.01,
        5000,
        _("How many parameters?"),
        _("For a model that is not in the catalog."),
        "model",
        "10^9",
        _("billion"),
        typical="7..70",
    ),
    _number(
        "active_parameters_b",
        0.01,
        5000,
        _("How many of the parameters work on each token?"),
        _("Only mixture-of-experts models: memory follows the total, speed the active parameters."),
        "model",
        "10^9",
        _("billion"),
        typical="3..40",
        kinds=ONLY_TOKENS,
    ),
    _choice(
        "precision",
        [
            ("auto", _("The model's own type")),
            *((name, name.upper()) for name in PRECISIONS if name != "auto"),
        ],
        _("In which precision are the weights kept?"),
        _("Each halving of the precision halves the memory of the weights."),
        "model",
    ),
    _choice(
        "kv_precision",
        [("auto", _("As the engine does by itself")), ("bf16", "BF16"), ("fp8", "FP8")],
        _("In which precision is the key/value cache kept?"),
        _("FP8 halves the cache and so doubles the requests that fit."),
        "model",
        stages=SERVING,
        kinds=ONLY_TOKENS,
    ),
    _choice(
        "engine",
        [
            ("vllm", "vLLM"),
            ("sglang", "SGLang"),
            ("tensorrt_llm", "TensorRT-LLM"),
            ("other", _("Another one")),
        ],
        _("Which engine serves the model?"),
        _("Engines differ in the card generations and precisions that they support."),
        "model",
        stages=SERVING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "adapters",
        0,
        10_000,
        _("How many LoRA adapters are served beside the model?"),
        _("Each one takes memory that is easily forgotten."),
        "model",
        whole=True,
        typical="0..16",
        stages=SERVING,
        kinds=ONLY_TOKENS,
    ),
    Key(
        "draft_model",
        "slug",
        _("Which draft model runs beside it?"),
        _("Speculative decoding keeps a second model in memory."),
        "model",
        stages=SERVING,
        kinds=ONLY_TOKENS,
    ),
    # the load of a service
    _number(
        "concurrency",
        1,
        100_000,
        _("How many requests run at the same time at the peak?"),
        _("Each running request keeps its own cache, and all of them share the card's speed."),
        "load",
        "1",
        _("requests"),
        whole=True,
        typical="5..200",
        stages=SERVING,
        kinds=frozenset({TOKENS, EMBEDDINGS}),
    ),
    _number(
        "normal_concurrency",
        1,
        100_000,
        _("How many requests run at the same time on a normal day?"),
        _("Where requests may wait at the peak, the normal load must still run at once."),
        "load",
        "1",
        _("requests"),
        whole=True,
        typical="1..50",
        stages=SERVING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "requests_per_second",
        0.0001,
        1_000_000,
        _("How many requests arrive per second at the peak?"),
        _("Used where the number of simultaneous requests is not known."),
        "load",
        "1/s",
        _("per second"),
        typical="0.1..20",
        stages=SERVING,
        kinds=frozenset({TOKENS, EMBEDDINGS}),
    ),
    _number(
        "users",
        1,
        100_000_000,
        _("How many people will use it?"),
        _("The load follows from people, their activity and the peak."),
        "load",
        "1",
        _("people"),
        whole=True,
        typical="50..5000",
        stages=SERVING,
        kinds=frozenset({TOKENS, EMBEDDINGS}),
    ),
    _number(
        "active_percent",
        0.1,
        100,
        _("Which share of them is active in the peak hour?"),
        _("Not everybody works at the same time."),
        "load",
        "%",
        PERCENT,
        typical="10..25",
        stages=SERVING,
        kinds=frozenset({TOKENS, EMBEDDINGS}),
    ),
    _number(
        "requests_per_user_minute",
        0.001,
        1000,
        _("How many requests does an active person send per minute?"),
        _("Chat needs about 0.4, search in documents about 1, code completion about 2."),
        "load",
        "1/min",
        _("per minute"),
        typical="0.4..2",
        stages=SERVING,
        kinds=frozenset({TOKENS, EMBEDDINGS}),
    ),
    _number(
        "peak_factor",
        1,
        100,
        _("How much higher is the peak than the average?"),
        _("The service has to hold at the peak, not on average."),
        "load",
        "1",
        _("times"),
        typical="1.5..2.5",
        stages=SERVING,
        kinds=frozenset({TOKENS, EMBEDDINGS}),
    ),
    _number(
        "input_tokens",
        1,
        10_000_000,
        _("How long is a typical prompt?"),
        _("The longer the prompt, the longer the wait for the first word."),
        "load",
        "tokens",
        TOKEN,
        whole=True,
        typical="500..10000",
        stages=SERVING,
        kinds=frozenset({TOKENS, EMBEDDINGS}),
    ),
    _number(
        "output_tokens",
        1,
        1_000_000,
        _("How long is a typical answer?"),
        _("Together with the prompt it fills the cache."),
        "load",
        "tokens",
        TOKEN,
        whole=True,
        typical="250..1500",
        stages=SERVING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "context_tokens",
        1,
        10_000_000,
        _("What is the longest context to be served?"),
        _("Memory is reserved for every simultaneous request at this length."),
        "load",
        "tokens",
        TOKEN,
        whole=True,
        typical="4000..32000",
        stages=SERVING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "prefix_percent",
        0,
        100,
        _("Which part of the prompt do requests share?"),
        _("A shared system prompt is read only once."),
        "load",
        "%",
        PERCENT,
        typical="0..60",
        stages=SERVING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "streams",
        1,
        100_000,
        _("How many video streams are analysed?"),
        _("Streams times frames a second is what the cards have to keep up with."),
        "load",
        "1",
        _("streams"),
        whole=True,
        typical="8..64",
        stages=SERVING,
        kinds=frozenset({VISION}),
    ),
    _number(
        "frames_per_second",
        0.01,
        1000,
        _("How many frames of each stream per second?"),
        _("Fewer frames a second often do, and need fewer cards."),
        "load",
        "1/s",
        _("per second"),
        typical="5..30",
        stages=SERVING,
        kinds=frozenset({VISION}),
    ),
    _number(
        "audio_streams",
        1,
        1_000_000,
        _("How many conversations are transcribed at the same time?"),
        _("Each one brings a second of sound every second."),
        "load",
        "1",
        _("streams"),
        whole=True,
        typical="5..200",
        stages=SERVING,
        kinds=frozenset({SPEECH}),
    ),
    _number(
        "images_per_minute",
        0.001,
        1_000_000,
        _("How many images are made per minute?"),
        _("Image models work on one picture for seconds."),
        "load",
        "1/min",
        _("per minute"),
        typical="1..60",
        stages=SERVING,
        kinds=frozenset({IMAGES}),
    ),
    # targets
    _number(
        "ttft_ms",
        1,
        3_600_000,
        _("How soon must the first word come?"),
        _("A target that you give is a rule; without one it only orders the results."),
        "targets",
        "ms",
        MS,
        typical="300..3000",
        stages=SERVING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "tpot_ms",
        0.1,
        60_000,
        _("How much time may each further token take?"),
        _("People read at about 50 to 100 ms a token."),
        "targets",
        "ms",
        MS,
        typical="15..100",
        stages=SERVING,
        kinds=ONLY_TOKENS,
    ),
    _yes_no(
        "queue_ok",
        _("May requests wait at the peak?"),
        _("Waiting a moment at the peak can save a card."),
        "targets",
        stages=SERVING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "queue_seconds",
        0,
        86_400,
        _("How long may requests wait at the peak?"),
        _("The longer the wait, the fewer requests have to run at once."),
        "targets",
        "s",
        _("s"),
        typical="0..30",
        stages=SERVING,
        kinds=ONLY_TOKENS,
    ),
    # training
    _choice(
        "method",
        [
            ("pretraining", _("Training from scratch")),
            ("full", _("Full fine-tuning")),
            ("lora", "LoRA"),
            ("qlora", "QLoRA"),
        ],
        _("How is the model trained or adapted?"),
        _("Full training keeps about 16 bytes a parameter, LoRA about 2, QLoRA less than 1."),
        "training",
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "dataset_tokens",
        1000,
        10**15,
        _("How large is the data set?"),
        _("Tokens times passes decide how long one training cycle takes."),
        "training",
        "tokens",
        TOKEN,
        whole=True,
        typical=_("1 to 100 million for fine-tuning, 100 billion and more from scratch"),
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "dataset_gb",
        0.001,
        10_000_000,
        _("How large are the files of the data set?"),
        _("Where tokens are not known, four bytes of text count as one token."),
        "training",
        "GB",
        GB,
        typical=_("1 GB to 10 TB"),
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "epochs",
        0.01,
        1000,
        _("How many passes over the data?"),
        _("Each pass takes the same time again."),
        "training",
        "1",
        typical="1..5",
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "target_hours",
        0.01,
        100_000,
        _("How long may one training cycle take?"),
        _("The time that you give decides the number of cards."),
        "training",
        "h",
        _("h"),
        typical="4..72",
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "sequence_tokens",
        16,
        10_000_000,
        _("How long is a training sequence?"),
        _("Activations grow with it."),
        "training",
        "tokens",
        TOKEN,
        whole=True,
        typical="2048..8192",
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "global_batch",
        1,
        1_000_000,
        _("How many sequences in one step?"),
        _("Cards that get no sequence of a step cannot help."),
        "training",
        "1",
        _("sequences"),
        whole=True,
        typical="16..1024",
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "micro_batch",
        1,
        4096,
        _("How many sequences does one card work on at once?"),
        _("Activations grow with it."),
        "training",
        "1",
        _("sequences"),
        whole=True,
        typical="1..4",
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    _choice(
        "optimizer",
        [
            ("adamw", "AdamW"),
            ("adamw_fp32_gradients", _("AdamW, gradients in FP32")),
            ("adamw_deepspeed", _("AdamW as DeepSpeed keeps it")),
            ("adamw_fp32", _("AdamW, everything in FP32")),
            ("adamw_bf16", _("AdamW, states in BF16")),
            ("adamw_8bit", _("AdamW, states in 8 bit")),
            ("adamw_8bit_bf16", _("AdamW, states in 8 bit and weights in BF16")),
            ("adafactor", "Adafactor"),
            ("sgd", "SGD"),
        ],
        _("Which optimizer?"),
        _("AdamW keeps two more values for every trained parameter."),
        "training",
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "lora_rank",
        1,
        1024,
        _("Which LoRA rank?"),
        _("Trained parameters grow with it."),
        "training",
        "1",
        whole=True,
        typical="8..64",
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    _choice(
        "recompute",
        [("none", _("Nothing")), ("selective", _("Attention only")), ("full", _("Everything"))],
        _("Which activations are computed again instead of kept?"),
        _("Saves memory and costs up to a third of the speed."),
        "training",
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    _choice(
        "sharding",
        [("none", _("Nothing")), ("zero1", "ZeRO-1"), ("zero2", "ZeRO-2"), ("zero3", "ZeRO-3 / FSDP")],
        _("Which training states are shared out over the cards?"),
        _("Decides whether several cards can train what one cannot hold."),
        "training",
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "experiments_per_month",
        0,
        10_000,
        _("How many experiments per month?"),
        _("Tells how often a service would have to share the machine."),
        "later",
        "1/month",
        _("per month"),
        used=False,
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "checkpoint_minutes",
        1,
        100_000,
        _("How often is a checkpoint written?"),
        _("Checkpoints ask for fast storage."),
        "later",
        "min",
        _("min"),
        used=False,
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    _number(
        "checkpoints_kept",
        0,
        10_000,
        _("How many checkpoints are kept?"),
        _("They fill the disks."),
        "later",
        "1",
        whole=True,
        used=False,
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    # retrieval
    _number(
        "documents",
        1,
        10**12,
        _("How many documents are searched?"),
        _("Decides the size of the index."),
        "later",
        "1",
        whole=True,
        used=False,
    ),
    _number(
        "vector_dimensions",
        1,
        65_536,
        _("How many dimensions has a vector?"),
        _("Decides the size of the index."),
        "later",
        "1",
        whole=True,
        used=False,
    ),
    _number(
        "index_replicas",
        1,
        100,
        _("How many copies of the index?"),
        _("Decides memory and disks."),
        "later",
        "1",
        whole=True,
        used=False,
    ),
    _yes_no(
        "separate_index",
        _("May the index stand on a machine of its own?"),
        _("An index needs memory and disks, not GPUs."),
        "later",
        used=False,
    ),
    # availability and separation
    _choice(
        "availability",
        [
            ("single", _("It may stand still")),
            ("n_plus_1", _("One spare server (N+1)")),
        ],
        _("What if a server is lost?"),
        _("Carrying on needs at least one server more."),
        "availability",
        stages=SERVING,
    ),
    _choice(
        "on_node_loss",
        [
            ("stop", _("The service stops")),
            ("slow", _("It gets slower")),
            ("smaller_model", _("A smaller model takes over")),
        ],
        _("What may happen then?"),
        _("A slower service can be cheaper than a spare server."),
        "later",
        used=False,
        stages=SERVING,
    ),
    _choice(
        "one_node",
        [
            ("yes", _("Yes")),
            ("by_schedule", _("At different times")),
            ("separate", _("No, separate machines")),
        ],
        _("Must one server do everything at once?"),
        _("Training beside a service takes its cards away."),
        "availability",
        stages=frozenset({"mixed"}),
    ),
    _yes_no(
        "isolation",
        _("Must work be kept apart?"),
        _("Departments or tests may need servers of their own."),
        "later",
        used=False,
    ),
    _number(
        "maintenance_hours",
        0,
        744,
        _("How much maintenance per month?"),
        _("Maintenance stops everything on a server."),
        "later",
        "h/month",
        _("h per month"),
        used=False,
    ),
    _number(
        "growth_percent",
        0,
        1000,
        _("How much does the load grow per year?"),
        _("Together with the horizon, results are sized for its end."),
        "availability",
        "%/year",
        _("% a year"),
        typical="50..200",
        stages=SERVING,
    ),
    _number(
        "horizon_years",
        0,
        10,
        _("For how many years must the servers be enough?"),
        _("Together with the growth, results are sized for its end."),
        "availability",
        "years",
        _("years"),
        typical="1..5",
        stages=SERVING,
    ),
    # the site
    _choice(
        "site",
        [("datacenter", _("Data centre or server room")), ("edge", _("Plant, shop or branch"))],
        _("Where will it stand?"),
        _("Most servers need the air and the room of a data centre."),
        "site",
    ),
    _number(
        "rack_units",
        0,
        10_000,
        _("How many rack units are free?"),
        _("The whole solution has to fit, enclosures included."),
        "site",
        "U",
        _("U"),
        typical="2..20",
    ),
    _number(
        "max_depth_mm",
        100,
        3000,
        _("How deep may it be?"),
        _("GPU servers are often deeper than the cabinet."),
        "site",
        "mm",
        _("mm"),
        typical="800..1100",
    ),
    _number(
        "altitude_m",
        -500,
        6000,
        _("How high above the sea?"),
        _("Thin air cools less."),
        "later",
        "m",
        _("m"),
        used=False,
    ),
    _number(
        "power_kw",
        0.01,
        10_000,
        _("How much power is there?"),
        _("Often the real limit: eight large accelerators draw about 10 kW."),
        "site",
        "kW",
        _("kW"),
        typical="5..15",
    ),
    _number(
        "feed_voltage",
        48,
        1000,
        _("At which voltage?"),
        _("Large power supplies need 200 V and more."),
        "later",
        "V",
        _("V"),
        used=False,
    ),
    _choice(
        "psu_redundancy",
        [("none", _("None")), ("n_plus_1", "N+1"), ("n_plus_n", "N+N")],
        _("Which redundancy of power supplies?"),
        _("Full redundancy halves the power for cards."),
        "later",
        used=False,
    ),
    _choice(
        "cooling",
        [
            ("air", _("Air only")),
            ("liquid", _("A water loop, and air")),
            ("any", _("Not restricted")),
        ],
        _("Which cooling does the room offer?"),
        _("Trays and some eight-GPU machines need a water loop."),
        "site",
    ),
    _number(
        "temperature_min_c",
        -60,
        60,
        _("How cold does the room get?"),
        _("Few servers are made for cold rooms."),
        "site",
        "°C",
        "°C",
        typical="18",
    ),
    _number(
        "temperature_max_c",
        -40,
        80,
        _("How warm does the room get?"),
        _("Cards lower the room temperature that a server stands."),
        "site",
        "°C",
        "°C",
        typical="27",
    ),
    _number(
        "storage_tb",
        0,
        1_000_000,
        _("How much local storage?"),
        _("Disks and cards compete for the same space."),
        "later",
        "TB",
        _("TB"),
        used=False,
    ),
    _number(
        "storage_gbs",
        0,
        100_000,
        _("How fast is the shared storage?"),
        _("Training waits for data and checkpoints."),
        "later",
        "GB/s",
        _("GB/s"),
        used=False,
    ),
    _number(
        "network_gbe",
        0.1,
        100_000,
        _("How fast is the network between servers?"),
        _("Training over several servers waits for it."),
        "site",
        "Gbit/s",
        GBIT,
        typical="25..400",
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    # preferences
    Key(
        "cpu_vendor",
        "slug",
        _("Only processors of one maker?"),
        _("A hard rule: other servers are ruled out."),
        "preferences",
    ),
    Key(
        "gpu_vendor",
        "slug",
        _("Only GPUs of one maker?"),
        _("A hard rule: other cards are ruled out."),
        "preferences",
    ),
    _choice(
        "priority",
        [
            ("balanced", _("Balanced")),
            ("performance", _("Performance")),
            ("footprint", _("Little space and few cards")),
            ("power", _("Little power")),
            ("growth", _("Room to grow")),
        ],
        _("What matters most?"),
        _("Decides between servers that do the work equally well."),
        "preferences",
    ),
    _number(
        "energy_price",
        0,
        1000,
        _("What does a kilowatt-hour cost?"),
        _("Running costs are only worked out from your own tariff."),
        "later",
        "1/kWh",
        _("per kWh"),
        used=False,
    ),
    _number(
        "budget",
        0,
        10**15,
        _("How much may it cost?"),
        _("Prices are not published and do not enter the order."),
        "later",
        used=False,
    ),
    Key(
        "must",
        "choice",
        _("What is a must?"),
        _("Turns a wish into a rule."),
        "later",
        choices=tuple((name, name) for name in CRITERIA),
        repeats=True,
        used=False,
    ),
    Key(
        "hypothesis",
        "choice",
        _("Which answers are guesses?"),
        _("Results say what to find out before you buy."),
        "preferences",
        repeats=True,
    ),
]
KEYS: dict[str, Key] = {key.name: key for key in _ALL_KEYS}

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
    "not_a_choice": _("“%(value)s” is not possible here. Possible are: %(choices)s."),
    "not_in_catalog": _("“%(value)s” is not in the catalog."),
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
    "several_kinds": _("Only “%(used)s” was sized: ask for “%(key)s” apart, its load is of another kind."),
    "context_below_request": _(
        "The longest context (%(context)s tokens) is shorter than prompt and answer together "
        "(%(request)s tokens): the cache was sized for the former."
    ),
    "load_precedence": _("“%(key)s” was not used because “%(used)s” says the load more directly."),
    "preset_clipped": _(
        "Typical lengths of this work were shortened to the %(maximum)s tokens that %(model)s can take."
    ),
}


def number_text(value: int | float | Decimal) -> str:
    """Return a number as the active language writes it."""
    return format_number(value, 6)


def written(key: Key, interval: Interval) -> str:
    """Return a number or a range of a key as the active language writes it, with its unit."""
    low, high = number_text(interval.low), number_text(interval.high)
    return with_unit(key, interval, low if low == high else f"{low}–{high}")


def _localized(params: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    return {
        name: number_text(value) if isinstance(value, int | float | Decimal) else value
        for name, value in params
    }


def _as_typed(text: str) -> str:
    """Return a canonical number or range as the active language writes it; other texts stay as they are."""
    try:
        interval = parse_interval(text)
    except NumberError:
        return text
    low, high = number_text(interval.low), number_text(interval.high)
    return low if low == high else f"{low}–{high}"


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
            params["value"] = _as_typed(str(params["value"]))
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


@dataclass(frozen=True)
class Answers:
    """The good answers as canonical texts, and what is to be said about the others."""

    values: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    notices: tuple[Notice, ...] = ()

    @property
    def hypotheses(self) -> frozenset[str]:
        return frozenset(self.several("hypothesis"))

    def one(self, key: str) -> str | None:
        value = self.values.get(key)
        return value if isinstance(value, str) or value is None else value[0]

    def several(self, key: str) -> tuple[str, ...]:
        value = self.values.get(key, ())
        return (value,) if isinstance(value, str) else value

    def interval(self, key: str) -> Interval | None:
        value = self.one(key)
        return None if value is None else parse_interval(value)

    def as_query(self) -> list[tuple[str, str]]:
        """Return the answers as pairs in the questionnaire's order, for canonical addresses."""
        return [(key, value) for key in KEYS if key in self.values for value in self.several(key)]

    def without(self, key: str) -> "Answers":
        return replace(self, values={name: value for name, value in self.values.items() if name != key})

    def with_values(self, **changes: Any) -> "Answers":
        return parse({**self.values, **changes})


def parse_interval(text: str) -> Interval:
    """Return the Interval of a canonical number or range whose ends may be negative.

    Raises:
        NumberError: it is neither.
    """
    low, separator, high = text.strip().partition("..")
    ends = [_signed(low), _signed(high)] if separator else [_signed(low)] * 2
    if ends[0] > ends[1]:
        raise NumberError("reversed")
    return Interval(*ends)


def _signed(text: str) -> Decimal:
    text = text.strip()
    minus = text.startswith("-")
    if ".." in text:
        raise NumberError("malformed")
    value = parse_canonical(text[1:] if minus else text).low
    return -value if minus else value


def parse(mapping: Any) -> Answers:
    """Return what was understood of `mapping`, a key to a text, a number or a list of them."""
    if not isinstance(mapping, Mapping):
        return Answers(problems=(Problem("answers", "not_an_object"),))
    values: dict[str, str | tuple[str, ...]] = {}
    problems, notices = [], []
    for name in mapping:
        if name not in KEYS:
            notices.append(Notice("unknown_key", (("key", shown(name)),)))
    for name, key in KEYS.items():
        texts = _texts(mapping.get(name))
        if texts is None:
            problems.append(
                Problem(
                    name,
                    "not_a_number" if key.kind == "number" else "one_value",
                    (("value", shown(mapping[name])),),
                )
            )
            continue
        if not texts:
            continue
        if len(texts) > 1 and not key.repeats:
            problems.append(Problem(name, "one_value"))
            continue
        if len(texts) > (len(KEYS) if name == "hypothesis" else MAX_VALUES):
            problems.append(Problem(name, "too_many", (("maximum", MAX_VALUES),)))
            continue
        good = []
        for text in texts:
            value = checked(key, text)
            if isinstance(value, Problem):
                problems.append(value)
            elif value not in good:
                good.append(value)
        if good:
            values[name] = tuple(sorted(good) if name == "hypothesis" else good) if key.repeats else good[0]
        if good and not key.used:
            notices.append(Notice("not_used_yet", (("key", name),)))
    _check_together(values, problems)
    guesses = values.get("hypothesis", ())
    notices += [
        Notice("hypothesis_without_answer", (("key", name),)) for name in guesses if name not in values
    ]
    return Answers(values, tuple(problems), tuple(notices))


def _check_together(values, problems):
    """Report answers that are good alone and impossible together; the later one of the two is dropped."""
    low, high = values.get("temperature_min_c"), values.get("temperature_max_c")
    if low and high and parse_interval(high).high < parse_interval(low).low:
        problems.append(
            Problem(
                "temperature_max_c",
                "temperatures_reversed",
                (("value", parse_interval(high).high), ("minimum", parse_interval(low).low)),
            )
        )
        del values["temperature_max_c"]
    total, active = values.get("parameters_b"), values.get("active_parameters_b")
    if total and active and parse_interval(active).high > parse_interval(total).high:
        problems.append(
            Problem(
                "active_parameters_b",
                "active_above_total",
                (("value", parse_interval(active).high), ("maximum", parse_interval(total).high)),
            )
        )
        del values["active_parameters_b"]


def _texts(given: Any) -> list[str] | None:
    """Return the non-empty texts of an answer; None where it is no answer at all, as a nested object is."""
    if given is None:
        return []
    if not isinstance(given, list | tuple):
        given = [given]
    texts = []
    for item in given:
        if isinstance(item, bool):
            texts.append("yes" if item else "no")
        elif isinstance(item, int | float | Decimal):
            try:
                texts.append(f"{Decimal(repr(item) if isinstance(item, float) else item):f}")
            except (InvalidOperation, ValueError):
                texts.append(str(item))
        elif isinstance(item, str):
            if item.strip():
                texts.append(item.strip())
        elif item is not None:
            return None
    return texts


def checked(key: Key, text: str) -> str | Problem:
    """Return the canonical text of one answer, or what is wrong with it."""
    if key.kind == "number":
        return _number_value(key, text)
    if key.name == "hypothesis":
        choices = tuple(KEYS)
        if text not in choices or text == "hypothesis":
            return Problem(key.name, "not_in_catalog", (("value", shown(text)),))
        return text
    if key.kind in ("choice", "yes_no"):
        names = [name for name, _label in key.choices]
        if text.lower() not in names:
            return Problem(key.name, "not_a_choice", (("value", shown(text)), ("choices", ", ".join(names))))
        return text.lower()
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,99}", text.lower()):
        return Problem(key.name, "not_in_catalog", (("value", shown(text)),))
    return text.lower()


def _number_value(key: Key, text: str) -> str | Problem:
    try:
        interval = parse_interval(text)
    except NumberError as error:
        code = "reversed" if error.code == "reversed" or _is_reversed(text) else "not_a_number"
        if error.code == "too_large":
            return _out_of_range(key, text)
        return Problem(key.name, code, (("value", shown(text)),))
    if interval.low < key.minimum or interval.high > key.maximum:
        return _out_of_range(key, text)
    if key.whole and any(end != end.to_integral_value() for end in interval):
        return Problem(key.name, "not_whole", (("value", shown(text)),))
    return canonical(interval)


def _is_reversed(text: str) -> bool:
    """Tell whether this is a range as people type it, its larger end first."""
    try:
        low, high = (_signed(end) for end in re.split(r"\s*[-–—]\s*", text.strip(), maxsplit=1))
    except (NumberError, ValueError):
        return False
    return low > high


def _out_of_range(key: Key, text: str) -> Problem:
    return Problem(
        key.name,
        "out_of_range",
        (("value", shown(text)), ("minimum", key.minimum), ("maximum", key.maximum)),
    )


def shown(value: Any) -> str:
    """Return a bad answer on one line and short enough to be repeated in a message."""
    text = " ".join("".join(sign if sign.isprintable() else " " for sign in str(value)).split())
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def questions_for(answers: Answers, kind: str = TOKENS) -> list[Key]:
    """Return the questions that matter for the stages given and the kind of work, in order."""
    stages = set(answers.several("stage")) or {"inference"}
    return [
        key
        for key in KEYS.values()
        if key.used and key.name != "hypothesis" and key.stages & stages and kind in key.kinds
    ]
