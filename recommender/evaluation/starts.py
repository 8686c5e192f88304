"""Where fitted constants start, and how far they may well be from there, as known beside the cases.

Each of them holds for a whole situation, so that every one is set by several groups of cases. What the cases
make of them stands in `sizing.serving_constants` and `sizing.training_constants`.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Start:
    """A value, and by what factor it may well be another (as a logarithm)."""

    value: float
    spread: float


SERVING: Mapping[str, Start] = {
    # Between the best matrix product and whole training steps, as their geometric mean: 0.87 and 0.57 on
    # A100, 0.80 and 0.41 on H100 (ml-engineering, Bekman, 2024; llm-foundry's tables). Cards with little
    # arithmetic keep their clock; those of workstations are taken for like the others.
    "share.ampere": Start(0.70, 0.2),
    "share.hopper": Start(0.57, 0.2),
    "share.hopper-reduced": Start(0.80, 0.2),
    "share.blackwell-workstation": Start(0.57, 0.2),
    # Our own judgement from here on, in round numbers.
    "four_bit": Start(0.85, 0.2),
    "mixture": Start(0.60, 0.3),
    "mixture_four_bit": Start(0.60, 0.5),
    "mixture_layers": Start(2.5, 0.4),
    "eight_bit_experts": Start(0.80, 0.3),
    "unpacking": Start(0.70, 0.3),
    "eager_unpacking": Start(1.8, 0.4),
    "installed.compute": Start(0.80, 0.2),
    "installed.layer_s": Start(15e-6, 0.5),
    "installed.request_s": Start(20e-6, 0.7),
    "tuned.layer_s": Start(15e-6, 0.5),
    "tuned.request_s": Start(5e-6, 0.7),
    "eager.layer_s": Start(400e-6, 0.5),
}

TRAINING: Mapping[str, Start] = {
    # Of the best matrix product (0.87 on A100, 0.80 on H100, 0.78 on B200; ml-engineering) two thirds on A100
    # and half on faster cards, whose memory and links did not grow with their arithmetic.
    "share.ampere": Start(0.58, 0.2),
    "share.hopper": Start(0.40, 0.2),
    "share.blackwell": Start(0.39, 0.2),
    # Our own judgement from here on, in round numbers.
    "four_bit": Start(0.70, 0.3),
    "mixture": Start(0.40, 0.3),
    "mixture_four_bit": Start(0.20, 0.3),
    "tuned.narrow": Start(1.0, 0.2),
    "tuned.layer_s": Start(0.3e-3, 0.5),
    "sharded.narrow": Start(0.80, 0.2),
    "sharded.layer_s": Start(0.8e-3, 0.5),
    "eager.layer_s": Start(3.5e-3, 0.3),
    "qlora": Start(1.2, 0.3),
}
