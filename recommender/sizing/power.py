"""Power of a whole server: part by part, and what it draws from the feed."""

from dataclasses import dataclass
from math import hypot

from recommender.sizing import power_constants as c
from recommender.sizing.power_constants import Work
from recommender.sizing.specs import NodeSpec, Range


@dataclass(frozen=True, slots=True)
class Part:
    """What one kind of part draws [W]. Codes: cards processors memory board switches fans losses."""

    code: str
    watts: Range


@dataclass(frozen=True, slots=True)
class Draw:
    """What a server draws [W].

    The ends of `total` are not the sums of the parts' ends (see `draw_of`).

    Attributes:
        parts: in the order of the codes of `Part`; what a server has none of is left out.
        delivered: by the supplies, all but their own losses.
        total: from the feed.
    """

    parts: tuple[Part, ...]
    delivered: Range
    total: Range


def server_power_w(node: NodeSpec, gpus: int, work: Work = "any") -> Range | None:
    """Return what a server draws from the feed with `gpus` devices at work [W]; None: see `draw_of`."""
    draw = draw_of(node, gpus, work)
    return None if draw is None else draw.total


def draw_of(node: NodeSpec, gpus: int, work: Work = "any") -> Draw | None:
    """Return what a server draws, part by part [W]; None: the power of its card is not published.

    Parts of one kind do the same at the same time; different kinds vary by themselves. The low end takes
    their deviations together as independent ones (root of the sum of squares). Circuits are laid out for the
    high end: all cards at their limit, fans and losses at their highest, the other parts as independent.

    Args:
        gpus: Devices that software sees [count]. A board with several of them draws its power once; of a
            superchip the published power is that of one GPU.
        work: What the cards do.
    """
    cards = _cards(node, gpus, work)
    if cards is None:
        return None
    others = _host(node, gpus, work)
    fans = c.FAN_SHARE["liquid" if node.cooling == frozenset({"liquid"}) else "air"]
    loss = c.CONVERSION_SHARE
    steady = cards.typical + sum(part.watts.typical for part in others)
    below = hypot(*(part.watts.typical - part.watts.low for part in (Part("cards", cards), *others)))
    above = hypot(*(part.watts.high - part.watts.typical for part in others))
    highest = cards.high + steady - cards.typical + above
    fan_deviation = (fans.typical - fans.low) / (1 + fans.typical)
    loss_deviation = (loss.typical - loss.low) / (1 + loss.typical)
    typical = steady * (1 + fans.typical)
    delivered = Range(
        typical * (1 - hypot(below / steady, fan_deviation)), typical, highest * (1 + fans.high)
    )
    total = Range(
        typical * (1 + loss.typical) * (1 - hypot(below / steady, fan_deviation, loss_deviation)),
        typical * (1 + loss.typical),
        delivered.high * (1 + loss.high),
    )
    lowest = steady - below
    blown = Range(lowest * fans.low, steady * fans.typical, highest * fans.high)
    lost = Range(delivered.low * loss.low, delivered.typical * loss.typical, delivered.high * loss.high)
    return Draw((Part("cards", cards), *others, Part("fans", blown), Part("losses", lost)), delivered, total)


def power_per_rack_unit_w(power: Range, rack_units: int | None) -> Range | None:
    """Return what each rack unit of a solution draws [W/U]; None: its height is not published."""
    return None if not rack_units else power.scaled(1 / rack_units)


def _cards(node: NodeSpec, gpus: int, work: Work) -> Range | None:
    limit, cap = node.gpu.tdp_w, node.card_power_cap_w
    if limit is None:
        return None
    load = c.CARD_LOAD[work]
    if work != "idle" and (limit <= c.AT_LIMIT_W or (cap is not None and cap < limit)):
        load = c.CARD_LOAD_AT_LIMIT
    if cap is not None:
        limit = min(limit, cap)
    boards = node.gpu.cards(gpus)
    return load.scaled(limit * boards)


def _host(node: NodeSpec, gpus: int, work: Work) -> tuple[Part, ...]:
    """Return what surrounds the cards, without fans and losses."""
    is_module = node.gpu.form in ("sxm", "oam", "superchip")
    host = c.HOST_W["edge" if node.kind == "edge" else "module" if is_module else "server"]
    processor = host.processor
    if node.cpu_max_tdp_w is not None:
        processor = c.PROCESSOR_LOAD.scaled(node.cpu_max_tdp_w)
    most = node.sockets_max
    least = min(max(node.sockets_min, node.option_min_sockets or 1), most)
    parts = [
        Part("processors", _times(processor, least, most)),
        Part("memory", _times(host.memory, least, most)),
        Part("board", host.board),
    ]
    if is_module and gpus >= 4:
        parts.append(Part("switches", c.SWITCH_W.scaled(gpus / 8)))
    if work == "idle":
        quiet = c.IDLE_HOST
        parts = [
            Part(part.code, Range(
                part.watts.low * quiet.low, part.watts.typical * quiet.typical, part.watts.high * quiet.high
            ))
            for part in parts
        ]  # fmt: skip
    return tuple(parts)


def _times(each: Range, least: int, most: int) -> Range:
    """Return the draw of between `least` and `most` such parts."""
    return Range(each.low * least, each.typical * (least + most) / 2, each.high * most)
