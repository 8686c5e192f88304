"""Facts and prose of the catalog, a file a subject."""

from catalog.models.ai_models import AIModel, CacheGroup, MeasuredWeights, ModelPart, Precision
from catalog.models.benchmarks import BenchmarkResult
from catalog.models.evidence import Evidence, Source
from catalog.models.glossary import GlossaryTerm
from catalog.models.guides import Guide, GuideAddress, GuideBlock, GuideEdition, GuideTranslation
from catalog.models.hardware import (
    GPU,
    CoolingOption,
    Enclosure,
    GPUOption,
    Lifecycle,
    Manufacturer,
    PowerSupply,
    Server,
    SlotAlternative,
    Variant,
)
from catalog.models.history import Change, Revision
from catalog.models.reports import ErrorReport
from catalog.models.search import SearchToken
from catalog.models.sheets import SheetUpload
from catalog.models.site import CatalogVersion
from catalog.models.workloads import Requirement, TypicalAssumption, WorkloadProfile

__all__ = [
    "GPU",
    "AIModel",
    "BenchmarkResult",
    "CacheGroup",
    "CatalogVersion",
    "Change",
    "CoolingOption",
    "Enclosure",
    "ErrorReport",
    "Evidence",
    "GPUOption",
    "GlossaryTerm",
    "Guide",
    "GuideAddress",
    "GuideBlock",
    "GuideEdition",
    "GuideTranslation",
    "Lifecycle",
    "Manufacturer",
    "MeasuredWeights",
    "ModelPart",
    "PowerSupply",
    "Precision",
    "Requirement",
    "Revision",
    "SearchToken",
    "Server",
    "SheetUpload",
    "SlotAlternative",
    "Source",
    "TypicalAssumption",
    "Variant",
    "WorkloadProfile",
]
