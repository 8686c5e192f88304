"""Rates of work that is not token by token: video frames, speech, images, embeddings.

Where others measured the model on the card or on its like, that says what the card does at best and
typically (see `measured`). The rest, and the low end of an ordinary pipeline, comes from FLOP counts and the
share of the printed dense rate that such pipelines reach; wide, because decoding video, resizing, sampling
and small batches count as much as the card.
"""

from recommender.sizing import measured, speed_constants as c
from recommender.sizing.latency import BITS, computing_precision
from recommender.sizing.specs import AIModelSpec, GPUSpec, Precision, Range, SizingError

_VISION_TOKENS = (
    197  # 224 x 224 pixels in patches of 16 x 16, and one for the class (Dosovitskiy et al., 2020)
)
_WHISPER_WINDOW_S = 30.0  # Whisper reads its input in windows of 30 s (Radford et al., 2022)
_WHISPER_WINDOW_POSITIONS = 1500
_SPEECH_TOKENS_PER_S = 4.0  # 150 words a minute, about 1.5 tokens each
_SDXL_STEP_FLOP = 2 * 6.0e12  # one 1024 x 1024 step, with and without the prompt (Podell et al., 2023)
_LATENT_TOKENS = 4096 + 512  # 1024 x 1024 pixels, 16 x 16 a token, and the prompt, in diffusion transformers

_ORDINARY: dict[str, Range] = {
    "vision": c.VISION_UTILIZATION,
    "asr": c.WHISPER_UTILIZATION,
    "image_generation": c.DIFFUSION_UTILIZATION[16],
    "embedding": c.ENCODER_UTILIZATION,
    "reranker": c.ENCODER_UTILIZATION,
}


def vision_frames_per_s(
    model: AIModelSpec, gpu: GPUSpec, precision: Precision, *, limited: bool = False, tuned: bool = False
) -> Range | None:
    """Return images or video frames that one card takes [1/s]; None: rate or model not known.

    Here and below, `limited`: each answer has its time limit; `tuned`: an engine made for the card is fed
    from memory, as benchmarks do.
    """
    _expect(model, "vision")
    return _known(model, gpu, precision, limited, tuned, _frames_by_flop(model, gpu, precision))


def _frames_by_flop(model: AIModelSpec, gpu: GPUSpec, precision: Precision) -> Range | None:
    if model.gflop_per_image is not None:
        flop = model.gflop_per_image * 1e9
    elif model.num_layers and model.hidden_size:
        attention = 4.0 * model.num_layers * model.hidden_size * _VISION_TOKENS
        flop = (2.0 * model.parameters + attention) * _VISION_TOKENS
    else:
        return None
    return _per_second(gpu, precision, flop, c.VISION_UTILIZATION)


def audio_seconds_per_s(
    model: AIModelSpec, gpu: GPUSpec, precision: Precision, *, limited: bool = False, tuned: bool = False
) -> Range | None:
    """Return seconds of speech that one card transcribes in a second; None: rate not known."""
    _expect(model, "asr")
    return _known(model, gpu, precision, limited, tuned, _audio_by_flop(model, gpu, precision))


def _audio_by_flop(model: AIModelSpec, gpu: GPUSpec, precision: Precision) -> Range | None:
    hidden = model.hidden_size or 1280
    encoder = 32 * 12 * hidden * hidden  # the encoder keeps its 32 layers in all large versions
    decoder = max(float(model.parameters) - encoder, 0.0)
    attention = 4.0 * 32 * _WHISPER_WINDOW_POSITIONS**2 * hidden
    flop = (
        2.0 * encoder * _WHISPER_WINDOW_POSITIONS
        + attention
        + 2.0 * decoder * _SPEECH_TOKENS_PER_S * _WHISPER_WINDOW_S
    )
    windows = _per_second(gpu, precision, flop, c.WHISPER_UTILIZATION)
    return windows.scaled(_WHISPER_WINDOW_S) if windows else None


def images_per_minute(
    model: AIModelSpec,
    gpu: GPUSpec,
    precision: Precision,
    *,
    steps: int = 30,
    limited: bool = False,
    tuned: bool = False,
) -> Range | None:
    """Return 1024 x 1024 images a minute on one card with that many denoising steps; None: rate not known."""
    _expect(model, "image_generation")
    rate = _known(model, gpu, precision, limited, tuned, _steps_by_flop(model, gpu, precision))
    return rate.scaled(60.0 / steps) if rate else None


def _steps_by_flop(model: AIModelSpec, gpu: GPUSpec, precision: Precision) -> Range | None:
    computing = computing_precision(gpu, precision)
    if computing is None:
        return None
    share = c.DIFFUSION_UTILIZATION[min(BITS[computing], 16)]
    if model.num_layers is None or model.hidden_size is None:
        step = _SDXL_STEP_FLOP  # the convolutional model of the catalogue
    else:
        # Text encoders are part of the published size, so the denoiser's work comes from its shape.
        width = model.hidden_size
        step = model.num_layers * (24.0 * width * width + 4.0 * _LATENT_TOKENS * width) * _LATENT_TOKENS
        share = Range(
            share.low / 2, share.typical, share.high
        )  # some models run each step twice for guidance
    return _per_second(gpu, precision, step, share)


def texts_per_s(
    model: AIModelSpec,
    gpu: GPUSpec,
    precision: Precision,
    *,
    longest_tokens: float,
    limited: bool = False,
    tuned: bool = False,
) -> Range | None:
    """Return texts of a benchmark that one card encodes [1/s]; None: rate not known.

    Benchmarks state the longest text, never the mean: what was measured is that of texts, and says nothing of
    tokens. By FLOP counts each text is as long as the longest, which is the low end.
    """
    tokens = embedding_tokens_per_s(model, gpu, precision, input_tokens=longest_tokens)
    return _known(model, gpu, precision, limited, tuned, tokens and tokens.scaled(1 / longest_tokens))


def embedding_tokens_per_s(
    model: AIModelSpec, gpu: GPUSpec, precision: Precision, *, input_tokens: float = 512
) -> Range | None:
    """Return tokens that one card embeds or reranks [1/s]; None: rate not known."""
    _expect(model, "embedding", "reranker")
    layers, hidden = model.num_layers or 0, model.hidden_size or 0
    embedding = (model.vocab_size or 0) * hidden
    flop = 2.0 * max(model.parameters - embedding, model.parameters * 0.2)
    flop += 4.0 * layers * hidden * input_tokens
    return _per_second(gpu, precision, flop, c.ENCODER_UTILIZATION)


def _known(
    model: AIModelSpec,
    gpu: GPUSpec,
    precision: Precision,
    limited: bool,
    tuned: bool,
    computed: Range | None,
) -> Range | None:
    """Return a rate by what was measured, else the computed one.

    What benchmarks reach is typical at best: unless it is tuned, the low end stays an ordinary pipeline's.
    """
    found = measured.pieces_per_s(model.measured, model.kind, gpu, precision, limited=limited)
    if found is None or tuned:
        return found.rate if found else computed
    if computed is None:  # the card's rates are not published: as far below as on cards whose rates are
        share = _ORDINARY[model.kind]
        ordinary = found.rate.typical * share.low / share.typical
    else:
        ordinary = computed.low
    return Range(min(found.rate.low, ordinary), found.rate.typical, found.rate.high)


def _expect(model: AIModelSpec, *kinds: str) -> None:
    if model.kind not in kinds:
        raise SizingError(f"{model.slug} is {model.kind}, not {' or '.join(kinds)}")


def _per_second(gpu: GPUSpec, precision: Precision, flop: float, share: Range) -> Range | None:
    """Return how often one card does that much work in a second, or None."""
    computing = computing_precision(gpu, precision)
    rate = gpu.dense_flops.get(computing) if computing else None
    if not rate or flop <= 0:
        return None
    return share.scaled(rate / flop)
