"""The questionnaire's pages: all state is in the address, without cookies."""

from django.http import HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_safe

from aiservers.htmx import template_for
from recommender import answers, presentation
from recommender.forms import Questionnaire, submitted_answers
from recommender.pages import FORM_KEYS, address, unknown_notices
from recommender.questions import STEP_ONE


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
