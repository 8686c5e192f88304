"""What the pages of the questionnaire and its results print, made ready to be looped over."""

from decimal import ROUND_HALF_UP, Decimal

from django.urls import reverse
from django.utils.translation import gettext, ngettext, pgettext

from catalog.templatetags.rack import card_kind
from catalog.templatetags.units import estimated, format_number, no_more_than, places
from recommender import answers, reasons
from recommender.case_defaults import ENVELOPE, MODEL_DEFAULTS, WELL_KNOWN
from recommender.questions import NOT_ASKED, STAGES, STEP_ONE, group_of

# The question that a rule answers to: the first to look at when it rules too much out.
QUESTION_OF_RULE = {
    "memory": "model",
    "precision": "precision",
    "interconnect": "model",
    "latency": "ttft_ms",
    "throughput": "concurrency",
    "training_time": "target_hours",
    "temperature": "temperature_max_c",
    "depth": "max_depth_mm",
    "rack_units": "rack_units",
    "power": "power_kw",
    "cooling": "cooling",
    "site": "site",
    "cpu_vendor": "cpu_vendor",
    "gpu_vendor": "gpu_vendor",
}

# What the result page offers to change to, beside the model that was chosen.
FREQUENT_MODELS = frozenset({*ENVELOPE, *WELL_KNOWN, *MODEL_DEFAULTS.values(), "deepseek-v3", "gpt-oss-120b"})
STAND_IN_ORIGINS = ("profile", "default")
MAX_NEAREST = 3  # ruled-out servers that an empty result names
MAX_DRAWN = 4  # servers of one match that are drawn
NO_BREAK = "\N{NO-BREAK SPACE}"


def work_summary(form):
    """Return the kind of work in words: the stages, chosen or implied, then the profiles."""
    stages = [str(label) for stage, (label, _note) in STAGES.items() if stage in form.stages]
    names = {
        profile.slug: profile.name or profile.slug
        for profile in form.profiles
        if profile.slug not in form.stages
    }
    return [*stages, *(names[slug] for slug in form.workloads if slug in names)]


def work_of_result(page):
    """Return the kind of work that the result rests on: what it is, and whether that was only assumed.

    A task that only repeats its stage, as development does, is left out.
    """
    items = [item for item in page["assumptions"] if item["key"] in STEP_ONE]
    stages = {item["code"] for item in items if item["key"] == "stage"}
    return [
        {"text": item["value"], "is_assumed": item["origin"] in STAND_IN_ORIGINS}
        for item in items
        if item["key"] == "stage" or item["code"] not in stages
    ]


def question_address(form, name):
    """Return the address of one question with all answers kept, or "" where it is not asked."""
    if name in STEP_ONE:
        page, anchor = "questionnaire", name
    elif name in answers.KEYS and group_of(name) and name not in NOT_ASKED:
        page, anchor = "questions", name
    else:
        return ""
    query = form.address_query()
    return f"{reverse(f'recommender:{page}')}{'?' if query else ''}{query}#q-{anchor}"


def edited_questions(form, page):
    """Return the questions that the result page itself asks: what was answered, then what is missing most."""
    names = [
        name
        for name in answers.KEYS
        if name not in NOT_ASKED and group_of(name) and (name in form.answers.values or name in form.errors)
    ]
    names += [
        item["key"]
        for item in page["to_measure"]
        if item["key"] in answers.KEYS and item["key"] not in NOT_ASKED and item["key"] not in names
    ]
    order = list(answers.KEYS)
    edited = [form.question(name) for name in sorted(names, key=order.index)]
    for question in edited:
        question.address = question_address(form, question.name)
        question.compact = True
        _shorten(question)
    return edited


def typical_questions(form, page, edited):
    """Return the questions that a typical value stands in for, to be answered on the result page as well."""
    known = {question.name for question in edited}
    names = [
        item["key"]
        for item in page["assumptions"]
        if item["origin"] in STAND_IN_ORIGINS
        and not item["is_computed"]
        and item["key"] in answers.KEYS
        and item["key"] not in {*NOT_ASKED, *known}
        and group_of(item["key"])
    ]
    questions = [form.question(name) for name in dict.fromkeys(names)]
    for question in questions:
        question.address = question_address(form, question.name)
        question.compact = True
        question.is_brief = True
        _shorten(question)
    return questions


def _shorten(question):
    """Leave the models that most readers want: hundreds of options belong on the page of the question."""
    if question.control != "select" or question.name not in ("model", "training_model", "draft_model"):
        return
    groups = [
        (label, [option for option in options if option.selected or option.value in FREQUENT_MODELS])
        for label, options in question.groups
    ]
    question.groups = [(label, options) for label, options in groups if options]
    question.is_shortened = True


def stand_ins(page):
    """Return what stands in for the answers that are open, as texts by key."""
    return {item["key"]: item["value"] for item in page["assumptions"] if item["origin"] in STAND_IN_ORIGINS}


def missing(page, form, here=frozenset()):
    """Return what keeps the advice conditional: each answer to find out, with the address of its question.

    Args:
        here: keys of the questions that the page itself asks; links to them stay on it.
    """
    return [
        item
        | {
            "address": f"#id_{item['key']}" if item["key"] in here else question_address(form, item["key"]),
            "is_guess": item["key"] in form.answers.hypotheses,
            "is_general": item["key"] not in reasons.TO_MEASURE,
        }
        for item in page["to_measure"]
    ]


def assumptions(page, form, here=frozenset()):
    """Return what the result rests on: the reader's own answers first, then guesses, then typical values.

    Args:
        here: keys of the questions that the page itself asks; links to them stay on it.
    """
    order = {"given": 0, "hypothesis": 1, "computed": 2, "profile": 3, "default": 4}
    rows = [
        item
        | {
            "address": f"#id_{item['key']}" if item["key"] in here else question_address(form, item["key"]),
            "is_here": item["key"] in here,
            "origin": "computed" if item["is_computed"] else item["origin"],
        }
        for item in page["assumptions"]
    ]
    return sorted(rows, key=lambda row: order[row["origin"]])


def has_spare(page):
    """Tell whether one server stands by for the loss of another."""
    return any(item["key"] == "availability" and item["code"] == "n_plus_1" for item in page["assumptions"])


def match(item, page):
    """Return one match with its drawings and figures as triples."""
    spare = has_spare(page) and item["servers"] > 1
    used = item["gpus_per_server"] * item["servers"] - item["idle_gpus"]
    each = item["gpu"].devices_per_card  # a drawing shows cards
    racks = []
    for place in range(min(item["servers"], MAX_DRAWN)):
        # Idle cards are counted over all servers: they are shared out evenly, the last servers have the rest.
        before = used * place // item["servers"]
        at_work = used * (place + 1) // item["servers"] - before
        racks.append(
            {
                "used": -(-at_work // each),
                "idle": (item["gpus_per_server"] - at_work) // each,
                "spare": spare and place == item["servers"] - 1,
            }
        )
    return item | {
        "racks": racks,
        "more_racks": item["servers"] - len(racks),
        "cards": card_kind(item["gpu"]),
        "each_more": each_more(item, spare),
        "origins": {name: str(reasons.EVIDENCE_LABELS[state]) for name, state in item["evidence"].items()},
        "power_checks": [
            check for figure in item["figures"] if figure["name"] == "power" for check in figure["checks"]
        ],
        "figures": [
            _shown(figure, page)
            for figure in item["figures"]
            if figure["name"] != "power"  # stands beside the drawing
        ],
        "headline": headline(item),
    }


def each_more(item, spare):
    """Return what one more of these servers would carry, as a sentence; "" where that is not known."""
    at_work = item["servers"] - (1 if spare else 0)
    each = int(no_more_than((item["max_concurrency"] or 0) // at_work))
    if not each:
        return ""
    return ngettext(
        "Each further server carries %(count)s request more.",
        "Each further server carries %(count)s requests more.",
        each,
    ) % {"count": format_number(each)}


def headline(item):
    """Return what is bought, in words: cards and servers."""
    count = -(-item["gpus_per_server"] // item["gpu"].devices_per_card)
    cards = f"{count}\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}{item['gpu'].name}"
    if item["servers"] == 1:
        return gettext("%(cards)s in one server") % {"cards": cards}
    return ngettext(
        "%(cards)s in each of %(count)s server", "%(cards)s in each of %(count)s servers", item["servers"]
    ) % {"cards": cards, "count": item["servers"]}


def messages_of_answers(form, here=()):
    """Return every message on an answer with a link to its field, on this page or where it is asked."""
    items = []
    for name, text in form.errors.items():
        if name in here:
            href = f"#q-{name}" if name in STEP_ONE else f"#id_{name}"
        else:
            href = question_address(form, name)
        label = answers.KEYS[name].label if name in answers.KEYS else name
        items.append({"href": href, "label": label, "text": text})
    return items


def binding(page, form):
    """Return the rules that leave no server, the strictest first, each with the question behind it."""
    counts = {}
    for item in page["rejected"]:
        for code, label in {reason["code"]: reason["label"] for reason in item["reasons"]}.items():
            count = counts[code][1] if code in counts else 0
            counts[code] = label, count + 1
    rows = [
        {
            "label": label,
            "count": count,
            "address": question_address(form, QUESTION_OF_RULE[code]) if code in QUESTION_OF_RULE else "",
            "question": answers.KEYS[QUESTION_OF_RULE[code]].label if code in QUESTION_OF_RULE else "",
        }
        for code, (label, count) in counts.items()
    ]
    return sorted(rows, key=lambda row: -row["count"])


def _shown(figure, page):
    """Return a figure with its range and its typical value as pages write them."""
    if figure["low"] is None:
        return figure | {"range": None, "text": "", "unit_after": figure["unit_label"]}
    in_minutes = figure["name"] == "training_hours" and _all_below_an_hour(page)
    ends = [figure[end] * (60 if in_minutes else 1) for end in ("low", "typical", "high")]
    ends = [estimated(end) for end in ends]
    if figure["name"] in ("ttft", "tpot"):  # milliseconds: from ten on without fractions, as in sentences
        steps = [Decimal(1) if end >= 10 else Decimal("0.1") for end in ends]
        ends = [
            float(Decimal(str(end)).quantize(step, ROUND_HALF_UP))
            for end, step in zip(ends, steps, strict=True)
        ]
    return figure | {
        "range": ends,
        "text": _short(ends[1]),
        "unit_label": pgettext("unit", "min") if in_minutes else figure["unit_label"],
        "unit_after": pgettext("unit", "min") if in_minutes else reasons.unit_after(figure["unit"], ends[1]),
    }


def _all_below_an_hour(page):
    """Tell whether no match of the page trains for an hour or longer, so that minutes say more."""
    return all(
        figure["typical"] is None or figure["typical"] < 1
        for item in page["matches"]
        for figure in item["figures"]
        if figure["name"] == "training_hours"
    )


def nearest(page):
    """Return ruled-out servers that one change would let in, those with the fewest reasons first."""
    rows = [item for item in page["rejected"] if item["nearest_fix"] is not None]
    return sorted(rows, key=lambda item: len(item["reasons"]))[:MAX_NEAREST]


def _short(value):
    """Return an estimate in the reader's way, to three digits."""
    return format_number(estimated(value), places(value))


def _unbroken(name):
    """Return a server's name whose model and generation stay on one line."""
    family, space, model = name.partition(" ")
    return f"{family}{space}{model.replace(' ', NO_BREAK)}"


def spoken(page):
    """Return the outcome in a sentence or two, for the heading and for screen readers."""
    fitting = len({item["server"].slug for item in page["matches"]}) + len(page["not_shown"])
    ruled_out = len(page["rejected"])
    if not fitting:
        return gettext("No server of the catalog fits.")
    first = page["matches"][0]
    return " ".join(
        [
            ngettext("%(count)s server matches.", "%(count)s servers match.", fitting) % {"count": fitting},
            ngettext("%(count)s is ruled out.", "%(count)s are ruled out.", ruled_out) % {"count": ruled_out},
            gettext("First: %(server)s, %(cards)s.")
            % {"server": _unbroken(first["server"].name), "cards": headline(first)},
        ]
    )
