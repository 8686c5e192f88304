"""Rows of the list of servers: what a line shows, and what the same line is in a file."""

from dataclasses import dataclass

from django.utils.translation import gettext

from catalog import selectors
from catalog.filtering.facts import Configuration, ServerFacts
from catalog.templatetags.units import estimated, gigabytes, watts


@dataclass(frozen=True)
class Row:
    """One server of the list; memory and power are of its largest option among those that match."""

    card: selectors.ServerCard
    facts: ServerFacts
    best: Configuration | None
    option: selectors.OptionRow | None

    @property
    def memory_each(self):
        return gigabytes(self.best.gpu.memory_gb) if self.best else None

    @property
    def memory_per_u(self):
        value = self.best and self.best.memory_gb_per_u
        return None if value is None else gigabytes(estimated(value))

    @property
    def power_per_u(self):
        value = self.best and self.best.power_w_per_u
        return None if value is None else watts(estimated(value))

    @property
    def missing(self):
        """Return what stands where a figure is missing."""
        if self.best is None and self.facts.lists_gpus:
            return gettext("no GPU listed")
        return gettext("not published")


def rows(filterset, found):
    """Return the rows of what `filterset.ordered` found, in its order."""
    servers = filterset.rows_of([facts for facts, _best in found])
    return [row_of(server, facts, best) for server, (facts, best) in zip(servers, found, strict=True)]


def row_of(server, facts, best):
    """Return the row of a server of `Server.objects.for_cards()`; no query."""
    option = None
    if best:
        options = (option for variant in server.variants.all() for option in variant.gpu_options.all())
        option = selectors.option_row(next(option for option in options if option.pk == best.pk))
    return Row(card=selectors.server_card(server), facts=facts, best=best, option=option)
