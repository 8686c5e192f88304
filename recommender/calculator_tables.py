"""Layouts, requests at once and cards: the tables of the calculator."""

from math import ceil

from django.utils.translation import gettext

from catalog.templatetags import units
from recommender import calculator
from recommender.calculator import Calculation
from recommender.calculator_form import address
from recommender.calculator_notes import PATHS, costs_of, split_text
from recommender.memory_texts import gpus_text
from recommender.sizing.specs import GIB, Range

MOST_CARDS = 12  # rows of the table of cards
MOST_LAYOUTS = 12


def layout_rows(calculation: Calculation, form):
    rows = []
    fits = sorted(calculation.fits, key=lambda fit: (fit is not calculation.chosen, not fit.is_plain))
    if len(fits) <= MOST_LAYOUTS:
        fits = calculation.fits
    for fit in fits:
        layout = fit.layout
        rows.append(
            {
                "tensor": layout.tensor_parallel,
                "pipeline": layout.pipeline_parallel,
                "experts": layout.expert_parallel if layout.expert_parallel > 1 else None,
                "replicas": layout.replicas,
                "idle": layout.idle_gpus,
                "need": _triple_gib(fit.memory.total),
                "state": fit.state,
                "most": fit.most and _counts(fit.most, layout.replicas),
                "path": str(PATHS[fit.path]) if fit.path else "",
                "costs": costs_of(calculation, fit),
                "chosen": fit is calculation.chosen,
                "text": split_text(fit),
                "url": address(
                    form.full_query(
                        tensor_parallel=str(layout.tensor_parallel),
                        pipeline_parallel=str(layout.pipeline_parallel),
                        expert_parallel=str(layout.expert_parallel) if layout.expert_parallel > 1 else None,
                    )
                ),
            }
        )
    return rows


def _triple_gib(value: Range):
    return value.low / GIB, value.typical / GIB, value.high / GIB


def _counts(most: Range, replicas):
    """Return a number of requests over all replicas, as a triple of whole numbers."""
    return tuple(int(end) * replicas for end in (most.low, most.typical, most.high))


def request_rows(calculation: Calculation):
    """Return which lengths and numbers of requests fit on the chosen layout."""
    chosen, case = calculation.chosen, calculation.case
    replicas, columns = chosen.layout.replicas, calculator.loads(calculation)
    rows = []
    for tokens in calculator.contexts(calculation):
        most = calculator.most_requests(
            case, calculation.hardware, calculation.hardware.gpu, chosen.layout, tokens
        )
        cells = []
        for load in columns:
            each = ceil(load / replicas)
            state = "fits" if each <= most.low else "fits_if" if each <= most.high else "no"
            cells.append({"state": state, "load": load})
        rows.append(
            {
                "tokens": tokens,
                "most": _counts(most, replicas),
                "cells": cells,
                "asked": tokens == calculation.corner.tokens_per_request,
            }
        )
    return {"columns": columns, "rows": rows, "asked": calculation.corner.requests}


def card_rows(calculation: Calculation, form):
    """Return the cards that hold the load, each with the address that computes with it."""
    rows = [
        {
            "slug": card.gpu.slug,
            "name": calculation.names[card.gpu.slug],
            "count": card.count,
            "ordered": gpus_text(card.gpu, card.count, calculation.names),
            "precision": card.fit.precision.upper(),
            "need": _triple_gib(card.fit.memory.total),
            "have": units.bytes_gib(card.fit.memory.available.low),
            "url": address(
                form.full_query(
                    gpu=card.gpu.slug,
                    gpus=str(card.count),
                    servers=None,
                    tensor_parallel=None,
                    pipeline_parallel=None,
                    expert_parallel=None,
                )
            ),
        }
        for card in calculation.cards
    ]
    return {"rows": rows[:MOST_CARDS], "more": rows[MOST_CARDS:]}


def spoken_without(context):
    rows = context["cards"]["rows"]
    if not rows:
        return gettext("No card of the catalog holds it in one server.")
    first = rows[0]
    return gettext("Held by %(gpus)s, for example.") % {"gpus": first["ordered"]}
