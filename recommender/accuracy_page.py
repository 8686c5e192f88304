"""What the templates of the accuracy pages print, made from the stored figures."""

from django.urls import reverse
from django.utils.translation import get_language, gettext

from catalog.templatetags.units import format_number
from recommender import accuracy_chart, accuracy_texts as texts

ENOUGH = 10  # cases from which an error means something
COMPARED = ("left_out", "one_factor", "roofline")


def figure_named(stored, family, figure):
    """Return a figure by the words of its address; None: there is no such figure."""
    for (family_name, figure_name), found in stored.figures.items():
        if family == family_name and figure == texts.slug(figure_name) and found["cases"]:
            return found
    return None


def address(family, figure):
    return reverse("recommender:accuracy_figure", kwargs={"family": family, "figure": texts.slug(figure)})


def score(found):
    """Return one row of numbers."""
    return {
        "cases": format_number(found["cases"]),
        "predicted": format_number(found["predicted"]),
        "median": texts.percent(found["median_abs"]),
        "signed": texts.percent(found["median_signed"], sign=True),
        "p90": texts.percent(found["p90_abs"]),
        "inside": texts.percent(found["inside"]),
        "width": texts.times(found["width"]),
        "few": found["predicted"] < ENOUGH,
        "no_point": found["median_abs"] is None and found["predicted"] > 0,
    }


def overview(stored, names):
    """Return the families with their figures, verdicts, comparisons and refusals.

    `families` is None where nobody has measured yet.

    Args:
        names: {"ai_model", "gpu"}, each the published names by slug.
    """
    if stored is None:
        return {"families": None}
    data = stored.data
    families = []
    for name, title in texts.FAMILIES.items():
        figures = [
            found for found in data["figures"] if found["family"] == name and found["score"]["predicted"]
        ]
        if not figures:
            continue
        figures.sort(key=lambda found: -found["score"]["predicted"])
        verdict = next((one for one in data["verdicts"] if one["family"] == name), None)
        families.append(
            {
                "slug": name,
                "title": title,
                "rows": [_row(found) for found in figures],
                "verdict": verdict and _verdict(verdict, names),
                "covered": _covered(data["covered"].get(name)),
            }
        )
    compared = [
        found
        for found in data["figures"]
        if set(COMPARED) <= set(found["comparisons"]) and found["points"] >= ENOUGH
    ]
    return {
        "families": families,
        "cases": data["cases"],
        "cases_text": format_number(data["cases"]),
        "sources_text": format_number(data["sources"]),
        "rules_version": data["rules_version"],
        "comparisons": [
            _row(found) | {"means": [score(found["comparisons"][name]) for name in COMPARED]}
            for found in compared
        ],
        "language_models": [
            {"name": texts.situation(found["situation"]), "score": score(found["score"])}
            | _compared(found["comparisons"])
            for found in data["language_models"]
        ],
        "refused": refusals(data["refused"]),
        "refused_count": sum(count for _reason, count in data["refused"]),
        "enough": ENOUGH,
    }


def figure(found, names):
    """Return what is true of a figure as a whole, with its drawing."""
    family, name = found["family"], found["figure"]
    chart = accuracy_chart.chart_of(found["cases"])
    return {
        "family_title": texts.FAMILIES[family],
        "title": texts.figure_name(family, name),
        "score": score(found["score"]),
        "groups": found["groups"],
        "situations": [
            {"name": texts.situation(key), "score": score(value)}
            | _compared(found["situation_comparisons"].get(key, {}))
            for key, value in found["situations"].items()
        ],
        "compared": any(found["situation_comparisons"].values()),
        "fitted": found["fitted"],
        # Few cases do not say what is better; with one group there is no other to take a factor from.
        "means": {
            key: score(value)
            for key, value in found["comparisons"].items()
            if found["points"] >= ENOUGH and (key != "one_factor" or found["groups"] > 1)
        },
        "refused": refusals(found["refused"]),
        "chart": chart,
        "ticks": [
            {"text": format_number(tick.value, 4), "at": tick.at, "down": tick.down}
            for tick in (chart.ticks if chart else ())
        ],
        "points": [
            {"point": point, "title": _title(found, point.case, names)}
            for point in (chart.points if chart else ())
        ],
    }


def case(found, one, names, notes):
    """Return one line of the table of cases, with what is known to stand in its way.

    Args:
        notes: See `accuracy.notes`.
    """
    family, figure_name = found["family"], found["figure"]
    low, typical, high = one["predicted"]
    return {
        "model": names["ai_model"].get(one["model"], one["model"]),
        "model_slug": one["model"] if one["model"] in names["ai_model"] else "",
        "hardware": _hardware(one, names),
        "gpu_slug": one["gpu"] if one["gpu"] in names["gpu"] else "",
        "details": _details(one),
        "situation": texts.situation(one["situation"]),
        "measured": texts.amount(family, figure_name, one["measured"]),
        "predicted": texts.amount(family, figure_name, typical),
        "ends": f"{texts.ends(low)}–{texts.ends(high)}",
        "has_range": low != high,
        "error": texts.percent(one["error"], sign=True),
        "is_point": one["error"] is not None,
        "inside": one["inside"],
        "link": one["link"],
        "id": one["id"],
        "note": notes.get((one["id"], figure_name), {}).get(get_language(), ""),
    }


def refusals(counted):
    """Return why figures were not predicted, with how many."""
    found = []
    for text, count in counted:
        said, translated = texts.reason(text)
        found.append({"text": said, "translated": translated, "count": format_number(count)})
    return found


def _compared(means):
    """Return how the same cases fare by other means, each None where it does not apply."""
    return {"means": {name: score(means[name]) if name in means else None for name in COMPARED}}


def _row(found):
    return {
        "title": texts.figure_name(found["family"], found["figure"]),
        "url": address(found["family"], found["figure"]),
        "score": score(found["score"]),
    }


def _covered(counts):
    """Return how many cases with model and card in the catalog are predicted; None: there are none."""
    if not counts or not counts[1]:
        return None
    predicted, known = counts
    return {
        "predicted": format_number(predicted),
        "known": format_number(known),
        "share": texts.percent(predicted / known),
    }


def _verdict(found, names):
    (fits, all_fits), (not_fits, all_not) = found["fits"], found["does_not_fit"]
    return {
        "fits": format_number(fits),
        "all_fits": format_number(all_fits),
        "not_fits": format_number(not_fits),
        "all_not": format_number(all_not),
        "wrong": [
            {
                "model": names["ai_model"].get(one["model"], one["model"]),
                "hardware": _hardware(one, names),
                "ran": one["ran"],
                "link": one["link"],
            }
            for one in found["wrong"]
        ],
    }


def _hardware(one, names):
    return gettext("%(count)s × %(gpu)s") % {
        "count": format_number(one["gpus"]),
        "gpu": names["gpu"].get(one["gpu"]) or texts.readable(one["gpu"]),
    }


def _details(one):
    """Return engine, scenario and lengths, as far as the case states them."""
    parts = [texts.ENGINES.get(one["with"], one["with"]), one["scenario"]]
    if one["input_tokens"] and one["output_tokens"]:
        parts.append(
            gettext("%(input)s tokens in, %(output)s out")
            % {"input": format_number(one["input_tokens"]), "output": format_number(one["output_tokens"])}
        )
    return ", ".join(part for part in parts if part)


def _title(found, one, names):
    return gettext("%(model)s, %(hardware)s: measured %(measured)s, predicted %(predicted)s") % {
        "model": names["ai_model"].get(one["model"], one["model"]),
        "hardware": _hardware(one, names),
        "measured": texts.amount(found["family"], found["figure"], one["measured"]),
        "predicted": texts.amount(found["family"], found["figure"], one["predicted"][1]),
    }
