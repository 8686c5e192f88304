"""The tables refuse what cannot be, each with a message of its own, and keep unknown apart from zero."""

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import IntegrityError, models, transaction
from django.utils.text import capfirst
from django.utils.translation import override

from catalog.models import GPU, AIModel, CacheGroup, Evidence, GPUOption, MeasuredWeights, Server
from catalog.models.base import sort_key
from tests.factories import (
    AIModelFactory,
    EnclosureFactory,
    EvidenceFactory,
    GPUFactory,
    GPUOptionFactory,
    ServerFactory,
    SlotAlternativeFactory,
    SourceFactory,
    VariantFactory,
)

pytestmark = pytest.mark.django_db


def messages(row):
    """Return everything that a form would say about a row."""
    with pytest.raises(ValidationError) as caught:
        row.full_clean(exclude=["summary", *Server.NOTES])
    return " ".join(caught.value.messages)


def named(row, message):
    """Return a message with figures called as staff read them."""
    return capfirst(message.format(**{field.name: field.verbose_name for field in row._meta.fields}))


def test_a_figure_that_cannot_be_is_refused_beside_its_input():
    server = ServerFactory()
    server.depth_mm, server.sockets_min, server.sockets_max = 0, 2, 1
    with pytest.raises(ValidationError) as caught:
        server.full_clean(exclude=["summary", *Server.NOTES])
    assert set(caught.value.message_dict) == {"depth_mm", "sockets_min"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rack_units": 0}, "{rack_units} must be above zero; leave it empty when it is not published."),
        ({"depth_mm": 0}, "{depth_mm} must be above zero"),
        ({"sockets_min": 2, "sockets_max": 1}, "{sockets_min} must not be above {sockets_max}."),
        ({"temperature_min_c": 50, "temperature_max_c": 10}, "{temperature_min_c} must not be above"),
        ({"launch_month": 13, "launch_year": 2024}, "A month is between 1 and 12 and needs its year."),
        ({"launch_month": 3}, "A month is between 1 and 12 and needs its year."),
        ({"kind": "tray"}, "A tray needs the enclosure it is installed in."),
    ],
)
def test_server_refuses_what_cannot_be(change, message):
    server = ServerFactory()
    for field, value in change.items():
        setattr(server, field, value)
    with override("en"):
        assert named(server, message) in messages(server)
    with pytest.raises(IntegrityError), transaction.atomic():
        server.save()


def test_only_a_tray_has_an_enclosure():
    server = ServerFactory()
    server.enclosure = EnclosureFactory()
    with override("en"):
        assert "Only a tray has an enclosure." in messages(server)


def test_server_is_not_its_own_successor():
    server = ServerFactory()
    server.successor = server
    with override("en"):
        assert "A server is not its own successor." in messages(server)


def test_negative_temperature_is_a_temperature():
    ServerFactory(temperature_min_c=-5, temperature_max_c=55).full_clean(exclude=["summary", *Server.NOTES])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"memory_gib_usable": 80.5, "memory_gb": 80}, "{memory_gib_usable} must not be above {memory_gb}."),
        # 79.65 GiB, written down as if the printed 80 were 10^9 bytes
        ({"memory_gib_usable": 74.5, "memory_gb": 80}, "{memory_gib_usable} is too far below {memory_gb}"),
        ({"memory_gib_usable": None, "memory_gb": 81559}, "{memory_gb} is too large"),
        ({"bandwidth_gbs": 0}, "{bandwidth_gbs} must be above zero"),
        ({"tdp_min_w": 400, "tdp_w": 350}, "{tdp_min_w} must not be above {tdp_w}."),
        ({"bridge_max_gpus": 1}, "A bridge connects at least two GPUs."),
    ],
)
def test_gpu_refuses_what_cannot_be(change, message):
    gpu = GPUFactory()
    for field, value in change.items():
        setattr(gpu, field, value)
    with override("en"):
        assert named(gpu, message) in messages(gpu)
    with pytest.raises(IntegrityError), transaction.atomic():
        gpu.save()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_count": 0}, "{max_count} must be above zero"),
        ({"min_count": 4, "max_count": 2}, "{min_count} must not be above {max_count}."),
        ({"fixed": True, "min_count": 1, "max_count": 8}, "A fixed option has one number"),
        ({"fixed": True, "max_count": None}, "A fixed option has one number"),
        ({"link_max_gpus": 1}, "A link connects at least two GPUs."),
    ],
)
def test_option_refuses_what_cannot_be(change, message):
    option = GPUOptionFactory()
    for field, value in change.items():
        setattr(option, field, value)
    with override("en"):
        assert named(option, message) in messages(option)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"active_parameters": 9_000_000_000}, "{active_parameters} must not be above {parameters}."),
        ({"released_month": 5}, "A month is between 1 and 12 and needs its year."),
    ],
)
def test_ai_model_refuses_what_cannot_be(change, message):
    ai_model = AIModelFactory()
    for field, value in change.items():
        setattr(ai_model, field, value)
    with override("en"):
        assert named(ai_model, message) in messages(ai_model)


@pytest.mark.parametrize(
    ("group", "message"),
    [
        ({"kind": "full"}, "Keys and values need a number of heads and a dimension."),
        ({"kind": "window", "kv_heads": 8, "head_dim": 128}, "A window or chunk needs its length in tokens."),
        ({"kind": "latent"}, "A compressed vector needs its dimension."),
        ({"kind": "state"}, "A fixed-size state needs its size in bytes."),
    ],
)
def test_cache_group_needs_what_its_kind_computes_with(group, message):
    with override("en"):
        assert message in messages(CacheGroup(ai_model=AIModelFactory(), layers=4, **group))


@pytest.mark.parametrize(
    ("precision", "gib", "possible"),
    [
        ("bf16", 14.957, True),  # 2 bytes a parameter
        ("bf16", 16.06, False),  # the same in GB
        ("bf16", 13.93, False),  # GiB divided once too often
        ("fp8", 8.46, True),  # neuralmagic's checkpoint: embeddings and head in 16 bits
        ("fp8", 6.9, False),  # below one byte a parameter
        ("int4", 5.34, True),  # AWQ, groups of 128
        ("int4", 12.0, False),  # a byte and more for every value
        (None, 4.58, True),  # GGUF: none of the types that can be asked for
    ],
)
def test_measured_weights_are_those_of_the_parameters_in_gib(precision, gib, possible):
    row = MeasuredWeights(ai_model=AIModelFactory(), precision=precision, gib=gib)
    if possible:
        return row.full_clean(exclude=["stated_dtype"])
    with override("en"):
        assert "The size must be between" in messages(row)


def test_measured_weights_that_cannot_be_are_left_out(caplog):
    ai_model = AIModelFactory()
    ai_model.measured_weights.create(precision="int4", gib=12.0, of_files=True)
    ai_model.measured_weights.create(precision="fp8", gib=8.46, of_files=True)
    assert ai_model.measured_weight_gib() == {"fp8": 8.46}
    assert "left out" in caplog.text


def test_messages_come_in_the_readers_language(catalog):
    server = ServerFactory()
    server.kind = "tray"
    texts = set()
    for language in ("en", "es", "ru"):
        with override(language):
            texts.add(messages(server))
    assert all(texts)


def test_evidence_belongs_to_exactly_one_row():
    source = SourceFactory()
    server, gpu = ServerFactory(), GPUFactory()
    for subjects in ({}, {"server": server, "gpu": gpu}):
        row = Evidence(source=source, field="launch_year", state="maker", **subjects)
        with override("en"):
            assert "Evidence belongs to exactly one row of the catalog." in messages(row)
        with pytest.raises(IntegrityError), transaction.atomic():
            row.save()


def test_evidence_speaks_of_a_field_of_its_row():
    server = ServerFactory()
    for field in ("rack_units", "power_supplies", "cpu_note"):
        EvidenceFactory(server=server, field=field).full_clean()
    for field in ("memory_gb", "cpu_note_es", "slug"):
        with override("en"):
            assert "no field of that name" in messages(EvidenceFactory.build(server=server, field=field))


def test_the_buying_guide_takes_no_address():
    row = SourceFactory.build(kind="customer_guide", url="https://example.com/")
    with override("en"):
        assert "has no public address" in messages(row)
    assert not SourceFactory(kind="customer_guide", url="").is_linkable
    assert SourceFactory().is_linkable


@pytest.mark.parametrize(
    ("kind", "via", "copy"),
    [
        ("maker", "", False),
        ("maker", "a catalogue", True),
        ("third_party_copy", "", True),
        ("other", "", False),
    ],
)
def test_what_was_read_through_a_copy_says_so(kind, via, copy):
    assert SourceFactory.build(kind=kind, via=via).is_copy is copy


def test_what_every_configuration_holds_is_not_above_the_published_maximum():
    with override("en"):
        row = ServerFactory.build(temperature_sure_c=46, temperature_max_c=45)
        assert named(row, "{temperature_sure_c} must not be above {temperature_max_c}") in messages(row)
    server = ServerFactory(temperature_sure_c=25, temperature_max_c=45, temperature_conditional=True)
    assert server.figures().keys() >= {"temperature_sure_c", "temperature_conditional"}


def test_what_a_third_party_states_is_no_statement_of_the_maker():
    row = EvidenceFactory(server=ServerFactory(), field="rack_units", state="third_party")
    with override("en"):
        assert row.get_state_display() == "stated by a third party"


def test_slugs_are_lower_case_ascii():
    for slug in ("SR650", "сервер", "a b", "-a", "a--b", "a\n"):
        with pytest.raises(ValidationError):
            ServerFactory.build(slug=slug).clean_fields(exclude=["manufacturer", "summary", *Server.NOTES])
    ServerFactory(slug="gigachat3-10b-a1.8b").full_clean(exclude=["summary", *Server.NOTES])


def test_a_published_slug_does_not_change():
    server = ServerFactory(slug="old")
    server.slug = "new"
    with override("en"):
        assert "A published slug does not change" in messages(server)
    draft = ServerFactory(slug="draft", is_published=False)
    draft.slug = "final"
    draft.full_clean(exclude=["summary", *Server.NOTES])


def test_one_variant_is_shown_first():
    first = VariantFactory()
    with pytest.raises(IntegrityError), transaction.atomic():
        VariantFactory(server=first.server, slug="other")


def test_or_of_slots_is_the_same_in_any_order():
    first, second = VariantFactory(), VariantFactory()
    for variant, order in ((first, [("single", 8), ("double", 3)]), (second, [("double", 3), ("single", 8)])):
        for width, count in order:
            SlotAlternativeFactory(variant=variant, width=width, count=count)
    assert [str(row) for row in first.slot_alternatives.all()] == [
        str(row) for row in second.slot_alternatives.all()
    ]


def test_unknown_stays_unknown(catalog):
    """The 75 W of SR630 V3 is stated; nothing states one for SR650 V3."""
    assert Server.objects.get(slug="thinksystem-sr630-v3").card_max_w == 75
    server = Server.objects.get(slug="thinksystem-sr650-v3")
    assert server.card_max_w is None
    assert set(server.variants.get().slot_alternatives.values_list("card_max_w", flat=True)) == {None}


def test_zero_is_not_unknown(catalog):
    assert Server.objects.get(slug="thinksystem-sr650-v3").module_max_count == 0
    assert Server.objects.get(slug="thinkedge-se450").module_max_count is None


def test_gpu_memory_of_a_server(catalog):
    memory = {row.slug: row for row in Server.objects.with_gpu_memory()}
    server = memory["thinksystem-sr680a-v3"]  # eight B200: 8 x 180 GB, 8 x 179.06 GiB
    assert (server.gpu_memory_gb, round(server.gpu_memory_gib, 2)) == (1440, 1432.48)
    assert memory["thinksystem-sc777-v4"].gpu_memory_gb == 4 * 186  # counted per GPU, not per superchip
    assert memory["thinksystem-st650-v3"].gpu_memory_gb is None
    assert memory["thinkedge-se100"].gpu_memory_gib is None  # the driver's figure is not published


def test_water_is_needed_where_nothing_else_cools():
    assert ServerFactory(cooling=["direct_water"]).needs_water is True
    assert ServerFactory(cooling=["air", "water_module"]).needs_water is False
    assert ServerFactory(cooling=[]).needs_water is None


def test_names_sort_the_same_everywhere():
    names = [
        "ThinkSystem SR1000",
        "ThinkSystem SR650a V4",
        "Llama 3.1 8B",
        "ThinkSystem SR650 V3",
        "Llama 3 8B",
    ]
    assert sorted(names, key=sort_key) == [
        "Llama 3 8B",
        "Llama 3.1 8B",
        "ThinkSystem SR650 V3",
        "ThinkSystem SR650a V4",
        "ThinkSystem SR1000",
    ]
    for name in ("Ёлка 7", "«Mixtral» 8x7B", "ñandú"):
        assert sort_key(name).isascii()
        assert sort_key(name).isalnum()


def test_words_that_are_not_listed_are_refused_by_forms_and_by_the_database():
    gpu = GPUFactory()
    gpu.market_state = "old"
    with override("en"):
        assert "is not a valid choice" in messages(gpu)
    with pytest.raises(IntegrityError), transaction.atomic():
        gpu.save()


def test_choices_and_constraints_name_the_same_words():
    for model in (Server, GPU, GPUOption, AIModel, CacheGroup, Evidence):
        for field in model._meta.concrete_fields:
            rules = [r for r in model._meta.constraints if r.name.endswith(f"_{field.name}_is_listed")]
            for rule in rules:
                (_name, words), *_rest = rule.condition.children
                assert list(words) == [value for value, _label in field.choices], rule.name


def test_quantities_never_overflow():
    """Small integers multiplied overflow on PostgreSQL."""
    for model in (Server, GPU, GPUOption, AIModel, CacheGroup):
        for field in model._meta.concrete_fields:
            assert not isinstance(field, models.SmallIntegerField | models.PositiveSmallIntegerField)


def test_migrations_are_complete():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
