"""Time to first token, time per output token and tokens per second of a language model being served.

A roofline in the sense of Williams et al. (2009, doi:10.1145/1498765.1498785): a step lasts as long as the
slower of arithmetic and memory traffic, at the rates that engines reach (`serving_constants`), plus what
links and the engine itself take. Every figure has three ends; none is better than printed rates allow.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, exp, log

from recommender.sizing import memory, precisions, speed_constants as c
from recommender.sizing.lines import ends
from recommender.sizing.model_work import ModelWork, model_work, prompt_attention_flops
from recommender.sizing.serving_constants import SERVING, ServingConstants
from recommender.sizing.specs import (
    AIModelSpec,
    Engine,
    GPUSpec,
    KVPrecision,
    Layout,
    Link,
    Precision,
    Range,
    SizingError,
)

BITS = {"fp32": 32, "bf16": 16, "fp16": 16, "fp8": 8, "int8": 8, "fp4": 4, "int4": 4}
Ends = tuple[float, float, float]  # at the favourable, the typical and the unfavourable end
_ACTIVATION_BYTES = 2  # hidden states travel in 16 bit


@dataclass(frozen=True, slots=True)
class Serving:
    """How one replica serves the requests that run at once."""

    ttft_s: Range  # time to first token
    tpot_s: Range  # time per output token
    output_tokens_per_s: Range  # of all its requests together


@dataclass(frozen=True, slots=True)
class _End:
    """One end of the ranges, as times per unit of work on one pipeline pass."""

    weight_s: float  # shared weights
    expert_s: float
    cache_s: float  # per cache byte
    token_s: float  # arithmetic of one token
    tile_s: float  # arithmetic of the fewest rows that a matrix product works on
    flop_s: float  # one FLOP of attention
    link_token_s: float  # moving one token's hidden states over all layers
    link_step_s: float  # latency of all layers' exchanges
    step_s: float
    request_s: float
    chunk_tokens: float


@dataclass(frozen=True, slots=True)
class _Replica:
    work: ModelWork
    ends: tuple[_End, _End, _End]  # favourable, typical, unfavourable


@dataclass(frozen=True, slots=True)
class Prepared:
    """A replica under a load of which only the number of requests that run at once is open.

    These are spread out in time unless `batch`: all in one instant.
    """

    replica: _Replica
    cache_bytes: Ends  # read for each request's next token
    prompt: Ends  # tokens that have to be read
    attention_flops: Ends
    output_tokens: float
    stages: int
    batch: bool
    draft: "Prepared | None" = None
    predicts: bool = False  # its own prediction layer proposes the next token but one

    def serving(self, requests: int) -> Serving:
        """Return first-token time, time per token [s] and token rate [1/s] with so many requests.

        Raises:
            SizingError: there are none.
        """
        if requests < 1:
            raise SizingError(f"{requests=} make no load")
        low_ttft, low_tpot = self._times(0, requests)
        typical_ttft, typical_tpot = self._times(1, requests)
        high_ttft, high_tpot = self._times(2, requests)
        # A slower step leaves prompts less to wait for, so the order of the ends is not given by itself.
        typical_ttft = max(typical_ttft, low_ttft)
        high_ttft = max(high_ttft, typical_ttft)
        return Serving(
            Range(low_ttft, typical_ttft, high_ttft),
            Range(low_tpot, typical_tpot, high_tpot),
            Range(requests / high_tpot, requests / typical_tpot, requests / low_tpot),
        )

    def keeps(self, requests: int, ttft_s: float | None, tpot_s: float | None, place: int) -> bool:
        """Tell whether so many requests keep the targets at an end, without working out all three."""
        for end in range(place, -1, -1):  # the times to first token are those of the slowest end up to it
            first, each = self._times(end, requests)
            if ttft_s is not None and first > ttft_s:
                return False
            if end == place and tpot_s is not None and each > tpot_s:
                return False
            if ttft_s is None:
                return True
        return True

    def reading_s(self, place: int) -> float:
        """Return the time that one prompt's arithmetic and exchange take on one pass of the pipeline [s]."""
        end = self.replica.ends[place]
        return (
            self.prompt[place] * (end.token_s + end.link_token_s) + self.attention_flops[place] * end.flop_s
        )

    def step_s(self, place: int, running: float) -> float:
        """Return the time of a decode step for each token that it gives `running` requests [s]."""
        work, end, cache = self.replica.work, self.replica.ends[place], self.cache_bytes[place]
        if self.predicts:
            return _step_s(work, end, running, cache, 2) / (1 + at(c.PREDICTION_ACCEPTANCE, 2 - place))
        if self.draft is None:
            return _step_s(work, end, running, cache)
        # The draft proposes k tokens, one step checks them all; with an acceptance of a for each, the two
        # give (1 - a^(k+1)) / (1 - a) tokens on average (Leviathan et al., 2023, arXiv:2211.17192).
        proposed, accepted = c.DRAFT_TOKENS, at(c.DRAFT_ACCEPTANCE, 2 - place)
        gained = (1 - accepted ** (proposed + 1)) / (1 - accepted)
        checked = _step_s(work, end, running, cache, proposed + 1)
        return (checked + proposed * self.draft.step_s(place, running)) / gained

    def _times(self, place: int, requests: int) -> tuple[float, float]:
        """Return first-token time and time per output token [s] at one end."""
        end, prompt, pp = self.replica.ends[place], self.prompt[place], self.stages
        running = max(requests / pp, 1.0)  # a pipeline splits the requests into as many groups as stages
        step = self.step_s(place, running)
        alone = step if running == 1 else self.step_s(place, 1.0)
        # A prompt passes the stages one after the other, in chunks that follow each other.
        chunks = max(prompt / end.chunk_tokens, 1.0)
        reading = self.reading_s(place)
        overlap = min(float(pp), chunks)
        touched = _touched(self.replica.work, prompt)
        first = max(reading / overlap, end.weight_s + end.expert_s * touched) + alone
        turn = reading / pp  # what each prompt takes away from the others' decoding
        if self.draft is not None:
            first += self.draft.reading_s(place) / overlap
            turn += self.draft.reading_s(place) / pp
        # Every running request brings a new prompt once per its output: reading it slows all other steps.
        stretched = step + requests * turn / self.output_tokens
        if self.batch:
            wait = (0.0, 0.5, 1.0)[place] * (requests - 1) * turn
        else:
            busy = requests * turn / (self.output_tokens * stretched)
            mean_wait = busy * turn / (2 * (1 - busy)) if busy < 1 else (requests - 1) * turn
            wait = min((0.0, 1.0, c.P95_OVER_MEAN_WAIT)[place] * mean_wait, (requests - 1) * turn)
        if not place:
            return first, stretched
        # A prompt joins when the step under way ends, and each of its chunks shares a step with all others.
        joining = (0.0, 0.5, 1.0)[place] * step if requests > 1 else 0.0
        return first + wait + joining + chunks * (step - alone), stretched


@lru_cache(maxsize=8192)
def prepare(
    model: AIModelSpec,
    gpu: GPUSpec,
    layout: Layout,
    *,
    link: Link,
    link_bytes_per_s: float | None,
    precision: Precision,
    kv_precision: KVPrecision,
    input_tokens: float,
    output_tokens: float,
    prefix_percent: float = 0,
    engine: Engine = "vllm",
    context_tokens: float | None = None,
    batch: bool = False,
    eager: bool = False,
    unpacks_apart: bool = False,
    draft: AIModelSpec | None = None,
    constants: ServingConstants = SERVING,
) -> Prepared | None:
    """Return one replica under a load, ready for any number of requests; None: cannot be sized.

    None means that the card's bandwidth or rate is not published, that it does not take the precision, or
    that the model's cache is not understood.

    Args:
        link: what joins the replica's GPUs; `link_bytes_per_s` is its rate per GPU, both directions.
        prefix_percent: part of each prompt that requests share; how much of it is read again is a range [%].
        eager: plain PyTorch that launches every kernel by itself, instead of `engine`.
        unpacks_apart: kernels of their own unpack 4-bit weights before each product (bitsandbytes).
        context_tokens: longest context; at the unfavourable end every request has grown to it.
        draft: model that proposes tokens on the same cards, with weights in 16 bit; the model itself: its own
            prediction layer does.

    Raises:
        SizingError: not a language model, or a load that makes no sense.
    """
    if not model.generates_tokens:
        raise SizingError(f"{model.slug} does not generate tokens")
    if input_tokens < 0 or output_tokens < 1 or not 0 <= prefix_percent <= 100:
        raise SizingError(f"{input_tokens=}, {output_tokens=}, {prefix_percent=} make no load")
    tp, pp = layout.tensor_parallel, layout.pipeline_parallel
    if layout.crosses_link:
        link, link_bytes_per_s = "pcie", gpu.pcie_bytes_per_s
    replica = _replica(
        model,
        gpu,
        tp,
        pp,
        link,
        link_bytes_per_s,
        precision,
        engine,
        eager=eager,
        unpacks_apart=unpacks_apart,
        constants=constants,
    )
    if replica is None:
        return None
    shared = prefix_percent / 100
    prompts = [input_tokens * (1 - shared * hit) for hit in ends(c.PREFIX_HIT)]
    prompt = (prompts[2], prompts[1], prompts[0])
    cached = input_tokens + output_tokens / 2
    longest = max(input_tokens + output_tokens, context_tokens or 0)
    usual_bytes = _cache_read_bytes(model, kv_precision, tp, cached)
    most_bytes = _cache_read_bytes(model, kv_precision, tp, longest)
    if usual_bytes is None or most_bytes is None:
        return None
    proposing, predicts = None, draft is not None and draft.slug == model.slug
    if draft is not None and not predicts:
        proposing = prepare(
            draft,
            gpu,
            layout,
            link=link,
            link_bytes_per_s=link_bytes_per_s,
            precision="bf16" if "bf16" in gpu.dense_flops else "fp16",
            kv_precision=kv_precision,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            prefix_percent=prefix_percent,
            engine=engine,
            context_tokens=context_tokens,
            batch=batch,
            constants=constants,
        )
        if proposing is None:
            return None
    low, typical, high = (prompt_attention_flops(replica.work, input_tokens, tokens) for tokens in prompt)
    return Prepared(
        replica=replica,
        cache_bytes=(usual_bytes, usual_bytes, most_bytes),
        prompt=prompt,
        attention_flops=(low, typical, high),
        output_tokens=output_tokens,
        stages=pp,
        batch=batch,
        draft=proposing,
        predicts=predicts,
    )


def largest(limit: int, holds: Callable[[int], bool]) -> int:
    """Return the largest number up to `limit` for which `holds` is true; times grow with requests."""
    if limit < 1 or not holds(1):
        return 0
    if holds(limit):
        return limit
    kept, broken = 1, limit
    while broken - kept > 1:
        middle = (kept + broken) // 2
        if holds(middle):
            kept = middle
        else:
            broken = middle
    return kept


def burst_output_tokens_per_s(
    model: AIModelSpec,
    gpu: GPUSpec,
    layout: Layout,
    *,
    link: Link,
    link_bytes_per_s: float | None,
    precision: Precision,
    kv_precision: KVPrecision,
    input_tokens: float,
    output_tokens: float,
    prompts: int,
    slots: int,
    even_lengths: bool,
    engine: Engine = "vllm",
    constants: ServingConstants = SERVING,
) -> Range | None:
    """Return the output rate of one replica over a batch of prompts handed over at once [tokens/s].

    At most `slots` of them run at a time; the rate counts from the first prompt to the last token, so the
    end, when few still run, counts as well. Without `even_lengths` answers are as long as in a chat:
    `output_tokens` on average, exponentially spread, cut at `speed_constants.LONGEST_ANSWER` times that.
    """
    tp, pp = layout.tensor_parallel, layout.pipeline_parallel
    if layout.crosses_link:
        link, link_bytes_per_s = "pcie", gpu.pcie_bytes_per_s
    replica = _replica(
        model, gpu, tp, pp, link, link_bytes_per_s, precision, engine, burst=True, constants=constants
    )
    cache = _cache_read_bytes(model, kv_precision, tp, input_tokens + output_tokens / 2)
    if replica is None or cache is None:
        return None
    work = replica.work
    attention_flops = prompt_attention_flops(work, input_tokens, input_tokens)
    slots = min(slots, prompts)
    rates = []
    for end in replica.ends:
        one_prompt = input_tokens * (end.token_s + end.link_token_s) + attention_flops * end.flop_s
        reading = prompts * one_prompt / pp
        full = _step_s(work, end, max(slots / pp, 1.0), cache)
        decoding = (prompts - slots) * output_tokens / slots * full
        if even_lengths:
            decoding += output_tokens * full
        else:
            parts = 12
            longest = min(c.LONGEST_ANSWER, log(slots) + 1.0)
            for part in range(parts):
                running = max(slots * exp(-longest * (part + 0.5) / parts) / pp, 1.0)
                decoding += longest * output_tokens / parts * _step_s(work, end, running, cache)
        rates.append(prompts * output_tokens / (reading + decoding))
    return Range(rates[2], rates[1], rates[0])


def computing_precision(gpu: GPUSpec, precision: Precision, engine: Engine = "vllm") -> Precision | None:
    """Return the type in which the card multiplies weights of that type; None: it does not take them."""
    support = precisions.support(gpu, precision, engine)
    if support == "no":
        return None
    if support == "native" and precision != "int4":
        return precision
    return "bf16" if "bf16" in gpu.dense_flops else "fp16"


@lru_cache(maxsize=65536)
def _cache_read_bytes(model: AIModelSpec, kv_precision: KVPrecision, tp: int, tokens: float) -> float | None:
    """Return the cache bytes that each GPU reads for one request's next token, over all layers."""
    if not model.cache_known:
        return None
    return memory.cache_bytes(
        model, tokens=ceil(tokens), requests=1, kv_precision=kv_precision, tensor_parallel=tp
    ).typical


@lru_cache(maxsize=16384)
def _replica(
    model: AIModelSpec,
    gpu: GPUSpec,
    tp: int,
    pp: int,
    link: Link,
    link_bytes_per_s: float | None,
    precision: Precision,
    engine: Engine,
    eager: bool = False,
    unpacks_apart: bool = False,
    burst: bool = False,
    constants: ServingConstants = SERVING,
) -> _Replica | None:
    computing = computing_precision(gpu, precision, engine)
    if computing is None or not gpu.bandwidth_bytes_per_s:
        return None
    rate = gpu.dense_flops.get(computing)
    if not rate:
        return None
    widened = precisions.support(gpu, precision, engine) == "storage_only"
    work = model_work(model, "bf16" if widened else precision)
    # A burst goes through the engine's server, which costs TensorRT-LLM what it costs the others.
    tuned = engine == "tensorrt_llm" and not burst
    efficiency = constants.eager if eager else constants.tuned if tuned else constants.installed
    compute = _compute_share(model, gpu, computing, efficiency.compute, constants)
    bandwidth, layer_s = efficiency.bandwidth, efficiency.layer_s
    if model.is_moe:
        layer_s = _product(layer_s, constants.mixture_layers)
    if model.is_moe and BITS[precision] == 8 and efficiency is constants.installed:
        compute = _product(compute, constants.eight_bit_experts)
        bandwidth = _product(bandwidth, constants.eight_bit_experts)
    if BITS[precision] == 4 and BITS[computing] == 16:
        bandwidth = _product(bandwidth, constants.unpacking)
        if eager and unpacks_apart:
            layer_s = _product(layer_s, constants.eager_unpacking)
    if tp * pp > 1 and not link_bytes_per_s:
        link, link_bytes_per_s = "pcie", gpu.pcie_bytes_per_s
    if tp * pp > 1 and not link_bytes_per_s:
        return None
    rows = c.UNPACKING_TILE_ROWS if BITS[precision] == 4 and BITS[computing] == 16 else c.TILE_ROWS
    visited = work.expert_parameters * work.touched_share
    ends = []
    for end in (2, 1, 0):  # best efficiency gives the shortest time
        gpu_bandwidth = gpu.bandwidth_bytes_per_s * at(bandwidth, end)
        gpu_rate = rate * at(compute, end) * tp
        time_end = 2 - end
        link_step, link_token = _exchange(work, tp, pp, link, link_bytes_per_s or 0.0, time_end)
        ends.append(
            _End(
                weight_s=work.shared_bytes / tp / gpu_bandwidth,
                expert_s=work.expert_bytes / tp / gpu_bandwidth,
                cache_s=1 / gpu_bandwidth,
                token_s=2 * work.active_parameters / gpu_rate,
                tile_s=2 * (work.active_parameters - visited) * rows / gpu_rate
                + 2 * visited * c.EXPERT_TILE_ROWS / gpu_rate,
                flop_s=1 / gpu_rate,
                link_token_s=link_token,
                link_step_s=link_step,
                step_s=at(efficiency.step_s, time_end) * pp + work.layers * at(layer_s, time_end),
                request_s=at(efficiency.request_s, time_end),
                chunk_tokens=at(c.CHUNK_TOKENS, end),
            )
        )
    return _Replica(work, (ends[0], ends[1], ends[2]))


def generation(gpu: GPUSpec) -> str:
    """Return the GPU generation as `serving_constants` names it."""
    architecture = gpu.architecture.lower()
    if architecture.startswith("blackwell"):
        return "blackwell-workstation" if "(gb20" in architecture else "blackwell"
    sixteen = gpu.dense_flops.get("bf16")
    if (
        architecture.startswith("hopper")
        and sixteen
        and gpu.bandwidth_bytes_per_s
        and sixteen / gpu.bandwidth_bytes_per_s < c.LITTLE_ARITHMETIC
    ):
        return "hopper-reduced"
    return next((name for name in SERVING.share if architecture.startswith(name)), "other")


def _compute_share(
    model: AIModelSpec, gpu: GPUSpec, computing: Precision, engine: Range, constants: ServingConstants
) -> Range:
    """Return the share of the printed dense rate that matrix work of this kind reaches."""
    kind, narrow = generation(gpu), BITS[computing] == 4
    share = _product(engine, constants.share[kind])
    if narrow:
        share = _product(share, constants.four_bit)
    if model.is_moe:
        fast = narrow and kind != "blackwell-workstation"
        share = _product(share, constants.mixture_four_bit if fast else constants.mixture)
    if gpu.tdp_w is not None and gpu.tdp_w / gpu.gpus_per_card <= c.LOW_POWER_W:
        share = _product(share, c.LOW_POWER_COMPUTE)
    best = c.BEST_MATRIX_SHARE
    return Range(min(share.low, best), min(share.typical, best), min(share.high, best))


def _exchange(
    work: ModelWork, tp: int, pp: int, link: Link, link_bytes_per_s: float, end: int
) -> tuple[float, float]:
    """Return seconds for the exchanges of one step, and for each token in it.

    Tensor ranks add up their parts twice a layer (Shoeybi et al., 2019, arXiv:1909.08053); a ring moves
    2 (n - 1) / n of the data. Pipeline stages hand the hidden states on once.
    """
    if tp * pp == 1:
        return 0.0, 0.0
    kind = link if link in c.ALL_REDUCE_S else "pcie"
    share = c.PCIE_EFFICIENCY if kind == "pcie" else c.LINK_EFFICIENCY
    one_way = link_bytes_per_s / 2 * at(share, 2 - end)
    latency = at(c.ALL_REDUCE_S[kind], end)
    token_bytes = work.hidden * _ACTIVATION_BYTES
    step, token = 0.0, 0.0
    if tp > 1:
        step += 2 * work.layers * latency
        token += 2 * work.layers * token_bytes * 2 * (tp - 1) / tp / one_way
    step += (pp - 1) * latency
    token += (pp - 1) * token_bytes / one_way
    return step, token


def _step_s(work: ModelWork, end: _End, running: float, cache_bytes: float, each: int = 1) -> float:
    """Return the time of one decode step over all layers with `each` tokens of every request in it [s]."""
    tokens = running * each
    weights = end.weight_s
    if work.expert_bytes:
        weights += end.expert_s * _touched(work, tokens)
    return (
        max(weights, tokens * end.token_s, end.tile_s)
        + running * (cache_bytes * end.cache_s + each * end.link_token_s + end.request_s)
        + end.link_step_s
        + end.step_s
    )


def _touched(work: ModelWork, tokens: float) -> float:
    """Return the share of the experts that `tokens` tokens visit, if routing is even."""
    return 1.0 - (1.0 - work.touched_share) ** tokens if work.touched_share < 1 else 1.0


def at(value: Range, end: int) -> float:
    """Return the low (0), typical (1) or high (2) end."""
    return (value.low, value.typical, value.high)[end]


def _product(one: Range, other: Range) -> Range:
    return Range(one.low * other.low, one.typical * other.typical, one.high * other.high)
