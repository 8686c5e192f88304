"""What is recorded of a change, how it reads, and how states come back."""

import pytest
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.utils import translation

from catalog import history, versions
from catalog.history import restoring
from catalog.models import (
    GPU,
    Change,
    Evidence,
    GPUOption,
    Revision,
    SearchToken,
    Server,
    Variant,
)
from tests.factories import (
    BenchmarkResultFactory,
    EvidenceFactory,
    GlossaryTermFactory,
    GPUFactory,
    GPUOptionFactory,
    ServerFactory,
    SourceFactory,
    VariantFactory,
)

pytestmark = pytest.mark.django_db


def change(row, why="", **values):
    """Change a row inside a record of its own and return the revision."""
    with history.recording(by="test", why=why) as record:
        for name, value in values.items():
            setattr(row, name, value)
        row.save()
    return record.revision


def cells(row, entry=0):
    """Return {(kind, label): (before, after)} of one entry about a row, the newest by default."""
    lines = history.entries(row)[entry].lines
    return {(line.kind, cell.label): (cell.before, cell.after) for line in lines for cell in line.cells}


def texts(row, name="summary"):
    row.refresh_from_db()
    return [getattr(row, f"{name}_{code}") for code in ("es", "ru", "en")]


# --- recording -------------------------------------------------------------------------------------


def test_an_entry_says_who_when_why_and_from_what_to_what():
    server = ServerFactory(rack_units=2)
    ana = User.objects.create_user("ana")
    with history.recording(ana, why=" Data sheet of May ") as record:
        server.rack_units = 3
        server.save()
    entry = history.entries(server)[0]
    assert (entry.revision.user, entry.revision.made_by, entry.revision.why) == (
        ana,
        "ana",
        "Data sheet of May",
    )
    assert record.revision == entry.revision
    with translation.override("en"):
        assert cells(server) == {("server", "height, U"): ("2", "3")}
    ana.delete()
    assert history.entries(server)[0].revision.made_by == "ana"


def test_rows_that_values_point_to_are_looked_up_together(django_assert_num_queries):
    server = ServerFactory()
    with history.recording(by="test"):
        evidence = EvidenceFactory.create_batch(4, server=server)
    ContentType.objects.get_for_model(Evidence)
    with django_assert_num_queries(3):  # the changes, the server, its sources
        lines = history.entries(server)[0].lines
    said = {cell.after for line in lines for cell in line.cells}
    assert {row.source.title for row in evidence} <= said


@pytest.mark.parametrize("code", ["es", "ru", "en"])
@pytest.mark.parametrize("interface", ["es", "ru", "en"])
def test_a_text_changed_in_one_language_is_one_entry_that_names_it(code, interface):
    server = ServerFactory()
    with translation.override(interface):
        change(Server.objects.get(pk=server.pk), **{f"summary_{code}": "Новый"})
    (found,) = Change.objects.all()
    before = {"es": "Para servir modelos.", "ru": "Для обслуживания моделей.", "en": "For serving models."}
    assert found.values == {f"summary_{code}": [before[code], "Новый"]}
    with translation.override("en"):
        name = {"es": "Spanish", "ru": "Russian", "en": "English"}[code]
        assert list(cells(server)) == [("server", f"summary ({name})")]


def test_a_save_that_changes_nothing_leaves_no_entry():
    server = ServerFactory(depth_mm=1.5, summary_en="One\nTwo")
    change(server, depth_mm="1.50", summary_en="One\r\nTwo")
    assert not Revision.objects.exists()


def test_what_is_changed_and_changed_back_in_one_act_is_no_change():
    server = ServerFactory(rack_units=2)
    with history.recording(by="test"):
        server.rack_units = 4
        server.save()
        server.rack_units = 2
        server.save()
        server.power_supplies.create(power_w=1800).delete()
    assert not Change.objects.exists()


def test_one_act_is_one_entry_with_a_line_for_each_row():
    option = GPUOptionFactory(max_count=2)
    server = option.variant.server
    with history.recording(by="test") as outer:
        server.power_supplies.create(power_w=1800)
        with history.recording(by="inner") as inner:
            option.max_count = 4
            option.save()
    assert inner is outer
    assert sorted(line.action for line in history.entries(server)[0].lines) == ["added", "changed"]
    assert [len(history.entries(row)) for row in (server, option.variant, option)] == [1, 1, 1]
    assert [line.kind for line in history.entries(option)[0].lines] == [str(option._meta.verbose_name)]


def test_what_is_rolled_back_leaves_no_entry():
    server = ServerFactory(rack_units=2)
    with pytest.raises(ValueError, match="rack_units"):
        change(server, rack_units="whole")
    with transaction.atomic(), history.recording(by="dry run"):
        server.rack_units = 3
        server.save()
        transaction.set_rollback(True)
    assert not Revision.objects.exists()


def test_without_a_record_nothing_is_written():
    ServerFactory(rack_units=2).save()
    assert not Revision.objects.exists()


def test_rows_that_go_in_at_once_are_noted():
    server = ServerFactory(cooling=[])
    with history.recording(by="load_catalog"):
        rows = [server.power_supplies.model(server=server, power_w=watts) for watts in (1100, 1800)]
        history.added(server.power_supplies.model.objects.bulk_create(rows))
    assert [line.action for line in history.entries(server)[0].lines] == ["added", "added"]


def test_history_is_written_once():
    revision = change(ServerFactory(rack_units=2), rack_units=3)
    revision.why = "Other"
    with pytest.raises(TypeError):
        revision.save()


def test_values_read_as_words():
    gpu, successor = GPUFactory(name="L4"), ServerFactory(name="New")
    server = ServerFactory(lifecycle="current", short_depth=None)
    change(server, lifecycle="withdrawn", short_depth=True, successor=successor, depth_mm=1234.5)
    with translation.override("en"):
        assert cells(server) == {
            ("server", "lifecycle"): ("available", "withdrawn"),
            ("server", "short depth"): ("—", "yes"),
            ("server", "successor"): ("—", "New"),
            ("server", "depth, mm"): ("—", "1234.5"),
        }
    with translation.override("ru"):
        assert "1234,5" in {after for _before, after in cells(server).values()}
    assert gpu.pk  # unrelated rows have no entry
    assert history.entries(gpu) == []


def test_long_texts_are_compared_by_words():
    same = "One two three four five six seven eight nine ten eleven twelve "
    server = ServerFactory(summary_en=same + "cards")
    change(server, summary_en=same + "modules")
    words = history.entries(server)[0].lines[0].cells[0].words
    assert [op for op, _text in words] == ["same", "gone", "new"]
    assert [text for op, text in words if op != "same"] == ["cards", "modules"]


def test_entries_can_be_forgotten():
    server, other = ServerFactory(rack_units=2), ServerFactory(rack_units=2)
    change(server, rack_units=3)
    change(other, rack_units=3)
    history.forget(server)
    assert (history.entries(server), len(history.entries(other))) == ([], 1)
    assert Revision.objects.count() == 1


# --- comparing -------------------------------------------------------------------------------------


def test_two_states_are_compared_over_what_lies_between():
    server = ServerFactory(rack_units=2, pcie_slots=8)
    first = change(server, rack_units=3)
    change(server, rack_units=4, pcie_slots=9)
    third = change(server, rack_units=5, pcie_slots=8)
    with translation.override("en"):
        (line,) = history.between(server, first.pk, third.pk)
        assert [(cell.label, cell.before, cell.after) for cell in line.cells] == [("height, U", "3", "5")]
        (line,) = history.between(server, 0, first.pk)
        assert [(cell.before, cell.after) for cell in line.cells] == [("2", "3")]


def test_what_came_and_went_between_two_states_is_left_out():
    server = ServerFactory()
    with history.recording(by="test"):
        supply = server.power_supplies.create(power_w=1800)
    with history.recording(by="test") as record:
        supply.delete()
    assert history.between(server, 0, record.revision.pk) == []


# --- restoring -------------------------------------------------------------------------------------


def test_a_restored_state_is_a_change_like_any_other():
    server = ServerFactory(name="Alpha", rack_units=2)
    first = change(server, rack_units=3)
    change(server, name="Beta", rack_units=4)
    before = versions.current()
    history.restore(server, first.pk, why="Typing error")
    server.refresh_from_db()
    assert (server.name, server.rack_units, server.sort_key) == ("Alpha", 3, "alpha")
    assert versions.current() != before
    entry = history.entries(server)[0]
    assert (entry.revision.means, entry.revision.why) == ("restore", "Typing error")
    assert SearchToken.objects.filter(kind="server", object_id=server.pk, token="alpha").exists()
    assert not SearchToken.objects.filter(kind="server", object_id=server.pk, token="beta").exists()


@pytest.mark.parametrize("interface", ["es", "ru", "en"])
@pytest.mark.parametrize("code", ["es", "ru", "en"])
def test_restoring_one_language_changes_no_other(code, interface):
    server = ServerFactory()
    before = texts(server)
    change(server, **{f"summary_{code}": "Wrong"})
    with translation.override(interface):
        history.restore(server, 0)
        assert texts(server) == before


def test_the_state_before_the_first_entry_comes_back():
    server = ServerFactory(rack_units=2, summary_ru="")
    change(server, rack_units=3, summary_ru="Текст")
    history.restore(server, 0)
    server.refresh_from_db()
    assert (server.rack_units, server.summary_ru) == (2, "")


def test_parts_come_and_go_with_a_restored_state():
    option = GPUOptionFactory(max_count=2, note_en="With risers")
    variant, number = option.variant, option.pk
    evidence = EvidenceFactory(option=option, field="max_count", stated="2").pk
    with history.recording(by="test") as first:
        variant.slot_alternatives.create(width="double", count=3)
    with history.recording(by="test"):
        option.delete()  # takes its evidence along
        variant.slot_alternatives.get().delete()
        variant.gpu_options.create(gpu=GPUFactory(), basis="maker")
    history.restore(variant, first.revision.pk)
    assert list(variant.gpu_options.values_list("pk", "max_count", "note_en")) == [(number, 2, "With risers")]
    assert Evidence.objects.get(pk=evidence).stated == "2"
    assert variant.slot_alternatives.get().count == 3


def test_rows_that_swap_what_must_be_unique_swap_back():
    server = ServerFactory()
    one = VariantFactory(server=server, slug="one", is_default=True)
    two = VariantFactory(server=server, slug="two", is_default=False)
    with history.recording(by="test"):
        change(one, is_default=False)
        change(two, is_default=True)
    history.restore(server, 0)
    assert list(Variant.objects.filter(is_default=True)) == [one]


def test_a_state_that_breaks_a_rule_is_refused_and_nothing_changes():
    gpu = GPUFactory()
    option = GPUOptionFactory(gpu=gpu)
    other = GPUFactory()
    change(option, gpu=other, max_count=4)
    gpu.delete()
    with pytest.raises(history.CannotRestore, match="GPU"):
        history.restore(option, 0)
    option.refresh_from_db()
    assert (option.gpu, option.max_count) == (other, 4)


def test_what_went_without_an_entry_is_named():
    supply = ServerFactory().power_supplies.create(power_w=1100)
    change(supply, power_w=1800)
    server = supply.server
    supply.delete()
    plan = restoring.plan(server, 0)
    assert (plan.steps, plan.lost) == ([], ["1800 W"])


def test_a_deleted_server_comes_back_with_all_that_hung_on_it():
    option = GPUOptionFactory(max_count=2)
    server = option.variant.server
    source = SourceFactory()
    EvidenceFactory(server=server, field="rack_units", source=source)
    EvidenceFactory(option=option, field="max_count", source=source)
    old = ServerFactory(successor=server)
    later = ServerFactory(name="Later")
    measured = BenchmarkResultFactory(gpu=option.gpu, server=server)
    before = Server.objects.filter(pk=server.pk).values().get()
    with history.recording(by="test", why="Wrong button"):
        Server.objects.get(pk=server.pk).delete()
    for row in (old, measured):
        row.refresh_from_db()
    assert (old.successor, measured.server) == (None, None)
    change(old, successor=later)  # somebody has decided otherwise since
    deleted = Change.objects.get(path=f"catalog.server:{server.pk}/", action="deleted")
    assert deleted.revision.why == "Wrong button"
    history.undelete(deleted)
    after = Server.objects.filter(pk=server.pk).values().get()
    assert {**after, "updated_at": None} == {**before, "updated_at": None}
    assert GPUOption.objects.get(pk=option.pk).variant.server == server
    assert Evidence.objects.filter(source=source).count() == 2
    for row in (old, measured):
        row.refresh_from_db()
    assert (old.successor, measured.server) == (later, server)


def test_a_translated_text_of_a_deleted_row_comes_back_in_every_language():
    term = GlossaryTermFactory(name_es="Uno", name_ru="", name_en="One")
    with history.recording(by="test"), translation.override("ru"):
        term.delete()
    with translation.override("en"):
        history.undelete(Change.objects.get())
    assert list(type(term).objects.values_list("name_es", "name_ru", "name_en")) == [("Uno", "", "One")]


# --- what readers see ------------------------------------------------------------------------------


def test_a_state_is_not_restored_that_would_take_from_a_page_what_it_needs():
    gpu = GPUFactory(tdp_w=None)
    EvidenceFactory(gpu=gpu, field="memory_gb", stated="48")
    with history.recording(by="ana") as record:
        gpu.tdp_w = 350
        gpu.save()
    first = record.revision.pk - 1
    with pytest.raises(history.CannotRestore, match="TDP"):
        history.restore(gpu, first)
    gpu.refresh_from_db()
    assert gpu.tdp_w == 350
    gpu.is_published = False
    gpu.save()
    history.restore(gpu, first)
    gpu.refresh_from_db()
    assert gpu.tdp_w is None


def test_a_state_is_not_restored_that_would_publish_what_lacks_something():
    gpu = GPUFactory()
    with history.recording(by="ana") as record:
        gpu.is_published = False
        gpu.save()
    with translation.override("en"), pytest.raises(history.CannotRestore, match="at least one source"):
        history.restore(gpu, record.revision.pk - 1)
    gpu.refresh_from_db()
    assert not gpu.is_published
    EvidenceFactory(gpu=gpu, field="memory_gb", stated="48")
    history.restore(gpu, record.revision.pk - 1)
    gpu.refresh_from_db()
    assert gpu.is_published


def test_the_only_options_of_a_published_server_do_not_go_with_a_restored_state():
    server = ServerFactory()
    EvidenceFactory(server=server, field="rack_units", stated="2")
    with history.recording(by="ana") as record:
        option = GPUOptionFactory(variant__server=server)
    with translation.override("en"), pytest.raises(history.CannotRestore, match="Which GPUs it takes"):
        history.restore(server, record.revision.pk - 1)
    assert GPUOption.objects.filter(pk=option.pk).exists()


def test_an_old_gap_does_not_stand_in_the_way_of_another_state():
    gpu = GPUFactory(tdp_w=None, launch_year=2024)  # without a source as well
    with history.recording(by="ana") as record:
        gpu.launch_year = 2025
        gpu.save()
    history.restore(gpu, record.revision.pk - 1)
    gpu.refresh_from_db()
    assert (gpu.launch_year, gpu.is_published) == (2024, True)


def test_what_lacks_something_comes_back_as_a_draft():
    gpu = GPUFactory(tdp_w=None)
    with history.recording(by="ana") as record:
        gpu.delete()
    change = record.revision.changes.get()
    plan = restoring.plan_of_deleted(change)
    restoring.carry_out(plan)
    found = GPU.objects.get(slug=gpu.slug)
    assert not found.is_published
    assert "TDP" in plan.drafts[str(found)]
