"""The questionnaire's pages: all state is in the address, without cookies."""

from django.http import HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_safe

from aiservers.htmx import swaps, template_for
from recommender import answers, checking, load_formula, presentation
from recommender.forms import Questionnaire, submitted_answers
from recommender.pages import CHECK, FORM_KEYS, address, change_address, unknown_notices
from recommender.questions import STEP_ONE
from recommender.relevance import SECONDS, relevance

CHECK_KEYS = FORM_KEYS | {"tested", "for"}
ALL = "all"  # questions on one page
MARKING_SECONDS = 0.4  # for the marks beside questions, which every open page asks for


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
        "to_check": request.GET.get("from") == CHECK,
        "check_url": address("check", form.query),
        "server_address": address("questionnaire", _without(form.query, "server")),
    }
    template = template_for(request, "recommender/questionnaire.html", partial="languages")
    return render(request, template, context)


@require_safe
def questions(request):
    """Every question that matters for this work on one page. Its form comes back here and is sent on."""
    if "lang" in request.GET:
        form = Questionnaire.checked(submitted_answers(request.GET))
        if request.htmx:
            return _feedback(request, form, address("questions", form.query))
        wanted = request.GET.get("next")
        if wanted == "work":
            return _go(address("questionnaire", form.query))
        if wanted == CHECK:
            return _go(address("check", form.query))
        if wanted == "results" and not form.errors:
            return _go(address("results", form.query))
        return _go(address("questions", form.query))
    form = Questionnaire.checked(request.GET)
    return _question_page(request, form, form.sections(), {"form_url": address("questions", "")})


@require_safe
def step(request, step):
    """The questions of one group, in their order between the work and the check of all answers."""
    to_check = request.GET.get("from") == CHECK
    coming_from = CHECK if to_check else ""
    if "lang" in request.GET:
        form = Questionnaire.checked(submitted_answers(request.GET))
        here = address("step", form.query, coming_from=coming_from, step=step)
        if request.htmx:
            return _feedback(request, form, here)
        return _go(_after(request.GET.get("next"), form, step, here, to_check))
    form = Questionnaire.checked(request.GET)
    steps = _steps(form)
    slugs = [section.slug for section in steps]
    place = slugs.index(step) if step in slugs else None
    if place is None:  # no question of this group matters for the work
        return _go(address(CHECK if to_check else "questionnaire", form.query))
    context = {
        "step": {"number": place + 2, "of": len(steps) + 2, "section": steps[place]},
        "to_check": to_check,
        "form_url": address("step", "", step=step),
        "back_url": _back(form, slugs, place, to_check),
    }
    return _question_page(request, form, [steps[place]], context)


@require_safe
def check(request):
    """All answers before the result, what is still open, and what it costs not to know."""
    if "lang" in request.GET:
        return _go(address("check", submitted_answers(request.GET)))
    form = Questionnaire.checked(request.GET)
    tested = _tested(form, request.GET.get("for", ALL)) if "tested" in request.GET else None
    context = {"form": form, "tested": tested}
    if swaps(request):
        whole = request.GET.get("for", ALL) == ALL
        return render(request, f"recommender/check.html#{'tested' if whole else 'marks'}", context)
    context |= {
        "sections": checking.sections(form),
        "to_find_out": checking.to_find_out(form),
        "open_limits": checking.open_limits(form),
        "open_for_brief": checking.open_for_brief(form),
        "formula": load_formula.steps(form),
        "notices": unknown_notices(request.GET, CHECK_KEYS),
        "results_url": address("results", form.query),
        "questions_url": address("questions", form.query),
        "back_url": address("questions", form.query),
        "check_url": address("check", form.query),
        "tested_url": _tested_address(form, ALL),
        "messages_of_answers": [
            {"href": change_address(form, name), "label": _label(name), "text": text}
            for name, text in form.errors.items()
        ],
    }
    return render(request, "recommender/check.html", context)


def _go(where):
    return HttpResponseRedirect(where, max_length=None)


def _label(name):
    return answers.KEYS[name].label if name in answers.KEYS else name


def _without(query, name):
    kept = query.copy()
    kept.pop(name, None)
    return kept


def _steps(form):
    """Return the sections that are pages of their own: all but answers that belong to other work."""
    return [section for section in form.sections() if section.slug != "other"]


def _after(wanted, form, step, here, to_check):
    """Return where a step's form leads: back to its own page while one of its answers is bad."""
    steps = _steps(form)
    slugs = [section.slug for section in steps]
    own = steps[slugs.index(step)].all_questions if step in slugs else []
    if any(question.error for question in own):
        return here
    if wanted == CHECK or to_check:
        return address("check", form.query)
    if wanted == ALL:
        return address("questions", form.query)
    if step not in slugs:
        return address("questionnaire", form.query)
    following = slugs[slugs.index(step) + 1 :]
    return address("step", form.query, step=following[0]) if following else address("check", form.query)


def _back(form, slugs, place, to_check):
    """Return where the link back leads: with the answers as this page was opened with them."""
    if to_check:
        return address("check", form.query)
    if place == 0:
        return address("questionnaire", form.query)
    return address("step", form.query, step=slugs[place - 1])


def _question_page(request, form, sections, context):
    """Return one group or all of them: what they share."""
    shown = {question.name for section in sections for question in section.all_questions}
    context |= {
        "form": form,
        "sections": sections,
        "hidden": form.hidden(shown),
        "work": presentation.work_summary(form),
        "notices": unknown_notices(request.GET, FORM_KEYS),
        "work_url": address("questionnaire", form.query),
        "questions_url": address("questions", form.query),
        "formula": load_formula.steps(form) if "users" in shown or "concurrency" in shown else None,
        "shows_load": "concurrency" in shown,
        "messages_of_answers": presentation.messages_of_answers(form, shown),
        "tested_url": _tested_address(form, sections[0].slug if len(sections) == 1 else ALL, marks=True),
    }
    return render(request, "recommender/questions.html", context)


def _feedback(request, form, here):
    """Say what was understood of the answer that has just been typed; the address follows."""
    name = (request.htmx.trigger or "").removeprefix("q-")
    context = {"form": form, "work_url": address("questionnaire", form.query)}
    if "concurrency" in request.GET:
        context |= {"shows_load": True, "formula": load_formula.steps(form)}
    if name in answers.KEYS:
        context |= {
            "question": form.question(name),
            "understood": form.understood(name, request.GET.get(name, "")),
        }
        on_one_page = here == address("questions", form.query)
        if name == "model" and on_one_page and form.asked() - set(request.GET):
            context["other_questions_url"] = f"{here}#load"
    response = render(request, "recommender/questions.html#feedback", context)
    response["HX-Replace-Url"] = here
    return response


def _tested_address(form, group, marks=False):
    """Return where open questions are tried out: all of them, or those of one page, as marks beside them."""
    query = form.query.copy()
    query["tested"] = "1"
    if marks:
        query["for"] = group if group != ALL else "page"
    return address("check", query)


def _tested(form, group):
    """Return which open questions change nothing in the order any more, as {name, label} rows."""
    sections = [section for section in form.sections() if group in (ALL, "page", section.slug)]
    asked = [question.name for section in sections for question in section.all_questions]
    good = answers.parse(
        {name: value for name, value in form.answers.values.items() if name not in form.errors}
    )
    seconds = SECONDS if group == ALL else MARKING_SECONDS
    found = relevance(good, [name for name in asked if answers.KEYS[name].used], seconds)
    needless = [name for name in asked if name in found.needless]
    return {
        "needless": [{"name": name, "label": _label(name)} for name in needless],
        "tried": len(found.tried),
        "asked": len(found.asked),
        "is_complete": found.is_complete,
    }
