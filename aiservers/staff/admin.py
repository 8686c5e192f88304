"""The audit log to read, and accounts: a second factor is removed for whoever has lost it."""

from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.contrib.auth.admin import UserAdmin
from django.utils.translation import gettext_lazy as _, ngettext
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from aiservers.staff import audit, second_factor
from aiservers.staff.deleting import without_links
from aiservers.staff.models import AuditEntry

User = get_user_model()

# Their pages show secrets; nobody but their owner needs these, once.
admin.site.unregister([StaticDevice, TOTPDevice])
admin.site.unregister(User)


@admin.register(AuditEntry)
class AuditEntryAdmin(admin.ModelAdmin):
    """Read by product managers and superusers, written by the program alone."""

    list_display = ["made_at", "act", "who", "address", "what"]
    list_filter = ["act", "made_at", ("user", admin.RelatedOnlyFieldListFilter)]
    search_fields = ["who", "address", "what"]
    date_hierarchy = "made_at"
    fields = ["made_at", "act", "who", "user", "address", "what"]
    readonly_fields = fields
    list_per_page = 50
    list_select_related = False

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False


@admin.register(User)
class AccountAdmin(UserAdmin):
    """Django's own page of accounts, with a way back for whoever has lost their second factor."""

    actions = ["remove_second_factor"]
    list_display = [*UserAdmin.list_display, "has_second_factor"]

    def get_queryset(self, request):
        return super().get_queryset(request).prefetch_related("totpdevice_set")

    def get_deleted_objects(self, objs, request):
        return without_links(super().get_deleted_objects(objs, request))

    @admin.display(description=_("two-factor sign-in"), boolean=True)
    def has_second_factor(self, user):
        return any(device.confirmed for device in user.totpdevice_set.all())

    @admin.action(description=_("Remove two-factor sign-in"), permissions=["change"])
    def remove_second_factor(self, request, queryset):
        removed = [user for user in queryset if second_factor.remove(user)]
        for user in removed:
            audit.note(request, audit.Act.FACTOR_REMOVED, user)
        self.message_user(
            request,
            ngettext(
                "%(count)d account signs in without a code now.",
                "%(count)d accounts sign in without a code now.",
                len(removed),
            )
            % {"count": len(removed)},
            messages.SUCCESS,
        )

    def user_change_password(self, request, id, form_url=""):
        response = super().user_change_password(request, id, form_url)
        if request.method == "POST" and response.status_code == 302:
            audit.note(request, audit.Act.PASSWORD, self.get_object(request, id))
        return response
