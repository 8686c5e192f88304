"""Index memory against the sizing rules of vector stores."""

import pytest
from hypothesis import given, strategies as st

from recommender.sizing.retrieval import index_memory, vectors_of
from recommender.sizing.specs import GIB, SizingError
from tests.sizing.arithmetic import worked_out

MILLION = 1_000_000


def test_a_graph_over_a_million_vectors_is_what_the_stores_state():
    found = index_memory(MILLION, dimensions=1024)
    assert found.one.low == pytest.approx(1.1 * (4 * 1024 + 8 * 16) * MILLION)  # OpenSearch
    assert found.one.typical == pytest.approx((1024 * 4 + 16 * 16) * 1.2 * MILLION)  # ScyllaDB
    assert found.one.low < 1.5 * 1024 * 4 * MILLION < found.one.high  # Qdrant: 5.72 GiB


def test_flat_is_the_vectors_and_little_more():
    found = index_memory(MILLION, dimensions=768, index_type="flat")
    assert found.one.low == 4 * 768 * MILLION
    assert found.one.high == pytest.approx(1.2 * 4 * 768 * MILLION)


def test_compressed_vectors_take_a_fraction():
    found = index_memory(100 * MILLION, dimensions=1024, index_type="ivf_pq")
    # 128 bytes of codes and 24 beside them, a tenth more (OpenSearch), and centroids
    codes = 1.1 * (128 + 24) * 100 * MILLION
    assert codes <= found.one.typical <= 1.05 * codes
    assert found.one.typical < index_memory(100 * MILLION, dimensions=1024).one.typical / 20


def test_smaller_values_and_copies():
    whole, half = (index_memory(MILLION, dimensions=1024, precision=p).one for p in ("fp32", "fp16"))
    assert whole.typical - half.typical == pytest.approx(1.2 * 2 * 1024 * MILLION)
    found = index_memory(MILLION, dimensions=1024, replicas=3)
    assert found.total == found.one.scaled(3)


def test_documents_become_vectors():
    # five million documents of ten pages, two chunks a page, as graphs of 1024 values
    vectors = vectors_of(5 * MILLION)
    assert vectors.typical == 100 * MILLION
    assert index_memory(int(vectors.typical), dimensions=1024).one.typical / GIB == pytest.approx(
        486, rel=0.01
    )


@given(
    vectors=st.integers(0, 10**9),
    dimensions=st.integers(1, 4096),
    index_type=st.sampled_from(["flat", "hnsw", "ivf_pq"]),
)
def test_the_formula_is_the_figure(vectors, dimensions, index_type):
    found = index_memory(vectors, dimensions=dimensions, index_type=index_type)
    assert worked_out(found.formula) == found.one.typical


@pytest.mark.parametrize("wrong", [{"vectors": -1}, {"dimensions": 0}, {"replicas": 0}, {"links": 0}])
def test_impossible_indexes_are_refused(wrong):
    asked = {"vectors": 1, "dimensions": 1} | wrong
    with pytest.raises(SizingError):
        index_memory(**asked)
    with pytest.raises(SizingError):
        vectors_of(-1)


@given(
    vectors=st.integers(0, 10**9),
    dimensions=st.integers(1, 4096),
    index_type=st.sampled_from(["flat", "hnsw", "ivf_pq"]),
    precision=st.sampled_from(["int8", "fp16", "fp32"]),
    replicas=st.integers(1, 5),
    more=st.integers(0, 1000),
)
def test_more_vectors_values_or_copies_never_need_less(
    vectors, dimensions, index_type, precision, replicas, more
):
    asked = {"index_type": index_type, "precision": precision}
    small = index_memory(vectors, dimensions=dimensions, replicas=replicas, **asked).total
    for large in (
        index_memory(vectors + more, dimensions=dimensions, replicas=replicas, **asked).total,
        index_memory(vectors, dimensions=dimensions + more, replicas=replicas, **asked).total,
        index_memory(vectors, dimensions=dimensions, replicas=replicas + more, **asked).total,
    ):
        assert small.low <= large.low
        assert small.typical <= large.typical
        assert small.high <= large.high
