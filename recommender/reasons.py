"""Codes with figures turned into sentences in the active language: the edge where wording lives."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _, ngettext, ngettext_lazy

from catalog.templatetags import units
from recommender.labels import (
    CODE_LABELS as CODE_LABELS,
    COMPUTED as COMPUTED,
    CRITERIA_LABELS as CRITERIA_LABELS,
    EVIDENCE_LABELS as EVIDENCE_LABELS,
    FIGURE_LABELS as FIGURE_LABELS,
    MEMORY_LABELS as MEMORY_LABELS,
    ORIGIN_LABELS as ORIGIN_LABELS,
    STATE_LABELS as STATE_LABELS,
    TO_MEASURE as TO_MEASURE,
    TO_MEASURE_ELSE,
    WHY_DEFAULT as WHY_DEFAULT,
)
from recommender.match_cautions import CAUTIONS
from recommender.match_conditions import CONDITIONS
from recommender.match_reasons import REASONS
from recommender.sentences import Sentence, written
from recommender.sizing.demand import Message

WARNINGS = CONDITIONS | CAUTIONS

REJECTIONS: dict[str, Sentence] = {
    "memory": (
        _("Memory: each GPU would need %(need)s, %(have)s are available."),
        {"need": "gib", "have": "gib"},
    ),
    "memory_to_train": (
        ngettext_lazy(
            "Memory for training: %(gpus)s GPU would need %(need)s, %(have)s are available.",
            "Memory for training: each of %(gpus)s GPUs would need %(need)s, %(have)s are available.",
            "count",
        ),
        {"gpus": "count", "need": "gib", "have": "gib"},
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
        _("Height: at least %(need)s are needed, %(have)s are free."),
        {"need": "units", "have": "units"},
    ),
    "memory_headroom": (
        _("Memory headroom, a must: %(have)s stay free, at least %(need)s are asked."),
        {"have": "share", "need": "share"},
    ),
    "throughput_growth": (
        _("Room to grow, a must: %(have)s times the load fits with all its cards, %(need)s are asked."),
        {"have": "amount", "need": "amount"},
    ),
    "rack_units_footprint": (
        _("Space, cards and power, a must: %(have)s of 100 points, at least %(need)s are asked."),
        {"have": "count", "need": "count"},
    ),
    "power_running_cost": (
        _("Running cost, a must: %(have)s of 100 points, at least %(need)s are asked."),
        {"have": "count", "need": "count"},
    ),
    "power_supplies": (
        _(
            "Power supplies: they must deliver %(need)s at your feed, with what may fail left out; "
            "%(have)s is "
            "the most."
        ),
        {"need": "watts", "have": "watts"},
    ),
    "power_supplies_alone": (
        _("Power supplies: at your feed and with what may fail left out, none is left to carry %(need)s."),
        {"need": "watts"},
    ),
    "temperature_altitude": (
        _("Altitude: the site is at %(need)s, servers are described up to %(have)s."),
        {"need": "metres", "have": "metres"},
    ),
    "power": (
        _("Power: it may draw %(need)s or more, %(have)s are available."),
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


def _is_over(item: Message) -> bool:
    params = dict(item.params)
    need, have = params.get("need"), params.get("have")
    return need is not None and have is not None and float(need) > float(have)


def reason(item: Message, names: Mapping[str, str]) -> str:
    """Return one fact that speaks for a match."""
    code, params = item.code, dict(item.params)
    if code == "training_hours":
        code += "_over" if (params.get("servers") or 1) > 1 else ""
        code += "_free" if params.get("target") is None else ""
    elif code.startswith("memory_") and _is_over(item):
        code = "memory_over"
    return written(code, REASONS[code], item, names)


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
    return written(code, WARNINGS[code], item, names)


def rejection(item: Message, names: Mapping[str, str]) -> str:
    """Return one broken rule with what is needed and what is there."""
    code, params = item.code, dict(item.params)
    if code == "latency":
        code = f"latency_{params['figure']}"
    elif "figure" in params:
        code = f"{code}_{params['figure']}"
        if code == "power_supplies" and not params.get("have"):
            code = "power_supplies_alone"
    elif code == "memory" and params.get("precision") == "training":
        code = "memory_to_train"
    elif code == "temperature" and params.get("have") is None:
        code = "temperature_min_unknown" if params.get("end") == "min" else "temperature_unknown"
    return written(code, REJECTIONS[code], item, names)


def fix(item: Message | None, names: Mapping[str, str]) -> str | None:
    """Return the smallest change that would let a ruled-out server in; None: there is no simple one."""
    if item is None:
        return None
    code, params = item.code, dict(item.params)
    if code == "fix_latency":
        code = f"fix_latency_{params['figure']}"
    if code == "fix_temperature" and params.get("have") is None:
        return None
    return written(code, FIXES[code], item, names)


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

UNITS: dict[str, Promise] = {
    "ms": _("ms"),
    "h": _("h"),
    "W": _("W"),
    "tokens/s": _("tokens/s"),
    "frames/s": _("frames/s"),
    "audio_s/s": _("streams in real time"),
    "images/min": _("images per minute"),
}


# Units that are nouns, in the form that a number before them asks for.
COUNTED_UNITS = {
    "audio_s/s": ngettext_lazy("stream in real time", "streams in real time", "count"),
    "images/min": ngettext_lazy("image per minute", "images per minute", "count"),
}


def unit(name: str) -> str:
    """Return a unit as it stands alone, in a heading or beside a field."""
    return str(UNITS[name])


def unit_after(name: str, amount: float) -> str:
    """Return a unit as it stands after a number."""
    if name not in COUNTED_UNITS:
        return unit(name)
    # A fraction takes the form of two in all our languages.
    return str(COUNTED_UNITS[name] % {"count": int(amount) if amount == int(amount) else 2})


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
