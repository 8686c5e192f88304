"""Prices of configurations: sales set them, product managers publish them."""

from django.contrib import admin
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from catalog.admin.history import HistoryAdmin
from recommender import prices
from recommender.models import Price

PUBLISH = "recommender.publish_price"


class ValidityFilter(admin.SimpleListFilter):
    title = _("validity")
    parameter_name = "holds"

    def lookups(self, request, model_admin):
        return [("now", _("holds today")), ("past", _("is over")), ("future", _("begins later"))]

    def queryset(self, request, queryset):
        today = timezone.localdate()
        match self.value():
            case "now":
                return queryset.valid(today)
            case "past":
                return queryset.filter(valid_until__lt=today)
            case "future":
                return queryset.filter(valid_from__gt=today)
        return queryset


@admin.register(Price)
class PriceAdmin(HistoryAdmin):
    """A published price is what readers see: changing it is publishing, too."""

    list_display = ["__str__", "variant", "money", "valid_from", "valid_until", "is_public", "set_by"]
    list_filter = [ValidityFilter, "is_public", "currency", "server"]
    list_select_related = ["server", "variant", "gpu", "set_by"]
    search_fields = ["server__name", "gpu__name", "note"]
    autocomplete_fields = ["server", "variant", "gpu"]
    date_hierarchy = "valid_until"
    fieldsets = [
        (
            None,
            {
                "fields": [
                    ("server", "variant"),
                    ("gpu", "gpu_count"),
                    ("amount", "currency"),
                    ("valid_from", "valid_until"),
                    "is_public",
                    "note",
                    ("set_by", "updated_at"),
                ]
            },
        )
    ]
    readonly_fields = ["set_by", "updated_at"]

    def get_readonly_fields(self, request, obj=None):
        fields = super().get_readonly_fields(request, obj)
        return fields if request.user.has_perm(PUBLISH) else [*fields, "is_public"]

    def has_change_permission(self, request, obj=None):
        is_theirs = obj is None or not obj.is_public or request.user.has_perm(PUBLISH)
        return is_theirs and super().has_change_permission(request, obj)

    def has_delete_permission(self, request, obj=None):
        is_theirs = obj is None or not obj.is_public or request.user.has_perm(PUBLISH)
        return is_theirs and super().has_delete_permission(request, obj)

    def save_model(self, request, obj, form, change):
        if not change or form.changed_data:
            obj.set_by = request.user
        super().save_model(request, obj, form, change)

    def leave_unpublished(self, request, plan):
        super().leave_unpublished(request, plan)
        for step in plan.steps:
            if "is_public" in step.values and not request.user.has_perm(PUBLISH):
                step.values["is_public"][1] = False

    @admin.display(description=_("amount"), ordering="amount")
    def money(self, price):
        return prices.money(price.amount, price.currency)
