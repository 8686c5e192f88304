"""What matches cost: public prices that hold today, in one currency, as values for the order."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from django.db.models import F
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext

from catalog.templatetags.units import format_number
from recommender.models import Price, PriceQuerySet
from recommender.ranking import Match

NO_BREAK = "\N{NO-BREAK SPACE}"

Configuration = tuple[str, str | None, str, int]  # server, variant, GPU, GPUs of one server


@dataclass(frozen=True, slots=True)
class Cost:
    """What all servers of a match cost."""

    amount: Decimal
    currency: str
    valid_until: date

    @property
    def text(self) -> str:
        return money(self.amount, self.currency)


def money(amount: Decimal, currency: str) -> str:
    """Return an amount as the reader's language writes numbers, with the code of its currency."""
    return f"{format_number(amount)}{NO_BREAK}{currency}"


def of_configuration(
    rows: Iterable[Price], configuration: Configuration, servers: int
) -> dict[str, tuple[Price, Cost]]:
    """Return what a configuration costs by currency: a variant's own price goes before its server's.

    Args:
        rows: prices that hold, in the order of `_rows`.
        servers: how many of them.
    """
    server, variant, gpu, count = configuration
    found: dict[str, Price] = {}
    for row in rows:
        if (row.server.slug, row.gpu.slug, row.gpu_count) == (server, gpu, count) and (
            row.variant is None or row.variant.slug == variant
        ):
            found[row.currency] = row
    return {
        currency: (row, Cost(row.amount * servers, currency, row.valid_until))
        for currency, row in found.items()
    }


def of_matches(matches: Sequence[Match], on: date | None = None) -> dict[tuple[str, str], Cost]:
    """Return what every match costs, by server and GPU, all in one currency; empty where one has no price."""
    if not matches:
        return {}
    servers = {match.config.node.server for match in matches}
    rows = _rows(Price.objects.public(), servers, on)
    if servers - {row.server.slug for row in rows}:
        return {}
    known = {
        match.config.name: of_configuration(rows, _configuration(match), match.config.servers)
        for match in matches
    }
    return _in_one_currency(known)


def _rows(known: PriceQuerySet, servers: Collection[str], on: date | None) -> list[Price]:
    """Return what holds for some servers on a day: what is to be taken before others comes after them."""
    return list(
        known.valid(on or timezone.localdate())
        .filter(server__slug__in=servers)
        .select_related("server", "variant", "gpu")
        .order_by(F("variant").asc(nulls_first=True), "valid_from", "pk")
    )


def _configuration(match: Match) -> Configuration:
    node = match.config.node
    return node.server, node.variant, node.gpu.slug, match.config.count


def _in_one_currency(
    known: Mapping[tuple[str, str], Mapping[str, tuple[Price, Cost]]],
) -> dict[tuple[str, str], Cost]:
    common = set.intersection(*(set(costs) for costs in known.values()))
    if not common:
        return {}
    currency = min(common)
    return {name: costs[currency][1] for name, costs in known.items()}


def of_brief(frozen: Mapping[str, Any], on: date | None = None) -> list[str]:
    """Return a line for staff about each match of a brief: what it costs, published or not."""
    matches, names = frozen.get("matches") or [], frozen.get("names", {})
    rows = _rows(Price.objects.all(), {match["server"] for match in matches}, on)
    return [_line(match, names, rows) for match in matches]


def _line(match: Mapping[str, Any], names: Mapping[str, str], rows: Sequence[Price]) -> str:
    configuration = match["server"], match["variant"], match["gpu"], match["gpus_per_server"]
    costs = of_configuration(rows, configuration, match["servers"])
    said = [
        (
            gettext("%(price)s until %(day)s, public")
            if row.is_public
            else gettext("%(price)s until %(day)s, internal")
        )
        % {"price": cost.text, "day": day(cost.valid_until)}
        for row, cost in costs.values()
    ]
    return gettext("%(rank)s. %(servers)s × %(server)s, %(count)s × %(gpu)s in each: %(price)s") % {
        "rank": match["rank"],
        "servers": match["servers"],
        "server": names.get(match["server"], match["server"]),
        "count": match["gpus_per_server"],
        "gpu": names.get(match["gpu"], match["gpu"]),
        "price": "; ".join(said) or gettext("no price known"),
    }


def day(value: date) -> str:
    return date_format(value, "SHORT_DATE_FORMAT")
