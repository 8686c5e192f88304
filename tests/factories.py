"""One factory a table: complete rows by default, so that a test names only what it is about."""

import factory
from factory.django import DjangoModelFactory

from catalog import models


class ManufacturerFactory(DjangoModelFactory):
    class Meta:
        model = models.Manufacturer
        django_get_or_create = ["slug"]

    slug = "lenovo"
    name = factory.LazyAttribute(lambda row: row.slug.title())
    makes_servers = True
    makes_processors = True
    makes_gpus = True


class EnclosureFactory(DjangoModelFactory):
    class Meta:
        model = models.Enclosure

    manufacturer = factory.SubFactory(ManufacturerFactory)
    slug = factory.Sequence(lambda n: f"enclosure-{n}")
    name = factory.Sequence(lambda n: f"Enclosure {n}")
    rack_units = 6
    trays = 6


class ServerFactory(DjangoModelFactory):
    class Meta:
        model = models.Server
        skip_postgeneration_save = True

    manufacturer = factory.SubFactory(ManufacturerFactory)
    slug = factory.Sequence(lambda n: f"server-{n}")
    name = factory.Sequence(lambda n: f"Server {n}")
    kind = "rack"
    is_published = True
    enclosure = factory.Maybe("is_tray", factory.SubFactory(EnclosureFactory), None)
    rack_units = 2
    cpu_manufacturer = factory.SubFactory(ManufacturerFactory, slug="intel")
    sockets_min = 1
    sockets_max = 2
    for_inference = True
    summary_es = "Para servir modelos."
    summary_ru = "Для обслуживания моделей."
    summary_en = "For serving models."

    class Params:
        is_tray = factory.LazyAttribute(lambda row: row.kind == "tray")

    @factory.post_generation
    def cooling(server, create, kinds, **kwargs):
        """Air, unless the test says otherwise: ServerFactory(cooling=["direct_water"])."""
        if create:
            for kind in ["air"] if kinds is None else kinds:
                server.cooling_options.create(kind=kind)


class VariantFactory(DjangoModelFactory):
    class Meta:
        model = models.Variant

    server = factory.SubFactory(ServerFactory)
    slug = "base"
    name = factory.SelfAttribute("server.name")
    is_default = True


class SlotAlternativeFactory(DjangoModelFactory):
    class Meta:
        model = models.SlotAlternative

    variant = factory.SubFactory(VariantFactory)
    width = "double"
    count = 3


class GPUFactory(DjangoModelFactory):
    class Meta:
        model = models.GPU

    manufacturer = factory.SubFactory(ManufacturerFactory, slug="nvidia")
    slug = factory.Sequence(lambda n: f"gpu-{n}")
    name = factory.Sequence(lambda n: f"GPU {n}")
    architecture = "Ada Lovelace"
    market_state = "current"
    form = "pcie"
    slots_wide = 2
    memory_gb = 48
    # 44.99 of 48: what a driver reports of a card with ECC on
    memory_gib_usable = factory.LazyAttribute(lambda gpu: round(gpu.memory_gb * 44.99 / 48, 2))
    bandwidth_gbs = 864
    bf16_tflops = 362.05
    fp16_tflops = 362.05
    fp8_tflops = 733
    compute_capability = "8.9"
    native_precisions = "fp64 tf32 bf16 fp16 fp8 int8"
    pcie_gen = 4
    pcie_lanes = 16
    tdp_w = 350
    is_published = True


class GPUOptionFactory(DjangoModelFactory):
    class Meta:
        model = models.GPUOption

    variant = factory.SubFactory(VariantFactory)
    gpu = factory.SubFactory(GPUFactory)
    max_count = 2
    link = "pcie"
    basis = "maker"


class AIModelFactory(DjangoModelFactory):
    """A dense model of the shape of Llama 3.1 8B, with its cache group."""

    class Meta:
        model = models.AIModel
        skip_postgeneration_save = True

    slug = factory.Sequence(lambda n: f"model-{n}")
    name = factory.Sequence(lambda n: f"Model {n}")
    kind = "llm"
    parameters = 8_030_261_248
    num_layers = 32
    hidden_size = 4096
    num_attention_heads = 32
    num_kv_heads = 8
    head_dim = 128
    intermediate_size = 14336
    vocab_size = 128256
    max_context = 131072
    native_precision = "bf16"
    is_published = True

    @factory.post_generation
    def cache(ai_model, create, wanted, **kwargs):
        """One group of ordinary layers: AIModelFactory(cache=False) leaves it out."""
        if create and wanted is not False:
            ai_model.cache_groups.create(
                kind="full",
                layers=ai_model.num_layers,
                kv_heads=ai_model.num_kv_heads,
                head_dim=ai_model.head_dim,
            )


class SourceFactory(DjangoModelFactory):
    class Meta:
        model = models.Source

    slug = factory.Sequence(lambda n: f"source-{n}")
    title = factory.Sequence(lambda n: f"Source {n}")
    url = factory.LazyAttribute(lambda row: f"https://example.com/{row.slug}")
    kind = "maker"


class EvidenceFactory(DjangoModelFactory):
    """Name its subject: EvidenceFactory(server=..., field="rack_units", stated="2")."""

    class Meta:
        model = models.Evidence

    source = factory.SubFactory(SourceFactory)
    state = "maker"


class WorkloadProfileFactory(DjangoModelFactory):
    class Meta:
        model = models.WorkloadProfile

    slug = factory.Sequence(lambda n: f"profile-{n}")
    stage = "inference"
    name_es = "Perfil"
    name_ru = "Профиль"
    name_en = "Profile"
    is_published = True


class GlossaryTermFactory(DjangoModelFactory):
    class Meta:
        model = models.GlossaryTerm

    slug = factory.Sequence(lambda n: f"term-{n}")
    subject = "serving"
    name_es = name_ru = name_en = factory.Sequence(lambda n: f"Term {n}")
    definition_es = "Una palabra."
    definition_ru = "Слово."
    definition_en = "A word."
    is_published = True


class BenchmarkResultFactory(DjangoModelFactory):
    """Images a second of a model on one card, published by nobody we know."""

    class Meta:
        model = models.BenchmarkResult

    measurement = factory.Sequence(lambda n: f"run-{n}")
    figure = "samples_per_s"
    value = 1234.5
    work = "inference"
    suite = "MLPerf Inference"
    round = "v5.1"
    scenario = "Offline"
    link = factory.LazyAttribute(lambda row: f"https://example.com/{row.measurement}")
    gpu = factory.SubFactory(GPUFactory)
    gpu_count = 1
    model_name = "model-as-published"
    precision = "int8"
    engine = "tensorrt"
    group = factory.LazyAttribute(lambda row: f"log {row.measurement}")
    is_published = True


class GuideFactory(DjangoModelFactory):
    """A guide written in Spanish; other languages where a test names them."""

    class Meta:
        model = models.Guide

    key = factory.Sequence(lambda n: f"guide-{n}")
    title_es = factory.LazyAttribute(lambda row: f"Guía {row.key}")
    summary_es = "Qué servidor hace falta."
    body_es = "## Memoria\n\nUn texto corto.\n"
    slug_es = factory.LazyAttribute(lambda row: f"guia-{row.key}")
