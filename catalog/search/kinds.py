"""The catalog's own kinds of pages: what each is found by, and its line on the result page."""

from django.conf import settings
from django.db.models import Case, Value, When
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from catalog import glossary, sentences
from catalog.models import (
    GPU,
    AIModel,
    CoolingOption,
    Enclosure,
    GPUOption,
    Manufacturer,
    Server,
    Variant,
    WorkloadProfile,
)
from catalog.search import keywords
from catalog.search.registry import ALIAS, FIGURE, KEYWORD, KIND_WORD, NAME, NOTE, PROSE, Kind, Result, Text
from catalog.templatetags.units import billions, gigabytes

LANGUAGES = [code for code, _name in settings.LANGUAGES]
COUNTS = (1, 2, 4, 8, 16)  # cards of a server that readers ask for, beside the largest number
LIQUID = (CoolingOption.Kind.DIRECT_WATER, CoolingOption.Kind.WATER_MODULE)


def in_all_languages(words, weight=KEYWORD):
    """Yield the texts of keywords: English ones for readers of any language."""
    for language, text in words.items():
        yield Text(text, weight, "" if language == "en" else language)


def prose(row, name, weight=PROSE):
    """Yield a translated text in the languages that it exists in."""
    for language in LANGUAGES:
        if text := getattr(row, f"{name}_{language}"):
            yield Text(glossary.unmarked(text), weight, language)


def names(*texts, weight=ALIAS):
    for text in texts:
        if text:
            yield Text(str(text), weight, is_name=True)


def short_name(gpu):
    """Return a GPU's name without its maker: H100 SXM5 80GB."""
    return gpu.name.removeprefix(gpu.manufacturer.name).strip()


def server_texts(server):
    yield from names(server.name, weight=NAME)
    yield from names(server.manufacturer.name, server.family, server.generation)
    yield from names(*(server.machine_types or "").replace(",", " ").split())
    if server.cpu_manufacturer:
        yield from names(server.cpu_manufacturer.name, weight=FIGURE)
    height = server.enclosure.rack_units if server.enclosure else server.rack_units
    for units in {height, server.rack_units} - {None}:
        yield from names(f"{units}U", weight=FIGURE)
    if server.enclosure:
        yield from names(server.enclosure.name, weight=FIGURE)
    for generation in (server.cpu_generations or "").splitlines():
        yield from names(generation, weight=FIGURE)
    yield from in_all_languages(keywords.SERVER, KIND_WORD)
    yield from in_all_languages(keywords.SERVER_KINDS[server.kind])
    for column, words in keywords.SERVER_FLAGS.items():
        if getattr(server, column):
            yield from in_all_languages(words)
    cooling = {option.kind for option in server.cooling_options.all()}
    if cooling & set(LIQUID):
        yield from in_all_languages(keywords.COOLING["liquid"])
    if cooling - set(LIQUID):
        yield from in_all_languages(keywords.COOLING["air"])
    yield from option_texts(server)
    yield from prose(server, "summary")
    for note in server.NOTES:
        yield from prose(server, note, NOTE)


def option_texts(server):
    """Yield the variants, the GPUs and, as "8x H100", how many of each."""
    gpus, counted = {}, set()
    for variant in server.variants.all():
        yield from names(variant.name)
        for option in variant.gpu_options.all():
            if not option.gpu.is_published:
                continue
            gpus[option.gpu_id] = option.gpu
            most = option.max_count or option.min_count
            least = most if option.fixed else option.min_count
            counted |= {(option.gpu_id, count) for count in (*COUNTS, most, least) if least <= count <= most}
    for gpu in gpus.values():
        yield from names(gpu.name, weight=FIGURE)
    for gpu, count in sorted(counted):
        yield Text(f"{count} {short_name(gpus[gpu])}", FIGURE, is_name=True, anchored=True)
    if gpus:
        yield from in_all_languages({"en": "GPU"})


def gpu_texts(gpu):
    yield from names(gpu.name, weight=NAME)
    yield from names(gpu.manufacturer.name, gpu.architecture)
    yield from names(f"{gpu.memory_gb} GB", gpu.form, weight=FIGURE)
    yield from in_all_languages(keywords.GPU, KIND_WORD)
    yield from prose(gpu, "note", NOTE)


def ai_model_texts(model):
    yield from names(model.name, weight=NAME)
    yield from names(model.developer, model.family)
    if model.hf_id:
        yield Text(model.hf_id, ALIAS)
    yield from in_all_languages(keywords.AI_MODEL, KIND_WORD)
    yield from in_all_languages(keywords.AI_MODEL_ANSWERS)
    yield from in_all_languages(keywords.AI_MODEL_KINDS[model.kind])
    yield from prose(model, "note", NOTE)


def profile_texts(profile):
    for language in LANGUAGES:
        if name := getattr(profile, f"name_{language}"):
            yield Text(name, NAME, language, is_name=True)
    yield from names(profile.slug.replace("_", " "))
    yield from in_all_languages(keywords.PROFILE, KIND_WORD)
    yield from in_all_languages(keywords.PROFILE_ANSWERS)
    yield from in_all_languages(keywords.STAGES[profile.stage])
    yield from prose(profile, "summary")
    yield from prose(profile, "asks", NOTE)


def server_result(server):
    facts = [capfirst(sentences.height(server) or "")]
    if not server.can_be_ordered:
        facts.append(server.get_lifecycle_display())
    url = reverse("catalog:server", args=[server.slug])
    return Result(server.name, url, tuple(fact for fact in facts if fact), glossary.plain(server.summary))


def gpu_result(gpu):
    facts = [gigabytes(gpu.memory_gb), gpu.get_form_display() if gpu.form else None]
    url = reverse("catalog:gpu", args=[gpu.slug])
    return Result(gpu.name, url, tuple(capfirst(fact) for fact in facts if fact))


def ai_model_result(model):
    facts = (capfirst(model.get_kind_display()), billions(model.parameters), model.developer)
    url = reverse("catalog:ai_model", args=[model.slug])
    return Result(model.name, url, tuple(fact for fact in facts if fact))


def profile_result(profile):
    url = reverse("catalog:workload", args=[profile.slug])
    return Result(
        profile.name or profile.slug,
        url,
        (capfirst(profile.get_stage_display()),),
        glossary.plain(profile.summary),
    )


def orderable_first(field, value):
    return Case(When(**{field: value}, then=Value(0)), default=Value(1))


def server_rows():
    return (
        Server.objects.published()
        .select_related("manufacturer", "cpu_manufacturer", "enclosure")
        .prefetch_related("cooling_options", "variants__gpu_options__gpu__manufacturer")
        .order_by(orderable_first("lifecycle", "current"), "sort_key", "pk")
    )


def gpu_rows():
    states = Case(
        When(market_state="current", then=Value(0)),
        When(market_state="previous", then=Value(1)),
        default=Value(2),
    )
    return GPU.objects.published().select_related("manufacturer").order_by(states, "sort_key", "pk")


BUILT_IN = [
    Kind(
        name="server",
        label=_("Servers"),
        model=Server,
        rows=server_rows,
        texts=server_texts,
        shown=lambda: Server.objects.published().select_related("enclosure"),
        result=server_result,
        touched_by={
            Manufacturer: "manufacturer",
            Enclosure: "enclosure",
            CoolingOption: "cooling_options",
            Variant: "variants",
            GPUOption: "variants__gpu_options",
            GPU: "variants__gpu_options__gpu",
        },
    ),
    Kind(
        name="gpu",
        label=_("GPUs"),
        model=GPU,
        rows=gpu_rows,
        texts=gpu_texts,
        shown=lambda: GPU.objects.published(),
        result=gpu_result,
        touched_by={Manufacturer: "manufacturer"},
    ),
    Kind(
        name="ai_model",
        label=_("AI models"),
        model=AIModel,
        rows=lambda: AIModel.objects.published().order_by("sort_key", "pk"),
        texts=ai_model_texts,
        result=ai_model_result,
    ),
    Kind(
        name="profile",
        label=_("Kinds of work"),
        model=WorkloadProfile,
        rows=lambda: WorkloadProfile.objects.published().order_by("order", "slug"),
        texts=profile_texts,
        result=profile_result,
    ),
]
