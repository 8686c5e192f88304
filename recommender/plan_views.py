"""One server or several, and what to measure: pages beside the results, all state in the address."""

from django.shortcuts import render
from django.views.decorators.http import require_safe

from recommender import answers, measure_texts, plan_texts, presentation, services
from recommender.forms import Questionnaire, answers_in, with_good_answers
from recommender.pages import FORM_KEYS, address, unknown_notices

PLAN_KEYS = FORM_KEYS | {"show"}


def _advice(request):
    """Return the advice for the answers of the address, and what both pages print around it."""
    given = answers.parse(dict(answers_in(request.GET).lists()))
    result, problems = with_good_answers(services.recommend, given)
    form = Questionnaire(request.GET, problems)
    return result, {
        "form": form,
        "work": presentation.work_summary(form),
        "notices": unknown_notices(request.GET, PLAN_KEYS),
        "messages_of_answers": presentation.messages_of_answers(form),
        "results_url": address("results", form.query),
        "questions_url": address("questions", form.query),
        "plans_url": address("plans", form.query),
        "measuring_url": address("measuring", form.query),
    }


@require_safe
def plans(request):
    """The ways to spread the work over servers, row by row; how one job grows."""
    result, context = _advice(request)
    context["comparison"] = plan_texts.comparison(result)
    return render(request, "recommender/plans.html", context)


@require_safe
def measuring(request):
    """What to measure before buying, the most decisive first."""
    result, context = _advice(request)
    context["plan"] = measure_texts.page(result, services.turning(result))
    return render(request, "recommender/measuring.html", context)
