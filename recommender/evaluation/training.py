"""Training: rates, utilization, peak memory, fits or does not."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from recommender.evaluation import spellings
from recommender.evaluation.cases import Question, Refused
from recommender.evaluation.memory import without_driver
from recommender.evaluation.scores import Prediction
from recommender.evaluation.shelf import Card, Shelf, memory_card, resized
from recommender.sizing import training
from recommender.sizing.memory import TrainingSetup, training_memory
from recommender.sizing.specs import GIB, AIModelSpec, Layout, Memory, Method, Precision, Range, Recompute
from recommender.sizing.training_constants import TRAINING, TrainingConstants

FAMILY = "training"
GPUS_PER_SERVER = {"superchip": 4}  # GB200 trays; all other machines of the cases hold eight
TOKENS = 1e6  # any number: times are proportional
RATES = frozenset(
    {"tokens_per_s_per_gpu", "tokens_per_s", "samples_per_s", "seconds_per_iteration", "mfu_pct"}
)


@dataclass(frozen=True)
class Setup:
    """A case in the core's words."""

    model: AIModelSpec
    card: Card
    gpus: int
    servers: int
    method: Method
    compute: Precision
    stack: training.Stack
    unit: float  # what the tool calls a GB [bytes]
    layout: Layout
    context_parallel: int
    sequence_tokens: int
    micro_batch: int
    accumulation: int | None
    global_batch: int
    recompute: Recompute
    constants: TrainingConstants = TRAINING

    @property
    def situation(self) -> str:
        kind = "mixture" if self.model.is_moe else "dense"
        return f"{self.stack}, {self.method}, {kind}"


def setup(question: Question, shelf: Shelf) -> Setup:
    """Return a case in the core's words.

    Raises:
        Refused: something is not in the catalog or not spelled as known.
    """
    model, card = shelf.model(question), memory_card(shelf, question)
    if not model.generates_tokens:
        raise Refused(f"training of this kind of model is not sized: {model.kind}")
    stack, unit = spellings.framework(question.text("framework"))
    method = spellings.look_up(spellings.METHODS, question.text("method"), "training method")
    compute = spellings.look_up(spellings.COMPUTE, question.precision.get("compute"), "compute precision")
    recompute = question.text("activation_checkpointing", "none" if stack == "tuned" else "selective")
    gpus = question.gpu_count
    tensor, pipeline = question.count("tensor_parallel", 1), question.count("pipeline_parallel", 1)
    context, batch = question.count("context_parallel", 1), question.input.get("global_batch")
    stated_micro = question.input.get("micro_batch")
    micro = question.count("micro_batch", 1)
    if batch and not question.input.get("tensor_parallel"):
        # More GPUs than sequences: several share one.
        sequences = question.count("global_batch") // micro
        context = max(context, gpus // (tensor * pipeline * sequences) if sequences else 1)
    if tensor * pipeline * context > gpus:
        raise Refused("the layout needs more GPUs than the case has")
    workers = gpus // (tensor * pipeline * context)
    accumulation = question.count("grad_accum") if question.input.get("grad_accum") else None
    if batch and accumulation is None and stated_micro:
        accumulation = max(1, question.count("global_batch") // (micro * workers))
    return Setup(
        model=resized(model, question.optional_number("params")),
        card=card,
        gpus=gpus,
        servers=question.count("nodes", max(1, gpus // GPUS_PER_SERVER.get(card.spec.form or "", 8))),
        method=method,
        compute=compute,
        stack=stack,
        unit=unit,
        layout=Layout(tensor, pipeline, workers, 0, False),
        context_parallel=context,
        sequence_tokens=question.count("seq_len"),
        micro_batch=micro,
        accumulation=accumulation,
        global_batch=question.count("global_batch", micro * workers * (accumulation or 1)),
        recompute=spellings.look_up(spellings.RECOMPUTE, recompute, "recomputation"),
    )


def predict(
    question: Question, figure: str, shelf: Shelf, constants: TrainingConstants = TRAINING
) -> Prediction:
    """Return a figure of a case as the site would give it.

    Args:
        constants: Others than the site's, to see what they would say of times.

    Raises:
        Refused: the figure or something of the case is not known.
    """
    if figure in REFUSED:
        raise Refused(REFUSED[figure])
    rule = FIGURES.get(figure)
    if rule is None:
        raise Refused(f"figure not predicted: {figure}")
    case = replace(setup(question, shelf), constants=constants)
    return Prediction(rule(case, question), case.situation, bound=_bound(case, figure))


def fits(question: Question, shelf: Shelf) -> bool:
    """Tell whether the case's training fits on its GPUs.

    Raises:
        Refused: something of the case is not known.
    """
    needed = _memory(setup(question, shelf), question)
    return needed.total.typical <= needed.available.typical


def _bound(case: Setup, figure: str) -> float | None:
    """Return a rate if the printed one were reached in full, without recomputed work."""
    peak = case.card.spec.dense_flops.get(case.compute)
    gpus = {"tokens_per_s_per_gpu": 1, "tokens_per_s": case.gpus}.get(figure)
    if not peak or not gpus:
        return None
    return gpus * peak / sum(training.flops_per_token(case.model, case.method, case.sequence_tokens))


def _tokens_per_s_per_gpu(case: Setup, question: Question) -> Range:
    # The sequence lies over the ranks of both kinds, so that to the core they are one group.
    layout = replace(case.layout, tensor_parallel=case.layout.tensor_parallel * case.context_parallel)
    link, rate = case.card.link(min(case.gpus, GPUS_PER_SERVER.get(case.card.spec.form or "", 8)))
    seconds = training.training_seconds(
        case.model,
        case.card.spec,
        layout,
        link=link,
        link_bytes_per_s=rate,
        method=case.method,
        precision=case.compute,
        sequence_tokens=case.sequence_tokens,
        global_batch=case.global_batch,
        micro_batch=case.micro_batch,
        recompute=case.recompute,
        tokens=TOKENS,
        servers=case.servers,
        stack=case.stack,
        constants=case.constants,
    )
    if seconds is None:
        raise Refused(f"the card's rate is not published: {case.compute}")
    each = TOKENS / case.gpus
    return Range(each / seconds.high, each / seconds.typical, each / seconds.low)


def _tokens_per_s(case: Setup, question: Question) -> Range:
    return _tokens_per_s_per_gpu(case, question).scaled(case.gpus)


def _samples_per_s(case: Setup, question: Question) -> Range:
    return _tokens_per_s(case, question).scaled(1 / case.sequence_tokens)


def _seconds_per_iteration(case: Setup, question: Question) -> Range:
    """Return the time of one optimizer step [s]."""
    rate = _tokens_per_s(case, question)
    tokens = case.sequence_tokens * case.global_batch
    return Range(tokens / rate.high, tokens / rate.typical, tokens / rate.low)


def _utilization(case: Setup, question: Question) -> Range:
    """Return model FLOP/s over the printed rate [%], with attention over the whole square of a sequence.

    That is how the frameworks that print it count (llm-foundry, scripts/train/benchmarking).
    """
    peak = case.card.spec.dense_flops.get(case.compute)
    if not peak:
        raise Refused(f"the card's rate is not published: {case.compute}")
    matrix, attention = training.flops_per_token(case.model, case.method, case.sequence_tokens)
    return _tokens_per_s_per_gpu(case, question).scaled(100 * (matrix + 2 * attention) / peak)


def _peak(unit: float | None) -> Callable[[Setup, Question], Range]:
    """Return the rule of a peak in that unit, or the tool's own GB [bytes]."""

    def rule(case: Setup, question: Question) -> Range:
        return without_driver(_memory(case, question), case.card.spec).scaled(1 / (unit or case.unit))

    return rule


def _memory(case: Setup, question: Question) -> Memory:
    if question.flag("cpu_offload"):
        raise Refused("which states lie in host memory is not stated")
    if question.input.get("micro_batch") is None:
        raise Refused("input not stated: micro_batch")
    sharding, context = spellings.sharding(question.text("sharding", "none"))
    context = context or case.context_parallel
    workers = max(1, case.gpus // case.layout.gpus_per_replica)  # all of them hold a part of the states
    targets = question.input.get("lora_targets")
    accumulates = case.stack == "eager" or (case.accumulation or 1) > 1
    setup = TrainingSetup(
        method=case.method,
        precision="bf16",
        optimizer=_optimizer(case, question),
        lora_rank=question.count("lora_rank", 8),
        sequence_tokens=max(1, case.sequence_tokens // context),
        micro_batch=case.micro_batch,
        recompute=case.recompute if "activation_checkpointing" in question.input else "none",
        sharding=sharding,
        lora_targets="all" if targets is None else spellings.look_up(spellings.TARGETS, targets, "targets"),
        compiled=question.flag("compile") if "compile" in question.input else None,
        compiled_loss=False if question.text("framework").startswith(spellings.BLOCKS_COMPILED) else None,
        chunked_loss=question.flag("chunked_ce"),
        accumulates=accumulates,
        offload="activations" if question.flag("activation_offload") else "none",
        used_at_once=question.flag("optimizer_in_backward"),
        trained_embeddings=question.text("method") == spellings.TRAINS_EMBEDDINGS,
    )
    return training_memory(case.model, case.card.spec, replace(case.layout, replicas=workers), setup)


def _optimizer(case: Setup, question: Question) -> str:
    """Return the recipe of weights, gradients and optimizer states, by the core's name."""
    name = question.text("optimizer", "AdamW")
    sharding = question.text("sharding", "none")
    if name == "AdamW 8-bit":
        return "adamw_8bit_bf16"
    if name != "AdamW":
        raise Refused(f"optimizer spelling not known: {name!r}")
    if "states bf16" in str(question.precision.get("compute")):
        return "adamw_bf16"
    if str(question.input.get("params_and_grads", "")).startswith("fp32 sharded params"):
        return "adamw_fp32"
    if "DeepSpeed" in sharding or (
        question.text("framework").startswith("HF Trainer") and case.method == "full"
    ):
        return "adamw_deepspeed"  # the trainer's way of sharing out a whole model
    return "adamw"


REFUSED = {
    "time_to_train_min": "the steps until a quality is reached cannot be known",
}
FIGURES: dict[str, Callable[[Setup, Question], Range]] = {
    "tokens_per_s_per_gpu": _tokens_per_s_per_gpu,
    "tokens_per_s": _tokens_per_s,
    "samples_per_s": _samples_per_s,
    "seconds_per_iteration": _seconds_per_iteration,
    "mfu_pct": _utilization,
    "peak_gpu_gib": _peak(GIB),
    "peak_gpu_gb": _peak(None),
    "max_memory_usage_gb": _peak(None),
}
