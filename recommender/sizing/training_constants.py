"""How far training stays behind printed rates, as constants that measured cases set.

Few and general, as those of serving: `evaluation.starts` says where each one starts, `evaluation.fitting` how
the cases move it, and a test fits them again. Shares are of model FLOP/s, without recomputed work.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from recommender.sizing.specs import Range


@dataclass(frozen=True, slots=True)
class Stack:
    """What the software reaches: of `TrainingConstants.share`, and the launches it cannot hide."""

    share: Range
    narrow: Range  # the same in 8 and 4 bit, of the rate there: casts and scales have to be fused
    layer_s: Range  # kernels of one layer, forward and backward, of one micro-batch [s]
    attention: Range  # of `TrainingConstants.attention`


@dataclass(frozen=True, slots=True, eq=False)
class TrainingConstants:
    """Everything of training time that measured cases set.

    Attributes:
        share: Of the printed dense rate in 16 bit, by GPU generation, on machines whose GPUs an NVLink switch
            joins, with fast networks between them.
        four_bit: Times that in 4 bit.
        mixture: Times that in models with experts.
        mixture_four_bit: The same in 4 bit.
        attention: Of the printed rate in 16 bit, in which attention runs, by GPU generation.
        recompute: Time over that without: the forward pass again is a third, fuller batches give some back.
        qlora: Time over that of LoRA: adapters through 4-bit weights unpack them twice a step.
    """

    tuned: Stack
    sharded: Stack
    eager: Stack
    share: Mapping[str, Range]
    four_bit: Range
    mixture: Range
    mixture_four_bit: Range
    attention: Mapping[str, Range]
    recompute: Mapping[str, Range]
    qlora: Range


_AS_IT_IS = Range(1.0, 1.0, 1.0)

TRAINING = TrainingConstants(
    # NVIDIA Megatron-Bridge and MLPerf submissions: fused kernels, overlapped exchange. cuDNN's attention and
    # FlashAttention-3 reach up to 75 % of an H100 (arXiv:2407.08608).
    tuned=Stack(
        share=Range(1.0, 1.1, 1.17),
        narrow=Range(0.89, 0.97, 1.05),
        layer_s=Range(0.12e-3, 0.35e-3, 0.7e-3),
        attention=Range(1.4, 1.7, 1.9),
    ),
    # MosaicML llm-foundry, torchtitan, torchtune, ms-swift: what the others are measured by.
    sharded=Stack(
        share=Range(0.97, 1.0, 1.0),
        narrow=Range(0.60, 0.69, 0.75),
        layer_s=Range(0.3e-3, 0.8e-3, 1.5e-3),
        attention=_AS_IT_IS,
    ),
    # Transformers Trainer with PEFT.
    eager=Stack(
        share=Range(0.60, 0.75, 0.90),
        narrow=Range(0.43, 0.60, 0.78),
        layer_s=Range(2.2e-3, 4.2e-3, 7.2e-3),
        attention=_AS_IT_IS,
    ),
    share={
        "ampere": Range(0.51, 0.58, 0.63),
        "hopper": Range(0.39, 0.445, 0.50),
        "blackwell": Range(0.37, 0.45, 0.53),
        "other": Range(0.26, 0.38, 0.50),  # not fitted: two cases
    },
    four_bit=Range(0.52, 0.60, 0.67),
    mixture=Range(0.31, 0.36, 0.42),
    mixture_four_bit=Range(0.17, 0.195, 0.23),
    # FlashAttention-2 alone reaches up to 35 % of an H100, 60 % of an A100 (Dao, 2023, arXiv:2307.08691),
    # whole steps of 8,192 to 65,536 tokens about two thirds of that. Not fitted.
    attention={
        "ampere": Range(0.32, 0.40, 0.50),
        "hopper": Range(0.18, 0.24, 0.33),
        "blackwell": Range(0.18, 0.24, 0.33),
        "other": Range(0.14, 0.22, 0.36),
    },
    recompute={
        "none": Range(1.0, 1.0, 1.0),
        "selective": Range(1.0, 1.03, 1.06),
        "full": Range(1.0, 1.07, 1.15),
    },
    qlora=Range(1.05, 1.3, 1.75),
)
