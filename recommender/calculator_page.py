"""The calculator's result as texts and figures ready to be printed."""

from django.urls import reverse
from django.utils.translation import gettext

from aiservers.numbers import Interval
from catalog.templatetags import units
from catalog.templatetags.ui import STATES
from recommender import answers, calculator, reasons
from recommender.calculator import Calculation, Fit
from recommender.calculator_form import ASKED, address, path_with
from recommender.calculator_notes import (
    assumptions_of,
    layout_text,
    model_text,
    notes_of,
    settings_text,
    weights_text,
)
from recommender.calculator_surroundings import (
    MOST_SERVERS,
    host_details,
    index_details,
    memory_line,
    whole_details,
)
from recommender.calculator_tables import MOST_LAYOUTS, card_rows, layout_rows, request_rows, spoken_without
from recommender.calculator_workings import model_facts, workings_of
from recommender.case_defaults import LOW_IS_HARDER
from recommender.memory_texts import LINE_OF_GROUP, gpus_text, opened
from recommender.sizing.specs import GIB


def address_of_match(form, match):
    """Return the address of the calculator for one match of the advice, whose figures it opens."""
    query = form.query.copy()
    if match["training_hours"] is None and not query.get("precision"):
        query["precision"] = match["precision"]
    query["gpu"] = match["gpu"].slug
    query["gpus"] = match["gpus_per_server"]
    for name in ("servers", "tensor_parallel", "pipeline_parallel"):
        if match[name] != 1 or name == "tensor_parallel":
            query[name] = match[name]
    return address(query.urlencode())


def result(calculation, form):
    """Return what the result block prints."""
    chosen, case = calculation.chosen, calculation.case
    context = {
        "model": model_text(calculation),
        "trains": not case.serves,
        "assumptions": assumptions_of(calculation, form),
        "notices": [notice.text for notice in calculation.resolved.notices] + unused(calculation),
        "cards": card_rows(calculation, form),
        "index": index_details(calculation),
        "cache_unknown": not calculation.model.cache_known and case.serves,
        "weights": weights_text(calculation),
        "questionnaire_url": path_with(reverse("recommender:questions"), form.address_query()),
        "results_url": path_with(reverse("recommender:results"), form.address_query()),
    }
    if chosen is None:
        return context | {"whole": whole_details(calculation), "spoken": spoken_without(context)}
    gpu = calculation.hardware.gpu
    layouts = layout_rows(calculation, form)
    found = calculator.opened(calculation)
    return context | {
        "gpu": {"slug": gpu.slug, "name": calculation.names[gpu.slug]},
        "memory": memory_context(chosen, found, calculation.names),
        "beside": _beside(calculation, form, found) if case.serves else [],
        "facts": model_facts(calculation),
        "host": host_details(calculation),
        "workings": workings_of(calculation),
        "layout": layout_text(chosen),
        "settings": settings_text(calculation, chosen),
        "notes": notes_of(calculation, chosen),
        "state": verdict(calculation, chosen),
        "word": verdict_word(calculation, chosen),
        "headline": headline(calculation, chosen),
        "spoken": f"{verdict_word(calculation, chosen)}: {headline(calculation, chosen)}",
        "order": _order(calculation, form),
        "layouts": layouts[:MOST_LAYOUTS],
        "more_layouts": layouts[MOST_LAYOUTS:],
        "table": request_rows(calculation) if chosen.most is not None else None,
        "servers": [
            {"slug": slug, "name": calculation.names[slug]} for slug in calculation.servers[:MOST_SERVERS]
        ],
        "more_servers": max(len(calculation.servers) - MOST_SERVERS, 0),
        "list_url": path_with(reverse("catalog:server_list"), f"gpu={gpu.slug}"),
    }


def verdict(calculation: Calculation, fit: Fit):
    """Return the state to show: what cannot be ordered in that number fits nobody, whatever its memory."""
    return "fits_if" if fit.state == "fits" and not calculation.servers else fit.state


def verdict_word(calculation: Calculation, fit: Fit):
    """Return the state in a word or two."""
    if fit.state in ("fits", "fits_if") and not calculation.servers:
        return gettext("cannot be ordered")
    return str(STATES[fit.state])


def _order(calculation: Calculation, form):
    """Return in which numbers the GPU can be ordered, each with its calculation; None: this one can be."""
    if calculation.servers:
        return None
    gpu = calculation.hardware.gpu
    plain = dict.fromkeys(("tensor_parallel", "pipeline_parallel", "expert_parallel"))
    return [
        {
            "text": gpus_text(gpu, count, calculation.names),
            "url": address(form.full_query(gpus=str(count), **plain)),
        }
        for count in calculator.orderable_counts(gpu)
    ]


def headline(calculation, fit):
    """Return the verdict in a sentence."""
    text = _memory_headline(calculation, fit)
    if calculation.servers or fit.state not in ("fits", "fits_if"):
        return text
    number = gettext("No server of the catalog takes this number of them, though the memory would do.")
    return f"{number} {text}"


def _memory_headline(calculation, fit):
    """Return what is needed and what there is, in a sentence."""
    held = fit.memory
    values = {
        "need": units.bytes_gib(held.total.typical),
        "high": units.bytes_gib(held.total.high),
        "have": units.bytes_gib(held.available.low),
    }
    refused = ("no", "storage_only") if calculation.case.serves else ("no",)
    if calculation.support in refused and fit.state == "no":
        return gettext("The card does not run %(precision)s weights with this engine.") % {
            "precision": fit.precision.upper()
        }
    if fit.state == "unknown":
        return gettext("Without its cache, each GPU needs %(need)s; %(have)s are usable.") % values
    if fit.state == "fits":
        return gettext("Each GPU needs %(need)s, at most %(high)s; %(have)s are usable.") % values
    if fit.state == "fits_if":
        return (
            gettext(
                "Each GPU typically needs %(need)s, at most %(high)s; %(have)s are usable. It fits where the "
                "need stays below that."
            )
            % values
        )
    values["missing"] = units.bytes_gib(held.total.typical - held.available.typical)
    values["have"] = units.bytes_gib(held.available.typical)
    return gettext("Each GPU needs %(need)s; %(have)s are usable, %(missing)s too little.") % values


def memory_context(fit, breakdown, names):
    """Return the bar and the lines of one GPU and of all that work, from the same figures."""
    held, gpus = fit.memory, fit.layout.gpus_used
    items = {}
    for item in breakdown.items:
        items.setdefault(LINE_OF_GROUP[item.group], []).append(opened(item, names))
    lines = []
    for name, label in reasons.MEMORY_LABELS.items():
        value = getattr(held, name, None)
        if name in ("total", "available") or value is None:
            continue
        lines.append(memory_line(name, str(label), value, gpus) | {"items": items.get(name, [])})
    return {
        "lines": lines,
        "total": memory_line(
            "total",
            gettext("Total without the cache") if getattr(breakdown, "unknown", ()) else gettext("Total"),
            held.total,
            gpus,
        ),
        "available": memory_line("available", gettext("Usable"), held.available, gpus),
        "bar": [{"name": line["name"], "gib": line["gib"]} for line in lines],
        "complete": not getattr(breakdown, "unknown", ()),
        "available_gib": held.available.low / GIB,
        "all_bar": [
            {"name": line["name"], "gib": tuple(end * gpus for end in line["gib"])} for line in lines
        ],
        "all_available_gib": held.available.low / GIB * (gpus + fit.layout.idle_gpus),
        "beside": [opened(item, names) for item in getattr(breakdown, "beside", ())],
        "gpus": gpus,
        "all_gpus": gpus + fit.layout.idle_gpus,
    }


def _beside(calculation: Calculation, form, found):
    """Return what is easily forgotten, each with its size, why it takes nothing, or that nobody was asked."""
    model, corner, machine = calculation.model, calculation.corner, calculation.hardware
    given, names = calculation.answers.values, calculation.names
    rows = []
    if calculation.case.kind == "tokens":
        draft = corner.draft
        own = draft is not None and draft.slug == model.slug
        none = form.is_without_draft
        adapters = [item for item in found.items if item.code == "weights_adapters"]
        rows += [
            _forgotten("adapters", gettext("LoRA adapters being served"), adapters, said="adapters" in given),
            _forgotten(
                "draft_model",
                gettext("Draft model"),
                [item for item in found.items if draft and not own and item.model == draft.slug],
                about=names.get(draft.slug, "") if draft and not own else "",
                said=own or none,
            ),
            _forgotten(
                "draft_model" if model.mtp_parameters else "",
                gettext("Prediction layers"),
                [
                    item
                    for item in found.items
                    if item.code == "weights_prediction" or item.model == "prediction"
                ],
                said=none or (draft is not None and not own),
            ),
        ]
        rows.append(_shared_start(calculation, found))
    towers = [item for item in found.items if item.code == "weights_tower" and not item.model]
    parts = ", ".join(dict.fromkeys(item.part for item in towers))
    label = gettext("Vision or speech encoder")
    row = _forgotten("", label, towers, about=parts)
    if not towers and (model.extra_modules or model.kind == "vlm"):
        row["state"] = "within"  # what engines share out lies in the lines of the layers
    rows.append(row)
    for name, label in (("embedder", gettext("Embedding model")), ("reranker", gettext("Reranker"))):
        chosen = getattr(machine, name)
        rows.append(
            _forgotten(
                name,
                label,
                [item for item in found.items if chosen and item.model == chosen.slug],
                about=names[chosen.slug] if chosen else "",
                said=calculator.NONE in form.machine.get(name, []),
            )
        )
    return rows


def _shared_start(calculation: Calculation, found):
    """Return the start of the prompt that requests share: what is kept once in place of once a request."""
    corner, fit = calculation.corner, calculation.chosen
    once = [item for item in found.items if item.code == "cache_prefix"]
    label = gettext("Shared start of the prompt")
    if not corner.prefix_tokens:
        return _forgotten("prefix_percent", label, [], said="prefix_percent" in calculation.answers.values)
    if not once:
        return _forgotten("", label, []) | {"state": "whole"}
    saved = sum(item.bytes.typical for item in once) * (fit.requests - 1) / GIB
    return _forgotten("", label, once) | {"state": "shared", "saved": saved}


def _forgotten(name, label, items, *, said=False, about=""):
    """Return one such line; `name` is the field that asks for it, empty where only the model decides."""
    ends = [[getattr(item.bytes, end) / GIB for item in items] for end in ("low", "typical", "high")]
    state = "counted" if items else "none" if not name else "said" if said else "open"
    return {
        "label": f"{label}: {about}" if about else label,
        "state": state,
        "gib": tuple(sum(end) for end in ends),
        "href": f"#id_{name}" if state == "open" else "",
    }


def unused(calculation: Calculation):
    """Return what of the address was not used, in sentences."""
    machine, chosen = calculation.hardware, calculation.chosen
    found = _ranges(calculation)
    if machine.shape and calculation.model.slug in calculation.names:
        found.append(
            gettext("Own dimensions count only with a number of parameters and without a model of the list.")
        )
    wanted = (machine.tensor_parallel, machine.pipeline_parallel, machine.expert_parallel)
    if chosen is not None and any(wanted) and not calculator.is_laid(chosen.layout, machine):
        text = gettext(
            "These GPUs do not carry the model as the address asks (tensor %(tensor)s, pipeline "
            "%(pipeline)s, experts %(experts)s): another way to split it is shown."
        )
        names = ("tensor", "pipeline", "experts")
        found.append(text % {name: units.number(size or 1) for name, size in zip(names, wanted, strict=True)})
    return found


def _ranges(calculation: Calculation):
    """Return which end of the reader's ranges counts here, a sentence each."""
    found = []
    for key in calculation.answers.values:
        if key not in ASKED or answers.KEYS[key].kind != "number":
            continue
        value = calculation.answers.interval(key)
        if value is None or value.low == value.high:
            continue
        harder = value.low if key in LOW_IS_HARDER else value.high
        text = gettext("%(question)s A range counts here with its harder end: %(end)s.")
        end = answers.written(answers.KEYS[key], Interval(harder, harder))
        found.append(text % {"question": answers.KEYS[key].label, "end": end})
    return found
