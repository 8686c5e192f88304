"""What every page knows about the site: its vendor, and itself in the other languages."""

from django.conf import settings
from django.templatetags.static import static
from django.urls import NoReverseMatch, reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import override

from aiservers import caching

# A language names itself in its own words, whatever the language of the page.
OWN_NAMES = {"es": "Español", "ru": "Русский", "en": "English"}


def site(request):
    """Return `site` (vendor, contact, address), `language_links` and `noindex`, made when a template asks."""
    return {
        "site": {
            "url": settings.SITE_URL,
            "vendor_name": settings.VENDOR_NAME,
            "vendor_logo": static(settings.VENDOR_LOGO) if settings.VENDOR_LOGO else "",
            "sales_contact": settings.SALES_CONTACT,
            "sales_contact_href": contact_href(settings.SALES_CONTACT),
        },
        "language_links": SimpleLazyObject(lambda: language_links(request)),
        "noindex": request.resolver_match is None or caching.has_noindex(request),
    }


def contact_href(contact):
    """Return what a link to the contact opens: its page, a letter or a call."""
    if contact.startswith("https://"):
        return contact
    return f"mailto:{contact}" if "@" in contact else f"tel:{contact.replace(' ', '')}"


def language_links(request):
    """List this page in every language: code, own name, path for the switcher, absolute address for hreflang.

    The switcher keeps the query string, which is the same in all languages; hreflang leaves it out. A page
    that has no address of its own, such as an error, leads to the home page. A page that is not published
    in all languages says itself where each leads (`request.language_paths`); there `url` is "" where it is
    not. A later page of a list says what of its query belongs to its own address (`request.own_query`).
    """
    if paths := getattr(request, "language_paths", None):
        return [
            {
                "code": code,
                "name": name,
                "path": paths[code][0],
                "url": f"{settings.SITE_URL}{paths[code][0]}" if paths[code][1] else "",
            }
            for code, name in OWN_NAMES.items()
        ]
    own_query = getattr(request, "own_query", "")
    links = []
    for code, name in OWN_NAMES.items():
        with override(code):
            path, exists = _path_of(request.resolver_match), True
            if path is None:
                path, exists = f"/{code}/", False
        query = f"?{request.GET.urlencode()}" if exists and request.GET else ""
        links.append(
            {
                "code": code,
                "name": name,
                "path": f"{path}{query}",
                "url": f"{settings.SITE_URL}{path}{own_query if exists else ''}",
            }
        )
    return links


def _path_of(match):
    if match is None:
        return None
    try:
        return reverse(match.view_name, args=match.args, kwargs=match.kwargs)
    except NoReverseMatch:
        return None
