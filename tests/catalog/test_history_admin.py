"""History in the staff's pages: who reads it, who brings states back, and two people at one form."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import translation
from django.utils.text import capfirst

from catalog import history, versions
from catalog.admin.glossary import GlossaryTermAdmin
from catalog.admin.history import HistoryAdmin
from catalog.models import (
    BenchmarkResult,
    Change,
    Evidence,
    GPUOption,
    Guide,
    MeasuredWeights,
    Revision,
    SearchToken,
    Server,
    Variant,
)
from catalog.models.base import Fact
from tests.catalog.staff import form_of, save, url
from tests.factories import (
    AIModelFactory,
    BenchmarkResultFactory,
    EvidenceFactory,
    GlossaryTermFactory,
    GPUFactory,
    GPUOptionFactory,
    GuideFactory,
    ServerFactory,
    SourceFactory,
    VariantFactory,
    WorkloadProfileFactory,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def server():
    """A draft: its form takes figures without asking for their source."""
    server = ServerFactory(rack_units=2, pcie_slots=8, is_published=False)
    EvidenceFactory(server=server, field="rack_units", stated="2")
    return server


def view(row, name, *arguments):
    return reverse(f"admin:catalog_{row._meta.model_name}_{name}", args=[row.pk, *arguments])


def prefix_of(data, relation, row):
    """Return the beginning of the names of one row's fields in a form."""
    return next(
        key.removesuffix("-id")
        for key, value in data.items()
        if key.startswith(relation) and key.endswith("-id") and value == row.pk
    )


def values(row, *names):
    row.refresh_from_db()
    return tuple(getattr(row, name) for name in names)


def text(response):
    return response.content.decode()


# --- every table -----------------------------------------------------------------------------------


def test_every_table_of_facts_that_staff_edit_keeps_history():
    without = [
        model
        for model, page in admin.site._registry.items()
        if issubclass(model, Fact) and not isinstance(page, HistoryAdmin)
    ]
    assert without == []


# --- one entry a change ----------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["es", "ru", "en"])
def test_a_form_that_changes_one_language_is_one_entry_of_that_language(editor, server, code):
    client = editor("ana")
    before = values(server, "summary_es", "summary_ru", "summary_en")
    response = save(client, url(server), **{f"summary_{code}": "Texto", "why": "Plainer"})
    assert response.status_code == 302
    (change,) = Change.objects.all()
    assert set(change.values) == {f"summary_{code}"}
    assert (change.revision.made_by, change.revision.why) == ("ana", "Plainer")
    after = dict(
        zip(("es", "ru", "en"), values(server, "summary_es", "summary_ru", "summary_en"), strict=True)
    )
    assert after == dict(zip(("es", "ru", "en"), before, strict=True)) | {code: "Texto"}


@pytest.mark.parametrize("code", ["es", "ru", "en"])
def test_a_text_of_an_inline_is_one_entry_of_that_language(editor, code):
    profile = WorkloadProfileFactory()
    line = profile.requirements.create(aspect="gpus", text_es="a", text_ru="b", text_en="c")
    client = editor("ana")
    data = form_of(client, url(profile))
    prefix = prefix_of(data, "requirements", line)
    assert client.post(url(profile), data | {f"{prefix}-text_{code}": "new"}).status_code == 302
    (change,) = Change.objects.all()
    old = {"es": "a", "ru": "b", "en": "c"}
    assert change.values == {f"text_{code}": [old[code], "new"]}
    assert values(line, "text_es", "text_ru", "text_en") == tuple((old | {code: "new"}).values())


def test_an_untouched_form_leaves_no_entry_and_no_new_version(editor, server):
    before, saved = versions.current(), server.updated_at
    assert save(editor("ana"), url(server)).status_code == 302
    assert not Revision.objects.exists()
    assert versions.current() == before
    assert values(server, "updated_at") == (saved,)


def test_lines_that_a_browser_sends_back_are_no_change(editor):
    server = ServerFactory(cpu_generations="4th Gen\n5th Gen", summary_en="One\nTwo")
    row = EvidenceFactory(server=server, field="cpu_generations", stated="4th Gen\n5th Gen")
    client = editor("ana")
    opened = client.get(url(server)).context
    inputs = [opened["adminform"].form["cpu_generations"]]
    inputs.append(opened["inline_admin_formsets"][-1].formset.forms[0]["stated"])
    assert [type(field.field.widget).__name__ for field in inputs] == ["Textarea", "Textarea"]
    data = form_of(client, url(server))
    sent = {
        key: value.replace("\n", "\r\n") if isinstance(value, str) else value for key, value in data.items()
    }
    assert client.post(url(server), sent).status_code == 302
    assert not Revision.objects.exists()
    assert values(server, "cpu_generations", "summary_en") == ("4th Gen\n5th Gen", "One\nTwo")
    assert values(row, "stated") == ("4th Gen\n5th Gen",)


def test_a_row_and_its_inlines_are_one_entry(editor, server):
    client = editor("ana")
    data = form_of(client, url(server))
    added = {"power_supplies-TOTAL_FORMS": 1, "power_supplies-0-server": server.pk}
    added |= {"power_supplies-0-power_w": 1800, "rack_units": 3}
    assert client.post(url(server), data | added).status_code == 302
    assert Revision.objects.count() == 1
    assert sorted(Change.objects.values_list("action", flat=True)) == ["added", "changed"]


def test_adding_and_deleting_are_entries(editor):
    client = editor("ana")
    term = GlossaryTermFactory()
    data = form_of(client, url(term, "add")) | {"slug": "token", "subject": "model"}
    assert client.post(url(term, "add"), data).status_code == 302
    client.post(url(term, "delete"), {"post": "yes", "why": "Double"})
    assert list(Revision.objects.values_list("why", flat=True)) == ["Double", ""]
    client.post(
        url(term, "changelist"),
        {"action": "delete_selected", "_selected_action": [type(term).objects.get().pk], "post": "yes"},
    )
    assert Change.objects.filter(action="deleted").count() == 2


# --- reading ---------------------------------------------------------------------------------------


def test_the_page_shows_entries_with_words_compared_and_escaped(editor, server):
    client = editor("ana")
    save(client, url(server), summary_en="<b>For</b> training models.", why="<i>why</i>")
    page = text(client.get(view(server, "history")))
    assert "&lt;b&gt;For&lt;/b&gt; training models." in page
    assert "<del>For serving models.</del>" in page
    assert "&lt;i&gt;why&lt;/i&gt;" in page
    assert "<b>For" not in page


def test_a_variant_is_read_of_in_the_history_of_its_server(editor):
    option = GPUOptionFactory(max_count=2, variant__server__is_published=False)
    client = editor("ana")
    save(client, url(option), max_count=4)
    for row in (option, option.variant, option.variant.server):
        assert "<del>2</del> → <ins>4</ins>" in text(client.get(view(row, "history")))


def test_two_entries_are_compared(editor, server):
    client = editor("ana")
    for units in (3, 4, 5):
        save(client, url(server), rack_units=units)
    newest, _middle, oldest = Revision.objects.values_list("pk", flat=True)
    page = text(client.get(view(server, "compare"), {"a": newest, "b": oldest}))
    assert "<del>3</del> → <ins>5</ins>" in page
    assert client.get(view(server, "compare"), {"a": "x"}).status_code == 302


@pytest.mark.parametrize("name", ["history", "compare", "restore"])
def test_addresses_of_rows_that_are_not_there_lead_back(editor, server, name):
    arguments = ["0", *([0] if name == "restore" else [])]
    address = reverse(f"admin:catalog_server_{name}", args=arguments)
    assert editor("ana").get(address).status_code == 302


# --- bringing back ---------------------------------------------------------------------------------


def test_a_state_is_shown_and_restored(editor, server):
    client = editor("ana")
    save(client, url(server), rack_units=3, summary_ru="Другое")
    address = view(server, "restore", 0)
    page = client.get(address)
    assert "<del>3</del> → <ins>2</ins>" in text(page)
    assert values(server, "rack_units") == (3,)
    response = client.post(address, {"seen": page.context["seen"], "why": "Mistaken"})
    assert response.status_code == 302
    assert values(server, "rack_units", "summary_ru") == (2, "Для обслуживания моделей.")
    assert (Revision.objects.first().means, Revision.objects.first().why) == ("restore", "Mistaken")


def test_a_state_is_not_restored_over_what_was_not_seen(editor, server):
    client = editor("ana")
    save(client, url(server), rack_units=3)
    address = view(server, "restore", 0)
    seen = client.get(address).context["seen"]
    save(editor("boris"), url(server), rack_units=4)
    response = client.post(address, {"seen": seen})
    assert response.status_code == 200
    assert values(server, "rack_units") == (4,)


def test_restoring_keeps_to_rights(editor, server):
    save(editor("ana"), url(server), rack_units=3)
    assert editor("marta", "Marketing").get(view(server, "history")).status_code == 403
    assert editor("mila", "Marketing").get(view(server, "restore", 0)).status_code == 403
    gpu = GPUFactory()
    with history.recording(by="test"):
        EvidenceFactory(gpu=gpu, field="tdp_w")
    sales = editor("sara", "Sales")
    page = sales.get(view(gpu, "restore", 0))
    assert page.context["lacking"]  # evidence would go, and Sales delete nothing
    assert sales.post(view(gpu, "restore", 0), {"seen": page.context["seen"]}).status_code == 403
    assert gpu.evidence.count() == 1


def test_whoever_may_not_publish_restores_the_rest(editor):
    server = ServerFactory(is_published=True, rack_units=2)
    EvidenceFactory(server=server, field="rack_units")
    with history.recording(by="test"):
        server.is_published, server.rack_units = False, 3
        server.save()
    sales = editor("sara", "Sales")
    address = view(server, "restore", 0)
    sales.post(address, {"seen": sales.get(address).context["seen"]})
    assert values(server, "rack_units", "is_published") == (2, False)


def test_marketing_restore_texts_and_no_figures(editor):
    profile = WorkloadProfileFactory(summary_es="Uno", gpus_max=4)
    with history.recording(by="test"):
        profile.summary_es, profile.gpus_max = "Dos", 8
        profile.save()
    client = editor("marta", "Marketing")
    address = view(profile, "restore", 0)
    client.post(address, {"seen": client.get(address).context["seen"]})
    assert values(profile, "summary_es", "gpus_max") == ("Uno", 8)


def test_a_deleted_row_is_listed_and_recovered(editor):
    option = GPUOptionFactory()
    server = option.variant.server
    EvidenceFactory(server=server, field="rack_units", stated="2")
    client = editor("ana")
    client.post(url(server, "delete"), {"post": "yes", "why": "Wrong one"})
    page = text(client.get(reverse("admin:catalog_server_recoverlist")))
    assert server.name in page
    assert "Wrong one" in page
    change = Change.objects.get(path=f"catalog.server:{server.pk}/")
    address = reverse("admin:catalog_server_recover", args=[change.pk])
    assert "GPU" in text(client.get(address))
    assert client.post(address, {"why": "It was right"}).status_code == 302
    assert GPUOption.objects.get(pk=option.pk).variant.server.pk == server.pk
    assert client.get(address).status_code == 404  # it is there
    assert Server.objects.get().is_published


def test_what_lacks_something_is_recovered_as_a_draft_and_says_what(editor):
    server = GPUOptionFactory().variant.server  # without a source
    client = editor("ana")
    client.cookies["django_language"] = "en"
    client.post(url(server, "delete"), {"post": "yes"})
    change = Change.objects.get(path=f"catalog.server:{server.pk}/")
    address = reverse("admin:catalog_server_recover", args=[change.pk])
    response = client.post(address, {"why": "It was right"}, follow=True)
    said = [str(message) for message in response.context["messages"]]
    assert any("came back as a draft" in text and "at least one source" in text for text in said)
    assert not Server.objects.get().is_published


def test_recovering_needs_the_right_to_add(editor, server):
    number = server.pk
    with history.recording(by="test"):
        server.delete()
    sales = editor("sara", "Sales")
    assert sales.get(reverse("admin:catalog_server_recoverlist")).status_code == 403
    change = Change.objects.get(path=f"catalog.server:{number}/")
    address = reverse("admin:catalog_server_recover", args=[change.pk])
    assert sales.post(address).status_code == 403
    assert not Server.objects.exists()


def test_whoever_may_not_publish_recovers_a_draft(editor):
    server = ServerFactory(is_published=True, cooling=[])
    number = server.pk
    with history.recording(by="test"):
        server.delete()
    client = editor("sara", "Sales")
    sara = User.objects.get(username="sara")
    sara.user_permissions.add(Permission.objects.get(codename="add_server"))
    client.post(reverse("admin:catalog_server_recover", args=[Change.objects.get().pk]))
    assert Server.objects.values_list("pk", "is_published").get() == (number, False)


def test_what_a_rule_forbids_is_said(editor):
    old = ServerFactory(slug="same")
    with history.recording(by="test"):
        Server.objects.get(pk=old.pk).delete()
    ServerFactory(slug="same")
    change = Change.objects.filter(action="deleted", path=f"catalog.server:{old.pk}/").get()
    address = reverse("admin:catalog_server_recover", args=[change.pk])
    response = editor("ana").post(address, follow=True)
    (said,) = (str(message) for message in response.context["messages"])
    assert f"«{old.name}»" in said
    assert str(Server._meta.get_field("slug").verbose_name) in said
    assert Server.objects.count() == 1


# --- many rows ---------------------------------------------------------------------------------------

MOST_QUERIES = 150  # of a change of one text; half of them ask the rules of the row itself


def with_evidence(count):
    server = ServerFactory(is_published=False)
    EvidenceFactory.create_batch(count, server=server, field="rack_units", stated="2", source=SourceFactory())
    return server


def test_a_save_asks_the_database_no_more_where_many_rows_hang_on_it(editor):
    client, counts = editor("ana"), []
    for count in (3, 40):
        server = with_evidence(count)
        before = int(versions.current())
        data = form_of(client, url(server)) | {"cpu_note_ru": "Новое"}
        with CaptureQueriesContext(connection) as queries:
            client.post(url(server), data)
        counts.append(len(queries))
        assert values(server, "cpu_note_ru") == ("Новое",)
        assert Change.objects.get(path=f"catalog.server:{server.pk}/").values == {
            "cpu_note_ru": ["", "Новое"]
        }
        assert int(versions.current()) == before + 1
    assert counts[0] == counts[1] <= MOST_QUERIES


def test_a_form_with_a_hundred_rows_of_evidence_is_saved(editor):
    server = with_evidence(100)
    save(editor("ana"), url(server), cpu_note_ru="Новое")
    assert values(server, "cpu_note_ru") == ("Новое",)


def test_a_row_left_alone_is_still_held_against_the_row_that_it_is_part_of(editor):
    model = AIModelFactory(parameters=10_000_000_000, is_published=False)
    weights = MeasuredWeights.objects.create(ai_model=model, precision="bf16", gib=19, of_files=True)
    client = editor("ana")
    response = save(client, url(model), parameters=2_000_000_000)
    assert response.status_code == 200
    assert "GiB" in text(response)
    assert values(model, "parameters") == (10_000_000_000,)
    data = form_of(client, url(model))
    smaller = {f"{prefix_of(data, 'measured_weights', weights)}-gib": 3.8, "parameters": 2_000_000_000}
    assert client.post(url(model), data | smaller).status_code == 302


def test_bringing_back_a_server_writes_each_page_of_the_search_once(editor):
    counts, tokens = [], []
    for count in (1, 9):
        variant = VariantFactory(server__name=f"Walnut {count}")
        EvidenceFactory(server=variant.server, field="rack_units", stated="2")
        for _number in range(count):
            GPUOptionFactory(variant=variant, gpu__is_published=True)
        tokens.append(set(SearchToken.objects.values_list("kind", "object_id", "token", "weight", "word")))
        with history.recording(by="test"):
            variant.server.delete()
        change = Change.objects.filter(content_type__model="server").latest("pk")
        before = int(versions.current())
        with CaptureQueriesContext(connection) as queries:
            history.undelete(change)
        assert int(versions.current()) == before + 1
        found = set(SearchToken.objects.values_list("kind", "object_id", "token", "weight", "word"))
        assert found == tokens[-1]
        counts.append(len(queries))
    assert (counts[1] - counts[0]) / 8 <= 15  # a row that comes back: read, checked, written, noted


# --- deleting --------------------------------------------------------------------------------------


def test_the_confirmation_says_what_hangs_on_a_row(editor):
    option = GPUOptionFactory()
    server = option.variant.server
    EvidenceFactory(server=server, field="rack_units", source=SourceFactory(title="Data sheet"))
    BenchmarkResultFactory(gpu=option.gpu, server=server)
    BenchmarkResultFactory(gpu=option.gpu, server=server)
    page = editor("ana").get(url(server, "delete"), headers={"accept-language": "en"})
    found = text(page)
    assert "Data sheet" in found
    assert f"{option.gpu}" in found
    readers, pages, stay, links, *_gone = page.context["deleted_objects"]
    assert (str(readers), pages) == ("Readers will no longer find:", [server.name])
    assert str(stay) == "These stay, and lose their link:"
    assert links == ["Benchmark results: 2"]
    assert BenchmarkResult.objects.count() == 2


@pytest.mark.parametrize("language", ["es", "ru", "en"])
def test_rows_that_only_link_are_said_as_lost_links_and_not_by_themselves(editor, language):
    server, other = ServerFactory.create_batch(2)
    EvidenceFactory(server=server, field="kind")
    guide = GuideFactory()
    guide.servers.set([server, other])
    client = editor("ana")
    page = client.get(url(server, "delete"), headers={"accept-language": language})
    with translation.override(language):
        named = capfirst(Guide._meta.verbose_name_plural)
    assert f"{named}: 1" in str(page.context["deleted_objects"])
    assert "guide-server" not in text(page)
    assert "Guide_servers" not in text(page)


def test_what_is_recovered_is_linked_again_beside_what_was_linked_since(editor):
    server, other, later = ServerFactory.create_batch(3)
    EvidenceFactory(server=server, field="kind")
    guide, alone = GuideFactory(), GuideFactory()
    guide.servers.set([server, other])
    alone.servers.set([server])
    number = server.pk
    client = editor("ana")
    client.post(url(server, "delete"), {"post": "yes"})
    guide.servers.set([later])
    change = Change.objects.get(action="deleted", path__endswith=f"server:{number}/")
    client.post(reverse("admin:catalog_server_recover", args=[change.pk]))
    assert set(guide.servers.values_list("pk", flat=True)) == {number, later.pk}
    assert set(alone.servers.values_list("pk", flat=True)) == {number}


def test_what_is_in_use_is_not_deleted_and_its_users_are_named(editor):
    option = GPUOptionFactory()
    client = editor("ana")
    page = client.get(url(option.gpu, "delete"))
    assert str(option) in text(page)
    assert page.context["protected"]
    client.post(url(option.gpu, "delete"), {"post": "yes"})
    assert GPUOption.objects.exists()


# --- two editors -----------------------------------------------------------------------------------


def test_the_second_is_told_and_nothing_is_overwritten_unseen(editor, server):
    ana, boris = editor("ana"), editor("boris")
    opened = form_of(boris, url(server))
    save(ana, url(server), rack_units=3, pcie_slots=9)
    response = boris.post(url(server), opened | {"rack_units": 4, "summary_en": "Mine"})
    assert response.status_code == 200
    assert values(server, "rack_units", "pcie_slots", "summary_en") == (3, 9, "For serving models.")
    told = {
        row["cell"].column: (row["cell"].before, row["cell"].after, row["yours"], row["revision"].made_by)
        for row in response.context["meanwhile"]
    }
    assert told == {"rack_units": ("2", "3", "4", "ana"), "pcie_slots": ("8", "9", "8", "ana")}
    form = response.context["adminform"].form
    # Kept as typed, and taken over where nothing was typed.
    assert [str(form[name].value()) for name in ("rack_units", "pcie_slots", "summary_en")] == [
        "4",
        "9",
        "Mine",
    ]


def test_saving_again_is_a_knowing_decision(editor, server):
    ana, boris = editor("ana"), editor("boris")
    opened = form_of(boris, url(server))
    save(ana, url(server), rack_units=3, pcie_slots=9)
    response = boris.post(url(server), opened | {"rack_units": 4})
    form = response.context["adminform"].form
    again = opened | {name: form[name].value() for name in ("rack_units", "pcie_slots", "seen")}
    assert boris.post(url(server), again).status_code == 302
    assert values(server, "rack_units", "pcie_slots") == (4, 9)


@pytest.mark.parametrize("seen", ["", "x", "99999", "-1-0"])
def test_a_form_that_does_not_say_what_it_was_opened_on_is_refused(editor, server, seen):
    client = editor("ana")
    response = client.post(url(server), form_of(client, url(server)) | {"rack_units": 4, "seen": seen})
    assert response.status_code == 200
    assert values(server, "rack_units") == (2,)


def test_a_change_past_the_history_is_noticed_too(editor, server):
    client = editor("ana")
    opened = form_of(client, url(server))
    Server.objects.get(pk=server.pk).save()
    assert client.post(url(server), opened | {"rack_units": 4}).status_code == 200
    assert values(server, "rack_units") == (2,)


def test_a_changed_inline_is_told_and_kept(editor, server):
    ana, boris = editor("ana"), editor("boris")
    row = server.evidence.get()
    opened = form_of(boris, url(server))
    prefix = prefix_of(opened, "evidence", row)
    save(ana, url(server), **{f"{prefix}-stated": "3", f"{prefix}-kept": ""})
    response = boris.post(url(server), opened | {f"{prefix}-note": "Seen"})
    assert response.status_code == 200
    assert {entry["cell"].column for entry in response.context["meanwhile"]} == {"stated", "kept"}
    inline = response.context["inline_admin_formsets"][-1].formset.forms[0]
    assert (inline["stated"].value(), inline["kept"].value(), inline["note"].value()) == ("3", False, "Seen")
    assert values(row, "stated", "kept", "note") == ("3", False, "")


def test_a_deleted_inline_stays_deleted_and_the_rest_can_be_saved(editor, server):
    ana, boris = editor("ana"), editor("boris")
    first, second = server.evidence.get(), EvidenceFactory(server=server, field="rack_units", stated="3")
    opened = form_of(boris, url(server))
    save(ana, url(server), **{f"{prefix_of(opened, 'evidence', first)}-DELETE": "on"})
    mine = {f"{prefix_of(opened, 'evidence', second)}-note": "Seen"}
    response = boris.post(url(server), opened | mine)
    assert response.status_code == 200
    formset = response.context["inline_admin_formsets"][-1].formset
    assert [form.instance.pk for form in formset.forms] == [second.pk]
    data = opened.copy()
    for key in [key for key in data if key.startswith("evidence-")]:
        del data[key]
    for form in [formset.management_form, *formset.forms]:
        data |= {bound.html_name: bound.value() for bound in form if bound.value() not in (None, False)}
    data["seen"] = response.context["adminform"].form["seen"].value()
    assert boris.post(url(server), data).status_code == 302
    assert list(Evidence.objects.values_list("pk", "note")) == [(second.pk, "Seen")]


def test_what_changed_on_another_page_stands_in_nobodys_way(editor):
    option = GPUOptionFactory(max_count=2, variant__server__is_published=False)
    server = option.variant.server
    EvidenceFactory(server=server, field="rack_units")
    ana, boris = editor("ana"), editor("boris")
    opened = form_of(boris, url(server))
    save(ana, url(option), max_count=4)
    assert boris.post(url(server), opened | {"rack_units": 3}).status_code == 302


def test_a_variant_renamed_on_its_own_page_is_told_on_the_page_of_its_server(editor):
    variant = VariantFactory(name="Base")
    EvidenceFactory(server=variant.server, field="rack_units")
    ana, boris = editor("ana"), editor("boris")
    opened = form_of(boris, url(variant.server))
    save(ana, url(variant), name="Renamed")
    assert boris.post(url(variant.server), opened).status_code == 200
    assert Variant.objects.get().name == "Renamed"


# --- lists that are edited in place ----------------------------------------------------------------


@pytest.fixture
def edited_list(monkeypatch):
    """The glossary as a list whose names and subjects are edited in place."""
    page = admin.site._registry[type(GlossaryTermFactory())]
    type(GlossaryTermFactory()).objects.all().delete()
    assert type(page) is GlossaryTermAdmin
    names = ["name_es", "name_ru", "name_en"]
    monkeypatch.setattr(page, "list_display", ["slug", *names, "subject"])
    monkeypatch.setattr(page, "list_editable", [*names, "subject"])
    return reverse("admin:catalog_glossaryterm_changelist")


def list_of(client, address):
    """Return what a browser would send back from a list that nobody touched."""
    context = client.get(address).context
    formset = context["cl"].formset
    data = {"_save": "Save", "seen": context["seen"]}
    for form in [formset.management_form, *formset.forms]:
        data |= {bound.html_name: bound.value() for bound in form if bound.value() is not None}
    return data


@pytest.mark.parametrize("code", ["es", "ru", "en"])
def test_a_list_changes_one_language_and_no_other(editor, edited_list, code):
    term = GlossaryTermFactory(name_es="a", name_ru="b", name_en="c")
    client = editor("ana")
    assert (
        client.post(edited_list, list_of(client, edited_list) | {f"form-0-name_{code}": "new"}).status_code
        == 302
    )
    old = {"es": "a", "ru": "b", "en": "c"}
    assert values(term, "name_es", "name_ru", "name_en") == tuple((old | {code: "new"}).values())
    (change,) = Change.objects.all()
    assert (change.revision.means, change.values) == ("list", {f"name_{code}": [old[code], "new"]})


def test_the_second_at_a_list_keeps_what_they_did_not_touch(editor, edited_list):
    term = GlossaryTermFactory(name_es="a", name_en="c")
    ana, boris = editor("ana"), editor("boris")
    opened = list_of(boris, edited_list)
    ana.post(edited_list, list_of(ana, edited_list) | {"form-0-name_es": "Ana's"})
    assert boris.post(edited_list, opened | {"form-0-name_en": "Boris's"}).status_code == 302
    assert values(term, "name_es", "name_en") == ("Ana's", "Boris's")


def test_the_second_at_the_same_cell_of_a_list_is_told(editor, edited_list):
    term = GlossaryTermFactory(name_es="a")
    ana, boris = editor("ana"), editor("boris")
    opened = list_of(boris, edited_list)
    ana.post(edited_list, list_of(ana, edited_list) | {"form-0-name_es": "Ana's"})
    response = boris.post(edited_list, opened | {"form-0-name_es": "Boris's"})
    assert response.status_code == 200
    assert values(term, "name_es") == ("Ana's",)
    (error,) = response.context["cl"].formset.forms[0].errors["name_es"]
    assert "ana" in error
    assert "Ana's" in error
    again = opened | {"form-0-name_es": "Boris's", "seen": response.context["seen"]}
    assert boris.post(edited_list, again).status_code == 302
    assert values(term, "name_es") == ("Boris's",)


# --- nobody edits history --------------------------------------------------------------------------


def test_nobody_has_a_right_to_edit_history():
    rights = User.objects.create_superuser("boss").get_all_permissions()
    about = {
        right for right in rights if right.startswith("catalog.") and right.endswith(("_revision", "_change"))
    }
    assert about == {"catalog.view_revision", "catalog.view_change"}
