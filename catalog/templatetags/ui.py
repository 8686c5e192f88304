"""Small parts of every page: states, ranges, memory bars, evidence marks, assumption chips."""

from django import template
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy as _, pgettext

from aiservers import htmx
from catalog import versions
from catalog.templatetags.units import (
    UNITS,
    W_PER_KW,
    estimated,
    format_number,
    gibibytes,
    is_in_kilowatts,
    no_more_than,
    not_published,
    places,
    quantity,
)

register = template.Library()

STATES = {
    "fits": _("fits"),
    "fits_if": _("fits only if"),
    "no": _("does not fit"),
    "unknown": _("not known"),
}
ORIGINS = {
    "given": _("given"),
    "hypothesis": _("a guess"),
    "profile": _("typical value"),
    "default": _("typical value"),
    "computed": _("computed"),
}
MEMORY_LINES = {
    "weights": _("Weights"),
    "kv_cache": _("Cache"),
    "activations": _("Activations"),
    "optimizer": _("Optimizer"),
    "gradients": _("Gradients"),
    "overhead": _("Engine reserve"),
}
BAR_WIDTH = 1000  # drawing units
# Words too long for a narrow column, and where they break: few browsers know a dictionary of every language.
SOFT_HYPHENS = {"опубликовано": "опубли\N{SOFT HYPHEN}ковано"}


@register.inclusion_tag("includes/_state.html")
def state(name, word=""):
    """Show whether something fits: "fits", "fits_if", "no" or "unknown", by shape and word."""
    return {"state": name, "word": word or STATES[name]}


@register.inclusion_tag("includes/_assumption_chip.html")
def assumption(origin):
    """Show where an answer comes from: "given", "hypothesis", "profile" or "default"."""
    return {"origin": origin, "word": ORIGINS[origin]}


@register.inclusion_tag("includes/_evidence.html")
def evidence(mark):
    """Show what stands behind a figure; `mark` is a selectors.Mark or None."""
    return {"mark": mark}


@register.inclusion_tag("includes/_range.html")
def value_range(value, unit="number", *, unit_label=None):
    """Show low–typical–high; `value` is a triple, an object with these attributes, a number or None.

    `unit` names a filter of the units library: "milliseconds", "watts", ...; `unit_label` is a ready text.
    """
    ends = triple(value)
    if ends is None:
        return {"known": False}
    if unit == "hours" and unit_label is None and ends[1] < 1:  # the typical value is written in minutes
        ends, unit_label = tuple(estimated(end * 60) for end in ends), pgettext("unit", "min")
    if unit == "power":  # all three in the unit of the typical value
        in_kilowatts = is_in_kilowatts(ends[1])
        ends = tuple(estimated(end / (W_PER_KW if in_kilowatts else 1)) for end in ends)
        unit_label = pgettext("unit", "kW") if in_kilowatts else pgettext("unit", "W")
    elif unit == "number":  # a count or a rate: memory stays as its lines add up to
        ends = no_more_than(ends[0]), estimated(ends[1]), estimated(ends[2])
    decimals = places(ends[1])
    # Each end to its own three digits, as a sentence that names it alone would write it.
    low, high = (format_number(end, places(end)) for end in (ends[0], ends[2]))
    return {
        "known": True,
        "low": low,
        "high": high,
        "typical": UNITS[unit](ends[1]) if unit_label is None else quantity(ends[1], unit_label, decimals),
        "ends": f"{low}–{high}",
    }


def triple(value):
    """Return (low, typical, high) of a triple, an object with these attributes or one number; None stays."""
    if value is None:
        return None
    if isinstance(value, int | float):
        return value, value, value
    if hasattr(value, "typical"):
        return value.low, value.typical, value.high
    low, typical, high = value
    return low, typical, high


@register.inclusion_tag("includes/_memory_bar.html")
def memory_bar(memory, available=None, complete=True):
    """Show what fills one GPU's memory, always in the same order and colours, with the figures beside it.

    Args:
        memory: {"weights", "kv_cache", "activations", "optimizer", "gradients", "overhead"} in GiB, each a
            number or low-typical-high, or the same as a list of {"name", "gib"}; other names are left alone.
        available: usable memory of the GPU [GiB]; the low end of a range counts.
        complete: false where a line is missing because nobody knows it: nothing is called free then.
    """
    if not isinstance(memory, dict):
        memory = {line["name"]: line["gib"] for line in memory}
    if ends := triple(available):
        available = ends[0]
    lines = {key: triple(memory.get(key)) for key in MEMORY_LINES}
    lines = {key: ends for key, ends in lines.items() if ends and ends[2] > 0}
    need = sum(high for _low, _typical, high in lines.values())
    full = max(need, available or 0) or 1
    scale = BAR_WIDTH / full
    items, position = [], 0.0
    for key, (low, typical, high) in lines.items():
        items.append(
            {
                "key": key,
                "label": MEMORY_LINES[key],
                "text": _memory_text(low, typical, high),
                "x": _place(position * scale),
                "width": _place(high * scale),
                "uncertain_x": _place((position + low) * scale),
                "uncertain_width": _place((high - low) * scale) if high > low else "",
            }
        )
        position += high
    if available and available > need:
        items.append(
            {
                "key": "free",
                "label": gettext("Free") if complete else gettext("Free, less the cache, which is not known"),
                "text": gibibytes(available - need),
                "x": _place(position * scale),
                "width": _place((available - need) * scale),
                "uncertain_width": "",
            }
        )
    frame = (available or full) * scale
    return {
        "items": items,
        "frame_width": _place(min(frame, BAR_WIDTH) - 1),
        "overflows": need > (available or full),
    }


def _place(value):
    """Write a length of a drawing, to a tenth."""
    return f"{round(value, 1):g}"


def _memory_text(low, typical, high):
    low, high = (format_number(end, places(end)) for end in (low, high))
    if low == high:
        return gibibytes(typical)
    return gettext("%(typical)s (%(low)s–%(high)s)") % {
        "typical": gibibytes(typical),
        "low": low,
        "high": high,
    }


@register.filter
def contact_href(contact):
    """Return the link to a contact: an e-mail address, an https address or a telephone number."""
    if "@" in contact:
        return f"mailto:{contact}"
    return contact if contact.startswith("https://") else f"tel:{contact.replace(' ', '')}"


@register.inclusion_tag("includes/_fact.html")
def fact(label, value, mark=None, note=""):
    """Show one line of a specification inside `<dl class="facts">`, with its evidence mark and a note."""
    unknown = value is None or value in ("", not_published())
    return {"label": label, "value": value, "unknown": unknown, "mark": mark, "note": note}


@register.filter
def unbroken(name):
    """Return a server's name whose model and generation stay on one line: ThinkSystem, then SR675 V3."""
    family, _, model = name.partition(" ")
    return format_html('{} <span class="nowrap">{}</span>', family, model) if model else name


@register.filter
def hyphenated(text):
    """Return a text of a narrow column whose long words may break, with a hyphen and not anywhere."""
    return " ".join(SOFT_HYPHENS.get(word, word) for word in str(text).split(" "))


@register.filter
def swaps(request):
    """Tell whether this is sent for an htmx swap, and with it what lies outside of the swapped part."""
    return htmx.swaps(request)


@register.simple_tag
def catalog_version():
    """Return {"number", "changed_at"} of the facts that the page rests on; None: when is not known."""
    return {"number": versions.current(), "changed_at": versions.changed_at()}
