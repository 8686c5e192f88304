"""Storage, network, and what stands there already."""

from django.utils.translation import gettext_lazy as _

from recommender.answers.keys import LEARNING, ONLY_TOKENS, choice, number
from recommender.answers.vocabulary.units import GBIT

QUESTIONS = [
    number(
        "storage_tb",
        0,
        1_000_000,
        _("How much local storage?"),
        _("Models, data and checkpoints lie there; disks and cards compete for the same space."),
        "storage",
        "TB",
        _("TB"),
        typical="4..60",
    ),
    number(
        "storage_gbs",
        0,
        100_000,
        _("How fast is the shared storage?"),
        _("Training waits for data and checkpoints: 1 TB takes about 8 minutes at 2 GB/s."),
        "storage",
        "GB/s",
        _("GB/s"),
        typical="1..40",
    ),
    number(
        "network_gbe",
        0.1,
        100_000,
        _("How fast is the network between servers?"),
        _("Training over several servers waits for it."),
        "storage",
        "Gbit/s",
        GBIT,
        typical="25..400",
        stages=LEARNING,
        kinds=ONLY_TOKENS,
    ),
    choice(
        "data_location",
        [
            ("on_site", _("Only on our own site")),
            ("country", _("In the country")),
            ("anywhere", _("Anywhere")),
        ],
        _("Where may the data be?"),
        _("Data that must not leave the site rules out tests and support elsewhere."),
        "storage",
        used=False,
        brief_only=True,
    ),
    choice(
        "estate",
        [
            ("kubernetes", "Kubernetes"),
            ("slurm", "Slurm"),
            ("hypervisor", _("A hypervisor")),
            ("gpu_servers", _("GPU servers")),
            ("monitoring", _("Monitoring")),
        ],
        _("What runs there already?"),
        _("New servers have to work with it: drivers, images and monitoring follow from it."),
        "storage",
        repeats=True,
        used=False,
        brief_only=True,
    ),
]
