"""Host memory [bytes] and processor cores [count] that go with the GPUs of a server."""

from dataclasses import dataclass
from typing import Literal

from recommender.sizing.formulas import Formula, formula
from recommender.sizing.lines import Line
from recommender.sizing.specs import GPUSpec, Range, SizingError

Work = Literal["inference", "training"]

# Host memory over all GPU memory of the server. NVIDIA sizes inference servers at twice at least; loaders,
# checkpoints and states of training take three to four times. A fifth stays free on top: our own judgement.
MEMORY_FACTOR: dict[Work, Range] = {
    "inference": Range(2.0, 2.4, 3.0),
    "training": Range(3.0, 3.6, 4.8),
}
# Physical cores for each GPU: NVIDIA's rule for inference servers is six at least, 8 to 12 are usual; loaders
# that prepare training data take 12 to 24.
CORES_PER_GPU: dict[Work, Range] = {
    "inference": Range(6.0, 8.0, 12.0),
    "training": Range(12.0, 16.0, 24.0),
}


@dataclass(frozen=True, slots=True)
class Host:
    """What the server around the GPUs should have. Low: the least that makers advise."""

    memory: Range  # bytes
    cores: Range  # physical, over all sockets
    for_gpus: Range  # part of `memory` that goes with the GPUs [bytes]
    for_index: Range  # a vector index in the same server [bytes]
    for_states: float  # optimizer states moved out of the GPUs [bytes]
    formula: Formula  # of `memory`
    cores_each: Range  # for each GPU


def host_of(gpu: GPUSpec, gpus: int, *, work: Work, index: Range | None = None, states: float = 0.0) -> Host:
    """Return host memory and cores for one server.

    Args:
        gpu: The card.
        gpus: GPUs in the server [count].
        work: What they do most of the time; training where both take turns.
        index: Memory of a vector index that lies in the same server [bytes].
        states: Optimizer states in host memory, this server's share [bytes].

    Raises:
        SizingError: a number of GPUs below one, or negative states.
    """
    if gpus < 1 or states < 0:
        raise SizingError(f"{gpus=}, {states=} need no host")
    factor, each = MEMORY_FACTOR[work], gpu.memory_bytes
    around = Range(
        factor.low * gpus * each.low,
        factor.typical * gpus * each.typical,
        factor.high * gpus * each.high,
    )
    held = index or Range.exact(0.0)
    memory, cores = around + held + Range.exact(states), CORES_PER_GPU[work]
    return Host(
        memory=memory,
        cores=cores.scaled(float(gpus)),
        for_gpus=around,
        for_index=held,
        for_states=states,
        formula=formula(Line("host_memory", "outside", memory, (factor, gpus, each, held, states))),
        cores_each=cores,
    )
