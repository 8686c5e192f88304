"""The datasheet of a server as a PDF: what its page says, to print and to hand on."""

from pathlib import Path

from django.conf import settings
from django.core.cache import cache
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import get_language, gettext

from aiservers import pdf
from aiservers.caching import release
from aiservers.social import standing_alone
from catalog import versions
from catalog.selectors_server import server_page
from catalog.templatetags.rack import rack
from catalog.templatetags.units import not_published

TEMPLATE = Path(__file__).with_name("datasheet.typ")
KEPT_SECONDS = 24 * 3600  # the same until the catalog changes


def made(server):
    """Return the datasheet of a server of `Server.objects.for_page()` in the active language."""
    key = f"datasheet {server.slug} {get_language()} {versions.current()} {release()}".replace(" ", ":")
    return cache.get_or_set(key, lambda: pdf.made(TEMPLATE, payload(server)), KEPT_SECONDS)


def payload(server):
    """Return what the template prints, as texts."""
    page = server_page(server)
    title = gettext("%(name)s: datasheet") % {"name": server.name}
    version = gettext("Catalog version %(number)s") % {"number": versions.current()}
    changed = versions.changed_at()
    dated = f"{version}, {date_format(localtime(changed))}" if changed else version
    address = settings.SITE_URL + reverse("catalog:server", args=[server.slug])
    return {
        "language": get_language(),
        "title": title,
        "name": server.name,
        "vendor": settings.VENDOR_NAME,
        "meta": " · ".join(
            [server.get_lifecycle_display(), server.get_kind_display(), *_uses(server), dated]
        ),
        "footer": f"{title} · {dated}",
        "address": address,
        "summary": server.summary,
        "notes": _notes(server, page),
        "facts": _facts(page),
        "drawings": [_drawing(server, drawing) for drawing in page["drawings"]],
        "variants_note": gettext("Each base model is ordered apart and has its own slots, drives and GPUs.")
        if page["several"]
        else "",
        "variants": [_variant(variant, page["several"]) for variant in page["variants"]],
        "gpu_notes": [text for text in (page["odd_cards"], server.gpu_note) if text],
        "groups": [_group(group, page) for group in page["specification"]],
        "disagreements": [_disagreement(item) for item in page["disagreements"]],
        "checked": gettext("Checked on %(date)s.") % {"date": page["checked_on"]}
        if page["checked_on"]
        else "",
        "sources": [_source(item) for item in page["sources"]],
        "disclaimer": gettext(
            "All figures are guidance. Confirm the configuration with the vendor before you order."
        ),
        "labels": {
            "gpus": gettext("GPUs that it takes"),
            "gpu": gettext("GPU"),
            "cards": gettext("Cards"),
            "memory": gettext("GPU memory"),
            "link": gettext("Link between the GPUs"),
            "conditions": gettext("Conditions"),
            "known": gettext("Known from"),
            "specification": gettext("Specification"),
            "disagreements": gettext("Where sources disagree"),
            "sources": gettext("Sources"),
        },
    }


def _uses(server):
    texts = {
        "for_training": gettext("training"),
        "for_fine_tuning": gettext("fine-tuning"),
        "for_inference": gettext("inference"),
        "for_edge": gettext("outside the data centre"),
        "for_hpc": gettext("scientific computing"),
    }
    return [text for name, text in texts.items() if getattr(server, name)]


def _notes(server, page):
    """Return what somebody should know before anything else."""
    texts = [server.availability_note]
    if page["successor"]:
        texts.append(gettext("Its successor: %(name)s.") % {"name": page["successor"].name})
    texts.append(page["enclosure_text"])
    if server.needs_water:
        texts.append(gettext("It runs on the building’s water: a water loop has to reach the rack."))
    if server.enclosure:
        texts.append(server.enclosure.note)
    return [text for text in texts if text]


def _facts(page):
    """Return the five figures at the top."""
    card = page["card"]
    best = card.best
    memory_note = ""
    if best:
        remarks = [*best.conditions, *_derived(best.option)]
        memory_note = ". ".join([best.option.gpu.name, " ".join(remarks)]).removesuffix(". ")
    return [
        {"label": label, "value": value or not_published(), "note": note}
        for label, value, note in (
            (gettext("Height"), card.height, ""),
            (gettext("Room for GPU cards"), card.room, ""),
            (gettext("Largest GPU memory"), best and best.memory, memory_note),
            (gettext("Cooling"), card.cooling, ""),
        )
    ]


def _derived(option):
    """Return the warning of an option that nobody has stated, as a sentence."""
    return [f"{gettext('derived, confirm with the vendor')}."] if option.is_derived else []


def _drawing(server, shown):
    """Return a front view as the page draws it, as a file of its own."""
    drawn = rack(server, cards=shown["cards"], free=shown["count"], height=shown["height"], size="large")
    return {
        "svg": standing_alone(render_to_string("includes/_rack.html", drawn)),
        "alt": drawn["text"],
        "caption": " ".join([shown["name"], shown["caption"]]).strip(),
    }


def _variant(item, several):
    variant = item["variant"]
    lines = []
    if item["room"]:
        lines.append(gettext("Room for cards: %(room)s.") % {"room": item["room"]})
    if several:
        lines.append(gettext("Height: %(height)s.") % {"height": item["height"]})
        bays = ", ".join(item["bays"])
        lines.append(
            gettext("Drives: %(bays)s.") % {"bays": bays} if bays else gettext("Drive bays: not published.")
        )
    if variant.note:
        lines.append(variant.note)
    if not item["options"]:
        lines.append(gettext("Which GPUs this base model takes is not published. Ask the vendor."))
    name = variant.name if several else ""
    if name and variant.lifecycle != "current":
        name = f"{name} ({variant.get_lifecycle_display()})"
    return {"name": name, "lines": lines, "options": [_option(row) for row in item["options"]]}


def _option(row):
    conditions = [*row.conditions, row.option.note] if row.option.note else row.conditions
    return {
        "gpu": row.option.gpu.name,
        "cards": row.cards,
        "memory": row.memory,
        "link": row.link or not_published(),
        "conditions": conditions or [gettext("none found")],
        "known": f"{row.option.get_basis_display()} {_numbers(row.mark)}".strip(),
    }


def _numbers(mark):
    return f"[{mark.numbers}]" if mark.numbers else ""


def _group(group, page):
    notes = []
    if group.key == "drives" and page["bays_and_cards"]:
        notes.append(page["bays_and_cards"])
    return {
        "title": group.title,
        "notes": notes,
        "lines": [
            {
                "label": line.label,
                "value": line.value if line.is_known else not_published(),
                "known": line.is_known,
                "note": line.note,
                "known_from": line.mark.text if line.is_known else "",
            }
            for line in group.lines
        ],
    }


def _disagreement(item):
    """Return the values that sources state, the one that is shown first, as a sentence."""
    said = []
    for row in item["stated"]:
        numbers = ", ".join(str(number) for number in row["numbers"])
        shown = f" ({gettext('shown here')})" if row["kept"] else ""
        said.append(f"{row['value']}{shown}, {row['state']} [{numbers}]")
    label = item["label"]
    text = f"{label[:1].upper()}{label[1:]}: {'; '.join(said)}."
    return f"{text} {item['reason']}".strip()


def _source(item):
    source = item["source"]
    parts = [source.description or source.title, source.publisher, item["date"], source.get_kind_display()]
    return {
        "number": str(item["number"]),
        "text": ", ".join(part for part in parts if part),
        "url": source.url if source.is_linkable else "",
    }
