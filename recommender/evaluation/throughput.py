"""Rates of inference: tokens of language models, and samples of everything else."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from statistics import median

from recommender.evaluation import classic, spellings
from recommender.evaluation.cases import Question, Refused
from recommender.evaluation.memory import prompt_tokens
from recommender.evaluation.scores import Prediction
from recommender.evaluation.shelf import Card, Shelf
from recommender.sizing import latency, memory, memory_constants
from recommender.sizing.model_work import model_work
from recommender.sizing.power_constants import Work
from recommender.sizing.serving_constants import SERVING, ServingConstants
from recommender.sizing.specs import AIModelSpec, KVPrecision, Layout, Link, Range

FAMILY = "inference-throughput"
# Requests that run at once where nothing states them: the engines' own limits (vLLM's max_num_seqs by the
# size of the card, TensorRT-LLM's max_batch_size).
TENSORRT_SEQUENCES = 2048
# Part of the longest prompt that a data set's mean may have: chats with a few long ones little of it, texts
# to be summed up more than half.
MEAN_PROMPT = (0.2, 0.7)
MEAN_ANSWER = (0.25, 1.0)
ADVISED_WORK: Work = "any"  # what recommendations and results show of a server that answers, at any load
DECODE = (64, 256)  # prompt and answer of a case that only says "decode" [tokens]

# Situations of language models whose lengths are stated.
SITUATIONS = (
    "tuned, dense",
    "tuned, mixture",
    "as installed, dense",
    "as installed, mixture",
    "single stream, graphs",
    "single stream, eager",
)

_DATA_PARALLEL_ATTENTION = re.compile(r"attention DP \+ EP (?P<experts>\d+)")
_STAGES = re.compile(r"DEP (?P<experts>\d+), PP (?P<stages>\d+)")
# Words of a benchmark's name that say whether all answers are as long as each other.
EVEN, SPREAD = ("random", "trtllm-bench", "batch", "generate", "decode", "prefill"), ("sharegpt",)


@dataclass(frozen=True)
class Load:
    """What is sent to the engine."""

    input_tokens: float
    output_tokens: float
    prompts: int | None  # handed over at once
    at_once: int | None  # limit of those that run
    even_lengths: bool
    scenario: str | None  # of a benchmark suite that does not state lengths
    beams: int = 1  # answers searched side by side, over one prompt


@dataclass(frozen=True)
class Setup:
    """A case in the core's words."""

    model: AIModelSpec
    card: Card
    runtime: spellings.Runtime
    weights: spellings.Weights
    kv_precision: KVPrecision
    layout: Layout
    attention_data_parallel: int
    link: Link
    link_bytes_per_s: float | None
    gpus: int
    constants: ServingConstants = SERVING

    def situation(self, load: Load) -> str:
        if load.scenario:
            return "lengths not stated"
        if not self.runtime.serves:
            return "single stream, eager"
        if load.at_once == 1 or load.prompts == 1:
            return "single stream, graphs"
        kind = "mixture" if self.model.is_moe else "dense"
        tuned = self.runtime.engine == "tensorrt_llm" and not load.prompts  # a burst is no steady state
        return f"{'tuned' if tuned else 'as installed'}, {kind}"


def predict(
    question: Question, figure: str, shelf: Shelf, constants: ServingConstants = SERVING
) -> Prediction:
    """Return a figure of a case as the site would give it.

    Args:
        constants: Others than the site's, to see what they would say of language models.

    Raises:
        Refused: the figure or something of the case is not known.
    """
    if figure == "mean_system_power_w":
        drawn = shelf.server_power_w(shelf.card(question), question.gpu_count, ADVISED_WORK)
        return Prediction(drawn, "system power")
    other = classic.model_of(question, shelf)
    if other is not None:
        return classic.predict(question, figure, other, shelf)
    model = shelf.model(question)
    if figure not in FIGURES and figure not in SHARES:
        raise Refused(f"figure not predicted: {figure}")
    case = replace(setup(question, model, shelf), constants=constants)
    loads = _loads(question, figure)
    found = [_figure(one, load, question, figure) for one in _links(case, question) for load in loads]
    everything = Range(
        min(one.low for one in found),
        median(one.typical for one in found),
        max(one.high for one in found),
    )
    point = loads[0].scenario is None
    bound = _bound(case, loads[0], question, figure) if point else None
    return Prediction(everything, case.situation(loads[0]), point, bound)


def _figure(case: Setup, load: Load, question: Question, figure: str) -> Range:
    """Return a figure under one load over one link."""
    if figure in FIGURES:
        return FIGURES[figure](case, load)
    return _output(case, load, question).scaled(SHARES[figure](case, load))


def setup(question: Question, model: AIModelSpec, shelf: Shelf) -> Setup:
    """Return a case in the core's words, without its load.

    Raises:
        Refused: something is not in the catalog or not spelled as known.
    """
    card = shelf.card(question)
    runtime, _version = spellings.runtime(question.text("engine"), spellings.SUBMISSIONS)
    weights = spellings.look_up(spellings.WEIGHTS, question.precision.get("weights"), "weights precision")
    stored = question.input.get("kv_cache_dtype") or question.precision.get("kv") or "engine default"
    kv_precision = spellings.look_up(spellings.KV, stored, "cache precision")
    if (
        stored == "engine default"
        and runtime.engine == "tensorrt_llm"
        and weights.precision in ("fp8", "fp4")
    ):
        kv_precision = "fp8"  # NVIDIA's published FP8 and FP4 checkpoints carry scales for such a cache
    layout, spread = _layout(question, model, card, weights)
    link, rate = card.link(layout.gpus_per_replica)
    return Setup(
        model=model,
        card=card,
        runtime=runtime,
        weights=weights,
        kv_precision=kv_precision,
        layout=layout,
        attention_data_parallel=spread,
        link=link,
        link_bytes_per_s=rate,
        gpus=question.gpu_count,
    )


def _links(case: Setup, question: Question) -> list[Setup]:
    """Return the case over the usual link of its cards, and over PCIe where their form is not stated."""
    if case.layout.gpus_per_replica == 1 or not question.gpu.endswith("-unspecified"):
        return [case]
    return [case, replace(case, link="pcie", link_bytes_per_s=case.card.spec.pcie_bytes_per_s)]


def _layout(
    question: Question, model: AIModelSpec, card: Card, weights: spellings.Weights
) -> tuple[Layout, int]:
    """Return the layout, and over how many ranks whole requests are spread.

    Raises:
        Refused: a way of sharing out that is not known, or more GPUs than there are.
    """
    gpus, spread = question.gpu_count, 1
    tensor, pipeline = question.count("tensor_parallel", 1), question.count("pipeline_parallel", 1)
    parallel = question.input.get("parallel")
    if parallel is not None:
        attention = _DATA_PARALLEL_ATTENTION.fullmatch(str(parallel))
        stages = _STAGES.fullmatch(str(parallel))
        found = attention or stages
        if found is None:
            raise Refused(f"parallel spelling not known: {parallel!r}")
        tensor = spread = int(found["experts"])
        pipeline = int(stages["stages"]) if stages else 1
    elif "tensor_parallel" not in question.input:
        # The fewest that hold the weights and leave a quarter of the card.
        size = memory.weight_bytes(model, weights.precision, recipe=weights.recipe).typical
        while tensor < gpus and size / tensor > 0.75 * card.spec.memory_bytes.low:
            tensor *= 2
    if tensor * pipeline > gpus:
        raise Refused("the layout needs more GPUs than the case has")
    replicas = question.count("data_parallel", max(1, gpus // (tensor * pipeline)))
    return Layout(tensor, pipeline, replicas, 0, False), spread


def _loads(question: Question, figure: str) -> list[Load]:
    """Return the load of a case, or the ends of what it may be where a suite does not state lengths.

    Raises:
        Refused: a benchmark that is not known, or no lengths and no scenario.
    """
    if question.input.get("scenario") is not None:
        return _suite_loads(question)
    name = question.text("benchmark", "").lower()
    even = any(word in name for word in EVEN)
    spread = any(word in name for word in SPREAD)
    if not even and not spread:
        raise Refused(f"benchmark spelling not known: {name!r}")
    at_once = next(
        (
            question.count(key)
            for key in ("max_concurrency", "concurrency", "batch")
            if question.input.get(key)
        ),
        None,
    )
    prompts = question.count("num_prompts") if question.input.get("num_prompts") else None
    if figure == "decode_tokens_per_s" or "decode" in name:
        prompt = question.optional_number("context_tokens") or prompt_tokens(question)
        answer = question.number("output_tokens", DECODE[1])
        prompt = prompt or DECODE[0]
    else:
        prompt, answer = question.number("input_tokens"), question.number("output_tokens")
    return [Load(max(prompt, 1.0), max(answer, 1.0), prompts, at_once, not spread, None)]


def _suite_loads(question: Question) -> list[Load]:
    """Return the two ends of a benchmark whose mean lengths nobody states."""
    longest = question.number("max_input_tokens")
    answer = question.optional_number("mean_output_tokens") or question.optional_number(
        "mean_output_tokens_reference"
    )
    answers = (
        (answer, answer)
        if answer
        else [share * question.number("max_output_tokens") for share in MEAN_ANSWER]
    )
    stated = question.optional_number("mean_input_tokens")
    prompts = (stated, stated) if stated else [share * longest for share in MEAN_PROMPT]
    scenario = question.text("scenario")
    if scenario not in ("Offline", "Server", "Interactive"):
        raise Refused(f"scenario spelling not known: {scenario!r}")
    return [
        Load(max(prompt, 1.0), max(answer, 1.0), None, None, False, scenario, question.count("beam_width", 1))
        for prompt in prompts
        for answer in answers
    ]


def _running(case: Setup, load: Load, question: Question) -> int:
    """Return the requests that run at once in one replica."""
    replicas = case.layout.replicas
    held = memory.max_requests(
        case.model,
        case.card.spec,
        case.layout,
        precision=case.weights.precision,
        kv_precision=case.kv_precision,
        tokens_per_request=ceil(load.input_tokens + load.output_tokens),
        engine=case.runtime.engine,
        utilization=question.optional_number("gpu_memory_utilization")
        or question.optional_number("mem_fraction_static"),
    ).typical
    if any(group.kind == "latent" for group in case.model.cache_groups):
        held *= case.attention_data_parallel  # each rank keeps the latents of its own requests only
    large = (
        case.card.spec.memory_bytes.low >= memory_constants.LARGE_CARD and "a100" not in case.card.spec.slug
    )
    limits = [held, memory_constants.BATCH_SEQUENCES[large]]
    if case.runtime.engine == "tensorrt_llm":
        limits[1] = TENSORRT_SEQUENCES
    if question.input.get("max_batch"):
        limits.append(question.count("max_batch"))
    sent = load.at_once or load.prompts
    if sent:
        limits.append(ceil(sent / replicas))
    elif not case.runtime.serves:
        limits.append(1)
    return int(max(1, min(limits)))


def _replica(case: Setup, load: Load) -> latency.Prepared:
    prepared = latency.prepare(
        case.model,
        case.card.spec,
        case.layout,
        link=case.link,
        link_bytes_per_s=case.link_bytes_per_s,
        precision=case.weights.precision,
        kv_precision=case.kv_precision,
        input_tokens=load.input_tokens,
        output_tokens=load.output_tokens,
        prefix_percent=100 * (1 - 1 / load.beams),
        engine="vllm" if not case.runtime.serves else case.runtime.engine,
        eager=not case.runtime.serves,
        unpacks_apart=case.weights.recipe in ("nf4", "nf4-double"),
        constants=case.constants,
    )
    if prepared is None:
        raise Refused(_unknown(case))
    return prepared


def _unknown(case: Setup) -> str:
    return f"the card does not take {case.weights.precision}, or its rate or the model's cache is not known"


def _output(case: Setup, load: Load, question: Question) -> Range:
    """Return output tokens over all GPUs [1/s]."""
    running, replicas = _running(case, load, question), case.layout.replicas
    if load.prompts and load.prompts > 1:
        burst = latency.burst_output_tokens_per_s(
            case.model,
            case.card.spec,
            case.layout,
            link=case.link,
            link_bytes_per_s=case.link_bytes_per_s,
            precision=case.weights.precision,
            kv_precision=case.kv_precision,
            input_tokens=load.input_tokens,
            output_tokens=load.output_tokens,
            prompts=max(1, load.prompts // replicas),
            slots=running,
            even_lengths=load.even_lengths,
            engine=case.runtime.engine,
            constants=case.constants,
        )
        if burst is None:
            raise Refused(_unknown(case))
        return burst.scaled(replicas)
    replica = _replica(case, load)
    full = replica.serving(running).output_tokens_per_s
    if load.scenario in ("Server", "Interactive"):
        full = Range(min(full.low, _within_limits(replica, question, running)), full.typical, full.high)
    return full.scaled(replicas)


def _bound(case: Setup, load: Load, question: Question, figure: str) -> float | None:
    """Return a figure if printed rates were reached in full and nothing else took time (the roofline).

    A request takes the longer of its arithmetic and its part of the memory traffic.
    """
    card, model = case.card.spec, case.model
    computing = latency.computing_precision(card, case.weights.precision, case.runtime.engine)
    rate = card.dense_flops.get(computing) if computing else None
    if figure not in SHARES or not rate or not card.bandwidth_bytes_per_s:
        return None
    running, gpus = _running(case, load, question), case.layout.gpus_per_replica
    work = model_work(model, case.weights.precision)
    touched = 1 - (1 - work.touched_share) ** running
    weights = (work.shared_bytes + work.expert_bytes * touched) / gpus
    cache = memory.cache_bytes(
        model,
        tokens=ceil(load.input_tokens + load.output_tokens / 2),
        requests=1,
        kv_precision=case.kv_precision,
        tensor_parallel=case.layout.tensor_parallel,
        pipeline_parallel=case.layout.pipeline_parallel,
    ).typical
    arithmetic = 2 * work.active_parameters * (load.input_tokens + load.output_tokens) / (rate * gpus)
    traffic = load.output_tokens * (weights / running + cache) / card.bandwidth_bytes_per_s
    output = load.output_tokens / max(arithmetic, traffic) * case.layout.replicas
    return output * SHARES[figure](case, load)


def _within_limits(replica: latency.Prepared, question: Question, running: int) -> float:
    """Return the rate of one replica with the most requests that surely keep the time limits [tokens/s]."""
    limits = (question.optional_number("ttft_limit_ms"), question.optional_number("tpot_limit_ms"))
    ttft_s, tpot_s = (None if limit is None else limit / 1000 for limit in limits)
    kept = latency.largest(running, lambda requests: replica.keeps(requests, ttft_s, tpot_s, 2))
    return replica.serving(max(kept, 1)).output_tokens_per_s.low


def _decode(case: Setup, load: Load) -> Range:
    """Return the tokens of one stream while it answers [1/s]."""
    tpot = _replica(case, load).serving(load.at_once or 1).tpot_s
    return Range(1 / tpot.high, 1 / tpot.typical, 1 / tpot.low)


def _prefill(case: Setup, load: Load) -> Range:
    """Return the tokens of a prompt over the time until its first answer [1/s]."""
    ttft = _replica(case, replace(load, output_tokens=1.0)).serving(load.at_once or 1).ttft_s
    tokens = load.input_tokens
    return Range(tokens / ttft.high, tokens / ttft.typical, tokens / ttft.low)


# Figures in words of output tokens over all GPUs.
SHARES: dict[str, Callable[[Setup, Load], float]] = {
    "output_tokens_per_s": lambda case, load: 1.0,
    "output_tokens_per_s_per_gpu": lambda case, load: 1 / case.gpus,
    "total_tokens_per_s": lambda case, load: 1 + load.input_tokens / load.output_tokens,
    "samples_per_s": lambda case, load: 1 / load.output_tokens / load.beams,
}
FIGURES: dict[str, Callable[[Setup, Load], Range]] = {
    "decode_tokens_per_s": _decode,
    "prefill_tokens_per_s": _prefill,
}
