"""What speaks for a match, as sentences with places for figures."""

from django.utils.translation import gettext_lazy as _, ngettext_lazy

from recommender.sentences import Sentence

REASONS: dict[str, Sentence] = {
    "first_sure": (
        ngettext_lazy(
            "First because the %(others)s other match fits only on a condition, or rests on something that "
            "is not published.",
            "First because the %(others)s other matches fit only on a condition, or rest on something that "
            "is not published.",
            "count",
        ),
        {"others": "count"},
    ),
    "first_cards": (
        ngettext_lazy(
            "First because %(gpus)s GPU does the work; the next match takes %(others)s.",
            "First because %(gpus)s GPUs do the work; the next match takes %(others)s.",
            "count",
        ),
        {"gpus": "count", "others": "count"},
    ),
    "first_units": (
        _("First because it takes the least space: %(units)s, the next match %(others)s."),
        {"units": "units", "others": "units"},
    ),
    "first_level": (
        ngettext_lazy(
            "First with %(score)s of 100 points, but level with the next %(others)s match: other things "
            "may decide.",
            "First with %(score)s of 100 points, but level with the next %(others)s matches: other things "
            "may decide.",
            "count",
        ),
        {"score": "number", "others": "count"},
    ),
    "first_points": (
        _("First with %(score)s of 100 points; the next match has %(others)s."),
        {"score": "number", "others": "number"},
    ),
    "memory_serving": (
        ngettext_lazy(
            "Each GPU needs %(need)s of the %(have)s available, with %(requests)s simultaneous request of "
            "%(tokens)s tokens over all GPUs.",
            "Each GPU needs %(need)s of the %(have)s available, with %(requests)s simultaneous requests of "
            "%(tokens)s tokens over all GPUs.",
            "count",
        ),
        {"need": "gib", "have": "gib", "requests": "count", "tokens": "count"},
    ),
    "memory_without_cache": (
        _("Without its cache, each GPU needs %(need)s; %(have)s are usable."),
        {"need": "gib", "have": "gib"},
    ),
    "memory_over": (
        _("Each GPU typically needs %(need)s; %(have)s are available."),
        {"need": "gib", "have": "gib"},
    ),
    "memory_training": (
        ngettext_lazy(
            "Training needs %(need)s of the %(have)s on %(gpus)s GPU.",
            "Training needs %(need)s of the %(have)s on each of %(gpus)s GPUs.",
            "count",
        ),
        {"need": "gib", "have": "gib", "gpus": "count"},
    ),
    "memory_rate": (
        _("The model needs %(need)s of the %(have)s available on each GPU."),
        {"need": "gib", "have": "gib"},
    ),
    "training_hours": (
        _("One training cycle takes %(low)s to %(high)s; the target is %(target)s."),
        {"low": "hours", "high": "hours", "target": "hours"},
    ),
    "training_hours_free": (
        _("One training cycle takes %(low)s to %(high)s."),
        {"low": "hours", "high": "hours"},
    ),
    "training_hours_over": (
        ngettext_lazy(
            "One training cycle over %(servers)s server takes %(low)s to %(high)s; the target is %(target)s.",
            "One training cycle over %(servers)s servers takes %(low)s to %(high)s; the target is "
            "%(target)s.",
            "count",
        ),
        {"low": "hours", "high": "hours", "servers": "count", "target": "hours"},
    ),
    "training_hours_over_free": (
        ngettext_lazy(
            "One training cycle over %(servers)s server takes %(low)s to %(high)s.",
            "One training cycle over %(servers)s servers takes %(low)s to %(high)s.",
            "count",
        ),
        {"low": "hours", "high": "hours", "servers": "count"},
    ),
    "two_roles": (
        ngettext_lazy(
            "Of %(gpus)s GPU the service uses %(needed)s: training can have the rest without stopping it, "
            "and takes longer there.",
            "Of %(gpus)s GPUs the service uses %(needed)s: training can have the rest without stopping it, "
            "and takes longer there.",
            "count",
        ),
        {"gpus": "count", "needed": "count"},
    ),
    "service_pauses": (
        ngettext_lazy(
            "%(gpus)s GPU does both jobs: the service slows down or stops while training runs.",
            "%(gpus)s GPUs do both jobs: the service slows down or stops while training runs.",
            "count",
        ),
        {"gpus": "count"},
    ),
    "first_token": (
        ngettext_lazy(
            "The first token comes after about %(ttft)s and each further one after %(tpot)s, with "
            "%(requests)s simultaneous request.",
            "The first token comes after about %(ttft)s and each further one after %(tpot)s, with "
            "%(requests)s simultaneous requests.",
            "count",
        ),
        {"ttft": "ms", "tpot": "ms", "requests": "count"},
    ),
    "capacity": (
        ngettext_lazy(
            "It carries up to %(capacity)s simultaneous request; you need %(requests)s.",
            "It carries up to %(capacity)s simultaneous requests; you need %(requests)s.",
            "count",
        ),
        {"capacity": "count", "requests": "count"},
    ),
    "capacity_one_lost": (
        ngettext_lazy(
            "With one server lost it carries %(capacity)s simultaneous request; you need %(requests)s.",
            "With one server lost it carries %(capacity)s simultaneous requests; you need %(requests)s.",
            "count",
        ),
        {"capacity": "count", "requests": "count"},
    ),
    "rate_vision": (
        _("Analyses %(low)s to %(high)s frames per second; you need %(need)s."),
        {"low": "rate", "high": "rate", "need": "rate"},
    ),
    "rate_speech": (
        ngettext_lazy(
            "Transcribes %(low)s to %(high)s stream in real time; you need %(need)s.",
            "Transcribes %(low)s to %(high)s streams in real time; you need %(need)s.",
            "count",
        ),
        {"low": "rate", "high": "rate", "need": "rate"},
    ),
    "rate_images": (
        _("Makes %(low)s to %(high)s images per minute; you need %(need)s."),
        {"low": "rate", "high": "rate", "need": "rate"},
    ),
    "rate_embeddings": (
        _("Reads %(low)s to %(high)s tokens per second; you need %(need)s."),
        {"low": "rate", "high": "rate", "need": "rate"},
    ),
    "size": (
        ngettext_lazy(
            "%(gpus)s GPU, %(units)s, about %(watts)s.", "%(gpus)s GPUs, %(units)s, about %(watts)s.", "count"
        ),
        {"gpus": "count", "units": "units", "watts": "watts"},
    ),
    "size_units": (
        ngettext_lazy("%(gpus)s GPU, %(units)s.", "%(gpus)s GPUs, %(units)s.", "count"),
        {"gpus": "count", "units": "units"},
    ),
    "size_watts": (
        ngettext_lazy("%(gpus)s GPU, about %(watts)s.", "%(gpus)s GPUs, about %(watts)s.", "count"),
        {"gpus": "count", "watts": "watts"},
    ),
    "size_gpus": (
        ngettext_lazy("%(gpus)s GPU does the work.", "%(gpus)s GPUs do the work.", "count"),
        {"gpus": "count"},
    ),
}
