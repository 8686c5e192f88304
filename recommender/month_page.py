"""A month of training on a match: GPU hours, experiments against the hours, waits for checkpoints."""

from django.utils.translation import gettext_lazy as _, pgettext, pgettext_lazy

from recommender.plans.terms import NIGHT_HOURS
from recommender.power_page import PERCENT, reckoned_figure
from recommender.sizing.energy import HOURS_PER_MONTH, Reckoned
from recommender.sizing.experiments import gpu_hours_of, hours_available, month_of, stall_of_case, with_stalls
from recommender.sizing.specs import GB, Range

NAMES = {
    "cycle_hours": pgettext_lazy("formula", "hours of one cycle"),
    "gpus": pgettext_lazy("formula", "GPUs"),
    "experiments": pgettext_lazy("formula", "experiments"),
    "hours": pgettext_lazy("formula", "hours of the month"),
    "maintenance_hours": pgettext_lazy("formula", "hours of maintenance"),
    "serving_share": pgettext_lazy("formula", "share of serving"),
    "available_hours": pgettext_lazy("formula", "hours available"),
    "checkpoint": pgettext_lazy("formula", "bytes of a checkpoint"),
    "storage_rate": pgettext_lazy("formula", "bytes a second of the storage"),
    "write_seconds": pgettext_lazy("formula", "seconds to write one"),
    "checkpoint_seconds": pgettext_lazy("formula", "seconds between two"),
}
WITH_CHECKPOINTS = {"cycle_hours": pgettext_lazy("formula", "hours of one cycle with its checkpoints")}
STATES = {
    "fits": _("The month has the hours for all of them."),
    "fits_if": _("The month has the hours only where a cycle is at the short end of its range."),
    "no": _("The month has not the hours for all of them."),
}


def month_details(match, case, given):
    """Return what training on a match takes of a month; None: it does not train, or its time is not known.

    Args:
        match: A match of `services.page`.
        case: What the answers come to, a `demand.Case`.
        given: `answers.Answers`.
    """
    if match["training_hours"] is None:
        return None
    cycle = Range(*match["training_hours"])
    hours = pgettext("unit", "h")
    gpu_hours = gpu_hours_of(cycle, match["training_gpus"])
    figures = [_figure(_("GPU hours of one cycle"), gpu_hours, pgettext("unit", "GPU hours"))]
    stall = _stall(case, given)
    if stall is not None:
        share = Reckoned(stall.share.scaled(100), stall.share_formula)
        seconds = Reckoned(stall.write_seconds, stall.write_formula)
        figures.append(_figure(_("Time to write one checkpoint"), seconds, pgettext("unit", "s")))
        figures.append(_figure(_("Part of the time that waits for checkpoints"), share, PERCENT))
        cycle = with_stalls(cycle, stall)
    wanted = given.interval("experiments_per_month")
    said = ""
    if wanted is not None and cycle.low > 0:
        maintenance = given.interval("maintenance_hours")
        available = _available(case, float(maintenance.high) if maintenance else 0.0)
        month = month_of(cycle, _range(wanted), available.amount.typical)
        figures.append(_figure(_("Hours of the month that training may take"), available, hours))
        if month.share is not None:
            share = Reckoned(month.share.scaled(100), month.formula)
            names = NAMES | (WITH_CHECKPOINTS if stall is not None else {})
            figures.append(
                reckoned_figure(_("Part of them that the experiments take"), share, PERCENT, names)
            )
        said = STATES[month.state]
    return {"figures": figures, "said": said}


def _figure(label, reckoned, unit):
    return reckoned_figure(label, reckoned, unit, NAMES)


def _available(case, maintenance):
    """Return the hours of a month that training may take: the nights of a service on the same cards."""
    open_hours = HOURS_PER_MONTH - maintenance
    serving = 0.0
    if case.serves and not case.together and open_hours > 0:
        serving = 1 - max(NIGHT_HOURS - maintenance, 0.0) / open_hours
    return hours_available(maintenance_hours=maintenance, serving_share=serving)


def _stall(case, given):
    rate, every = given.interval("storage_gbs"), given.interval("checkpoint_minutes")
    storage = _range(rate).scaled(float(GB)) if rate else None
    return stall_of_case(case, storage, float(every.low) if every else None)


def _range(interval):
    low, high = float(interval.low), float(interval.high)
    return Range(low, (low + high) / 2, high)
