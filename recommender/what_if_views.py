"""What would change the advice: how far guesses may move, and what would let each other server in."""

from django.shortcuts import render
from django.views.decorators.http import require_safe

from aiservers.htmx import template_for
from recommender import answers, decision_page, presentation, services
from recommender.forms import Questionnaire, answers_in, with_good_answers
from recommender.pages import FORM_KEYS, address, unknown_notices


@require_safe
def what_if(request):
    """A page of its own, which the results load into themselves."""
    given = answers.parse(dict(answers_in(request.GET).lists()))
    result, problems = with_good_answers(services.recommend, given)
    form = Questionnaire(request.GET, problems, {})
    first = result.ranking.matches[0].config.node if result.ranking.matches else None
    context = {
        "form": form,
        "first": first and result.names[first.server],
        "held": decision_page.held(result),
        "not_looked_at": decision_page.not_looked_at(result),
        "front": decision_page.front(result, "best", result.names),
        "changed": decision_page.changed(result, result.names, form),
        "notices": unknown_notices(request.GET, FORM_KEYS | {"show", "view"}),
        "results_url": address("results", form.query),
        "messages_of_answers": presentation.messages_of_answers(form),
    }
    return render(request, template_for(request, "recommender/what_if.html", partial="what_if"), context)
