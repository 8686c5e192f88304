"""Evidence as a page shows it: marks behind figures, numbered sources, the list of figures at the foot."""

from dataclasses import dataclass, field

from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from catalog import checking, figures, sentences, stating
from catalog.models import Evidence
from catalog.templatetags.units import not_published

MAX_NUMBERS = 3  # sources that a mark names
RANKS = [state.value for state in Evidence.State]  # the best founded first


@dataclass(frozen=True)
class Mark:
    """The sign behind a figure: what stands behind it, and where that is listed on the page."""

    kind: str
    anchor: str
    numbers: str
    text: str


class FieldMarks(dict):
    """{field: Mark} of one row; a field that no source covers has a mark that says so."""

    def __missing__(self, name):
        return Mark(kind="none", anchor="sources", numbers="", text=gettext("No source is recorded."))


@dataclass(frozen=True)
class Figure:
    """One line of the list of figures: what the page shows, and who says so."""

    field: str
    label: str
    value: str
    states: list  # [(how it is known, numbers of sources)]
    others: list  # what other sources state, which is not shown
    is_weak: bool
    checked_on: object


@dataclass(frozen=True)
class FigureGroup:
    """The figures of one row of the catalog, which `kind` and `pk` name in the address of a report."""

    name: str
    kind: str
    pk: int
    figures: list


@dataclass
class Sources:
    """The numbered source list of one page, filled as marks are made."""

    numbered: list = field(default_factory=list)
    disagreements: list = field(default_factory=list)
    groups: list = field(default_factory=list)  # FigureGroup, in the order of the page

    def number(self, source):
        if source not in self.numbered:
            self.numbered.append(source)
        return self.numbered.index(source) + 1

    def mark(self, rows, subject):
        """Return the mark of evidence rows that speak of one figure of a row, or of its whole, kept first."""
        numbers = sorted({self.number(row.source) for row in rows})
        listed = ", ".join(str(number) for number in numbers)
        if _disagree(rows, subject):
            kind, state = "disagree", gettext("Sources disagree")
        else:
            kind, state = rows[0].state, rows[0].get_state_display()
        text = ngettext("%(state)s; source %(numbers)s.", "%(state)s; sources %(numbers)s.", len(numbers)) % {
            "state": state[:1].upper() + state[1:],
            "numbers": listed,
        }
        if all(row.weak for row in rows):
            text = gettext("%(mark)s Weak source: confirm.") % {"mark": text}
        return Mark(kind=kind, anchor=f"source-{numbers[0]}", numbers=_few(numbers), text=text)

    def marks(self, rows, subject, name=""):
        """Return the marks of the evidence of a row, and remember where its sources disagree.

        `name` says which row of the page it is, where there are several of its kind.
        """
        grouped = _by_field(rows)
        for field_name, group in grouped.items():
            if _disagree(group, subject):
                label = figures.label(type(subject), field_name)
                if name:
                    label = gettext("%(name)s, %(field)s") % {"name": name, "field": label}
                self.disagreements.append(
                    {
                        "label": label,
                        "stated": self._stated(group, subject),
                        "reason": _reason(group, subject),
                    }
                )
        return FieldMarks({field_name: self.mark(group, subject) for field_name, group in grouped.items()})

    def list_figures(self, subject, rows, name="", unknown=()):
        """List every figure of a row with what its sources say, for the foot of the page.

        Args:
            subject: the row; `rows` is its evidence, kept values first.
            name: which row of the page it is, where there are several of its kind.
            unknown: columns that are listed too, where nobody has found a figure.
        """
        known = _by_field(rows)
        names = figures.names(subject, unknown)
        if listed := [self._figure(subject, name, known.get(name, [])) for name in names]:
            kinds = {model: kind for kind, model in Evidence.subject_models().items()}
            self.groups.append(
                FigureGroup(name=name, kind=kinds[type(subject)], pk=subject.pk, figures=listed)
            )

    def _figure(self, subject, name, rows):
        value, states = figures.text(subject, name), {}
        is_known = value != not_published()
        for row in rows:
            # A source that was read and gives no figure stands behind none.
            if _is_shown(row, subject) and (is_known or row.stated):
                states.setdefault(row.get_state_display(), []).append(self.number(row.source))
        checked = checking.Figure("", subject, name, rows)
        return Figure(
            field=name,
            label=figures.label(type(subject), name),
            value=value,
            states=[(state, sorted(set(numbers))) for state, numbers in states.items()],
            others=[said for said in self._stated(rows, subject) if not said["kept"]]
            if _disagree(rows, subject)
            else [],
            is_weak=bool(states) and all(row.weak for row in rows),
            checked_on=checked.newest,
        )

    @property
    def checked_on(self):
        """The one day that all figures were checked on, as text; "" where there are several, or none."""
        days = {figure.checked_on for group in self.groups for figure in group.figures} - {None}
        return date_format(days.pop()) if len(days) == 1 else ""

    def _stated(self, rows, subject):
        """Return each thing that is stated once, with the numbers of its sources, what is shown first."""
        said = {}
        for row in rows:
            if row.stated:
                start = {"numbers": [], "kept": False, "state": row.get_state_display()}
                item = said.setdefault(row.stated, start)
                item["numbers"].append(self.number(row.source))
                item["kept"] = item["kept"] or _is_shown(row, subject)
        found = [
            {
                "value": sentences.stated(stated, rows[0].field),
                "numbers": sorted(set(item["numbers"])),
                "kept": item["kept"],
                "state": item["state"],
            }
            for stated, item in said.items()
        ]
        if not any(item["kept"] for item in found):
            value = figures.text(subject, rows[0].field)
            state = gettext("no source recorded")
            found.append({"value": value, "numbers": [], "kept": True, "state": state})
        return sorted(found, key=lambda item: not item["kept"])


def _few(numbers):
    """Return source numbers as a mark has room for: the first ones, and how many more."""
    shown = ", ".join(str(number) for number in numbers[:MAX_NUMBERS])
    return f"{shown} +{len(numbers) - MAX_NUMBERS}" if len(numbers) > MAX_NUMBERS else shown


def _by_field(rows):
    grouped = {}
    for row in rows:
        grouped.setdefault(row.field, []).append(row)
    return grouped


def _disagree(rows, subject):
    """Tell whether sources state different things of a figure, or something else than what is shown."""
    return any(
        len(stated := {row.stated for row in group if row.stated}) > 1
        or (stated and not checking.states(subject, name, [row.stated for row in group if row.kept]))
        for name, group in _by_field(rows).items()
    )


def _is_shown(row, subject):
    """Tell whether a source is kept and states what the page shows, as far as that can be compared."""
    comparable = row.kept and stating.is_column(type(subject), row.field)
    return stating.agrees(subject, row.field, row.stated) if comparable else row.kept


def _reason(rows, subject):
    """Return why the value that is shown was kept, as far as the sources themselves tell it.

    What staff wrote about a decision is theirs, in the language in which they wrote it.
    """
    kept = [row for row in rows if row.stated and _is_shown(row, subject)]
    others = [row for row in rows if row.stated and row not in kept]
    if not kept or not others:
        return ""
    best, next_best = (min(RANKS.index(row.state) for row in group) for group in (kept, others))
    if best < next_best:
        return gettext("Better founded: %(state)s.") % {"state": Evidence.State(RANKS[best]).label}
    newest, next_newest = (max(row.source.published_on for row in group) for group in (kept, others))
    if best == next_best and newest > next_newest and next_newest:
        return gettext("The newer source.")
    if best == next_best and len({row.source_id for row in kept}) > len({row.source_id for row in others}):
        return gettext("More sources state it.")
    if checking.Figure("", subject, rows[0].field, rows).is_open:
        return gettext("Not decided yet: confirm it with the vendor.")
    return gettext("Chosen after weighing the sources: confirm it with the vendor.")


def source_list(sources):
    return [
        {"number": number, "source": source, "date": sentences.published_on(source.published_on)}
        for number, source in enumerate(sources.numbered, start=1)
    ]
