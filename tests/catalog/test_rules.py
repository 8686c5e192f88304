"""The numbered rules that a recommender has to respect, as far as the catalog's facts decide them.

Rules 12, 16 and 17 (feed voltage), 14 (host memory) and 24 (memory channels) are told to readers in notes;
computing with them needs columns and questions that do not exist yet.
"""

import pytest

from catalog.models import GPU, GPUOption, Server

pytestmark = pytest.mark.usefixtures("catalog")

MODULES = ("sxm", "oam", "superchip")
MODULE_MACHINES = [
    "thinksystem-sr680a-v3",
    "thinksystem-sr680a-v4",
    "thinksystem-sr780a-v3",
    "thinksystem-sr685a-v3",
    "thinksystem-sd665-n-v3",
    "thinksystem-sd650-n-v2",
    "thinksystem-sd650-n-v3",
    "thinksystem-sc777-v4",
]
TRAYS = MODULE_MACHINES[4:]
ONE_UNIT = ["thinksystem-sr630-v3", "thinksystem-sr630-v4", "thinksystem-sr645-v3", "thinksystem-sr635-v3"]


def server(slug):
    return Server.objects.get(slug=slug)


def options(slug, **wanted):
    return GPUOption.objects.filter(variant__server__slug=slug, **wanted).select_related("gpu", "variant")


def cooling(slug):
    return {row.kind for row in server(slug).cooling_options.all()}


def slots(slug):
    rows = server(slug).variants.get(is_default=True).slot_alternatives.all()
    return {(row.width, row.count, row.card_max_w) for row in rows}


def test_1_modules_and_cards_never_share_a_variant():
    for option in GPUOption.objects.select_related("gpu", "variant__server"):
        is_module = option.gpu.form in MODULES
        assert not (option.variant.server.slug in MODULE_MACHINES and not is_module)
        forms = {o.gpu.form in MODULES for o in option.variant.gpu_options.select_related("gpu")}
        assert len(forms) == 1
    mixed = {
        row.slug
        for row in Server.objects.all()
        if len({o.gpu.form in MODULES for o in options(row.slug)}) == 2
    }
    assert mixed == {"thinksystem-sr675-v3", "thinksystem-sr670-v2"}  # one or the other, by base model


def test_2_eight_cards_in_one_node_only_in_sr675_v3_among_current_ones():
    """Cards of full size: small ones of up to 75 W also come in eights."""
    eight = GPUOption.objects.filter(gpu__form="pcie", max_count__gte=8, gpu__slots_wide=2)
    servers = {o.variant.server for o in eight.select_related("variant__server")}
    assert {s.slug for s in servers if s.can_be_ordered} == {"thinksystem-sr675-v3"}
    intel = GPUOption.objects.filter(
        variant__server__cpu_manufacturer__slug="intel",
        variant__server__lifecycle="current",
        gpu__slots_wide=2,
    )
    assert max(o.max_count or 1 for o in intel) == 4


def test_3_sr650a_v4_takes_two_at_full_power_or_four_capped():
    two, four = options("thinksystem-sr650a-v4", gpu__slug="nvidia-rtx-pro-6000-blackwell-server")
    assert (two.max_count, two.card_power_cap_w, two.ambient_max_c, two.min_sockets) == (2, None, 30, 1)
    assert (four.max_count, four.card_power_cap_w, four.ambient_max_c) == (4, 450, 25)
    assert (four.min_sockets, four.min_psu_w) == (2, 3200)
    assert options("thinksystem-sr650a-v4", gpu__slug="nvidia-h200-nvl-141gb").get().max_count == 2


def test_4_sr655_v3_gives_up_bays_for_gpus():
    assert all(option.blocks_bays for option in options("thinksystem-sr655-v3"))
    assert "300 W" in server("thinksystem-sr655-v3").cpu_note_en
    assert "same" in server("thinksystem-sr655-v3").gpu_note_en


@pytest.mark.parametrize(
    ("slug", "base"), [("thinksystem-sr655-v3", "7D9ECTO3WW"), ("thinksystem-sr665-v3", "7D9ACTOBWW")]
)
def test_5_export_controlled_cards_need_the_separate_model(slug, base):
    card = options(slug, gpu__slug="nvidia-rtx-pro-6000-blackwell-max-q").get()
    assert card.special_order
    assert card.special_base_model == base
    assert base in server(slug).availability_note_en
    assert not options(slug, gpu__slug="nvidia-l4").get().special_order
    assert "export control" in options("thinksystem-sr630-v4").get().note_en


def test_6_sr630_v4_takes_three_l4_at_30_degrees():
    option = options("thinksystem-sr630-v4").get()
    assert (option.gpu.slug, option.max_count, option.ambient_max_c) == ("nvidia-l4", 3, 30)
    assert "Neptune Core" in option.note_en


@pytest.mark.parametrize("slug", ONE_UNIT)
def test_7_one_unit_takes_single_wide_cards_of_75_w(slug):
    assert {(width, watts) for width, _count, watts in slots(slug)} == {("single", 75)}
    for option in options(slug):
        assert option.gpu.tdp_w <= 75
        assert option.gpu.slots_wide == 1


def test_8_graphics_cards_never_serve_language_models():
    rows = GPU.objects.filter(serves_language_models=False)
    assert {gpu.slug for gpu in rows} == {"nvidia-a16", "nvidia-t400", "nvidia-t1000"}


def test_9_cards_without_nvlink_have_none():
    for slug in ("nvidia-l40s", "nvidia-l4", "nvidia-rtx-pro-6000-blackwell-server"):
        gpu = GPU.objects.get(slug=slug)
        assert (gpu.nvlink_gbs_total, gpu.bridge_max_gpus) == (None, None)
        assert {o.link for o in gpu.options.all()} == {"pcie"}
    bridged = GPUOption.objects.filter(link="bridge", lifecycle="current")
    assert {o.gpu.slug for o in bridged.select_related("gpu")} == {
        "nvidia-h100-nvl-94gb",
        "nvidia-h200-nvl-141gb",
    }


def test_10_trays_and_sr780a_v3_need_water_and_others_do_not():
    needy = {row.slug for row in Server.objects.all() if row.needs_water}
    assert needy == {*TRAYS, "thinksystem-sr780a-v3"}
    for slug in ("thinksystem-sr680a-v3", "thinksystem-sr680a-v4", "thinksystem-sr675-v3"):
        assert server(slug).needs_water is False
    assert all(server(slug).enclosure for slug in TRAYS)


def test_11_only_se455_v3_is_documented_from_minus_five_to_55():
    rows = Server.objects.filter(temperature_max_c__gt=45)
    assert [row.slug for row in rows] == ["thinkedge-se455-v3"]
    assert Server.objects.filter(temperature_min_c__lt=0).get().slug == "thinkedge-se455-v3"


def test_12_16_17_voltages_are_told():
    assert "110 V" in server("thinksystem-sr645-v3").power_note_en
    assert "Titanium units are 230 V only" in server("thinksystem-sr655-v3").power_note_en
    assert "1,000 W at 115 V" in server("thinksystem-sr650-v4").power_note_en
    two, four = options("thinksystem-sr650a-v4", gpu__slug="nvidia-rtx-pro-6000-blackwell-server")
    assert (two.min_psu_w, four.min_psu_w) == (3200, 3200)
    assert "Cannot be expanded to four" in two.note_en


def test_13_what_can_no_longer_be_ordered():
    gone = {row.slug: row.lifecycle for row in Server.objects.exclude(lifecycle="current")}
    assert gone == {
        "thinksystem-sr685a-v3": "withdrawn",
        "thinksystem-st650-v3": "withdrawn",
        "thinksystem-sd650-n-v3": "withdrawn",
        "thinksystem-sr670-v2": "previous",
        "thinksystem-sd650-n-v2": "previous",
        "thinkedge-se450": "previous",
    }
    assert not options("thinksystem-sr675-v3", gpu__slug="nvidia-h200-sxm-141gb").get().can_be_ordered
    assert not options("thinksystem-sr680a-v3", gpu__slug="nvidia-h100-sxm-80gb").get().can_be_ordered
    assert options("thinksystem-sr680a-v3", gpu__slug="nvidia-h200-sxm-141gb").get().can_be_ordered


def test_13_successors_are_known():
    successors = {s.slug: s.successor.slug for s in Server.objects.exclude(successor=None)}
    assert successors == {
        "thinksystem-sr650-v3": "thinksystem-sr650-v4",
        "thinksystem-sr630-v3": "thinksystem-sr630-v4",
        "thinksystem-sr670-v2": "thinksystem-sr675-v3",
        "thinkedge-se450": "thinkedge-se455-v3",
    }


def test_15_a_missing_condition_is_not_a_promise():
    option = options("thinksystem-sr675-v3", gpu__slug="nvidia-h200-nvl-141gb").get()
    conditions = (option.ambient_max_c, option.min_psu_w, option.min_sockets, option.card_power_cap_w)
    assert conditions == (None, None, None, None)


def test_18_sr680a_v4_needs_both_processors_and_its_supplies():
    option = options("thinksystem-sr680a-v4").get()
    assert (option.min_sockets, option.min_psu_w) == (2, 3200)
    row = server("thinksystem-sr680a-v4")
    assert row.weight_max_kg == 124.7
    assert [supply.power_w for supply in row.power_supplies.all()] == [3200, 3800]
    assert "not supported" in row.power_note_en


def test_19_trays_are_planned_by_enclosure():
    places = {slug: server(slug).enclosure for slug in TRAYS}
    assert {slug: (e.rack_units, e.trays) for slug, e in places.items()} == {
        "thinksystem-sd665-n-v3": (6, 6),
        "thinksystem-sd650-n-v2": (6, 6),
        "thinksystem-sd650-n-v3": (6, 6),
        "thinksystem-sc777-v4": (13, 8),
    }
    assert "confirm" in places["thinksystem-sd665-n-v3"].note_en


def test_20_cards_above_400_w_are_on_the_eight_card_model():
    for option in options("thinksystem-sr675-v3", gpu__form="pcie", gpu__tdp_w__gt=400):
        assert option.variant.slug == "8-dw"
    assert "400 W" in server("thinksystem-sr675-v3").variants.get(slug="4-dw").note_en


def test_21_se455_v3_alternatives_do_not_add_up():
    assert slots("thinkedge-se455-v3") == {("double", 2, None), ("single", 6, None)}
    note = server("thinkedge-se455-v3").gpu_note_en
    assert "cannot be combined" in note
    assert "acoustic mode" in note


def test_22_sr665_v3_has_three_alternatives():
    assert slots("thinksystem-sr665-v3") == {("double", 3, 350), ("single", 6, 150), ("single", 8, 75)}


def test_23_sr650_v3_supplies_are_a_partial_list():
    row = server("thinksystem-sr650-v3")
    assert "incomplete" in row.power_note_en
    assert all(e.weak for e in row.evidence.filter(field="power_supplies"))
    assert "performance heat sinks" in row.gpu_note_en


def test_24_memory_speed_falls_with_two_modules_a_channel():
    for slug in ("thinksystem-sr650a-v4", "thinksystem-sr650-v4", "thinksystem-sr630-v4"):
        assert server(slug).memory_speed_mts == 6400
        assert "5,200 MT/s at two DIMMs per channel" in server(slug).memory_note_en


def test_25_gpu_ready_is_not_a_gpu():
    assert not GPU.objects.filter(name__icontains="ready").exists()


@pytest.mark.parametrize(
    ("slug", "sure", "most"),
    [
        ("thinksystem-sr665-v3", 25, 45),
        ("thinksystem-sr645-v3", 25, 45),
        ("thinksystem-sr635-v3", 25, 45),
        ("thinksystem-sr630-v3", 30, 45),
        ("thinksystem-sr630-v4", 30, 45),
        ("thinksystem-sr650a-v4", 25, 35),
        ("thinkedge-se455-v3", None, 55),
    ],
)
def test_11_a_published_maximum_that_holds_for_some_configurations_says_so(slug, sure, most):
    machine = server(slug)
    assert machine.temperature_conditional is True
    assert (machine.temperature_sure_c, machine.temperature_max_c) == (sure, most)


def test_11_sr650a_v4_holds_35_degrees_with_small_cards_only():
    limits = {
        (option.gpu.slug, option.max_count): option.ambient_max_c
        for option in options("thinksystem-sr650a-v4")
    }
    assert limits == {
        ("nvidia-h200-nvl-141gb", 2): 30,
        ("nvidia-l40s", 4): 30,
        ("nvidia-l4", 8): None,
        ("nvidia-rtx-pro-6000-blackwell-server", 2): 30,
        ("nvidia-rtx-pro-6000-blackwell-server", 4): 25,
    }


def test_21_quiet_modes_of_se455_v3_exclude_cards():
    assert all(option.not_in_quiet_modes for option in options("thinkedge-se455-v3"))
    assert not any(option.not_in_quiet_modes for option in options("thinksystem-sr650-v3"))
