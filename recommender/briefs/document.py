"""A frozen brief as a document in the active language: the one thing that page, PDF and spreadsheets print.

Lines carry their figures as plain numbers beside the text: downloads hold the same facts in every language.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import get_language, gettext, gettext_lazy as _, ngettext, pgettext

from aiservers.numbers import Interval, NumberError
from catalog.templatetags import units
from catalog.templatetags.ui import STATES
from recommender import change_texts, reasons
from recommender.answers import KEYS, Notice, parse, parse_interval, with_unit
from recommender.briefs import acceptance, formulas, frozen as frozen_briefs, sections
from recommender.changes import Change
from recommender.questions import Work
from recommender.sizing.demand import UNITS, Message

STATUSES = {
    "given": _("given"),
    "guess": _("guess"),
    "typical": _("typical"),
    "computed": _("computed"),
    "unknown": _("unknown"),
}
STATUS_OF_ORIGIN = {"given": "given", "hypothesis": "guess", "profile": "typical", "default": "typical"}
CHIPS = {"given": "given", "guess": "hypothesis", "typical": "profile", "computed": "computed"}


@dataclass(frozen=True)
class Line:
    """One line: what is asked for, its value, and how far it is known."""

    key: str
    label: str
    value: str
    status: str
    low: float | None = None
    high: float | None = None
    unit: str = ""
    code: str = ""  # of a value that is a choice or a name
    why: str = ""

    @property
    def status_label(self) -> str:
        return str(STATUSES[self.status])

    @property
    def chip(self) -> str:
        """Name the chip that pages show for the status; "" for what is not known."""
        return CHIPS.get(self.status, "")


@dataclass(frozen=True)
class Part:
    """One section: its lines, what is still asked, and in `empty` that no line is the reader's own."""

    number: int | None
    slug: str
    title: str
    lines: tuple[Line, ...]
    questions: tuple[str, ...]
    empty: str = ""


@dataclass(frozen=True)
class Document:
    """Everything that a brief says, in one language."""

    language: str
    title: str
    note: str
    made_on: str
    catalog_version: str
    rules_version: str
    lead: str
    conditional: bool
    asked: str
    asked_state: str
    work: tuple[Line, ...]
    parts: tuple[Part, ...]
    site: Part
    derived: tuple[dict[str, Any], ...]
    matches: tuple[dict[str, Any], ...]
    more_matches: str
    rejected: tuple[dict[str, Any], ...]
    plans: Mapping[str, Any]
    measures: tuple[dict[str, Any], ...]
    sample: tuple[dict[str, Any], ...]
    find_out: tuple[str, ...]
    notices: tuple[str, ...]


def document(stored: Mapping[str, Any], *, title: str = "", note: str = "") -> Document:
    """Return a frozen brief in the active language; facts and order are those of the day it was made."""
    frozen = frozen_briefs.upgraded(stored)
    lines = {item["key"]: _line(item, frozen) for item in frozen["assumptions"]}
    lines |= {key: line for key, line in _unused(frozen).items() if key not in lines}
    measuring = frozen["said"].get("measuring", {}).get(get_language(), {})
    return Document(
        language=get_language(),
        title=title or gettext("Brief for an AI server"),
        note=note,
        made_on=_date(frozen["made_on"]),
        catalog_version=frozen["catalog_version"],
        rules_version=frozen["rules_version"],
        lead=_lead(frozen),
        conditional=frozen["conditional"],
        asked=_asked(frozen),
        asked_state=(frozen["asked"] or {}).get("state", ""),
        work=tuple(lines[key] for key in sections.HEAD if key in lines),
        parts=tuple(
            _part(number, section, lines, frozen) for number, section in enumerate(sections.SECTIONS, 1)
        ),
        site=_part(None, sections.SITE, lines, frozen),
        derived=tuple(formulas.derived_rows(frozen["derived"])),
        matches=tuple(_match(item, frozen) for item in frozen["matches"]),
        more_matches=_more(frozen),
        rejected=tuple(_rejected(item, frozen) for item in frozen["rejected"]),
        plans=frozen["said"].get("plans", {}).get(get_language(), {}),
        measures=tuple(measuring.get("measures", ())),
        sample=tuple(measuring.get("sample", ())),
        find_out=tuple(_to_measure(key) for key in frozen["to_measure"]),
        notices=tuple(filter(None, map(_notice, frozen["notices"]))),
    )


def _date(text: str) -> str:
    try:
        return date_format(date.fromisoformat(text), "DATE_FORMAT")
    except ValueError:
        return text


# Lines


def _line(item: Mapping[str, Any], frozen: Mapping[str, Any]) -> Line:
    name, text, source = item["key"], item["value"], item.get("source", "")
    status = STATUS_OF_ORIGIN.get(item["origin"], "typical")
    if status == "typical" and source in reasons.COMPUTED:
        status = "computed"
    why = ""
    if item["origin"] == "profile":
        why = _in_language(frozen["words"].get("why", {}).get(f"{source} {name}", {}))
    elif item["origin"] == "default":
        why = str(reasons.WHY_DEFAULT.get(source, ""))
    interval = _interval(name, text)
    return Line(
        key=name,
        label=sections.label(name),
        value=_value(name, text, interval, frozen, rounded=status == "computed"),
        status=status,
        low=float(interval.low) if interval else None,
        high=float(interval.high) if interval else None,
        unit=KEYS[name].unit if interval else "",
        code="" if interval else text,
        why=why,
    )


def _unused(frozen: Mapping[str, Any]) -> dict[str, Line]:
    """Return lines for answers that were given and are not reckoned with: a brief keeps them all the same."""
    guesses = frozen["answers"].get("hypothesis", [])
    found = {}
    for name, value in frozen["answers"].items():
        if name == "hypothesis":
            continue
        text = ", ".join(value) if isinstance(value, list) else str(value)
        origin = "hypothesis" if name in guesses else "given"
        found[name] = _line({"key": name, "value": text, "origin": origin}, frozen)
    return found


def _interval(name: str, text: str) -> Interval | None:
    if name not in KEYS or KEYS[name].kind != "number":
        return None
    try:
        return parse_interval(text)
    except NumberError:
        return None


def _value(
    name: str, text: str, interval: Interval | None, frozen: Mapping[str, Any], *, rounded: bool
) -> str:
    """Return a value as the reader's language writes it, with its unit."""
    if name not in KEYS:
        return text
    key = KEYS[name]
    if interval is not None:
        decimals = units.places(float(interval.high)) if rounded else 4
        low, high = (units.format_number(end, decimals) for end in interval)
        return with_unit(key, interval, low if low == high else f"{low}–{high}")
    if key.kind == "text":
        return text
    labels = {value: str(label) for value, label in key.choices}
    workloads = frozen["words"].get("workloads", {})
    return ", ".join(
        labels.get(part) or _in_language(workloads.get(part, {})) or frozen["names"].get(part, part)
        for part in text.split(", ")
    )


def _in_language(texts: Mapping[str, str]) -> str:
    return texts.get(get_language() or "", "")


def _work(frozen: Mapping[str, Any]) -> Work:
    stages = frozenset(frozen["stages"]) or frozenset({"inference"})
    return Work(stages, frozenset({frozen["kind"]}), parse(frozen["answers"]))


def _part(
    number: int | None, section: sections.Section, lines: Mapping[str, Line], frozen: Mapping[str, Any]
) -> Part:
    keys = sections.keys_of(section)
    shown = tuple(lines[key.name] for key in keys if key.name in lines)
    known, work = frozenset(lines), _work(frozen)
    asked = tuple(str(key.label) for key in keys if sections.is_open(key, known, work))
    mine = any(line.status in ("given", "guess") for line in shown)
    empty = "" if mine else str(section.empty)
    if section.slug == "acceptance":
        shown += acceptance.tests(lines, frozen)
        asked += acceptance.questions()
        empty = "" if shown else empty
    if section.slug == "training" and not frozen["trains"]:
        empty = gettext("Nothing is trained: the server only serves.") if not mine else ""
    return Part(number, section.slug, str(section.title), shown, asked, empty)


# Matches and what is ruled out


def _message(item: Mapping[str, Any], write: Callable[[Message, Mapping[str, str]], str], names: Any) -> str:
    """Return a frozen sentence; one that this version no longer words shows its code and figures."""
    params = item.get("params", {})
    try:
        return write(Message(item["code"], tuple(sorted(params.items()))), names)
    except (KeyError, TypeError, ValueError):
        figures = ", ".join(f"{name} = {value}" for name, value in params.items())
        return f"{item['code']} ({figures})" if figures else item["code"]


def _lead(frozen: Mapping[str, Any]) -> str:
    """Return the outcome in a sentence or two."""
    if not frozen["matches"]:
        return gettext("No server of the catalog fits.")
    first = frozen["matches"][0]
    return " ".join(
        [
            ngettext("%(count)s server matches.", "%(count)s servers match.", frozen["matching"])
            % {"count": units.number(frozen["matching"])},
            gettext("First: %(server)s, %(cards)s.")
            % {"server": _name(first["server"], frozen), "cards": _headline(first, frozen)},
        ]
    )


def _name(slug: str, frozen: Mapping[str, Any]) -> str:
    return frozen["names"].get(slug, slug)


def _headline(item: Mapping[str, Any], frozen: Mapping[str, Any]) -> str:
    cards = f"{item['gpus_per_server']}\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}{_name(item['gpu'], frozen)}"
    if item["servers"] == 1:
        return gettext("%(cards)s in one server") % {"cards": cards}
    return ngettext(
        "%(cards)s in each of %(count)s server", "%(cards)s in each of %(count)s servers", item["servers"]
    ) % {"cards": cards, "count": units.number(item["servers"])}


def _asked(frozen: Mapping[str, Any]) -> str:
    """Return how the server that the brief began from does this work; "" where it began elsewhere."""
    asked = frozen["asked"]
    if not asked:
        return ""
    server = _name(asked["server"], frozen)
    if asked["state"] == "fits":
        text = gettext("It began from the server %(server)s, which fits: place %(place)s, %(cards)s.")
    elif asked["state"] == "fits_if":
        text = gettext(
            "It began from the server %(server)s, which fits on a condition only: place %(place)s, %(cards)s."
        )
    elif asked["state"] == "no":
        why = " ".join(_message(item, reasons.rejection, frozen["names"]) for item in asked["reasons"])
        return gettext("It began from the server %(server)s, which does not fit: %(why)s") % {
            "server": server,
            "why": why,
        }
    else:
        return gettext("It began from the server %(server)s, which the catalog does not have (any more).") % {
            "server": server
        }
    return text % {
        "server": server,
        "place": units.number(asked["place"]),
        "cards": _headline(asked, frozen),
    }


def _match(item: Mapping[str, Any], frozen: Mapping[str, Any]) -> dict[str, Any]:
    names = frozen["names"]
    facts = frozen["facts"]["gpus"].get(item["gpu"], {})
    pros = [entry for entry in item["reasons"] if entry["code"] != "service_pauses"]
    cons = [entry for entry in item["reasons"] if entry["code"] == "service_pauses"]
    return {
        "rank": item["rank"],
        "slug": item["server"],
        "server": _name(item["server"], frozen),
        "headline": _headline(item, frozen),
        "state": item["state"],
        "state_label": str(STATES[item["state"]]),
        "confirmed": item["firm"],
        "confirmed_label": _confirmed(item, frozen),
        "tied": item["tied"],
        "figures": [row for row in _figures(item, frozen, facts) if row["value"]],
        "reasons": [_message(entry, reasons.reason, names) for entry in pros],
        "warnings": [_message(entry, reasons.reason, names) for entry in cons]
        + [_message(entry, reasons.warning, names) for entry in item["warnings"]],
        "layout": reasons.layout(
            item["tensor_parallel"],
            item["pipeline_parallel"],
            item["replicas"],
            item.get("sharding", "none"),
            plain=frozen["serves"],
        ),
    }


def _confirmed(item: Mapping[str, Any], frozen: Mapping[str, Any]) -> str:
    if item["firm"]:
        return gettext("confirmed")
    return gettext("conditional") if frozen["conditional"] else gettext("to be confirmed")


def _figures(
    item: Mapping[str, Any], frozen: Mapping[str, Any], facts: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the figures of a match: name, text, and low, typical and high in a unit."""
    unit = UNITS.get(frozen["kind"], "") if frozen["serves"] else "tokens/s"
    rows: list[tuple[str, Any, list[float] | None, str]] = [
        ("memory_need", _("Memory needed on the busiest GPU"), item.get("need_gib"), "GiB"),
        ("memory_have", _("Memory usable on each GPU"), item.get("have_gib"), "GiB"),
        ("ttft", reasons.FIGURE_LABELS["ttft"], item["ttft_ms"], "ms"),
        ("tpot", reasons.FIGURE_LABELS["tpot"], item["tpot_ms"], "ms"),
        ("throughput", reasons.FIGURE_LABELS["throughput"], (item["throughput"] or {}).get("range"), unit),
        ("max_concurrency", _("Requests at once, at most"), _at_most(item["max_concurrency"]), ""),
        ("training_hours", reasons.FIGURE_LABELS["training_hours"], item["training_hours"], "h"),
        ("power", reasons.FIGURE_LABELS["power"], item["power_w"], "W"),
        ("rack_units", _("Height, all servers"), _one(item["rack_units"]), "U"),
        ("memory_nominal", _("Memory of a GPU, nominal"), _one(facts.get("memory_gb")), "GB"),
    ]
    return [
        {
            "code": code,
            "label": str(label),
            "value": _triple_text(triple, figure_unit),
            "low": triple[0] if triple else None,
            "typical": triple[1] if triple else None,
            "high": triple[2] if triple else None,
            "unit": figure_unit,
        }
        for code, label, triple, figure_unit in rows
    ]


def _one(value: float | None) -> list[float] | None:
    return None if value is None else [value, value, value]


def _at_most(value: float | None) -> list[float] | None:
    return _one(None if value is None else units.no_more_than(value))


def _triple_text(triple: list[float] | None, unit: str) -> str:
    """Return "typical (low–high) unit", to three digits; "" where it is not known or does not apply."""
    if triple is None:
        return ""
    if unit == "U":
        return units.rack_units(triple[1])
    if unit == "W" and units.is_in_kilowatts(triple[1]):
        triple, unit = [end / units.W_PER_KW for end in triple], "kW"
    if unit == "h" and triple[1] < 1:
        triple, unit = [end * 60 for end in triple], "min"
    ends = [units.estimated(end) for end in triple]
    low, typical, high = (units.format_number(end, _places(end, unit)) for end in ends)
    unit_text = _unit(unit)
    space = units.NARROW_SPACE if unit_text else ""
    if low == high:
        exact = units.format_number(triple[1], units.places(triple[1]))
        return f"{exact}{space}{unit_text}"
    return gettext("%(typical)s (%(low)s–%(high)s)") % {
        "typical": f"{typical}{space}{unit_text}",
        "low": low,
        "high": high,
    }


def _places(value: float, unit: str) -> int:
    """Return the decimal places of an estimate, as on the pages: few of milliseconds and minutes."""
    if unit in ("ms", "min"):
        return 0 if value >= 10 else 1
    return units.places(value)


def _unit(unit: str) -> str:
    if unit in ("GiB", "GB", "kW", "min"):
        return pgettext("unit", unit)
    return reasons.unit(unit) if unit else ""


def _more(frozen: Mapping[str, Any]) -> str:
    more = frozen["matching"] - len({item["server"] for item in frozen["matches"]})
    if more < 1:
        return ""
    return ngettext("%(count)s more server matches.", "%(count)s more servers match.", more) % {
        "count": units.number(more)
    }


def _rejected(item: Mapping[str, Any], frozen: Mapping[str, Any]) -> dict[str, Any]:
    names = frozen["names"]
    return {
        "server": _name(item["server"], frozen),
        "gpu": _name(item["gpu"], frozen) if item["gpu"] else "",
        "codes": [reason["code"] for reason in item["reasons"]],
        "rules": [str(reasons.CODE_LABELS.get(reason["code"], reason["code"])) for reason in item["reasons"]],
        "reasons": [_message(reason, reasons.rejection, names) for reason in item["reasons"]],
        "fix": _fix(item, names),
    }


def _fix(item: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Return what would let a ruled-out server in; earlier briefs kept one message instead of changes."""
    if changes := item.get("changes"):
        try:
            return change_texts.changes([Change(part["key"], part["value"]) for part in changes])
        except (KeyError, ArithmeticError):  # a question that is no longer asked
            return ""
    nearest = item.get("nearest_fix")
    return (
        _message(nearest, lambda message, known: reasons.fix(message, known) or "", names) if nearest else ""
    )


def _to_measure(key: str) -> str:
    """Return what is to be found out, as a sentence that names it."""
    if key in reasons.TO_MEASURE:
        return reasons.to_measure(key)
    return f"{sections.label(key)}: {reasons.to_measure(key)}"


def _notice(item: Mapping[str, Any]) -> str:
    params = tuple(
        (name, sections.label(value) if name in ("key", "used") and value in KEYS else value)
        for name, value in item.get("params", {}).items()
    )
    try:
        return Notice(item["code"], params).text
    except (KeyError, TypeError, ValueError):
        return ""
