"""A file against the catalog: what it changes, what it refuses, and that an untouched one changes nothing."""

import datetime
import re
from io import BytesIO

import pytest
from django.apps import apps
from django.core.management.color import no_style
from django.db import connection
from django.utils import translation
from django.utils.text import capfirst
from openpyxl import load_workbook

from catalog import history, versions
from catalog.models import (
    GPU,
    AIModel,
    BenchmarkResult,
    CacheGroup,
    Evidence,
    GlossaryTerm,
    GPUOption,
    MeasuredWeights,
    ModelPart,
    PowerSupply,
    Revision,
    SearchToken,
    Server,
    Source,
    Variant,
)
from catalog.models.base import Fact
from catalog.sheets import resources, scope, writing
from catalog.sheets.errors import SheetError
from tests.catalog.sheets.files import changes, csv, dry_run, faults, run, saved, states, workbook
from tests.factories import (
    AIModelFactory,
    BenchmarkResultFactory,
    EvidenceFactory,
    GlossaryTermFactory,
    GPUFactory,
    GPUOptionFactory,
    ManufacturerFactory,
    ServerFactory,
    SlotAlternativeFactory,
    SourceFactory,
    VariantFactory,
    WorkloadProfileFactory,
)

pytestmark = pytest.mark.django_db
CHECKED = datetime.date(2026, 8, 31)


@pytest.fixture
def small_catalog(db):
    """One row of every table, with texts that look like formulas, odd figures and two options of one GPU."""
    source = SourceFactory(slug="guide", title="=guide", published_on="2026-08", description_ru="+описание")
    server = ServerFactory(
        slug="alpha",
        name="Alpha",
        depth_mm=1.234,
        short_depth=False,
        temperature_min_c=-5,
        generation="3.0",
        cpu_generations="4th Gen\n5th Gen",
        summary_es="=1+1",
        summary_ru="Две строки\nс «ёлочками»",
        summary_en="'=quoted",
    )
    ServerFactory(
        slug="beta",
        name="Beta",
        successor=server,
        kind="tray",
        is_published=False,
    )
    server.power_supplies.create(power_w=2000)
    variant = VariantFactory(server=server)
    SlotAlternativeFactory(variant=variant, card_max_w=350)
    gpu = GPUFactory(slug="card", compute_capability="9.0", bf16_tflops=0.1 + 0.2)
    option = GPUOptionFactory(variant=variant, gpu=gpu, max_count=2, card_power_cap_w=600)
    GPUOptionFactory(variant=variant, gpu=gpu, max_count=4, card_power_cap_w=450, blocks_bays=True)
    ai_model = AIModelFactory(slug="model", parameters=1_026_408_232_448)
    ai_model.parts.create(name="vision", parameters=650_000_000)
    ai_model.measured_weights.create(precision="bf16", gib=1912.5, source=source)
    profile = WorkloadProfileFactory(
        slug="chat", stage="inference", summary_en="-5 % less", summary_es="-5 %", summary_ru="-5 %"
    )
    profile.requirements.create(aspect="gpus", text_es="uno", text_ru="один", text_en="one")
    profile.assumptions.create(key="concurrency", value="8..32", why_en="@home", source=source)
    GlossaryTermFactory(slug="ttft", also_es="uno\ndos")
    for subject in ({"server": server}, {"variant": variant}, {"option": option}):
        EvidenceFactory(**subject, source=source, field="lifecycle", stated="-1", checked_on=CHECKED)
    EvidenceFactory(gpu=gpu, source=source, field="memory_gb", stated="48")
    EvidenceFactory(ai_model=ai_model, source=source, field="parameters", note="=note")
    EvidenceFactory(server=server, source=source, field="rack_units", stated="2", kept=False, weak=True)
    BenchmarkResultFactory(gpu=gpu, server=server, ai_model=ai_model, value=1234.567, note="=1")
    return server


def everything():
    """Return all rows of the catalog, to the last column."""
    return {
        model.__name__: list(model._base_manager.order_by("pk").values())
        for model in apps.get_app_config("catalog").get_models()
    }


def export():
    return writing.workbook(scope.whole_catalog(lambda table: True))


def exported_csv(model, language):
    with translation.override(language):
        return writing.separated(model._base_manager.order_by("pk"))


# --- there and back --------------------------------------------------------------------------------


def test_every_table_of_facts_travels_with_every_column():
    tables = {model for model in apps.get_app_config("catalog").get_models() if issubclass(model, Fact)}
    assert set(resources.RESOURCES) == tables
    columns = [column.column_name for column in resources.RESOURCES[Server]().columns]
    assert {"summary_es", "summary_ru", "summary_en", "depth_mm", "successor"} <= set(columns)
    assert not {"summary", "updated_at", "sort_key", "id"} & set(columns)


@pytest.mark.parametrize("language", ["es", "ru", "en"])
def test_an_untouched_workbook_changes_nothing(small_catalog, language):
    before = everything()
    with translation.override(language):
        content = export()
        outcome = run(content, language=language)
    assert outcome.changes_nothing, changes(outcome)
    assert {sheet.resource.model for sheet in outcome.sheets} == set(resources.RESOURCES)
    assert all(sheet.lines and not sheet.vanished for sheet in outcome.sheets), "a table is empty"
    assert everything() == before


@pytest.mark.parametrize(("language", "reader"), [("es", "en"), ("ru", "es"), ("en", "ru")])
def test_an_untouched_csv_changes_nothing_whoever_reads_it(small_catalog, language, reader):
    for model in resources.RESOURCES:
        content = exported_csv(model, language)
        for habit in {language, reader}:
            outcome = dry_run(content, language=habit, model=model)
            assert outcome.changes_nothing, (model, faults(outcome), changes(outcome))
            assert outcome.sheets[0].lines, model


def test_a_csv_that_excel_saved_again_in_a_windows_alphabet(small_catalog):
    run(csv(["slug", "name_ru"], ["ttft", "Время до первого токена"], encoding="cp1251"), model=GlossaryTerm)
    run(csv(["slug", "name_es"], ["ttft", "Métrica en español"], encoding="cp1252"), model=GlossaryTerm)
    term = GlossaryTerm.objects.get(slug="ttft")
    assert (term.name_ru, term.name_es) == ("Время до первого токена", "Métrica en español")


def test_the_real_catalog_comes_back_as_it_left(catalog):
    before = versions.current()
    outcome = dry_run(export())
    assert outcome.changes_nothing
    assert not any(sheet.vanished for sheet in outcome.sheets)
    assert sum(len(sheet.lines) for sheet in outcome.sheets) > 10_000
    assert versions.current() == before


def flush():
    """Empty the tables of the catalog."""
    tables = [
        model._meta.db_table for model in apps.get_app_config("catalog").get_models(include_auto_created=True)
    ]
    connection.check_constraints()  # those that wait would stand in the way
    connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), tables, allow_cascade=True))
    versions.bump()


def values_of_all():
    """Return what every table says, without the numbers of rows."""
    with translation.override("en"):
        book = load_workbook(BytesIO(export()))
    return {
        sheet.title: sorted(
            str([re.sub(r"#\d+", "#", str(cell)) for cell in row[1 if sheet["A1"].value == "id" else 0 :]])
            for row in sheet.iter_rows(values_only=True)
        )
        for sheet in book
    }


def test_a_whole_workbook_fills_an_empty_catalog(small_catalog):
    """Its numbers are those of where it comes from; two options of one GPU are told apart by them."""
    option = GPUOption.objects.get(max_count=4)
    EvidenceFactory(option=option, field="max_count", stated="4", checked_on=CHECKED)
    content, before = export(), values_of_all()
    flush()
    run(content)
    assert values_of_all() == before
    assert GPUOption.objects.get(evidence__stated="4").max_count == 4
    assert dry_run(export()).changes_nothing


def test_gpus_and_servers_that_ship_fill_an_empty_catalog(catalog):
    servers = Server.objects.filter(slug__in=["thinksystem-st650-v3", "thinkedge-se100"])
    no_machines = (AIModel, CacheGroup, ModelPart, MeasuredWeights, BenchmarkResult)
    tables = scope.whole_catalog(lambda table: table not in no_machines)
    sources = tables[Source]
    tables |= scope.export_tables(servers, lambda table: True)
    tables[Source] = sources
    tables[Evidence] |= Evidence.objects.filter(gpu__isnull=False).order_by("pk")
    count = sum(rows.count() for rows in tables.values())
    content = writing.workbook(tables)
    flush()
    outcome = dry_run(content)
    assert not faults(outcome)
    assert outcome.count("new") == count > 1000


# --- what a dry run says ---------------------------------------------------------------------------


def test_each_row_is_new_unchanged_changed_or_wrong(small_catalog):
    content = workbook(
        servers=[
            ["slug", "name", "manufacturer", "kind", "rack_units", "depth_mm"],
            ["alpha", "Alpha", "lenovo", "rack", 2.0, "1,2340"],
            ["beta", "Beta", "lenovo", "tray", "3", None],
            ["gamma", "Gamma", "lenovo", "rack", 1, 700],
            ["delta", "Delta", "nobody", "rack", "two", 0],
        ]
    )
    outcome = dry_run(content)
    assert states(outcome) == {"servers": ["same", "changed", "new", "wrong"]}
    assert changes(outcome) == [("E3", "rack_units", "2", "3")]
    assert [cell for cell, _text in faults(outcome)] == ["C5", "E5"]
    assert outcome.sheets[0].same_rows == "2"
    assert not Server.objects.filter(slug="gamma").exists()


def doubts(content):
    with translation.override("en"):
        return {
            (change.column.column_name, line.label): change.doubt
            for sheet in dry_run(content).sheets
            for line in sheet.lines
            for change in line.changes
            if change.doubt
        }


def test_a_new_figure_that_readers_would_see_without_a_source_is_told(small_catalog):
    gpu = GPU.objects.get(slug="card")
    figures = [["slug", "memory_gb", "length_mm"], ["card", 48, 267], ["draft", 80, 300]]
    GPUFactory(slug="draft", is_published=False)
    gpu.memory_gb = 47
    gpu.save()
    subjects = ["gpu", "server", "variant", "option", "ai_model"]
    evidence = [*subjects, "source", "field", "stated", "state", "kept"]
    # What the catalog's evidence states (48) and what is a draft is in no doubt.
    assert doubts(workbook(gpus=figures)) == {
        ("length_mm", gpu.slug): "No source that is kept states this value."
    }
    stated = ["card", *[None] * 4, "guide", "length_mm", "267", "maker", "yes"]
    assert doubts(workbook(gpus=figures, evidence=[evidence, stated])) == {}
    aside = [*stated[:-1], "no"]
    assert doubts(workbook(gpus=figures, evidence=[evidence, aside])).keys() == {("length_mm", gpu.slug)}
    figures[1] = ["card", 46, None]
    assert doubts(workbook(gpus=figures)) == {
        ("memory_gb", gpu.slug): "The sources that are kept state something else: 48."
    }


def test_a_part_of_a_published_server_needs_a_source_as_its_server_does(small_catalog):
    option = GPUOption.objects.get(max_count=2)
    content = workbook(gpu_options=[["id", "max_count"], [option.pk, 3]])
    assert [name for name, _label in doubts(content)] == ["max_count"]
    small_catalog.is_published = False
    small_catalog.save()
    assert doubts(content) == {}


def test_old_and_new_values_are_written_in_the_editors_way(small_catalog):
    content = workbook(
        servers=[["slug", "depth_mm", "short_depth", "successor"], ["alpha", 700.25, True, "beta"]]
    )
    assert changes(dry_run(content, language="es")) == [
        ("B2", "depth_mm", "1,234", "700,25"),
        ("C2", "short_depth", "no", "sí"),
        ("D2", "successor", "", "beta"),
    ]
    assert changes(dry_run(content, language="en"))[0] == ("B2", "depth_mm", "1.234", "700.25")


@pytest.mark.parametrize(
    ("language", "words"),
    [("es", "número entero|whole number"), ("ru", "целое число|whole number"), ("en", "whole number")],
)
def test_faults_are_told_in_the_editors_language(small_catalog, language, words):
    with translation.override(language):
        (fault,) = faults(dry_run(workbook(servers=[["slug", "rack_units"], ["alpha", 1.5]])))
    assert fault[0] == "B2"
    assert re.search(words, fault[1])


def test_rules_of_the_table_hold_with_their_cell(small_catalog):
    content = workbook(servers=[["slug", "depth_mm", "website"], ["alpha", 0, None]])
    with pytest.raises(SheetError, match="website"):
        dry_run(content)
    content = workbook(
        servers=[
            ["slug", "rack_units", "depth_mm", "generation"],
            ["alpha", -1, 0, "x" * 21],
            ["beta", 1, 0, ""],
        ]
    )
    wrong = faults(dry_run(content))
    assert [cell for cell, _text in wrong] == ["B2", "D2", "C3"]
    assert capfirst(str(Server._meta.get_field("depth_mm").verbose_name)) in wrong[2][1]


def test_numbers_that_could_be_thousands_are_asked_about(small_catalog):
    content = csv(["slug", "depth_mm"], ["alpha", "1.500"])
    ((cell, text),) = faults(dry_run(content, model=Server))
    assert cell == "B2"
    assert "1500" in text
    assert "1,5" in text
    outcome = dry_run(content, model=Server, read_ambiguous=True)
    assert changes(outcome) == [("B2", "depth_mm", "1,234", "1500")]


def test_a_column_that_is_absent_leaves_its_field_alone(small_catalog):
    run(workbook(servers=[["slug", "rack_units"], ["alpha", 4]]))
    server = Server.objects.get(slug="alpha")
    assert (server.rack_units, server.depth_mm, server.summary_es) == (4, 1.234, "=1+1")


def test_an_empty_cell_means_that_nothing_is_known(small_catalog):
    run(workbook(servers=[["slug", "depth_mm", "generation", "summary_ru", "short_depth"], ["alpha"]]))
    server = Server.objects.get(slug="alpha")
    assert (server.depth_mm, server.generation, server.short_depth) == (None, None, None)
    assert server.summary_ru == ""


def test_what_must_be_known_cannot_be_emptied(small_catalog):
    content = workbook(servers=[["slug", "name", "for_inference"], ["alpha", "", None]])
    assert [cell for cell, _text in faults(dry_run(content))] == ["B2", "C2"]


@pytest.mark.parametrize("code", ["es", "ru", "en"])
def test_a_text_in_one_language_changes_no_other(small_catalog, code):
    before = {other: getattr(small_catalog, f"summary_{other}") for other in ("es", "ru", "en")}
    with translation.override("ru"):
        run(workbook(servers=[["slug", f"summary_{code}"], ["alpha", "Новый текст"]]))
    server = Server.objects.get(slug="alpha")
    after = {other: getattr(server, f"summary_{other}") for other in ("es", "ru", "en")}
    assert after == before | {code: "Новый текст"}


def test_letters_that_an_alphabet_lost_are_not_taken_for_a_new_text(small_catalog):
    content = csv(["slug", "summary_ru"], ["alpha", '"??? ??????\n? «????????»"'], encoding="cp1252")
    assert [cell for cell, _text in faults(dry_run(content, model=Server))] == ["B2"]


def test_a_number_that_excel_shortened_is_the_same_text(small_catalog):
    assert dry_run(workbook(gpus=[["slug", "compute_capability"], ["card", 9]])).changes_nothing


def test_formulas_and_errors_in_a_cell_are_wrong(small_catalog):
    columns = ["slug", "rack_units", "generation"]
    content = workbook(servers=[columns, ["alpha", "=1+1", "=A1"], ["beta", "#REF!", "#N/A"]])
    assert [cell for cell, _text in faults(dry_run(content))] == ["B2", "C2", "B3", "C3"]


@pytest.mark.parametrize(
    "head",
    [["slug", "rack_unit"], ["slug", "summary"], ["slug", "rack_units", "rack_units"], ["rack_units"]],
    ids=str,
)
def test_columns_that_are_unknown_double_or_missing(small_catalog, head):
    with pytest.raises(SheetError):
        dry_run(workbook(servers=[head, ["1"] * len(head)]))


def test_an_unknown_sheet_is_no_silence(small_catalog):
    with pytest.raises(SheetError, match="srevers"):
        dry_run(workbook(srevers=[["slug"], ["alpha"]]))


def test_own_notes_are_left_out_and_a_stray_cell_is_not(small_catalog):
    content = workbook(servers=[["slug", "# my note", "rack_units"], ["alpha", "check!", 2]])
    assert dry_run(content).changes_nothing
    content = workbook(servers=[["slug", "rack_units"], ["alpha", 2, "stray"]])
    assert [cell for cell, _text in faults(dry_run(content))] == ["C2"]


# --- which row is meant ----------------------------------------------------------------------------


def test_a_row_that_is_there_twice_is_named(small_catalog):
    content = workbook(
        servers=[["slug", "rack_units"], ["alpha", 3], ["alpha", 4]],
        power_supplies=[["server", "power_w"], ["beta", 500], ["beta", 500.0]],
    )
    assert [cell for cell, _text in faults(dry_run(content))] == ["A3", "A3"]
    assert "2" in faults(dry_run(content))[0][1]


def test_rows_that_have_vanished_are_named_and_stay(small_catalog):
    outcome = run(workbook(servers=[["slug", "rack_units"], ["alpha", 3]]))
    assert [name for _pk, name in outcome.sheets[0].vanished] == ["Beta"]
    assert Server.objects.filter(slug="beta").exists()


def test_a_wrong_row_has_not_vanished(small_catalog):
    content = workbook(servers=[["slug", "rack_units"], ["alpha", "?"], ["beta", 3]])
    assert dry_run(content).sheets[0].vanished == []


def test_a_filtered_list_is_compared_with_what_it_shows(small_catalog):
    rows = scope.FilteredList(Server.objects.filter(kind="rack"))
    content = workbook(servers=[["slug", "rack_units"], ["beta", 3]], variants=[["server", "slug"]])
    outcome = dry_run(content, model=Server, scope=rows)
    assert [name for _pk, name in outcome.sheets[0].vanished] == ["Alpha"]
    assert outcome.sheets[1].vanished == [], "variants of servers that are not in the file"


def test_options_of_one_gpu_are_told_apart_by_their_number_or_their_conditions(small_catalog):
    first, second = GPUOption.objects.order_by("pk")
    run(workbook(gpu_options=[["id", "variant", "gpu", "max_count"], [second.pk, "alpha/base", "card", 3]]))
    second.refresh_from_db()
    assert second.max_count == 3
    head = ["variant", "gpu", *resources.CONDITIONS, "ambient_max_c", "lifecycle"]
    head = list(dict.fromkeys(head))
    same = dict(zip(head, ["alpha/base", "card"], strict=False)) | {
        "min_count": 1,
        "max_count": 2,
        "fixed": False,
        "not_in_quiet_modes": "no",
        "special_order": 0,
        "card_power_cap_w": 600,
        "lifecycle": "withdrawn",
    }
    run(workbook(gpu_options=[head, [same.get(name) for name in head]]))
    first.refresh_from_db()
    assert (first.lifecycle, GPUOption.objects.count()) == ("withdrawn", 2)


def test_a_number_of_another_row_is_refused(small_catalog):
    option = GPUOption.objects.order_by("pk").first()
    content = workbook(
        gpu_options=[
            ["id", "variant", "gpu", "max_count"],
            [option.pk, "beta/base", "card", 3],
            [option.pk + 999, "alpha/base", "card", 3],
        ]
    )
    VariantFactory(server=Server.objects.get(slug="beta"))
    assert states(dry_run(content)) == {"gpu_options": ["wrong", "wrong"]}


def test_a_name_that_several_options_share_needs_a_number(small_catalog):
    first = GPUOption.objects.order_by("pk").first()
    head = ["id", "option", "field", "source", "state", "stated"]
    head[0:0] = []
    line = [None, "alpha/base/card", "link", "guide", "maker", "pcie"]
    everything_else = ["server", "variant", "gpu", "ai_model"]
    content = workbook(evidence=[[*head, *everything_else], line])
    assert [cell for cell, _text in faults(dry_run(content))] == ["B2"]
    line[1] = f"alpha/base/card#{first.pk}"
    run(workbook(evidence=[[*head, *everything_else], line]))
    assert first.evidence.filter(field="link", stated="pcie").count() == 1


# --- all or nothing --------------------------------------------------------------------------------


def test_one_wrong_row_and_nothing_is_imported(small_catalog):
    content = workbook(
        servers=[["slug", "rack_units"], ["alpha", 9]],
        variants=[["server", "slug", "rack_units"], ["alpha", "base", 0]],
    )
    before = everything()
    outcome = dry_run(content)
    assert not dry_run(content, confirmed=outcome.digest).done
    assert everything() == before


def test_a_dry_run_leaves_no_trace(small_catalog):
    before = everything()
    outcome = dry_run(workbook(servers=[["slug", "rack_units"], ["alpha", 9]]))
    assert changes(outcome)
    assert everything() == before


def test_what_was_not_shown_is_not_imported(small_catalog):
    content = workbook(servers=[["slug", "rack_units"], ["alpha", 9]])
    shown = dry_run(content)
    server = Server.objects.get(slug="alpha")
    server.rack_units = 5
    server.save()
    late = dry_run(content, confirmed=shown.digest)
    assert not late.done
    assert changes(late) == [("B2", "rack_units", "5", "9")]
    server.refresh_from_db()
    assert server.rack_units == 5
    assert dry_run(content, confirmed=late.digest).done


def test_one_import_raises_the_version_once_and_only_if_something_changed(small_catalog):
    before = int(versions.current())
    run(workbook(servers=[["slug", "rack_units"], ["alpha", 8], ["beta", 9]]))
    assert int(versions.current()) == before + 1
    run(workbook(servers=[["slug", "rack_units"], ["alpha", 8], ["beta", 9]]))
    assert int(versions.current()) == before + 1


def test_one_import_is_one_entry_of_history_about_what_changed(small_catalog, admin_user):
    def recording():
        return history.recording(user=admin_user, why="Data sheet", means="import")

    beta = Server.objects.get(slug="beta")
    columns = ["slug", "rack_units", "summary_ru"]
    content = workbook(servers=[columns, ["alpha", 8, "Иначе"], ["beta", 2, beta.summary_ru]])
    run(content, recording=recording)
    revision = Revision.objects.get()
    assert (revision.user, revision.why, revision.means) == (admin_user, "Data sheet", "import")
    (entry,) = history.entries(small_catalog)
    (line,) = entry.lines
    assert {cell.column for cell in line.cells} == {"rack_units", "summary_ru"}
    assert history.entries(beta) == []


def test_the_search_finds_what_came_in(small_catalog):
    run(workbook(servers=[["slug", "name", "manufacturer", "kind"], ["zeta", "Zetaqx", "lenovo", "rack"]]))
    zeta = Server.objects.get(slug="zeta")
    assert not SearchToken.objects.filter(token__startswith="zetaqx").exists(), "it is not published"
    EvidenceFactory(server=zeta, field="kind")
    GPUOptionFactory(variant__server=zeta)
    zeta.rack_units = 2
    zeta.save()
    run(workbook(servers=[["slug", "is_published"], ["zeta", True]]))
    assert SearchToken.objects.filter(token__startswith="zetaqx", object_id=zeta.pk).exists()


def test_tables_of_one_file_name_each_others_new_rows(small_catalog):
    run(
        workbook(
            evidence=[
                ["server", "variant", "gpu", "option", "ai_model", "field", "source", "state", "stated"],
                ["omega", None, None, None, None, "rack_units", "sheet", "maker", 2],
            ],
            variants=[["server", "slug", "name"], ["omega", "base", "Omega"]],
            gpu_options=[
                ["variant", "gpu", "basis", *resources.CONDITIONS],
                ["omega/base", "card", "maker", *[None] * len(resources.CONDITIONS)],
            ],
            servers=[
                ["slug", "name", "manufacturer", "kind", "rack_units", "successor", "is_published"],
                ["omega", "Omega", "maker", "rack", 2, "omega-2", True],
                ["omega-2", "Omega 2", "maker", "rack", None, None, False],
            ],
            manufacturers=[["slug", "name"], ["maker", "Maker"]],
            sources=[["slug", "title"], ["sheet", "Data sheet"]],
        )
    )
    omega = Server.objects.get(slug="omega")
    assert omega.successor.slug == "omega-2"
    assert Variant.objects.get(server=omega).name == "Omega"
    assert Evidence.objects.get(server=omega).stated == "2"


def test_rows_may_swap_what_only_one_of_them_may_have(small_catalog):
    VariantFactory(server=small_catalog, slug="other", is_default=False)
    run(
        workbook(
            variants=[["server", "slug", "is_default"], ["alpha", "other", True], ["alpha", "base", False]]
        )
    )
    assert Variant.objects.get(server=small_catalog, is_default=True).slug == "other"


def test_what_hangs_on_a_wrong_new_row_says_so(small_catalog):
    content = workbook(
        servers=[["slug", "name", "manufacturer", "kind"], ["omega", "Omega", "lenovo", "boat"]],
        power_supplies=[["server", "power_w"], ["omega", 500], ["alpha", 2000]],
    )
    wrong = faults(dry_run(content))
    assert [cell for cell, _text in wrong] == ["D2", "A2"]
    (unknown,) = faults(dry_run(workbook(power_supplies=[["server", "power_w"], ["omega", 500]])))
    assert wrong[1][1] != unknown[1]


@pytest.mark.parametrize(
    ("sheet", "factory"), [("servers", ServerFactory), ("gpus", GPUFactory), ("ai_models", AIModelFactory)]
)
def test_nothing_is_published_without_a_source(db, sheet, factory):
    row = factory(slug="bare", is_published=False)
    if sheet == "servers":
        GPUOptionFactory(variant__server=row)
    content = workbook(**{sheet: [["slug", "is_published"], ["bare", True]]})
    assert [cell for cell, _text in faults(dry_run(content))] == ["A2"]
    EvidenceFactory(**{sheet[:-1]: row}, field="launch_year")
    assert states(dry_run(content)) == {sheet: ["changed"]}


def test_a_published_slug_that_is_unknown_is_a_new_row_not_a_new_name(small_catalog):
    outcome = dry_run(workbook(servers=[["slug", "rack_units"], ["alpha-2", 2]]))
    assert outcome.is_wrong
    assert [name for _pk, name in outcome.sheets[0].vanished] == ["Alpha", "Beta"]


# --- on the way out --------------------------------------------------------------------------------


def test_no_cell_of_a_workbook_is_a_formula(small_catalog):
    book = load_workbook(BytesIO(export()))
    kinds = {cell.data_type for sheet in book for line in sheet.iter_rows() for cell in line}
    assert "f" not in kinds
    assert "=1+1" not in {cell.value for line in book["servers"].iter_rows() for cell in line}


def test_cells_have_excels_own_types(small_catalog):
    book = load_workbook(BytesIO(export()))
    sheet = book["servers"]
    columns = [cell.value for cell in sheet[1]]
    line = dict(zip(columns, [cell.value for cell in sheet[2]], strict=True))
    assert (line["rack_units"], line["depth_mm"], line["short_depth"], line["generation"]) == (
        2,
        1.234,
        False,
        "3.0",
    )
    evidence = book["evidence"]
    day = [cell.value for cell in evidence[1]].index("checked_on")
    assert evidence.cell(2, day + 1).value == datetime.datetime(2026, 8, 31)


@pytest.mark.parametrize(("language", "line"), [("es", "1,2340"), ("ru", "1,2340"), ("en", "1.2340")])
def test_a_csv_writes_numbers_by_the_editors_language(small_catalog, language, line):
    content = exported_csv(Server, language)
    assert content.startswith(b"\xef\xbb\xbf")
    columns, first = content.decode("utf-8-sig").splitlines()[:2]
    separator = "," if language == "en" else ";"
    assert columns.startswith(f"slug{separator}name{separator}")
    assert line in first.replace('"', "")


def test_a_list_leaves_with_what_hangs_on_it(small_catalog):
    tables = scope.export_tables(Server.objects.filter(slug="alpha"), lambda table: True)
    assert {table.__name__: rows.count() for table, rows in tables.items()} == {
        "Source": 1,
        "Server": 1,
        "PowerSupply": 1,
        "CoolingOption": 1,
        "Variant": 1,
        "SlotAlternative": 1,
        "GPUOption": 2,
        "Evidence": 4,
    }
    content = writing.workbook(tables)
    outcome = dry_run(content, model=Server, scope=scope.FilteredList(Server.objects.filter(slug="alpha")))
    assert outcome.changes_nothing
    assert not any(sheet.vanished for sheet in outcome.sheets)


def test_queries_do_not_grow_with_the_rows(small_catalog, django_assert_max_num_queries):
    for number in range(20):
        GPUOptionFactory(variant=VariantFactory(server__slug=f"more-{number}"))
    with django_assert_max_num_queries(35):
        content = export()
    with django_assert_max_num_queries(75):
        dry_run(content)


def test_new_rows_of_every_kind_come_in(small_catalog):
    """A catalog that was emptied comes back from its workbook, once its numbers are taken out."""
    book = load_workbook(BytesIO(export()))
    counts = {model: model._base_manager.count() for model in resources.RESOURCES}
    for model in reversed(resources.RESOURCES):
        if model is Server:
            for server in Server.objects.exclude(successor=None):
                server.successor = None
                server.save()
        model._base_manager.all().delete()
    for sheet in book:
        if sheet.cell(1, 1).value == "id":
            sheet.delete_cols(1)
    options = book["evidence"]
    column = [cell.value for cell in options[1]].index("option") + 1
    for (cell,) in options.iter_rows(min_row=2, min_col=column, max_col=column):
        if cell.value:
            options.delete_rows(cell.row)
            break
    run(saved(book))
    counts[Evidence] -= 1
    assert {model: model._base_manager.count() for model in resources.RESOURCES} == counts
    assert Server.objects.get(slug="beta").successor.slug == "alpha"
    assert PowerSupply.objects.get().power_w == 2000
    assert {GPU.objects.get().slug, AIModel.objects.get().slug, Source.objects.get().slug} == {
        "card",
        "model",
        "guide",
    }
    assert ManufacturerFactory._meta.model.objects.count() == 3
