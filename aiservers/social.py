"""The picture that a link to a page carries elsewhere: 1200 × 630, drawn from the page's facts.

A kind of page registers what its picture says; other pages carry that of the home page:

    social.register("guide", lambda slug: Card(title=..., kicker=...))       by the name of the page's address
"""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import typst
from django.conf import settings
from django.urls import reverse

from aiservers import pdf

WIDTH, HEIGHT = 1200, 630
TEMPLATE = Path(__file__).with_name("social.typ")
HOME = "home"
# Colours of the style sheet's tokens, by the classes of our drawings.
DRAWING_STYLE = """
    rect, path { fill: none; stroke: #7a868c; stroke-width: 1 }
    .body { fill: #f2f5f6; stroke: #16242b; stroke-width: 1.5 }
    .ear { fill: #fff; stroke: #16242b; stroke-width: 1.5 }
    .height-unknown { stroke-dasharray: 4 3 }
    .position { stroke-dasharray: 4 3 }
    .card-free { fill: #dff0f3; stroke: #005f6c; stroke-width: 1.5 }
    .fin { stroke: #005f6c }
"""

# What stands where nothing is drawn from data: a rack with servers of several heights.
EMBLEM = """<svg viewBox="0 0 217 172"><rect x="1" y="1" width="215" height="170" rx="2"/>
<path class="body" d="M9 9h199v20h-199zM9 33h199v40h-199zM9 77h199v86h-199z"/>
<path class="card-free" d="M22 14h40v10h-40zM68 14h40v10h-40zM22 39h18v28h-18zM43 39h18v28h-18z
M64 39h18v28h-18zM30 87h18v66h-18zM51 87h18v66h-18zM72 87h18v66h-18zM93 87h18v66h-18zM114 87h18v66h-18z
M135 87h18v66h-18zM156 87h18v66h-18zM177 87h18v66h-18z"/></svg>"""

_makers = {}


@dataclass(frozen=True)
class Card:
    """What a picture says; `drawing` is an SVG of ours, `facts` are at most four (label, value)."""

    title: str
    kicker: str = ""
    lead: str = ""
    facts: list = field(default_factory=list)
    drawing: str = ""


def register(name, make):
    """Let pages of that address name have a picture: `make` gets their slug, if any, and returns a Card.

    It raises `Http404` or `ObjectDoesNotExist` where there is no such page.
    """
    _makers[name] = make


def registered(name):
    """Return what makes the cards of an address name, or None."""
    return _makers.get(name)


def address(name, slug=""):
    """Return the path of a page's picture, by the name of its address and its slug."""
    if name not in _makers:
        name, slug = HOME, ""
    return reverse("catalog:social_image", kwargs={"name": name} | ({"slug": slug} if slug else {}))


def drawn(card):
    """Return the PNG of a card."""
    texts = asdict(card) | {
        "facts": [[str(label), str(value)] for label, value in card.facts],
        "drawing": standing_alone(card.drawing) if card.drawing else "",
        "vendor": settings.VENDOR_NAME,
        "host": urlsplit(settings.SITE_URL).netloc,
    }
    return typst.compile(
        TEMPLATE.read_bytes(),
        format="png",
        ppi=144,
        font_paths=pdf.fonts(),
        sys_inputs={"card": json.dumps({name: _text(value) for name, value in texts.items()})},
    )


def _text(value):
    return value if isinstance(value, list) else str(value)


def standing_alone(svg):
    """Return a drawing of our pages as a file of its own, with the colours of the style sheet."""
    named = svg.strip().replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    head, _, rest = named.partition(">")
    return f"{head}><style>{DRAWING_STYLE}</style>{rest}"
