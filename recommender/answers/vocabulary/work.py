"""What the server is for."""

from django.utils.translation import gettext_lazy as _

from recommender.answers.keys import Key, choice

QUESTIONS = [
    choice(
        "stage",
        [
            ("training", _("Training")),
            ("fine_tuning", _("Fine-tuning")),
            ("inference", _("Inference")),
            ("mixed", _("Fine-tuning and inference")),
            ("development", _("Development and pilots")),
        ],
        _("Stage"),
        _("Training, fine-tuning and serving a model ask for different machines."),
        "work",
        repeats=True,
    ),
    Key(
        "workload",
        "slug",
        _("Task"),
        _("Fills in typical values for everything that you do not know yet."),
        "work",
        repeats=True,
    ),
    Key(
        "server",
        "slug",
        _("Which server did you begin with?"),
        _("The work decides: the result says whether this server fits it, and which ones fit better."),
        "work",
        used=False,
        brief_only=True,
    ),
]
