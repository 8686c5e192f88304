"""All answers before the result: each with its origin, what is still open, and what it costs not to know."""

from django.utils.translation import gettext

from recommender import adapters, answers, ledger, reasons
from recommender.pages import change_address
from recommender.questions import STAGES, STEP_ONE


def sections(form):
    """Return the answers in their groups: rows of the work first, then those of every group asked."""
    return [
        {"slug": "work", "title": gettext("The work"), "rows": [_work_row(form, name) for name in STEP_ONE]},
        *(
            {
                "slug": section.slug,
                "title": section.title,
                "rows": [_row(form, question) for question in section.all_questions],
            }
            for section in form.sections()
        ),
    ]


def to_find_out(form):
    """Return what is missing or guessed and could change the advice, with what is reckoned with meanwhile."""
    if form.resolved is None:
        return []
    rows = []
    for name in form.resolved.to_measure:
        question = form.question(name)
        rows.append(
            {
                "name": name,
                "label": question.key.label,
                "text": reasons.to_measure(name),
                "is_guess": question.guess,
                "answer": _given_text(form, name) if question.texts else "",
                "assumed": question.assumed,
                "address": change_address(form, name),
            }
        )
    return rows


def open_limits(form):
    """Return the labels of the site's limits that nobody gave: they rule nothing out, and only warn."""
    return [
        question.key.label
        for section in form.sections()
        if section.slug == "site"
        for question in section.all_questions
        if question.is_open and question.key.used
    ]


def open_for_brief(form):
    """Return the labels of open questions that only the brief needs."""
    return [
        question.key.label
        for section in form.sections()
        for question in section.all_questions
        if question.is_open and question.is_for_brief
    ]


def _row(form, question):
    name = question.name
    row = {
        "name": name,
        "label": question.key.label,
        "error": question.error,
        "address": change_address(form, name),
        "is_for_brief": question.is_for_brief,
        "source": "",
    }
    if question.texts:
        origin = "hypothesis" if question.guess else "given"
        return row | {"text": _given_text(form, name), "origin": origin}
    if question.assumed:
        return row | {"text": question.assumed, "origin": question.origin, "source": question.source}
    return row | {"text": question.open_label if question.is_preference else "", "origin": "unknown"}


def _work_row(form, name):
    given = form.answers.several(name)
    if name == "stage":
        named = given or sorted(form.stages) or ["inference"]
        text = ", ".join(str(label) for stage, (label, _note) in STAGES.items() if stage in named)
        origin = "given" if given else "profile" if form.stages else "default"
    else:
        text = ", ".join(form.profile_name(slug) for slug in given)
        origin = "given" if given else "unknown"
    return {
        "name": name,
        "label": answers.KEYS[name].label,
        "text": text,
        "origin": "hypothesis" if given and name in form.answers.hypotheses else origin,
        "source": "",
        "error": form.errors.get(name, ""),
        "address": change_address(form, name),
        "is_for_brief": False,
    }


def _given_text(form, name):
    """Return an answer with its unit; a bad one as it was typed."""
    names = adapters.load_specs().names
    given = form.answers.several(name) if name not in form.errors else ()
    return ledger.value_text(name, ", ".join(given or form.query.getlist(name)), names, 6)
