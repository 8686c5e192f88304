"""What the list of servers can be narrowed by, in the order of the page; names are part of our addresses.

A facet reads the values of a server, or of one of its configurations. "unknown" is a value of its own: the
figure is not published. A figure that makes no sense for a configuration has no value at all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _, pgettext_lazy

from catalog.models import GPUOption
from catalog.templatetags.units import celsius, format_number, gigabytes, millimetres, rack_units

UNKNOWN = "unknown"
NOT_PUBLISHED = _("Not published")

STAGES = [
    ("training", _("Training")),
    ("fine_tuning", _("Fine-tuning")),
    ("inference", _("Inference")),
    ("mixed", _("Fine-tuning and inference")),
    ("development", _("Development and pilots")),
]
SITES = [("datacenter", _("Data centre")), ("edge", _("Outside the data centre"))]
FORMS = [
    ("rack", _("Rack server")),
    ("tray", _("Tray for an enclosure")),
    ("edge", _("Edge server")),
    ("tower", _("Tower")),
]
COOLING = [
    ("air", _("Air, no water loop needed")),
    ("liquid", _("Water loop in use or as an option")),
    (UNKNOWN, NOT_PUBLISHED),
]
COOLING_KINDS = {
    "air": "air",
    "closed_loop": "air",
    "direct_water": "liquid",
    "water_module": "liquid",
}
CARD_WIDTHS = [
    ("single", _("Single-wide cards")),
    ("double", _("Double-wide cards")),
    ("module", _("SXM or OAM modules")),
    (UNKNOWN, NOT_PUBLISHED),
]
LINKS = [*GPUOption.Link.choices, (UNKNOWN, NOT_PUBLISHED)]
GPU_BAYS = [
    ("kept", _("All bays stay usable")),
    ("taken", _("GPUs take the place of bays")),
    (UNKNOWN, NOT_PUBLISHED),
]
ORDERABLE = [("yes", _("Can be ordered")), ("no", _("Server no longer ordered"))]


@dataclass(frozen=True)
class Choices:
    """A facet of named values; within it any of the chosen ones is enough.

    `values` takes a server or, where `of_configuration`, a server and one of its configurations.
    """

    name: str
    label: Any
    values: Callable
    choices: Callable  # of the facts
    hint: Any = ""
    of_configuration: bool = False
    single: bool = False  # one choice at a time

    @property
    def keys(self):
        return (self.name,)

    def test(self, cleaned):
        """Return what judges values, or None where nothing is asked.

        It returns True (they pass), False, or None: it hangs on a figure that is not published.
        """
        chosen = cleaned.get(self.name)
        if not chosen:
            return None
        wanted = {chosen} if self.single else set(chosen)

        def judge(values):
            if not wanted.isdisjoint(values):
                return True
            return None if UNKNOWN in values else False

        return judge


@dataclass(frozen=True)
class Limits:
    """A facet of one figure with a lower and an upper limit; who does not publish it can be asked for too."""

    name: str
    label: Any
    figure: Callable
    low_label: Any
    high_label: Any
    text: Callable  # writes a limit with its unit
    unit: Any = ""
    hint: Any = ""
    of_configuration: bool = False
    has_figure: Callable = lambda *subject: True  # whether a missing figure is one that is not published
    signed: bool = False
    ends: tuple = ()  # keys of the limits, where they are not <name>_min and <name>_max
    single = False

    @property
    def number_keys(self):
        return self.ends or (f"{self.name}_min", f"{self.name}_max")

    @property
    def keys(self):
        return (*self.number_keys, self.name)

    def values(self, *subject):
        """Return the figure as the only value, or "unknown", or nothing."""
        figure = self.figure(*subject)
        if figure is not None:
            return (figure,)
        return (UNKNOWN,) if self.has_figure(*subject) else ()

    def test(self, cleaned):
        """Return what judges values, as `Choices.test` does."""
        low, high, chosen = (cleaned.get(key) for key in self.keys)
        limited = low is not None or high is not None
        if not limited and not chosen:
            return None

        def judge(values):
            if not values:
                return False
            (value,) = values
            verdict = None if value == UNKNOWN else limited and self._within(value, low, high)
            return True if verdict is None and chosen else verdict

        return judge

    def _within(self, value, low, high):
        return (low is None or value >= low) and (high is None or value <= high)


@dataclass(frozen=True)
class RoomTemperature(Limits):
    """The room that a server stands: its own limits have to hold what is asked, at both ends."""

    def _within(self, value, low, high):
        coldest, warmest = value
        verdicts = []
        if low is not None:
            verdicts.append(None if coldest is None else coldest <= low)
        if high is not None:
            verdicts.append(None if warmest is None else warmest >= high)
        if False in verdicts:
            return False
        return None if None in verdicts else True


def _stages(server):
    found = [*server.stages, "development"]
    return (*found, "mixed") if {"fine_tuning", "inference"} <= server.stages else found


def _sites(server):
    sites = ["edge"] if server.for_edge or server.kind in ("edge", "tower") else []
    return sites if server.kind == "edge" else [*sites, "datacenter"]


def _forms(server):
    return {server.kind, "edge"} if server.for_edge else (server.kind,)


def _depth_words(server):
    return {True: ("short",), False: ("ordinary",), None: (UNKNOWN,)}[server.short_depth]


def _cooling(server):
    return {COOLING_KINDS[kind] for kind in server.cooling} or (UNKNOWN,)


def _sockets(server):
    return [str(count) for count in server.sockets] or (UNKNOWN,)


def _gpus(server, configuration):
    if configuration.gpu:
        return (configuration.gpu.slug,) if configuration.gpu.is_published else ()
    return () if server.lists_gpus else (UNKNOWN,)


def _gpu_vendors(server, configuration):
    if configuration.gpu:
        return (configuration.gpu.maker,)
    return () if server.lists_gpus else (UNKNOWN,)


def _widths(server, configuration):
    if configuration.width:
        return (configuration.width,)
    nothing_known = configuration.gpu is None and len(server.configurations) > 1
    return () if nothing_known else (UNKNOWN,)


def _links(server, configuration):
    if configuration.link:
        return (configuration.link,)
    alone = configuration.cards == 1 and configuration.gpu is not None and configuration.gpu.devices == 1
    return () if alone or _no_gpu_but_others(server, configuration) else (UNKNOWN,)


def _gpu_bays(server, configuration):
    if _no_gpu_but_others(server, configuration):
        return ()
    return {True: ("taken",), False: ("kept",), None: (UNKNOWN,)}[configuration.blocks_bays]


def _no_gpu_but_others(server, configuration):
    return configuration.gpu is None and server.lists_gpus


def _lists_gpus(server, configuration):
    return not _no_gpu_but_others(server, configuration)


def _memory_each(server, configuration):
    return configuration.gpu.memory_gb if configuration.gpu else None


def _heights(server, configuration):
    return (UNKNOWN,) if configuration.height is None else (str(configuration.height),)


def _orderable(server, configuration):
    if configuration.orderable:
        return ("yes",)
    return () if server.can_be_ordered else ("no",)


def _room_temperature(server, configuration):
    """Return (coldest, warmest) room; a card that stands less lowers the upper end."""
    warmest = [
        limit for limit in (server.temperature_max_c, configuration.ambient_max_c) if limit is not None
    ]
    if not warmest and server.temperature_min_c is None:
        return None
    return server.temperature_min_c, min(warmest) if warmest else None


def _listed(choices):
    return lambda facts: choices


def _height_choices(facts):
    heights = {configuration.height for server in facts.servers for configuration in server.configurations}
    known = sorted(heights - {None})
    return [*((str(height), rack_units(height)) for height in known), (UNKNOWN, NOT_PUBLISHED)]


def _socket_choices(facts):
    counts = sorted({count for server in facts.servers for count in server.sockets})
    return [*((str(count), format_number(count)) for count in counts), (UNKNOWN, NOT_PUBLISHED)]


def _gpu_choices(facts):
    return [*((gpu.slug, gpu.name) for gpu in facts.gpus), (UNKNOWN, NOT_PUBLISHED)]


def _gpu_vendor_choices(facts):
    return [*{gpu.maker: gpu.maker_name for gpu in facts.gpus}.items(), (UNKNOWN, NOT_PUBLISHED)]


def _cpu_vendor_choices(facts):
    return [*facts.cpu_vendors, (UNKNOWN, NOT_PUBLISHED)]


@dataclass(frozen=True)
class Workloads(Choices):
    """Kinds of work: servers made for their stage, with room for the GPUs that they begin with."""

    def prepared(self, facts):
        """Return the facet with `values` for these facts."""

        def values(server, configuration):
            gpus = configuration.cards and configuration.cards * (
                configuration.gpu.devices if configuration.gpu else 1
            )
            stages = _stages(server)
            return [
                work.slug
                for work in facts.workloads
                if work.stage in stages and ((work.gpus_min or 1) == 1 or (gpus or 0) >= work.gpus_min)
            ]

        return Choices(
            self.name, self.label, values, self.choices, self.hint, of_configuration=True, single=True
        )


FACETS = (
    Choices("stage", _("Stage"), _stages, _listed(STAGES), single=True),
    Workloads(
        "workload",
        _("Work"),
        None,
        lambda facts: [(work.slug, work.name) for work in facts.workloads],
        _("Servers made for its stage with room for the GPUs that it usually begins with."),
        of_configuration=True,
        single=True,
    ),
    Choices("site", _("Place"), _sites, _listed(SITES), single=True),
    Choices("gpu", _("GPU"), _gpus, _gpu_choices, of_configuration=True),
    Choices("gpu_vendor", _("GPUs by"), _gpu_vendors, _gpu_vendor_choices, of_configuration=True),
    Limits(
        "gpu_memory",
        _("GPU memory"),
        lambda server, configuration: configuration.memory_gb,
        _("GPU memory from"),
        _("GPU memory up to"),
        gigabytes,
        pgettext_lazy("unit", "GB"),
        _("All cards of a server together."),
        of_configuration=True,
        has_figure=_lists_gpus,
    ),
    Limits(
        "memory_each",
        _("Memory of one GPU"),
        _memory_each,
        _("Memory of one GPU from"),
        _("Memory of one GPU up to"),
        gigabytes,
        pgettext_lazy("unit", "GB"),
        of_configuration=True,
        has_figure=_lists_gpus,
    ),
    Limits(
        "gpu_count",
        _("Number of cards"),
        lambda server, configuration: configuration.cards,
        _("Cards from"),
        _("Cards up to"),
        format_number,
        hint=_("The most that a server takes, of the same GPU or width."),
        of_configuration=True,
    ),
    Choices("card_width", _("GPU cards"), _widths, _listed(CARD_WIDTHS), of_configuration=True),
    Choices("link", _("Link between GPUs"), _links, _listed(LINKS), of_configuration=True),
    Choices(
        "rack_units",
        _("Height"),
        _heights,
        _height_choices,
        _("A tray counts with its enclosure."),
        of_configuration=True,
    ),
    Choices("kind", _("Form"), _forms, _listed(FORMS)),
    Limits(
        "depth",
        _("Depth"),
        lambda server: server.depth_mm,
        _("Depth from"),
        _("Depth up to"),
        millimetres,
        pgettext_lazy("unit", "mm"),
    ),
    Choices(
        "short_depth",
        _("Short depth"),
        _depth_words,
        _listed(
            [("short", _("Short, as its maker says")), ("ordinary", _("Not short")), (UNKNOWN, NOT_PUBLISHED)]
        ),
    ),
    Choices(
        "cpu_vendor",
        _("Processors by"),
        lambda server: (server.cpu_vendor or UNKNOWN,),
        _cpu_vendor_choices,
    ),
    Choices("sockets", _("Number of processors"), _sockets, _socket_choices),
    Limits(
        "bays",
        _("Drive bays"),
        lambda server, configuration: configuration.bays,
        _("Drive bays from"),
        _("Drive bays up to"),
        format_number,
        hint=_("The most of one kind (2.5-inch, 3.5-inch or NVMe), before GPUs take any away."),
        of_configuration=True,
    ),
    Choices(
        "gpu_bays",
        _("Drive bays beside the GPUs"),
        _gpu_bays,
        _listed(GPU_BAYS),
        of_configuration=True,
    ),
    Choices("cooling", _("Cooling"), _cooling, _listed(COOLING)),
    RoomTemperature(
        "temperature",
        _("Room temperature"),
        _room_temperature,
        _("Coldest room"),
        _("Warmest room"),
        celsius,
        pgettext_lazy("unit", "°C"),
        _("The maker's limits; the upper one may hold only for some configurations."),
        of_configuration=True,
        signed=True,
        ends=("temperature_min_c", "temperature_max_c"),
    ),
    Choices("orderable", _("Availability"), _orderable, _listed(ORDERABLE), of_configuration=True),
)
BY_NAME = {facet.name: facet for facet in FACETS}
NUMBER_KEYS = tuple(
    key for facet in FACETS if isinstance(facet, Limits) and not facet.signed for key in facet.number_keys
)
SIGNED_KEYS = tuple(
    key for facet in FACETS if isinstance(facet, Limits) and facet.signed for key in facet.number_keys
)
