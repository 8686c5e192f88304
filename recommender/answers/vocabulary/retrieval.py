"""Search in documents: its components, which may stand on different machines."""

from django.utils.translation import gettext_lazy as _

from recommender.answers.keys import SERVING, choice, number, yes_no
from recommender.answers.wording import PERCENT

QUESTIONS = [
    choice(
        "components",
        [
            ("embedder", _("Embedding model")),
            ("reranker", _("Reranker")),
            ("vector_index", _("Vector index")),
            ("ocr", _("Text recognition (OCR)")),
            ("guardrails", _("Guardrail model")),
        ],
        _("Which parts does the search have beside the language model?"),
        _(
            "Each is a program of its own: models take GPU memory, an index takes memory and disks. They "
            "need not stand on one machine."
        ),
        "retrieval",
        repeats=True,
        stages=SERVING,
    ),
    number(
        "documents",
        1,
        10**12,
        _("How many documents are searched?"),
        _("Documents times vectors for each give the size of the index."),
        "retrieval",
        "1",
        whole=True,
        typical="10000..5000000",
        stages=SERVING,
    ),
    number(
        "vector_dimensions",
        1,
        65_536,
        _("How many dimensions has a vector?"),
        _("The index grows in step with it: 1,024 numbers take 4 KiB, 3,072 take 12 KiB."),
        "retrieval",
        "1",
        whole=True,
        typical="384..3072",
        stages=SERVING,
    ),
    number(
        "index_replicas",
        1,
        100,
        _("How many copies of the index?"),
        _("Each copy takes the same memory and disks again."),
        "retrieval",
        "1",
        whole=True,
        typical="1..3",
        stages=SERVING,
    ),
    yes_no(
        "separate_index",
        _("May the index stand on a machine of its own?"),
        _("An index needs memory and disks, not GPUs: apart from the model it can be a simpler machine."),
        "retrieval",
        stages=SERVING,
    ),
    number(
        "changed_percent",
        0,
        100,
        _("Which share of the documents changes per day?"),
        _("What changes is embedded again, beside the searches or at night."),
        "retrieval",
        "%/day",
        PERCENT,
        used=False,
        brief_only=True,
        typical="0.1..5",
        stages=SERVING,
    ),
]
