"""Which prose exists once per language; names and figures are the same in all of them."""

from modeltranslation.translator import TranslationOptions, register

from catalog.models import (
    GPU,
    AIModel,
    Enclosure,
    GlossaryTerm,
    GPUOption,
    Guide,
    Requirement,
    Server,
    Source,
    TypicalAssumption,
    Variant,
    WorkloadProfile,
)


class ProseOptions(TranslationOptions):
    """A text that is missing is "", from a form too, never NULL."""

    empty_values = ""


@register(Server)
class ServerTranslationOptions(ProseOptions):
    fields = ["summary", *Server.NOTES]


@register([Enclosure, Variant, GPUOption, AIModel])
class NoteTranslationOptions(ProseOptions):
    fields = ["note"]


@register(GPU)
class GPUTranslationOptions(ProseOptions):
    fields = ["lifecycle_note", "note"]


@register(WorkloadProfile)
class WorkloadProfileTranslationOptions(ProseOptions):
    fields = ["name", "summary", "asks", "to_measure"]


@register(GlossaryTerm)
class GlossaryTermTranslationOptions(ProseOptions):
    fields = ["name", "definition", "also"]


@register(Guide)
class GuideTranslationOptions(ProseOptions):
    fields = Guide.TRANSLATED


@register(Requirement)
class RequirementTranslationOptions(ProseOptions):
    fields = ["text"]


@register(TypicalAssumption)
class TypicalAssumptionTranslationOptions(ProseOptions):
    fields = ["why"]


@register(Source)
class SourceTranslationOptions(ProseOptions):
    fields = ["description"]
