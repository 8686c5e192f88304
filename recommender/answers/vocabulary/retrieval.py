"""Search in documents."""

from django.utils.translation import gettext_lazy as _

from recommender.answers.keys import (
    number,
    yes_no,
)

QUESTIONS = [
    number(
        "documents",
        1,
        10**12,
        _("How many documents are searched?"),
        _("Decides the size of the index."),
        "later",
        "1",
        whole=True,
        used=False,
    ),
    number(
        "vector_dimensions",
        1,
        65_536,
        _("How many dimensions has a vector?"),
        _("Decides the size of the index."),
        "later",
        "1",
        whole=True,
        used=False,
    ),
    number(
        "index_replicas",
        1,
        100,
        _("How many copies of the index?"),
        _("Decides memory and disks."),
        "later",
        "1",
        whole=True,
        used=False,
    ),
    yes_no(
        "separate_index",
        _("May the index stand on a machine of its own?"),
        _("An index needs memory and disks, not GPUs."),
        "later",
        used=False,
    ),
]
