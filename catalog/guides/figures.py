"""One figure in a sentence: `{{ figure SLUG NAME }}`, and the name of a subject: `{{ name SLUG }}`."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.html import conditional_escape, format_html
from django.utils.translation import gettext

from catalog.figures import number
from catalog.guides.blocks import BlockError, Kind, Shown
from catalog.guides.links import ROWS
from catalog.guides.reading import changed_at
from catalog.templatetags import units
from catalog.templatetags.ui import unbroken

SERVER_COLUMNS = (
    "rack_units", "height_mm", "width_mm", "depth_mm", "weight_max_kg", "sockets_min", "sockets_max",
    "cpu_max_cores", "cpu_max_tdp_w", "memory_slots", "memory_max_gb", "memory_speed_mts", "bays_2_5",
    "bays_3_5", "bays_nvme", "pcie_gen", "pcie_slots", "ocp_slots", "module_max_count", "card_max_w",
    "psu_count", "temperature_min_c", "temperature_max_c", "temperature_sure_c", "launch_year",
)  # fmt: skip
COLUMNS = {
    "gpu": (
        "memory_gb", "memory_gib_usable", "bandwidth_gbs", "fp16_tflops", "bf16_tflops", "fp8_tflops",
        "fp4_tflops", "int8_tops", "tdp_w", "nvlink_gbs_total", "slots_wide", "pcie_gen",
        "mig_instances", "launch_year",
    ),
    "ai_model": (
        "parameters", "active_parameters", "num_layers", "num_attention_heads", "num_kv_heads", "head_dim",
        "max_context", "experts", "experts_per_token",
    ),
    "workload": ("gpus_min", "gpus_max", "rack_units_min", "rack_units_max"),
}  # fmt: skip
VIEWS = {kind: view for view, kind in ROWS.values()}


@dataclass(frozen=True)
class Asked:
    slug: str
    name: str
    gpu: str = ""  # of which option
    is_bare: bool = False


def prepare_figure(text, reader):
    slug, *words = text.split()
    if not words:
        raise BlockError(gettext("Write which figure: figure SLUG NAME."))
    name, *rest = words
    gpu = ""
    for word in rest:
        if word.startswith("gpu="):
            gpu = word.removeprefix("gpu=")
        elif word != "bare":
            raise BlockError(gettext("“%(word)s” means nothing after a figure's name.") % {"word": word})
    reader.want(slug)
    return Asked(slug, name, gpu, "bare" in rest)


def show_figure(asked, reader):
    kind, row = reader.subject(asked.slug)
    if asked.gpu and kind != "server":
        raise BlockError(gettext("Only a figure of a server can be asked for one GPU."))
    if kind == "server":
        value, saved = server_figure(row, asked.name, asked.gpu), changed_at(row)
    elif asked.name in COLUMNS[kind]:
        value, saved = getattr(row, asked.name), row.updated_at
    else:
        raise unknown(asked.name, COLUMNS[kind])
    warnings = ()
    if value is None:
        warnings = (
            gettext("%(name)s of %(subject)s is not published: say so, or leave it out.")
            % {"name": asked.name, "subject": asked.slug},
        )
    facts = (asked.slug, asked.name, asked.gpu, value)
    return Shown(written(asked.name, value, asked.is_bare), facts, saved, warnings)


def unknown(name, known):
    return BlockError(
        gettext("There is no figure “%(name)s” here; there are: %(names)s.")
        % {"name": name, "names": ", ".join(known)}
    )


def written(name, value, is_bare=False):
    """Return a figure in the reader's way, with its unit where it has one."""
    if value is None:
        return conditional_escape(units.not_published())
    if is_bare:
        return conditional_escape(str(value) if name == "launch_year" else units.number(value))
    return format_html('<span class="live-figure">{}</span>', number(name, value))


def _options(server, gpu):
    """Return the options of a server with one GPU, or all of them."""
    found = [option for variant in server.variants.all() for option in variant.gpu_options.all()]
    if not gpu:
        return found
    found = [option for option in found if option.gpu.slug == gpu]
    if not found:
        raise BlockError(
            gettext("%(server)s is not offered with the GPU “%(gpu)s”.") % {"server": server.name, "gpu": gpu}
        )
    return found


def _devices(option):
    return None if option.max_count is None else option.max_count * option.gpu.devices_per_card


def _largest(values):
    return max((value for value in values if value is not None), default=None)


def _memory(column):
    """Return what sums a figure of memory over the GPUs of the option that has the most."""

    def read(server, gpu):
        totals = [
            (devices * option.gpu.memory_gb, devices * getattr(option.gpu, column))
            for option in _options(server, gpu)
            if (devices := _devices(option)) is not None and getattr(option.gpu, column) is not None
        ]
        return max(totals)[1] if totals else None

    return read


def _slots(width, column):
    def read(server, gpu):
        return _largest(
            getattr(slots, column)
            for variant in server.variants.all()
            for slots in variant.slot_alternatives.all()
            if slots.width == width
        )

    return read


def _enclosure(column):
    return lambda server, gpu: getattr(server.enclosure, column) if server.enclosure else None


def _gpus_max(server, gpu):
    """Return the most GPUs: of one kind, or of any that is listed, else of what the slots take."""
    counts = [_devices(option) for option in _options(server, gpu)]
    if not gpu:
        counts += [_slots("single", "count")(server, ""), _slots("double", "count")(server, "")]
        counts.append(server.module_max_count)
    return _largest(counts)


MADE = {
    "gpus_max": _gpus_max,
    "gpus_min": lambda server, gpu: min(
        (option.min_count * option.gpu.devices_per_card for option in _options(server, gpu)), default=None
    ),
    "link_gbs": lambda server, gpu: _largest(option.link_gbs for option in _options(server, gpu)),
    "card_cap_w": lambda server, gpu: _largest(option.card_power_cap_w for option in _options(server, gpu)),
    "gpu_memory_gb": _memory("memory_gb"),
    "gpu_memory_gib": _memory("memory_gib_usable"),
    "cards_single": _slots("single", "count"),
    "cards_double": _slots("double", "count"),
    "card_w_single": _slots("single", "card_max_w"),
    "card_w_double": _slots("double", "card_max_w"),
    "psu_max_w": lambda server, gpu: _largest(supply.power_w for supply in server.power_supplies.all()),
    "enclosure_units": _enclosure("rack_units"),
    "enclosure_trays": _enclosure("trays"),
}
OF_ONE_GPU = ("gpus_max", "gpus_min", "link_gbs", "card_cap_w", "gpu_memory_gb", "gpu_memory_gib")


def server_figure(server, name, gpu=""):
    """Return a figure of a server; None: not published."""
    if gpu and name not in OF_ONE_GPU:
        raise BlockError(
            gettext("Of one GPU there are the figures %(names)s.") % {"names": ", ".join(OF_ONE_GPU)}
        )
    if name in SERVER_COLUMNS:
        return getattr(server, name)
    if name in MADE:
        return MADE[name](server, gpu)
    raise unknown(name, (*SERVER_COLUMNS, *MADE))


def prepare_name(text, reader):
    reader.want(text)
    return text


def show_name(slug, reader):
    kind, row = reader.subject(slug)
    name = row.name or slug
    link = format_html('<a href="{}">{}</a>', reverse(VIEWS[kind], args=[slug]), unbroken(name))
    return Shown(link, (slug, row.name), None)


FIGURE = Kind("figure", prepare_figure, show_figure, inline=True)
NAME = Kind("name", prepare_name, show_name, inline=True)
