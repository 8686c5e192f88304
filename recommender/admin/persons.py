"""What is kept of a person, asked for by e-mail address: shown, handed over as JSON, deleted."""

import json

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpResponse
from django.template.response import TemplateResponse
from django.urls import path
from django.utils.translation import gettext, ngettext

from aiservers.staff import audit
from recommender.briefs import persons
from recommender.briefs.forms import PersonForm

VIEW = ["recommender.view_lead", "recommender.view_contact"]
DELETE = [*VIEW, "recommender.delete_lead", "recommender.delete_contact"]


class PersonViews:
    """The page beside the list of leads. Everything is posted: an address of a person stands in no log."""

    change_list_template = "admin/recommender/lead/change_list.html"

    def get_urls(self):
        view = self.admin_site.admin_view(self.person_view)
        return [path("person/", view, name="recommender_person"), *super().get_urls()]

    def person_view(self, request):
        if not request.user.has_perms(VIEW):
            raise PermissionDenied
        may_delete = request.user.has_perms(DELETE)
        form = PersonForm(request.POST or None)
        data = None
        if request.method == "POST" and form.is_valid():
            email = form.cleaned_data["email"]
            if "delete" in request.POST and request.POST.get("shown") == email:  # nothing unseen is deleted
                if not may_delete:
                    raise PermissionDenied
                self.deleted(request, email)
                form = PersonForm()
            else:
                data = persons.data_of(email)
                if "download" in request.POST:
                    return self.handed_over(request, data)
        context = self.admin_site.each_context(request) | {
            "opts": self.opts,
            "title": gettext("Data of a person"),
            "subtitle": None,
            "form": form,
            "data": data,
            "shown": [lead | {"labelled": persons.labelled(lead["contact"])} for lead in data["leads"]]
            if data
            else [],
            "may_delete": may_delete,
        }
        return TemplateResponse(request, "admin/recommender/lead/person.html", context)

    def deleted(self, request, email):
        count = persons.forget(email)
        if count:
            audit.note(request, audit.Act.PERSONAL, f"deleted: {count} leads")
        said = ngettext(
            "%(count)d lead was deleted with all that belongs to it.",
            "%(count)d leads were deleted with all that belongs to them.",
            count,
        )
        messages.success(request, said % {"count": count})

    def handed_over(self, request, data):
        """Return the data as a file; the audit log says that it was taken, and not of whom."""
        audit.note(request, audit.Act.PERSONAL, f"exported: {len(data['leads'])} leads")
        text = json.dumps(data, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2)
        response = HttpResponse(text, content_type="application/json")
        response["Content-Disposition"] = 'attachment; filename="personal-data.json"'
        return response
