"""Editing guides: who may do what, one language at a time, what is refused where, and the way back."""

import datetime
import re
from datetime import UTC

import pytest
from django.contrib import admin
from django.urls import reverse
from django.utils import formats, timezone
from django.utils.translation import override

from catalog import history
from catalog.admin.history import HistoryAdmin
from catalog.guides import publishing, states
from catalog.guides.states import State
from catalog.models import Change, GlossaryTerm, Guide, GuideEdition, Revision, WorkloadProfile
from tests.catalog.staff import form_of, save, url
from tests.factories import GuideFactory, ServerFactory

pytestmark = pytest.mark.django_db

RUSSIAN = {
    "title_ru": "Память",
    "summary_ru": "Сколько её нужно.",
    "body_ru": "## Память\n\nТекст.\n",
    "slug_ru": "pamiat",
}


@pytest.fixture
def marketing(as_member):
    return as_member("Marketing")


def add(client, **fields):
    """Write a new guide in the form, with these fields alone."""
    address = reverse("admin:catalog_guide_add")
    empty = {f"{name}_{language}": "" for name in Guide.TRANSLATED for language in ("es", "ru", "en")}
    return client.post(address, empty | form_of(client, address) | fields)


def columns(guide):
    """Return every column of a guide as it is in the database."""
    row = Guide.objects.get(pk=guide.pk)
    return {column.attname: getattr(row, column.attname) for column in Guide._meta.concrete_fields}


def errors(response):
    assert response.status_code == 200, "the form was accepted"
    return response.context["adminform"].form.errors


def said(response):
    return [str(message) for message in response.context["messages"]]


def state(guide, language="es"):
    return states.of(Guide.objects.get(pk=guide.pk))[language]


def acts(client, guide):
    """Return what the buttons of a guide's form do, in their order."""
    html = client.get(url(guide)).content.decode()
    return re.findall(r'name="act" value="([a-z:]+)"', html)


# --- who may do what -------------------------------------------------------------------------------


def test_an_author_writes_and_sends_to_review_and_somebody_else_publishes(editor):
    guide = GuideFactory()
    author, marketing = editor("Ana", "Authors"), editor("Marta", "Marketing")
    assert not [act for act in acts(author, guide) if act.partition(":")[0] not in ("review", "follow")]
    assert author.post(url(guide), form_of(author, url(guide)) | {"act": "publish:es"}).status_code == 403
    assert not GuideEdition.objects.exists()
    save(author, url(guide), body_es="Otro texto.", act="review:es")
    assert state(guide).state == State.REVIEW
    save(marketing, url(guide), act="publish:es")
    assert state(guide).state == State.PUBLISHED
    assert GuideEdition.objects.get().body == "Otro texto."
    assert GuideEdition.objects.get().published_by.username == "Marta"


def test_an_editor_gives_a_text_back_to_its_author(marketing):
    guide = GuideFactory()
    save(marketing, url(guide), act="review:es")
    assert "draft:es" in acts(marketing, guide)
    save(marketing, url(guide), act="draft:es")
    assert state(guide).state == State.DRAFT


@pytest.mark.parametrize("group", ["Marketing", "Authors"])
def test_who_writes_guides_deletes_none_of_them(as_member, group):
    guide = GuideFactory()
    assert as_member(group).get(url(guide, "delete")).status_code == 403


def test_sales_read_guides_and_change_nothing(as_member):
    guide = GuideFactory()
    client = as_member("Sales")
    assert acts(client, guide) == []
    assert client.post(url(guide), {"body_es": "Otro."}).status_code == 403


def test_the_enter_key_saves_and_publishes_nothing(marketing):
    html = marketing.get(url(GuideFactory())).content.decode()
    form = html[html.index('id="guide_form"') :]
    assert 'name="_save"' in re.search(r"<(?:input[^>]*type=\"submit\"|button)[^>]*>", form)[0]


# --- writing ---------------------------------------------------------------------------------------


def test_a_new_guide_gets_its_key_and_address_from_its_title(marketing):
    title = "Как рассчитать память GPU?"
    response = add(marketing, title_ru=title, summary_ru="Кратко.", body_ru="Текст.", act="publish:ru")
    guide = Guide.objects.get()
    assert (guide.key, guide.slug_ru, guide.slug_es) == (
        "kak-rasschitat-pamiat-gpu",
        "kak-rasschitat-pamiat-gpu",
        "",
    )
    assert response["Location"] == url(guide)
    assert guide.kind == Guide.Kind.GUIDE


def test_a_title_without_letters_still_gets_an_address(marketing):
    add(marketing, title_es="¿?")
    assert Guide.objects.get().slug_es == Guide.objects.get().key == "guide"
    add(marketing, title_es="¡!")
    assert set(Guide.objects.values_list("key", flat=True)) == {"guide", "guide-2"}


@pytest.mark.parametrize("once_public", [False, True])
def test_an_address_of_another_guide_is_refused_beside_its_field(marketing, once_public):
    other = GuideFactory(slug_es="memoria")
    if once_public:
        publishing.publish(other, "es")
        other.slug_es = "otra"
        other.save()
    found = errors(add(marketing, title_es="Memoria"))
    assert set(found) == {"slug_es"}
    assert "memoria" in found["slug_es"][0]
    assert other.key in found["slug_es"][0]
    assert Guide.objects.count() == 1


def test_one_language_never_changes_another(marketing):
    guide = GuideFactory(title_en="Memory", body_en="Text.", slug_en="memory", **RUSSIAN)
    before = columns(guide)
    save(marketing, url(guide), body_ru="Другой текст.", why="Ошибка")
    after = columns(guide)
    assert {name for name in after if before[name] != after[name]} == {"body_ru", "updated_at"}
    with override("en"):
        (entry,) = history.entries(guide)
        (line,) = entry.lines
        assert [cell.label for cell in line.cells] == ["text (Russian)"]
    assert (entry.revision.made_by, entry.revision.why) == ("Marketing@vendor.example", "Ошибка")


def test_a_browsers_ends_of_lines_change_nothing(marketing):
    guide = GuideFactory(**RUSSIAN)
    publishing.publish(guide, "es")
    publishing.follow(guide, "ru", "es")
    data = form_of(marketing, url(guide))
    data["body_es"] = data["body_es"].replace("\n", "\r\n")
    marketing.post(url(guide), data)
    marketing.post(
        url(guide), form_of(marketing, url(guide)) | {"body_es": data["body_es"], "act": "publish:es"}
    )
    assert {name for change in Change.objects.all() for name in change.values} == {"public_es"}
    assert not state(guide, "ru").is_behind
    assert len({edition.body for edition in GuideEdition.objects.all()}) == 1


def test_two_people_do_not_overwrite_each_other_unseen(editor):
    guide = GuideFactory(**RUSSIAN)
    ana, ivan = editor("Ana", "Marketing"), editor("Ivan", "Marketing")
    opened = form_of(ivan, url(guide))
    save(ana, url(guide), body_es="De Ana.")
    response = ivan.post(url(guide), opened | {"body_es": "De Ivan.", "act": "publish:es"})
    assert errors(response)
    assert "De Ana." in response.content.decode()
    guide.refresh_from_db()
    assert guide.body_es == "De Ana."
    assert not GuideEdition.objects.exists()


# --- publishing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("Uno.\n\n<script>alert(1)</script>\n", 3),
        ("Uno.\n\n```servers\ncolour=blue\ncaption=Nada\n```\n", 3),
        ("Uno.\n\nDos [tres](server:no-such-server).\n", 3),
        ("## Igual\n\nUno.\n\n## Igual\n", 5),
        ("Uno.\n\nDos.\n\n{{ figure no-such-server rack_units }}\n", 5),
    ],
)
def test_a_mistake_is_shown_beside_its_text_with_its_line_and_stops_the_text(marketing, body, line):
    guide = GuideFactory()
    found = errors(save(marketing, url(guide), body_es=body, act="publish:es"))
    assert set(found) == {"body_es"}
    assert f" {line} (" in found["body_es"][0]
    assert body.splitlines()[line - 1] in found["body_es"][0]
    assert not GuideEdition.objects.exists()


def test_a_draft_with_mistakes_is_kept_and_its_page_lists_them(marketing):
    guide = GuideFactory()
    save(marketing, url(guide), body_es="Dos [tres](server:no-such-server).\n")
    guide.refresh_from_db()
    assert guide.body_es == "Dos [tres](server:no-such-server).\n"
    panels = marketing.get(url(guide)).context["languages"]
    assert [panel.language for panel in panels if panel.errors] == ["es"]


def test_what_is_missing_is_said_where_it_is_missing(marketing):
    guide = GuideFactory(title_en="Memory")
    assert set(errors(save(marketing, url(guide), act="publish:en"))) == {"summary_en", "body_en"}


def test_a_huge_text_is_refused_with_its_length(marketing):
    found = errors(save(marketing, url(GuideFactory()), body_es="a" * 100_001, act="publish:es"))
    assert set(found) == {"body_es"}
    assert len(found["body_es"]) == 1
    assert "100" in found["body_es"][0]


def test_a_form_that_is_too_long_to_be_read_says_so(marketing):
    guide = GuideFactory()
    response = save(marketing, url(guide), body_es="a" * 2_700_000)
    assert response.status_code == 413
    assert "2,5" in response.content.decode()
    assert state(guide).state == State.DRAFT


def test_a_doubtful_number_is_listed_and_stops_nothing(marketing):
    ServerFactory(name="ThinkSystem SR675 V3", slug="thinksystem-sr675-v3")
    guide = GuideFactory(body_es="El ThinkSystem SR675 V3 lleva 77 tarjetas.")
    save(marketing, url(guide), act="publish:es")
    assert state(guide).state == State.PUBLISHED
    panel = marketing.get(url(guide)).context["languages"][0]
    assert panel.errors == []
    assert "77" in panel.warnings[0]


def test_a_language_appears_at_its_time_in_the_sites_time_zone(clock, marketing, client):
    guide = GuideFactory(slug_es="guia", **RUSSIAN)
    with override("ru"):
        address = reverse("catalog:guide", args=["pamiat"])
    for moment in ("", "2027-03-01T08:59", "mañana"):
        found = errors(save(marketing, url(guide), publish_at_ru=moment, act="schedule:ru"))
        assert set(found) == {"publish_at_ru"}
    response = save(marketing, url(guide), publish_at_ru="2027-03-02T09:30", act="schedule:ru")
    assert "9:30" in said(marketing.get(response["Location"]))[0]
    # Madrid is an hour before UTC in March.
    assert GuideEdition.objects.get().publish_at == datetime.datetime(2027, 3, 2, 8, 30, tzinfo=UTC)
    clock.pass_by(days=1, minutes=29)
    assert client.get(address).status_code == 404
    clock.pass_by(minutes=1)
    assert client.get(address).status_code == 200
    assert state(guide, "es").state == State.DRAFT


def test_what_waits_is_taken_back_and_what_is_public_withdrawn(clock, marketing):
    guide = GuideFactory()
    save(marketing, url(guide), act="publish:es")
    assert "unschedule:es" not in acts(marketing, guide)
    save(marketing, url(guide), publish_at_es="2027-03-02T09:30", act="schedule:es")
    assert state(guide).scheduled
    save(marketing, url(guide), act="unschedule:es")
    assert (state(guide).scheduled, state(guide).state) == (None, State.PUBLISHED)
    clock.pass_by(seconds=1)
    save(marketing, url(guide), act="withdraw:es")
    assert state(guide).edition is None
    assert "withdraw:es" not in acts(marketing, guide)


# --- translations ----------------------------------------------------------------------------------


def test_a_translation_follows_its_source_and_the_difference_is_shown(clock, marketing):
    guide = GuideFactory(body_es="Uno dos tres.\n\nCuatro.\n")
    save(marketing, url(guide), act="publish:es")
    assert (
        form_of(marketing, url(guide))["source_ru"] == "es"
    )  # the site's first language, unless said otherwise
    save(marketing, url(guide), **RUSSIAN)
    save(marketing, url(guide), act="publish:ru")
    assert state(guide, "ru").state == State.PUBLISHED
    clock.pass_by(minutes=1)
    save(marketing, url(guide), body_es="Uno <b>siete</b> tres.\n\nCuatro.\n")
    assert state(guide, "ru").state == State.PUBLISHED  # readers of Spanish do not have it yet
    guide.refresh_from_db()
    publishing.write(guide, "es")
    assert state(guide, "ru").state == State.STALE
    page = marketing.get(reverse("admin:catalog_guide_source", args=[guide.pk, "ru"])).content.decode()
    assert "<del>dos </del><ins>&lt;b&gt;siete&lt;/b&gt; </ins>" in page
    assert "<b>siete" not in page
    marketing.post(reverse("admin:catalog_guide_source", args=[guide.pk, "ru"]))
    assert state(guide, "ru").state == State.PUBLISHED
    page = marketing.get(reverse("admin:catalog_guide_source", args=[guide.pk, "ru"])).content.decode()
    assert "<del>" not in page


def test_a_text_that_follows_nothing_has_no_difference(marketing):
    guide = GuideFactory(**RUSSIAN)
    assert marketing.get(reverse("admin:catalog_guide_source", args=[guide.pk, "es"])).status_code == 404
    save(marketing, url(guide), source_ru="es")
    assert state(guide, "ru").source_language == "es"
    save(marketing, url(guide), source_ru="")
    assert state(guide, "ru").source_language == ""


# --- history ---------------------------------------------------------------------------------------


def restore(client, row, revision, query=""):
    address = reverse("admin:catalog_guide_restore", args=[row.pk, revision.pk]) + query
    return client.post(address, {"seen": client.get(address).context["seen"]})


def test_an_older_text_comes_back_and_readers_keep_theirs(marketing):
    guide = GuideFactory(body_es="Primera.")
    for text in ("Segunda.", "Tercera."):
        save(marketing, url(guide), body_es=text)
    save(marketing, url(guide), act="publish:es")
    first = Revision.objects.order_by("pk").first()
    assert "Segunda." in marketing.get(url(guide, "history")).content.decode()
    restore(marketing, guide, first)
    guide.refresh_from_db()
    assert guide.body_es == "Segunda."
    assert GuideEdition.objects.get().body == "Tercera."
    assert state(guide).has_changes


@pytest.mark.parametrize(("query", "russian"), [("?language=es", "Новый текст."), ("", RUSSIAN["body_ru"])])
def test_one_language_comes_back_alone_where_that_is_asked_for(marketing, query, russian):
    guide = GuideFactory(**RUSSIAN)
    save(marketing, url(guide), body_es="Segunda.", author="Ana")
    first = Revision.objects.get()
    save(marketing, url(guide), body_es="Tercera.", body_ru="Новый текст.", author="Ivan")
    restore(marketing, guide, first, query)
    guide.refresh_from_db()
    assert (guide.body_es, guide.body_ru) == ("Segunda.", russian)
    assert guide.author == ("Ivan" if query else "Ana")


def test_history_says_who_published_which_language_when_and_restoring_leaves_it(marketing):
    guide = GuideFactory()
    save(marketing, url(guide), act="review:es", why="Ready")
    save(marketing, url(guide), act="publish:es")
    edition = GuideEdition.objects.get()
    save(marketing, url(guide), act="withdraw:es")
    marketing.cookies["django_language"] = "en"
    with override("en"):
        entries = history.entries(guide)
        cells = [
            [(cell.label, cell.after) for line in entry.lines for cell in line.cells] for entry in entries
        ]
        since = formats.localize(timezone.localtime(edition.publish_at))
        assert cells == [
            [("public since (Spanish)", "—")],
            [("public since (Spanish)", since)],
            [("step (Spanish)", "in review")],
        ]
    assert {entry.revision.made_by for entry in entries} == {"Marketing@vendor.example"}
    assert "public since" in marketing.get(url(guide, "history")).text
    history.restore(guide, 0)
    assert state(guide).state == State.DRAFT


def test_what_waits_for_its_time_is_in_the_history(marketing):
    guide = GuideFactory()
    with history.recording(by="test"):
        publishing.publish(guide, "es", at=timezone.now() + datetime.timedelta(days=2))
    with history.recording(by="test"):
        publishing.unschedule(guide, "es")
    taken_back, scheduled = (entry.lines[0].change.values for entry in history.entries(guide))
    ((name, (before, after)),) = scheduled.items()
    assert (name, before) == ("scheduled_es", None)
    assert taken_back == {"scheduled_es": [after, None]}


def test_all_texts_of_the_site_have_a_history():
    for model in (Guide, GlossaryTerm, WorkloadProfile):
        assert isinstance(admin.site.get_model_admin(model), HistoryAdmin)


# --- texts of the site -----------------------------------------------------------------------------


def test_a_text_of_the_site_is_edited_like_a_guide_and_has_no_address(marketing):
    guide = GuideFactory(key="legal", kind=Guide.Kind.TEXT, topic="", slug_es="")
    assert not {"slug_es", "topic", "servers"} & set(form_of(marketing, url(guide)))
    save(marketing, url(guide), body_es="Otro aviso.", summary_es="", act="publish:es")
    assert (state(guide).state, GuideEdition.objects.get().body) == (State.PUBLISHED, "Otro aviso.")
    with override("es"):
        assert "Otro aviso." in marketing.get(reverse("catalog:legal")).content.decode()
