"""What the two published guides say of servers and cards stands in the catalog: facts and traps."""

import re

import pytest
from django.conf import settings

from catalog import loading
from catalog.models import GPU, AIModel, GPUOption, Server, WorkloadProfile

pytestmark = pytest.mark.usefixtures("catalog")

FIXTURES = settings.BASE_DIR / "fixtures"
GUIDE_TRAINING = ["thinksystem-sr680a-v3", "thinksystem-sr675-v3", "thinksystem-sd665-n-v3"]
GUIDE_INFERENCE = [
    "thinksystem-sr650-v3",
    "thinksystem-sr665-v3",
    "thinksystem-sr655-v3",
    "thinksystem-sr630-v3",
    "thinksystem-sr645-v3",
    "thinkedge-se455-v3",
]


def server(slug):
    return Server.objects.get(slug=slug)


def slots(slug, variant="base"):
    """Return {(width, count)} of one variant."""
    rows = server(slug).variants.get(slug=variant).slot_alternatives.all()
    return {(row.width, row.count) for row in rows}


def options(slug, **wanted):
    return GPUOption.objects.filter(variant__server__slug=slug, **wanted).select_related("gpu", "variant")


# --- the facts of the guides' tables ---------------------------------------------------------------


def test_sr680a_v3_is_eight_units_with_eight_modules_and_two_xeons():
    row = server("thinksystem-sr680a-v3")
    assert (row.rack_units, row.sockets_min, row.sockets_max) == (8, 2, 2)
    assert row.cpu_manufacturer.slug == "intel"
    assert "5th Gen" in row.cpu_generations
    boards = {option.gpu.slug: option for option in options(row.slug)}
    assert set(boards) == {"nvidia-h100-sxm-80gb", "nvidia-h200-sxm-141gb", "nvidia-b200-sxm-180gb"}
    assert all(o.fixed and o.min_count == o.max_count == 8 for o in boards.values())


def test_sr675_v3_takes_up_to_eight_double_wide_cards_of_600_w():
    row = server("thinksystem-sr675-v3")
    assert (row.rack_units, row.sockets_min, row.sockets_max, row.card_max_w) == (3, 1, 2, 600)
    assert row.cpu_manufacturer.slug == "amd"
    assert row.cpu_generations.splitlines() == ["4th Gen EPYC 9004 (Genoa)", "5th Gen EPYC 9005 (Turin)"]
    assert ("double", 8) in slots(row.slug, "8-dw")


def test_sd665_n_v3_is_a_tray_with_four_modules_in_an_enclosure():
    row = server("thinksystem-sd665-n-v3")
    assert (row.kind, row.rack_units, row.sockets_min, row.sockets_max) == ("tray", 1, 1, 2)
    assert (row.enclosure.rack_units, row.enclosure.trays) == (6, 6)
    assert "5th Gen EPYC" in row.cpu_generations
    option = options(row.slug, gpu__slug="nvidia-h100-sxm-80gb").get()
    assert (option.max_count, option.link) == (4, "nvlink")
    assert [c.kind for c in row.cooling_options.all()] == ["direct_water"]
    assert row.needs_water


def test_sr675_v3_is_modular():
    assert {v.slug for v in server("thinksystem-sr675-v3").variants.all()} == {"8-dw", "4-dw", "4-sxm"}


def test_three_2u_servers_take_eight_single_or_three_double():
    for slug in ("thinksystem-sr650-v3", "thinksystem-sr665-v3", "thinksystem-sr655-v3"):
        assert server(slug).rack_units == 2
        assert {("single", 8), ("double", 3)} <= slots(slug)


def test_small_servers_take_single_wide_cards():
    assert slots("thinksystem-sr630-v3") == {("single", 3)}
    assert server("thinksystem-sr630-v3").card_max_w == 75
    assert slots("thinksystem-sr645-v3") == {("single", 4)}


def test_se455_v3_is_short_and_stands_cold_and_heat():
    row = server("thinkedge-se455-v3")
    assert (row.rack_units, row.short_depth, row.for_edge) == (2, True, True)
    assert "EPYC 8004" in row.cpu_generations
    assert slots(row.slug) == {("double", 2), ("single", 6)}
    assert (row.temperature_min_c, row.temperature_max_c) == (-5, 55)


def test_2u_servers_have_room_for_storage():
    for slug in ("thinksystem-sr650-v3", "thinksystem-sr665-v3", "thinksystem-sr655-v3"):
        assert (server(slug).bays_2_5, server(slug).bays_3_5) == (40, 20)


def test_the_nine_servers_of_the_guide_stand_where_it_puts_them():
    assert all(server(slug).for_training for slug in GUIDE_TRAINING)
    assert all(server(slug).for_inference for slug in GUIDE_INFERENCE)
    assert not any(server(slug).for_training for slug in GUIDE_INFERENCE)


@pytest.mark.parametrize("slug", ["llm_pretraining", "chat"])
def test_the_guides_matrix_has_five_lines_in_three_languages(slug):
    lines = WorkloadProfile.objects.get(slug=slug).requirements.all()
    assert [line.aspect for line in lines] == ["gpus", "link", "memory", "duty", "form"]
    for line in lines:
        assert all((line.text_es, line.text_ru, line.text_en))


def test_bands_of_the_matrix_are_figures_too():
    training = WorkloadProfile.objects.get(slug="llm_pretraining")
    assert (training.gpus_min, training.gpus_max) == (4, 8)
    assert (training.rack_units_min, training.rack_units_max) == (3, 8)
    inference = WorkloadProfile.objects.get(slug="chat")
    assert (inference.gpus_min, inference.gpus_max) == (1, 4)
    assert (inference.rack_units_min, inference.rack_units_max) == (1, 2)


# --- the traps that hide in them -------------------------------------------------------------------


def test_1_the_links_rate_belongs_to_the_board():
    rates = {option.gpu.slug: option.link_gbs for option in options("thinksystem-sr680a-v3")}
    assert rates == {
        "nvidia-h100-sxm-80gb": 900,
        "nvidia-h200-sxm-141gb": 900,
        "nvidia-b200-sxm-180gb": 1800,
    }


def test_2_h100_is_several_products():
    rows = {g.slug: (g.form, g.memory_gb) for g in GPU.objects.published().filter(name__contains="H100")}
    assert rows == {
        "nvidia-h100-sxm-80gb": ("sxm", 80),
        "nvidia-h100-sxm-94gb": ("sxm", 94),
        "nvidia-h100-pcie-80gb": ("pcie", 80),
        "nvidia-h100-nvl-94gb": ("pcie", 94),
    }


def test_3_three_cards_are_not_joined_by_any_link():
    for slug in ("thinksystem-sr650-v3", "thinksystem-sr665-v3", "thinksystem-sr655-v3"):
        assert {option.link for option in options(slug, gpu__form="pcie")} == {"pcie"}
        assert not options(slug, link_max_gpus__isnull=False).exists()


def test_4_the_75_w_of_sr645_v3_have_a_source_of_their_own():
    row = server("thinksystem-sr645-v3")
    assert row.card_max_w == 75
    sources = row.evidence.filter(field="card_max_w", kept=True)
    assert {s.source.kind for s in sources} == {"maker"}
    assert row.evidence.filter(source__kind="customer_guide").exists()


def test_5_or_between_slots_has_no_order():
    assert slots("thinksystem-sr650-v3") == {("double", 3), ("single", 8)} == {("single", 8), ("double", 3)}


def test_6_every_tray_has_its_enclosure_and_nothing_else_has_one():
    trays = Server.objects.filter(kind="tray")
    assert trays.count() == 4
    for row in Server.objects.all():
        assert (row.enclosure is not None) == (row.kind == "tray")


def test_7_maxima_carry_their_conditions():
    cold = options(
        "thinksystem-sr650a-v4", max_count=4, gpu__slug="nvidia-rtx-pro-6000-blackwell-server"
    ).get()
    assert (cold.card_power_cap_w, cold.ambient_max_c, cold.min_sockets, cold.min_psu_w) == (450, 25, 2, 3200)
    assert options("thinksystem-sr630-v4").get().ambient_max_c == 30
    assert server("thinkedge-se455-v3").environment_note_en


def test_8_the_format_of_training_is_a_preference():
    """A tray of one unit is among the training servers."""
    profile = WorkloadProfile.objects.get(slug="llm_pretraining")
    assert server("thinksystem-sd665-n-v3").rack_units < profile.rack_units_min
    assert server("thinksystem-sd665-n-v3").for_training


def test_9_tables_are_made_from_data_in_every_language():
    for profile in WorkloadProfile.objects.published():
        for code in ("es", "ru", "en"):
            assert getattr(profile, f"name_{code}"), (profile.slug, code)
            assert getattr(profile, f"summary_{code}"), (profile.slug, code)


# --- cards and models ------------------------------------------------------------------------------


def test_devices_do_not_pool_memory():
    boards = {g.slug: g.devices_per_board for g in GPU.objects.exclude(devices_per_board=1)}
    assert boards == {
        "nvidia-a16": 4,
        "intel-flex-140": 2,
        "amd-mi250x": 2,
        "qualcomm-ai100-ultra": 4,
        "nvidia-gb200": 2,
        "nvidia-gb300": 2,
    }
    assert GPU.objects.get(slug="nvidia-gb200").devices_per_card == 1


def test_market_states():
    states = dict(GPU.objects.values_list("slug", "market_state"))
    assert (
        states["nvidia-h100-sxm-80gb"] == states["nvidia-a100-pcie-80gb"] == states["amd-mi210"] == "previous"
    )
    for slug in ("nvidia-b200-sxm-180gb", "nvidia-h200-nvl-141gb", "nvidia-l4", "amd-mi300x", "intel-gaudi3"):
        assert states[slug] == "current"
    assert {slug for slug, state in states.items() if state == "legacy"} == {
        "nvidia-t4",
        "nvidia-t1000",
        "nvidia-t400",
    }


def test_bridges_join_as_many_as_they_join():
    bridges = dict(GPU.objects.exclude(bridge_max_gpus=None).values_list("slug", "bridge_max_gpus"))
    assert bridges["nvidia-h100-nvl-94gb"] == bridges["nvidia-h100-pcie-80gb"] == 2
    assert bridges["nvidia-h200-nvl-141gb"] == 4


@pytest.mark.parametrize(
    ("slug", "bytes_per_token"),
    [
        ("llama-3.1-8b", 131_072),  # 2 x 32 layers x 8 heads x 128 x 2 bytes
        ("llama-3.3-70b", 327_680),  # 2 x 80 x 8 x 128 x 2
        ("deepseek-v3", 70_272),  # 61 x (512 + 64) x 2
        ("gemma-3-27b", 81_920),  # ten of 62 layers grow: 2 x 10 x 16 x 128 x 2
        ("gpt-oss-120b", 36_864),  # half of 36 layers grow: 2 x 18 x 8 x 64 x 2
        ("kimi-k2.5", 70_272),  # 61 x (512 + 64) x 2; SGLang: 160.63 GB for 2,454,421 tokens
        ("qwen2.5-math-1.5b", 28_672),  # 2 x 28 x 2 x 128 x 2
    ],
)
def test_cache_groups_give_the_logged_rates(slug, bytes_per_token):
    total = 0
    for group in AIModel.objects.get(slug=slug).cache_groups.all():
        if group.kind == "full":
            total += 2 * group.layers * group.kv_heads * group.head_dim * 2
        elif group.kind == "latent":
            total += group.layers * (group.latent_dim + group.rope_dim) * 2
    assert total == bytes_per_token


@pytest.mark.parametrize(
    ("slug", "parameters"),
    [
        # https://github.com/mosaicml/llm-foundry/blob/main/scripts/train/benchmarking/README.md
        ("mpt-1b", 1_315_950_592),
        ("mpt-70b", 64_862_437_376),
        ("phi-2", 2_779_683_840),  # safetensors header of the published checkpoint
        ("qwen-7b", 7_721_324_544),
    ],
)
def test_models_have_their_published_number_of_parameters(slug, parameters):
    assert AIModel.objects.get(slug=slug).parameters == parameters


def test_latent_caches_are_not_shared_out():
    for group in AIModel.objects.get(slug="kimi-k2-thinking").cache_groups.all():
        assert not group.tensor_sharded


def test_file_sizes_come_before_logs():
    sizes = AIModel.objects.get(slug="qwen3.8-27b").measured_weight_gib()
    assert round(sizes["fp8"], 2) == 28.75  # bytes on disk; two logs say 28.47 and 28.92
    logs = AIModel.objects.get(slug="gpt-oss-120b").measured_weight_gib()
    assert logs["fp4"] == pytest.approx((64.38 + 65.97) / 2)


def test_every_language_model_has_a_cache_or_says_that_it_is_unknown():
    for ai_model in AIModel.objects.filter(kind__in=["llm", "vlm"]):
        assert ai_model.cache_known == ai_model.cache_groups.exists(), ai_model.slug


def test_typical_models_are_in_the_catalog():
    models = set(AIModel.objects.published().values_list("slug", flat=True))
    for profile in WorkloadProfile.objects.all():
        typical = profile.assumptions.filter(key="model").first()
        assert typical is None or typical.value in models, profile.slug


# --- the files themselves --------------------------------------------------------------------------


def files():
    return sorted(FIXTURES.rglob("*.yaml"))


@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_files_are_for_people(path):
    """No anchors, and no word of where a text was found in what readers see."""
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"[:-] [&*]id\d", text)
    for prose in texts(loading.read(path, "id" if path.parent.name == "benchmarks" else "slug")):
        assert "github-index" not in prose
        assert "customer guide" not in prose.lower()
        assert "paraphrase" not in prose.lower()


def texts(value):
    """Yield every translated text in a file."""
    if isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        if set(value) == {"es", "ru", "en"}:
            yield from (text for text in value.values() if text)
        else:
            for item in value.values():
                yield from texts(item)


def test_names_need_no_translation():
    names = [*GPU.objects.values_list("name", flat=True), *AIModel.objects.values_list("name", flat=True)]
    for name in names:
        assert not re.search(
            r"\b(per|or|board|head|table|reasoning|multimodal|n/a)\b", name.partition("(")[2]
        ), name
    assert not GPU.objects.filter(compute_capability="n/a").exists()
    assert not GPU.objects.filter(fabric_name__contains=" to ").exists()
