"""Catalog facts as sentences in the reader's language, made from typed columns."""

import datetime
import re

from django.utils.formats import date_format
from django.utils.translation import get_language, gettext, ngettext, pgettext

from catalog.templatetags.units import celsius, format_number, gbs, gibibytes, gigabytes, rack_units, watts

# Where the driver's figure is not known: this share of the printed number, read as GiB.
USABLE_SHARE = (0.93, 1.00)
# Fields whose digits are a name or a year.
PLAIN_NUMBERS = ("launch_year", "released_year", "compute_capability")
# GPUs that most language models can be split over: attention heads have to divide evenly.
EVEN_SPLITS = (1, 2, 4, 8, 16)


def when(year, month=None):
    """Return a month or a year as the reader's language writes it; None where it is not known."""
    if year is None:
        return None
    if month is None:
        return str(year)
    text = date_format(datetime.date(year, month, 1), "YEAR_MONTH_FORMAT")
    # Django's Russian names of months begin with a capital letter; inside a sentence they have none.
    return text.lower() if get_language() == "ru" else text


def published_on(text):
    """Return a source's date, "2026", "2026-08" or "2026-08-10", as the reader's language writes it."""
    parts = [int(part) for part in text.split("-")] if text else []
    if len(parts) == 3:
        return date_format(datetime.date(*parts), "DATE_FORMAT")
    return when(*parts) if parts else ""


def span(low, high):
    """Return "2", "1–2" or "up to 2", None where neither end is known."""
    if high is None:
        return None if low is None else gettext("from %(count)s") % {"count": format_number(low)}
    if low is None:
        return gettext("up to %(count)s") % {"count": format_number(high)}
    return format_number(high) if low == high else f"{format_number(low)}–{format_number(high)}"


def height(server):
    """Return a server's height; a tray's with the enclosure that it is racked in."""
    if server.enclosure is None:
        return rack_units(server.rack_units)
    if server.rack_units is None:
        return gettext("tray in an enclosure of %(height)s") % {
            "height": rack_units(server.enclosure.rack_units)
        }
    return gettext("%(tray)s tray in an enclosure of %(height)s") % {
        "tray": rack_units(server.rack_units),
        "height": rack_units(server.enclosure.rack_units),
    }


def enclosure(server):
    """Return what racking a tray means, as sentences."""
    return ngettext(
        "This is a tray: it is not racked alone. Its enclosure %(name)s takes %(height)s and has room for "
        "%(count)s tray.",
        "This is a tray: it is not racked alone. Its enclosure %(name)s takes %(height)s and has room for "
        "%(count)s trays.",
        server.enclosure.trays,
    ) % {
        "name": server.enclosure.name,
        "height": rack_units(server.enclosure.rack_units),
        "count": format_number(server.enclosure.trays),
    }


def card_room(counts, limits=None):
    """Return what fits instead of what: {"single": 8, "double": 3} is "8 single-wide or 3 double-wide".

    `limits` are the watts that a card of each kind may take: "8 single-wide (up to 150 W each)". The order
    of the rows that state it does not matter. None where nothing is known.
    """
    texts = {
        "single": ngettext("%(count)s single-wide", "%(count)s single-wide", counts.get("single", 0)),
        "double": ngettext("%(count)s double-wide", "%(count)s double-wide", counts.get("double", 0)),
        "module": ngettext("%(count)s module", "%(count)s modules", counts.get("module", 0)),
    }
    parts = []
    for kind, text in texts.items():
        if not counts.get(kind):
            continue
        part = text % {"count": format_number(counts[kind])}
        if limits and limits.get(kind):
            part = gettext("%(cards)s (up to %(power)s each)") % {"cards": part, "power": watts(limits[kind])}
        parts.append(part)
    return _either(parts)


def alternatives(variant):
    """Return every way to fill the slots of a variant, each with what a card may draw; None: not known.

    Two ways may have the same width: six cards of 150 W, or eight of 75 W.
    """
    rows = sorted(variant.slot_alternatives.all(), key=lambda row: (row.width != "single", row.count))
    parts = [card_room({row.width: row.count}, {row.width: row.card_max_w}) for row in rows]
    return _either(parts)


def _either(parts):
    if len(parts) < 2:
        return parts[0] if parts else None
    # Translators: one or the other, never both; the second begins with a figure.
    return gettext("%(first)s or %(second)s") % {"first": ", ".join(parts[:-1]), "second": parts[-1]}


def stated(text, field=""):
    """Return what a source says of a field, with the words, numbers and units of the reader's language."""
    if field not in PLAIN_NUMBERS and re.fullmatch(r"\d+(\.\d+)?", text):
        return format_number(text)
    words = {
        "yes": gettext("yes"),
        "no": gettext("no"),
        "none": pgettext("stated", "none"),
        "passive": pgettext("stated", "passive"),
        "active": pgettext("stated", "active"),
        "liquid": pgettext("stated", "liquid"),
        "hybrid": pgettext("stated", "hybrid"),
        "encoder": pgettext("stated", "encoder"),
        **{kind: kind.upper() for kind in ("gqa", "mha", "mla", "mqa")},
    }
    text = ", ".join(words.get(line, line) for line in text.splitlines())
    text = re.sub(
        r"(\d+) (?:× )?(single|double)-wide", lambda found: card_room({found[2]: int(found[1])}), text
    )
    return re.sub(r"\b(\d+) W\b", lambda found: watts(int(found[1])), text)


def cards(option):
    """Return how many cards of an option a server takes."""
    if option.max_count is None:
        return gettext("count not published")
    if option.min_count == option.max_count:
        return format_number(option.max_count)
    if option.min_count > 1:
        return span(option.min_count, option.max_count)
    return gettext("up to %(count)s") % {"count": format_number(option.max_count)}


def devices(option):
    """Return how many GPUs the largest number of an option's cards brings; None: not published."""
    return None if option.max_count is None else option.max_count * option.gpu.devices_per_card


def gpu_memory(option):
    """Return "8 × 80 GB, 637 GiB usable": each GPU's label, and what all drivers report together."""
    gpu, count = option.gpu, devices(option)
    label = gigabytes(gpu.memory_gb)
    if count is None:
        return gettext("%(label)s a GPU, %(usable)s") % {"label": label, "usable": usable_memory(gpu)}
    return gettext("%(count)s × %(label)s, %(usable)s") % {
        "count": format_number(count),
        "label": label,
        "usable": usable_memory(gpu, count),
    }


def usable_memory(gpu, count=1):
    """Return the memory that drivers report for some GPUs, as a derived range where it is not known."""
    if gpu.memory_gib_usable is not None:
        return gettext("%(memory)s usable") % {"memory": gibibytes(gpu.memory_gib_usable * count)}
    low, high = (share * gpu.memory_gb * count for share in USABLE_SHARE)
    return gettext("%(low)s–%(high)s usable (derived)") % {
        "low": format_number(low, 0),
        "high": gibibytes(high),
    }


def link(option):
    """Return how the GPUs of an option reach one another; None: not published."""
    if option.link is None:
        return None
    if option.link_gbs is None:
        return option.get_link_display()
    return gettext("%(link)s, %(rate)s per GPU") % {
        "link": option.get_link_display(),
        "rate": gbs(option.link_gbs),
    }


def conditions(option):
    """Return what an option's number depends on, a sentence each; all of them hold at once."""
    found = []
    if option.fixed:
        found.append(gettext("Ordered with this number only."))
    if option.card_power_cap_w is not None:
        found.append(
            gettext("Each card is limited to %(power)s.") % {"power": watts(option.card_power_cap_w)}
        )
    if option.ambient_max_c is not None:
        found.append(
            gettext("Room at %(temperature)s or below.") % {"temperature": celsius(option.ambient_max_c)}
        )
    if option.min_sockets is not None:
        found.append(
            ngettext("Needs %(count)s processor.", "Needs %(count)s processors.", option.min_sockets)
            % {"count": format_number(option.min_sockets)}
        )
    if option.min_psu_w is not None:
        found.append(
            gettext("Needs power supplies of %(power)s or more.") % {"power": watts(option.min_psu_w)}
        )
    if option.blocks_bays:
        found.append(gettext("The cards take the place of drive bays."))
    if option.not_in_quiet_modes:
        found.append(gettext("Not in a quiet acoustic mode: choose the mode first."))
    if option.link_max_gpus is not None and option.link_max_gpus < (option.max_count or 0):
        found.append(
            ngettext(
                "The link joins up to %(count)s GPU.",
                "The link joins up to %(count)s GPUs.",
                option.link_max_gpus,
            )
            % {"count": format_number(option.link_max_gpus)}
        )
    if option.special_order:
        found.append(
            gettext("Only on the base model %(model)s, which is ordered apart.")
            % {"model": option.special_base_model}
            if option.special_base_model
            else gettext("Only on a base model that is ordered apart.")
        )
    # Where the whole server is withdrawn, its name says so already.
    if not option.can_be_ordered and option.variant.server.can_be_ordered:
        found.append(gettext("No longer ordered."))
    return found


def cooling(server):
    """Return in a few words what the room has to offer; None: not published."""
    kinds = {option.kind for option in server.cooling_options.all()}
    if not kinds:
        return None
    if kinds == {"direct_water"}:
        return gettext("needs a water loop")
    if "direct_water" in kinds or "water_module" in kinds:
        return gettext("air, water as an option")
    if kinds == {"closed_loop"} or kinds == {"air", "closed_loop"}:
        return gettext("air, closed loop inside as an option")
    return gettext("air")


def odd_count(counts):
    """Return the smallest number of cards that models do not divide over; None where there is none."""
    return min((count for count in counts if count not in EVEN_SPLITS), default=None)


def odd_cards(counts):
    """Return what the cards beyond an even split are good for; None where there are none."""
    odd = odd_count(counts)
    if odd is None:
        return None
    even = max(split for split in EVEN_SPLITS if split < odd)
    rest = odd - even
    return ngettext(
        "Of %(count)s cards, %(even)s can share one language model: most models divide over 2, 4 or 8 GPUs, "
        "not over %(count)s. The remaining card runs a copy of the model that fits on it alone, does other "
        "work such as embeddings, or stands by.",
        "Of %(count)s cards, %(even)s can share one language model: most models divide over 2, 4 or 8 GPUs, "
        "not over %(count)s. The %(rest)s remaining cards run copies of the model that fit on them alone, "
        "do other work such as embeddings, or stand by.",
        rest,
    ) % {"count": format_number(odd), "even": format_number(even), "rest": format_number(rest)}


def room_temperature(server):
    """Return the room that a server works in, None where no end of it is published."""
    low, high = server.temperature_min_c, server.temperature_max_c
    if low is None and high is None:
        return None
    if low is None:
        return gettext("up to %(high)s") % {"high": celsius(high)}
    if high is None:
        return gettext("from %(low)s") % {"low": celsius(low)}
    return gettext("from %(low)s to %(high)s") % {"low": celsius(low), "high": celsius(high)}


def room_conditions(server):
    """Return what the highest room temperature depends on, and what holds for every configuration."""
    found = []
    if server.temperature_conditional:
        found.append(
            gettext("The highest temperature holds only with some processors, cards and power supplies.")
        )
    if server.temperature_sure_c is not None and server.temperature_sure_c != server.temperature_max_c:
        found.append(
            gettext("Every configuration works at %(temperature)s or below.")
            % {"temperature": celsius(server.temperature_sure_c)}
        )
    return " ".join(found)


def nvlink(gpu):
    """Return a GPU's NVLink rate and generation, None where it has none or none was found."""
    if gpu.nvlink_gbs_total is None:
        return None
    if gpu.nvlink_generation is None:
        return gbs(gpu.nvlink_gbs_total)
    return gettext("%(rate)s, generation %(generation)s") % {
        "rate": gbs(gpu.nvlink_gbs_total),
        "generation": format_number(gpu.nvlink_generation),
    }


def pcie(gpu):
    """Return "Gen5 x16", None where it is not published."""
    if gpu.pcie_gen is None:
        return None
    return f"Gen{gpu.pcie_gen} x{gpu.pcie_lanes}" if gpu.pcie_lanes else f"Gen{gpu.pcie_gen}"


BAYS = ("bays_2_5", "bays_3_5", "bays_nvme")


def drive_bays(server):
    """Return how many drives fit at most, kind by kind; kinds that are zero or not published are left out."""
    return _drive_bays({name: getattr(server, name) for name in BAYS})


def _drive_bays(counts):
    texts = {
        "bays_2_5": lambda n: ngettext("%(count)s 2.5-inch bay", "%(count)s 2.5-inch bays", n),
        "bays_3_5": lambda n: ngettext("%(count)s 3.5-inch bay", "%(count)s 3.5-inch bays", n),
        "bays_nvme": lambda n: ngettext("%(count)s for NVMe", "%(count)s for NVMe", n),
    }
    return [
        text(counts[name]) % {"count": format_number(counts[name])}
        for name, text in texts.items()
        if counts[name]
    ]


def variant_bays(variant):
    """Return the drive bays of a base model: its own figures, else the server's."""
    own = {name: getattr(variant, name) for name in BAYS}
    if all(count is None for count in own.values()):
        own = {name: getattr(variant.server, name) for name in BAYS}
    return _drive_bays(own)


def variant_height(variant):
    """Return the height of a base model: its own, else the server's."""
    return height(variant.server) if variant.rack_units is None else rack_units(variant.rack_units)


def bays_not_published(server):
    """Return which kinds of drive bays no drawing shows, because nobody has published them; "" for none."""
    names = {
        "bays_2_5": pgettext("in a list", "2.5-inch bays"),
        "bays_3_5": pgettext("in a list", "3.5-inch bays"),
        "bays_nvme": pgettext("in a list", "NVMe bays"),
    }
    missing = [name for key, name in names.items() if getattr(server, key) is None]
    if not missing:
        return ""
    return gettext("Not drawn, because not published: %(bays)s.") % {"bays": ", ".join(missing)}


def bays_and_cards(server):
    """Return whether GPU cards cost drive bays, as far as it is known; None where nothing is to be said."""
    variants = list(server.variants.all())
    options = [option for variant in variants for option in variant.gpu_options.all()]
    if any(getattr(variant, name) is not None for variant in variants for name in BAYS):
        return gettext("How many drives fit depends on the base model, as its GPUs do: see above.")
    if not options or not drive_bays(server):
        return None
    known = {option.blocks_bays for option in options}
    if True in known:
        return gettext(
            "GPU cards take the place of drive bays: the largest number of drives and of cards do not fit "
            "together."
        )
    if None in known:
        return gettext("We do not know whether GPU cards take the place of drive bays: ask before you order.")
    return gettext("GPU cards do not take the place of drive bays.")
