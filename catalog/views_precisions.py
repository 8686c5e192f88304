"""The table of a GPU's page on what engines do with each number format."""

from django.utils.translation import gettext, gettext_lazy as _

ENGINES = {"vllm": "vLLM", "sglang": "SGLang", "tensorrt_llm": "TensorRT-LLM"}
SUPPORT = {
    "native": _("computed natively"),
    "weight_only": _("weights only, computed in 16 bits"),
    "storage_only": _("the file only, widened when loaded"),
    "no": _("not supported"),
}
SOURCES = {  # by a part of the address, the narrower first
    "TensorRT-LLM/blob": _("TensorRT-LLM: gpt-oss in MXFP4"),
    "TensorRT-LLM/": _("TensorRT-LLM: support matrix"),
    "quantization/int8": _("vLLM: INT8"),
    "docs.vllm.ai": _("vLLM: quantization"),
}


def precision_table(supported):
    """Return columns, rows and numbered sources of what `services.precisions_of` gives; None: nothing."""
    if not supported:
        return None
    numbers, rows = {}, {}
    for item in supported:
        number = numbers.setdefault(item.source, len(numbers) + 1)
        cell = {
            "engine": ENGINES[item.engine],
            "support": item.support,
            "label": SUPPORT[item.support],
            "number": number,
        }
        rows.setdefault(item.precision.upper(), []).append(cell)
    return {
        "columns": [cell["engine"] for cell in next(iter(rows.values()))],
        "rows": [{"precision": precision, "cells": cells} for precision, cells in rows.items()],
        "sources": [{"number": number, **_source(source)} for source, number in numbers.items()],
    }


def _source(source):
    """Return the title and the address of a source; the maker's data sheet is among the page's own."""
    if source == "data_sheet":
        return {
            "title": gettext("the maker’s own figures, among the sources of this page"),
            "url": "#sources",
        }
    title = next(title for part, title in SOURCES.items() if part in source)
    return {"title": title, "url": source}
