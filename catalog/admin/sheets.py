"""Spreadsheets in the staff's pages: links out of every list, and the way back in by a dry run."""

from copy import copy
from functools import partial

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.exceptions import NotRegistered
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext, gettext_lazy as _

from aiservers.staff import audit
from catalog.models import SheetUpload
from catalog.sheets import csv_files, importing, reading, scope, writing
from catalog.sheets.cells import Habits
from catalog.sheets.errors import SheetError
from catalog.sheets.preview import pages_of
from catalog.sheets.resources import RESOURCES
from catalog.sheets.rights import Rights

TYPES = {
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "csv": "text/csv; charset=utf-8",
}
LONGEST_REASON = 300


class UploadForm(forms.Form):
    """A file, and how the numbers and encoding of a CSV are to be read."""

    file = forms.FileField(label=_("File"), help_text=_("XLSX or CSV, up to 20 MB."))
    language = forms.ChoiceField(
        label=_("Numbers and dates typed as text"),
        choices=[
            ("es", _("Spanish: 1.234,5 and 31/08/2026")),
            ("ru", _("Russian: 1 234,5 and 31.08.2026")),
            ("en", _("English: 1,234.5 and 2026-08-31")),
        ],
        help_text=_("1,5 and 1.5 are understood in all of them."),
    )
    read_ambiguous = forms.BooleanField(
        label=_("Read numbers such as 1.500 by this language"),
        required=False,
        help_text=_("Otherwise they are refused, since they could be 1500 or 1.5."),
    )
    encoding = forms.ChoiceField(
        label=_("Encoding of a CSV file"),
        choices=[("", _("find out")), *csv_files.ENCODINGS.items()],
        required=False,
    )

    def clean(self):
        data = super().clean()
        if file := data.get("file"):
            try:
                if file.size > reading.MAX_BYTES:
                    raise SheetError(reading.too_large())
                data["content"] = file.read()
                reading.read(data["content"], data.get("encoding", ""))
            except SheetError as error:
                raise ValidationError({"file": str(error)}) from error
        return data


class SheetViews:
    """The pages of one table, or of the whole catalog where `sheet_table` is None."""

    sheet_table = None

    def get_urls(self):
        name = f"{self.opts.app_label}_{self.opts.model_name}"
        view = self.admin_site.admin_view
        return [
            path("export/<str:kind>/", view(self.export_view), name=f"{name}_export"),
            path("import/", view(self.import_view), name=f"{name}_import"),
            path("import/<uuid:pk>/", view(self.preview_view), name=f"{name}_import_preview"),
            *super().get_urls(),
        ]

    def sheet_url(self, view, **kwargs):
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_{view}", kwargs=kwargs)

    def rights(self, request):
        return Rights(request.user, partial(locked, self.admin_site, request))

    def has_export_permission(self, request):
        return self.rights(request).may_see(self.sheet_table)

    def has_import_permission(self, request):
        return self.rights(request).may_import(self.sheet_table)

    def changelist_view(self, request, extra_context=None):
        links = {
            "sheet_export": self.has_export_permission(request),
            "sheet_import": self.has_import_permission(request),
        }
        return super().changelist_view(request, links | (extra_context or {}))

    def export_view(self, request, kind):
        """Send what the list shows, by its filters and its search, as a file."""
        if not self.has_export_permission(request):
            raise PermissionDenied
        if kind not in TYPES:
            raise Http404
        return self.file(request, kind, self.listed(request))

    def listed(self, request):
        """Return the rows that the list shows under the filters of its address."""
        try:
            return self.get_changelist_instance(request).get_queryset(request)
        except IncorrectLookupParameters as error:
            raise Http404 from error

    def file(self, request, kind, rows):
        try:
            if kind == "csv":
                ids = list(rows.values_list("pk", flat=True))
                content = writing.separated(self.model._base_manager.filter(pk__in=ids).order_by("pk"))
            else:
                content = writing.workbook(scope.export_tables(rows, self.rights(request).may_see))
        except SheetError as error:
            messages.error(request, str(error))
            return HttpResponseRedirect(self.sheet_url("changelist"))
        return download(request, content, RESOURCES[self.model]._meta.name, kind)

    def import_view(self, request):
        """Take a file, and show what it would do at an address of its own."""
        if not self.has_import_permission(request):
            raise PermissionDenied
        form = UploadForm(request.POST or None, request.FILES or None, initial={"language": get_language()})
        if request.method == "POST" and form.is_valid():
            SheetUpload.drop_old()
            data = form.cleaned_data
            upload = SheetUpload.objects.create(
                user=request.user,
                table=self.sheet_table._meta.model_name if self.sheet_table else "",
                filters=request.GET.urlencode(),
                name=data["file"].name[:200],
                content=data["content"],
                language=data["language"],
                encoding=data["encoding"],
                read_ambiguous=data["read_ambiguous"],
            )
            return HttpResponseRedirect(self.sheet_url("import_preview", pk=upload.pk))
        return self.page(
            request, "upload", gettext("Import"), form=form, compared=self.compared(request, request.GET)
        )

    def compared(self, request, filters):
        """Return how many rows the file will be compared with, where that is not the whole table."""
        rows = self.scope(request, filters)
        if isinstance(rows, scope.Everything):
            return None
        count = rows.queryset.count()
        return count if count < self.model._base_manager.count() else None

    def scope(self, request, filters):
        """Return which rows the file stands for: those that the list shows under its filters."""
        listing = copy(request)
        listing.method = "GET"
        listing.GET = filters
        return scope.FilteredList(self.listed(listing))

    def preview_view(self, request, pk):
        """Show what an uploaded file would do; posted with the digest of what was shown, do it."""
        if not self.has_import_permission(request):
            raise PermissionDenied
        table = self.sheet_table._meta.model_name if self.sheet_table else ""
        upload = get_object_or_404(SheetUpload, pk=pk, user=request.user, table=table)
        if request.method == "POST" and "cancel" in request.POST:
            upload.delete()
            return HttpResponseRedirect(self.sheet_url("changelist"))
        confirmed = request.POST.get("digest", "") if request.method == "POST" else ""
        try:
            book = reading.read(bytes(upload.content), upload.encoding)
            outcome = importing.import_book(
                book,
                self.rights(request),
                Habits(upload.language, upload.read_ambiguous),
                model=self.sheet_table,
                scope=self.scope(request, QueryDict(upload.filters)),
                confirmed=confirmed,
                recording=partial(self.recorded, request, upload),
            )
        except SheetError as error:
            return self.page(request, "preview", upload.name, upload=upload, refused=str(error))
        if outcome.done:
            upload.delete()
            audit.note(request, audit.Act.IMPORT, upload.name)
            messages.success(request, importing.summary(outcome))
            return HttpResponseRedirect(self.sheet_url("changelist"))
        return self.page(
            request,
            "preview",
            upload.name,
            upload=upload,
            book=book,
            outcome=outcome,
            sheets=pages_of(outcome, self.admin_site),
            outdated=bool(confirmed),
        )

    def recorded(self, request, upload):
        """Return what makes one entry of history of an import."""
        why = request.POST.get("why", "").strip()[:LONGEST_REASON] or upload.name
        return importing.recorded(request.user, why)

    def page(self, request, name, title, **context):
        return TemplateResponse(
            request,
            f"admin/sheets/{name}.html",
            self.admin_site.each_context(request)
            | {"opts": self.opts, "title": title, "list_url": self.sheet_url("changelist")}
            | {"upload_url": self.sheet_url("import"), "longest_reason": LONGEST_REASON}
            | context,
        )


class SheetsAdmin(SheetViews):
    """A list whose rows leave as XLSX or CSV and come back; mixed into a ModelAdmin, before it."""

    actions = ["export_selected"]

    @property
    def sheet_table(self):
        return self.model

    @admin.action(description=_("Export selected rows (XLSX)"), permissions=["export"])
    def export_selected(self, request, queryset):
        return self.file(request, "xlsx", queryset)


@admin.register(SheetUpload)
class WholeCatalogAdmin(SheetViews, admin.ModelAdmin):
    """One page for the whole catalog as a workbook; files that wait are nobody's to look at."""

    def changelist_view(self, request, extra_context=None):
        if not self.has_export_permission(request):
            raise PermissionDenied
        return self.page(
            request,
            "whole_catalog",
            gettext("The whole catalog as a workbook"),
            may_import=self.has_import_permission(request),
            export_url=self.sheet_url("export", kind="xlsx"),
            tables=[
                {"sheet": resource._meta.name, "label": table._meta.verbose_name_plural}
                for table, resource in RESOURCES.items()
                if self.rights(request).may_see(table)
            ],
        )

    def has_module_permission(self, request):
        return self.has_export_permission(request)

    def has_view_permission(self, request, obj=None):
        return obj is None and self.has_export_permission(request)

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False

    def has_export_permission(self, request):
        return any(map(self.rights(request).may_see, RESOURCES))

    def has_import_permission(self, request):
        return any(map(self.rights(request).may_import, RESOURCES))

    def export_view(self, request, kind):
        if not self.has_export_permission(request):
            raise PermissionDenied
        if kind != "xlsx":
            raise Http404
        content = writing.workbook(scope.whole_catalog(self.rights(request).may_see))
        return download(request, content, "catalog", kind)

    def scope(self, request, filters):
        return scope.Everything()


def locked(site, request, table, row):
    """Return the columns that a member's own form of a table would not let them change."""
    try:
        return site.get_model_admin(table).get_readonly_fields(request, row)
    except NotRegistered:
        return ()


def download(request, content, name, kind):
    """Send a file, and write down who took it."""
    response = HttpResponse(content, content_type=TYPES[kind])
    day = timezone.localdate().isoformat()
    response["Content-Disposition"] = f'attachment; filename="{name}-{day}.{kind}"'
    audit.note(request, audit.Act.EXPORT, f"{name}.{kind}")
    return response
