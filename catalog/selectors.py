"""Reads that join several tables for one page."""

from catalog.models import GPU, AIModel, Evidence, GPUOption, Server, Variant

SUBJECTS = {Server: "server", Variant: "variant", GPU: "gpu", GPUOption: "option", AIModel: "ai_model"}


def evidence_by_field(row):
    """Return {field: [evidence rows]} of one catalog row, kept values first, in one query."""
    subject = {
        "Server": "server",
        "Variant": "variant",
        "GPU": "gpu",
        "GPUOption": "option",
        "AIModel": "ai_model",
    }
    rows = Evidence.objects.filter(**{subject[type(row).__name__]: row}).select_related("source")
    grouped = {}
    for evidence in rows:
        grouped.setdefault(evidence.field, []).append(evidence)
    return grouped
