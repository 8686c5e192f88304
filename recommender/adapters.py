"""Catalogue rows turned into the core's values: the one place where units change.

GB/s become bytes a second, TFLOPS FLOP a second, GiB bytes. Everything published is read at once and kept
for as long as the catalog version stays the same.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

from django.db.models import CharField, Exists, OuterRef, Prefetch, Q, StringAgg, Value
from django.db.models.functions import Cast

from catalog import versions
from catalog.models import (
    AIModel,
    BenchmarkResult,
    CoolingOption,
    Evidence,
    GPUOption,
    Manufacturer,
    Server,
    Variant,
    WorkloadProfile,
)
from recommender.cases import Preset
from recommender.sizing.demand import Bare, Machine
from recommender.sizing.specs import (
    GIB,
    USABLE_SHARE,
    AIModelSpec,
    CacheGroup,
    ExtraModule,
    GPUSpec,
    MeasuredResult,
    NodeSpec,
    Range,
    SizingError,
)

logger = logging.getLogger(__name__)

# One lane, both directions [bytes/s], by PCIe generation (PCI-SIG: 8, 16, 32, 64 GT/s with their coding).
PCIE_LANE = {3: 1.97e9, 4: 3.94e9, 5: 7.88e9, 6: 15.13e9}
PCIE_LANES = 16

COUNTS = (1, 2, 4, 8)
RATES = ("fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp4")
INTEGER_RATES = ("int8", "int4")
WATER = CoolingOption.Kind.DIRECT_WATER
WORKLOADS = ("training", "fine_tuning", "inference", "edge", "hpc")


@dataclass(frozen=True)
class Specs:
    """Everything published, as the core takes it."""

    version: str
    machines: tuple[Machine, ...]
    models: Mapping[str, AIModelSpec]
    names: Mapping[str, str]  # of models, servers, GPUs and makers, by slug
    developers: Mapping[str, str]  # of models, by slug
    presets: Mapping[str, Preset]
    vendors: Mapping[str, frozenset[str]]
    measured: tuple[MeasuredResult, ...] = ()  # rates that others measured, with their links

    @cached_property
    def servers(self) -> frozenset[str]:
        """Slugs of the published servers."""
        return frozenset(machine.bare.server for machine in self.machines)


_kept: Specs | None = None
_lock = Lock()


def load_specs() -> Specs:
    """Return the published catalog as specs, read again only when the catalog version has changed."""
    global _kept
    version = versions.current()
    kept = _kept
    if kept is not None and kept.version == version:
        return kept
    with _lock:
        specs = _read(version)
        _kept = specs
    return specs


def read() -> Specs:
    """Return the published catalog as this transaction sees it, kept for nobody: it may be taken back."""
    return _read(versions.current())


def forget() -> None:
    """Read the catalog anew at the next call; for tests that change rows behind the version's back."""
    global _kept
    _kept = None


def _read(version: str) -> Specs:
    servers = (
        Server.objects.published()
        .select_related("cpu_manufacturer", "enclosure", "successor")
        .annotate(
            supply_sizes=StringAgg(Cast("power_supplies__power_w", CharField()), delimiter=Value(" ")),
            supply_sizes_weak=Exists(
                Evidence.objects.filter(server=OuterRef("pk"), field="power_supplies", weak=True, kept=True)
            ),
        )
        .annotate(
            takes_air=Exists(CoolingOption.objects.filter(server=OuterRef("pk")).exclude(kind=WATER)),
            takes_liquid=Exists(CoolingOption.objects.filter(server=OuterRef("pk"), kind=WATER)),
        )
        .prefetch_related(
            Prefetch("variants", Variant.objects.order_by("-is_default", "id")),
            Prefetch(
                "variants__gpu_options",
                GPUOption.objects.select_related("gpu__manufacturer").order_by("position", "id"),
            ),
        )
        .order_by("slug")
    )
    machines = tuple(machine_of(server) for server in servers)
    models = AIModel.objects.for_sizing()
    names = {model.slug: model.name for model in models}
    for server in servers:
        names[server.slug] = server.name
        if server.successor:
            names[server.successor.slug] = server.successor.name
        for variant in server.variants.all():
            for option in variant.gpu_options.all():
                names[option.gpu.slug] = option.gpu.name
    makers = Manufacturer.objects.filter(Q(makes_processors=True) | Q(makes_gpus=True)).order_by("slug")
    names |= {maker.slug: maker.name for maker in makers}
    measured = measured_results()
    of_model = defaultdict(list)
    for result in measured:
        of_model[result.model].append(result)
    return Specs(
        version=version,
        machines=machines,
        models={model.slug: ai_model_spec(model, of_model[model.slug]) for model in models},
        names=names,
        developers={model.slug: model.developer or "—" for model in models},  # not published
        presets=_presets(),
        vendors={
            "cpu_vendor": frozenset(maker.slug for maker in makers if maker.makes_processors),
            "gpu_vendor": frozenset(maker.slug for maker in makers if maker.makes_gpus),
        },
        measured=measured,
    )


def measured_results() -> tuple[MeasuredResult, ...]:
    """Return every published rate, in one query."""
    cards: dict[str, GPUSpec | None] = {}
    results = []
    for row in BenchmarkResult.objects.for_sizing():
        if row.gpu.slug not in cards:
            cards[row.gpu.slug] = _sound(row.gpu)
        card = cards[row.gpu.slug]
        if card is None:
            continue
        results.append(
            MeasuredResult(
                card=card,
                server=row.server.slug if row.server and row.server.is_published else None,
                model=row.ai_model.slug if row.ai_model else row.model_name,
                kind=row.work,
                unit=row.figure,
                value=row.value,
                count=row.gpu_count,
                precision=row.precision,
                link=row.link,
                group=row.group,
                servers=row.servers,
                suite=row.suite,
                round=row.round,
                scenario=row.scenario,
                engine=row.engine,
                method=row.method,
                input_tokens=row.input_tokens,
                output_tokens=row.output_tokens,
                concurrency=row.concurrency,
                sequence_tokens=row.sequence_tokens,
                work_per_sample=row.sample_work,
            )
        )
    return tuple(results)


def _presets() -> dict[str, Preset]:
    """Return the published kinds of work with their typical values, in the order in which they are listed."""
    rows = (
        WorkloadProfile.objects.published()
        .order_by("order", "slug")
        .values_list("slug", "stage", "assumptions__key", "assumptions__value")
    )
    presets: dict[str, Preset] = {}
    for slug, stage, key, value in rows:
        preset = presets.setdefault(slug, Preset(slug, stage, {}))
        if key:
            preset.values[key] = value
    return presets


def ai_model_spec(model: AIModel, measured: Iterable[MeasuredResult] = ()) -> AIModelSpec:
    """Return the shape of a published model, with what was measured of it where it makes no text."""
    return AIModelSpec(
        slug=model.slug,
        kind=model.kind,
        parameters=model.parameters,
        active_parameters=model.active_parameters,
        num_layers=model.num_layers,
        hidden_size=model.hidden_size,
        num_attention_heads=model.num_attention_heads,
        num_kv_heads=model.num_kv_heads,
        head_dim=model.head_dim,
        intermediate_size=model.intermediate_size,
        vocab_size=model.vocab_size,
        tie_embeddings=model.tie_embeddings,
        max_context=model.max_context,
        native_precision=model.native_precision,
        cache_groups=tuple(
            CacheGroup(
                kind=group.kind,
                layers=group.layers,
                kv_heads=group.kv_heads,
                head_dim=group.head_dim,
                latent_dim=group.latent_dim,
                rope_dim=group.rope_dim,
                window=group.window,
                state_bytes=group.state_bytes,
                tokens_per_entry=group.tokens_per_entry,
                tensor_sharded=group.tensor_sharded,
            )
            for group in model.cache_groups.all()
        ),
        cache_known=model.cache_known,
        cache_contested=getattr(model, "cache_contested", False),
        experts=model.experts,
        experts_per_token=model.experts_per_token,
        shared_experts=model.shared_experts,
        moe_intermediate_size=model.moe_intermediate_size,
        first_dense_layers=model.first_dense_layers,
        mtp_parameters=model.mtp_parameters,
        extra_modules=tuple(
            ExtraModule(part.name, part.parameters, part.tensor_sharded) for part in model.parts.all()
        ),
        measured_weights={name: gib * GIB for name, gib in model.measured_weight_gib().items()},
        gflop_per_image=model.gflop_per_image,
        measured=() if model.kind in (AIModel.Kind.LLM, AIModel.Kind.VLM) else tuple(measured),
    )


def gpu_spec(gpu) -> GPUSpec:
    """Return one GPU; what its maker does not print stays unknown."""
    if gpu.memory_gib_usable:
        memory = Range.exact(gpu.memory_gib_usable * GIB)
    else:
        memory = USABLE_SHARE.scaled(gpu.memory_gb * GIB)
    rates = {name: getattr(gpu, f"{name}_tflops") for name in RATES}
    rates |= {name: getattr(gpu, f"{name}_tops") for name in INTEGER_RATES}
    form = gpu.form or None
    if form == "pcie" and gpu.slots_wide:
        form = "pcie-double-wide" if gpu.slots_wide > 1 else "pcie-single-wide"
    lane = PCIE_LANE.get(gpu.pcie_gen)
    return GPUSpec(
        slug=gpu.slug,
        vendor=gpu.manufacturer.slug,
        architecture=gpu.architecture,
        form=form,
        memory_bytes=memory,
        memory_reported=bool(gpu.memory_gib_usable),
        memory_label_gb=gpu.memory_gb,
        bandwidth_bytes_per_s=gpu.bandwidth_gbs and gpu.bandwidth_gbs * 1e9,
        dense_flops={name: value * 1e12 for name, value in rates.items() if value},
        native_precisions=frozenset(gpu.native_precisions.split()),
        tdp_w=gpu.tdp_w,
        compute_capability=_capability(gpu.compute_capability),
        nvlink_bytes_per_s=gpu.nvlink_gbs_total and gpu.nvlink_gbs_total * 1e9,
        bridge_max_gpus=gpu.bridge_max_gpus,
        pcie_bytes_per_s=lane and lane * (gpu.pcie_lanes or PCIE_LANES),
        devices_per_board=gpu.devices_per_board,
        market_state=gpu.market_state,
        serves_language_models=gpu.serves_language_models,
    )


def _capability(text: str | None) -> tuple[int, int] | None:
    """Return CUDA's compute capability as numbers; other makers' names are none."""
    major, _, minor = (text or "").partition(".")
    return (int(major), int(minor)) if major.isdigit() and minor.isdigit() else None


def machine_of(server: Server) -> Machine:
    """Return a row, read with all that hangs on it, as a machine with all that can be ordered in it."""
    enclosure = server.enclosure
    site = {
        "server": server.slug,
        "cpu_vendor": server.cpu_manufacturer.slug if server.cpu_manufacturer else "",
        "kind": server.kind,
        "enclosure_rack_units": enclosure.rack_units if enclosure else None,
        "enclosure_trays": enclosure.trays if enclosure else None,
        "depth_mm": server.depth_mm,
        "cooling": _cooling(server),
        "temperature_min_c": server.temperature_min_c,
        "temperature_max_c": server.temperature_max_c,
        "temperature_conditional": bool(server.temperature_conditional),
        "temperature_sure_c": server.temperature_sure_c,
        "workloads": frozenset(name for name in WORKLOADS if getattr(server, f"for_{name}")),
    }
    # Supplies of an enclosure feed several trays; how many, nobody publishes.
    sizes = "" if enclosure else getattr(server, "supply_sizes", None) or ""
    power = {
        "cpu_max_tdp_w": server.cpu_max_tdp_w,
        "psu_count": None if enclosure else server.psu_count,
        "psu_sizes_w": tuple(sorted(int(size) for size in sizes.split())),
        "psu_sizes_partial": getattr(server, "supply_sizes_weak", False),
        "ashrae_class": server.ashrae_class or "",
    }
    nodes = [
        _node(server, variant, option, gpu, site | power)
        for variant in server.variants.all()
        for option in variant.gpu_options.all()
        if option.gpu.is_published and (gpu := _sound(option.gpu))
    ]
    return Machine(Bare(rack_units=server.rack_units, **site), tuple(nodes))


def _cooling(server: Server) -> frozenset[str]:
    """Return what cools a server, from the annotations of `_read` or else from its rows."""
    if hasattr(server, "takes_air"):
        taken = {"air": server.takes_air, "liquid": server.takes_liquid}
        return frozenset(name for name, is_taken in taken.items() if is_taken)
    kinds = {option.kind for option in server.cooling_options.all()}
    return frozenset("liquid" if kind == WATER else "air" for kind in kinds)


def _sound(gpu) -> GPUSpec | None:
    """Return one GPU; None, and a line in the log, where its memory cannot be that of a device."""
    try:
        return gpu_spec(gpu)
    except SizingError as error:
        logger.error("GPU left out: %s", error)
        return None


def _node(server: Server, variant: Variant, option: GPUOption, gpu: GPUSpec, site: dict) -> NodeSpec:
    link, rate, joined = _link(option, gpu)
    return NodeSpec(
        variant=variant.slug,
        gpu=gpu,
        counts=_counts(option, gpu),
        count_known=option.max_count is not None,
        link=link,
        link_bytes_per_s=rate,
        link_max_gpus=joined,
        evidence=option.basis,
        sockets_min=server.sockets_min or 1,
        sockets_max=server.sockets_max or server.sockets_min or 2,
        option_min_sockets=option.min_sockets,
        option_min_psu_w=option.min_psu_w,
        option_ambient_max_c=option.ambient_max_c,
        card_power_cap_w=option.card_power_cap_w,
        rack_units=variant.rack_units or server.rack_units,
        drive_bays=_bays(server, variant),
        server_orderable=server.can_be_ordered,
        option_orderable=option.can_be_ordered and variant.lifecycle == "current",
        successor=server.successor.slug if server.successor else None,
        special_order=option.special_order,
        not_in_quiet_modes=option.not_in_quiet_modes,
        **site,
    )


def _bays(server: Server, variant: Variant) -> int | None:
    """Return the most bays for drives of one width that a base model takes; None: none is published."""
    widths = ("bays_2_5", "bays_3_5", "bays_nvme")
    known = [getattr(variant, name) for name in widths] + [getattr(server, name) for name in widths]
    own = [bays for bays in known[:3] if bays is not None] or [bays for bays in known[3:] if bays is not None]
    return max(own, default=None)


def _counts(option: GPUOption, gpu: GPUSpec) -> tuple[int, ...]:
    """Return the GPUs of what may be ordered: powers of two of cards, or the fixed or largest number."""
    if option.max_count is None:
        cards = {option.min_count}
    elif option.fixed:
        cards = {option.max_count}
    else:
        cards = {count for count in COUNTS if option.min_count <= count <= option.max_count}
        cards.add(option.max_count)
    return tuple(sorted(count * gpu.gpus_per_card for count in cards))


def _link(option: GPUOption, gpu: GPUSpec) -> tuple[str, float | None, int]:
    """Return the link of a board in its server, its rate [bytes/s] and how many GPUs it joins."""
    rate = option.link_gbs * 1e9 if option.link_gbs else None
    most = (option.max_count or 1) * gpu.gpus_per_card
    if option.link in ("nvswitch", "nvlink", "fabric"):
        return option.link, rate or gpu.nvlink_bytes_per_s, option.link_max_gpus or most
    if option.link == "bridge":
        joined = option.link_max_gpus or gpu.bridge_max_gpus or 2
        return "bridge", rate or gpu.nvlink_bytes_per_s, joined
    return "pcie", rate or gpu.pcie_bytes_per_s, 1
