"""What the result pages print about the decision: views, the front, the funnel, and what would change it."""

from django.utils.translation import gettext, gettext_lazy as _, ngettext

from catalog.templatetags.units import estimated, format_number, places, power
from recommender import change_texts, prices, reasons, sensitivity, services
from recommender.answers import KEYS
from recommender.changes import funnel
from recommender.orders import PRICE, VIEWS, ordered
from recommender.pages import address
from recommender.scatter import amount_of, scatter
from recommender.sizing.demand import UNITS

VIEW_LABELS = {
    "best": _("Best overall"),
    "small": _("Smallest that fits"),
    "grow": _("Room to grow"),
    "power": _("Lowest power"),
    PRICE: _("Lowest price"),
}
VIEW_NOTES = {
    "small": _("In the order of height, then cards. Level: the same height and as many cards."),
    "grow": _("In the order of the room to grow. Level: less than two points apart."),
    "power": _("In the order of the typical draw. Level: less than a tenth apart."),
    PRICE: _("In the order of the public price of all servers of a match. Level: the same price."),
}
MAX_ROWS = 8  # of the front, in the table of the results
MAX_SHOWN = 3  # reasons and cautions of a match; the rest opens


def view_of(request):
    """Return the view that the address names; one that does not exist is the best overall."""
    view = request.GET.get("view", "")
    return view if view in (*VIEWS, PRICE) else VIEWS[0]


def views(form, view, has_prices=False):
    """Return the views of the same matches, each with its address; price is one where every match has one."""
    query = form.address_query()
    names = (*VIEWS, PRICE) if has_prices else VIEWS
    return [
        {
            "name": name,
            "label": VIEW_LABELS[name],
            "is_current": name == view,
            "address": address("results", query if name == VIEWS[0] else f"{query}&view={name}"),
        }
        for name in names
    ]


def front(result, view, page_names):
    """Return the matches that no other beats in everything: a drawing, a table, and who beats the others."""
    costs = prices.of_matches(result.ranking.matches) if view == PRICE else {}
    matches = ordered(result.ranking.matches, view, {name: cost.amount for name, cost in costs.items()})
    rows, beaten = [], []
    ranks = {match.config.name: rank for rank, match in enumerate(matches, 1)}
    for rank, match in enumerate(matches, 1):
        config, node = match.config, match.config.node
        row = {
            "rank": rank,
            "server": page_names[node.server],
            "slug": node.server,
            "gpu": page_names[node.gpu.slug],
            "gpus": config.gpus,
            "state": match.state,
            "power": config.power_w and power(config.power_w.typical),
            "units": config.rack_units,
            "amount": _short(amount_of(match)),
        }
        if match.pareto:
            rows.append(row)
        elif match.dominated_by is not None:
            server, gpu = match.dominated_by
            beaten.append(
                row
                | {
                    "by": page_names[server],
                    "by_gpu": page_names[gpu],
                    "by_rank": ranks[server, gpu],
                }
            )
    return {
        "drawing": scatter(matches),
        "rows": rows[:MAX_ROWS],
        "further": rows[MAX_ROWS:],
        "more": len(rows[MAX_ROWS:]),
        "beaten": beaten,
        "unit": _unit(result.case),
    }


def _short(value):
    """Return an estimate as pages write it, "" where it is not known."""
    return format_number(estimated(value), places(value)) if value else ""


def _unit(case):
    if case.serves and case.kind == "tokens":
        return gettext("requests at once")
    return reasons.unit(UNITS[case.kind if case.serves else "tokens"])


def funnel_rows(result):
    """Return how many servers remain after each rule that cuts, as rows with a share of all."""
    steps = funnel(result.ranking)
    every = steps[0][1] or 1
    return [
        {
            "label": str(reasons.CODE_LABELS[code]) if code else gettext("All servers of the catalog"),
            "left": left,
            "cut": (steps[place - 1][1] - left) if place else 0,
            "every": every,
        }
        for place, (code, left) in enumerate(steps)
    ]


def begun_from(result, page_names):
    """Return whether the server that the reader began from fits, first place or not; None: there was none."""
    slug = result.answers.one("server")
    if slug is None or slug not in page_names:
        return None
    for rank, match in enumerate(result.ranking.matches, 1):
        if match.config.node.server == slug:
            return {"slug": slug, "name": page_names[slug], "rank": rank, "state": match.state, "texts": []}
    for item in result.ranking.rejected:
        if item.server == slug:
            texts = [reasons.rejection(reason, result.names) for reason in item.reasons]
            sets = services.fixes(result).get(slug)
            fix = change_texts.changes(sets[0]) if sets else ""
            return {
                "slug": slug,
                "name": page_names[slug],
                "rank": 0,
                "state": "no",
                "texts": [*texts, *([fix] if fix else [])],
            }
    return None


def recovered_rows(result, form):
    """Return what dropping each answer brings back where nothing fits, with the address that drops it."""
    return [
        {
            "label": KEYS[key].label,
            "text": ngettext("%(count)s server comes back", "%(count)s servers come back", count)
            % {"count": count},
            "address": address("results", _without(form, key)),
        }
        for key, count in services.recovered(result)
    ]


def _without(form, key):
    query = form.query.copy()
    query.pop(key, None)
    return query


def held(result):
    """Return for each guess and typical value how far it may move, those that flip first."""
    tied = {(match.config.node.server) for match in _level_with_first(result.ranking.matches)}
    rows = []
    for hold in services.holds(result):
        nearest = hold.nearest
        rows.append(
            {
                "key": hold.key,
                "label": KEYS[hold.key].label,
                "value": change_texts.reckoned(hold, result.names),
                "origin": hold.origin,
                "holds": change_texts.holds(hold, result.names),
                "flips": change_texts.flips(hold, result.names),
                "is_level": bool(nearest and nearest[0] in tied),
            }
        )
    return sorted(rows, key=lambda row: not row["flips"])


def not_looked_at(result):
    """Return the questions whose guessed or typical value was not moved, since that takes too long."""
    looked = {hold.key for hold in services.holds(result)}
    if not result.ranking.matches:
        return []
    unsure = sensitivity.uncertain(result.assumptions, result.to_measure, result.case)
    return [str(KEYS[item.key].label) for item in unsure if item.key not in looked]


def _level_with_first(matches):
    level = []
    for match in matches[1:]:
        if not match.tied:
            break
        level.append(match)
    return level


def changed(result, page_names, form):
    """Return for each server that is out the smallest sets of changed answers, with addresses to try them."""
    rows = []
    for item in result.ranking.rejected:
        sets = services.fixes(result).get(item.server, ())
        rows.append(
            {
                "slug": item.server,
                "server": page_names[item.server],
                "reasons": [reasons.rejection(reason, result.names) for reason in item.reasons],
                "sets": [
                    {
                        "text": change_texts.changes(found),
                        "address": address("results", _with_changes(form, found)),
                    }
                    for found in sets
                ],
            }
        )
    return sorted(rows, key=lambda row: not row["sets"])


def _with_changes(form, changes):
    query = form.query.copy()
    for change in changes:
        if change.value is None:
            query.pop(change.key, None)
        else:
            query[change.key] = change.value
    return query


def cut(texts):
    """Return texts as those that are shown and those behind "more"."""
    return {"shown": texts[:MAX_SHOWN], "more": texts[MAX_SHOWN:]}
