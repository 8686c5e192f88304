"""How the tokens of a guide's Markdown become HTML; what is in it is sanitised afterwards."""

import re

from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.urls import Resolver404, resolve
from django.utils.html import escape
from django.utils.translation import gettext

from aiservers import caching
from catalog import glossary
from catalog.guides import links

OPEN, CLOSE = "\ue000", "\ue001"  # around the place of a block; taken out of what authors write
NOTE_CLASSES = {"note": "note", "warning": "note note-warn", "example": "note note-example"}


def plain(children, live=""):
    """Return the words of inline tokens; `live` stands for a live figure."""
    words = []
    for child in children:
        if child.type in ("text", "code_inline"):
            words.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            words.append(" ")
        elif child.type == "term":
            words.append(child.meta["words"] or child.meta["slug"].replace("-", " "))
        elif child.type == "live":
            words.append(live)
        elif child.children:
            words.append(plain(child.children, live))
    return "".join(words)


def _place(tokens, place):
    return f"{OPEN}{tokens[place].meta['place']}{CLOSE}"


def _live(self, tokens, place, options, env):
    return _place(tokens, place)


def _fence(self, tokens, place, options, env):
    token = tokens[place]
    if "place" in token.meta:
        return f"{_place(tokens, place)}\n"
    language = re.sub(r"[^a-z0-9]", "", token.info.strip().split(" ")[0].lower())
    mark = f' class="language-{language}"' if language else ""
    return f'<pre tabindex="0"><code{mark}>{escape(token.content)}</code></pre>\n'


def _code_block(self, tokens, place, options, env):
    return f'<pre tabindex="0"><code>{escape(tokens[place].content)}</code></pre>\n'


def _term(self, tokens, place, options, env):
    slug, words = tokens[place].meta["slug"], tokens[place].meta["words"]
    name = env["terms"].get(slug)
    words = escape(words or glossary.inside(name or slug.replace("-", " ")))
    if name is None:
        return words
    return f'<a class="term" href="{links.resolve(f"page:glossary#{slug}", {})}">{words}</a>'


def _link_open(self, tokens, place, options, env):
    href = links.resolve(str(tokens[place].attrs.get("href", "")), env["guides"])
    # What leads nowhere in this language stays as words.
    if not href:
        return "<a>"
    rel = ' rel="nofollow"' if _is_for_readers_only(href) else ""
    return f'<a href="{escape(href)}"{rel}>'


def _is_for_readers_only(href):
    """Tell whether a link leads to one of countless results, which crawlers leave alone."""
    path, _, query = href.partition("?")
    try:
        return bool(query) and resolve(path).view_name in caching.NOINDEX_VIEWS
    except Resolver404:  # an anchor, another host
        return False


def _image(self, tokens, place, options, env):
    token = tokens[place]
    source = str(token.attrs.get("src", ""))
    if finders.find(source) is None:
        return escape(plain(token.children or []))
    return f'<img src="{escape(static(source))}" alt="{escape(plain(token.children or []))}">'


def _is_figure(tokens, place):
    """Tell whether a paragraph holds nothing but a picture."""
    children = tokens[place].children if tokens[place].type == "inline" else None
    return children is not None and len(children) == 1 and children[0].type == "image"


def _paragraph_open(self, tokens, place, options, env):
    if tokens[place].hidden:
        return ""
    return "<figure>" if _is_figure(tokens, place + 1) else "<p>"


def _paragraph_close(self, tokens, place, options, env):
    if tokens[place].hidden:
        return ""
    if not _is_figure(tokens, place - 1):
        return "</p>\n"
    caption = str(tokens[place - 1].children[0].attrs.get("title", ""))
    return f"{f'<figcaption>{escape(caption)}</figcaption>' if caption else ''}</figure>\n"


def _table_open(self, tokens, place, options, env):
    env["tables"] += 1
    label = gettext("Table %(number)s") % {"number": env["tables"]}
    frame = f'<div class="table-scroll" role="region" tabindex="0" aria-label="{escape(label)}">'
    return f'{frame}<table class="matrix">'


def _table_close(self, tokens, place, options, env):
    return "</table></div>\n"


def _footnote_ref(self, tokens, place, options, env):
    number = tokens[place].meta["id"] + 1
    again = tokens[place].meta.get("subId", 0)
    name = f"{number}-{again}" if again else str(number)
    label = escape(gettext("Note %(number)s") % {"number": number})
    link = f'<a href="#fn{number}" id="fnref{name}" aria-label="{label}">{number}</a>'
    return f'<sup class="footnote-ref">{link}</sup>'


def _footnote_block_open(self, tokens, place, options, env):
    return f'<section class="footnotes" aria-label="{escape(gettext("Notes"))}"><ol>\n'


def _footnote_block_close(self, tokens, place, options, env):
    return "</ol></section>\n"


def _footnote_open(self, tokens, place, options, env):
    return f'<li id="fn{tokens[place].meta["id"] + 1}">'


def _footnote_anchor(self, tokens, place, options, env):
    number, again = tokens[place].meta["id"] + 1, tokens[place].meta.get("subId", 0)
    name = f"{number}-{again}" if again else str(number)
    label = escape(gettext("Back to the text of note %(number)s") % {"number": number})
    return f' <a href="#fnref{name}" class="footnote-backref" aria-label="{label}">↩</a>'


def note(name):
    """Return the rule of one kind of note."""

    def render(self, tokens, place, options, env):
        token = tokens[place]
        if token.nesting != 1:
            return "</div>\n"
        title = token.info.strip().removeprefix(name).strip()
        head = f'<p class="note-title"><strong>{escape(title)}</strong></p>' if title else ""
        return f'<div class="{NOTE_CLASSES[name]}" role="note">{head}\n'

    return render


RULES = {
    "live": _live,
    "term": _term,
    "fence": _fence,
    "code_block": _code_block,
    "link_open": _link_open,
    "image": _image,
    "paragraph_open": _paragraph_open,
    "paragraph_close": _paragraph_close,
    "table_open": _table_open,
    "table_close": _table_close,
    "footnote_ref": _footnote_ref,
    "footnote_block_open": _footnote_block_open,
    "footnote_block_close": _footnote_block_close,
    "footnote_open": _footnote_open,
    "footnote_anchor": _footnote_anchor,
}
