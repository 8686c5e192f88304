"""How far engines stay behind printed rates when they answer, as constants that measured cases set.

Few and general: each belongs to a situation in which several logs and tables agree, never to one run.
`evaluation.fitting` says where each one starts and how the cases move it; a test fits them again.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from recommender.sizing.specs import Range


@dataclass(frozen=True, slots=True)
class Engine:
    """How an engine uses a card: fractions of printed rates, and the time it spends beside the card."""

    bandwidth: Range  # share of printed memory bandwidth in a decode step
    compute: Range  # of `ServingConstants.share`
    step_s: Range  # fixed time of a decode step: scheduler, sampling, launches
    layer_s: Range  # kernels of one layer that no roofline counts
    request_s: Range  # per running request in a step: sampling, detokenising, scheduling


@dataclass(frozen=True, slots=True, eq=False)  # caches tell two sets apart by identity, which costs nothing
class ServingConstants:
    """Everything of serving that measured cases set.

    Attributes:
        share: Of the printed dense rate, in prompts and large batches, by GPU generation, on a tuned engine.
        four_bit: Times that where the card multiplies in 4 bit.
        mixture: Times that in experts, which are small and unevenly filled.
        mixture_four_bit: The same in 4 bit on cards with HBM, whose rate outgrows what experts can fill.
        mixture_layers: Times `layer_s`: routing, sorting tokens by expert and gathering them again.
        eight_bit_experts: Times both rates as installed: block scales without kernels tuned for the card.
        unpacking: Times the bandwidth: 4-bit weights unpacked to 16 bit at each read.
        eager_unpacking: Times the launches of eager PyTorch: kernels of their own unpack 4-bit weights.
    """

    installed: Engine
    tuned: Engine
    eager: Engine
    share: Mapping[str, Range]
    four_bit: Range
    mixture: Range
    mixture_four_bit: Range
    mixture_layers: Range
    eight_bit_experts: Range
    unpacking: Range
    eager_unpacking: Range


# NVIDIA's aiconfigurator counts 0.8 of the printed bandwidth, copies of gigabytes reach 0.85 and more; a
# millisecond for each step is our judgement. Neither is fitted.
_BANDWIDTH = Range(0.66, 0.82, 0.93)
_STEP_S = Range(0.3e-3, 1.0e-3, 2.2e-3)

SERVING = ServingConstants(
    # vLLM and SGLang with the settings they come with.
    installed=Engine(
        bandwidth=_BANDWIDTH,
        compute=Range(0.60, 0.80, 1.0),
        step_s=_STEP_S,
        layer_s=Range(10e-6, 24e-6, 44e-6),
        request_s=Range(15e-6, 62e-6, 107e-6),
    ),
    # TensorRT-LLM as its maker tunes it.
    tuned=Engine(
        bandwidth=_BANDWIDTH,
        compute=Range(0.74, 1.0, 1.22),
        step_s=_STEP_S,
        layer_s=Range(7e-6, 16e-6, 27e-6),
        request_s=Range(1.4e-6, 5.8e-6, 11.5e-6),
    ),
    # PyTorch without graphs launches each kernel by itself.
    eager=Engine(
        bandwidth=_BANDWIDTH,
        compute=Range(0.46, 0.70, 0.93),
        step_s=Range(0.5e-3, 2e-3, 5e-3),
        layer_s=Range(305e-6, 435e-6, 610e-6),
        request_s=Range(5e-6, 20e-6, 50e-6),
    ),
    # Turing, Ada, Blackwell with HBM, CDNA and others are not fitted: no case of them states its lengths.
    # They stand where the best matrix products do (ml-engineering) and their submissions to MLPerf Inference
    # (Llama-2-70B on B200, MI300X and MI325X) leave them.
    share={
        "turing": Range.exact(0.38),
        "ampere": Range.exact(0.74),
        "ada": Range.exact(0.59),
        "hopper": Range.exact(0.56),
        "hopper-reduced": Range.exact(0.77),
        "blackwell": Range.exact(0.50),
        "blackwell-workstation": Range.exact(0.62),
        "cdna": Range.exact(0.46),
        "other": Range.exact(0.37),
    },
    four_bit=Range.exact(0.83),
    mixture=Range(0.42, 0.59, 0.81),
    mixture_four_bit=Range(0.22, 0.30, 0.42),
    mixture_layers=Range(1.6, 2.9, 3.7),
    eight_bit_experts=Range(0.38, 0.56, 0.75),
    unpacking=Range(0.60, 0.82, 1.0),
    eager_unpacking=Range(1.8, 2.5, 3.3),
)
