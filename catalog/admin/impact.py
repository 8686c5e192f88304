"""A button beside those that save: what would this change do to advice? Nothing is saved."""

from django.contrib import admin
from django.http import HttpResponse

from catalog.admin import editors
from recommender import services_impact

ASK = "_impact"  # the button's name


class Shown:
    """A form that is looked at once more with what was typed, and not saved."""

    def is_valid(self):
        super().is_valid()
        return False


class ImpactAdmin(admin.ModelAdmin):
    """Rows that advice rests on. Comes before HistoryAdmin, which records what it takes back."""

    save_on_top = True

    def changeform_view(self, request, object_id=None, form_url="", extra_context=None):
        if request.method != "POST" or ASK not in request.POST:
            return super().changeform_view(request, object_id, form_url, extra_context)
        view = super().changeform_view
        return self.looked_at(request, lambda: view(request, object_id, form_url, extra_context))

    def changelist_view(self, request, extra_context=None):
        if request.method != "POST" or ASK not in request.POST:
            return super().changelist_view(request, extra_context)
        view = super().changelist_view
        return self.looked_at(request, lambda: view(request, extra_context))

    def looked_at(self, request, view):
        """Return what a view shows, with what its saving would do; saved is nothing."""
        answer = None

        def save():
            nonlocal answer
            request.would_be_saved = False
            answer = view()
            return request.would_be_saved

        request.impact = services_impact.impact(save)
        return answer if request.impact is None else view()  # a form that is wrong says what is wrong

    def set_on_all(self, request, rows, form):
        if ASK not in request.POST:
            return super().set_on_all(request, rows, form)
        if getattr(request, "impact", None) is None:
            request.would_be_saved = super().set_on_all(request, rows, form)
        return False

    def history_page(self, request, template, **context):
        if template == "bulk_edit":
            context |= {"ask_impact": ASK, "impact": getattr(request, "impact", None)}
        return super().history_page(request, template, **context)

    def get_form(self, request, obj=None, change=False, **kwargs):
        form = super().get_form(request, obj, change=change, **kwargs)
        return editors.with_class(form, Shown) if getattr(request, "impact", None) else form

    def response_add(self, request, obj, post_url_continue=None):
        return self.tried(request) or super().response_add(request, obj, post_url_continue)

    def response_change(self, request, obj):
        return self.tried(request) or super().response_change(request, obj)

    def tried(self, request):
        """Note that the form was good enough to be saved, where that was all that was asked."""
        if ASK not in request.POST:
            return None
        request.would_be_saved = True
        return HttpResponse()

    def message_user(self, request, *args, **kwargs):
        """Say what was done, where it was: of a trial nothing is left."""
        if ASK not in request.POST:
            super().message_user(request, *args, **kwargs)

    def render_change_form(self, request, context, add=False, change=False, form_url="", obj=None):
        may_save = self.has_add_permission(request) if add else self.has_change_permission(request, obj)
        context |= {"ask_impact": ASK if may_save else "", "impact": getattr(request, "impact", None)}
        return super().render_change_form(request, context, add, change, form_url, obj)
