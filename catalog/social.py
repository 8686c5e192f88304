"""What the pictures of the catalog's pages say, and those of other pages without an object of their own."""

from django.template.loader import render_to_string
from django.utils.text import Truncator
from django.utils.translation import gettext, gettext_lazy as _

from aiservers import social
from aiservers.social import Card
from catalog import selectors, structured
from catalog.glossary import plain
from catalog.models import GPU, AIModel, Server, WorkloadProfile
from catalog.templatetags.rack import rack
from catalog.templatetags.units import billions, number

MAX_LEAD = 170  # letters that the picture has room for

# The headings of pages without an object, by the name of their address; `home` stands for all others.
PAGES = {
    "home": _("What will the server do?"),
    "server_list": _("Servers"),
    "gpu_list": _("GPUs and accelerators"),
    "ai_model_list": _("AI models"),
    "workload_list": _("Kinds of work for AI servers"),
    "training": _("Servers for training"),
    "inference": _("Servers for inference"),
    "edge": _("Edge AI servers: outside the data centre"),
    "mixed": _("One server for training and inference, or two?"),
    "glossary": _("Glossary of AI servers"),
    "calculator": _("GPU memory calculator"),
    "accuracy": _("How accurate our figures are"),
    "result_list": _("Measurements"),
}


def register():
    """Make the pictures known, when the app is ready."""
    for name, title in PAGES.items():
        social.register(name, lambda title=title: page(title))
    social.register("server", server)
    social.register("gpu", gpu)
    social.register("ai_model", ai_model)
    social.register("workload", workload)


def page(title):
    lead = gettext("Servers for training and inference, with the source of every figure.")
    return Card(title=title, lead=lead, drawing=social.EMBLEM)


def server(slug):
    row = Server.objects.for_cards().get(slug=slug)
    card = selectors.server_card(row)
    shape = card.drawing
    drawing = rack(row, cards=shape["cards"], free=shape["count"], height=shape["height"], size="large")
    return Card(
        title=row.name,
        kicker=row.get_kind_display(),
        facts=structured.server_facts(row, card),
        drawing=render_to_string("includes/_rack.html", drawing),
    )


def gpu(slug):
    row = GPU.objects.for_cards().get(slug=slug)
    return Card(title=row.name, kicker=gettext("GPUs and accelerators"), facts=structured.gpu_facts(row))


def ai_model(slug):
    row = AIModel.objects.published().get(slug=slug)
    facts = [
        (gettext("Parameters"), billions(row.parameters)),
        (gettext("Longest context, tokens"), row.max_context and number(row.max_context)),
        (gettext("Own type"), row.native_precision.upper()),
    ]
    return Card(
        title=gettext("Which server for %(name)s?") % {"name": row.name},
        kicker=row.get_kind_display(),
        facts=[(label, value) for label, value in facts if value],
    )


def workload(slug):
    row = WorkloadProfile.objects.published().get(slug=slug)
    lead = Truncator(plain(row.summary)).chars(MAX_LEAD)
    kicker = gettext("Kinds of work for AI servers")
    return Card(title=row.name, kicker=kicker, lead=lead, drawing=social.EMBLEM)
