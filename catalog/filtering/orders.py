"""The orders of the list: what cannot be ordered stands after what can, what is not known last both ways."""

from django.utils.translation import gettext_lazy as _

DEFAULT = "name"


def _figure(name):
    """Return what reads a figure of the configuration that stands for a server."""
    return lambda server, best: None if best is None else getattr(best, name)


def _memory_each(server, best):
    return best.gpu.memory_gb if best else None


# key: (what it goes by, whether the largest comes first). "-" before the key turns it round.
KEYS = {
    "name": (lambda server, best: server.sort_key, False),
    "gpu_memory": (_figure("memory_gb"), True),
    "memory_each": (_memory_each, True),
    "memory_per_u": (_figure("memory_gb_per_u"), True),
    "power_per_u": (_figure("power_w_per_u"), False),
    "height": (lambda server, best: server.height, False),
    "newest": (lambda server, best: server.launch, True),
}
SORTS = [
    ("name", _("Name")),
    ("-name", _("Name, from Z to A")),
    ("gpu_memory", _("Most GPU memory first")),
    ("-gpu_memory", _("Least GPU memory first")),
    ("memory_each", _("Largest GPUs first")),
    ("-memory_each", _("Smallest GPUs first")),
    ("memory_per_u", _("Most memory per rack unit first")),
    ("-memory_per_u", _("Least memory per rack unit first")),
    ("power_per_u", _("Lowest GPU power per rack unit first")),
    ("-power_per_u", _("Highest GPU power per rack unit first")),
    ("height", _("Lowest height first")),
    ("-height", _("Greatest height first")),
    ("newest", _("Newest first")),
    ("-newest", _("Oldest first")),
]
NAMES = dict(SORTS)


def known(sort):
    """Return the order that is asked for, or the usual one where it is none."""
    return sort if sort in NAMES else DEFAULT


def best(configurations):
    """Return the configuration that stands for a server: the most memory, then what is surest; or None."""
    offered = [row for row in configurations if row.gpu]
    return max(
        offered, key=lambda row: (row.memory_gb is not None, row.memory_gb or 0, row.rank), default=None
    )


def ordered(matches, sort):
    """Return [(server, the configuration that stands for it)] of an Outcome's matches, in an order."""
    key, largest_first = KEYS[sort.removeprefix("-")]
    if sort.startswith("-"):
        largest_first = not largest_first
    rows = sorted(
        ((server, best(configurations)) for server, configurations in matches.items()),
        key=lambda row: row[0].sort_key,
    )
    figures = {server: key(server, chosen) for server, chosen in rows}
    known_rows = [row for row in rows if figures[row[0]] is not None]
    known_rows.sort(key=lambda row: figures[row[0]], reverse=largest_first)
    unknown_rows = [row for row in rows if figures[row[0]] is None]
    return sorted([*known_rows, *unknown_rows], key=lambda row: not row[0].can_be_ordered)
