"""One server or several in words: figures, effects and conditions in the active language."""

from collections.abc import Callable, Mapping
from math import floor
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext, ngettext, pgettext

from catalog.templatetags import units
from recommender import plan_sentences as said, reasons
from recommender.answers import KEYS, parse_interval, written
from recommender.answers.wording import token_scales
from recommender.plans import Plan, Plans, Scale
from recommender.plans.contention import EVENT_BYTES, Contention, Share, cycle_hours, start_bytes
from recommender.plans.growth import Growth, Step
from recommender.plans.terms import NIGHT_HOURS, USUAL_CHECKPOINT_S, USUAL_EXPERIMENTS
from recommender.ranking import Match
from recommender.sizing.demand import UNITS, Message
from recommender.sizing.specs import GIB, Range

if TYPE_CHECKING:
    from recommender.services import Result

MINUTE, HOUR = 60.0, 3600.0


# Figures


def _hours(value: float) -> str:
    return units.hours(units.estimated(value))


def bytes_text(value: float) -> str:
    return units.gibibytes(units.estimated(value / GIB))


def _per_second(value: float, steps: tuple[tuple[float, str], ...]) -> str:
    """Return a rate in the largest unit that leaves at least one of it."""
    scale, unit = next((step for step in steps if value >= step[0]), steps[-1])
    amount = units.estimated(value / scale)
    return units.quantity(amount, unit, units.places(amount))


def bytes_per_second(value: float) -> str:
    steps = (
        (1e9, pgettext("unit", "GB/s")),
        (1e6, pgettext("unit", "MB/s")),
        (1e3, pgettext("unit", "kB/s")),
        (1.0, pgettext("unit", "B/s")),
    )
    return _per_second(value, steps)


def bits_per_second(value: float) -> str:
    steps = (
        (1e9, pgettext("unit", "Gbit/s")),
        (1e6, pgettext("unit", "Mbit/s")),
        (1e3, pgettext("unit", "kbit/s")),
        (1.0, pgettext("unit", "bit/s")),
    )
    return _per_second(value, steps)


def seconds(value: float) -> str:
    """Return a time, in minutes and in hours from two of them on."""
    if value >= 2 * HOUR:
        return _hours(value / HOUR)
    if value >= 2 * MINUTE:
        return units.quantity(units.estimated(value / MINUTE), pgettext("unit", "min"), 0)
    return units.quantity(units.estimated(value), pgettext("unit", "s"), units.places(value))


def load_text(result: "Result", value: float, *, estimate: bool = False) -> str:
    """Return an amount of the work: simultaneous requests, frames a second, tokens of a cycle."""
    case = result.case
    if not case.serves:
        scale, text = next((step for step in token_scales() if value >= step[0]), token_scales()[-1])
        return str(text) % {"amount": units.number(units.estimated(value / scale))}
    if case.kind == "tokens":
        count = floor(value + 1e-9)
        if estimate:
            count = int(units.no_more_than(count))
        return ngettext("%(count)s request at once", "%(count)s requests at once", count) % {
            "count": units.number(count)
        }
    amount = units.estimated(value) if estimate else value
    if case.kind == "speech":  # streams are counted, all others are rates
        count = int(amount) if amount == int(amount) else 2  # as `answers.wording` does
        text = ngettext("%(amount)s stream", "%(amount)s streams", count)
        return text % {"amount": units.number(amount, units.places(amount))}
    return units.quantity(amount, reasons.unit_after(UNITS[case.kind], amount), units.places(amount))


def _ends(value: Range, write: Callable[[float], str]) -> str:
    """Return low, typical and high as they are written, once where they read the same."""
    low, typical, high = write(value.low), write(value.typical), write(value.high)
    if low == high:
        return low
    return gettext("%(typical)s (%(low)s to %(high)s)") % {"low": low, "high": high, "typical": typical}


def _gpus(count: int) -> str:
    return ngettext("%(count)s GPU", "%(count)s GPUs", count) % {"count": units.number(count)}


def _hardware(servers: int, gpus: int) -> dict[str, str]:
    """Return servers and GPUs with their nouns, for sentences that name both."""
    text = ngettext("%(count)s server", "%(count)s servers", servers) % {"count": units.number(servers)}
    return {"servers": text, "gpus": _gpus(gpus)}


# Sentences of one way


def message_text(item: Message, table: Mapping[str, Any]) -> str:
    """Return a reason for a way or against it."""
    write: Callable[[float], str] = {
        "rack_units": units.rack_units,
        "power": units.power,
        "night_too_short": _hours,
        "month_too_short": _hours,
        "sharing_in_turn": _hours,
        "longer_than_a_night": _hours,
    }.get(item.code, units.number)
    values = {name: write(value) for name, value in item.params}  # type: ignore[arg-type]
    if item.code in ("takes", "takes_more"):
        values = _hardware(int(item["servers"] or 0), int(item["gpus"] or 0))
    elif item.code == "sharing_cards":
        values = {name: _gpus(int(value or 0)) for name, value in item.params}
    return str(table[item.code]) % values


def _configured(names: Mapping[str, str], match: Match, sets: int = 1) -> str:
    config = match.config
    return reasons.configuration(
        names[config.node.server], names[config.node.gpu.slug], config.count, config.servers * sets
    )


def bought(result: "Result", plan: Plan) -> list[tuple[str, str]]:
    """Return what a way takes, as jobs with configurations; one line where both take the same."""
    names = result.names
    if plan.serving is None or plan.training is None:
        found = [
            ("serving", gettext("Serves"), plan.serving),
            ("training", gettext("Trains"), plan.training),
        ]
        return [
            (label, str(said.NO_SERVER) if match is None else _configured(names, match))
            for _job, label, match in found
        ]
    whole = _configured(names, plan.serving)
    if plan.way == "separate":
        training = _configured(names, plan.training, plan.sets)
        if whole == training:
            return [(gettext("One serves, one trains: each"), whole)]
        return [(gettext("Serves"), whole), (gettext("Trains"), training)]
    if plan.way == "shared" and 0 < plan.training_gpus < plan.gpus:
        return [
            (gettext("Serves"), reasons.part(whole, plan.gpus - plan.training_gpus)),
            (gettext("Trains"), reasons.part(whole, plan.training_gpus)),
        ]
    return [(gettext("Serves and trains"), whole)]


def experiment_text(plan: Plan) -> str:
    """Return what happens to the service while an experiment runs."""
    if plan.way != "scheduled":
        return str(said.EXPERIMENT[plan.way])
    assert plan.capacity is not None
    assert plan.serving is not None
    hours, weights = plan.capacity.hours, start_bytes(plan.serving)
    if hours is None or weights is None:
        return str(said.EXPERIMENT["scheduled_unknown"])
    values = {"low": _hours(hours.low), "high": _hours(hours.high), "weights": bytes_text(weights.typical)}
    shares = [share for item in plan.contention for share in item.shares if share.unit == "bytes/s"]
    rate = next((share.have for share in shares), None)
    if not rate:
        return str(said.EXPERIMENT["scheduled"]) % values
    values["seconds"] = seconds(weights.typical / rate)
    return str(said.EXPERIMENT["scheduled_storage"]) % values


def maintenance_text(plans: Plans, plan: Plan) -> str:
    """Return what happens to both jobs during maintenance."""
    loss = plan.loss
    assert loss is not None
    if plan.way == "separate":
        code = "stand_in" if loss.stands_in else "rolling" if loss.one_lost else "own"
        return str(said.MAINTENANCE[code])
    if loss.one_lost:
        return str(said.MAINTENANCE["rolling"])
    if plans.terms.maintenance_h is not None and plans.terms.maintenance > 0:
        return str(said.MAINTENANCE["both_hours"]) % {"hours": units.hours(plans.terms.maintenance)}
    return str(said.MAINTENANCE["both"])


def loss_texts(result: "Result", loss: Any, *, trains: bool) -> list[str]:
    """Return what is left of the service with a server lost, and of training."""
    texts = []
    if loss is not None and loss.all is not None:
        texts.append(str(said.LOST["all"]) % {"all": load_text(result, loss.all, estimate=True)})
        if loss.one_lost:
            code = "stand_in" if loss.stands_in else "left"
            texts.append(str(said.LOST[code]) % {"left": load_text(result, loss.one_lost, estimate=True)})
        else:
            texts.append(str(said.LOST["stops"]))
    elif loss is not None:
        texts.append(str(said.LOST["unknown"]))
    if trains:
        every = result.plans.terms.checkpoint_s
        interval = USUAL_CHECKPOINT_S if every is None else every.high
        minutes = units.quantity(interval / MINUTE, pgettext("unit", "min"))
        texts.append(str(said.LOST["training"]) % {"minutes": minutes})
    return texts


def cycles_texts(result: "Result", scale: Scale) -> list[str]:
    """Return how many training cycles a month has room for, as no or one sentence."""
    terms = result.plans.terms
    hours = cycle_hours(result.case, terms, scale.match)
    if hours is None or hours.low <= 0:
        return []
    low, high = (floor(terms.month_h / end + 1e-9) for end in (hours.high, hours.low))
    if terms.experiments is None:
        code, values = "cycles", {}
    else:
        code, values = "cycles_needed", {"need": units.number(terms.trials)}
    values |= {"hours": _hours(terms.month_h), "low": units.number(low), "high": units.number(high)}
    return [str(said.GROWTH[code] % (values | {"count": high}))]


def share_text(result: "Result", share: Share) -> str:
    """Return what a job needs of a resource, and what there is."""
    if share.need is None:
        return str(said.NEED_UNKNOWN)
    write: Callable[[float], str] = {
        "bytes": bytes_text,
        "bytes/s": bytes_per_second,
        "bits/s": bits_per_second,
        "hours": _hours,
    }.get(share.unit, lambda value: load_text(result, value, estimate=True))
    need = _ends(share.need, write)
    if share.unit == "hours":
        need = gettext("%(hours)s a month") % {"hours": need}
    if share.have is None:
        return str(said.NEED_ONLY) % {"need": need}
    text = said.NEED_AND_HAVE
    if share.need.high > share.have:
        text = said.NEED_OVER if share.need.low > share.have else said.NEED_AT_BEST
    return str(text) % {"need": need, "have": write(share.have)}


def contention_row(result: "Result", item: Contention) -> dict[str, Any]:
    """Return one resource of one way: how it is shared, and need against have of each job."""
    both = ""
    if item.on_one_card is not None and item.mode != "own":
        need, have = item.on_one_card
        text = said.ON_ONE_CARD_OVER if need > have else said.ON_ONE_CARD
        both = str(text) % {"need": bytes_text(need), "have": bytes_text(have)}
    return {
        "resource": item.resource,
        "mode": item.mode,
        "text": str(said.MODES[item.resource, item.mode]),
        "shares": [
            {"job": str(said.JOBS[share.job]), "text": share_text(result, share), "over": share.over}
            for share in item.shares
        ],
        "both": both,
    }


def growth_rows(result: "Result", growth: Growth, *, larger: bool = False) -> dict[str, Any]:
    """Return the steps of a load that grows, and what is due when.

    Args:
        result: The advice.
        growth: Steps and limits.
        larger: the way takes one server at most, so that only a larger one comes next.
    """
    steps = [
        {
            "label": _step_label(step),
            "load": load_text(result, step.load),
            "text": _step_text(result, step),
            "units": step.rack_units,
            "power": step.power_w,
            "hours": step.hours and step.hours.scaled(1 / HOUR),
            "servers": step.servers,
            "count": step.count,
        }
        for step in growth.steps
    ]
    due, today = [], growth.steps[0].load
    more_cards = growth.full_at is not None and growth.full_at != growth.server_full_at
    for wanted, code, load, months in (
        (more_cards, "cards_due", growth.full_at, growth.full_in_months),
        (True, "larger_due" if larger else "server_due", growth.server_full_at, growth.server_full_in_months),
    ):
        if not wanted or load is None or load < today:
            continue  # below today's load: it fits only at the favourable end, which is said elsewhere
        values = {"load": load_text(result, load, estimate=True)}
        if months is not None:
            code, values = f"{code}_months", values | {"months": units.number(months), "count": months}
        due.append(str(said.GROWTH[code] % values))
    if growth.each_server is not None and not larger:
        due.append(_each_server(result, growth.each_server, today))
    return {"steps": steps, "due": due}


def _each_server(result: "Result", load: float, today: float) -> str:
    """Return what one more server adds; in people, as many requests each as they send today."""
    people, values = result.plans.terms.users, {"load": load_text(result, load, estimate=True)}
    if people is None or not today:
        return str(said.GROWTH["each"]) % values
    more = people.high / today * load
    return str(said.GROWTH["each_users"]) % (values | {"users": units.number(units.estimated(more, 2))})


def _step_label(step: Step) -> str:
    if step.percent == 0:
        return str(said.GROWTH["today"])
    percent = units.percent(units.estimated(step.percent))
    if step.months is None:
        return str(said.GROWTH["percent"]) % {"percent": percent}
    values = {"percent": percent, "months": units.number(step.months), "count": step.months}
    return str(said.GROWTH["months"] % values)


def _step_text(result: "Result", step: Step) -> str:
    if step.servers is None or step.count is None:
        return str(said.GROWTH["outgrown" if result.case.serves else "outgrown_in_time"])
    return str(said.GROWTH["takes"]) % _hardware(step.servers, step.count)


# The verdict


def verdict(result: "Result") -> dict[str, Any] | None:
    """Return which way is advised and why, and what would turn it; None: there is only one job."""
    found = result.plans.verdict
    if found is None:
        return None
    if found.way is None:
        return {"way": None, "label": "", "lead": str(said.VERDICT_NONE), "reasons": [], "flips": []}
    broken = found.against[found.way]
    return {
        "way": found.way,
        "label": str(said.WAY_LABELS[found.way]),
        "lead": "" if found.holds else str(said.VERDICT_BROKEN),
        "reasons": [message_text(item, said.REASONS) for item in found.reasons],
        "warnings": [
            *(message_text(item, said.AGAINST) for item in broken),
            *(message_text(item, said.CAUTIONS) for item in found.cautions),
        ],
        "flips": [
            {
                "key": flip.key,
                "value": flip.value,
                "side": flip.side,
                "way": flip.way,
                "condition": _condition(result, flip),
                "text": str(said.WAY_LABELS[flip.way]) if flip.way else str(said.NO_WAY_HOLDS),
            }
            for flip in found.flips
        ],
    }


def _condition(result: "Result", flip: Any) -> str:
    if flip.side == "is":
        return str(said.FLIPS[flip.key, flip.value])
    write = units.hours if flip.key == "maintenance_hours" else units.number
    values = {"value": write(flip.value), "count": int(flip.value) if flip.value == int(flip.value) else 2}
    text = str(said.FLIPS[flip.key, flip.side] % values)
    advised = result.plans.ways[result.plans.verdict.way] if result.plans.verdict else None
    hours = advised.capacity.hours if advised is not None and advised.capacity is not None else None
    if flip.key != "experiments_per_month" or hours is None:
        return text
    return str(said.LONGEST) % {"condition": text, "hours": _hours(flip.value * hours.high)}


def against(result: "Result", plan: Plan) -> list[str]:
    """Return what speaks against a way."""
    found = result.plans.verdict
    items = () if found is None else found.against.get(plan.way, ())
    return [message_text(item, said.AGAINST) for item in items]


# The assumptions


def assumptions(result: "Result") -> list[dict[str, str]]:
    """Return what the comparison rests on, each with its origin: given, hypothesis, default or unknown."""
    terms, rows = result.plans.terms, []
    stand_ins = {
        "experiments_per_month": units.number(USUAL_EXPERIMENTS),
        "checkpoint_minutes": units.quantity(USUAL_CHECKPOINT_S / MINUTE, pgettext("unit", "min")),
    }
    wanted = (
        ["growth_percent", "availability", "on_node_loss"] if result.case.serves else ["checkpoint_minutes"]
    )
    if result.plans.ways:
        wanted = [
            "one_node", "isolation", "availability", "on_node_loss", "queue_ok", "maintenance_hours",
            "experiments_per_month", "checkpoint_minutes", "dataset_gb", "storage_gbs", "network_gbe",
            "growth_percent",
        ]  # fmt: skip
    for key in wanted:
        text = terms.answered.get(key)
        origin = "unknown" if key not in stand_ins else "default"
        if text is not None:
            origin = "hypothesis" if key in terms.guesses else "given"
        rows.append(
            {
                "key": key,
                "label": str(KEYS[key].label),
                "value": stand_ins.get(key, "") if text is None else _answer(key, text),
                "origin": origin,
                "why": str(said.ASSUMED.get(key, "")) if text is None else "",
            }
        )
    if result.plans.ways:
        rows.append(
            {
                "key": "night",
                "label": str(said.ASSUMED["night"]),
                "value": units.hours(units.estimated(NIGHT_HOURS)),
                "origin": "default",
                "why": str(said.ASSUMED["night_why"]),
            }
        )
        rows.append(
            {
                "key": "stream",
                "label": str(said.ASSUMED["stream"]),
                "value": _ends(EVENT_BYTES, lambda value: units.quantity(value, pgettext("unit", "B"))),
                "origin": "default",
                "why": str(said.ASSUMED["stream_why"]),
            }
        )
    return rows


def _answer(key: str, text: str) -> str:
    question = KEYS[key]
    if question.kind != "number":
        return str(dict(question.choices).get(text, text))
    return written(question, parse_interval(text))
