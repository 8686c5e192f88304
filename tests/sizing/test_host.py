"""Host memory and cores against the rules of makers and presales architects."""

import pytest
from hypothesis import given, strategies as st

from recommender.sizing.host import host_of
from recommender.sizing.specs import GIB, Range, SizingError
from tests.sizing.memory_examples import H100, L4


def test_inference_takes_twice_the_memory_and_six_cores_a_gpu_at_least():
    found = host_of(H100, 8, work="inference")
    assert found.memory.low == 2 * 8 * 79.65 * GIB
    assert found.cores.low == 48
    assert found.cores.typical == 64  # eight a GPU
    assert found.cores.high == 96


def test_training_takes_three_times_and_a_fifth_more():
    found = host_of(H100, 8, work="training")
    assert found.memory.low == 3 * 8 * 79.65 * GIB
    assert found.memory.typical == pytest.approx(3 * 1.2 * 8 * 79.65 * GIB)
    assert (found.cores.low, found.cores.typical, found.cores.high) == (96, 128, 192)


def test_an_index_and_moved_states_come_on_top():
    alone = host_of(L4, 2, work="training").memory
    index = Range(10 * GIB, 12 * GIB, 15 * GIB)
    found = host_of(L4, 2, work="training", index=index, states=20.0 * GIB)
    assert found.memory.typical - alone.typical == 32 * GIB
    assert found.for_gpus == alone


def test_no_gpus_no_host():
    with pytest.raises(SizingError):
        host_of(H100, 0, work="inference")
    with pytest.raises(SizingError):
        host_of(H100, 1, work="inference", states=-1)


@given(gpus=st.integers(1, 16), more=st.integers(0, 16), work=st.sampled_from(["inference", "training"]))
def test_more_gpus_never_need_less_around_them(gpus, more, work):
    small, large = host_of(H100, gpus, work=work), host_of(H100, gpus + more, work=work)
    assert small.memory.low <= large.memory.low
    assert small.cores.high <= large.cores.high
