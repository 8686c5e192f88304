"""Memory of inference: weights, the pool left for the cache, peaks of plain PyTorch, fits or does not."""

from collections.abc import Callable
from dataclasses import dataclass

from recommender.evaluation import spellings
from recommender.evaluation.cases import Question, Refused
from recommender.evaluation.scores import Prediction
from recommender.evaluation.shelf import Shelf, memory_card
from recommender.sizing import memory
from recommender.sizing.specs import (
    GIB,
    AIModelSpec,
    Build,
    GPUSpec,
    KVPrecision,
    Layout,
    Memory,
    Range,
)

FAMILY = "inference-memory"
MIB = 2**20
# Lengths that cases give in words [tokens].
PROMPTS = {"short prompt": 20, "short prompt, few hundred tokens": 200}
ANSWER = 100  # of a case that does not state one: a sentence or two [tokens]


@dataclass(frozen=True)
class Setup:
    """A case in the core's words."""

    model: AIModelSpec
    runtime: spellings.Runtime
    build: Build
    weights: spellings.Weights
    kv_precision: KVPrecision
    layout: Layout
    context_parallel: int  # ranks that share out the tokens of the cache
    max_length: int | None  # longest request that the engine takes [tokens]
    whole_chunks: bool  # windowed layers are planned with a batch beside their window

    @property
    def situation(self) -> str:
        if not self.runtime.serves:
            return "plain PyTorch"
        return f"{self.runtime.engine}, {'older' if self.build == '2024' else 'current'} releases"


def setup(question: Question, shelf: Shelf) -> Setup:
    """Return a case in the core's words, without its card.

    Raises:
        Refused: something is not in the catalog or not spelled as known.
    """
    model = shelf.model(question)
    runtime, numbers = spellings.runtime(question.text("engine"))
    version = question.input.get("engine_version")
    version = None if version is None else str(version)
    build = spellings.build(runtime, version, numbers)
    weights = spellings.look_up(spellings.WEIGHTS, question.precision.get("weights"), "weights precision")
    tensor, pipeline = question.count("tensor_parallel", 1), question.count("pipeline_parallel", 1)
    copies = question.count("data_parallel", 1)
    experts = tensor * copies if question.flag("expert_parallel") else 1
    stored = question.precision.get("kv")
    kv_precision = "bf16" if stored is None else spellings.look_up(spellings.KV, stored, "cache precision")
    return Setup(
        model=model,
        runtime=runtime,
        build=build,
        weights=weights,
        kv_precision=kv_precision,
        layout=Layout(tensor, pipeline, copies, 0, False, expert_parallel=experts),
        context_parallel=question.count("decode_context_parallel", 1),
        max_length=question.count("max_model_len") if question.input.get("max_model_len") else None,
        whole_chunks=spellings.plans_whole_chunks(runtime, version),
    )


def predict(question: Question, figure: str, shelf: Shelf) -> Prediction:
    """Return a figure of a case as the site would give it.

    Raises:
        Refused: the figure or something of the case is not known.
    """
    rule = FIGURES.get(figure)
    if rule is None:
        raise Refused(f"figure not predicted: {figure}")
    case = setup(question, shelf)
    return Prediction(rule(case, question, shelf), case.situation)


def fits(question: Question, shelf: Shelf) -> bool:
    """Tell whether the case's load fits: one request of the longest length, or the stated batch.

    Raises:
        Refused: something of the case is not known.
    """
    case = setup(question, shelf)
    if case.runtime.serves:
        needed = _serving(case, question, shelf, tokens=case.max_length or 1, requests=1)
    else:
        needed = _plain(case, question, shelf)
    return needed.total.typical <= needed.available.typical


def _weights(case: Setup, question: Question, shelf: Shelf) -> Range:
    """Return the weights on one GPU [GiB]: engines print 2^30 bytes, whatever they call them."""
    return _serving(case, question, shelf).weights.scaled(1 / GIB)


def _pool(case: Setup, question: Question, shelf: Shelf) -> Range:
    """Return what is left for the cache [bytes]."""
    budget = question.optional_number("gpu_memory_utilization") or question.optional_number(
        "mem_fraction_static"
    )
    if budget is None:
        raise Refused("the engine's memory budget is not stated")
    needed = _serving(case, question, shelf)
    spent, available = needed.weights + needed.activations + needed.overhead, needed.available
    return Range(
        max(available.low - spent.high, 0.0),
        max(available.typical - spent.typical, 0.0),
        max(available.high - spent.low, 0.0),
    )


def _pool_gib(case: Setup, question: Question, shelf: Shelf) -> Range:
    return _pool(case, question, shelf).scaled(1 / GIB)


def _requests(case: Setup, question: Question, shelf: Shelf) -> Range:
    """Return how often a request of the longest length fits into the pool."""
    pool, one = _pool(case, question, shelf), _longest(case, question)
    return Range(pool.low / one.high, pool.typical / one.typical, pool.high / one.low)


def _tokens(case: Setup, question: Question, shelf: Shelf) -> Range:
    """Return the tokens that the pool holds; engines count bounded layers by the longest request."""
    if all(group.window is None and group.kind != "state" for group in case.model.cache_groups):
        return _pool(case, question, shelf).scaled(1 / _bytes_per_token(case))
    return _requests(case, question, shelf).scaled(float(case.max_length or 0))


def _token(case: Setup, question: Question, shelf: Shelf) -> Range:
    return Range.exact(_bytes_per_token(case))


def _bytes_per_token(case: Setup) -> float:
    """Return what each further token takes on one GPU [bytes]."""
    per_rank = memory.cache_bytes_per_token(case.model, case.kv_precision, case.layout.tensor_parallel)
    if not per_rank:
        raise Refused("the model's cache does not grow with tokens")
    return per_rank / case.context_parallel


def _longest_gib(case: Setup, question: Question, shelf: Shelf) -> Range:
    return _longest(case, question).scaled(1 / GIB)


def _longest(case: Setup, question: Question) -> Range:
    """Return the cache of one request of the longest length on one GPU [bytes]."""
    if case.max_length is None:
        raise Refused("input not stated: max_model_len")
    cache = memory.cache_bytes(
        case.model,
        tokens=case.max_length,
        requests=1,
        kv_precision=case.kv_precision,
        tensor_parallel=case.layout.tensor_parallel,
    )
    if not cache.typical:
        raise Refused("the model keeps no cache")
    windowed = any(group.window is not None for group in case.model.cache_groups)
    stateful = any(group.kind == "state" for group in case.model.cache_groups)
    # vLLM counts whole pages, which are large beside constant states.
    if (case.whole_chunks and windowed) or (case.runtime.engine == "vllm" and stateful):
        cache = Range(cache.low, cache.high, cache.high)
    return cache.scaled(1 / case.context_parallel)


def _peak(unit: float | None) -> Callable[[Setup, Question, Shelf], Range]:
    """Return the rule of a peak in that unit, or the tool's own GB [bytes]."""

    def rule(case: Setup, question: Question, shelf: Shelf) -> Range:
        if case.runtime.serves:
            raise Refused("an engine's peak is its budget, not its need")
        needed, gpu = _plain(case, question, shelf), memory_card(shelf, question).spec
        return without_driver(needed, gpu).scaled(1 / (unit or case.runtime.unit))

    return rule


def without_driver(needed: Memory, gpu: GPUSpec) -> Range:
    """Return the total as a program sees it, without the part that the driver keeps [bytes]."""
    total, kept = needed.total, memory.driver_reserve(gpu)
    low = max(total.low - kept.low, 0.0)
    typical = max(total.typical - kept.typical, low)
    return Range(low, typical, max(total.high - kept.high, typical))


def _serving(case: Setup, question: Question, shelf: Shelf, tokens: int = 1, requests: int = 0) -> Memory:
    if not case.runtime.serves:
        raise Refused("plain PyTorch has no pool of its own")
    if case.model.kind in ("vision", "image_generation", "asr"):
        raise Refused(f"engine memory is sized for language models, not for {case.model.kind}")
    batch = question.count("max_num_batched_tokens") if question.input.get("max_num_batched_tokens") else None
    if batch is None and case.build == "2024":
        batch = case.max_length  # these releases read a prompt in one go
    return memory.inference_memory(
        case.model,
        memory_card(shelf, question).spec,
        case.layout,
        precision=case.weights.precision,
        kv_precision=case.kv_precision,
        tokens_per_request=tokens,
        requests=requests,
        engine=case.runtime.engine,
        utilization=question.optional_number("gpu_memory_utilization")
        or question.optional_number("mem_fraction_static"),
        build=case.build,
        batch_tokens=batch,
        recipe=case.weights.recipe,
    )


def _plain(case: Setup, question: Question, shelf: Shelf) -> Memory:
    return memory.inference_memory(
        case.model,
        memory_card(shelf, question).spec,
        case.layout,
        precision=case.weights.precision,
        kv_precision=case.kv_precision,
        tokens_per_request=prompt_tokens(question) + question.count("output_tokens", ANSWER),
        requests=question.count("batch", 1),
        engine="other",
        utilization=1.0,
        build=case.build,
        recipe=case.weights.recipe,
    )


def prompt_tokens(question: Question) -> int:
    """Return the length of the prompt, which plain cases often only describe [tokens].

    Raises:
        Refused: a description that is not known.
    """
    stated = question.input.get("input_tokens", question.input.get("context"))
    if isinstance(stated, str):
        return spellings.look_up(PROMPTS, stated, "prompt length")
    return int(question.number("input_tokens", PROMPTS["short prompt"]))


FIGURES: dict[str, Callable[[Setup, Question, Shelf], Range]] = {
    "weights_gib_per_gpu": _weights,
    "weights_gb_per_gpu": _weights,
    "kv_cache_available_gib_per_gpu": _pool_gib,
    "kv_cache_gb_per_gpu": _pool_gib,
    "kv_cache_tokens": _tokens,
    "max_concurrency_x": _requests,
    "kv_bytes_per_token": _token,
    "kv_gib_for_max_len": _longest_gib,
    "peak_gpu_mib": _peak(MIB),
    "peak_gpu_gib": _peak(GIB),
    "peak_gpu_gb": _peak(None),
}
