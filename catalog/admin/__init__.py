"""The staff's pages, a file a subject: facts to edit, texts and sources beside them."""

from catalog.admin import (  # noqa: F401 - each registers its own
    ai_models,
    benchmarks,
    evidence,
    glossary,
    gpus,
    guides,
    makers,
    reports,
    revisions,
    servers,
    sheets,
    variants,
    workloads,
)
