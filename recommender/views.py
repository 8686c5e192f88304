"""The questionnaire in two steps and its results: all state is in the address, without cookies."""

from django.http import HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from aiservers.htmx import template_for
from recommender import answers, calculator_page, presentation, services
from recommender.forms import Questionnaire, answers_in, submitted_answers, unknown_in, with_good_answers
from recommender.questions import STEP_ONE

TOP = 5
FORM_KEYS = {"lang", "unknown", "next"}
RESULT_KEYS = FORM_KEYS | {"show"}


def address(name, query):
    """Return the address of one of our pages with these answers."""
    encoded = query if isinstance(query, str) else query.urlencode()
    path = reverse(f"recommender:{name}")
    return f"{path}?{encoded}" if encoded else path


def unknown_notices(query, own_keys):
    """Return a sentence for every key of the address that is no question of ours."""
    unknown = unknown_in(query, own_keys)
    notices = [answers.Notice("unknown_key", (("key", answers.shown(key)),)) for key in unknown]
    return [notice.text for notice in notices[:5]]


@require_safe
def questionnaire(request):
    """The first step: what the server is for."""
    form = Questionnaire.checked(request.GET)
    context = {
        "form": form,
        "stage": form.question("stage"),
        "workload": form.question("workload"),
        "hidden": form.hidden(STEP_ONE),
        "notices": unknown_notices(request.GET, FORM_KEYS),
        "messages_of_answers": presentation.messages_of_answers(form, STEP_ONE),
    }
    template = template_for(request, "recommender/questionnaire.html", partial="languages")
    return render(request, template, context)


@require_safe
def questions(request):
    """The second step: the questions that matter for this work. Its form comes back here and is sent on."""
    if "lang" in request.GET:
        query = submitted_answers(request.GET)
        form = Questionnaire.checked(query)
        if request.htmx:
            return feedback(request, form)
        wanted = request.GET.get("next")
        if wanted == "work":
            return HttpResponseRedirect(address("questionnaire", query), max_length=None)
        if wanted == "results" and not form.errors:
            return HttpResponseRedirect(address("results", query), max_length=None)
        return HttpResponseRedirect(address("questions", query), max_length=None)
    form = Questionnaire.checked(request.GET)
    sections = form.sections()
    shown = {question.name for section in sections for question in section.all_questions}
    context = {
        "form": form,
        "sections": sections,
        "hidden": form.hidden(shown),
        "work": presentation.work_summary(form),
        "notices": unknown_notices(request.GET, FORM_KEYS),
        "work_url": address("questionnaire", form.query),
        "messages_of_answers": presentation.messages_of_answers(form, shown),
    }
    return render(request, "recommender/questions.html", context)


def feedback(request, form):
    """Say what was understood of the answer that has just been typed; the address follows."""
    name = (request.htmx.trigger or "").removeprefix("q-")
    context = {"form": form, "work_url": address("questionnaire", form.query)}
    if name in answers.KEYS:
        context |= {
            "question": form.question(name),
            "understood": form.understood(name, request.GET.get(name, "")),
        }
        if name == "model" and form.asked() - set(request.GET):
            context["other_questions_url"] = f"{address('questions', form.query)}#load"
    response = render(request, "recommender/questions.html#feedback", context)
    response["HX-Replace-Url"] = address("questions", form.query)
    return response


@require_safe
def results(request):
    """Ranked servers for the answers of the address, why, and what was assumed."""
    if "lang" in request.GET:
        query = submitted_answers(request.GET)
        if request.GET.get("show") == "all":
            query["show"] = "all"
        return HttpResponseRedirect(address("results", query), max_length=None)
    given = answers.parse(dict(answers_in(request.GET).lists()))
    result, problems = with_good_answers(services.recommend, given)
    show_all = request.GET.get("show") == "all"
    page = services.page(result, top=None if show_all else TOP)
    form = Questionnaire(request.GET, problems, presentation.stand_ins(page))
    edited = presentation.edited_questions(form, page)
    context = {
        "form": form,
        "page": page,
        "matches": [
            presentation.match(match, page) | {"memory_url": calculator_page.address_of_match(form, match)}
            for match in page["matches"]
        ],
        "assumptions": presentation.assumptions(page, form),
        "edited": edited,
        "hidden": form.hidden({question.name for question in edited}),
        "work": presentation.work_of_result(page),
        "missing": presentation.missing(page, form),
        "notices": unknown_notices(request.GET, RESULT_KEYS) + page["notices"],
        "show_all": show_all,
        "all_url": address("results", f"{form.address_query()}&show=all"),
        "top_url": address("results", form.query),
        "questions_url": address("questions", form.query),
        "work_url": address("questionnaire", form.query),
        "spoken": presentation.spoken(page),
        "binding": presentation.binding(page, form),
        "nearest": [] if page["matches"] else presentation.nearest(page),
        "messages_of_answers": presentation.messages_of_answers(form, {question.name for question in edited}),
    }
    template = template_for(request, "recommender/results.html", partial="results")
    return render(request, template, context)
