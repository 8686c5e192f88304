"""The pages of kinds of work: training, inference, edge, mixed, and one for each profile."""

from urllib.parse import urlencode

from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from catalog import selectors, selectors_work, structured
from catalog.models import WorkloadProfile
from recommender import services

# The load of the worked example on the page of mixed work: typical values stand for everything else.
MIXED_EXAMPLE = {"stage": "mixed", "workload": "chat", "method": "lora"}
EDGE_WORK = ("vision", "speech", "chat")  # what usually runs outside a data centre
SHOWN_SERVERS = 6
SHOWN_MEASURES = 5


@require_safe
def training(request):
    cards = selectors.servers_for(for_training=True)
    context = {
        "matrix": selectors.requirement_matrix("training", "inference"),
        "cards": cards,
        "structured": _servers(gettext("Servers for training"), cards),
        "profiles": selectors_work.profiles_of("training", "fine_tuning"),
    }
    return render(request, "catalog/training.html", context)


@require_safe
def inference(request):
    cards = selectors.servers_for(for_inference=True)
    groups = selectors.inference_groups(cards)
    in_order = [card for cards in groups.values() for card in cards]
    context = {
        "matrix": selectors.requirement_matrix("inference", "training"),
        "groups": groups,
        "structured": _servers(gettext("Servers for inference"), in_order),
        "profiles": selectors_work.profiles_of("inference"),
    }
    return render(request, "catalog/inference.html", context)


@require_safe
def edge(request):
    """Servers for places outside a data centre, with what the place decides."""
    profiles = [row for row in selectors_work.profiles_of("inference") if row.slug in EDGE_WORK]
    rows = selectors_work.edge_rows()
    cards = [row.card for row in rows]
    context = {
        "rows": rows,
        "profiles": profiles,
        "structured": _servers(gettext("Edge AI servers: outside the data centre"), cards),
    }
    return render(request, "catalog/edge.html", context)


@require_safe
def mixed(request):
    """One server or two for fine-tuning now and then and serving all the time, with a worked example."""
    cards = selectors.servers_for(for_fine_tuning=True, for_inference=True)
    context = {
        "example": _advice(MIXED_EXAMPLE, 1),
        "example_query": urlencode(MIXED_EXAMPLE),
        "cards": cards,
        "structured": _servers(gettext("Servers for fine-tuning and inference"), cards) if cards else [],
    }
    return render(request, "catalog/mixed.html", context)


@require_safe
def workload_list(request):
    """Every kind of work by its stage."""
    stages = selectors_work.profiles_by_stage()
    profiles = [profile for _stage, rows in stages for profile in rows]
    listed = structured.pages_of(gettext("Kinds of work for AI servers"), "catalog:workload", profiles)
    return render(request, "catalog/workload_list.html", {"stages": stages, "structured": [listed]})


@require_safe
def workload(request, slug):
    """One kind of work: what it asks, what is assumed, which servers fit that, and what to measure."""
    profile = get_object_or_404(WorkloadProfile.objects.for_page(), slug=slug)
    given = {"stage": profile.stage, "workload": profile.slug}
    advice = _advice(given, SHOWN_SERVERS)
    assumptions = list(profile.assumptions.all())
    context = {
        "profile": profile,
        "query": urlencode(given),
        "bands": selectors_work.bands(profile),
        "advice": advice,
        "assumptions": selectors_work.assumption_rows(
            assumptions,
            advice["assumptions"] if advice else [],
            services.answer_texts({row.key: row.value for row in assumptions}),
        ),
        "measures": advice["measuring"]["measures"][:SHOWN_MEASURES] if advice else [],
        "others": [row for row in selectors.profiles() if row.name and row.pk != profile.pk],
    }
    return render(request, "catalog/workload.html", context)


def _servers(name, cards):
    return [structured.servers(name, [card.server for card in cards])]


def _advice(given, top):
    """Return what fits typical values; None where they do not go together with what is published."""
    try:
        return services.scenario(given, top)
    except services.BadAnswers:
        return None
