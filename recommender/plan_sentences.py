"""Sentences about one server or several, in the active language."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _, ngettext_lazy, pgettext_lazy

from recommender.match_conditions import EASIER_REQUESTS

WAY_LABELS: dict[str, Promise] = {
    "shared": _("One server, both at the same time"),
    "separate": _("A server for each"),
    "scheduled": _("One server, at different times"),
}
WAY_TEXTS: dict[str, Promise] = {
    "shared": _(
        "The service keeps its cards and training gets the others: neither waits, but they share processors, "
        "disks and power, and maintenance stops both."
    ),
    "separate": _(
        "Training never disturbs the service, and each server grows on its own; it costs a second server."
    ),
    "scheduled": _(
        "All cards train while the service rests, for example at night: the way with the fewest machines "
        "where the two never need to run together."
    ),
}
NO_SERVER = _("No server of the catalog fits.")
NOT_KNOWN = _("not known")
# For the way that is advised.
REASONS: dict[str, Promise] = {
    "asked_shared": _("You asked for one server that does both at the same time."),
    "asked_scheduled": _("You asked for one server that does one after the other."),
    "asked_separate": _("You asked for separate machines."),
    "kept_apart": _("Work must be kept apart: each job gets a server of its own."),
    "too_large_for_one": _("No single server of the catalog carries both jobs."),
    "apart_in_space": _("Each job has a server of its own, so that neither takes anything from the other."),
    "sharing_pilot": _(
        "Sharing is right for an early pilot: the load is small, and nobody relies on the service yet."
    ),
    "sharing_in_turn": _(
        "Sharing is right here, because the jobs need not overlap: a month's experiments take up to "
        "%(need)s, and the nights offer %(have)s."
    ),
    "sharing_cards": _(
        "Each job has cards of its own: for the service %(serving)s, for training %(training)s."
    ),
    "takes": _("It takes %(servers)s and %(gpus)s in all."),
}
# Against a way: the condition that it breaks, or that it brings nothing.
AGAINST: dict[str, Promise] = {
    "no_server": NO_SERVER,
    "not_separate": _("You asked for separate machines."),
    "not_at_once": _("You asked for one server that does both at the same time."),
    "not_by_schedule": _("You asked for one server that does one after the other."),
    "isolation": _("Work must be kept apart, and here both jobs share a server."),
    "hours_unknown": _("How long an experiment takes is not known, nor if the nights are enough."),
    "night_too_short": _("A month's experiments take up to %(need)s; the nights offer %(have)s."),
    "month_too_short": _("A month's experiments take up to %(need)s; a month offers %(have)s."),
    "never_stops": _(
        "With a server in reserve the service is to answer at all hours; here experiments take its cards."
    ),
    "nobody_waits": _("Requests may not wait, and here they wait until the experiment is over."),
    "stops_with_server": _("The service is to go on when a server is lost; here it stops."),
    "no_maintenance": _("There is no window for maintenance, and here maintenance stops the service."),
    "rack_units": _("All servers together take %(need)s; there are %(have)s."),
    "power": _("All servers together draw up to %(need)s; there are %(have)s."),
    "less_certain": _("It fits only on a condition; the advised way fits without one."),
    "takes_more": _("It takes more hardware: %(servers)s and %(gpus)s."),
    "service_stops": _("The service stops for every experiment, and that saves nothing that counts."),
    "no_less": _("It takes no less hardware."),
}
CAUTIONS: dict[str, Promise] = {
    "range_answers": _("Fits only at the easier end of the ranges that you gave."),
    "range_requests": EASIER_REQUESTS,
    "range_estimates": _("Fits only at the favourable end of the estimates."),
    "longer_than_a_night": _(
        "One experiment takes up to %(hours)s, a night has %(night)s: it must stop in the morning and go on "
        "from its last checkpoint."
    ),
    "hours_unknown": _("How long an experiment takes is not known: measure it first."),
    "over_disks": _(
        "Training needs more of the storage than there is: it will wait for data and checkpoints."
    ),
    "over_network": _("The jobs need more of the network than there is."),
}
# What would turn the verdict: the key of the answer with its side, and the value where it is a word.
FLIPS: dict[tuple[str, str], Promise] = {
    ("experiments_per_month", "above"): ngettext_lazy(
        "More than %(value)s experiment a month", "More than %(value)s experiments a month", "count"
    ),
    ("experiments_per_month", "below"): ngettext_lazy(
        "Fewer than %(value)s experiment a month", "Fewer than %(value)s experiments a month", "count"
    ),
    ("maintenance_hours", "above"): _("More than %(value)s of maintenance a month"),
    ("maintenance_hours", "below"): _("Less than %(value)s of maintenance a month"),
    ("isolation", "yes"): _("If work must be kept apart"),
    ("isolation", "no"): _("If work need not be kept apart"),
    ("on_node_loss", "stop"): _("If the service may stop when a server is lost"),
    ("on_node_loss", "slow"): _("If the service must go on when a server is lost"),
    ("queue_ok", "yes"): _("If requests may wait"),
    ("queue_ok", "no"): _("If requests may not wait"),
    ("one_node", "unknown"): _("If you leave open how the jobs are kept apart"),
}
LONGEST = _("%(condition)s (%(hours)s at the longest)")
NO_WAY_HOLDS = _("no way keeps every condition")
VERDICT_NONE = _("No server of the catalog does both jobs, however they are kept apart.")
VERDICT_BROKEN = _("No way keeps every condition that you gave. This one breaks the fewest:")

RESOURCES: dict[str, Promise] = {
    "memory": _("Memory"),
    "compute": _("Compute"),
    "disks": _("Disks"),
    "network": _("Network"),
}
MODES: dict[tuple[str, str], Promise] = {
    ("memory", "apart"): _("Each job has its own cards; the memory of the host is shared."),
    ("memory", "in_turn"): _("One job at a time holds the cards; the weights are read again afterwards."),
    ("memory", "own"): _("Nothing is shared."),
    ("compute", "apart"): _("Each job has its own cards; the processors are shared."),
    ("compute", "in_turn"): _("One job at a time has all cards."),
    ("compute", "own"): _("Nothing is shared."),
    ("disks", "common"): _("Shared where both use the same storage."),
    ("disks", "in_turn"): _("One job at a time, except for a checkpoint that is still being written."),
    ("network", "common"): _("Shared: both go through the same ports."),
    ("network", "in_turn"): _("One job at a time."),
    ("network", "own"): _("Each server has its own ports."),
}
JOBS: dict[str, Promise] = {"serving": _("Service"), "training": _("Training")}
NEED_AND_HAVE = _("needs %(need)s, has %(have)s")
NEED_AT_BEST = _("needs %(need)s, has %(have)s: enough only at the favourable end")
NEED_OVER = _("needs %(need)s, has %(have)s: not enough")
NEED_ONLY = _("needs %(need)s; available: not known")
NEED_UNKNOWN = _("what it needs is not known")
ON_ONE_CARD = _("Both on the same card would need %(need)s of its %(have)s.")
ON_ONE_CARD_OVER = _("Both on the same card would need %(need)s; it has %(have)s.")

EXPERIMENT: dict[str, Promise] = {
    "shared": _(
        "The service keeps its cards. While data is read or a checkpoint is written, first tokens may come "
        "later: measure it."
    ),
    "separate": _("The service does not notice it, unless both use the same storage."),
    "scheduled": _("The service stops for %(low)s to %(high)s, and then reads %(weights)s of weights again."),
    "scheduled_storage": _(
        "The service stops for %(low)s to %(high)s, and then reads %(weights)s of weights again: %(seconds)s "
        "at the rate of your storage."
    ),
    "scheduled_unknown": _("The service stops for as long as the experiment takes, which is not known."),
}
MAINTENANCE: dict[str, Promise] = {
    "both": _("Both jobs stop."),
    "both_hours": _("Both jobs stop, %(hours)s a month."),
    "rolling": _("One server after the other: the service goes on with the rest, training may wait."),
    "stand_in": _(
        "Training stops while its server is worked on. While the other one is, the training server can serve."
    ),
    "own": _("Each job stops only while its own server is worked on."),
}
LOST: dict[str, Promise] = {
    "all": _("All servers: %(all)s."),
    "left": _("One lost: %(left)s."),
    "stand_in": _("The serving one lost: the training server can take over with %(left)s."),
    "stops": _("One lost: the service stops."),
    "unknown": _("One lost: what is left is not known."),
    "training": _("Training loses what it did since the last checkpoint (every %(minutes)s)."),
}
GROWTH: dict[str, Promise] = {
    "today": pgettext_lazy("load", "Today"),
    "months": ngettext_lazy(
        "In %(months)s month (%(percent)s more)", "In %(months)s months (%(percent)s more)", "count"
    ),
    "percent": _("With %(percent)s more"),
    "takes": _("%(servers)s with %(gpus)s each"),
    "outgrown": _("This server is outgrown."),
    "outgrown_in_time": _("Servers of this kind do not do it in time."),
    "cards_due": _("More GPUs are due above %(load)s."),
    "cards_due_months": ngettext_lazy(
        "More GPUs are due above %(load)s, at this growth after %(months)s month.",
        "More GPUs are due above %(load)s, at this growth after %(months)s months.",
        "count",
    ),
    "server_due": _("The next server is due above %(load)s."),
    "server_due_months": ngettext_lazy(
        "The next server is due above %(load)s, at this growth after %(months)s month.",
        "The next server is due above %(load)s, at this growth after %(months)s months.",
        "count",
    ),
    "larger_due": _("The server is outgrown above %(load)s."),
    "larger_due_months": ngettext_lazy(
        "The server is outgrown above %(load)s, at this growth after %(months)s month.",
        "The server is outgrown above %(load)s, at this growth after %(months)s months.",
        "count",
    ),
    "cycles": ngettext_lazy(
        "A month of %(hours)s has room for %(low)s to %(high)s such cycle.",
        "A month of %(hours)s has room for %(low)s to %(high)s such cycles.",
        "count",
    ),
    "cycles_needed": ngettext_lazy(
        "A month of %(hours)s has room for %(low)s to %(high)s such cycle; needed: %(need)s.",
        "A month of %(hours)s has room for %(low)s to %(high)s such cycles; needed: %(need)s.",
        "count",
    ),
    "each": _("Each further server adds %(load)s."),
    "each_users": _(
        "Each further server adds %(load)s within the targets, that is about %(users)s more registered "
        "people."
    ),
}
ROWS: dict[str, Promise] = {
    "bought": _("What it takes"),
    "requests": _("Simultaneous requests within the targets"),
    "rate": _("Throughput of the service"),
    "hours": _("Time of one training cycle"),
    "experiments": _("Experiments a month"),
    "experiment": _("During an experiment"),
    "maintenance": _("During maintenance"),
    "loss": _("When a server is lost"),
    "growth": _("When the load grows"),
    "units": _("Height"),
    "power": _("Power at load"),
}
ASSUMED: dict[str, Promise] = {
    "night": _("Hours a month in which the service rests"),
    "night_why": _("Eight hours a night: our assumption. A service that machines use at night never rests."),
    "maintenance_hours": _("No maintenance is counted."),
    "experiments_per_month": _("2 to 40 a month are usual."),
    "checkpoint_minutes": _("30 to 120 minutes are usual."),
    "dataset_gb": _("Four bytes a token are counted."),
    "growth_percent": _("Shown for today's load, half as much again and twice as much."),
    "one_node": _("All three ways are shown."),
    "isolation": _("Counted as: need not be kept apart."),
    "on_node_loss": _("Counted as: the service may stop."),
    "queue_ok": _("Counted as: not at the peak; only at night, while an experiment runs."),
    "availability": _("Counted as: no server in reserve."),
    "storage_gbs": _("Without it nobody can say if loading and saving keep up."),
    "network_gbe": _("Without it nobody can say if the network keeps up."),
    "stream": _("A streamed token on the network"),
    "stream_why": _("An event of its own, as in the examples of the OpenAI interface that engines follow."),
}
COMPONENTS: dict[str, Promise] = {
    "model": _("Language model"),
    "embedder": _("Embedding model"),
    "reranker": _("Reranker"),
    "index": _("Vector index"),
    "guardrails": _("Guardrail model"),
    "reader": _("Text recognition (OCR) and parsing"),
}
PLACES: dict[str, Promise] = {
    "gpu": _("On the GPUs of the service."),
    "gpu_beside": _("On a GPU beside the language model: the memory left over is enough."),
    "gpu_or_cpu": _("On a GPU of its own, or on processors where a slower search is good enough."),
    "host": _("In the memory of the same server."),
    "own_server": _("On a server of its own, without GPUs: in its memory."),
    "host_or_own": _("In the memory of the same server, or on a server of its own without GPUs."),
    "elsewhere": _(
        "Only for scanned documents, while they are taken in: on another machine or at night. Its size "
        "depends on the program."
    ),
}
