"""Drawings made from data: the front view of a server, to scale, with its cards."""

from django import template
from django.utils.translation import gettext, ngettext

from catalog.templatetags.units import rack_units as in_rack_units

register = template.Library()

UNIT = 20  # drawing units a rack unit: 44.45 mm
WIDTH = 217  # a 19-inch front, 482.6 mm
EAR = 9
BOX_WIDTH = 130  # a small box without rack ears
FULL_HEIGHT = 50  # a full-height card, 111 mm
GAP = 3
CARD_WIDTHS = {"single": 9, "double": 18, "module": 20, "card": 9}  # one slot is 20.32 mm wide

# Length and thickness of a drive with its carrier, and how far apart two lie: 70 × 15 mm, 102 × 26 mm.
BAY_SIZES = {"bays_2_5": (31, 7, 7.75), "bays_3_5": (46, 12, 12.5)}

# Shown size of a drawing unit [px], so that drawings of one size stand side by side at the same scale.
SCALES = {"small": 88 / WIDTH, "medium": 150 / WIDTH, "large": 352 / WIDTH}


@register.inclusion_tag("includes/_rack.html")
def rack(server, *, cards=None, free=0, used=0, idle=0, spare=False, height=None, size="small"):
    """Draw a server's front.

    Args:
        server: a Server, with its enclosure where it is a tray.
        cards: "single", "double", "module", or "card" where the width is not known.
        free, used, idle: how many cards there is room for, are at work, are left over.
        spare: the whole server stands by for the loss of another.
        height: rack units of a variant, where it is not the server's own.
        size: "small", "medium" or "large".
    """
    height = height or server.rack_units
    drawing = _chassis(server, height, size)
    states = ["used"] * used + ["idle"] * idle + ["free"] * free
    return drawing | {
        "text": _text(server, height, cards, free=free, used=used, idle=idle, spare=spare),
        "spare": spare,
        "groups": _by_state(_cards(drawing["body"], CARD_WIDTHS.get(cards, 0), states)),
    }


@register.inclusion_tag("includes/_rack.html")
def rack_bays(server, bays, *, size="large"):
    """Draw a server's front with its drive bays, as many as the front has room for.

    Args:
        bays: "bays_2_5" or "bays_3_5".
        size: "small", "medium" or "large".
    """
    drawing = _chassis(server, server.rack_units, size)
    blocks = _bays(drawing["body"], *BAY_SIZES[bays], getattr(server, bays))
    front = gettext("Front view to scale, %(height)s.") % {"height": in_rack_units(server.rack_units)}
    return drawing | {
        "text": f"{front} {bay_count(bays, len(blocks), getattr(server, bays))}",
        "spare": False,
        "groups": _by_state(blocks),
    }


def _chassis(server, height, size):
    """Return the outlines of a server without what is in it."""
    drawn = round((height or 1) * UNIT)
    has_ears = server.kind in ("rack", "tray") and server.enclosure is None
    enclosure = _enclosure(server.enclosure, height) if server.enclosure else None
    if enclosure:
        body = enclosure["positions"].pop(-1)
        total_width, total_height = WIDTH, enclosure["height"] + 2
    else:
        total_width, total_height = (WIDTH if server.kind != "edge" else BOX_WIDTH), drawn + 2
        inset = EAR if has_ears else 1
        body = {"x": inset, "y": 1, "width": total_width - 2 * inset, "height": drawn}
    return {
        "size": size,
        "width": str(total_width),
        "height": str(total_height),
        "shown_width": str(round(total_width * SCALES[size])),
        "shown_height": str(round(total_height * SCALES[size])),
        "ears": has_ears,
        "right_ear": str(WIDTH - EAR),
        "unknown_height": height is None,
        "body": body,
        "enclosure": enclosure,
    }


def _enclosure(enclosure, tray_height):
    """Return the outline of an enclosure and its tray positions; the last one is the server's.

    Trays of a known height lie on one another; others stand side by side.
    """
    height = enclosure.rack_units * UNIT
    inner = {"x": 5, "y": 5, "width": WIDTH - 10, "height": height - 8}
    count = enclosure.trays or 1
    if tray_height:
        step = inner["height"] / count
        positions = [
            inner | {"y": round(inner["y"] + n * step), "height": round(step) - 2} for n in range(count)
        ]
    else:
        step = inner["width"] / count
        positions = [
            inner | {"x": round(inner["x"] + n * step), "width": round(step) - 2} for n in range(count)
        ]
    return {"width": WIDTH - 2, "height": height, "positions": positions}


def _cards(body, card_width, states):
    """Return the blocks of the cards, side by side along the longer edge of the body, in its middle."""
    if not states or not card_width:
        return []
    upright = body["height"] > body["width"]
    along = (body["height"] if upright else body["width"]) - 8
    across = (body["width"] if upright else body["height"]) - 6
    gap = GAP if len(states) * (card_width + GAP) <= along else 1
    width = min(card_width, (along - gap * (len(states) - 1)) // len(states))
    length = min(across, FULL_HEIGHT)
    start = (along + 8 - len(states) * (width + gap) + gap) // 2
    blocks = []
    for place, state in enumerate(states):
        offset = start + place * (width + gap)
        if upright:
            block = {"x": body["x"] + 3, "y": body["y"] + offset, "width": length, "height": width}
        else:
            y = body["y"] + body["height"] - 3 - length
            block = {"x": body["x"] + offset, "y": y, "width": width, "height": length}
        middle = block["x"] + block["width"] // 2
        fins = (
            f"M{middle} {block['y'] + 3}v{block['height'] - 6}"
            if width > CARD_WIDTHS["single"] and not upright
            else ""
        )
        blocks.append(block | {"state": state, "fins": fins if state != "idle" else ""})
    return blocks


def _bays(body, length, thickness, pitch, count):
    """Return the blocks of drive bays: upright where the front is high enough, else lying, from the left."""
    upright = body["height"] >= length + 4
    width, height = (thickness, length) if upright else (length, thickness)
    across, down = (pitch, length + 2) if upright else (length + 1, pitch)
    columns = int((body["width"] - 8) // across)
    rows = max(int((body["height"] - 2) // down), 1)
    top = body["y"] + max(1, min(3, round((body["height"] - rows * down) / 2)))
    blocks = []
    for place in range(min(count, columns * rows)):
        row, column = divmod(place, columns)
        x, y = body["x"] + 4 + round(column * across), top + round(row * down)
        blocks.append({"x": x, "y": y, "width": width, "height": height, "state": "bay", "fins": ""})
    return blocks


def bay_count(bays, drawn, count):
    """Return how many drive bays are drawn, and why not all, as a sentence."""
    texts = {
        "bays_2_5": ngettext(
            "Up to %(count)s 2.5-inch drive bay.", "Up to %(count)s 2.5-inch drive bays.", count
        ),
        "bays_3_5": ngettext(
            "Up to %(count)s 3.5-inch drive bay.", "Up to %(count)s 3.5-inch drive bays.", count
        ),
    }
    text = texts[bays] % {"count": count}
    if drawn < count:
        rest = ngettext(
            "%(drawn)s is drawn: no more fit into the front.",
            "%(drawn)s are drawn: no more fit into the front.",
            drawn,
        ) % {"drawn": drawn}
        text = f"{text} {rest}"
    return text


@register.filter
def bays_drawn(server):
    """Return [(column, sentence)] of the kinds of drive bays that can be drawn in a server's front."""
    if not server.rack_units or server.enclosure:
        return []
    body = _chassis(server, server.rack_units, "large")["body"]
    found = []
    for bays, size in BAY_SIZES.items():
        if count := getattr(server, bays):
            found.append((bays, bay_count(bays, len(_bays(body, *size, count)), count)))
    return found


def _by_state(blocks):
    """Return the cards of each state as one path, and their fins as another: pages hold many drawings."""
    groups = {}
    for block in blocks:
        group = groups.setdefault(block["state"], {"state": block["state"], "outline": "", "fins": ""})
        group["outline"] += "M{x} {y}h{width}v{height}h-{width}z".format(**block)
        group["fins"] += block["fins"]
    return list(groups.values())


def _text(server, height, cards, *, free, used, idle, spare):
    """Return what the drawing shows, in whole sentences."""
    if server.enclosure:
        sentences = [
            ngettext(
                "Front view: one of %(count)s tray position in its enclosure, %(height)s.",
                "Front view: one of %(count)s tray positions in its enclosure, %(height)s.",
                server.enclosure.trays or 1,
            )
            % {"count": server.enclosure.trays or 1, "height": in_rack_units(server.enclosure.rack_units)}
        ]
    elif height is None:
        sentences = [gettext("Front view; the height is not published.")]
    else:
        sentences = [gettext("Front view to scale, %(height)s.") % {"height": in_rack_units(height)}]
    if free:
        sentences.append(card_count(cards, free))
    if used and cards == "module":
        sentences.append(
            ngettext("%(count)s module in use.", "%(count)s modules in use.", used) % {"count": used}
        )
    elif used:
        sentences.append(
            ngettext("%(count)s card in use.", "%(count)s cards in use.", used) % {"count": used}
        )
    if idle:
        sentences.append(ngettext("%(count)s card idle.", "%(count)s cards idle.", idle) % {"count": idle})
    if spare:
        sentences.append(gettext("A spare server."))
    return " ".join(sentences)


def card_count(cards, count):
    """Return how many cards of a kind there is room for, as a sentence."""
    texts = {
        "single": ngettext(
            "Room for %(count)s single-wide card.", "Room for %(count)s single-wide cards.", count
        ),
        "double": ngettext(
            "Room for %(count)s double-wide card.", "Room for %(count)s double-wide cards.", count
        ),
        "module": ngettext(
            "%(count)s GPU module on one board.", "%(count)s GPU modules on one board.", count
        ),
        "card": ngettext("Room for %(count)s GPU card.", "Room for %(count)s GPU cards.", count),
    }
    return texts[cards] % {"count": count}


@register.filter
def card_kind(gpu):
    """Return the word that {% rack %} takes for a GPU: "single", "double", "module" or "card"."""
    if gpu.form is None:
        return "card"
    if gpu.form != "pcie":
        return "module"
    return "double" if (gpu.slots_wide or 2) > 1 else "single"
