"""Parts of a result whose sentences are made elsewhere from the whole of it: kept in every language.

Their figures are frozen beside them; so the sentences stay those of the day, in the language of each reader.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.utils.translation import gettext, override

from catalog.templatetags import ui, units
from recommender import measure_texts, plan_texts, services
from recommender.services import Result


def in_each_language(make: Callable[[], Any]) -> dict[str, Any]:
    """Return what `make` says in each language of the site, by its code."""
    said = {}
    for code, _name in settings.LANGUAGES:
        with override(code):
            said[code] = make()
    return said


def comparison(result: Result) -> dict[str, Any]:
    """Return the comparison of one server with several in the active language; {} where there is one job.

    `verdict` and each way are texts, `rows` are the rows of the table with a list of texts for each way.
    """
    found = plan_texts.comparison(result)
    if not found or not found["ways"]:
        return {}
    return {
        "verdict": _verdict(found["verdict"]),
        "ways": [
            {
                "name": way["name"],
                "label": way["label"],
                "advised": way["advised"],
                "lines": [
                    way["text"],
                    *(f"{item['label']}: {item['text']}" for item in way["bought"]),
                    *way["against"],
                ],
            }
            for way in found["ways"]
        ],
        "rows": [
            {
                "label": row["label"],
                "cells": [{"label": cell["label"], "lines": _cell(cell)} for cell in row["cells"]],
            }
            for row in found["rows"]
        ],
    }


def measuring(result: Result) -> dict[str, Any]:
    """Return what to measure before buying in the active language, the most decisive first."""
    found = measure_texts.page(result, services.turning(result))
    return {
        "measures": [
            {
                "subject": item["subject"],
                "subject_label": item["subject_label"],
                "label": item["label"],
                "how": item["how"],
                "why": item["why"],
                "is_open": item["is_open"],
                "lines": _measure_lines(item),
            }
            for item in found["measures"]
        ],
        "sample": [{"label": row["label"], "text": row["text"]} for row in found["sample"]],
    }


def _measure_lines(item: dict[str, Any]) -> list[str]:
    """Return load steps, pass limits and what is expected of one measure."""
    lines = []
    if item["steps"]:
        steps = ", ".join(
            gettext("%(percent)s of the peak (%(load)s)") % {"percent": step["percent"], "load": step["load"]}
            for step in item["steps"]
        )
        lines.append(gettext("Load steps: %(steps)s") % {"steps": steps})
    for limit in item["limits"]:
        lines.append(
            gettext("%(figure)s, pass limit: %(limit)s") % {"figure": limit["label"], "limit": limit["text"]}
        )
    for found in item["expected"]:
        lines.append(
            gettext("%(figure)s, expected: %(value)s") % {"figure": found["label"], "value": found["text"]}
        )
    return lines


def _verdict(verdict: dict[str, Any] | None) -> list[str]:
    if verdict is None:
        return []
    lines = [verdict["lead"]]
    if verdict["label"]:
        lines.append(gettext("Advised: %(way)s.") % {"way": verdict["label"]})
    lines += [*verdict["reasons"], *verdict.get("warnings", [])]
    lines += [
        gettext("What would turn it: %(condition)s. Then: %(way)s.")
        % {"condition": flip["condition"], "way": flip["text"]}
        for flip in verdict["flips"]
    ]
    return [line for line in lines if line]


def _cell(cell: dict[str, Any]) -> list[str]:
    """Return a cell of the comparison as lines of text."""
    if cell.get("bought"):
        return [f"{item['label']}: {item['text']}" for item in cell["bought"]]
    if contention := cell.get("contention"):
        shares = [f"{share['job']}: {share['text']}" for share in contention["shares"]]
        return [line for line in (contention["text"], *shares, contention["both"]) if line]
    if growth := cell.get("growth"):
        steps = [f"{step['label']}: {step['load']}: {step['text']}" for step in growth["steps"]]
        return [*steps, *growth["due"]]
    if cell.get("texts"):
        return list(cell["texts"])
    if "range" in cell:
        return [_range(cell)]
    return [cell["text"]] if cell.get("text") else []


def _range(cell: dict[str, Any]) -> str:
    """Return "typical (low–high)" with the unit; "" where it is not known."""
    ends = ui.triple(cell["range"])
    if ends is None:
        return ""
    shown = ui.value_range(
        tuple(units.estimated(end) for end in ends),
        cell.get("unit", "number"),
        unit_label=cell.get("unit_label"),
    )
    if shown["low"] == shown["high"]:
        return shown["typical"]
    return gettext("%(typical)s (%(low)s–%(high)s)") % shown
