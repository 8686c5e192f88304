"""A guide's Markdown: into parts that can be checked, and into HTML in which nothing but ours is left.

Raw HTML is shown as text, what Markdown makes is sanitised, and only then do live blocks take their places:
their HTML is our templates' own.
"""

import re
from dataclasses import dataclass, field

import nh3
from django.contrib.staticfiles import finders
from django.core.exceptions import SuspiciousFileOperation
from django.utils.safestring import mark_safe
from django.utils.translation import gettext
from markdown_it import MarkdownIt
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.footnote import footnote_plugin

from catalog import glossary
from catalog.guides import blocks, slugs
from catalog.guides.rules import CLOSE, NOTE_CLASSES, OPEN, RULES, note, plain

LIVE = re.compile(r"\{\{\s*(?P<name>[a-z]+)\s+(?P<text>[^{}\n]+?)\s*\}\}")
CODE_LANGUAGES = {"", "text", "bash", "ini", "json", "python", "sql", "toml", "yaml"}
ANCHOR = re.compile(r"\s*\{#(?P<anchor>[^{}]*)\}\s*$")
ANCHOR_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
PLACE = re.compile(f"{OPEN}(\\d+){CLOSE}")
# Ids of the page around a guide, and the shapes that footnotes have.
TAKEN = {"main", "languages", "live", "contents", "related", "guides", "sources", "filters"}
FOOTNOTE_ID = re.compile(r"fn(?:ref)?\d")
WORD = re.compile(r"\w+(?:[-’'.,]\w+)*")
WORDS_PER_MINUTE = 200

TAGS = {
    "a", "blockquote", "br", "code", "dd", "div", "dl", "dt", "em", "figcaption", "figure", "h2", "h3",
    "h4", "hr", "img", "li", "ol", "p", "pre", "s", "section", "span", "strong", "sup", "table",
    "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {
    "a": {"href", "id", "class", "rel", "aria-label"},
    "code": {"class"},
    "div": {"class", "role", "tabindex", "aria-label"},
    "h2": {"id"},
    "h3": {"id"},
    "h4": {"id"},
    "img": {"src", "alt"},
    "li": {"id", "class"},
    "ol": {"start"},
    "p": {"class"},
    "pre": {"tabindex"},
    "section": {"class", "aria-label"},
    "sup": {"class"},
    "td": {"class"},
    "th": {"scope", "class"},
}


@dataclass(frozen=True)
class Heading:
    level: int
    text: str
    anchor: str  # as it is in the page
    wanted: str  # as the author or the words ask for it
    line: int


@dataclass
class Document:
    """A parsed text: what it is made of, each with its line."""

    tokens: list
    env: dict
    calls: list = field(default_factory=list)  # blocks.Call, in the order of their places
    headings: list = field(default_factory=list)
    links: list = field(default_factory=list)  # (href, line)
    images: list = field(default_factory=list)  # (src, alt, line)
    terms: list = field(default_factory=list)  # (slug, line)
    sentences: list = field(default_factory=list)  # (text of a paragraph or cell, line)
    problems: list = field(default_factory=list)  # (line, message)

    @property
    def words(self):
        """Count the words that the author wrote."""
        return sum(len(WORD.findall(text)) for text, _line in self.sentences)

    @property
    def minutes(self):
        """Return how long the text takes to read [min]."""
        return max(1, round(self.words / WORDS_PER_MINUTE))

    @property
    def contents(self):
        """Return the headings of the first two levels: [(heading, headings below it)]."""
        found = []
        for heading in self.headings:
            if heading.level == 2:
                found.append((heading, []))
            elif heading.level == 3 and found:
                found[-1][1].append(heading)
        return found


def parse(text):
    """Return the Document of a text; no query."""
    text = text.translate({ord(OPEN): None, ord(CLOSE): None}).replace("\r\n", "\n")
    env = {}
    document = Document(MARKDOWN.parse(text, env), env)
    _Walk(document).run()
    return document


def to_html(document, shown, guides):
    """Return a document's HTML in the active language.

    Args:
        shown: {key of a block: its HTML}.
        guides: {key: slug} of the guides that a link can lead to.
    """
    env = document.env | {"guides": guides, "terms": glossary.names() if document.terms else {}, "tables": 0}
    raw = MARKDOWN.renderer.render(document.tokens, MARKDOWN.options, env)
    clean = nh3.clean(
        raw,
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
        clean_content_tags={"script", "style"},
    )
    return mark_safe(PLACE.sub(lambda found: shown[document.calls[int(found[1])].key], clean))


class _Walk:
    """Goes over the tokens once: places for blocks, anchors, links, lines."""

    def __init__(self, document):
        self.document = document
        self.anchors = set()
        self.level = 1
        self.line = 1

    def run(self):
        tokens = self.document.tokens
        for place, token in enumerate(tokens):
            if token.map:
                self.line = token.map[0] + 1
            if token.type == "fence":
                self.fence(token)
            elif token.type == "heading_open":
                self.heading(token, tokens[place + 1])
            elif token.type == "inline":
                self.inline(token)
        _mark_row_headers(tokens)

    def problem(self, message, line=None):
        self.document.problems.append((line or self.line, message))

    def call(self, kind, text, line, inline):
        self.document.calls.append(blocks.Call(kind, text, line, inline))
        return len(self.document.calls) - 1

    def fence(self, token):
        name = token.info.strip()
        if blocks.named(name, inline=False):
            token.meta["place"] = self.call(name, token.content.strip(), self.line, False)
            if token.level:
                self.problem(
                    gettext("A live block stands on lines of its own, not in a list, note or quotation.")
                )
        elif name not in CODE_LANGUAGES:
            self.problem(
                gettext(
                    "“%(name)s” is neither a live block (%(blocks)s) nor a language of code (%(languages)s)."
                )
                % {
                    "name": name,
                    "blocks": ", ".join(blocks.names(inline=False)),
                    "languages": ", ".join(sorted(CODE_LANGUAGES - {""})),
                }
            )

    def heading(self, token, inline):
        level = int(token.tag[1])
        if level == 1 or level > 4:
            self.problem(gettext("Headings are written with two to four signs: ##, ### or ####."))
        elif level > self.level + 1:
            self.problem(
                gettext("This heading skips a level: the one above it has fewer signs by more than one.")
            )
        self.level = level = min(max(level, 2), 4)
        token.tag = f"h{level}"
        wanted = self.wanted_anchor(inline)
        anchor, number = wanted, 2
        while anchor in self.anchors or anchor in TAKEN or FOOTNOTE_ID.match(anchor):
            anchor, number = f"{wanted}-{number}", number + 1
        self.anchors.add(anchor)
        if anchor != wanted:
            self.problem(
                gettext(
                    "The anchor “%(anchor)s” is taken already: give this heading another one, {#like-this}."
                )
                % {"anchor": wanted}
            )
        token.attrSet("id", anchor)
        text = plain(inline.children)
        self.document.headings.append(Heading(level, text, anchor, wanted, self.line))
        if not text.strip():
            self.problem(gettext("This heading is empty."))

    def wanted_anchor(self, inline):
        last = inline.children[-1] if inline.children else None
        found = ANCHOR.search(last.content) if last is not None and last.type == "text" else None
        if found:
            last.content = last.content[: found.start()]
            if ANCHOR_NAME.match(found["anchor"]):
                return found["anchor"]
            self.problem(
                gettext("“%(anchor)s” is no anchor: lower-case ASCII letters, digits and hyphens.")
                % {"anchor": found["anchor"]}
            )
        return slugs.ascii_words(plain(inline.children)) or "section"

    def inline(self, token):
        line = self.line
        for child in token.children or []:
            if child.type in ("softbreak", "hardbreak"):
                line += 1
            elif child.type == "live":
                child.meta["place"] = self.call(child.meta["name"], child.content, line, True)
            elif child.type == "term":
                self.document.terms.append((child.meta["slug"], line))
            elif child.type == "link_open":
                self.document.links.append((str(child.attrs.get("href", "")), line))
            elif child.type == "image":
                self.image(child, line)
            elif child.type == "text" and "{{" in child.content:
                self.problem(
                    gettext("“{{” begins a live figure that has no name or no end: {{ figure slug name }}."),
                    line,
                )
        text = plain(token.children or [], live=" … ")
        if text.strip():
            self.document.sentences.append((text, self.line))

    def image(self, child, line):
        source, alt = str(child.attrs.get("src", "")), plain(child.children or [])
        self.document.images.append((source, alt, line))
        if not alt.strip():
            self.problem(gettext("A picture needs a text that says what it shows: ![text](file)."), line)
        if not _is_of_the_site(source):
            self.problem(
                gettext("There is no picture “%(file)s” among the site's files.") % {"file": source}, line
            )


def _is_of_the_site(source):
    """Tell whether a picture lies among the static files; an address that leads out of them does not."""
    try:
        return finders.find(source) is not None
    except SuspiciousFileOperation:
        return False


def _mark_row_headers(tokens):
    """Make the first cell of each row its header, in tables whose corner is empty."""
    corner_is_empty = first = False
    for place, token in enumerate(tokens):
        if token.type == "tr_open":
            first = True
        elif token.type in ("th_open", "td_open"):
            if token.type == "th_open":
                token.attrSet("scope", "col")
                if first:
                    corner_is_empty = not tokens[place + 1].content.strip()
                    if corner_is_empty:
                        token.tag = tokens[place + 2].tag = "td"
                        token.attrs.pop("scope")
            elif first and corner_is_empty:
                token.tag = tokens[place + 2].tag = "th"
                token.attrSet("scope", "row")
            first = False


def _live_rule(state, silent):
    """`{{ name words }}` as one token, where the name is that of an inline block."""
    found = LIVE.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        token = state.push("live", "", 0)
        token.content = " ".join(found["text"].split())
        token.meta = {"name": found["name"]}
    state.pos = found.end()
    return True


def _term_rule(state, silent):
    """`[[slug|words]]` as one token."""
    found = glossary.MARK.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        token = state.push("term", "", 0)
        token.meta = {"slug": found["slug"], "words": found["words"] or ""}
    state.pos = found.end()
    return True


def _made():
    """Return the parser with its rules: CommonMark without HTML, and what guides have beside it."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    markdown.use(footnote_plugin, inline=False)
    for name in NOTE_CLASSES:
        markdown.use(container_plugin, name=name, render=note(name))
    markdown.inline.ruler.before("link", "term", _term_rule)
    markdown.inline.ruler.before("escape", "live", _live_rule)
    for name, rule in RULES.items():
        markdown.add_render_rule(name, rule)
    return markdown


MARKDOWN: MarkdownIt = _made()
