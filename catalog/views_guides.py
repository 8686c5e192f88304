"""Guides for readers: the list by topic, one guide, its feed; what is not published in a language says so."""

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.db.models import Min
from django.http import Http404, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import get_language, gettext, override
from django.views.decorators.http import require_safe

from aiservers.context_processors import OWN_NAMES
from aiservers.structured import absolute, item_list, organization, part, thing
from catalog import glossary
from catalog.guides import article
from catalog.models import Guide, GuideAddress, GuideEdition

FEED_LENGTH = 30


@require_safe
def guide_list(request):
    """Guides by topic; with `guide`, what was asked for and is not published in this language."""
    language = get_language()
    by_language = article.guides_by_language()
    own = by_language.get(language, {})
    topics = [(topic, [row for row in own.values() if row.guide.topic == topic]) for topic in Guide.Topic]
    wanted = request.GET.get("guide", "")
    elsewhere = _elsewhere(by_language, language)
    listed = [
        (row.title, reverse("catalog:guide", args=[row.slug])) for _topic, rows in topics for row in rows
    ]
    context = {
        "topics": [(topic.label, [_line(row) for row in rows]) for topic, rows in topics if rows],
        "structured": [item_list(gettext("Guides to AI servers"), listed)] if listed else [],
        "elsewhere": elsewhere,
        "asked": next((row for row in elsewhere if row["key"] == wanted), None),
        "feed_url": reverse("catalog:guide_feed"),
    }
    return render(request, "catalog/guide_list.html", context)


@require_safe
def guide(request, slug):
    """One guide; an address that it once had leads on, and one of another language to this one's."""
    language = get_language()
    address = _address(slug, language)
    by_language = article.guides_by_language()
    listed = by_language.get(language, {}).get(address.guide_id)
    if listed is None:
        return _missing(request, address.guide_id, by_language, language)
    if (address.language, listed.slug) != (language, slug):
        return HttpResponsePermanentRedirect(reverse("catalog:guide", args=[listed.slug]))
    edition = GuideEdition.objects.for_page().get(pk=listed.pk)
    request.language_paths = language_paths(edition.guide, by_language)
    return render(request, "catalog/guide.html", page(edition, by_language))


def page(edition, by_language, made=None):
    """Return what a guide's page prints; `made` is a ready Article, of a preview."""
    made = made or article.of_edition(edition, article.slugs_in(edition.language, by_language))
    guide = edition.guide
    return {
        "edition": edition,
        "article": made,
        "topic": guide.get_topic_display(),
        "related": article.related(edition, by_language),
        "servers": guide.servers.published(),
        "ai_models": guide.ai_models.published(),
        "workloads": [row for row in guide.workloads.published() if row.name],
        "structured": [_structured(edition, made)],
        "feed_url": reverse("catalog:guide_feed"),
    }


def language_paths(guide, by_language):
    """Return {language: (path, whether it is the guide itself)} for the language switch.

    Where a guide is not published, the list says so and offers the others.
    """
    paths = {}
    for code in OWN_NAMES:
        row = by_language.get(code, {}).get(guide.pk)
        with override(code):
            if row:
                paths[code] = reverse("catalog:guide", args=[row.slug]), True
            else:
                paths[code] = f"{reverse('catalog:guide_list')}?guide={guide.key}", False
    return paths


def _address(slug, language):
    """Return the address that somebody asks for: of this language, else of another one."""
    rows = GuideAddress.objects.filter(slug=slug, guide__kind=Guide.Kind.GUIDE)
    found = sorted(rows, key=lambda row: (row.language != language, row.language))
    if not found:
        raise Http404
    return found[0]


def _missing(request, guide_id, by_language, language):
    """Say that a guide is not published in this language and where it can be read, with status 404."""
    others = [row for row in _elsewhere(by_language, language) if row["guide_id"] == guide_id]
    if not others:
        raise Http404
    return render(request, "catalog/guide_missing.html", {"asked": others[0], "noindex": True}, status=404)


def _elsewhere(by_language, language):
    """Return the guides that are published in other languages alone, with their addresses there."""
    own, found = by_language.get(language, {}), {}
    for code, name in OWN_NAMES.items():
        for row in by_language.get(code, {}).values():
            if row.guide_id in own or code == language:
                continue
            with override(code):
                url = reverse("catalog:guide", args=[row.slug])
            link = {"code": code, "name": name, "title": row.title, "url": url}
            entry = {"guide_id": row.guide_id, "key": row.guide.key, "links": []}
            found.setdefault(row.guide_id, entry)["links"].append(link)
    return list(found.values())


def _line(row):
    return {"edition": row, "updated_at": article.updated_at(row, row.facts_changed_at)}


def _author(name):
    """Return who wrote a guide: a person, or the vendor, which is none."""
    return part("Person", name=name) if name and name != settings.VENDOR_NAME else organization()


def _structured(edition, made):
    return thing(
        "Article",
        headline=edition.title,
        description=glossary.plain(edition.summary),
        inLanguage=edition.language,
        url=absolute(reverse("catalog:guide", args=[edition.slug])),
        datePublished=made.first_published.isoformat() if made.first_published else None,
        dateModified=made.updated_at.isoformat(),
        author=_author(edition.guide.author),
        publisher=organization(),
        wordCount=made.words,
    )


class GuideAtom(Atom1Feed):
    """Atom with the feed in the other languages, where there is something to read."""

    def add_root_elements(self, handler):
        super().add_root_elements(handler)
        for code, url in self.feed["alternates"]:
            handler.addQuickElement("link", "", {"rel": "alternate", "hreflang": code, "href": url})


class GuideFeed(Feed):
    """The guides of one language, newest first."""

    feed_type = GuideAtom

    def title(self):
        return gettext("Guides to AI servers")

    def subtitle(self):
        return gettext("What to know, measure and decide before buying a server for AI.")

    def link(self):
        return absolute(reverse("catalog:guide_list"))

    def feed_url(self):
        return absolute(reverse("catalog:guide_feed"))

    def feed_guid(self):
        return self.link()

    def get_object(self, request):
        return article.guides_by_language()

    def feed_extra_kwargs(self, by_language):
        alternates = []
        for code in by_language.keys() - {get_language()}:
            with override(code):
                alternates.append((code, absolute(reverse("catalog:guide_feed"))))
        return {"alternates": sorted(alternates)}

    def items(self, by_language):
        rows = list(by_language.get(get_language(), {}).values())[:FEED_LENGTH]
        editions = GuideEdition.objects.filter(
            language=get_language(), guide__in=[row.guide_id for row in rows]
        )
        first = dict(editions.order_by().values_list("guide_id").annotate(Min("publish_at")))
        for row in rows:
            row.first_published = first[row.guide_id]
        return rows

    def item_title(self, item):
        return item.title

    def item_description(self, item):
        return glossary.plain(item.summary)

    def item_link(self, item):
        return absolute(reverse("catalog:guide", args=[item.slug]))

    def item_guid(self, item):
        return absolute(f"/guides/{item.guide.key}/{item.language}")

    def item_author_name(self, item):
        return item.guide.author or settings.VENDOR_NAME

    def item_pubdate(self, item):
        return item.first_published

    def item_updateddate(self, item):
        return article.updated_at(item, item.facts_changed_at)


guide_feed = require_safe(GuideFeed())
