"""The figures of the first match, worked out: its load, its power and its month, each with its arithmetic."""

from django.shortcuts import render
from django.views.decorators.http import require_safe

from aiservers.htmx import template_for
from recommender import (
    answers,
    decision_page,
    load_page,
    month_page,
    power_page,
    presentation,
    services,
)
from recommender.forms import Questionnaire, answers_in, with_good_answers
from recommender.pages import FORM_KEYS, address, unknown_notices

DETAILED = 1  # matches that are worked out: each of these is long


@require_safe
def workings(request):
    """A page of its own, which the results load into themselves when the reader opens it."""
    given = answers.parse(dict(answers_in(request.GET).lists()))
    result, problems = with_good_answers(services.recommend, given)
    form = Questionnaire(request.GET, problems, {})
    page = services.page(result, top=DETAILED, view=decision_page.view_of(request))
    context = {
        "form": form,
        "matches": [
            match
            | {
                "load": load_page.load_details(match, result, page),
                "power": power_page.details_of_answers(match, given),
                "month": month_page.month_details(match, result.case, given),
            }
            for match in (presentation.match(match, page) for match in page["matches"])
        ],
        "notices": unknown_notices(request.GET, FORM_KEYS | {"show", "view"}),
        "results_url": address("results", form.query),
        "messages_of_answers": presentation.messages_of_answers(form),
    }
    return render(request, template_for(request, "recommender/workings.html", partial="workings"), context)
