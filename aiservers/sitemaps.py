"""The sitemap's frame; its sections are the apps' own."""

from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.sitemaps import Sitemap
from django.urls import reverse


class LanguageSitemap(Sitemap):
    """A section whose pages exist in every language, at the public address of the site."""

    i18n = True
    alternates = True

    def get_domain(self, site=None):
        return urlsplit(settings.SITE_URL).netloc

    def get_protocol(self, protocol=None):
        return urlsplit(settings.SITE_URL).scheme

    def _urls(self, page, protocol, domain):
        # Django's x-default only takes the language out of the address, whose words are translated.
        urls = super()._urls(page, protocol, domain)
        for url in urls:
            for link in url["alternates"]:
                if link["lang_code"] == settings.LANGUAGE_CODE:
                    url["alternates"].append({"location": link["location"], "lang_code": "x-default"})
                    break
        return urls


class PageSitemap(LanguageSitemap):
    """Pages that show no single object, by the names of their views.

    `changed` is {view name: what returns when its facts last changed, or None where there are none}; of other
    pages nothing is said.
    """

    def __init__(self, view_names, changed=()):
        self.view_names = view_names
        self.changed = dict(changed)

    def items(self):
        return self.view_names

    def location(self, item):
        return reverse(item)

    def lastmod(self, item):
        return self.changed[item]() if item in self.changed else None
