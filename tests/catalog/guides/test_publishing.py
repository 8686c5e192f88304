"""Each language of a guide: its state, its own time, what it follows, and the addresses that it once had."""

import datetime

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils.translation import override

from catalog.guides import publishing, states
from catalog.guides.states import State
from catalog.models import GuideAddress, GuideEdition
from catalog.search import query
from tests.factories import GuideFactory

IN_RUSSIAN = {
    "title_ru": "Память",
    "summary_ru": "Сколько её нужно.",
    "body_ru": "Текст.",
    "slug_ru": "pamiat",
}


def visit(client, slug, language="es", **headers):
    with override(language):
        return client.get(reverse("catalog:guide", args=[slug]), headers=headers)


def listed(client, language="es"):
    with override(language):
        return client.get(reverse("catalog:guide_list")).content.decode()


def fed(client, language="es"):
    with override(language):
        return client.get(reverse("catalog:guide_feed")).content.decode()


def found(client, text, language="es"):
    with override(language):
        return client.get(reverse("catalog:search"), {"q": text}).content.decode()


# States


def test_each_language_has_a_state_of_its_own(db, clock):
    guide = GuideFactory(**IN_RUSSIAN)
    assert {code: row.state for code, row in states.of(guide).items()} == {
        "es": State.DRAFT,
        "ru": State.DRAFT,
        "en": State.MISSING,
    }
    publishing.set_step(guide, "ru", "review")
    publishing.publish(guide, "es")
    found = states.of(guide)
    assert (found["es"].state, found["ru"].state) == (State.PUBLISHED, State.REVIEW)
    publishing.publish(guide, "ru")
    assert states.of(guide)["ru"].state == State.PUBLISHED
    publishing.withdraw(guide, "ru")
    assert states.of(guide)["ru"].state == State.DRAFT


def test_a_translation_is_behind_when_what_it_follows_is_published_anew(db, clock):
    guide = GuideFactory(**IN_RUSSIAN)
    publishing.publish(guide, "es")
    publishing.follow(guide, "ru", "es")
    publishing.publish(guide, "ru")
    guide.body_es = "## Memoria\n\nOtro texto."
    guide.save()
    assert states.of(guide)["ru"].state == State.PUBLISHED  # readers of Spanish see the old text still
    assert states.of(guide)["es"].has_changes
    publishing.publish(guide, "es")
    state = states.of(guide)["ru"]
    assert (state.state, state.is_behind, state.source_language) == (State.STALE, True, "es")
    assert guide.translations.get(language="ru").source["body"] == "## Memoria\n\nUn texto corto.\n"
    publishing.follow(guide, "ru", "es")
    assert states.of(guide)["ru"].state == State.PUBLISHED


def test_a_language_does_not_follow_itself(db):
    guide = GuideFactory()
    with pytest.raises(IntegrityError), transaction.atomic():
        publishing.follow(guide, "es", "es")


# What readers see


def test_readers_see_the_published_text_until_the_next_one_is(client, db, clock):
    guide = GuideFactory(slug_es="guia", title_es="Antes")
    publishing.publish(guide, "es")
    guide.title_es = "Después"
    guide.save()
    assert "Antes" in visit(client, "guia").content.decode()
    clock.pass_by(days=1)
    publishing.publish(guide, "es")
    html = visit(client, "guia").content.decode()
    assert "Después" in html
    assert 'datetime="2027-03-02' in html


def test_the_same_text_published_again_makes_no_new_date(client, db, clock, publish):
    guide = publish(slug_es="guia")
    clock.pass_by(days=1)
    publishing.publish(guide, "es")
    html = visit(client, "guia").content.decode()
    assert 'datetime="2027-03-01' in html
    assert 'datetime="2027-03-02' not in html


def test_a_guide_appears_everywhere_at_its_minute(client, db, clock, publish):
    publish(at=clock.now, slug_es="otra", title_es="Siempre visible")
    publish(at=clock.now + datetime.timedelta(hours=1), slug_es="guia", title_es="Quimera", key="later")
    pages = [reverse("catalog:guide_list"), reverse("catalog:guide_feed"), "/sitemap.xml", "/es/"]
    tags = {path: client.get(path)["ETag"] for path in pages}
    clock.pass_by(minutes=59, seconds=59)
    assert visit(client, "guia").status_code == 404
    for text in (listed(client), fed(client), found(client, "quimera")):
        assert "/guides/guia/" not in text.replace("guias", "guides")
    assert "/guia/" not in client.get("/sitemap.xml").content.decode()
    assert query.search("quimera", "es").total == 0
    for path in pages:
        assert client.get(path, headers={"If-None-Match": tags[path]}).status_code == 304
    clock.pass_by(seconds=1)
    assert query.search("quimera", "es").total == 1
    assert visit(client, "guia").status_code == 200
    for text in (listed(client), fed(client), found(client, "quimera")):
        assert "/guia/" in text
    assert "/guia/" in client.get("/sitemap.xml").content.decode()
    for path in pages:
        assert client.get(path, headers={"If-None-Match": tags[path]}).status_code == 200


def test_a_language_is_told_of_by_the_others_at_its_minute(client, db, clock):
    guide = GuideFactory(slug_es="guia", **IN_RUSSIAN)
    publishing.publish(guide, "es")
    publishing.publish(guide, "ru", at=clock.now + datetime.timedelta(hours=1))
    with override("ru"):
        russian, feed = reverse("catalog:guide", args=["pamiat"]), reverse("catalog:guide_feed")
    spanish = visit(client, "guia")
    head = f'<link rel="alternate" hreflang="ru" href="http://testserver{russian}">'
    clock.pass_by(minutes=59, seconds=59)
    assert visit(client, "guia", **{"If-None-Match": spanish["ETag"]}).status_code == 304
    assert head not in visit(client, "guia").content.decode()
    assert feed not in fed(client)
    assert russian not in client.get("/sitemap.xml").content.decode()
    clock.pass_by(seconds=1)
    assert visit(client, "guia", **{"If-None-Match": spanish["ETag"]}).status_code == 200
    assert head in visit(client, "guia").content.decode()
    assert feed in fed(client)
    assert f'hreflang="ru" href="http://testserver{russian}"' in client.get("/sitemap.xml").content.decode()


def test_a_new_text_takes_the_old_ones_place_at_its_minute(client, db, clock):
    guide = GuideFactory(slug_es="guia", title_es="Antes")
    publishing.publish(guide, "es")
    guide.title_es = "Después"
    guide.save()
    publishing.publish(guide, "es", at=clock.now + datetime.timedelta(minutes=10))
    clock.pass_by(minutes=9)
    assert "Antes" in visit(client, "guia").content.decode()
    assert "Antes" in listed(client)
    clock.pass_by(minutes=1)
    assert "Después" in visit(client, "guia").content.decode()
    assert "Antes" not in listed(client)


def test_a_text_that_waits_can_be_taken_back_or_replaced(client, db, clock):
    guide = GuideFactory(slug_es="guia", title_es="Antes")
    publishing.publish(guide, "es")
    for title in ("Uno", "Dos"):
        guide.title_es = title
        guide.save()
        publishing.publish(guide, "es", at=clock.now + datetime.timedelta(days=1))
    assert guide.editions.count() == 2  # the first one that waited gave way
    assert states.of(guide)["es"].scheduled.title == "Dos"
    assert publishing.unschedule(guide, "es")
    assert not publishing.unschedule(guide, "es")
    clock.pass_by(days=2)
    assert "Antes" in visit(client, "guia").content.decode()


def test_a_withdrawn_guide_is_gone_at_once(client, db, clock, publish):
    guide = publish(slug_es="guia", title_es="Quimera")
    clock.pass_by(seconds=1)
    publishing.withdraw(guide, "es")
    assert visit(client, "guia").status_code == 404
    assert "Quimera" not in listed(client) + fed(client)
    assert "/guia/" not in found(client, "quimera")
    assert "/guia/" not in client.get("/sitemap.xml").content.decode()


def test_only_one_text_of_a_language_has_no_end(db, publish):
    guide = publish()
    (edition,) = guide.editions.all()
    edition.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        GuideEdition.save(edition, force_insert=True)


# Addresses


def test_a_renamed_guide_is_found_at_every_address_that_it_had(client, db, clock):
    guide = GuideFactory(slug_es="primera")
    for slug in ("primera", "segunda", "tercera"):
        guide.slug_es = slug
        guide.save()
        publishing.publish(guide, "es")
    for old in ("primera", "segunda"):
        response = visit(client, old)
        assert (response.status_code, response["Location"]) == (
            301,
            reverse("catalog:guide", args=["tercera"]),
        )
    assert visit(client, "tercera").status_code == 200
    assert set(GuideAddress.objects.values_list("slug", flat=True)) == {"primera", "segunda", "tercera"}


def test_an_address_of_another_language_leads_to_this_ones(client, db, publish):
    publish("es", "ru", slug_es="guia", **IN_RUSSIAN)
    response = visit(client, "guia", "ru")
    with override("ru"):
        assert (response.status_code, response["Location"]) == (
            301,
            reverse("catalog:guide", args=["pamiat"]),
        )
