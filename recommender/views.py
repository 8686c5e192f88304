"""The results of the questionnaire: all state is in the address, without cookies."""

from django.http import HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_safe

from aiservers.htmx import template_for
from recommender import (
    answers,
    calculator_page,
    decision_page,
    presentation,
    services,
    services_comparison,
)
from recommender.forms import Questionnaire, answers_in, submitted_answers, with_good_answers
from recommender.pages import FORM_KEYS, address, unknown_notices
from recommender.workings_views import DETAILED

TOP = 5
RESULT_KEYS = FORM_KEYS | {"show", "view"}


@require_safe
def results(request):
    """Ranked servers for the answers of the address, why, and what was assumed."""
    if "lang" in request.GET:
        query = submitted_answers(request.GET)
        if request.GET.get("show") == "all":
            query["show"] = "all"
        if decision_page.view_of(request) != "best":
            query["view"] = decision_page.view_of(request)
        return HttpResponseRedirect(address("results", query), max_length=None)
    given = answers.parse(dict(answers_in(request.GET).lists()))
    result, problems = with_good_answers(services.recommend, given)
    show_all = request.GET.get("show") == "all"
    view = decision_page.view_of(request)
    page = services.page(result, top=None if show_all else TOP, view=view)
    view = page["view"]  # price is one only where every match has one
    form = Questionnaire(request.GET, problems, presentation.stand_ins(page))
    edited = presentation.edited_questions(form, page)
    edited_more = presentation.typical_questions(form, page, edited)
    here = {question.name for question in (*edited, *edited_more)}
    workings_url = address(
        "workings", form.query if view == "best" else f"{form.address_query()}&view={view}"
    )
    context = {
        "form": form,
        "page": page,
        "compared": services_comparison.link_of_results(page, form.query),
        "matches": [
            presentation.match(match, page)
            | {
                "memory_url": calculator_page.address_of_match(form, match),
                "workings_url": workings_url if place < DETAILED else "",
                "facts": decision_page.cut(match["reasons"]),
                "cautions": decision_page.cut(match["warnings"]),
            }
            for place, match in enumerate(page["matches"])
        ],
        "assumptions": presentation.assumptions(page, form, here),
        "edited": edited,
        "edited_more": edited_more,
        "hidden": form.hidden(here),
        "work": presentation.work_of_result(page),
        "missing": presentation.missing(page, form, here),
        "notices": unknown_notices(request.GET, RESULT_KEYS) + page["notices"],
        "show_all": show_all,
        "all_url": address("results", f"{form.address_query()}&show=all"),
        "top_url": address("results", form.query),
        "questions_url": address("questions", form.query),
        "check_url": address("check", form.query),
        "plans_url": address("plans", form.query),
        "measuring_url": address("measuring", form.query),
        "work_url": address("questionnaire", form.query),
        "view": view,
        "views": decision_page.views(form, view, page["has_prices"]),
        "view_note": decision_page.VIEW_NOTES.get(view, ""),
        "front": decision_page.front(result, view, result.names),
        "funnel": decision_page.funnel_rows(result),
        "begun": decision_page.begun_from(result, result.names),
        "recovered": [] if page["matches"] else decision_page.recovered_rows(result, form),
        "what_if_url": address("what_if", form.query),
        "spoken": presentation.spoken(page),
        "binding": presentation.binding(page, form),
        "nearest": [] if page["matches"] else presentation.nearest(page),
        "messages_of_answers": presentation.messages_of_answers(form, here),
    }
    template = template_for(request, "recommender/results.html", partial="results")
    return render(request, template, context)
