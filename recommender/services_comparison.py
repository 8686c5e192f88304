"""Servers side by side for a load: how each of them carries it, or what rules it out."""

from dataclasses import replace

from django.urls import reverse
from django.utils.translation import gettext, ngettext, pgettext

from catalog.compare import LEAST, MOST, Cell, Group, Row
from catalog.templatetags.units import estimated, format_number, no_more_than, rack_units
from recommender import answers, presentation, services
from recommender.forms import Questionnaire, answers_in, with_good_answers
from recommender.pages import FORM_KEYS, address, unknown_notices
from recommender.sizing.specs import GIB

OWN_KEYS = FORM_KEYS | {"server", "sort", "differences"}


def load_of(query):
    """Return the answers of a comparison's address: all of them but the servers, which are its subject."""
    kept = answers_in(query)
    kept.pop("server", None)
    return kept


def compare_address(slugs, query):
    """Return the address of a comparison of these servers that keeps the answers of `query`."""
    chosen = load_of(query)
    chosen.setlist("server", slugs)
    return f"{reverse('catalog:compare')}?{chosen.urlencode()}"


def link_of_results(page, query):
    """Return {"address", "count"}: the foremost servers of the result page side by side, one row a server.

    `page` is what `services.page` returned. The address is empty where there is nothing to compare.
    """
    shown = dict.fromkeys(match["server"].slug for match in page["matches"])
    slugs = [*shown, *(server.slug for server in page["not_shown"])][:MOST]
    if len(slugs) < LEAST:
        return {"address": "", "count": 0}
    return {"address": compare_address(slugs, query), "count": len(slugs)}


def comparison(query, slugs):
    """Return what the page of a comparison says of the load in its address.

    Args:
        query: the address's QueryDict.
        slugs: published servers, in the order of the columns.

    `groups` is empty and `has_load` false where nothing is answered. `racks` are the drawings by slug.
    """
    kept = load_of(query)
    notices = unknown_notices(query, OWN_KEYS)
    if not kept:
        return {
            "has_load": False,
            "groups": [],
            "racks": {},
            "query": kept,
            "notices": notices,
            "messages_of_answers": [],
        }
    given = answers.parse(dict(kept.lists()))
    result, problems = with_good_answers(services.recommend, given)
    services.nearest_fixes(result)  # kept for the whole result, before it is cut below
    best = {}
    for match in result.ranking.matches:
        best.setdefault(match.config.node.server, match)
    ranking = replace(result.ranking, matches=tuple(best[slug] for slug in slugs if slug in best))
    page = services.page(replace(result, ranking=ranking), None)
    has_spare = presentation.has_spare(page)
    shown = {
        row["server"].slug: presentation.match(row, page)
        | {"found": best[row["server"].slug], "has_spare": has_spare and row["servers"] > 1}
        for row in page["matches"]
    }
    rejected = {row["server"].slug: row for row in page["rejected"]}
    places = {slug: place for place, slug in enumerate(best, 1)}
    form = Questionnaire(kept, problems)
    return {
        "has_load": True,
        "groups": [Group(gettext("For your work"), tuple(_rows(slugs, shown, rejected, places)))],
        "racks": shown,
        "query": form.query,
        "work": presentation.work_summary(form),
        "notices": notices + page["notices"],
        "messages_of_answers": presentation.messages_of_answers(form),
        "results_url": address("results", form.query),
        "conditional": page["conditional"],
        "inputs": _inputs(page["assumptions"]),
        "versions": {"catalog": page["catalog_version"], "rules": page["rules_version"]},
    }


def _inputs(assumptions):
    """Return {"asked", "taken"}: what the address answers, and what stands in for the rest."""
    rows = [row for row in assumptions if row["key"] not in ("stage", "workload")]  # the work itself
    asked = [row for row in rows if row["origin"] in ("given", "hypothesis")]
    return {"asked": asked, "taken": [row for row in rows if row not in asked]}


def _rows(slugs, shown, rejected, places):
    """Return the rows of a load: what each server is like for it."""

    def row(key, label, make):
        """Make a row whose cells are empty for what does not fit and "not known" for what was not sized."""
        cells = []
        for slug in slugs:
            if slug in shown:
                cells.append(make(shown[slug]))
            elif slug in rejected:
                cells.append(Cell(is_blank=True))
            else:
                cells.append(Cell(missing=gettext("not known")))
        return Row(key, str(label), tuple(cells))

    rows = [
        Row("state", gettext("Does it fit?"), tuple(_state(slug, shown, rejected) for slug in slugs)),
        row("place", gettext("Place among the servers that fit"), lambda match: _place(match, places)),
        row("configuration", gettext("Configured with"), _configuration),
        row("used", gettext("GPUs at work"), _used),
        row("spare", gettext("GPUs left over or standing by"), _spare),
        row("need", gettext("Memory needed on the busiest GPU"), _need),
        row("headroom", gettext("Memory headroom on that GPU"), _headroom),
        row("power", gettext("Power, all of it heat"), _power),
        row("units", gettext("Height of all its servers"), _units),
    ]
    if any(match["max_concurrency"] for match in shown.values()):
        rows.append(row("requests", gettext("Requests at once, at most"), _requests))
    labels = {figure["name"]: figure["label"] for match in shown.values() for figure in match["figures"]}
    rows += [row(name, label, _figure(name)) for name, label in labels.items()]
    rows.append(row("precision", gettext("Precision of the weights"), _precision))
    rows.append(row("warnings", gettext("What to watch"), _warnings))
    return [found for found in rows if not all(cell.is_blank for cell in found.cells)]


STATES = {"fits": 0, "fits_if": 1, "no": 2}  # the order of states is that of what is sure


def _state(slug, shown, rejected):
    if slug in shown:
        state, texts = shown[slug]["state"], ()
    elif slug in rejected:
        item = rejected[slug]
        fix = [item["nearest_fix"]] if item["nearest_fix"] else []
        state, texts = "no", (*(reason["text"] for reason in item["reasons"]), *fix)
    else:
        return Cell(missing=gettext("not known: it cannot be sized from what is published"))
    return Cell(state=state, texts=texts, number=STATES[state])


def _warnings(match):
    return Cell(texts=tuple(match["warnings"]), is_blank=not match["warnings"])


def _place(match, places):
    place = places[match["server"].slug]
    return Cell(text=format_number(place), number=place)


def _precision(match):
    return Cell(text=match["precision"].upper())


def _configuration(match):
    variant = match["variant"]
    parts = [match["headline"]]
    if variant and not variant.is_default:
        parts.append(variant.name)
    return Cell(texts=tuple(parts), number=match["gpus"])


def _at_work(match):
    return match["gpus_per_server"] * match["servers"] - match["idle_gpus"]


def _standing_by(match):
    """Return the GPUs of the server that stands by for the loss of another."""
    return match["gpus_per_server"] if match["has_spare"] else 0


def _used(match):
    used = _at_work(match) - _standing_by(match)
    text = gettext("%(used)s of %(all)s") % {
        "used": format_number(used),
        "all": format_number(match["gpus_per_server"] * match["servers"]),
    }
    return Cell(text=text, number=used)


def _spare(match):
    idle, by = match["idle_gpus"], _standing_by(match)
    texts = []
    if idle:
        texts.append(
            ngettext("%(count)s left over", "%(count)s left over", idle) % {"count": format_number(idle)}
        )
    if by:
        texts.append(
            ngettext("%(count)s in the spare server", "%(count)s in the spare server", by)
            % {"count": format_number(by)}
        )
    return Cell(texts=tuple(texts) or (pgettext("count", "none"),), number=idle + by)


def _gib(ends):
    return Cell(range=tuple(estimated(end) for end in ends), unit=pgettext("unit", "GiB"), number=ends[1])


def _need(match):
    if not match["cache_known"]:
        return Cell(missing=gettext("not known"))
    total = match["found"].config.memory.total
    return _gib((total.low / GIB, total.typical / GIB, total.high / GIB))


def _headroom(match):
    """Return what stays free: least where most is needed and least is usable, and the other way round."""
    if not match["cache_known"]:
        return Cell(missing=gettext("not known"))
    held = match["found"].config.memory
    total, usable = held.total, held.available
    return _gib(
        (
            (usable.low - total.high) / GIB,
            (usable.typical - total.typical) / GIB,
            (usable.high - total.low) / GIB,
        )
    )


def _power(match):
    if match["power_w"] is None:
        return Cell(missing=gettext("not known"))
    return Cell(range=tuple(match["power_w"]), quantity="power", number=match["power_w"][1])


def _units(match):
    if match["rack_units"] is None:
        return Cell()
    return Cell(text=rack_units(match["rack_units"]), number=match["rack_units"])


def _requests(match):
    count = match["max_concurrency"]
    if not count:
        return Cell(missing=gettext("not known"))
    return Cell(text=format_number(no_more_than(count)), number=count)


def _figure(name):
    def make(match):
        for figure in match["figures"]:
            if figure["name"] == name and figure["range"]:
                return Cell(range=tuple(figure["range"]), unit=figure["unit_after"], number=figure["typical"])
        return Cell(missing=gettext("not known"))

    return make
