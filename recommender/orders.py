"""Other orders of the same matches: the smallest first, the most room to grow, the lowest power.

States and what is not known stay before any preference. Neighbours that the figure of a view does not tell
apart are tied.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from recommender.ranking import Match
from recommender.sizing.choosing import standing
from recommender.sizing.scores import TIE_POINTS

VIEWS = ("best", "small", "grow", "power")
LEVEL_POWER = 0.1  # typical draws nearer than a tenth are not told apart: their ranges are wider
UNKNOWN = float("inf")

Key = Callable[[Match], tuple[float, ...]]


def ordered(matches: Sequence[Match], view: str) -> tuple[Match, ...]:
    """Return the matches in the order of a view, with its own ties; an unknown view is the best overall."""
    if view not in _KEYS:
        return tuple(matches)
    key, is_level = _KEYS[view]
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


def _near(first: tuple[float, ...], second: tuple[float, ...]) -> bool:
    return abs(first[0] - second[0]) < TIE_POINTS


def _nearly(first: tuple[float, ...], second: tuple[float, ...]) -> bool:
    return first[0] == second[0] or second[0] <= first[0] * (1 + LEVEL_POWER)


_KEYS: dict[str, tuple[Key, Callable[[tuple[float, ...], tuple[float, ...]], bool]]] = {
    "small": (_small, lambda first, second: first == second),
    "grow": (_grow, _near),
    "power": (_power, _nearly),
}
