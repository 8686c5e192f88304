"""How a model lies on its GPUs, what that costs, and what a result rests on, as texts."""

from django.utils.translation import gettext, gettext_lazy as _, ngettext

from catalog.templatetags import units
from recommender import answers, calculator, reasons
from recommender.calculator import Calculation, Fit
from recommender.calculator_form import ASKED
from recommender.calculator_workings import both_units
from recommender.sizing import weights
from recommender.sizing.demand import message

# What a layout costs; GPUs without work are named beside the layout itself.
COSTS = {
    "tensor_over_pcie": _("The GPUs that share the model talk over PCIe: this buys memory, but costs speed."),
    "pipeline_no_faster": _("Stages buy memory and throughput, but no answer gets faster."),
    "pipeline_over_network": _("Stages in several servers wait for the network between them."),
    "experts_over_pcie": _("Experts are reached over PCIe: this buys memory, but costs speed."),
    "experts_over_network": _("Experts are reached over the network: this buys memory, but costs speed."),
    "kv_heads_copied": _("There are fewer KV heads than GPUs: the cache is not divided any further."),
    "gradients_over_pcie": _("Copies exchange their gradients over PCIe at every step, which costs speed."),
    "gradients_over_network": _("Copies exchange their gradients over the network at every step."),
    "latent_copied": _("Each GPU keeps the whole compressed cache: more GPUs do not divide it."),
}
PATHS = {
    "nvswitch": "NVSwitch",
    "nvlink": "NVLink",
    "bridge": _("NVLink bridge"),
    "fabric": _("direct link of the maker"),
    "pcie": "PCIe",
    "network": _("network between servers"),
}
ENGINE_WARNINGS = {
    "graphs_beside": _(
        "The recorded CUDA graphs lie outside of what the engine plans with, and it leaves them too little."
    ),
    "budget_above_95": _("Above 95 % an engine often runs out of memory outside of what it plans."),
}


def weights_text(calculation: Calculation):
    """Return the size of the whole model's weights in a few words."""
    return both_units(weights.weight_bytes(calculation.model, calculation.precision).typical)


def model_text(calculation: Calculation):
    model = calculation.model
    listed = model.slug in calculation.names
    return {
        "slug": model.slug if listed else "",
        "name": calculation.names[model.slug] if listed else gettext("A model of the size that you gave"),
        "parameters": model.parameters,
        "active": model.active_parameters,
        "precision": (calculation.chosen.precision if calculation.chosen else calculation.precision).upper(),
        "max_context": model.max_context,
    }


def split_text(fit: Fit):
    """Return how a model, or the states of its training, lie on the GPUs."""
    layout = fit.layout
    return reasons.layout(
        layout.tensor_parallel,
        layout.pipeline_parallel,
        layout.replicas,
        fit.sharding or "none",
        plain=fit.sharding is None,
    )


def layout_text(fit: Fit):
    layout = fit.layout
    text = split_text(fit)
    if layout.expert_parallel > 1:
        text = gettext(
            "The experts are spread over %(experts)s GPUs; every other layer is shared by %(tensor)s."
        ) % {
            "experts": units.number(layout.expert_parallel),
            "tensor": units.number(layout.tensor_parallel),
        }
    if layout.idle_gpus:
        idle = gettext("GPUs without work: %(gpus)s.") % {"gpus": units.number(layout.idle_gpus)}
        text = f"{text} {idle}"
    return text


def settings_text(calculation: Calculation, fit: Fit):
    """Return how the load lies on one replica, or which ways to save memory were taken, in a sentence."""
    if calculation.case.serves:
        if calculation.case.kind != "tokens":
            return ""
        return ngettext(
            "Each copy runs %(requests)s request of %(tokens)s tokens.",
            "Each copy runs %(requests)s requests of %(tokens)s tokens at once.",
            fit.requests,
        ) % {
            "requests": units.number(fit.requests),
            "tokens": units.number(calculation.corner.tokens_per_request),
        }
    labels = {name: dict(answers.KEYS[name].choices) for name in ("recompute", "sharding")}
    return gettext("Computed again: %(recompute)s. Shared out: %(sharding)s.") % {
        "recompute": labels["recompute"][fit.recompute],
        "sharding": labels["sharding"][fit.sharding],
    }


def notes_of(calculation: Calculation, fit: Fit):
    """Return what to know beside the figures."""
    notes = _order_notes(calculation)
    if calculation.case.serves and calculation.model.cache_contested:
        notes.append(reasons.warning(message("cache_contested"), calculation.names))
    if calculation.support == "weight_only" and calculation.case.serves:
        notes.append(
            gettext(
                "This card does not compute in %(precision)s: weights are kept in it, arithmetic runs in 16 "
                "bits and is no faster."
            )
            % {"precision": fit.precision.upper()}
        )
    notes += costs_of(calculation, fit) + _choice_notes(calculation, fit)
    if calculation.hardware.companions:
        if fit.layout.gpus_per_replica > 1:
            notes.append(
                gettext(
                    "The models beside it run on one GPU of each copy; the engine takes the same share of "
                    "all of them, so that one decides."
                )
            )
        notes.append(
            gettext("The search for servers does not count the models beside it: leave room for them.")
        )
    if not calculation.hardware.gpu.memory_reported:
        notes.append(
            gettext("What the card really offers is not published: a range around its label counts.")
        )
    warned = getattr(calculator.opened(calculation), "warnings", ())
    notes += [str(ENGINE_WARNINGS[code]) for code in warned]
    return notes


def _choice_notes(calculation: Calculation, fit: Fit):
    """Return how memory is saved where the reader left it open, and what that means for a larger batch."""
    case = calculation.case
    if case.serves or (case.recompute and (case.sharding or fit.layout.replicas == 1)):
        return []
    notes = [
        gettext(
            "How to save memory was left open: shown is the first way that fits, the quickest before slower "
            "ones. A larger batch can take a slower way and then need less."
        )
    ]
    if case.recompute is None and fit.recompute == "full":
        quicker = calculator.training_need(calculation, fit, "selective")
        text = gettext("Computing only a part of the activations again would need %(need)s on each GPU.")
        notes.append(text % {"need": units.bytes_gib(quicker.typical)})
    return notes


def _order_notes(calculation: Calculation):
    """Return what to know when these GPUs are ordered: whether they still are, several on a card."""
    gpu, notes = calculation.hardware.gpu, []
    if calculation.servers and not calculation.orderable:
        notes.append(gettext("No server that takes this number of them is sold any longer."))
    if gpu.gpus_per_card > 1:
        gpus = calculation.hardware.gpus
        several = message("several_devices", devices=gpu.gpus_per_card, gpus=gpus, cards=gpu.cards(gpus))
        notes.append(reasons.warning(several, calculation.names))
    return notes


def costs_of(calculation: Calculation, fit: Fit):
    """Return what the layout costs, in sentences."""
    joined = calculation.hardware.link_max_gpus
    found = []
    for code in fit.costs:
        if code == "tensor_over_pcie" and joined > 1:
            text = gettext(
                "A fast link joins GPUs in groups of %(gpus)s; between the groups they talk over PCIe: this "
                "buys memory, but costs speed."
            )
            found.append(text % {"gpus": units.number(joined)})
        elif code in COSTS:
            found.append(str(COSTS[code]))
    return found


def assumptions_of(calculation: Calculation, form):
    """Return every value that stands in for an answer, with its label."""
    rows = [
        {
            "label": str(answers.KEYS[item.key].label),
            "value": form.typical.get(item.key, item.value),
            "origin": item.origin,
        }
        for item in calculation.resolved.assumptions
        if item.origin in ("profile", "default") and item.key in ASKED - {"stage"}
    ]
    index = calculator.vector_index(calculation)
    if index is not None and index.documents:
        ends = (index.vectors.typical, index.vectors.low, index.vectors.high)
        typical, low, high = (units.format_number(end / index.documents, 0) for end in ends)
        value = gettext("%(typical)s (%(low)s to %(high)s)") % {"typical": typical, "low": low, "high": high}
        rows.append({"label": gettext("Vectors of a document"), "value": value, "origin": "default"})
    return rows
