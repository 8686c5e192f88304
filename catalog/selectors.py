"""Reads that join several tables for one page."""

from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.translation import gettext

from catalog import sentences
from catalog.models import GPU, AIModel, Evidence, Requirement, Server, WorkloadProfile
from catalog.selectors_evidence import Mark, Sources, source_list
from catalog.templatetags.rack import card_kind
from catalog.templatetags.units import UNITS

RATES = [
    *((precision, "tflops") for precision in ("FP64", "FP32", "TF32", "BF16", "FP16", "FP8", "FP4")),
    *((precision, "tops") for precision in ("INT8", "INT4")),
]
MAX_OPTIONS = 5  # GPUs in a row of a list
MAX_WORDS = 8  # of a search


# Servers


@dataclass(frozen=True)
class OptionRow:
    """One GPU option as a table row, in sentences."""

    option: object
    server: object
    cards: str
    memory: str
    link: str | None
    conditions: list
    mark: Mark | None = None


def option_row(option, mark=None, server=None):
    return OptionRow(
        option=option,
        server=server,
        cards=sentences.cards(option),
        memory=sentences.gpu_memory(option),
        link=sentences.link(option),
        conditions=sentences.conditions(option),
        mark=mark,
    )


@dataclass(frozen=True)
class ServerCard:
    """One server as a row of a list."""

    server: Server
    height: str
    room: str | None
    limited_room: str | None  # with what a card of each kind may draw
    best: OptionRow | None
    options: list
    more_options: int
    cooling: str | None
    room_temperature: str | None
    cpu_generations: list
    drive_bays: list
    drawing: dict


def server_card(server):
    """Return a server of `Server.objects.for_cards()` as a row of a list; no query."""
    options = [option for variant in server.variants.all() for option in variant.gpu_options.all()]
    largest = max(options, key=_total_memory, default=None)
    offered = sorted(
        (option for option in _one_a_gpu(options) if option.gpu.serves_language_models),
        key=lambda option: (option.can_be_ordered, not option.is_derived, _total_memory(option)),
        reverse=True,
    )
    return ServerCard(
        server=server,
        height=sentences.height(server),
        room=sentences.card_room(_room(server)),
        limited_room=sentences.card_room(_room(server), _limits(server)),
        best=option_row(largest) if largest else None,
        options=[option_row(option) for option in offered[:MAX_OPTIONS]],
        more_options=max(len(offered) - MAX_OPTIONS, 0),
        cooling=sentences.cooling(server),
        room_temperature=sentences.room_temperature(server),
        cpu_generations=(server.cpu_generations or "").splitlines(),
        drive_bays=sentences.drive_bays(server),
        drawing=next(iter(drawings(server)), {"cards": None, "count": 0, "height": None, "name": ""}),
    )


def _total_memory(option):
    """Return what orders options: the printed memory as `gpu_memory_gb` counts it, then how sure it is."""
    count = (option.max_count or option.min_count) * option.gpu.devices_per_card
    return count * option.gpu.memory_gb, option.can_be_ordered, not option.is_derived


def _one_a_gpu(options):
    """Return the option with the most cards of each GPU, for each power that a card is held to."""
    best = {}
    for option in options:
        kind = option.gpu_id, option.card_power_cap_w
        known = best.get(kind)
        if known is None or (option.max_count or 0) > (known.max_count or 0):
            best[kind] = option
    return list(best.values())


def _room(server):
    """Return {"single", "double", "module": how many fit} over all variants."""
    room = {}
    for variant in server.variants.all():
        for alternative in variant.slot_alternatives.all():
            room[alternative.width] = max(room.get(alternative.width, 0), alternative.count)
    if server.module_max_count:
        room["module"] = server.module_max_count
    return room


def _limits(server):
    """Return {"single", "double": watts a card}, where all variants with that room state the same."""
    stated = {}
    for variant in server.variants.all():
        for alternative in variant.slot_alternatives.all():
            stated.setdefault(alternative.width, set()).add(alternative.card_max_w)
    return {width: limits.pop() for width, limits in stated.items() if len(limits) == 1}


def drawings(server):
    """Return which front views to draw, the first variant's widest cards first.

    Each is {cards, count, height, name}; the name is the variant's, where there are several.
    """
    found = []
    several = len(server.variants.all()) > 1
    for variant in server.variants.all():
        counts = {}
        for alternative in variant.slot_alternatives.all():
            counts[alternative.width] = max(counts.get(alternative.width, 0), alternative.count)
        for option in variant.gpu_options.all():
            kind = card_kind(option.gpu)
            if (kind == "module" or not variant.slot_alternatives.all()) and option.max_count:
                counts[kind] = max(counts.get(kind, 0), option.max_count)
        for kind in ("double", "single", "module", "card"):
            if counts.get(kind):
                name = variant.name if several else ""
                found.append(
                    {"cards": kind, "count": counts[kind], "height": variant.rack_units, "name": name}
                )
    if not found and server.module_max_count:
        found.append({"cards": "module", "count": server.module_max_count, "height": None, "name": ""})
    return found


# GPUs


def gpu_list():
    """Return [(maker, GPUs)] with how many published servers take each GPU, in one query."""
    gpus = GPU.objects.for_cards().annotate(
        server_count=Count(
            "options__variant__server",
            filter=Q(options__variant__server__is_published=True),
            distinct=True,
        )
    )
    makers = {}
    for gpu in gpus:
        makers.setdefault(gpu.manufacturer, []).append(gpu)
    return sorted(makers.items(), key=lambda item: (-len(item[1]), item[0].sort_key))


def gpu_page(gpu):
    """Return what a GPU's page prints, for a GPU of `GPU.objects.for_page()`; one query."""
    sources = Sources()
    evidence = list(Evidence.objects.filter(gpu=gpu).select_related("source"))
    marks = sources.marks(evidence, gpu)
    sources.list_figures(gpu, evidence)
    options = [option for option in gpu.options.all() if option.variant.server.is_published]
    for option in options:
        option.gpu = gpu
    options.sort(
        key=lambda row: (not row.variant.server.can_be_ordered, row.variant.server.sort_key, row.position)
    )
    return {
        "gpu": gpu,
        "usable": sentences.usable_memory(gpu),
        "launched": sentences.when(gpu.launch_year, gpu.launch_month),
        "rates": _rates(gpu, marks),
        "precisions": ", ".join(word.upper() for word in (gpu.native_precisions or "").split()),
        "nvlink": sentences.nvlink(gpu),
        "pcie": sentences.pcie(gpu),
        "options": [option_row(option, server=option.variant.server) for option in options],
        "marks": marks,
        "sources": source_list(sources),
        "disagreements": sources.disagreements,
        "figure_groups": sources.groups,
        "checked_on": sources.checked_on,
    }


def _rates(gpu, marks):
    """Return [(precision, rate, mark)]; a precision that the GPU is known not to compute in says so.

    The list of native precisions is one of matrix units: it says nothing about FP64 and FP32, which ordinary
    cores compute as well.
    """
    native = (gpu.native_precisions or "").upper().split()
    rows = []
    for precision, unit in RATES:
        name = f"{precision.lower()}_{unit}"
        rate = getattr(gpu, name)
        if rate is None and native and precision not in (*native, "FP64", "FP32"):
            rows.append((precision, gettext("not computed natively"), marks["native_precisions"]))
        else:
            rows.append((precision, UNITS[unit](rate), marks[name]))
    return rows


# AI models


def models_matching(text, kind=""):
    """Return the published models whose name, developer, family or slug has every word of a text, by name.

    Args:
        kind: a kind of model; "": all.
    """
    words = text.casefold().split()[:MAX_WORDS]
    rows = AIModel.objects.published().order_by("sort_key")
    return [
        row
        for row in (rows.filter(kind=kind) if kind else rows)
        if all(
            word in " ".join((row.name, row.slug, row.developer or "", row.family or "")).casefold()
            for word in words
        )
    ]


# Kinds of work


def requirement_matrix(first, second):
    """Return what two stages ask of a server, side by side: [(aspect, text of first, text of second)]."""
    texts = {first: {}, second: {}}
    rows = (
        Requirement.objects.filter(profile__is_published=True, profile__stage__in=texts)
        .select_related("profile")
        .order_by("profile__order", "profile__slug", "id")
    )
    for row in rows:
        texts[row.profile.stage].setdefault(row.aspect, row.text)
    return [
        (aspect.label, texts[first].get(aspect.value, ""), texts[second].get(aspect.value, ""))
        for aspect in Requirement.Aspect
        if aspect.value in texts[first] or aspect.value in texts[second]
    ]


def profiles():
    """Return the published kinds of work in the order that the staff gave them."""
    return list(WorkloadProfile.objects.published().order_by("order", "slug"))


def servers_for(**flags):
    """Return the rows of a table of servers for a kind of work, what can be ordered first."""
    servers = Server.objects.for_cards().filter(**flags)
    return sorted(
        (server_card(server) for server in servers),
        key=lambda card: (not card.server.can_be_ordered, card.server.sort_key),
    )


def inference_groups(cards):
    """Return the rows of the inference page by the place that a server is for: storage, slim, edge, large."""
    groups = {"storage": [], "slim": [], "edge": [], "large": []}
    for card in cards:
        server = card.server
        if server.for_edge or server.kind in ("edge", "tower"):
            groups["edge"].append(card)
        elif server.rack_units == 1:
            groups["slim"].append(card)
        elif server.rack_units == 2:
            groups["storage"].append(card)
        else:
            groups["large"].append(card)
    return groups


def one_a_height():
    """Return for each height the rack server with the most GPU memory that can be ordered, lowest first."""
    tallest = {}
    for card in servers_for(kind="rack", lifecycle="current"):
        height, memory = card.server.rack_units, card.server.gpu_memory_gb or 0
        if height and (height not in tallest or memory > (tallest[height].server.gpu_memory_gb or 0)):
            tallest[height] = card
    return [tallest[height] for height in sorted(tallest)]
