"""The pages of AI models: their shapes from the catalog, their memory from the recommender."""

import re
from itertools import groupby
from urllib.parse import urlencode

from django.shortcuts import get_object_or_404, render
from django.utils.html import format_html
from django.utils.translation import gettext as _, gettext_lazy, ngettext
from django.views.decorators.http import require_safe

from aiservers.pages import page_of
from catalog import results, selectors, sentences, structured
from catalog.models import AIModel, Evidence
from catalog.templatetags.units import GIB, format_number
from recommender import services

PER_PAGE = 50
KINDS = AIModel.Kind.choices
LAYERS = {
    "num_layers": gettext_lazy("Layers"),
    "hidden_size": gettext_lazy("Hidden size"),
    "intermediate_size": gettext_lazy("Inner size"),
    "num_attention_heads": gettext_lazy("Attention heads"),
    "num_kv_heads": gettext_lazy("Key/value heads"),
    "head_dim": gettext_lazy("Head dimension"),
}
# Licences as they write themselves, where the catalog has an identifier of one word or of none.
LICENCES = {
    "apache-2.0": "Apache 2.0",
    "mit": "MIT",
    "deepseek": "DeepSeek",
    "gemma": "Gemma",
    "llama2": "Llama 2",
    "llama3": "Llama 3",
    "llama3.1": "Llama 3.1",
    "llama3.2": "Llama 3.2",
    "llama3.3": "Llama 3.3",
    "llama4": "Llama 4",
    "mrl": "Mistral Research License",
    "qwen": "Qwen",
}


@require_safe
def ai_model_list(request):
    """Every published model by developer, with its size and its memory in its own type."""
    kind = request.GET.get("kind", "")
    kind = kind if kind in dict(KINDS) else ""
    models = selectors.models_matching(request.GET.get("q", ""), kind)
    models.sort(key=lambda model: _maker(model).casefold())  # within a developer by name, as they came
    total = len(models)
    page, notices = page_of(request, models, PER_PAGE)
    weights = services.native_weights()
    rows = [{"model": model, "weights": weights.get(model.slug)} for model in page]
    context = {
        "groups": [(maker, list(own)) for maker, own in groupby(rows, lambda row: _maker(row["model"]))],
        "page": page,
        "notices": notices,
        "structured": [structured.pages_of(_("AI models"), "catalog:ai_model", page.object_list)],
        "total": ngettext("%(count)s model", "%(count)s models", total) % {"count": format_number(total)},
        "is_empty": not total,
        "kinds": KINDS,
        "kind": kind,
        "text": request.GET.get("q", "").strip(),
    }
    return render(request, "catalog/ai_model_list.html", context)


def _maker(model):
    return model.developer or _("Others")


@require_safe
def ai_model(request, slug):
    """One model: its architecture with sources, its memory, and the smallest servers that hold it."""
    row = get_object_or_404(
        AIModel.objects.published().prefetch_related("cache_groups", "parts", "measured_weights"), slug=slug
    )
    sources = selectors.Sources()
    evidence = list(Evidence.objects.filter(ai_model=row).select_related("source"))
    marks = sources.marks(evidence, row)
    sources.list_figures(row, evidence)
    is_text = row.kind in (AIModel.Kind.LLM, AIModel.Kind.VLM)
    context = {
        "model": row,
        "memory": memory_tables(slug, services.model_memory(slug)),
        "licence": licence(row.license),
        "released": sentences.when(row.released_year, row.released_month),
        "is_mixture": row.experts > 1,
        "is_text": is_text,
        "runs_in_engine": row.kind not in (AIModel.Kind.IMAGE_GENERATION, AIModel.Kind.VISION),
        "native_dtype": stated_type(row.native_dtype_stated),
        # What language models are described by; of other kinds, what is known.
        "layers": [
            {"label": label, "value": getattr(row, name), "mark": marks.get(name)}
            for name, label in LAYERS.items()
            if is_text or getattr(row, name) is not None
        ],
        "marks": marks,
        "measured": results.section(ai_model=row),
        "sources": selectors.source_list(sources),
        "disagreements": sources.disagreements,
        "figure_groups": sources.groups,
        "checked_on": sources.checked_on,
    }
    return render(request, "catalog/ai_model.html", context)


def licence(identifier):
    """Return a licence's name, which is English; None: not published."""
    if identifier == "other":
        return _("the developer’s own")
    if identifier in (None, "", "unknown"):
        return None
    return format_html('<span lang="en">{}</span>', LICENCES.get(identifier, identifier))


def stated_type(text):
    """Return the type of a published checkpoint as its makers give it, in words; None: not published."""
    if not text:
        return None
    if found := re.fullmatch(r"(\S+) experts \+ (\S+)", text):
        return _("experts in %(experts)s, the rest in %(rest)s") % {
            "experts": found[1].upper(),
            "rest": found[2].upper(),
        }
    if found := re.fullmatch(r"(\S+) \(runs in (\S+)\)", text):
        types = found[2].upper().replace("/", " / ")
        return _("%(type)s, runs in %(types)s") % {"type": found[1].upper(), "types": types}
    if found := re.fullmatch(r"(\d+)-bit", text):
        return ngettext("%(bits)s bit", "%(bits)s bits", int(found[1])) % {"bits": found[1]}
    return text.upper()


def memory_tables(slug, memory):
    """Return what a model takes as rows for the page's tables."""
    return {
        "weights": [
            {
                "precision": precision,
                "size": size,
                "gib": tuple(end / GIB for end in (size.low, size.typical, size.high)),
                "measured": measured,
            }
            for precision, size, measured in memory.weights
        ],
        "contexts": [
            {"tokens": tokens, "query_tokens": str(tokens), "bf16": bf16.typical, "fp8": fp8.typical}
            for tokens, bf16, fp8 in memory.contexts
        ],
        "window": memory.window,
        "kib": memory.bytes_per_token and [each / 1024 for each in memory.bytes_per_token],
        "cache_known": memory.cache_known,
        "tokens": memory.tokens,
        "holders": [
            {"holder": row, "query": urlencode(holder_query(slug, row, memory.tokens))}
            for row in memory.holders
        ],
        "narrower": [
            {
                "holder": row,
                "query": urlencode(
                    holder_query(slug, row, memory.tokens) | {"precision": row.precision},
                ),
            }
            for row in memory.narrower
        ],
        "smallest": smallest_table(slug, memory),
        "precisions": list(memory.generations[0].support) if memory.generations else [],
        "generations": [
            {
                "vendor": row.vendor,
                "architecture": row.architecture,
                "supports": list(row.support.values()),
                "cells": list(row.support.items()),
            }
            for row in memory.generations
        ],
    }


def smallest_table(slug, memory):
    """Return the smallest servers as a table: a row a type of the weights, a cell a length of the request."""
    rows = []
    for way in memory.smallest:
        cells = []
        for tokens, holder in way.holders:
            query = holder and holder_query(slug, holder, tokens) | {"precision": holder.precision}
            cells.append(
                {
                    "holder": holder,
                    "label": ngettext("%(tokens)s token", "%(tokens)s tokens", tokens)
                    % {"tokens": format_number(tokens)},
                    "query": query and urlencode(query),
                }
            )
        rows.append({"types": [kind.upper() for kind in way.types], "cells": cells})
    return {"rows": rows, "lengths": [cell["label"] for cell in rows[0]["cells"]] if rows else []}


def holder_query(slug, holder, tokens):
    """Return the calculator's answers that show the model on a server's GPUs."""
    query = {"model": slug, "gpu": holder.gpu, "gpus": holder.count}
    return query | {"concurrency": 1, "context_tokens": tokens} if holder.requests else query


def holds_table(options):
    """Return what a server's options hold as a table: a row a reference model, a cell an option."""
    models = options[0].held if options else ()
    return {
        "options": options,
        "tokens": services.REFERENCE_TOKENS,
        "rows": [
            {
                "slug": model.model,
                "name": model.name,
                "cells": [_held_cell(option, option.held[place]) for option in options],
            }
            for place, model in enumerate(models)
        ],
    }


def most_gpus(options):
    """Return the most GPUs of one kind that a server takes; where that is not published, the least."""
    return max(
        ((row.option.max_count or row.option.min_count) * row.option.gpu.devices_per_card for row in options),
        default=0,
    )


def gpu_table(held):
    """Return how many GPUs of one kind each reference model needs as a table: a row a type of its weights."""
    return [
        {
            "slug": row.model,
            "name": row.name,
            "ways": [
                {
                    "precision": precision.upper(),
                    "is_own": precision == row.native,
                    "count": count,
                    "query": urlencode(
                        {"model": row.model, "precision": precision, "gpus": count or 1, "concurrency": 1}
                        | {"context_tokens": services.REFERENCE_TOKENS}
                    ),
                }
                for precision, count in row.counts
            ],
        }
        for row in held
    ]


def _held_cell(option, held):
    query = {
        "model": held.model,
        "precision": held.precision,
        "concurrency": 1,
        "context_tokens": services.REFERENCE_TOKENS,
        "gpu": option.gpu,
        "gpus": option.count,
        "tensor_parallel": held.layout.tensor_parallel,
        "pipeline_parallel": held.layout.pipeline_parallel,
    }
    return {
        "gpus": f"{format_number(option.cards)} × {option.gpu_name}",
        "state": held.state,
        "precision": held.precision,
        "requests": held.requests,
        "need": held.need.typical,
        "have": held.have.low,
        "query": urlencode(query),
    }
