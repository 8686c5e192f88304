"""Codes with figures turned into sentences in the active language: the edge where wording lives."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _, ngettext, ngettext_lazy

from catalog.templatetags import units
from recommender.sizing.demand import Message, Value
from recommender.sizing.specs import GIB

Formatter = Callable[[Value], str]

MANY_HOURS = 100


def _gib(value: Value) -> str:
    return units.gibibytes(None if value is None else float(value) / GIB)


def _ms(value: Value) -> str:
    return units.milliseconds(None if value is None else float(value) * 1000)


def _hours(value: Value) -> str:
    """Return a time, in days as well where hours say little."""
    if value is None:
        return units.not_published()
    amount = float(value) / 3600
    text = units.hours(amount)
    days = round(amount / 24)
    if amount < MANY_HOURS:
        return text
    return ngettext("%(hours)s (%(days)s day)", "%(hours)s (%(days)s days)", days) % {
        "hours": text,
        "days": units.number(days),
    }


def _count(value: Value) -> str:
    return units.number(value, 0)


def _rate(value: Value) -> str:
    return units.number(value, units.places(float(value or 0)))


def _watts(value: Value) -> str:
    """Return power to three digits, in kW from one kilowatt on."""
    if value is None:
        return units.watts(None)
    amount = units.estimated(round(float(value)))
    return units.kilowatts(amount) if amount >= 1000 else units.watts(amount)


def _number(value: Value) -> str:
    return units.number(value)


def _precision(value: Value) -> str:
    return str(value).upper()


def _plain(value: Value) -> str:
    return "" if value is None else str(value)


FORMATS: dict[str, Formatter] = {
    "gib": _gib,
    "ms": _ms,
    "hours": _hours,
    "count": _count,
    "rate": _rate,
    "watts": _watts,
    "units": units.rack_units,
    "celsius": units.celsius,
    "mm": units.millimetres,
    "number": _number,
    "precision": _precision,
    "name": _plain,
}

# code: (sentence, how each of its figures is written)
Sentence = tuple[Any, dict[str, str]]

# The figure whose number the words of a sentence agree with.
COUNTED = {
    "first_sure": "others",
    "first_cards": "gpus",
    "first_level": "others",
    "memory_serving": "requests",
    "memory_training": "gpus",
    "two_roles": "gpus",
    "service_pauses": "gpus",
    "first_token": "requests",
    "capacity": "capacity",
    "capacity_one_lost": "capacity",
    "rate_speech": "high",
    "size": "gpus",
    "size_units": "gpus",
    "size_watts": "gpus",
    "size_gpus": "gpus",
    "idle": "gpus",
    "training_cards": "gpus",
    "condition_sockets": "sockets",
    "spare": "servers",
}
# Figures that were asked for stay as they were given; all others of these units are estimates.
GIVEN = frozenset({"target", "usual", "need"})
ESTIMATED = frozenset({"ms", "hours", "rate"})

REASONS: dict[str, Sentence] = {
    "first_sure": (
        ngettext_lazy(
            "First because the %(others)s other match fits only on a condition, or rests on something that "
            "is not published.",
            "First because the %(others)s other matches fit only on a condition, or rest on something that "
            "is not published.",
            "count",
        ),
        {"others": "count"},
    ),
    "first_cards": (
        ngettext_lazy(
            "First because %(gpus)s GPU does the work; the next match takes %(others)s.",
            "First because %(gpus)s GPUs do the work; the next match takes %(others)s.",
            "count",
        ),
        {"gpus": "count", "others": "count"},
    ),
    "first_units": (
        _("First because it takes the least space: %(units)s, the next match %(others)s."),
        {"units": "units", "others": "units"},
    ),
    "first_level": (
        ngettext_lazy(
            "First with %(score)s of 100 points, but level with the next %(others)s match: other things "
            "may decide.",
            "First with %(score)s of 100 points, but level with the next %(others)s matches: other things "
            "may decide.",
            "count",
        ),
        {"score": "number", "others": "count"},
    ),
    "first_points": (
        _("First with %(score)s of 100 points; the next match has %(others)s."),
        {"score": "number", "others": "number"},
    ),
    "memory_serving": (
        ngettext_lazy(
            "Each GPU needs %(need)s of the %(have)s available, with %(requests)s simultaneous request of "
            "%(tokens)s tokens over all GPUs.",
            "Each GPU needs %(need)s of the %(have)s available, with %(requests)s simultaneous requests of "
            "%(tokens)s tokens over all GPUs.",
            "count",
        ),
        {"need": "gib", "have": "gib", "requests": "count", "tokens": "count"},
    ),
    "memory_without_cache": (
        _("Without its cache, each GPU needs %(need)s; %(have)s are usable."),
        {"need": "gib", "have": "gib"},
    ),
    "memory_over": (
        _("Each GPU typically needs %(need)s; %(have)s are available."),
        {"need": "gib", "have": "gib"},
    ),
    "memory_training": (
        ngettext_lazy(
            "Training needs %(need)s of the %(have)s on %(gpus)s GPU.",
            "Training needs %(need)s of the %(have)s on each of %(gpus)s GPUs.",
            "count",
        ),
        {"need": "gib", "have": "gib", "gpus": "count"},
    ),
    "memory_rate": (
        _("The model needs %(need)s of the %(have)s available on each GPU."),
        {"need": "gib", "have": "gib"},
    ),
    "training_hours": (
        _("One training cycle takes %(low)s to %(high)s; the target is %(target)s."),
        {"low": "hours", "high": "hours", "target": "hours"},
    ),
    "training_hours_free": (
        _("One training cycle takes %(low)s to %(high)s."),
        {"low": "hours", "high": "hours"},
    ),
    "two_roles": (
        ngettext_lazy(
            "Of %(gpus)s GPU the service uses %(needed)s: training can have the rest and does not stop it.",
            "Of %(gpus)s GPUs the service uses %(needed)s: training can have the rest and does not stop it.",
            "count",
        ),
        {"gpus": "count", "needed": "count"},
    ),
    "service_pauses": (
        ngettext_lazy(
            "%(gpus)s GPU does both jobs: the service slows down or stops while training runs.",
            "%(gpus)s GPUs do both jobs: the service slows down or stops while training runs.",
            "count",
        ),
        {"gpus": "count"},
    ),
    "first_token": (
        ngettext_lazy(
            "The first token comes after about %(ttft)s and each further one after %(tpot)s, with "
            "%(requests)s simultaneous request.",
            "The first token comes after about %(ttft)s and each further one after %(tpot)s, with "
            "%(requests)s simultaneous requests.",
            "count",
        ),
        {"ttft": "ms", "tpot": "ms", "requests": "count"},
    ),
    "capacity": (
        ngettext_lazy(
            "It carries up to %(capacity)s simultaneous request; you need %(requests)s.",
            "It carries up to %(capacity)s simultaneous requests; you need %(requests)s.",
            "count",
        ),
        {"capacity": "count", "requests": "count"},
    ),
    "capacity_one_lost": (
        ngettext_lazy(
            "With one server lost it carries %(capacity)s simultaneous request; you need %(requests)s.",
            "With one server lost it carries %(capacity)s simultaneous requests; you need %(requests)s.",
            "count",
        ),
        {"capacity": "count", "requests": "count"},
    ),
    "rate_vision": (
        _("Analyses %(low)s to %(high)s frames per second; you need %(need)s."),
        {"low": "rate", "high": "rate", "need": "rate"},
    ),
    "rate_speech": (
        ngettext_lazy(
            "Transcribes %(low)s to %(high)s stream in real time; you need %(need)s.",
            "Transcribes %(low)s to %(high)s streams in real time; you need %(need)s.",
            "count",
        ),
        {"low": "rate", "high": "rate", "need": "rate"},
    ),
    "rate_images": (
        _("Makes %(low)s to %(high)s images per minute; you need %(need)s."),
        {"low": "rate", "high": "rate", "need": "rate"},
    ),
    "rate_embeddings": (
        _("Reads %(low)s to %(high)s tokens per second; you need %(need)s."),
        {"low": "rate", "high": "rate", "need": "rate"},
    ),
    "size": (
        ngettext_lazy(
            "%(gpus)s GPU, %(units)s, about %(watts)s.", "%(gpus)s GPUs, %(units)s, about %(watts)s.", "count"
        ),
        {"gpus": "count", "units": "units", "watts": "watts"},
    ),
    "size_units": (
        ngettext_lazy("%(gpus)s GPU, %(units)s.", "%(gpus)s GPUs, %(units)s.", "count"),
        {"gpus": "count", "units": "units"},
    ),
    "size_watts": (
        ngettext_lazy("%(gpus)s GPU, about %(watts)s.", "%(gpus)s GPUs, about %(watts)s.", "count"),
        {"gpus": "count", "watts": "watts"},
    ),
    "size_gpus": (
        ngettext_lazy("%(gpus)s GPU does the work.", "%(gpus)s GPUs do the work.", "count"),
        {"gpus": "count"},
    ),
}

WARNINGS: dict[str, Sentence] = {
    "range_memory": (
        _("Fits only if it needs less memory than feared: up to %(high)s, with %(have)s available."),
        {"high": "gib", "have": "gib"},
    ),
    "range_ttft": (
        _("Fits only if the first token comes early: it may take up to %(high)s, the target is %(target)s."),
        {"high": "ms", "target": "ms"},
    ),
    "range_tpot": (
        _("Fits only if tokens come fast: each may take up to %(high)s, the target is %(target)s."),
        {"high": "ms", "target": "ms"},
    ),
    "range_rate": (
        _("Fits only if the card does better than feared: it may manage only %(low)s of %(need)s."),
        {"low": "rate", "need": "rate"},
    ),
    "range_hours": (
        _("Fits only if training goes well: it may take up to %(high)s, the target is %(target)s."),
        {"high": "hours", "target": "hours"},
    ),
    "range_answers": (_("Fits only at the easier end of the ranges that you gave."), {}),
    "range_estimates": (_("Fits only at the favourable end of the estimates."), {}),
    "unknown_cooling": (_("How it is cooled is not published: ask whether air is enough."), {}),
    "unknown_depth": (_("Its depth is not published: ask before you order."), {}),
    "unknown_rack_units": (_("Its height is not published: ask before you order."), {}),
    "unknown_power": (_("The power of the card is not published: ask before you order."), {}),
    "unknown_temperature": (
        _("Its temperature range is not published: have it confirmed for your room."),
        {},
    ),
    "unknown_temperature_min": (
        _("Its lowest temperature is not published: confirm it for your room."),
        {},
    ),
    "unknown_speed": (
        _("The card's compute rate or memory bandwidth is not published: its speed cannot be worked out."),
        {},
    ),
    "unknown_cache": (
        _("How this model keeps its context is not published: memory for it cannot be worked out."),
        {},
    ),
    "temperature_unpublished": (
        _("Its temperature range is not published; your room is within what servers usually stand."),
        {},
    ),
    "temperature_min_unpublished": (
        _("Its lowest temperature is not published; your room is within what servers usually tolerate."),
        {},
    ),
    "temperature_conditional": (
        _(
            "The maximum of %(limit)s holds only with some processors, memory, cards and power supplies; "
            "every configuration is covered up to %(sure)s. Confirm yours."
        ),
        {"limit": "celsius", "sure": "celsius"},
    ),
    "temperature_partly": (
        _(
            "The maximum of %(limit)s holds only with some processors, memory, cards and power supplies. "
            "Confirm yours."
        ),
        {"limit": "celsius"},
    ),
    "derived": (
        _(
            "That this server takes this card is derived from a sister model and its slots: confirm it with "
            "the vendor."
        ),
        {},
    ),
    "deployed": (
        _("Known from running installations, not from the maker's list: confirm card and number."),
        {},
    ),
    "preset": (
        _("This card is known from a configurator preset only: confirm it with the vendor."),
        {},
    ),
    "count_unpublished": (
        _("How many of these cards the server takes is not published: one is counted."),
        {},
    ),
    "server_not_orderable": (_("This server can no longer be ordered."), {}),
    "server_succeeded": (
        _("This server can no longer be ordered; its successor is %(successor)s."),
        {"successor": "name"},
    ),
    "option_not_orderable": (_("This server can no longer be ordered with this card."), {}),
    "special_order": (
        _("Sold only as a base model of its own under export control: it cannot be changed to later."),
        {},
    ),
    "memory_derived": (
        _("The memory that the card really offers is not published; %(low)s to %(high)s are reckoned with."),
        {"low": "gib", "high": "gib"},
    ),
    "tensor_over_pcie": (
        _(
            "The model is split over %(gpus)s GPUs that talk over PCIe: this buys memory and costs speed, "
            "above all with long prompts."
        ),
        {"gpus": "count"},
    ),
    "tensor_beyond_bridge": (
        _(
            "The model is split over %(gpus)s GPUs, but the fast link joins only %(joined)s: the rest goes "
            "over PCIe and costs speed."
        ),
        {"gpus": "count", "joined": "count"},
    ),
    "split_over_pcie": (
        _("The model is split over %(gpus)s GPUs that talk over PCIe: this buys memory, not speed."),
        {"gpus": "count"},
    ),
    "pipeline": (
        _("Layers are split into %(stages)s stages: this buys memory, but no answer gets faster."),
        {"stages": "count"},
    ),
    "pipeline_training": (
        _("Layers are split into %(stages)s stages: cards wait for each other at every step."),
        {"stages": "count"},
    ),
    "idle": (
        ngettext_lazy(
            "%(gpus)s GPU has no work in this configuration.",
            "%(gpus)s GPUs have no work in this configuration.",
            "count",
        ),
        {"gpus": "count"},
    ),
    "training_cards": (
        ngettext_lazy(
            "%(gpus)s GPU is kept for training beside the service.",
            "%(gpus)s GPUs are kept for training beside the service.",
            "count",
        ),
        {"gpus": "count"},
    ),
    "three_copies": (
        _("With three cards the model runs as three independent copies: a split over 3 is not possible."),
        {},
    ),
    "three_workers": (
        _("The three cards train as workers, each on its share of the data: a split over 3 is not possible."),
        {},
    ),
    "three_idle": (
        _("With three cards the model is split over 2; the third card does not take part in it."),
        {},
    ),
    "three_stages": (
        _("The three cards work as stages one after the other: a faster split over 3 is not possible."),
        {},
    ),
    "several_devices": (
        _(
            "Each card carries %(devices)s GPUs whose memory does not add up: the %(gpus)s GPUs counted for a "
            "server come on this many cards: %(cards)s."
        ),
        {"devices": "count", "gpus": "count", "cards": "count"},
    ),
    "auto_8bit": (
        _("The model fits only with %(precision)s weights instead of its own type: check the quality."),
        {"precision": "precision"},
    ),
    "weight_only": (
        _(
            "This card does not compute in %(precision)s: weights are kept in it, arithmetic runs in 16 bits "
            "and is no faster."
        ),
        {"precision": "precision"},
    ),
    "check_quality": (
        _("%(precision)s weights can cost quality: test with your own questions."),
        {"precision": "precision"},
    ),
    "condition_ambient": (
        _("With this card the room may have at most %(limit)s."),
        {"limit": "celsius"},
    ),
    "condition_cap": (
        _("In this configuration each card is limited to %(watts)s."),
        {"watts": "watts"},
    ),
    "condition_psu": (
        _("Needs power supplies of at least %(watts)s."),
        {"watts": "watts"},
    ),
    "condition_sockets": (
        ngettext_lazy("Needs %(sockets)s processor.", "Needs %(sockets)s processors.", "count"),
        {"sockets": "count"},
    ),
    "enclosure": (
        _("This is a tray: it needs an enclosure of %(units)s with %(trays)s positions."),
        {"units": "units", "trays": "count"},
    ),
    "quiet_modes": (
        _("The server's quiet acoustic modes may exclude this card: choose the mode first."),
        {},
    ),
    "water": (_("Needs a water loop in the room."), {}),
    "edge_machine": (_("Made for places outside a data centre: a rack server is easier to run there."), {}),
    "usual_power": (
        _("May draw up to %(watts)s: more than the %(usual)s that a cabinet usually offers."),
        {"watts": "watts", "usual": "watts"},
    ),
    "usual_rack": (
        _("Takes %(units)s: more than the %(usual)s of a usual cabinet."),
        {"units": "units", "usual": "units"},
    ),
    "usual_ttft": (
        _("The first token takes about %(value)s: longer than the usual %(usual)s."),
        {"value": "ms", "usual": "ms"},
    ),
    "usual_tpot": (
        _("Each token takes about %(value)s: longer than the usual %(usual)s."),
        {"value": "ms", "usual": "ms"},
    ),
    "usual_hours": (
        _("A training cycle takes about %(value)s: longer than the usual %(usual)s."),
        {"value": "hours", "usual": "hours"},
    ),
    "recompute_full": (
        _("Training fits only if all activations are computed again: about a third slower."),
        {},
    ),
    "network_unknown": (
        _("Training over %(servers)s servers needs a fast network between them: its speed is not known yet."),
        {"servers": "count"},
    ),
    "spare": (
        ngettext_lazy(
            "%(servers)s server, so that the load is still carried with one of them lost.",
            "%(servers)s servers, so that the load is still carried with one of them lost.",
            "count",
        ),
        {"servers": "count"},
    ),
}

REJECTIONS: dict[str, Sentence] = {
    "memory": (
        _("Memory: each GPU would need %(need)s, %(have)s are available."),
        {"need": "gib", "have": "gib"},
    ),
    "precision": (
        _("Precision: the card or the engine does not take %(need)s."),
        {"need": "precision"},
    ),
    "latency_ttft": (
        _("Time to first token: at best %(have)s, the target is %(need)s."),
        {"need": "ms", "have": "ms"},
    ),
    "latency_tpot": (
        _("Time per token: at best %(have)s, the target is %(need)s."),
        {"need": "ms", "have": "ms"},
    ),
    "throughput": (
        _("Throughput: the load would take %(need)s servers; more than %(have)s are not counted."),
        {"need": "count", "have": "count"},
    ),
    "throughput_cards": (
        _("Cards: service and training together would take %(need)s; the server takes %(have)s."),
        {"need": "count", "have": "count"},
    ),
    "training_time": (
        _("Training time: at best %(have)s, the target is %(need)s."),
        {"need": "hours", "have": "hours"},
    ),
    "interconnect": (
        _("Link: with PCIe between its cards, training does not spread over several servers."),
        {},
    ),
    "no_gpu": (_("GPU: no card is known for this server that does this work."), {}),
    "temperature": (
        _("Temperature: the room is at %(need)s, this configuration is made for %(have)s."),
        {"need": "celsius", "have": "celsius"},
    ),
    "temperature_unknown": (
        _("Temperature: no range is published for this server, and the room is at %(need)s."),
        {"need": "celsius"},
    ),
    "temperature_min_unknown": (
        _("Temperature: this server's minimum is not published; the room is at %(need)s."),
        {"need": "celsius"},
    ),
    "depth": (
        _("Depth: the server is %(need)s deep, %(have)s are possible."),
        {"need": "mm", "have": "mm"},
    ),
    "rack_units": (
        _("Height: %(need)s are needed, %(have)s are free."),
        {"need": "units", "have": "units"},
    ),
    "power": (
        _("Power: it may draw %(need)s, %(have)s are available."),
        {"need": "watts", "have": "watts"},
    ),
    "cooling": (_("Cooling: needs a water loop, the room offers air only."), {}),
    "site": (_("Site: needs the room of a data centre."), {}),
    "cpu_vendor": (
        _("Processors: made by %(have)s, you want %(need)s only."),
        {"need": "name", "have": "name"},
    ),
    "gpu_vendor": (
        _("GPU: made by %(have)s, you want %(need)s only."),
        {"need": "name", "have": "name"},
    ),
}

FIXES: dict[str, Sentence] = {
    "fix_rack_units": (_("It would fit with %(need)s free."), {"need": "units"}),
    "fix_power": (_("It would fit with %(need)s of power."), {"need": "watts"}),
    "fix_depth": (_("It would fit with a depth of %(need)s."), {"need": "mm"}),
    "fix_temperature": (_("It would fit in a room at %(have)s."), {"have": "celsius"}),
    "fix_cooling": (_("It would fit in a room with a water loop."), {}),
    "fix_latency_ttft": (_("It would fit if the first token may take %(have)s."), {"have": "ms"}),
    "fix_latency_tpot": (_("It would fit if each token may take %(have)s."), {"have": "ms"}),
    "fix_training_time": (_("It would fit if training may take %(have)s."), {"have": "hours"}),
}

WHY_DEFAULT: dict[str, Promise] = {
    "model": _("No model was named: a usual one of middle size stands in for it."),
    "stage": _("Nothing was said about the work: serving a model is the most frequent."),
    "precision": _("Most models are served in the type in which they were published."),
    "kv_precision": _("Engines keep the cache in 16 bits by themselves."),
    "engine": _("The most widely used engine."),
    "input_tokens": _("A usual prompt with some context."),
    "output_tokens": _("A usual answer of one page at most."),
    "prefix_percent": _("Nothing shared: the safe side."),
    "concurrency": _("A small team at the same time."),
    "context_tokens": _("Prompt and answer together, as no longest context was given."),
    "from_rate": _("Requests per second times the time that each takes, from the time targets."),
    "from_users": _("People × active share × requests per minute × peak factor ÷ 60."),
    "from_gb": _("Four bytes of text count as one token."),
    "from_parameters": _("Training from scratch pays off up to about 20 tokens per parameter."),
    "shortened": _("Shortened to what the model or the longest context can take."),
    "active_percent": _("Usual for chat and search: a fifth of all people in the peak hour."),
    "requests_per_user_minute": _("Between chat (0.4) and search in documents (1)."),
    "peak_factor": _("Peaks are usually 1.5 to 2.5 times the average."),
    "ttft_ms": _("People wait up to two seconds for the first word without complaint."),
    "tpot_ms": _("As fast as people read."),
    "queue_seconds": _("What people in a dialogue hardly notice."),
    "availability": _("Nothing was said: no spare server is counted."),
    "streams": _("A usual small site."),
    "frames_per_second": _("Enough for people and vehicles."),
    "audio_streams": _("A small call centre."),
    "images_per_minute": _("A small team at the same time."),
    "requests_per_second": _("A search box of a middle-sized company."),
    "method": _("The usual way for this stage."),
    "optimizer": _("The usual optimizer, 16 bytes for each trained parameter."),
    "lora_rank": _("The usual rank, on all linear layers."),
    "micro_batch": _("The least memory."),
    "sequence_tokens": _("A usual length."),
    "global_batch": _("A usual step for this method."),
    "dataset_tokens": _("A usual set of examples for fine-tuning."),
    "epochs": _("Usual for this stage."),
    "target_hours": _("Usual for this stage; it orders and never rules out."),
    "priority": _("No criterion was put first."),
    "qlora": _("QLoRA keeps the weights in four bits."),
}

# Reasons of values that are worked out from other answers.
COMPUTED = frozenset({"from_rate", "from_users", "from_gb", "from_parameters", "context_tokens"})

TO_MEASURE: dict[str, Promise] = {
    "model": _("Which model it will be: memory and speed follow from it."),
    "training_model": _("Which model is trained: memory and time follow from it."),
    "concurrency": _("How many requests run at the same time at the peak: count them in a pilot."),
    "context_tokens": _("How long contexts get: take the longest prompts and answers of a week."),
    "input_tokens": _("How long prompts are: take the median and the longest of a week."),
    "output_tokens": _("How long answers are: take the median and the longest of a week."),
    "ttft_ms": _("How long people wait for the first word without complaint."),
    "tpot_ms": _("How fast the text must come."),
    "availability": _("What may happen when a server is lost."),
    "method": _("How the model is adapted: full fine-tuning takes many times the memory of LoRA."),
    "dataset_tokens": _("How many tokens the data has: run the tokenizer over it."),
    "target_hours": _("How long a training cycle may take."),
    "epochs": _("How many passes over the data are needed."),
    "sequence_tokens": _("How long the training sequences are."),
    "streams": _("How many streams are analysed at the same time."),
    "frames_per_second": _("How many frames per second are enough: test with your own scenes."),
    "audio_streams": _("How many conversations are transcribed at the same time."),
    "images_per_minute": _("How many images are made per minute at the peak."),
}
TO_MEASURE_ELSE = _("This answer is a guess: find out the real value.")

CODE_LABELS: dict[str, Promise] = {
    "memory": _("Memory"),
    "temperature": _("Temperature"),
    "depth": _("Depth"),
    "rack_units": _("Height"),
    "power": _("Power"),
    "cooling": _("Cooling"),
    "cpu_vendor": _("Processors"),
    "gpu_vendor": _("GPU"),
    "latency": _("Response time"),
    "throughput": _("Throughput"),
    "interconnect": _("Link"),
    "no_gpu": _("GPU"),
    "precision": _("Precision"),
    "site": _("Site"),
    "training_time": _("Training time"),
}
CRITERIA_LABELS: dict[str, Promise] = {
    "throughput": _("Throughput"),
    "latency": _("Response time"),
    "concurrency": _("Simultaneous requests"),
    "availability": _("Availability"),
    "running_cost": _("Running cost"),
    "headroom": _("Memory headroom"),
    "footprint": _("Space, cards and power"),
    "growth": _("Room to grow"),
}
ORIGIN_LABELS: dict[str, Promise] = {
    "given": _("your answer"),
    "hypothesis": _("your guess"),
    "profile": _("typical for this work"),
    "default": _("our assumption"),
}
STATE_LABELS: dict[str, Promise] = {
    "fits": _("Fits"),
    "fits_if": _("Fits only if"),
}
MEMORY_LABELS: dict[str, Promise] = {
    "weights": _("Weights"),
    "kv_cache": _("KV cache"),
    "activations": _("Activations"),
    "optimizer": _("Optimizer states"),
    "gradients": _("Gradients"),
    "overhead": _("Engine reserve"),
}
FIGURE_LABELS: dict[str, Promise] = {
    "ttft": _("Time to first token"),
    "tpot": _("Time per output token"),
    "output_tokens": _("Output"),
    "throughput": _("Throughput"),
    "training_hours": _("Time of one training cycle"),
    "power": _("Power at load"),
}
EVIDENCE_LABELS: dict[str, Promise] = {
    "measured_here": _("measured here"),
    "measured_elsewhere": _("measured elsewhere"),
    "computed": _("estimate"),
    "unknown": _("not known"),
}


def _written(code: str, sentence: Sentence, item: Message, names: Mapping[str, str]) -> str:
    text, formats = sentence
    params = dict(item.params)
    values: dict[str, Any] = {}
    for name, kind in formats.items():
        value = params.get(name)
        if kind in ESTIMATED and name not in GIVEN and value is not None:
            per_unit = 3600 if kind == "hours" else 1  # rounded as it is shown
            value = units.estimated(float(value) / per_unit) * per_unit
        values[name] = names.get(str(value), str(value)) if kind == "name" else FORMATS[kind](value)
    if code in COUNTED:
        values["count"] = int(float(params.get(COUNTED[code]) or 0))
        return str(text % values)
    return str(text) % values if values else str(text)


def _is_over(item: Message) -> bool:
    params = dict(item.params)
    need, have = params.get("need"), params.get("have")
    return need is not None and have is not None and float(need) > float(have)


def reason(item: Message, names: Mapping[str, str]) -> str:
    """Return one fact that speaks for a match."""
    code = item.code
    if code == "training_hours" and dict(item.params).get("target") is None:
        code = "training_hours_free"
    elif code.startswith("memory_") and _is_over(item):
        code = "memory_over"
    return _written(code, REASONS[code], item, names)


def warning(item: Message, names: Mapping[str, str]) -> str:
    """Return one thing to know before relying on a match."""
    code, params = item.code, dict(item.params)
    if code == "server_not_orderable" and params.get("successor"):
        code = "server_succeeded"
    elif code == "temperature_conditional" and params.get("sure") is None:
        code = "temperature_partly"
    elif code == "three_cards":
        if params["tensor"] == 2:
            code = "three_idle"
        else:
            code = "three_copies" if params["replicas"] == 3 else "three_stages"
    elif code == "tensor_over_pcie" and float(params.get("joined") or 1) > 1:
        code = "tensor_beyond_bridge"
    return _written(code, WARNINGS[code], item, names)


def rejection(item: Message, names: Mapping[str, str]) -> str:
    """Return one broken rule with what is needed and what is there."""
    code, params = item.code, dict(item.params)
    if code == "latency":
        code = f"latency_{params['figure']}"
    elif code == "throughput" and params.get("figure") == "cards":
        code = "throughput_cards"
    elif code == "temperature" and params.get("have") is None:
        code = "temperature_min_unknown" if params.get("end") == "min" else "temperature_unknown"
    return _written(code, REJECTIONS[code], item, names)


def fix(item: Message | None, names: Mapping[str, str]) -> str | None:
    """Return the smallest change that would let a ruled-out server in; None: there is no simple one."""
    if item is None:
        return None
    code, params = item.code, dict(item.params)
    if code == "fix_latency":
        code = f"fix_latency_{params['figure']}"
    if code == "fix_temperature" and params.get("have") is None:
        return None
    return _written(code, FIXES[code], item, names)


def to_measure(key: str) -> str:
    """Return why an answer is to be found out."""
    return str(TO_MEASURE.get(key, TO_MEASURE_ELSE))


def layout(tensor: int, pipeline: int, replicas: int, sharding: str = "none", plain: bool = True) -> str:
    """Return how a model lies on its GPUs, in a sentence or two.

    Args:
        tensor, pipeline: over how many GPUs each copy is split.
        replicas: copies of the model, or workers of a training run.
        sharding: how training states are shared out over the workers.
        plain: the model serves; else it is trained.
    """
    if not plain and sharding == "zero3" and replicas > 1 and tensor * pipeline == 1:
        return gettext(
            "Weights, gradients and optimizer states are shared out over %(gpus)s GPUs (%(sharding)s); each "
            "GPU works on its own part of the data."
        ) % {"gpus": units.number(replicas), "sharding": SHARDINGS[sharding]}
    if tensor * pipeline == 1:
        text = ngettext(
            "%(replicas)s GPU holds the whole model.",
            "Each of %(replicas)s GPUs holds the whole model.",
            replicas,
        )
    elif pipeline == 1:
        text = ngettext(
            "%(replicas)s copy of the model is split over %(tensor)s GPUs.",
            "%(replicas)s copies of the model are split over %(tensor)s GPUs each.",
            replicas,
        )
    else:
        text = ngettext(
            "%(replicas)s copy of the model is split over %(tensor)s × %(pipeline)s GPUs "
            "(tensor × pipeline).",
            "%(replicas)s copies of the model are split over %(tensor)s × %(pipeline)s GPUs each "
            "(tensor × pipeline).",
            replicas,
        )
    text %= {
        "tensor": units.number(tensor),
        "pipeline": units.number(pipeline),
        "replicas": units.number(replicas),
    }
    if plain or sharding == "none" or replicas == 1:
        return text
    return " ".join(
        [
            text,
            gettext("Training states are shared out over them (%(sharding)s).")
            % {"sharding": SHARDINGS[sharding]},
        ]
    )


SHARDINGS = {"zero1": "ZeRO-1", "zero2": "ZeRO-2", "zero3": "ZeRO-3 / FSDP"}

PLAN_LABELS: dict[str, Promise] = {
    "shared": _("One server, both at the same time"),
    "separate": _("A server for each"),
    "scheduled": _("One server, at different times"),
}
PLAN_TEXTS: dict[str, Promise] = {
    "shared": _(
        "The service keeps its cards and training gets the others: neither waits, but they share processors, "
        "disks and power, and maintenance stops both."
    ),
    "separate": _(
        "Training never disturbs the service, and each server grows on its own; it costs a second server."
    ),
    "scheduled": _(
        "All cards train while the service rests, for example at night: the way with the fewest machines "
        "where the two never need to run together."
    ),
}
UNITS: dict[str, Promise] = {
    "ms": _("ms"),
    "h": _("h"),
    "W": _("W"),
    "tokens/s": _("tokens/s"),
    "frames/s": _("frames/s"),
    "audio_s/s": _("streams in real time"),
    "images/min": _("images per minute"),
}


def plan(name: str, works: bool) -> str:
    """Return what one way of running both jobs means, or that no server of the catalog does it."""
    return str(PLAN_TEXTS[name]) if works else no_server()


def no_server() -> str:
    return gettext("No server of the catalog fits.")


def unit(name: str) -> str:
    return str(UNITS[name])


def part(configured: str, gpus: int) -> str:
    """Return which part of a configuration does one of two jobs."""
    return ngettext("%(count)s GPU of %(configuration)s", "%(count)s GPUs of %(configuration)s", gpus) % {
        "count": units.number(gpus),
        "configuration": configured,
    }


def grown(now: str, then: int) -> str:
    """Return what the growth that was given makes of the load, in a sentence."""
    return ngettext(
        "Sized for the end of the horizon: %(now)s today become %(count)s simultaneous request.",
        "Sized for the end of the horizon: %(now)s today become %(count)s simultaneous requests.",
        then,
    ) % {"now": now, "count": units.number(then)}


def configuration(server: str, gpu: str, count: int, servers: int) -> str:
    """Return what is bought, in words: 2 × Server with 4 × GPU each."""
    values = {"server": server, "gpu": gpu, "count": count, "servers": servers}
    if servers == 1:
        return gettext("%(server)s with %(count)s × %(gpu)s") % values
    return gettext("%(servers)s × %(server)s with %(count)s × %(gpu)s each") % values
