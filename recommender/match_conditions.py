"""On what a match fits only, and what is not known of its server or card, as sentences."""

from django.utils.translation import gettext_lazy as _

from recommender.sentences import Sentence

EASIER_REQUESTS = _(
    "Fits only at the easier end of the ranges that you gave. Simultaneous requests there: %(easy)s; at the "
    "harder end: %(hard)s."
)
CONDITIONS: dict[str, Sentence] = {
    "range_memory": (
        _("Fits only if it needs less memory than feared: up to %(high)s, with %(have)s available."),
        {"high": "gib", "have": "gib"},
    ),
    "range_ttft": (
        _("Fits only if the first token comes early: it may take up to %(high)s, the target is %(target)s."),
        {"high": "ms", "target": "ms"},
    ),
    "range_tpot": (
        _("Fits only if tokens come fast: each may take up to %(high)s, the target is %(target)s."),
        {"high": "ms", "target": "ms"},
    ),
    "range_rate": (
        _("Fits only if the card does better than feared: it may manage only %(low)s of %(need)s."),
        {"low": "rate", "need": "rate"},
    ),
    "range_hours": (
        _("Fits only if training goes well: it may take up to %(high)s, the target is %(target)s."),
        {"high": "hours", "target": "hours"},
    ),
    "range_answers": (_("Fits only at the easier end of the ranges that you gave."), {}),
    "range_requests": (EASIER_REQUESTS, {"easy": "count", "hard": "count"}),
    "range_estimates": (_("Fits only at the favourable end of the estimates."), {}),
    "unknown_cooling": (_("How it is cooled is not published: ask whether air is enough."), {}),
    "unknown_depth": (_("Its depth is not published: ask before you order."), {}),
    "unknown_rack_units": (_("Its height is not published: ask before you order."), {}),
    "unknown_power": (_("The power of the card is not published: ask before you order."), {}),
    "unknown_temperature": (
        _("Its temperature range is not published: have it confirmed for your room."),
        {},
    ),
    "unknown_temperature_min": (
        _("Its lowest temperature is not published: confirm it for your room."),
        {},
    ),
    "unknown_speed": (
        _("The card's compute rate or memory bandwidth is not published: its speed cannot be worked out."),
        {},
    ),
    "unknown_cache": (
        _("How this model keeps its context is not published: memory for it cannot be worked out."),
        {},
    ),
    "temperature_unpublished": (
        _("Its temperature range is not published; your room is within what servers usually stand."),
        {},
    ),
    "temperature_min_unpublished": (
        _("Its lowest temperature is not published; your room is within what servers usually tolerate."),
        {},
    ),
    "temperature_conditional": (
        _(
            "The maximum of %(limit)s holds only with some processors, memory, cards and power supplies; "
            "every configuration is covered up to %(sure)s. Confirm yours."
        ),
        {"limit": "celsius", "sure": "celsius"},
    ),
    "temperature_partly": (
        _(
            "The maximum of %(limit)s holds only with some processors, memory, cards and power supplies. "
            "Confirm yours."
        ),
        {"limit": "celsius"},
    ),
    "derived": (
        _(
            "That this server takes this card is derived from a sister model and its slots: confirm it with "
            "the vendor."
        ),
        {},
    ),
    "deployed": (
        _("Known from running installations, not from the maker's list: confirm card and number."),
        {},
    ),
    "preset": (
        _("This card is known from a configurator preset only: confirm it with the vendor."),
        {},
    ),
    "count_unpublished": (
        _("How many of these cards the server takes is not published: one is counted."),
        {},
    ),
    "server_not_orderable": (_("This server can no longer be ordered."), {}),
    "server_succeeded": (
        _("This server can no longer be ordered; its successor is %(successor)s."),
        {"successor": "name"},
    ),
    "option_not_orderable": (_("This server can no longer be ordered with this card."), {}),
    "special_order": (
        _("Sold only as a base model of its own under export control: it cannot be changed to later."),
        {},
    ),
    "memory_derived": (
        _("The memory that the card really offers is not published; %(low)s to %(high)s are reckoned with."),
        {"low": "gib", "high": "gib"},
    ),
}
