"""What the filters of a list mean as answers of the questionnaire, and which of them no question asks for."""

from django.http import QueryDict
from django.utils.translation import gettext

from catalog.filtering.facets import FACETS, UNKNOWN, Limits
from catalog.filtering.fields import plain


def _same(values):
    return values[0] if len(values) == 1 else None


def _tallest(values):
    return str(max(int(value) for value in values))


def _cooling(values):
    return "any" if len(values) > 1 else values[0]


# Filter: (answer, what its value is); None: the filter says more than the answer can.
ANSWERS = {
    "stage": ("stage", _same),
    "workload": ("workload", _same),
    "site": ("site", _same),
    "gpu_vendor": ("gpu_vendor", _same),
    "cpu_vendor": ("cpu_vendor", _same),
    "rack_units": ("rack_units", _tallest),
    "cooling": ("cooling", _cooling),
}
LIMITS = {
    "depth_max": "max_depth_mm",
    "temperature_min_c": "temperature_min_c",
    "temperature_max_c": "temperature_max_c",
}


def of(filterset):
    """Return (query with the answers, active filters that became answers, those that could not).

    The filters are rows of `ServerFilter.active`.
    """
    query = QueryDict(mutable=True)
    answered = set()
    cleaned = filterset.cleaned
    for facet in FACETS:
        if isinstance(facet, Limits):
            for key in facet.number_keys:
                if key in LIMITS and cleaned.get(key) is not None:
                    query[LIMITS[key]] = plain(cleaned[key])
                    answered.add(key)
            continue
        values = cleaned.get(facet.name) or []
        values = values if isinstance(values, list) else [values]
        if facet.name not in ANSWERS or not values or UNKNOWN in values:
            continue
        key, as_answer = ANSWERS[facet.name]
        if value := as_answer(values):
            query[key] = value
            answered.add(facet.name)
    taken = _as_limit([row for row in filterset.active if row["name"] in answered], query)
    left = [row for row in filterset.active if row["name"] not in answered]
    return query, taken, left


def _as_limit(taken, query):
    """Return the rows with one for all heights: the questionnaire asks for the tallest one allowed."""
    rows = [row for row in taken if row["name"] != "rack_units"]
    for row in taken:
        if row["name"] == "rack_units":
            value = gettext("%(height)s or less") % {"height": f"{query['rack_units']}U"}
            return [*rows, row | {"value": value}]
    return rows
