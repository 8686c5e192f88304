"""The bill of components of a search in documents: what each takes and where it may lie.

They need not be one machine: the index asks for memory of the host, the models for a GPU, and what reads
scans works only while documents are taken in.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from recommender.plans.terms import Span, Terms
from recommender.ranking import Match
from recommender.sizing import weights
from recommender.sizing.demand import Case
from recommender.sizing.memory import inference_memory
from recommender.sizing.retrieval import index_memory, vectors_of
from recommender.sizing.specs import AIModelSpec, Layout, Range, SizingError

# Stand in where nobody has chosen: multilingual, small, and made for each other.
USUAL_EMBEDDER = "bge-m3"
USUAL_RERANKER = "bge-reranker-v2-m3"
SMALL_MODELS: tuple[tuple[Literal["embedder", "reranker"], str], ...] = (
    ("embedder", USUAL_EMBEDDER),
    ("reranker", USUAL_RERANKER),
)
USUAL_DIMENSIONS = 1024
# Of one call: a question and the chunks that it is compared with.
CHUNK_TOKENS = 512
PIECES_AT_ONCE = 32

Place = Literal["gpu", "gpu_beside", "gpu_or_cpu", "host", "own_server", "host_or_own", "elsewhere"]


@dataclass(frozen=True, slots=True)
class Component:
    """One part of the chain. None: not known."""

    code: Literal["model", "embedder", "reranker", "index", "guardrails", "reader"]
    model: str | None  # slug
    assumed: bool  # nobody has chosen that model, or its size
    gpu_bytes: Range | None  # on one card, while it works
    host_bytes: Range | None
    place: Place
    copies: int = 1


def components(
    case: Case, terms: Terms, match: Match | None, models: Mapping[str, AIModelSpec]
) -> tuple[Component, ...]:
    """Return the components of a search in documents; none where the work does not search.

    Args:
        case: What is asked.
        terms: What was answered about documents and their index.
        match: The configuration that serves, to tell what lies on its cards; None: nothing fits.
        models: Published models by slug.
    """
    if not (terms.searches and case.serves and case.kind == "tokens"):
        return ()
    free = None
    found = []
    if match is not None:
        held = match.config.memory
        known = case.hard.model is None or case.hard.model.cache_known
        free = held.available.low - held.total.high if known else None
        found.append(
            Component(
                "model",
                None if match.config.corner.model is None else match.config.corner.model.slug,
                False,
                held.total if known else None,
                None,
                "gpu",
                match.config.layout.replicas,
            )
        )
    for code, slug in SMALL_MODELS:
        if not _is_part(terms, code):
            continue
        taken = _small_model(models.get(slug), match)
        place: Place = "gpu_or_cpu"
        if taken is not None and free is not None and taken.high <= free:
            free -= taken.high
            place = "gpu_beside"
        found.append(Component(code, slug if slug in models else None, True, taken, None, place))
    if _is_part(terms, "vector_index"):
        found.append(_index(terms))
    if "guardrails" in terms.parts:
        found.append(Component("guardrails", None, True, None, None, "gpu_or_cpu"))
    if _is_part(terms, "ocr"):
        found.append(Component("reader", None, True, None, None, "elsewhere"))
    return tuple(found)


def _is_part(terms: Terms, code: str) -> bool:
    """Tell whether a search has a part: as it was answered, else as is usual."""
    return not terms.parts or code in terms.parts


def _small_model(model: AIModelSpec | None, match: Match | None) -> Range | None:
    """Return what a small model takes on the card that is there, else its weights alone [bytes]."""
    if model is None:
        return None
    try:
        if match is None:
            return weights.weight_bytes(model, "fp16")
        held = inference_memory(
            model,
            match.config.node.gpu,
            Layout(1, 1, 1, 0, False),
            precision="fp16",
            kv_precision="bf16",
            tokens_per_request=CHUNK_TOKENS,
            requests=PIECES_AT_ONCE,
            engine="other",
        )
    except SizingError:
        return None
    return held.total


def _index(terms: Terms) -> Component:
    places: dict[str | None, Place] = {"yes": "own_server", "no": "host", None: "host_or_own"}
    place = places[terms.separate_index]
    replicas = 1 if terms.index_replicas is None else max(int(terms.index_replicas.high), 1)
    if terms.documents is None:
        return Component("index", None, True, None, None, place, replicas)
    dimensions = terms.dimensions or Span(USUAL_DIMENSIONS, USUAL_DIMENSIONS)
    few = index_memory(
        round(vectors_of(int(terms.documents.low)).low), dimensions=int(dimensions.low), replicas=replicas
    )
    many_vectors = vectors_of(int(terms.documents.high))
    usual = index_memory(round(many_vectors.typical), dimensions=int(dimensions.high), replicas=replicas)
    many = index_memory(round(many_vectors.high), dimensions=int(dimensions.high), replicas=replicas)
    size = Range(few.total.low, max(usual.total.typical, few.total.low), many.total.high)
    return Component("index", None, terms.dimensions is None, None, size, place, replicas)
