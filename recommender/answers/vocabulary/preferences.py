"""What decides between servers that do the work equally well, and what the offer has to name."""

from django.utils.translation import gettext_lazy as _

from recommender.answers.keys import Key, choice, number, yes_no

QUESTIONS = [
    Key(
        "cpu_vendor",
        "slug",
        _("Only processors of one maker?"),
        _("A hard rule: other servers are ruled out."),
        "preferences",
    ),
    Key(
        "gpu_vendor",
        "slug",
        _("Only GPUs of one maker?"),
        _("A hard rule: other cards are ruled out."),
        "preferences",
    ),
    choice(
        "priority",
        [
            ("balanced", _("Balanced")),
            ("performance", _("Performance")),
            ("footprint", _("Little space and few cards")),
            ("power", _("Little power")),
            ("growth", _("Room to grow")),
        ],
        _("What matters most?"),
        _("Decides between servers that do the work equally well."),
        "preferences",
    ),
    choice(
        "must",
        [
            ("throughput", _("Throughput")),
            ("latency", _("Response time")),
            ("concurrency", _("Simultaneous requests")),
            ("availability", _("Availability")),
            ("running_cost", _("Running cost")),
            ("headroom", _("Memory headroom")),
            ("footprint", _("Space, cards and power")),
            ("growth", _("Room to grow")),
        ],
        _("What is a must?"),
        _("Turns a wish into a rule."),
        "preferences",
        repeats=True,
    ),
    number(
        "energy_price",
        0,
        1000,
        _("What does a kilowatt-hour cost?"),
        _("Running costs are only worked out from your own tariff, in your currency."),
        "budget",
        "1/kWh",
        _("per kWh"),
    ),
    number(
        "budget",
        0,
        10**15,
        _("How much may it cost?"),
        _(
            "The catalog has no prices, so the budget changes nothing in the order. It goes into the brief, "
            "for the offer."
        ),
        "budget",
    ),
    number(
        "needed_months",
        0,
        120,
        _("In how many months is it needed?"),
        _("GPU servers are often delivered 8 to 16 weeks after the order."),
        "budget",
        "months",
        _("months"),
        used=False,
        brief_only=True,
        typical="3..6",
    ),
    yes_no(
        "pilot_first",
        _("Is there a pilot before the purchase?"),
        _("A pilot on one server replaces guesses by measured figures."),
        "budget",
        used=False,
        brief_only=True,
    ),
    yes_no(
        "software_licences",
        _("Should software licences be part of the offer?"),
        _("Some are paid for each GPU and year, and easily forgotten."),
        "budget",
        used=False,
        brief_only=True,
    ),
    Key(
        "remarks",
        "text",
        _("Anything else that the offer should consider?"),
        _("Parts or brands that are ruled out, what is there already, who decides."),
        "budget",
        used=False,
        brief_only=True,
    ),
    Key(
        "hypothesis",
        "choice",
        _("Which answers are guesses?"),
        _("Results say what to find out before you buy."),
        "hypothesis",
        repeats=True,
    ),
]
