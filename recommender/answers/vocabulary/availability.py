"""What may happen when a server is lost, separation and growth."""

from django.utils.translation import gettext_lazy as _

from recommender.answers.keys import SERVING, choice, number, yes_no

QUESTIONS = [
    choice(
        "availability",
        [
            ("single", _("It may stand still")),
            ("n_plus_1", _("One spare server (N+1)")),
        ],
        _("What if a server is lost?"),
        _("Carrying on needs at least one server more."),
        "availability",
        stages=SERVING,
    ),
    choice(
        "on_node_loss",
        [
            ("stop", _("The service stops")),
            ("slow", _("It gets slower")),
            ("smaller_model", _("A smaller model takes over")),
        ],
        _("What may happen then?"),
        _("A slower service can be cheaper than a spare server."),
        "availability",
        stages=SERVING,
    ),
    choice(
        "one_node",
        [
            ("yes", _("Yes")),
            ("by_schedule", _("At different times")),
            ("separate", _("No, separate machines")),
        ],
        _("Must one server do everything at once?"),
        _("Training beside a service takes its cards away."),
        "separation",
        stages=frozenset({"mixed"}),
    ),
    yes_no(
        "isolation",
        _("Must work be kept apart?"),
        _("Departments or tests may need servers of their own."),
        "separation",
    ),
    number(
        "maintenance_hours",
        0,
        744,
        _("How much maintenance per month?"),
        _("Maintenance stops everything on a server."),
        "separation",
        "h/month",
        _("h per month"),
        typical="4",
    ),
    number(
        "recovery_hours",
        0,
        8760,
        _("Within which time must it work again after a failure?"),
        _("A few hours call for a spare server or parts on site, a day for a service contract."),
        "availability",
        "h",
        _("h"),
        used=False,
        brief_only=True,
        typical="4",
    ),
    number(
        "growth_percent",
        0,
        1000,
        _("How much does the load grow per year?"),
        _("Together with the horizon, results are sized for its end."),
        "growth",
        "%/year",
        _("% a year"),
        typical="50..200",
        stages=SERVING,
    ),
    number(
        "horizon_years",
        0,
        10,
        _("For how many years must the servers be enough?"),
        _("Together with the growth, results are sized for its end."),
        "growth",
        "years",
        _("years"),
        typical="1..5",
        stages=SERVING,
    ),
]
