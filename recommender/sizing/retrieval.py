"""Memory of a vector index for search in documents [bytes]. It lies in host memory, not on a GPU."""

from dataclasses import dataclass
from math import isqrt
from typing import Literal

from recommender.sizing.formulas import Formula, formula
from recommender.sizing.lines import Line, whole
from recommender.sizing.specs import Range, SizingError

IndexType = Literal["flat", "hnsw", "ivf_pq"]
VectorPrecision = Literal["fp32", "fp16", "int8"]

VALUE_BYTES: dict[VectorPrecision, int] = {"fp32": 4, "fp16": 2, "int8": 1}
# Memory above what a vector and its links take. Flat: identifiers and free space, our own estimate. Graphs:
# 1.1 (OpenSearch), 1.2 (ScyllaDB), 1.5 with temporary segments while the index is being built (Qdrant).
FLAT_HEADROOM = Range(1.0, 1.1, 1.2)
GRAPH_HEADROOM = Range(1.1, 1.2, 1.5)
CLUSTER_HEADROOM = Range(1.0, 1.1, 1.2)  # OpenSearch: 1.1
# A graph's node has 16 links by default on its upper layers and twice as many on the lowest (hnswlib, Qdrant,
# OpenSearch): 8 bytes for each of the 16 (OpenSearch), 16 with what else is kept beside it (ScyllaDB).
LINKS = 16
LINK_BYTES = Range(8.0, 16.0, 16.0)
# Product quantization: eight dimensions become a byte, the usual 32 times less than fp32; identifiers take 8
# bytes in Faiss, 24 with its lists in OpenSearch. Faiss advises 4 to 16 times the square root of the number
# of vectors as clusters; centroids stay in fp32.
DIMENSIONS_PER_CODE = 8
CODE_EXTRA = Range(8.0, 24.0, 24.0)
CLUSTERS_PER_ROOT = 8
CODEBOOK_ENTRIES = 256
# Two chunks of text a page; pages of a document are our own estimate (letters to manuals).
CHUNKS_PER_PAGE = 2
PAGES_PER_DOCUMENT = Range(1.0, 10.0, 50.0)


@dataclass(frozen=True, slots=True)
class Index:
    """Memory of an index [bytes]."""

    code: str
    one: Range  # one replica
    total: Range  # all replicas
    formula: Formula


def vectors_of(documents: int, pages: Range = PAGES_PER_DOCUMENT) -> Range:
    """Return how many vectors that many documents make [count].

    Raises:
        SizingError: a negative number.
    """
    if documents < 0:
        raise SizingError(f"{documents=}")
    return pages.scaled(float(CHUNKS_PER_PAGE * documents))


def index_memory(
    vectors: int,
    *,
    dimensions: int,
    index_type: IndexType = "hnsw",
    precision: VectorPrecision = "fp32",
    replicas: int = 1,
    links: int = LINKS,
) -> Index:
    """Return the memory of an index of that many vectors [bytes].

    Args:
        vectors: Chunks of text, one vector each [count].
        dimensions: Values of a vector [count].
        index_type: `flat` compares with every vector, `hnsw` walks a graph, `ivf_pq` searches clusters of
            compressed vectors.
        precision: Type of a value; compressed vectors have their own.
        replicas: Copies of the index [count].
        links: Links of a graph's node, its parameter M [count].

    Raises:
        SizingError: a negative number of vectors, a size or number of replicas below one.

    Sources: OpenSearch, "k-NN vector quantization" (1.1 x (4 d + 8 M) a vector); ScyllaDB, "Vector search
    sizing" ((d x bytes + 16 M) x 1.2); Qdrant, "Capacity planning" (1.5 x d x 4); Faiss, "Guidelines to
    choose an index".
    """
    if vectors < 0 or min(dimensions, replicas, links) < 1:
        raise SizingError(f"{vectors=}, {dimensions=}, {replicas=}, {links=} make no index")
    value = VALUE_BYTES[precision]
    line = _LINES[index_type](vectors, dimensions, value, links)
    return Index(line.code, line.bytes, line.bytes.scaled(float(replicas)), formula(line))


def _flat(vectors: int, dimensions: int, value: int, links: int) -> Line:
    room, size = FLAT_HEADROOM, vectors * dimensions * value
    bytes_ = whole(room.low * size, room.typical * size, room.high * size)
    return Line("index_flat", "index", bytes_, (room, vectors, dimensions, value))


def _graph(vectors: int, dimensions: int, value: int, links: int) -> Line:
    room, link = GRAPH_HEADROOM, LINK_BYTES
    bytes_ = whole(
        room.low * (vectors * (dimensions * value + links * link.low)),
        room.typical * (vectors * (dimensions * value + links * link.typical)),
        room.high * (vectors * (dimensions * value + links * link.high)),
    )
    return Line("index_hnsw", "index", bytes_, (room, vectors, dimensions, value, links, link))


def _clusters(vectors: int, dimensions: int, value: int, links: int) -> Line:
    codes = -(-dimensions // DIMENSIONS_PER_CODE)
    clusters = CLUSTERS_PER_ROOT * isqrt(vectors)
    centroids = (clusters + CODEBOOK_ENTRIES) * dimensions * VALUE_BYTES["fp32"]
    room, extra = CLUSTER_HEADROOM, CODE_EXTRA
    bytes_ = whole(
        room.low * (vectors * (codes + extra.low) + centroids),
        room.typical * (vectors * (codes + extra.typical) + centroids),
        room.high * (vectors * (codes + extra.high) + centroids),
    )
    values = (room, vectors, codes, extra, clusters, CODEBOOK_ENTRIES, dimensions)
    return Line("index_ivf_pq", "index", bytes_, values)


_LINES = {"flat": _flat, "hnsw": _graph, "ivf_pq": _clusters}
