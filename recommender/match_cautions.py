"""What to know before relying on a match: layout, site, losses, cost and storage, as sentences."""

from django.utils.translation import gettext_lazy as _, ngettext_lazy

from recommender.sentences import Sentence

CAUTIONS: dict[str, Sentence] = {
    "tensor_over_pcie": (
        _(
            "The model is split over %(gpus)s GPUs that talk over PCIe: this buys memory and costs speed, "
            "above all with long prompts."
        ),
        {"gpus": "count"},
    ),
    "tensor_beyond_bridge": (
        _(
            "The model is split over %(gpus)s GPUs, but the fast link joins only %(joined)s: the rest goes "
            "over PCIe and costs speed."
        ),
        {"gpus": "count", "joined": "count"},
    ),
    "split_over_pcie": (
        _("The model is split over %(gpus)s GPUs that talk over PCIe: this buys memory, not speed."),
        {"gpus": "count"},
    ),
    "pipeline": (
        ngettext_lazy(
            "Layers are split into %(stages)s stage: this buys memory, but no answer gets faster.",
            "Layers are split into %(stages)s stages: this buys memory, but no answer gets faster.",
            "count",
        ),
        {"stages": "count"},
    ),
    "pipeline_training": (
        ngettext_lazy(
            "Layers are split into %(stages)s stage: cards wait for each other at every step.",
            "Layers are split into %(stages)s stages: cards wait for each other at every step.",
            "count",
        ),
        {"stages": "count"},
    ),
    "idle": (
        ngettext_lazy(
            "%(gpus)s GPU has no work in this configuration.",
            "%(gpus)s GPUs have no work in this configuration.",
            "count",
        ),
        {"gpus": "count"},
    ),
    "training_cards": (
        ngettext_lazy(
            "%(gpus)s GPU is kept for training beside the service.",
            "%(gpus)s GPUs are kept for training beside the service.",
            "count",
        ),
        {"gpus": "count"},
    ),
    "three_copies": (
        _("With three cards the model runs as three independent copies: a split over 3 is not possible."),
        {},
    ),
    "three_workers": (
        _("The three cards train as workers, each on its share of the data: a split over 3 is not possible."),
        {},
    ),
    "three_idle": (
        _("With three cards the model is split over 2; the third card does not take part in it."),
        {},
    ),
    "three_stages": (
        _("The three cards work as stages one after the other: a faster split over 3 is not possible."),
        {},
    ),
    "several_devices": (
        _(
            "Each card carries %(devices)s GPUs whose memory does not add up: the %(gpus)s GPUs counted for "
            "a server come on this many cards: %(cards)s."
        ),
        {"devices": "count", "gpus": "count", "cards": "count"},
    ),
    "cache_contested": (
        _(
            "Sources disagree about how much cache this model keeps: its page has both readings. The figures "
            "follow its configuration; measure before you order."
        ),
        {},
    ),
    "auto_8bit": (
        _("The model fits only with %(precision)s weights instead of its own type: check the quality."),
        {"precision": "precision"},
    ),
    "weight_only": (
        _(
            "This card does not compute in %(precision)s: weights are kept in it, arithmetic runs in 16 bits "
            "and is no faster."
        ),
        {"precision": "precision"},
    ),
    "check_quality": (
        _("%(precision)s weights can cost quality: test with your own questions."),
        {"precision": "precision"},
    ),
    "condition_ambient": (
        _("With this card the room may have at most %(limit)s."),
        {"limit": "celsius"},
    ),
    "condition_cap": (
        _("In this configuration each card is limited to %(watts)s."),
        {"watts": "watts"},
    ),
    "condition_psu": (
        _("Needs power supplies of at least %(watts)s."),
        {"watts": "watts"},
    ),
    "condition_sockets": (
        ngettext_lazy("Needs %(sockets)s processor.", "Needs %(sockets)s processors.", "count"),
        {"sockets": "count"},
    ),
    "enclosure": (
        _("This is a tray: it needs an enclosure of %(units)s with %(trays)s positions."),
        {"units": "units", "trays": "count"},
    ),
    "quiet_modes": (
        _("The server's quiet acoustic modes may exclude this card: choose the mode first."),
        {},
    ),
    "water": (_("Needs a water loop in the room."), {}),
    "edge_machine": (_("Made for places outside a data centre: a rack server is easier to run there."), {}),
    "usual_power": (
        _("May draw up to %(watts)s: more than the %(usual)s that a cabinet usually offers."),
        {"watts": "watts", "usual": "watts"},
    ),
    "usual_rack": (
        _("Takes %(units)s: more than the %(usual)s of a usual cabinet."),
        {"units": "units", "usual": "units"},
    ),
    "usual_ttft": (
        _("The first token takes about %(value)s: longer than the usual %(usual)s."),
        {"value": "ms", "usual": "ms"},
    ),
    "usual_tpot": (
        _("Each token takes about %(value)s: longer than the usual %(usual)s."),
        {"value": "ms", "usual": "ms"},
    ),
    "usual_hours": (
        _("A training cycle takes about %(value)s: longer than the usual %(usual)s."),
        {"value": "hours", "usual": "hours"},
    ),
    "recompute_full": (
        _("Training fits only with all activations recomputed: up to a third slower, counted in its time."),
        {},
    ),
    "network_unknown": (
        ngettext_lazy(
            "Training over %(servers)s server needs a fast network between them: its speed is not known yet.",
            "Training over %(servers)s servers needs a fast network between them: its speed is not known "
            "yet.",
            "count",
        ),
        {"servers": "count"},
    ),
    "piled": (
        ngettext_lazy(
            "To be sure of the times would take many more than this %(servers)s server: it fits only at the "
            "favourable end of the estimates.",
            "To be sure of the times would take many more than these %(servers)s servers: they fit "
            "only at the "
            "favourable end of the estimates.",
            "count",
        ),
        {"servers": "count"},
    ),
    "unknown_supplies": (
        _("Its power supplies are not published well enough: ask whether they carry it at your feed."),
        {},
    ),
    "range_whole": (_("Holds at both ends of the ranges that you gave."), {}),
    "envelope_held": (
        _("Holds every model from %(smallest)s to %(largest)s with this load."),
        {"smallest": "name", "largest": "name"},
    ),
    "envelope_part": (
        _("Only sure for %(smallest)s: models up to %(largest)s do not fit for certain."),
        {"smallest": "name", "largest": "name"},
    ),
    "cost_month": (
        _("Energy costs %(low)s to %(high)s a month at your tariff, for %(energy)s at load all the time."),
        {"low": "amount", "high": "amount", "energy": "kwh"},
    ),
    "index_here": (
        ngettext_lazy(
            "The index takes %(low)s to %(high)s of host memory beside the model: %(copies)s copy, "
            "vectors of "
            "%(dimensions)s dimensions.",
            "The index takes %(low)s to %(high)s of host memory beside the model: %(copies)s copies, vectors "
            "of %(dimensions)s dimensions.",
            "count",
        ),
        {"low": "gib", "high": "gib", "copies": "count", "dimensions": "count"},
    ),
    "index_apart": (
        ngettext_lazy(
            "The index takes %(low)s to %(high)s of memory on a machine of its own, which is not counted "
            "here: %(copies)s copy, vectors of %(dimensions)s dimensions.",
            "The index takes %(low)s to %(high)s of memory on a machine of its own, which is not counted "
            "here: %(copies)s copies, vectors of %(dimensions)s dimensions.",
            "count",
        ),
        {"low": "gib", "high": "gib", "copies": "count", "dimensions": "count"},
    ),
    "loss_slower": (
        ngettext_lazy(
            "With %(servers)s server, the loss of one leaves %(share)s of the capacity.",
            "With %(servers)s servers, the loss of one leaves %(share)s of the capacity.",
            "count",
        ),
        {"servers": "count", "share": "percent"},
    ),
    "loss_stops": (_("If this server is lost, the service stops, as you accept."), {}),
    "loss_of_the_only": (
        _("There is only this server: if it is lost, the service stops instead of going on."),
        {},
    ),
    "loss_smaller_model": (
        _("Where a smaller model takes over after a loss is not sized here: it needs a card of its own."),
        {},
    ),
    "maintenance_in_turn": (
        _("Maintenance of %(hours)s a month is done one server after another: the load is still carried."),
        {"hours": "hours"},
    ),
    "maintenance_stops": (
        _("Maintenance stops the service for %(hours)s a month: no other server takes over."),
        {"hours": "hours"},
    ),
    "maintenance_slows": (
        _("During %(hours)s of maintenance a month the service has one server less."),
        {"hours": "hours"},
    ),
    "isolation_shared": (
        _("Work that must be kept apart shares this one server: plan a second one, or cards split for good."),
        {},
    ),
    "storage_bays": (
        ngettext_lazy(
            "%(need)s of local storage take drives of %(each)s in its %(bays)s bay.",
            "%(need)s of local storage take drives of %(each)s in each of up to %(bays)s bays.",
            "count",
        ),
        {"need": "gb", "each": "gb", "bays": "count"},
    ),
    "storage_no_bays": (
        _("%(need)s of local storage are wanted; this base model has no bays for drives."),
        {"need": "gb"},
    ),
    "storage_bays_unknown": (
        _("%(need)s of local storage are wanted; how many drives it takes is not published."),
        {"need": "gb"},
    ),
    "checkpoint_files": (
        ngettext_lazy(
            "A full checkpoint takes %(each)s; %(kept)s kept and the final weights take %(stored)s of disk.",
            "A full checkpoint takes %(each)s; %(kept)s kept and the final weights take %(stored)s of disk.",
            "count",
        ),
        {"each": "gb", "kept": "count", "stored": "gb"},
    ),
    "checkpoint_time": (
        _("Writing a checkpoint to your storage takes %(seconds)s."),
        {"seconds": "minutes"},
    ),
    "checkpoint_stall": (
        _("Writing a checkpoint takes %(seconds)s: training waits for them %(share)s of its time."),
        {"seconds": "minutes", "share": "percent"},
    ),
    "supplies": (
        ngettext_lazy(
            "%(left)s power supply of %(size)s carries its %(load)s at your feed, with what may fail "
            "left out.",
            "%(left)s power supplies of %(size)s carry its %(load)s at your feed, with what may fail "
            "left out.",
            "count",
        ),
        {"left": "count", "size": "watts", "load": "watts"},
    ),
    "supplies_if": (
        ngettext_lazy(
            "Needs the right power supplies: %(left)s of %(size)s carries its %(load)s only at the "
            "favourable "
            "end, or in one of two types.",
            "Needs the right power supplies: %(left)s of %(size)s carry its %(load)s only at the favourable "
            "end, or in one of two types.",
            "count",
        ),
        {"left": "count", "size": "watts", "load": "watts"},
    ),
    "altitude_limit": (
        _("At %(altitude)s the room may have at most %(low)s, instead of %(limit)s lower down."),
        {"altitude": "metres", "low": "celsius", "limit": "celsius"},
    ),
    "spare": (
        ngettext_lazy(
            "%(servers)s server, so that the load is still carried with one of them lost.",
            "%(servers)s servers, so that the load is still carried with one of them lost.",
            "count",
        ),
        {"servers": "count"},
    ),
}
