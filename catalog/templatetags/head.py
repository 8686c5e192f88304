"""What stands in a page's head: title and description, for readers and for links, and its facts as data."""

import json
from html import unescape

from django import template
from django.conf import settings
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe

from aiservers import social, structured

register = template.Library()

MAX_TITLE, MAX_DESCRIPTION = 65, 160  # letters that result pages of search engines have room for
LOCALES = {"es": "es_ES", "ru": "ru_RU", "en": "en_GB"}
# What could end the element or open a comment, as Django's json_script writes it.
ESCAPES = {ord(">"): "\\u003E", ord("<"): "\\u003C", ord("&"): "\\u0026"}


@register.simple_block_tag
def page_title(content):
    """Write the title inside as the page's and as that of a link to it, with the site's if it fits."""
    text = _text(content)
    whole = f"{text} · {settings.VENDOR_NAME}"
    title = whole if len(whole) <= MAX_TITLE else text
    return format_html('<title>{}</title>\n  <meta property="og:title" content="{}">', title, text)


@register.simple_block_tag
def page_description(content):
    """Write the description inside, as much of it as is shown, as the page's and as that of a link to it."""
    text = _text(content)
    if len(text) > MAX_DESCRIPTION:
        text = text[:MAX_DESCRIPTION].rpartition(" ")[0].rstrip(" ,;:—–") + "…"
    return format_html(
        '<meta name="description" content="{0}">\n  <meta property="og:description" content="{0}">', text
    )


def _text(content):
    """Return what a block has written as a text: what came from data is escaped in it."""
    return " ".join(unescape(content).split())


@register.simple_tag(takes_context=True)
def link_preview(context):
    """Write what a link to this page looks like elsewhere: address, languages, picture."""
    language, match = context["LANGUAGE_CODE"], context["request"].resolver_match
    image = structured.absolute(social.address(match.url_name, match.kwargs.get("slug", "")))
    url = next(link["url"] for link in context["language_links"] if link["code"] == language)
    properties = [
        ("og:type", "website"),
        ("og:site_name", settings.VENDOR_NAME),
        ("og:url", url),
        ("og:locale", LOCALES[language]),
        *(("og:locale:alternate", locale) for code, locale in LOCALES.items() if code != language),
        ("og:image", image),
        ("og:image:type", "image/png"),
        ("og:image:width", str(social.WIDTH)),
        ("og:image:height", str(social.HEIGHT)),
    ]
    written = format_html_join("\n  ", '<meta property="{}" content="{}">', properties)
    return written + mark_safe('\n  <meta name="twitter:card" content="summary_large_image">')


@register.simple_tag
def structured_data(things):
    """Write things of schema.org as data, which the browser does not run and the policy does not forbid."""
    lines = (json.dumps(made, ensure_ascii=False).translate(ESCAPES) for made in things)
    return format_html_join(
        "\n  ", '<script type="application/ld+json">{}</script>', ((mark_safe(line),) for line in lines)
    )


@register.simple_tag
def breadcrumb_data(parent, parent_url, here):
    """Write where a page stands, as its breadcrumbs say it."""
    return structured_data([structured.breadcrumbs([(parent, parent_url), (here, "")])])
