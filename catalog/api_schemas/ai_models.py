"""AI models and the shapes that their memory is computed from."""

from datetime import datetime
from typing import Literal

from ninja import Schema

from aiservers.paging import Page
from catalog.api_schemas.common import EvidenceOut, Precision, SourceOut, Text, about, fact, page_of


class AIModelListed(Schema):
    slug: str
    name: str
    page: str = about("The page that shows it, in the reader's language.")
    developer: str | None
    family: str | None
    kind: Literal["llm", "vlm", "embedding", "reranker", "asr", "image_generation", "vision"]
    hf_id: str | None = about("Its name on Hugging Face.")
    license: str | None
    released_year: int | None
    released_month: int | None
    parameters: int = about("The whole published checkpoint.")
    active_parameters: int | None = about("Of a mixture: at work on one token; null: all, or not published.")
    max_context: int | None = fact("Longest context, tokens.")
    native_precision: Precision

    @staticmethod
    def resolve_page(row, context):
        return page_of(row, "catalog:ai_model", context)


class CacheGroupOut(Schema):
    """What the layers of one kind keep for each request."""

    kind: Literal["full", "window", "chunked", "latent", "indexer", "state"]
    layers: int
    kv_heads: int
    head_dim: int
    latent_dim: int
    rope_dim: int
    window: int | None = about("Tokens; null: no window.")
    state_bytes: int = about("Of one layer.")
    tokens_per_entry: int
    tensor_sharded: bool = about("False: every rank keeps the whole.")


class ModelPartOut(Schema):
    """A part beside the language model, inside the published total."""

    name: str
    parameters: int
    tensor_sharded: bool


class MeasuredWeightsOut(Schema):
    """The size of one published checkpoint, or of its weights as an engine loaded them."""

    precision: Precision | None = about("Null: none of the precisions that can be asked for.")
    stated_dtype: str | None
    gib: float
    of_files: bool = about("False: as an engine reported it after loading.")
    source: SourceOut | None


class AIModelDetail(AIModelListed):
    """A model with its shape and where its figures come from."""

    num_layers: int | None
    hidden_size: int | None
    num_attention_heads: int | None
    num_kv_heads: int | None
    head_dim: int | None
    intermediate_size: int | None
    vocab_size: int | None
    tie_embeddings: bool | None
    attention_type: str | None
    native_dtype_stated: str | None
    experts: int = about("0: no mixture of experts.")
    experts_per_token: int
    shared_experts: int
    moe_intermediate_size: int | None
    first_dense_layers: int
    mtp_parameters: int = about("Of prediction layers, part of the total.")
    cache_known: bool = about("False: the cache of this architecture is not computed.")
    gflop_per_image: float | None
    note: Text
    cache_groups: list[CacheGroupOut]
    parts: list[ModelPartOut]
    measured_weights: list[MeasuredWeightsOut]
    evidence: list[EvidenceOut]
    updated_at: datetime


class AIModelPage(Page[AIModelListed]):
    pass
