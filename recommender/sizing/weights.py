"""Bytes of a model's weights: the whole checkpoint, and what one GPU of a layout keeps of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, floor, inf

from recommender.sizing import memory_constants as constants
from recommender.sizing.lines import Line, ends, total, whole
from recommender.sizing.precisions import bytes_per_value
from recommender.sizing.specs import AIModelSpec, GPUSpec, Layout, Precision, Range, SizingError

TYPICAL_LATENT_QUERY = 3  # query compression of MLA in latents: 1536 against 512 in DeepSeek and Kimi
GATED_MATRICES = 2.5  # between the two matrices of a plain layer and the three of a gated one
# The next wider types: a narrow checkpoint may keep parts in 16 bits, yet is never larger than one of these.
WIDER: dict[Precision, tuple[Precision, ...]] = {
    "fp4": ("fp8", "int8"),
    "int4": ("fp8", "int8"),
    "fp8": ("bf16",),
    "int8": ("bf16",),
}
MLA_HEAD_DIM = 128  # key and value width a head of the same models, beside the rotary part


@dataclass(frozen=True, slots=True)
class Parts:
    """A model's parameters by how recipes treat them [parameters]."""

    experts: float
    linear: float  # dense and shared feed-forward, whatever else is a matrix
    attention: float
    embeddings: float  # input and output
    router: float
    towers: float  # copied to each tensor rank
    latent_down: float  # part of attention that each rank keeps whole (MLA, indexer)
    latent_up: float  # part of attention that engines keep a second time in 16 bits (MLA)
    mtp: float

    @property
    def total(self) -> float:
        layers = self.experts + self.linear + self.attention + self.router
        return layers + self.embeddings + self.towers + self.mtp


@dataclass(frozen=True, slots=True)
class Recipe:
    """Bytes a parameter of each part."""

    experts: float
    linear: float
    attention: float
    embeddings: float = 2.0
    towers: float = 2.0


@lru_cache(maxsize=1024)
def parts(model: AIModelSpec) -> Parts:
    """Return the model's parameters by part; what the shape does not explain counts as matrices."""
    towers = float(sum(m.parameters for m in model.extra_modules if not m.tensor_sharded))
    tables = float(sum(m.parameters for m in model.extra_modules if m.tensor_sharded))
    left = max(0.0, model.parameters - towers - tables - model.mtp_parameters)
    hidden, layers = model.hidden_size, model.num_layers
    if not hidden or not layers or not model.num_attention_heads:
        return Parts(0, left, 0, tables, 0, towers, 0, 0, model.mtp_parameters)
    table = float((model.vocab_size or 0) * hidden)
    embeddings = min(table if model.tie_embeddings else 2 * table, left)
    left -= embeddings
    experts = router = 0.0
    if model.is_moe:
        mixed = layers - model.first_dense_layers
        experts = min(_experts(model, mixed, embeddings, left), left)
        router = min(float(hidden * model.experts * mixed), left - experts)
        left -= experts + router
    attention, down, up = _attention(model, hidden)
    share = min(1.0, left / attention) if attention else 0.0
    return Parts(
        experts=experts,
        linear=left - attention * share,
        attention=attention * share,
        embeddings=embeddings + tables,
        router=router,
        towers=towers,
        latent_down=down * share,
        latent_up=up * share,
        mtp=float(model.mtp_parameters),
    )


def busy_inner(model: AIModelSpec) -> int:
    """Return the inner width of a feed-forward layer at work on one token [values]."""
    dense = model.intermediate_size or 4 * (model.hidden_size or 0)
    if not model.is_moe or not model.moe_intermediate_size:
        return dense
    mixed = model.moe_intermediate_size * (model.experts_per_token + model.shared_experts)
    return max(mixed, dense) if model.first_dense_layers else mixed


def gated(model: AIModelSpec) -> bool:
    """Tell whether a feed-forward layer has three matrices: from the parameters that two do not explain."""
    hidden, layers = model.hidden_size, model.num_layers
    if model.is_moe or not hidden or not layers or not model.intermediate_size:
        return True
    found = parts(model)
    return found.linear / (layers * hidden * model.intermediate_size) > GATED_MATRICES


def _experts(model: AIModelSpec, mixed: int, embeddings: float, left: float) -> float:
    """Return the routed experts' parameters: from their shape, or from total and active, the smaller.

    The shape alone overstates experts of two matrices, and models where some layers only have attention.
    """
    found = left
    if model.moe_intermediate_size and model.hidden_size:
        found = 3.0 * model.experts * mixed * model.hidden_size * model.moe_intermediate_size
    if model.active_parameters and model.experts > model.experts_per_token:
        idle = left + embeddings - model.active_parameters
        found = min(found, max(0.0, idle) * model.experts / (model.experts - model.experts_per_token))
    return found


def _attention(model: AIModelSpec, hidden: int) -> tuple[float, float, float]:
    """Return (all, kept whole by each rank, kept twice by engines) of the attention layers [parameters]."""
    heads = model.num_attention_heads or 0
    total = down = up = 0.0
    for group in model.cache_groups:
        if group.kind in ("full", "window", "chunked"):
            width = heads * group.head_dim
            total += group.layers * (2 * hidden * width + 2 * hidden * group.kv_heads * group.head_dim)
        elif group.kind == "latent" and group.rope_dim:
            query = TYPICAL_LATENT_QUERY * group.latent_dim
            compress = hidden * (query + group.latent_dim + group.rope_dim)
            expand = 2.0 * group.latent_dim * heads * MLA_HEAD_DIM
            rest = query * heads * (MLA_HEAD_DIM + group.rope_dim) + heads * MLA_HEAD_DIM * hidden
            total += group.layers * (compress + expand + rest)
            down += group.layers * compress
            up += group.layers * expand
        elif group.kind == "state" and model.kind != "asr":  # there it holds an encoder's keys
            inner = group.state_bytes / constants.STATE_BYTES_PER_CHANNEL
            total += group.layers * constants.STATE_PROJECTIONS * hidden * inner
    latent = max((g.latent_dim for g in model.cache_groups if g.kind == "latent"), default=0)
    for group in model.cache_groups:
        if group.kind == "indexer" and latent:
            size = group.layers * (TYPICAL_LATENT_QUERY * latent * 64.0 * group.latent_dim)
            total += size
            down += size
    if not total and model.num_layers and model.head_dim:
        kv_heads = model.num_kv_heads or heads
        total = model.num_layers * 2.0 * hidden * (heads + kv_heads) * model.head_dim
    return total, down, up


def weight_bytes(model: AIModelSpec, precision: Precision, *, recipe: str | None = None) -> Range:
    """Return the whole checkpoint, prediction layers and towers included [bytes].

    A measured checkpoint of that precision is taken where there is one; otherwise the parameters in the
    recipe's bytes, the parts that it leaves in 16 bits, and its scales.

    Args:
        model: The model's shape.
        precision: The word of the answers; several recipes go by it, hence the range.
        recipe: One of `NAMED` where it is known which.

    Raises:
        SizingError: an unknown precision or recipe.

    Sources: the recipes in `memory_constants`; what they leave alone: embeddings, output head, norms and
    routers (llm-compressor, ModelOpt, AutoAWQ and GPTQ defaults), attention too in Llama 3.1 FP8
    (arXiv:2407.21783, section 6.2) and in the published 4-bit mixtures gpt-oss and Kimi K2 Thinking.
    """
    measured = model.measured_weights.get(precision)
    if measured is not None and recipe is None:
        low, typical, high = (measured * factor for factor in constants.MEASURED_SPREAD)
    else:
        found = parts(model)
        low, typical, high = (_bytes(found, values) for values in recipes(model, precision, recipe))
        typical = max(low, typical)
    if recipe is None:
        high = min(high, *(weight_bytes(model, wider).high for wider in WIDER.get(precision, ())), inf)
    return Range(low, typical, max(typical, high))


def _matrices(value: float) -> Recipe:
    """Return a recipe that treats every matrix alike and leaves the rest in 16 bits."""
    return Recipe(experts=value, linear=value, attention=value)


NAMED = {
    "fp8-block": _matrices(constants.FP8_VALUE),
    "int8-channel": _matrices(constants.INT8_VALUE.low),
    "int8-groups": _matrices(constants.INT8_VALUE.high),
    "int4-groups": _matrices(constants.INT4_VALUE.typical),
    "int4-experts": Recipe(constants.INT4_EXPERTS_VALUE, 2.0, 2.0),
    "nf4": _matrices(constants.NF4_VALUE),
    "nf4-double": _matrices(constants.NF4_DOUBLE_VALUE),
    "mxfp4": _matrices(constants.MXFP4_VALUE),
    "nvfp4": _matrices(constants.NVFP4_VALUE),
}


@lru_cache(maxsize=4096)
def recipes(
    model: AIModelSpec, precision: Precision, recipe: str | None = None
) -> tuple[Recipe, Recipe, Recipe]:
    """Return the leanest, the usual and the richest recipe that goes by that name."""
    if recipe is not None:
        if recipe not in NAMED:
            raise SizingError(f"no such recipe: {recipe!r}")
        return NAMED[recipe], NAMED[recipe], NAMED[recipe]
    if precision in ("bf16", "fp16", "fp32"):
        width = bytes_per_value(precision)
        plain = Recipe(width, width, width, width, width)
        return plain, plain, plain
    only_experts = model.is_moe and model.native_precision == precision
    if precision == "fp8":
        usual = NAMED["fp8-block"]
        return usual, usual, replace(usual, attention=2.0)
    if precision == "int8":
        lean, rich = NAMED["int8-channel"], NAMED["int8-groups"]
        return lean, rich, rich
    if precision == "int4" and only_experts:
        rich = NAMED["int4-experts"]
        return replace(rich, experts=constants.INT4_VALUE.typical), rich, rich
    if precision == "int4":
        lean = _matrices(constants.INT4_VALUE.low)
        rich = _matrices(constants.INT4_VALUE.high)
        return lean, NAMED["int4-groups"], replace(rich, attention=2.0) if model.is_moe else rich
    if precision == "fp4" and only_experts:
        value = NAMED["mxfp4"].experts
        padded = value * _padding(model)
        return Recipe(value, 1.0, 1.0), Recipe(padded, 2.0, 2.0), Recipe(padded * 1.03, 2.0, 2.0)
    if precision == "fp4":
        usual = NAMED["nvfp4"]
        return NAMED["mxfp4"], usual, replace(usual, attention=2.0)
    raise SizingError(f"no such precision: {precision!r}")


def _padding(model: AIModelSpec) -> float:
    """Return how much wider 4-bit kernels make an expert."""
    width = model.moe_intermediate_size or 0
    unit = constants.EXPERT_PADDING
    return ceil(width / unit) * unit / width if width else 1.0


def _bytes(found: Parts, recipe: Recipe) -> float:
    return (
        found.experts * recipe.experts
        + (found.linear + found.mtp) * recipe.linear
        + found.attention * recipe.attention
        + (found.embeddings + found.router) * recipe.embeddings
        + found.towers * recipe.towers
    )


def weight_lines(
    model: AIModelSpec,
    precision: Precision,
    layout: Layout,
    gpu: GPUSpec,
    *,
    with_mtp: bool = False,
    recipe: str | None = None,
) -> tuple[Line, ...]:
    """Return what the busiest GPU of a replica keeps, by kind of parameter.

    Tensor ranks share out the matrices; each keeps towers, routers and the compressing matrices of MLA whole,
    and copies KV heads when there are fewer than ranks. The low end shares the towers out too, as engines do
    for some models. Of a pipeline's stages, the one with the most layers and the embedding or the head
    counts. Prediction layers are left out unless asked for: engines load them only for speculative decoding.
    """
    return _weight_lines(
        model,
        precision,
        layout.tensor_parallel,
        layout.pipeline_parallel,
        layout.expert_parallel,
        gpu.vendor,
        with_mtp,
        recipe,
    )


@lru_cache(maxsize=16384)
def _weight_lines(
    model: AIModelSpec,
    precision: Precision,
    tensor: int,
    stages: int,
    expert_parallel: int,
    vendor: str,
    with_mtp: bool,
    recipe: str | None,
) -> tuple[Line, ...]:
    """Return `weight_lines` by what alone they depend on: many cards and layouts share them."""
    found = parts(model)
    layers = model.num_layers or 1
    stage = ceil(layers / stages) / layers
    end = 0.5 if stages > 1 and not model.tie_embeddings else 1.0
    copied = found.latent_down + _copied_kv_heads(model, tensor)
    used = recipes(model, precision, recipe)
    if recipe is None and precision in model.measured_weights:
        used = (used[1], used[1], used[1])
    rounding = _loaded(model, precision, vendor)
    sizes = ends(weight_bytes(model, precision, recipe=recipe))
    # A measured checkpoint stands for its recipe: all parts of it are as much larger or smaller.
    scales = [
        factor * size / max(1.0, _bytes(found, values))
        for size, values, factor in zip(sizes, used, ends(rounding), strict=True)
    ]
    scale = _range(scales)
    lean, usual, rich = used

    def line(
        code: str, sizes: Sequence[float], *values: float | Range, part: str = "", shared_out: bool = True
    ) -> Line:
        return Line(code, "weights", whole(*sizes), values, part, shared_out=shared_out)

    def shared(parameters: float, values: Sequence[float]) -> list[float]:
        return [s * stage * parameters * value / tensor for s, value in zip(scales, values, strict=True)]

    lines: list[Line] = []
    values: tuple[float | Range, ...]
    if found.experts:
        each = (lean.experts, usual.experts, rich.experts)
        holders = max(tensor, expert_parallel)
        kept = [s * stage * found.experts * value / holders for s, value in zip(scales, each, strict=True)]
        lines.append(line("weights_experts", kept, found.experts, _range(each), scale, stage, holders))
    linear = (lean.linear, usual.linear, rich.linear)
    attention = (lean.attention, usual.attention, rich.attention)
    embeddings = (lean.embeddings, usual.embeddings, rich.embeddings)
    own = found.attention - found.latent_down
    kept = [
        s * stage * (found.linear * a + own * b) / tensor
        for s, a, b in zip(scales, linear, attention, strict=True)
    ]
    values = (found.linear, _range(linear), own, _range(attention), scale, stage, tensor)
    lines.append(line("weights_layers", kept, *values))
    # Engines keep the expanding matrices of MLA a second time, in 16 bits, when the first is smaller.
    if found.latent_up and usual.attention < 2.0:
        again = stage * found.latent_up * 2.0 / tensor
        most = (0.0 if lean.attention >= 2.0 else again, again, again)
        lines.append(line("weights_twice", most, found.latent_up, stage, tensor))
    if copied + found.router:
        kept = [
            s * stage * (copied * a + found.router * b)
            for s, a, b in zip(scales, attention, embeddings, strict=True)
        ]
        values = (copied, _range(attention), found.router, _range(embeddings), scale, stage)
        lines.append(line("weights_copied", kept, *values, shared_out=False))
    if found.embeddings:
        kept = [s * end * found.embeddings * b / tensor for s, b in zip(scales, embeddings, strict=True)]
        lines.append(
            line("weights_embeddings", kept, found.embeddings, _range(embeddings), scale, end, tensor)
        )
    for module in model.extra_modules:
        if not module.tensor_sharded:
            towers = (lean.towers, usual.towers, rich.towers)
            kept = [
                s * module.parameters * value / over
                for s, value, over in zip(scales, towers, (tensor, 1, 1), strict=True)
            ]
            values = (module.parameters, _range(towers), scale)
            lines.append(line("weights_tower", kept, *values, part=module.name, shared_out=False))
    if with_mtp and found.mtp:
        kept = shared(found.mtp, linear)
        lines.append(line("weights_prediction", kept, found.mtp, _range(linear), scale, stage, tensor))
    if recipe is None:
        for wider in WIDER.get(precision, ()):
            wide = _weight_lines(model, wider, tensor, stages, expert_parallel, vendor, with_mtp, None)
            limit = total(wide).high
            lines = _no_more_than(limit, lines)
    return tuple(lines)


def _no_more_than(most: float, lines: list[Line]) -> list[Line]:
    """Return the lines with their high ends so close to the typical ones that their sum is at most `most`."""
    found = total(lines)
    if found.high <= most or found.high == found.typical:
        return lines
    part = max(0.0, most - found.typical) / (found.high - found.typical)

    def eased(size: Range) -> Range:
        return Range(size.low, size.typical, size.typical + floor(part * (size.high - size.typical)))

    return [replace(line, bytes=eased(line.bytes)) for line in lines]


def _loaded(model: AIModelSpec, precision: Precision, vendor: str) -> Range:
    """Return loaded bytes over counted ones: buffers and padding, more of it on AMD cards."""
    loaded = constants.LOADED
    if vendor != "amd" or not (model.is_moe or precision == "fp8"):
        return loaded
    padding = constants.ROCM_MOE if model.is_moe else _rocm_rows(model, precision)
    return Range(
        loaded.low * padding.low,
        loaded.typical * padding.typical,
        loaded.high * padding.high,
    )


def _rocm_rows(model: AIModelSpec, precision: Precision) -> Range:
    """Return padded over plain bytes in vLLM on AMD cards: each row of an FP8 matrix is padded.

    Two of three matrices of a feed-forward layer have rows of the hidden width, one of the inner width. The
    high end takes what is left in 16 bits for padded too: three logs of one model lie above matrices alone.
    """
    hidden, inner = model.hidden_size or 4096, busy_inner(model) or 4096
    found, usual = parts(model), recipes(model, precision)[1]
    matrices = found.linear * usual.linear + found.attention * usual.attention
    share = matrices / max(1.0, _bytes(found, usual))
    row = constants.ROCM_FP8_ROW
    return Range(1.0, 1 + row * share * (2 / hidden + 1 / inner) / 3, 1 + row / min(hidden, inner))


def _range(values: Sequence[float]) -> Range:
    """Return a lean, a usual and a rich value as a range around the usual one."""
    return Range(min(values), values[1], max(values))


def _copied_kv_heads(model: AIModelSpec, tensor: int) -> float:
    """Return the key and value parameters a rank holds beyond its even share [parameters]."""
    extra = 0.0
    for group in model.cache_groups:
        if group.kind in ("full", "window", "chunked") and group.tensor_sharded and model.hidden_size:
            heads = max(1, ceil(group.kv_heads / tensor)) - group.kv_heads / tensor
            extra += group.layers * 2 * model.hidden_size * group.head_dim * heads
    return extra
