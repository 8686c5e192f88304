"""The memory calculator: one page whose address holds model, load and GPUs."""

from django.http import HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from aiservers.htmx import swaps, target
from catalog.guides import article
from catalog.models import Guide
from recommender import answers, calculator, calculator_form, calculator_page, services
from recommender.calculator import HARDWARE_KEYS
from recommender.forms import with_good_answers
from recommender.views import unknown_notices

OWN_KEYS = {"lang", "unknown", "find", *HARDWARE_KEYS}


@require_safe
def calculator_view(request):
    """Memory of one model on some GPUs, line by line, and what else would fit."""
    query = request.GET
    if target(request) == "id_model":
        return render(
            request,
            "recommender/_options.html",
            {"question": calculator_form.Calculator(query).field("model")},
        )
    if "lang" in query:
        query = calculator_form.submitted(query)
        if not swaps(request):
            address = calculator_form.address(query.urlencode())
            return HttpResponseRedirect(address, max_length=None)
    given = answers.parse(calculator_form.answered(query))
    values, _bad = calculator.hardware_of(dict(query.lists()))
    machine = calculator.hardware(values)
    calculation, problems = with_good_answers(lambda good: calculator.calculate(good, machine), given)
    typical, _problems = with_good_answers(services.typical, given)
    form = calculator_form.Calculator(query, problems, typical)
    form.check_shape(calculation)
    context = {
        "form": form,
        "result": calculator_page.result(calculation, form),
        "notices": unknown_notices(query, OWN_KEYS),
        "messages_of_answers": form.messages(),
    }
    if not swaps(request):
        context["guides"] = article.on_topic(get_language(), Guide.Topic.SIZING)
        return render(request, "recommender/calculator.html", context)
    response = render(request, "recommender/calculator.html#update", context)
    response["HX-Replace-Url"] = calculator_form.address(form.full_query())
    return response
