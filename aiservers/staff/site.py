"""The admin as this site runs it: two-factor sign-in, an end to every session, help for each role."""

from functools import update_wrapper

from django.conf import settings
from django.contrib import admin
from django.http import HttpResponseRedirect
from django.urls import path, reverse

from aiservers import throttling

SIGN_INS_AN_HOUR = 60  # from one address, whatever the names: nobody tries one password on all of them


class StaffSite(admin.AdminSite):
    """Lets in whoever has shown their second factor, and leads to it where it is required."""

    login_template = "admin/sign_in.html"
    site_header = site_title = settings.VENDOR_NAME

    @property
    def login_form(self):
        from aiservers.staff.sign_in import SignInForm

        return SignInForm

    def has_permission(self, request):
        from aiservers.staff import second_factor

        if not super().has_permission(request):
            return False
        if not hasattr(request, "second_factor_shown"):
            request.second_factor_shown = second_factor.may_pass(request.user)
        return request.second_factor_shown

    def admin_view(self, view, cacheable=False):
        """Wrap a view of the admin: without a second factor that is required, only the way to it is open."""

        def enrolled(request, *args, **kwargs):
            from aiservers.staff import second_factor, views

            if view not in (self.logout, *views.OPEN) and second_factor.is_due(request.user):
                return HttpResponseRedirect(reverse("admin:two_factor"))
            return view(request, *args, **kwargs)

        return super().admin_view(update_wrapper(enrolled, view), cacheable)

    def get_urls(self):
        from aiservers.staff import views

        own = [
            path("two-factor/", views.two_factor, name="two_factor"),
            path("two-factor/begin/", views.begin, name="two_factor_begin"),
            path("two-factor/confirm/", views.confirm, name="two_factor_confirm"),
            path("two-factor/codes/", views.codes, name="two_factor_codes"),
            path("two-factor/remove/", views.remove, name="two_factor_remove"),
            path("help/", views.help_index, name="help"),
            path("help/<slug:role>/", views.help_page, name="help_role"),
        ]
        for pattern in own:
            pattern.callback = self.admin_view(pattern.callback)
        return [*own, *super().get_urls()]

    def login(self, request, extra_context=None):
        if request.method == "POST":
            address = request.META.get("REMOTE_ADDR", "")
            wait = throttling.seconds_to_wait(address, "sign in", SIGN_INS_AN_HOUR, throttling.HOUR)
            if wait:
                return throttling.too_many(request, wait)
        return super().login(request, extra_context)

    def password_change(self, request, extra_context=None):
        from aiservers.staff import audit

        response = super().password_change(request, extra_context)
        if request.method == "POST" and response.status_code == 302:
            audit.note(request, audit.Act.PASSWORD)
        return response
