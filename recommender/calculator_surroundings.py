"""What stands beside the memory of the GPUs: host, index of a search, and all servers together, as texts."""

from django.utils.translation import gettext

from catalog.templatetags import units
from recommender import calculator, reasons
from recommender.calculator import Calculation
from recommender.calculator_workings import both_units
from recommender.memory_texts import opened_formula
from recommender.sizing.specs import GIB, Range

MOST_SERVERS = 8


def index_details(calculation: Calculation):
    """Return the size of the vector index with its formula; None: no documents were named."""
    found = calculator.vector_index(calculation)
    if found is None:
        return None
    total = tuple(end / GIB for end in (found.total.low, found.total.typical, found.total.high))
    return {
        "vectors": (found.vectors.low, found.vectors.typical, found.vectors.high),
        "dimensions": found.dimensions,
        "gib": total,
        "gb": units.bytes_gb(found.total.typical),
        "item": opened_formula(found.typical.code, found.typical.one, found.typical.formula),
        "sum": _index_sum(found),
    }


def host_details(calculation: Calculation):
    """Return memory and cores of one server around its GPUs, each with its formula."""
    found = calculator.host(calculation)
    size, cores, each = found.memory, found.cores, found.cores_each
    gpus = calculation.hardware.gpus
    text = [
        gettext("GPUs × cores for each"),
        gettext("= %(gpus)s × %(each)s")
        % {"gpus": units.number(gpus), "each": units.format_number(each.typical, 0)},
        gettext("= %(cores)s cores, between %(low)s and %(high)s")
        % {
            "cores": units.format_number(cores.typical, 0),
            "low": units.format_number(cores.low, 0),
            "high": units.format_number(cores.high, 0),
        },
    ]
    elsewhere = calculation.answers.one("separate_index") == "yes"
    return {
        "gib": (size.low / GIB, size.typical / GIB, size.high / GIB),
        "gb": units.bytes_gb(size.typical),
        "cores": (round(cores.low), round(cores.typical), round(cores.high)),
        "item": opened_formula("host_memory", size, found.formula),
        "cores_text": "\n".join(text),
        "index": found.for_index.high > 0,
        "index_elsewhere": elsewhere and calculator.vector_index(calculation) is not None,
    }


def _index_sum(found):
    """Return how vectors come from documents and the whole index from its copies, as plain text."""
    low, typical, high = (
        units.format_number(end / found.documents if found.documents else 0, 0)
        for end in (found.vectors.low, found.vectors.typical, found.vectors.high)
    )
    lines = [
        gettext("documents × vectors of a document"),
        gettext("= %(documents)s × %(each)s (%(low)s to %(high)s)")
        % {"documents": units.number(found.documents), "each": typical, "low": low, "high": high},
        gettext("= %(vectors)s vectors (%(low)s to %(high)s)")
        % {
            "vectors": units.number(found.vectors.typical),
            "low": units.number(found.vectors.low),
            "high": units.number(found.vectors.high),
        },
        "",
        gettext("copies of the index × size of one"),
        gettext("= %(copies)s × %(size)s")
        % {"copies": units.number(found.copies), "size": units.bytes_gib(found.typical.one.typical)},
        gettext("= %(size)s") % {"size": both_units(found.total.typical)},
        gettext("between %(low)s and %(high)s")
        % {"low": units.bytes_gib(found.total.low), "high": units.bytes_gib(found.total.high)},
    ]
    return "\n".join(lines)


def whole_details(calculation: Calculation):
    """Return the bar and lines of the model and its load alone."""
    sizes = calculator.whole_model(calculation)
    lines = [memory_line(name, str(reasons.MEMORY_LABELS[name]), size, 1) for name, size in sizes.items()]
    return lines and {"lines": lines, "bar": [{"name": line["name"], "gib": line["gib"]} for line in lines]}


def memory_line(name, label, value: Range, gpus):
    return {
        "name": name,
        "label": label,
        "gib": tuple(end / GIB for end in (value.low, value.typical, value.high)),
        "gb": units.bytes_gb(value.typical),
        "all_gib": units.bytes_gib(value.typical * gpus),
        "all_gb": units.bytes_gb(value.typical * gpus),
    }
