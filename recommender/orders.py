"""Other orders of the same matches: the smallest first, the most room to grow, the lowest power or price.

Prices come from outside and order only where every match has one. States and what is not known stay before
any preference. Neighbours that the figure of a view does not tell apart are tied.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from recommender.ranking import Match
from recommender.sizing.choosing import standing
from recommender.sizing.scores import TIE_POINTS

VIEWS = ("best", "small", "grow", "power")
PRICE = "price"  # a view beside these, where every match has a price
LEVEL_POWER = 0.1  # typical draws nearer than a tenth are not told apart: their ranges are wider
UNKNOWN = float("inf")

Key = Callable[[Match], tuple[float | Decimal, ...]]


def ordered(
    matches: Sequence[Match], view: str, prices: Mapping[tuple[str, str], Decimal] | None = None
) -> tuple[Match, ...]:
    """Return the matches in the order of a view, with its own ties; an unknown view is the best overall.

    Args:
        prices: of every match by server and GPU, all in one currency; without one of them, price is no view.
    """
    if view == PRICE and prices and all(match.config.name in prices for match in matches):
        key, is_level = (lambda match: (prices[match.config.name],)), _same
    elif view in _KEYS:
        key, is_level = _KEYS[view]
    else:
        return tuple(matches)
    places = {id(match): place for place, match in enumerate(matches)}
    arranged = sorted(matches, key=lambda match: (*standing(match.config), *key(match), places[id(match)]))
    found: list[Match] = []
    for match in arranged:
        before = found[-1] if found else None
        tied = (
            before is not None
            and standing(before.config) == standing(match.config)
            and is_level(key(before), key(match))
        )
        found.append(replace(match, tied=tied))
    return tuple(found)


def _small(match: Match) -> tuple[float, ...]:
    config = match.config
    units = UNKNOWN if config.rack_units is None else float(config.rack_units)
    return (units, float(config.gpus))


def _grow(match: Match) -> tuple[float, ...]:
    points = dict(match.criteria).get("growth")
    return (-(points or 0.0),)


def _power(match: Match) -> tuple[float, ...]:
    watts = match.config.power_w
    return (UNKNOWN if watts is None else watts.typical,)


def _same(first: tuple[float | Decimal, ...], second: tuple[float | Decimal, ...]) -> bool:
    return first == second


def _near(first: tuple[float, ...], second: tuple[float, ...]) -> bool:
    return abs(first[0] - second[0]) < TIE_POINTS


def _nearly(first: tuple[float, ...], second: tuple[float, ...]) -> bool:
    return first[0] == second[0] or second[0] <= first[0] * (1 + LEVEL_POWER)


_KEYS: dict[str, tuple[Key, Callable[[tuple[float, ...], tuple[float, ...]], bool]]] = {
    "small": (_small, _same),
    "grow": (_grow, _near),
    "power": (_power, _nearly),
}
