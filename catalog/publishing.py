"""What stands between a row and its readers: one list of problems, for forms, actions and imports."""

from dataclasses import dataclass

from django.conf import settings
from django.db.models import Q
from django.utils.translation import gettext as _, ngettext
from modeltranslation.translator import NotRegistered, translator

from catalog.completeness import LOOKED, NEEDS
from catalog.models import Evidence, GPUOption, Server, SlotAlternative, Variant
from catalog.models.base import SLUG

LANGUAGES = dict(settings.LANGUAGES)
FIRST_LANGUAGE = next(iter(LANGUAGES))
OF_ONE_LANGUAGE = ("also",)  # other names of a thing, which another language may not have


@dataclass(frozen=True)
class Problem:
    """What is missing, in which column.

    `columns` are those whose change may bring it about: of something published, they are not to.
    """

    field: str
    text: str
    columns: tuple = ()

    def __str__(self):
        return self.text


def is_public(row):
    """Tell whether readers see a row, on its own page or on that of its server."""
    for owner in ("server", "variant"):
        if hasattr(row, f"{owner}_id"):
            return getattr(row, f"{owner}_id") is not None and is_public(getattr(row, owner))
    return row.is_published


def problems(row, aside=()):
    """Return what keeps a row from being published.

    Args:
        aside: names of related rows that whoever asks looks at by other means, since they are not saved yet.
    """
    found = []
    if hasattr(row, "slug") and not SLUG.regex.search(row.slug or ""):
        found.append(Problem("slug", _("Its address needs a slug."), ("slug",)))
    for need in NEEDS.get(type(row), []):
        if need.to_publish and need.name not in aside and need.applies_to(row) and not need.is_enough_of(row):
            found.append(lacking(need))
    found += missing_texts(row)
    if "evidence" not in aside and hasattr(row, "evidence") and not (row.pk and row.evidence.exists()):
        found.append(Problem("evidence", without_source(), ("evidence",)))
    if "evidence" not in aside and hasattr(row, "evidence") and (count := unchecked(row)):
        found.append(Problem("evidence", not_checked(count)))
    return found


def unchecked(row, *, own=True):
    """Return how many weak sources of what a row and its parts show nobody has looked at: those of a copy."""
    if not row.pk:
        return 0
    rows = Q(pk__in=row.evidence.all()) if own else Q()
    if isinstance(row, Server):
        rows |= Q(variant__server=row) | Q(option__variant__server=row)
    return Evidence.objects.filter(rows, kept=True, weak=True, checked_on=None).count() if rows else 0


def not_checked(count):
    text = ngettext(
        "%(count)d of its sources is weak and not checked: look it up, then note the day.",
        "%(count)d of its sources are weak and not checked: look each up, then note the day.",
        count,
    )
    return text % {"count": count}


def new_problems(row, changed, aside=()):
    """Return the problems of a change: all where it publishes the row, else those of what it touched."""
    found = problems(row, aside)
    if row._state.adding or "is_published" in changed:
        return found
    # Without a source nothing is shown at all; a text is written in one language first, then in the others.
    touched = {*changed, "evidence"}
    return [problem for problem in found if touched.intersection(problem.columns)]


def lost_with(rows):
    """Return [(published row, problem)] of what pages would lack once some rows of one table are deleted."""
    rows = list(rows)
    if not rows or type(rows[0]) not in LOST_WITH:
        return []
    return LOST_WITH[type(rows[0])](rows)


def _sources_lost(rows):
    stay = Evidence.objects.exclude(pk__in=[row.pk for row in rows])
    lost = []
    for kind in ("server", "gpu", "ai_model"):
        owners = {getattr(row, f"{kind}_id") for row in rows} - {None}
        sourced = stay.filter(**{f"{kind}__in": owners}).values(kind)
        subjects = Evidence.subject_models()[kind].objects.filter(pk__in=owners, is_published=True)
        lost += subjects.exclude(pk__in=sourced)
    return [(row, Problem("evidence", without_source(), ("evidence",))) for row in lost]


def _cards_lost(rows):
    gone = [row.pk for row in rows]
    options, slots = GPUOption.objects.all(), SlotAlternative.objects.all()
    if isinstance(rows[0], Variant):
        servers = {row.server for row in rows}
        options, slots = options.exclude(variant__in=gone), slots.exclude(variant__in=gone)
    else:
        servers = {row.variant.server for row in rows}
        options = options.exclude(pk__in=gone)
    need = next(need for need in NEEDS[Server] if need.name == "variants__gpu_options")
    return [
        (server, lacking(need))
        for server in servers
        if server.is_published
        and need.is_enough_of(server)
        and not options.filter(variant__server=server).exists()
        and not slots.filter(variant__server=server).exists()
    ]


LOST_WITH = {Evidence: _sources_lost, Variant: _cards_lost, GPUOption: _cards_lost}


def lacking(need):
    text = _("Needed before it is published: %(field)s. %(why)s") % {"field": need.label, "why": need.why}
    if need.instead == LOOKED:
        text += " " + _("Where no source says it, add evidence that states nothing.")
    return Problem(need.name, text, (*need.names, *need.only))


def lacking_parts(row, name):
    """Return the problem of a published row whose form holds none of the related rows that it needs."""
    for need in NEEDS[type(row)]:
        if need.name == name and need.to_publish and need.applies_to(row):
            return lacking(need)
    return None


def would_lack(row, problems):
    return _("“%(row)s” would lack what its page needs: %(problems)s") % {"row": row, "problems": problems}


def without_source():
    return _("What is published needs at least one source: add evidence first.")


def missing_texts(row):
    """Return a problem for each text that is written in one language and missing in another."""
    found = []
    for name in text_names(type(row)):
        written = {code for code in LANGUAGES if getattr(row, f"{name}_{code}")}
        for code in LANGUAGES if written else ():
            if code not in written:
                label = type(row)._meta.get_field(name).verbose_name
                text = _("“%(text)s” is missing in %(language)s; it is written in another language.")
                values = {"text": label, "language": _(str(LANGUAGES[code]))}
                found.append(Problem(f"{name}_{code}", text % values))
    return found


def text_names(model):
    """Return the names of the texts that a table holds once a language, each saying the same."""
    try:
        names = translator.get_options_for_model(model).get_field_names()
    except NotRegistered:
        return []
    return [name for name in names if name not in OF_ONE_LANGUAGE]
