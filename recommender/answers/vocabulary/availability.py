"""What may happen when a server is lost, separation and growth."""

from django.utils.translation import gettext_lazy as _

from recommender.answers.keys import (
    SERVING,
    choice,
    number,
    yes_no,
)

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
        "later",
        used=False,
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
        "availability",
        stages=frozenset({"mixed"}),
    ),
    yes_no(
        "isolation",
        _("Must work be kept apart?"),
        _("Departments or tests may need servers of their own."),
        "later",
        used=False,
    ),
    number(
        "maintenance_hours",
        0,
        744,
        _("How much maintenance per month?"),
        _("Maintenance stops everything on a server."),
        "later",
        "h/month",
        _("h per month"),
        used=False,
    ),
    number(
        "growth_percent",
        0,
        1000,
        _("How much does the load grow per year?"),
        _("Together with the horizon, results are sized for its end."),
        "availability",
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
        "availability",
        "years",
        _("years"),
        typical="1..5",
        stages=SERVING,
    ),
]
