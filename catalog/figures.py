"""Figures of the catalog as texts: what a column is called, and what it holds, in the reader's language."""

from django.core.exceptions import FieldDoesNotExist

from catalog import sentences
from catalog.templatetags import units


def label(model, name):
    """Return what a column, or the related rows that stand for one figure together, is called."""
    try:
        found = model._meta.get_field(name)
    except FieldDoesNotExist:
        return name
    return found.related_model._meta.verbose_name_plural if found.one_to_many else found.verbose_name


# How a number is written, by the end of its column's name.
WRITTEN = (
    ("memory_max_gb", units.capacity),
    ("launch_year", str),
    ("parameters", units.billions),
    ("rack_units", units.rack_units),
    ("rack_units_min", units.rack_units),
    ("rack_units_max", units.rack_units),
    ("enclosure_units", units.rack_units),
    ("_mts", units.megatransfers),
    ("_tflops", units.tflops),
    ("_tops", units.tops),
    ("_gbs", units.gbs),
    ("gbs_total", units.gbs),
    ("_gib_usable", units.gibibytes),
    ("_gib", units.gibibytes),
    ("_gb", units.gigabytes),
    ("_mm", units.millimetres),
    ("_kg", units.kilograms),
    ("_w", units.watts),
    ("_w_single", units.watts),
    ("_w_double", units.watts),
    ("_c", units.celsius),
)


def number(name, value):
    """Return a number of a column in the reader's way, with its unit where it has one."""
    write = next((unit for ending, unit in WRITTEN if name.endswith(ending)), units.number)
    return write(value)


def with_unit(row, name):
    """Return what `text` does, and behind a number its unit."""
    value = None if name in row.EVIDENCE_RELATIONS else getattr(row, name)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    is_choice = hasattr(row, f"get_{name}_display")
    return number(name, value) if is_number and not is_choice else text(row, name)


def text(row, name):
    """Return what a row of the catalog holds under a name, as its page may print it."""
    if name == "measured_weights":
        value = ", ".join(
            f"{part.get_precision_display() or part.stated_dtype}: {units.gibibytes(part.gib)}"
            for part in row.measured_weights.all()
        )
    elif name in row.EVIDENCE_RELATIONS:
        value = ", ".join(str(part) for part in getattr(row, name).all())
    elif hasattr(row, f"get_{name}_display"):
        value = getattr(row, f"get_{name}_display")()
    else:
        value = getattr(row, name)
    if isinstance(value, bool):
        return units.yes_no(value)
    return units.not_published() if value in (None, "") else sentences.stated(str(value), name)


def names(row, unknown=()):
    """Return the names of the figures that are known of a row, in the order of its columns.

    Args:
        unknown: names that are listed too, where nothing is known of them.
    """
    known = row.figures()
    return [
        name
        for name in row.evidence_fields()
        if (name in known or name in unknown)
        and not name.endswith("_basis")  # a note of ours on another figure
    ]
