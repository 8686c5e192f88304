"""What servers are filtered and counted by: one bounded read, kept per process under the catalog version."""

from dataclasses import dataclass, field
from itertools import groupby

from django.conf import settings
from django.utils.translation import get_language

from catalog import versions
from catalog.models import (
    GPU,
    CoolingOption,
    GPUOption,
    Lifecycle,
    Server,
    SlotAlternative,
    Variant,
    WorkloadProfile,
)

SERVER_COLUMNS = (
    "pk",
    "slug",
    "name",
    "sort_key",
    "kind",
    "lifecycle",
    "launch_year",
    "launch_month",
    "for_training",
    "for_fine_tuning",
    "for_inference",
    "for_edge",
    "sockets_min",
    "sockets_max",
    "depth_mm",
    "short_depth",
    "bays_2_5",
    "bays_3_5",
    "bays_nvme",
    "rack_units",
    "module_max_count",
    "temperature_min_c",
    "temperature_max_c",
    "enclosure__rack_units",
    "enclosure__trays",
    "cpu_manufacturer__slug",
    "cpu_manufacturer__name",
    "cpu_manufacturer__sort_key",
)
STAGES = ("training", "fine_tuning", "inference")


@dataclass(frozen=True, slots=True, eq=False)
class GPUFacts:
    """A GPU; memory is of one device, power of one counted card."""

    slug: str
    name: str
    maker: str
    maker_name: str
    sort_key: tuple
    is_published: bool
    width: str | None  # "single", "double", "module"; None: not published
    memory_gb: int
    devices: int  # that one counted card brings
    tdp_w: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Configuration:
    """One way to order a server: a variant with one of its GPU options, or with one way to fill its slots.

    Conditions of several filters have to hold in the same one. `gpu` is None for a way to fill the slots, and
    where a list of GPUs is not published.
    """

    pk: int | None  # of the GPU option
    height: int | None  # U, of a tray its enclosure's
    rack_share: float | None  # U that one takes; of a tray, its share of a full enclosure
    bays: int | None  # the most of one kind; None: not published
    orderable: bool
    gpu: GPUFacts | None = None
    cards: int | None = None
    width: str | None = None
    link: str | None = None
    card_power_w: int | None = None
    blocks_bays: bool | None = None
    ambient_max_c: int | None = None
    rank: tuple = ()  # among options of equal memory: orderable and sure ones first

    @property
    def memory_gb(self):
        """Memory of all GPUs, as printed [GB]; None: the count is not published, or there is no GPU."""
        if self.gpu is None or self.cards is None:
            return None
        return self.cards * self.gpu.devices * self.gpu.memory_gb

    @property
    def memory_gb_per_u(self):
        """Printed memory per rack unit [GB/U]; None where a figure is missing."""
        return _ratio(self.memory_gb, self.rack_share)

    @property
    def power_w_per_u(self):
        """What the cards of a rack unit may draw [W/U], the rest of the server not counted."""
        return _ratio(self.power_w, self.rack_share)

    @property
    def power_w(self):
        """What all cards may draw [W]; None where a figure is missing."""
        if self.gpu is None or self.cards is None or self.card_power_w is None:
            return None
        return self.cards * self.card_power_w


def _ratio(amount, rack_units):
    return None if amount is None or rack_units is None else amount / rack_units


@dataclass(frozen=True, slots=True, eq=False)
class ServerFacts:
    """A published server with every way to order it; at least one."""

    pk: int
    slug: str
    name: str
    sort_key: str
    kind: str
    can_be_ordered: bool
    launch: tuple | None
    stages: frozenset
    for_edge: bool
    cpu_vendor: str | None
    sockets: tuple
    depth_mm: float | None
    short_depth: bool | None
    cooling: frozenset
    temperature_min_c: int | None
    temperature_max_c: int | None
    lists_gpus: bool
    height: int | None
    configurations: tuple


@dataclass(frozen=True, slots=True)
class Workload:
    slug: str
    stage: str
    gpus_min: int | None
    names: dict

    @property
    def name(self):
        return self.names.get(get_language()) or self.slug


@dataclass(frozen=True, slots=True)
class Facts:
    version: str
    servers: tuple
    gpus: tuple  # published ones that a published server takes
    cpu_vendors: tuple  # (slug, name)
    workloads: tuple
    prepared: dict = field(default_factory=dict)  # what `matching` has worked out of these facts


_kept = None


def load():
    """Return the published catalog as facts, read again only when the catalog version has changed."""
    global _kept
    version = versions.current()
    kept = _kept
    if kept is None or kept.version != version:
        kept = _kept = _read(version)
    return kept


def forget():
    """Read anew at the next call; for tests and benchmarks."""
    global _kept
    _kept = None


def _read(version):
    """Return the facts, in seven queries."""
    gpus = _gpus()
    options = _grouped(
        GPUOption.objects.filter(variant__server__is_published=True)
        .order_by("variant_id", "position", "id")
        .values_list(
            "variant_id",
            "pk",
            "gpu_id",
            "min_count",
            "max_count",
            "link",
            "lifecycle",
            "card_power_cap_w",
            "ambient_max_c",
            "blocks_bays",
            "basis",
        )
    )
    slots = _grouped(
        SlotAlternative.objects.filter(variant__server__is_published=True)
        .order_by("variant_id", "width", "count")
        .values_list("variant_id", "width", "count")
    )
    variants = _grouped(
        Variant.objects.filter(server__is_published=True)
        .order_by("server_id", "-is_default", "id")
        .values_list(
            "server_id", "pk", "rack_units", "bays_2_5", "bays_3_5", "bays_nvme", "lifecycle", named=True
        )
    )
    cooling = _grouped(
        CoolingOption.objects.filter(server__is_published=True)
        .order_by("server_id")
        .values_list("server_id", "kind")
    )
    rows = list(
        Server.objects.published().order_by("sort_key", "pk").values_list(*SERVER_COLUMNS, named=True)
    )
    servers = tuple(_server(row, variants, options, slots, cooling, gpus) for row in rows)
    taken = {
        configuration.gpu
        for server in servers
        for configuration in server.configurations
        if configuration.gpu and configuration.gpu.is_published
    }
    makers = {
        (row.cpu_manufacturer__sort_key, row.cpu_manufacturer__slug, row.cpu_manufacturer__name)
        for row in rows
        if row.cpu_manufacturer__slug
    }
    return Facts(
        version=version,
        servers=servers,
        gpus=tuple(sorted(taken, key=lambda gpu: gpu.sort_key)),
        cpu_vendors=tuple((slug, name) for _key, slug, name in sorted(makers)),
        workloads=_workloads(),
    )


def _grouped(rows):
    """Return {first column: rows} of rows that are ordered by it."""
    return {key: list(group) for key, group in groupby(rows, key=lambda row: row[0])}


def _gpus():
    rows = GPU.objects.select_related("manufacturer").only(
        "slug",
        "name",
        "sort_key",
        "is_published",
        "form",
        "slots_wide",
        "memory_gb",
        "devices_per_board",
        "tdp_w",
        "manufacturer__slug",
        "manufacturer__name",
        "manufacturer__sort_key",
    )
    return {
        gpu.pk: GPUFacts(
            slug=gpu.slug,
            name=gpu.name,
            maker=gpu.manufacturer.slug,
            maker_name=gpu.manufacturer.name,
            sort_key=(gpu.manufacturer.sort_key, gpu.sort_key, gpu.slug),
            is_published=gpu.is_published,
            width=_width(gpu),
            memory_gb=gpu.memory_gb,
            devices=gpu.devices_per_card,
            tdp_w=gpu.tdp_w,
        )
        for gpu in rows
    }


def _width(gpu):
    if gpu.form is None or (gpu.form == GPU.Form.PCIE and gpu.slots_wide is None):
        return None
    if gpu.form != GPU.Form.PCIE:
        return "module"
    return "double" if gpu.slots_wide > 1 else "single"


def _workloads():
    columns = [f"name_{code}" for code, _name in settings.LANGUAGES]
    rows = WorkloadProfile.objects.published().order_by("order", "slug")
    return tuple(
        Workload(
            slug=row["slug"],
            stage=row["stage"],
            gpus_min=row["gpus_min"],
            names={code: row[f"name_{code}"] for code, _name in settings.LANGUAGES},
        )
        for row in rows.values("slug", "stage", "gpus_min", *columns)
    )


def _server(row, variants, options, slots, cooling, gpus):
    own_variants = variants.get(row.pk, [])
    can_be_ordered = row.lifecycle == Lifecycle.CURRENT
    configurations = [
        configuration
        for variant in own_variants
        for configuration in _of_variant(row, variant, options.get(variant.pk, ()), slots, gpus)
    ]
    if row.module_max_count:
        configurations.append(
            Configuration(
                pk=None,
                orderable=can_be_ordered,
                cards=row.module_max_count,
                width="module",
                **_room(row),
            )
        )
    if not configurations:
        configurations.append(Configuration(pk=None, orderable=can_be_ordered, **_room(row)))
    least, most = row.sockets_min or row.sockets_max, row.sockets_max or row.sockets_min
    return ServerFacts(
        pk=row.pk,
        slug=row.slug,
        name=row.name,
        sort_key=row.sort_key,
        kind=row.kind,
        can_be_ordered=can_be_ordered,
        launch=(row.launch_year, row.launch_month or 0) if row.launch_year else None,
        stages=frozenset(stage for stage in STAGES if getattr(row, f"for_{stage}")),
        for_edge=row.for_edge,
        cpu_vendor=row.cpu_manufacturer__slug,
        sockets=tuple(range(least, most + 1)) if least else (),
        depth_mm=row.depth_mm,
        short_depth=row.short_depth,
        cooling=frozenset(kind for _server, kind in cooling.get(row.pk, ())),
        temperature_min_c=row.temperature_min_c,
        temperature_max_c=row.temperature_max_c,
        lists_gpus=any(variant.pk in options for variant in own_variants),
        height=_room(row)["height"],
        configurations=tuple(configurations),
    )


def _of_variant(row, variant, options, slots, gpus):
    """Yield the ways to order a variant: each GPU option and each way to fill the slots."""
    orderable = row.lifecycle == Lifecycle.CURRENT and variant.lifecycle == Lifecycle.CURRENT
    shared = _room(row, variant)
    for _variant, pk, gpu_id, _least, most, link, lifecycle, cap, ambient, blocks, basis in options:
        gpu = gpus[gpu_id]
        current = orderable and lifecycle == Lifecycle.CURRENT
        yield Configuration(
            pk=pk,
            orderable=current,
            gpu=gpu,
            cards=most,
            width=gpu.width,
            link=link,
            card_power_w=cap or gpu.tdp_w,
            blocks_bays=blocks,
            ambient_max_c=ambient,
            rank=(current, basis != GPUOption.Basis.DERIVED),
            **shared,
        )
    alternatives = slots.get(variant.pk, ())
    for _variant, width, count in alternatives:
        yield Configuration(pk=None, orderable=orderable, cards=count, width=width, **shared)
    if not options and not alternatives:
        yield Configuration(pk=None, orderable=orderable, **shared)


def _room(row, variant=None):
    """Return height, share of a rack and drive bays; what a variant leaves empty is the server's."""
    if row.enclosure__rack_units:
        height, share = row.enclosure__rack_units, row.enclosure__rack_units / row.enclosure__trays
    else:
        height = share = (variant and variant.rack_units) or row.rack_units
    bays = []
    for name in ("bays_2_5", "bays_3_5", "bays_nvme"):
        own = getattr(variant, name) if variant else None
        bays.append(getattr(row, name) if own is None else own)
    return {"height": height, "rack_share": share, "bays": _most(*bays)}


def _most(*counts):
    known = [count for count in counts if count is not None]
    return max(known) if known else None
