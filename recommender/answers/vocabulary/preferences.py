"""What decides between servers that do the work equally well."""

from django.utils.translation import gettext_lazy as _

from recommender.answers.keys import (
    CRITERIA,
    Key,
    choice,
    number,
)

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
    number(
        "energy_price",
        0,
        1000,
        _("What does a kilowatt-hour cost?"),
        _("Running costs are only worked out from your own tariff."),
        "later",
        "1/kWh",
        _("per kWh"),
        used=False,
    ),
    number(
        "budget",
        0,
        10**15,
        _("How much may it cost?"),
        _("Prices are not published and do not enter the order."),
        "later",
        used=False,
    ),
    Key(
        "must",
        "choice",
        _("What is a must?"),
        _("Turns a wish into a rule."),
        "later",
        choices=tuple((name, name) for name in CRITERIA),
        repeats=True,
        used=False,
    ),
    Key(
        "hypothesis",
        "choice",
        _("Which answers are guesses?"),
        _("Results say what to find out before you buy."),
        "preferences",
        repeats=True,
    ),
]
