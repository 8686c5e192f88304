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
# Filter: (answer, the least and the most that it takes).
LIMITS = {
    "depth_max": ("max_depth_mm", 100, 3000),
    "temperature_min_c": ("temperature_min_c", -60, 60),
    "temperature_max_c": ("temperature_max_c", -40, 80),
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
                if key not in LIMITS or (value := cleaned.get(key)) is None:
                    continue
                answer, least, most = LIMITS[key]
                if least <= value <= most:
                    query[answer] = plain(value)
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
    taken = _as_understood([row for row in filterset.active if row["name"] in answered], query)
    left = [row for row in filterset.active if row["name"] not in answered]
    return query, taken, left


def _as_understood(taken, query):
    """Return the rows with one for what the questionnaire asks in another way than the list.

    It asks for the tallest height allowed, and for what the room offers: what needs less fits there too.
    """
    rows = {row["name"]: row for row in taken}
    if "rack_units" in rows:
        text = gettext("%(height)s or less") % {"height": f"{query['rack_units']}U"}
        rows["rack_units"] = rows["rack_units"] | {"value": text}
    if query.get("cooling") == "liquid":
        rows["cooling"] = rows["cooling"] | {"value": gettext("the room has a water loop")}
    elif query.get("cooling") == "any":
        rows["cooling"] = rows["cooling"] | {"value": gettext("any")}
    return list(rows.values())
