"""Figures in forms: each input says who stands behind its value, and a new value asks for a source."""

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import formats, timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from catalog import checking, publishing, stating
from catalog.admin.parts import PublishedForm
from catalog.checking import Figure
from catalog.models import Evidence, Source

RECENT_SOURCES = 10
OWN_FIELDS = ("recent_source", "other_source", "source_state")
KINDS = {model: kind for kind, model in Evidence.subject_models().items()}


class FigureForm(PublishedForm):
    """A form that asks where a new figure comes from; the formset of evidence knows when it must."""

    recent_source = forms.ModelChoiceField(
        Source.objects.none(),
        required=False,
        label=gettext_lazy("Source"),
        empty_label=gettext_lazy("Used last"),
    )
    other_source = forms.ModelChoiceField(
        Source.objects.all(), required=False, label=gettext_lazy("or another one")
    )
    source_state = forms.ChoiceField(
        choices=[("", gettext_lazy("as the kind of source says")), *Evidence.State.choices],
        required=False,
        label=gettext_lazy("Known by"),
    )

    def _post_clean(self):
        super()._post_clean()
        self.instance.figure_form = self

    @property
    def changed_data(self):
        return [name for name in super().changed_data if name not in OWN_FIELDS]

    @property
    def given_source(self):
        data = getattr(self, "cleaned_data", {})
        return data.get("other_source") or data.get("recent_source")

    def new_figures(self):
        """Return the columns to which this form gives another value that somebody has to stand for."""
        known = set(self.instance.evidence_fields())
        return [
            name
            for name in self.changed_data
            if name in known
            and stating.is_column(type(self.instance), name)
            and getattr(self.instance, name) not in (None, "")
        ]


class EvidenceFormSet(forms.BaseInlineFormSet):
    """Sources of one row: what readers see has at least one, and each new figure of it has its own."""

    def clean(self):
        super().clean()
        if getattr(self.instance, "is_published", False) and not any(map(self.stays, self.forms)):
            raise ValidationError(publishing.without_source())
        form = getattr(self.instance, "figure_form", None)
        if form is None:
            return
        form.without_source = [name for name in form.new_figures() if not self.states(name)]
        if form.without_source and not form.given_source and publishing.is_public(self.instance):
            for name in form.without_source:
                form.add_error(name, _("No source states this value: choose one below."))
            raise ValidationError(_("Say where each new figure comes from: choose a source below the form."))

    def states(self, name):
        """Tell whether a row of this formset that stays and is kept states the new value of a column."""
        return any(
            data["field"] == name
            and data.get("kept")
            and stating.agrees(self.instance, name, data.get("stated"))
            for form in self.forms
            if self.stays(form) and (data := form.cleaned_data)
        )

    def stays(self, form):
        data = getattr(form, "cleaned_data", None) or {}
        return bool(data.get("source") and data.get("field")) and not data.get("DELETE")


class SourcedAdmin(admin.ModelAdmin):
    """Rows whose figures show their sources beside the inputs. Comes before HistoryAdmin."""

    form = FigureForm
    change_form_template = "admin/evidence/change_form.html"

    def get_form(self, request, obj=None, change=False, **kwargs):
        form = super().get_form(request, obj, change=change, **kwargs)
        form.base_fields = form.base_fields | self.source_fields(request, obj)
        request.figures = {}
        if obj is not None and request.user.has_perm("catalog.view_evidence"):
            request.figures = {found.field: found for found in figures_of(obj)}
            self.add_marks(request, form, obj)
        return form

    def source_fields(self, request, row=None):
        """Return the inputs that ask for the source of new figures."""
        other = forms.ModelChoiceField(
            Source.objects.all(),
            required=False,
            label=_("or another one"),
            widget=AutocompleteSelect(Evidence._meta.get_field("source"), self.admin_site),
        )
        recent = forms.ModelChoiceField(
            recent_sources(request.user, row), required=False, label=_("Source"), empty_label=_("Used last")
        )
        return {"recent_source": recent, "other_source": other}

    def add_marks(self, request, form, row):
        """Write under each input who stands behind its value; where there is no input, under the value."""
        columns = {field.name for field in self.opts.concrete_fields}
        for name in row.evidence_fields():
            if name not in columns:
                continue
            mark = mark_of(request.figures.get(name) or Figure(KINDS[self.model], row, name))
            shown = name if name in form.base_fields else f"{name}_{publishing.FIRST_LANGUAGE}"
            if shown in form.base_fields:
                field = form.base_fields[shown]
                field.help_text = below(field.help_text, mark)
            else:
                texts = dict(form._meta.help_texts or {})
                texts[name] = below(self.opts.get_field(name).help_text, mark)
                form._meta.help_texts = texts

    def render_change_form(self, request, context, add=False, change=False, form_url="", obj=None):
        found = getattr(request, "figures", {})
        if obj is not None and found:
            context["tables_marks"] = [
                (found[name].label, mark_of(found[name])) for name in obj.EVIDENCE_RELATIONS if name in found
            ]
            context["conflict_links"] = [
                (figure.label, conflict_url(figure)) for figure in found.values() if figure.is_open
            ]
        return super().render_change_form(request, context, add, change, form_url, obj)

    def save_related(self, request, form, formsets, change):
        super().save_related(request, form, formsets, change)
        lacking = getattr(form, "without_source", [])
        if not lacking:
            return
        if form.given_source:
            state = form.cleaned_data["source_state"]
            self.add_evidence(request, form.instance, lacking, form.given_source, state)
            return
        said = ngettext(
            "%(count)d figure was saved without a source; it is marked as such.",
            "%(count)d figures were saved without a source; they are marked as such.",
            len(lacking),
        )
        self.message_user(request, said % {"count": len(lacking)}, "warning")

    def add_evidence(self, request, row, names, source, state=""):
        """Note that a source states new figures, looked at today; tell where others disagree."""
        for name in names:
            # A source states one thing of a figure: where it is there already, it is read anew.
            found = row.evidence.filter(field=name, source=source).first()
            evidence = found or Evidence(**{KINDS[self.model]: row}, field=name, source=source)
            evidence.state = state or state_of(source)
            evidence.stated = stating.as_stated(getattr(row, name))
            evidence.kept, evidence.reason = True, ""
            evidence.checked_on, evidence.checked_by = timezone.localdate(), request.user.get_username()
            evidence.save()
        for found in figures_of(row):
            if found.field in names and found.is_open:
                text = _("Sources disagree about “%(figure)s” now.") % {"figure": found.label}
                link = format_html(
                    '{} <a href="{}">{}</a>', text, conflict_url(found), _("Decide, with a reason")
                )
                self.message_user(request, link, "warning")

    # --- many rows at once -------------------------------------------------------------------------

    def bulk_form(self, request):
        form = super().bulk_form(request)
        form.fields |= self.source_fields(request)
        return form

    def set_on_all(self, request, rows, form):
        """Ask for the source of figures that readers see; it becomes their evidence on every row."""
        data = form.cleaned_data
        source = data.get("other_source") or data.get("recent_source")
        known = set(self.model.evidence_fields())
        ticked = [
            name
            for name in self.bulk_columns(request)
            if data[f"set_{name}"] and name in known and data[name] not in (None, "")
        ]
        names = [name for name in ticked if stating.is_column(self.model, name)]
        if names and source is None and any(map(publishing.is_public, rows)):
            form.add_error("recent_source", _("Say where each new figure comes from: choose a source."))
            return False
        if not super().set_on_all(request, rows, form):
            return False
        for row in rows.all() if source else ():
            stated = {figure.field for figure in figures_of(row) if figure.kept and figure.stands}
            self.add_evidence(request, row, [name for name in names if name not in stated], source)
        return True


def state_of(source):
    """Return how a figure is known that somebody read in a source of this kind."""
    kinds = {
        Source.Kind.MAKER: Evidence.State.MAKER,
        Source.Kind.BENCHMARK: Evidence.State.BENCHMARK,
    }
    return kinds.get(source.kind, Evidence.State.THIRD_PARTY)


def figures_of(row):
    """Return the figures of a row that a source speaks of, in one query."""
    found = {}
    for evidence in row.evidence.select_related("source"):
        found.setdefault(evidence.field, Figure(KINDS[type(row)], row, evidence.field)).evidence.append(
            evidence
        )
    return list(found.values())


def recent_sources(user, row):
    """Return the sources that were used last on a row, and by somebody."""
    numbers = []
    if row is not None:
        numbers += row.evidence.order_by("-updated_at", "-pk").values_list("source", flat=True)[:200]
    own = Evidence.objects.filter(checked_by=user.get_username())
    numbers += own.order_by("-updated_at", "-pk").values_list("source", flat=True)[:50]
    return Source.objects.filter(pk__in=list(dict.fromkeys(numbers))[:RECENT_SOURCES])


def below(help_text, mark):
    return format_html("{}<br>{}", mark_safe(help_text), mark) if help_text else mark


def mark_of(figure):
    """Return the line that says where a figure comes from, when it was checked, by whom, and its state."""
    is_known = figure.value_known
    if not figure.evidence:
        if not is_known or figure.is_prose:
            return ""
        return format_html('<span class="figure-mark none">{}</span>', _("No source."))
    lines = [source_line(row) for row in (figure.kept or figure.evidence)]
    signs = []
    if figure.is_open:
        link = format_html('<a href="{}">{}</a>', conflict_url(figure), _("Sources disagree: decide"))
        signs.append(format_html("<strong>{}</strong>: {}", link, stated_by(figure)))
    elif figure.is_disputed:
        link = format_html('<a href="{}">{}</a>', conflict_url(figure), _("Others state something else"))
        signs.append(format_html("{}: {}", link, stated_by(figure)))
    if figure.doubt:
        link = format_html('<a href="{}">{}</a>', conflict_url(figure), figure.doubt)
        signs.append(format_html("<strong>{}</strong>", link))
    if checking.is_old(figure):
        signs.append(_("Due for a new check."))
    return format_html(
        '<span class="figure-mark">{}</span>',
        format_html_join(mark_safe("<br>"), "{}", ((each,) for each in [*lines, *signs])),
    )


def source_line(row):
    """Return one source of a figure as a line with links to the evidence and to the source."""
    source = row.source.title
    if row.source.is_linkable:
        source = format_html('<a href="{}" rel="noreferrer">{}</a>', row.source.url, row.source.title)
    checked = _("not checked")
    if row.checked_on:
        day = {"day": formats.date_format(row.checked_on), "who": row.checked_by}
        checked = _("checked on %(day)s by %(who)s") if row.checked_by else _("checked on %(day)s")
        checked = checked % day
    weak = _("weak source") if row.weak else ""
    state = format_html(
        '<a href="{}">{}</a>',
        reverse("admin:catalog_evidence_change", args=[row.pk]),
        row.get_state_display(),
    )
    return format_html_join(", ", "{}", ((part,) for part in (state, source, checked, weak) if part))


def stated_by(figure):
    parts = (
        (stated, "; ".join(str(row.source) for row in rows)) for stated, rows in figure.statements.items()
    )
    return format_html_join(" – ", "{} ({})", parts)


def conflict_url(figure):
    return reverse("admin:catalog_evidence_conflict", args=[figure.kind, figure.row.pk, figure.field])
