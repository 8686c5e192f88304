"""Acceptance tests that follow from a brief: what is measured on each machine, and when it has passed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext, ngettext

from catalog.templatetags import units

if TYPE_CHECKING:
    from recommender.briefs.document import Line


def tests(lines: Mapping[str, "Line"], frozen: Mapping[str, Any]) -> "tuple[Line, ...]":
    """Return the tests of this work with their pass limits, each as sure as the answer it rests on."""
    from recommender.briefs.document import Line

    found: list[Line] = []

    def add(code: str, name: str, limit: str, *rests_on: str) -> None:
        statuses = [lines[key].status for key in rests_on if key in lines]
        status = next((one for one in ("guess", "typical", "computed") if one in statuses), "given")
        found.append(Line(code, name, limit, status if statuses else "unknown"))

    load = _load(frozen)
    if "ttft_ms" in lines and load:
        limit = gettext("at most %(limit)s for 95 of 100 requests, %(load)s")
        add(
            "test_ttft",
            gettext("Time to first token"),
            limit % {"limit": lines["ttft_ms"].value, "load": load},
            "ttft_ms",
            "concurrency",
        )
    if "tpot_ms" in lines and load:
        limit = gettext("at most %(limit)s for 95 of 100 requests, %(load)s")
        add(
            "test_tpot",
            gettext("Time per output token"),
            limit % {"limit": lines["tpot_ms"].value, "load": load},
            "tpot_ms",
            "concurrency",
        )
    if "context_tokens" in lines and load:
        add(
            "test_context",
            gettext("Longest context"),
            gettext("%(length)s in every simultaneous request, without an error")
            % {"length": lines["context_tokens"].value},
            "context_tokens",
            "concurrency",
        )
    for key in ("streams", "audio_streams", "images_per_minute"):
        if key in lines:
            add(
                f"test_{key}",
                gettext("Load carried for an hour"),
                gettext("%(load)s without a backlog that grows") % {"load": lines[key].value},
                key,
            )
    if frozen["trains"] and "target_hours" in lines:
        add(
            "test_cycle",
            gettext("One training cycle"),
            gettext("at most %(limit)s, with data loading and checkpoints")
            % {"limit": lines["target_hours"].value},
            "target_hours",
            "dataset_tokens",
        )
    if frozen["answers"].get("availability") == "n_plus_1":
        add(
            "test_loss",
            gettext("Loss of a server"),
            gettext("the same load and limits with one server switched off"),
            "availability",
        )
    if "power_kw" in lines:
        add(
            "test_power",
            gettext("Power at full load"),
            gettext("at most %(limit)s, measured at the supply") % {"limit": lines["power_kw"].value},
            "power_kw",
        )
    return tuple(found)


def questions() -> tuple[str, ...]:
    """Return what has to be agreed before a test says anything: no answer holds it."""
    return (
        gettext("Which representative set of requests, documents or data is every option tested with?"),
        gettext("Who runs the tests, where and until when?"),
    )


def _load(frozen: Mapping[str, Any]) -> str:
    if not frozen["matches"] or not frozen["serves"] or frozen["kind"] != "tokens":
        return ""
    first = frozen["matches"][0]
    # The harder end of a range is what is bought for; briefs of earlier days kept only what was sized.
    count = first.get("requests_needed") or first.get("requests") or 0
    if not count:
        return ""
    return ngettext("with %(count)s simultaneous request", "with %(count)s simultaneous requests", count) % {
        "count": units.number(count)
    }
