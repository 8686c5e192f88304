"""Briefs: made by a form of their own, read by a secret link, changed by their owner's.

Nobody lists them: whoever has no token finds nothing here. Each wrong, expired or withdrawn token is a 404.
"""

from django.conf import settings
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language, get_language_from_request, override
from django.views.decorators.http import require_http_methods, require_safe

from aiservers.throttling import too_many
from recommender import answers, presentation
from recommender.briefs import downloads, frozen, mail, stored, throttle, tokens
from recommender.briefs.changes import changes
from recommender.briefs.document import document
from recommender.briefs.forms import CONSENT, BriefForm, ContactForm
from recommender.forms import Questionnaire, answers_in, with_good_answers

ACTIONS = {"renew", "link", "revoke", "forget"}
KEPT = frozenset({"server", "hypothesis"})  # say nothing about the work


def found(brief):
    if brief is None:
        raise Http404("no such brief")
    return brief


@require_safe
def link(request, token):
    """Send a reader on to the brief in the language of the browser."""
    found(stored.readable(token))
    with override(get_language_from_request(request)):
        response = HttpResponseRedirect(reverse("briefs:brief", args=[token]))
    patch_vary_headers(response, ["Accept-Language"])
    return response


@require_http_methods(["GET", "HEAD", "POST"])
def new(request):
    """Make a brief of the answers in the address; without any, the work is asked first."""
    query = answers_in(request.GET)
    given = answers.parse(dict(query.lists()))
    if not set(given.values) - KEPT and not given.problems:
        path = reverse("recommender:questionnaire")
        return HttpResponseRedirect(f"{path}?{query.urlencode()}" if query else path, max_length=None)
    server = given.one("server") or ""
    work = given.without("server")
    form = BriefForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        if wait := throttle.seconds_to_wait(request.META["REMOTE_ADDR"], "create"):
            return too_many(request, wait)
        if form.is_valid():
            (_brief, token), _problems = with_good_answers(
                lambda good: stored.create(good, language=get_language(), server=server, **form.cleaned_data),
                work,
            )
            return HttpResponseRedirect(reverse("briefs:owner", args=[token]))
    elif wait := throttle.seconds_to_wait(request.META["REMOTE_ADDR"], "compute"):
        return too_many(request, wait)
    content, problems = with_good_answers(
        lambda good: frozen.freeze(good, language=get_language(), on=timezone.localdate(), server=server),
        work,
    )
    return render(
        request,
        "briefs/new.html",
        {
            "brief_form": form,
            "document": document(content),
            "form": Questionnaire(query, problems),
            "messages_of_answers": presentation.messages_of_answers(Questionnaire(query, problems)),
            "back_url": f"{reverse('recommender:results')}?{query.urlencode()}",
            "days": settings.BRIEF_DAYS,
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
def owner(request, token):
    """What its owner sees and may do: the link, its time, the contact data, withdrawing it."""
    brief = found(stored.owned(token))
    if request.method == "POST":
        action = request.POST.get("action")
        if action in ACTIONS:
            _act(action, brief, token)
        return HttpResponseRedirect(reverse("briefs:owner", args=[token]))
    reader = tokens.reader_token(token, brief.link_number)
    return render(
        request,
        "briefs/owner.html",
        {
            "brief": brief,
            "document": document(brief.frozen, title=brief.title, note=brief.note),
            "token": token,
            "reader_token": reader,
            "reader_url": f"{settings.SITE_URL}/b/{reader}",
            "contacts": stored.contacts_of(brief).count(),
            "leads": brief.leads.count(),
            "days": settings.BRIEF_DAYS,
            "kinds": downloads.KINDS,
        },
    )


def _act(action, brief, token):
    if action == "forget":
        stored.forget_contacts(brief)
    elif brief.revoked_at is None:
        if action == "renew":
            stored.renew(brief)
        elif action == "link":
            stored.replace_link(brief, token)
        elif action == "revoke":
            stored.revoke(brief)


@require_http_methods(["GET", "HEAD", "POST"])
def sales(request, token):
    """Send a brief to sales, with whom they may answer."""
    brief = found(stored.owned(token))
    if not brief.is_readable:
        raise Http404("withdrawn or expired")
    form = ContactForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        if wait := throttle.seconds_to_wait(request.META["REMOTE_ADDR"], "send"):
            return too_many(request, wait)
        if form.is_valid():
            contact = {name: form.cleaned_data[name] for name in ContactForm.Meta.fields}
            lead = stored.send_to_sales(brief, contact, language=get_language(), consent_text=str(CONSENT))
            mail.tell_sales(lead)
            return HttpResponseRedirect(f"{reverse('briefs:owner', args=[token])}#sales")
    return render(
        request,
        "briefs/sales.html",
        {"contact_form": form, "token": token, "brief": brief, "days": settings.CONTACT_DAYS},
    )


@require_safe
def brief(request, token):
    """A brief as its readers see it."""
    row = found(stored.readable(token))
    return render(
        request,
        "briefs/brief.html",
        {
            "document": document(row.frozen, title=row.title, note=row.note),
            "brief": row,
            "token": token,
            "kinds": downloads.KINDS,
        },
    )


@require_safe
def today(request, token):
    """What the same answers give with today's data, as differences."""
    row = found(stored.readable(token))
    if wait := throttle.seconds_to_wait(request.META["REMOTE_ADDR"], "compute"):
        return too_many(request, wait)
    content = frozen.upgraded(row.frozen)
    now, problems = with_good_answers(
        lambda good: frozen.freeze(
            good, language=row.language, on=timezone.localdate(), server=content["server"]
        ),
        answers.parse(content["answers"]),
    )
    before, after = document(content), document(now)
    return render(
        request,
        "briefs/today.html",
        {
            "brief": row,
            "token": token,
            "before": before,
            "after": after,
            "changes": changes(before, after),
            "problems": [problem.page_text for problem in problems],
        },
    )


@require_safe
def download(request, token, kind):
    """A brief as a file."""
    row = found(stored.readable(token))
    if kind not in downloads.KINDS:
        raise Http404("no such kind of file")
    if wait := throttle.seconds_to_wait(request.META["REMOTE_ADDR"], "compute"):
        return too_many(request, wait)
    content = downloads.made(kind, row)
    response = HttpResponse(content, content_type=downloads.KINDS[kind].content_type)
    name = downloads.file_name(row, get_language(), kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
