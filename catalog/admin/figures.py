"""Figures in forms: each input says who stands behind its value, and a new value asks for a source."""

from collections import defaultdict
from dataclasses import dataclass, field

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import formats, timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from catalog import checking, figures, publishing, stating
from catalog.admin.numbers import TypedNumbers
from catalog.admin.parts import PublishedForm
from catalog.checking import Figure
from catalog.models import Evidence, Source

RECENT_SOURCES = 10
OWN_FIELDS = ("recent_source", "other_source", "source_state")
KINDS = {model: kind for kind, model in Evidence.subject_models().items()}
# Django puts a value into a paragraph, which holds no list and nothing that opens but this.
SHOWN_ON_DEMAND = (
    '<button type="button" class="button" popovertarget="{}">{}</button>'
    '<span class="parts-sources" popover id="{}">{}</span>'
)
NAMED = 10  # figures that a message names


@dataclass
class Asked:
    """What a change of one row has to say of where its figures come from."""

    row: object
    unsourced: list = field(default_factory=list)  # new figures that no kept source states
    emptied: list = field(default_factory=list)  # figures that kept sources state
    read_anew: dict = field(default_factory=dict)  # {figure: what the source chosen stated so far}

    @classmethod
    def of(cls, row, changed, stated, source=None):
        """Return what a change asks for.

        Args:
            row: with its new values.
            changed: names of the columns that say something else than before.
            stated: {figure: what its kept sources state}.
            source: which one the editor has chosen for the new figures.
        """
        asked = cls(row)
        for name in changed:
            if name not in row.evidence_fields() or not stating.is_column(type(row), name):
                continue
            if getattr(row, name) in (None, ""):
                asked.emptied += [name] if any(stated[name]) else []
            elif not any(stating.agrees(row, name, said) for said in stated[name]):
                asked.unsourced.append(name)
        for name in asked.unsourced if source and row.pk else ():
            found = reading_of(row, name, source)
            if found and found.stated and not stating.agrees(row, name, found.stated):
                asked.read_anew[name] = found.stated
        return asked

    def refusals(self, source, why):
        """Yield (name, text) of what keeps the change from being saved."""
        if source is None and publishing.is_public(self.row):
            for name in self.unsourced:
                yield name, _("No source states this value: choose one below.")
        for name in () if why else self.emptied:
            yield name, _("A source states what you emptied: say below why it goes.")
        for name, stated in () if why else self.read_anew.items():
            yield (
                name,
                _("The source chosen stated %(stated)s so far: say below why it states this now.")
                % {"stated": stated},
            )


def kept_statements(model, rows):
    """Return {row: {figure: what its kept sources state}} of rows of one table, in one query."""
    found = defaultdict(lambda: defaultdict(list))
    kind = KINDS[model]
    evidence = Evidence.objects.filter(**{f"{kind}__in": rows}, kept=True)
    for pk, name, stated in evidence.values_list(kind, "field", "stated"):
        found[pk][name].append(stated)
    return found


def reading_of(row, name, source):
    """Return the evidence that says what a source states of a figure, what the row holds first; or None."""
    rows = row.evidence.filter(field=name, source=source)
    return next(
        (found for found in rows if stating.agrees(row, name, found.stated)),
        next((found for found in rows if found.kept), None),
    )


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

    @property
    def reason(self):
        return getattr(self, "cleaned_data", {}).get("why", "")

    def refuse(self, asked, form=None):
        """Note what a change asks for, and return whether that keeps this form from being saved.

        Args:
            form: the one whose inputs they are, where that is a row of a table below.
        """
        self.asked = [*getattr(self, "asked", []), asked]
        refusals = list(asked.refusals(self.given_source, self.reason))
        for name, text in refusals:
            (form or self).add_error(name, text)
        return bool(refusals)


class EvidenceFormSet(forms.BaseInlineFormSet):
    """Sources of one row: what readers see has at least one, and each new figure of it has its own."""

    def clean(self):
        super().clean()
        if getattr(self.instance, "is_published", False) and not any(map(self.stays, self.forms)):
            raise ValidationError(publishing.without_source())
        form = getattr(self.instance, "figure_form", None)
        if form is None:
            return
        is_new = self.instance._state.adding or "is_published" in form.changed_data
        if is_new and getattr(self.instance, "is_published", False) and (count := self.unchecked()):
            raise ValidationError(publishing.not_checked(count))
        asked = Asked.of(self.instance, form.changed_data, self.stated(), form.given_source)
        if form.refuse(asked):
            raise ValidationError(not_founded())

    def stated(self):
        """Return {figure: what the rows of this formset state that stay and are kept}."""
        found = defaultdict(list)
        for form in self.forms:
            if self.stays(form) and form.cleaned_data.get("kept"):
                found[form.cleaned_data["field"]].append(form.cleaned_data.get("stated"))
        return found

    def unchecked(self):
        """Return how many weak sources that stay and are kept, or are its parts', nobody has looked at."""
        stay = [form.cleaned_data for form in self.forms if self.stays(form)]
        own = [data for data in stay if data["kept"] and data["weak"] and not data.get("checked_on")]
        return len(own) + publishing.unchecked(self.instance, own=False)

    def stays(self, form):
        data = getattr(form, "cleaned_data", None) or {}
        return bool(data.get("source") and data.get("field")) and not data.get("DELETE")


class PartsFormSet(forms.BaseInlineFormSet):
    """Rows below a form whose figures need a source as the form's own do: the one chosen there is theirs."""

    def clean(self):
        super().clean()
        form = getattr(self.instance, "figure_form", None)
        if form is None:
            return
        changed = [
            part
            for part in self.forms
            if part.has_changed() and not part.errors and not self._should_delete_form(part)
        ]
        stated = kept_statements(self.model, [part.instance.pk for part in changed if part.instance.pk])
        refused = False
        for part in changed:
            setattr(part.instance, self.fk.name, self.instance)
            kept = stated[part.instance.pk] if part.instance.pk else defaultdict(list)
            asked = Asked.of(part.instance, part.changed_data, kept, form.given_source)
            refused = form.refuse(asked, part) or refused
        if refused:
            raise ValidationError(not_founded())
        going = [part.instance for part in self.deleted_forms if part.instance.pk]
        if lost := publishing.lost_with(going):
            raise ValidationError([publishing.would_lack(row, problem) for row, problem in lost])


class SourcedPartsInline(TypedNumbers, admin.TabularInline):
    """Rows below a form, each with what stands behind its figures in a column of its own."""

    formset = PartsFormSet
    extra = 0
    show_change_link = True

    def get_queryset(self, request):
        return super().get_queryset(request).prefetch_related("evidence__source")

    def get_fields(self, request, obj=None):
        first, *others = super().get_fields(request, obj)
        if request.user.has_perm("catalog.view_evidence"):
            others.insert(0, "sources")  # at hand in a table wider than the screen
        return [first, *others]

    def get_readonly_fields(self, request, obj=None):
        return [*super().get_readonly_fields(request, obj), "sources"]

    @admin.display(description=gettext_lazy("sources"))
    def sources(self, row):
        """Return the source lines of a row's figures, under one line that says what is amiss."""
        if row.pk is None:
            return "-"
        found = figures_in(row, row.evidence.all())
        columns = {column.name for column in row._meta.concrete_fields}
        named = [found.get(name) or Figure(KINDS[type(row)], row, name) for name in row.evidence_fields()]
        marks = [(each.label, mark) for each in named if each.field in columns and (mark := mark_of(each))]
        if not marks:
            return "-"
        amiss = [str(each.label) for each in found.values() if each.asks_for_decision]
        text = _("disagree: %(figures)s") % {"figures": ", ".join(amiss)} if amiss else len(marks)
        name = f"sources-{KINDS[type(row)]}-{row.pk}"
        lines = format_html_join("", "<strong>{}</strong>{}", marks)
        return format_html(SHOWN_ON_DEMAND, name, text, name, lines)


def not_founded():
    return _("Say where each new figure comes from, and why what a source states is changed or emptied.")


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

    def save_formset(self, request, form, formset, change):
        """Note who looked, where somebody has typed the day alone."""
        for each in formset.forms if formset.model is Evidence else ():
            name_checker(request, each)
        super().save_formset(request, form, formset, change)

    def save_related(self, request, form, formsets, change):
        super().save_related(request, form, formsets, change)
        asked = [each for each in getattr(form, "asked", []) if each.row.pk]
        self.note_sources(request, asked, form.given_source, form.reason, form.cleaned_data["source_state"])

    def note_sources(self, request, asked, source, reason, state=""):
        """Write down what the changes of some rows say of their figures' sources, and tell what is open."""
        unsourced = []
        for each in asked:
            if source:
                self.add_evidence(request, each, source, state)
            else:
                unsourced += [(each.row, name) for name in each.unsourced]
            self.set_aside(request, each, reason)
        if unsourced:
            said = ngettext(
                "%(count)d figure was saved without a source; it is marked as such: %(figures)s.",
                "%(count)d figures were saved without a source; they are marked as such: %(figures)s.",
                len(unsourced),
            )
            named = {"count": len(unsourced), "figures": names_of(unsourced)}
            self.message_user(request, said % named, "warning")

    def add_evidence(self, request, asked, source, state=""):
        """Note that a source states new figures, looked at today; tell where others disagree."""
        row = asked.row
        for name in asked.unsourced:
            found = reading_of(row, name, source)
            evidence = found or Evidence(**{KINDS[type(row)]: row}, field=name, source=source)
            evidence.state = state or state_of(source)
            evidence.stated = stating.as_stated(getattr(row, name))
            evidence.kept, evidence.reason = True, ""
            evidence.checked_on, evidence.checked_by = timezone.localdate(), request.user.get_username()
            evidence.save()
        for name, stated in asked.read_anew.items():
            text = _(
                "“%(source)s” now states %(new)s of “%(figure)s”; the history keeps that it was %(old)s."
            )
            said = {"source": source, "figure": figures.label(type(row), name), "old": stated}
            said["new"] = stating.as_stated(getattr(row, name))
            self.message_user(request, text % said, "warning")
        for found in figures_of(row):
            if found.field in asked.unsourced and found.is_open:
                self.ask_to_decide(request, found)

    def set_aside(self, request, asked, reason):
        """Set the sources of emptied figures aside with the reason, or ask those who may decide."""
        for found in figures_of(asked.row) if asked.emptied else ():
            if found.field not in asked.emptied:
                continue
            if not request.user.has_perm("catalog.decide_evidence"):
                self.ask_to_decide(request, found)
                continue
            for evidence in found.kept:
                if evidence.stated:
                    evidence.kept, evidence.reason = False, reason
                    evidence.save()

    def ask_to_decide(self, request, figure):
        text = _("Sources disagree about “%(figure)s” now.") % {"figure": figure.label}
        link = format_html('{} <a href="{}">{}</a>', text, conflict_url(figure), _("Decide, with a reason"))
        self.message_user(request, link, "warning")

    # --- many rows at once -------------------------------------------------------------------------

    def bulk_form(self, request):
        form = super().bulk_form(request)
        form.fields |= self.source_fields(request)
        return form

    def set_on_all(self, request, rows, form):
        """Ask what a form of one row would ask: a source for new figures, a reason for what is emptied."""
        data = form.cleaned_data
        source = data.get("other_source") or data.get("recent_source")
        reason = request.POST.get("why", "").strip()
        asked = self.asked_of_all(request, rows, data, source)
        refusals = [(each.row, *refusal) for each in asked for refusal in each.refusals(source, reason)]
        for row, name, text in refusals[:NAMED]:
            form.add_error(name, f"{row}: {text}")
        if refusals or not super().set_on_all(request, rows, form):
            return False
        saved = {row.pk: row for row in rows.all()}
        for each in asked:
            each.row = saved[each.row.pk]
        self.note_sources(request, asked, source, reason)
        return True

    def asked_of_all(self, request, rows, data, source):
        """Return what each row asks for whose figures the ticked values change."""
        ticked = [name for name in self.bulk_columns(request) if data[f"set_{name}"]]
        rows, asked = list(rows.all()), []
        stated = kept_statements(self.model, rows)
        for row in rows:
            changed = [name for name in ticked if getattr(row, name) != data[name]]
            for name in changed:
                setattr(row, name, data[name])
            asked.append(Asked.of(row, changed, stated[row.pk], source))
        return asked


def names_of(pairs):
    """Return the names of figures of rows as a list in words; a long one is cut."""
    named = [f"{row}, {figures.label(type(row), name)}" for row, name in pairs[:NAMED]]
    return "; ".join([*named, "…"] if len(pairs) > NAMED else named)


def name_checker(request, form):
    """Let whoever types the day of a check be the one who checked, where no name is typed."""
    changed = form.changed_data if form.has_changed() else []
    if "checked_on" in changed and "checked_by" not in changed and form.instance.checked_on:
        form.instance.checked_by = request.user.get_username()


def state_of(source):
    """Return how a figure is known that somebody read in a source of this kind."""
    kinds = {
        Source.Kind.MAKER: Evidence.State.MAKER,
        Source.Kind.BENCHMARK: Evidence.State.BENCHMARK,
    }
    return kinds.get(source.kind, Evidence.State.THIRD_PARTY)


def figures_of(row):
    """Return the figures of a row that a source speaks of, in one query."""
    return list(figures_in(row, row.evidence.select_related("source")).values())


def figures_in(row, evidence):
    """Return {field: figure} of what some evidence of a row speaks of."""
    found = {}
    for each in evidence:
        found.setdefault(each.field, Figure(KINDS[type(row)], row, each.field)).evidence.append(each)
    return found


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
    lines = [source_line(row) for row in figure.looked_at]
    signs = []
    if figure.is_open:
        link = format_html('<a href="{}">{}</a>', conflict_url(figure), _("Sources disagree: decide"))
        signs.append(format_html("<strong>{}</strong>: {}", link, stated_by(figure.statements)))
    elif figure.kept and figure.others:
        link = format_html('<a href="{}">{}</a>', conflict_url(figure), _("Others state something else"))
        signs.append(format_html("{}: {}", link, stated_by(figure.others)))
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
    aside = "" if row.kept else _("set aside: %(stated)s") % {"stated": row.stated or "—"}
    source = row.source.title
    if row.source.is_linkable:
        source = format_html('<a href="{}" rel="noreferrer">{}</a>', row.source.url, row.source.title)
    checked = _("not checked")
    if row.checked_on:
        checked = _("checked on %(day)s")
        if row.checked_by == row.FROM_FILES:
            checked = _("checked on %(day)s with the catalog’s files")
        elif row.checked_by:
            checked = _("checked on %(day)s by %(who)s")
        checked %= {"day": formats.date_format(row.checked_on), "who": row.checked_by}
    weak = _("weak source") if row.weak else ""
    state = format_html(
        '<a href="{}">{}</a>',
        reverse("admin:catalog_evidence_change", args=[row.pk]),
        row.get_state_display(),
    )
    parts = (aside, state, source, checked, weak)
    return format_html_join(", ", "{}", ((part,) for part in parts if part))


def stated_by(statements):
    parts = ((stated, "; ".join(str(row.source) for row in rows)) for stated, rows in statements.items())
    return format_html_join(" – ", "{} ({})", parts)


def conflict_url(figure):
    return reverse("admin:catalog_evidence_conflict", args=[figure.kind, figure.row.pk, figure.field])
