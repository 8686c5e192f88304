"""The brief as a PDF, dated by the day it was made: whoever fetches it later gets the same bytes."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from aiservers import pdf
from recommender.briefs.document import Document, Line, Part

TEMPLATE = Path(__file__).parent / "brief.typ"


def made(content: Document) -> bytes:
    """Return the PDF of a document in the document's language."""
    return pdf.made(TEMPLATE, _payload(content))


def _payload(content: Document) -> dict[str, Any]:
    """Return what the template prints, as texts."""
    versions = gettext("Catalog version %(catalog)s, rules version %(rules)s") % {
        "catalog": content.catalog_version,
        "rules": content.rules_version,
    }
    return {
        "language": content.language,
        "title": content.title,
        "vendor": settings.VENDOR_NAME,
        "meta": f"{content.made_on} · {versions} · {settings.VENDOR_NAME}",
        "footer": f"{content.title} · {content.made_on} · {settings.VENDOR_NAME}",
        "lead": content.lead,
        "conditional": gettext("This advice is conditional: answers that decide are missing or guessed.")
        if content.conditional
        else "",
        "asked": content.asked,
        "note": content.note,
        "work": [_line(line) for line in content.work],
        "parts": [_part(part) for part in content.parts],
        "site": _part(content.site),
        "derived": [{name: row[name] for name in ("label", "value", "formula")} for row in content.derived],
        "matches": [
            {
                "rank": match["rank"],
                "server": match["server"],
                "headline": match["headline"],
                "state": match["state_label"],
                "confirmed": match["confirmed_label"],
                "layout": match["layout"],
                "figures": [{"label": row["label"], "value": row["value"]} for row in match["figures"]],
                "reasons": match["reasons"],
                "warnings": match["warnings"],
            }
            for match in content.matches
        ],
        "more_matches": content.more_matches,
        "rejected": [
            {
                "server": item["server"],
                "gpu": item["gpu"],
                "text": " ".join([*item["reasons"], item["fix"]]).strip(),
            }
            for item in content.rejected
        ],
        "plans": {"verdict": [], "ways": [], "rows": []} | dict(content.plans),
        "find_out": content.find_out,
        "measures": content.measures,
        "sample": content.sample,
        "notices": content.notices,
        "disclaimer": gettext(
            "Figures are estimates unless they say measured: confirm them with a test of your own before you "
            "order."
        ),
        "labels": {
            "item": gettext("What"),
            "value": gettext("Value"),
            "status": gettext("Known how"),
            "formula": gettext("Formula"),
            "figure": gettext("Typical (low–high)"),
            "questions": gettext("Open questions"),
            "derived": gettext("Derived quantities"),
            "matches": gettext("What fits, best first"),
            "rejected": gettext("Ruled out"),
            "server": gettext("Server"),
            "gpu": gettext("Nearest GPU"),
            "rule": gettext("Rule, what is needed and what there is"),
            "plans": gettext("One server for both, or one for each"),
            "find_out": gettext("What to find out before you buy"),
            "measures": gettext("What to measure before you buy"),
            "sample": gettext("The set that every offer is tested with"),
            "notices": gettext("About the answers"),
        },
    }


def _line(line: Line) -> dict[str, Any]:
    return {"label": line.label, "value": line.value, "status": line.status_label, "why": line.why}


def _part(part: Part) -> dict[str, Any]:
    return asdict(part) | {"lines": [_line(line) for line in part.lines]}
