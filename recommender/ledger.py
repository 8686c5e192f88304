"""What stands in for answers that are open, with its origin: for the pages that ask and that check them."""

from collections.abc import Mapping
from dataclasses import dataclass

from aiservers.numbers import NumberError
from catalog.templatetags import units
from recommender import adapters, cases, reasons
from recommender.answers import KEYS, Answers, parse_interval, with_unit

STAND_IN_ORIGINS = ("profile", "default")


@dataclass(frozen=True, slots=True)
class StandIn:
    """A value that is reckoned with because nobody gave one.

    `origin` is "profile" (typical for the chosen task), "default" (our assumption) or "computed" (it follows
    from other answers); `source` is the slug of the profile, else "".
    """

    key: str
    text: str
    origin: str
    source: str = ""


def resolve(answers: Answers) -> cases.Resolved:
    """Return the case that the answers make; nothing is ranked.

    Raises:
        BadAnswers: one of them cannot be reckoned with.
    """
    specs = adapters.load_specs()
    resolved = cases.resolve(answers, specs.models, specs.presets, specs.vendors, specs.names)
    if not isinstance(resolved, cases.Resolved):
        raise cases.BadAnswers(resolved)
    return resolved


def stand_ins(answers: Answers, resolved: cases.Resolved) -> dict[str, StandIn]:
    """Return what stands in for each open question, in the active language, by key."""
    specs = adapters.load_specs()
    found = {item.key: _stand_in(item, specs.names) for item in resolved.assumptions if _stands_in(item)}
    for slug in answers.several("workload"):
        preset = specs.presets.get(slug)
        for key, value in preset.values.items() if preset else ():
            # Typical for the task, although the order does not need it.
            if key in KEYS and key not in found and key not in answers.values:
                found[key] = _stand_in(cases.Assumption(key, value, "profile", slug), specs.names)
    return found


def value_text(name: str, value: str, names: Mapping[str, str], decimals: int = 4) -> str:
    """Return an answer, several joined by commas, as the active language writes it, with its unit."""
    key = KEYS[name]
    if key.kind == "number":
        try:
            interval = parse_interval(value)
        except NumberError:
            return value
        low, high = (units.format_number(end, decimals) for end in interval)
        return with_unit(key, interval, low if low == high else f"{low}–{high}")
    if key.kind == "text":
        return value
    labels = {choice: str(label) for choice, label in key.choices}
    return ", ".join(labels.get(part) or names.get(part, part) for part in value.split(", "))


def _stands_in(item: cases.Assumption) -> bool:
    return item.origin in STAND_IN_ORIGINS


def _stand_in(item: cases.Assumption, names: Mapping[str, str]) -> StandIn:
    computed = item.source in reasons.COMPUTED
    decimals = units.places(parse_interval(item.value).high) if computed else 4
    text = value_text(item.key, item.value, names, decimals)
    if computed:
        return StandIn(item.key, text, "computed")
    return StandIn(item.key, text, item.origin, item.source if item.origin == "profile" else "")


def server_names() -> dict[str, str]:
    """Return the names of the published servers by slug."""
    specs = adapters.load_specs()
    slugs = [machine.bare.server for machine in specs.machines]
    return {slug: specs.names.get(slug, slug) for slug in slugs}
