"""Power of a whole server while it works."""

from recommender.sizing import speed_constants as c
from recommender.sizing.specs import NodeSpec, Range


def server_power_w(node: NodeSpec, gpus: int) -> Range | None:
    """Return what the server draws from the feed with `gpus` cards at work [W]; None: no card power is known.

    Cards, processors, memory, drives, network, switches between modules, fans, and what the supplies lose.
    """
    card = node.gpu.tdp_w
    if card is None:
        return None
    if node.card_power_cap_w is not None:
        card = min(card, node.card_power_cap_w)
    boards = -(-gpus // node.gpu.devices_per_board) if node.gpu.form != "superchip" else gpus
    cards = c.CARD_LOAD.scaled(card * boards)
    sockets_most = node.sockets_max
    sockets_least = max(node.sockets_min, node.option_min_sockets or 1)
    host = c.HOST_W["edge" if node.kind == "edge" else "module" if _is_module(node) else "server"]
    sockets = Range(
        host.socket.low * sockets_least,
        host.socket.typical * (sockets_least + sockets_most) / 2,
        host.socket.high * sockets_most,
    )
    parts = cards + sockets + host.board
    if _is_module(node) and gpus >= 4:
        parts = parts + c.SWITCH_W.scaled(gpus / 8)
    fans = c.FAN_SHARE["liquid" if node.cooling == frozenset({"liquid"}) else "air"]
    loss = c.CONVERSION_SHARE
    return Range(
        parts.low * (1 + fans.low) * (1 + loss.low),
        parts.typical * (1 + fans.typical) * (1 + loss.typical),
        parts.high * (1 + fans.high) * (1 + loss.high),
    )


def _is_module(node: NodeSpec) -> bool:
    return node.gpu.form in ("sxm", "oam", "superchip")
